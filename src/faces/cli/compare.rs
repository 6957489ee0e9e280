//! `memory compare`

use super::arguments::{CompareArguments, StoreArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{ids, visible};
use robot_memory_core::api::{Compare, CompareRequest, CompareResponse, Contrast};
use std::fmt::Write;

/// Shows what differed between the attempts at a task that succeeded and those that failed.
pub fn run(arguments: CompareArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let response = open_engine(store)?.call::<Compare>(CompareRequest {
        task: arguments.task.unwrap_or_default(),
        object: arguments.object.unwrap_or_default(),
        collection: arguments.collection.unwrap_or_default(),
        collections: arguments.collections,
        context_filter: arguments.context_filter.unwrap_or_default(),
        since: arguments.since,
        until: arguments.until,
        scope: arguments.scope.unwrap_or_default(),
        n: arguments.n,
        agent: arguments.agent.unwrap_or_default(),
    })?;
    output.answer(&response, shown)
}

fn shown(response: &CompareResponse) -> String {
    let mut text = format!("{}\n", visible(&response.summary));
    if response.unknown_count > 0 {
        let _ = writeln!(text, "{} more have no outcome", response.unknown_count);
    }
    if !response.contrasts.is_empty() {
        let mut table = Table::new(["#effect", "#at least", ""]);
        for Contrast { effect, effect_low, statement, .. } in &response.contrasts {
            table.row([format!("{effect:+.2}"), format!("{effect_low:+.2}"), visible(statement)]);
        }
        let _ = write!(text, "\n{}", table.render(0));
    }
    for (name, of) in [("succeeded", &response.success_ids), ("failed", &response.failure_ids)] {
        if !of.is_empty() {
            let _ = write!(text, "\n{name}: {}", ids(of));
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
