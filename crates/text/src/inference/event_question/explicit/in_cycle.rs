//! Other ways to say "in cycle 36" and 第36周期里: "while the counter stood at 36", "the stops of cycle 36", "Cycle 36: how many
//! stops?", 周期数为36的那段时间里.

use super::super::atoms::{Atom, has, longest_of};
use super::cycles::{CYCLES, HAN_CYCLES, han_number, whole};
use super::movers::HAN_COUNTERS;

const WHILE: &[&str] = &["while", "as long as", "during the time that"];
const COUNTERS: &[&str] = &[
    "the cycle counter",
    "the counter",
    "the cycle number",
    "the cycle count",
    "the cycle",
    "cycle counter",
    "cycle number",
    "cycle",
];
#[rustfmt::skip]
const STOOD: &[&str] = &[
    "stood at", "stands at", "was at", "is at", "was on", "is on", "was", "is", "read", "reads", "showed", "shows", "was showing", "displayed",
];
const HAN_STOOD: &[&str] =
    &["为", "是", "停在", "处在", "处于", "等于", "显示", "显示为", "保持在"];
#[rustfmt::skip]
const HAN_WHILE: &[&str] = &[
    "的那段时间里", "的那段时间内", "的那段时间", "的这段时间里", "的这段时间内", "的这段时间", "那段时间里", "那段时间内", "那段时间", "这段时间里", "这段时间内", "的期间", "期间", "的时候", "时",
];
/// Before "of cycle 36": with another word something else of it may be meant, as its begin.
#[rustfmt::skip]
const EVENTS: &[&str] = &[
    "stops", "stop", "losses", "loss", "drops", "drop", "slips", "slip", "motions", "motion", "movements", "movement", "moves", "move", "impacts", "impact", "collisions", "collision",
    "contacts", "contact", "events", "alarms", "faults",
];

/// The text with these words in place of the first such way, and "when did the cycle change to 77" in place of "when did cycle 77
/// begin".
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> String {
    if let Some(asked) = when_begun(text, all) {
        return asked;
    }
    let found = (0..all.len()).find_map(|at| {
        let said = english(text, all, at).or_else(|| han(text, all, at));
        said.map(|(number, end)| (at, number, end))
    });
    let Some((at, number, end)) = found else { return text.to_owned() };
    let (before, mut behind) = (&text[..all[at].place.start], &text[all[end - 1].place.end..]);
    let mut mark = "";
    if let Some(rest) = begun(behind).filter(|_| at == 0) {
        (mark, behind) = (",", rest);
    }
    if all[at..end].iter().any(Atom::is_han) {
        return format!("{before}第{number}周期里{mark}{behind}");
    }
    format!("{before}in cycle {number}{mark}{behind}")
}

fn when_begun(text: &str, all: &[Atom]) -> Option<String> {
    const WHEN: &[&str] = &["when did", "at what time did", "what time did"];
    let asked = longest_of(all, WHEN)?;
    let number = asked + longest_of(&all[asked..], CYCLES)?;
    let value = whole(text, all, number)?;
    let end = number + 1 + longest_of(&all[number + 1..], &["begin", "start"])?;
    let behind = &text[all[end - 1].place.end..];
    Some(format!("when did the cycle change to {value}{behind}"))
}

/// What follows the mark that ends a heading.
fn begun(behind: &str) -> Option<&str> {
    behind.trim_start().strip_prefix([':', ',', '：', '，'])
}

/// The number of the cycle, and where these words end.
fn english(text: &str, all: &[Atom], at: usize) -> Option<(u32, usize)> {
    let rest = &all[at..];
    let number = |number: usize| Some((whole(text, all, number)?, number + 1));
    if let Some(leading) = longest_of(rest, WHILE) {
        let counter = leading + longest_of(&rest[leading..], COUNTERS)?;
        return number(at + counter + longest_of(&rest[counter..], STOOD)?);
    }
    let before = at.checked_sub(1).map(|before| &all[before]);
    let is_of = rest[0].text == "of" && before.is_some_and(|it| it.is_one_of(EVENTS));
    let is_into =
        rest[0].text == "into" && before.is_some_and(|it| it.is_one_of(&["fell", "fall", "falls"]));
    if is_of || is_into {
        return number(at + 1 + longest_of(&rest[1..], CYCLES)?);
    }
    let heading = longest_of(rest, CYCLES).filter(|_| at == 0)?;
    number(heading).filter(|(_, end)| begun(&text[all[end - 1].place.end..]).is_some())
}

/// The same of Chinese.
fn han(text: &str, all: &[Atom], at: usize) -> Option<(u32, usize)> {
    let rest = &all[at..];
    if let Some(counter) = longest_of(rest, HAN_COUNTERS)
        && let Some(stood) = longest_of(&rest[counter..], HAN_STOOD)
    {
        let number = at + counter + stood;
        let value = whole(text, all, number)?;
        return Some((value, number + 1 + longest_of(&all[number + 1..], HAN_WHILE)?));
    }
    let (value, end) = han_number(all, at).filter(|_| at == 0)?;
    begun(&text[all[end - 1].place.end..]).map(|_| (value, end))
}

/// Whether a cycle is named.
pub(super) fn names_cycle(atoms: &[Atom]) -> bool {
    has(atoms, CYCLES) || has(atoms, &["cycles"]) || has(atoms, HAN_CYCLES)
}
