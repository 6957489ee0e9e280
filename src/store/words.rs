//! The full-text index `memory_words`.

use super::{ReadTx, Result, WriteTx};
use rusqlite::params;

impl ReadTx<'_> {
    /// How often a token stands in the store, counted no further than `count_max`.
    pub fn token_count(&self, token: &str, count_max: u32) -> Result<u32> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM memory_words_instance WHERE term = ?1 LIMIT ?2)",
        )?;
        Ok(statement.query_row(params![token, count_max], |row| row.get(0))?)
    }

    /// Which rows have a token, in order of id, and how often.
    pub fn postings(&self, token: &str) -> Result<Vec<(i64, u32)>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT doc FROM memory_words_instance WHERE term = ?1")?;
        let mut rows = statement.query([token])?;
        let mut postings: Vec<(i64, u32)> = Vec::new();
        while let Some(row) = rows.next()? {
            let id = row.get(0)?;
            match postings.last_mut() {
                Some((last, count)) if *last == id => *count += 1,
                _ => postings.push((id, 1)),
            }
        }
        Ok(postings)
    }
}

impl WriteTx<'_> {
    /// Stores the tokens of an active row.
    pub fn insert_words(&self, id: i64, tokens: &[String]) -> Result<()> {
        self.connection
            .prepare_cached("INSERT INTO memory_words (rowid, tokens) VALUES (?1, ?2)")?
            .execute(params![id, tokens.join(" ")])?;
        Ok(())
    }

    /// Takes a row's tokens out.
    pub fn delete_words(&self, id: i64) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM memory_words WHERE rowid = ?1")?
            .execute([id])?;
        Ok(())
    }
}
