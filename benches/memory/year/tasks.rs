//! What the robot does over and over, and how that goes: the truth that experience is held against.

use super::random::SplitMix64;

/// Force above which an attempt fails, in tenths of a newton, of the first task; the next are higher.
const FIRST_BOUND_DN: usize = 105;
/// Of so many attempts one goes otherwise than its force says.
const ODD_ONE_OF: usize = 25;

/// A task on an object.
#[derive(Debug, Clone)]
pub struct Task {
    /// What is done: as in `context.task.name`.
    pub name: &'static str,
    /// On what: as in `context.task.object`.
    pub object: String,
    /// Attempts with more force fail, but for a few.
    pub bound_n: f64,
}

/// One time that a task was done.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// With which force.
    pub force_n: f64,
    /// Whether it went well.
    pub is_success: bool,
}

/// How often something went well.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// How often it was done.
    pub attempts: u64,
    /// How often it went well.
    pub successes: u64,
}

impl Outcomes {
    /// Counts one more.
    pub fn add(&mut self, attempt: Attempt) {
        self.attempts += 1;
        self.successes += u64::from(attempt.is_success);
    }
}

const NAMES: [&str; 4] = ["insert", "screw", "pick", "place"];

/// All tasks on some objects.
pub fn tasks(objects: &[String]) -> Vec<Task> {
    let mut tasks = Vec::new();
    for name in NAMES {
        for object in objects {
            let bound_n = (FIRST_BOUND_DN + 7 * tasks.len()) as f64 / 10.0;
            tasks.push(Task { name, object: object.clone(), bound_n });
        }
    }
    tasks
}

impl Task {
    /// Does it once more.
    pub fn attempt(&self, random: &mut SplitMix64) -> Attempt {
        let force_n = random.between(self.bound_n - 4.0, self.bound_n + 2.5, 1);
        let is_odd = random.below(ODD_ONE_OF) == 0;
        Attempt { force_n, is_success: (force_n <= self.bound_n) != is_odd }
    }

    /// An attempt in words.
    pub fn text(&self, attempt: Attempt) -> String {
        let Self { name, object, .. } = self;
        let outcome = if attempt.is_success { "succeeded" } else { "failed" };
        format!("{name} of {object} {outcome} at {} N", attempt.force_n)
    }

    /// An attempt in its context.
    pub fn context(&self, attempt: Attempt) -> serde_json::Value {
        serde_json::json!({
            "task": {"name": self.name, "object": self.object, "success": attempt.is_success},
            "params": {"force": {"value": attempt.force_n, "unit": "N"}},
        })
    }
}
