//! Pages of the tables `job` and `scope_state`.

use super::column::{Cells, Record};
use super::jobs::{select_job, select_scope_state};
use super::{Error, ReadTx, Result};
use robot_memory_core::model::{
    Job, JobOrder, JobScope, JobStatus, JobType, ScopeOrder, ScopeState, SortOrder,
};
use rusqlite::params_from_iter;
use rusqlite::types::Value;

/// Which scopes count.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScopeFilter<'a> {
    /// Only scopes of this kind, as it is spelled; `None`: all.
    pub kind: Option<&'a str>,
    /// Only the one of this name; `None`: all.
    pub id: Option<&'a str>,
    /// Only these; `None`: all.
    pub among: Option<&'a [JobScope]>,
}

/// Which jobs count. Times are milliseconds, and both bounds are in; `None`: all.
#[derive(Debug, Clone, Copy, Default)]
pub struct JobFilter<'a> {
    pub scope: ScopeFilter<'a>,
    pub job_type: Option<JobType>,
    pub status: Option<JobStatus>,
    pub turn_id: Option<&'a str>,
    pub created_from: Option<i64>,
    pub created_to: Option<i64>,
    pub available_from: Option<i64>,
    pub available_to: Option<i64>,
}

/// Which part of a list.
#[derive(Debug, Clone, Copy)]
pub struct Page<By> {
    pub sort_by: By,
    pub sort_order: SortOrder,
    pub limit: u32,
    pub offset: u32,
}

/// Conditions that all must hold. Their texts are constants, so that a statement of the same filters
/// is prepared once, and an index can serve those that are there.
#[derive(Default)]
struct Conditions {
    sql: String,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, sql: &'static str, value: impl Into<Value>) {
        self.sql.push_str(if self.sql.is_empty() { "WHERE " } else { " AND " });
        self.sql.push_str(sql);
        self.values.push(value.into());
    }

    fn add_scope(&mut self, filter: &ScopeFilter<'_>) {
        let ScopeFilter { kind, id, among } = *filter;
        if let Some(kind) = kind {
            self.add("scope = ?", kind.to_owned());
        }
        if let Some(id) = id {
            self.add("scope_id = ?", id.to_owned());
        }
        if let Some(among) = among {
            let pairs: Vec<(&str, String)> =
                among.iter().map(|scope| (scope.kind(), scope.id())).collect();
            self.add(
                "(scope, scope_id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))",
                serde_json::json!(pairs).to_string(),
            );
        }
    }

    /// Those of a filter: to count, or for a page in some order. A page is read in its order, and not by an
    /// index on another time: then all that match would have to be read and sorted.
    fn of(filter: &JobFilter<'_>, order: Option<JobOrder>) -> Self {
        let JobFilter {
            scope,
            job_type,
            status,
            turn_id,
            created_from,
            created_to,
            available_from,
            available_to,
        } = filter;
        let mut conditions = Self::default();
        if let Some(turn_id) = turn_id {
            // The second is what its index is declared with.
            conditions.add("turn_id = ? AND turn_id != ''", (*turn_id).to_owned());
        }
        if let Some(status) = status {
            conditions.add("status = ?", status.as_str().to_owned());
        }
        conditions.add_scope(scope);
        if let Some(job_type) = job_type {
            conditions.add("job_type = ?", job_type.as_str().to_owned());
        }
        let is_in_order = |by| order.is_none_or(|order| order == by);
        let [from, to] = match is_in_order(JobOrder::CreatedAt) {
            true => ["created_at >= ?", "created_at <= ?"],
            false => ["+created_at >= ?", "+created_at <= ?"],
        };
        let bounds = [(from, created_from), (to, created_to)];
        let [from, to] = match is_in_order(JobOrder::AvailableAt) {
            true => ["available_at >= ?", "available_at <= ?"],
            false => ["+available_at >= ?", "+available_at <= ?"],
        };
        for (sql, bound) in bounds.into_iter().chain([(from, available_from), (to, available_to)]) {
            if let Some(bound) = *bound {
                conditions.add(sql, bound);
            }
        }
        conditions
    }

    fn paged<By>(mut self, page: &Page<By>) -> Vec<Value> {
        self.values.push(i64::from(page.limit).into());
        self.values.push(i64::from(page.offset).into());
        self.values
    }
}

/// Jobs that are equal in what they are sorted by come in the same order by id.
const fn job_order(by: JobOrder, order: SortOrder) -> &'static str {
    match (by, order) {
        (JobOrder::CreatedAt, SortOrder::Asc) => "created_at, id",
        (JobOrder::CreatedAt, SortOrder::Desc) => "created_at DESC, id DESC",
        (JobOrder::UpdatedAt, SortOrder::Asc) => "updated_at, id",
        (JobOrder::UpdatedAt, SortOrder::Desc) => "updated_at DESC, id DESC",
        (JobOrder::AvailableAt, SortOrder::Asc) => "available_at, id",
        (JobOrder::AvailableAt, SortOrder::Desc) => "available_at DESC, id DESC",
    }
}

/// What was never set is least. Scopes that are equal come by kind and name.
fn scope_order(by: ScopeOrder, order: SortOrder) -> String {
    let descending = match order {
        SortOrder::Asc => "",
        SortOrder::Desc => " DESC",
    };
    let by = match by {
        ScopeOrder::UpdatedAt => "updated_at",
        ScopeOrder::Revision => "revision",
        ScopeOrder::LastCompactionAt => "last_compaction_at",
        ScopeOrder::LastProcessedTurnNo => "last_processed_turn_no",
    };
    format!("scope_state.{by}{descending}, scope_state.scope, scope_state.scope_id")
}

/// The ids of a page, in order. Only they are sorted, and what the page shows is read afterwards: a job's
/// payload and result can be long.
fn ids_sql(conditions: &Conditions, page: &Page<JobOrder>) -> String {
    let order = job_order(page.sort_by, page.sort_order);
    format!("SELECT id FROM job {} ORDER BY {order} LIMIT ? OFFSET ?", conditions.sql)
}

impl ReadTx<'_> {
    /// A page of jobs, and how many there are in all.
    pub fn job_page(
        &self,
        filter: &JobFilter<'_>,
        page: &Page<JobOrder>,
    ) -> Result<(Vec<Job>, u64)> {
        let total = self.matching("job", &Conditions::of(filter, None))?;
        let conditions = Conditions::of(filter, Some(page.sort_by));
        let sql = format!(
            select_job!("FROM job WHERE id IN ({}) ORDER BY {}"),
            ids_sql(&conditions, page),
            job_order(page.sort_by, page.sort_order)
        );
        Ok((self.rows(&sql, params_from_iter(conditions.paged(page)), Record::read)?, total))
    }

    /// A page of what is known of scopes, and how many there are in all.
    pub fn scope_page(
        &self,
        filter: &ScopeFilter<'_>,
        page: &Page<ScopeOrder>,
    ) -> Result<(Vec<ScopeState>, u64)> {
        let mut conditions = Conditions::default();
        conditions.add_scope(filter);
        let total = self.matching("scope_state", &conditions)?;
        let order = scope_order(page.sort_by, page.sort_order);
        let sql = format!(
            "WITH scope_state AS (SELECT * FROM main.scope_state {} ORDER BY {order} \
             LIMIT ? OFFSET ?) {} ORDER BY {order}",
            conditions.sql,
            select_scope_state!(
                "FROM scope_state LEFT JOIN job ON job.scope = scope_state.scope \
                 AND job.scope_id = scope_state.scope_id AND job.is_head = 1"
            )
        );
        Ok((self.rows(&sql, params_from_iter(conditions.paged(page)), Record::read)?, total))
    }

    /// Those scopes of which a table, `job` or `scope_state`, has rows and that `counts` answers of.
    pub fn scopes_in<E: From<Error>>(
        &self,
        table: &'static str,
        kind: Option<&str>,
        mut counts: impl FnMut(&JobScope) -> Result<bool, E>,
    ) -> Result<Vec<JobScope>, E> {
        let mut found = Vec::new();
        let sql =
            format!("SELECT DISTINCT scope, scope_id FROM {table} WHERE ?1 IS NULL OR scope = ?1");
        for scope in self.rows(&sql, [kind], |row| row.cell::<JobScope>(0, "job.scope"))? {
            if counts(&scope)? {
                found.push(scope);
            }
        }
        Ok(found)
    }

    fn matching(&self, table: &'static str, conditions: &Conditions) -> Result<u64> {
        let Conditions { sql, values } = conditions;
        self.count(&format!("SELECT count(*) FROM {table} {sql}"), params_from_iter(values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;
    use rusqlite::Connection;

    /// How SQLite goes about the ids of a page.
    fn plan(connection: &Connection, filter: &JobFilter<'_>, sort_by: JobOrder) -> String {
        let mut plans = Vec::new();
        for sort_order in SortOrder::ALL {
            let page = Page { sort_by, sort_order: *sort_order, limit: 50, offset: 100 };
            let conditions = Conditions::of(filter, Some(sort_by));
            let sql = format!("EXPLAIN QUERY PLAN {}", ids_sql(&conditions, &page));
            let mut statement = connection.prepare(&sql).expect("it is SQL");
            let details =
                statement.query_map(params_from_iter(conditions.paged(&page)), |row| row.get(3));
            let details: Vec<String> =
                details.expect("a plan").collect::<rusqlite::Result<_>>().expect("a plan");
            plans.push(details.join("; "));
        }
        assert_eq!(plans[0], plans[1], "both orders are read from the same index");
        plans.swap_remove(0)
    }

    #[test]
    fn pages_are_read_from_an_index_and_not_sorted() {
        use JobOrder::{AvailableAt, CreatedAt, UpdatedAt};
        let mut connection = Connection::open_in_memory().expect("a store");
        schema::migrate(&mut connection).expect("the schema");
        let scope = |kind, id| ScopeFilter { kind: Some(kind), id: Some(id), among: None };
        let all = JobFilter::default();
        let cases = [
            (all, CreatedAt, "SCAN job USING COVERING INDEX job_by_creation"),
            (all, UpdatedAt, "SCAN job USING COVERING INDEX job_by_update"),
            (all, AvailableAt, "SCAN job USING COVERING INDEX job_by_availability"),
            (
                JobFilter { status: Some(JobStatus::Pending), ..all },
                CreatedAt,
                "SEARCH job USING COVERING INDEX job_by_status (status=?)",
            ),
            (
                JobFilter { scope: scope("branch", "[\"s\",\"b\"]"), ..all },
                CreatedAt,
                "SEARCH job USING COVERING INDEX job_by_scope (scope=? AND scope_id=?)",
            ),
            (
                JobFilter { created_from: Some(1), created_to: Some(2), ..all },
                CreatedAt,
                "SEARCH job USING COVERING INDEX job_by_creation (created_at>? AND created_at<?)",
            ),
            (
                JobFilter { available_from: Some(1), ..all },
                AvailableAt,
                "SEARCH job USING COVERING INDEX job_by_availability (available_at>?)",
            ),
            (
                JobFilter { available_from: Some(1), available_to: Some(2), ..all },
                CreatedAt,
                "SCAN job USING INDEX job_by_creation",
            ),
            (
                JobFilter { created_to: Some(1), ..all },
                UpdatedAt,
                "SCAN job USING INDEX job_by_update",
            ),
            (
                JobFilter { job_type: Some(JobType::Embed), ..all },
                UpdatedAt,
                "SCAN job USING INDEX job_by_update",
            ),
        ];
        for (filter, sort_by, expected) in cases {
            assert_eq!(plan(&connection, &filter, sort_by), expected, "{filter:?} by {sort_by}");
        }
        // A turn has few jobs: they may be sorted.
        let of_turn = JobFilter { turn_id: Some("t"), ..all };
        let sorted = plan(&connection, &of_turn, CreatedAt);
        assert!(sorted.starts_with("SEARCH job USING INDEX job_by_turn (turn_id=?)"), "{sorted}");
    }
}
