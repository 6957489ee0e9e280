//! Writes that wait in the write queue until the store takes them.

use crate::operations::check;
use crate::{Engine, Error, Result, StoreState};
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::limits::{WRITE_QUEUE_APPEND_BYTES_MAX, WRITE_QUEUE_REJECTED_BYTES_MAX};
use robot_memory_core::model::Stamp;
use robot_memory_db::write_queue::{Record, Rejected, WriteDraft, WriteQueue};
use robot_memory_db::{self as store, Locked};
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How the write queue is doing.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriteQueueHealth {
    /// Whether there is one: writes that the store cannot take wait.
    pub is_open: bool,
    pub queued: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether all its space is taken: a full disk does not matter to it.
    pub is_reserved: bool,
    /// Writes that were stored out of it since the start.
    pub replayed: u64,
    /// Writes that could not be, since the start.
    pub rejected: u64,
}

/// The engine's write queue.
pub(super) struct WaitingWrites {
    /// `None` when it is off, or cannot be opened as yet.
    pub(super) queue: Mutex<Option<WriteQueue>>,
    pub(super) rejected: Rejected,
    path: PathBuf,
    bytes_max: u64,
    /// As many as the queue has, to be asked before each write.
    count: AtomicU64,
    pub(super) replayed_count: AtomicU64,
    pub(super) rejected_count: AtomicU64,
    logged: AtomicBool,
}

impl WaitingWrites {
    /// Nothing is opened yet. Without a path of its own it is beside the store.
    pub fn at(path: Option<&Path>, store_path: &Path, bytes_max: u64) -> Self {
        let path = path.map_or_else(
            || store::with_suffix(store_path, ".write_queue.jsonl"),
            Path::to_path_buf,
        );
        let rejected = store::with_suffix(&path, ".rejected.jsonl");
        let rejected = Rejected::at(rejected, WRITE_QUEUE_REJECTED_BYTES_MAX);
        Self {
            queue: Mutex::new(None),
            rejected,
            path,
            bytes_max,
            count: AtomicU64::new(0),
            replayed_count: AtomicU64::new(0),
            rejected_count: AtomicU64::new(0),
            logged: AtomicBool::new(false),
        }
    }

    /// To be called with each change of the queue, while it is locked.
    pub(super) fn count(&self, queue: &WriteQueue) {
        self.count.store(queue.count(), Ordering::Release);
    }
}

/// What goes into the queue.
pub(super) fn draft(
    operation: &'static str,
    key: String,
    key_hash: String,
    at: Stamp,
    request: &impl Serialize,
) -> Result<WriteDraft> {
    let request = serde_json::to_string(request)
        .and_then(RawValue::from_string)
        .map_err(|error| check::invalid(format!("it cannot be kept for later: {error}")))?;
    Ok(WriteDraft { at, operation, key, key_hash, request })
}

impl Engine {
    /// Opens the write queue, when there is to be one and it is not open.
    pub(super) fn open_queue(&self) {
        let waiting = &self.waiting;
        if waiting.bytes_max == 0 || self.store.is_reading_only() {
            return;
        }
        let mut place = waiting.queue.locked();
        if place.is_some() {
            return;
        }
        match WriteQueue::open(&waiting.path, waiting.bytes_max) {
            Ok(mut queue) => {
                let known = self.store.read(|tx| tx.replayed_until(queue.queue_id()));
                let lost = queue.pass_over(known.unwrap_or_default());
                if lost > 0 {
                    log::error!(
                        "{lost} writes that waited cannot be read: their lines are damaged"
                    );
                    waiting.rejected_count.fetch_add(lost, Ordering::Relaxed);
                }
                if queue.count() > 0 {
                    log::info!("{} writes wait in the write queue", queue.count());
                }
                waiting.count(&queue);
                waiting.logged.store(false, Ordering::Relaxed);
                *place = Some(queue);
            }
            Err(error) => {
                if !waiting.logged.swap(true, Ordering::Relaxed) {
                    log::warn!("{}: {error}", waiting.path.display());
                }
            }
        }
    }

    /// Makes the write queue's file anew when it was removed.
    pub(super) fn keep_queue_in_place(&self) {
        let mut place = self.waiting.queue.locked();
        if let Some(Err(error)) = place.as_mut().map(WriteQueue::keep_in_place)
            && !self.waiting.logged.swap(true, Ordering::Relaxed)
        {
            log::warn!("{}: {error}", self.waiting.path.display());
        }
    }

    /// Takes a little of the space of the write queue; answers whether there is more to take.
    pub(super) fn reserve_queue(&self) -> bool {
        let mut place = self.waiting.queue.locked();
        let Some(queue) = &mut *place else { return false };
        // Of a former attempt something may be left.
        match queue.erase().and_then(|()| queue.reserve()) {
            Ok(has_more) => has_more,
            Err(error) => {
                log::debug!("the write queue's space: {error}");
                false
            }
        }
    }

    /// Whether writes that may wait go into the queue: the store does not take them, or others wait.
    pub(super) fn must_queue(&self) -> bool {
        if self.waiting.bytes_max == 0 || self.closing.load(Ordering::Relaxed) {
            return false;
        }
        self.waiting.count.load(Ordering::Acquire) > 0 || self.store_state() != StoreState::Writable
    }

    /// The write queue, and up to which number it was replayed; `None`: it is not open.
    pub(super) fn replayed(&self) -> Option<(String, u64)> {
        let place = self.waiting.queue.locked();
        place.as_ref().map(|queue| (queue.queue_id().to_owned(), queue.done_until()))
    }

    /// Whether writes may wait at all.
    pub(super) fn has_queue(&self) -> bool {
        self.waiting.bytes_max > 0
    }

    /// Calls `f` with each write that waits, in order.
    pub(super) fn each_waiting(&self, f: impl FnMut(Record)) {
        if let Some(queue) = &*self.waiting.queue.locked()
            && let Err(error) = queue.each(f)
        {
            log::warn!("the write queue cannot be read: {error}");
        }
    }

    /// Whether a write with this key waits.
    pub(super) fn is_queued(&self, key: &str) -> bool {
        self.waiting.queue.locked().as_ref().is_some_and(|queue| queue.key_hash(key).is_some())
    }

    /// Whether what met this error can wait.
    pub(super) fn may_wait_for(&self, error: &Error) -> bool {
        if !self.has_queue() || self.closing.load(Ordering::Relaxed) {
            return false;
        }
        match error {
            Error::Store(fault) => fault.is_passing() || matches!(fault, store::Error::Corrupt(_)),
            // Another write found out while this one waited for its turn.
            Error::Api(error) => {
                let state = self.store_state();
                error.kind == ErrorKind::Unavailable
                    && matches!(
                        state,
                        StoreState::Locked | StoreState::Damaged | StoreState::Blocked(_)
                    )
            }
        }
    }

    /// Puts writes into the queue, in their order; what waits already under the same key is not put
    /// there again.
    pub(super) fn queue_all(&self, drafts: Vec<WriteDraft>) -> Result<()> {
        let mut place = self.waiting.queue.locked();
        if place.is_none() {
            drop(place);
            self.open_queue();
            place = self.waiting.queue.locked();
        }
        let state = self.store_state();
        let no_queue = || refusal(&state, "the write queue cannot be opened");
        let queue = place.as_mut().ok_or_else(no_queue)?;
        let drafts = fresh(queue, drafts)?;
        let outcome = append_all(queue, drafts, &state);
        self.waiting.count(queue);
        outcome
    }

    /// How it is doing.
    pub(super) fn queue_health(&self) -> WriteQueueHealth {
        let waiting = &self.waiting;
        let place = waiting.queue.locked();
        let queue = place.as_ref();
        WriteQueueHealth {
            is_open: queue.is_some(),
            queued: queue.map_or(0, WriteQueue::count),
            bytes: queue.map_or(0, WriteQueue::bytes),
            is_reserved: queue.is_some_and(WriteQueue::is_reserved),
            replayed: waiting.replayed_count.load(Ordering::Relaxed),
            rejected: waiting.rejected_count.load(Ordering::Relaxed),
        }
    }
}

fn append_all(queue: &mut WriteQueue, drafts: Vec<WriteDraft>, state: &StoreState) -> Result<()> {
    let mut append = |drafts| {
        queue.append(drafts).map_err(|error| Error::from(refusal(state, &error.to_string())))
    };
    let (mut together, mut bytes) = (Vec::with_capacity(drafts.len()), 0);
    for draft in drafts {
        let more = draft.request.get().len();
        // Of more than can be added by one call, the first part is added before.
        if !together.is_empty() && bytes + more > WRITE_QUEUE_APPEND_BYTES_MAX / 4 {
            append(std::mem::take(&mut together))?;
            bytes = 0;
        }
        bytes += more;
        together.push(draft);
    }
    append(together)
}

/// Without what waits already under the same key.
fn fresh(queue: &WriteQueue, drafts: Vec<WriteDraft>) -> Result<Vec<WriteDraft>> {
    let mut fresh = Vec::with_capacity(drafts.len());
    for draft in drafts {
        match queue.key_hash(&draft.key).filter(|_| !draft.key.is_empty()) {
            None => fresh.push(draft),
            Some(hash) if hash == draft.key_hash => {}
            Some(_) => {
                return Err(check::invalid(
                    "idempotency_key: it was used for a different request, which waits to be stored; \
                     take a new key",
                ));
            }
        }
    }
    Ok(fresh)
}

fn refusal(state: &StoreState, why: &str) -> ApiError {
    let state = match state {
        StoreState::Writable => "others wait to be stored".to_owned(),
        StoreState::Blocked(reason) => format!("writes are refused: {reason}"),
        state => format!("the store cannot be written ({})", state.as_str()),
    };
    ApiError::unavailable(format!("{state}, and {why}"))
}
