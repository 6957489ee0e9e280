//! At the end of a session belief in its whole collection fades: one mark, however many memories there are.

use super::fade::{faded, put_faded};
use super::{Engine, Result};
use crate::access::{MemTypes, Sight};
use crate::api::{ApiError, EndSession, Operation};
use crate::index::{Change, Derived};
use crate::model::{Belief, CONFIDENCE_FLOOR, FRESH_DAYS, Scope, Stamp};
use crate::store::{Fading, WriteTx};
use std::collections::BTreeMap;

/// Memories that are written one by one at the end of a session.
const ONE_BY_ONE_MAX: usize = 500;

impl Engine {
    /// Lets the belief in the memories of a collection fade by the days that were not counted before;
    /// answers of how many that are seen.
    ///
    /// The days of all that were counted up to the mark of the collection are counted up to the new one, which
    /// is more than [`FRESH_DAYS`] later. Until then only those are due whose days were counted up to
    /// another time. They are written one by one, or by a mark that comes before its time when they are many:
    /// no day is counted twice by that either, but those since the last mark sooner.
    pub(super) fn fade_collection(
        &self,
        tx: &WriteTx<'_>,
        changes: &mut Vec<Change>,
        collection: &str,
        sight: &Sight,
        now: Stamp,
    ) -> Result<u64> {
        let mark = tx.fading(collection)?;
        let may_move = mark.as_ref().is_none_or(|mark| now > mark.until);
        let is_old = mark.as_ref().is_none_or(|mark| now.days_since(mark.until) > FRESH_DAYS);
        let (due, is_moved) = {
            let derived = self.derived();
            if derived.revision() != Some(tx.revision()?) {
                let behind = "the indexes are behind the store; try again";
                return Err(ApiError::unavailable(behind).into());
            }
            let look =
                |counted: Option<&Fading>| due(&derived, changes, collection, counted, sight, now);
            if is_old {
                (look(None), true)
            } else {
                let due = look(mark.as_ref());
                let is_many = due.one_by_one.len() > ONE_BY_ONE_MAX;
                if is_many && may_move { (look(None), true) } else { (due, false) }
            }
        };
        for &id in &due.one_by_one {
            if let Some(row) = tx.decay_row(id)?
                && let Some(faded) = faded(&row, now)
            {
                put_faded(tx, changes, &row, faded, EndSession::NAME)?;
            }
        }
        if is_moved && due.count > 0 {
            let Fading { until, last_id, .. } = tx.set_fading(collection, now, EndSession::NAME)?;
            changes.push(Change::Faded { collection: collection.into(), until, last_id });
        }
        Ok(due.seen_count)
    }
}

/// What fades in a collection.
#[derive(Debug, Default)]
struct Due {
    count: u64,
    seen_count: u64,
    /// What a mark does not say.
    one_by_one: Vec<i64>,
}

/// What fades now, but for what is `counted` up to a mark that is no day old.
fn due(
    derived: &Derived,
    changes: &[Change],
    collection: &str,
    counted: Option<&Fading>,
    sight: &Sight,
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
        let is_counted = counted.is_some_and(|mark| {
            facts.id <= mark.last_id && mark.until.days_since(belief.fades_from) > FRESH_DAYS
        });
        let Some(faded) = belief.faded(now).filter(|_| !is_counted) else { continue };
        due.count += 1;
        // Belief that comes to the floor stays there: the next mark must not take more.
        if counted.is_some() || faded.confidence <= CONFIDENCE_FLOOR {
            due.one_by_one.push(facts.id);
        }
        let mem_types = seen_types.entry(facts.scope).or_insert_with(|| {
            let scope = rows.names().name(facts.scope).and_then(|name| Scope::parse(name).ok());
            scope.map_or_else(MemTypes::default, |scope| sight.of(&scope))
        });
        due.seen_count += u64::from(mem_types.has(facts.mem_type));
    }
    due
}
