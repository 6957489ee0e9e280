//! Numbers, units of time and months as a question says them.

use super::super::numerals::digit as han_digit;
use super::super::phrases::Rows;
use super::atoms::{Atom, ByLetter, longest};
use std::sync::LazyLock;

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Millisecond,
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
            Self::Millisecond => 0.001,
            Self::Second => 1.0,
            Self::Minute => 60.0,
            Self::Hour => 3_600.0,
            _ => f64::from(self.days(1.0)) * 86_400.0,
        }
    }

    /// Whether it is counted in whole days.
    pub fn is_calendar(self) -> bool {
        !matches!(self, Self::Millisecond | Self::Second | Self::Minute | Self::Hour)
    }

    pub fn is_day(self) -> bool {
        self == Self::Day
    }

    /// Days of so many, rounded.
    pub fn days(self, amount: f64) -> i32 {
        let days = match self {
            Self::Millisecond | Self::Second | Self::Minute | Self::Hour => 0.0,
            Self::Day => 1.0,
            Self::Week => 7.0,
            Self::Month => 30.4,
            Self::Year => 365.25,
        };
        // Nobody asks of more, and dates end.
        (days * amount).round().clamp(0.0, 36_600.0) as i32
    }
}

#[rustfmt::skip]
const UNITS: &Rows<Unit> = &[
    (Unit::Millisecond, &["millisecond", "milliseconds", "ms", "毫秒"]),
    (Unit::Second, &["second", "seconds", "secs", "sec", "s", "秒", "秒钟"]),
    (Unit::Minute, &["minute", "minutes", "mins", "min", "分", "分钟"]),
    (Unit::Hour, &["hour", "hours", "hrs", "hr", "h", "小时", "个小时", "钟头", "个钟头"]),
    (Unit::Day, &["day", "days", "nights", "天"]),
    (Unit::Week, &["week", "weeks", "周", "星期", "个星期", "礼拜", "个礼拜"]),
    (Unit::Month, &["month", "months", "个月"]),
    (Unit::Year, &["year", "years", "年"]),
];

/// The unit that `atoms` begin with, and how many of them say it.
pub(super) fn unit(atoms: &[Atom]) -> Option<(Unit, usize)> {
    longest(atoms, UNITS).map(|(count, unit)| (unit, count))
}

/// A number that `atoms` begin with, and how many of them say it.
pub(super) fn number(atoms: &[Atom]) -> Option<(f64, usize)> {
    #[rustfmt::skip]
    const WORDS_OF: &Rows<f64> = &[
        (1.0, &["a", "an", "one"]),
        (2.0, &["two", "a couple of", "couple of"]),
        (3.0, &["three", "a few", "few", "几"]),
        (4.0, &["four", "several"]),
        (5.0, &["five"]), (6.0, &["six"]), (7.0, &["seven"]), (8.0, &["eight"]), (9.0, &["nine"]), (10.0, &["ten"]),
        (11.0, &["eleven"]), (12.0, &["twelve"]), (15.0, &["fifteen"]), (20.0, &["twenty"]), (30.0, &["thirty"]),
        (0.5, &["half a", "half an", "a half", "半", "半个"]),
    ];
    static WORDS: LazyLock<ByLetter<f64>> = LazyLock::new(|| ByLetter::of(WORDS_OF));
    if let Ok(value) = atoms.first()?.text.parse::<f64>() {
        return (value.is_finite() && value < 1e6).then_some((value, 1));
    }
    WORDS.longest(atoms).map(|(count, value)| (value, count)).or_else(|| han_number(atoms))
}

/// 三, 十二, 二十, 三十五.
fn han_number(atoms: &[Atom]) -> Option<(f64, usize)> {
    let digit = |at: usize| han_digit(atoms.get(at)?.text.chars().next()?);
    let is_ten = |at: usize| atoms.get(at).is_some_and(|atom| atom.text == "十");
    let (tens, used) = match digit(0) {
        None if is_ten(0) => (1, 1),
        Some(tens) if is_ten(1) => (tens, 2),
        ones => return ones.map(|ones| (ones as f64, 1)),
    };
    let ones = digit(used);
    let value = tens * 10 + ones.unwrap_or(0);
    Some((value as f64, used + usize::from(ones.is_some())))
}

/// A month by its name, from 1.
pub(super) fn month(word: &str) -> Option<i8> {
    #[rustfmt::skip]
    const MONTHS: [&str; 12] = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
        "november", "december",
    ];
    let is_short = word.len() == 3 || word == "sept";
    let place =
        MONTHS.iter().position(|name| *name == word || (is_short && name.starts_with(word)))?;
    i8::try_from(place + 1).ok()
}
