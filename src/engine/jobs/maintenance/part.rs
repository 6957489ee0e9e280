//! What was done in one scope: a part of the report.

use super::MaintenanceStep;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Findings of one step that are told one by one; of more only the number is.
const FINDINGS_MAX: usize = 50;

/// One thing that was done or found. It names memories by id, and holds no text of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::engine) struct Finding {
    /// What was done or found, as `merged`, `superseded`, `archived`, `conflict`.
    pub action: String,
    /// The memories: first those that hold, then those that give way.
    pub memory_ids: Vec<i64>,
    /// By which rule, or why not.
    pub reason: String,
}

/// What one step did in one scope.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::engine) struct StepReport {
    /// How many of what.
    pub counts: BTreeMap<String, u64>,
    /// The first of them.
    pub findings: Vec<Finding>,
    /// Findings that are not told one by one.
    pub more_findings: u64,
    /// `rules`, `chat`, or `rules (chat failed)`; empty where nothing was to be judged.
    pub judged_by: String,
    /// What was left out, and why; empty when nothing was.
    pub note: String,
}

/// What was done in one scope, by step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::engine) struct ScopePart {
    /// The step that is being done.
    #[serde(skip)]
    pub at: MaintenanceStep,
    /// What each did.
    pub steps: BTreeMap<MaintenanceStep, StepReport>,
}

impl ScopePart {
    /// That of the step that is being done.
    pub fn step(&mut self) -> &mut StepReport {
        self.steps.entry(self.at).or_default()
    }

    /// Adds to a count of the step that is being done.
    pub fn count(&mut self, what: &str, more: u64) {
        *self.step().counts.entry(what.to_owned()).or_default() += more;
    }

    /// A count of the step that is being done.
    pub fn counted(&self, what: &str) -> u64 {
        self.steps.get(&self.at).and_then(|step| step.counts.get(what)).copied().unwrap_or(0)
    }

    /// Tells one thing that the step did or found, and counts it under its action.
    pub fn find(&mut self, action: &str, memory_ids: &[i64], reason: &str) {
        self.count(action, 1);
        let step = self.step();
        if step.findings.len() < FINDINGS_MAX {
            step.findings.push(Finding {
                action: action.to_owned(),
                memory_ids: memory_ids.to_vec(),
                reason: reason.to_owned(),
            });
        } else {
            step.more_findings += 1;
        }
    }
}

/// How far a step is after a commit.
pub(in crate::engine) struct Done {
    /// From where it goes on.
    pub cursor: Value,
    /// How much of it is done.
    pub done: u64,
}
