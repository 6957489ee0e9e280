//! The table `scope_state`: how far the jobs of each scope have come.

use super::job_scope;
use crate::{ReadTx, Result, WriteTx};
use robot_memory_core::model::{JobScope, ScopeState};
use rusqlite::{Row, params};

/// What [`scope_state`] reads, in this order; of `scope_state LEFT JOIN job` on the head of the scope.
macro_rules! scope_state_columns {
    () => {
        "scope_state.scope, scope_state.scope_id, scope_state.revision, \
         coalesce(job.lease_owner, ''), job.lease_until, scope_state.last_processed_turn_no, \
         scope_state.last_compaction_at, scope_state.updated_at"
    };
}
/// Where they are read from.
macro_rules! scope_state_tables {
    () => {
        "scope_state LEFT JOIN job ON job.scope = scope_state.scope \
         AND job.scope_id = scope_state.scope_id AND job.is_head = 1"
    };
}
pub(crate) use {scope_state_columns, scope_state_tables};

/// Reads a row of [`scope_state_columns`].
pub(crate) fn scope_state(row: &Row<'_>) -> Result<ScopeState> {
    Ok(ScopeState {
        scope: job_scope(row, 0, 1, 0)?,
        revision: row.get(2)?,
        lease_owner: row.get(3)?,
        lease_until: row.get(4)?,
        last_processed_turn_no: row.get(5)?,
        last_compaction_at: row.get(6)?,
        updated_at: row.get(7)?,
    })
}

impl ReadTx<'_> {
    /// How many jobs of a scope were done: its revision.
    pub fn scope_revision(&self, scope: &JobScope) -> Result<i64> {
        let found = self.value(
            "SELECT revision FROM scope_state WHERE scope = ?1 AND scope_id = ?2",
            params![scope.kind(), scope.id()],
        )?;
        Ok(found.unwrap_or(0))
    }
}

impl WriteTx<'_> {
    /// Notes that a scope has jobs; `now` in milliseconds of the machine's clock.
    pub(super) fn know_scope(&self, scope: &JobScope, now: i64) -> Result<()> {
        self.execute(
            "INSERT OR IGNORE INTO scope_state (scope, scope_id, revision, updated_at) \
             VALUES (?1, ?2, 0, ?3)",
            params![scope.kind(), scope.id(), now],
        )
    }

    /// Raises the revision of a scope; `now` in milliseconds of the machine's clock.
    pub fn raise_scope_revision(&self, scope: &JobScope, now: i64) -> Result<()> {
        self.execute(
            "INSERT INTO scope_state (scope, scope_id, revision, updated_at) \
             VALUES (?1, ?2, 1, ?3) ON CONFLICT (scope, scope_id) \
             DO UPDATE SET revision = revision + 1, updated_at = excluded.updated_at",
            params![scope.kind(), scope.id(), now],
        )
    }

    /// Notes that a turn of this number was taken in; the greatest counts.
    pub fn note_processed_turn(&self, scope: &JobScope, turn_no: u32, now: i64) -> Result<()> {
        self.execute(
            "INSERT INTO scope_state (scope, scope_id, revision, last_processed_turn_no, \
             updated_at) VALUES (?1, ?2, 0, ?3, ?4) ON CONFLICT (scope, scope_id) \
             DO UPDATE SET updated_at = excluded.updated_at, last_processed_turn_no = \
             max(coalesce(last_processed_turn_no, 0), excluded.last_processed_turn_no)",
            params![scope.kind(), scope.id(), turn_no, now],
        )
    }

    /// Notes that summaries of a scope were compacted; `now` in milliseconds of the machine's clock.
    pub fn note_compaction(&self, scope: &JobScope, now: i64) -> Result<()> {
        self.execute(
            "INSERT INTO scope_state (scope, scope_id, revision, last_compaction_at, \
             updated_at) VALUES (?1, ?2, 0, ?3, ?3) ON CONFLICT (scope, scope_id) \
             DO UPDATE SET last_compaction_at = excluded.last_compaction_at, \
             updated_at = excluded.updated_at",
            params![scope.kind(), scope.id(), now],
        )
    }
}
