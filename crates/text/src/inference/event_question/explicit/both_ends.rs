//! Two of several, the first and the last: "the first and the last stop of this afternoon", 第一次和最后一次急停. They are read through the
//! first.

use super::super::atoms::{Atom, atoms, longest_of, said};
use super::movers::named_class;
use super::ordinal_range::stands_beside;
use super::{Beside, End, Nth, OrderQuestion, Taken, words};

const AND: &[&str] = &["and", "and the", "and the very", "&", "和", "与", "跟", "及", "以及"];
/// That say no more than that it is two.
const BOTH: &[&str] = &["both", "both the", "both the very", "the", "the very", "very"];
const HAN_BOTH: &[&str] = &["这两次列出", "两次列出", "两条列出", "两次都", "两条都"];

/// The text with the first alone in place of both; `None` of one that does not ask for both.
pub(super) fn in_plain_words(text: &str) -> Option<String> {
    let all = atoms(text);
    (0..all.len()).find_map(|at| with_first(text, &all, at))
}

fn with_first(text: &str, all: &[Atom], from: usize) -> Option<String> {
    let begun = from + longest_of(&all[from..], BOTH).unwrap_or(0);
    let is_end = |at: usize, end: End| {
        let (count, nth) = words::nth(all.get(at..)?)?;
        (nth == Nth { end, nth: 1 }).then_some(at + count)
    };
    let first = is_end(begun, End::First)?;
    let name = |from: usize| {
        // 今天第一次的急停.
        let of = from + longest_of(all.get(from..)?, &["的"]).unwrap_or(0);
        Some((of, of + named_class(all.get(of..)?)?))
    };
    // 第一次急停和最后一次急停.
    let named = name(first);
    let and = named.map_or(first, |(_, to)| to);
    let joined = longest_of(all.get(and..)?, AND).or_else(|| {
        let gap = &text[all[and - 1].place.end..all.get(and)?.place.start];
        gap.contains('、').then_some(0)
    })?;
    let last = is_end(and + joined, End::Last)?;
    let (of, to) = match (named, name(last)) {
        (None, Some(named)) => named,
        (Some((of, to)), Some((again, end))) => {
            let is_same = said(text, &all[of..to]) == said(text, &all[again..end]);
            return is_same.then(|| replaced(text, all, (from, end), (of, to)))?;
        }
        _ => return None,
    };
    replaced(text, all, (from, to), (of, to))
}

/// The text with the first of what is named in place of both.
fn replaced(
    text: &str,
    all: &[Atom],
    (from, to): (usize, usize),
    name: (usize, usize),
) -> Option<String> {
    if stands_beside(all, from, to) {
        return None;
    }
    let said = said(text, &all[name.0..name.1]);
    let first =
        if all[name.0].is_han() { format!("第一次{said}") } else { format!("the first {said}") };
    let mut behind = text[all[to - 1].place.end..].to_owned();
    for both in HAN_BOTH {
        behind = behind.replacen(both, "", 1);
    }
    Some(format!("{}{first}{behind}", &text[..all[from].place.start]))
}

/// What was read of the first alone, of both; `None` when it is not those that are asked for.
pub(super) fn restored(asked: OrderQuestion) -> Option<OrderQuestion> {
    let is_of_stretch = matches!(
        asked.beside,
        None | Some(Beside::Since(_) | Beside::Between(..) | Beside::During(_))
    );
    let is_first = asked.taken == Taken::Nth(Nth { end: End::First, nth: 1 });
    let is_whole = is_first && is_of_stretch && asked.per.is_none() && asked.order.is_none();
    is_whole.then_some(OrderQuestion { taken: Taken::BothEnds, ..asked })
}
