//! The year as tables, a month a line.

use super::exam::{Answers, Month, quantile};
use std::fmt::Write;

/// What the memory knew and answered: the same on every machine.
pub fn answers(months: &[Month]) -> String {
    let head = [
        "month",
        "perceived",
        "stated",
        "active",
        "archived",
        "superseded",
        "deleted",
        "recalled",
        "found",
        "never asked for",
        "stale absent",
        "stale after",
        "lost",
        "mistaken",
        "doubles",
        "settled right",
        "wrong",
        "told",
        "not told",
        "shown",
        "experience exact",
        "archived wrongly",
    ];
    let rows = months.iter().map(|month| {
        let a: &Answers = &month.answers;
        let of = |part: u64, whole: u64| format!("{part}/{whole}");
        vec![
            month.name.clone(),
            a.perceived.to_string(),
            a.stated.to_string(),
            a.active.to_string(),
            a.archived.to_string(),
            a.superseded.to_string(),
            a.deleted.to_string(),
            of(a.recalled, a.asked),
            of(a.found, a.asked),
            format!("{}, {}", a.unasked_recalled, of(a.unasked_found, a.unasked)),
            of(a.stale_absent, a.changed),
            a.stale_after.to_string(),
            a.lost.to_string(),
            a.mistaken.to_string(),
            a.doubles.to_string(),
            a.settled_right.to_string(),
            a.settled_wrong.to_string(),
            a.reported.to_string(),
            a.silent.to_string(),
            a.shown.to_string(),
            format!("{}/{} of {}", a.experiences_exact, a.experiences, a.practiced),
            a.archived_wrong.to_string(),
        ]
    });
    table(&head, rows)
}

/// What it cost: another one each time.
pub fn costs(months: &[Month]) -> String {
    let head = [
        "month",
        "store MB",
        "log MB",
        "of its bound",
        "recall p50 ms",
        "p95 ms",
        "p95 wall ms",
        "reference ms",
        "p95 / reference",
        "record s",
        "Learn p95 ms",
        "EndSession p95 ms",
        "daily p50 s",
        "daily max s",
        "weekly max s",
    ];
    let rows = months.iter().map(|month| {
        let c = &month.costs;
        let max = |values: &[f64]| quantile(values, 1.0);
        vec![
            month.name.clone(),
            format!("{:.0}", c.store_bytes as f64 / 1e6),
            format!("{:.0}", c.log_bytes as f64 / 1e6),
            format!("{:.0} %", c.store_bytes as f64 / c.quota_bytes as f64 * 100.0),
            format!("{:.2}", c.recall_p50_ms),
            format!("{:.2}", c.recall_p95_ms),
            format!("{:.2}", c.recall_p95_wall_ms),
            format!("{:.2}", c.reference_ms),
            format!("{:.2}", c.recall_p95_ms / c.reference_ms),
            format!("{:.1}", c.record_secs),
            format!("{:.1}", quantile(&c.learn_secs, 0.95) * 1e3),
            format!("{:.1}", quantile(&c.end_session_secs, 0.95) * 1e3),
            format!("{:.2}", quantile(&c.daily_secs, 0.5)),
            format!("{:.2}", max(&c.daily_secs)),
            format!("{:.2}", max(&c.weekly_secs)),
        ]
    });
    table(&head, rows)
}

fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---:|".repeat(head.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}
