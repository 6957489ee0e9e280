//! Where the answer goes.

use super::failure::Failure;
use serde::Serialize;
use std::io::{self, BufWriter, Write};

/// A sink of text. What is in it when it is dropped unfinished may be lost.
pub struct Output {
    sink: BufWriter<Box<dyn Write>>,
    /// Whether the answer is to be JSON.
    pub is_json: bool,
}

impl Output {
    /// Standard output.
    pub fn standard(is_json: bool) -> Self {
        Self { is_json, ..Self::to(io::stdout().lock()) }
    }

    /// Any other.
    pub fn to(sink: impl Write + 'static) -> Self {
        Self { sink: BufWriter::new(Box::new(sink)), is_json: false }
    }

    /// Writes a text to its end.
    ///
    /// # Errors
    /// [`Failure::Closed`] when nobody reads it any more.
    pub fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.sink.write_all(text.as_bytes())?;
        self.finish()
    }

    /// Writes a value as the only line, of JSON.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        self.json_line(value)?;
        self.finish()
    }

    /// Writes an answer as JSON, or as a person reads it.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub fn answer<T: Serialize>(
        &mut self,
        answer: T,
        shown: impl FnOnce(T) -> String,
    ) -> Result<(), Failure> {
        if self.is_json { self.json(&answer) } else { self.text(&shown(answer)) }
    }

    /// Writes a value as one line of JSON.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub fn json_line(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.sink, value).map_err(io::Error::from)?;
        Ok(self.sink.write_all(b"\n")?)
    }

    /// Writes a text as one line.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.sink.write_all(text.as_bytes())?;
        Ok(self.sink.write_all(b"\n")?)
    }

    /// Sees to it that all of it is written.
    ///
    /// # Errors
    /// As [`text`](Self::text).
    pub fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.sink.flush()?)
    }
}
