//! Other ways to write numbers, clock times and ranges, as those that the rest of the reader knows: 8h30, 0800, "no. 8".

use std::ops::RangeInclusive;

/// The text without quotes around numbers: "the change from "150" to "151"".
pub(super) fn without_quotes(text: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_numbers = text.split('"').skip(1).step_by(2).all(is_number);
    if is_of_numbers { text.replace('"', "") } else { text.to_owned() }
}

/// The text with one notation for each thing.
pub(super) fn in_one_notation(text: &str) -> String {
    with_joined_clocks(&with_clocks(&with_numbers(&with_minutes_to(&with_plain_words(text)))))
}

/// The text with 14:40到 in place of 14:40起到, and "within a minute after it" in place of "within a minute of it ...
/// afterwards".
fn with_plain_words(text: &str) -> String {
    const BEGUN: [&str; 7] =
        ["起到", "起至", "开始到", "开始至", "起一直到", "开始一直到", "起直到"];
    const CLOCK: &str = "点分秒半整";
    let mut plain = text.to_owned();
    for noon in ["twelve noon", "12 noon", "Twelve noon", "12:00 noon"] {
        plain = plain.replace(noon, "noon");
    }
    // 三点二十六分半到现在.
    while let Some(at) = plain.match_indices("分半").map(|(at, _)| at).find(|at| {
        let before: String = plain[..*at].chars().rev().take(6).collect();
        before.contains(['点', '时']) && !plain[at + "分半".len()..].starts_with('钟')
    }) {
        plain.replace_range(at..at + "分半".len(), "分30秒");
    }
    // 三点整起头五分钟.
    if let Some(at) = plain.find("起头") {
        let rest = &plain[at + "起头".len()..];
        if rest
            .starts_with(|c: char| c.is_ascii_digit() || "一二两三四五六七八九十半几".contains(c))
        {
            plain.replace_range(at..at + "起头".len(), "起");
        }
    }
    for begun in BEGUN {
        while let Some(at) = plain.match_indices(begun).map(|(at, _)| at).find(|at| {
            let is_clock = |c: char| c.is_ascii_digit() || CLOCK.contains(c);
            plain[..*at].trim_end().ends_with(is_clock)
        }) {
            plain.replace_range(at..at + begun.len(), "到");
        }
    }
    // 8:47和8:48的两次掉件，中间: between them.
    const BETWEEN: [&str; 12] = [
        "，这中间",
        ",这中间",
        "，中间",
        ",中间",
        "，这期间",
        ",这期间",
        "，期间",
        "，其间",
        "的中间",
        "正中间",
        "这中间",
        "中间",
    ];
    if let Some((at, said)) = BETWEEN.iter().find_map(|it| Some((plain.find(it)?, *it))) {
        let before = &plain[..at];
        let is_pair =
            before.contains(['和', '与', '跟']) && !before.contains(['从', '间', '，', ',']);
        if is_pair {
            plain.replace_range(at..at + said.len(), "之间");
        }
    }
    let lower = plain.to_ascii_lowercase();
    let bare = lower.trim_end_matches(|c: char| !c.is_alphanumeric());
    let ends = [" afterwards", " afterward", " thereafter", " after that", " after it"];
    if let Some(end) = ends.iter().find(|end| bare.ends_with(**end))
        && let Some(from) = lower.find("within ")
        && let Some(of) = lower[from..].find(" of ").filter(|of| *of < WITHIN_MAX)
    {
        plain.replace_range(bare.len() - end.len()..bare.len(), "");
        plain.replace_range(from + of..from + of + " of ".len(), " after ");
    }
    plain
}

/// Between "within" and "of" stands no more than a length of time.
const WITHIN_MAX: usize = 24;

/// The text with "forty past eight" in place of "twenty to nine", behind a word that a time follows.
fn with_minutes_to(text: &str) -> String {
    const TO: [(&str, &str); 8] = [
        ("five", "fifty five"),
        ("5", "fifty five"),
        ("ten", "fifty"),
        ("10", "fifty"),
        ("twenty", "forty"),
        ("20", "forty"),
        ("twenty-five", "thirty five"),
        ("25", "thirty five"),
    ];
    const HOURS: [&str; 12] = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    const BEFORE: [&str; 13] = [
        "to",
        "before",
        "after",
        "since",
        "until",
        "till",
        "at",
        "by",
        "past",
        "from",
        "between",
        "and",
        "following",
    ];
    let all: Vec<&str> = text.split(' ').collect();
    // "Twenty minutes to nine", but "the ten minutes to 15:00".
    let is_hour = |at: usize| {
        all.get(at).is_some_and(|word| {
            HOURS.contains(&word.trim_end_matches(|c: char| !c.is_alphanumeric()))
        })
    };
    let is_idle = |at: usize| {
        all[at] == "minutes"
            && all.get(at + 1).is_some_and(|next| ["to", "past"].contains(next))
            && is_hour(at + 2)
    };
    let words: Vec<&str> = (0..all.len()).filter(|at| !is_idle(*at)).map(|at| all[at]).collect();
    let mut said: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let minutes = TO.iter().find(|(word, _)| *word == words[at]).map(|(_, past)| *past);
        let is_behind = at > 0 && BEFORE.contains(&words[at - 1].to_lowercase().as_str());
        let hour = words.get(at + 2).filter(|_| words.get(at + 1) == Some(&"to"));
        let bare = hour.map_or("", |hour| hour.trim_end_matches(|c: char| !c.is_alphanumeric()));
        let place = HOURS.iter().position(|hour| *hour == bare);
        if let (Some(minutes), true, Some(place), Some(hour)) = (minutes, is_behind, place, hour) {
            let before = HOURS[(place + 11) % 12];
            said.push(format!("{minutes} past {before}{}", &hour[bare.len()..]));
            at += 3;
            continue;
        }
        said.push(words[at].to_owned());
        at += 1;
    }
    said.join(" ")
}

/// The text with "number 8" in place of "no. 8" and "#8".
fn with_numbers(text: &str) -> String {
    let mut numbered = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let is_start = !numbered.ends_with(char::is_alphanumeric);
        let begun = ["#", "no. ", "No. ", "no.", "No.", "nr. ", "Nr. "].iter().find(|begin| {
            let number = rest.strip_prefix(**begin).map(str::trim_start);
            is_start && number.is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
        });
        let count = begun.map_or(letter.len_utf8(), |begin| begin.len());
        numbered.push_str(if begun.is_some() { "number " } else { &rest[..count] });
        rest = &rest[count..];
    }
    numbered
}

/// The text with "10:00 to 10:30" in place of "10:00-10:30".
fn with_joined_clocks(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let rest = text[at + letter.len_utf8()..].trim_start();
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        let behind = &rest[digits..];
        let is_hour = is_half_of_day(behind.trim_start()) && !text[..at].contains('-');
        let is_clock = (1..=2).contains(&digits) && (behind.starts_with([':', '点']) || is_hour);
        let is_dash = matches!(letter, '-' | '–' | '—' | '~' | '～');
        let before = text[..at].trim_end();
        let half = ["am", "pm", "AM", "PM", "a.m.", "p.m."]
            .iter()
            .find_map(|half| before.strip_suffix(half));
        let is_after = half
            .unwrap_or(before)
            .trim_end()
            .ends_with(|c: char| c.is_ascii_digit() || "点分半".contains(c));
        if is_dash && is_clock && is_after {
            joined.push_str(" to ");
        } else {
            joined.push(letter);
        }
    }
    joined
}

/// The text with "15:04" in place of 15h04, "15.04 pm", "1504 hours", "between 1504 and 1510", and without the T and
/// the Z of a timestamp.
fn with_clocks(text: &str) -> String {
    let mut clocks = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        // T14:58:36Z.
        let is_time = rest.strip_prefix('T').is_some_and(|time| {
            two_digits(time).is_some_and(|(_, rest)| rest.starts_with(':') && rest.len() > 2)
        });
        if is_time && !clocks.ends_with(char::is_alphanumeric) {
            rest = &rest[1..];
            continue;
        }
        let is_start =
            !clocks.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ':'));
        if letter.is_ascii_digit() && is_start {
            if let Some((said, count)) = clock_at(rest, &clocks, text) {
                clocks.push_str(&said);
                rest = &rest[count..];
                continue;
            }
            // What is no clock time is taken as it is, to its end.
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            clocks.push_str(&rest[..digits]);
            rest = &rest[digits..];
            continue;
        }
        clocks.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    clocks
}

const HOURS: RangeInclusive<u32> = 0..=24;
const MINUTES: RangeInclusive<u32> = 0..=59;
/// Years that could be clock times.
const YEARS: RangeInclusive<u32> = 1970..=2261;
/// With one of these a number of four digits may be of what is counted.
const COUNTED: [&str; 17] = [
    "cycle", "number", "counter", "value", "#", "周期", "循环", "号", "part", "piece", "item",
    "pick", "order", "serial", "box", "件", "个",
];

/// One or two digits that a text begins with, and the rest.
fn two_digits(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value = text[..digits].parse().ok().filter(|_| digits <= 2)?;
    Some((value, &text[digits..]))
}

/// The clock time in one notation that a text begins with, and how many bytes it has there.
fn clock_at(text: &str, before: &str, whole: &str) -> Option<(String, usize)> {
    let is_word_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let used = |rest: &str| text.len() - rest.len();
    // 2022-10-26T15:04:31Z.
    if let Some(time) = text.get(10..).and_then(|rest| rest.strip_prefix('T'))
        && text[..10].bytes().filter(|byte| *byte == b'-').count() == 2
    {
        return time.contains(':').then(|| (format!("{} ", &text[..10]), 11));
    }
    let (hour, rest) = match two_digits(text) {
        Some(found) => found,
        None => return four_digits(text, before, whole),
    };
    if !HOURS.contains(&hour) {
        return None;
    }
    // 15h04, 8h.
    if let Some(minutes) = rest.strip_prefix(['h', 'H']) {
        let (minute, end) = two_digits(minutes).unwrap_or((0, minutes));
        let is_clock = minutes.starts_with(|c: char| c.is_ascii_digit());
        let is_clock = is_clock && MINUTES.contains(&minute) && is_word_end(end);
        return is_clock.then(|| (format!("{hour}:{minute:02}"), used(end)));
    }
    // 3.20 pm, 08.50, "from 8.30".
    if let Some(minutes) = rest.strip_prefix('.')
        && let Some((minute, end)) = two_digits(minutes)
        && MINUTES.contains(&minute)
        && minutes.len() == end.len() + 2
    {
        let next = end.trim_start();
        let is_other = end.starts_with(|c: char| c == '.' || c == '%' || c.is_ascii_alphanumeric())
            || !is_half_of_day(next) && is_measured(next);
        let is_clock = is_half_of_day(next)
            || text.starts_with('0')
            || is_told(before, &SIDES)
            || before.trim().is_empty();
        let hours = ["hours", "hrs", "h", "uhr"]
            .iter()
            .find_map(|mark| next.strip_prefix(mark))
            .filter(|rest| is_word_end(rest));
        if let Some(behind) = hours {
            return Some((format!("{hour}:{minute:02}"), used(behind)));
        }
        // "14.40 - 14.45h".
        let other = next.strip_prefix(['-', '–']).map(str::trim_start).and_then(two_digits);
        let other = other.and_then(|(_, rest)| two_digits(rest.strip_prefix('.')?));
        let is_first = other.is_some_and(|(_, rest)| rest.trim_start().starts_with(['h', 'H']));
        return (is_clock && !is_other || is_half_of_day(next) || is_first)
            .then(|| (format!("{hour}:{minute:02}"), used(end)));
    }
    // 15:04:31 hours, 15:04Z, 15:04h.
    let minutes = rest.strip_prefix(':')?;
    let clock = minutes
        .find(|c: char| !c.is_ascii_digit() && c != ':' && c != '.')
        .unwrap_or(minutes.len());
    let end = &minutes[clock..];
    // 3:20p.
    for (mark, half) in [("p", "pm"), ("a", "am"), ("P", "pm"), ("A", "am")] {
        if let Some(behind) =
            end.strip_prefix(mark).filter(|rest| is_word_end(rest) && !rest.starts_with('.'))
        {
            return Some((format!("{} {half}", &text[..used(end)]), used(behind)));
        }
    }
    let marks = [" hours", " hrs", " hr", " h", "hrs", "h", "H", "Z"];
    let mark =
        marks.iter().find_map(|mark| end.strip_prefix(mark)).filter(|rest| is_word_end(rest))?;
    Some((text[..used(end)].to_owned(), used(mark)))
}

/// 0800, "1440 hours", "between 1440 and 1450".
fn four_digits(text: &str, before: &str, whole: &str) -> Option<(String, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let value: u32 = text[..digits].parse().ok().filter(|_| digits == 4)?;
    let (hour, minute) = (value / 100, value % 100);
    let rest = &text[4..];
    if !HOURS.contains(&hour) || !MINUTES.contains(&minute) {
        return None;
    }
    let mark = [" hours", " hrs", "hrs", "h"].iter().find_map(|mark| rest.strip_prefix(mark));
    let mark = mark.filter(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()));
    let is_second =
        before.contains(':') && (is_told(before, &JOINS) || before.ends_with(['-', '至', '到']));
    // "1430 to 1445".
    let is_first = JOINS.iter().chain(&["至", "到"]).any(|join| {
        let next = rest.trim_start().strip_prefix(join).map(str::trim_start);
        let digits = next.map_or(0, |next| next.bytes().take_while(u8::is_ascii_digit).count());
        digits == 4 && next.is_some_and(|next| next[..4] > text[..4])
    });
    let is_told = is_told(before, &SIDES) && !is_told(before, &["to", "and", "past", "through"])
        || is_first
        || is_second
        || text.starts_with('0');
    let is_counted = COUNTED.iter().any(|word| whole.to_lowercase().contains(word));
    // Behind a month, or in a date, it is a year.
    let is_range = rest.strip_prefix('-').is_some_and(|next| {
        next.len() >= 4 && next.bytes().take_while(u8::is_ascii_digit).count() == 4
    });
    let is_date = YEARS.contains(&value) || rest.starts_with(['-', '/', '年']) && !is_range;
    let is_clock = mark.is_some()
        || is_told && (!is_counted || is_second && before.ends_with('-')) && !is_date;
    let is_alone = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
    let is_value = COUNTED.iter().any(|word| before.trim_end().to_lowercase().ends_with(word));
    let is_clock = is_clock
        || is_alone && is_range && !is_value && rest[1..5] > text[..4] && !YEARS.contains(&value);
    (is_clock && (is_alone || mark.is_some()))
        .then(|| (format!("{hour:02}:{minute:02}"), text.len() - mark.unwrap_or(rest).len()))
}

/// Before a clock time.
const SIDES: [&str; 16] = [
    "at",
    "from",
    "between",
    "until",
    "till",
    "since",
    "after",
    "before",
    "around",
    "to",
    "and",
    "by",
    "past",
    "about",
    "following",
    "through",
];
/// Between two of them.
const JOINS: [&str; 6] = ["to", "and", "through", "until", "till", "-"];

/// Whether one of these words stands just before.
fn is_told(before: &str, words: &[&str]) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    before.ends_with(' ') && words.contains(&last.as_str())
}

/// Whether a text begins with a unit: such a number is no clock time.
fn is_measured(text: &str) -> bool {
    #[rustfmt::skip]
    const UNITS: [&str; 22] = [
        "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hour", "hours", "n", "newton", "newtons", "mm", "cm", "kg", "g",
        "percent", "degrees",
    ];
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    UNITS.contains(&word.to_lowercase().as_str())
}

fn is_half_of_day(text: &str) -> bool {
    let half: String = text.chars().take(4).filter(char::is_ascii_alphabetic).collect();
    let half = half.to_lowercase();
    half == "am" || half == "pm"
}
