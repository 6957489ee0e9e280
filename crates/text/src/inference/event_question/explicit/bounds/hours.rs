//! Hours and parts of a day as they are said: "two to three this afternoon", "nine this morning".

use super::super::super::atoms::Atom;
use super::super::super::calendar::after;
use super::super::super::numbers::number;
use super::{
    Bounds, MINUTES_OF_HALF_DAY, Present, TimeParse, TimePhrase, is_of_24_hours, moment_of,
};
use robot_memory_core::model::Stamp;

/// A number that may be an hour, in minutes of the day, and how many atoms say it.
fn whole_hour(atoms: &[Atom]) -> Option<(i32, usize)> {
    let (hour, count) = number(atoms)?;
    let is_vague = atoms[0].is_one_of(&["a", "an", "几", "few", "半"]);
    let is_hour = hour.fract() == 0.0 && (0.0..=24.0).contains(&hour) && !is_vague;
    is_hour.then_some((hour as i32 * 60, count))
}

impl TimePhrase {
    /// A time that says which half of the day it is of.
    const fn of_half(parse: TimeParse, count: usize) -> Self {
        Self { parse, last: None, is_pair: false, count, is_vague: false, is_of_half: true }
    }
}

impl Present<'_> {
    /// "Two to three this afternoon", 三到四点: hours, the first without what says that it is one.
    pub(super) fn hours(&self, atoms: &[Atom]) -> Option<TimePhrase> {
        let (hour, count) = whole_hour(atoms)?;
        let join = atoms.get(count).filter(|atom| {
            let joins = ["to", "till", "until", "through", "thru", "and", "到", "至"];
            atom.is_one_of(&joins)
        })?;
        let rest = atoms.get(count + 1..)?;
        let (mut parse, tail) = match self.run(rest) {
            Some((parse, tail, false)) if parse.clocks.len() == 1 => (parse, tail),
            _ => self.hour_of_part(rest)?,
        };
        let said = &rest[..tail];
        let is_pm = said.iter().any(|atom| atom.is_one_of(&["pm", "p"]));
        let is_late = parse.clocks[0].0 >= MINUTES_OF_HALF_DAY && hour < MINUTES_OF_HALF_DAY;
        let is_after = is_pm && hour + MINUTES_OF_HALF_DAY < parse.clocks[0].0;
        parse.clocks.insert(0, (hour + if is_after { MINUTES_OF_HALF_DAY } else { 0 }, 0));
        parse.seconds.insert(0, (0, false));
        let is_of_half = parse.part.is_some()
            || is_after
            || said.iter().any(|atom| atom.is_one_of(&["am", "m"]))
            || !is_late && is_of_24_hours(said);
        Some(TimePhrase {
            is_pair: join.is_one_of(&["and"]),
            is_of_half,
            ..TimePhrase::of_half(parse, count + 1 + tail)
        })
    }

    /// "Three this afternoon": an hour without what says that it is one, but for the part of the day.
    pub(super) fn hour_of_part(&self, atoms: &[Atom]) -> Option<(TimeParse, usize)> {
        let (hour, count) = whole_hour(atoms)?;
        let (mut parse, tail, is_vague) = self.run(atoms.get(count..)?)?;
        let is_part = parse.part.is_some() && parse.clocks.is_empty() && !is_vague;
        if !is_part {
            return None;
        }
        parse.clocks.push((hour, 0));
        parse.seconds.push((0, false));
        Some((parse, count + tail))
    }

    /// "Nine this morning", behind a word that a time follows.
    pub fn hour(&self, atoms: &[Atom]) -> Option<TimePhrase> {
        let (parse, count) = self.hour_of_part(atoms)?;
        Some(TimePhrase::of_half(parse, count))
    }

    /// Whether a stretch from a time of a morning that is over on may end at noon, or not: 今早八点五十分以后 said in the evening.
    pub fn may_end_at_noon(&self, atoms: &[Atom], bounds: Bounds) -> bool {
        let Some(noon) = bounds.since.and_then(|since| self.noon_of(since)) else { return false };
        let is_of_morning = |phrase: TimePhrase| {
            let part = phrase.parse.part.is_some_and(|(_, end)| end <= MINUTES_OF_HALF_DAY);
            part && phrase.is_clock() && phrase.has_day() && !phrase.is_range()
        };
        let goes_on = bounds.since < Some(noon) && bounds.until.is_none_or(|until| until > noon);
        let phrase = |at: usize| self.phrase(&atoms[at..]).or_else(|| self.hour(&atoms[at..]));
        goes_on
            && self.now > noon
            && (0..atoms.len()).any(|at| phrase(at).is_some_and(is_of_morning))
    }

    fn noon_of(&self, at: Stamp) -> Option<Stamp> {
        moment_of(self.day(at)?, MINUTES_OF_HALF_DAY, self.zone)
    }

    /// "The afternoon", of today; "the afternoon of March 5"; "the day".
    pub fn part(&self, atoms: &[Atom]) -> Option<TimePhrase> {
        let mut parse = TimeParse::default();
        let mut count = parse.read(atoms, true, self.now, self.local);
        let is_day = count == 0 && atoms[0].is_one_of(&["day"]);
        if is_day {
            let day = self.day_of_clocks()?;
            parse.days = Some((day, after(day, 1)?));
            count = 1;
        }
        let is_part = is_day || count > 0 && parse.part.is_some() && parse.days.is_none();
        if atoms.get(count).is_some_and(|atom| atom.is_one_of(&["of", "on"]))
            && let Some((day, more, false)) = self.run(&atoms[count + 1..])
            && day.days.is_some()
            && day.part.is_none()
            && day.clocks.is_empty()
        {
            parse.days = day.days;
            count += 1 + more;
        }
        is_part.then(|| TimePhrase::of_half(parse, count))
    }
}
