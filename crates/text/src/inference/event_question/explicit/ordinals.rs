//! Ordinals that stand alone, "before the fifty-ninth", or are beyond a hundred.

use super::super::atoms::{Atom, atoms, longest_of};
use super::super::classes::class_at;
use super::words;
use super::{End, Nth};

/// Beside them it is an event, and no day.
const OF_EVENTS: [&str; 4] = ["preceded", "preceding", "followed", "following"];
/// Beside them it may be the day of a month.
const OF_DAYS: [&str; 3] = ["before", "after", "since"];
const DAYS_OF_MONTH_MAX: u32 = 31;

/// "The 103rd" in place of "the hundred and third".
pub(super) fn with_hundreds(text: &str) -> String {
    let all = atoms(text);
    let found = (0..all.len()).find_map(|at| {
        let lead =
            longest_of(&all[at..], &["one hundred and", "hundred and", "one hundred", "hundred"])?;
        let (count, Nth { end, nth }) = words::nth(all.get(at + lead..)?)?;
        let is_ordinal = end == End::First && nth < 100;
        is_ordinal.then_some((at, at + lead + count - 1, 100 + nth))
    });
    let Some((first, last, nth)) = found else { return text.to_owned() };
    format!("{}{nth}th{}", &text[..all[first].place.start], &text[all[last].place.end..])
}

/// "Before the fifty-ninth one" in place of "before the fifty-ninth".
pub(super) fn with_ones(text: &str) -> String {
    let all = atoms(text);
    match (1..all.len()).find_map(|at| end_of_ordinal(text, &all, at)) {
        Some(end) => format!("{} one{}", &text[..end], &text[end..]),
        None => text.to_owned(),
    }
}

/// "The tenth to last stop" in place of "the tenth stop counting from the end".
pub(super) fn from_the_end(text: &str) -> String {
    #[rustfmt::skip]
    const FROM_END: &[&str] = &[
        "counting from the end", "counted from the end", "counting back from the end", "counting backwards", "counting back from the last", "when counted from the end", "from the end",
    ];
    let all = atoms(text);
    // The only one of the text, and of the events that these words stand behind.
    let ordinal = |at: usize| Some((at, words::nth(&all[at..])?));
    let mut ordinals = (0..all.len()).filter_map(ordinal);
    let (Some((at, (count, nth))), None) = (ordinals.next(), ordinals.next()) else {
        return text.to_owned();
    };
    let end = at + count;
    let counted = || {
        let subject =
            (0..=2).find(|count| class_at(all.get(end + count..).unwrap_or_default()).is_some())?;
        let (class, _) = class_at(&all[end + subject..])?;
        let from = end + subject + class;
        Some((from, longest_of(all.get(from..)?, FROM_END)?))
    };
    match counted().filter(|_| nth.end == End::First && nth.nth > 1) {
        Some((from, count)) => {
            let end = all[end - 1].place.end;
            let (from, to) = (all[from - 1].place.end, all[from + count - 1].place.end);
            format!("{} to last{}{}", &text[..end], &text[end..from], &text[to..])
        }
        None => text.to_owned(),
    }
}

/// Where an ordinal ends, in bytes, of which the article stands at a place and which names nothing.
fn end_of_ordinal(text: &str, all: &[Atom], at: usize) -> Option<usize> {
    let (article, beside) = (&all[at], &all[at - 1]);
    if !article.is_one_of(&["the"]) {
        return None;
    }
    let (count, Nth { end, nth }) = words::nth(all.get(at + 1..)?)?;
    let is_of_event =
        beside.is_one_of(&OF_EVENTS) || beside.is_one_of(&OF_DAYS) && nth > DAYS_OF_MONTH_MAX;
    let last = &all[at + count];
    let rest = text[last.place.end..].trim_start();
    let is_alone = rest.is_empty() || rest.starts_with([',', '.', '?', '!', ';']);
    (end == End::First && is_of_event && is_alone).then_some(last.place.end)
}
