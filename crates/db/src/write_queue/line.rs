//! One line of the file.

use robot_memory_core::model::Stamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

/// What is between the fields and their checksum.
const CHECKSUM: &str = ",\"sha256\":\"";
/// What is behind it.
const END: &str = "\"}";
/// Hexadecimal digits of it.
const DIGITS: usize = 64;

/// A write that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Record {
    /// Rises by 1, and is never used twice in one queue.
    pub number: u64,
    /// Of the queue's file, from when it was empty and opened on.
    pub queue_id: String,
    /// When it was asked for, of ROS time.
    pub at: Stamp,
    pub operation: String,
    /// By what it is known to be the same; empty: by nothing.
    pub key: String,
    /// What tells it from another under the same key.
    pub key_hash: String,
    /// The request, as JSON.
    pub request: Box<RawValue>,
}

impl Record {
    /// As it stands in the file, with its end of line.
    ///
    /// # Errors
    /// Never, but for a request that is no JSON.
    pub fn to_line(&self) -> serde_json::Result<String> {
        let mut line = serde_json::to_string(self)?;
        line.pop();
        let checksum = checksum(line.as_bytes());
        line.extend([CHECKSUM, &checksum, END, "\n"]);
        Ok(line)
    }

    /// Of a line without its end; `None` when it is not whole.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let fields_len = line.len().checked_sub(CHECKSUM.len() + DIGITS + END.len())?;
        let (fields, rest) = line.split_at_checked(fields_len)?;
        let given = rest.strip_prefix(CHECKSUM.as_bytes())?.strip_suffix(END.as_bytes())?;
        if given != checksum(fields).as_bytes() {
            return None;
        }
        let mut json = fields.to_vec();
        json.push(b'}');
        serde_json::from_slice(&json).ok()
    }
}

/// SHA-256, in lower case hexadecimal digits.
fn checksum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
