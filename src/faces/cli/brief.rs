//! `memory brief`

use super::arguments::{BriefArguments, StoreArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::visible;
use robot_memory_core::api::{Brief, BriefRequest, BriefResponse, BriefedAttempts, SimilarAttempt};
use std::fmt::Write;

/// Shows what is known of a task on an object before it is done.
pub fn run(arguments: BriefArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let response = open_engine(store)?.call::<Brief>(BriefRequest {
        task: arguments.task,
        object: arguments.object.unwrap_or_default(),
        place: arguments.place.unwrap_or_default(),
        params: arguments.params.unwrap_or_default(),
        collection: arguments.collection.unwrap_or_default(),
        collections: arguments.collections,
        scope: arguments.scope.unwrap_or_default(),
        n: arguments.n,
        agent: arguments.agent.unwrap_or_default(),
        ..BriefRequest::default()
    })?;
    output.answer(&response, shown)
}

fn shown(response: &BriefResponse) -> String {
    let mut text = format!("{}\n", visible(&response.sentence_en));
    for known in &response.attempts {
        let _ = write!(text, "\n{}", attempts(known));
    }
    let lessons = response.lessons.iter().map(|it| {
        let judgment = it.judgment.map(|it| format!("{it}: ")).unwrap_or_default();
        format!("{judgment}{}", it.sentence_en)
    });
    let changes = response.changes.iter().map(|it| it.sentence_en.clone());
    let procedures = response.procedures.iter().map(|it| {
        format!("{} of {}: {}", it.success_count, it.success_count + it.failure_count, it.steps)
    });
    let contradictions = response.contradictions.iter().map(|it| {
        format!("{} against {}: {} / {}", it.memory_id, it.other_id, it.content, it.other_content)
    });
    let bounds = response.violations.iter().chain(&response.undecided).map(|it| it.reason.clone());
    list(&mut text, "lessons", lessons);
    list(&mut text, "changes", changes);
    list(&mut text, "procedures that succeeded", procedures);
    list(&mut text, "contradictions", contradictions);
    list(&mut text, "constraints", bounds);
    if !response.similar.is_empty() {
        let mut table = Table::new(["#id", "outcome", "object", "params", "reason"]);
        for SimilarAttempt { attempt_id, outcome, object, params, reason, .. } in &response.similar
        {
            let cells = [outcome, object, params, reason].map(|it| visible(it));
            let [outcome, object, params, reason] = cells;
            table.row([attempt_id.to_string(), outcome, object, params, reason]);
        }
        let _ = write!(text, "\n{}", table.render(0));
    }
    text
}

fn attempts(known: &BriefedAttempts) -> String {
    let total = known.success_count + known.failure_count;
    let mut text = format!("{}: {} of {total} succeeded", known.nearness, known.success_count);
    if let [low, high] = known.success_rate_interval[..] {
        let _ = write!(text, " (95 % interval {:.0} to {:.0} %)", low * 100.0, high * 100.0);
    }
    text.push('\n');
    if !known.numbers.is_empty() {
        let range = |range: &[f64]| match range {
            [least, _, median, _, most] => format!("{least} to {most}, median {median}"),
            _ => "-".to_owned(),
        };
        let mut table = Table::new(["parameter", "unit", "worked", "failed"]);
        for it in &known.numbers {
            let (worked, failed) = (range(&it.success_range), range(&it.failure_range));
            table.row([visible(&it.path), visible(&it.unit), worked, failed]);
        }
        text.push_str(&table.render(2));
    }
    text
}

fn list(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    for (place, line) in lines.enumerate() {
        if place == 0 {
            let _ = write!(text, "\n{title}:\n");
        }
        let _ = writeln!(text, "  {}", visible(&line));
    }
}
