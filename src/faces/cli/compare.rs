//! `memory compare`

use super::arguments::{CompareArguments, StoreArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::visible;
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
    if output.is_json {
        return output.json(&response);
    }
    output.text(&shown(&response))
}

fn shown(response: &CompareResponse) -> String {
    let CompareResponse { contrasts, success_ids, failure_ids, summary, unknown_count, .. } =
        response;
    let mut text = format!("{}\n", visible(summary));
    if *unknown_count > 0 {
        let _ = writeln!(text, "{unknown_count} more do not say how they ended");
    }
    if !contrasts.is_empty() {
        let mut table = Table::new(["#effect", "#at least", ""]);
        for Contrast { effect, effect_low, statement, .. } in contrasts {
            table.row([format!("{effect:+.2}"), format!("{effect_low:+.2}"), visible(statement)]);
        }
        let _ = write!(text, "\n{}", table.render(0));
    }
    for (name, ids) in [("succeeded", success_ids), ("failed", failure_ids)] {
        if !ids.is_empty() {
            let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
            let _ = write!(text, "\n{name}: {}", ids.join(", "));
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
