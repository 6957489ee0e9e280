//! What days, weeks and parts of days are called.

use jiff::ToSpan;
use jiff::civil::Date;

use super::super::phrases::Rows;
use super::atoms::ByLetter;
use std::sync::LazyLock;

/// Days, by their distance from today.
pub(super) static DAYS: LazyLock<ByLetter<i32>> = LazyLock::new(|| ByLetter::of(DAYS_OF));
#[rustfmt::skip]
const DAYS_OF: &Rows<i32> = &[
    (0, &["today", "今天", "今日", "本日"]),
    (-1, &["yesterday", "昨天", "昨日"]),
    (-2, &["the day before yesterday", "day before yesterday", "前天", "前日"]),
    (-3, &["大前天"]),
];

/// Parts of a day, in minutes from its begin. The second says whether it is one by itself, or only beside a
/// day: "Monday morning", but not "the morning round".
pub(super) static PARTS: LazyLock<ByLetter<(i32, i32, bool)>> =
    LazyLock::new(|| ByLetter::of(PARTS_OF));
#[rustfmt::skip]
const PARTS_OF: &Rows<(i32, i32, bool)> = &[
    ((4 * 60, 12 * 60, false), &["morning", "forenoon"]),
    ((0, 9 * 60, false), &["early morning"]),
    ((11 * 60, 14 * 60, false), &["noon", "midday", "lunchtime"]),
    ((12 * 60, 18 * 60, false), &["afternoon"]),
    ((17 * 60, 24 * 60, false), &["evening"]),
    ((18 * 60, 30 * 60, false), &["night"]),
    ((4 * 60, 12 * 60, true), &["in the morning", "上午", "早上", "早晨", "早间", "一早"]),
    ((0, 9 * 60, true), &["early in the morning"]),
    ((12 * 60, 18 * 60, true), &["in the afternoon", "下午", "午后"]),
    ((17 * 60, 24 * 60, true), &["in the evening"]),
    ((18 * 60, 30 * 60, true), &["at night", "in the night", "during the night", "夜里", "夜间", "夜晚"]),
    ((11 * 60, 14 * 60, true), &["at noon", "around noon", "at midday", "over lunch", "at lunchtime",
        "at lunch", "中午", "正午", "午间"]),
    ((12 * 60, 24 * 60, true), &["after lunch", "after noon", "since noon", "中午后", "中午之后", "中午以后", "午饭后", "午饭以后",
        "午饭之后"]),
    ((0, 13 * 60, true), &["before lunch", "午饭前"]),
    ((0, 12 * 60, true), &["before noon", "中午前", "中午之前", "中午以前"]),
    ((4 * 60, 10 * 60, true), &["一大早"]),
    ((3 * 60, 9 * 60, true), &["清晨"]),
    ((0, 6 * 60, true), &["凌晨"]),
    ((16 * 60, 20 * 60, true), &["傍晚"]),
    ((17 * 60, 30 * 60, true), &["晚上", "晚间"]),
    ((21 * 60, 30 * 60, true), &["半夜", "深夜"]),
];

/// Days and parts of them in one: days from today, and minutes of that day.
pub(super) static DAY_PARTS: LazyLock<ByLetter<(i32, i32, i32)>> =
    LazyLock::new(|| ByLetter::of(DAY_PARTS_OF));
#[rustfmt::skip]
const DAY_PARTS_OF: &Rows<(i32, i32, i32)> = &[
    ((0, 0, 12 * 60), &["this morning", "this forenoon", "今早", "今晨"]),
    ((0, 11 * 60, 14 * 60), &["this noon", "this lunchtime"]),
    ((0, 12 * 60, 18 * 60), &["this afternoon"]),
    ((0, 17 * 60, 24 * 60), &["this evening"]),
    ((0, 17 * 60, 30 * 60), &["tonight", "今晚", "今夜"]),
    ((-1, 17 * 60, 30 * 60), &["last night", "昨晚", "昨夜", "昨儿晚上"]),
    ((-1, 18 * 60, 31 * 60), &["overnight"]),
    ((-1, 17 * 60, 24 * 60), &["last evening"]),
    ((-1, 0, 12 * 60), &["昨早", "昨晨"]),
    ((-2, 17 * 60, 30 * 60), &["前晚"]),
];

/// Weeks, months and years, by their distance from the present one.
pub(super) static CALENDAR: LazyLock<ByLetter<(Period, i32)>> =
    LazyLock::new(|| ByLetter::of(CALENDAR_OF));
#[rustfmt::skip]
const CALENDAR_OF: &Rows<(Period, i32)> = &[
    ((Period::Week, 0), &["this week", "这周", "这一周", "本周", "这星期", "这个星期", "本星期", "这礼拜",
        "这个礼拜"]),
    ((Period::Week, -1), &["last week", "the previous week", "previous week", "上周", "上一周", "上星期",
        "上个星期", "上礼拜", "上个礼拜"]),
    ((Period::Week, -2), &["the week before last", "上上周", "上上个星期"]),
    ((Period::Weekend, 0), &["this weekend", "the weekend", "周末", "这周末"]),
    ((Period::Weekend, -1), &["last weekend", "上周末"]),
    ((Period::Month, 0), &["this month", "这个月", "本月"]),
    ((Period::Month, -1), &["last month", "the previous month", "上个月", "上月"]),
    ((Period::Year, 0), &["this year", "今年"]),
    ((Period::Year, -1), &["last year", "去年"]),
];

/// Days of the week, from Monday.
#[rustfmt::skip]
pub(super) const WEEKDAYS: &Rows<i32> = &[
    (0, &["monday", "mon"]), (1, &["tuesday", "tue", "tues"]), (2, &["wednesday", "wed"]),
    (3, &["thursday", "thu", "thurs"]), (4, &["friday", "fri"]), (5, &["saturday"]), (6, &["sunday"]),
];
#[rustfmt::skip]
pub(super) const HAN_WEEKDAYS: &Rows<i32> = &[
    (0, &["一"]), (1, &["二"]), (2, &["三"]), (3, &["四"]), (4, &["五"]), (5, &["六"]), (6, &["日", "天"]),
];
#[rustfmt::skip]
pub(super) const HAN_WEEKS: &Rows<Option<i32>> = &[
    (None, &["周", "星期", "礼拜"]),
    (Some(0), &["这周", "这星期", "这个星期", "这礼拜", "这个礼拜", "本周"]),
    (Some(-1), &["上周", "上星期", "上个星期", "上礼拜", "上个礼拜"]),
    (Some(-2), &["上上周", "上上个星期"]),
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
