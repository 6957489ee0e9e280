//! What is known of a store without reading it: a small file beside it, `<store>.known.json`.
//!
//! It says which store it is, how much is in it, and what backups say that no longer holds. A damaged file
//! is held against it, and what the file cannot tell any more is taken from it. It holds no texts.

use super::files::{new_private_file, with_suffix};
use super::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes of the smallest page that SQLite knows.
const PAGE_BYTES_MIN: u64 = 512;

/// What is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownBeside {
    /// Which store it is.
    pub store_id: String,
    /// Its revision when this was written.
    pub revision: i64,
    /// Memories of any status, then.
    pub memory_count: u64,
    /// The rows of `memory_outdated`, then; `None`: too many.
    pub outdated: Option<Vec<(i64, i64)>>,
    /// When it was looked over last, in milliseconds of the machine's clock.
    pub checked_at: i64,
    /// The table and the number from which the next look at rows goes on.
    pub check_from: (String, i64),
    /// What came of damage, the file that was put aside, and whether anything was lost.
    #[serde(rename = "mended")]
    pub repair: Option<RepairNote>,
}

/// What came of damage.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RepairNote {
    /// The damaged file.
    pub aside: PathBuf,
    /// For a person to read.
    pub text: String,
    /// Whether anything was lost, or withdrawn.
    pub is_lossy: bool,
}

impl KnownBeside {
    /// What is known of the store at this path.
    pub fn read(path: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(file(path)).ok()?).ok()
    }

    /// Writes it; after a loss of power there is all of it or what was there before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let (file, part) = (file(path), with_suffix(path, ".known.part"));
        let io = Error::io("cannot write", &file);
        let text = serde_json::to_vec(self).map_err(|error| io(error.into()))?;
        let mut written = new_private_file(&part)?;
        written.write_all(&text).map_err(io)?;
        written.sync_data().map_err(io)?;
        std::fs::rename(&part, &file).map_err(io)
    }

    /// Whether the file at a path has not even a page, in which there were memories: SQLite takes it for a new
    /// one.
    pub fn was_emptied(path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|file| file.len() < PAGE_BYTES_MIN)
            && std::fs::metadata(with_suffix(path, "-wal")).map_or(0, |log| log.len()) == 0
            && Self::read(path).is_some_and(|known| known.memory_count > 0)
    }
}

fn file(path: &Path) -> PathBuf {
    with_suffix(path, ".known.json")
}
