//! Finding out that a store that could not be written can be again.

use crate::{Engine, Error, Result, StoreState};
use std::sync::atomic::Ordering;

impl Engine {
    /// Looks, once a second, whether a store that could not be written can be again, then stores what
    /// waits. Answers whether more waits that can be stored at once.
    pub(super) fn recover(&self) -> Result<bool> {
        if self.closing.load(Ordering::Relaxed) || self.store.is_reading_only() {
            return Ok(false);
        }
        match self.store_state() {
            StoreState::Writable => {}
            StoreState::Blocked(_) | StoreState::Damaged => return Ok(false),
            StoreState::Full | StoreState::Locked | StoreState::ReadOnly => {
                if !self.fault.is_probe_due() || !self.is_writable_again()? {
                    return Ok(false);
                }
            }
        }
        self.open_queue();
        match self.replay() {
            Ok(has_more) => Ok(has_more | self.reserve_queue()),
            Err(Error::Store(fault)) if fault.is_passing() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether it can be; then it is.
    fn is_writable_again(&self) -> Result<bool> {
        let outcome = match self.store.open_again() {
            Ok(true) => {
                self.fault.clear();
                log::info!("the store can be written");
                // What waits names clips that would be taken for nobody's.
                self.open_queue();
                self.begin_run();
                return Ok(true);
            }
            Ok(false) => self.store.probe(),
            Err(error) => Err(error),
        };
        match outcome {
            Ok(()) => {
                self.fault.clear();
                Ok(true)
            }
            Err(fault) if fault.is_passing() => {
                self.fault.note(&fault);
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What is done when a store was opened for writing.
    pub(super) fn begin_run(&self) {
        if let Err(error) = self.begin_sharing() {
            log::error!("what is told to the fleet is not noted, and nothing is told: {error}");
        }
        if let Err(error) = self.release_jobs() {
            // Their leases run out by themselves.
            log::warn!("jobs that the last run left were not released: {error}");
        }
        if let Err(error) = self.forget_outdated_without_backups() {
            log::warn!("data that no backup has is still marked as outdated: {error}");
        }
        if let Err(error) = self.remove_orphan_clips() {
            log::warn!("clips were not looked at: {error}");
        }
    }
}
