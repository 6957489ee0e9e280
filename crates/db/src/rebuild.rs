//! What is derived from rows and kept beside them in the store: whether it is as it should be, and
//! putting it right.

use super::column::record;
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use robot_memory_core::model::{JobScope, JobType, Scope};
use rusqlite::params;

record! {
    /// What the store keeps of an active row so that it is found.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Indexed, select_indexed {
        pub content: String = "content",
        pub context: String = "context",
        pub session_id: String = "coalesce(session_id, '')",
        pub tags: Vec<String> = "tags",
        pub word_count: u32 = "word_count",
        pub quantity_key: i64 = "quantity_key",
        pub has_words: bool = "EXISTS (SELECT 1 FROM memory_words w WHERE w.rowid = memory.id)",
    }
}

impl ReadTx<'_> {
    statements! {
        /// What the store keeps of an active row so that it is found.
        pub fn indexed(id: i64) -> row<Indexed> =
            select_indexed!("FROM memory WHERE id = ?1 AND status = 'active'");

        /// The greatest number of a step of a branch that was taken in.
        pub fn last_ingested_turn(session_id: &str, branch_id: &str) -> one<Option<u32>> =
            "SELECT max(turn_no) FROM turn \
             WHERE session_id = ?1 AND branch_id = ?2 AND ingested = 1";

        /// The long summaries of a scope whose coverage is not that of their sources.
        pub fn miscovered_macros(scope: &Scope) [scope.to_string()] -> values<i64> =
            "SELECT memory_id FROM (SELECT s.memory_id, s.first_turn_no, s.last_turn_no, \
             (SELECT min(of.first_turn_no) FROM summary of WHERE of.memory_id IN \
             (SELECT value FROM json_each(s.source_ids))) AS first, \
             (SELECT max(of.last_turn_no) FROM summary of WHERE of.memory_id IN \
             (SELECT value FROM json_each(s.source_ids))) AS last \
             FROM summary s WHERE s.scope = ?1 AND s.kind = 'macro') \
             WHERE first IS NOT NULL AND (first IS NOT first_turn_no OR last IS NOT last_turn_no) \
             ORDER BY memory_id";

        /// The steps of a branch of which no memories were taken and no job is going to, from the first
        /// after this number, at most `limit`.
        pub fn turns_left(session_id: &str, branch_id: &str, after: u32, limit: u32)
            [session_id, branch_id, after, JobType::IngestTurn.as_str(), limit] -> values<String> =
            "SELECT turn_id FROM turn WHERE session_id = ?1 AND branch_id = ?2 AND turn_no > ?3 \
             AND ingested = 0 AND NOT EXISTS (SELECT 1 FROM job WHERE job.turn_id = turn.turn_id \
             AND job.turn_id != '' AND job.job_type = ?4 AND job.finished_at IS NULL) \
             ORDER BY turn_no LIMIT ?5";
    }

    /// Whether a row is found by exactly these tokens, one after the other.
    pub fn has_words(&self, id: i64, tokens: &[String]) -> Result<bool> {
        let sql = "SELECT 1 FROM memory_words_docsize WHERE id = ?1 AND sz = ?2";
        if !self.exists(sql, params![id, varint(tokens.len())])? {
            return Ok(false);
        }
        if tokens.is_empty() {
            return Ok(true);
        }
        // A token holds no quotation mark.
        let phrase = format!("^ \"{}\"", tokens.join(" "));
        self.exists(
            "SELECT 1 FROM memory_words WHERE memory_words MATCH ?1 AND rowid = ?2",
            params![phrase, id],
        )
    }

    /// The steps that these short summaries cover, as far as they are there.
    pub fn covered_turns(&self, micro_ids: &[i64]) -> Result<(Option<u32>, Option<u32>)> {
        let sql = "SELECT min(first_turn_no), max(last_turn_no) FROM summary \
                   WHERE memory_id IN (SELECT value FROM json_each(?1))";
        let ids = serde_json::Value::from(micro_ids).to_string();
        let covered = self.row(sql, [ids], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(covered.unwrap_or_default())
    }
}

/// A number as FTS5 writes it: seven bits a byte, the highest first.
fn varint(number: usize) -> Vec<u8> {
    let mut bytes = vec![(number & 0x7f) as u8];
    let mut rest = number >> 7;
    while rest > 0 {
        bytes.insert(0, (rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    bytes
}

impl WriteTx<'_> {
    statements! {
        /// Writes the context of a summary; what it says of whether the robot is real stays.
        pub fn put_context(id: i64, context: &str) -> execute =
            "UPDATE memory SET context = ?2 WHERE id = ?1 AND type = 'summary'";

        /// Writes what a long summary was made of and covers.
        pub fn put_coverage(id: i64, source_ids: &[i64], first: Option<u32>, last: Option<u32>)
            [id, serde_json::Value::from(source_ids).to_string(), first, last] -> execute =
            "UPDATE summary SET source_ids = ?2, first_turn_no = ?3, last_turn_no = ?4 \
             WHERE memory_id = ?1";
    }

    /// Stores what a row is found by, in place of what was there.
    pub fn put_words(
        &self,
        id: i64,
        tokens: &[String],
        word_count: u32,
        quantity_key: i64,
    ) -> Result<()> {
        self.delete_words(id)?;
        self.insert_missing_words(id, tokens, word_count)?;
        self.execute(
            "UPDATE memory SET quantity_key = ?2 WHERE id = ?1 AND quantity_key <> ?2",
            params![id, quantity_key],
        )
    }

    /// Lets each short summary of a scope cover the step that it belongs to; answers how many did not.
    pub fn order_micros(&self, scope: &Scope) -> Result<usize> {
        let changed = self.change(
            "UPDATE summary SET first_turn_no = t.turn_no, last_turn_no = t.turn_no \
             FROM memory m JOIN turn t ON t.turn_id = m.turn_id \
             WHERE m.id = summary.memory_id AND summary.scope = ?1 AND summary.kind = 'micro' \
             AND (summary.first_turn_no IS NOT t.turn_no \
             OR summary.last_turn_no IS NOT t.turn_no)",
            [scope.to_string()],
        )?;
        Ok(changed)
    }

    /// Notes which step of a scope was the last that was taken in; answers whether that was not known.
    /// `now` in milliseconds of the machine's clock.
    pub fn put_processed_turn(
        &self,
        scope: &JobScope,
        turn_no: Option<u32>,
        now: i64,
    ) -> Result<bool> {
        let changed = self.change(
            "INSERT INTO scope_state (scope, scope_id, revision, last_processed_turn_no, \
             updated_at) VALUES (?1, ?2, 0, ?3, ?4) ON CONFLICT (scope, scope_id) DO UPDATE \
             SET last_processed_turn_no = excluded.last_processed_turn_no, \
             updated_at = excluded.updated_at \
             WHERE last_processed_turn_no IS NOT excluded.last_processed_turn_no",
            params![scope.kind(), scope.id(), turn_no, now],
        )?;
        Ok(changed > 0)
    }
}
