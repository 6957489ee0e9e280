//! The full-text index `memory_words`, and which tokenizer made it.

use super::column::{Cells, record};
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use rusqlite::params;
use std::ops::ControlFlow;

record! {
    /// What the words of a row are made of.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Worded, select_worded {
        pub id: i64 = "id",
        pub is_fact: bool = "type = 'fact'",
        pub content: String = "content",
        pub context: String = "context",
        /// Empty when it is of none.
        pub session_id: String = "coalesce(session_id, '')",
        pub tags: Vec<String> = "tags",
    }
}

impl ReadTx<'_> {
    statements! {
        /// The version of the tokenizer that made the words of all rows. Not greater than 0 when there
        /// is none: minus a version while that one's words have been [begun](WriteTx::clear_words).
        pub fn tokens_version() -> one<i64> = "SELECT tokens_version FROM store_state WHERE id = 1";

        /// How often a token stands in the store, counted no further than `count_max`.
        pub fn token_count(token: &str, count_max: u32) -> one<u32> =
            "SELECT count(*) FROM (SELECT 1 FROM memory_words_instance WHERE term = ?1 LIMIT ?2)";

        /// Active rows without words and with a greater id than `after`, at most `limit`, in order of
        /// id.
        pub fn missing_words(after: i64, limit: u32) -> rows<Worded> = select_worded!(
            "FROM memory WHERE id > ?1 AND status = 'active' AND NOT EXISTS \
             (SELECT 1 FROM memory_words w WHERE w.rowid = memory.id) ORDER BY id LIMIT ?2"
        );

        /// What the words of a row are made of.
        pub fn worded(id: i64) -> row<Worded> = select_worded!("FROM memory WHERE id = ?1");
    }

    /// Which rows have a token, in order of id, and how often.
    pub fn postings(&self, token: &str) -> Result<Vec<(i64, u32)>> {
        let sql = "SELECT doc FROM memory_words_instance WHERE term = ?1";
        let mut postings: Vec<(i64, u32)> = Vec::new();
        self.each(sql, [token], |row| {
            let id = row.get(0)?;
            match postings.last_mut() {
                Some((last, count)) if *last == id => *count += 1,
                _ => postings.push((id, 1)),
            }
            Ok(())
        })?;
        Ok(postings)
    }

    /// Calls `f` with each token, each row that has it and how often, in order of the token's bytes
    /// and then of id, until it breaks; answers what it broke with.
    pub fn each_posting<B>(
        &self,
        mut f: impl FnMut(&str, i64, u32) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>> {
        // The table gives one row an occurrence, in this order by itself; asked for, it would sort.
        let sql = "SELECT term, doc FROM memory_words_instance";
        let mut token = String::new();
        let (mut id, mut frequency) = (0, 0_u32);
        let flow = self.each_until(sql, [], |row| {
            let found = row.str(0)?;
            let found_id = row.get(1)?;
            if found_id == id && found == token {
                frequency += 1;
                return Ok(ControlFlow::Continue(()));
            }
            if frequency > 0 {
                let flow = f(&token, id, frequency);
                if flow.is_break() {
                    return Ok(flow);
                }
            }
            if found != token {
                found.clone_into(&mut token);
            }
            (id, frequency) = (found_id, 1);
            Ok(ControlFlow::Continue(()))
        })?;
        if flow.is_break() {
            return Ok(flow);
        }
        Ok(if frequency > 0 { f(&token, id, frequency) } else { ControlFlow::Continue(()) })
    }
}

impl WriteTx<'_> {
    statements! {
        /// Stores the tokens of an active row.
        pub fn insert_words(id: i64, tokens: &[String]) [id, tokens.join(" ")] -> execute =
            "INSERT INTO memory_words (rowid, tokens) VALUES (?1, ?2)";

        /// Takes a row's tokens out.
        pub fn delete_words(id: i64) -> execute = "DELETE FROM memory_words WHERE rowid = ?1";

        fn set_tokens_version(version: i64) -> execute =
            "UPDATE store_state SET tokens_version = ?1 WHERE id = 1";
    }

    /// Stores the tokens of an active row that has none, and with the row how many words its text has.
    pub fn insert_missing_words(&self, id: i64, tokens: &[String], word_count: u32) -> Result<()> {
        self.insert_words(id, tokens)?;
        self.execute(
            "UPDATE memory SET word_count = ?2 WHERE id = ?1 AND word_count <> ?2",
            params![id, word_count],
        )
    }

    /// Takes the tokens of all rows out, to be made by the tokenizer of this version: those of the
    /// [missing](ReadTx::missing_words) rows are then [inserted](Self::insert_missing_words), in as
    /// many transactions as it takes, and the work [ended](Self::finish_words). A process that dies
    /// in between finds the version negative, and goes on where it was.
    pub fn clear_words(&self, version: i64) -> Result<()> {
        self.connection
            .execute("INSERT INTO memory_words (memory_words) VALUES ('delete-all')", [])?;
        self.set_tokens_version(-version)
    }

    /// Notes that all rows have the words of this version's tokenizer.
    pub fn finish_words(&self, version: i64) -> Result<()> {
        self.set_tokens_version(version)
    }
}
