//! What stands around a question and in it in other signs: labels, intervals, arrows, ISO 8601, dates with slashes,
//! and moments that are told by how long ago they were.

use super::super::super::lexer::is_han;
use super::super::atoms::{Atom, atoms, has, longest_of};
use super::bounds::Present;
use super::words::length;
use robot_memory_core::model::Stamp;

/// The text without labels, and with words in place of signs.
pub(super) fn without_signs(text: &str) -> String {
    let mut text = text.to_owned();
    // 每个小时里头一次 is the first of each.
    for one in ["次", "个", "回", "条", "起", "件"] {
        text = text.replace(&format!("里头一{one}"), &format!("里第一{one}"));
    }
    // Where no day was told it is today.
    for day in ["当天", "当日"] {
        if let Some(rest) = text.strip_prefix(day) {
            text = format!("今天{rest}");
        }
    }
    let text = &text;
    let text = with_halves_of_day(&with_heads(&without_labels(text)));
    let text = with_intervals(&text);
    let text = with_arrows(&text);
    let text = with_iso_lengths(&text);
    with_dates(&with_han_clocks(&text))
}

/// The text with "am" and "pm" in place of "a.m." and "P.M.", whose dots end no sentence.
fn with_halves_of_day(text: &str) -> String {
    let mut text = text.to_owned();
    for (dotted, half) in [("a.m.", "am"), ("p.m.", "pm"), ("a.m", "am"), ("p.m", "pm")] {
        let mut from = 0;
        while let Some(at) = text.to_ascii_lowercase()[from..].find(dotted).map(|at| at + from) {
            let before = text[..at].trim_end();
            let is_clock = before.ends_with(|c: char| c.is_ascii_digit())
                || ["clock", "noon"].iter().any(|word| before.ends_with(word))
                || before.len() < at && before.ends_with(char::is_alphabetic);
            from = at + dotted.len();
            if is_clock {
                text.replace_range(at..from, half);
                from = at + half.len();
            }
        }
    }
    text
}

/// 14:50之前最近的一次急停 in place of 14:50前最近的急停: the nearest one.
pub(super) fn with_nearest(text: &str) -> String {
    const NEAREST: &str = "前最近的";
    const COUNTED: &str = "一两二三四五六七八九十几那这";
    let Some(at) = text.find(NEAREST).map(|at| at + NEAREST.len()) else { return text.to_owned() };
    let is_many = text[at..].starts_with(|c: char| c.is_ascii_digit() || COUNTED.contains(c))
        || text.contains("哪些");
    if is_many { text.to_owned() } else { format!("{}一次{}", &text[..at], &text[at..]) }
}

/// The text with a comma behind a head that is no sentence: "after 8:20: the next stop"; with "9点之后" in place of
/// "过了9点", and with "in the 10 min leading up to" where it begins so without "in the".
fn with_heads(text: &str) -> String {
    const BEGINS: [&str; 18] = [
        "before ",
        "after ",
        "since ",
        "between ",
        "following ",
        "from ",
        "in ",
        "during ",
        "until ",
        "within ",
        "past ",
        "last ",
        "over ",
        "of ",
        "在",
        "从",
        "自",
        "过去",
    ];
    const DAYS: [&str; 6] =
        ["yesterday", "today", "this morning", "this afternoon", "昨天", "今天"];
    let mut text = text.to_owned();
    let small = text.to_ascii_lowercase();
    if let Some(at) =
        small.find(": ").or_else(|| small.find(':').filter(|at| text[at + 1..].starts_with(is_han)))
        && (BEGINS.iter().any(|begin| small.starts_with(begin))
            || DAYS.iter().any(|day| small[..at].split(',').next() == Some(*day)))
        && !small[..at].ends_with(|c: char| {
            c.is_ascii_digit() && text[at + 1..].starts_with(|c: char| c.is_ascii_digit())
        })
        && atoms(&text[..at]).len() <= HEAD_ATOMS_MAX
    {
        text.replace_range(at..at + 1, ",");
    }
    // As nouns they say something else.
    const TELLING: [&str; 9] = [
        "state ",
        "report ",
        "select ",
        "determine ",
        "present ",
        "output ",
        "deliver ",
        "supply ",
        "pick out ",
    ];
    let small = text.trim_start().to_ascii_lowercase();
    if let Some(verb) = TELLING.iter().find(|verb| small.starts_with(**verb)) {
        text = format!("list {}", &text.trim_start()[verb.len()..]);
    }
    // 就末次急停而言, 继首次急停之后.
    if let Some(rest) = text.strip_prefix('继') {
        text = rest.to_owned();
    }
    if let Some(rest) = text.strip_prefix('就')
        && let Some(at) = rest.find("而言")
    {
        text = format!("{}{}", &rest[..at], &rest[at + "而言".len()..]);
    }
    let text = with_ends(text);
    let mut text = without_value_quotes(&text);
    if let Some(rest) = text.strip_prefix("过了")
        && let Some(at) = rest.find([',', '，'])
    {
        text = format!("{}之后{}", &rest[..at], &rest[at..]);
    }
    let small = text.to_ascii_lowercase();
    if let Some(at) =
        small.find(" leading up to ").filter(|_| small.starts_with(|c: char| c.is_ascii_digit()))
    {
        let is_length =
            length(&atoms(&text[..at])).is_some_and(|(count, _)| count == atoms(&text[..at]).len());
        if is_length {
            text.insert_str(0, "in the ");
        }
    }
    text
}

/// 8点50分之前五分钟内 in place of 以8点50分为终点、时长五分钟的时段内.
fn with_ends(text: String) -> String {
    for (end, side) in [("为终点", "之前"), ("为起点", "之后")] {
        let parts = text.split_once(end).and_then(|(at, rest)| {
            let (_, rest) = rest.split_once("时长")?;
            let (length, rest) =
                rest.split_once("的时段内").or_else(|| rest.split_once("的时段"))?;
            let (before, at) = at.rsplit_once('以')?;
            Some(format!("{before}{at}{side}{length}内{rest}"))
        });
        if let Some(text) = parts {
            return text;
        }
    }
    text
}

/// The text without the quotes around a change of a number: “周期20变更为21”, and with 从 before the first of the two.
fn without_value_quotes(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(from) = text.find(['“', '"']) {
        let open = text[from..].chars().next().map_or(1, char::len_utf8);
        let Some(to) = text[from + open..].find(['”', '"']).map(|to| from + open + to) else {
            break;
        };
        let said = text[from + open..to].to_owned();
        let is_value =
            said.contains(|c: char| c.is_ascii_digit()) && said.contains(['变', '换', '切']);
        if !is_value || said.contains([',', '，', '。']) {
            break;
        }
        let close = text[to..].chars().next().map_or(1, char::len_utf8);
        text.replace_range(from..to + close, &said);
    }
    for cycle in ["周期", "循环"] {
        for change in ["变更为", "变为", "变成", "切换为", "切换到", "变到", "跳到", "换到"]
        {
            let Some((at, _)) = text.match_indices(change).find(|(at, _)| {
                let bare = text[..*at].trim_end_matches(|c: char| c.is_ascii_digit());
                bare.len() < *at && bare.ends_with(cycle)
            }) else {
                continue;
            };
            let bare = text[..at].trim_end_matches(|c: char| c.is_ascii_digit()).len();
            text.insert(bare, '从');
            return without_value_quotes(&text);
        }
    }
    text
}

const HEAD_ATOMS_MAX: usize = 12;

/// The text without what numbers it: "[planner] step 2:", "第六步：", "附表一：".
fn without_labels(text: &str) -> String {
    #[rustfmt::skip]
    const LABELS: [&str; 30] = [
        "step", "section", "table", "item", "question", "query", "task", "part", "figure", "appendix", "annex", "point", "row", "line", "q", "no", "number", "request", "stage", "list", "entry", "chart",
        "步", "附表", "表", "问题", "任务", "项", "题", "附件",
    ];
    let mut text = text.trim_start();
    if let Some(rest) = text.strip_prefix(['[', '【'])
        && let Some((label, behind)) = rest.split_once([']', '】'])
        && !label.chars().any(|c| c.is_ascii_digit())
        && label.chars().count() <= LABEL_LETTERS_MAX
    {
        text = behind.trim_start();
    }
    let end = text.find("->").map(|at| (at, 2));
    let colon = text
        .char_indices()
        .find(|(_, c)| matches!(c, ':' | '：'))
        .map(|(at, c)| (at, c.len_utf8()));
    let end = [end, colon].into_iter().flatten().min();
    if let Some((at, mark)) = end {
        let label = atoms(&text[..at]);
        let is_label = (2..=4).contains(&label.len())
            && has(&label, &LABELS)
            && label.iter().any(is_number)
            && label.iter().all(|atom| is_number(atom) || is_label_word(atom, &LABELS));
        if is_label
            && text[..at]
                .chars()
                .next_back()
                .is_some_and(|c| !c.is_ascii_digit() || label.len() == 2)
        {
            return text[at + mark..].trim_start().to_owned();
        }
    }
    text.to_owned()
}

const LABEL_LETTERS_MAX: usize = 24;

fn is_number(atom: &Atom) -> bool {
    atom.is_digits()
        || atom.is_one_of(&[
            "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "one", "two", "three",
            "four",
        ])
}

fn is_label_word(atom: &Atom, labels: &[&str]) -> bool {
    atom.is_one_of(&["第", "附", "of", "the"])
        || labels.iter().any(|label| label.contains(atom.text.as_str()))
}

/// "From 14:24 to 14:32" in place of `[14:24, 14:32)`, 14:24/14:32 and "14:24 (inclusive) to 14:32 (exclusive)".
fn with_intervals(text: &str) -> String {
    let mut text = text.to_owned();
    for (open, close) in [('[', ')'), ('[', ']')] {
        let Some(from) = text.find(open) else { continue };
        let Some(to) = text[from..].find(close).map(|to| from + to) else { continue };
        let inner = text[from + 1..to].to_owned();
        let Some((first, last)) = inner.split_once([',', ';']) else { continue };
        let is_time = |side: &str| side.contains(':') && side.len() <= INTERVAL_END_MAX;
        if is_time(first) && is_time(last) {
            let joins = if text.chars().any(is_han) { ("从", "到") } else { (" from ", " to ") };
            text.replace_range(
                from..to + 1,
                &format!("{}{}{}{}", joins.0, first.trim(), joins.1, last.trim()),
            );
        }
    }
    if let Some(at) = text.find("(inclusive)")
        && let Some(other) = text.find("(exclusive)")
        && at < other
    {
        text.replace_range(other..other + "(exclusive)".len(), "");
        text.replace_range(at..at + "(inclusive)".len(), "");
    }
    // 14:24:00Z..14:32:00Z.
    while let Some(at) = text.match_indices("..").map(|(at, _)| at).find(|at| {
        text[..*at].ends_with(|c: char| c.is_ascii_digit() || c == 'Z')
            && text[at + 2..].starts_with(|c: char| c.is_ascii_digit())
    }) {
        text.replace_range(at..at + 2, " to ");
    }
    // 14:24:00Z/14:32:00Z.
    let mut apart = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let before = text[..at].trim_end_matches('Z');
        let behind = text[at + letter.len_utf8()..].bytes().next();
        let is_clock = before.len() > 5
            && before[..before.len()].ends_with(|c: char| c.is_ascii_digit())
            && before.get(before.len() - 3..).is_some_and(|end| end.starts_with(':'));
        if letter == '/' && is_clock && behind.is_some_and(|byte| byte.is_ascii_digit()) {
            apart.push_str(" to ");
        } else {
            apart.push(letter);
        }
    }
    apart.replace("in the interval 2", "from 2")
}

const INTERVAL_END_MAX: usize = 24;

/// "From 63 to 64" in place of 63 -> 64, also where it stands in parentheses.
fn with_arrows(text: &str) -> String {
    let mut text = text.replace("→", "->").replace("=>", "->").replace("—>", "->");
    while let Some(at) = text.find("->") {
        let before = text[..at].trim_end();
        let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
        let behind = text[at + 2..].trim_start();
        let more = behind.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || more == 0 {
            text.replace_range(at..at + 2, ":");
            continue;
        }
        let (mut from, mut to) = (before.len() - digits, text.len() - behind.len() + more);
        let is_of_cycle =
            text[..from].trim_end_matches(['(', ' ']).chars().next_back().is_some_and(is_han);
        let (one, two) = (&before[from..], &behind[..more]);
        let said =
            if is_of_cycle { format!("从{one}到{two}") } else { format!(" from {one} to {two}") };
        if text[..from].ends_with('(') && text[to..].starts_with(')') {
            (from, to) = (from - 1, to + 1);
        }
        text.replace_range(from..to, &said);
    }
    text
}

/// "5 minutes" in place of PT5M.
fn with_iso_lengths(text: &str) -> String {
    let Some(at) = text.find("PT") else { return text.to_owned() };
    let rest = &text[at + 2..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let unit = match rest.as_bytes().get(digits) {
        Some(b'H') => "hours",
        Some(b'M') => "minutes",
        Some(b'S') => "seconds",
        _ => return text.to_owned(),
    };
    let end = at + 2 + digits + 1;
    if digits == 0 || text[end..].starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return text.to_owned();
    }
    format!("{}{} {unit}{}", &text[..at], &rest[..digits], &text[end..])
}

/// 2022-10-26 in place of 26/10/2022, where it is no other day.
fn with_dates(text: &str) -> String {
    let mut dated = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if !dated.ends_with(|c: char| c.is_ascii_digit() || matches!(c, '/' | '.' | '-'))
            && let Some((date, count)) = slashed(rest)
        {
            dated.push_str(&date);
            at += count;
            continue;
        }
        let Some(letter) = rest.chars().next() else { break };
        dated.push(letter);
        at += letter.len_utf8();
    }
    dated
}

/// A date with slashes or dots, whose day is none of the months or the same as its month.
fn slashed(text: &str) -> Option<(String, usize)> {
    let end =
        text.find(|c: char| !c.is_ascii_digit() && !matches!(c, '/' | '.')).unwrap_or(text.len());
    let said = text[..end].trim_end_matches(['.', '/']);
    let mut parts = said.split(['/', '.']);
    let (one, two, three) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || said.len() < 8 {
        return None;
    }
    let whole = |part: &str| part.parse::<u32>().ok();
    let (one_is, two_is) = (whole(one)?, whole(two)?);
    if one.len() == 4 {
        return Some((format!("{one}-{two_is:02}-{:02}", whole(three)?), said.len()));
    }
    let (day, month) = match (one_is, two_is) {
        (13..=31, 1..=12) => (one_is, two_is),
        (1..=12, 13..=31) => (two_is, one_is),
        (one, two) if one == two => (one, two),
        _ => return None,
    };
    (three.len() == 4).then(|| (format!("{three}-{month:02}-{day:02}"), said.len()))
}

/// 14点50分 in place of 14时50分, 2点45分 in place of 差一刻三点, and 8点 in place of 早八点.
fn with_han_clocks(text: &str) -> String {
    const DIGITS: &str = "〇零一二两三四五六七八九十";
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_digit() || DIGITS.contains(*c));
    let mut clocks = String::with_capacity(text.len());
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let next = letters.get(at + 1);
        match letter {
            '时' if is_digit(before) && next != Some(&'间') => clocks.push('点'),
            // 是哪六次.
            '次' if before.is_some_and(|c| *c != '一' && DIGITS.contains(*c))
                && at > 1
                && letters[at - 2] == '哪' =>
            {
                clocks.pop();
                clocks.push_str("几次");
            }
            // 15点20分前一条记录.
            '前' if matches!(before, Some('点' | '分' | '秒' | '整' | '半' | '0'..='9'))
                && next == Some(&'一')
                && matches!(letters.get(at + 2), Some('条' | '个' | '次' | '回' | '起' | '件')) =>
            {
                clocks.push_str("之前最后");
            }
            // 三点三十二分整.
            '整' if matches!(before, Some('分' | '秒')) => {}
            '早' if is_digit(next)
                && !matches!(before, Some('今' | '昨' | '最'))
                && is_hour(&letters[at + 1..]) =>
            {
                clocks.push_str("早上");
            }
            _ => clocks.push(*letter),
        }
    }
    if clocks.contains('差') { with_minutes_short_of(&clocks) } else { clocks }
}

fn is_hour(letters: &[char]) -> bool {
    letters.iter().take(4).any(|c| *c == '点')
}

/// 2点45分 in place of 差一刻三点 and 三点差一刻.
fn with_minutes_short_of(text: &str) -> String {
    const HOURS: [&str; 13] =
        ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];
    const SHORT: [(&str, u32); 6] = [
        ("差一刻", 15),
        ("差十五分", 15),
        ("差五分", 5),
        ("差十分", 10),
        ("差二十分", 20),
        ("差两分", 2),
    ];
    let mut text = text.replace("差1刻", "差一刻").replace("两点差", "二点差");
    for (short, minutes) in SHORT {
        for hour in (1..HOURS.len()).rev() {
            for name in [HOURS[hour], if hour == 2 { "两" } else { HOURS[hour] }] {
                let told = format!("{}点{}分", if hour == 1 { 12 } else { hour - 1 }, 60 - minutes);
                for said in [format!("{short}{name}点"), format!("{name}点{short}")] {
                    text = text.replace(&said, &told);
                }
            }
        }
    }
    text
}

/// The text with a moment in place of "an hour ago" and 半小时前, where it bounds what is asked for: "since an hour
/// ago", 二十分钟前到现在.
pub(super) fn with_moments(text: &str, present: &Present<'_>) -> String {
    const SIDES: [&str; 14] = [
        "since", "from", "to", "until", "before", "after", "between", "and", "从", "自", "到",
        "至", "截到", "截至",
    ];
    let all = atoms(text);
    let mut told = String::with_capacity(text.len());
    let (mut at, mut copied) = (0, 0);
    while at < all.len() {
        let from = all[at].place.start;
        let Some((count, secs)) = length(&all[at..]) else {
            at += 1;
            continue;
        };
        let rest = &all[at + count..];
        let ago = longest_of(rest, &["ago", "earlier", "back from now", "以前", "之前", "前"]);
        let end = at + count + ago.unwrap_or(0);
        let is_begun = at > 0 && all[at - 1].is_one_of(&["the", "a", "an"]);
        let side = at.checked_sub(1 + usize::from(is_begun)).map(|at| &all[at]);
        let is_bound = side.is_some_and(|side| side.is_one_of(&SIDES));
        let goes_on =
            all.get(end).is_some_and(|next| next.is_one_of(&["到", "至", "以", "起", "开"]));
        // 急停前十分钟前 is beside a stop.
        let is_at = at > 0 && all[at - 1].is_one_of(&["前", "后"]);
        // "Since half an hour".
        let is_since = ago.is_none()
            && side.is_some_and(|side| side.text == "since")
            && !all
                .get(end)
                .is_some_and(|next| next.is_one_of(&["before", "after", "into", "from", "of"]));
        let ago = ago.or(is_since.then_some(0));
        let moment =
            ago.filter(|_| (is_bound || goes_on) && !is_at).and_then(|_| ago_of(secs, present));
        if let Some(moment) = moment {
            told.push_str(&text[copied..from]);
            told.push_str(&moment);
            copied = all[end - 1].place.end;
            at = end;
        } else {
            at += count;
        }
    }
    told.push_str(&text[copied..]);
    // 截至15:00, 最后一次急停.
    if let Some(rest) = told.trim_start().strip_prefix("截至")
        && let Some((time, behind)) = rest.split_once([',', '，'])
        && time.trim_end().ends_with(|c: char| c.is_ascii_digit() || "点分秒整半".contains(c))
    {
        told = format!("{time}之前,{behind}");
    }
    told
}

/// What clocks showed so many seconds ago: 2022-10-26 15:31:00.
fn ago_of(secs: f64, present: &Present<'_>) -> Option<String> {
    let then = present.shown(Stamp(present.now.0.saturating_sub((secs * 1e9) as i64)))?;
    Some(format!(" {then} "))
}
