//! What became of each memory of another program.

use crate::faces::cli::failure::{Failure, is_of_this_one};
use crate::faces::cli::output::Output;
use crate::faces::cli::values::visible;
use crate::faces::wall_clock::WallClock;
use robot_memory_core::limits::{CONTENT_CHARS_MAX, NAME_BYTES_MAX};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_engine::{BroughtOver, Engine, ForeignMemory, ForeignSession};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;

/// Tells what became of each, and counts.
pub struct Tally<'o> {
    output: &'o mut Output,
    kept: u64,
    merged: u64,
    not_kept: u64,
    sessions: u64,
    /// Sessions that this run began.
    begun: BTreeSet<String>,
}

/// What became of one, as a line of JSON.
#[derive(Serialize)]
struct RowOutcome<'t> {
    row: &'t str,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_id: Option<i64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl<'o> Tally<'o> {
    pub fn new(output: &'o mut Output) -> Self {
        let begun = BTreeSet::new();
        Self { output, kept: 0, merged: 0, not_kept: 0, sessions: 0, begun }
    }

    /// Stores a memory, and tells what became of it. `notes`: what of it is not as it was.
    ///
    /// # Errors
    /// When the store cannot be written, or nobody reads what is told; not when this one is refused.
    pub fn store(
        &mut self,
        engine: &Engine,
        row: &str,
        memory: ForeignMemory,
        mut notes: Vec<String>,
    ) -> Result<(), Failure> {
        let brought = match engine.bring_over(memory.clone()) {
            Err(error) if is_of_this_one(&error) => {
                match memory.without_session().map(|memory| engine.bring_over(memory)) {
                    Some(Ok(brought)) => {
                        notes.push("without its session, which takes nothing more here".to_owned());
                        Ok(brought)
                    }
                    Some(Err(other)) if !is_of_this_one(&other) => Err(other),
                    _ => Err(error),
                }
            }
            brought => brought,
        };
        match brought {
            Ok(BroughtOver::Kept { memory_id, truncated, is_new: _ }) => {
                self.kept += 1;
                if truncated {
                    notes.insert(0, format!("cut to {CONTENT_CHARS_MAX} characters"));
                }
                self.tell(RowOutcome { row, outcome: "kept", memory_id: Some(memory_id), notes })
            }
            Ok(BroughtOver::Merged { memory_id, method, similarity }) => {
                self.merged += 1;
                if let Some(method) = method {
                    notes.insert(0, format!("it says the same ({method}, {similarity:.2})"));
                }
                self.tell(RowOutcome { row, outcome: "merged", memory_id: Some(memory_id), notes })
            }
            Err(error) if is_of_this_one(&error) => {
                notes.insert(0, error.to_string());
                self.leave_out(row, notes)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Tells that a memory is not stored, and why.
    ///
    /// # Errors
    /// When nobody reads it.
    pub fn leave_out(&mut self, row: &str, notes: Vec<String>) -> Result<(), Failure> {
        self.not_kept += 1;
        self.tell(RowOutcome { row, outcome: "not kept", memory_id: None, notes })
    }

    /// Begins a session. Answers whether memories can be stored in it.
    ///
    /// # Errors
    /// When the store cannot be written, or nobody reads what is told.
    pub fn begin(&mut self, engine: &Engine, session: &ForeignSession) -> Result<bool, Failure> {
        match engine.begin_foreign_session(session) {
            Ok(is_new) => {
                if is_new {
                    self.sessions += 1;
                    self.begun.insert(session.session_id.clone());
                }
                Ok(true)
            }
            Err(error) if is_of_this_one(&error) => {
                self.leave_out_session(&session.session_id, error.to_string())?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Tells that a session is not begun, and why. What is counted as not kept is memories.
    ///
    /// # Errors
    /// When nobody reads it.
    pub fn leave_out_session(&mut self, name: &str, why: String) -> Result<(), Failure> {
        let row = format!("session {name}");
        self.tell(RowOutcome { row: &row, outcome: "not kept", memory_id: None, notes: vec![why] })
    }

    /// Ends a session that this run began.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn end(
        &mut self,
        engine: &Engine,
        session_id: &str,
        score: Option<f64>,
        at: Stamp,
    ) -> Result<(), Failure> {
        if self.begun.contains(session_id) {
            engine.end_foreign_session(session_id, score, at)?;
        }
        Ok(())
    }

    /// Says what is true of the file as a whole.
    ///
    /// # Errors
    /// When nobody reads it.
    pub fn note(&mut self, note: &str) -> Result<(), Failure> {
        if self.output.is_json {
            return self.output.json_line(&json!({ "note": note }));
        }
        self.output.line(&visible(note))
    }

    fn tell(&mut self, told: RowOutcome<'_>) -> Result<(), Failure> {
        if self.output.is_json {
            return self.output.json_line(&told);
        }
        let what = match (told.outcome, told.memory_id) {
            ("kept", Some(id)) => format!("kept as {id}"),
            ("merged", Some(id)) => format!("merged into {id}"),
            (outcome, _) => outcome.to_owned(),
        };
        let because = if told.notes.is_empty() { "" } else { ": " };
        let line = format!("{}  {what}{because}{}", told.row, told.notes.join("; "));
        self.output.line(&visible(&line))
    }

    /// Tells the counts.
    ///
    /// # Errors
    /// When nobody reads them.
    pub fn finish(self) -> Result<(), Failure> {
        let Self { output, kept, merged, not_kept, sessions, begun: _ } = self;
        if output.is_json {
            let counts = json!({
                "kept": kept, "merged": merged, "not_kept": not_kept, "sessions": sessions,
            });
            return output.json(&counts);
        }
        output.text(&format!(
            "{kept} kept, {merged} merged, {not_kept} not kept; {sessions} sessions\n"
        ))
    }
}

/// By what a row is known when it is brought over again: the program, its id there, and when it was changed. None:
/// it cannot be.
pub fn key(program: &str, id: &str, updated_at: &str) -> String {
    let key = format!("{program}:{id}:{updated_at}");
    let is_name = key.len() <= NAME_BYTES_MAX && !key.contains(char::is_control);
    if is_name && key.trim() == key { key } else { String::new() }
}

/// A time as other programs write it: RFC 3339, or without a zone, which is UTC.
pub fn stamp(text: &str) -> Option<Stamp> {
    let time = text.parse::<jiff::Timestamp>().ok().or_else(|| {
        let local = text.parse::<jiff::civil::DateTime>().ok()?;
        Some(local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    })?;
    i64::try_from(time.as_nanosecond()).ok().map(Stamp)
}

/// When something was, of which that is not known: now.
pub fn or_now(at: Option<Stamp>) -> Stamp {
    at.or_else(|| WallClock.now()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_with_and_without_a_zone_are_read() {
        let noon = Some(Stamp::from_secs(1_741_521_600));
        for text in ["2025-03-09T12:00:00Z", "2025-03-09T05:00:00-07:00", "2025-03-09T12:00:00.000"]
        {
            assert_eq!(stamp(text), noon, "{text}");
        }
        assert_eq!(stamp("2025-03-09 12:00:00"), noon);
        assert_eq!(stamp("yesterday"), None);
    }
}
