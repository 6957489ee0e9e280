//! Hours and parts of a day as they are said: "two to three this afternoon", "nine this morning".

use super::super::super::atoms::{Atom, has};
use super::super::super::calendar::after;
use super::super::super::clocks::{Clock, Detail};
use super::super::super::numbers::number;
use super::super::{End, Nth, Taken};
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
    /// Whether it is from one time of the day to another, and no whole hour.
    pub fn has_own_end(&self) -> bool {
        self.is_range() && !self.is_hour()
    }

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
        let last = parse.clocks[0].minutes;
        // "10 to midnight": in the morning, or in the evening?
        if last == 0 && hour > 0 {
            return None;
        }
        let is_late = last >= MINUTES_OF_HALF_DAY && hour < MINUTES_OF_HALF_DAY;
        let is_after = is_pm && hour > 0 && hour + MINUTES_OF_HALF_DAY < last;
        let first = hour + if is_after { MINUTES_OF_HALF_DAY } else { 0 };
        parse.clocks.insert(0, Clock::exact(first, Detail::Hour));
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
        parse.clocks.push(Clock::exact(hour, Detail::Hour));
        Some((parse, count + tail))
    }

    /// "Nine this morning", behind a word that a time follows.
    pub fn hour(&self, atoms: &[Atom]) -> Option<TimePhrase> {
        let (parse, count) = self.hour_of_part(atoms)?;
        Some(TimePhrase::of_half(parse, count))
    }

    /// Whether a stretch beside a time of a half of a day may end at noon, or begin there: 今早八点五十分以后 said in the evening, from
    /// 今天下午三点之前. Of the one at the end that is sure it does not matter.
    pub fn is_open_at_noon(&self, atoms: &[Atom], bounds: Bounds, taken: Taken) -> bool {
        let counted_from = match taken {
            Taken::Nth(Nth { end, nth: 1 }) => Some(end),
            _ => None,
        };
        // Of a time of the day, and not of the whole day.
        let noon = |at: Option<Stamp>| {
            let at = at.filter(|at| self.midnight_before(*at) != Some(*at))?;
            moment_of(self.day(at)?, MINUTES_OF_HALF_DAY, self.zone)
        };
        let is_of_half = |is_early: bool| {
            let phrase = |at: usize| self.phrase(&atoms[at..]).or_else(|| self.hour(&atoms[at..]));
            (0..atoms.len()).filter_map(phrase).any(|phrase| {
                let part = phrase.parse.part;
                let is_half = part.is_some_and(|(from, until)| match is_early {
                    true => until == MINUTES_OF_HALF_DAY,
                    false => from >= MINUTES_OF_HALF_DAY,
                });
                is_half && phrase.is_clock() && phrase.has_day() && !phrase.is_range()
            })
        };
        let goes_past_noon = noon(bounds.since).is_some_and(|noon| {
            let is_past =
                bounds.since < Some(noon) && bounds.until.is_none_or(|until| until > noon);
            is_past && self.now > noon
        });
        let begins_before_noon = noon(bounds.until)
            .is_some_and(|noon| bounds.since < Some(noon) && bounds.until > Some(noon));
        // "Since 8:50 this morning" is until now.
        let is_after = has(atoms, &["after", "later than", "以后", "之后", "过后"])
            && !has(atoms, &["now", "现在", "至今", "为止", "目前"]);
        goes_past_noon && is_after && counted_from != Some(End::First) && is_of_half(true)
            || begins_before_noon && counted_from != Some(End::Last) && is_of_half(false)
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
