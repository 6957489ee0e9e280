//! What became of claims that were to be adopted.

use crate::faces::cli::table::Table;
use crate::faces::cli::values::visible;
use robot_memory_core::claim::Claim;
use robot_memory_core::limits::ADOPTION_SHOWN_MAX;
use robot_memory_engine::{AdoptAs, AdoptionRule};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// By what claims are counted that were verified and may not be stored.
const NOT_STORABLE: &str = "not_storable";

/// Counts, and the first of those that are not adopted as it was asked for.
#[derive(Serialize)]
pub struct Report {
    dry_run: bool,
    #[serde(rename = "as")]
    adopt_as: AdoptAs,
    /// Without the blank ones.
    pub line_count: u64,
    pub own: OwnCounts,
    pub hearsay: HearsayCounts,
    /// What is hearsay though it was to be the robot's own, by rule.
    as_hearsay: BTreeMap<&'static str, u64>,
    left_out: BTreeMap<&'static str, u64>,
    refused: BTreeMap<&'static str, u64>,
    /// The first of the last three, each.
    exceptions: Vec<Exception>,
    refusals: Vec<Refusal>,
}

/// Memories of the robot's own.
#[derive(Default, Serialize)]
pub struct OwnCounts {
    pub kept: u64,
    /// A memory says the same.
    pub merged: u64,
    /// They were adopted before.
    pub known: u64,
}

/// Claims that are hearsay.
#[derive(Default, Serialize)]
pub struct HearsayCounts {
    pub kept: u64,
    pub revised: u64,
    /// They were taken before.
    pub known: u64,
    /// They were forgotten or deleted here, or revoked.
    pub forgotten: u64,
}

/// A claim that is not adopted as it was asked for.
#[derive(Serialize)]
struct Exception {
    line: u64,
    origin: String,
    memory_id: i64,
    outcome: &'static str,
    rule: &'static str,
}

/// A line that is no claim to be believed, or a claim that may not be stored.
#[derive(Serialize)]
struct Refusal {
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    cause: &'static str,
    fault: String,
}

impl Report {
    pub fn new(dry_run: bool, adopt_as: AdoptAs) -> Self {
        Self {
            dry_run,
            adopt_as,
            line_count: 0,
            own: OwnCounts::default(),
            hearsay: HearsayCounts::default(),
            as_hearsay: BTreeMap::new(),
            left_out: BTreeMap::new(),
            refused: BTreeMap::new(),
            exceptions: Vec::new(),
            refusals: Vec::new(),
        }
    }

    /// Notes a claim that a rule makes hearsay, or leaves out.
    pub fn except(&mut self, line: u64, claim: &Claim, rule: AdoptionRule, is_hearsay: bool) {
        let rule = rule.as_str();
        let (counts, outcome) = match is_hearsay {
            true => (&mut self.as_hearsay, "hearsay"),
            false => (&mut self.left_out, "left out"),
        };
        let count = counts.entry(rule).or_default();
        *count += 1;
        if self.exceptions.len() < ADOPTION_SHOWN_MAX {
            let (origin, memory_id) = (claim.origin.clone(), claim.memory_id);
            self.exceptions.push(Exception { line, origin, memory_id, outcome, rule });
        }
    }

    /// Notes a line that is not believed.
    pub fn refuse(&mut self, line: Option<u64>, cause: &'static str, fault: String) {
        *self.refused.entry(cause).or_default() += 1;
        if self.refusals.len() < ADOPTION_SHOWN_MAX {
            self.refusals.push(Refusal { line, cause, fault });
        }
    }

    /// Notes a claim that may not be stored.
    pub fn not_storable(&mut self, line: Option<u64>, fault: &str) {
        self.refuse(line, NOT_STORABLE, fault.to_owned());
    }

    /// As a person reads it.
    pub fn shown(&self) -> String {
        let Self { own, hearsay, line_count, .. } = self;
        let mut text = format!("{line_count} claims\n");
        if self.adopt_as == AdoptAs::Own {
            let OwnCounts { kept, merged, known } = own;
            let _ = writeln!(text, "own: {kept} kept, {merged} merged, {known} known");
        }
        let HearsayCounts { kept, revised, known, forgotten } = hearsay;
        let _ = writeln!(
            text,
            "hearsay: {kept} kept, {revised} revised, {known} known, {forgotten} forgotten here"
        );
        let lists = [
            ("of these hearsay by rule", &self.as_hearsay),
            ("left out", &self.left_out),
            ("refused", &self.refused),
        ];
        for (name, counts) in lists {
            let counted: Vec<String> =
                counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            if !counted.is_empty() {
                let _ = writeln!(text, "{name}: {}", counted.join(", "));
            }
        }
        let mut table = Table::new(["#line", "claim", "outcome", "why"]);
        for Exception { line, origin, memory_id, outcome, rule } in &self.exceptions {
            let claim = format!("{origin}:{memory_id}");
            table.row([line.to_string(), claim, (*outcome).to_owned(), (*rule).to_owned()]);
        }
        for Refusal { line, cause: _, fault } in &self.refusals {
            let line = line.map(|line| line.to_string()).unwrap_or_default();
            table.row([line, String::new(), "refused".to_owned(), visible(fault)]);
        }
        let shown = self.exceptions.len() + self.refusals.len();
        if shown > 0 {
            let _ = write!(text, "\n{}", table.render(0));
            let counts = [&self.as_hearsay, &self.left_out, &self.refused];
            let total: u64 = counts.into_iter().flat_map(BTreeMap::values).sum();
            if total > shown as u64 {
                let _ = writeln!(text, "{shown} of {total}");
            }
        }
        if self.dry_run {
            text.push_str("\nnothing was changed\n");
        }
        text
    }
}
