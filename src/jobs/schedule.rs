//! When work is due by the clock on the wall.

use crate::model::nearest;
use jiff::civil::{Time, Weekday};

/// A time of each day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DailyAt(pub Time);

/// A time of one day of each week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeeklyAt {
    /// The day.
    pub weekday: Weekday,
    /// The time.
    pub time: Time,
}

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
}
