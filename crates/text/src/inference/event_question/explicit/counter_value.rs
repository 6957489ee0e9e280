//! What a counter showed at a moment: "what was the cycle counter at 15:00?", 14点30分时循环计数是多少. That is what the last change
//! before it made of it, on whichever day that was.

use super::super::atoms::{atoms, longest_of, said};
use super::bounds::Present;
use super::movers::HAN_COUNTERS;
use super::{Bounds, End, Nth, OrderQuestion, Taken};
use robot_memory_core::model::Stamp;

const COUNTERS: &[&str] = &["cycle counter", "counter", "cycle number", "cycle count"];
const WAS: &[&str] = &["what was the", "what was", "what was the value of the", "where was the"];
#[rustfmt::skip]
const DID: &[&str] = &[
    "what did the", "what value did the", "which value did the", "what number did the", "which number did the", "where did the", "what reading did the",
];
const VALUE: &[&str] = &["s value", "value", "s reading", "reading"];
#[rustfmt::skip]
const SHOW: &[&str] = &["have", "show", "read", "say", "hold", "stand", "display"];
#[rustfmt::skip]
const CYCLE: &[&str] = &[
    "which cycle was it",
    "what cycle was it",
    "which cycle was running",
    "what cycle was running",
    "which cycle was the robot in",
    "which cycle was the arm in",
    "which cycle was active",
];
const AT: &[&str] = &["at", "at exactly", "exactly at", "at precisely", "as of"];
#[rustfmt::skip]
const HAN_WAS: &[&str] = &[
    "是多少",
    "是几",
    "为多少",
    "的值是多少",
    "的数值是多少",
    "值是多少",
    "的值是几",
    "的值为多少",
    "显示多少",
    "显示的是多少",
    "显示是多少",
    "的读数是多少",
    "读数是多少",
    "等于多少",
    "处于多少",
    "停在多少",
    "走到多少",
    "是第几",
    "是多少号",
];
#[rustfmt::skip]
const HAN_AT: &[&str] = &[
    "时",
    "的时候",
    "整",
    "整时",
    "整的时候",
    "那一刻",
    "这一刻",
    "那时",
    "那一秒",
    "整那一刻",
    "时刻",
    "的时刻",
];

/// A text that asks for the last change before a moment in place of what a counter showed then.
pub(super) fn in_plain_words(text: &str, present: &Present<'_>) -> Option<String> {
    let all = atoms(text);
    let skip = |at: usize, words: &[&str]| Some(at + longest_of(all.get(at..)?, words)?);
    // The question, and the name of the counter in it.
    let english = |at: usize| {
        let (was, did) = (skip(at, WAS), skip(at, DID));
        let name = was.or(did)?;
        let counter = skip(name, COUNTERS)?;
        let end = match was {
            Some(_) => skip(counter, VALUE).unwrap_or(counter),
            None => skip(counter, SHOW)?,
        };
        Some(((at, end), said(text, &all[name..counter])))
    };
    let cycle = |at: usize| Some(((at, skip(at, CYCLE)?), "cycle"));
    let han = |at: usize| {
        let counter = skip(at, HAN_COUNTERS)?;
        Some(((at, skip(counter, HAN_WAS)?), said(text, &all[at..counter])))
    };
    let asked = |at: usize| english(at).or_else(|| cycle(at)).or_else(|| han(at));
    let ((from, to), counter) = (0..all.len()).find_map(asked)?;
    let is_han = all[to - 1].is_han();
    // The one moment of the text.
    let moment = |at: usize| {
        let phrase = present.phrase(&all[at..])?;
        let is_one = phrase.is_moment() || phrase.is_hour();
        (is_one && !(from..to).contains(&at)).then_some(at + phrase.count)
    };
    let at = (0..all.len()).find(|at| moment(*at).is_some())?;
    let end = moment(at)?;
    let (begin, close) = if is_han {
        (at, skip(end, HAN_AT).unwrap_or(end))
    } else {
        let lead = (0..at).find(|lead| skip(*lead, AT) == Some(at))?;
        (lead, end)
    };
    let place = |from: usize, to: usize| all[from].place.start..all[to - 1].place.end;
    let moment = said(text, &all[at..end]);
    let (change, before) = match is_han {
        true => (format!("最后一次{counter}变化是哪次"), format!("{moment}之前")),
        false => (format!("what was the last {counter} change"), format!("before {moment}")),
    };
    // 15点到16点, 上一个循环, "at 15:00 and at 15:30".
    const OTHERS: &[&str] = &[
        "到", "至", "上", "前", "下", "and", "to", "from", "previous", "next", "last", "和", "与",
    ];
    let is_other = |at: &usize| {
        let is_piece = (from..to).contains(at) || (begin..close).contains(at);
        !is_piece && (all[*at].is_one_of(OTHERS) || all[*at].has_digit_first())
    };
    if (0..all.len()).any(|at| is_other(&at)) {
        return None;
    }
    let mut pieces = [(place(from, to), change), (place(begin, close), before)];
    pieces.sort_by_key(|(place, _)| place.start);
    let [(one, first), (two, second)] = pieces;
    (one.end <= two.start).then(|| {
        format!(
            "{}{first}{}{second}{}",
            &text[..one.start],
            &text[one.end..two.start],
            &text[two.end..]
        )
    })
}

/// What was read of such a text, of all days; `None` when it is of something else.
pub(super) fn of_all_days(asked: OrderQuestion) -> Option<OrderQuestion> {
    let is_last = asked.taken == Taken::Nth(Nth { end: End::Last, nth: 1 });
    let is_change = asked.of.class == Some("change") && asked.of.became.is_none();
    let is_alone = is_last && is_change && asked.beside.is_none() && asked.of_log.is_none();
    // What changes at the moment is changed then.
    let until = Stamp(asked.bounds.until?.0.saturating_add(1));
    let bounds = Bounds { since: None, until: Some(until) };
    is_alone.then_some(OrderQuestion { bounds, ..asked })
}
