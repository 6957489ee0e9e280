//! `memory get`

use super::arguments::{GetArguments, StoreArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{rfc_3339, visible};
use robot_memory_core::api::{
    GetMemory, GetMemoryRequest, LedgerEntry, MemoryChange, StoredMemory,
};
use robot_memory_core::model::{Limit, Memory, Stamp, TurnSource};

/// Shows one memory.
pub fn run(arguments: &GetArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let request = GetMemoryRequest {
        memory_id: arguments.id,
        include_data: arguments.data,
        include_embedding: false,
        scope: String::new(),
        agent: String::new(),
    };
    let stored = open_engine(store)?.call::<GetMemory>(request)?;
    if output.is_json {
        return output.json(&stored);
    }
    output.text(&shown(stored))
}

/// The fields that say something, one a line.
fn shown(stored: StoredMemory) -> String {
    let StoredMemory {
        memory,
        invalidated_reason,
        invalidated_at,
        // It begins the sentence of superseded_why.
        superseded_rule: _,
        superseded_why,
        supersedes,
        children,
        limits,
        turns,
        ledger,
        fades,
        retention,
        half_life_days,
        archives_at,
        history,
        embedding_model,
        embedding: _,
    } = stored;
    let Memory {
        id,
        collection,
        level,
        scope,
        kind,
        category,
        mem_type,
        content,
        // The beginning of the content.
        human_summary: _,
        context,
        perception_type,
        data,
        metadata,
        session_id,
        turn_id,
        agent,
        source,
        trust,
        confidence,
        decay_rate,
        importance,
        tags,
        scope_files,
        scope_entities,
        status,
        superseded_by,
        parent_id,
        access_count,
        last_accessed,
        created_at,
        updated_at,
        decayed_until,
        restored_at,
        known_at,
    } = memory;
    let time = |stamp: Option<Stamp>| stamp.map(rfc_3339).unwrap_or_default();
    let mut table = Table::new(["", ""]);
    for (name, value) in [
        ("id", id.to_string()),
        ("content", content),
        ("type", kind.to_string()),
        ("perception_type", spelling(perception_type)),
        ("category", spelling(category)),
        ("tags", tags.join(", ")),
        ("mem_type", mem_type.to_string()),
        ("status", status.to_string()),
        ("superseded_by", spelling(superseded_by)),
        ("superseded_why", superseded_why),
        ("supersedes", ids(&supersedes)),
        ("parent_id", spelling(parent_id)),
        ("children", ids(&children)),
        ("limits", limits.iter().map(bound).collect::<Vec<_>>().join("; ")),
        ("invalidated_reason", invalidated_reason),
        ("invalidated_at", time(invalidated_at)),
        ("collection", collection),
        ("level", level.to_string()),
        ("scope", scope.to_string()),
        ("session_id", session_id),
        ("turn_id", turn_id),
        ("agent", agent),
        ("source", source.to_string()),
        ("trust", trust.to_string()),
        ("confidence", confidence.to_string()),
        ("decay_rate", decay_rate.to_string()),
        ("importance", importance.to_string()),
        ("retention", if fades { retention.to_string() } else { String::new() }),
        ("half_life_days", if fades { half_life_days.to_string() } else { String::new() }),
        ("archives_at", time(archives_at)),
        ("scope_files", scope_files.join(", ")),
        ("scope_entities", scope_entities.join(", ")),
        ("context", context),
        ("data", data),
        ("metadata", metadata),
        ("embedding_model", embedding_model),
        ("access_count", access_count.to_string()),
        ("created_at", rfc_3339(created_at)),
        ("updated_at", rfc_3339(updated_at)),
        ("last_accessed", time(last_accessed)),
        ("decayed_until", time(decayed_until)),
        ("restored_at", time(restored_at)),
        ("known_at", time(known_at)),
    ] {
        if !value.is_empty() {
            table.row([name.to_owned(), visible(&value)]);
        }
    }
    for LedgerEntry {
        change,
        cause,
        agent: _,
        value_before,
        value_after,
        repetitions,
        began_at: _,
        changed_at,
    } in ledger
    {
        let values = match (value_before.as_str(), value_after.as_str()) {
            ("", "") => String::new(),
            ("", after) => format!(": {after}"),
            (before, after) => format!(": {before} to {after}"),
        };
        let times = if repetitions > 1 { format!(", {repetitions} times") } else { String::new() };
        let told = format!("{change} by {cause}{values}{times}, {}", rfc_3339(changed_at));
        table.row(["ledger".to_owned(), visible(&told)]);
    }
    for TurnSource { session_id, branch_id, turn_no, sentence_number, pointer, sentence, .. } in
        turns
    {
        let place = match (sentence_number, pointer.as_str()) {
            (0, "") => String::new(),
            (0, pointer) => format!(", {pointer}"),
            (number, _) => format!(", sentence {number}: {sentence}"),
        };
        let said = format!("turn {turn_no} of branch {branch_id} of session {session_id}{place}");
        table.row(["said in".to_owned(), visible(&said)]);
    }
    for MemoryChange { operation, agent, changed_at, content, .. } in history {
        let by = if agent.is_empty() { "the operator" } else { &agent };
        let said = format!("{} {operation} by {by}; before: {content}", rfc_3339(changed_at));
        table.row(["history".to_owned(), visible(&said)]);
    }
    table.render(0)
}

fn ids(all: &[i64]) -> String {
    all.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// `params.grip_force <= 15 N`
fn bound(limit: &Limit) -> String {
    let Limit { path, op, value, unit, .. } = limit;
    format!("{path} {op} {value} {unit}").trim().to_owned()
}

fn spelling<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
