//! The day, and the part of it, that one time of a text lends another: "yesterday, which stops came before 9:30?"

use super::super::super::clocks::Clock;
use super::{MINUTES_OF_HALF_DAY, TimeParse, TimePhrase};
use jiff::civil::Date;

/// A day and a part of it that one time lends another.
#[derive(Debug, Clone)]
pub(in super::super) struct LentDay {
    days: Option<(Date, Date)>,
    weekday: Option<i32>,
    week: Option<i32>,
    part: Option<(i32, i32)>,
}

impl TimePhrase {
    /// Whether it says a day, or a part of one, and nothing else.
    pub fn is_of_day(&self) -> bool {
        self.last.is_none()
            && self.parse.stretch.is_none()
            && (self.has_day() || self.parse.part.is_some())
    }

    /// What it says of the day.
    pub fn lent(&self) -> LentDay {
        let TimeParse { days, weekday, week, part, .. } = self.parse;
        LentDay { days, weekday, week, part }
    }

    /// What it says of the day, without the part of it.
    pub fn lent_day(&self) -> LentDay {
        LentDay { part: None, ..self.lent() }
    }

    /// Takes what it does not say itself.
    pub fn borrow_day(&mut self, lent: &LentDay) {
        if !self.has_day() {
            (self.parse.days, self.parse.weekday, self.parse.week) =
                (lent.days, lent.weekday, lent.week);
        }
        // "This afternoon, before 2:30".
        let is_late = lent.part.is_some_and(|(from, _)| from >= MINUTES_OF_HALF_DAY);
        let is_early = |clock: &Clock| (60..MINUTES_OF_HALF_DAY).contains(&clock.minutes);
        let is_moved = is_late && self.parse.clocks.iter().all(is_early);
        if (!self.is_of_half || is_moved) && self.parse.part.is_none() && lent.part.is_some() {
            self.parse.part = lent.part;
            self.is_of_half = true;
        }
    }
}
