//! Changes of a counter to a smaller number: "when did the cycle counter go backwards?", 循环计数变小. Without these words the question is read of all
//! its changes, and then of those.

use super::super::atoms::{Atom, ends, has, longest_of};
use super::OrderQuestion;
use super::movers::HAN_COUNTERS;

const COUNTERS: &[&str] = &[
    "counter",
    "cycle",
    "number",
    "count",
    "it ever",
    "counter ever",
    "counter last",
    "counter first",
];
#[rustfmt::skip]
const BACK: &[&str] = &["go backwards", "go backward", "go back", "go down", "count down", "count backwards", "decrease", "jump back", "jump backwards", "run backwards", "step back", "move backwards"];
#[rustfmt::skip]
const WENT_BACK: &[&str] = &["went backwards", "went backward", "went back", "went down", "counted down", "counted backwards", "decreased", "jumped back", "jumped backwards", "ran backwards", "stepped back", "moved backwards"];
const NOT_UP: &[&str] = &[
    "instead of up",
    "instead of forward",
    "instead of forwards",
    "rather than up",
    "rather than forward",
];
/// Behind them a number says to what.
const NUMBERED: &[&str] = &["to", "from", "by"];
const HAN_BACK: &[&str] = &[
    "变小",
    "减小",
    "变少",
    "减少",
    "倒退",
    "回退",
    "往回跳",
    "往回走",
    "下降",
    "倒着走",
    "变小了",
    "减小了",
    "倒退了",
    "回退了",
    "往回跳了",
    "下降了",
];

/// A text that asks when a counter went back, without the words that say so.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<String> {
    let (from, to, plain) = (1..all.len()).find_map(|at| {
        let rest = &all[at..];
        let is_counter = |words| ends(&all[..at], words);
        let back = longest_of(rest, BACK).map(|count| (count, "change"));
        let went = || longest_of(rest, WENT_BACK).map(|count| (count, "changed"));
        let english = back.or_else(went).filter(|_| is_counter(COUNTERS));
        let has_counter = || has(&all[..at], HAN_COUNTERS);
        let han = || {
            let back = longest_of(rest, HAN_BACK).filter(|_| has_counter());
            back.map(|count| (count, "变化"))
        };
        let (count, plain) = english.or_else(han)?;
        Some((at, at + count, plain))
    })?;
    let rest = all.get(to..)?;
    let to = to + longest_of(rest, NOT_UP).unwrap_or(0);
    let is_numbered =
        longest_of(rest, NUMBERED).is_some() || rest.first().is_some_and(|it| it.text == "到");
    let (before, behind) = (&text[..all[from].place.start], &text[all[to - 1].place.end..]);
    (!is_numbered).then(|| format!("{before}{plain}{behind}"))
}

/// What was read of such a text, of changes to a smaller number; `None` when it names no changes, or changes twice.
pub(super) fn of_those(mut asked: OrderQuestion) -> Option<OrderQuestion> {
    let mut changes = asked.named_mut().filter(|of| of.class == Some("change"));
    let (change, another) = (changes.next()?, changes.next());
    (another.is_none() && change.became.is_none()).then(|| change.is_back = true)?;
    drop(changes);
    Some(asked)
}
