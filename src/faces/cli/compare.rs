//! `memory compare`

use super::arguments::{CompareArguments, StoreArguments};
use super::failure::Failure;
use super::open::open_engine;
use super::output::Output;
use super::table::{Side, Table};
use super::values::visible;
use robot_memory_core::api::{Compare, CompareRequest, CompareResponse, Contrast};
use std::fmt::Write;

/// Shows what differed between the attempts at a task that succeeded and those that failed.
pub fn run(
    arguments: CompareArguments,
    store: &StoreArguments,
    is_json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let CompareArguments {
        task,
        object,
        collection,
        collections,
        context_filter,
        since,
        until,
        scope,
        n,
        agent,
    } = arguments;
    let response = open_engine(store)?.call::<Compare>(CompareRequest {
        task: task.unwrap_or_default(),
        object: object.unwrap_or_default(),
        collection: collection.unwrap_or_default(),
        collections,
        context_filter: context_filter.unwrap_or_default(),
        since,
        until,
        scope: scope.unwrap_or_default(),
        n,
        agent: agent.unwrap_or_default(),
    })?;
    if !is_json {
        return output.text(&shown(&response));
    }
    output.json_line(&response)?;
    output.finish()
}

fn shown(response: &CompareResponse) -> String {
    let CompareResponse { contrasts, success_ids, failure_ids, summary, unknown_count, .. } =
        response;
    let mut text = format!("{}\n", visible(summary));
    if *unknown_count > 0 {
        let _ = writeln!(text, "{unknown_count} more do not say how they ended");
    }
    if !contrasts.is_empty() {
        let mut table =
            Table::new(&[("effect", Side::Right), ("at least", Side::Right), ("", Side::Left)]);
        for Contrast { effect, effect_low, statement, .. } in contrasts {
            table.row(
                [format!("{effect:+.2}"), format!("{effect_low:+.2}"), visible(statement)],
                Vec::new(),
            );
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
