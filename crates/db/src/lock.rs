//! Who may write a store: one process, which holds two locks.
//!
//! One is on the file `<store>.lock`, whose name a person sees, and which is there also while the store's
//! file is put aside and a new one begun. The other is on the store's file itself, whatever path leads to
//! it: it is held where the first was removed, or lies in another folder.

use super::acknowledged::Acknowledged;
use super::files::with_suffix;
use super::{Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::mem::zeroed;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The byte of the store's file that is locked. It is in the page that SQLite keeps free for locks, and
/// none of those that SQLite locks itself (the first 512 of that page).
const LOCKED_BYTE: libc::off_t = 0x4000_0000 + 1024;

/// Both locks. They are let go when this is dropped, also when a copy of a descriptor is still open, as in
/// a child process between its fork and its exec.
#[derive(Debug)]
pub struct StoreLock {
    path: PathBuf,
    beside: Option<File>,
    /// Of the store's file. To be closed after all of SQLite's connections to it: with any descriptor that
    /// is closed the process loses SQLite's own locks on that file.
    inside: Option<File>,
}

impl StoreLock {
    /// The lock beside a store, whose file need not be there yet: [`StoreLock::hold_file`] is to follow.
    ///
    /// # Errors
    /// [`Error::InUse`] when another process has it.
    pub fn beside(path: &Path) -> Result<Self> {
        let name = with_suffix(path, ".lock");
        let io = Error::io("cannot lock", &name);
        let options = &mut OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
        Self::of(path, Some(options.open(&name).map_err(io)?))
    }

    /// The locks of a store that is only read for now, as far as they can be taken: on a file system that
    /// takes nothing nobody else can write either.
    ///
    /// # Errors
    /// [`Error::InUse`] when another process has it.
    pub fn if_possible(path: &Path) -> Result<Self> {
        let mut lock = match Self::beside(path) {
            Err(error) if error.is_passing() => {
                Self::of(path, File::open(with_suffix(path, ".lock")).ok())?
            }
            lock => lock?,
        };
        lock.hold_file()?;
        Ok(lock)
    }

    fn of(path: &Path, beside: Option<File>) -> Result<Self> {
        let lock = Self { path: path.into(), beside, inside: None };
        match lock.beside.as_ref().map(File::try_lock) {
            None | Some(Ok(())) => Ok(lock),
            Some(Err(TryLockError::WouldBlock)) => Err(lock.in_use(with_suffix(path, ".lock"))),
            Some(Err(TryLockError::Error(source))) => {
                Err(Error::io("cannot lock", &with_suffix(path, ".lock"))(source))
            }
        }
    }

    /// Locks the file that is at the store's path now, in the place of a former one.
    ///
    /// # Errors
    /// [`Error::InUse`] when another process has it.
    pub fn hold_file(&mut self) -> Result<()> {
        let io = Error::io("cannot lock", &self.path);
        // What cannot be written cannot be locked for writing, and another's lock is met all the same.
        let (file, kind) = match OpenOptions::new().read(true).write(true).open(&self.path) {
            Ok(file) => (file, libc::F_WRLCK),
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied
                ) =>
            {
                (File::open(&self.path).map_err(io)?, libc::F_RDLCK)
            }
            Err(error) => return Err(io(error)),
        };
        match set_lock(&file, kind) {
            Ok(()) => {
                self.inside = Some(file);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                Err(self.in_use(self.path.clone()))
            }
            Err(error) => Err(io(error)),
        }
    }

    /// Makes the file beside the store anew when it was removed, with what is noted in it.
    ///
    /// # Errors
    /// When it cannot be made, or another process has made it and holds it.
    pub fn keep_beside(&mut self) -> Result<()> {
        let Some(former) = &self.beside else { return Ok(()) };
        if with_suffix(&self.path, ".lock").exists() {
            return Ok(());
        }
        let noted = Acknowledged::read(former);
        let mut made = Self::beside(&self.path)?;
        if let (Some(file), Some(noted)) = (&made.beside, noted) {
            let io = Error::io("cannot write", &self.path);
            noted.write(file).and_then(|()| file.sync_all()).map_err(io)?;
        }
        self.beside = made.beside.take();
        Ok(())
    }

    /// The store's file, which stays open as long as this.
    pub fn file(&self) -> Option<&File> {
        self.inside.as_ref()
    }

    /// The file beside the store, in which is noted what was acknowledged.
    pub fn note_file(&self) -> Option<&File> {
        self.beside.as_ref()
    }

    fn in_use(&self, lock: PathBuf) -> Error {
        Error::InUse { store: self.path.clone(), lock }
    }
}

impl Drop for StoreLock {
    fn drop(&mut self) {
        let unlocked = self.inside.as_ref().map(|file| set_lock(file, libc::F_UNLCK));
        let let_go = self.beside.as_ref().map(File::unlock);
        for fault in [unlocked, let_go].into_iter().flatten().filter_map(io::Result::err) {
            log::debug!("a lock of {} goes with its descriptor: {fault}", self.path.display());
        }
    }
}

/// Takes or gives back the lock of [`LOCKED_BYTE`]. It belongs to the open file and not to the process, as
/// SQLite's do: it neither meets those nor goes when another descriptor of the file is closed.
fn set_lock(file: &File, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: a flock is numbers, of which all may be 0.
    let mut wanted: libc::flock = unsafe { zeroed() };
    wanted.l_type = kind as libc::c_short;
    wanted.l_whence = libc::SEEK_SET as libc::c_short;
    wanted.l_start = LOCKED_BYTE;
    wanted.l_len = 1;
    // SAFETY: the descriptor is open for as long as `file` is borrowed, and the command reads one flock.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const wanted) };
    if answer == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    // Both are said where another has the lock.
    let is_held = matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES));
    Err(if is_held { ErrorKind::WouldBlock.into() } else { error })
}
