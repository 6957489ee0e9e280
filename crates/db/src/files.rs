//! Files and folders beside the store: whose they are, and what room there is.

use super::{Error, Result};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Bytes of a file that are read at a time.
const READ_BYTES: usize = 1 << 20;

/// A path with more at its end.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// The folder that a file is, or will be, in.
pub fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Makes a folder that only this user may read, if it is not there.
pub fn make_private_folder(folder: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(Error::io("cannot make the folder", folder))
}

/// A new file that only this user may read; one that is there is emptied.
pub fn new_private_file(path: &Path) -> Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .map_err(Error::io("cannot make", path))
}

/// Copies a file to a new one that only this user may read.
pub fn copy_private(from: &Path, to: &Path) -> Result<()> {
    let io = Error::io("cannot copy to", to);
    copy_open(&File::open(from).map_err(io)?, to)
}

/// The same of a file that is open already, and stays so: with any descriptor of a database that is closed,
/// a copy of one too, the process loses SQLite's locks on it.
pub fn copy_open(from: &File, to: &Path) -> Result<()> {
    let io = Error::io("cannot copy to", to);
    let mut target = new_private_file(to)?;
    let mut part = vec![0; READ_BYTES];
    let mut at = 0;
    loop {
        match from.read_at(&mut part, at) {
            Ok(0) => return target.sync_all().map_err(io),
            Ok(count) => {
                target.write_all(&part[..count]).map_err(io)?;
                at += count as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(io(error)),
        }
    }
}

/// Bytes in lower case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A store's file that is removed, with what SQLite puts beside it, unless it got its final name.
pub struct Part(pub PathBuf);

impl Drop for Part {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            // Mostly there is none.
            let _ = std::fs::remove_file(with_suffix(&self.0, suffix));
        }
    }
}

/// The SHA-256 of a file's bytes, in hexadecimal digits.
pub fn sha256_of(path: &Path) -> Result<String> {
    let io = Error::io("cannot read", path);
    let mut file = File::open(path).map_err(io)?;
    let mut digest = Sha256::new();
    let mut part = vec![0; READ_BYTES];
    loop {
        match file.read(&mut part).map_err(io)? {
            0 => return Ok(hex(&digest.finalize())),
            count => digest.update(&part[..count]),
        }
    }
}

/// Lets the name of a new file outlive a loss of power.
pub fn sync_folder_of(path: &Path) -> Result<()> {
    let folder = folder_of(path);
    let io = Error::io("cannot write", folder);
    File::open(folder).map_err(io)?.sync_all().map_err(io)
}

/// Bytes that are free for this user on the disk of a folder; `None` when that is not known.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}
