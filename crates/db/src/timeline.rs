//! Begins and ends of sessions in order of time.

use super::column::record;
use super::{ReadTx, Result};
use crate::statement::{statements, whole};
use robot_memory_core::model::{SessionStatus, Stamp};
use rusqlite::params;

record! {
    /// What a timeline shows of a session.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SessionSpan, select_span {
        pub session_id: String = "session.session_id",
        pub status: SessionStatus = "session.status",
        /// Still open, and begun by an earlier run.
        pub interrupted: bool = "session.status = 'open' AND session.run < \
                                 (SELECT run FROM store_state WHERE id = 1)",
        /// JSON object, or empty.
        pub context: String = "session.context",
        pub outcome_score: Option<f64> = "session.outcome_score",
        pub started_at: Stamp = "session.started_at",
        pub ended_at: Option<Stamp> = "session.ended_at",
    }
}

/// Begins, or ends, of sessions.
#[derive(Debug, Clone, Copy)]
pub struct SessionTimes<'a> {
    /// Whether they are ends.
    pub are_ends: bool,
    /// Of sessions of these collections; `None`: of all.
    pub collections: Option<&'a [String]>,
    /// Of this session; `None`: of all.
    pub session_id: Option<&'a str>,
    /// Of sessions that this agent began; `None`: of all.
    pub agent: Option<&'a str>,
    /// Not before.
    pub first: Stamp,
    /// Not after.
    pub last: Stamp,
}

/// Selects of the times in a column, which has an index.
macro_rules! times {
    ($select:literal, $column:literal $(, $rest:literal)*) => {
        concat!(
            "SELECT ", $select, " FROM session WHERE ", $column, " >= ?1 AND ", $column,
            " <= ?2 AND (?3 IS NULL OR collection IN (SELECT value FROM json_each(?3))) \
             AND (?4 IS NULL OR session_id = ?4) AND (?5 IS NULL OR agent = ?5)" $(, $rest)*
        )
    };
}

/// They in an order; of the same time as the bound only those beyond an id.
macro_rules! in_order {
    ($column:literal, $beyond:literal, $bound:literal, $direction:literal) => {
        times!(
            "started_at, ended_at, session_id",
            $column,
            " AND (?6 IS NULL OR (",
            $column,
            ", session_id) ",
            $beyond,
            " (",
            $bound,
            ", ?6)) ORDER BY ",
            $column,
            $direction,
            ", session_id",
            $direction,
            " LIMIT ?7"
        )
    };
}

/// The first of them.
macro_rules! oldest {
    ($column:literal) => {
        in_order!($column, ">", "?1", "")
    };
}

/// The last of them.
macro_rules! newest {
    ($column:literal) => {
        in_order!($column, "<", "?2", " DESC")
    };
}

impl ReadTx<'_> {
    statements! {
        /// What a timeline shows of the session of this id.
        pub fn session_span(session_id: &str) -> row<SessionSpan> =
            select_span!("FROM session WHERE session.session_id = ?1");
    }

    /// How many there are.
    pub fn count_session_times(&self, of: &SessionTimes<'_>) -> Result<u64> {
        let sql = match of.are_ends {
            false => times!("count(*)", "started_at"),
            true => times!("count(*)", "ended_at"),
        };
        let SessionTimes { are_ends: _, session_id, agent, first, last, .. } = *of;
        self.count(sql, params![first.0, last.0, of.collections_json(), session_id, agent])
    }

    /// The first `limit` of them in order of time and id, or with `are_newest` the last in the opposite order,
    /// with their ids. Those at the bound where that order begins are left out up to the id `beyond`.
    pub fn session_times(
        &self,
        of: &SessionTimes<'_>,
        are_newest: bool,
        beyond: Option<&str>,
        limit: usize,
    ) -> Result<Vec<(Stamp, String)>> {
        let sql = match (of.are_ends, are_newest) {
            (false, false) => oldest!("started_at"),
            (false, true) => newest!("started_at"),
            (true, false) => oldest!("ended_at"),
            (true, true) => newest!("ended_at"),
        };
        let SessionTimes { are_ends, session_id, agent, first, last, .. } = *of;
        let collections = of.collections_json();
        let params = params![first.0, last.0, collections, session_id, agent, beyond, whole(limit)];
        self.rows(sql, params, |row| Ok((Stamp(row.get(usize::from(are_ends))?), row.get(2)?)))
    }
}

impl SessionTimes<'_> {
    fn collections_json(&self) -> Option<String> {
        self.collections.map(|some| serde_json::Value::from(some).to_string())
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::{read, store};

    /// What a million sessions would be too many for.
    #[test]
    fn times_are_read_by_their_index() {
        let (_folder, store) = store();
        for (column, index) in [("started_at", "session_by_start"), ("ended_at", "session_by_end")]
        {
            let statements = match column {
                "started_at" => {
                    [oldest!("started_at"), newest!("started_at"), times!("count(*)", "started_at")]
                }
                _ => [oldest!("ended_at"), newest!("ended_at"), times!("count(*)", "ended_at")],
            };
            for statement in statements {
                let plan: Vec<String> = read(&store, |tx| {
                    let mut lines = Vec::new();
                    let sql = format!("EXPLAIN QUERY PLAN {statement}");
                    let mut prepared = tx.connection.prepare(&sql)?;
                    let mut rows = prepared.raw_query();
                    while let Some(row) = rows.next()? {
                        lines.push(row.get(3)?);
                    }
                    Ok(lines)
                });
                let plan = plan.join("; ");
                assert!(plan.contains(&format!("SEARCH session USING INDEX {index}")), "{plan}");
                assert!(!plan.contains("TEMP B-TREE"), "{plan}");
            }
        }
    }
}
