//! Scripted streams through the whole recorder.

mod detections;
mod events;
mod messages;
mod order;
mod robots;
mod speed;

use super::*;
use crate::TriggerKind;
use crate::span::nanos;
use messages::{bool_message, joints_message, string_message, wrench_message};

/// A second of no day in particular.
const START: i64 = 1_700_000_000;

fn at(secs: f64) -> Stamp {
    Stamp(START * 1_000_000_000 + nanos(secs))
}

/// Topics by what is listened to on them.
const WRIST: (&str, &str) = ("/wrist/wrench", "geometry_msgs/msg/WrenchStamped");
const ARM: (&str, &str) = ("/joint_states", "sensor_msgs/msg/JointState");
const STOP: (&str, &str) = ("/ur3/protective_stop", "std_msgs/msg/Bool");
const CYCLE: (&str, &str) = ("/ur3/cycle", "std_msgs/msg/String");

fn recorder_with(
    topics: &[(&str, &str)],
    change: impl Fn(&mut StreamSettings),
    settings: RecorderSettings,
) -> Recorder {
    let streams = topics.iter().map(|(topic, _)| {
        let mut settings = StreamSettings::new(topic);
        change(&mut settings);
        settings
    });
    let mut recorder = Recorder::new(settings, streams.collect());
    for (index, (_, type_name)) in topics.iter().enumerate() {
        recorder.set_type(index, type_name, None).expect("a known type");
    }
    recorder
}

fn recorder(topics: &[(&str, &str)]) -> Recorder {
    recorder_with(topics, |_| {}, RecorderSettings::default())
}

/// A message of a stream that came at once.
fn heard(stream: usize, secs: f64, message: Vec<u8>) -> Received {
    Received { source: Source::Stream(stream), received: at(secs), message: message.into() }
}

/// All events of messages, told the time as they come.
fn events(recorder: &mut Recorder, messages: Vec<Received>) -> Vec<Event> {
    let mut out = Vec::new();
    for message in messages {
        let now = message.received;
        recorder.take(message);
        recorder.advance(now, &mut out);
    }
    recorder.finish(&mut out);
    out
}

/// Noise that is the same each time, about -1 to 1.
fn noise(index: usize) -> f64 {
    let mut x = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678;
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// A wrist at `rate_hz` that presses with `force` (N) while `is_pressed`.
fn pressing(stream: usize, secs: f64, rate_hz: f64, force: impl Fn(f64) -> f64) -> Vec<Received> {
    (0..(secs * rate_hz) as usize)
        .map(|index| {
            let now = index as f64 / rate_hz;
            let wobble = 0.05 * noise(index);
            let z = -9.0 - force(now) + wobble;
            let values = [0.1 + wobble, -0.2 - wobble, z, 0.0, 0.01, 0.0];
            heard(stream, now, wrench_message(at(now), "tool0", values))
        })
        .collect()
}

/// An arm at `rate_hz` whose elbow turns with `velocity` (rad/s).
fn turning(stream: usize, secs: f64, rate_hz: f64, velocity: impl Fn(f64) -> f64) -> Vec<Received> {
    let mut elbow = 0.3;
    (0..(secs * rate_hz) as usize)
        .map(|index| {
            let now = index as f64 / rate_hz;
            let turn = velocity(now);
            elbow += turn / rate_hz;
            let still = 0.0005 * noise(index);
            let names = ["shoulder_pan_joint", "elbow_joint"];
            let message =
                joints_message(at(now), &names, &[1.0, elbow], &[still, turn - still], &[]);
            heard(stream, now, message)
        })
        .collect()
}

/// A boolean at `rate_hz` that is true while `is_true`.
fn saying(stream: usize, secs: f64, rate_hz: f64, is_true: impl Fn(f64) -> bool) -> Vec<Received> {
    (0..(secs * rate_hz) as usize)
        .map(|index| {
            let now = index as f64 / rate_hz;
            heard(stream, now, bool_message(is_true(now)))
        })
        .collect()
}

/// In the order in which they came.
fn together(lists: Vec<Vec<Received>>) -> Vec<Received> {
    let mut all: Vec<Received> = lists.into_iter().flatten().collect();
    all.sort_by_key(|message| message.received);
    all
}

fn of_kind(events: &[Event], kind: TriggerKind) -> Vec<&Event> {
    events.iter().filter(|event| event.trigger == kind).collect()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}
