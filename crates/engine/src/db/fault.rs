//! A store that cannot be written: what kind of fault it is.

use super::{Db, Result};
use crate::Error;
use robot_memory_db::{self as store, Locked, RwLocked};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two looks whether a store can be written again, and two attempts to store what waits.
const PROBE_PERIOD: Duration = Duration::from_secs(1);
/// A fault that comes back within this time is not told again.
const LOG_PERIOD: Duration = Duration::from_secs(60);

/// Whether the store takes writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreState {
    /// It does.
    Writable,
    /// The disk or the configured size is full.
    Full,
    /// Another program holds the file.
    Locked,
    /// The file system is read-only, or the disk fails.
    ReadOnly,
    /// The file is damaged, and not repaired yet.
    Damaged,
    /// Writes are refused, for this reason.
    Blocked(String),
}

impl StoreState {
    /// One word.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Writable => "writable",
            Self::Full => "full",
            Self::Locked => "locked",
            Self::ReadOnly => "read_only",
            Self::Damaged => "damaged",
            Self::Blocked(_) => "blocked",
        }
    }

    /// Of what the store said; `None`: that is no fault of its file.
    fn of(fault: &store::Error) -> Option<Self> {
        match fault {
            store::Error::Full(_) => Some(Self::Full),
            store::Error::Busy(_) | store::Error::Waiting => Some(Self::Locked),
            store::Error::ReadOnly(_) => Some(Self::ReadOnly),
            store::Error::Io { source, .. } if fault.is_passing() => match source.kind() {
                std::io::ErrorKind::ReadOnlyFilesystem => Some(Self::ReadOnly),
                _ => Some(Self::Full),
            },
            _ => None,
        }
    }
}

/// The fault that the store has, if any.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    noted: Mutex<FaultState>,
    /// Whether there is one, to be asked before each write.
    is_there: AtomicBool,
}

/// Which fault there is, when it was last tried whether it is over, and what was last said of it.
#[derive(Debug, Default)]
struct FaultState {
    state: Option<StoreState>,
    /// When it was looked last whether it is over.
    probed: Option<Instant>,
    /// What was told last, and when.
    logged: Option<(StoreState, Instant)>,
}

impl Fault {
    /// What it is now.
    fn state(&self) -> Option<StoreState> {
        if !self.is_there.load(Ordering::Acquire) {
            return None;
        }
        self.noted.locked().state.clone()
    }

    /// Notes what the store said, when that is a fault of its file.
    pub fn note(&self, fault: &store::Error) {
        let Some(state) = StoreState::of(fault) else { return };
        let mut noted = self.noted.locked();
        // Why a store that was opened without being written waits is known better from then.
        let is_known = noted.state.as_ref() == Some(&state)
            || matches!(fault, store::Error::Waiting) && noted.state.is_some();
        if is_known {
            return;
        }
        noted.probed = Some(Instant::now());
        let is_logged = noted
            .logged
            .as_ref()
            .is_some_and(|(logged, when)| *logged == state && when.elapsed() < LOG_PERIOD);
        if !is_logged {
            log::warn!("{fault}");
            noted.logged = Some((state.clone(), Instant::now()));
        }
        noted.state = Some(state);
        self.is_there.store(true, Ordering::Release);
    }

    /// Notes that the store was written.
    pub fn note_written(&self) {
        if self.is_there.load(Ordering::Acquire) {
            self.clear();
        }
    }

    /// Notes that there is none any more.
    pub fn clear(&self) {
        let mut noted = self.noted.locked();
        if let Some(state) = noted.state.take() {
            log::debug!("the store is not {} any more", state.as_str());
        }
        self.is_there.store(false, Ordering::Release);
    }

    /// Whether it is time to look whether it is over.
    pub fn is_probe_due(&self) -> bool {
        let mut noted = self.noted.locked();
        let is_due = noted.probed.is_none_or(|probed| probed.elapsed() >= PROBE_PERIOD);
        if is_due {
            noted.probed = Some(Instant::now());
        }
        is_due
    }
}

impl Db {
    /// Whether the store takes writes now, as far as is known.
    pub fn store_state(&self) -> StoreState {
        if let Some(reason) = &*self.blocked.read_locked() {
            return StoreState::Blocked(reason.clone());
        }
        if self.store.is_damaged() {
            return StoreState::Damaged;
        }
        self.fault.state().unwrap_or(StoreState::Writable)
    }

    /// Refuses a write that would only wait: nobody is kept waiting for who holds the file, one after
    /// the other. A full or read-only disk refuses at once by itself, and what frees room must be tried.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if let Some(reason) = &*self.blocked.read_locked() {
            return Err(Error::unavailable(format!("writes are refused: {reason}")));
        }
        if self.store.is_damaged() {
            let message = "the store is damaged, and is being repaired; try again";
            return Err(Error::unavailable(message));
        }
        if self.fault.state() == Some(StoreState::Locked) {
            return Err(Error::unavailable(
                "the store is locked by another program; it is tried again each second",
            ));
        }
        Ok(())
    }
}
