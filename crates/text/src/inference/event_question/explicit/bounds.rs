//! Times that a question bounds exactly: "yesterday", "since 3 pm", "between 10:00 and 11:30", 昨天下午. What is
//! about right ("three hours ago", "at ten") is none of them.

mod hours;
mod lent_day;
mod moments;
mod past;

use super::super::atoms::{Atom, has, longest_of};
use super::super::calendar::after;
use super::super::clocks::{Clock, Detail};
use super::super::numbers::{month, number};
use super::super::times::{TimeParse, between, moment_of};
use super::words::length;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
pub(super) use lent_day::LentDay;
pub use past::PastDays;
use robot_memory_core::model::Stamp;

const NOON: (i32, i32) = (11 * 60, 14 * 60);
const MINUTES_OF_HALF_DAY: i32 = 12 * 60;
/// A stretch from a time of the morning to one of the afternoon that does not say so lasts at most as many minutes, as a working day.
const RAISED_MAX: i32 = 9 * 60;
const DAY_SECS: f64 = 86_400.0;
/// Times of the day that have a name.
const NOONS: [&str; 4] = ["noon", "midday", "midnight", "正午"];
/// Words in a time that leave open how much of it.
const VAGUE: [&str; 10] =
    ["few", "several", "couple", "几", "lunch", "lunchtime", "饭", "around", "about", "overnight"];

/// When it is, and where its days begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Present<'a> {
    pub now: Stamp,
    pub zone: &'a TimeZone,
    local: DateTime,
    past: Option<PastDays>,
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
    Around,
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

    /// Whether it says a time of the day, or a part of it.
    pub fn has_time_of_day(&self) -> bool {
        self.is_clock() || self.parse.part.is_some() || self.last.is_some()
    }

    /// Whether it says of which day.
    pub fn has_day(&self) -> bool {
        self.parse.days.is_some() || self.parse.weekday.is_some()
    }

    /// Whether it is from one time to another.
    pub fn is_range(&self) -> bool {
        self.last.is_some() || self.parse.clocks.len() > 1
    }

    /// Whether it says a second within its minute.
    pub fn is_of_second(&self) -> bool {
        self.is_moment()
            && matches!(self.parse.clocks[..], [Clock { detail: Detail::Second { .. }, .. }])
    }

    /// Whether it is one full hour.
    pub fn is_hour(&self) -> bool {
        let is_one = self.last.is_none() && !self.is_vague;
        let is_hour = |clock: &Clock| clock.detail == Detail::Hour;
        let is_whole = |rest: &[Clock]| rest.iter().all(|clock| clock.detail == Detail::HourAfter);
        is_one
            && matches!(&self.parse.clocks[..], [first, rest @ ..] if is_hour(first) && is_whole(rest))
    }

    /// Whether it is one time of the day with its minutes.
    pub fn is_moment(&self) -> bool {
        let is_one = self.last.is_none() && !self.is_vague;
        is_one
            && matches!(
                self.parse.clocks[..],
                [Clock { detail: Detail::Minute | Detail::Second { .. }, .. }]
            )
    }
}

impl Bounds {
    /// Whether it bounds nothing.
    pub fn is_open(self) -> bool {
        self == Self::default()
    }

    /// Whether a moment lies in it.
    pub fn contains(self, at: Stamp) -> bool {
        self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at < until)
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
    pub fn new(now: Stamp, zone: &'a TimeZone, past: Option<PastDays>) -> Option<Self> {
        let moment = Timestamp::from_nanosecond(i128::from(now.0)).ok()?;
        Some(Self { now, zone, local: zone.to_datetime(moment), past })
    }

    /// The day that a moment is of, here.
    pub fn day(&self, at: Stamp) -> Option<Date> {
        day_of(at, self.zone)
    }

    /// What a calendar and a clock show of a moment, here.
    pub fn date_time(&self, at: Stamp) -> Option<DateTime> {
        let moment = Timestamp::from_nanosecond(i128::from(at.0)).ok()?;
        Some(self.zone.to_datetime(moment))
    }

    /// The first moment of the day that a moment is of, here.
    pub fn midnight_before(&self, at: Stamp) -> Option<Stamp> {
        moment_of(self.day(at)?, 0, self.zone)
    }

    /// The time that `atoms` begin with.
    pub fn phrase(&self, atoms: &[Atom]) -> Option<TimePhrase> {
        if let Some(hours) = self.hours(atoms) {
            return Some(hours);
        }
        let (mut parse, mut count, mut is_vague) = self.run(atoms)?;
        let mut last = None;
        let mut is_pair = false;
        let joins =
            ["and", "to", "until", "till", "through", "thru", "到", "至", "和", "与", "跟", "及"];
        if let Some(join) = atoms.get(count).filter(|atom| atom.is_one_of(&joins))
            && !(parse.clocks.is_empty() && join.is_one_of(&["until", "till"]))
            && let Some((mut second, more, vague)) = self.run(&atoms[count + 1..]).or_else(|| {
                let is_clock = parse.clocks.len() == 1;
                let hour = self.hour_of_part(&atoms[count + 1..]).filter(|_| is_clock);
                hour.map(|(parse, count)| (parse, count, false))
            })
        {
            is_vague |= vague;
            // "2:15 to 3 pm": both of the afternoon.
            let has = |said: &[Atom], words: &[&str]| said.iter().any(|it| it.is_one_of(words));
            let is_late = has(&atoms[count..count + 1 + more], &["pm", "p"])
                && !has(&atoms[..count], &["am", "pm", "m"]);
            if let ([first], [last], true) = (&mut parse.clocks[..], &second.clocks[..], is_late)
                && first.minutes > 0
                && first.minutes + MINUTES_OF_HALF_DAY <= last.minutes
            {
                first.minutes += MINUTES_OF_HALF_DAY;
            }
            late_end(&mut parse, &mut second);
            // 09点到10点这一小时.
            if let ([from], [to, end]) = (&parse.clocks[..], &second.clocks[..])
                && (from.minutes + 60, to.minutes + 60) == (to.minutes, end.minutes)
            {
                second.clocks.pop();
            }
            is_pair = join.is_one_of(&["and", "和", "与", "跟", "及"]);
            count += 1 + more;
            let day = |of: &TimeParse| (of.days, of.weekday, of.week);
            let no_day = (None, None, None);
            let is_of_one_day =
                [no_day, day(&second)].contains(&day(&parse)) || day(&second) == no_day;
            // "From yesterday noon until noon".
            is_vague |= day(&parse) != no_day && parse.clocks == second.clocks;
            let (begin, end) = (&parse.clocks[..], &mut second.clocks[..]);
            if let ([begin], [end]) = (begin, end)
                && is_of_one_day
            {
                // "From 3 pm to midnight".
                if end.minutes == 0 && begin.minutes > 0 {
                    is_vague |= begin.minutes < MINUTES_OF_HALF_DAY;
                    end.minutes = 2 * MINUTES_OF_HALF_DAY;
                }
                if day(&parse) == no_day {
                    (parse.days, parse.weekday, parse.week) = day(&second);
                }
                parse.clocks.extend(second.clocks);
                // 下午三点到上午九点: of the next day?
                let begin = |part: Option<(i32, i32)>| part.map(|(begin, _)| begin);
                is_vague |= begin(second.part).is_some_and(|it| Some(it) < begin(parse.part));
                parse.part = parse.part.or(second.part);
            } else {
                last = Some(second);
            }
        } else {
            // Two times that nothing joins are no stretch.
            let is_joined = atoms[..count].iter().any(|atom| atom.is_one_of(&["between", "hour"]));
            // 三点半(15:30) is said twice.
            let is_twice = matches!(&parse.clocks[..], [one, two] if one.minutes + MINUTES_OF_HALF_DAY == two.minutes);
            if is_twice {
                parse.clocks.remove(0);
            }
            is_vague |= parse.clocks.len() > 1 && !is_joined;
        }
        let said = &atoms[..count];
        is_vague |= said.iter().any(|atom| atom.is_one_of(&VAGUE));
        let is_of_half = parse.part.is_some()
            || said.iter().any(|atom| atom.is_one_of(&["am", "pm", "m"]))
            || said.iter().any(|atom| is_of_24_hour_clock(&atom.text) || atom.text == "hour")
            || has(said, &NOONS)
            || parse.clocks.iter().any(|clock| clock.minutes == 0)
            || is_of_24_hours(said);
        Some(TimePhrase { parse, last, is_pair, count, is_vague, is_of_half })
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
            // 下午三点前五分钟: beside it.
            if at > 0 && rest[0].is_one_of(&["前"]) {
                break;
            }
            // "From noon to 1 pm".
            let is_alone = parse.part.is_none() && parse.clocks.is_empty();
            // 正午12点 says it twice.
            let is_hour = |count: usize| number(&rest[count..]).is_some();
            let noon = longest_of(rest, &NOONS).filter(|count| !is_hour(*count));
            if let Some(count) = noon.filter(|_| is_alone) {
                let hour = if rest[0].text == "midnight" { 0 } else { MINUTES_OF_HALF_DAY };
                parse.clocks.push(Clock::named(hour));
                at += count;
                continue;
            }
            let today = self.local.date();
            let (part, days, weekday) = (parse.part, parse.days, parse.weekday);
            let count = if let Some((count, from)) = self.lately(rest) {
                parse.stretch = Some((from, self.end_of_now()));
                count
            } else if let Some(count) = parse.read_ago(rest, self.now, today) {
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
            // 上午、下午: of which of the two?
            let is_again = |said: Option<(i32, i32)>, now| said.is_some() && said != now;
            is_vague |= is_again(part, parse.part)
                || days.is_some() && days != parse.days
                || weekday.is_some() && weekday != parse.weekday;
            at += count;
            match self.with_year(&mut parse, rest, &atoms[at..]) {
                0 => self.move_into_past(&mut parse, &rest[..count]),
                more => at += more,
            }
            // "The 8 o'clock hour".
            let is_hour = rest.get(2).is_some_and(|atom| atom.text == "clock");
            if is_hour
                && atoms.get(at).is_some_and(|atom| atom.text == "hour")
                && let Some(begin) = parse.clocks.last().copied()
            {
                parse.clocks.push(begin.hour_after());
                at += 1;
            }
            at += hour_from(&mut parse, &atoms[at..]);
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

    /// The first moment after now.
    fn end_of_now(&self) -> Stamp {
        Stamp(self.now.0.saturating_add(1))
    }

    /// "The last half hour", 刚过去的一小时: how many atoms, and since when.
    fn lately(&self, atoms: &[Atom]) -> Option<(usize, Stamp)> {
        #[rustfmt::skip]
        const BEGINS: &[&str] = &[
            "the last", "the past", "the previous", "the preceding", "last", "past", "in the last", "in the past", "the most recent", "the latest", "最近", "最近的", "刚才这", "刚刚这", "刚才的", "刚过去的这", "最近这",
            "过去", "过去的", "刚过去的", "刚刚过去的", "过去这", "刚才过去的", "近",
        ];
        let begun = longest_of(atoms, BEGINS)?;
        let (count, secs) = length(atoms.get(begun..)?).filter(|(_, secs)| *secs < DAY_SECS)?;
        let end = begun + count;
        let inside =
            longest_of(&atoms[end..], &["以来", "之内", "以内", "内", "里", "中", "间", "来"]);
        let since = Stamp(self.now.0.saturating_sub((secs * 1e9) as i64));
        Some((end + inside.unwrap_or(0), since))
    }

    /// Takes the year that stands behind a day, and "UTC" where that is the time here; how many atoms these are.
    fn with_year(&self, parse: &mut TimeParse, said: &[Atom], next: &[Atom]) -> usize {
        let Some(atom) = next.first() else { return 0 };
        if self.is_utc() && !parse.clocks.is_empty() && atom.is_one_of(&["utc", "gmt"]) {
            return 1;
        }
        let has_month = said.first().is_some_and(|atom| month(&atom.text).is_some())
            || said.iter().take(4).skip(1).any(|atom| month(&atom.text).is_some());
        let year = atom.text.parse::<i16>().ok().filter(|year| (1970..=2261).contains(year));
        let (Some(year), Some((day, next)), true) = (year, parse.days, has_month) else { return 0 };
        if after(day, 1) != Some(next) {
            parse.days = whole_month(year, day.month());
            return usize::from(parse.days.is_some());
        }
        let Ok(day) = Date::new(year, day.month(), day.day()) else { return 0 };
        parse.days = after(day, 1).map(|next| (day, next));
        1
    }

    /// Whether clocks show UTC here.
    pub fn is_utc(&self) -> bool {
        self.zone.to_offset(self.moment()).seconds() == 0
    }

    fn moment(&self) -> Timestamp {
        Timestamp::from_nanosecond(i128::from(self.now.0)).unwrap_or_default()
    }

    /// A moment as clocks show it: 2022-10-26 15:31:00. `None` within a second.
    pub fn shown(&self, at: Stamp) -> Option<String> {
        let at = Timestamp::from_nanosecond(i128::from(at.0)).ok()?;
        let is_whole = at.subsec_nanosecond() == 0;
        is_whole.then(|| self.zone.to_datetime(at).strftime("%Y-%m-%d %H:%M:%S").to_string())
    }

    /// A day with its year before it: 2022年10月26日.
    fn year_before(&self, atoms: &[Atom]) -> Option<(TimeParse, usize)> {
        let year = atoms.first()?.text.parse::<i16>().ok()?;
        if !(1970..=2261).contains(&year) || atoms.get(1)?.text != "年" {
            return None;
        }
        let mut parse = TimeParse::default();
        let (month, more) = number(&atoms[2..])?;
        let is_month = atoms.get(2 + more).is_some_and(|atom| atom.text == "月");
        let has_day = number(atoms.get(3 + more..)?).is_some_and(|(_, digits)| {
            atoms.get(3 + more + digits).is_some_and(|atom| atom.is_one_of(&["日", "号"]))
        });
        if is_month && !has_day {
            parse.days = Some(whole_month(year, month as i8)?);
            return Some((parse, 3 + more));
        }
        let count = parse.read(&atoms[2..], false, self.now, self.local);
        let (first, _) = parse.days.filter(|_| count > 0 && atoms[3].text == "月")?;
        let day = Date::new(year, first.month(), first.day()).ok()?;
        parse.days = Some((day, after(day, 1)?));
        Some((parse, count + 2))
    }

    /// What a time bounds, when it does so exactly.
    pub fn bounds(&self, phrase: &TimePhrase, side: Side) -> Option<Bounds> {
        if phrase.is_vague {
            return None;
        }
        // "Before 9 to 10".
        if side != Side::In && phrase.has_own_end() {
            return None;
        }
        let (since, until) = self.span(&phrase.parse, phrase.is_of_half, side)?;
        let both = |since, until| Bounds { since: Some(since), until: Some(until) };
        let bounds = match (side, &phrase.last) {
            (Side::In, Some(last)) => both(since, self.span(last, phrase.is_of_half, side)?.1),
            (_, Some(_)) => return None,
            (Side::Around, None) => return None,
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
                let begin = is_clock.then(|| self.begin_before(&phrase.parse)).flatten();
                Bounds { since: begin, until: Some(since) }
            }
        };
        Bounds::default().and(bounds)
    }

    /// From when on something is before a time of the day: from the begin of that day, or of the part of it that is said
    /// although the clock says it, too: "this afternoon before 14:25".
    fn begin_before(&self, parse: &TimeParse) -> Option<Stamp> {
        let first = match self.days(parse)? {
            Some((first, _)) => first,
            None => self.day_of_clocks()?,
        };
        let is_late = parse.clocks.iter().all(|clock| clock.minutes > MINUTES_OF_HALF_DAY);
        let begin = parse.part.map_or(0, |(begin, _)| begin);
        moment_of(first, if is_late { begin } else { 0 }, self.zone)
    }

    #[expect(clippy::option_option, reason = "no days are said, or such as there are none")]
    fn days(&self, parse: &TimeParse) -> Option<Option<(Date, Date)>> {
        match (parse.weekday, parse.days) {
            // "Wednesday 26 October 2022".
            (Some(weekday), Some((first, next)))
                if after(first, 1) == Some(next)
                    && i32::from(first.weekday().to_monday_zero_offset()) == weekday =>
            {
                Some(parse.days)
            }
            (Some(weekday), _) => {
                // On a Wednesday, "on Wednesday" may be today.
                let today = self.local.date();
                let is_today = i32::from(today.weekday().to_monday_zero_offset()) == weekday;
                let is_sure = !is_today || parse.week.is_some();
                let days = parse.weekday_of(today, weekday).filter(|_| is_sure);
                days.filter(|(first, _)| !self.is_after_past(*first)).map(Some)
            }
            (None, days) => Some(days),
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
        let exact = |clock: &Clock| Clock { about_minutes: 0, ..*clock };
        let clocks: Vec<Clock> = parse.clocks.iter().map(exact).collect();
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
            // 15:29:14 to 15:29:20.
            ([one, two], part) if one.minutes == two.minutes && two.detail.is_second() => {
                if one.detail.nanos() >= two.detail.nanos() {
                    return None;
                }
                let (from, _) = between(&clocks[..1], part);
                (from, from)
            }
            ([one, two], part) if falls(*one, *two, part) => return None,
            (clocks, part) => between(clocks, part),
        };
        let (first, last) = match days {
            Some(days) => days,
            None => {
                let day = self.day_of_clocks()?;
                (day, after(day, 1)?)
            }
        };
        if after(first, 1) != Some(last) {
            return None;
        }
        let (mut from, mut until) = (moment(first, minutes.0)?, moment(first, minutes.1)?);
        // The seconds of the first clock, and of the last.
        if let (Some(one), Some(last)) = (clocks.first(), clocks.last()) {
            from = Stamp(from.0.saturating_add(one.detail.nanos()));
            until = Stamp(until.0.saturating_add(last.detail.nanos()));
        }
        let half = SignedDuration::from_mins(MINUTES_OF_HALF_DAY.into());
        let is_one_past = Stamp(until.0.saturating_add(half.as_nanos() as i64)) > self.now;
        let is_early = minutes.0 <= MINUTES_OF_HALF_DAY;
        // "Since half past three" is since the last time that it was.
        let is_of_today = days.is_none() && self.past.is_none();
        let is_since = side == Side::Since && clocks.len() == 1 && is_of_today;
        if is_since && !is_of_half && is_early && !is_one_past {
            let half = half.as_nanos() as i64;
            return Some((Stamp(from.0.saturating_add(half)), Stamp(until.0.saturating_add(half))));
        }
        let is_clear = clocks.is_empty() || is_of_half || !is_early || is_one_past;
        (from <= self.now && is_clear).then_some((from, until))
    }
}

/// Whether a second time of the day is not after the first: "16:00 to 15:00" may be of the next day, but "10 to 2" is until 14:00.
fn falls(one: Clock, two: Clock, part: Option<(i32, i32)>) -> bool {
    let (from, to) = (one.placed(part), two.placed(part));
    let is_raised = to < MINUTES_OF_HALF_DAY && !two.is_half_said;
    to <= from && !(is_raised && to + MINUTES_OF_HALF_DAY - from <= RAISED_MAX)
}

/// The day that a moment is of in a zone.
fn day_of(at: Stamp, zone: &TimeZone) -> Option<Date> {
    let moment = Timestamp::from_nanosecond(i128::from(at.0)).ok()?;
    Some(zone.to_datetime(moment).date())
}

/// 08:30, 14:30 and 9:30, but 1:30 to 6:59 may be of the afternoon.
fn is_of_24_hour_clock(said: &str) -> bool {
    let hour = said.split([':', '：']).next().unwrap_or_default();
    hour.len() < said.len() && !(hour.len() == 1 && ("1"..="6").contains(&hour))
}

/// "Quarter past nine to two in the afternoon", 十点到下午两点: only the second is of the later half of the day.
fn late_end(first: &mut TimeParse, second: &mut TimeParse) {
    let ([from], [to], None, Some((begin, _))) =
        (&first.clocks[..], &mut second.clocks[..], first.part, second.part)
    else {
        return;
    };
    let is_late = begin >= MINUTES_OF_HALF_DAY - 60 && to.minutes < MINUTES_OF_HALF_DAY;
    if is_late && (to.minutes + 1..MINUTES_OF_HALF_DAY).contains(&from.minutes) {
        to.minutes += MINUTES_OF_HALF_DAY;
        second.part = None;
    }
}

/// 14点这一小时里: makes of a bare hour all of it; how many atoms say so.
fn hour_from(parse: &mut TimeParse, atoms: &[Atom]) -> usize {
    const HOURS: [&str; 6] =
        ["这一小时", "这个小时", "这一个小时", "这小时", "那一小时", "那个小时"];
    let [begin @ Clock { detail: Detail::Hour, .. }] = parse.clocks[..] else { return 0 };
    let Some(count) = longest_of(atoms, &HOURS) else { return 0 };
    parse.clocks.push(begin.hour_after());
    count
}

fn whole_month(year: i16, month: i8) -> Option<(Date, Date)> {
    let first = Date::new(year, month, 1).ok()?;
    Some((first, first.checked_add(1.month()).ok()?))
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
