//! Who told a memory, and what of them is not as here.

use crate::db::WriteTx;
use crate::{Operations, Result};
use robot_memory_core::limits::{FLEET_TELLERS_READ_MAX, FLEET_TELLERS_SHOWN_MAX};
use robot_memory_core::model::{Stamp, Status};
use robot_memory_db::{Hearsay, ReadTx};
use std::collections::BTreeSet;

/// Who told a memory.
#[derive(Debug, Default)]
pub(crate) struct Tellers {
    /// Names of robots, in order.
    pub robots: Vec<String>,
    /// How many of them tell it of their own experience.
    pub independent_count: u32,
    /// What of all of them is not as here.
    pub transfer: Vec<String>,
}

/// What one robot has that another may lack, by its name.
type Part = (&'static str, fn(&Hearsay) -> &str);

/// What a statement may depend on.
const PARTS: [Part; 3] = [
    ("robot_type", |it| &it.robot_type),
    ("gripper", |it| &it.gripper),
    ("map_id", |it| &it.map_id),
];

impl Operations {
    /// Deletes a memory of the fleet that no robot tells any more; returns whether it did. One that was forgotten here stays as
    /// it is, so that its words are known.
    pub(super) fn remove_untold(&self, tx: &WriteTx<'_>, id: i64, now: Stamp) -> Result<bool> {
        let is_active = tx.memory(id, false)?.is_some_and(|it| it.status == Status::Active);
        if !is_active || tx.has_teller(id)? {
            return Ok(false);
        }
        Ok(tx.remove(id, now)?.is_some())
    }

    /// Who told a memory of the scope `fleet`.
    pub(crate) fn told_by(&self, tx: &ReadTx<'_>, memory_id: i64) -> Result<Tellers> {
        let tellers = tx.tellers(memory_id, FLEET_TELLERS_READ_MAX)?;
        let robots: BTreeSet<&str> = tellers.iter().map(|it| it.origin.as_str()).collect();
        let is_own = |it: &&Hearsay| it.roots.iter().any(|root| root.origin == it.origin);
        let independent: BTreeSet<&str> =
            tellers.iter().filter(is_own).map(|it| it.origin.as_str()).collect();
        let body = self.body();
        let here = [body.robot_type.as_str(), body.gripper.as_str(), self.config.map_id.as_str()];
        let mut transfer = Vec::new();
        for ((name, of), here) in PARTS.iter().zip(here) {
            let there: BTreeSet<&str> = tellers.iter().map(of).collect();
            // Where it was told by one that has the same, it holds for that.
            if here.is_empty() || there.contains(here) {
                continue;
            }
            let there: Vec<&str> = there.into_iter().filter(|it| !it.is_empty()).collect();
            if !there.is_empty() {
                transfer.push(format!("{name}: {} there, {here} here", there.join(", ")));
            }
        }
        Ok(Tellers {
            independent_count: u32::try_from(independent.len()).unwrap_or(u32::MAX),
            robots: robots.into_iter().take(FLEET_TELLERS_SHOWN_MAX).map(str::to_owned).collect(),
            transfer,
        })
    }
}
