//! All that the store holds as JSON Lines, and back into an empty one.

use crate::db::load;
use crate::{Engine, Error, Result};
use jiff::Timestamp;
use robot_memory_core::api::{ApiError, ErrorKind, FieldText};
use robot_memory_core::limits::LOADED_LINE_BYTES_MAX;
use robot_memory_db::{self as store, FIRST_LINES_SCHEMA, lines_schema};
use robot_memory_index::Derived;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{BufRead, Read};
use std::ops::ControlFlow;

/// What the first line says that this is.
const FORMAT: &str = "robot_memory";
/// How the lines are to be read.
const FORMAT_VERSION: u32 = 1;
/// Columns whose texts somebody gave, which may hold what is never stored.
const GIVEN: [&str; 8] = [
    "content",
    "context",
    "data",
    "human_summary",
    "invalidated_reason",
    "metadata",
    "tags",
    "text",
];

/// The first line.
#[derive(Serialize, Deserialize)]
struct Header {
    format: String,
    format_version: u32,
    /// Of the store's schema.
    schema: i64,
    /// Of the program.
    version: String,
    /// RFC 3339.
    exported_at: String,
}

impl Engine {
    /// Calls `each` with all that the store holds, of one snapshot, as lines of JSON without their ends:
    /// first a header, then every row of every table that cannot be made again, until it breaks. Answers
    /// how many rows. For the operator: no policy is asked.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn full_export(
        &self,
        each: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<u64, ApiError> {
        let now = Timestamp::from_millisecond(self.machine_now()).unwrap_or(Timestamp::UNIX_EPOCH);
        let header = Header {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            schema: lines_schema(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            exported_at: now.to_string(),
        };
        let header = serde_json::to_string(&header)
            .map_err(|error| ApiError { kind: ErrorKind::Internal, message: error.to_string() })?;
        if each(&header).is_break() {
            return Ok(0);
        }
        self.store
            .read(|tx| tx.each_line(each))
            .map_err(|error: store::Error| Error::from(error).into())
    }

    /// Stores all rows of such lines, of this version or an earlier one, in one transaction, in a store
    /// that is empty. Answers how many.
    ///
    /// # Errors
    /// `invalid_state` when the store is not empty; `invalid_argument` and `refused` with the number of the
    /// line and the field that is wrong, and nothing of what it holds. Nothing was stored then.
    pub fn load_everything(&self, lines: &mut dyn BufRead) -> Result<u64, ApiError> {
        Ok(self.load_lines(lines)?)
    }

    fn load_lines(&self, lines: &mut dyn BufRead) -> Result<u64> {
        self.store.check_in_place()?;
        let mut writer = self.store.writer();
        let tx = writer.begin()?;
        if !tx.is_empty()? {
            let message = "the store holds something already: load into an empty one";
            return Err(Error::invalid_state(message));
        }
        let mut numbered = Lines { lines, number: 0, text: Vec::new() };
        let (_, header) = numbered.next()?.ok_or_else(|| fault(1, "there is no header".into()))?;
        check_header(header)?;
        let mut count = 0;
        {
            let mut rows = tx.line_writer()?;
            while let Some((number, line)) = numbered.next()? {
                self.check_line(number, line)?;
                rows.put(line)?.map_err(|reason| fault(number, reason))?;
                count += 1;
            }
        }
        // It is known here from now on, whenever it was made elsewhere.
        tx.set_all_known_at(self.now()?)?;
        if !tx.has_whole_references()? {
            let reason = "the lines end, and a row refers to one that is not there".to_owned();
            return Err(fault(numbered.number, reason));
        }
        tx.commit()?;
        // All is read anew below.
        self.indexes.replace(Derived::behind());
        drop(writer);
        self.constraints.forget();
        self.attempts.forget();
        self.forget_events();
        drop(load::words_and_rows(&self.store)?);
        {
            let _writer = self.store.writer();
            let (derived, counts) =
                self.store.read(|tx| Ok::<_, Error>((load::rows(tx)?, tx.job_counts()?)))?;
            self.indexes.replace(derived);
            self.jobs.recount(counts);
        }
        self.index_bounds.forget_evicted();
        self.release_jobs()?;
        Ok(count)
    }

    /// Refuses a line that holds what is never stored.
    fn check_line(&self, number: u64, line: &str) -> Result<()> {
        // What is no JSON is told of by who reads its row.
        let Ok(Value::Object(read)) = serde_json::from_str::<Value>(line) else { return Ok(()) };
        let Some(Value::Object(row)) = read.get("row") else { return Ok(()) };
        let secrets = self.secrets();
        for column in GIVEN {
            let Some(Value::String(text)) = row.get(column) else { continue };
            let is_json = text.starts_with(['{', '[']);
            let given = if is_json { FieldText::Json(text) } else { FieldText::Text(text) };
            secrets.check_given(column, given).map_err(|error| {
                let message = format!("line {number}: {}", error.message);
                Error::from(ApiError { kind: error.kind, message })
            })?;
        }
        Ok(())
    }
}

/// Lines, each no longer than is held.
struct Lines<'r> {
    lines: &'r mut dyn BufRead,
    number: u64,
    text: Vec<u8>,
}

impl Lines<'_> {
    /// The next line that is not blank, with its number.
    fn next(&mut self) -> Result<Option<(u64, &str)>> {
        loop {
            self.text.clear();
            self.number += 1;
            let mut bounded = (&mut *self.lines).take(LOADED_LINE_BYTES_MAX + 1);
            let read = bounded.read_until(b'\n', &mut self.text);
            let read =
                read.map_err(|error| fault(self.number, format!("cannot be read: {error}")))?;
            if read == 0 {
                return Ok(None);
            }
            if self.text.last() == Some(&b'\n') {
                self.text.pop();
            }
            if self.text.len() as u64 > LOADED_LINE_BYTES_MAX {
                let reason = format!("has more than {LOADED_LINE_BYTES_MAX} bytes");
                return Err(fault(self.number, reason));
            }
            if !self.text.iter().all(u8::is_ascii_whitespace) {
                break;
            }
        }
        match std::str::from_utf8(&self.text) {
            Ok(text) => Ok(Some((self.number, text))),
            Err(_) => Err(fault(self.number, "is no UTF-8".into())),
        }
    }
}

fn check_header(line: &str) -> Result<()> {
    let Ok(header) = serde_json::from_str::<Header>(line) else {
        return Err(fault(1, "is no header of an export of everything".into()));
    };
    if header.format != FORMAT || header.format_version != FORMAT_VERSION {
        return Err(fault(1, format!("format: must be {FORMAT} {FORMAT_VERSION}")));
    }
    let known = lines_schema();
    if !(FIRST_LINES_SCHEMA..=known).contains(&header.schema) {
        return Err(fault(
            1,
            format!("schema: must be {FIRST_LINES_SCHEMA} to {known}, got {}", header.schema),
        ));
    }
    Ok(())
}

fn fault(line: u64, reason: String) -> Error {
    Error::invalid_argument(format!("line {line}: {reason}"))
}
