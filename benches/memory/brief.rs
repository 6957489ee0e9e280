//! How long Brief takes among many attempts.

use crate::Result;
use crate::figures::{Figure, Figures};
use crate::robot::SetClock;
use crate::timing::{Stopwatch, Timings};
use robot_memory_core::api::{Brief, BriefRequest, Learn, LearnRequest};
use robot_memory_engine::{Config, Engine};
use std::path::Path;
use std::sync::Arc;

/// Objects that the attempts are on; each has as many.
const OBJECT_COUNT: usize = 1_000;
/// Tasks that are tried on each.
const TASK_COUNT: usize = 4;

/// Stores so many attempts and times briefings: on an object that is known, on any object of a task, and on
/// one that was never met.
pub fn measure(folder: &Path, attempt_count: usize, rounds: usize) -> Result<Vec<Figure>> {
    let path = folder.join("brief.db");
    let (engine, _) = Engine::open(Config::at(&path), Arc::new(SetClock::at_start()))?;
    for number in 0..attempt_count {
        let (object, task) = (number % OBJECT_COUNT, number / OBJECT_COUNT % TASK_COUNT);
        let (force_n, success) = (5 + number * 7 % 40, number % 3 != 0);
        engine.call::<Learn>(LearnRequest {
            insight: format!("attempt {number}"),
            context: format!(
                r#"{{"task": {{"name": "task{task}", "object": "part{object}", "success": {success}}},
                "params": {{"force_n": {force_n}, "speed_mps": 0.{force_n}}}}}"#
            ),
            mem_type: "task_log".into(),
            ..Default::default()
        })?;
    }
    let mut figures = Figures::new("robot_memory", attempt_count);
    let request = |task: usize, object: String| BriefRequest {
        task: format!("task{task}"),
        object,
        ..Default::default()
    };
    let stopwatch = Stopwatch::start();
    engine.call::<Brief>(request(0, "part0".into()))?;
    figures.add("brief, the first, which reads all attempts", stopwatch.read().wall_ms, "ms");
    type ObjectOf = fn(usize) -> String;
    let kinds: [(&str, bool, ObjectOf); 3] = [
        ("on a known object", true, |round| format!("part{}", round * 7 % OBJECT_COUNT)),
        ("on any object", true, |_| String::new()),
        ("on an object that was never met", false, |round| format!("gadget{round}")),
    ];
    for (kind, is_known, object_of) in kinds {
        let timings = Timings::of(rounds, |round| {
            let answer = engine.call::<Brief>(request(round % TASK_COUNT, object_of(round)))?;
            if answer.is_known == is_known { Ok(()) } else { Err("it is known otherwise".into()) }
        })?;
        figures.add(&format!("brief {kind}: p50"), timings.wall_ms(0.5), "ms");
        figures.add(&format!("brief {kind}: p95"), timings.wall_ms(0.95), "ms");
    }
    engine.close()?;
    std::fs::remove_file(path)?;
    Ok(figures.into_list())
}
