//! The key by which a robot signs: a file that only its owner reads.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{SECRET_KEY_LENGTH, Signer, SigningKey};
use robot_memory_core::limits::KEY_FILE_BYTES_MAX;
use robot_memory_core::regular_file;
use std::fmt::{self, Debug, Formatter, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Random bytes in the name of a file that is not whole yet.
const SUFFIX_BYTES: usize = 8;

/// A key of Ed25519. Nothing shows its secret.
#[derive(Clone)]
pub struct Key(SigningKey);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
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
    #[error("{path} is no key file: must be one line of {SECRET_KEY_LENGTH} bytes in base64, got {1}", path = .0.display())]
    Format(PathBuf, String),
}

impl Key {
    /// The key of a file, which is made with a new key when it is not there.
    ///
    /// # Errors
    /// When it is no key, others may read it, or it cannot be made.
    pub fn open_or_create(path: &Path) -> Result<Self, KeyError> {
        match read(path) {
            Err(KeyError::File(_, error)) if error.kind() == ErrorKind::NotFound => {
                create(path).map_err(|error| KeyError::File(path.to_owned(), error))?;
                read(path)
            }
            read => read,
        }
    }

    /// The key of a file.
    ///
    /// # Errors
    /// When it is not there, is no key, or others may read it.
    pub fn open(path: &Path) -> Result<Self, KeyError> {
        read(path)
    }

    /// The key of a seed.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// What others check its signatures with, in base64.
    pub fn public(&self) -> String {
        STANDARD.encode(self.0.verifying_key().as_bytes())
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.0.sign(bytes).to_bytes()
    }
}

impl Debug for Key {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.public())
    }
}

fn read(path: &Path) -> Result<Key, KeyError> {
    let fault = |error| KeyError::File(path.to_owned(), error);
    let file = regular_file::open(path).map_err(fault)?;
    let found = file.metadata().map_err(fault)?;
    if found.mode() & 0o077 != 0 {
        return Err(KeyError::Open(path.to_owned(), found.mode() & 0o777));
    }
    // In a folder where others may write, somebody else's file would hold a key that is known to them.
    let own = std::fs::metadata("/proc/self").map_err(fault)?.uid();
    if found.uid() != own && found.uid() != 0 && own != 0 {
        return Err(KeyError::Owner(path.to_owned(), found.uid()));
    }
    let mut bytes = Vec::new();
    file.take(KEY_FILE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(fault)?;
    let format = |given: String| KeyError::Format(path.to_owned(), given);
    if bytes.len() as u64 > KEY_FILE_BYTES_MAX {
        return Err(format(format!("more than {KEY_FILE_BYTES_MAX} bytes")));
    }
    let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    let seed = STANDARD.decode(line).ok().and_then(|seed| <[u8; 32]>::try_from(seed).ok());
    seed.map(|seed| Key::from_seed(&seed)).ok_or_else(|| format(format!("{} bytes", bytes.len())))
}

/// Makes the file with a new key, whole and on disk, unless another one has made it meanwhile.
fn create(path: &Path) -> io::Result<()> {
    let mut seed = [0; SECRET_KEY_LENGTH];
    getrandom::fill(&mut seed).map_err(io::Error::other)?;
    let mut suffix = [0; SUFFIX_BYTES];
    getrandom::fill(&mut suffix).map_err(io::Error::other)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(suffix.iter().fold(String::from("."), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }));
    let beside = PathBuf::from(beside);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let made = (|| {
        // Nobody else can read it at any time: it has this mode before it has content.
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(format!("{}\n", STANDARD.encode(seed)).as_bytes())?;
        file.sync_all()?;
        // Unlike a rename it does not replace a key that another process has made and may use.
        match std::fs::hard_link(&beside, path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    })();
    let removed = std::fs::remove_file(&beside);
    made?;
    removed?;
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_is_made_once_and_only_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.key");
        let keys: Vec<String> = std::thread::scope(|scope| {
            let open = || scope.spawn(|| Key::open_or_create(&path).unwrap().public());
            let threads: Vec<_> = (0..8).map(|_| open()).collect();
            threads.into_iter().map(|it| it.join().unwrap()).collect()
        });
        assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        // Nothing is left beside it.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!((text.len(), text.lines().count()), (45, 1));
        let key = Key::open_or_create(&path).unwrap();
        assert!(!format!("{key:?}").contains(text.trim()));
        let other = Key::open_or_create(&folder.path().join("other.key")).unwrap();
        assert_ne!(other.public(), keys[0]);
    }

    #[test]
    fn a_file_that_others_can_read_or_that_is_no_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("robot.key");
        let public = Key::open_or_create(&path).unwrap().public();
        for mode in [0o640, 0o604, 0o622] {
            std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let error = Key::open_or_create(&path).unwrap_err().to_string();
            assert!(error.contains(&format!("mode {mode:o}")), "{error}");
        }
        std::fs::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
        assert_eq!(Key::open_or_create(&path).unwrap().public(), public);
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let line = std::fs::read_to_string(&path).unwrap();
        for text in ["", "AAAA\n", &line[1..], &format!("{line}{line}"), &line.repeat(20)] {
            std::fs::write(&path, text).unwrap();
            let error = Key::open_or_create(&path).unwrap_err();
            assert!(matches!(error, KeyError::Format(..)), "{text:?}: {error}");
            assert!(!error.to_string().contains(&line[..8]), "{error}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "it is left as it was");
        }
        let gone = Key::open_or_create(&folder.path().join("gone/robot.key")).unwrap_err();
        assert!(matches!(gone, KeyError::File(..)), "{gone}");
    }
}
