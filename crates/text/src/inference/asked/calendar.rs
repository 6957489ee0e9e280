//! What days, weeks and parts of days are called.

use jiff::ToSpan;
use jiff::civil::Date;

/// Days, by their distance from today.
pub(super) const DAYS: &[(&str, i32)] = &[
    ("today", 0),
    ("yesterday", -1),
    ("the day before yesterday", -2),
    ("day before yesterday", -2),
    ("今天", 0),
    ("今日", 0),
    ("昨天", -1),
    ("昨日", -1),
    ("前天", -2),
    ("前日", -2),
    ("大前天", -3),
];

/// Parts of a day, in minutes from its begin. The second says whether it is one by itself, or only beside a
/// day: "Monday morning", but not "the morning round".
pub(super) const PARTS: &[(&str, (i32, i32, bool))] = &[
    ("morning", (4 * 60, 12 * 60, false)),
    ("early morning", (0, 9 * 60, false)),
    ("forenoon", (4 * 60, 12 * 60, false)),
    ("noon", (11 * 60, 14 * 60, false)),
    ("midday", (11 * 60, 14 * 60, false)),
    ("lunchtime", (11 * 60, 14 * 60, false)),
    ("afternoon", (12 * 60, 18 * 60, false)),
    ("evening", (17 * 60, 24 * 60, false)),
    ("night", (18 * 60, 30 * 60, false)),
    ("in the morning", (4 * 60, 12 * 60, true)),
    ("early in the morning", (0, 9 * 60, true)),
    ("in the afternoon", (12 * 60, 18 * 60, true)),
    ("in the evening", (17 * 60, 24 * 60, true)),
    ("at night", (18 * 60, 30 * 60, true)),
    ("in the night", (18 * 60, 30 * 60, true)),
    ("during the night", (18 * 60, 30 * 60, true)),
    ("at noon", (11 * 60, 14 * 60, true)),
    ("around noon", (11 * 60, 14 * 60, true)),
    ("at midday", (11 * 60, 14 * 60, true)),
    ("over lunch", (11 * 60, 14 * 60, true)),
    ("at lunchtime", (11 * 60, 14 * 60, true)),
    ("at lunch", (11 * 60, 14 * 60, true)),
    ("after lunch", (12 * 60, 24 * 60, true)),
    ("before lunch", (0, 13 * 60, true)),
    ("before noon", (0, 12 * 60, true)),
    ("after noon", (12 * 60, 24 * 60, true)),
    ("since noon", (12 * 60, 24 * 60, true)),
    ("上午", (4 * 60, 12 * 60, true)),
    ("早上", (4 * 60, 12 * 60, true)),
    ("早晨", (4 * 60, 12 * 60, true)),
    ("早间", (4 * 60, 12 * 60, true)),
    ("一早", (4 * 60, 12 * 60, true)),
    ("一大早", (4 * 60, 10 * 60, true)),
    ("清晨", (3 * 60, 9 * 60, true)),
    ("凌晨", (0, 6 * 60, true)),
    ("中午", (11 * 60, 14 * 60, true)),
    ("正午", (11 * 60, 14 * 60, true)),
    ("午间", (11 * 60, 14 * 60, true)),
    ("下午", (12 * 60, 18 * 60, true)),
    ("午后", (12 * 60, 18 * 60, true)),
    ("午饭后", (12 * 60, 24 * 60, true)),
    ("午饭以后", (12 * 60, 24 * 60, true)),
    ("午饭之后", (12 * 60, 24 * 60, true)),
    ("午饭前", (0, 13 * 60, true)),
    ("傍晚", (16 * 60, 20 * 60, true)),
    ("晚上", (17 * 60, 30 * 60, true)),
    ("晚间", (17 * 60, 30 * 60, true)),
    ("夜里", (18 * 60, 30 * 60, true)),
    ("夜间", (18 * 60, 30 * 60, true)),
    ("夜晚", (18 * 60, 30 * 60, true)),
    ("半夜", (21 * 60, 30 * 60, true)),
    ("深夜", (21 * 60, 30 * 60, true)),
];

/// Days and parts of them in one: days from today, and minutes of that day.
pub(super) const DAY_PARTS: &[(&str, (i32, i32, i32))] = &[
    ("this morning", (0, 0, 12 * 60)),
    ("this forenoon", (0, 0, 12 * 60)),
    ("this noon", (0, 11 * 60, 14 * 60)),
    ("this lunchtime", (0, 11 * 60, 14 * 60)),
    ("this afternoon", (0, 12 * 60, 18 * 60)),
    ("this evening", (0, 17 * 60, 24 * 60)),
    ("tonight", (0, 17 * 60, 30 * 60)),
    ("last night", (-1, 17 * 60, 30 * 60)),
    ("overnight", (-1, 18 * 60, 31 * 60)),
    ("last evening", (-1, 17 * 60, 24 * 60)),
    ("今早", (0, 0, 12 * 60)),
    ("今晨", (0, 0, 12 * 60)),
    ("今晚", (0, 17 * 60, 30 * 60)),
    ("今夜", (0, 17 * 60, 30 * 60)),
    ("昨晚", (-1, 17 * 60, 30 * 60)),
    ("昨夜", (-1, 17 * 60, 30 * 60)),
    ("昨儿晚上", (-1, 17 * 60, 30 * 60)),
    ("昨早", (-1, 0, 12 * 60)),
    ("昨晨", (-1, 0, 12 * 60)),
    ("前晚", (-2, 17 * 60, 30 * 60)),
];

/// Weeks, months and years, by their distance from the present one.
pub(super) const CALENDAR: &[(&str, (Period, i32))] = &[
    ("this week", (Period::Week, 0)),
    ("last week", (Period::Week, -1)),
    ("the previous week", (Period::Week, -1)),
    ("previous week", (Period::Week, -1)),
    ("the week before last", (Period::Week, -2)),
    ("this weekend", (Period::Weekend, 0)),
    ("the weekend", (Period::Weekend, 0)),
    ("last weekend", (Period::Weekend, -1)),
    ("this month", (Period::Month, 0)),
    ("last month", (Period::Month, -1)),
    ("the previous month", (Period::Month, -1)),
    ("this year", (Period::Year, 0)),
    ("last year", (Period::Year, -1)),
    ("这周", (Period::Week, 0)),
    ("这一周", (Period::Week, 0)),
    ("本周", (Period::Week, 0)),
    ("这星期", (Period::Week, 0)),
    ("这个星期", (Period::Week, 0)),
    ("本星期", (Period::Week, 0)),
    ("这礼拜", (Period::Week, 0)),
    ("这个礼拜", (Period::Week, 0)),
    ("上周", (Period::Week, -1)),
    ("上一周", (Period::Week, -1)),
    ("上星期", (Period::Week, -1)),
    ("上个星期", (Period::Week, -1)),
    ("上礼拜", (Period::Week, -1)),
    ("上个礼拜", (Period::Week, -1)),
    ("上上周", (Period::Week, -2)),
    ("上上个星期", (Period::Week, -2)),
    ("周末", (Period::Weekend, 0)),
    ("这周末", (Period::Weekend, 0)),
    ("上周末", (Period::Weekend, -1)),
    ("这个月", (Period::Month, 0)),
    ("本月", (Period::Month, 0)),
    ("上个月", (Period::Month, -1)),
    ("上月", (Period::Month, -1)),
    ("今年", (Period::Year, 0)),
    ("去年", (Period::Year, -1)),
];

/// Days of the week, from Monday.
pub(super) const WEEKDAYS: &[(&str, i32)] = &[
    ("monday", 0),
    ("tuesday", 1),
    ("wednesday", 2),
    ("thursday", 3),
    ("friday", 4),
    ("saturday", 5),
    ("sunday", 6),
    ("mon", 0),
    ("tue", 1),
    ("tues", 1),
    ("wed", 2),
    ("thu", 3),
    ("thurs", 3),
    ("fri", 4),
];
pub(super) const HAN_WEEKDAYS: [(&str, i32); 8] =
    [("一", 0), ("二", 1), ("三", 2), ("四", 3), ("五", 4), ("六", 5), ("日", 6), ("天", 6)];
pub(super) const HAN_WEEKS: [(&str, Option<i32>); 16] = [
    ("周", None),
    ("星期", None),
    ("礼拜", None),
    ("这周", Some(0)),
    ("这星期", Some(0)),
    ("这个星期", Some(0)),
    ("这礼拜", Some(0)),
    ("这个礼拜", Some(0)),
    ("本周", Some(0)),
    ("上周", Some(-1)),
    ("上星期", Some(-1)),
    ("上个星期", Some(-1)),
    ("上礼拜", Some(-1)),
    ("上个礼拜", Some(-1)),
    ("上上周", Some(-2)),
    ("上上个星期", Some(-2)),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Period {
    Week,
    Weekend,
    Month,
    Year,
}

impl Period {
    /// Its days, so many of it from the present one; the last is not included.
    pub fn days(self, today: Date, offset: i32) -> Option<(Date, Date)> {
        let monday = after(today, -i32::from(today.weekday().to_monday_zero_offset()))?;
        match self {
            Self::Week => Some((after(monday, 7 * offset)?, after(monday, 7 * offset + 7)?)),
            Self::Weekend => {
                // Before Saturday the one that has passed is meant.
                let is_here = after(monday, 5)? <= today;
                let week = if is_here || offset < 0 { offset } else { offset - 1 };
                Some((after(monday, 7 * week + 5)?, after(monday, 7 * week + 7)?))
            }
            Self::Month => {
                let first = Date::new(today.year(), today.month(), 1).ok()?;
                let first = first.checked_add(offset.months()).ok()?;
                Some((first, first.checked_add(1.month()).ok()?))
            }
            Self::Year => {
                let first = Date::new(today.year().checked_add(offset as i16)?, 1, 1).ok()?;
                Some((first, first.checked_add(1.year()).ok()?))
            }
        }
    }
}

/// So many days later.
pub(super) fn after(day: Date, days: i32) -> Option<Date> {
    day.checked_add(i64::from(days).days()).ok()
}

/// The last such day up to today.
pub(super) fn latest(today: Date, month: i8, day: i8) -> Option<Date> {
    let of = |year: i16| Date::new(year, month, day).ok();
    of(today.year()).filter(|date| *date <= today).or_else(|| of(today.year() - 1))
}
