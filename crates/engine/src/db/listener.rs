//! Whoever listens to what was committed. No writer ever waits for it: only as much waits as there is
//! room for; one more is left out and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

/// What is handed over at a time.
const BATCH_MAX: usize = 64;

/// One who listens, as those know it who tell.
#[derive(Debug)]
pub(crate) struct Listener<T> {
    told: SyncSender<T>,
    dropped: Arc<AtomicU64>,
}

/// What one who listens is told.
#[derive(Debug)]
pub(crate) struct Told<T> {
    told: Receiver<T>,
    dropped: Arc<AtomicU64>,
}

/// The two ends; `waiting_max` may wait to be taken.
pub(crate) fn listen<T>(waiting_max: usize) -> (Listener<T>, Told<T>) {
    let (sender, receiver) = sync_channel(waiting_max.max(1));
    let dropped = Arc::new(AtomicU64::new(0));
    let listener = Listener { told: sender, dropped: Arc::clone(&dropped) };
    (listener, Told { told: receiver, dropped })
}

impl<T> Listener<T> {
    /// Answers whether somebody still listens.
    pub fn tell(&self, what: T) -> bool {
        match self.told.try_send(what) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        }
    }

    /// How much was left out.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl<T> Told<T> {
    /// Waits, and answers what is there, at most 64; nothing after the timeout.
    pub fn next(&self, timeout: Duration) -> Vec<T> {
        match self.told.recv_timeout(timeout) {
            Ok(first) => {
                std::iter::once(first).chain(self.told.try_iter().take(BATCH_MAX - 1)).collect()
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Vec::new(),
        }
    }

    /// Counts what was taken and could not be shown.
    pub fn drop_taken(&self, count: usize) {
        self.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// How much was left out.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}
