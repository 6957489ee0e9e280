//! Two of several, the first and the last: "the first and the last stop of this afternoon", 第一次和最后一次急停. They are read through the
//! first.

use super::super::atoms::{Atom, atoms, longest_of, said};
use super::movers::named_class;
use super::ordinal_range::stands_beside;
use super::{End, Nth, OrderQuestion, Taken, words};

const AND: &[&str] = &["and", "and the", "and the very", "和", "与", "跟", "及", "以及"];
/// Before them they say no more than that it is two, or nothing.
const BOTH: &[&str] = &["both", "both the", "both the very", "the", "the very", "very"];
/// The same behind them.
const HAN_BOTH: &[&str] = &["两次列出", "两条列出", "两次都要", "两条都要"];

/// Where both are named, and where what they are is.
struct Both {
    from: usize,
    to: usize,
    name: (usize, usize),
}

/// The text with the first alone in place of both; `None` of one that does not ask for both.
pub(super) fn in_plain_words(text: &str) -> Option<String> {
    let all = atoms(text);
    let Both { from, to, name } = (0..all.len()).find_map(|at| both(text, &all, at))?;
    if stands_beside(&all, from, to) {
        return None;
    }
    let is_han = all[name.0].is_han();
    let name = said(text, &all[name.0..name.1]);
    let first = if is_han { format!("第一次{name}") } else { format!("the first {name}") };
    let mut behind = text[all[to - 1].place.end..].to_owned();
    for both in HAN_BOTH {
        behind = behind.replacen(both, "", 1);
    }
    Some(format!("{}{first}{behind}", &text[..all[from].place.start]))
}

fn both(text: &str, all: &[Atom], from: usize) -> Option<Both> {
    let end_of = |at: usize, end: End| {
        let (count, nth) = words::nth(all.get(at..)?)?;
        (nth == Nth { end, nth: 1 }).then_some(at + count)
    };
    // 第一次的急停.
    let name_at = |at: usize| {
        let of = at + longest_of(all.get(at..)?, &["的"]).unwrap_or(0);
        Some((of, of + named_class(all.get(of..)?)?))
    };
    let begun = from + longest_of(&all[from..], BOTH).unwrap_or(0);
    let first = end_of(begun, End::First)?;
    let name = name_at(first);
    let named = name.map_or(first, |(_, to)| to);
    let is_listed = || {
        let next = all.get(named).map(|next| next.place.start)?;
        text[all[named - 1].place.end..next].contains('、').then_some(0)
    };
    let and = longest_of(all.get(named..)?, AND).or_else(is_listed)?;
    let last = end_of(named + and, End::Last)?;
    match (name, name_at(last)?) {
        (None, name) => Some(Both { from, to: name.1, name }),
        // 第一次急停和最后一次急停: a time behind would be of the last one alone.
        (Some(name), again) => {
            let is_same = said(text, &all[name.0..name.1]) == said(text, &all[again.0..again.1]);
            let behind = text[all[again.1 - 1].place.end..].trim_start();
            let is_end = behind.is_empty()
                || behind.starts_with(['?', '.', '？', '。', ',', '，'])
                || longest_of(&all[again.1..], &["是", "分别", "各", "were", "are"]).is_some();
            (is_same && is_end).then_some(Both { from, to: again.1, name })
        }
    }
}

/// What was read of the first alone, of both; `None` when it is not those that are asked for.
pub(super) fn restored(asked: OrderQuestion) -> Option<OrderQuestion> {
    let is_first = asked.taken == Taken::Nth(Nth { end: End::First, nth: 1 });
    let is_list = asked.per.is_none() && asked.order.is_none() && !asked.is_counted;
    (is_first && asked.is_of_stretch() && is_list)
        .then_some(OrderQuestion { taken: Taken::BothEnds, ..asked })
}
