//! Days, and the periods of equal length that a chart shows of them.

use robot_memory_core::api::Periods;
use robot_memory_core::model::Stamp;
use std::collections::BTreeMap;

const NANOS_PER_DAY: i128 = 86_400_000_000_000;
/// Periods that a chart shows at most: more bars than a phone has room for.
const PERIODS_MAX: i64 = 64;
/// A week begins on a Monday; 1970-01-01 was a Thursday.
const DAYS_FROM_MONDAY: i64 = 3;

/// How much was on each day.
#[derive(Debug, Default)]
pub struct Days(BTreeMap<i64, u64>);

impl Days {
    pub fn add(&mut self, day: i64) {
        *self.0.entry(day).or_default() += 1;
    }
}

/// Which times count, and where days begin.
#[derive(Debug, Clone, Copy)]
pub struct PeriodsOf {
    pub since: Option<Stamp>,
    pub until: Option<Stamp>,
    pub utc_offset_secs: i32,
}

impl PeriodsOf {
    pub fn has(&self, at: Stamp) -> bool {
        self.since.is_none_or(|since| at >= since)
    }

    /// The local day, counted from 1970-01-01.
    pub fn day(&self, at: Stamp) -> i64 {
        let local = i128::from(at.0) + i128::from(self.utc_offset_secs) * 1_000_000_000;
        local.div_euclid(NANOS_PER_DAY) as i64
    }

    /// The periods of all that was counted, until now: days, weeks from Monday, or as many weeks as it
    /// takes to be few.
    pub fn periods<'d>(&self, counted: impl Iterator<Item = &'d Days>) -> Periods {
        let mut first_and_last: Option<(i64, i64)> = None;
        for days in counted {
            for day in days.0.keys() {
                let (first, last) = first_and_last.unwrap_or((*day, *day));
                first_and_last = Some((first.min(*day), last.max(*day)));
            }
        }
        let Some((first, last)) = first_and_last else { return Periods::default() };
        let last = self.until.map_or(last, |now| last.max(self.day(now)));
        let first = self.since.map_or(first, |since| self.day(since));
        let span = last.saturating_sub(first).saturating_add(1);
        let days = if span <= PERIODS_MAX {
            1
        } else {
            // A week more than fits: the first period begins on a Monday.
            7 * ((span + 6).div_euclid(7 * PERIODS_MAX - 7) + 1)
        };
        let first = match days {
            1 => first,
            _ => first - (first + DAYS_FROM_MONDAY).rem_euclid(7),
        };
        let count = (last - first).div_euclid(days) + 1;
        Periods {
            first_day: first,
            days: u32::try_from(days).unwrap_or(u32::MAX),
            count: usize::try_from(count).unwrap_or(0),
        }
    }
}

/// The period of a day; `None` when it is in none.
pub fn period(periods: &Periods, day: i64) -> Option<usize> {
    let days = i64::from(periods.days);
    let place = day.checked_sub(periods.first_day)?.checked_div_euclid(days)?;
    usize::try_from(place).ok().filter(|place| *place < periods.count)
}

/// What was counted on days, by period.
pub fn by_period(periods: &Periods, days: &Days) -> Vec<u64> {
    let mut counts = vec![0; periods.count];
    for (day, count) in &days.0 {
        if let Some(place) = period(periods, *day) {
            counts[place] += count;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_day_is_in_one_of_few_periods(
            days in prop::collection::vec(-200_000i64..200_000, 1..40),
            spread in prop::sample::select(vec![1i64, 30, 5_000, 1_000_000]),
        ) {
            let mut counted = Days::default();
            for day in &days {
                counted.add(day / spread);
            }
            let of = PeriodsOf { since: None, until: None, utc_offset_secs: 0 };
            let periods = of.periods([&counted].into_iter());
            prop_assert!(periods.count <= PERIODS_MAX as usize, "{:?}", periods);
            prop_assert_eq!(by_period(&periods, &counted).iter().sum::<u64>(), days.len() as u64);
            if periods.days > 1 {
                prop_assert_eq!((periods.first_day + DAYS_FROM_MONDAY).rem_euclid(7), 0);
            }
        }
    }

    #[test]
    fn a_day_begins_at_local_midnight() {
        let of = |utc_offset_secs| PeriodsOf { since: None, until: None, utc_offset_secs };
        let late = Stamp::from_secs(86_400 * 3 - 1);
        assert_eq!((of(0).day(late), of(3600).day(late), of(-3600).day(late)), (2, 3, 2));
        assert_eq!(of(0).day(Stamp::from_secs(-1)), -1);
    }

    #[test]
    fn nothing_has_no_periods() {
        let of = PeriodsOf { since: None, until: None, utc_offset_secs: 0 };
        assert_eq!(of.periods(std::iter::empty()), Periods::default());
        assert_eq!(period(&Periods::default(), 3), None);
    }
}
