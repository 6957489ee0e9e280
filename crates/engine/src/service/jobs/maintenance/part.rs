//! What was done in one scope: a part of the report.

use super::MaintenanceStep;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Findings of one step that are told one by one; of more only the number is.
const FINDINGS_MAX: usize = 50;
/// Memories that one finding names; of more only the number is told.
const FINDING_IDS_MAX: usize = 64;

/// One thing that was done or found. It names memories by id, and holds no text of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Finding {
    /// What was done or found, as `merged`, `superseded`, `archived`, `conflict`.
    pub action: String,
    /// The memories: first those that hold, then those that give way.
    pub memory_ids: Vec<i64>,
    /// Memories that are not named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_memories: u64,
    /// By which rule, or why not.
    pub reason: String,
}

/// What one step did in one scope.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct StepReport {
    /// How much was looked at, which changes nothing.
    #[serde(skip_serializing_if = "is_zero")]
    pub looked_at: u64,
    /// How many of what.
    pub counts: BTreeMap<String, u64>,
    /// The first of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// Findings that are not told one by one.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_findings: u64,
    /// `rules`, `chat`, or `rules (chat failed)`; empty where nothing was to be judged.
    pub judged_by: String,
    /// What was left out, and why; empty when nothing was.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Why the step was given up in this scope; empty when it was not.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fault: String,
}

impl StepReport {
    /// Whether it tells of nothing.
    fn is_quiet(&self) -> bool {
        self.counts.values().all(|count| *count == 0)
            && self.findings.is_empty()
            && self.note.is_empty()
            && self.fault.is_empty()
    }
}

/// What was done in one scope, by step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ScopePart {
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

    /// Notes that the step that is being done looked at so many more: rows, pairs or groups. A scope in
    /// which all was only looked at is not told of.
    pub fn look(&mut self, more: u64) {
        self.step().looked_at += more;
    }

    /// Adds to a count of the step that is being done: of what was done or found.
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
            let shown = &memory_ids[..memory_ids.len().min(FINDING_IDS_MAX)];
            step.findings.push(Finding {
                action: action.to_owned(),
                memory_ids: shown.to_vec(),
                more_memories: (memory_ids.len() - shown.len()) as u64,
                reason: reason.to_owned(),
            });
        } else {
            step.more_findings += 1;
        }
    }

    /// Whether nothing was done or found.
    pub fn is_quiet(&self) -> bool {
        self.steps.values().all(StepReport::is_quiet)
    }

    /// Takes out the findings for which there is no room, the last first, and answers how many are left.
    pub fn cut_findings(&mut self, findings_max: usize) -> usize {
        let mut kept = 0;
        for step in self.steps.values_mut() {
            let room = findings_max - kept;
            let more = step.findings.len().saturating_sub(room);
            step.findings.truncate(room);
            step.more_findings += more as u64;
            kept += step.findings.len();
        }
        kept
    }
}

/// Whether a number is left out of a report.
pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How far a step is after a commit.
pub(crate) struct Done {
    /// From where it goes on.
    pub cursor: Value,
    /// How much of it is done.
    pub done: u64,
}
