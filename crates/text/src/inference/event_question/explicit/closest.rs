//! The nearest to a moment or to an event, on whichever side: "which stop was closest to 8:45?", 离第三次急停最近的掉件. It is
//! read as what was before it and as what was after it, and both have to be understood alike.

use super::super::atoms::{Atom, atoms, begins, has, longest_of};
use super::bounds::Present;
use super::{Anchor, Beside, Bounds, Closest, End, Nth, OrderQuestion, Taken};

/// English words for it, behind which "to" may stand.
const ENGLISH: &[&str] = &[
    "closest",
    "nearest",
    "closest in time",
    "nearest in time",
    "the closest",
    "the nearest",
    "the closest in time",
    "the nearest in time",
];
/// So many words stand between one of these and its "to": "the closest grip loss to 15:00".
const WORDS_MAX: usize = 5;
const HAN: &[&str] = &["最近", "最接近", "最靠近", "最邻近", "最临近", "最挨近"];
const HAN_TO: &[&str] =
    &["离", "距", "距离", "与", "和", "跟", "同", "时间上离", "时间上距", "时间上与"];
/// With one of these many are asked for, and not how many.
const MANY: &[&str] = &["were", "are", "those", "ones", "哪些", "哪几", "那些"];
/// A moment that is said to the minute is within it.
const MINUTE_NANOS: i64 = 60_000_000_000;

/// What a text asks, by what `read` reads of others.
pub(super) fn closest(
    text: &str,
    present: &Present<'_>,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    let all = atoms(text);
    let sides = if all.iter().any(Atom::is_han) { han(text, &all) } else { english(text, &all) };
    let [before, after] = sides?;
    let (before, after) = (read(&before)?, read(&after)?);
    let many = many(before.taken, after.taken)?;
    if before.taken == Taken::All && has(&all, MANY) {
        return None;
    }
    let (to, bounds) = match (&before.beside, &after.beside) {
        (None, None) => {
            let (at, end) = (before.bounds.until?, after.bounds.since?);
            let is_one = (0..=MINUTE_NANOS).contains(&end.0.saturating_sub(at.0));
            // "Before 8:45" is of today; so is 8:45, and what is closest to it may be of another day.
            let is_of_day =
                after.bounds.until.is_none() && present.midnight_before(at) == before.bounds.since;
            let since = before.bounds.since.filter(|_| !is_of_day);
            let bounds = Bounds { since, until: after.bounds.until };
            (is_one.then_some(Closest::Moment(at))?, bounds)
        }
        (
            Some(Beside::Before(one, None)),
            Some(Beside::After(other, None) | Beside::Since(other)),
        ) => {
            let is_one = one == other && before.bounds == after.bounds;
            (is_one.then(|| Closest::Event(Anchor::clone(one)))?, before.bounds)
        }
        _ => return None,
    };
    let is_alike = before.of == after.of && before.per.or(after.per).is_none();
    let is_plain =
        !before.is_counted && !after.is_counted && before.order.or(after.order).is_none();
    let beside = Some(Beside::Closest(to));
    let taken = Taken::Nearest(many);
    (is_alike && is_plain && !before.of.is_empty()).then_some(OrderQuestion {
        bounds,
        beside,
        taken,
        is_just: false,
        ..before
    })
}

/// How many are asked for, by what is asked of both sides.
fn many(before: Taken, after: Taken) -> Option<u32> {
    match (before, after) {
        (Taken::All, Taken::All) => Some(1),
        (
            Taken::Nth(Nth { end: End::Last, nth: 1 }),
            Taken::Nth(Nth { end: End::First, nth: 1 }),
        ) => Some(1),
        (Taken::Several(End::Last, one), Taken::Several(End::First, two))
        | (Taken::Nearest(one), Taken::Nearest(two)) => (one == two).then_some(one),
        _ => None,
    }
}

/// The text with a word for each side.
fn english(text: &str, all: &[Atom]) -> Option<[String; 2]> {
    let (at, count) = (0..all.len()).find_map(|at| Some((at, longest_of(&all[at..], ENGLISH)?)))?;
    let end = at + count;
    let to = (end..all.len().min(end + WORDS_MAX)).find(|to| all[*to].text == "to")?;
    // "Closest to it in time".
    let told = all.get(to + 1)?;
    if told.is_one_of(&["it", "that", "this", "each", "every", "now", "one", "them", "the"])
        && all.get(to + 2).is_none()
    {
        return None;
    }
    let (first, last) = (all[at].place.start, all[end - 1].place.end);
    let between = text[last..all[to].place.start].trim_start();
    let rest = text[all[to].place.end..].replace(" in time", "");
    Some(["before", "after"].map(|side| format!("{}{between}{side}{rest}", &text[..first])))
}

/// The same in Chinese, where what it is near to stands before the word: 离15点最近.
fn han(text: &str, all: &[Atom]) -> Option<[String; 2]> {
    let found = |at: usize| Some((at, longest_of(&all[at..], HAN)?));
    for (at, count) in (0..all.len()).filter_map(found) {
        let (first, end) = (all[at].place.start, all[at + count - 1].place.end);
        let to = (0..at).rev().find_map(|to| Some((to, longest_of(&all[to..at], HAN_TO)?)));
        let to = to.map(|(to, words)| match to.checked_sub(1) {
            Some(before) if begins(&all[before..], "距离").is_some() => (before, words + 1),
            _ => (to, words),
        });
        let behind = begins(&all[at..], "最接近").or_else(|| begins(&all[at..], "最靠近"));
        let (start, what, end) = match (to, behind) {
            (Some((to, words)), _) if to + words < at => {
                let what = text[all[to + words].place.start..first].trim();
                (
                    all[to].place.start,
                    what.trim_end_matches("在时间上").trim_end_matches("时间上"),
                    end,
                )
            }
            // 最接近14:30的急停, 哪次急停最接近14:30?
            (_, Some(_)) => {
                let of = text[end..].find(['的', '?', '？', '。', ',', '，']);
                let of = of.map_or(text.len(), |of| of + end);
                (first, text[end..of].trim(), of)
            }
            _ => continue,
        };
        if what.is_empty() || what.contains(['，', ',', '。', '？', '?']) {
            return None;
        }
        let before = text[..start].trim_end_matches("在时间上").trim_end_matches("时间上");
        let before = before.trim_end_matches('在');
        return Some(
            ["之前", "之后"].map(|side| format!("{before}在{what}{side}{}", &text[end..])),
        );
    }
    None
}
