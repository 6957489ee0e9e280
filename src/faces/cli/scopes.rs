//! `memory scopes`

use super::arguments::{PageArguments, ScopeArguments, ScopesArguments, StoreArguments};
use super::failure::Failure;
use super::jobs::with_place;
use super::open::open_engine;
use super::output::Output;
use super::table::{Side, Table};
use super::values::{of_millis, rfc_3339_secs, visible};
use robot_memory_core::api::{ListScopes, ListScopesRequest, ListScopesResponse};
use robot_memory_core::model::ScopeState;

/// Lists how far the jobs of each scope have come.
pub fn run(
    arguments: ScopesArguments,
    store: &StoreArguments,
    is_json: bool,
    output: &mut Output,
) -> Result<(), Failure> {
    let ScopesArguments {
        scope: ScopeArguments { scope, scope_id },
        sort_by,
        page: PageArguments { sort_order, limit, offset, agent },
    } = arguments;
    let request = ListScopesRequest {
        scope: scope.unwrap_or_default(),
        scope_id: scope_id.unwrap_or_default(),
        sort_by: sort_by.unwrap_or_default(),
        sort_order: sort_order.unwrap_or_default(),
        limit,
        offset,
        agent: agent.unwrap_or_default(),
    };
    let response = open_engine(store)?.call::<ListScopes>(request)?;
    if !is_json {
        return output.text(&listed(response));
    }
    output.json_line(&response)?;
    output.finish()
}

fn listed(response: ListScopesResponse) -> String {
    let ListScopesResponse { scopes, total, has_more: _, limit: _, offset, .. } = response;
    let mut table = Table::new(&[
        ("scope", Side::Left),
        ("revision", Side::Right),
        ("last turn", Side::Right),
        ("last compacted", Side::Left),
        ("updated_at", Side::Left),
        ("worker", Side::Left),
        ("until", Side::Left),
    ]);
    let count = scopes.len() as u64;
    let time = |millis: i64| rfc_3339_secs(of_millis(millis));
    for state in scopes {
        let ScopeState {
            scope,
            revision,
            lease_owner,
            lease_until,
            last_processed_turn_no,
            last_compaction_at,
            updated_at,
        } = state;
        table.row(
            [
                visible(&scope.to_string()),
                revision.to_string(),
                last_processed_turn_no.map(|number| number.to_string()).unwrap_or_default(),
                last_compaction_at.map(time).unwrap_or_default(),
                time(updated_at),
                visible(&lease_owner),
                lease_until.map(time).unwrap_or_default(),
            ],
            Vec::new(),
        );
    }
    with_place(table.render(0), count, offset, total)
}
