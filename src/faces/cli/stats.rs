//! `memory stats`

use super::arguments::StoreArguments;
use super::failure::Failure;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{rfc_3339, visible};
use robot_memory_core::api::{KeyCount, Stats, StatsRequest, StatsResponse};

/// Shows what the store holds.
pub fn run(store: &StoreArguments, output: &mut Output) -> Result<(), Failure> {
    let response = open_engine(store)?.call::<Stats>(StatsRequest::default())?;
    if output.is_json {
        return output.json(&response);
    }
    output.text(&shown(response))
}

fn shown(response: StatsResponse) -> String {
    let StatsResponse {
        memory_count,
        by_status,
        by_type,
        by_category,
        by_collection,
        by_level,
        oldest_created_at,
        newest_created_at,
        open_sessions,
        ended_sessions,
        vectors_by_model,
        missing_vectors,
        store_bytes,
        schema_version,
    } = response;
    let mut table = Table::new(["", "", "#"]);
    let mut row = |name: &str, key: &str, value: String| {
        table.row([name.to_owned(), visible(key), value]);
    };
    row("memory_count", "", memory_count.to_string());
    for (name, counts) in [
        ("by_status", by_status),
        ("by_type", by_type),
        ("by_category", by_category),
        ("by_collection", by_collection),
        ("by_level", by_level),
    ] {
        for (index, KeyCount { key, count }) in counts.into_iter().enumerate() {
            row(if index == 0 { name } else { "" }, &key, count.to_string());
        }
    }
    for (name, stamp) in
        [("oldest_created_at", oldest_created_at), ("newest_created_at", newest_created_at)]
    {
        if let Some(stamp) = stamp {
            row(name, "", rfc_3339(stamp));
        }
    }
    row("open_sessions", "", open_sessions.to_string());
    row("ended_sessions", "", ended_sessions.to_string());
    for KeyCount { key, count } in vectors_by_model {
        row("vectors_by_model", &key, count.to_string());
    }
    row("missing_vectors", "", missing_vectors.to_string());
    row("store_bytes", "", store_bytes.to_string());
    row("schema_version", "", schema_version.to_string());
    table.render(0)
}
