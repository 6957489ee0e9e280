//! A time of the day, and how exactly it was said: nine, 9:20, 9:20:05.5.

const MINUTES_OF_HALF_DAY: i32 = 12 * 60;
const NANOS_OF_SECOND: i64 = 1_000_000_000;

/// A time of the day, as a clock shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    /// Of the day.
    pub minutes: i32,
    /// How much before and after still counts.
    pub about_minutes: i32,
    pub detail: Detail,
    /// Whether it says which half of the day it is of: "9 am", 09:00, 15:00.
    pub is_half_said: bool,
}

impl Clock {
    /// One that does not say its half of the day, and of which nothing before or after counts.
    pub(super) fn exact(minutes: i32, detail: Detail) -> Self {
        Self { minutes, about_minutes: 0, detail, is_half_said: false }
    }

    /// Noon, or midnight.
    pub(super) fn named(minutes: i32) -> Self {
        Self { is_half_said: true, ..Self::exact(minutes, Detail::Minute) }
    }

    /// The end of the hour that begins with it.
    pub(super) fn hour_after(self) -> Self {
        Self::exact(self.minutes + 60, Detail::HourAfter)
    }

    /// In minutes of the day, where a part of it is said: two of the afternoon is 14:00.
    pub(super) fn placed(self, part: Option<(i32, i32)>) -> i32 {
        let begin = part.map_or(0, |(begin, _)| begin);
        match self.minutes {
            // Two in the night is of the next morning.
            minutes if begin >= 17 * 60 && minutes < 5 * 60 => minutes + 2 * MINUTES_OF_HALF_DAY,
            minutes if begin >= 11 * 60 && (1..MINUTES_OF_HALF_DAY).contains(&minutes) => {
                minutes + MINUTES_OF_HALF_DAY
            }
            minutes => minutes,
        }
    }
}

/// How exactly a time of the day was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Hour,
    /// Not said: it ends the hour that the time before it begins.
    HourAfter,
    Minute,
    /// To the second, or to a decimal of it.
    Second {
        /// From the begin of its minute.
        nanos: i64,
        /// How long what was said lasts: 15:09:26 a second, 15:09:26.34 a hundredth.
        width_nanos: i64,
    },
}

impl Detail {
    /// "26", "26.34"; `None`: no second of a minute.
    pub(super) fn second(said: &str) -> Option<Self> {
        let (whole, decimals) = said.split_once('.').unwrap_or((said, ""));
        let whole: i64 = whole.parse().ok().filter(|second| (0..60).contains(second))?;
        let width_nanos = NANOS_OF_SECOND / 10_i64.checked_pow(decimals.len().try_into().ok()?)?;
        let decimals: i64 = if decimals.is_empty() { 0 } else { decimals.parse().ok()? };
        let nanos = NANOS_OF_SECOND * whole + width_nanos * decimals;
        (width_nanos > 0).then_some(Self::Second { nanos, width_nanos })
    }

    pub(super) fn is_second(self) -> bool {
        matches!(self, Self::Second { .. })
    }

    /// From the begin of its minute.
    pub(super) fn nanos(self) -> i64 {
        match self {
            Self::Second { nanos, .. } => nanos,
            Self::Hour | Self::HourAfter | Self::Minute => 0,
        }
    }

    /// How long what was said lasts; of an hour, its first minute.
    pub(super) fn width_nanos(self) -> i64 {
        match self {
            Self::Second { width_nanos, .. } => width_nanos,
            Self::Hour | Self::HourAfter | Self::Minute => 60 * NANOS_OF_SECOND,
        }
    }
}
