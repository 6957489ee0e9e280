//! What the streams record: events as the recorder makes them, with windows of numbers.

use super::random::SplitMix64;
use robot_memory_core::model::{PerceptionType, Stamp};
use robot_memory_core::signature;
use robot_memory_engine::Recording;
use robot_memory_perception::{Event, LayoutKind, TriggerKind};
use serde_json::json;
use std::fmt::Write;

/// Samples of a window, and channels of a wrench.
const SAMPLES: usize = 30;
const CHANNELS: usize = 6;
/// Samples a second.
const RATE_HZ: f64 = 10.0;
const NANOS_PER_SEC: i64 = 1_000_000_000;

/// What is recorded, of a hundred events.
const KINDS: [(usize, TriggerKind); 6] = [
    (50, TriggerKind::Contact),
    (70, TriggerKind::Motion),
    (84, TriggerKind::Keyframe),
    (92, TriggerKind::Slip),
    (96, TriggerKind::Impact),
    (100, TriggerKind::Periodic),
];

/// The event of this number, at a time. The recorder knows no tasks.
pub fn recording(number: usize, at: Stamp, temperature_c: f64) -> Recording {
    let mut random = SplitMix64::new(number as u64);
    let of_hundred = random.below(100);
    let kind = KINDS.iter().find(|(until, _)| of_hundred < *until);
    let trigger = kind.map_or(TriggerKind::Periodic, |(_, trigger)| *trigger);
    let secs = random.between(0.4, 3.0, 1);
    let peak_n = random.between(4.0, 25.0, 1);
    let (stream, description, perception_type) = match trigger {
        TriggerKind::Contact => (
            "wrist force",
            format!(
                "contact on wrist force, peak {peak_n} N at {} s, released after {secs} s; arm moving",
                random.between(0.1, 1.5, 1)
            ),
            PerceptionType::Tactile,
        ),
        TriggerKind::Motion => (
            "arm",
            format!(
                "arm moved {secs} s, mostly elbow_joint by {} rad, peak {} rad/s",
                random.between(0.1, 1.6, 2),
                random.between(0.2, 1.9, 1)
            ),
            PerceptionType::Proprioceptive,
        ),
        TriggerKind::Keyframe => (
            "camera front",
            format!("camera front: new view (difference {})", random.between(0.2, 0.9, 2)),
            PerceptionType::Visual,
        ),
        TriggerKind::Slip => (
            "left finger",
            format!(
                "slip felt on left finger tactile sensor, force down by {} %",
                20 + random.below(60)
            ),
            PerceptionType::Tactile,
        ),
        TriggerKind::Impact => (
            "wrist force",
            format!(
                "impact on wrist force, peak {} N, rising by {} N/s",
                40 + random.below(60),
                1000 + random.below(3000)
            ),
            PerceptionType::Tactile,
        ),
        _ => (
            "battery voltage",
            format!(
                "battery voltage at {} V, kept as it was, every 60 s",
                random.between(22.0, 26.0, 1)
            ),
            PerceptionType::Proprioceptive,
        ),
    };
    let feels = matches!(trigger, TriggerKind::Contact | TriggerKind::Slip | TriggerKind::Impact);
    let samples = if feels { samples(&mut random, peak_n) } else { Vec::new() };
    let context = json!({
        "spatial": {
            "robot_position": [random.between(0.0, 40.0, 4), random.between(0.0, 30.0, 4), 0.0],
            "robot_orientation": [0.0, 0.0, random.between(-1.0, 1.0, 6), random.between(0.0, 1.0, 6)],
            "frame": "map", "map_id": "hall-2", "pose_age_secs": 0.02,
        },
        "event": {"id": format!("{number:032x}"), "stream": stream, "trigger": trigger.as_str()},
        "env": {"temperature_c": temperature_c},
    });
    let event = Event {
        key: format!("{number:032x}"),
        event_id: format!("{number:032x}"),
        stamp: at,
        end: Stamp(at.0 + (secs * NANOS_PER_SEC as f64) as i64),
        stream: stream.to_owned(),
        topic: format!("/{}", stream.replace(' ', "_")),
        trigger,
        perception_type,
        description,
        data: data(&samples, secs, peak_n),
        metadata: json!({"stream": stream, "trigger": trigger.as_str(), "rate_hz": 500, "sample_rate_hz": RATE_HZ}).to_string(),
        context: context.to_string(),
        importance: trigger.importance(),
        collection: String::new(),
        signature: feels.then(|| signature::of(LayoutKind::Wrench, CHANNELS, &samples)).flatten(),
        clip: Vec::new(),
    };
    Recording { event, sim_or_real: "real".into(), session_id: None, clip: None, known_at: None }
}

/// A push that comes and goes, all channels of one time after another.
fn samples(random: &mut SplitMix64, peak_n: f64) -> Vec<f64> {
    let peak_at = random.between(0.2, 0.8, 2) * SAMPLES as f64;
    let mut samples = Vec::with_capacity(SAMPLES * CHANNELS);
    for sample in 0..SAMPLES {
        let away = (sample as f64 - peak_at) / 4.0;
        let push_n = peak_n * (-away * away).exp();
        for channel in 0..CHANNELS {
            let share = [0.2, -0.1, 1.0, 0.02, 0.05, -0.01][channel];
            let noise = random.between(-0.1, 0.1, 3);
            samples.push(((push_n * share + noise) * 1e3).round() / 1e3);
        }
    }
    samples
}

/// The window as the recorder writes it (docs/events.md).
fn data(samples: &[f64], secs: f64, peak_n: f64) -> String {
    let mut text = String::with_capacity(16 * samples.len() + 512);
    if samples.is_empty() {
        let _ = write!(text, r#"{{"event":{{"begin":0,"end":{secs}}},"felt":[0,{secs}]}}"#);
        return text;
    }
    text.push_str(r#"{"series":[{"stream":"wrist/wrench","topic":"/wrist/wrench","kind":"wrench","channels":["#);
    text.push_str(r#""force.x","force.y","force.z","torque.x","torque.y","torque.z"],"#);
    text.push_str(r#""units":["N","N","N","N m","N m","N m"],"t":["#);
    for sample in 0..SAMPLES {
        let comma = if sample == 0 { "" } else { "," };
        let _ = write!(text, "{comma}{}", sample as f64 / RATE_HZ);
    }
    text.push_str("],\"values\":[");
    for (place, row) in samples.chunks(CHANNELS).enumerate() {
        text.push_str(if place == 0 { "[" } else { ",[" });
        for (channel, value) in row.iter().enumerate() {
            let comma = if channel == 0 { "" } else { "," };
            let _ = write!(text, "{comma}{value}");
        }
        text.push(']');
    }
    let _ = write!(
        text,
        r#"]}}],"event":{{"begin":0,"end":{secs},"peak":{{"value":{peak_n},"unit":"N","of":"force.z","t":1.2}}}},"felt":[-0.1,1.0]}}"#
    );
    text
}
