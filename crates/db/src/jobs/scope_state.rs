//! The table `scope_state`: how far the jobs of each scope have come.

use crate::column::reader;
use crate::statement::statements;
use crate::{ReadTx, Result, WriteTx};
use robot_memory_core::model::{JobScope, ScopeState};
use rusqlite::params;

// Of `scope_state LEFT JOIN job` on the head of the scope.
reader!(ScopeState, select_scope_state {
    scope = "scope_state.scope, scope_state.scope_id",
    revision = "scope_state.revision",
    lease_owner = "coalesce(job.lease_owner, '')",
    lease_until = "job.lease_until",
    last_processed_turn_no = "scope_state.last_processed_turn_no",
    last_compaction_at = "scope_state.last_compaction_at",
    updated_at = "scope_state.updated_at",
});
#[expect(clippy::single_component_path_imports, reason = "another macro makes it")]
pub(crate) use select_scope_state;

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
    statements! {
        /// Notes that a scope has jobs; `now` in milliseconds of the machine's clock.
        pub(super) fn know_scope(scope: &JobScope, now: i64)
            [scope.kind(), scope.id(), now] -> execute =
            "INSERT OR IGNORE INTO scope_state (scope, scope_id, revision, updated_at) \
             VALUES (?1, ?2, 0, ?3)";

        /// Raises the revision of a scope; `now` in milliseconds of the machine's clock.
        pub fn raise_scope_revision(scope: &JobScope, now: i64)
            [scope.kind(), scope.id(), now] -> execute =
            "INSERT INTO scope_state (scope, scope_id, revision, updated_at) \
             VALUES (?1, ?2, 1, ?3) ON CONFLICT (scope, scope_id) \
             DO UPDATE SET revision = revision + 1, updated_at = excluded.updated_at";

        /// Notes that a turn of this number was taken in; the greatest counts.
        pub fn note_processed_turn(scope: &JobScope, turn_no: u32, now: i64)
            [scope.kind(), scope.id(), turn_no, now] -> execute =
            "INSERT INTO scope_state (scope, scope_id, revision, last_processed_turn_no, \
             updated_at) VALUES (?1, ?2, 0, ?3, ?4) ON CONFLICT (scope, scope_id) \
             DO UPDATE SET updated_at = excluded.updated_at, last_processed_turn_no = \
             max(coalesce(last_processed_turn_no, 0), excluded.last_processed_turn_no)";

        /// Notes that summaries of a scope were compacted; `now` in milliseconds of the machine's clock.
        pub fn note_compaction(scope: &JobScope, now: i64)
            [scope.kind(), scope.id(), now] -> execute =
            "INSERT INTO scope_state (scope, scope_id, revision, last_compaction_at, \
             updated_at) VALUES (?1, ?2, 0, ?3, ?3) ON CONFLICT (scope, scope_id) \
             DO UPDATE SET last_compaction_at = excluded.last_compaction_at, \
             updated_at = excluded.updated_at";
    }
}
