//! `memory compare`

use super::arguments::{CompareArguments, StoreArguments};
use super::failure::Failure;
use super::open::open_engine;
use super::output::Output;
use super::table::{Side, Table};
use super::values::visible;
use robot_memory_core::api::{Compare, CompareRequest, CompareResponse, Contrast};
use serde::Serialize;
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
    output.json_line(&CompareJson::from(response))?;
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

/// The answer of Compare.
#[derive(Serialize)]
struct CompareJson {
    success_count: u32,
    failure_count: u32,
    unknown_count: u32,
    success_rate: f64,
    success_rate_interval: Vec<f64>,
    contrasts: Vec<ContrastJson>,
    success_ids: Vec<i64>,
    failure_ids: Vec<i64>,
    summary: String,
}

#[derive(Serialize)]
struct ContrastJson {
    path: String,
    kind: String,
    unit: String,
    value: String,
    statement: String,
    effect: f64,
    effect_low: f64,
    success_count: u32,
    failure_count: u32,
    success_with_value: u32,
    failure_with_value: u32,
    success_range: Vec<f64>,
    failure_range: Vec<f64>,
}

impl From<CompareResponse> for CompareJson {
    fn from(response: CompareResponse) -> Self {
        let CompareResponse {
            success_count,
            failure_count,
            unknown_count,
            success_rate,
            success_rate_interval,
            contrasts,
            success_ids,
            failure_ids,
            summary,
        } = response;
        Self {
            success_count,
            failure_count,
            unknown_count,
            success_rate,
            success_rate_interval,
            contrasts: contrasts.into_iter().map(ContrastJson::from).collect(),
            success_ids,
            failure_ids,
            summary,
        }
    }
}

impl From<Contrast> for ContrastJson {
    fn from(contrast: Contrast) -> Self {
        let Contrast {
            path,
            kind,
            unit,
            value,
            statement,
            effect,
            effect_low,
            success_count,
            failure_count,
            success_with_value,
            failure_with_value,
            success_range,
            failure_range,
        } = contrast;
        Self {
            path,
            kind: kind.to_string(),
            unit,
            value,
            statement,
            effect,
            effect_low,
            success_count,
            failure_count,
            success_with_value,
            failure_with_value,
            success_range,
            failure_range,
        }
    }
}
