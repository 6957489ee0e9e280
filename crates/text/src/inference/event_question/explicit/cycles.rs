//! Stretches that are told by the number of a cycle: "in cycle 150" is from the change to it until the next change, "between cycle 86 and
//! cycle 100" from the begin of one to the begin of the other.

use super::super::atoms::{Atom, atoms, begins, longest_of};
use super::words::cardinal;
use super::{Beside, OrderQuestion, Taken};

const CYCLES: &[&str] = &["cycle", "cycles", "cycle number", "cycle no"];
const IN: &[&str] = &["in", "during", "within", "throughout", "while in", "over"];
const HAN_CYCLES: &[&str] = &["周期", "循环", "个周期", "号周期", "个循环", "号循环"];
const HAN_IN: &[&str] = &[
    "里",
    "内",
    "中",
    "里面",
    "期间",
    "当中",
    "之内",
    "之中",
    "这个周期里",
    "那个周期里",
    "时",
    "的时候",
];

/// A whole number: where it ends.
fn whole(all: &[Atom], at: usize) -> Option<usize> {
    let rest = all.get(at..)?;
    let is_digits = rest.first()?.text.bytes().all(|byte| byte.is_ascii_digit());
    let (_, count) = cardinal(rest).filter(|_| is_digits)?;
    Some(at + count)
}

/// "Between the start of cycle 86 and the start of cycle 100" in place of "between cycle 86 and 100", and the same in Chinese.
pub(super) fn with_begins(text: &str) -> String {
    let all = atoms(text);
    let bounds =
        (0..all.len()).find_map(|at| english_pair(&all, at).or_else(|| han_pair(&all, at)));
    let Some((from, [first, second], to)) = bounds else { return text.to_owned() };
    let number = |at: usize| &all[at].text;
    let (first, second) = (number(first), number(second));
    // Between one and the next is no time.
    let value = |text: &str| text.parse::<u32>().ok();
    if value(first).zip(value(second)).is_none_or(|(first, second)| first + 1 == second) {
        return text.to_owned();
    }
    let (before, behind) = (&text[..all[from].place.start], &text[all[to - 1].place.end..]);
    if all[from].is_han() || all[to - 1].is_han() {
        return format!("{before}第{first}周期开始和第{second}周期开始之间{behind}");
    }
    format!("{before}between the start of cycle {first} and the start of cycle {second}{behind}")
}

/// Two numbers of cycles: where they begin, stand and end.
type Pair = (usize, [usize; 2], usize);

fn english_pair(all: &[Atom], at: usize) -> Option<Pair> {
    let begin = at + begins(&all[at..], "between")?;
    let first = begin + longest_of(&all[begin..], CYCLES)?;
    let and = whole(all, first)?;
    let and = and + begins(all.get(and..)?, "and")?;
    let second = and + longest_of(&all[and..], CYCLES).unwrap_or(0);
    Some((at, [first, second], whole(all, second)?))
}

/// 第86周期到第100周期之间, 周期86和100之间.
fn han_pair(all: &[Atom], at: usize) -> Option<Pair> {
    let cycle = |at: usize| {
        let leading = longest_of(all.get(at..)?, HAN_CYCLES).unwrap_or(0);
        let number = at + leading + begins(&all[at + leading..], "第").unwrap_or(0);
        let end = whole(all, number)?;
        let behind = longest_of(&all[end..], HAN_CYCLES).unwrap_or(0);
        Some((number, end + behind, leading + behind > 0))
    };
    let (first, end, is_named) = cycle(at)?;
    let join = end + longest_of(&all[end..], &["到", "和", "与", "至", "跟"])?;
    let (second, end, is_also) = cycle(join)?;
    let end = end + longest_of(&all[end..], &["之间", "期间", "这段时间里", "之间的这段时间"])?;
    (is_named || is_also).then_some((at, [first, second], end))
}

/// What a text asks of the time of one cycle, by what `read` reads of the time since it began.
pub(super) fn during(
    text: &str,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    let all = atoms(text);
    let since = (0..all.len())
        .find_map(|at| english_cycle(text, &all, at).or_else(|| han_cycle(text, &all, at)))?;
    let asked = read(&since)?;
    let is_all = !asked.is_just && !matches!(asked.taken, Taken::Nearest(_));
    let anchor = match asked.beside {
        Some(Beside::Since(anchor) | Beside::After(anchor, None)) if is_all => anchor,
        _ => return None,
    };
    let is_cycle = anchor.of.became.is_some() && anchor.nth.is_none();
    is_cycle.then_some(OrderQuestion { beside: Some(Beside::During(anchor)), ..asked })
}

fn english_cycle(text: &str, all: &[Atom], at: usize) -> Option<String> {
    let cycle = at + longest_of(&all[at..], IN)?;
    let cycle = cycle + begins(all.get(cycle..)?, "the").unwrap_or(0);
    let (number, end) = match longest_of(all.get(cycle..)?, CYCLES) {
        Some(count) => (cycle + count, whole(all, cycle + count)?),
        // "In the 150th cycle".
        None => {
            let end = whole(all, cycle)?;
            let end = end + longest_of(all.get(end..)?, &["st", "nd", "rd", "th"])?;
            (cycle, end + begins(all.get(end..)?, "cycle")?)
        }
    };
    // "The stops that fell in cycle 36".
    let before = text[..all[at].place.start].trim_end_matches("fell ").trim_end_matches("fall ");
    let behind = &text[all[end - 1].place.end..];
    Some(format!("{before}since the start of cycle {}{behind}", all[number].text))
}

/// 第150周期里, 在周期150期间.
fn han_cycle(text: &str, all: &[Atom], at: usize) -> Option<String> {
    let leading = longest_of(&all[at..], HAN_CYCLES).unwrap_or(0);
    let number = at + leading + begins(&all[at + leading..], "第").unwrap_or(0);
    let end = whole(all, number)?;
    let behind = longest_of(&all[end..], HAN_CYCLES).unwrap_or(0);
    let inside = end + behind + longest_of(&all[end + behind..], HAN_IN)?;
    let before = text[..all[at].place.start].trim_end_matches('在');
    let is_cycle = leading + behind > 0;
    is_cycle.then(|| {
        let rest = &text[all[inside - 1].place.end..];
        format!("{before}第{}周期开始以来{rest}", all[number].text)
    })
}
