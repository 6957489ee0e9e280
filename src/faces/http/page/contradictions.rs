//! Contradictions that no rule settles: a person says which side holds.

use super::act::{Question, asked, done_as, quoted};
use super::facts;
use super::layout::Sheet;
use super::parts::about;
use super::records::{MemoryRecord, StatusRecord, StoredRecord};
use super::visit::{Fields, Visit, field};
use crate::faces::figures::format::plural;
use crate::faces::http::problem::Problem;
use maud::{Markup, html};
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::PAGE_FACTS_MAX;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Pairs that are shown: a side of each may have to be read by itself.
const PAIRS_MAX: usize = 25;

pub async fn view(visit: &Visit) -> Result<Sheet, Problem> {
    let status = visit.ask::<StatusRecord>("status", json!({})).await?;
    let (pairs, is_complete) =
        if status.conflict_count == 0 { (Vec::new(), true) } else { pairs(visit).await? };

    let body = html! {
        p class="soft" {
            (plural(status.conflict_count, "contradictions")) " that no rule settles"
            @if !is_complete { ", of which those of the newest " (PAGE_FACTS_MAX) " facts are shown" }
        }
        @if pairs.is_empty() && is_complete { p class="empty" { "Nothing contradicts anything." } }
        @for [older, newer] in &pairs { (pair(visit, older, newer)) }
        @if pairs.len() == PAIRS_MAX { p class="soft" { "No more than " (PAIRS_MAX) " pairs are shown." } }
    };
    Ok(Sheet { title: "Contradictions".to_owned(), here: "/contradictions", body })
}

/// Pairs of facts that contradict each other, the older one first; whether all facts were gone through.
async fn pairs(visit: &Visit) -> Result<(Vec<[MemoryRecord; 2]>, bool), Problem> {
    let (facts, is_complete) = facts::newest(visit, |fact| !fact.conflicts_with.is_empty()).await?;
    let facts: BTreeMap<i64, MemoryRecord> = facts.into_iter().map(|it| (it.id, it)).collect();
    let mut ids: Vec<(i64, i64)> = facts
        .values()
        .flat_map(|it| it.conflicts_with.iter().map(|other| (it.id.min(*other), it.id.max(*other))))
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let mut pairs = Vec::new();
    for (one, other) in ids.into_iter().rev().take(PAIRS_MAX) {
        let mut both = Vec::new();
        for id in [one, other] {
            match facts.get(&id) {
                Some(fact) => both.push(fact.clone()),
                // It is older than those that were gone through.
                None => match memory(visit, id).await {
                    Ok(fact) => both.push(fact),
                    // It was deleted meanwhile, and contradicts nothing.
                    Err(problem) if problem.status().as_u16() == 404 => {}
                    Err(problem) => return Err(problem),
                },
            }
        }
        if let Ok(pair) = <[MemoryRecord; 2]>::try_from(both) {
            pairs.push(pair);
        }
    }
    Ok((pairs, is_complete))
}

async fn memory(visit: &Visit, id: i64) -> Result<MemoryRecord, Problem> {
    Ok(visit.ask::<StoredRecord>("get_memory", json!({ "memory_id": id })).await?.memory)
}

fn pair(visit: &Visit, older: &MemoryRecord, newer: &MemoryRecord) -> Markup {
    let side = |name: &str, memory: &MemoryRecord, other: &MemoryRecord| {
        // The other side stands beside it.
        let mut told = memory.clone();
        told.conflicts_with.retain(|id| *id != other.id);
        html! {
            div class="side" {
                h3 { (name) }
                a class="says" href=(format!("/memories/{}", memory.id)) { (memory.content) }
                (about(&told))
                @if visit.may("forget") {
                    p class="acts" {
                        a class="button" href=(format!("/contradictions/settle?keep={}&forget={}", memory.id, other.id))
                            aria-label=(format!("This holds: {}", memory.content)) { "This holds" }
                        a href=(format!("/memories/{}/correct", memory.id)) aria-label=(format!("Correct: {}", memory.content)) { "Correct" }
                    }
                }
            }
        }
    };
    html! { section class="card pair" { (side("Older", older, newer)) (side("Newer", newer, older)) } }
}

/// The two sides that a query or a form names.
fn sides(fields: &Fields) -> Result<(i64, i64), Problem> {
    let id = |name: &str| {
        field(fields, name).parse::<i64>().map_err(|_| {
            ApiError::invalid_argument(format!("{name}: must be the number of a memory"))
        })
    };
    Ok((id("keep")?, id("forget")?))
}

pub async fn ask(visit: &Visit) -> Result<Sheet, Problem> {
    let (keep, other) = sides(&visit.query)?;
    let (keep, other) = (memory(visit, keep).await?, memory(visit, other).await?);
    Ok(asked(
        visit,
        &Question {
            operation: "forget",
            title: "Does this hold?".to_owned(),
            here: "/contradictions",
            back: "/contradictions".to_owned(),
            says: html! {
                p { "This stays:" } (quoted(&keep))
                p { "This is forgotten, and kept for audit only; to take that back it can be learned again:" } (quoted(&other))
            },
            fields: html! {
                input type="hidden" name="keep" value=(keep.id);
                input type="hidden" name="forget" value=(other.id);
            },
            button: "It holds",
            is_grave: true,
        },
    ))
}

pub async fn settle(visit: &Visit, form: Fields) -> Result<String, Problem> {
    let (keep, other) = sides(&form)?;
    // Somebody may have changed one of them meanwhile.
    if !memory(visit, keep).await?.status.eq("active") {
        return Err(ApiError::invalid_state(format!("memory {keep} is not active any more")).into());
    }
    let request =
        json!({ "memory_id": other, "reason": format!("contradicts memory {keep}, which holds") });
    let answer = visit.ask::<Value>("forget", request).await?;
    Ok(format!("/memories/{other}?did={}", done_as(&answer, "settled")))
}
