//! Recorded bags (rosbag2: MCAP and sqlite3), read without ROS, and clips written beside the store.
//!
//! A bag that was damaged gives what can be had: what could not be read is said in words
//! ([`BagReader::problems`]), and never ends the reading. Memory is bounded by a chunk or a message,
//! never by what a file claims.
//!
//! ```
//! use robot_memory_bags::BagReader;
//! use std::path::Path;
//!
//! let bag = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bags/ur3_mcap");
//! let reader = BagReader::open(&bag)?;
//! assert!(reader.topics().iter().any(|topic| topic.name == "/joint_states" && topic.message_count == 258));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod bag_reader;
mod clip;
mod file;
mod mcap_block;
mod mcap_file;
mod merge;
mod metadata;
mod problems;
mod sqlite3;
mod unpack;

pub use bag_reader::BagReader;
pub use clip::write_clip;
pub use file::{BagMessage, Topic};
pub use merge::{Filter, Messages};

use std::io;
use std::path::{Path, PathBuf};

/// Why a bag or a clip could not be read or written at all.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, thiserror::Error)]
pub enum BagError {
    /// The system refused.
    #[error("{}: {source}", .path.display())]
    Io {
        /// What was opened, read or written.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// Nothing in it can be read as a bag.
    #[error("{} is no bag: {reason}", .path.display())]
    NoBag {
        /// What was named.
        path: PathBuf,
        /// What was found instead.
        reason: String,
    },
    /// A compressed file could not be unpacked into the folder for temporary files.
    #[error("{} could not be unpacked to {}: {source}", .path.display(), .to.display())]
    Unpack {
        /// The compressed file.
        path: PathBuf,
        /// Where it was unpacked to.
        to: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// A clip could not be written.
    #[error("the clip {} could not be written: {reason}", .path.display())]
    Clip { path: PathBuf, reason: String },
}

impl BagError {
    fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source }
    }

    /// The same, of what may be no regular file.
    fn not_regular(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::InvalidInput => Self::NoBag { path, reason: source.to_string() },
            _ => Self::Io { path, source },
        }
    }
}
