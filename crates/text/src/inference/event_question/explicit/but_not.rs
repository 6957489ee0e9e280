//! Events of any kind but one: "ignoring arm motions, what happened right before it?", 不看机械臂运动. Without these words the question
//! is read of all events, and then of the others.

use super::super::atoms::{Atom, longest_of, said};
use super::movers::named_class;
use super::{NamedEvents, OrderQuestion};

#[rustfmt::skip]
const OUT: &[&str] = &[
    "ignoring", "disregarding", "excluding", "leaving aside", "setting aside", "putting aside", "apart from", "aside from", "other than", "except", "except for", "not counting", "not including", "leaving out", "if you ignore", "if we ignore",
];
/// Around a name: "leaving arm motions aside".
const LEAVING: &[&str] = &["leaving", "setting", "putting", "leave", "set", "put"];
const ASIDE: &[&str] = &["aside", "out", "to one side"];
const ALL: &[&str] = &["the", "all", "any", "all the", "all of the"];
#[rustfmt::skip]
const HAN_OUT: &[&str] = &["不看", "不算", "不计", "不管", "撇开", "忽略", "忽略掉", "排除", "除", "除了", "除去", "除开", "不包括", "不含", "不考虑"];
const HAN_ASIDE: &[&str] =
    &["不算", "不计", "除外", "以外", "之外", "外", "不计入", "不看", "不要算"];

/// A text without such words, and a question for the events that they take out.
pub(super) struct ButNot {
    pub text: String,
    pub taken_out: String,
}

/// Of a text that takes one kind of events out.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<ButNot> {
    let found = |at: usize| english(all, at).or_else(|| han(all, at));
    let (from, to, (name, end)) =
        (0..all.len()).find_map(|at| found(at).map(|(to, name)| (at, to, name)))?;
    let (before, behind) = (&text[..all[from].place.start], &text[all[to - 1].place.end..]);
    // It is a clause of its own.
    let cut = |c: char| ",，。.;；?？!！()（）:：".contains(c);
    let (before, behind) = (before.trim_end(), behind.trim_start());
    let is_alone = (before.is_empty() || before.ends_with(cut))
        && (behind.is_empty() || behind.starts_with(cut));
    let begins = before.is_empty() || before.ends_with(['(', '（']);
    let ends = behind.is_empty() || behind.starts_with(['?', '？', '。', '.', ')', '）']);
    let before = before.trim_end_matches([',', '，', '(', '（', ' ']);
    let behind = behind.trim_start_matches([',', '，', ')', '）', ' ']);
    let join = if begins || ends { " " } else { ", " };
    let taken_out = said(text, &all[name..end]);
    let taken_out = match all[name].is_han() {
        true => format!("最后一次{taken_out}是什么时候？"),
        false => format!("When was the last of the {taken_out}?"),
    };
    is_alone.then(|| ButNot { text: format!("{before}{join}{behind}"), taken_out })
}

/// The name of a kind of events, from one atom to another.
fn kind(all: &[Atom], from: usize) -> Option<(usize, usize)> {
    Some((from, from + named_class(all.get(from..)?)?))
}

fn english(all: &[Atom], at: usize) -> Option<(usize, (usize, usize))> {
    let named = |from: usize| {
        let all_of = longest_of(all.get(from..)?, ALL).unwrap_or(0);
        kind(all, from + all_of)
    };
    if let Some(out) = longest_of(&all[at..], OUT) {
        let name = named(at + out)?;
        return Some((name.1, name));
    }
    let name = named(at + longest_of(&all[at..], LEAVING)?)?;
    Some((name.1 + longest_of(&all[name.1..], ASIDE)?, name))
}

fn han(all: &[Atom], at: usize) -> Option<(usize, (usize, usize))> {
    if let Some(out) = longest_of(&all[at..], HAN_OUT) {
        let name = kind(all, at + out)?;
        let aside = longest_of(all.get(name.1..)?, HAN_ASIDE).unwrap_or(0);
        return Some((name.1 + aside, name));
    }
    let name = kind(all, at).filter(|_| all[at].is_han())?;
    Some((name.1 + longest_of(all.get(name.1..)?, HAN_ASIDE)?, name))
}

/// What was read of the rest, without the events that were read of the others; `None` when it is of one kind anyway.
pub(super) fn others(asked: OrderQuestion, taken_out: NamedEvents) -> Option<OrderQuestion> {
    let is_of_any = asked.of.class.is_none() && asked.of.words.is_empty() && asked.or_of.is_empty();
    let of = NamedEvents { is_any: true, ..NamedEvents::default() };
    is_of_any.then_some(OrderQuestion { of, but_not: Some(taken_out), ..asked })
}
