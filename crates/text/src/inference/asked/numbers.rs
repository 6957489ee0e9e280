//! Numbers, units of time and months as a question says them.

use super::atoms::{Atom, begins, longest};

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
}

impl Unit {
    pub fn secs(self) -> f64 {
        match self {
            Self::Second => 1.0,
            Self::Minute => 60.0,
            Self::Hour => 3_600.0,
            _ => f64::from(self.days(1.0)) * 86_400.0,
        }
    }

    /// Whether it is counted in whole days.
    pub fn is_calendar(self) -> bool {
        !matches!(self, Self::Second | Self::Minute | Self::Hour)
    }

    pub fn is_day(self) -> bool {
        self == Self::Day
    }

    /// Days of so many, rounded.
    pub fn days(self, amount: f64) -> i32 {
        let days = match self {
            Self::Second | Self::Minute | Self::Hour => 0.0,
            Self::Day => 1.0,
            Self::Week => 7.0,
            Self::Month => 30.4,
            Self::Year => 365.25,
        };
        // Nobody asks of more, and dates end.
        (days * amount).round().clamp(0.0, 36_600.0) as i32
    }
}

const UNITS: &[(&str, Unit)] = &[
    ("second", Unit::Second),
    ("seconds", Unit::Second),
    ("secs", Unit::Second),
    ("sec", Unit::Second),
    ("s", Unit::Second),
    ("minute", Unit::Minute),
    ("minutes", Unit::Minute),
    ("mins", Unit::Minute),
    ("min", Unit::Minute),
    ("hour", Unit::Hour),
    ("hours", Unit::Hour),
    ("hrs", Unit::Hour),
    ("hr", Unit::Hour),
    ("h", Unit::Hour),
    ("day", Unit::Day),
    ("days", Unit::Day),
    ("nights", Unit::Day),
    ("week", Unit::Week),
    ("weeks", Unit::Week),
    ("month", Unit::Month),
    ("months", Unit::Month),
    ("year", Unit::Year),
    ("years", Unit::Year),
    ("秒", Unit::Second),
    ("秒钟", Unit::Second),
    ("分", Unit::Minute),
    ("分钟", Unit::Minute),
    ("小时", Unit::Hour),
    ("个小时", Unit::Hour),
    ("钟头", Unit::Hour),
    ("个钟头", Unit::Hour),
    ("天", Unit::Day),
    ("周", Unit::Week),
    ("星期", Unit::Week),
    ("个星期", Unit::Week),
    ("礼拜", Unit::Week),
    ("个礼拜", Unit::Week),
    ("个月", Unit::Month),
    ("年", Unit::Year),
];

/// The unit that `atoms` begin with, and how many of them say it.
pub(super) fn unit(atoms: &[Atom]) -> Option<(Unit, usize)> {
    longest(atoms, UNITS).map(|(count, unit)| (unit, count))
}

/// A number that `atoms` begin with, and how many of them say it.
pub(super) fn number(atoms: &[Atom]) -> Option<(f64, usize)> {
    const WORDS: &[(&str, f64)] = &[
        ("a", 1.0),
        ("an", 1.0),
        ("one", 1.0),
        ("two", 2.0),
        ("three", 3.0),
        ("four", 4.0),
        ("five", 5.0),
        ("six", 6.0),
        ("seven", 7.0),
        ("eight", 8.0),
        ("nine", 9.0),
        ("ten", 10.0),
        ("eleven", 11.0),
        ("twelve", 12.0),
        ("fifteen", 15.0),
        ("twenty", 20.0),
        ("thirty", 30.0),
        ("a couple of", 2.0),
        ("couple of", 2.0),
        ("a few", 3.0),
        ("few", 3.0),
        ("several", 4.0),
        ("half a", 0.5),
        ("half an", 0.5),
        ("a half", 0.5),
        ("半", 0.5),
        ("半个", 0.5),
        ("几", 3.0),
    ];
    if let Ok(value) = atoms.first()?.text.parse::<f64>() {
        return (value.is_finite() && value < 1e6).then_some((value, 1));
    }
    longest(atoms, WORDS).map(|(count, value)| (value, count)).or_else(|| han_number(atoms))
}

/// 三, 十二, 二十, 三十五.
fn han_number(atoms: &[Atom]) -> Option<(f64, usize)> {
    let digit = |at: usize| {
        const DIGITS: [(&str, f64); 11] = [
            ("一", 1.0),
            ("二", 2.0),
            ("两", 2.0),
            ("三", 3.0),
            ("四", 4.0),
            ("五", 5.0),
            ("六", 6.0),
            ("七", 7.0),
            ("八", 8.0),
            ("九", 9.0),
            ("零", 0.0),
        ];
        longest(atoms.get(at..)?, &DIGITS).map(|(_, value)| value)
    };
    let is_ten = |at: usize| atoms.get(at..).is_some_and(|rest| begins(rest, "十").is_some());
    match (digit(0), is_ten(0)) {
        (None, true) => match digit(1) {
            Some(ones) => Some((10.0 + ones, 2)),
            None => Some((10.0, 1)),
        },
        (Some(tens), _) if is_ten(1) => match digit(2) {
            Some(ones) => Some((tens * 10.0 + ones, 3)),
            None => Some((tens * 10.0, 2)),
        },
        (Some(ones), _) => Some((ones, 1)),
        (None, false) => None,
    }
}

/// A month by its name, from 1.
pub(super) fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is_short = word.len() == 3 || word == "sept";
    let place =
        MONTHS.iter().position(|name| *name == word || (is_short && name.starts_with(word)))?;
    i8::try_from(place + 1).ok()
}
