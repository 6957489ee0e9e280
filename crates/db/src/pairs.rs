//! The tables `memory_pair` and `memory_to_compare`: what was judged of two memories, and which are still
//! to be held against the others.

use super::column::Cells;
use super::{ReadTx, Result, WriteTx};
use crate::statement::{statements, whole};
use robot_memory_core::model::{JudgedBy, PairVerdict, Scope, Stamp};
use rusqlite::params;
use std::collections::BTreeSet;

/// What was judged of two memories; it does not matter which comes first.
#[derive(Debug, Clone, Copy)]
pub struct JudgedPair<'a> {
    pub ids: (i64, i64),
    pub verdict: PairVerdict,
    /// The rule that told them apart, or why none settles which holds; no text of a memory.
    pub reason: &'a str,
    pub judged_by: JudgedBy,
    pub judged_at: Stamp,
}

/// Two memories that cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictPair {
    /// The lower id first.
    pub ids: (i64, i64),
    /// Why no rule settles which holds.
    pub reason: String,
}

/// Two memories that cannot both hold, and what they say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpokenConflict {
    /// The lower id first.
    pub ids: (i64, i64),
    pub contents: (String, String),
    /// Why no rule settles which holds.
    pub reason: String,
}

/// What a memory says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    pub content: String,
    /// JSON or empty.
    pub context: String,
}

impl ReadTx<'_> {
    statements! {
        /// The memories that a memory is in conflict with, in order of id.
        pub fn conflicts_of(id: i64) -> values<i64> =
            "SELECT other_id AS id FROM memory_pair WHERE memory_id = ?1 AND verdict = 'conflict' \
             UNION ALL \
             SELECT memory_id FROM memory_pair WHERE other_id = ?1 AND verdict = 'conflict' \
             ORDER BY id";

        /// The active memories of a scope with a mark up to this one, in order of id.
        pub fn marked(scope: &Scope, mark_no: i64) [scope.to_string(), mark_no] -> values<i64> =
            "SELECT c.memory_id FROM memory_to_compare c JOIN memory m ON m.id = c.memory_id \
             WHERE c.mark_no <= ?2 AND m.scope = ?1 AND m.status = 'active' ORDER BY c.memory_id";

        /// Up to which memory those of a scope were held against each other; 0 when none was.
        pub fn compared_upto(scope: &Scope) [scope.to_string()] -> or_default<i64> =
            "SELECT compared_upto FROM maintenance_state WHERE scope = ?1";

        /// The bounds of the comparison that has begun in a scope: the last memory, and the last mark.
        pub fn comparing(scope: &Scope) [scope.to_string()] -> row_or_default<(i64, i64)> =
            "SELECT comparing_upto, comparing_mark_no FROM maintenance_state WHERE scope = ?1";
    }

    /// What was judged of two memories; `None` when nothing was since one of them changed.
    pub fn pair_verdict(&self, a: i64, b: i64) -> Result<Option<PairVerdict>> {
        let sql =
            "SELECT memory_id, verdict FROM memory_pair WHERE memory_id = ?1 AND other_id = ?2";
        let (id, other) = (a.min(b), a.max(b));
        self.row(sql, [id, other], |row| row.cell(1, "memory_pair.verdict"))
    }

    /// Conflicts between active memories, at most `limit`, those of the newest memories first.
    pub fn newest_conflicts(&self, limit: u32) -> Result<Vec<SpokenConflict>> {
        self.rows(
            "SELECT p.memory_id, p.other_id, a.content, b.content, p.reason FROM memory_pair p \
             JOIN memory a ON a.id = p.memory_id JOIN memory b ON b.id = p.other_id \
             WHERE p.verdict = 'conflict' AND a.status = 'active' AND b.status = 'active' \
             ORDER BY p.other_id DESC, p.memory_id DESC LIMIT ?1",
            [limit],
            |row| {
                Ok(SpokenConflict {
                    ids: (row.get(0)?, row.get(1)?),
                    contents: (row.get(2)?, row.get(3)?),
                    reason: row.get(4)?,
                })
            },
        )
    }

    /// The conflicts between the active memories of a scope, in order of ids.
    pub fn conflict_pairs(&self, scope: &Scope) -> Result<Vec<ConflictPair>> {
        self.rows(
            "SELECT p.memory_id, p.other_id, p.reason FROM memory_pair p \
             JOIN memory m ON m.id = p.memory_id \
             WHERE p.verdict = 'conflict' AND m.scope = ?1 ORDER BY p.memory_id, p.other_id",
            [scope.to_string()],
            |row| Ok(ConflictPair { ids: (row.get(0)?, row.get(1)?), reason: row.get(2)? }),
        )
    }

    /// The scopes that have active memories with a mark.
    pub fn marked_scopes(&self) -> Result<BTreeSet<String>> {
        let scopes = self.values(
            "SELECT DISTINCT m.scope FROM memory_to_compare c JOIN memory m ON m.id = c.memory_id \
             WHERE m.status = 'active'",
            [],
        )?;
        Ok(scopes.into_iter().collect())
    }

    /// What the memories said that one has come to stand for by consolidation, directly or through
    /// another, at most `limit` of them, in order of id.
    pub fn consolidated_into(&self, id: i64, limit: usize) -> Result<Vec<Saying>> {
        let limit = whole(limit);
        self.rows(
            "WITH RECURSIVE merged (id) AS ( SELECT id FROM memory WHERE superseded_by = ?1 \
             AND status = 'superseded' AND coalesce(superseded_rule, 'consolidation') = \
             'consolidation' UNION SELECT m.id FROM memory m \
             JOIN merged ON m.superseded_by = merged.id WHERE m.status = 'superseded' \
             AND coalesce(m.superseded_rule, 'consolidation') = 'consolidation') \
             SELECT content, context FROM memory WHERE id IN (SELECT id FROM merged) ORDER BY id \
             LIMIT ?2",
            params![id, limit],
            |row| Ok(Saying { content: row.get(0)?, context: row.get(1)? }),
        )
    }
}

impl WriteTx<'_> {
    /// Keeps what was judged of two memories, in the place of what was before.
    pub fn put_pair(&self, pair: &JudgedPair<'_>) -> Result<()> {
        let (a, b) = pair.ids;
        self.execute(
            "INSERT INTO memory_pair (memory_id, other_id, verdict, reason, judged_by, judged_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO UPDATE SET verdict = ?3, \
             reason = ?4, judged_by = ?5, judged_at = ?6",
            params![
                a.min(b),
                a.max(b),
                pair.verdict.as_str(),
                pair.reason,
                pair.judged_by.as_str(),
                pair.judged_at.0,
            ],
        )
    }

    /// Begins to hold memories of a scope against each other: those up to this one, and those that have
    /// changed by now.
    pub fn begin_comparing(&self, scope: &Scope, upto: i64) -> Result<()> {
        self.execute(
            "INSERT INTO maintenance_state (scope, comparing_upto, comparing_mark_no) \
             VALUES (?1, ?2, (SELECT coalesce(max(mark_no), 0) FROM memory_to_compare)) \
             ON CONFLICT DO UPDATE SET comparing_upto = excluded.comparing_upto, \
             comparing_mark_no = excluded.comparing_mark_no",
            params![scope.to_string(), upto],
        )
    }

    /// Notes that all that was begun to be compared in a scope is.
    pub fn end_comparing(&self, scope: &str) -> Result<()> {
        self.execute(
            "DELETE FROM memory_to_compare WHERE memory_id IN \
             (SELECT c.memory_id FROM memory_to_compare c JOIN memory m ON m.id = c.memory_id \
             JOIN maintenance_state s ON s.scope = m.scope \
             WHERE s.scope = ?1 AND c.mark_no <= s.comparing_mark_no)",
            [scope],
        )?;
        self.execute(
            "UPDATE maintenance_state SET compared_upto = max(compared_upto, comparing_upto) \
             WHERE scope = ?1",
            [scope],
        )
    }
}
