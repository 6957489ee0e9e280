//! Tokens that prove who calls: a file that says of each, by its hash, whose it is and what it may do.

use robot_memory_core::limits::{TOKEN_FILE_BYTES_MAX, TOKEN_NAME_BYTES_MAX};
use robot_memory_core::regular_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Random bytes of a token: nobody guesses it, so that a plain hash of it keeps it.
const SECRET_BYTES: usize = 32;
/// What a token begins with, so that a person and a scanner know what it is.
const PREFIX: &str = "rmt_";

/// What the holder of a token may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// What reads.
    Reader,
    /// And what a task stores: memories, attempts, sessions, corrections.
    Planner,
    /// Everything.
    Operator,
}

impl Profile {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Reader, Self::Planner, Self::Operator];

    /// As it is spelled.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Planner => "planner",
            Self::Operator => "operator",
        }
    }
}

/// A token, as the file keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// For people.
    pub name: String,
    /// Who calls, for the access policy; empty: the operator.
    pub agent: String,
    /// What it may call.
    pub profile: Profile,
    /// SHA-256 of the token, in hexadecimal.
    sha256: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    tokens: Vec<Token>,
}

/// Why a token file is not used, or not changed.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The operating system refused it.
    #[error("{path}: {1}", path = .0.display())]
    File(PathBuf, io::Error),
    /// Others than its owner may read or write it.
    #[error("{path} may be read or written by others (mode {1:o}): chmod 600 {path}", path = .0.display())]
    Open(PathBuf, u32),
    /// It is somebody else's.
    #[error("{path} is of another user (uid {1})", path = .0.display())]
    Owner(PathBuf, u32),
    /// It is not as this program writes it.
    #[error("{path} is no token file: {1}", path = .0.display())]
    Format(PathBuf, String),
    /// What is to be added is not well formed, or there already.
    #[error("{0}")]
    Refused(String),
}

/// The tokens of a file. It is read again when it has changed.
#[derive(Debug)]
pub struct TokenFile {
    path: PathBuf,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Of the file that was read: another one, or another state of it, differs in one of these.
    seen: Option<Seen>,
    tokens: Arc<[Token]>,
    /// The last trouble with it that was logged.
    trouble: String,
}

/// Device, inode, size, seconds and nanoseconds of the last change.
type Seen = (u64, u64, u64, i64, i64);

impl TokenFile {
    /// The file of this path, which need not be there.
    pub fn new(path: PathBuf) -> Self {
        Self { path, known: Mutex::default() }
    }

    /// Whose token this is; `None`: nobody's. A file that cannot be used has no tokens, and the log says why.
    pub fn find(&self, secret: &str) -> Option<Token> {
        self.find_hashed(&hashed(secret))
    }

    /// The same of a token of which the hash is known.
    pub fn find_hashed(&self, sha256: &str) -> Option<Token> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = std::fs::metadata(&self.path).ok().map(|found| seen(&found));
        if seen.is_none() || seen != known.seen {
            let (tokens, trouble) = match read(&self.path) {
                Ok(content) => (content.tokens, String::new()),
                Err(TokenError::File(_, error)) if error.kind() == ErrorKind::NotFound => {
                    (Vec::new(), String::new())
                }
                Err(error) => {
                    // What the operating system refused may be over by the next request.
                    if matches!(error, TokenError::File(..)) {
                        seen = None;
                    }
                    (Vec::new(), error.to_string())
                }
            };
            if !trouble.is_empty() && trouble != known.trouble {
                log::error!("no token is accepted: {trouble}");
            }
            *known = Known { seen, tokens: tokens.into(), trouble };
        }
        known.tokens.iter().find(|token| token.sha256 == sha256).cloned()
    }
}

fn seen(found: &std::fs::Metadata) -> Seen {
    (found.dev(), found.ino(), found.size(), found.ctime(), found.ctime_nsec())
}

/// The token file of a store, unless another one is named.
pub fn beside(store_path: &Path) -> PathBuf {
    with_ending(store_path, ".tokens.json")
}

/// Adds a token to the file, which is made when it is not there. Answers the token itself, which is kept
/// nowhere.
///
/// # Errors
/// When its name is there already or is not well formed, or the file cannot be written.
pub fn add(path: &Path, name: &str, agent: &str, profile: Profile) -> Result<String, TokenError> {
    for (field, text) in [("NAME", name), ("agent", agent)] {
        if text.len() > TOKEN_NAME_BYTES_MAX || text.chars().any(char::is_control) {
            let why = format!(
                "{field}: must have at most {TOKEN_NAME_BYTES_MAX} bytes and no control characters, got {} bytes",
                text.len()
            );
            return Err(TokenError::Refused(why));
        }
    }
    if name.is_empty() {
        return Err(TokenError::Refused("NAME: must not be empty".to_owned()));
    }
    if agent.is_empty() && profile != Profile::Operator {
        let why =
            "agent: must be given unless the profile is operator: nobody else is the operator";
        return Err(TokenError::Refused(why.to_owned()));
    }
    let _lock = lock(path)?;
    let mut content = read_or_empty(path)?;
    if content.tokens.iter().any(|token| token.name == name) {
        let why = format!("{} has a token {name} already; remove it first", path.display());
        return Err(TokenError::Refused(why));
    }
    let secret = new_secret()
        .map_err(|error| TokenError::File("the random number generator".into(), error))?;
    content.tokens.push(Token {
        name: name.to_owned(),
        agent: agent.to_owned(),
        profile,
        sha256: hashed(&secret),
    });
    write(path, &content)?;
    Ok(secret)
}

/// Takes a token out of the file.
///
/// # Errors
/// When there is none of this name, or the file cannot be written.
pub fn remove(path: &Path, name: &str) -> Result<(), TokenError> {
    let _lock = lock(path)?;
    let mut content = read(path)?;
    let count = content.tokens.len();
    content.tokens.retain(|token| token.name != name);
    if content.tokens.len() == count {
        return Err(TokenError::Refused(format!("{} has no token {name}", path.display())));
    }
    write(path, &content)
}

/// All tokens of the file, in the order in which they were added; none when there is no file.
///
/// # Errors
/// When it cannot be read.
pub fn list(path: &Path) -> Result<Vec<Token>, TokenError> {
    Ok(read_or_empty(path)?.tokens)
}

/// A token that nobody has.
pub(super) fn new_secret() -> io::Result<String> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{PREFIX}{}", hexadecimal(&bytes)))
}

/// What is kept of a secret.
pub(super) fn hashed(secret: &str) -> String {
    hexadecimal(&Sha256::digest(secret))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn read_or_empty(path: &Path) -> Result<Content, TokenError> {
    match read(path) {
        Err(TokenError::File(_, error)) if error.kind() == ErrorKind::NotFound => {
            Ok(Content::default())
        }
        read => read,
    }
}

fn read(path: &Path) -> Result<Content, TokenError> {
    let fault = |error| TokenError::File(path.to_owned(), error);
    let file = regular_file::open(path).map_err(fault)?;
    let found = file.metadata().map_err(fault)?;
    if found.mode() & 0o077 != 0 {
        return Err(TokenError::Open(path.to_owned(), found.mode() & 0o777));
    }
    // In a folder where others may write, somebody else's file would be theirs to fill.
    let own = std::fs::metadata("/proc/self").map_err(fault)?.uid();
    if found.uid() != own && found.uid() != 0 && own != 0 {
        return Err(TokenError::Owner(path.to_owned(), found.uid()));
    }
    let mut text = String::new();
    file.take(TOKEN_FILE_BYTES_MAX).read_to_string(&mut text).map_err(fault)?;
    serde_json::from_str(&text)
        .map_err(|error| TokenError::Format(path.to_owned(), error.to_string()))
}

/// Lets no other process change the file until it is dropped.
fn lock(path: &Path) -> Result<File, TokenError> {
    let beside = with_ending(path, ".lock");
    let options = &mut OpenOptions::new();
    let file = options.write(true).create(true).truncate(false).mode(0o600).open(&beside);
    file.and_then(|file| file.lock().map(|()| file))
        .map_err(|error| TokenError::File(beside, error))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut with = path.as_os_str().to_owned();
    with.push(ending);
    with.into()
}

/// Whole or not at all, and on disk when it returns.
fn write(path: &Path, content: &Content) -> Result<(), TokenError> {
    let fault = |error| TokenError::File(path.to_owned(), error);
    let mut text = serde_json::to_string_pretty(content)
        .map_err(|error| TokenError::Format(path.to_owned(), error.to_string()))?;
    text.push('\n');
    if text.len() as u64 > TOKEN_FILE_BYTES_MAX {
        let why = format!("{} would have more than {TOKEN_FILE_BYTES_MAX} bytes", path.display());
        return Err(TokenError::Refused(why));
    }
    // Only who holds the lock is here; what is there was left by one that was killed.
    let beside = with_ending(path, ".new");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let written = (|| {
        let _ = std::fs::remove_file(&beside);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        // With sudo it stays the file of whom the node runs as.
        let owner = std::fs::metadata(path).or_else(|_| std::fs::metadata(folder))?;
        let made = file.metadata()?;
        if made.uid() != owner.uid() && made.uid() == 0 {
            fchown(&file, Some(owner.uid()), Some(owner.gid()))?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)?;
        File::open(folder)?.sync_all()
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_token_is_known_by_its_hash_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let file = TokenFile::new(path.clone());
        assert_eq!(file.find("rmt_0"), None);
        let secret = add(&path, "planner", "arm", Profile::Planner).unwrap();
        let other = add(&path, "root", "", Profile::Operator).unwrap();
        assert_ne!(secret, other);
        assert!(!std::fs::read_to_string(&path).unwrap().contains(&secret[PREFIX.len()..]));
        let known = file.find(&secret).unwrap();
        assert_eq!((known.agent.as_str(), known.profile), ("arm", Profile::Planner));
        assert_eq!(file.find(&secret[..secret.len() - 1]), None);
        remove(&path, "planner").unwrap();
        assert_eq!(file.find(&secret), None);
        assert_eq!(file.find(&other).unwrap().name, "root");
        assert_eq!(list(&path).unwrap().len(), 1);
    }

    #[test]
    fn what_is_not_well_formed_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let refused = |name: &str, agent: &str, profile| {
            add(&path, name, agent, profile).unwrap_err().to_string()
        };
        assert!(refused("", "a", Profile::Reader).contains("NAME"));
        assert!(refused("x", "", Profile::Planner).contains("agent: must be given"));
        assert!(refused(&"x".repeat(129), "a", Profile::Reader).contains("128"));
        add(&path, "x", "a", Profile::Reader).unwrap();
        assert!(refused("x", "a", Profile::Reader).contains("already"));
        assert!(remove(&path, "y").unwrap_err().to_string().contains("no token y"));
    }

    #[test]
    fn a_file_that_others_may_read_has_no_tokens() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let secret = add(&path, "x", "a", Profile::Reader).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert_eq!(TokenFile::new(path.clone()).find(&secret), None);
        assert!(list(&path).unwrap_err().to_string().contains("chmod 600"));
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert!(TokenFile::new(path).find(&secret).is_some());
    }
}
