//! `memory scopes`

use super::arguments::{ScopesArguments, StoreArguments};
use super::failure::Outcome;
use super::jobs::with_place;
use super::open::open_engine;
use super::output::Output;
use super::table::Table;
use super::values::{of_millis, rfc_3339_secs, visible};
use robot_memory_core::api::{ListScopes, ListScopesRequest, ListScopesResponse};

/// Lists how far the jobs of each scope have come.
pub fn run(arguments: ScopesArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let ScopesArguments { scope, sort_by, page } = arguments;
    let request = ListScopesRequest {
        scope: scope.scope.unwrap_or_default(),
        scope_id: scope.scope_id.unwrap_or_default(),
        sort_by: sort_by.unwrap_or_default(),
        sort_order: page.sort_order.unwrap_or_default(),
        limit: page.limit,
        offset: page.offset,
        agent: page.agent.unwrap_or_default(),
    };
    let response = open_engine(store)?.call::<ListScopes>(request)?;
    output.answer(response, listed)
}

fn listed(response: ListScopesResponse) -> String {
    let ListScopesResponse { scopes, total, offset, .. } = response;
    let mut table = Table::new([
        "scope",
        "#revision",
        "#last turn",
        "last compacted",
        "updated_at",
        "worker",
        "until",
    ]);
    let count = scopes.len() as u64;
    let time = |millis: i64| rfc_3339_secs(of_millis(millis));
    for state in scopes {
        table.row([
            visible(&state.scope.to_string()),
            state.revision.to_string(),
            state.last_processed_turn_no.map(|number| number.to_string()).unwrap_or_default(),
            state.last_compaction_at.map(time).unwrap_or_default(),
            time(state.updated_at),
            visible(&state.lease_owner),
            state.lease_until.map(time).unwrap_or_default(),
        ]);
    }
    with_place(table.render(0), count, offset, total)
}
