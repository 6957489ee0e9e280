//! Events as streams would make them.

use crate::robot::{Robot, START};
use robot_memory_core::model::{PerceptionType, Stamp};
use robot_memory_engine::{Engine, Recording};
use robot_memory_perception::{Event, TriggerKind};

/// A contact on the wrist, `secs` after the start, with so many bytes of data.
pub fn contact(secs: i64, importance: f64, data_bytes: usize) -> Recording {
    let stamp = Stamp(START.0 + secs * 1_000_000_000);
    let event = Event {
        key: format!("wrist contact {secs}"),
        event_id: format!("event {}", secs / 10),
        stamp,
        end: stamp,
        stream: "wrist".into(),
        topic: "/wrist/wrench".into(),
        trigger: TriggerKind::Contact,
        perception_type: PerceptionType::Tactile,
        description: format!("contact on wrist force, number {secs}"),
        data: format!("{{\"x\":\"{}\"}}", "0".repeat(data_bytes)),
        metadata: r#"{"rate_hz":500}"#.into(),
        context: String::new(),
        importance,
        collection: String::new(),
        signature: None,
        clip: Vec::new(),
    };
    Recording { event, sim_or_real: String::new(), session_id: None, clip: None, known_at: None }
}

/// The same with a clip, whose file is made in the folder of clips.
pub fn with_clip(engine: &Engine, mut recording: Recording, file: &str, bytes: usize) -> Recording {
    let folder = engine.clips_folder();
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join(file), vec![0; bytes]).expect("a file");
    recording.clip = Some((file.to_owned(), bytes as u64));
    recording
}

/// Stores events and answers their memories.
pub fn record(robot: &Robot, recordings: Vec<Recording>) -> Vec<i64> {
    let answers = robot.engine.record(recordings).expect("they are stored");
    answers.into_iter().map(|answer| answer.expect("it is stored").memory_id).collect()
}
