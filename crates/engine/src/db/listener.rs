//! Whoever listens to what was committed. No writer ever waits for it: only as much waits as there is
//! room for; one more is left out and counted.

use robot_memory_db::Locked;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is handed over at a time.
const BATCH_MAX: usize = 64;

/// What is told from now on, each once, in its order. Only as much waits as there is room for; one more
/// is left out and counted, and no writer ever waits for who listens.
#[derive(Debug)]
pub struct Subscription<T> {
    queue: Receiver<T>,
    dropped: Arc<AtomicU64>,
}

/// Those who listen.
#[derive(Debug)]
pub(crate) struct ListenerSet<T>(Mutex<Vec<Listener<T>>>);

#[derive(Debug)]
struct Listener<T> {
    queue: SyncSender<T>,
    dropped: Arc<AtomicU64>,
}

impl<T> Default for ListenerSet<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> ListenerSet<T> {
    /// One more, and what it will be told; `waiting_max` may wait to be taken.
    pub fn add(&self, waiting_max: usize) -> Subscription<T> {
        let (sender, receiver) = sync_channel(waiting_max.max(1));
        let dropped = Arc::new(AtomicU64::new(0));
        self.0.locked().push(Listener { queue: sender, dropped: Arc::clone(&dropped) });
        Subscription { queue: receiver, dropped }
    }

    /// Tells those who still listen, in this order.
    pub fn publish(&self, all: impl IntoIterator<Item = T>) {
        let mut listeners = self.0.locked();
        for what in all {
            listeners.retain(|listener| listener.offer(what.clone()));
        }
    }

    /// How much was left out of what those who listen now were to be told.
    pub fn dropped(&self) -> u64 {
        self.0.locked().iter().map(|listener| listener.dropped.load(Ordering::Relaxed)).sum()
    }
}

impl<T> Listener<T> {
    /// Answers whether somebody still listens.
    fn offer(&self, what: T) -> bool {
        match self.queue.try_send(what) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => {
                self.dropped.fetch_add(1, Ordering::Relaxed);
                true
            }
            Err(TrySendError::Disconnected(_)) => false,
        }
    }
}

impl<T> Subscription<T> {
    /// Waits, and answers what is there, at most 64; nothing after the timeout.
    pub fn next(&self, timeout: Duration) -> Vec<T> {
        match self.queue.recv_timeout(timeout) {
            Ok(first) => {
                std::iter::once(first).chain(self.queue.try_iter().take(BATCH_MAX - 1)).collect()
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Vec::new(),
        }
    }

    /// Counts what was taken and could not be shown.
    pub(crate) fn drop_taken(&self, count: usize) {
        self.dropped.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// How much was left out.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}
