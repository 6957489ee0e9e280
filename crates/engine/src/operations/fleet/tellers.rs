//! Who told a memory, and what of them is not as here.

use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::{FLEET_TELLERS_READ_MAX, FLEET_TELLERS_SHOWN_MAX};
use robot_memory_core::model::{Scope, Stamp, Status};
use robot_memory_db::{Hearsay, ReadTx};
use std::collections::BTreeSet;

/// Who told a memory.
#[derive(Debug, Default)]
pub(crate) struct Tellers {
    /// Names of robots, in order.
    pub robots: Vec<String>,
    /// When one of them told it last, by its clock.
    pub told_at: Option<Stamp>,
    /// How many of them tell it of their own experience.
    pub independent_count: u32,
    /// What of all of them is not as here.
    pub transfer: Vec<String>,
}

/// What a statement may depend on: what one robot has that another may lack.
const PARTS: [&str; 3] = ["robot_type", "gripper", "map_id"];

/// What of [`PARTS`] is not here as it is with all who tell something.
pub(super) fn transfer<'t>(
    there: impl Iterator<Item = [&'t str; 3]>,
    here: &[String; 3],
) -> Vec<String> {
    let there: Vec<[&str; 3]> = there.collect();
    let mut transfer = Vec::new();
    for (part, (name, here)) in PARTS.into_iter().zip(here).enumerate() {
        let there: BTreeSet<&str> = there.iter().map(|it| it[part]).collect();
        // Where it was told by one that has the same, it holds for that.
        if here.is_empty() || there.contains(&**here) {
            continue;
        }
        let there: Vec<&str> = there.into_iter().filter(|it| !it.is_empty()).collect();
        if !there.is_empty() {
            transfer.push(format!("{name}: {} there, {here} here", there.join(", ")));
        }
    }
    transfer
}

impl Operations {
    /// Deletes a memory of the fleet that no robot tells any more; returns whether it did. One that was forgotten here stays as
    /// it is, so that its words are known.
    pub(super) fn remove_untold(&self, tx: &WriteTx<'_>, id: i64, now: Stamp) -> Result<bool> {
        let is_active = tx.memory(id, false)?.is_some_and(|it| it.status == Status::Active);
        if !is_active {
            return Ok(false);
        }
        if tx.has_teller(id)? {
            // What attempts here say may be of what others tell from now on.
            tx.tell_ruling_again(id)?;
            return Ok(false);
        }
        Ok(tx.remove(id, now)?.is_some())
    }

    /// The memories here that a robot of the fleet tells, its newest first, at most `n`: ids, which give no right to read.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn memories_told_by(&self, robot: &str, n: usize) -> Result<Vec<i64>, ApiError> {
        let read =
            || -> Result<Vec<i64>> { self.store.read(|tx| Ok(tx.memories_told_by(robot, n)?)) };
        Ok(read()?)
    }

    /// Who told a memory; of another scope than `fleet` nobody did.
    pub(crate) fn told_by(
        &self,
        tx: &ReadTx<'_>,
        memory_id: i64,
        scope: &Scope,
    ) -> robot_memory_db::Result<Tellers> {
        if *scope != Scope::Fleet {
            return Ok(Tellers::default());
        }
        let tellers = tx.tellers(memory_id, FLEET_TELLERS_READ_MAX)?;
        let robots: BTreeSet<&str> = tellers.iter().map(|it| it.origin.as_str()).collect();
        let is_own = |it: &&Hearsay| it.roots.iter().any(|root| root.origin == it.origin);
        let independent: BTreeSet<&str> =
            tellers.iter().filter(is_own).map(|it| it.origin.as_str()).collect();
        let parts = tellers.iter().map(|it| [&*it.robot_type, &*it.gripper, &*it.map_id]);
        Ok(Tellers {
            independent_count: u32::try_from(independent.len()).unwrap_or(u32::MAX),
            told_at: tellers.iter().map(|it| it.told_at).max(),
            robots: robots.into_iter().take(FLEET_TELLERS_SHOWN_MAX).map(str::to_owned).collect(),
            transfer: transfer(parts, &self.here()),
        })
    }

    /// What this robot has of [`PARTS`].
    pub(super) fn here(&self) -> [String; 3] {
        let body = self.config.fleet.as_ref().map(|member| member.body.clone()).unwrap_or_default();
        // The map may change while it runs.
        let map_id = self.map_id().unwrap_or_else(|| self.config.map_id.clone());
        [body.robot_type, body.gripper, map_id]
    }
}
