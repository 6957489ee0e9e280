//! How a counter is said to change, in one way: "changed from 128 to cycle 150" for "jumped straight from 128 up to 150",
//! 从233变到224 for 由233退回到224.

use super::movers::HAN_COUNTERS;

/// So many words, or characters of Chinese, stand between the counter and its new number.
const WORDS_MAX: usize = 9;
const LETTERS_MAX: usize = 8;

/// The text with one verb for each such change.
pub(super) fn with_changes(text: &str) -> String {
    next_value(&han(&english(text)))
}

/// "The cycle change from 20 to 21" in place of "the one from 20 to 21", where cycle changes are asked for.
pub(super) fn with_named_one(text: &str) -> String {
    const ONE: &str = "the one from ";
    match text.split_once(ONE) {
        Some((before, behind))
            if before.contains("cycle change")
                && behind.starts_with(|c: char| c.is_ascii_digit()) =>
        {
            format!("{before}the cycle change from {behind}")
        }
        _ => text.to_owned(),
    }
}

/// 第一次周期变化是哪次 in place of 计数器接下来变成了多少, at the end of a text.
fn next_value(text: &str) -> String {
    const NEXT: [&str; 4] = ["接下来", "接着", "首先", "随后"];
    const BECAME: [&str; 4] = ["变成了多少", "变成多少", "变为多少", "变到多少"];
    let bare = text.trim_end_matches(['？', '?', '。', ' ']);
    let of_next = |next: &&str| {
        let rest =
            BECAME.iter().find_map(|became| bare.strip_suffix(became))?.strip_suffix(*next)?;
        HAN_COUNTERS.iter().find_map(|counter| rest.strip_suffix(counter))
    };
    match NEXT.iter().find_map(of_next) {
        Some(before) => format!("{before}第一次周期变化是哪次？"),
        None => text.to_owned(),
    }
}

/// "When did the cycle change to 230 for the second time?" in place of "The counter reached 230 twice. When was the second time?",
/// and the same in Chinese.
pub(super) fn with_one_of_two(text: &str) -> String {
    english_of_two(text).or_else(|| han_of_two(text)).unwrap_or_else(|| text.to_owned())
}

fn english_of_two(text: &str) -> Option<String> {
    const TOLD: [&str; 16] = [
        "the", "cycle", "counter", "number", "reached", "turned", "became", "came", "to", "went",
        "changed", "hit", "twice", "that", "day", "got",
    ];
    let (told, asked) = text.split_once(". ")?;
    let words: Vec<String> = told.split(' ').map(bare).collect();
    let number = words.iter().find(|word| is_number(word))?;
    let is_told = words.iter().all(|word| word == number || TOLD.contains(&word.as_str()))
        && words.iter().any(|word| word == "twice")
        && words.iter().any(|word| ["cycle", "counter"].contains(&word.as_str()));
    let small = asked.to_ascii_lowercase();
    let which =
        ["first", "second"].into_iter().find(|it| small.contains(&format!("the {it} time")))?;
    let is_said = |word: &str| {
        let known = [
            "when", "was", "did", "it", "that", "happen", "the", "for", "time", "become", "reach",
            "change", "to",
        ];
        word.is_empty() || word == number || word == which || known.contains(&word)
    };
    let is_asked = small.starts_with("when") && small.split(' ').all(|word| is_said(&bare(word)));
    (is_told && is_asked)
        .then(|| format!("When did the cycle change to {number} for the {which} time?"))
}

/// 计数器两次变到226，第一次是什么时候？
fn han_of_two(text: &str) -> Option<String> {
    const CAME: [&str; 6] = ["两次变到", "两次变成", "两次变为", "两次到", "变到过", "变成过"];
    const WHEN: [&str; 5] = ["是什么时候", "是几点", "是何时", "在什么时候", "是在几点"];
    let (told, asked) = text.split_once(['，', ',', '。'])?;
    let counter = HAN_COUNTERS.iter().find(|counter| told.starts_with(**counter))?;
    let (day, told) = match told[counter.len()..].strip_prefix("今天") {
        Some(rest) => ("今天", rest),
        None => ("", &told[counter.len()..]),
    };
    let came = CAME.into_iter().find_map(|came| told.strip_prefix(came));
    let number = came.map(|rest| rest.trim_end_matches("两次"));
    let number = number.or_else(|| told.strip_suffix("出现过两次"))?;
    let asked = asked.trim_end_matches(['？', '?', '。']);
    let which = ["第一次", "第二次"].into_iter().find(|which| asked.starts_with(which))?;
    let rest = &asked[which.len()..];
    let again = ["变到", "变成", "变为", "到"]
        .into_iter()
        .find_map(|came| rest.strip_prefix(came)?.strip_prefix(number));
    let is_asked = WHEN.contains(&again.unwrap_or(rest));
    (is_number(number) && is_asked).then(|| format!("{day}周期{which}变到{number}是什么时候？"))
}

/// Whether nothing else is asked than when a cycle changed, or which change that was: not for what reason, or of what else.
pub(super) fn asks_for_change(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 77] = [
        "when", "did", "was", "were", "what", "time", "at", "the", "a", "which", "show", "me", "list", "give", "please", "of", "to", "from", "cycle", "counter", "number", "count", "change", "changed",
        "changing", "go", "goes", "went", "gone", "jump", "jumped", "jumping", "switch", "switched", "tick", "ticked", "turn", "turned", "advance", "advanced", "step", "stepped", "move",
        "moved", "roll", "rolled", "back", "up", "down", "on", "over", "straight", "directly", "value", "is", "it", "happen", "exactly", "become", "became", "reach", "reached", "get", "got",
        "first", "second", "third", "last", "for", "please", "point", "moment", "all", "every", "times", "moments", "points",
    ];
    const LETTERS: &str = "是在什么时候何几点分钟的事哪次那个列出请了从由变到成为至跳换切退回升涨走更改一下子直接突然周期循环计数器号数记录第一二三最后今天间发生刻所有全部都把，,。？?！! ";
    const NAMES: [&str; 4] = ["cycle time", "count time", "time of", "time the cycle"];
    let small = text.to_ascii_lowercase();
    let words = small.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let is_said = |word: &str| WORDS.contains(&word) || is_number(word);
    let has_cycle =
        ["cycle", "counter", "周期", "循环", "计数"].iter().any(|it| small.contains(it));
    has_cycle
        && words.into_iter().all(is_said)
        && small.chars().filter(|c| !c.is_ascii()).all(|c| LETTERS.contains(c))
        && !NAMES.iter().any(|name| small.contains(name))
        && !small.contains("cycles")
}

/// A word in small letters, without the signs beside it.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase()
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.len() <= 6 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number at a place, behind such a word and the counter's name: where it ends.
fn number_behind(words: &[&str], at: usize, word: &str) -> Option<usize> {
    if bare(words.get(at)?) != word {
        return None;
    }
    let named = ["cycle", "number", "no"].contains(&bare(words.get(at + 1)?).as_str());
    let number = at + 1 + usize::from(named);
    is_number(&bare(words.get(number)?)).then_some(number)
}

fn english(text: &str) -> String {
    const COUNTERS: [&str; 4] = ["cycle", "counter", "cycles", "count"];
    const NAMES: [&str; 7] = ["number", "counter", "count", "no", "index", "value", "display"];
    let words: Vec<&str> = text.split(' ').collect();
    let mut said: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        said.push(words[at].to_owned());
        at += 1;
        if !COUNTERS.contains(&bare(words[at - 1]).as_str()) {
            continue;
        }
        while at < words.len() && NAMES.contains(&bare(words[at]).as_str()) {
            said.push(words[at].to_owned());
            at += 1;
        }
        // "Cycle 42 gave way to cycle 43".
        if let Some(number) = replaced(&words, at) {
            said.push(format!("changed from {} to cycle {}", bare(words[at]), words[number]));
            at = number + 1;
            continue;
        }
        if let Some((from, number)) = change(&words, at) {
            said.push("changed".to_owned());
            if let Some(from) = from {
                said.push(format!("from {}", bare(words[from])));
            }
            said.push(format!("to cycle {}", words[number]));
            at = number + 1;
            // "And later to 164", "and reaching 160".
            let later = (at..words.len()).take(3).find_map(|to| {
                let behind = |verb| number_behind(&words, to, verb);
                ["to", "reaching", "hitting"].into_iter().find_map(behind)
            });
            if let Some(number) =
                later.filter(|_| words.get(at).is_some_and(|word| bare(word) == "and"))
            {
                said.push(format!("and changed to cycle {}", words[number]));
                at = number + 1;
            }
        }
    }
    said.join(" ")
}

/// The place of the number that came in place of the one at a place.
fn replaced(words: &[&str], at: usize) -> Option<usize> {
    const BEFORE: [&str; 6] = ["from", "between", "before", "after", "to", "until"];
    #[rustfmt::skip]
    const VERBS: [&str; 15] = [
        "gave", "changed", "switched", "went", "moved", "turned", "rolled", "passed", "replaced", "jumped", "advanced", "ticked", "flipped", "followed", "succeeded",
    ];
    let is_first =
        is_number(&bare(words.get(at)?)) && !words[at].ends_with([',', '.', ';', ':', '?', '!']);
    let lead = at.checked_sub(2).map(|at| bare(words[at])).unwrap_or_default();
    let mut has_verb = false;
    for place in at + 1..words.len().min(at + 1 + WORDS_MAX) {
        let number = ["to", "by", "into"].iter().find_map(|word| number_behind(words, place, word));
        if let Some(number) = number {
            return (is_first && has_verb && !BEFORE.contains(&lead.as_str())).then_some(number);
        }
        has_verb |= VERBS.contains(&bare(words[place]).as_str());
        if words[place].ends_with([',', '.', ';', ':', '?', '!']) {
            return None;
        }
    }
    None
}

/// What a counter did from a place on: the place of its old number, if that is said, and of the new one.
fn change(words: &[&str], at: usize) -> Option<(Option<usize>, usize)> {
    const SIDES: [&str; 7] =
        ["before", "after", "since", "until", "till", "following", "preceding"];
    const OTHER: [&str; 8] = ["and", "or", "changes", "switches", "to", "that", "which", "was"];
    let first = bare(words.get(at)?);
    if first.is_empty()
        || OTHER.contains(&first.as_str())
        || first.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let mut from = None;
    for place in at..words.len().min(at + WORDS_MAX) {
        if let Some(number) = number_behind(words, place, "from") {
            from = Some(number);
        } else if let Some(number) = number_behind(words, place, "to") {
            let behind = words.get(number + 1).map(|word| bare(word)).unwrap_or_default();
            let is_hour = ["am", "pm", "o'clock"].contains(&behind.as_str());
            return (!is_hour).then_some((from, number));
        }
        let word = bare(words[place]);
        let is_end = words[place].ends_with([',', '.', ';', ':', '?', '!']);
        let is_other = is_number(&word) && from != Some(place);
        // "Which cycle change came after the cycle changed to 200?"
        if is_end || is_other || SIDES.contains(&word.as_str()) {
            return None;
        }
    }
    None
}

fn han(text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let counter = HAN_COUNTERS.iter().find(|counter| rest.starts_with(**counter));
        if let Some((end, from, to)) =
            counter.and_then(|counter| han_change(&rest[counter.len()..]))
        {
            said.push_str(&format!("周期从{from}变到{to}"));
            rest = &rest[counter.map_or(0, |counter| counter.len()) + end..];
            continue;
        }
        let count = counter.map_or(letter.len_utf8(), |counter| counter.len());
        said.push_str(&rest[..count]);
        rest = &rest[count..];
    }
    said
}

/// 一下子从128直接跳到了150: where it ends, the old number, and the new one.
fn han_change(text: &str) -> Option<(usize, &str, &str)> {
    let number = |from: usize| {
        let rest = &text[from..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        is_number(&rest[..digits]).then_some((from + digits, &rest[..digits]))
    };
    let joined = |from: usize, words: &[&str]| {
        let within = text[from..].char_indices().take(LETTERS_MAX + 1);
        let mut places = within.take_while(|(_, c)| {
            !c.is_ascii_digit() && !c.is_ascii_punctuation() && !"，。？！；：".contains(*c)
        });
        places.find_map(|(at, _)| {
            let word = words.iter().find(|word| text[from + at..].starts_with(**word))?;
            number(from + at + word.len())
        })
    };
    let (end, old) = joined(0, &["从", "由", "自"])?;
    let (end, new) =
        joined(end, &["到了", "到", "至", "成了", "成", "为", "回", "变", "换", "跳", "切"])?;
    Some((end, old, new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_said_in_one_way() {
        let cases = [
            (
                "The cycle counter jumped straight from 128 to 150, which",
                "The cycle counter changed from 128 to cycle 150, which",
            ),
            (
                "the counter had gone from 99 up to cycle 100?",
                "the counter changed from 99 to cycle 100?",
            ),
            (
                "The cycle number went to 163 and later to 164; in",
                "The cycle number changed to cycle 163 and changed to cycle 164; in",
            ),
            ("from cycle 60 to cycle 65", "from cycle 60 to cycle 65"),
            ("cycle changes from 2 to 3 pm", "cycle changes from 2 to 3 pm"),
            ("周期号由233退回到224,之前", "周期从233变到224,之前"),
            ("周期一下子从73蹦到75", "周期从73变到75"),
            ("周期从几换到几", "周期从几换到几"),
        ];
        for (text, expected) in cases {
            assert_eq!(with_changes(text), expected);
        }
    }
}
