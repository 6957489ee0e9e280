//! Stretches that are told by the number of a cycle: "in cycle 150" is from the change to it until the next change, "between cycle 86 and
//! cycle 100" from the begin of one to the begin of the other.

use super::super::atoms::{Atom, atoms, begins, has, longest_of};
use super::super::numbers::{month, unit};
use super::bounds::Present;
use super::{Anchor, Became, Beside, NamedEvents, OrderQuestion, Taken, stand_in};

pub(super) const CYCLES: &[&str] = &["cycle", "cycle number", "cycle no"];
const IN: &[&str] = &["in", "during", "within", "throughout"];
pub(super) const HAN_CYCLES: &[&str] = &["周期", "循环"];
pub(super) const HAN_IN: &[&str] =
    &["以内", "里", "内", "中", "里面", "期间", "当中", "之内", "之中"];
/// Before "in cycle 36" they ask for something else than what was in it.
#[rustfmt::skip]
const OTHER: &[&str] = &["than", "as", "like", "except", "unless", "excluding", "besides", "from", "not", "one", "those", "if", "put", "had", "will", "can", "除", "除了", "不在", "非", "比", "像", "如"];
/// Behind a number they make another one, or more cycles, of it.
#[rustfmt::skip]
const MORE: &[&str] = &[
    "to", "through", "thru", "until", "till", "up", "and", "or", "as", "plus", "minus", "versus", "vs", "on", "onward", "onwards", "of", "thousand", "hundred", "million", "st",
    "nd", "rd", "th", "test", "count", "lane", "am", "pm", "o", "times", "ago",
];
/// With one of these it is asked for a cause, for what is to be done, or for a state.
const NOT_ASKED: &[&str] = &[
    "because",
    "put",
    "mode",
    "state",
    "value",
    "operator",
    "该",
    "要做",
    "能做",
    "请在",
    "动了多少",
    "原因",
];
/// Before or behind the cycle they ask for what was from it on, or for a part of it.
#[rustfmt::skip]
const PART: &[&str] = &["between", "starting", "beginning", "from", "since", "之间", "自", "从", "起"];
const PART_BEHIND: &[&str] = &["段", "中段", "前半", "后半", "开始", "起"];

/// A whole number in digits that is no part of another one: its value.
pub(super) fn whole(text: &str, all: &[Atom], at: usize) -> Option<u32> {
    let atom = all.get(at)?;
    let is_digits = atom.text.len() <= 9 && atom.is_digits();
    let is_apart = |end: usize| {
        let mut behind = text[end..].chars();
        behind.next().is_none_or(|letter| {
            !letter.is_ascii_alphanumeric() && !"-~+%/–—±&～＋％>".contains(letter)
        })
    };
    let sign = text[..atom.place.start].chars().next_back();
    let is_signed = sign.is_some_and(|sign| "-+<>=/~".contains(sign));
    let next = all.get(at + 1..)?;
    let is_day = |day: &Atom| day.has_digit_first() || month(&day.text).is_some();
    // "In cycle 36 on 26 October", but not "from cycle 36 on".
    let is_on_day =
        next.first().is_some_and(|it| it.text == "on") && next.get(1).is_some_and(is_day);
    let has_more = longest_of(next, MORE).is_some() && !is_on_day
        || unit(next).is_some_and(|_| !next[0].is_one_of(&["周"]))
        || next.first().is_some_and(|next| next.has_digit_first());
    let has_sign = text[atom.place.end..].trim_start().starts_with(['-', '+', '&', '±', '/', '~']);
    let is_whole = is_digits && is_apart(atom.place.end) && !is_signed && !has_more && !has_sign;
    is_whole.then(|| atom.text.parse().ok())?
}

/// "Between the start of cycle 86 and the start of cycle 100" in place of "between cycle 86 and cycle 100", and the same in Chinese.
pub(super) fn with_begins(text: &str) -> String {
    let all = atoms(text);
    let pair = |at| english_pair(text, &all, at).or_else(|| han_pair(&all, at));
    let Some((from, [first, second], to)) = (0..all.len()).find_map(pair) else {
        return text.to_owned();
    };
    // Between one and the next is no time.
    if first.saturating_add(1) >= second {
        return text.to_owned();
    }
    let (before, behind) = (&text[..all[from].place.start], &text[all[to - 1].place.end..]);
    if all[to - 1].is_han() {
        return format!("{before}第{first}周期开始和第{second}周期开始之间{behind}");
    }
    format!("{before}between the start of cycle {first} and the start of cycle {second}{behind}")
}

/// Two numbers of cycles, and where the words for them begin and end.
type Pair = (usize, [u32; 2], usize);

fn english_pair(text: &str, all: &[Atom], at: usize) -> Option<Pair> {
    let begin = at + begins(&all[at..], "between")?;
    let first = begin + longest_of(&all[begin..], CYCLES)?;
    let and = first + 1 + begins(all.get(first + 1..)?, "and")?;
    let second = and + longest_of(&all[and..], CYCLES)?;
    let number = |at: usize| all[at].text.parse().ok();
    Some((at, [number(first)?, whole(text, all, second)?], second + 1))
}

/// 第86周期到第100周期之间.
fn han_pair(all: &[Atom], at: usize) -> Option<Pair> {
    if let Some(pair) = han_counted(all, at) {
        return Some(pair);
    }
    let (first, end) = han_number(all, at)?;
    let join = end + longest_of(&all[end..], &["到", "和", "与", "至", "跟"])?;
    let (second, end) = han_number(all, join)?;
    let end = end + longest_of(&all[end..], &["之间", "期间", "这段时间里", "之间的这段时间"])?;
    Some((at, [first, second], end))
}

/// 循环计数从150走到160这段时间里; 从150变成160 is one change.
fn han_counted(all: &[Atom], at: usize) -> Option<Pair> {
    const COUNTS: &[&str] =
        &["循环计数", "循环数", "循环号", "循环", "周期计数", "周期数", "周期号", "周期"];
    const TO: &[&str] =
        &["走到", "跑到", "数到", "涨到", "到", "增加到", "一直到", "推进到", "进行到"];
    #[rustfmt::skip]
    const DURING: &[&str] = &["这段时间里", "这段时间内", "这段时间", "之间", "期间", "这期间", "的过程中", "这一段", "这段", "的这段时间里", "的这段时间", "的这段时间内"];
    let from = at + longest_of(&all[at..], COUNTS)?;
    let first = from + begins(all.get(from..)?, "从")?;
    let to = first + 1 + longest_of(all.get(first + 1..)?, TO)?;
    let number = |at: usize| all.get(at)?.text.parse().ok();
    let end = to + 1 + longest_of(all.get(to + 1..)?, DURING)?;
    Some((at, [number(first)?, number(to)?], end))
}

/// 第36周期, 第36个周期, 周期36, 36号周期: the number, and where it ends. 36个周期 are so many.
pub(super) fn han_number(all: &[Atom], at: usize) -> Option<(u32, usize)> {
    let leading = longest_of(all.get(at..)?, HAN_CYCLES).unwrap_or(0);
    let ordinal = begins(&all[at + leading..], "第").unwrap_or(0);
    let number = at + leading + ordinal;
    let value = all.get(number)?.text.parse().ok()?;
    let rest = &all[number + 1..];
    let counter =
        longest_of(rest, &["号"]).or_else(|| longest_of(rest, &["个"]).filter(|_| ordinal > 0));
    let behind = longest_of(&rest[counter.unwrap_or(0)..], HAN_CYCLES);
    let is_named = leading > 0 && behind.is_none() && counter.is_none()
        || behind.is_some() && (ordinal > 0 || counter.is_some());
    is_named.then_some((value, number + 1 + counter.unwrap_or(0) + behind.unwrap_or(0)))
}

/// What a text asks of the time of one cycle, by what `read` reads of it with another time in its place.
pub(super) fn during(
    text: &str,
    present: &Present<'_>,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    let all = atoms(text);
    let (at, (number, end, counter)) = (0..all.len()).find_map(|at| {
        let cycle = english_cycle(text, &all, at).or_else(|| han_cycle(&all, at));
        Some((at, cycle?))
    })?;
    // What is told in another sentence may have the cycle, and what is quoted is not asked.
    let has_more = [". ", "; ", ": ", "。", "；", "："]
        .iter()
        .any(|end| text.trim_end_matches(['.', '。', ' ']).contains(end));
    if has_more || text.contains(['"', '“', '「', '\'']) || has(&all, NOT_ASKED) {
        return None;
    }
    // Another cycle, or what is not this one.
    let mut others = all[..at].iter().chain(&all[end..]);
    let is_other = others.any(|atom| atom.is_one_of(&["cycle", "cycles"]))
        || all[..at].iter().rev().take(2).any(|atom| atom.is_one_of(OTHER))
        || has(&all[..at], PART)
        || longest_of(&all[end..], PART_BEHIND).is_some()
        || longest_of(&all[end..], &["不", "除", "以外", "之外", "除了"]).is_some();
    if is_other {
        return None;
    }
    let is_english = counter == "cycle";
    // "The stops that fell in cycle 36".
    let before = text[..all[at].place.start].trim_end_matches("fell ").trim_end_matches("fall ");
    let before = before.trim_end_matches('在');
    let behind = &text[all[end - 1].place.end..];
    let asked = stand_in::read_around([before, behind], is_english, present, read)?;
    let is_all = !asked.is_just && !matches!(asked.taken, Taken::Nearest(_));
    let became = Some(Became { from: None, to: number });
    let of = NamedEvents {
        class: Some("change"),
        words: counter.to_owned(),
        became,
        ..NamedEvents::default()
    };
    // Each day may have a cycle of that number.
    let anchor = Anchor { of, bounds: asked.bounds, ..Anchor::default() };
    let beside = Some(Beside::During(anchor));
    is_all.then_some(OrderQuestion { beside, ..asked })
}

fn english_cycle(text: &str, all: &[Atom], at: usize) -> Option<(u32, usize, &'static str)> {
    let cycle = at + longest_of(&all[at..], IN)?;
    let number = cycle + longest_of(all.get(cycle..)?, CYCLES)?;
    Some((whole(text, all, number)?, number + 1, "cycle"))
}

/// 第150周期里, 周期150期间.
fn han_cycle(all: &[Atom], at: usize) -> Option<(u32, usize, &'static str)> {
    let (number, end) = han_number(all, at)?;
    let inside = end + longest_of(&all[end..], HAN_IN)?;
    let counter =
        if all[at..inside].iter().any(|atom| atom.text == "循") { "循环" } else { "周期" };
    Some((number, inside, counter))
}
