//! The lines of a file of claims, one in memory at a time.

use robot_memory_claims::Refused;
use robot_memory_core::limits::CLAIM_BYTES_MAX;
use std::io::{self, BufRead, Read};

/// Lines that are not blank.
pub struct Lines<R> {
    source: R,
    number: u64,
    text: Vec<u8>,
}

/// One of them.
pub struct Line<'l> {
    /// From 1, with the blank ones.
    pub number: u64,
    /// Without its end; or why it is not in memory.
    pub message: Result<&'l [u8], Refused>,
}

impl<R: BufRead> Lines<R> {
    pub fn of(source: R) -> Self {
        Self { source, number: 0, text: Vec::new() }
    }

    /// The next one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        let given = loop {
            self.text.clear();
            // With its end.
            let mut bounded = (&mut self.source).take(CLAIM_BYTES_MAX as u64 + 1);
            let mut given = bounded.read_until(b'\n', &mut self.text)?;
            if given == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.text.ends_with(b"\n") {
                self.text.pop();
                given -= 1;
            } else {
                given += self.skip_rest()?;
            }
            if !self.text.trim_ascii().is_empty() {
                break given;
            }
        };
        let message = match given > CLAIM_BYTES_MAX {
            true => Err(Refused::TooLarge { origin: String::new(), given }),
            false => Ok(self.text.as_slice()),
        };
        Ok(Some(Line { number: self.number, message }))
    }

    /// Passes over what is left of a line; answers how many bytes that was.
    fn skip_rest(&mut self) -> io::Result<usize> {
        let mut count = 0;
        loop {
            let buffer = self.source.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let (passed, of_line) = match end {
                Some(end) => (end + 1, end),
                None => (buffer.len(), buffer.len()),
            };
            self.source.consume(passed);
            count += of_line;
            if end.is_some() || passed == 0 {
                return Ok(count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let longest = "a".repeat(CLAIM_BYTES_MAX);
        let text = format!("\n{longest}\n{longest}b{longest}\n \nc\n{longest}d");
        let mut lines = Lines::of(text.as_bytes());
        let mut read = Vec::new();
        while let Some(Line { number, message }) = lines.next().expect("it is read") {
            let count = message.map(<[u8]>::len).map_err(|refused| match refused {
                Refused::TooLarge { given, .. } => given,
                other => panic!("{other}"),
            });
            read.push((number, count));
        }
        let max = CLAIM_BYTES_MAX;
        assert_eq!(read, [(2, Ok(max)), (3, Err(2 * max + 1)), (5, Ok(1)), (6, Err(max + 1))]);
    }
}
