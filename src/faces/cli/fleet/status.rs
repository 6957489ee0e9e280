//! `memory fleet status`

use crate::faces::cli::arguments::StoreArguments;
use crate::faces::cli::failure::Outcome;
use crate::faces::cli::open::open_engine;
use crate::faces::cli::output::Output;
use crate::faces::cli::table::Table;
use crate::faces::cli::values::{rfc_3339_secs, visible};
use robot_memory_core::limits::REVOCATIONS_SHOWN_MAX;
use robot_memory_engine::{FleetSummary, ForeignReceipt, HearsayTotal, TakenRevocation};
use serde_json::{Value, json};
use std::fmt::Write;

/// A revocation with what other robots did for it.
type Answered = (TakenRevocation, Vec<ForeignReceipt>);

/// Whose state is not in the store.
const ELSEWHERE: &str = "whether the fleet is reached, and what was refused: the part fleet of the service status of the node";

/// Shows what the store knows of the fleet.
pub fn run(store: &StoreArguments, output: &mut Output) -> Outcome {
    let engine = open_engine(store)?;
    let (summary, revocations) =
        (engine.fleet_summary()?, engine.taken_revocations(REVOCATIONS_SHOWN_MAX)?);
    match output.is_json {
        true => output.json(&as_json(&summary, &revocations)),
        false => output.text(&shown(&summary, &revocations)),
    }
}

/// How far the clock of a robot was ahead, in seconds.
fn ahead_secs(robot: &HearsayTotal) -> f64 {
    robot.ahead_nanos as f64 / 1e9
}

fn as_json(summary: &FleetSummary, revocations: &[Answered]) -> Value {
    let FleetSummary { totals, position, told_by, .. } = summary;
    let robot = |robot: &HearsayTotal| {
        json!({
            "name": robot.origin,
            "memory_count": robot.held_count,
            "heard_at": robot.taken_at.rfc_3339(),
            "ahead_secs": ahead_secs(robot),
        })
    };
    let receipt = |it: &ForeignReceipt| {
        json!({
            "robot": it.robot,
            "taken_at": it.taken_at.rfc_3339(),
            "deleted_count": it.deleted_count,
            "rewritten_count": it.rewritten_count,
        })
    };
    let revocation = |(it, receipts): &Answered| {
        json!({
            "number": it.revocation_no,
            "revoked_by": it.revoked_by,
            "origin": it.origin,
            "reason": it.reason,
            "taken_at": it.taken_at.rfc_3339(),
            "deleted_count": it.deleted_count,
            "rewritten_count": it.rewritten_count,
            "receipt_told": it.is_told,
            "receipts": receipts.iter().map(receipt).collect::<Vec<_>>(),
        })
    };
    json!({
        "told_count": totals.told_count,
        "waiting_count": totals.waiting_count,
        "dropped_count": totals.dropped_count,
        "stream_id": position.stream_id,
        "taken_until": position.sequence,
        "robots": told_by.iter().map(robot).collect::<Vec<_>>(),
        "revocations": revocations.iter().map(revocation).collect::<Vec<_>>(),
    })
}

fn shown(summary: &FleetSummary, revocations: &[Answered]) -> String {
    let FleetSummary { totals, position, told_by, .. } = summary;
    let mut text = format!(
        "{} told, {} wait to be, {} never told since too many waited\n",
        totals.told_count, totals.waiting_count, totals.dropped_count
    );
    let _ = match position.stream_id.as_str() {
        "" => writeln!(text, "nothing was taken yet"),
        stream => writeln!(text, "taken up to {} of {}", position.sequence, visible(stream)),
    };
    if !told_by.is_empty() {
        let mut table = Table::new(["robot", "#memories", "last heard", "#clock ahead"]);
        for robot in told_by {
            table.row([
                visible(&robot.origin),
                robot.held_count.to_string(),
                rfc_3339_secs(robot.taken_at),
                format!("{:.1} s", ahead_secs(robot)),
            ]);
        }
        let _ = write!(text, "\n{}", table.render(0));
    }
    if !revocations.is_empty() {
        let mut table = Table::new([
            "revocation",
            "by",
            "of",
            "taken",
            "#deleted",
            "#made again",
            "receipt",
            "#others",
            "reason",
        ]);
        for (it, receipts) in revocations {
            table.row([
                it.revocation_no.to_string(),
                visible(&it.revoked_by),
                visible(&it.origin),
                rfc_3339_secs(it.taken_at),
                it.deleted_count.to_string(),
                it.rewritten_count.to_string(),
                if it.is_told { "told" } else { "waits" }.to_owned(),
                receipts.len().to_string(),
                visible(&it.reason),
            ]);
        }
        let _ = write!(text, "\n{}", table.render(0));
    }
    let _ = writeln!(text, "\n{ELSEWHERE}");
    text
}
