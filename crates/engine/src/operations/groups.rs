//! What matching rows are counted by, and grouped by.

use super::check::{self, invalid};
use super::plan::{Counting, count_of};
use super::search;
use crate::Result;
use robot_memory_core::api::{ApiError, CountBy, KeyCount, Order};
use robot_memory_core::limits::{COUNTS_MAX, NTH_MAX};
use robot_memory_core::model::Stamp;
use robot_memory_index::{Bitset, Derived, Grouping, Slot};
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};

const HOUR_SECS: NonZeroU32 = NonZeroU32::new(3_600).unwrap();
const DAY_SECS: NonZeroU32 = NonZeroU32::new(86_400).unwrap();

/// Of each group one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NthOfEach {
    /// `None`: all rows are one group.
    pub by: Option<Counting>,
    /// Which row.
    pub nth: NonZeroUsize,
    /// Counted from where.
    pub order: Order,
}

impl NthOfEach {
    /// What a request asks for, if it does.
    pub fn read(
        group_by: &str,
        nth: u32,
        utc_offset_secs: i32,
        order: Option<Order>,
    ) -> Result<Option<Self>> {
        check::count("nth", nth, 0, NTH_MAX)?;
        let by = count_of("group_by", group_by, utc_offset_secs)?;
        if by.is_none() && nth == 0 {
            return Ok(None);
        }
        let Some(order) = order else {
            let field = if by.is_some() { "group_by" } else { "nth" };
            return Err(invalid(format!("{field}: needs order, {}", Order::spellings())));
        };
        let nth = NonZeroUsize::new(nth as usize).unwrap_or(NonZeroUsize::MIN);
        Ok(Some(Self { by, nth, order }))
    }

    /// The rows of a set that it asks for.
    pub fn of(&self, derived: &Derived, set: &Bitset) -> Result<Vec<Slot>> {
        let nth_of = |set: &Bitset, grouping| {
            derived.rows.nth_of_each(set, grouping, self.order == Order::Newest, self.nth)
        };
        let period = |period_secs, counting: Counting| {
            let utc_offset_secs = counting.utc_offset_secs;
            Grouping::Period { period_secs, utc_offset_secs }
        };
        let grouping = match self.by.map(|counting| (counting.by, counting)) {
            None => Grouping::Whole,
            Some((CountBy::Session, _)) => Grouping::Session,
            Some((CountBy::Hour, counting)) => period(HOUR_SECS, counting),
            Some((CountBy::Day, counting)) => period(DAY_SECS, counting),
            Some((by @ (CountBy::Topic | CountBy::On), _)) => {
                let names = by_name(derived, set, ("group_by", by))?;
                let one_of_each: Bitset =
                    names.values().flat_map(|rows| nth_of(rows, Grouping::Whole)).collect();
                return Ok(search::by_time(derived, &one_of_each, self.order, names.len()));
            }
        };
        Ok(nth_of(set, grouping))
    }
}

/// The rows of a set by the topic of their event, or by what it was on; those without one by the empty name.
fn by_name(
    derived: &Derived,
    set: &Bitset,
    (field, by): (&str, CountBy),
) -> Result<BTreeMap<String, Bitset>> {
    let no_names = || {
        let message = format!("{field}: the names of the events are being read; ask again");
        ApiError::unavailable(message)
    };
    let names = derived.event_names().ok_or_else(no_names)?;
    let seen = names.codes(set.clone());
    let mut codes: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (code, [_, _, topic, _, on]) in names.sets().filter(|(code, _)| seen.contains(code)) {
        let name = if by == CountBy::On { on } else { topic };
        if let Some(name) = name.filter(|name| !name.is_empty()) {
            codes.entry(name).or_default().push(code);
        }
    }
    check_number(field, codes.len())?;
    let mut named: BTreeMap<String, Bitset> = BTreeMap::new();
    let mut others = set.clone();
    for (name, codes) in codes {
        let rows = names.rows(codes, set);
        others.subtract(&rows);
        named.insert(name, rows);
    }
    if !others.is_empty() {
        named.insert(String::new(), others);
    }
    Ok(named)
}

fn check_number(field: &str, number: usize) -> Result<()> {
    if number <= COUNTS_MAX {
        return Ok(());
    }
    Err(invalid(format!(
        "{field}: there are {number} of them, at most {COUNTS_MAX} are counted in one answer; narrow \
         it with since and until"
    )))
}

/// How many of the rows there are of each hour, day, session, topic or joint, the oldest first.
pub(super) fn counts(
    derived: &Derived,
    matching: &Bitset,
    counting: Counting,
) -> Result<Vec<KeyCount>> {
    let by_period = |period_secs, name: fn(i64) -> String| {
        let counts = derived.rows.count_by_period(matching, period_secs, counting.utc_offset_secs);
        counts.into_iter().map(|(period, count)| KeyCount { key: name(period), count }).collect()
    };
    let counts: Vec<KeyCount> = match counting.by {
        CountBy::Hour => by_period(HOUR_SECS, Stamp::name_of_hour),
        CountBy::Day => by_period(DAY_SECS, Stamp::date_of_day),
        CountBy::Session => {
            let mut sessions = derived.rows.count_by_session(matching);
            let name = |number| derived.rows.names().name(number).unwrap_or_default();
            // Their numbers are others after a restart. The rows without a session come last.
            sessions.sort_by_key(|session| {
                let name = name(session.session);
                (session.first, name.is_empty(), name)
            });
            sessions
                .into_iter()
                .map(|session| KeyCount {
                    key: name(session.session).to_owned(),
                    count: session.count,
                })
                .collect()
        }
        by @ (CountBy::Topic | CountBy::On) => {
            let mut named: Vec<_> =
                by_name(derived, matching, ("count_by", by))?.into_iter().collect();
            let first = |rows: &Bitset| {
                let first = derived.rows.oldest(rows, 1);
                first.first().and_then(|slot| derived.rows.created_at(*slot))
            };
            // Of the same time in the order of their names, as they are.
            named.sort_by_cached_key(|(name, rows)| (first(rows), name.is_empty()));
            let count = |(key, rows): (String, Bitset)| KeyCount { key, count: rows.count() };
            named.into_iter().map(count).collect()
        }
    };
    check_number("count_by", counts.len())?;
    Ok(counts)
}
