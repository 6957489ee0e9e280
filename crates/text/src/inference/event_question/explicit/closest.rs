//! The nearest to a moment or to an event, on whichever side: "which stop was closest to 8:45?", 离第三次急停最近的掉件. It is
//! read as what was before it and as what was after it, and both have to be understood alike.

use super::super::atoms::{Atom, atoms, begins, ends, has, longest_of};
use super::bounds::Present;
use super::slots::is_weak;
use super::{Anchor, Beside, Bounds, Closest, End, MINUTE_NANOS, Nth, OrderQuestion, Taken};

/// English words for it, behind which "to" may stand.
const ENGLISH: &[&str] = &[
    "closest",
    "nearest",
    "closest in time",
    "nearest in time",
    "temporally closest",
    "temporally nearest",
    "the closest",
    "the nearest",
    "the closest in time",
    "the nearest in time",
];
/// So many words stand between one of these and its "to": "the closest grip loss to 15:00".
const WORDS_MAX: usize = 5;
const HAN: &[&str] =
    &["最近", "最接近", "最靠近", "最邻近", "最临近", "最挨近", "挨得最近", "隔得最近", "靠得最近"];
const HAN_TO: &[&str] =
    &["离", "距", "距离", "与", "和", "跟", "同", "时间上离", "时间上距", "时间上与"];
/// With one of these many are asked for, and not how many.
const MANY: &[&str] = &["were", "are", "those", "ones", "哪些", "哪几", "那些"];
/// With one of these it is near in another way, or to something else: in space, in kind, on one side only.
#[rustfmt::skip]
const OTHER: &[&str] = &[
    "before", "after", "since", "between", "until", "up to", "from", "without", "but", "each", "every", "ended", "place", "point", "spot", "position", "location", "landed", "in class", "in kind", "by kind", "in type", "by type", "in detail",
    "force", "duration", "length", "value", "took", "by", "of the two", "of the three", "minutes", "seconds", "hours", "minute", "hour", "ago",
    "之前", "之后", "以前", "以后", "以来", "所有", "每", "地点", "处", "位置", "落点", "落在", "力度", "分钟", "小时", "吗", "结束",
];

/// Whether a text asks for the closest to what it names, and not to what it told before: nothing else is read of it then.
pub(super) fn asks_for_closest(text: &str) -> bool {
    const TOLD: [&str; 5] = ["离它", "离其", "离那", "离这", "离此"];
    !TOLD.iter().any(|told| text.contains(told)) && sides(text, &atoms(text)).is_some()
}

/// The text as what it asks on each side.
fn sides(text: &str, all: &[Atom]) -> Option<[String; 2]> {
    if all.iter().any(Atom::is_han) { han(text, all) } else { english(text, all) }
}

/// The text without words that say once more that either side will do.
fn without_sides(text: &str) -> String {
    const SIDES: [&str; 5] = [
        "不管在它之前还是之后",
        "不管是之前还是之后",
        "不管之前还是之后",
        "无论在它之前还是之后",
        "无论之前还是之后",
    ];
    let text = SIDES.iter().fold(text.to_owned(), |text, side| text.replace(side, ""));
    // 今天的掉件里，哪次离14:45最近.
    ["里，哪次", "中，哪次", "里,哪次", "中,哪次"]
        .iter()
        .fold(text, |text, of| text.replace(of, "哪次"))
}

/// What a text asks, by what `read` reads of others.
pub(super) fn closest(
    text: &str,
    present: &Present<'_>,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    let text = &without_sides(text);
    let all = atoms(text);
    let [before, after] = sides(text, &all)?;
    // "Was the event nearest 15:10 a drop?"
    if all.first().is_some_and(|first| first.is_one_of(&["was", "were", "is", "are"])) {
        return None;
    }
    // "The cycle change from 104 to 105" is one event.
    let from = (0..all.len()).find(|at| is_change_from(&all[*at..]));
    let (head, tail) = all.split_at(from.unwrap_or(all.len()));
    let is_other = has(head, OTHER) || has(tail.get(1..).unwrap_or_default(), OTHER);
    if is_other || text.contains(['"', '“', '「']) {
        return None;
    }
    let (before, after) = (read(&before)?, read(&after)?);
    let many = many(before.taken, after.taken)?;
    if before.taken == Taken::All && has(&all, MANY) {
        return None;
    }
    let (to, bounds) = match (&before.beside, &after.beside) {
        (None, None) => {
            let (at, end) = (before.bounds.until?, after.bounds.since?);
            // "After 8:45" may begin at the end of that minute.
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
            // "Closest to the limit": not to an event of which one is told.
            let is_told = one.nth.is_some() || !one.bounds.is_open() || one.of.became.is_some();
            let is_one = one == other && before.bounds == after.bounds && is_told;
            (is_one.then(|| Closest::Event(Anchor::clone(one)))?, before.bounds)
        }
        _ => return None,
    };
    let is_of_log = before.of.class.is_none_or(|class| !is_weak(class));
    let is_alike = is_of_log && before.of == after.of && before.per.or(after.per).is_none();
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

/// "From 104 to 105", "from cycle 104 to cycle 105".
fn is_change_from(atoms: &[Atom]) -> bool {
    let number = |at: usize| at + usize::from(atoms.get(at).is_some_and(|it| it.text == "cycle"));
    let is_to = |at: usize| atoms.get(at).is_some_and(|atom| atom.text == "to");
    let from = number(1);
    begins(atoms, "from").is_some()
        && atoms.get(from).is_some_and(Atom::is_digits)
        && is_to(from + 1)
        && atoms.get(number(from + 2)).is_some_and(Atom::is_digits)
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
    // "Nearest 15:10".
    if let Some(next) = all.get(end).filter(|next| next.has_digit_first()) {
        let (before, behind) = (&text[..all[at].place.start], &text[next.place.start..]);
        return Some(["before", "after"].map(|side| format!("{before}{side} {behind}")));
    }
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
    let rest = &text[all[to].place.end..];
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
        // 与上次碰撞最接近 may be of its kind.
        let is_with = |to: usize| all[to].is_one_of(&["与", "和", "跟", "同"]);
        let is_clock = |at: usize| all[at].has_digit_first();
        let is_of_time = ends(&all[..at], &["时间上", "时间", "时间距离"]);
        let to = to.filter(|(to, words)| !is_with(*to) || is_clock(to + words) || is_of_time);
        let behind = begins(&all[at..], "最接近").or_else(|| begins(&all[at..], "最靠近"));
        let (start, what, end) = match (to, behind) {
            (Some((to, words)), _) if to + words < at => {
                let what = text[all[to + words].place.start..first].trim();
                (
                    all[to].place.start,
                    ["在时间上", "时间上", "时间距离", "时间", "距离", "整"]
                        .iter()
                        .fold(what, |what, of_time| what.trim_end_matches(of_time)),
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
        const NOW: [&str; 5] = ["现在", "目前", "此刻", "当前", "得"];
        if NOW.contains(&what) || what.is_empty() || what.contains(['，', ',', '。', '？', '?'])
        {
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
