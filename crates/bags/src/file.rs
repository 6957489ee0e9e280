//! What the two kinds of files have in common.

use super::BagError;
use super::problems::Problems;
use super::unpack::{self, Unpacked};
use super::{mcap_file, sqlite3};
use robot_memory_core::limits::BAG_MESSAGE_BYTES_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_core::regular_file;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Of a file whose times could not be read: its messages may be of any.
pub const UNKNOWN_SPAN: (Stamp, Stamp) = (Stamp(i64::MIN), Stamp(i64::MAX));

/// A topic of a bag, or of one of its files.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topic {
    pub name: String,
    /// `sensor_msgs/msg/JointState`; empty when the bag does not say it.
    pub type_name: String,
    /// The type's definition in the concatenated form of MCAP's `ros2msg`; empty when the bag has
    /// none.
    pub definition: Arc<str>,
    /// How its messages are encoded: `cdr`, nearly always.
    pub encoding: String,
    /// Messages, as far as the bag counts them.
    pub message_count: u64,
    /// How it was offered, YAML; empty when the bag does not say it.
    pub offered_qos: String,
}

/// A recorded message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BagMessage {
    /// Which of [`BagReader::topics`](super::BagReader::topics), or of the file's topics.
    pub topic: usize,
    /// When it was received.
    pub log_time: Stamp,
    /// The message, CDR with its header of four bytes where the topic's encoding is `cdr`.
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
    pub contents: Contents,
}

/// What a file has.
#[derive(Debug)]
pub struct Contents {
    /// One of a name and type may be there several times.
    pub topics: Vec<Topic>,
    /// The times of the first and the last message; `None` when there is no message.
    pub span: Option<(Stamp, Stamp)>,
    pub source: Box<dyn Source>,
}

/// A file of one storage, from which messages can be read.
pub trait Source: fmt::Debug {
    /// Its messages, in order of log time.
    fn messages(
        &self,
        path: &Path,
        name: &str,
        wanted: Wanted,
    ) -> Result<Box<dyn MessageSource>, BagError>;
}

/// The messages of a file, in order of log time.
pub trait MessageSource {
    /// The next message that can be read.
    fn next(&mut self, problems: &mut Problems) -> Option<BagMessage>;
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
            Kind::Mcap => mcap_file::scan(unpacked.path(), name, problems)?,
            Kind::Sqlite => sqlite3::scan(unpacked.path(), path, name, problems)?,
            _ if is_named(path, "mcap") => {
                let mut found = Problems::default();
                let contents = mcap_file::scan(unpacked.path(), name, &mut found)?;
                if contents.topics.is_empty() {
                    return Err(no_bag("its first bytes are not those of MCAP"));
                }
                problems.note(name, "its first bytes are damaged");
                problems.extend(found);
                contents
            }
            _ if is_named(path, "db3") => {
                return Err(no_bag("its first bytes are not those of a database of SQLite"));
            }
            _ => return Err(no_bag("it is neither MCAP nor a database of SQLite")),
        };
        Ok(Self { name: name.to_owned(), path: path.to_owned(), is_compressed, contents })
    }

    /// Its messages, in order of log time.
    pub fn messages(
        &self,
        wanted: Wanted,
        problems: &mut Problems,
    ) -> Result<FileMessages, BagError> {
        let unpacked = readable(&self.path, &self.name, self.is_compressed, problems)?;
        let source = self.contents.source.messages(unpacked.path(), &self.name, wanted)?;
        Ok(FileMessages { name: self.name.clone(), source, _unpacked: unpacked })
    }
}

/// The messages of one file, in order of log time.
pub struct FileMessages {
    name: String,
    source: Box<dyn MessageSource>,
    /// Removed with this.
    _unpacked: Unpacked,
}

impl FileMessages {
    /// The next message that can be read.
    pub fn next(&mut self, problems: &mut Problems) -> Option<BagMessage> {
        loop {
            let mut message = self.source.next(problems)?;
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
        let file = regular_file::open(path).map_err(BagError::not_regular(path))?;
        let mut first = Vec::new();
        file.take(16).read_to_end(&mut first).map_err(BagError::io(path))?;
        Ok(match first.as_slice() {
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
pub fn is_named(path: &Path, extension: &str) -> bool {
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
