//! Publishes what a busy robot does, for measuring: 1 kHz of fourteen joints, 500 Hz of force and
//! torque, and 30 Hz of color images of 640 by 480 pixels.
//!
//! ```text
//! load_publisher SECS reliable|best_effort JOINTS_HZ WRENCH_HZ IMAGES_HZ
//! ```
//!
//! A rate of 0 leaves a topic out. Waits until each topic has a subscription, publishes, and prints
//! what it published as JSON. Every five seconds there is a touch of one second, the joints move
//! three seconds of four, and every ten seconds the picture is another.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that fails ends"
)]

use r2r::geometry_msgs::msg::WrenchStamped;
use r2r::sensor_msgs::msg::{Image, JointState};
use r2r::std_msgs::msg::Header;
use r2r::{Publisher, QosProfile, WrappedTypesupport};
use std::error::Error;
use std::time::{Duration, Instant, SystemTime};

const JOINTS: usize = 14;
const WIDTH: u32 = 640;
const HEIGHT: u32 = 480;
/// Messages that may wait to be sent again: seconds of the fastest topic.
const DEPTH: usize = 5000;
/// After the last message, for what has to be sent again.
const LINGER: Duration = Duration::from_secs(2);
const SUBSCRIBED_WITHIN: Duration = Duration::from_secs(30);

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [secs, reliability, joints_hz, wrench_hz, images_hz] = &arguments[..] else {
        return Err("load_publisher SECS reliable|best_effort JOINTS_HZ WRENCH_HZ IMAGES_HZ".into());
    };
    let secs: f64 = secs.parse()?;
    let qos = QosProfile::default().keep_last(DEPTH);
    let qos = match reliability.as_str() {
        "reliable" => qos.reliable(),
        "best_effort" => qos.best_effort(),
        other => return Err(format!("reliable or best_effort, not {other}").into()),
    };
    let context = r2r::Context::create()?;
    let mut node = r2r::Node::create(context, "load_publisher", "")?;
    let mut threads = Vec::new();
    let rates: [f64; 3] = [joints_hz.parse()?, wrench_hz.parse()?, images_hz.parse()?];
    if rates[0] > 0.0 {
        let publisher = node.create_publisher::<JointState>("/load/joints", qos.clone())?;
        threads.push(started("/load/joints", publisher, rates[0], secs, joints()));
    }
    if rates[1] > 0.0 {
        let publisher = node.create_publisher::<WrenchStamped>("/load/wrench", qos.clone())?;
        threads.push(started("/load/wrench", publisher, rates[1], secs, wrench()));
    }
    if rates[2] > 0.0 {
        let publisher = node.create_publisher::<Image>("/load/image", qos.keep_last(60))?;
        threads.push(started("/load/image", publisher, rates[2], secs, image()));
    }
    let published: Vec<_> = threads.into_iter().map(std::thread::JoinHandle::join).collect();
    let mut lines = Vec::new();
    for topic in published {
        let (topic, count) = topic.map_err(|_| "a thread ended by a fault")??;
        lines.push(format!("{topic:?}: {count}"));
    }
    println!("{{{}}}", lines.join(", "));
    Ok(())
}

type Counted = Result<(&'static str, u64), Box<dyn Error + Send + Sync>>;

/// Publishes at a rate for some seconds, in a thread of its own.
fn started<M: WrappedTypesupport + Send + 'static>(
    topic: &'static str,
    publisher: Publisher<M>,
    rate_hz: f64,
    secs: f64,
    mut message_at: impl FnMut(f64) -> M + Send + 'static,
) -> std::thread::JoinHandle<Counted> {
    std::thread::spawn(move || {
        let deadline = Instant::now() + SUBSCRIBED_WITHIN;
        while publisher.get_inter_process_subscription_count()? == 0 {
            if Instant::now() > deadline {
                return Err(format!("nobody subscribed to {topic}").into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // The reader is known here; it must know this writer, too.
        std::thread::sleep(Duration::from_millis(500));
        let count = (secs * rate_hz) as u64;
        let start = Instant::now();
        for i in 0..count {
            let at = i as f64 / rate_hz;
            let due = start + Duration::from_secs_f64(at);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            publisher.publish(&message_at(at))?;
        }
        std::thread::sleep(LINGER);
        Ok((topic, count))
    })
}

fn header(frame_id: &str) -> Header {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let stamp = r2r::builtin_interfaces::msg::Time {
        sec: i32::try_from(now.as_secs()).unwrap_or(i32::MAX),
        nanosec: now.subsec_nanos(),
    };
    Header { stamp, frame_id: frame_id.to_owned() }
}

fn joints() -> impl FnMut(f64) -> JointState {
    let names: Vec<String> = (0..JOINTS).map(|joint| format!("joint_{joint}")).collect();
    move |at| {
        let phase = at % 4.0;
        // A smooth move in the first three seconds of four.
        let angle = std::f64::consts::TAU * phase / 3.0;
        let (position, velocity) = if phase < 3.0 {
            (0.5 * (1.0 - angle.cos()), 0.5 * angle.sin() * std::f64::consts::TAU / 3.0)
        } else {
            (0.0, 0.0)
        };
        JointState {
            header: header("base_link"),
            name: names.clone(),
            position: (0..JOINTS).map(|joint| position * joint as f64 / 10.0).collect(),
            velocity: (0..JOINTS).map(|joint| velocity * joint as f64 / 10.0).collect(),
            effort: (0..JOINTS).map(|joint| joint as f64 + 0.1 * at.sin()).collect(),
        }
    }
}

fn wrench() -> impl FnMut(f64) -> WrenchStamped {
    move |at| {
        let mut message = WrenchStamped { header: header("tool0"), ..WrenchStamped::default() };
        let noise = 0.2 * (at * 1234.5).sin();
        let is_touching = (2.0..3.0).contains(&(at % 5.0));
        message.wrench.force.z = if is_touching { 20.0 + noise } else { noise };
        message.wrench.torque.x = 0.1 * noise;
        message
    }
}

fn image() -> impl FnMut(f64) -> Image {
    let scenes: Vec<Image> = (0..4u32)
        .map(|scene| {
            let pixels = (0..HEIGHT).flat_map(move |y| {
                (0..WIDTH).flat_map(move |x| {
                    let square = ((x >> (5 + scene)) + (y >> (5 + scene))) & 1;
                    [(x / 3 + 60 * scene) as u8, (y / 2) as u8, 200 * square as u8]
                })
            });
            Image {
                header: header("camera"),
                height: HEIGHT,
                width: WIDTH,
                encoding: "rgb8".to_owned(),
                is_bigendian: 0,
                step: 3 * WIDTH,
                data: pixels.collect(),
            }
        })
        .collect();
    let mut shown = scenes[0].clone();
    let mut scene = 0;
    move |at| {
        let now = (at / 10.0) as usize % scenes.len();
        if now != scene {
            shown = scenes[now].clone();
            scene = now;
        }
        shown.header = header("camera");
        shown.clone()
    }
}
