//! What is read through something else that stands in its place: stretches of time that are no times of a clock, and events that more is
//! said of.

use super::super::atoms::{Atom, atoms};
use super::bounds::{Present, TimePhrase};
use super::lasting::is_plural;
use super::memory_ids::STAND_IN;
use super::{Bounds, MINUTE_NANOS, OrderQuestion};
use robot_memory_core::model::Stamp;

const STAND_INS: [&str; 2] =
    ["yesterday between 01:07 and 02:09", "on 3 March 2001 between 04:11 and 05:13"];
const HAN_STAND_INS: [&str; 2] = ["昨天01:07到02:09之间", "2001年3月3日04:11到05:13之间"];
/// The same where a day is said beside the stretch, with the minutes of that day.
const CLOCKS: [&str; 2] = ["between 01:07 and 02:09", "between 04:11 and 05:13"];
const HAN_CLOCKS: [&str; 2] = ["01:07到02:09之间", "04:11到05:13之间"];
const MINUTES: [(i64, i64); 2] = [(67, 129), (251, 313)];

/// What a text asks of a stretch that stands between its two parts, by what `read` reads of it with another time in its place.
/// The bounds are those of the day that is said beside it.
pub(super) fn read_around(
    [before, behind]: [&str; 2],
    is_english: bool,
    present: &Present<'_>,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    let says = |is: fn(&TimePhrase) -> bool| {
        [before, behind].into_iter().any(|part| {
            let all = atoms(part);
            (0..all.len()).any(|at| present.phrase(&all[at..]).is_some_and(|phrase| is(&phrase)))
        })
    };
    // "In the last ten minutes of the log before noon": the stand-in may be within that.
    if says(TimePhrase::has_time_of_day) {
        return None;
    }
    let says_day = says(TimePhrase::has_day);
    let stand_ins = match (says_day, is_english) {
        (false, true) => STAND_INS,
        (false, false) => HAN_STAND_INS,
        (true, true) => CLOCKS,
        (true, false) => HAN_CLOCKS,
    };
    let asked_at = |place: usize| {
        let asked = read(&format!("{before}{}{behind}", stand_ins[place]))?;
        let bounds = if says_day {
            day_of(asked.bounds, MINUTES[place], present)?
        } else {
            let span = read(&format!("what happened {}", STAND_INS[place]))?.bounds;
            (asked.bounds == span).then(Bounds::default)?
        };
        Some(OrderQuestion { bounds, ..asked })
    };
    // What merges with one of them does not with the other.
    let (asked, again) = (asked_at(0)?, asked_at(1)?);
    (asked == again && asked.beside.is_none()).then_some(asked)
}

/// The whole day of a stretch between these minutes of it.
fn day_of(bounds: Bounds, (from, to): (i64, i64), present: &Present<'_>) -> Option<Bounds> {
    let begin = |at: Stamp, minutes: i64| Stamp(at.0.saturating_sub(minutes * MINUTE_NANOS));
    let since = begin(bounds.since?, from);
    let is_day = present.midnight_before(since) == Some(since) && begin(bounds.until?, to) == since;
    let until = Some(Stamp(since.0.saturating_add(24 * 60 * MINUTE_NANOS)));
    is_day.then_some(Bounds { since: Some(since), until })
}

/// A text without the words from one atom to another, and the same with another event in the place of the one that they are said of.
pub(super) fn without_words(
    text: &str,
    all: &[Atom],
    (from, to): (usize, usize),
    name: Option<(usize, usize)>,
) -> (String, Option<String>) {
    let (cut, behind) = (all[from].place.start, all[to - 1].place.end);
    let without = |text: &str, (start, end): (usize, usize)| {
        let before = text[..start].trim_end_matches([' ', '>', '<', '=', '≥', '≤', '＞', '＜']);
        format!("{before}{}", &text[end..])
    };
    let plain = without(text, (cut, behind));
    let marked = name.map(|(first, last)| {
        let (start, end) = (all[first].place.start, all[last - 1].place.end);
        let word = match () {
            () if all[first].is_han() => "接管",
            () if is_plural(&all[last - 1]) => "takeovers",
            () => STAND_IN,
        };
        let replaced = |text: &str| format!("{}{word}{}", &text[..start], &text[end..]);
        match start < cut {
            true => replaced(&plain),
            false => without(&replaced(text), (cut, behind)),
        }
    });
    (plain, marked)
}
