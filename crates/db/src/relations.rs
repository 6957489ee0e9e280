//! Which memories stand for which, and which belong to which.

use super::belief::Believed;
use super::column::{Cells, record};
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use robot_memory_core::model::{MemType, Scope, Stamp, Status, SupersededRule};
use rusqlite::params;

record! {
    /// A row that is related to another, and who may see it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Relative, select_relative {
        pub id: i64 = "m.id",
        pub scope: Scope = "m.scope",
        pub mem_type: MemType = "m.mem_type",
    }
}

#[expect(clippy::single_component_path_imports, reason = "another macro makes it")]
pub(super) use select_relative;

impl ReadTx<'_> {
    statements! {
        /// The rows that a row stands for, in order of id.
        pub fn superseded_by_it(id: i64) -> rows<Relative> =
            select_relative!("FROM memory m WHERE m.superseded_by = ?1 ORDER BY m.id");

        /// The active rows that belong to it, in order of id.
        pub fn active_children(id: i64) -> rows<Relative> =
            select_relative!(
                "FROM memory m WHERE m.parent_id = ?1 AND m.status = 'active' ORDER BY m.id"
            );
    }

    /// By which rule another row stands for this one; `None` when none does. Rows that were
    /// superseded before rules were kept were consolidated.
    pub fn superseded_rule(&self, id: i64) -> Result<Option<SupersededRule>> {
        let sql = "SELECT id, status, superseded_rule FROM memory WHERE id = ?1";
        let rule = self.row(sql, [id], |row| {
            if row.cell::<Status>(1, "status")? != Status::Superseded {
                return Ok(None);
            }
            let rule: Option<SupersededRule> = row.cell(2, "superseded_rule")?;
            Ok(Some(rule.unwrap_or(SupersededRule::Consolidation)))
        })?;
        Ok(rule.flatten())
    }
}

impl WriteTx<'_> {
    statements! {
        /// Lets the children of a row belong to the one that stands for it from now on, when that is
        /// of the same level.
        pub(super) fn move_children(from: i64, to: i64) -> execute =
            "UPDATE memory SET parent_id = ?2 WHERE parent_id = ?1 AND id <> ?2 \
             AND (SELECT level FROM memory WHERE id = ?1) \
             = (SELECT level FROM memory WHERE id = ?2)";

        /// Lets a working row be knowledge; what was its parent is its sibling then, so it belongs to
        /// that one's parent.
        pub fn promote(id: i64) -> execute =
            "UPDATE memory SET level = 'knowledge', parent_id = \
             (SELECT above.parent_id FROM memory above WHERE above.id = memory.parent_id) \
             WHERE id = ?1 AND level = 'working'";
    }

    /// Puts a row away: it stays in the store, out of every search.
    pub fn archive(&self, id: i64, at: Stamp) -> Result<()> {
        self.settle_belief(id)?;
        self.execute(
            "UPDATE memory SET status = 'archived', updated_at = ?2 \
             WHERE id = ?1 AND status = 'active'",
            params![id, at.0],
        )
    }

    /// Takes an archived row back. Its age counts from then, and its belief fades from then on, as well
    /// as from the last time that its collection faded.
    pub fn restore(&self, id: i64, at: Stamp) -> Result<()> {
        let Some(Believed { written, .. }) = self.believed(id)? else { return Ok(()) };
        let collection_until = self.value(
            "SELECT f.faded_until FROM collection_fading f JOIN memory m \
             ON m.collection = f.collection WHERE m.id = ?1 AND f.last_id >= ?1",
            [id],
        )?;
        // As if it had been said so much later as it was archived: the days before it count, and no others.
        let counted_nanos = written.counted_until.0.saturating_sub(written.fades_from.0).max(0);
        let until = collection_until.map_or(at.0, |until: i64| until.max(at.0));
        self.execute(
            "UPDATE memory SET status = 'active', updated_at = ?2, restored_at = ?2, \
             said_at = ?3, decayed_until = ?4 WHERE id = ?1 AND status = 'archived'",
            params![id, at.0, until.saturating_sub(counted_nanos), until],
        )
    }
}
