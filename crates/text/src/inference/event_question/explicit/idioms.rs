//! Moments, stretches and changes that are said in a way of their own: "within a minute of the last stop", "what began at
//! 08:58:23", "two thirty to three, how many ...", 14:49这一分钟, 周期是什么时候从233变到224的.

use super::super::super::lexer::is_han;
use super::super::atoms::{Atom, atoms, begins, longest_of};
use super::MINUTE_NANOS;
use super::bounds::{Bounds, Present, Side, TimePhrase};
use super::movers::HAN_COUNTERS;
use super::words::length;
use robot_memory_core::model::Stamp;

/// Behind these a moment is the second in which something began.
#[rustfmt::skip]
const HAPPENED: &[&str] = &[
    "what happened at", "what exactly happened at", "what began at", "what exactly began at", "what started at", "what exactly started at", "what occurred at",
    "what took place at", "what was recorded at", "what is recorded at", "which events began at", "which events started at", "which events happened at",
    "what events began at", "what events happened at",
    "which event happened at", "which event began at", "which event started at", "which event occurred at", "which event was recorded at", "what event happened at", "what event began at", "what event occurred at",
];
const HAN_HAPPENED: &[&str] =
    &["发生了什么", "发生了哪", "发生了几", "发生了啥", "发生过什么", "开始了哪", "有哪些"];
#[rustfmt::skip]
const MINUTE: &[&str] = &[
    "这一分钟", "这一分钟里", "这一分钟内", "这一分钟之内", "那一分钟", "那一分钟里", "那一分钟内", "这分钟", "这分钟里", "这分钟内",
];

/// Behind these a moment is no second of its own.
const BOUNDING: [&str; 10] = ["从", "自", "由", "到", "至", "截", "约", "打", "于", "起"];
const OUTSIDE: [&str; 4] = ["以", "之", "外", "除"];

/// The text with plain words for them.
pub(super) fn in_plain_words(text: &str, present: &Present<'_>) -> String {
    let text = with_when_behind(text);
    let text = with_begun_range(&text, present);
    with_around(&with_second_asked(&text, present))
}

/// 周期从233变到224是什么时候 in place of 周期是什么时候从233变到224的, and of 周期从233变到224，那是几点.
fn with_when_behind(text: &str) -> String {
    const WHENS: [&str; 6] = ["是什么时候", "什么时候", "是几点", "几点", "是何时", "何时"];
    let mut text = text.to_owned();
    for that in ["那是", "这是", "那时是", "当时是"] {
        for comma in ["，", ","] {
            text = text.replace(&format!("{comma}{that}几点"), "是几点");
            text = text.replace(&format!("{comma}{that}什么时候"), "是什么时候");
        }
    }
    // 信号 and 保养周期 are others.
    let is_counter = |before: &str| {
        let counter = HAN_COUNTERS.iter().filter_map(|counter| before.strip_suffix(counter));
        let ends = |rest: &str| {
            rest.chars().next_back().is_none_or(|c| !is_han(c) || "天午上晚早".contains(c))
        };
        counter.into_iter().any(ends)
    };
    for when in WHENS {
        for from in ["从", "由"] {
            let Some((before, behind)) = text.split_once(&format!("{when}{from}")) else {
                continue;
            };
            let behind = behind.trim_end_matches(['?', '？', '。', ' ']).trim_end_matches('的');
            if is_counter(before) && behind.starts_with(|c: char| c.is_ascii_digit()) {
                return format!("{before}{from}{behind}是什么时候？");
            }
        }
    }
    text
}

/// "From 14:30 to 15:00, ..." in place of "14:30 to 15:00: ...".
fn with_begun_range(text: &str, present: &Present<'_>) -> String {
    let text = text.trim_start();
    let end = text.find(',').into_iter().chain(text.find(": ")).chain(text.find('，')).min();
    let Some(end) = end else { return text.to_owned() };
    let head = &text[..end];
    let is_range = |phrase: &TimePhrase| phrase.is_range() && phrase.is_clock();
    let all = atoms(head);
    let is_whole =
        present.phrase(&all).is_some_and(|phrase| is_range(&phrase) && phrase.count == all.len());
    let comma = text[end..].chars().next().map_or(1, char::len_utf8);
    match is_whole && text.is_ascii() {
        true => format!("from {head},{}", &text[end + comma..]),
        false => text.to_owned(),
    }
}

/// The text without a leading clause that only says what time it is: 现在18点，过去两小时掉过几次件？
pub(super) fn without_now(text: &str, present: &Present<'_>) -> String {
    let Some((said, rest)) = text.split_once(['，', ',']) else { return text.to_owned() };
    let all = atoms(said);
    let told = longest_of(&all, &["现在", "现在是", "此刻", "此刻是", "这会儿", "这会儿是"])
        .and_then(|count| {
            let phrase = present.phrase(&all[count..]).filter(|phrase| {
                let is_rest = |atom: &Atom| atom.is_one_of(&["了", "整", "钟"]);
                phrase.is_clock() && all[count + phrase.count..].iter().all(is_rest)
            })?;
            present.moment_bounds(&phrase)?.since
        });
    let is_now = told.is_some_and(|told| told.0.abs_diff(present.now.0) < NOW_NANOS);
    if is_now { rest.to_owned() } else { text.to_owned() }
}

/// The text without "UTC", where that is the time here.
pub(super) fn without_utc(text: &str, present: &Present<'_>) -> String {
    const SAID: [&str; 9] =
        [" (UTC)", "(UTC)", "（UTC）", "UTC 时间 ", "UTC 时间", "UTC时间", "UTC ", " UTC", "UTC"];
    let mut text = text.to_owned();
    if present.is_utc() && text.contains("UTC") {
        for said in SAID {
            text = text.replace(said, if said == "UTC " { " " } else { "" });
        }
    }
    text
}

/// What is told by its begin or its end.
#[rustfmt::skip]
pub(super) const STRETCHES: [&str; 10] = [
    "interval", "window", "period", "stretch", "session", "shift", "hour", "span", "phase", "block",
];

/// "The stop at 14:21:07" in place of "the stop that began at 14:21:07", and "from 8:20 to 8:30" in place of "in the ten minutes from
/// 8:20 to 8:30".
pub(super) fn at_begin(text: &str) -> String {
    const BEGUN: [&str; 4] =
        ["that began at ", "that started at ", "which began at ", "which started at "];
    let mut text = text.to_owned();
    for said in BEGUN {
        let Some(at) = text.find(said) else { continue };
        let is_clock = text[at + said.len()..].starts_with(|c: char| c.is_ascii_digit());
        let is_stretch = STRETCHES.iter().any(|it| text[..at].trim_end().ends_with(it));
        if is_clock && !is_stretch {
            text.replace_range(at..at + said.len(), "at ");
        }
    }
    without_length_again(text)
}

fn without_length_again(text: String) -> String {
    const LEADING: &str = "in the ";
    let lengths = ["minute from ", "minutes from ", "half hour from ", "hour from ", "hours from "];
    let found = text.find(LEADING).and_then(|at| {
        let from = lengths.iter().find_map(|it| Some(text[at..].find(it)? + at + it.len()))?;
        let said = text[at + LEADING.len()..from].split(' ').count();
        let mut rest = text[from..].split([' ', '-', '–']).filter(|word| !word.is_empty());
        let is_clock = |word: Option<&str>| {
            word.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
        };
        let is_pair = is_clock(rest.next())
            && rest.next().is_some_and(|to| ["to", "until", "till"].contains(&to))
            && is_clock(rest.next());
        (said <= 4 && is_pair).then_some((at, from))
    });
    match found {
        Some((at, from)) => format!("{}from {}", &text[..at], &text[from..]),
        None => text,
    }
}

/// What is told as the present time is off by less.
const NOW_NANOS: u64 = 10 * 60 * 1_000_000_000;

/// 14:49到14:50之间 in place of 14:49这一分钟. What is beside a minute is open.
pub(super) fn with_minutes(text: &str, present: &Present<'_>) -> String {
    let all = atoms(text);
    if let Some(text) = english_minute(text, &all, present)
        .or_else(|| english_hour(text, &all, present))
        .or_else(|| han_hour(text, &all, present))
    {
        return text;
    }
    let minute = (1..all.len()).find_map(|at| Some((at, longest_of(&all[at..], MINUTE)?)));
    let told = minute.and_then(|(to, count)| {
        let end = to + count;
        // 08:54到08:55这一分钟里 says its minute twice.
        let range = |from: usize| {
            let phrase = present.phrase(&all[from..to]).filter(TimePhrase::is_range)?;
            let [since, until] = {
                let Bounds { since, until } = present.bounds(&phrase, Side::In)?;
                [since?, until?]
            };
            let is_minute = until.0.saturating_sub(since.0) == MINUTE_NANOS;
            (is_minute && phrase.count == to - from).then_some(())
        };
        if (0..to).find_map(range).is_some() {
            let (begin, end) = (all[to - 1].place.end, all[end - 1].place.end);
            return Some(format!("{}之间{}", &text[..begin], &text[end..]));
        }
        // 14:49这一分钟以外.
        let is_other = all.get(end).is_some_and(|next| next.is_one_of(&OUTSIDE));
        let (from, phrase) = (0..to).filter(|_| !is_other).find_map(|from| {
            let phrase = present.phrase(&all[from..to])?;
            (is_minute(&phrase) && phrase.count == to - from).then_some((from, phrase))
        })?;
        let [since, until] = shown(present.moment_bounds(&phrase)?, present)?;
        let (begin, end) = (all[from].place.start, all[end - 1].place.end);
        Some(format!("{}从{since}到{until}之间{}", &text[..begin], &text[end..]))
    });
    told.unwrap_or_else(|| text.to_owned())
}

/// "Between 14:00 and 15:00" in place of "in the 14:00 hour".
fn english_hour(text: &str, all: &[Atom], present: &Present<'_>) -> Option<String> {
    const LEADING: &[&str] = &["in the", "during the", "within the", "of the", "for the"];
    let hour = |at: usize| {
        let from = at + longest_of(&all[at..], LEADING)?;
        let phrase = present.phrase(all.get(from..)?)?;
        let end = from + phrase.count;
        // "The 2 o'clock hour" may be that of the night.
        let next = all.get(from + 1);
        let is_of_half = next.is_some_and(|next| next.is_one_of(&["am", "pm", "a", "p"]));
        let is_hour =
            phrase.is_hour() && is_of_half || is_minute(&phrase) && all[from].text.ends_with(":00");
        let is_whole = is_hour && all.get(end).is_some_and(|next| next.text == "hour");
        let moment = present.moment_bounds(&phrase).filter(|_| is_whole)?;
        Some((at, end, hour_from(moment, present)?))
    };
    let (at, end, [since, until]) = (0..all.len()).find_map(hour)?;
    let (begin, end) = (all[at].place.start, all[end].place.end);
    Some(format!("{}between {since} and {until}{}", &text[..begin], &text[end..]))
}

/// "The two events before and after it" in place of "the two events before and the two events after it".
pub(super) fn with_both_sides(text: &str) -> String {
    const EVENTS: &[&str] = &["events", "entries", "records"];
    let all = atoms(text);
    let both = |at: usize| {
        let many = at + super::words::how_many(&all[at..])?.0;
        let events = many + longest_of(all.get(many..)?, EVENTS)?;
        let and = events + longest_of(all.get(events..)?, &["before and", "before it and"])?;
        let again = and + longest_of(all.get(and..)?, &["the"]).unwrap_or(0);
        let count = many - at;
        let is_same = all.get(again..again + count)?.iter().zip(&all[at..many]);
        let is_same = is_same.into_iter().all(|(one, other)| one.text == other.text);
        let named = again + count;
        let end = named + longest_of(all.get(named..)?, EVENTS).unwrap_or(0);
        let after = all.get(end).filter(|after| after.text == "after" && is_same)?;
        Some((all[and - 1].place.end, after.place.start))
    };
    match (0..all.len()).find_map(both) {
        Some((and, after)) => format!("{} {}", &text[..and], &text[after..]),
        None => text.to_owned(),
    }
}

/// The two ends of the hour from a moment, as clocks show them.
fn hour_from(moment: Bounds, present: &Present<'_>) -> Option<[String; 2]> {
    const HOUR_NANOS: i64 = 3_600_000_000_000;
    let since = moment.since?;
    let until = Some(Stamp(since.0.saturating_add(HOUR_NANOS)));
    shown(Bounds { since: Some(since), until }, present)
}

/// 从14:00到15:00之间 in place of 14点这一小时里.
fn han_hour(text: &str, all: &[Atom], present: &Present<'_>) -> Option<String> {
    #[rustfmt::skip]
    const HOUR: &[&str] = &["这一小时里", "这一小时内", "这一小时", "这个小时里", "这个小时内", "这个小时", "这一个小时里", "这一个小时内", "这一个小时"];
    let (to, count) = (1..all.len()).find_map(|at| Some((at, longest_of(&all[at..], HOUR)?)))?;
    let whole = |from: &usize| {
        let phrase = present.phrase(&all[*from..to])?;
        (phrase.is_hour() && !phrase.is_range() && phrase.count == to - from).then_some(phrase)
    };
    let is_end = |from: usize| from > 0 && all[from - 1].is_one_of(&["到", "至"]);
    let from = (0..to).find(|from| whole(from).is_some()).filter(|from| !is_end(*from))?;
    let [since, until] = hour_from(present.moment_bounds(&whole(&from)?)?, present)?;
    let (begin, end) = (all[from].place.start, all[to + count - 1].place.end);
    Some(format!("{}从{since}到{until}之间{}", &text[..begin], &text[end..]))
}

/// "Between 15:29 and 15:30" in place of "during the minute 15:29".
fn english_minute(text: &str, all: &[Atom], present: &Present<'_>) -> Option<String> {
    #[rustfmt::skip]
    const LEADING: &[&str] = &[
        "in the minute", "during the minute", "within the minute", "in the minute of", "during the minute of", "in the minute starting at", "in the minute from", "in the minute beginning at",
    ];
    let (at, lead) = (0..all.len()).find_map(|at| Some((at, longest_of(&all[at..], LEADING)?)))?;
    let from = at + lead;
    let phrase = present.phrase(&all[from..]).filter(is_minute)?;
    let [since, until] = shown(present.moment_bounds(&phrase)?, present)?;
    let (begin, end) = (all[at].place.start, all[from + phrase.count - 1].place.end);
    Some(format!("{}between {since} and {until}{}", &text[..begin], &text[end..]))
}

fn is_minute(phrase: &TimePhrase) -> bool {
    phrase.is_moment() && !phrase.is_of_second()
}

/// "What happened between 08:58:23 and 08:58:24" in place of "what happened at 08:58:23".
fn with_second_asked(text: &str, present: &Present<'_>) -> String {
    let all = atoms(text);
    for at in 0..all.len() {
        let asked = longest_of(&all[at..], HAPPENED).filter(|_| !all[at].is_han());
        let from = at + asked.unwrap_or(0);
        let Some(phrase) = all.get(from..).and_then(|rest| present.phrase(rest)) else { continue };
        let end = from + phrase.count;
        // 从8:58:23有哪些急停 is since then.
        let is_begin = from.checked_sub(1).is_none_or(|at| !all[at].is_one_of(&BOUNDING));
        let is_asked = match asked {
            Some(_) => {
                end == all.len()
                    || present
                        .phrase(&all[end..])
                        .is_some_and(|day| day.has_day() && end + day.count == all.len())
            }
            None => is_begin && longest_of(&all[end..], HAN_HAPPENED).is_some(),
        };
        let is_whole = !all[from..end].iter().any(|atom| atom.text.contains('.'));
        if !phrase.is_of_second() || !is_asked || !is_whole {
            continue;
        }
        let bounds = present.moment_bounds(&phrase);
        let Some([since, until]) = bounds.and_then(|it| shown(it, present)) else { continue };
        let (begin, stop) = (all[from].place.start, all[end - 1].place.end);
        return match asked {
            Some(_) => {
                let at = all[from - 1].place.start;
                format!("{}between {since} and {until}{}", &text[..at], &text[stop..])
            }
            None => format!("{}从{since}到{until}之间{}", &text[..begin], &text[stop..]),
        };
    }
    text.to_owned()
}

/// The two ends of a stretch, as clocks show them.
fn shown(bounds: Bounds, present: &Present<'_>) -> Option<[String; 2]> {
    Some([present.shown(bounds.since?)?, present.shown(bounds.until?)?])
}

/// 2:30 in place of "two thirty", beside what says that it is a time.
pub(super) fn with_spoken_clocks(text: &str) -> String {
    const HOURS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    const MINUTES: [(&str, u32); 12] = [
        ("forty five", 45),
        ("twenty five", 25),
        ("thirty five", 35),
        ("fifty five", 55),
        ("oh five", 5),
        ("ten", 10),
        ("fifteen", 15),
        ("twenty", 20),
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("oh one", 1),
    ];
    const BEFORE: [&str; 13] = [
        "from", "to", "between", "and", "until", "till", "since", "before", "after", "at", "past",
        "by", "around",
    ];
    const COUNTERS: [&str; 10] = [
        "cycle", "cycles", "counter", "count", "counts", "change", "changed", "changes", "went",
        "value",
    ];
    const BEHIND: [&str; 15] = [
        "to",
        "and",
        "am",
        "pm",
        "in",
        "this",
        "yesterday",
        "today",
        "on",
        "till",
        "until",
        "how",
        "which",
        "what",
        "that",
    ];
    let all = atoms(text);
    let mut told = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < all.len() {
        let hour = HOURS.iter().position(|hour| all[at].text == *hour);
        let minute = MINUTES
            .iter()
            .find_map(|(said, minute)| Some((*minute, begins(all.get(at + 1..)?, said)?)));
        let (Some(hour), Some((minute, count))) = (hour, minute) else {
            at += 1;
            continue;
        };
        let end = at + 1 + count;
        // "When did the cycle go from two thirty to two forty?"
        let is_value = all[..at].iter().any(|atom| atom.is_one_of(&COUNTERS));
        let is_before = at == 0 || all[at - 1].is_one_of(&BEFORE);
        let gap = |end: usize| {
            let next = all.get(end).map_or(text.len(), |next| next.place.start);
            &text[all[end - 1].place.end..next]
        };
        let is_behind = all.get(end).is_none_or(|next| next.is_one_of(&BEHIND))
            || gap(end).contains([',', '.', ':', '?', ';']);
        if is_before && is_behind && !is_value {
            told.push_str(&text[copied..all[at].place.start]);
            told.push_str(&format!("{}:{minute:02}", hour + 1));
            copied = all[end - 1].place.end;
        }
        at = end;
    }
    told.push_str(&text[copied..]);
    told
}

/// "Within a minute around the last stop" in place of "within a minute of the last stop, before or after".
fn with_around(text: &str) -> String {
    const BOTH: &[&str] = &[
        "before or after",
        "before or after it",
        "either way",
        "either side",
        "on either side",
        "on either side of it",
        "in either direction",
        "in both directions",
        "on both sides",
    ];
    let all = atoms(text);
    let found = (0..all.len()).find_map(|at| {
        let (count, _) = length(&all[at + 1..]).filter(|_| all[at].text == "within")?;
        let of = at + 1 + count;
        let is_event = all.get(of + 1)?.is_one_of(&["the", "a", "an", "that", "this"]);
        (all[of].is_one_of(&["of"]) && is_event).then_some(of)
    });
    let Some(of) = found else { return text.to_owned() };
    let rest = &all[of + 1..];
    let both = (0..rest.len()).find_map(|at| {
        let count = longest_of(&rest[at..], BOTH)?;
        let is_end = at + count == rest.len();
        (is_end && at > 1).then(|| rest[at].place.start)
    });
    // Else it may be after it.
    let Some(end) = both else { return text.to_owned() };
    let end = text[..end].trim_end_matches([' ', ',', '(']).len();
    format!("{}around{}?", &text[..all[of].place.start], &text[all[of].place.end..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use jiff::tz::TimeZone;
    use robot_memory_core::model::Stamp;

    #[test]
    fn what_is_said_in_its_own_way_is_said_plainly() {
        let now: Timestamp = "2022-10-26T18:00:00Z".parse().expect("a time");
        let now = Stamp(now.as_second() * 1_000_000_000);
        let zone = TimeZone::UTC;
        let present = Present::new(now, &zone, None).expect("a time");
        #[rustfmt::skip]
        let cases = [
            ("drops within a minute of the last stop, before or after?", "drops within a minute around the last stop?"),
            ("drops within a minute of the last stop", "drops within a minute of the last stop"),
            ("What began at 08:58:23?", "What began between 2022-10-26 08:58:23 and 2022-10-26 08:58:24?"),
            ("What began at 08:58?", "What began at 08:58?"),
            ("14:30 to 15:00: how many stops?", "from 14:30 to 15:00, how many stops?"),
            ("At 14:30, how many stops?", "At 14:30, how many stops?"),
            ("周期是什么时候从233变到224的？", "周期从233变到224是什么时候？"),
            ("周期从233变到224，那是几点？", "周期从233变到224是几点？"),
        ];
        for (text, expected) in cases {
            assert_eq!(in_plain_words(text, &present), expected);
        }
        #[rustfmt::skip]
        let minutes = [
            ("14:49这一分钟有哪些急停", "从2022-10-26 14:49:00到2022-10-26 14:50:00之间有哪些急停"),
            ("14:49这一分钟以外有哪些急停", "14:49这一分钟以外有哪些急停"),
            ("14:49:30这一分钟有哪些急停", "14:49:30这一分钟有哪些急停"),
            ("上次急停后这一分钟里有几次碰撞", "上次急停后这一分钟里有几次碰撞"),
        ];
        for (text, expected) in minutes {
            assert_eq!(with_minutes(text, &present), expected);
        }
        #[rustfmt::skip]
        let spoken = [
            ("Between two thirty and three fifteen this afternoon", "Between 2:30 and 3:15 this afternoon"),
            ("two thirty second stops", "two thirty second stops"),
            ("the last twenty", "the last twenty"),
        ];
        for (text, expected) in spoken {
            assert_eq!(with_spoken_clocks(text), expected);
        }
    }
}
