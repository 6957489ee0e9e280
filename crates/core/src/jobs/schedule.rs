//! When work is due by the clock on the wall.

use crate::model::{Stamp, nearest};
use jiff::Timestamp;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::{AmbiguousOffset, TimeZone};

/// A time of each day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyAt(pub Time);

/// A time of one day of each week.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeeklyAt {
    pub weekday: Weekday,
    pub time: Time,
}

/// When something is due: at or before a moment, and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueTimes {
    /// The last time at or before it; `None` where the calendar begins.
    pub last: Option<Stamp>,
    /// The first time after it; `None` where the calendar ends.
    pub next: Option<Stamp>,
}

/// Days around the present one in which both times are: a week, and one for zones that pass a day over.
const DAYS_AROUND: i64 = 9;

/// The days, as they are spelled.
const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl DailyAt {
    /// Reads a time as `03:00`, from 00:00 to 23:59.
    ///
    /// # Errors
    /// When it is none; the text says what was given.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("must be a time of day from 00:00 to 23:59, got {text:?}");
        let (hour, minute) = text.split_once(':').ok_or_else(wrong)?;
        if hour.len() != 2 || minute.len() != 2 {
            return Err(wrong());
        }
        let number = |digits: &str| digits.parse::<i8>().map_err(|_| wrong());
        Time::new(number(hour)?, number(minute)?, 0, 0).map(Self).map_err(|_| wrong())
    }

    /// When it is due around `now` by the clocks of a zone: once each date. A time that clocks that are
    /// put forward pass over is due at that moment, one that comes twice the first time.
    pub fn due(self, now: Stamp, zone: &TimeZone) -> DueTimes {
        due(now, zone, self.0, |_| true)
    }
}

impl WeeklyAt {
    /// Reads a day and a time as `sun 04:00`.
    ///
    /// # Errors
    /// When it is none; the text says what was given.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            let meant = nearest(text.split(' ').next().unwrap_or_default(), DAYS);
            let meant = meant.map(|day| format!("; did you mean {day}?")).unwrap_or_default();
            let days = DAYS.join(", ");
            format!("must be a day ({days}) and a time, as sun 04:00, got {text:?}{meant}")
        };
        let (day, time) = text.split_once(' ').ok_or_else(wrong)?;
        let place =
            DAYS.iter().position(|known| known.eq_ignore_ascii_case(day)).ok_or_else(wrong)?;
        let number = i8::try_from(place + 1).map_err(|_| wrong())?;
        let weekday = Weekday::from_monday_one_offset(number).map_err(|_| wrong())?;
        let DailyAt(time) = DailyAt::parse(time).map_err(|_| wrong())?;
        Ok(Self { weekday, time })
    }

    /// When it is due around `now` by the clocks of a zone, as [`DailyAt::due`].
    pub fn due(self, now: Stamp, zone: &TimeZone) -> DueTimes {
        due(now, zone, self.time, |date| date.weekday() == self.weekday)
    }
}

fn due(now: Stamp, zone: &TimeZone, time: Time, is_on: impl Fn(Date) -> bool) -> DueTimes {
    let mut times = DueTimes { last: None, next: None };
    let Ok(moment) = Timestamp::from_nanosecond(i128::from(now.0)) else { return times };
    let today = zone.to_datetime(moment).date();
    for offset in -DAYS_AROUND..=DAYS_AROUND {
        let Ok(date) = today.checked_add(jiff::Span::new().days(offset)) else { continue };
        let Some(at) = is_on(date).then(|| moment_of(date, time, zone)).flatten() else { continue };
        if at <= now {
            times.last = times.last.max(Some(at));
        } else if times.next.is_none_or(|next| at < next) {
            times.next = Some(at);
        }
    }
    times
}

/// When clocks in a zone show this time on this date, first or next.
fn moment_of(date: Date, time: Time, zone: &TimeZone) -> Option<Stamp> {
    let ambiguous = zone.to_ambiguous_timestamp(date.to_datetime(time));
    let moment = match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { .. } | AmbiguousOffset::Fold { .. } => {
            ambiguous.earlier().ok()?
        }
        AmbiguousOffset::Gap { .. } => {
            // As if clocks had not been put forward: when they were, or later.
            let after = ambiguous.later().ok()?;
            let past = after.checked_add(jiff::SignedDuration::from_nanos(1)).ok()?;
            zone.preceding(past).next().map_or(after, |change| change.timestamp())
        }
    };
    i64::try_from(moment.as_nanosecond()).ok().map(Stamp)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(text: &str) -> Stamp {
        let moment: Timestamp = text.parse().expect("a time");
        Stamp(i64::try_from(moment.as_nanosecond()).expect("a near time"))
    }

    /// The times around a moment, in UTC.
    fn shown(times: DueTimes) -> (String, String) {
        let text = |stamp: Option<Stamp>| stamp.expect("a time").rfc_3339();
        (text(times.last), text(times.next))
    }

    #[test]
    fn it_is_due_by_the_clocks_of_the_zone() {
        // Zone, time of day, now, last, next; Berlin's clocks go from 02:00 to 03:00 on 2026-03-29 and from
        // 03:00 to 02:00 on 2026-10-25; those of Apia passed 2011-12-30 over.
        let cases = [
            (
                "UTC",
                "03:00",
                "2026-11-22T03:00:00Z",
                "2026-11-22T03:00:00Z",
                "2026-11-23T03:00:00Z",
            ),
            (
                "UTC",
                "03:00",
                "2026-11-22T02:59:59.999999999Z",
                "2026-11-21T03:00:00Z",
                "2026-11-22T03:00:00Z",
            ),
            (
                "Asia/Shanghai",
                "03:00",
                "2026-11-22T00:00:00Z",
                "2026-11-21T19:00:00Z",
                "2026-11-22T19:00:00Z",
            ),
            // There is no 02:30: it is due when clocks are put forward, and the day after at 02:30.
            (
                "Europe/Berlin",
                "02:30",
                "2026-03-29T00:59:59Z",
                "2026-03-28T01:30:00Z",
                "2026-03-29T01:00:00Z",
            ),
            (
                "Europe/Berlin",
                "02:30",
                "2026-03-29T01:00:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-30T00:30:00Z",
            ),
            (
                "Europe/Berlin",
                "03:00",
                "2026-03-29T01:00:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-30T01:00:00Z",
            ),
            // 02:30 comes twice: only the first counts.
            (
                "Europe/Berlin",
                "02:30",
                "2026-10-25T00:30:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-26T01:30:00Z",
            ),
            (
                "Europe/Berlin",
                "02:30",
                "2026-10-25T01:30:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-26T01:30:00Z",
            ),
            (
                "Pacific/Apia",
                "02:30",
                "2011-12-30T11:00:00Z",
                "2011-12-30T10:00:00Z",
                "2011-12-30T12:30:00Z",
            ),
        ];
        for (zone, at, now, last, next) in cases {
            let zone = TimeZone::get(zone).expect("a zone");
            let due = DailyAt::parse(at).expect("a time").due(stamp(now), &zone);
            assert_eq!(shown(due), (last.to_owned(), next.to_owned()), "{at} at {now}");
        }
        let weekly = WeeklyAt::parse("sun 02:30").expect("a time");
        let zone = TimeZone::get("Europe/Berlin").expect("a zone");
        let cases = [
            ("2026-03-29T00:59:59Z", "2026-03-22T01:30:00Z", "2026-03-29T01:00:00Z"),
            ("2026-03-31T12:00:00Z", "2026-03-29T01:00:00Z", "2026-04-05T00:30:00Z"),
        ];
        for (now, last, next) in cases {
            let due = weekly.due(stamp(now), &zone);
            assert_eq!(shown(due), (last.to_owned(), next.to_owned()), "{now}");
        }
    }

    #[test]
    fn each_date_is_due_once_in_every_zone() {
        for name in
            ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Africa/Cairo"]
        {
            let zone = TimeZone::get(name).expect("a zone");
            for at in ["00:00", "01:45", "02:15", "02:30", "23:59"] {
                let at = DailyAt::parse(at).expect("a time");
                let mut now = stamp("2026-01-01T12:00:00Z");
                for _ in 0..730 {
                    let next = at.due(now, &zone).next.expect("a time");
                    let hours = next.days_since(now) * 24.0;
                    assert!(hours > 0.0 && hours < 26.0, "{name} {at:?}: {hours} h");
                    assert_eq!(at.due(next, &zone).last, Some(next), "{name} {at:?}");
                    assert!(at.due(Stamp(next.0 - 1), &zone).last < Some(next));
                    now = next;
                }
                let days = now.days_since(stamp("2026-01-01T12:00:00Z"));
                assert!((729.0..=730.1).contains(&days), "{name} {at:?}: {days}");
            }
        }
    }

    #[test]
    fn a_clock_at_the_ends_of_its_range_is_no_fault() {
        let at = DailyAt::parse("03:00").expect("a time");
        for now in [Stamp(i64::MIN), Stamp(i64::MAX)] {
            at.due(now, &TimeZone::UTC);
        }
    }
}
