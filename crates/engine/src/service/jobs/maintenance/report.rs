//! What a run did, as it is kept and told.

use super::part::{ScopePart, StepReport, is_zero};
use super::{MaintenanceStep, Payload};
use robot_memory_core::api::MaintenanceMode;
use robot_memory_core::limits::{
    MAINTENANCE_FINDINGS_MAX, MAINTENANCE_NOTES_MAX, MAINTENANCE_SCOPES_TOLD_MAX,
};
use robot_memory_core::model::{JobScope, Stamp};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What was done in one scope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ScopeReport {
    pub scope: String,
    /// By step.
    pub steps: BTreeMap<MaintenanceStep, StepReport>,
}

/// What a run did in all scopes together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Tally {
    /// Scopes that were looked after.
    pub scope_count: u64,
    /// Of these, those in which nothing was done or found; they are not told one by one.
    pub quiet_scopes: u64,
    /// Scopes in which something was, and that are not told one by one either.
    pub more_scopes: u64,
    /// Steps that were given up in a scope.
    pub failed_steps: u64,
    /// By step: how many of what, and how much was `looked_at`.
    pub totals: BTreeMap<MaintenanceStep, BTreeMap<String, u64>>,
    /// By whom it was judged, where something was to be.
    pub judged_by: BTreeSet<String>,
    /// What steps left out, and why, and in how many scopes.
    pub notes: BTreeMap<String, u64>,
    /// Scopes that are told one by one, so far.
    #[serde(skip_serializing_if = "is_zero")]
    told_scopes: u64,
    /// Findings that are, so far.
    #[serde(skip_serializing_if = "is_zero")]
    told_findings: u64,
}

impl Tally {
    /// Adds what was done in one more scope; answers what of it is told, when it is: of one that was asked
    /// for by name, also that nothing was.
    pub fn add(&mut self, mut part: ScopePart, is_named: bool) -> Option<ScopePart> {
        self.scope_count += 1;
        for (step, report) in &part.steps {
            let totals = self.totals.entry(*step).or_default();
            *totals.entry("looked_at".into()).or_default() += report.looked_at;
            for (what, count) in &report.counts {
                *totals.entry(what.clone()).or_default() += count;
            }
            if !report.judged_by.is_empty() {
                self.judged_by.insert(report.judged_by.clone());
            }
            self.failed_steps += u64::from(!report.fault.is_empty());
            for note in [&report.note, &report.fault] {
                let is_known = self.notes.contains_key(note);
                if !note.is_empty() && (is_known || self.notes.len() < MAINTENANCE_NOTES_MAX) {
                    *self.notes.entry(note.clone()).or_default() += 1;
                }
            }
        }
        if part.is_quiet() {
            self.quiet_scopes += 1;
            return is_named.then_some(part);
        }
        if self.told_scopes >= MAINTENANCE_SCOPES_TOLD_MAX {
            self.more_scopes += 1;
            return None;
        }
        self.told_scopes += 1;
        let room = MAINTENANCE_FINDINGS_MAX.saturating_sub(self.told_findings as usize);
        self.told_findings += part.cut_findings(room) as u64;
        Some(part)
    }

    /// As it is reported at the end.
    pub fn closed(self) -> Self {
        Self { told_scopes: 0, told_findings: 0, ..self }
    }
}

/// What a run did, or would do. Two runs that did the same at the same time have equal reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Report {
    /// How much was done.
    pub mode: MaintenanceMode,
    /// Whether it was done on a copy that was thrown away.
    pub dry_run: bool,
    /// Of which scope; `all`: every one.
    pub scope: String,
    /// ROS time in RFC 3339.
    pub began_at: String,
    /// The same.
    pub ended_at: String,
    /// In which something was done or found, or which was asked for by name, in order of the text.
    pub(super) scopes: Vec<ScopeReport>,
    /// All together.
    #[serde(flatten)]
    pub(super) tally: Tally,
}

impl Report {
    /// Of a run of this job.
    pub(super) fn of(payload: &Payload, scope: &JobScope, began_at: Stamp) -> Self {
        Self {
            mode: payload.mode,
            dry_run: payload.dry_run,
            scope: scope.to_string(),
            began_at: began_at.rfc_3339(),
            ended_at: String::new(),
            scopes: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Whether no step was given up.
    pub fn is_success(&self) -> bool {
        self.tally.failed_steps == 0
    }
}
