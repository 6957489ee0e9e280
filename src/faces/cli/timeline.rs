//! `memory timeline`

use super::arguments::{StoreArguments, TimelineArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{rfc_3339_secs, visible};
use robot_memory_core::api::{Order, Timeline, TimelineEntry, TimelineRequest, TimelineResponse};
use std::fmt::Write;

/// Shows what happened, in order of time.
pub fn run(arguments: TimelineArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let order = if arguments.newest { Order::Newest } else { Order::Oldest };
    let response = open_engine(store)?.call::<Timeline>(TimelineRequest {
        since: arguments.since,
        until: arguments.until,
        session_id: arguments.session.unwrap_or_default(),
        collection: arguments.collection.unwrap_or_default(),
        collections: arguments.collections,
        scope: arguments.scope.unwrap_or_default(),
        kinds: arguments.kinds,
        triggers: arguments.triggers,
        order: order.as_str().to_owned(),
        n: arguments.n,
        cursor: arguments.cursor.unwrap_or_default(),
        agent: arguments.agent.unwrap_or_default(),
    })?;
    output.answer(&response, shown)
}

fn shown(response: &TimelineResponse) -> String {
    let TimelineResponse { entries, total, next_cursor } = response;
    let mut text = format!("{} of {total}\n", entries.len());
    if entries.is_empty() {
        return text;
    }
    let mut table = Table::new(["when", "what", "#id", "took", "outcome", "text"]);
    for entry in entries {
        table.row([
            rfc_3339_secs(entry.stamp),
            what(entry),
            if entry.memory_id == 0 { String::new() } else { entry.memory_id.to_string() },
            took(entry.duration_secs),
            outcome(entry),
            visible(if entry.memory_id == 0 && entry.text.is_empty() {
                &entry.session_id
            } else {
                &entry.text
            }),
        ]);
    }
    let _ = write!(text, "\n{}", table.render(0));
    if !next_cursor.is_empty() {
        let _ = writeln!(text, "\nmore: --cursor '{}'", visible(next_cursor));
    }
    text
}

fn what(entry: &TimelineEntry) -> String {
    let what = entry.what.as_str().replace('_', " ");
    if entry.trigger.is_empty() { what } else { format!("{what}: {}", visible(&entry.trigger)) }
}

fn took(secs: f64) -> String {
    if secs == 0.0 { String::new() } else { format!("{secs:.1} s") }
}

fn outcome(entry: &TimelineEntry) -> String {
    let score = entry.score.map(|score| format!(" {score:.2}")).unwrap_or_default();
    visible(format!("{}{score}", entry.outcome).trim())
}
