//! How long CheckAction takes among many constraints.

use crate::Result;
use crate::figures::{Figure, Figures};
use crate::robot::SetClock;
use crate::timing::Timings;
use robot_memory_core::api::{CheckAction, CheckActionRequest, Learn, LearnRequest};
use robot_memory_engine::{Config, Engine};
use std::path::Path;
use std::sync::Arc;

/// Objects that the constraints are on; each has as many.
const OBJECT_COUNT: usize = 1_000;

/// Learns so many constraints, a bound each, and times checks of actions on one of their objects and of
/// actions that name none, of which two thirds violate something.
pub fn measure(folder: &Path, constraint_count: usize, rounds: usize) -> Result<Vec<Figure>> {
    let path = folder.join("guard.db");
    let (engine, _) = Engine::open(Config::at(&path), Arc::new(SetClock::at_start()))?;
    for number in 0..constraint_count {
        engine.call::<Learn>(LearnRequest {
            insight: format!(
                "Never grip the part{} with more than {} N",
                number % OBJECT_COUNT,
                10 + number / OBJECT_COUNT
            ),
            ..Default::default()
        })?;
    }
    let mut figures = Figures::new("robot_memory", constraint_count);
    for (kind, names_object) in [("on an object", true), ("on an object that is not told", false)] {
        let request = |round: usize| CheckActionRequest {
            params: format!(r#"{{"grip_force": {{"value": {}, "unit": "N"}}}}"#, 9 + round % 3),
            object: if names_object {
                format!("part{}", round * 7 % OBJECT_COUNT)
            } else {
                String::new()
            },
            ..Default::default()
        };
        engine.call::<CheckAction>(request(0))?;
        let timings = Timings::of(rounds, |round| {
            engine.call::<CheckAction>(request(round))?;
            Ok(())
        })?;
        figures.add(&format!("check_action {kind}: p50"), timings.wall_ms(0.5), "ms");
        figures.add(&format!("check_action {kind}: p99"), timings.wall_ms(0.99), "ms");
    }
    engine.close()?;
    std::fs::remove_file(path)?;
    Ok(figures.into_list())
}
