//! The work that no caller waits for, and the engine's beginning and end.

use super::vectors::EMBED_BATCH;
use crate::db::Outcome;
use crate::{Engine, Error, Result, StoreState};
use robot_memory_core::api::ApiError;
use robot_memory_core::signature;
use robot_memory_db::Locked;
use robot_memory_index::{SpatialField, SpatialIndex};
use std::sync::atomic::Ordering;

/// Signatures that are made again in one go.
const REMADE_BATCH: u32 = 64;
/// In [`Engine::signatures_after`], when no signature of another version is left.
const ALL_REMADE: i64 = i64::MAX;

impl Engine {
    /// Does a little of the work that no caller waits for: repairs a damaged store, stores what waits in
    /// the write queue, builds an index that is not there yet, writes the access counts of recalled rows,
    /// fills in missing vectors of texts and pictures, deletes events beyond their bounds, moves the log into the file. Answers
    /// whether there is more to do at once.
    pub fn upkeep(&self) -> Result<bool, ApiError> {
        self.repair_when_due()?;
        self.upkeep_round().map_err(|error| {
            if let Error::Store(fault) = &error {
                self.follow_fault(fault);
            }
            error.into()
        })
    }

    fn upkeep_round(&self) -> Result<bool> {
        self.store.sync_acknowledged();
        // A log that was removed is met by the next write, too, but what is in it must not wait for one.
        if !self.store.is_reading_only()
            && let Err(error) = self.store.check_in_place()
        {
            log::debug!("{error}");
        }
        self.keep_queue_in_place();
        let has_waiting = self.recover()?;
        self.build_missing()?;
        self.renew_spatial();
        let state = self.store_state();
        if matches!(state, StoreState::Locked | StoreState::ReadOnly) {
            return Ok(false);
        }
        let mut has_more = has_waiting;
        if state == StoreState::Writable {
            self.write_accesses()?;
            // What a caller wrote into one may wait.
            if !self.must_queue() {
                self.mark_interrupted_attempts()?;
            }
            self.bound_waiting()?;
            has_more |= self.remake_signatures()? | self.embed_missing()? | self.make_picture()?;
            match self.renew_lessons() {
                Ok(more) => has_more |= more,
                // Brief tells them all the same.
                Err(error) => log::error!("lessons of attempts were not written: {error}"),
            }
            match self.renew_rulings() {
                Ok(more) => has_more |= more,
                Err(error) => {
                    log::error!("what others told was not held against attempts: {error}")
                }
            }
        }
        self.store.checkpoint_passive()?;
        self.store.erase_log_if_due()?;
        // On a full disk this makes room.
        has_more |= self.hold_event_bounds()?;
        if let Err(error) = self.store.check_when_due() {
            log::error!("the check of the store's file failed: {error}");
        }
        if let Err(error) = self.look_over_when_due() {
            log::error!("the check of the store failed: {error}");
        }
        self.note_beside(false);
        Ok(has_more)
    }

    /// Writes what waits and closes the store. Calls after it are refused with `unavailable`.
    pub fn close(&self) -> Result<(), ApiError> {
        self.closing.store(true, Ordering::Relaxed);
        if let Err(error) = self.write_accesses() {
            log::warn!("access counts were not written: {error}");
        }
        self.note_beside(true);
        self.store.close().map_err(|error| crate::Error::from(error).into())
    }

    /// Gives vectors to some rows that have none of the present model. Answers whether more rows
    /// wait and it pays to go on. A row whose text cannot be embedded does not hold up the others:
    /// it is tried again once all have had their turn. Many rows are left to a job, where there are
    /// workers and the embedder is well.
    fn embed_missing(&self) -> Result<bool> {
        let Some(model) = self.model() else {
            return Ok(false);
        };
        let after = self.embed_after.load(Ordering::Relaxed);
        let missing = self.missing_vectors(&model, after)?;
        let is_full = missing.len() >= EMBED_BATCH;
        if is_full && self.config.jobs.has_workers && !self.has_embed_fault() {
            match self.queue_embedding() {
                Ok(_) => return Ok(false),
                // The queue is full: what it is full of goes on, and so does this.
                Err(Error::Api(error)) => log::debug!("no job fills in vectors: {error}"),
                Err(error) => return Err(error),
            }
        }
        let last = missing.last().filter(|_| is_full).copied().unwrap_or(0);
        self.embed_after.store(last, Ordering::Relaxed);
        let made = self.make_vectors(&missing)?;
        if made.is_empty() {
            return Ok(false);
        }
        self.write(|tx| {
            let embedded = self.put_vectors(tx, made)?;
            Ok(Outcome::of(!embedded.is_empty(), ()))
        })?;
        Ok(is_full)
    }

    /// Whether the embedder failed when it was asked last.
    fn has_embed_fault(&self) -> bool {
        self.embed_fault.locked().is_some()
    }

    /// Makes some signatures of another version again, from the data of their perceptions. Answers
    /// whether more rows wait.
    fn remake_signatures(&self) -> Result<bool> {
        let after = self.signatures_after.load(Ordering::Relaxed);
        if after == ALL_REMADE {
            return Ok(false);
        }
        let outdated = self
            .store
            .read(|tx| tx.outdated_signatures(signature::VERSION, after, REMADE_BATCH))?;
        let Some(last) = outdated.last() else {
            self.signatures_after.store(ALL_REMADE, Ordering::Relaxed);
            return Ok(false);
        };
        self.write(|tx| {
            for id in &outdated {
                let memory = tx.memory(*id, true)?;
                match memory.as_ref().and_then(|memory| self.signature_of(memory)) {
                    Some(felt) => self.put_signature(tx, *id, &felt)?,
                    None => tx.delete_signature(*id)?,
                }
            }
            Ok(Outcome::Changed(()))
        })?;
        self.signatures_after.store(*last, Ordering::Relaxed);
        Ok(true)
    }

    /// Takes the points that lately came into the trees, beside the work.
    fn renew_spatial(&self) {
        let due: Vec<SpatialField> = {
            let derived = self.derived();
            let fields = derived.spatial_fields().cloned();
            fields
                .filter(|field| derived.spatial(field).is_some_and(|index| index.is_due()))
                .collect()
        };
        for field in due {
            let plan = self.derived().spatial(&field).and_then(SpatialIndex::plan);
            let Some(plan) = plan else { continue };
            let built = plan.run();
            let replaced = self.change_indexes(|derived| {
                derived.spatial_mut(&field).map(|index| index.install(built))
            });
            // What was replaced takes a while to be freed; the indexes are not held meanwhile.
            drop(replaced);
        }
    }
}
