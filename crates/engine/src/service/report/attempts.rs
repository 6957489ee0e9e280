//! How often each task succeeded.

use super::periods::period;
use super::text;
use robot_memory_core::api::{Outcome, Periods, TaskFigures};
use robot_memory_core::limits::{REPORT_TASKS_KNOWN_MAX, REPORT_TASKS_MAX};
use robot_memory_text::experience::{Interval, wilson};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How an attempt ended, as its context says: `task.success`, else the word in `task.outcome`.
pub fn outcome(context: &Value) -> Outcome {
    let task = context.get("task");
    match task.and_then(|task| task.get("success")).and_then(Value::as_bool) {
        Some(true) => Outcome::Success,
        Some(false) => Outcome::Failure,
        None => match text(context, "task", "outcome").to_ascii_lowercase().as_str() {
            "success" | "succeeded" | "ok" => Outcome::Success,
            "failure" | "failed" => Outcome::Failure,
            _ => Outcome::Unknown,
        },
    }
}

/// Attempts by task and object.
#[derive(Default)]
pub struct Attempts {
    by_task: BTreeMap<(String, String), BTreeMap<i64, (u64, u64)>>,
    left_out: u64,
}

impl Attempts {
    pub fn see(&mut self, context: &Value, outcome: Outcome, day: i64) {
        let name = text(context, "task", "name");
        if name.is_empty() || outcome == Outcome::Unknown {
            return;
        }
        let key = (name.to_owned(), text(context, "task", "object").to_owned());
        if self.by_task.len() >= REPORT_TASKS_KNOWN_MAX && !self.by_task.contains_key(&key) {
            self.left_out += 1;
            return;
        }
        let (success, failure) = self.by_task.entry(key).or_default().entry(day).or_default();
        match outcome {
            Outcome::Success => *success += 1,
            _ => *failure += 1,
        }
    }

    /// The tasks with the most attempts, and how many there are besides.
    pub fn figures(self, periods: &Periods, notes: &mut Vec<String>) -> (Vec<TaskFigures>, u64) {
        if self.left_out > 0 {
            notes.push(format!(
                "{} attempts of tasks beyond the first {REPORT_TASKS_KNOWN_MAX}",
                self.left_out
            ));
        }
        let mut tasks: Vec<TaskFigures> = self
            .by_task
            .into_iter()
            .map(|((task, object), days)| figures(task, object, &days, periods))
            .collect();
        // They are in order of their names so far.
        tasks.sort_by_key(|task| Reverse(task.success_count + task.failure_count));
        let more = tasks.len().saturating_sub(REPORT_TASKS_MAX) as u64;
        tasks.truncate(REPORT_TASKS_MAX);
        (tasks, more)
    }
}

fn figures(
    task: String,
    object: String,
    days: &BTreeMap<i64, (u64, u64)>,
    periods: &Periods,
) -> TaskFigures {
    let mut by_period = vec![(0, 0); periods.count];
    let (mut success_count, mut failure_count) = (0, 0);
    for (day, (success, failure)) in days {
        success_count += success;
        failure_count += failure;
        if let Some(place) = period(periods, *day) {
            by_period[place].0 += success;
            by_period[place].1 += failure;
        }
    }
    let count = success_count + failure_count;
    let Interval { low: rate_low, high: rate_high } = wilson(success_count, count);
    let rate = if count == 0 { 0.0 } else { success_count as f64 / count as f64 };
    TaskFigures { task, object, success_count, failure_count, rate, rate_low, rate_high, by_period }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_ended_no_way_is_no_attempt() {
        let mut attempts = Attempts::default();
        for context in [
            json!({"task": {"name": "pick", "object": "cup", "success": true}}),
            json!({"task": {"name": "pick", "object": "cup", "outcome": "Failed"}}),
            json!({"task": {"name": "pick", "object": "cup"}}),
            json!({"task": {"success": true}}),
            json!({"task": "pick"}),
        ] {
            attempts.see(&context, outcome(&context), 0);
        }
        let periods = Periods { first_day: 0, days: 1, count: 1 };
        let (tasks, more) = attempts.figures(&periods, &mut Vec::new());
        assert_eq!((tasks.len(), more), (1, 0));
        let TaskFigures { success_count, failure_count, rate, by_period, .. } = &tasks[0];
        assert_eq!((*success_count, *failure_count, *rate), (1, 1, 0.5));
        assert_eq!(by_period, &[(1, 1)]);
    }
}
