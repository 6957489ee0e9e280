//! `memory fleet status`

use super::arguments::StatusArguments;
use crate::faces::cli::arguments::StoreArguments;
use crate::faces::cli::failure::{Failure, Outcome};
use crate::faces::cli::open::open_engine;
use crate::faces::cli::output::Output;
use crate::faces::cli::table::Table;
use crate::faces::cli::values::{rfc_3339_secs, visible};
use crate::faces::fleet;
use robot_memory_core::limits::REVOCATIONS_SHOWN_MAX;
use robot_memory_engine::{
    FleetPosition, FleetSummary, ForeignReceipt, HearsayTotal, TakenRevocation,
};
use robot_memory_fleet::{Lag, Position, Settings, lag};
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// A revocation with what other robots did for it.
type Answered = (TakenRevocation, Vec<ForeignReceipt>);

/// Whose state is not in the store.
const ELSEWHERE: &str = "whether the node reaches the fleet, what waits on its own server for the hub, what came again and what was refused \
                         since its start: the part fleet of its service status";
/// By which the server knows who asks.
const NAME: &str = "status";
/// For the connection and some questions.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How far the store is behind the fleet's stream, or why that is not known; `None`: nobody was to be asked.
type Asked = Option<Result<Lag, String>>;

/// Shows what the store knows of the fleet.
pub fn run(arguments: StatusArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let settings = settings(arguments)?;
    let engine = open_engine(store)?;
    let (summary, revocations) =
        (engine.fleet_summary()?, engine.taken_revocations(REVOCATIONS_SHOWN_MAX)?);
    let asked = settings.map(|settings| behind(&settings, &summary.position));
    match output.is_json {
        true => output.json(&as_json(&summary, &revocations, &asked)),
        false => output.text(&shown(&summary, &revocations, &asked)),
    }
}

fn settings(arguments: StatusArguments) -> Result<Option<Settings>, Failure> {
    let StatusArguments { url, credentials, ca } = arguments;
    let Some(url) = url else { return Ok(None) };
    let settings = fleet::transport_settings(&url, NAME, credentials, ca)
        .map_err(|fault| Failure::Given(format!("--credentials: {fault}")))?;
    settings.check().map_err(|error| Failure::Given(error.to_string()))?;
    Ok(Some(settings))
}

/// That the hub cannot be asked is no failure: it is one more thing to be told.
fn behind(settings: &Settings, taken: &FleetPosition) -> Result<Lag, String> {
    let FleetPosition { stream_id, sequence } = taken.clone();
    let position = (!stream_id.is_empty()).then_some(Position { stream_id, sequence });
    lag(settings, position.as_ref(), TIMEOUT).map_err(|error| error.to_string())
}

/// How far the clock of a robot was ahead, in seconds.
fn ahead_secs(robot: &HearsayTotal) -> f64 {
    robot.ahead_nanos as f64 / 1e9
}

fn as_json(summary: &FleetSummary, revocations: &[Answered], asked: &Asked) -> Value {
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
    let lag = asked.as_ref().and_then(|asked| asked.as_ref().ok());
    json!({
        "lag": lag.map(|it| json!({
            "message_count": it.message_count,
            "missed_count": it.missed_count,
            "is_anew": it.is_anew,
        })),
        "lag_fault": asked.as_ref().and_then(|asked| asked.as_ref().err()),
        "told_count": totals.told_count,
        "waiting_count": totals.waiting_count,
        "dropped_count": totals.dropped_count,
        "stream_id": position.stream_id,
        "taken_until": position.sequence,
        "robots": told_by.iter().map(robot).collect::<Vec<_>>(),
        "revocations": revocations.iter().map(revocation).collect::<Vec<_>>(),
    })
}

/// What a person reads of it.
fn lag_shown(asked: &Asked) -> String {
    let Some(asked) = asked else {
        return "still to be taken: not asked; --url names the hub\n".to_owned();
    };
    let lag = match asked {
        Err(fault) => return format!("still to be taken: not known: {fault}\n"),
        Ok(lag) => lag,
    };
    let mut text = format!("{} messages of the fleet are still to be taken", lag.message_count);
    if lag.is_anew {
        text += ": its stream is another one or lost messages, and is taken from its beginning";
    }
    if lag.missed_count > 0 {
        let _ = write!(text, "; the hub dropped {} before them", lag.missed_count);
    }
    text + "\n"
}

fn shown(summary: &FleetSummary, revocations: &[Answered], asked: &Asked) -> String {
    let FleetSummary { totals, position, told_by, .. } = summary;
    let mut text = format!(
        "{} told, {} wait to be, {} never told since too many waited\n",
        totals.told_count, totals.waiting_count, totals.dropped_count
    );
    let _ = match position.stream_id.as_str() {
        "" => writeln!(text, "nothing was taken yet"),
        stream => writeln!(text, "taken up to {} of {}", position.sequence, visible(stream)),
    };
    text += &lag_shown(asked);
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
