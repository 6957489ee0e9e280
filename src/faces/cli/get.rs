//! `memory get`

use super::arguments::{GetArguments, StoreArguments};
use super::failure::Outcome;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{ids, visible};
use robot_memory_core::api::{GetMemory, GetMemoryRequest, MemoryChange, StoredMemory};
use robot_memory_core::model::{Limit, Stamp, TurnSource};

/// Shows one memory.
pub fn run(arguments: &GetArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let request = GetMemoryRequest {
        memory_id: arguments.id,
        include_data: arguments.data,
        ..GetMemoryRequest::default()
    };
    let stored = open_engine(store)?.call::<GetMemory>(request)?;
    output.answer(stored, shown)
}

/// The fields that say something, one a line.
fn shown(stored: StoredMemory) -> String {
    let memory = stored.memory;
    let time = |stamp: Option<Stamp>| stamp.map(Stamp::rfc_3339).unwrap_or_default();
    let is_told = !stored.told_by.is_empty();
    let mut table = Table::new(["", ""]);
    table.fields([
        ("id", memory.id.to_string()),
        ("content", memory.content),
        ("type", memory.kind.to_string()),
        ("perception_type", spelling(memory.perception_type)),
        ("category", spelling(memory.category)),
        ("tags", memory.tags.join(", ")),
        ("mem_type", memory.mem_type.to_string()),
        ("status", memory.status.to_string()),
        ("superseded_by", spelling(memory.superseded_by)),
        ("superseded_why", stored.superseded_why),
        ("supersedes", ids(&stored.supersedes)),
        ("parent_id", spelling(memory.parent_id)),
        ("children", ids(&stored.children)),
        ("limits", stored.limits.iter().map(bound).collect::<Vec<_>>().join("; ")),
        ("invalidated_reason", stored.invalidated_reason),
        ("invalidated_at", time(stored.invalidated_at)),
        ("collection", memory.collection),
        ("level", memory.level.to_string()),
        ("scope", memory.scope.to_string()),
        ("session_id", memory.session_id),
        ("turn_id", memory.turn_id),
        ("agent", memory.agent),
        ("source", memory.source.to_string()),
        ("trust", memory.trust.to_string()),
        ("told_by", stored.told_by.join(", ")),
        ("told_at", time(stored.told_at)),
        ("independent_count", spelling(is_told.then_some(stored.independent_count))),
        ("transfer", stored.transfer.join("; ")),
        ("confidence", memory.confidence.to_string()),
        ("decay_rate", memory.decay_rate.to_string()),
        ("importance", memory.importance.to_string()),
        ("retention", spelling(stored.fades.then_some(stored.retention))),
        ("half_life_days", spelling(stored.fades.then_some(stored.half_life_days))),
        ("archives_at", time(stored.archives_at)),
        ("scope_files", memory.scope_files.join(", ")),
        ("scope_entities", memory.scope_entities.join(", ")),
        ("context", memory.context),
        ("data", memory.data),
        ("metadata", memory.metadata),
        ("embedding_model", stored.embedding_model),
        ("access_count", memory.access_count.to_string()),
        ("created_at", memory.created_at.rfc_3339()),
        ("updated_at", memory.updated_at.rfc_3339()),
        ("last_accessed", time(memory.last_accessed)),
        ("decayed_until", time(memory.decayed_until)),
        ("restored_at", time(memory.restored_at)),
        ("known_at", time(memory.known_at)),
    ]);
    for entry in stored.ledger {
        let values = match (entry.value_before.as_str(), entry.value_after.as_str()) {
            ("", "") => String::new(),
            ("", after) => format!(": {after}"),
            (before, after) => format!(": {before} to {after}"),
        };
        let times = match entry.repetitions {
            count if count > 1 => format!(", {count} times"),
            _ => String::new(),
        };
        let (change, cause, at) = (entry.change, entry.cause, entry.changed_at.rfc_3339());
        let shown = format!("{change} by {cause}{values}{times}, {at}");
        table.row(["ledger".to_owned(), visible(&shown)]);
    }
    for TurnSource { session_id, branch_id, turn_no, sentence_number, pointer, sentence, .. } in
        stored.turns
    {
        let place = match (sentence_number, pointer.as_str()) {
            (0, "") => String::new(),
            (0, pointer) => format!(", {pointer}"),
            (number, _) => format!(", sentence {number}: {sentence}"),
        };
        let said = format!("turn {turn_no} of branch {branch_id} of session {session_id}{place}");
        table.row(["said in".to_owned(), visible(&said)]);
    }
    for MemoryChange { operation, agent, changed_at, content, .. } in stored.history {
        let by = if agent.is_empty() { "the operator" } else { &agent };
        let said = format!("{} {operation} by {by}; before: {content}", changed_at.rfc_3339());
        table.row(["history".to_owned(), visible(&said)]);
    }
    table.render(0)
}

/// `params.grip_force <= 15 N`
fn bound(limit: &Limit) -> String {
    let Limit { path, op, value, unit, .. } = limit;
    format!("{path} {op} {value} {unit}").trim().to_owned()
}

fn spelling<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
