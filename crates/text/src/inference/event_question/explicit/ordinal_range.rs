//! Several that follow each other, by their ordinals: "the third, fourth and fifth stop", 第三次到第五次急停. They are read through so
//! many from the first.

use super::super::atoms::{Atom, atoms, longest_of, said};
use super::movers::named_class;
use super::{End, Nth, OrderQuestion, Taken, words};
use robot_memory_core::limits::NTH_MAX;

/// As many as a text can ask for, but for three.
const STAND_IN: u32 = 97;
const TO: &[&str] = &["to", "to the", "through", "through the", "till the", "到", "至", "直到"];
const AND: &[&str] = &["and", "and the", "the", "和", "与", "跟", "及", "以及"];
/// Before the first ordinal, or behind the events, they are beside these.
#[rustfmt::skip]
const BESIDE: &[&str] = &[
    "between", "from", "before", "after", "since", "until", "till", "to", "than", "within", "of", "around", "除", "自", "从",
];
#[rustfmt::skip]
const HAN_BESIDE: &[&str] = &[
    "之", "以", "前", "后", "中", "间", "期", "到", "至", "起", "时", "和", "与", "跟", "及", "的时", "的间", "的中", "的前", "的后", "相", "隔",
];

/// A text that asks for the first 97 in place of those between two ordinals.
pub(super) struct Range {
    pub text: String,
    first: u32,
    last: u32,
}

/// Of a text that names such a range.
pub(super) fn in_plain_words(text: &str) -> Option<Range> {
    let all = atoms(text);
    (0..all.len()).find_map(|at| range(text, &all, at))
}

fn range(text: &str, all: &[Atom], from: usize) -> Option<Range> {
    let ordinal = |at: usize| {
        let rest = all.get(at..)?;
        let (count, Nth { end, nth }) = words::nth(rest).or_else(|| bare_han(rest))?;
        (end == End::First && nth <= NTH_MAX).then_some((at + count, nth))
    };
    // 三、四次 is how often.
    let is_ordinal = words::nth(&all[from..]).is_some() || all[from].text == "第";
    let (mut end, first) = ordinal(from).filter(|_| is_ordinal)?;
    let mut last = first;
    while let Some((behind, next)) = join(text, all, end, last, ordinal) {
        (end, last) = (behind, next);
    }
    let named = end + named_class(all.get(end..)?)?;
    if last <= first || stands_beside(all, from, named) {
        return None;
    }
    let name = said(text, &all[end..named]);
    let is_han = all[from].is_han();
    let some =
        if is_han { format!("前{STAND_IN}次{name}") } else { format!("first {STAND_IN} {name}") };
    let (before, behind) = (&text[..all[from].place.start], &text[all[named - 1].place.end..]);
    Some(Range { text: format!("{before}{some}{behind}"), first, last })
}

/// Whether others are beside the events that stand there, or they are taken out.
pub(super) fn stands_beside(all: &[Atom], from: usize, to: usize) -> bool {
    let article = usize::from(from > 0 && all[from - 1].text == "the");
    let before = (from - article).checked_sub(1).map(|at| &all[at]);
    let behind = &all[to..];
    before.is_some_and(|before| before.is_one_of(BESIDE))
        || behind.first().is_some_and(|next| next.is_han())
            && longest_of(behind, HAN_BESIDE).is_some()
}

/// The next ordinal behind one: where it ends, and which it is.
fn join(
    text: &str,
    all: &[Atom],
    end: usize,
    last: u32,
    ordinal: impl Fn(usize) -> Option<(usize, u32)>,
) -> Option<(usize, u32)> {
    let rest = all.get(end..)?;
    let to = longest_of(rest, TO);
    let joined = to.or_else(|| longest_of(rest, AND)).unwrap_or(0);
    let next = end + joined;
    let gap = &text[all[end - 1].place.end..all.get(next)?.place.start];
    let (behind, nth) = ordinal(next)?;
    let is_joined = joined > 0 || gap.contains([',', '、', '，']);
    let is_next = if to.is_some() { nth > last } else { nth == last + 1 };
    (is_joined && is_next).then_some((behind, nth))
}

/// 第三 of 第三到第五次, and 五次 of 第三、四、五次: how many atoms, and which.
fn bare_han(atoms: &[Atom]) -> Option<(usize, Nth)> {
    let ordinal = longest_of(atoms, &["第"]).unwrap_or(0);
    let (number, count) = words::cardinal(atoms.get(ordinal..)?)?;
    let is_whole = number.fract() == 0.0 && (1.0..1e6).contains(&number);
    let is_said = atoms[0].is_han() || ordinal > 0;
    let end = ordinal + count;
    let more = longest_of(atoms.get(end..)?, &["次", "回", "个"]).unwrap_or(0);
    (is_whole && is_said).then_some((end + more, Nth { end: End::First, nth: number as u32 }))
}

impl Range {
    /// What was read, of these; `None` when it is of something else.
    pub fn restored(&self, asked: OrderQuestion) -> Option<OrderQuestion> {
        let is_range = asked.taken == Taken::Several(End::First, STAND_IN) && !asked.is_counted;
        let taken = Taken::Range(self.first, self.last);
        (is_range && asked.is_of_stretch() && asked.order != Some(End::Last))
            .then_some(OrderQuestion { taken, ..asked })
    }
}
