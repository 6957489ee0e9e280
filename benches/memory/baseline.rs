//! What somebody would write in an afternoon: one table, FTS5, and sqlite-vec's cosine of every row
//! that the filter lets through, the two lists joined by reciprocal rank fusion.

use crate::Result;
use crate::statements::COMMON_WORDS;
use crate::system::{Entry, Filter, MIN_CONFIDENCE, Memory};
use crate::vectors::Vectors;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{c_char, c_int};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS memory(
        id INTEGER PRIMARY KEY, text TEXT, context TEXT, confidence REAL, embedding BLOB);
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content=memory, content_rowid=id);";
/// Rows at the head of each list that take part in fusion.
const LIST_LEN: usize = 100;
/// The constant of reciprocal rank fusion.
const RRF_K: f64 = 60.0;
const CONFIDENCE: f64 = 0.9;

/// One file, a connection to read and one to write.
pub struct Baseline {
    reader: Mutex<Connection>,
    writer: Mutex<Connection>,
    questions: HashMap<String, Vec<u8>>,
}

impl Baseline {
    /// Opens a store, making it when there is none.
    pub fn open(path: &Path, vectors: &Vectors, questions: &[String]) -> Result<Self> {
        let writer = connect(path)?;
        writer.execute_batch(SCHEMA)?;
        let questions = questions
            .iter()
            .map(String::as_str)
            .chain([COMMON_WORDS])
            .map(|text| Ok((text.to_owned(), bytes_of(vectors.question(text)?))))
            .collect::<Result<_>>()?;
        Ok(Self { reader: Mutex::new(connect(path)?), writer: Mutex::new(writer), questions })
    }

    fn closest(&self, question: &str, filter: Filter, n: usize) -> Result<Vec<i64>> {
        let vector = self.questions.get(question).ok_or("a question was expected")?;
        let connection = locked(&self.reader);
        let mut statement = connection.prepare_cached(&format!(
            "SELECT id FROM memory WHERE confidence >= ?1 AND {} \
             ORDER BY vec_distance_cosine(embedding, ?2) LIMIT ?3",
            condition(filter)
        ))?;
        let rows = statement
            .query_map(params![MIN_CONFIDENCE, vector, i64::try_from(n)?], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn worded(&self, question: &str, filter: Filter) -> Result<Vec<i64>> {
        // Any of the words, each as a string of FTS5's language.
        let words = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let any: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
        let connection = locked(&self.reader);
        let mut statement = connection.prepare_cached(&format!(
            "SELECT memory.id FROM words JOIN memory ON memory.id = words.rowid \
             WHERE words MATCH ?1 AND confidence >= ?2 AND {} ORDER BY bm25(words) LIMIT ?3",
            condition(filter)
        ))?;
        let parameters = params![any.join(" OR "), MIN_CONFIDENCE, LIST_LEN as i64];
        let rows = statement.query_map(parameters, |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Memory for Baseline {
    fn save(&self, entry: Entry) -> Result<i64> {
        self.save_all(vec![entry])
    }

    fn save_all(&self, entries: Vec<Entry>) -> Result<i64> {
        let mut writer = locked(&self.writer);
        let transaction = Transaction::new(&mut writer, TransactionBehavior::Immediate)?;
        let mut last = 0;
        for Entry { statement, vector } in entries {
            transaction
                .prepare_cached(
                    "INSERT INTO memory(text, context, confidence, embedding) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![statement.text, statement.context, CONFIDENCE, bytes_of(&vector)])?;
            last = transaction.last_insert_rowid();
            transaction
                .prepare_cached("INSERT INTO words(rowid, text) VALUES (?1, ?2)")?
                .execute(params![last, statement.text])?;
        }
        transaction.commit()?;
        Ok(last)
    }

    fn learn(&self, _: Entry) -> Result<Option<bool>> {
        Ok(None)
    }

    fn recall(&self, question: &str, filter: Filter, n: usize) -> Result<Vec<i64>> {
        let mut scores: BTreeMap<i64, f64> = BTreeMap::new();
        for list in [self.closest(question, filter, LIST_LEN)?, self.worded(question, filter)?] {
            for (place, id) in list.into_iter().enumerate() {
                *scores.entry(id).or_default() += 1.0 / (RRF_K + place as f64 + 1.0);
            }
        }
        let mut best: Vec<(i64, f64)> = scores.into_iter().collect();
        best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        best.truncate(n);
        let connection = locked(&self.reader);
        let mut statement =
            connection.prepare_cached("SELECT text, context FROM memory WHERE id = ?1")?;
        for (id, _) in &best {
            // Who asks wants to read it.
            let _: (String, String) =
                statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
        }
        Ok(best.into_iter().map(|(id, _)| id).collect())
    }

    fn nearest(&self, question: &str, n: usize) -> Result<Option<Vec<i64>>> {
        self.closest(question, Filter::None, n).map(Some)
    }

    fn upkeep(&self) -> Result<()> {
        Ok(())
    }
}

fn condition(filter: Filter) -> &'static str {
    match filter {
        Filter::None => "1",
        Filter::Broad => {
            "context ->> '$.task.success' = 1 AND context ->> '$.params.speed.value' < 1.0"
        }
        Filter::Narrow => {
            "context ->> '$.task.name' = 'calibrate' AND context ->> '$.task.success' = 0"
        }
    }
}

fn connect(path: &Path) -> Result<Connection> {
    register_sqlite_vec();
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

/// For every connection that is opened from now on.
fn register_sqlite_vec() {
    type EntryPoint = unsafe extern "C" fn(
        *mut rusqlite::ffi::sqlite3,
        *mut *mut c_char,
        *const rusqlite::ffi::sqlite3_api_routines,
    ) -> c_int;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: sqlite3_vec_init is an SQLite extension entry point, which has this signature;
        // its crate declares it without arguments.
        unsafe {
            let entry_point = std::mem::transmute::<*const (), EntryPoint>(
                sqlite_vec::sqlite3_vec_init as *const (),
            );
            rusqlite::ffi::sqlite3_auto_extension(Some(entry_point));
        }
    });
}

fn locked(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn bytes_of(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|component| component.to_le_bytes()).collect()
}
