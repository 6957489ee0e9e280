//! Storing what waits in the write queue: in its order, each write once.
//!
//! What a write does and that it is done is one transaction. Whatever the end of the process leaves of the
//! queue's file, the store says up to which number it is done.

use super::waiting_writes::{Prepared, WriteKind};
use crate::db::Outcome;
use crate::db::WriteTx;
use crate::{Engine, Error, Result};
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_db::Locked;
use robot_memory_db::write_queue::{Read, RejectedLine, WriteQueue};
use std::sync::atomic::Ordering;

/// Perceptions that are stored with one wait for the disk: between two such batches callers write.
const BATCH: usize = 32;
/// Bytes of their requests.
const BATCH_BYTES: usize = 1 << 20;

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
            let place = self.waiting.queue.locked();
            let Some(queue) = &*place else { return Ok(false) };
            (queue.queue_id().to_owned(), next_batch(queue)?)
        };
        let Some(until) = batch.last().map(|read| read.number) else { return Ok(false) };
        let mut prepared = Vec::with_capacity(batch.len());
        for read in batch {
            let outcome = match &read.record {
                Some(record) => self.prepare(record),
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
        let done = self.write(|tx| {
            let done = self.apply_all(tx, &queue_id, prepared)?;
            tx.set_replayed_until(&queue_id, until)?;
            Ok(Outcome::Changed(done))
        })?;
        self.waiting.replayed_count.fetch_add(done.replayed, Ordering::Relaxed);
        self.waiting.rejected_count.fetch_add(done.rejected, Ordering::Relaxed);
        let mut place = self.waiting.queue.locked();
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
        queue_id: &str,
        prepared: Vec<(Read, Result<Prepared<'_>>)>,
    ) -> Result<Done> {
        let done_until = tx.replayed_until(queue_id)?.unwrap_or(0);
        let mut done = Done::default();
        for (read, prepared) in prepared {
            if read.number <= done_until {
                continue;
            }
            let outcome = prepared.and_then(|store| tx.savepoint(|| store(tx)));
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
            done.rejected += 1;
            self.keep_rejected(queue_id, &read, &error);
        }
        Ok(done)
    }

    /// Keeps what can never be stored for a person to look at, but for what is never stored, and what
    /// was to be said of a memory that is gone.
    fn keep_rejected(&self, queue_id: &str, read: &Read, error: &ApiError) {
        let record = read.record.as_ref();
        let operation = record.map_or("", |record| record.operation.as_str());
        let may_keep = error.kind != ErrorKind::Refused
            && WriteKind::named(operation).is_none_or(WriteKind::is_kept_when_rejected);
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
        let kind = read.record.as_ref().and_then(|record| WriteKind::named(&record.operation));
        kind.is_some_and(WriteKind::is_stored_together)
    };
    let together = batch.iter().take_while(|read| is_perception(read)).count();
    batch.truncate(together.max(1));
    Ok(batch)
}

fn damaged() -> Error {
    ApiError { kind: ErrorKind::Internal, message: "its line is damaged".into() }.into()
}
