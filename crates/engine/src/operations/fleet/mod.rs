//! One robot among others: what it tells them of its memories, and what it takes of what they tell.
//!
//! A change of a memory is noted in the transaction of its cause, by triggers of the store, and told later as a claim. What
//! others tell becomes memories of the scope `fleet`, which are hearsay: known, marked, and nothing that this robot counts
//! as its own experience.

mod incoming;
mod outgoing;
mod tellers;

pub use incoming::Taken;
pub(crate) use tellers::Tellers;

use crate::db::Outcome;
use crate::{Operations, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::FLEET_WAITING_MAX;
use robot_memory_db::{FleetPosition, FleetTotals, HearsayTotal};

/// What a robot told its fleet, and what it was told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FleetSummary {
    /// What it told.
    pub totals: FleetTotals,
    /// How far it took the fleet's stream.
    pub position: FleetPosition,
    /// What each robot told, in order of name.
    pub told_by: Vec<HearsayTotal>,
    /// Whether the access policy has nothing told.
    pub shares_nothing: bool,
}

impl Operations {
    /// What was told, and taken.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn fleet_summary(&self) -> Result<FleetSummary, ApiError> {
        let read = || -> Result<FleetSummary> {
            self.store.read(|tx| {
                Ok(FleetSummary {
                    totals: tx.fleet_totals()?,
                    position: tx.fleet_position()?,
                    told_by: tx.hearsay_totals()?,
                    shares_nothing: self.access.sharing.is_nothing(),
                })
            })
        };
        Ok(read()?)
    }

    /// Lets the store note changes for the fleet from now on, or no longer, as the configuration says.
    pub(crate) fn begin_or_end_sharing(&self) -> Result<()> {
        let is_member = self.config.fleet.is_some();
        let is_behind = self.store.missing_commits() > 0;
        if self.store.read(|tx| tx.is_sharing())? == is_member && !(is_member && is_behind) {
            return Ok(());
        }
        self.write(|tx| {
            if is_member {
                tx.begin_sharing(is_behind)?
            } else {
                tx.end_sharing()?
            }
            Ok(Outcome::Changed(()))
        })
    }

    /// Lets no more memories wait to be told than are bounded.
    pub(super) fn bound_waiting(&self) -> Result<()> {
        if self.store.read(|tx| tx.fleet_totals())?.waiting_count <= FLEET_WAITING_MAX {
            return Ok(());
        }
        let dropped = self.write(|tx| Ok(Outcome::Changed(tx.drop_waiting(FLEET_WAITING_MAX)?)))?;
        if dropped > 0 {
            log::warn!(
                "{dropped} memories are not told to the fleet: more than {FLEET_WAITING_MAX} wait, and these are the \
                 least important"
            );
        }
        Ok(())
    }
}
