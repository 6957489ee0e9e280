//! What was made around an anchor: before it, and after it.

use super::check::{self, invalid};
use super::plan::{Plan, RowFilter, context_conditions};
use super::search;
use super::visibility::VisibleRows;
use crate::{Error, Operations, Result};
use robot_memory_core::limits::{AROUND_SECS_MAX, NTH_MAX};
use robot_memory_core::model::{Filter, Stamp};
use robot_memory_index::{Bitset, Derived, Slot};

/// Around what is searched, and how far.
#[derive(Debug, Clone)]
pub struct Around {
    /// Around what.
    pub anchor: Anchor,
    /// How far before it; `None`: not at all.
    pub before: Option<Reach>,
    /// How far after it; `None`: not at all.
    pub after: Option<Reach>,
}

/// What is searched around.
#[derive(Debug, Clone)]
pub enum Anchor {
    /// This memory.
    Memory(i64),
    /// The nth newest that meets the conditions.
    NthNewest { filter: Filter, nth: usize },
}

/// How far from an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// The nearest so many rows.
    pub count: usize,
    /// Rows that were made within so many nanoseconds.
    pub nanos: i64,
}

impl Reach {
    /// However far.
    pub const WHOLE: Self = Self { count: usize::MAX, nanos: i64::MAX };
}

/// The fields of a request that make an [`Around`], as they were given.
pub struct GivenAround {
    pub around_memory_id: i64,
    pub anchor_filter: String,
    pub anchor_nth: u32,
    pub before_count: u32,
    pub after_count: u32,
    pub before_secs: f64,
    pub after_secs: f64,
}

/// The rows around an anchor.
pub struct Anchored {
    /// The anchor.
    pub memory_id: i64,
    slot: Slot,
    before: Bitset,
    after: Bitset,
}

impl GivenAround {
    /// What is searched around, if anything is.
    pub fn read(self) -> Result<Option<Around>> {
        let has_filter = !self.anchor_filter.trim().is_empty();
        let anchor = match (self.around_memory_id, has_filter) {
            (0, false) => {
                if let Some(field) = self.other_field() {
                    let needs = "needs around_memory_id or anchor_filter";
                    return Err(invalid(format!("{field}: {needs}")));
                }
                return Ok(None);
            }
            (id, false) if id < 0 => {
                return Err(invalid(format!("around_memory_id: must be a positive id, got {id}")));
            }
            (_, true) if self.around_memory_id != 0 => {
                return Err(invalid(
                    "around_memory_id: give either a memory or anchor_filter, not both",
                ));
            }
            (id, false) if self.anchor_nth == 1 => Anchor::Memory(id),
            (_, false) => return Err(invalid("anchor_nth: needs anchor_filter")),
            (_, true) => {
                check::count("anchor_nth", self.anchor_nth, 1, NTH_MAX)?;
                let filter = context_conditions("anchor_filter", &self.anchor_filter)?;
                Anchor::NthNewest { filter, nth: self.anchor_nth as usize }
            }
        };
        let before = reach("before_count", self.before_count, "before_secs", self.before_secs)?;
        let after = reach("after_count", self.after_count, "after_secs", self.after_secs)?;
        Ok(Some(match (before, after) {
            (None, None) => {
                Around { anchor, before: Some(Reach::WHOLE), after: Some(Reach::WHOLE) }
            }
            (before, after) => Around { anchor, before, after },
        }))
    }

    /// A field that says nothing without an anchor.
    fn other_field(&self) -> Option<&'static str> {
        let given = [
            ("anchor_nth", self.anchor_nth != 1),
            ("before_count", self.before_count != 0),
            ("after_count", self.after_count != 0),
            ("before_secs", self.before_secs != 0.0),
            ("after_secs", self.after_secs != 0.0),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(field, _)| field)
    }
}

fn reach(count_field: &str, count: u32, secs_field: &str, secs: f64) -> Result<Option<Reach>> {
    check::count(count_field, count, 0, NTH_MAX)?;
    check::within(secs_field, secs, 0.0, AROUND_SECS_MAX)?;
    let count_of = |count: u32| if count == 0 { usize::MAX } else { count as usize };
    let nanos_of = |secs: f64| if secs == 0.0 { i64::MAX } else { (secs * 1e9) as i64 };
    let is_searched = count != 0 || secs != 0.0;
    Ok(is_searched.then(|| Reach { count: count_of(count), nanos: nanos_of(secs) }))
}

impl Anchored {
    /// All rows around it.
    pub fn rows(&self) -> Bitset {
        let mut rows = self.before.clone();
        rows.union_with(&self.after);
        rows
    }

    /// The `n` rows next to it by time, in order of time; of two that are as far the earlier one.
    pub fn nearest(&self, derived: &Derived, n: usize) -> Vec<Slot> {
        let at = |slot| derived.rows.created_at(slot).unwrap_or_default();
        let before = derived.rows.newest(&self.before, n);
        let after = derived.rows.oldest(&self.after, n);
        let mut nearest: Vec<(u64, usize, Slot)> = Vec::with_capacity(before.len() + after.len());
        for side in [before, after] {
            let anchor = at(self.slot);
            // Of the same time the place beside the anchor decides.
            let away = |(place, slot): (usize, Slot)| (at(slot).0.abs_diff(anchor.0), place, slot);
            nearest.extend(side.into_iter().enumerate().map(away));
        }
        // Stable: what is before the anchor stays before what is after it and as far.
        nearest.sort_by_key(|(away, place, _)| (*away, *place));
        nearest.truncate(n);
        let mut slots: Vec<Slot> = nearest.into_iter().map(|(.., slot)| slot).collect();
        slots.sort_unstable_by_key(|slot| (at(*slot), *slot));
        slots
    }
}

impl Operations {
    /// The rows around an anchor that a plan admits, whatever its query.
    ///
    /// # Errors
    /// `not_found` when there is no such anchor among the rows that the caller sees.
    pub(super) fn anchored(
        &self,
        derived: &Derived,
        plan: &Plan,
        around: &Around,
    ) -> Result<Anchored> {
        let (slot, memory_id) = anchor(derived, plan, &around.anchor)?;
        let at = derived.rows.created_at(slot).unwrap_or_default();
        let next = Stamp(at.0.saturating_add(1));
        let between = |since: Stamp, until: Stamp| -> Result<Bitset> {
            let rows = RowFilter {
                since: Some(plan.rows.since.map_or(since, |given| given.max(since))),
                until: Some(plan.rows.until.map_or(until, |given| given.min(until))),
                ..plan.rows.clone()
            };
            let visibility = &plan.rows.visibility;
            let mut rows = search::meeting(derived, &rows, &plan.filter, visibility)?;
            if let Some(only) = &plan.only {
                rows.intersect_with(only);
            }
            Ok(rows)
        };
        // What was made at the same time is before or after it by its place.
        let same = between(at, next)?;
        let same = |is_before: bool| -> Bitset {
            same.iter().filter(|other| *other != slot && (*other < slot) == is_before).collect()
        };
        let first =
            |reach: Reach, rows: Bitset, by_time: &dyn Fn(&Bitset, usize) -> Vec<Slot>| match reach
                .count
            {
                usize::MAX => rows,
                count => by_time(&rows, count).into_iter().collect(),
            };
        let mut anchored =
            Anchored { memory_id, slot, before: Bitset::default(), after: Bitset::default() };
        if let Some(reach) = around.before {
            let mut rows = between(Stamp(at.0.saturating_sub(reach.nanos)), at)?;
            rows.union_with(&same(true));
            anchored.before = first(reach, rows, &|rows, count| derived.rows.newest(rows, count));
        }
        if let Some(reach) = around.after {
            let end = Stamp(at.0.saturating_add(reach.nanos).saturating_add(1));
            let mut rows = between(next, end)?;
            rows.union_with(&same(false));
            anchored.after = first(reach, rows, &|rows, count| derived.rows.oldest(rows, count));
        }
        Ok(anchored)
    }
}

/// The anchor's slot and id.
fn anchor(derived: &Derived, plan: &Plan, anchor: &Anchor) -> Result<(Slot, i64)> {
    match anchor {
        Anchor::Memory(id) => {
            let seen = VisibleRows::of(&plan.rows.visibility, &derived.rows);
            let slot = derived.rows.slot(*id).filter(|slot| {
                let facts = derived.rows.facts(*slot);
                facts.is_some_and(|facts| seen.sees(&facts))
            });
            let none = || Error::not_found(format!("around_memory_id: there is no memory {id}"));
            Ok((slot.ok_or_else(none)?, *id))
        }
        Anchor::NthNewest { filter, nth } => {
            let rows = RowFilter {
                levels: Vec::new(),
                kinds: Vec::new(),
                min_confidence: 0.0,
                ..plan.rows.clone()
            };
            let rows = search::meeting(derived, &rows, filter, &plan.rows.visibility)?;
            let newest = derived.rows.newest(&rows, *nth);
            let found = newest.get(nth - 1).and_then(|slot| Some((*slot, derived.rows.id(*slot)?)));
            found.ok_or_else(|| {
                let count = newest.len();
                Error::not_found(match count {
                    0 => "anchor_filter: no memory meets it".to_owned(),
                    _ => format!("anchor_nth: {count} memories meet anchor_filter, got {nth}"),
                })
            })
        }
    }
}
