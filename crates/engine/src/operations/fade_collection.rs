//! At the end of a session belief in its whole collection fades: one mark, however many memories there are.

use crate::db::WriteTx;
use crate::{Error, Operations, Result};
use robot_memory_core::access::{MemTypes, Visibility};
use robot_memory_core::api::{EndSession, Operation};
use robot_memory_core::model::{Belief, FRESH_DAYS, Scope, Stamp};
use robot_memory_db::Fading;
use robot_memory_index::{Change, Derived};
use std::collections::BTreeMap;

impl Operations {
    /// Counts the days of all memories of a collection up to now, when those of any are due; answers of how
    /// many that are seen they are.
    pub(super) fn fade_collection(
        &self,
        tx: &WriteTx<'_>,
        collection: &str,
        visibility: &Visibility,
        now: Stamp,
    ) -> Result<u64> {
        // By a clock that was set back a little nothing is counted until it has caught up.
        if tx.fading(collection)?.is_some_and(|mark| now <= mark.until) {
            return Ok(0);
        }
        let due = {
            let derived = self.derived();
            if derived.revision() != Some(tx.revision()?) {
                let behind = "the indexes are behind the store; try again";
                return Err(Error::unavailable(behind));
            }
            due(&derived, &tx.changes(), collection, visibility, now)
        };
        if due.count > 0 {
            let Fading { until, last_id, .. } = tx.set_fading(collection, now, EndSession::NAME)?;
            tx.index(Change::Faded { collection: collection.into(), until, last_id });
        }
        Ok(due.seen_count)
    }
}

/// Whether the days of a memory are to be counted: it has faded since, and they were not counted for a day.
fn is_due(belief: Belief, now: Stamp) -> bool {
    let is_fresh = belief.left_at(belief.counted_until) >= belief.said;
    (is_fresh || now.days_since(belief.counted_until) > FRESH_DAYS)
        && belief.left_at(now) < belief.confidence()
}

/// What fades in a collection.
#[derive(Debug, Default)]
struct Due {
    count: u64,
    seen_count: u64,
}

/// What is due now.
fn due(
    derived: &Derived,
    changes: &[Change],
    collection: &str,
    visibility: &Visibility,
    now: Stamp,
) -> Due {
    // What this very transaction has written of them.
    let written: BTreeMap<i64, Belief> = changes
        .iter()
        .filter_map(|change| match change {
            Change::Belief { id, belief } => Some((*id, *belief)),
            _ => None,
        })
        .collect();
    let rows = &derived.rows;
    let mut seen_types: BTreeMap<u32, MemTypes> = BTreeMap::new();
    let mut due = Due::default();
    for slot in rows.of_collection(collection).iter() {
        let Some(facts) = rows.facts(slot) else { continue };
        let Some(belief) = rows.fading_belief(slot) else { continue };
        let belief = written.get(&facts.id).copied().unwrap_or(belief);
        if !is_due(belief, now) {
            continue;
        }
        due.count += 1;
        let mem_types = seen_types.entry(facts.scope).or_insert_with(|| {
            let scope = rows.names().name(facts.scope).and_then(|name| Scope::parse(name).ok());
            scope.map_or_else(MemTypes::default, |scope| visibility.of(&scope))
        });
        due.seen_count += u64::from(mem_types.has(facts.mem_type));
    }
    due
}
