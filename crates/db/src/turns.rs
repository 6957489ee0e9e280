//! The tables `turn` and `turn_memory`: finished steps, and which memory was said where in them.

use super::column::{Cells, Record, reader, record};
use super::relations::select_relative;
use super::{ReadTx, Relative, Result, WriteTx};
use crate::statement::{insert, statements};
use robot_memory_core::model::{JobType, Scope, Stamp, Turn, TurnSource};
use rusqlite::{Row, params, params_from_iter};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Range;

reader!(Turn, select_turn {
    turn_id = "turn_id",
    session_id = "session_id",
    branch_id = "branch_id",
    turn_no = "turn_no",
    collection = "collection",
    agent = "agent",
    text = "text",
    data = "data",
    committed_at = "committed_at",
});

record! {
    /// A step that was handed over before.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct GivenTurn, select_given {
        pub turn_id: String = "turn_id",
        /// Of what was given, whatever became of it since.
        pub given_hash: Vec<u8> = "given_hash",
    }
}

/// Where in a step a memory was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaidIn<'a> {
    /// In a sentence of its text: which one, from 1, and its bytes.
    Sentence { number: u32, bytes: Range<usize> },
    /// In a field of its data: a JSON pointer.
    Field(&'a str),
    /// In no one place: it sums the step up.
    Whole,
}

impl ReadTx<'_> {
    statements! {
        /// The memories that were said in a sentence of a step, in order of id.
        pub fn said_in_sentence(turn_id: &str, number: u32) -> rows<Relative> =
            select_relative!(
                "FROM turn_memory s JOIN memory m ON m.id = s.memory_id WHERE s.turn_id = ?1 \
                 AND s.sentence_number = ?2 GROUP BY m.id ORDER BY m.id"
            );

        /// The steps in which a memory was said.
        pub fn turns_of_memory(memory_id: i64) -> values<String> =
            "SELECT DISTINCT turn_id FROM turn_memory WHERE memory_id = ?1 ORDER BY turn_id";

        /// The short summaries of a step, of any status, in order of id.
        pub fn turn_summaries(turn_id: &str) -> values<i64> =
            "SELECT DISTINCT s.memory_id FROM turn_memory s \
             JOIN summary u ON u.memory_id = s.memory_id WHERE s.turn_id = ?1 AND u.kind = 'micro' \
             ORDER BY s.memory_id";

        /// What was handed over as this step of a branch.
        pub fn given_turn(session_id: &str, branch_id: &str, turn_no: u32) -> row<GivenTurn> =
            select_given!("FROM turn WHERE session_id = ?1 AND branch_id = ?2 AND turn_no = ?3");

        /// The last job that was queued to take memories out of a step, as far as it is remembered.
        pub fn turn_job(turn_id: &str) [turn_id, JobType::IngestTurn.as_str()] -> one<Option<i64>> =
            "SELECT max(id) FROM job WHERE turn_id = ?1 AND turn_id != '' AND job_type = ?2";

        /// The greatest number of the steps of a branch in which a memory was said.
        pub fn last_said(memory_id: i64, session_id: &str, branch_id: &str) -> one<Option<u32>> =
            "SELECT max(t.turn_no) FROM turn_memory s JOIN turn t ON t.turn_id = s.turn_id \
             WHERE s.memory_id = ?1 AND t.session_id = ?2 AND t.branch_id = ?3";

        /// The session of a turn.
        pub fn session_of_turn(turn_id: &str) -> value<String> =
            "SELECT session_id FROM turn WHERE turn_id = ?1";
    }

    /// The step of this name, and whether memories were taken out of it.
    pub fn turn(&self, turn_id: &str) -> Result<Option<(Turn, bool)>> {
        let sql = select_turn!(", ingested FROM turn WHERE turn_id = ?1");
        self.row(sql, [turn_id], |row| Ok((Record::read(row)?, row.get(9)?)))
    }

    /// Where a memory was said, in the order in which the steps were taken in.
    pub fn turn_sources(&self, memory_id: i64) -> Result<Vec<TurnSource>> {
        let sql = "SELECT t.turn_id, t.session_id, t.branch_id, t.turn_no, t.text, \
                   s.sentence_number, s.sentence_start, s.sentence_end, s.pointer \
                   FROM turn_memory s JOIN turn t ON t.turn_id = s.turn_id WHERE s.memory_id = ?1 \
                   ORDER BY s.id";
        self.rows(sql, [memory_id], |row| {
            let text = row.str(4)?;
            let sentence_number: u32 = row.get(5)?;
            let words = text.get(span(row, 6)?).filter(|_| sentence_number > 0);
            Ok(TurnSource {
                turn_id: row.get(0)?,
                session_id: row.get(1)?,
                branch_id: row.get(2)?,
                turn_no: row.get(3)?,
                sentence_number,
                pointer: row.get(8)?,
                sentence: words.unwrap_or_default().trim().to_owned(),
            })
        })
    }

    /// Whether turns were committed to a scope.
    pub fn has_turns(&self, scope: &Scope) -> Result<bool> {
        let (sql, names): (_, Vec<&str>) = match scope {
            Scope::Session(session) => {
                ("SELECT EXISTS (SELECT 1 FROM turn WHERE session_id = ?1)", vec![session])
            }
            Scope::Branch { session, branch } => (
                "SELECT EXISTS (SELECT 1 FROM turn WHERE session_id = ?1 AND branch_id = ?2)",
                vec![session, branch],
            ),
            Scope::Turn(turn_id) => {
                ("SELECT EXISTS (SELECT 1 FROM turn WHERE turn_id = ?1)", vec![turn_id])
            }
            Scope::Global
            | Scope::Group(_)
            | Scope::Dm
            | Scope::Agent(_)
            | Scope::Unscoped
            | Scope::Fleet => {
                return Ok(false);
            }
        };
        self.one(sql, params_from_iter(names))
    }
}

impl WriteTx<'_> {
    statements! {
        /// Notes that memories were taken out of a step.
        pub fn set_ingested(turn_id: &str) -> execute =
            "UPDATE turn SET ingested = 1 WHERE turn_id = ?1";

        /// Leaves of a step this text and no data.
        fn set_turn(turn_id: &str, text: &str) -> execute =
            "UPDATE turn SET text = ?2, data = '' WHERE turn_id = ?1";
    }

    /// Stores a step of a branch that is there.
    pub fn insert_turn(&self, turn: &Turn, given_hash: &[u8; 32]) -> Result<()> {
        insert!(
            self,
            "turn",
            turn_id = turn.turn_id,
            session_id = turn.session_id,
            branch_id = turn.branch_id,
            turn_no = turn.turn_no,
            collection = turn.collection,
            agent = turn.agent,
            text = turn.text,
            data = turn.data,
            given_hash = given_hash,
            committed_at = turn.committed_at.0
        )
    }

    /// Notes that a memory was said in a step.
    pub fn insert_turn_memory(&self, turn_id: &str, memory_id: i64, at: SaidIn<'_>) -> Result<()> {
        let (number, start, end, pointer) = match at {
            SaidIn::Sentence { number, bytes } => (number, bytes.start, bytes.end, ""),
            SaidIn::Field(pointer) => (0, 0, 0, pointer),
            SaidIn::Whole => (0, 0, 0, ""),
        };
        self.execute(
            "INSERT INTO turn_memory (turn_id, memory_id, sentence_number, sentence_start, \
             sentence_end, pointer) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![turn_id, memory_id, number, start as i64, end as i64, pointer],
        )
    }

    /// Blanks the sentences in which a memory was said, so that the others stay where they are, and drops
    /// the data of these steps, which may say it, too. Of a step that the memory sums up nothing is left.
    pub fn blank_sources(&self, memory_id: i64) -> Result<()> {
        let sql = "SELECT s.turn_id, s.sentence_number, s.sentence_start, s.sentence_end, \
                   s.pointer, t.text FROM turn_memory s JOIN turn t ON t.turn_id = s.turn_id \
                   WHERE s.memory_id = ?1 ORDER BY s.turn_id, s.id";
        let mut blanked: BTreeMap<String, String> = BTreeMap::new();
        self.each(sql, [memory_id], |row| {
            let turn_id: String = row.get(0)?;
            let (number, pointer): (u32, String) = (row.get(1)?, row.get(4)?);
            let bytes = span(row, 2)?;
            let text = match blanked.entry(turn_id) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(row.get(5)?),
            };
            if number > 0 {
                blank(text, bytes);
            } else if pointer.is_empty() {
                text.clear();
            }
            Ok(())
        })?;
        for (turn_id, text) in blanked {
            self.set_turn(&turn_id, &text)?;
        }
        Ok(())
    }

    /// Leaves nothing of a step of which nothing is remembered any more.
    pub fn blank_forgotten_turn(&self, turn_id: &str) -> Result<()> {
        let is_remembered: bool =
            self.one("SELECT EXISTS (SELECT 1 FROM turn_memory WHERE turn_id = ?1)", [turn_id])?;
        if is_remembered { Ok(()) } else { self.set_turn(turn_id, "") }
    }

    /// Lets a summary say something else, whatever its status, and forgets what it said before. Its words
    /// and vector are the caller's to change.
    pub fn rewrite_summary(&self, id: i64, said: &RewrittenSummary<'_>, at: Stamp) -> Result<()> {
        let list = |list: &[String]| match list {
            [] => String::new(),
            list => serde_json::Value::from(list).to_string(),
        };
        self.execute(
            "UPDATE memory SET content = ?2, content_hash = ?3, word_count = ?4, \
             scope_files = ?5, scope_entities = ?6, updated_at = ?7 \
             WHERE id = ?1 AND type = 'summary'",
            params![
                id,
                said.content,
                said.content_hash,
                said.token_count,
                list(said.scope_files),
                list(said.scope_entities),
                at.0,
            ],
        )?;
        self.execute(
            "UPDATE summary SET token_count = ?2 WHERE memory_id = ?1",
            params![id, said.token_count],
        )?;
        self.execute("DELETE FROM memory_audit WHERE memory_id = ?1", [id])
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

/// Overwrites these bytes of a text with spaces, and the same words wherever else they stand in it. A text
/// that has no such bytes is emptied: it must not keep what is to go.
fn blank(text: &mut String, bytes: Range<usize>) {
    let Some(words) = text.get(bytes.clone()) else {
        text.clear();
        return;
    };
    let words = words.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    text.replace_range(bytes.clone(), &" ".repeat(bytes.len()));
    if !words.is_empty() {
        *text = text.replace(&words, &" ".repeat(words.len()));
    }
}

/// Bytes of a step's text, whose begin and end are in this column and the next.
fn span(row: &Row<'_>, start: usize) -> rusqlite::Result<Range<usize>> {
    // Texts are short, so both fit any machine.
    let (start, end): (u32, u32) = (row.get(start)?, row.get(start + 1)?);
    Ok(start as usize..end as usize)
}

#[cfg(test)]
mod tests {
    use super::blank;

    #[test]
    fn what_is_blanked_leaves_the_rest_in_its_place() {
        for (text, words, expected) in [
            ("One. Two. Three.", "Two.", "One.      Three."),
            ("一。二三。四", "二三。", "一。         四"),
            ("Two. One. Two!", "Two.", "     One.    !"),
            ("One. Two", "Two", "One.    "),
            ("…. One", "….", "     One"),
        ] {
            let start = text.find(words).expect("it is there");
            let mut blanked = text.to_owned();
            blank(&mut blanked, start..start + words.len());
            assert_eq!(blanked, expected);
            assert_eq!(blanked.len(), text.len());
        }
        for bytes in [1..2, 5..9, 0..99] {
            let mut text = "一二".to_owned();
            blank(&mut text, bytes);
            assert_eq!(text, "");
        }
    }
}
