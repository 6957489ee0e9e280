//! Times that are said of a log of the past, as of a recording that was imported: "between 14:00 and 15:00" is not of
//! today when there is nothing of today.

use super::super::super::atoms::Atom;
use super::super::super::calendar::after;
use super::super::super::numbers::month;
use super::{Present, TimeParse, day_of};
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use robot_memory_core::model::Stamp;

/// From which day to which there are events, when all are of days before today.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastDays {
    first: Date,
    last: Date,
}

impl PastDays {
    /// Of the times of the first and the last event; `None` when the last one is of today or later.
    pub fn of(events: (Stamp, Stamp), (now, zone): (Stamp, &TimeZone)) -> Option<Self> {
        let past = Self { first: day_of(events.0, zone)?, last: day_of(events.1, zone)? };
        (past.last < day_of(now, zone)?).then_some(past)
    }

    /// The last of them.
    pub(in super::super::super) fn last(self) -> Date {
        self.last
    }

    /// Whether any of some days is one of them.
    fn meets(self, (first, next): (Date, Date)) -> bool {
        first <= self.last && self.first < next
    }
}

impl Present<'_> {
    /// The day of a time that is said without a day: today, or the only day that has events; `None` when it may be of
    /// several days.
    pub(super) fn day_of_clocks(&self) -> Option<Date> {
        match self.past {
            None => Some(self.local.date()),
            Some(PastDays { first, last }) => (first == last).then_some(last),
        }
    }

    /// Whether a day is after all events.
    pub(super) fn is_after_past(&self, day: Date) -> bool {
        self.past.is_some_and(|past| day > past.last)
    }

    /// Takes days that `said` names without their year, and that would be after all events, for those of the last year
    /// (of the last month, where no month is said) that has events then.
    pub(super) fn move_into_past(&self, parse: &mut TimeParse, said: &[Atom]) {
        let Some(past) = self.past else { return };
        let has_month = said.iter().any(|atom| atom.text == "月" || month(&atom.text).is_some());
        let has_day = said.last().is_some_and(|atom| atom.text == "号");
        let Some(days) = parse.days.filter(|days| (has_month || has_day) && days.0 > past.last)
        else {
            return;
        };
        let is_day = after(days.0, 1) == Some(days.1);
        let before = |count: i32| {
            let step = if has_month { (12 * count).months() } else { count.months() };
            let first = days.0.checked_sub(step).ok()?;
            let next = if is_day { after(first, 1)? } else { first.checked_add(1.month()).ok()? };
            // The 31st of a month that has 30 days is no day.
            (first.day() == days.0.day()).then_some((first, next))
        };
        let years = i32::from(days.0.year() - past.first.year());
        let counts = 1..=if has_month { years } else { 12 * years + 12 };
        let moved = counts.filter_map(before).find(|moved| past.meets(*moved));
        parse.days = moved.or(parse.days);
    }
}
