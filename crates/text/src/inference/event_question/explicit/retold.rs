//! Questions that say in two parts, or around a corner, what is said in one: "in which hours did it stop, and how many times in each?" is how many
//! times in each hour it did, "the two events before and the two after it" are those on either side of it.

use super::super::atoms::{Atom, atoms, ends, longest_of, said};
use super::words;

#[rustfmt::skip]
const WHICH_DAYS: &[&str] = &["on which days", "which days"];
#[rustfmt::skip]
const ON_EACH: &[&str] = &["and how many on each", "how many on each", "and how many each", "and how many on each day", "and how many times on each", "and how many each day", "and how often on each", "and how often each day"];
#[rustfmt::skip]
const WHICH_HOURS: &[&str] = &["in which hours", "in what hours", "during which hours", "in which hours of the day", "which hours"];
#[rustfmt::skip]
const IN_EACH: &[&str] = &[
    "and how many times in each", "how many times in each", "and how many in each", "how many in each", "and how often in each", "how often in each", "and how many times in each hour", "and how often in each hour", "and how many in each hour", "and how many times in each of them", "and how many in each of them", "and how many times each", "and how many per hour", "and how many times per hour",
];
const HAN_WHICH_HOURS: &[&str] =
    &["哪些小时里", "哪些小时内", "哪些小时", "哪几个小时里", "哪几个小时"];
#[rustfmt::skip]
const HAN_IN_EACH: &[&str] = &["每个小时各几次", "每小时各几次", "每个小时几次", "每小时几次", "各几次", "各多少次", "各有几次", "分别几次", "分别有几次", "每个小时各有几次", "每小时多少次", "每个小时多少次"];
const BEFORE_LAST: &[&str] =
    &["the one before the last one", "the one before last", "the one just before the last one"];

const JUST: &[&str] = &["right", "directly", "immediately", "just", "straight"];
const EVENTS: &[&str] = &[
    "event", "events", "entry", "entries", "record", "records", "memory", "memories", "one", "ones",
];
const WHICH_AFTER: &[&str] = &[
    "and which is",
    "and which was",
    "and which came",
    "and which one is",
    "and which event is",
    "and which one was",
    "and which event was",
    "and which event came",
    "and what was",
    "and what came",
];

/// The text in plain words.
pub(super) fn in_plain_words(text: &str) -> String {
    let all = atoms(text);
    if let Some(text) = on_either_side(text, &all).or_else(|| on_both_sides(text, &all)) {
        return text;
    }
    let is_han = all.iter().any(Atom::is_han);
    let groups: &[(&[&str], &[&str], &str)] = match is_han {
        true => &[(HAN_WHICH_HOURS, HAN_IN_EACH, "每个小时")],
        false => &[
            (WHICH_HOURS, IN_EACH, "how many times in each hour"),
            (WHICH_DAYS, ON_EACH, "how many times on each day"),
        ],
    };
    let find = |from: usize, words| {
        (from..all.len()).find_map(|at| Some((at, at + longest_of(&all[at..], words)?)))
    };
    for (which, each, plain) in groups {
        if let Some((from, to)) = find(0, which)
            && let Some((tail, end)) = find(to, each)
            && end == all.len()
        {
            let times = if is_han { "几次" } else { "" };
            let asked = said(text, &all[to..tail]);
            return format!("{}{plain} {asked}{times}？", &text[..all[from].place.start]);
        }
    }
    let is_said =
        |from: usize| from == 0 || all[from - 1].is_one_of(&["was", "is", "show", "me", "list"]);
    let is_night =
        |to: usize| all.get(to).is_some_and(|it| it.is_one_of(&["night", "week", "month", "year"]));
    match find(0, BEFORE_LAST).filter(|(from, to)| is_said(*from) && !is_night(*to)) {
        Some((from, to)) => format!(
            "{}the second to last one{}",
            &text[..all[from].place.start],
            &text[all[to - 1].place.end..]
        ),
        None => text.to_owned(),
    }
}

/// "The two events right before and the two right after memory 469", 记忆618的前两条和后两条.
fn on_either_side(text: &str, all: &[Atom]) -> Option<String> {
    let skip = |at: usize, words: &[&str]| Some(at + longest_of(all.get(at..)?, words)?);
    let number =
        |at: usize| words::cardinal(all.get(at..)?).map(|(number, count)| (number, at + count));
    let english = |at: usize| {
        let to = skip(at, &["before and", "before and the"])?;
        let from = if ends(&all[..at], JUST) { at - 1 } else { at };
        let noun = if ends(&all[..from], EVENTS) { from - 1 } else { from };
        let (many, end) = number(noun.checked_sub(1)?)?;
        let (same, next) = number(to)?;
        let event = skip(next, EVENTS).unwrap_or(next);
        let just = skip(event, JUST).unwrap_or(event);
        let after = skip(just, &["after"])?;
        (end == noun && many == same && noun < from).then(|| {
            let before = said(text, &all[..from]);
            format!("{before} on either side of {}", &text[all[after - 1].place.end..])
        })
    };
    let han = |at: usize| {
        const UNITS: &[&str] = &["条", "个", "件", "次", "条记录", "个事件", "条事件"];
        let (before, to) = (skip(at, &["的前", "前"])?, |at| skip(at, UNITS));
        let (many, first) = number(before)?;
        let after = skip(to(first)?, &["和后", "与后", "和之后", "及后", "、后", "后"])?;
        let (same, end) = number(after)?;
        let to = to(end)?;
        (many == same).then(|| {
            let (name, behind) = (&text[..all[at].place.start], &text[all[to - 1].place.end..]);
            format!("{name}前后各{}条记录{behind}", said(text, &all[before..first]))
        })
    };
    (0..all.len()).find_map(|at| english(at).or_else(|| han(at)))
}

/// "Which event is directly before memory 689 and which is directly after it?"
fn on_both_sides(text: &str, all: &[Atom]) -> Option<String> {
    let skip = |at: usize, words: &[&str]| Some(at + longest_of(all.get(at..)?, words)?);
    let before = (0..all.len()).find(|at| all[*at].text == "before")?;
    let from = if ends(&all[..before], JUST) { before - 1 } else { before };
    let and = (before..all.len()).find(|at| longest_of(&all[*at..], WHICH_AFTER).is_some())?;
    let which = skip(and, WHICH_AFTER)?;
    let after = skip(skip(which, JUST).unwrap_or(which), &["after it", "after that", "after"])?;
    (after == all.len()).then(|| {
        let (start, name) = (said(text, &all[..from]), said(text, &all[before + 1..and]));
        format!("{start} directly on either side of {name}?")
    })
}
