//! A report for a person to read.

use super::part::{Finding, StepReport};
use super::report::{Report, ScopeReport};
use std::fmt::Write;

/// The report of a job as Markdown: what was done by scope and step, then what was found, by id.
pub(crate) fn report_markdown(report: &Report, job_id: i64) -> String {
    let mut text = String::new();
    let Report { mode, scope, began_at, ended_at, tally, .. } = report;
    let title = if report.dry_run { "Dry run of maintenance" } else { "Maintenance" };
    put(&mut text, format_args!("# {title}: {mode}, {}\n\n", code(scope)));
    let done = if report.dry_run {
        "on a copy that was thrown away: nothing was changed"
    } else {
        "what follows was done"
    };
    put(&mut text, format_args!("Job {job_id}, from {began_at} to {ended_at}; {done}.\n\n"));
    let listed = report.scopes.len();
    put(
        &mut text,
        format_args!("- {} scopes maintained: {listed} listed below", tally.scope_count),
    );
    put(&mut text, format_args!(", {} with nothing to do", tally.quiet_scopes));
    if tally.more_scopes > 0 {
        put(&mut text, format_args!(", {} more in the totals only", tally.more_scopes));
    }
    text.push('\n');
    if !tally.judged_by.is_empty() {
        let judges: Vec<&str> = tally.judged_by.iter().map(String::as_str).collect();
        put(&mut text, format_args!("- judged by {}\n", judges.join(", ")));
    }
    if tally.failed_steps > 0 {
        put(&mut text, format_args!("- **{} steps were given up**\n", tally.failed_steps));
    }
    for (note, scopes) in &tally.notes {
        put(&mut text, format_args!("- {} ({scopes} scopes)\n", plain(note)));
    }
    text.push_str(
        "\n| scope | step | looked at | done or found | remarks |\n|---|---|---:|---|---|\n",
    );
    for (step, totals) in &tally.totals {
        let looked_at = totals.get("looked_at").copied().unwrap_or(0);
        let counts = counts(totals.iter().filter(|(what, _)| *what != "looked_at"));
        put(&mut text, format_args!("| **together** | {step} | {looked_at} | {counts} | |\n"));
    }
    for ScopeReport { scope, steps } in &report.scopes {
        for (step, part) in steps {
            let StepReport { looked_at, .. } = part;
            put(
                &mut text,
                format_args!(
                    "| {} | {step} | {looked_at} | {} | {} |\n",
                    code(scope),
                    counts(&part.counts),
                    remarks(part)
                ),
            );
        }
    }
    for ScopeReport { scope, steps } in &report.scopes {
        if steps.values().any(|part| !part.findings.is_empty() || part.more_findings > 0) {
            put(&mut text, format_args!("\n## {}\n\n", code(scope)));
        }
        for (step, part) in steps {
            for finding in &part.findings {
                put(&mut text, format_args!("- {step}: {}\n", sentence(finding)));
            }
            if part.more_findings > 0 {
                put(&mut text, format_args!("- {step}: and {} more\n", part.more_findings));
            }
        }
    }
    text
}

/// Writing into a string does not fail.
fn put(text: &mut String, more: std::fmt::Arguments<'_>) {
    let _ = text.write_fmt(more);
}

/// `merged 2, superseded 3`, without what did not happen.
fn counts<'c>(counts: impl IntoIterator<Item = (&'c String, &'c u64)>) -> String {
    let happened = counts.into_iter().filter(|(_, count)| **count > 0);
    let counted: Vec<String> =
        happened.map(|(what, count)| format!("{} {count}", what.replace('_', " "))).collect();
    if counted.is_empty() { "nothing".to_owned() } else { counted.join(", ") }
}

fn remarks(part: &StepReport) -> String {
    let judged_by = match part.judged_by.as_str() {
        "" => String::new(),
        judge => format!("judged by {judge}"),
    };
    let fault = match part.fault.as_str() {
        "" => String::new(),
        fault => format!("given up: {fault}"),
    };
    let said: Vec<String> =
        [judged_by, part.note.clone(), fault].into_iter().filter(|text| !text.is_empty()).collect();
    plain(&said.join("; "))
}

fn sentence(finding: &Finding) -> String {
    let Finding { action, memory_ids, more_memories, reason } = finding;
    let mut ids: Vec<String> = memory_ids.iter().map(|id| format!("#{id}")).collect();
    if *more_memories > 0 {
        ids.push(format!("and {more_memories} more"));
    }
    let mut text = format!("**{}** {}", plain(action), ids.join(", "));
    if !reason.is_empty() {
        put(&mut text, format_args!(": {}", plain(reason)));
    }
    text
}

/// As it is, in a cell of a table.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('`', "'").replace('|', "\\|"))
}

/// Without what Markdown would make something of.
fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' => escaped.push(' '),
            '|' | '*' | '<' | '`' | '[' | '\\' => escaped.extend(['\\', character]),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::{MaintenanceStep, Payload, ScopePart};
    use super::*;
    use robot_memory_core::api::MaintenanceMode;
    use robot_memory_core::model::{JobScope, Stamp};

    #[test]
    fn a_report_reads_well() {
        let payload = Payload { mode: MaintenanceMode::Weekly, dry_run: true, asked_for: true };
        let mut report = Report::of(&payload, &JobScope::All, Stamp::from_secs(1_750_000_000));
        report.ended_at = Stamp::from_secs(1_750_000_001).rfc_3339();
        let mut part = ScopePart { at: MaintenanceStep::Merge, ..ScopePart::default() };
        part.look(6);
        part.find("merged", &[4, 2, 3], "more than half of their words | in common");
        part.at = MaintenanceStep::Judge;
        part.step().judged_by = "rules (chat failed)".into();
        part.step().fault = "forbidden: what the job was to do was refused".into();
        let reported = report.tally.add(part, false).expect("something was done");
        report.tally.add(ScopePart::default(), false);
        report.scopes.push(ScopeReport { scope: "group:a|b".into(), steps: reported.steps });
        let expected = "\
# Dry run of maintenance: weekly, `all`

Job 12, from 2025-06-15T15:06:40Z to 2025-06-15T15:06:41Z; on a copy that was thrown away: nothing was changed.

- 2 scopes maintained: 1 listed below, 1 with nothing to do
- judged by rules (chat failed)
- **1 steps were given up**
- forbidden: what the job was to do was refused (1 scopes)

| scope | step | looked at | done or found | remarks |
|---|---|---:|---|---|
| **together** | merge | 6 | merged 1 | |
| **together** | judge | 0 | nothing | |
| `group:a\\|b` | merge | 6 | merged 1 |  |
| `group:a\\|b` | judge | 0 | nothing | judged by rules (chat failed); given up: forbidden: what the job was to do was refused |

## `group:a\\|b`

- merge: **merged** #4, #2, #3: more than half of their words \\| in common
";
        assert_eq!(report_markdown(&report, 12), expected);
    }
}
