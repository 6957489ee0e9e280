//! How long questions about order and time take among many events.

use crate::Result;
use crate::figures::{Figure, Figures};
use crate::robot::SetClock;
use crate::timing::Timings;
use robot_memory_core::api::{Recall, RecallRequest};
use robot_memory_core::model::{Clock, PerceptionType, Stamp};
use robot_memory_engine::{Config, Engine, Recording};
use robot_memory_perception::{Event, TriggerKind};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Events that are stored together.
const BATCH: usize = 500;
/// From one event to the next.
const STEP_SECS: f64 = 60.0;
const SECS_PER_DAY: f64 = 86_400.0;
/// Parts that move, each with a stream of its own.
const PARTS: usize = 40;
/// What is asked, and is read as a question of order and time: what it is called, and in words.
const READ: [(&str, &str); 6] = [
    ("the last of a kind", "the last protective stop"),
    ("how many today", "how many protective stops today"),
    ("just before the last", "what happened just before the last protective stop"),
    ("the first of each day", "the first grip loss of each day"),
    ("since the last", "what happened since the last grip loss"),
    ("between two", "what happened between the third to last and the last protective stop"),
];
/// What is asked of events and is ranked.
const RANKED: [(&str, &str); 2] = [
    ("ranked, of a time", "did the gripper lose something this morning?"),
    ("ranked, of a part", "when did axis 3 move last?"),
];

/// Stores so many events, one a minute, a day's end being now, and times questions in words about them.
pub fn measure(folder: &Path, event_count: usize, rounds: usize) -> Result<Vec<Figure>> {
    let path = folder.join("order.db");
    let clock = Arc::new(SetClock::at_start());
    let began = clock.now().ok_or("the clock stands")?;
    clock.sleep_days(event_count as f64 * STEP_SECS / SECS_PER_DAY);
    let (engine, _) = Engine::open(Config::at(&path), clock)?;
    let numbers: Vec<usize> = (0..event_count).collect();
    for numbers in numbers.chunks(BATCH) {
        let events = numbers.iter().map(|&number| event(began, number)).collect();
        for stored in engine.record(events)? {
            stored?;
        }
    }
    let mut figures = Figures::new("robot_memory", event_count);
    let read = READ.map(|(name, query)| (name, query, true));
    let ranked = RANKED.map(|(name, query)| (name, query, false));
    for (name, query, is_read) in read.into_iter().chain(ranked) {
        let timings = Timings::of(rounds, |_| {
            let request = RecallRequest { query: query.into(), n: 5, ..Default::default() };
            let answer = engine.call::<Recall>(request)?;
            if answer.understood.is_empty() == is_read || answer.total == 0 {
                return Err(format!("read in another way, or nothing found: {query}").into());
            }
            Ok(())
        })?;
        figures.add(&format!("{name}: p50"), timings.wall_ms(0.5), "ms");
        figures.add(&format!("{name}: p95"), timings.wall_ms(0.95), "ms");
    }
    engine.close()?;
    std::fs::remove_file(path)?;
    Ok(figures.into_list())
}

/// One of a thousand is a protective stop, some are grip losses; the others are movements of parts.
fn event(began: Stamp, number: usize) -> Recording {
    let moved = format!("axis_{}", number % PARTS);
    let (stream, trigger) = match number % 1000 {
        999 => ("protective_stop", TriggerKind::Edge),
        333 | 666 => ("grip_lost", TriggerKind::Edge),
        _ => (moved.as_str(), TriggerKind::Motion),
    };
    let stamp = began.plus_days(number as f64 * STEP_SECS / SECS_PER_DAY);
    let topic = format!("/{stream}");
    let mut told = json!({
        "stream": stream, "topic": topic, "trigger": trigger.as_str(),
        "subject": stream.replace('_', " "),
    });
    if trigger == TriggerKind::Edge {
        (told["from"], told["to"]) = (false.into(), true.into());
    }
    Recording {
        event: Event {
            key: number.to_string(),
            event_id: number.to_string(),
            stamp,
            end: stamp,
            stream: stream.to_owned(),
            topic,
            trigger,
            perception_type: PerceptionType::Proprioceptive,
            description: format!("{} of {stream}", trigger.as_str()),
            data: String::new(),
            metadata: String::new(),
            context: json!({ "event": told }).to_string(),
            importance: 0.3,
            collection: String::new(),
            signature: None,
            clip: Vec::new(),
        },
        sim_or_real: String::new(),
        session_id: None,
        clip: None,
        known_at: None,
    }
}
