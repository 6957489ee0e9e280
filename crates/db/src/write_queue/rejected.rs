//! What was queued and could not be done: kept for a person to look at.

use serde::Serialize;
use serde_json::value::RawValue;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// A write that was rejected.
#[derive(Debug, Serialize)]
pub struct RejectedLine<'a> {
    /// Its number in the queue.
    pub number: u64,
    pub queue_id: &'a str,
    /// When it was asked for, in nanoseconds of ROS time.
    pub at: i64,
    /// Which operation; empty when its line was damaged.
    pub operation: &'a str,
    /// The kind of the error.
    pub error: &'a str,
    /// The request; `None` when it may not be kept.
    pub request: Option<&'a RawValue>,
}

/// The file of rejected writes.
#[derive(Debug)]
pub struct Rejected {
    path: PathBuf,
    bytes_max: usize,
}

impl Rejected {
    /// Of at most so many bytes; nothing is made yet.
    pub fn at(path: PathBuf, bytes_max: usize) -> Self {
        Self { path, bytes_max }
    }

    /// Keeps a rejected write on disk, once; answers whether there was room for it.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn keep(&self, rejected: &RejectedLine<'_>) -> io::Result<bool> {
        let mut line = serde_json::to_string(rejected)?;
        line.push('\n');
        let options = &mut OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).mode(0o600).open(&self.path)?;
        let kept = std::fs::read_to_string(&self.path)?;
        let same =
            format!("{{\"number\":{},\"queue_id\":\"{}\",", rejected.number, rejected.queue_id);
        if kept.lines().any(|line| line.starts_with(&same)) {
            return Ok(true);
        }
        if kept.len() + line.len() > self.bytes_max {
            return Ok(false);
        }
        file.write_all(line.as_bytes())?;
        file.sync_data()?;
        Ok(true)
    }
}
