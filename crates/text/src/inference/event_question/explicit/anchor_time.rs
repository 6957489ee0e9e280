//! The time of a question, as far as it says which event others are looked for beside: "this afternoon, what came right before
//! the first stop?" is of the first stop of this afternoon, not of the day.

use super::super::atoms::{Atom, atoms, has};
use super::bounds::Present;
use super::{Anchor, Beside, End, Lasted, Nth, OrderQuestion, longest, rewording, words};
use robot_memory_core::model::Stamp;

/// A higher ordinal is counted over the whole log, or not: "this afternoon, what came after the 30th stop?"
const NTH_MAX: u32 = 9;
/// They say that an event is counted over more than the time of the question.
#[rustfmt::skip]
const OF_ALL: &[&str] = &[
    "of all", "of them all", "overall", "ever", "at all", "very first", "very last", "in the data", "in the bag", "in the file", "in the database", "in memory", "log", "logs", "recording", "record", "records", "of the day", "all day", "whole day", "entire day", "day s", "so far", "in total",
    "全天", "当天", "整天", "日志", "记录里", "记录中", "全部记录", "有史以来", "全程", "一天里", "一天中", "数据", "整个", "所有", "记忆里",
];
/// The last one, which may be that before now.
#[rustfmt::skip]
const LATEST: &[&str] = &[
    "most recent", "latest", "newest", "previous", "上次", "上一次", "上回", "上一回", "最近",
];

/// Lets the time of a question bound the events beside which it asks: those behind it that are counted from an end that it takes
/// off. `None` when it is not sure: "after 14:00 and before the third stop" may count from 14:00, or from the begin.
pub(super) fn lent(
    mut asked: OrderQuestion,
    text: &str,
    present: &Present<'_>,
) -> Option<OrderQuestion> {
    let bounds = asked.bounds;
    if bounds.is_open() {
        return Some(asked);
    }
    let (said, all) = (atoms(text), atoms(&rewording::in_known_words(text)));
    let is_midnight = |at: Stamp| present.midnight_before(at) == Some(at);
    // "After the last stop of the morning (before 12:00) and before the first of the afternoon".
    let is_beyond = |it: &Anchor| {
        let ends = [(bounds.until, it.bounds.since), (it.bounds.until, bounds.since)];
        ends.into_iter()
            .any(|(until, since)| until.zip(since).is_some_and(|(until, since)| until <= since))
    };
    let is_between = matches!(asked.beside, Some(Beside::Between(..)));
    if is_between && asked.anchors().any(is_beyond) {
        return None;
    }
    let is_of_all = has(&said, OF_ALL);
    let mut is_lent = false;
    for anchor in asked.beside.iter_mut().flat_map(Beside::anchors_mut) {
        if matches!(anchor.of.lasted, Some(Lasted::Ranked { .. })) && anchor.bounds.is_open() {
            let is_of_days = [bounds.since, bounds.until].into_iter().flatten().all(is_midnight);
            let is_lent_to_it = is_of_days || opens_with_time(text, &said, present)?;
            (is_lent_to_it && !is_of_all).then_some(())?;
            anchor.bounds = bounds;
            is_lent = true;
            continue;
        }
        let Anchor { nth: Some(nth), memory: None, .. } = *anchor else { continue };
        let (near, far) = match nth.end {
            End::First => (bounds.since, bounds.until),
            // What reaches until now ends with the last one of all.
            End::Last => (bounds.until.filter(|until| *until <= present.now), bounds.since),
        };
        let Some(near) = near.filter(|_| anchor.bounds.is_open()) else { continue };
        if !is_behind_time(&all, nth, present)? {
            continue;
        }
        let is_open = nth.nth > 1 && !is_midnight(near) && far.is_none_or(is_midnight);
        let is_latest = nth.end == End::Last && has(&said, LATEST);
        let is_high = nth.nth > NTH_MAX && !is_midnight(near);
        let is_reached = anchor.of.became.is_some();
        if is_of_all || is_open || is_latest || is_high || is_reached {
            return None;
        }
        anchor.bounds = bounds;
        is_lent = true;
    }
    let is_open = is_lent && asked.per.is_some();
    (!is_open && !is_beyond_all(&asked)).then_some(asked)
}

/// Whether what says which event it is stands behind the first time of a text: "Since the third stop, how many losses this afternoon?"
/// is of the third one of all. `None` when no ordinal says it, as in "stop 2".
fn is_behind_time(all: &[Atom], nth: Nth, present: &Present<'_>) -> Option<bool> {
    let is_ordinal = |at: &usize| {
        let rest = &all[*at..];
        // "The first ten minutes" are no event.
        let one = words::nth(rest).filter(|(count, _)| words::length(&rest[*count..]).is_none());
        let is_of_several =
            words::several(rest).is_some_and(|(_, end, many)| end == nth.end && many >= nth.nth);
        one.is_some_and(|(_, it)| it == nth) || is_of_several
    };
    let time = first_time(all, present)?;
    (0..all.len()).rfind(is_ordinal).map(|ordinal| time < ordinal)
}

/// "This afternoon, what came right before the longest stop?": whether a comma is between the first time and what says that it is the
/// longest. "Grip losses before 10:00 after the longest stop" may be after that of the day.
fn opens_with_time(text: &str, said: &[Atom], present: &Present<'_>) -> Option<bool> {
    let time = first_time(said, present)?;
    let longest = (0..said.len()).rfind(|at| longest::is_said(&said[*at..]))?;
    let between = text.get(said[time].place.start..said[longest].place.start);
    Some(between.is_some_and(|between| between.contains([',', '，'])))
}

/// Where the first time of a text stands.
fn first_time(all: &[Atom], present: &Present<'_>) -> Option<usize> {
    let is_time =
        |at: &usize| present.phrase(&all[*at..]).or_else(|| present.part(&all[*at..])).is_some();
    (0..all.len()).find(is_time)
}

/// "Which stop came right before the first one this afternoon?": of those of this afternoon none did.
fn is_beyond_all(asked: &OrderQuestion) -> bool {
    let (anchor, end) = match &asked.beside {
        Some(Beside::Before(anchor, _) | Beside::Until(anchor)) => (anchor, End::First),
        Some(Beside::After(anchor, _) | Beside::Since(anchor)) => (anchor, End::Last),
        _ => return false,
    };
    let is_within = anchor.bounds.is_open() || anchor.bounds == asked.bounds;
    let is_same = anchor.of == asked.of && !anchor.of.is_empty();
    is_within && is_same && anchor.nth == Some(Nth { end, nth: 1 })
}
