//! `memory unlearn`

use super::arguments::{StoreArguments, UnlearnArguments};
use super::failure::Outcome;
use super::open::open_writing;
use super::output::Output;
use super::table::Table;
use super::values::visible;
use crate::config::Settings;
use crate::faces::wall_clock::WallClock;
use robot_memory_core::api::{Unlearn, UnlearnRequest, UnlearnResponse};
use std::fmt::Write;
use std::sync::Arc;

/// Shows what is to be forgotten with all that was made of it, or does it.
pub fn run(arguments: UnlearnArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let dry_run = !arguments.yes;
    let engine = open_writing(store, &Settings::default(), Arc::new(WallClock))?;
    let response = engine.call::<Unlearn>(UnlearnRequest {
        memory_ids: arguments.ids,
        session_id: arguments.session.unwrap_or_default(),
        stream: arguments.stream.unwrap_or_default(),
        context_filter: arguments.context_filter.unwrap_or_default(),
        since: arguments.since,
        until: arguments.until,
        collection: arguments.collection.unwrap_or_default(),
        scope: arguments.scope.unwrap_or_default(),
        dry_run,
        plan: arguments.plan.unwrap_or_default(),
        reason: arguments.reason.unwrap_or_default(),
        agent: arguments.agent.unwrap_or_default(),
    });
    let closed = engine.close();
    let response = response?;
    closed?;
    output.answer(&response, |response| shown(response, dry_run))
}

fn shown(response: &UnlearnResponse, dry_run: bool) -> String {
    let UnlearnResponse {
        plan,
        forgotten_count,
        remade_count,
        removed_count,
        kept_count,
        memories,
    } = response;
    let mut text = format!(
        "{forgotten_count} forgotten, {remade_count} remade, {removed_count} removed, {kept_count} kept\n"
    );
    if !memories.is_empty() {
        let mut table = Table::new(["#id", "kind", "what is done", "text", "why"]);
        for memory in memories {
            let below = match memory.new_text.is_empty() {
                true => Vec::new(),
                false => vec![format!("now: {}", visible(&memory.new_text))],
            };
            table.row_with(
                [
                    memory.memory_id.to_string(),
                    memory.kind.to_string(),
                    memory.action.to_string(),
                    visible(&memory.text),
                    memory.why.clone(),
                ],
                below,
            );
        }
        let _ = write!(text, "\n{}", table.render(0));
    }
    let total = forgotten_count + remade_count + removed_count + kept_count;
    if total > memories.len() as u64 {
        let _ = writeln!(text, "{} of {total}", memories.len());
    }
    if dry_run && total > 0 {
        let _ = writeln!(
            text,
            "\nnothing was changed; to do this: the same with --yes --plan {plan} --reason '...'"
        );
    }
    text
}
