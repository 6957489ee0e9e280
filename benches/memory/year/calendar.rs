//! When the robot works: seasons, week ends, holidays, and two weeks in which it is off.

use super::Result;
use jiff::civil::{Date, Weekday, date};
use jiff::tz::TimeZone;
use robot_memory_core::model::Stamp;

/// Days of the year.
pub const DAYS: usize = 365;
/// Central Europe's, spelled out, so that no table of zones is needed: two days a year have 23 and 25
/// hours.
const ZONE: &str = "CET-1CEST,M3.5.0,M10.5.0/3";

/// One day.
#[derive(Debug, Clone, Copy)]
pub struct Day {
    /// Which.
    pub date: Date,
    /// How much is done, 1 on an ordinary working day; 0: there is no session.
    pub load: f64,
    /// Whether the node is up.
    pub is_on: bool,
    /// In the hall.
    pub temperature_c: f64,
}

/// A year in a place.
pub struct Calendar {
    /// Where local times hold.
    pub zone: TimeZone,
    /// Its days.
    pub days: Vec<Day>,
}

impl Calendar {
    /// The year that is simulated.
    pub fn of_year() -> Result<Self> {
        let zone = TimeZone::posix(ZONE)?;
        let mut days = Vec::with_capacity(DAYS);
        let mut of_year = date(2026, 1, 1);
        for number in 0..DAYS {
            // Cold in January, warm in July, and a little of the weather.
            let season = (number as f64 - 15.0) / DAYS as f64 * std::f64::consts::TAU;
            let weather = (number * 7 % 11) as f64 * 0.2;
            days.push(Day {
                date: of_year,
                load: load(of_year),
                is_on: !is_off(of_year),
                temperature_c: ((20.0 - 5.0 * season.cos() + weather) * 10.0).round() / 10.0,
            });
            of_year = of_year.tomorrow()?;
        }
        Ok(Self { zone, days })
    }

    /// A local time of a day.
    pub fn at(&self, day: usize, hour: i8, minute: i8) -> Result<Stamp> {
        let local = self.days[day].date.at(hour, minute, 0, 0);
        let time = local.to_zoned(self.zone.clone())?.timestamp();
        Ok(Stamp(i64::try_from(time.as_nanosecond())?))
    }

    /// Splits a number of things among the days by how much is done on them.
    pub fn split(&self, count: usize) -> Vec<usize> {
        let whole: f64 = self.days.iter().map(|day| day.load).sum();
        let (mut passed, mut given) = (0.0, 0);
        let share = |day: &Day| {
            passed += day.load;
            let until = (passed / whole * count as f64).round() as usize;
            let of_day = until - given;
            given = until;
            of_day
        };
        self.days.iter().map(share).collect()
    }

    /// Whether a day is the last of its month.
    pub fn ends_month(&self, day: usize) -> bool {
        let date = self.days[day].date;
        date == date.last_of_month()
    }
}

/// The summer break, in which the robot is switched off.
fn is_off(day: Date) -> bool {
    (date(2026, 8, 3)..=date(2026, 8, 16)).contains(&day)
}

fn load(day: Date) -> f64 {
    let is_holiday = (day.month() == 1 && day.day() <= 4)
        || (date(2026, 4, 3)..=date(2026, 4, 6)).contains(&day)
        || (day.month() == 12 && day.day() >= 24);
    let of_week = match day.weekday() {
        Weekday::Sunday => 0.0,
        Weekday::Saturday => 0.4,
        _ => 1.0,
    };
    let of_season = match day.month() {
        3 | 10 => 1.6,
        7 => 0.7,
        11 if day.day() > 15 => 2.0,
        _ => 1.0,
    };
    if is_holiday || is_off(day) { 0.0 } else { of_week * of_season }
}
