//! Storing what waits in the write queue: in its order, each write once.
//!
//! What a write does and that it is done is one transaction. Whatever the end of the process leaves of the
//! queue's file, the store says up to which number it is done.

use super::db::Outcome;
use super::queued::Waits;
use super::queued_event::RECORD;
use super::record::{CheckedEvent, Recording};
use super::{Engine, Error, Result};
use robot_memory_core::api::{
    ApiError, ErrorKind, Forget, Learn, Operation, SavePerception, Texts, Update,
};
use robot_memory_db::WriteTx;
use robot_memory_db::write_queue::{Read, Record, RejectedLine, WriteQueue};
use robot_memory_index::Change;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::atomic::Ordering;

/// Perceptions that are stored with one wait for the disk: between two such batches callers write.
const BATCH: usize = 32;
/// Bytes of their requests.
const BATCH_BYTES: usize = 1 << 20;

/// A write that waited, checked, read and embedded again.
enum Prepared {
    Learn(Box<<Learn as Waits>::Checked>),
    SavePerception(Box<<SavePerception as Waits>::Checked>),
    Update(Box<<Update as Waits>::Checked>),
    Forget(Box<<Forget as Waits>::Checked>),
    Event(Box<CheckedEvent>),
}

/// What became of a batch.
#[derive(Default)]
struct Done {
    replayed: u64,
    rejected: u64,
}

impl Engine {
    /// Stores some of what waits, and answers whether more does. A write that can never be stored is
    /// counted, kept beside the queue, and passed over.
    ///
    /// # Errors
    /// When the store cannot be written, or the queue not be read: then nothing was stored.
    pub(super) fn replay(&self) -> Result<bool> {
        let (queue_id, batch) = {
            let place = self.waiting.lock();
            let Some(queue) = &*place else { return Ok(false) };
            (queue.queue_id().to_owned(), next_batch(queue)?)
        };
        let Some(until) = batch.last().map(|read| read.number) else { return Ok(false) };
        let mut prepared = Vec::with_capacity(batch.len());
        for read in batch {
            let outcome = match &read.record {
                Some(record) => self.checked_again(record),
                None => Err(damaged()),
            };
            if let Err(Error::Api(error)) = &outcome
                && error.kind == ErrorKind::Unavailable
            {
                // It is not known what time it is.
                return Ok(false);
            }
            prepared.push((read, outcome));
        }
        let done = self.write(|tx, changes| {
            let done = self.apply_all(tx, changes, &queue_id, prepared)?;
            tx.set_replayed_until(&queue_id, until)?;
            Ok(Outcome::Changed(done))
        })?;
        self.waiting.replayed_count.fetch_add(done.replayed, Ordering::Relaxed);
        self.waiting.rejected_count.fetch_add(done.rejected, Ordering::Relaxed);
        let mut place = self.waiting.lock();
        let Some(queue) = &mut *place else { return Ok(false) };
        if let Err(error) = queue.pass(until) {
            log::warn!("what was stored stays in the write queue for now: {error}");
        }
        self.waiting.count(queue);
        if queue.count() == 0 {
            log::info!("all writes that waited are stored");
        }
        Ok(queue.count() > 0)
    }

    fn apply_all(
        &self,
        tx: &WriteTx<'_>,
        changes: &mut Vec<Change>,
        queue_id: &str,
        prepared: Vec<(Read, Result<Prepared>)>,
    ) -> Result<Done> {
        let done_until = tx.replayed_until(queue_id)?.unwrap_or(0);
        let mut done = Done::default();
        for (read, prepared) in prepared {
            if read.number <= done_until {
                continue;
            }
            let count = changes.len();
            let outcome = prepared.and_then(|it| tx.savepoint(|tx| self.apply(tx, changes, it)));
            let error = match outcome {
                Ok(()) => {
                    done.replayed += 1;
                    continue;
                }
                Err(Error::Api(error)) if error.kind != ErrorKind::Unavailable => error,
                // A fault of this one: the next attempt would meet it again.
                Err(Error::Store(fault)) if fault.is_of_content() => Error::Store(fault).into(),
                Err(error) => return Err(error),
            };
            changes.truncate(count);
            done.rejected += 1;
            self.keep_rejected(queue_id, &read, &error);
        }
        Ok(done)
    }

    /// Checks a write again: policy, and what is never stored, may be others by now.
    fn checked_again(&self, record: &Record) -> Result<Prepared> {
        match record.operation.as_str() {
            Learn::NAME => Ok(Prepared::Learn(self.checked::<Learn>(record)?)),
            SavePerception::NAME => {
                Ok(Prepared::SavePerception(self.checked::<SavePerception>(record)?))
            }
            Update::NAME => Ok(Prepared::Update(self.checked::<Update>(record)?)),
            Forget::NAME => Ok(Prepared::Forget(self.checked::<Forget>(record)?)),
            RECORD => {
                let checked = self.check_event(request::<Recording>(record)?)?;
                Ok(Prepared::Event(Box::new(checked)))
            }
            other => {
                Err(ApiError::invalid_argument(format!("operation: {other:?} is none that waits"))
                    .into())
            }
        }
    }

    fn checked<Op>(&self, record: &Record) -> Result<Box<Op::Checked>>
    where
        Op: Waits,
        Op::Request: Clone + Serialize + DeserializeOwned + Texts,
    {
        let request: Op::Request = request(record)?;
        self.secrets().check(&request)?;
        let mut checked = Op::check(self, request)?;
        *Op::at(&mut checked) = record.at;
        Ok(Box::new(checked))
    }

    fn apply(&self, tx: &WriteTx<'_>, changes: &mut Vec<Change>, prepared: Prepared) -> Result<()> {
        match prepared {
            Prepared::Learn(checked) => Learn::store(self, tx, changes, *checked).map(drop),
            Prepared::SavePerception(checked) => {
                SavePerception::store(self, tx, changes, *checked).map(drop)
            }
            Prepared::Update(checked) => Update::store(self, tx, changes, *checked).map(drop),
            Prepared::Forget(checked) => Forget::store(self, tx, changes, *checked).map(drop),
            Prepared::Event(checked) => self.store_event(tx, changes, *checked).map(drop),
        }
    }

    /// Keeps what can never be stored for a person to look at, but for what is never stored, and what
    /// was to be said of a memory that is gone.
    fn keep_rejected(&self, queue_id: &str, read: &Read, error: &ApiError) {
        let record = read.record.as_ref();
        let operation = record.map_or("", |record| record.operation.as_str());
        let may_keep = error.kind != ErrorKind::Refused
            && operation != Update::NAME
            && operation != Forget::NAME;
        log::warn!(
            "a write that waited cannot be stored: number {}, {operation}: {}",
            read.number,
            error.kind
        );
        let kept = self.waiting.rejected.keep(&RejectedLine {
            number: read.number,
            queue_id,
            at: record.map_or(0, |record| record.at.0),
            operation,
            error: error.kind.as_str(),
            request: record.filter(|_| may_keep).map(|record| &*record.request),
        });
        match kept {
            Ok(true) => {}
            Ok(false) => log::warn!("it is not kept: the file of rejected writes is full"),
            Err(error) => log::warn!("it is not kept: {error}"),
        }
    }
}

/// What is stored next: perceptions together, as they are compared with nothing; else one, which must find
/// the one before it in the indexes.
fn next_batch(queue: &WriteQueue) -> Result<Vec<Read>> {
    let mut batch = queue.first(BATCH, BATCH_BYTES).map_err(|error| ApiError {
        kind: ErrorKind::Internal,
        message: format!("the write queue cannot be read: {error}"),
    })?;
    let is_perception = |read: &Read| {
        let operation = read.record.as_ref().map(|record| record.operation.as_str());
        matches!(operation, Some(RECORD | SavePerception::NAME))
    };
    let together = batch.iter().take_while(|read| is_perception(read)).count();
    batch.truncate(together.max(1));
    Ok(batch)
}

fn request<T: DeserializeOwned>(record: &Record) -> Result<T> {
    // What the error says may be of the request.
    serde_json::from_str(record.request.get())
        .map_err(|_| ApiError::invalid_argument("the request cannot be read").into())
}

fn damaged() -> Error {
    ApiError { kind: ErrorKind::Internal, message: "its line is damaged".into() }.into()
}
