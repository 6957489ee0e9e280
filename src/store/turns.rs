//! The tables `turn` and `turn_memory`: finished steps, and which memory was said where in them.

use super::{ReadTx, Relative, Result, WriteTx};
use crate::model::{JobScope, JobType, Stamp, Turn, TurnSource};
use rusqlite::{OptionalExtension, Row, params};

/// A step that was handed over before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenTurn {
    pub turn_id: String,
    /// Of what was given, whatever became of it since.
    pub given_hash: Vec<u8>,
}

/// Where in a step a memory was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidIn<'a> {
    /// In a sentence of its text: which one, from 1, and its bytes.
    Sentence { number: u32, start: usize, end: usize },
    /// In a field of its data: a JSON pointer.
    Field(&'a str),
    /// In no one place: it sums the step up.
    Whole,
}

impl ReadTx<'_> {
    /// The step of this name, and whether memories were taken out of it.
    pub fn turn(&self, turn_id: &str) -> Result<Option<(Turn, bool)>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT turn_id, session_id, branch_id, turn_no, collection, agent, text, data, \
             committed_at, ingested FROM turn WHERE turn_id = ?1",
        )?;
        let found = statement.query_row([turn_id], |row| Ok((turn(row)?, row.get(9)?)));
        Ok(found.optional()?)
    }

    /// What was handed over as this step of a branch.
    pub fn given_turn(
        &self,
        session_id: &str,
        branch_id: &str,
        turn_no: u32,
    ) -> Result<Option<GivenTurn>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT turn_id, given_hash FROM turn \
             WHERE session_id = ?1 AND branch_id = ?2 AND turn_no = ?3",
        )?;
        let found = statement.query_row(params![session_id, branch_id, turn_no], |row| {
            Ok(GivenTurn { turn_id: row.get(0)?, given_hash: row.get(1)? })
        });
        Ok(found.optional()?)
    }

    /// The last job that was queued to take memories out of a step, as far as it is remembered.
    pub fn turn_job(&self, turn_id: &str) -> Result<Option<i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT max(id) FROM job WHERE turn_id = ?1 AND turn_id != '' AND job_type = ?2",
        )?;
        let job_type = JobType::IngestTurn.as_str();
        Ok(statement.query_row([turn_id, job_type], |row| row.get(0))?)
    }

    /// The greatest number of the steps of a branch in which a memory was said.
    pub fn last_said(
        &self,
        memory_id: i64,
        session_id: &str,
        branch_id: &str,
    ) -> Result<Option<u32>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT max(t.turn_no) FROM turn_memory s JOIN turn t ON t.turn_id = s.turn_id \
             WHERE s.memory_id = ?1 AND t.session_id = ?2 AND t.branch_id = ?3",
        )?;
        let row = params![memory_id, session_id, branch_id];
        Ok(statement.query_row(row, |row| row.get(0))?)
    }

    /// Where a memory was said, in the order in which the steps were taken in.
    pub fn turn_sources(&self, memory_id: i64) -> Result<Vec<TurnSource>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT t.turn_id, t.session_id, t.branch_id, t.turn_no, t.text, s.sentence_number, \
             s.sentence_start, s.sentence_end, s.pointer \
             FROM turn_memory s JOIN turn t ON t.turn_id = s.turn_id \
             WHERE s.memory_id = ?1 ORDER BY s.id",
        )?;
        let mut rows = statement.query([memory_id])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let text = row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?;
            let sentence_number: u32 = row.get(5)?;
            let (start, end): (usize, usize) = (row.get(6)?, row.get(7)?);
            let words = text.get(start..end).filter(|_| sentence_number > 0);
            found.push(TurnSource {
                turn_id: row.get(0)?,
                session_id: row.get(1)?,
                branch_id: row.get(2)?,
                turn_no: row.get(3)?,
                sentence_number,
                pointer: row.get(8)?,
                sentence: words.unwrap_or_default().trim().to_owned(),
            });
        }
        Ok(found)
    }

    /// The memories that were said in a sentence of a step, in order of id.
    pub fn said_in_sentence(&self, turn_id: &str, number: u32) -> Result<Vec<Relative>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT m.id, m.scope, m.mem_type FROM turn_memory s JOIN memory m ON m.id = s.memory_id \
             WHERE s.turn_id = ?1 AND s.sentence_number = ?2 GROUP BY m.id ORDER BY m.id",
        )?;
        let mut rows = statement.query(params![turn_id, number])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(Relative::read(row)?);
        }
        Ok(found)
    }

    /// The steps in which a memory was said.
    pub fn turns_of_memory(&self, memory_id: i64) -> Result<Vec<String>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT turn_id FROM turn_memory WHERE memory_id = ?1 ORDER BY turn_id",
        )?;
        let ids = statement.query_map([memory_id], |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }

    /// The short summaries of a step, of any status, in order of id.
    pub fn turn_summaries(&self, turn_id: &str) -> Result<Vec<i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT s.memory_id FROM turn_memory s JOIN summary u ON u.memory_id = s.memory_id \
             WHERE s.turn_id = ?1 AND u.kind = 'micro' ORDER BY s.memory_id",
        )?;
        let ids = statement.query_map([turn_id], |row| row.get(0))?;
        Ok(ids.collect::<rusqlite::Result<_>>()?)
    }
}

impl WriteTx<'_> {
    /// Stores a step of a branch that is there.
    pub fn insert_turn(&self, turn: &Turn, given_hash: &[u8; 32]) -> Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO turn (turn_id, session_id, branch_id, turn_no, collection, agent, text, \
                 data, given_hash, committed_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                turn.turn_id,
                turn.session_id,
                turn.branch_id,
                turn.turn_no,
                turn.collection,
                turn.agent,
                turn.text,
                turn.data,
                given_hash,
                turn.committed_at.0,
            ])?;
        Ok(())
    }

    /// Notes that a memory was said in a step.
    pub fn insert_turn_memory(&self, turn_id: &str, memory_id: i64, at: SaidIn<'_>) -> Result<()> {
        let (number, start, end, pointer) = match at {
            SaidIn::Sentence { number, start, end } => (number, start, end, ""),
            SaidIn::Field(pointer) => (0, 0, 0, pointer),
            SaidIn::Whole => (0, 0, 0, ""),
        };
        self.connection
            .prepare_cached(
                "INSERT INTO turn_memory (turn_id, memory_id, sentence_number, sentence_start, \
                 sentence_end, pointer) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![turn_id, memory_id, number, start, end, pointer])?;
        Ok(())
    }

    /// Notes that memories were taken out of a step, and in its scope that this one is done; at
    /// `at_millis` of the machine's clock.
    pub fn set_ingested(&self, turn: &Turn, scope: &JobScope, at_millis: i64) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE turn SET ingested = 1 WHERE turn_id = ?1")?
            .execute([&turn.turn_id])?;
        self.connection
            .prepare_cached(
                "INSERT INTO scope_state (scope, scope_id, revision, last_processed_turn_no, \
                 updated_at) VALUES (?1, ?2, 0, ?3, ?4) \
                 ON CONFLICT (scope, scope_id) DO UPDATE SET updated_at = ?4, \
                 last_processed_turn_no = max(coalesce(last_processed_turn_no, 0), ?3)",
            )?
            .execute(params![scope.kind(), scope.id(), turn.turn_no, at_millis])?;
        Ok(())
    }

    /// Blanks the sentences in which a memory was said, so that the others stay where they are, and
    /// drops the data of a step in whose data it was said. Of a step that it sums up nothing is left.
    pub fn blank_sources(&self, memory_id: i64) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT turn_id, sentence_number, sentence_start, sentence_end, pointer \
             FROM turn_memory WHERE memory_id = ?1 ORDER BY id",
        )?;
        let mut rows = statement.query([memory_id])?;
        while let Some(row) = rows.next()? {
            let turn_id: String = row.get(0)?;
            let (number, start, end): (u32, usize, usize) = (row.get(1)?, row.get(2)?, row.get(3)?);
            let pointer: String = row.get(4)?;
            match (number, pointer.is_empty()) {
                (0, true) => self.blank_turn(&turn_id)?,
                (0, false) => self.drop_turn_data(&turn_id)?,
                _ => self.blank_sentence(&turn_id, start, end)?,
            }
        }
        Ok(())
    }

    /// Blanks a step of which nothing is remembered any more.
    pub fn blank_forgotten_turn(&self, turn_id: &str) -> Result<()> {
        let is_remembered: bool = self
            .connection
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM turn_memory WHERE turn_id = ?1)")?
            .query_row([turn_id], |row| row.get(0))?;
        if is_remembered { Ok(()) } else { self.blank_turn(turn_id) }
    }

    fn blank_turn(&self, turn_id: &str) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE turn SET text = '', data = '' WHERE turn_id = ?1")?
            .execute([turn_id])?;
        Ok(())
    }

    fn drop_turn_data(&self, turn_id: &str) -> Result<()> {
        self.connection
            .prepare_cached("UPDATE turn SET data = '' WHERE turn_id = ?1")?
            .execute([turn_id])?;
        Ok(())
    }

    fn blank_sentence(&self, turn_id: &str, start: usize, end: usize) -> Result<()> {
        let text: Option<String> = self
            .connection
            .prepare_cached("SELECT text FROM turn WHERE turn_id = ?1")?
            .query_row([turn_id], |row| row.get(0))
            .optional()?;
        let Some(mut text) = text else { return Ok(()) };
        if text.get(start..end).is_some() {
            text.replace_range(start..end, &" ".repeat(end - start));
        } else if !text.is_empty() {
            // A span that does not fit must not keep what is to go.
            text.clear();
        }
        self.connection
            .prepare_cached("UPDATE turn SET text = ?2 WHERE turn_id = ?1")?
            .execute([turn_id, &text])?;
        Ok(())
    }

    /// Lets a summary say something else, whatever its status. Its words and vector are the caller's to
    /// change.
    pub fn rewrite_summary(&self, id: i64, said: &RewrittenSummary<'_>, at: Stamp) -> Result<()> {
        let list = |list: &[String]| match list {
            [] => String::new(),
            list => serde_json::Value::from(list).to_string(),
        };
        self.connection
            .prepare_cached(
                "UPDATE memory SET content = ?2, content_hash = ?3, word_count = ?4, \
                 scope_files = ?5, scope_entities = ?6, updated_at = ?7 \
                 WHERE id = ?1 AND type = 'summary'",
            )?
            .execute(params![
                id,
                said.content,
                said.content_hash,
                said.token_count,
                list(said.scope_files),
                list(said.scope_entities),
                at.0,
            ])?;
        self.connection
            .prepare_cached("UPDATE summary SET token_count = ?2 WHERE memory_id = ?1")?
            .execute(params![id, said.token_count])?;
        Ok(())
    }
}

/// What a summary says from now on.
#[derive(Debug, Clone, Copy)]
pub struct RewrittenSummary<'a> {
    pub content: &'a str,
    pub content_hash: [u8; 32],
    pub token_count: u32,
    pub scope_files: &'a [String],
    pub scope_entities: &'a [String],
}

fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
        turn_id: row.get(0)?,
        session_id: row.get(1)?,
        branch_id: row.get(2)?,
        turn_no: row.get(3)?,
        collection: row.get(4)?,
        agent: row.get(5)?,
        text: row.get(6)?,
        data: row.get(7)?,
        committed_at: Stamp(row.get(8)?),
    })
}
