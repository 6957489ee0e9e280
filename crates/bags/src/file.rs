//! What the two kinds of files have in common.

use super::BagError;
use super::mcap_file::{McapContents, McapMessages};
use super::problems::Problems;
use super::sqlite3::{SqliteContents, SqliteMessages};
use super::unpack::{self, Unpacked};
use robot_memory_core::limits::BAG_MESSAGE_BYTES_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_core::regular_file;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Of a file whose times could not be read: its messages may be of any.
pub const UNKNOWN_SPAN: (Stamp, Stamp) = (Stamp(i64::MIN), Stamp(i64::MAX));

/// A topic in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTopic {
    pub name: String,
    pub type_name: String,
    /// In the concatenated form of `ros2msg`; empty when the file has none.
    pub definition: Arc<str>,
    /// YAML; empty when the file has none.
    pub offered_qos: String,
    pub encoding: String,
    pub message_count: u64,
}

/// A message of one file.
#[derive(Debug)]
pub struct FileMessage {
    /// Which of the file's topics.
    pub topic: usize,
    pub log_time: Stamp,
    pub bytes: Arc<[u8]>,
}

/// Which messages of a file are read.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// One for each of the file's topics.
    pub topics: Vec<bool>,
    pub from: Stamp,
    /// The first that is too late.
    pub until: Stamp,
}

impl Wanted {
    pub fn has_topic(&self, topic: usize) -> bool {
        self.topics.get(topic).copied().unwrap_or(false)
    }

    pub fn has_time(&self, time: Stamp) -> bool {
        self.from <= time && time < self.until
    }
}

/// A file of a bag, and what is in it.
#[derive(Debug)]
pub struct BagFile {
    /// Its name within the bag, for sentences.
    pub name: String,
    path: PathBuf,
    is_compressed: bool,
    contents: Contents,
}

#[derive(Debug)]
enum Contents {
    Mcap(McapContents),
    Sqlite(SqliteContents),
}

impl BagFile {
    /// Looks what is in a file. Damage is noted; an error is of a file that gives nothing.
    pub fn open(path: &Path, name: &str, problems: &mut Problems) -> Result<Self, BagError> {
        let no_bag =
            |reason: &str| BagError::NoBag { path: path.to_owned(), reason: reason.to_owned() };
        let is_compressed = match Kind::of(path)? {
            Kind::Zstd => true,
            Kind::Empty => return Err(no_bag("it is empty")),
            Kind::Ros1 => {
                return Err(no_bag("it is of ROS 1; rosbags-convert makes a bag of ROS 2 of it"));
            }
            _ => false,
        };
        let unpacked = readable(path, name, is_compressed, problems)?;
        let contents = match Kind::of(unpacked.path())? {
            Kind::Mcap => Contents::Mcap(McapContents::scan(unpacked.path(), name, problems)?),
            Kind::Sqlite => {
                Contents::Sqlite(SqliteContents::scan(unpacked.path(), path, name, problems)?)
            }
            _ if is_named(path, "mcap") => {
                let mut found = Problems::default();
                let contents = McapContents::scan(unpacked.path(), name, &mut found)?;
                if contents.topics().is_empty() {
                    return Err(no_bag("its first bytes are not those of MCAP"));
                }
                problems.note(name, "its first bytes are damaged");
                problems.extend(found);
                Contents::Mcap(contents)
            }
            _ if is_named(path, "db3") => {
                return Err(no_bag("its first bytes are not those of a database of SQLite"));
            }
            _ => return Err(no_bag("it is neither MCAP nor a database of SQLite")),
        };
        Ok(Self { name: name.to_owned(), path: path.to_owned(), is_compressed, contents })
    }

    pub fn topics(&self) -> &[FileTopic] {
        match &self.contents {
            Contents::Mcap(contents) => contents.topics(),
            Contents::Sqlite(contents) => contents.topics(),
        }
    }

    /// The times of the first and the last message; `None` when there is no message.
    pub fn span(&self) -> Option<(Stamp, Stamp)> {
        match &self.contents {
            Contents::Mcap(contents) => contents.span(),
            Contents::Sqlite(contents) => contents.span(),
        }
    }

    /// Its messages, in order of log time.
    pub fn messages(
        &self,
        wanted: Wanted,
        problems: &mut Problems,
    ) -> Result<FileMessages, BagError> {
        let unpacked = readable(&self.path, &self.name, self.is_compressed, problems)?;
        let kind = match &self.contents {
            Contents::Mcap(contents) => {
                MessageReader::Mcap(contents.messages(unpacked.path(), &self.name, wanted)?)
            }
            Contents::Sqlite(contents) => {
                MessageReader::Sqlite(contents.messages(unpacked.path(), &self.name, wanted)?)
            }
        };
        Ok(FileMessages { name: self.name.clone(), kind, _unpacked: unpacked })
    }
}

/// The messages of one file, in order of log time.
pub struct FileMessages {
    name: String,
    kind: MessageReader,
    /// Removed with this.
    _unpacked: Unpacked,
}

/// Reads the messages of a file, by its storage.
enum MessageReader {
    Mcap(McapMessages),
    Sqlite(SqliteMessages),
}

impl FileMessages {
    /// The next message that can be read.
    pub fn next(&mut self, problems: &mut Problems) -> Option<FileMessage> {
        loop {
            let mut message = match &mut self.kind {
                MessageReader::Mcap(messages) => messages.next(problems),
                MessageReader::Sqlite(messages) => messages.next(problems),
            }?;
            // Messages that are compressed one by one tell themselves: CDR begins with a zero.
            if !message.bytes.starts_with(&unpack::ZSTD_MAGIC) {
                return Some(message);
            }
            match unpack::message(&message.bytes) {
                Ok(bytes) => {
                    message.bytes = bytes.into();
                    return Some(message);
                }
                Err(error) => problems
                    .note(&self.name, &format!("a compressed message was left out: {error}")),
            }
        }
    }
}

fn readable(
    path: &Path,
    name: &str,
    is_compressed: bool,
    problems: &mut Problems,
) -> Result<Unpacked, BagError> {
    if is_compressed { unpack::file(path, name, problems) } else { Ok(Unpacked::as_is(path)) }
}

/// What a file's first bytes say.
enum Kind {
    Mcap,
    Sqlite,
    Zstd,
    Ros1,
    Empty,
    Other,
}

impl Kind {
    fn of(path: &Path) -> Result<Self, BagError> {
        let mut first = [0; 16];
        let mut file = regular_file::open(path).map_err(BagError::not_regular(path))?;
        let mut filled = 0;
        while filled < first.len() {
            match file.read(&mut first[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(BagError::io(path)(error)),
            }
        }
        let first = &first[..filled];
        Ok(match first {
            [] => Self::Empty,
            _ if first.starts_with(mcap::MAGIC) => Self::Mcap,
            _ if first.starts_with(b"SQLite format 3\0") => Self::Sqlite,
            _ if first.starts_with(&unpack::ZSTD_MAGIC) => Self::Zstd,
            _ if first.starts_with(b"#ROSBAG V") => Self::Ros1,
            _ => Self::Other,
        })
    }
}

/// Whether a file is named as of this kind, compressed or not.
fn is_named(path: &Path, extension: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".zstd").unwrap_or(&name);
    name.ends_with(&format!(".{extension}"))
}

/// Whether a message of this size is read.
pub fn has_room(bytes: u64) -> bool {
    bytes <= BAG_MESSAGE_BYTES_MAX as u64
}

/// `sensor_msgs/msg/JointState`, also where `sensor_msgs/JointState` is written.
pub fn ros_type_name(given: &str) -> String {
    match given.split_once('/') {
        Some((package, name)) if !name.contains('/') => format!("{package}/msg/{name}"),
        _ => given.to_owned(),
    }
}
