//! "The first event of each kind", 各类事件的最后一次: read as of each topic. Whether each topic has its own kind of events is known
//! to the store only.

use super::super::atoms::{Atom, has, longest_of};
use super::{OrderQuestion, Taken};
use robot_memory_core::api::CountBy;

#[rustfmt::skip]
const KINDS: &[&str] = &["kind", "type", "class", "category", "kinds", "types", "classes", "categories"];
const EACH: &[&str] = &["each", "every", "per", "by", "each of the", "every single"];
#[rustfmt::skip]
const EVENT: &[&str] = &["event", "events", "incident", "incidents", "occurrence", "occurrences"];
#[rustfmt::skip]
const HAN_EACH: &[&str] = &[
    "每种", "每类", "每一种", "每一类", "每个种类", "每个类型", "每种类型", "每个类别", "各种", "各类", "各个种类", "各个类型", "各种类型", "各类型", "各类别",
];
const HAN_BY: &[&str] = &["按类型", "按种类", "按类别", "按事件类型", "按事件种类", "按事件类别"];
const HAN_EVENT: &[&str] = &["事件", "的事件"];

/// The text with each topic in place of each kind of events.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<String> {
    let (from, to, topic) = (0..all.len()).find_map(|at| {
        let english = english(all, at).map(|to| (at, to, "each topic"));
        english.or_else(|| han(all, at).map(|(to, topic)| (at, to, topic)))
    })?;
    let (before, behind) = (&text[..all[from].place.start], &text[all[to - 1].place.end..]);
    Some(format!("{before}{topic}{behind}"))
}

/// Whether it is asked for all of them, of whatever kind: "how many events of every kind", 各种事件一共有几次.
pub(super) fn is_of_all(all: &[Atom], asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const TOTAL: &[&str] = &[
        "of every kind", "of every type", "of every class", "in total", "altogether", "all told", "一共", "总共", "合计", "总计", "加起来",
    ];
    asked.taken == Taken::All && has(all, TOTAL)
}

/// Whether a text asks for each kind of something else: "of each kind of stop".
pub(super) fn is_of_others(all: &[Atom]) -> bool {
    (0..all.len()).any(|at| {
        let each = longest_of(&all[at..], EACH).map(|each| at + each);
        let kind = each.and_then(|each| longest_of(all.get(each..)?, KINDS));
        kind.is_some() || longest_of(&all[at..], HAN_EACH).is_some()
    })
}

/// "Each kind of event", "every event type", "by type of event": where it ends.
fn english(all: &[Atom], at: usize) -> Option<usize> {
    let each = at + longest_of(&all[at..], EACH)?;
    let event = longest_of(all.get(each..)?, EVENT);
    let kind = each + event.unwrap_or(0);
    let end = kind + longest_of(all.get(kind..)?, KINDS)?;
    let of = longest_of(&all[end..], &["of"]).map_or(end, |of| end + of);
    match longest_of(all.get(of..)?, EVENT) {
        Some(count) if event.is_none() && of > end => Some(of + count),
        // "Each kind of stop".
        _ => (of == end).then_some(end),
    }
}

fn han(all: &[Atom], at: usize) -> Option<(usize, &'static str)> {
    if let Some(by) = longest_of(&all[at..], HAN_BY) {
        return Some((at + by, "按话题"));
    }
    let end = at + longest_of(&all[at..], HAN_EACH)?;
    let event = longest_of(all.get(end..)?, HAN_EVENT)?;
    Some((end + event, "每个话题的事件"))
}

/// What was read of such a text; `None` when it is not of each.
pub(super) fn of_each(asked: OrderQuestion) -> Option<OrderQuestion> {
    (asked.per == Some(CountBy::Topic)).then_some(OrderQuestion { is_per_kind: true, ..asked })
}
