use super::BagError;
use super::file::{BagFile, Topic, UNKNOWN_SPAN, is_named};
use super::merge::{Filter, Member, Messages};
use super::metadata::Metadata;
use super::problems::Problems;
use robot_memory_core::model::Stamp;
use robot_memory_core::regular_file;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes of `metadata.yaml` that are read: it has some hundred a topic.
const METADATA_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A bag: a folder with `metadata.yaml`, or one of its files.
#[derive(Debug)]
pub struct BagReader {
    path: PathBuf,
    topics: Vec<Topic>,
    members: Vec<Member>,
    problems: Problems,
}

impl BagReader {
    /// Opens a folder, or one file of MCAP or sqlite3, also compressed by zstd, and reads which
    /// topics it has. A file without an index, as one that was torn, is read through for that.
    ///
    /// # Errors
    /// When there is nothing that can be read as a bag.
    pub fn open(path: &Path) -> Result<Self, BagError> {
        let mut problems = Problems::default();
        let is_folder = std::fs::metadata(path).map_err(BagError::io(path))?.is_dir();
        let folder = match path.file_name() {
            _ if is_folder => Some(path),
            Some(name) if name == Metadata::FILE => Some(path.parent().unwrap_or(path)),
            _ => None,
        };
        let (files, counted) = match folder {
            Some(folder) => files(folder, &mut problems)?,
            None => (vec![path.to_owned()], None),
        };
        let is_single = files.len() == 1;
        let mut members = Vec::new();
        let mut by_name: BTreeMap<(String, String), Topic> = BTreeMap::new();
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            match BagFile::open(&file, &name, &mut problems) {
                Ok(file) => {
                    for topic in &file.contents.topics {
                        let key = (topic.name.clone(), topic.type_name.clone());
                        let known = by_name
                            .entry(key)
                            .or_insert_with(|| Topic { message_count: 0, ..topic.clone() });
                        known.message_count += topic.message_count;
                        if known.definition.is_empty() {
                            known.definition = Arc::clone(&topic.definition);
                        }
                    }
                    members.push(Member { file, topics: Vec::new() });
                }
                Err(error) if is_single => return Err(error),
                Err(error) => problems.note(&name, &format!("it was left out: {error}")),
            }
        }
        if members.is_empty() {
            let reason = problems.lines().join("; ");
            return Err(BagError::NoBag { path: path.to_owned(), reason });
        }
        for member in &mut members {
            let place = |topic: &Topic| {
                let mut keys = by_name.keys();
                keys.position(|key| (&key.0, &key.1) == (&topic.name, &topic.type_name))
            };
            member.topics = member.file.contents.topics.iter().filter_map(place).collect();
        }
        let reader = Self {
            path: path.to_owned(),
            topics: by_name.into_values().collect(),
            members,
            problems,
        };
        Ok(reader.compared(counted))
    }

    /// What was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its topics, in order of name.
    pub fn topics(&self) -> &[Topic] {
        &self.topics
    }

    /// The log times of its first and last message; `None` when there is none, or they are not known.
    pub fn span(&self) -> Option<(Stamp, Stamp)> {
        let spans = || {
            let all = self.members.iter().filter_map(|member| member.file.contents.span);
            all.filter(|span| *span != UNKNOWN_SPAN)
        };
        Some((spans().map(|span| span.0).min()?, spans().map(|span| span.1).max()?))
    }

    /// Its messages, in order of log time across files.
    pub fn messages(&mut self, filter: Filter) -> Messages<'_> {
        Messages::new(&self.members, &mut self.problems, filter)
    }

    /// What could not be read so far, a sentence each.
    pub fn problems(&self) -> Vec<String> {
        self.problems.lines()
    }

    /// Notes when fewer messages are there than the metadata counts.
    fn compared(mut self, counted: Option<u64>) -> Self {
        let found: u64 = self.topics.iter().map(|topic| topic.message_count).sum();
        if let Some(counted) = counted.filter(|counted| found < *counted) {
            let what = format!("it counts {counted} messages; {found} are there");
            self.problems.note(Metadata::FILE, &what);
        }
        self
    }
}

/// The files of a folder, and how many messages its metadata counts. Without metadata, or with one
/// that is damaged or names no file, all that look like files of a bag.
fn files(folder: &Path, problems: &mut Problems) -> Result<(Vec<PathBuf>, Option<u64>), BagError> {
    let metadata_path = folder.join(Metadata::FILE);
    let metadata = match metadata_text(&metadata_path) {
        Ok(text) => Metadata::parse(&text)
            .map_err(|reason| problems.note(Metadata::FILE, &format!("it is damaged: {reason}")))
            .unwrap_or_default(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Metadata::default(),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            return Err(BagError::not_regular(&metadata_path)(error));
        }
        Err(error) => {
            problems.note(Metadata::FILE, &format!("it could not be read: {error}"));
            Metadata::default()
        }
    };
    let named = metadata.files(folder);
    let (there, missing): (Vec<PathBuf>, Vec<PathBuf>) =
        named.into_iter().partition(|file| file.is_file());
    for file in missing {
        problems.note(Metadata::FILE, &format!("it names {}, which is missing", file.display()));
    }
    if !there.is_empty() {
        return Ok((there, metadata.message_count));
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(BagError::io(folder))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && (is_named(path, "mcap") || is_named(path, "db3")))
        .collect();
    found.sort();
    if found.is_empty() {
        let said = problems.lines();
        let reason = match said.as_slice() {
            [] => "it has neither metadata.yaml nor files of MCAP or sqlite3".to_owned(),
            said => said.join("; "),
        };
        return Err(BagError::NoBag { path: folder.to_owned(), reason });
    }
    Ok((found, metadata.message_count))
}

fn metadata_text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    regular_file::open(path)?.take(METADATA_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > METADATA_BYTES_MAX {
        return Err(io::Error::other(format!("it has more than {METADATA_BYTES_MAX} bytes")));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
