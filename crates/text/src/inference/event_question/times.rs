//! The time that a question asks of: "yesterday morning", 三天前, "between 10 and 11", since Monday.

use super::super::phrases::Rows;
use super::atoms::{Atom, begins, longest, longest_of};
use super::calendar::{
    CALENDAR, DAY_PARTS, DAYS, HAN_WEEKDAYS, HAN_WEEKS, PARTS, Period, WEEKDAYS, after, latest,
};
use super::clocks::{Clock, Detail};
use super::numbers::{month, number, unit};
use super::{PastDays, Span};
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use robot_memory_core::model::Stamp;
use std::ops::Range;

const MINUTES_OF_DAY: i32 = 24 * 60;
/// Minutes before and after a time of the day that still count as at that time: of an hour that is said
/// without minutes, and of one with them.
const ABOUT_HOUR: i32 = 30;
const ABOUT_MINUTE: i32 = 15;
/// Part of a length of time by which "three hours ago" may be wrong.
const AGO_PART: f64 = 0.35;
/// Seconds that "just now" reaches back.
const JUST_NOW_SECS: i64 = 15 * 60;

/// Whether what is asked for lies in a time, after its begin, or before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    In,
    Since,
    Before,
}

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct TimeParse {
    /// Which days, the last not included.
    pub(super) days: Option<(Date, Date)>,
    /// The days are those of this week from the present one.
    pub(super) week: Option<i32>,
    pub(super) weekday: Option<i32>,
    /// Minutes of the day.
    pub(super) part: Option<(i32, i32)>,
    pub(super) clocks: Vec<Clock>,
    /// A stretch of time that no calendar says.
    pub(super) stretch: Option<(Stamp, Stamp)>,
    side: Option<Side>,
    /// What was read, in bytes.
    places: Vec<Range<usize>>,
}

/// The time that a question asks of, by the clocks of a zone, and the places of the words that say it. `past`: the days that have
/// events, when today has none.
pub(super) fn asked_time(
    atoms: &[Atom],
    now: Stamp,
    zone: &TimeZone,
    past: Option<PastDays>,
) -> (Option<Span>, Vec<Range<usize>>) {
    let Ok(moment) = Timestamp::from_nanosecond(i128::from(now.0)) else {
        return (None, Vec::new());
    };
    let local = zone.to_datetime(moment);
    let mut parse = TimeParse::default();
    let mut at = 0;
    // Whether what stands just before was read.
    let mut is_beside = false;
    while at < atoms.len() {
        let count = parse.read(&atoms[at..], is_beside, now, local);
        if count == 0 {
            is_beside = false;
            at += 1;
            continue;
        }
        let before = side_before(&atoms[..at]);
        let after = side_after(&atoms[at + count..]);
        let (mut from, mut until) = (at, at + count);
        if let Some(side) = before {
            parse.side = Some(side);
            from -= 1;
        } else if let Some((side, more)) = after {
            parse.side = Some(side);
            until += more;
        }
        parse.places.push(atoms[from].place.start..atoms[until - 1].place.end);
        at = until;
        is_beside = true;
    }
    let day_of_clocks = past.map_or(local.date(), PastDays::last);
    let span = parse.span(now, local.date(), day_of_clocks, zone);
    let places = if span.is_some() { parse.places } else { Vec::new() };
    (span, places)
}

/// A word before a time that says on which side of it.
fn side_before(atoms: &[Atom]) -> Option<Side> {
    match atoms.last()?.text.as_str() {
        "since" | "after" => Some(Side::Since),
        "before" | "until" | "till" => Some(Side::Before),
        _ => None,
    }
}

/// The same after a time, as Chinese has it.
fn side_after(atoms: &[Atom]) -> Option<(Side, usize)> {
    #[rustfmt::skip]
    const SIDES: &Rows<Side> = &[
        (Side::Since, &["以来", "之后", "以后", "过后", "后"]),
        (Side::Before, &["之前", "以前", "前"]),
    ];
    let (count, side) = longest(atoms, SIDES)?;
    // 后 in 后轮 is of another word.
    let is_apart = count > 1 || !atoms.get(1).is_some_and(Atom::is_han);
    is_apart.then_some((side, count))
}

impl TimeParse {
    /// Reads the time that `atoms` begin with; how many of them say it.
    pub(super) fn read(
        &mut self,
        atoms: &[Atom],
        is_beside: bool,
        now: Stamp,
        local: DateTime,
    ) -> usize {
        if atoms.is_empty() {
            return 0;
        }
        let today = local.date();
        let day = |days: i32| Some((after(today, days)?, after(today, days + 1)?));
        if let Some(count) = self.read_ago(atoms, now, today) {
            return count;
        }
        if let Some(count) = self.read_lately(atoms, now, today) {
            return count;
        }
        if let Some((count, (days, from, until))) = DAY_PARTS.longest(atoms) {
            self.days = day(days);
            self.part = Some((from, until));
            return count + possessive(&atoms[count..]);
        }
        if let Some(count) = self.read_date(atoms, today) {
            return count;
        }
        if let Some(count) = self.read_weekday(atoms) {
            return count;
        }
        if let Some((count, (period, offset))) = CALENDAR.longest(atoms) {
            self.days = period.days(today, offset);
            self.week = (period == Period::Week).then_some(offset);
            return count + possessive(&atoms[count..]);
        }
        if let Some((count, days)) = DAYS.longest(atoms) {
            self.days = day(days);
            return count + possessive(&atoms[count..]);
        }
        if let Some(count) = self.read_clock(atoms) {
            return count;
        }
        if let Some((count, (from, until, is_alone))) = PARTS.longest(atoms)
            && (is_alone || is_beside)
        {
            self.part = Some((from, until));
            return count;
        }
        0
    }

    /// "two days ago", 三小时前, "just now".
    pub(super) fn read_ago(&mut self, atoms: &[Atom], now: Stamp, today: Date) -> Option<usize> {
        #[rustfmt::skip]
        const NOW: &[&str] = &[
            "just now", "a moment ago", "moments ago", "a minute ago", "right now", "刚才", "刚刚", "方才",
            "适才",
        ];
        if let Some(count) = longest_of(atoms, NOW) {
            self.stretch = Some((plus(now, -JUST_NOW_SECS as f64), now));
            return Some(count);
        }
        let (amount, count) = number(atoms)?;
        let (of, more) = unit(&atoms[count..])?;
        let count = count + more;
        let rest = &atoms[count..];
        let ago = longest_of(rest, &["ago", "earlier", "以前", "之前", "前"])?;
        if of.is_calendar() && amount.fract() == 0.0 {
            let days = of.days(amount);
            if of.is_day() {
                self.days = Some((after(today, -days)?, after(today, 1 - days)?));
            } else {
                let around = (days / 7 / 2).max(3).min(days / 2);
                self.days = Some((after(today, -days - around)?, after(today, around + 1 - days)?));
            }
        } else {
            let secs = of.secs() * amount;
            let about = (secs * AGO_PART).max(90.0);
            self.stretch = Some((plus(now, -secs - about), plus(now, about - secs)));
        }
        Some(count + ago)
    }

    /// "in the last two hours", 最近三天.
    pub(super) fn read_lately(&mut self, atoms: &[Atom], now: Stamp, today: Date) -> Option<usize> {
        #[rustfmt::skip]
        const BEGINS: &[&str] = &[
            "the last", "the past", "the previous", "last", "past", "最近", "最近的", "过去", "过去的", "近",
            "这", "前", "in the last", "in the past",
        ];
        let begun = longest_of(atoms, BEGINS)?;
        let (amount, count) = match number(&atoms[begun..]) {
            Some((amount, count)) => (amount, count),
            // A bare unit: "the last hour", but 这天 is no stretch.
            None if !atoms[0].is_han() => (1.0, 0),
            None => return None,
        };
        let (of, more) = unit(&atoms[begun + count..])?;
        // "last week" is one of the calendar.
        if count == 0 && of.is_calendar() && !of.is_day() && atoms[begun - 1].text == "last" {
            return None;
        }
        // 最近一次 counts times, and so does "the last day of".
        let mut end = begun + count + more;
        let ends = ["以来", "之内", "以内", "内", "里", "中", "间", "来"];
        end += longest_of(&atoms[end..], &ends).unwrap_or(0);
        if of.is_calendar() {
            let days = of.days(amount.max(1.0));
            self.days = Some((after(today, -days)?, after(today, 1)?));
        } else {
            self.stretch = Some((plus(now, -of.secs() * amount), now));
        }
        Some(end)
    }

    /// 3月12日, "March 12", "12 March", 2026-03-12, "the 12th".
    fn read_date(&mut self, atoms: &[Atom], today: Date) -> Option<usize> {
        let whole = |at: usize| atoms.get(at).and_then(|atom| atom.text.parse::<i16>().ok());
        let is = |at: usize, text: &str| atoms.get(at).is_some_and(|atom| atom.text == text);
        let ordinal = |at: usize| {
            let ends = ["st", "nd", "rd", "th"];
            usize::from(atoms.get(at).is_some_and(|atom| atom.is_one_of(&ends)))
        };
        let mut day = None;
        let mut end = 0;
        if let (Some(year @ 1970..=2261), Some(month), Some(of_month)) =
            (whole(0), whole(1), whole(2))
        {
            let date = Date::new(year, i8::try_from(month).ok()?, i8::try_from(of_month).ok()?);
            (day, end) = (date.ok(), 3);
        } else if let Some(month) = atoms.first().and_then(|atom| month(&atom.text)) {
            match whole(1) {
                Some(of_month @ 1..=31) => {
                    day = latest(today, month, i8::try_from(of_month).ok()?);
                    end = 2 + ordinal(2);
                }
                // "may" and "march" are words.
                _ if matches!(atoms[0].text.as_str(), "may" | "march" | "mar" | "dec" | "sep") => {}
                _ => {
                    let first = latest(today, month, 1)?;
                    self.days = Some((first, first.checked_add(1.month()).ok()?));
                    return Some(1);
                }
            }
        } else if let Some(of_month @ 1..=31) = whole(0) {
            let skipped = 1 + ordinal(1) + usize::from(is(1 + ordinal(1), "of"));
            if let Some(month) = atoms.get(skipped).and_then(|atom| month(&atom.text)) {
                (day, end) = (latest(today, month, i8::try_from(of_month).ok()?), skipped + 1);
            }
        }
        if day.is_none()
            && let Some((first, count)) = number(atoms)
            && first.fract() == 0.0
            && (1.0..=31.0).contains(&first)
            && !is(0, "几")
        {
            let first = first as i8;
            if is(count, "月") {
                if let Some((of_month, more)) = number(&atoms[count + 1..])
                    && (is(count + 1 + more, "日") || is(count + 1 + more, "号"))
                {
                    day = latest(today, first, of_month as i8);
                    end = count + more + 2;
                }
            } else if is(count, "号") {
                let month =
                    if first <= today.day() { today } else { today.checked_sub(1.month()).ok()? };
                day = Date::new(month.year(), month.month(), first).ok();
                end = count + 1;
            }
        }
        let day = day?;
        self.days = Some((day, after(day, 1)?));
        Some(end)
    }

    /// "on Monday", "last Friday", 上周三, 星期天.
    fn read_weekday(&mut self, atoms: &[Atom]) -> Option<usize> {
        if let Some((count, week)) = longest(atoms, HAN_WEEKS)
            && let Some((more, weekday)) = longest(&atoms[count..], HAN_WEEKDAYS)
        {
            self.weekday = Some(weekday);
            self.week = week.or(self.week);
            return Some(count + more);
        }
        let skipped =
            usize::from(matches!(atoms[0].text.as_str(), "on" | "last" | "this" | "past"));
        let (count, weekday) = longest(&atoms[skipped..], WEEKDAYS)?;
        self.weekday = Some(weekday);
        if atoms[0].text == "this" {
            self.week = Some(0);
        }
        let end = skipped + count;
        Some(end + possessive(&atoms[end..]))
    }

    /// "at 10:30", "around 3 pm", "10 o'clock", 三点半.
    fn read_clock(&mut self, atoms: &[Atom]) -> Option<usize> {
        let is = |at: usize, text: &str| atoms.get(at).is_some_and(|atom| atom.text == text);
        let text = atoms[0].text.replace('：', ":");
        let half = |at: usize| half_of_day(atoms, at);
        let mut push = |hour: i32, minute: i32, about: i32, is_pm: Option<bool>| {
            self.push_clock(hour, (minute, None), about, is_pm)
        };
        if begins(atoms, "between").is_some()
            && let Some((first, count)) = number(&atoms[1..])
            && is(1 + count, "and")
            && let Some((second, more)) = number(&atoms[2 + count..])
        {
            let end = 2 + count + more;
            let half = half(end).or((is(end, "o") && is(end + 1, "clock")).then_some((false, 2)));
            let is_pm = half.filter(|(is_pm, _)| *is_pm).map(|(is_pm, _)| is_pm);
            // 8.30 is no hour.
            if first.fract() != 0.0 || second.fract() != 0.0 {
                return None;
            }
            push(first as i32, 0, 0, is_pm)?;
            push(second as i32, 0, 0, is_pm)?;
            return Some(end + half.map_or(0, |(_, count)| count));
        }
        if let Some((hour, rest)) = text.split_once(':') {
            let (minute, second) = match rest.split_once(':') {
                Some((minute, second)) => (minute, Some(Detail::second(second)?)),
                None => (rest, None),
            };
            let minute = (minute.parse().ok()?, second);
            let half = half(1);
            let is_pm = half.map(|(is_pm, _)| is_pm);
            self.push_clock(hour.parse().ok()?, minute, ABOUT_MINUTE, is_pm)?;
            return Some(1 + half.map_or(0, |(_, count)| count));
        }
        if let Some((minute, begun)) = past_hour(atoms)
            && let Some((hour, count)) = number(&atoms[begun..])
            && hour.fract() == 0.0
        {
            let end = begun + count;
            let half = half(end).or((is(end, "o") && is(end + 1, "clock")).then_some((false, 2)));
            let is_pm = half.filter(|(is_pm, _)| *is_pm).map(|(is_pm, _)| is_pm);
            // "Quarter to ten".
            let is_to = atoms[..begun].iter().any(|atom| atom.text == "to");
            let hour = hour as i32 - i32::from(is_to);
            push(hour, minute, ABOUT_MINUTE, is_pm)?;
            return Some(end + half.map_or(0, |(_, count)| count));
        }
        let (hour, count) = number(atoms)?;
        // 几点 asks for one.
        if hour.fract() != 0.0 || is(0, "几") {
            return None;
        }
        let hour = hour as i32;
        if let Some((is_pm, more)) = half(count) {
            push(hour, 0, ABOUT_HOUR, Some(is_pm))?;
            return Some(count + more);
        }
        if is(count, "o") && is(count + 1, "clock") {
            push(hour, 0, ABOUT_HOUR, None)?;
            return Some(count + 2);
        }
        self.read_han_clock(atoms, hour, count)
    }

    /// 三点半, 8点20分5秒: what stands behind the hour.
    fn read_han_clock(&mut self, atoms: &[Atom], hour: i32, count: usize) -> Option<usize> {
        let is = |at: usize, text: &str| atoms.get(at).is_some_and(|atom| atom.text == text);
        if !is(count, "点") || is(count + 1, "几") {
            return None;
        }
        let mut end = count + 1;
        let (mut minute, mut second) = ((0, ABOUT_HOUR), None);
        if is(end, "半") {
            (minute, end) = ((30, ABOUT_MINUTE), end + 1);
        } else if is(end, "一") && is(end + 1, "刻") {
            (minute, end) = ((15, ABOUT_MINUTE), end + 2);
        } else if is(end, "三") && is(end + 1, "刻") {
            (minute, end) = ((45, ABOUT_MINUTE), end + 2);
        } else if is(end, "钟") || is(end, "整") {
            let more = usize::from(is(end + 1, "整"));
            end += 1 + more;
        } else if let Some((minutes, more)) = han_minutes(&atoms[end..]) {
            (minute, end) = ((minutes, ABOUT_MINUTE), end + more);
            if let Some((seconds, more)) = number(&atoms[end..])
                && is(end + more, "秒")
            {
                second = Some(Detail::second(&seconds.to_string())?);
                end += more + 1;
            }
        }
        self.push_clock(hour, (minute.0, second), minute.1, None)?;
        Some(end)
    }

    /// Takes a time of the day: its minute, and its second when that was said.
    fn push_clock(
        &mut self,
        hour: i32,
        (minute, second): (i32, Option<Detail>),
        about: i32,
        is_pm: Option<bool>,
    ) -> Option<()> {
        let is_half_said = is_pm.is_some() || hour == 0 || hour > 12;
        let hour = match is_pm {
            Some(true) if hour < 12 => hour + 12,
            Some(false) if hour == 12 => 0,
            _ => hour,
        };
        if !(0..=24).contains(&hour) || !(0..60).contains(&minute) {
            return None;
        }
        let of_minute = if about == ABOUT_MINUTE { Detail::Minute } else { Detail::Hour };
        let detail = second.unwrap_or(of_minute);
        let minutes = hour * 60 + minute;
        self.clocks.push(Clock { minutes, about_minutes: about, detail, is_half_said });
        Some(())
    }

    /// What all of it says together. A time without a day is of `day_of_clocks`.
    fn span(&self, now: Stamp, today: Date, day_of_clocks: Date, zone: &TimeZone) -> Option<Span> {
        let moment = |day: Date, minutes: i32| moment_of(day, minutes, zone);
        let side = self.side.unwrap_or(Side::In);
        let bounded = |from: Stamp, until: Stamp| match side {
            Side::In => (from, until),
            Side::Since => (from, Stamp(now.0.max(until.0))),
            Side::Before => (Stamp(i64::MIN), from),
        };
        if let Some((from, until)) = self.stretch {
            let (from, until) = bounded(from, until);
            return Some(Span { from, until });
        }
        let days = match self.weekday {
            Some(weekday) => Some(self.weekday_of(today, weekday)?),
            None => self.days,
        };
        let times = match (&self.clocks[..], self.part) {
            ([], None) => None,
            ([], Some(part)) => Some(part),
            (clocks, part) => Some(between(clocks, part)),
        };
        let (from, until) = match (days, times) {
            (None, None) => return None,
            (Some((first, last)), Some((from, until))) if after(first, 1) == Some(last) => {
                (moment(first, from)?, moment(first, until)?)
            }
            // A part of several days: of those days.
            (Some((first, last)), _) => (moment(first, 0)?, moment(last, 0)?),
            (None, Some((from, until))) => {
                let begin = moment(day_of_clocks, from)?;
                let day = if begin > now { after(today, -1)? } else { day_of_clocks };
                (moment(day, from)?, moment(day, until)?)
            }
        };
        let (mut from, until) = bounded(from, until);
        if side == Side::Before && times.is_some() {
            // Before ten is before ten of that day.
            from = moment(days.map_or(day_of_clocks, |(first, _)| first), 0)?;
        }
        (from < until).then_some(Span { from, until })
    }

    /// The day of the week that is meant: of the week that is said, else the last one before today.
    pub(super) fn weekday_of(&self, today: Date, weekday: i32) -> Option<(Date, Date)> {
        let of_today = i32::from(today.weekday().to_monday_zero_offset());
        let offset = match self.week {
            Some(week) => week * 7 + weekday - of_today,
            None => {
                let back = (of_today - weekday).rem_euclid(7);
                -if back == 0 { 7 } else { back }
            }
        };
        Some((after(today, offset)?, after(today, offset + 1)?))
    }
}

/// Which half of the day is said at a place: whether the later one, and how many atoms.
fn half_of_day(atoms: &[Atom], at: usize) -> Option<(bool, usize)> {
    let is = |at: usize, text: &str| atoms.get(at).is_some_and(|atom| atom.text == text);
    match atoms.get(at)?.text.as_str() {
        "am" => Some((false, 1)),
        "pm" => Some((true, 1)),
        "a" if is(at + 1, "m") => Some((false, 2)),
        "p" if is(at + 1, "m") => Some((true, 2)),
        _ => None,
    }
}

/// "half past", "a quarter to": minutes of the hour that follows, or of the one before it, and how many atoms.
fn past_hour(atoms: &[Atom]) -> Option<(i32, usize)> {
    #[rustfmt::skip]
    const PAST: &Rows<i32> = &[
        (30, &["half past"]), (15, &["quarter past", "a quarter past", "fifteen past", "15 past"]), (45, &["quarter to", "a quarter to"]),
        (5, &["five past", "5 past"]), (10, &["ten past", "10 past"]), (20, &["twenty past", "20 past"]), (25, &["twenty five past", "25 past"]),
        (35, &["thirty five past"]), (40, &["forty past"]), (50, &["fifty past"]), (55, &["fifty five past"]),
    ];
    longest(atoms, PAST).map(|(count, minute)| (minute, count))
}

/// Minutes behind 点: 二十, 零五分; 九点一共 has none, and 三点十分钟 neither.
fn han_minutes(atoms: &[Atom]) -> Option<(i32, usize)> {
    let is = |at: usize, words: &[&str]| atoms.get(at).is_some_and(|atom| atom.is_one_of(words));
    let zero = usize::from(is(0, &["零", "〇"]));
    let (minutes, count) = number(atoms.get(zero..)?)?;
    let end = zero + count;
    if is(end, &["分"]) {
        return (!is(end + 1, &["钟"])).then_some((minutes as i32, end + 1));
    }
    let is_counted = is(end, &["次", "个", "回", "条", "下", "件", "秒", "小"])
        || is(end, &["起"]) && !atoms[zero].text.starts_with(|c: char| c.is_ascii_digit());
    let is_two_digits = zero > 0 || minutes >= 10.0 || is(0, &["00", "05"]);
    (is_two_digits && !is_counted).then_some((minutes as i32, end))
}

/// The `s` of "today's".
fn possessive(atoms: &[Atom]) -> usize {
    usize::from(atoms.first().is_some_and(|atom| atom.text == "s"))
}

/// From the first to the last of several times of the day, or about one; by the part of the day that is
/// said with them.
pub(super) fn between(clocks: &[Clock], part: Option<(i32, i32)>) -> (i32, i32) {
    match clocks {
        [first, second, ..] => {
            let (first, second) = (first.placed(part), second.placed(part));
            (first, if second <= first { second + MINUTES_OF_DAY / 2 } else { second })
        }
        [only] => {
            let at = only.placed(part);
            (at - only.about_minutes, at + only.about_minutes)
        }
        [] => (0, MINUTES_OF_DAY),
    }
}

fn plus(stamp: Stamp, secs: f64) -> Stamp {
    Stamp(stamp.0.saturating_add((secs * 1e9) as i64))
}

/// When clocks in a zone show so many minutes of a day, which may be more than the day has.
pub(super) fn moment_of(day: Date, minutes: i32, zone: &TimeZone) -> Option<Stamp> {
    let midnight = day.to_datetime(Time::midnight());
    let at = midnight.checked_add(SignedDuration::from_mins(minutes.into())).ok()?;
    let moment = zone.to_ambiguous_timestamp(at).compatible().ok()?;
    i64::try_from(moment.as_nanosecond()).ok().map(Stamp)
}
