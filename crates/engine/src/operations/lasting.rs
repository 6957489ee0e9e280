//! How long events lasted, as their sentences tell it: an event "for 8 s" is none that lasted longer than 8 s, if it was 8.02.

use super::named_events::{EventsByName, column};
use robot_memory_core::event::told_secs;
use robot_memory_core::model::Stamp;
use robot_memory_index::{Bitset, Slot};
use robot_memory_text::inference::{Lasted, Lengths};
use std::ops::{Bound, RangeBounds};
use std::time::Duration;

/// Has how long an event lasted.
pub(super) const LASTED: &str = "event.duration_secs";
/// It has six digits: so far it may be from the true length, as a part of it.
const LASTED_ERROR: f64 = 5e-6;

impl EventsByName<'_> {
    /// How long an event lasted, and how long it is told to have.
    fn lasted(&self, slot: Slot) -> Option<(Duration, Duration)> {
        let secs = column(self.derived(), LASTED)?.double(slot)?;
        let duration = |secs| Duration::try_from_secs_f64(secs).ok();
        Some((duration(secs)?, duration(told_secs(secs))?))
    }

    /// From when on events are after an event that is over, and when it was over by what is stored; `None` when it is not known, or
    /// when another one began between then and when it is told to have been over.
    pub fn end(&self, slot: Slot) -> Option<(Stamp, Stamp)> {
        let rows = &self.derived().rows;
        let begun = rows.created_at(slot)?;
        let (lasted, told) = self.lasted(slot)?;
        let after = |length: Duration| {
            let nanos = i64::try_from(length.as_nanos()).ok()?;
            Some(Stamp(begun.0.checked_add(nanos)?))
        };
        let blur = lasted.mul_f64(LASTED_ERROR);
        let (first, last) = (after(lasted.saturating_sub(blur))?, after(lasted + blur)?);
        let (end, told) = (after(lasted)?, after(told)?);
        let others = self.events().iter().filter(|other| *other != slot);
        let mut since = end;
        for at in others.filter_map(|slot| rows.created_at(slot)) {
            if told <= at && at < first || last < at && at < told {
                return None;
            }
            // What began with the message that told the end began then.
            if first <= at && at < since {
                since = at;
            }
        }
        Some((since, end))
    }

    /// Those of these events that had begun by a moment and were not over; `None` when it is not sure which.
    pub fn under_way(&self, rows: &Bitset, moment: Stamp) -> Option<Bitset> {
        let mut such = Bitset::default();
        for slot in rows.iter() {
            let begun = self.derived().rows.created_at(slot)?;
            let Ok(since) = u64::try_from(moment.0.saturating_sub(begun.0)) else { continue };
            let since = Duration::from_nanos(since);
            let (lasted, told) = self.lasted(slot)?;
            ((since <= lasted) == (since <= told)).then_some(())?;
            if since <= lasted {
                such.insert(slot);
            }
        }
        (!such.is_empty()).then_some(such)
    }

    /// Those of these events that lasted so long; `None` when it is not sure which: when of one it is not known, or when it is
    /// told too roughly.
    pub fn of_lengths(&self, rows: &Bitset, lengths: &Lengths) -> Option<Bitset> {
        let range = (lengths.from, lengths.until);
        let mut such = Bitset::default();
        for slot in rows.iter() {
            let (lasted, told) = self.lasted(slot)?;
            let is_such = range.contains(&told);
            let is_end = lengths.ends().any(|end| end == told);
            let is_sure =
                if is_end { lengths.is_end_sure } else { range.contains(&lasted) == is_such };
            is_sure.then_some(())?;
            if is_such {
                such.insert(slot);
            }
        }
        Some(such)
    }

    /// Those of these events that a ranking by their lengths asks for; `None` when it is not sure which: when there are not as many,
    /// when of one it is not known how long it lasted, or when the one before or behind is told to have lasted as long.
    pub fn of_ranks(&self, rows: &Bitset, lasted: Lasted) -> Option<Bitset> {
        let Lasted::Ranked { is_longest, from, to } = lasted else { return None };
        let told = |slot| Some((self.lasted(slot)?.1, slot));
        let mut all: Vec<(Duration, Slot)> = rows.iter().map(told).collect::<Option<_>>()?;
        all.sort_unstable();
        if is_longest {
            all.reverse();
        }
        let (from, to) = ((from as usize).checked_sub(1)?, to as usize);
        let such = all.get(from..to).filter(|such| !such.is_empty())?;
        let is_same = |one: Option<&(Duration, Slot)>, other: Option<&(Duration, Slot)>| {
            one.zip(other).is_some_and(|(one, other)| one.0 == other.0)
        };
        let before = from.checked_sub(1).and_then(|before| all.get(before));
        let is_sure = !is_same(before, such.first()) && !is_same(such.last(), all.get(to));
        is_sure.then(|| such.iter().map(|(_, slot)| *slot).collect())
    }
}

/// How long they lasted, for a person to read.
pub(super) fn in_words(lasted: &Lasted) -> String {
    match lasted {
        Lasted::Ranked { is_longest, from, to } => {
            let which = if *is_longest { "longest" } else { "shortest" };
            match (from, to) {
                (1, 1) => format!("the {which}"),
                (1, many) => format!("the {many} {which}"),
                (from, to) if from == to => format!("number {to} of the {which}"),
                (from, to) => format!("numbers {from} to {to} of the {which}"),
            }
        }
        Lasted::For(Lengths { from, until, .. }) => {
            let end = |end: &Bound<Duration>, included: &str, excluded: &str| match end {
                Bound::Included(at) => Some(format!("{included} {} s", at.as_secs_f64())),
                Bound::Excluded(at) => Some(format!("{excluded} {} s", at.as_secs_f64())),
                Bound::Unbounded => None,
            };
            match (from, until) {
                (Bound::Included(from), Bound::Included(until)) if from == until => {
                    format!("{} s", from.as_secs_f64())
                }
                _ => {
                    let from = end(from, "at least", "longer than");
                    let until = end(until, "at most", "shorter than");
                    from.into_iter().chain(until).collect::<Vec<_>>().join(", ")
                }
            }
        }
    }
}
