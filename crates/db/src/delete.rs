//! Deleting memories for good, with all that belongs to them.

use super::column::{Cells, Record, record};
use super::{ReadTx, Result, WriteTx};
use robot_memory_core::model::{Level, MemType, Scope, Stamp, Status};
use rusqlite::params;
use std::ops::ControlFlow;

/// Why a row is withdrawn that another one stood for.
const REPLACEMENT_DELETED: &str = "the memory that replaced it was deleted";

/// What a deleted memory leaves to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeletedMemory {
    /// Whether it was active: its words are still in the indexes in memory.
    pub is_active: bool,
    /// Whether it was of an activity.
    pub is_event: bool,
    /// Its clip's file, or empty.
    pub clip: String,
}

record! {
    /// Where a row belongs, and who may see it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct RowPlace, select_place by "id" {
        pub level: Level = "level",
        pub collection: String = "collection",
        pub scope: Scope = "scope",
        pub mem_type: MemType = "mem_type",
    }
}

impl ReadTx<'_> {
    /// Where a row belongs, of any status; `None` when there is none of this id.
    pub fn row_place(&self, id: i64) -> Result<Option<RowPlace>> {
        self.row(select_place!("FROM memory WHERE id = ?1"), [id], Record::read)
    }

    /// Calls `f` with the id, scope and class of each row, of any status, of a level and collection
    /// that was created in `since..until`, in order of id, until it breaks.
    pub fn each_of_level(
        &self,
        level: Level,
        collection: &str,
        since: Option<Stamp>,
        until: Option<Stamp>,
        mut f: impl FnMut(i64, &str, MemType) -> ControlFlow<()>,
    ) -> Result<()> {
        let sql = "SELECT id, scope, mem_type FROM memory WHERE level = ?1 AND collection = ?2 \
                   AND created_at >= ?3 AND (?4 IS NULL OR created_at < ?4) ORDER BY id";
        let since = since.map_or(i64::MIN, |since| since.0);
        let until = until.map(|until| until.0);
        self.each_until(sql, params![level.as_str(), collection, since, until], |row| {
            Ok(f(row.get(0)?, row.str(1)?, row.cell(2, "mem_type")?))
        })
        .map(drop)
    }
}

impl WriteTx<'_> {
    /// Deletes a memory of any status with its perception, vector, words, signature, event, audit
    /// trail and the kept answers that name it. Rows that it stood for are withdrawn, so that they
    /// stay out of recall; its children have no parent any more. Its clip's file is the caller's to
    /// remove once that is committed. `None` when there is no such memory.
    pub fn delete_memory(&self, id: i64, at: Stamp) -> Result<Option<DeletedMemory>> {
        let Some(found) = self.deleted_memory(id)? else { return Ok(None) };
        if found.is_active {
            self.delete_words(id)?;
        }
        self.execute(
            "UPDATE memory SET status = 'invalidated', superseded_by = NULL, \
             superseded_rule = NULL, invalidated_reason = ?2, invalidated_at = ?3, \
             updated_at = ?3 WHERE superseded_by = ?1",
            params![id, REPLACEMENT_DELETED, at.0],
        )?;
        // These are the expressions of the indexes.
        for sql in [
            "DELETE FROM idempotency WHERE json_extract(response, '$.memory_id') = ?1",
            "DELETE FROM idempotency WHERE json_extract(response, '$.existing_id') = ?1",
            "DELETE FROM idempotency WHERE json_extract(response, '$.attempt_id') = ?1",
        ] {
            self.execute(sql, [id])?;
        }
        // The other tables' rows go with it, and parent_id of its children.
        self.execute("DELETE FROM memory WHERE id = ?1", [id])?;
        Ok(Some(found))
    }

    fn deleted_memory(&self, id: i64) -> Result<Option<DeletedMemory>> {
        let sql = "SELECT m.id, m.status, e.clip FROM memory m \
                   LEFT JOIN event e ON e.memory_id = m.id WHERE m.id = ?1";
        self.row(sql, [id], |row| {
            let status: Status = row.cell(1, "status")?;
            let clip: Option<String> = row.get(2)?;
            Ok(DeletedMemory {
                is_active: status == Status::Active,
                is_event: clip.is_some(),
                clip: clip.unwrap_or_default(),
            })
        })
    }

    /// Merges the word index into one piece, so that no words of deleted rows are left in it.
    pub fn compact_words(&self) -> Result<()> {
        self.connection
            .execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')", [])?;
        Ok(())
    }
}
