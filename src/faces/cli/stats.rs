//! `memory stats`

use super::arguments::StoreArguments;
use super::failure::Failure;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::visible;
use robot_memory_core::api::{KeyCount, Stats, StatsRequest, StatsResponse};

/// Shows what the store holds.
pub fn run(store: &StoreArguments, output: &mut Output) -> Result<(), Failure> {
    let response = open_engine(store)?.call::<Stats>(StatsRequest::default())?;
    output.answer(response, shown)
}

fn shown(response: StatsResponse) -> String {
    let mut table = Table::new(["", "", "#"]);
    table.total("memory_count", response.memory_count);
    for (name, counts) in [
        ("by_status", response.by_status),
        ("by_type", response.by_type),
        ("by_category", response.by_category),
        ("by_collection", response.by_collection),
        ("by_level", response.by_level),
    ] {
        table.counts(name, &counts);
    }
    for (name, stamp) in [
        ("oldest_created_at", response.oldest_created_at),
        ("newest_created_at", response.newest_created_at),
    ] {
        if let Some(stamp) = stamp {
            table.total(name, stamp.rfc_3339());
        }
    }
    table.total("open_sessions", response.open_sessions);
    table.total("ended_sessions", response.ended_sessions);
    for KeyCount { key, count } in response.vectors_by_model {
        table.row(["vectors_by_model".to_owned(), visible(&key), count.to_string()]);
    }
    table.total("missing_vectors", response.missing_vectors);
    table.total("store_bytes", response.store_bytes);
    table.total("schema_version", response.schema_version);
    table.render(0)
}
