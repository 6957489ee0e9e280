//! Times that a question bounds exactly: "yesterday", "since 3 pm", "between 10:00 and 11:30", 昨天下午. What is
//! about right ("three hours ago", "at ten") is none of them.

use super::super::atoms::Atom;
use super::super::calendar::after;
use super::super::numbers::month;
use super::super::times::{TimeParse, between, moment_of};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use robot_memory_core::model::Stamp;

const NOON: (i32, i32) = (11 * 60, 14 * 60);
const MINUTES_OF_HALF_DAY: i32 = 12 * 60;
/// Words in a time that leave open how much of it.
const VAGUE: [&str; 10] =
    ["few", "several", "couple", "几", "lunch", "lunchtime", "饭", "around", "about", "overnight"];

/// When it is, and where its days begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Present<'a> {
    pub now: Stamp,
    pub zone: &'a TimeZone,
    local: DateTime,
}

/// A stretch of time, either end of which may be open. The end is not included.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bounds {
    pub since: Option<Stamp>,
    pub until: Option<Stamp>,
}

/// On which side of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    In,
    Since,
    After,
    Before,
    Until,
}

/// A time in a text.
#[derive(Debug)]
pub(super) struct TimePhrase {
    parse: TimeParse,
    /// What it ends with: "Monday to Wednesday".
    last: Option<TimeParse>,
    /// Whether "and" joins the two, which "between" must stand before.
    pub is_pair: bool,
    /// How many atoms say it.
    pub count: usize,
    is_vague: bool,
    /// Whether a clock time says which half of the day it is of.
    is_of_half: bool,
}

impl TimePhrase {
    /// Whether it says a time of the day.
    pub fn is_clock(&self) -> bool {
        !self.parse.clocks.is_empty()
    }

    /// Whether it says of which day.
    fn has_day(&self) -> bool {
        self.parse.days.is_some() || self.parse.weekday.is_some()
    }

    /// Whether it is from one time to another.
    pub fn is_range(&self) -> bool {
        self.last.is_some() || self.parse.clocks.len() > 1
    }
}

impl Bounds {
    /// Whether it bounds nothing.
    pub fn is_open(self) -> bool {
        self == Self::default()
    }

    /// What lies in both; `None` when nothing does.
    pub fn and(self, other: Self) -> Option<Self> {
        let since = self.since.max(other.since);
        let until = match (self.until, other.until) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        let is_empty = since.zip(until).is_some_and(|(since, until)| since >= until);
        (!is_empty).then_some(Self { since, until })
    }
}

impl<'a> Present<'a> {
    pub fn new(now: Stamp, zone: &'a TimeZone) -> Option<Self> {
        let moment = Timestamp::from_nanosecond(i128::from(now.0)).ok()?;
        Some(Self { now, zone, local: zone.to_datetime(moment) })
    }

    /// The time that `atoms` begin with.
    pub fn phrase(&self, atoms: &[Atom]) -> Option<TimePhrase> {
        let (mut parse, mut count, mut is_vague) = self.run(atoms)?;
        let mut last = None;
        let mut is_pair = false;
        let joins = ["and", "to", "until", "till", "到", "至", "和"];
        if let Some(join) = atoms.get(count).filter(|atom| atom.is_one_of(&joins))
            && let Some((second, more, vague)) = self.run(&atoms[count + 1..])
        {
            is_vague |= vague;
            is_pair = join.is_one_of(&["and", "和"]);
            count += 1 + more;
            let is_of_one_day = parse.days.is_none() || second.days.is_none();
            if second.clocks.len() == 1 && parse.clocks.len() == 1 && is_of_one_day {
                parse.clocks.extend(second.clocks);
                parse.days = parse.days.or(second.days);
                parse.part = parse.part.or(second.part);
            } else {
                last = Some(second);
            }
        } else {
            // Two times that nothing joins are no stretch.
            let is_joined = atoms[..count].iter().any(|atom| atom.is_one_of(&["between", "hour"]));
            is_vague |= parse.clocks.len() > 1 && !is_joined;
        }
        let said = &atoms[..count];
        is_vague |= said.iter().any(|atom| atom.is_one_of(&VAGUE));
        let is_of_half = parse.part.is_some()
            || said.iter().any(|atom| atom.is_one_of(&["am", "pm", "a", "p"]))
            || said.iter().any(|atom| atom.text.contains([':', '：']) || atom.text == "hour")
            || is_of_24_hours(said);
        Some(TimePhrase { parse, last, is_pair, count, is_vague, is_of_half })
    }

    /// "The afternoon", of today.
    pub fn part(&self, atoms: &[Atom]) -> Option<TimePhrase> {
        let mut parse = TimeParse::default();
        let count = parse.read(atoms, true, self.now, self.local);
        let is_part = count > 0 && parse.part.is_some() && parse.days.is_none();
        let phrase = TimePhrase {
            parse,
            last: None,
            is_pair: false,
            count,
            is_vague: false,
            is_of_half: true,
        };
        is_part.then_some(phrase)
    }

    /// Times that stand side by side: "yesterday afternoon".
    fn run(&self, atoms: &[Atom]) -> Option<(TimeParse, usize, bool)> {
        let mut parse = TimeParse::default();
        let (mut at, mut is_vague) = (0, false);
        if let Some((dated, count)) = self.year_before(atoms) {
            (parse, at) = (dated, count);
        }
        while at < atoms.len() {
            let rest = &atoms[at..];
            let today = self.local.date();
            let count = if let Some(count) = parse.read_ago(rest, self.now, today) {
                let is_day = parse.days.is_some_and(|(from, to)| after(from, 1) == Some(to));
                is_vague |= parse.stretch.is_some() || !is_day;
                count
            } else if let Some(count) = parse.read_lately(rest, self.now, today) {
                // How much of today belongs to the last three days?
                is_vague |= parse.stretch.is_none();
                count
            } else {
                parse.read(rest, at > 0, self.now, self.local)
            };
            if count == 0 {
                break;
            }
            at += count;
            at += self.with_year(&mut parse, rest, &atoms[at..]);
            // "The 8 o'clock hour".
            let is_hour = rest.get(2).is_some_and(|atom| atom.text == "clock");
            if is_hour
                && atoms.get(at).is_some_and(|atom| atom.text == "hour")
                && let Some((begin, _)) = parse.clocks.last().copied()
            {
                parse.clocks.push((begin + 60, 0));
                at += 1;
            }
            // 昨天的下午, "10:00 on Monday".
            let is_joined = atoms.get(at).is_some_and(|atom| atom.is_one_of(&["的", "on", "of"]));
            let mut apart = TimeParse::default();
            if is_joined && apart.read(&atoms[at + 1..], true, self.now, self.local) > 0 {
                let is_again = parse.days.is_some() && apart.days.is_some();
                is_vague |= is_again || apart.stretch.is_some();
                at += 1;
            }
        }
        (at > 0).then_some((parse, at, is_vague))
    }

    /// Takes the year that stands behind a day, and "UTC" where that is the time here; how many atoms these are.
    fn with_year(&self, parse: &mut TimeParse, said: &[Atom], next: &[Atom]) -> usize {
        let Some(atom) = next.first() else { return 0 };
        let is_utc = self.zone.to_offset(self.moment()).seconds() == 0;
        if is_utc && !parse.clocks.is_empty() && atom.is_one_of(&["utc", "gmt"]) {
            return 1;
        }
        let has_month = said.first().is_some_and(|atom| month(&atom.text).is_some())
            || said.iter().take(4).skip(1).any(|atom| month(&atom.text).is_some());
        let year = atom.text.parse::<i16>().ok().filter(|year| (1970..=2261).contains(year));
        let (Some(year), Some((day, _)), true) = (year, parse.days, has_month) else { return 0 };
        let Ok(day) = jiff::civil::Date::new(year, day.month(), day.day()) else { return 0 };
        parse.days = after(day, 1).map(|next| (day, next));
        1
    }

    fn moment(&self) -> Timestamp {
        Timestamp::from_nanosecond(i128::from(self.now.0)).unwrap_or_default()
    }

    /// A day with its year before it: 2022年10月26日.
    fn year_before(&self, atoms: &[Atom]) -> Option<(TimeParse, usize)> {
        let year = atoms.first()?.text.parse::<i16>().ok()?;
        if !(1970..=2261).contains(&year) || atoms.get(1)?.text != "年" {
            return None;
        }
        let mut parse = TimeParse::default();
        let count = parse.read(&atoms[2..], false, self.now, self.local);
        let (first, _) = parse.days.filter(|_| count > 0 && atoms[3].text == "月")?;
        let day = jiff::civil::Date::new(year, first.month(), first.day()).ok()?;
        parse.days = Some((day, after(day, 1)?));
        Some((parse, count + 2))
    }

    /// What a time bounds, when it does so exactly.
    pub fn bounds(&self, phrase: &TimePhrase, side: Side) -> Option<Bounds> {
        if phrase.is_vague {
            return None;
        }
        let (since, until) = self.span(&phrase.parse, phrase.is_of_half, side)?;
        let both = |since, until| Bounds { since: Some(since), until: Some(until) };
        let bounds = match (side, &phrase.last) {
            (Side::In, Some(last)) => both(since, self.span(last, phrase.is_of_half, side)?.1),
            (_, Some(_)) => return None,
            (Side::In, None) if phrase.parse.stretch.is_some() => {
                Bounds { since: Some(since), until: None }
            }
            (Side::In, None) => both(since, until),
            (Side::Since, None) => Bounds { since: Some(since), until: None },
            // After ten of a day that is named: of that day.
            (Side::After, None) if phrase.is_clock() && phrase.has_day() => {
                let (_, next) = self.days(&phrase.parse)??;
                both(until, moment_of(next, 0, self.zone)?)
            }
            (Side::After, None) => Bounds { since: Some(until), until: None },
            (Side::Before | Side::Until, None) => {
                let is_clock = !phrase.parse.clocks.is_empty();
                if side == Side::Until && !is_clock {
                    // Until Monday: with it, or without?
                    return None;
                }
                let day = is_clock.then(|| self.begin_of_day(&phrase.parse)).flatten();
                Bounds { since: day, until: Some(since) }
            }
        };
        Bounds::default().and(bounds)
    }

    fn begin_of_day(&self, parse: &TimeParse) -> Option<Stamp> {
        let (first, _) = self.days(parse)?.or(Some((self.local.date(), self.local.date())))?;
        moment_of(first, 0, self.zone)
    }

    #[expect(clippy::option_option, reason = "no days are said, or such as there are none")]
    fn days(&self, parse: &TimeParse) -> Option<Option<(jiff::civil::Date, jiff::civil::Date)>> {
        match parse.weekday {
            Some(weekday) => parse.weekday_of(self.local.date(), weekday).map(Some),
            None => Some(parse.days),
        }
    }

    /// From when to when. Of a single time of the day that moment.
    fn span(&self, parse: &TimeParse, is_of_half: bool, side: Side) -> Option<(Stamp, Stamp)> {
        if let Some(stretch) = parse.stretch {
            let is_all = parse.days.is_none() && parse.clocks.is_empty() && parse.part.is_none();
            return (is_all && side == Side::In).then_some(stretch);
        }
        let moment = |day, minutes| moment_of(day, minutes, self.zone);
        let days = self.days(parse)?;
        let clocks: Vec<(i32, i32)> = parse.clocks.iter().map(|(at, _)| (*at, 0)).collect();
        let minutes = match (&clocks[..], parse.part) {
            ([], None) => {
                let (first, last) = days?;
                return Some((moment(first, 0)?, moment(last, 0)?));
            }
            ([], Some(NOON)) => return None,
            ([], Some(part)) => part,
            // At ten: how much before and after?
            ([_], _) if side == Side::In => return None,
            ([_, _, _, ..], _) => return None,
            (clocks, part) => between(clocks, part),
        };
        let today = self.local.date();
        let (first, last) = days.or(Some((today, after(today, 1)?)))?;
        if after(first, 1) != Some(last) {
            return None;
        }
        let (from, until) = (moment(first, minutes.0)?, moment(first, minutes.1)?);
        let half = SignedDuration::from_mins(MINUTES_OF_HALF_DAY.into());
        let is_one_past = Stamp(until.0.saturating_add(half.as_nanos() as i64)) > self.now;
        let is_early = minutes.0 <= MINUTES_OF_HALF_DAY;
        let is_clear = clocks.is_empty() || is_of_half || !is_early || is_one_past;
        (from <= self.now && is_clear).then_some((from, until))
    }
}

/// 8点20分, 15点: in figures, as clocks of 24 hours show it.
fn is_of_24_hours(said: &[Atom]) -> bool {
    let is_hour = |atom: &Atom| match atom.text.parse::<u32>() {
        Ok(hour) => (7..=24).contains(&hour) || atom.text.starts_with('0'),
        Err(_) => false,
    };
    let hours = said.iter().zip(said.iter().skip(1)).filter(|(_, next)| next.text == "点");
    let mut hours = hours.map(|(hour, _)| is_hour(hour)).peekable();
    hours.peek().is_some() && hours.all(|is_hour| is_hour)
}
