//! The file in which writes wait that the store cannot take.
//!
//! One line a write, JSON, each with a number and a checksum. The file's space is taken beforehand, by
//! newlines: a record overwrites what is the file's already, so that a disk that became full cannot
//! refuse it, and a reader of lines sees nothing but records. Of a line that was cut by the end of the
//! process nobody was told that it waits; it is overwritten.
//!
//! What a request is, and how it is done again, is not known here.

mod line;
mod queue;
mod rejected;
#[cfg(test)]
mod tests;

pub use line::Record;
pub use queue::{Read, WriteDraft, WriteQueue};
pub use rejected::{Rejected, RejectedLine};

use std::io;

/// Why a write could not be put into the queue.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// It would be longer than it may be.
    #[error(
        "the write queue is full: {waiting} bytes wait, {more} more would be over \
         write_queue_bytes_max, {bytes_max}"
    )]
    Full {
        /// Bytes of lines up to the last that waits.
        waiting: u64,
        /// Bytes of what was to be added.
        more: u64,
        /// Bytes that there may be.
        bytes_max: u64,
    },
    /// The file cannot be written.
    #[error("the write queue cannot be written: {0}")]
    Io(#[from] io::Error),
    /// What is there is another's file.
    #[error("the write queue's file holds something else, and is left as it is")]
    Foreign,
    /// Another file has the place of the one that is open.
    #[error("the write queue's file was replaced while it was open; restart the node")]
    Replaced,
    /// Another process has it.
    #[error("the write queue's file is in use by another process")]
    InUse,
}
