//! `memory recall`

use super::arguments::StoreArguments;
use super::failure::Outcome;
use super::filters::{RecallArguments, request};
use super::open::{load_image_model, load_model, open_engine};
use super::output::Output;
use super::table::Table;
use super::values::{ids, rfc_3339_secs, visible};
use crate::config::Settings;
use robot_memory_core::api::{Hit, Recall, RecallResponse, Why};
use serde_json::Value;
use std::fmt::Write;

/// Positions of a memory that are shown.
const PLACES_MAX: usize = 4;

/// Recalls, and shows what was found.
pub fn run(arguments: RecallArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let RecallArguments { query, filters, data, explain } = arguments;
    let query = query.unwrap_or_default();
    let engine = open_engine(store)?;
    if !query.trim().is_empty() {
        load_model(&engine, store, &Settings::default())?;
        load_image_model(&engine, store)?;
    }
    let response = engine.call::<Recall>(request(query, filters, data, explain))?;
    output.answer(&response, shown)
}

/// Where the texts below a row begin.
const INDENT: usize = 4;

/// The answer, for a person to read.
fn shown(response: &RecallResponse) -> String {
    let RecallResponse { memories, total, mode, query_ms, .. } = response;
    let mut text = format!("{} of {total} memories, {mode}, {query_ms:.2} ms", memories.len());
    text += if response.approximate { ", approximate\n" } else { "\n" };
    if !response.understood.is_empty() {
        let _ = writeln!(text, "read as {}", visible(&response.understood));
    }
    if !memories.is_empty() {
        let _ = writeln!(text, "\n{}", table(memories).render(INDENT).trim_end());
    }
    if !response.better_collections.is_empty() {
        let names: Vec<_> = response.better_collections.iter().map(|name| visible(name)).collect();
        let _ =
            writeln!(text, "\nin other collections something fits better: {}", names.join(", "));
    }
    if !response.counts.is_empty() {
        let mut table = Table::new(["", "#"]);
        for each in &response.counts {
            let key = if each.key.is_empty() { "(none)" } else { &each.key };
            table.row([visible(key), each.count.to_string()]);
        }
        let _ = write!(text, "\n{}", table.render(0));
    }
    if !response.plan.is_empty() {
        let _ = write!(text, "\n{}", plan_lines(&response.plan));
    }
    text
}

fn table(memories: &[Hit]) -> Table {
    let mut table = Table::new([
        "#id",
        "#score",
        "#distance",
        "type",
        "category",
        "#confidence",
        "created_at",
        "collection",
    ]);
    for hit in memories {
        let Hit { memory, score, conflicts_with, .. } = hit;
        let category = memory.category.map(|category| category.to_string());
        let sense = memory.perception_type.map(|sense| sense.to_string());
        let mut below = vec![visible(&memory.content)];
        let mut line = |name: &str, text: &str| {
            if !text.is_empty() {
                below.push(format!("{name}: {}", visible(text)));
            }
        };
        line("why", &reasons(&hit.why));
        line("where", &place(&memory.context));
        line("before", &hit.context_before);
        line("after", &hit.context_after);
        if !conflicts_with.is_empty() {
            line("contradicts", &ids(conflicts_with));
        }
        if hit.similar_count > 0 {
            line("similar", &hit.similar_count.to_string());
        }
        line("data", &memory.data);
        line("metadata", &memory.metadata);
        below.push(String::new());
        let is_ranked = *score != 0.0;
        table.row_with(
            [
                memory.id.to_string(),
                if is_ranked { format!("{score:.3}") } else { String::new() },
                hit.spatial_distance.map(|distance| format!("{distance:.3}")).unwrap_or_default(),
                memory.kind.to_string(),
                category.or(sense).unwrap_or_default(),
                format!("{:.2}", memory.confidence),
                rfc_3339_secs(memory.created_at),
                visible(&memory.collection),
            ],
            below,
        );
    }
    table
}

/// Where the robot was, or the thing that a memory tells of: each position of its spatial context, and the
/// frame. Empty when none is there.
fn place(context: &str) -> String {
    let context: Value = serde_json::from_str(context).unwrap_or_default();
    let Some(spatial) = context["spatial"].as_object() else { return String::new() };
    let mut parts = Vec::new();
    for (name, value) in spatial {
        let numbers = value.as_array().filter(|numbers| (2..=3).contains(&numbers.len()));
        let numbers: Option<Vec<String>> = numbers.and_then(|numbers| {
            numbers.iter().map(|number| Some(format!("{:.3}", number.as_f64()?))).collect()
        });
        if let Some(numbers) = numbers.filter(|_| parts.len() < PLACES_MAX) {
            parts.push(format!("{name} [{}]", numbers.join(", ")));
        }
    }
    for name in ["frame", "map_id", "room"] {
        if let Some(text) = spatial.get(name).and_then(Value::as_str) {
            parts.push(format!("{name} {text}"));
        }
    }
    parts.join(", ")
}

/// Why a memory stands where it does, in a line: what a query made of it. Empty without one.
fn reasons(why: &Why) -> String {
    let mut parts = Vec::new();
    if why.word_rank > 0 {
        parts.push(format!("word_rank {}", why.word_rank));
        parts.push(format!("word_score {:.2}", why.word_score));
        parts.push(format!("coverage {:.2}", why.coverage));
    }
    if !why.told_by.is_empty() {
        parts.push(format!("told_by {}", visible(&why.told_by.join(" "))));
        parts.push(format!("independent_count {}", why.independent_count));
        parts.extend(why.told_at.map(|at| format!("told_at {}", at.rfc_3339())));
    }
    parts.extend(why.transfer.iter().map(|it| format!("transfer {}", visible(it))));
    if !why.matched_words.is_empty() {
        parts.push(format!("matched_words {}", why.matched_words.join(" ")));
    }
    if let Some(distance) = why.signature_distance {
        parts.push(format!("signature_distance {distance:.3}"));
    }
    if why.vector_rank > 0 {
        parts.push(format!("vector_rank {}", why.vector_rank));
    }
    if let Some(similarity) = why.similarity {
        parts.push(format!("similarity {similarity:.3}"));
    }
    if why.picture_rank > 0 {
        parts.push(format!("picture_rank {}", why.picture_rank));
    }
    if let Some(similarity) = why.picture_similarity {
        parts.push(format!("picture_similarity {similarity:.3}"));
    }
    if parts.is_empty() {
        return String::new();
    }
    for (name, gain) in [
        ("relevance", why.relevance),
        ("word_gain", why.word_gain),
        ("code_gain", why.code_gain),
        ("neighbor_gain", why.neighbor_gain),
        ("evidence", why.evidence),
    ] {
        if gain != 0.0 {
            parts.push(format!("{name} {gain:.3}"));
        }
    }
    for (name, weight) in [("source_weight", why.source_weight), ("trust_weight", why.trust_weight)]
    {
        if weight != 1.0 {
            parts.push(format!("{name} {weight}"));
        }
    }
    parts.join(", ")
}

/// Each part of the plan in a line of its own.
fn plan_lines(plan: &str) -> String {
    plan.split("; ").flat_map(str::lines).map(|line| format!("{}\n", visible(line))).collect()
}
