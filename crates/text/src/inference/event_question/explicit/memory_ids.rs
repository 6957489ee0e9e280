//! Memories that are named by their id: "what happened right before memory 916?", 记忆916之后, "after protective stop 954". They are read
//! through events that stand in their places.

use super::super::super::lexer::is_han;
use super::super::atoms::{Atom, ends, longest_of};
use super::super::classes::class_at;
use super::super::numbers::unit;
use super::lasting::{is_plural, names};
use super::{Anchor, End, NamedEvents, Nth, OrderQuestion};

#[rustfmt::skip]
const BEFORE: &[&str] = &[
    "memory", "memories", "memory id", "memory number", "memory no", "memory with id", "memory with the id", "memory whose id is", "id", "event id", "event with id", "event with the id", "entry with id", "记忆", "记忆号", "记忆编号", "记忆id", "记忆 id", "记录", "记录号", "记录编号", "编号",
];
/// Between the kind of an event and its id.
const LABELS: &[&str] = &[
    "with number",
    "with the number",
    "with id",
    "with the id",
    "id",
    "编号",
    "编号为",
    "编号是",
    "号",
];
/// The same, which say that it is one.
const OF_MEMORY: &[&str] = &[
    "in memory",
    "of memory",
    "from memory",
    "at memory",
    "with memory id",
    "that is memory",
    "which is memory",
    "stored as memory",
    "recorded as memory",
    "recorded in memory",
    "stored in memory",
    "told in memory",
];
/// Between an id and the kind of its event: 记忆504那次保护性停止.
const HAN_OF: &[&str] = &["的", "那次", "那一次", "的那次", "里的", "中的", "里那次", "那条"];
const ARTICLES: &[&str] = &["the", "this", "that"];
/// Before the id, with one of these behind it: 编号为916的记忆.
#[rustfmt::skip]
const HAN_LABELS: &[&str] = &["编号", "编号为", "编号是", "id", "id为", "id 为", "id是", "id 是"];
const HAN_LABELED: &[&str] =
    &["的记忆", "的事件", "的记录", "的那条记忆", "的那条记录", "的那条", "的那个事件"];
/// Behind a number they say how many it is, or when.
#[rustfmt::skip]
const COUNTED: &[&str] = &[
    "次", "回", "个", "条", "起", "件", "下", "点", "时", "分", "秒", "日", "月", "年", "天", "小时", "多", "来", "余", "几", "场", "遍", "轮", "步", "套", "项",
    "times", "time", "more", "parts", "tools", "pieces", "cycles", "steps", "seconds", "minutes",
];
/// Kinds of events that are named by a noun; of others a number may be a value, or a code.
const KINDS: [&str; 5] = ["protective stop", "emergency stop", "stop", "slip", "impact"];
const JOINS: &[&str] = &["and", "to", "和", "与", "跟", "到", "至"];
/// Events that no text asks for.
pub(super) const STAND_IN: &str = "takeover";
const NTHS: [(u32, &str); 2] = [(941, "941st"), (967, "967th")];

/// A text with events in the places of memories, and the ids of these.
pub(super) struct Replaced {
    pub text: String,
    ids: Vec<(i64, NamedEvents)>,
}

/// Of a text that names one memory by its id, or two.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<Replaced> {
    replaced(text, all, |at, last| named(text, all, at, last))
}

/// Of a text that names one event by its kind and its id, or two.
pub(super) fn of_kinds_in_plain_words(text: &str, all: &[Atom]) -> Option<Replaced> {
    replaced(text, all, |at, _| named_with_kind(text, all, at))
}

fn replaced(
    text: &str,
    all: &[Atom],
    named: impl Fn(usize, Option<usize>) -> Option<Named>,
) -> Option<Replaced> {
    let is_han = text.chars().any(is_han);
    let mut replaced = Replaced { text: String::new(), ids: Vec::new() };
    let (mut at, mut written, mut last) = (0, 0, None);
    while at < all.len() {
        let Some(Named { from, id, of, to }) = named(at, last) else {
            at += 1;
            continue;
        };
        let known = replaced.ids.iter().position(|it| *it == (id, of.clone()));
        let number = known.unwrap_or(replaced.ids.len());
        let (nth, english) = NTHS.get(number)?;
        if number == replaced.ids.len() {
            replaced.ids.push((id, of));
        }
        replaced.text += &text[written..all[from].place.start];
        replaced.text += &if is_han {
            format!("第{nth}次接管")
        } else {
            format!("the {english} {STAND_IN}")
        };
        (at, written, last) = (to, all[to - 1].place.end, Some(to));
    }
    replaced.text += &text[written..];
    (!replaced.ids.is_empty()).then_some(replaced)
}

/// A memory that is named by the atoms from one place to another.
struct Named {
    from: usize,
    id: i64,
    /// What kind of event it is said to be.
    of: NamedEvents,
    to: usize,
}

/// The id that stands at a place.
fn id_at(text: &str, all: &[Atom], at: usize) -> Option<i64> {
    let atom = all.get(at).filter(|atom| atom.is_digits())?;
    let id = atom.text.parse().ok().filter(|id| *id > 0)?;
    let behind = &text[atom.place.end..];
    // "Memory 80 %", "memory 5 minutes ago".
    let is_measure = behind.trim_start().starts_with('%')
        || all.get(at + 1..).is_some_and(|rest| unit(rest).is_some())
        || behind.starts_with(['.', '/', '-', ',', ':'])
            && behind[1..].starts_with(|c: char| c.is_ascii_digit());
    // "Before memory 593 ended".
    const ENDED: &[&str] = &["ended", "ends", "finished", "stopped", "was over", "结束", "停止"];
    let is_behind =
        |words: &[&str]| all.get(at + 1..).is_some_and(|rest| longest_of(rest, words).is_some());
    (!is_measure && !is_behind(ENDED) && !is_behind(COUNTED)).then_some(id)
}

/// The event that is named by its kind and its id: "the protective stop with id 152", 编号505的停止. That a number behind a kind is an
/// id is known only where events are.
fn named_with_kind(text: &str, all: &[Atom], at: usize) -> Option<Named> {
    let kind = |at: usize| {
        let (count, class) = class_at(all.get(at..)?)?;
        let says_memory = longest_of(&all[at + count..], OF_MEMORY).is_some();
        let class = class.filter(|class| says_memory || KINDS.contains(class))?;
        let or_class = (class == "emergency stop").then_some("protective stop");
        let of = NamedEvents { class: Some(class), or_class, ..NamedEvents::default() };
        let last = &all[at + count - 1];
        // "Stops 3 and 4" are the third and the fourth; "it stopped 40 times", 急停按钮2.
        let is_many = is_plural(last);
        let is_other = last.text.ends_with("ed") || last.is_one_of(&["button", "钮", "键"]);
        (!is_many && !is_other).then_some((at + count, of))
    };
    let labels = longest_of(&all[at..], HAN_LABELS);
    let labeled = at + labels.or_else(|| longest_of(&all[at..], &["记忆"])).unwrap_or(0);
    if labeled > at
        && let Some(id) = id_at(text, all, labeled)
    {
        let named = labeled + 1 + longest_of(all.get(labeled + 1..)?, HAN_OF)?;
        let (to, of) = kind(named)?;
        return Some(Named { from: at, id, of, to });
    }
    let article = at + longest_of(&all[at..], ARTICLES).unwrap_or(0);
    // "Between the stop in memory 97 and the one in memory 152".
    let is_one = all.get(article).is_some_and(|it| it.text == "one");
    let (behind, of) = if is_one { (article + 1, NamedEvents::default()) } else { kind(article)? };
    let of_memory = longest_of(all.get(behind..)?, OF_MEMORY);
    if is_one && of_memory.is_none() {
        return None;
    }
    let label = of_memory.or_else(|| longest_of(&all[behind..], LABELS)).unwrap_or(0);
    let id = id_at(text, all, behind + label)?;
    // "The stop 1430", 急停1430.
    let may_be_clock = id >= 1000 && id / 100 < 24 && id % 100 < 60 && label == 0;
    let is_said = all[..article].last().is_some_and(|before| before.is_one_of(ARTICLES));
    let is_name = !is_said && !all[behind - 1].is_han();
    (!may_be_clock || is_name).then_some(Named { from: at, id, of, to: behind + label + 1 })
}

/// Whether a Chinese label goes on with what stands before it: 工件编号12, 急停记录463.
fn is_of_another(all: &[Atom], at: usize) -> bool {
    const BEFORE: [&str; 19] = [
        "从", "自", "到", "和", "与", "跟", "及", "至", "以", "在", "离", "距", "查", "看", "给",
        "请", "比", "对", "把",
    ];
    let before = at.checked_sub(1).map(|before| &all[before]);
    before.is_some_and(|it| {
        it.is_han() && it.place.end == all[at].place.start && !it.is_one_of(&BEFORE)
    })
}

fn ends_with_kind(atoms: &[Atom]) -> bool {
    names(atoms).last().is_some_and(|(_, to)| *to == atoms.len())
}

/// The memory that is named at a place. `last`: where the one before it ends.
fn named(text: &str, all: &[Atom], at: usize, last: Option<usize>) -> Option<Named> {
    let id = |at: usize| id_at(text, all, at);
    let of = NamedEvents::default;
    // "The stop in memory 504" is of a kind.
    let is_in = at > 0 && longest_of(&all[at - 1..], OF_MEMORY).is_some();
    if is_in && (ends(&all[..at - 1], &["one"]) || ends_with_kind(&all[..at - 1])) {
        return None;
    }
    // "The gripper lost the part (memory 288)".
    if text[..all[at].place.start].trim_end().ends_with(['(', '（', '[']) {
        return None;
    }
    let article = at + longest_of(&all[at..], ARTICLES).unwrap_or(0);
    let begun = all.get(article..).and_then(|rest| longest_of(rest, BEFORE));
    // 编号505的停止 says of which kind it is, too.
    let is_of_kind = |to: usize| {
        longest_of(&all[article..], HAN_LABELS).is_some()
            && all.get(to).is_some_and(|next| next.text == "的")
    };
    let is_label =
        all.get(article..).is_some_and(|rest| longest_of(rest, &["编号", "记录"]).is_some());
    if let Some(count) = begun.filter(|count| !is_of_kind(article + count + 1))
        && !(is_label && is_of_another(all, article))
        && let Some(id) = id(article + count)
    {
        return Some(Named { from: at, id, of: of(), to: article + count + 1 });
    }
    // "Memories 465 and 477", but 记忆505和15点.
    let joined = last.is_some_and(|last| {
        let is_joined = last + 1 == at && longest_of(&all[last..], JOINS) == Some(1);
        let is_plural = last > 1 && all[last - 2].text == "memories";
        let is_between =
            all.get(at + 1).is_none_or(|next| next.is_one_of(&["之", "中", "间", "的"]));
        is_joined && (is_plural || all[last].is_han() && is_between)
    });
    if let Some(id) = id(at).filter(|_| joined) {
        return Some(Named { from: at, id, of: of(), to: at + 1 });
    }
    let behind = |number: usize, words| {
        let to = number + 1 + longest_of(all.get(number + 1..)?, words)?;
        Some(Named { from: at, id: id(number)?, of: of(), to })
    };
    // 916号记忆, 第916号记录.
    let numbered = at + longest_of(&all[at..], &["第"]).unwrap_or(0);
    let labeled = || behind(at + longest_of(&all[at..], HAN_LABELS)?, HAN_LABELED);
    behind(numbered, &["号记忆", "号记录"]).or_else(labeled)
}

impl Replaced {
    /// What was read, of the memories themselves; `None` when one of them is no event beside which is looked.
    pub fn restored(&self, mut asked: OrderQuestion) -> Option<OrderQuestion> {
        let mut ids: Vec<i64> = Vec::new();
        let mut restore = |anchor: &mut Anchor| {
            let stand_in = NamedEvents { class: Some(STAND_IN), ..NamedEvents::default() };
            let place = NTHS
                .iter()
                .position(|(nth, _)| anchor.nth == Some(Nth { end: End::First, nth: *nth }));
            if let Some((id, of)) = place.and_then(|place| self.ids.get(place))
                && anchor.of == stand_in
                && anchor.bounds.is_open()
            {
                ids.push(*id);
                *anchor = Anchor { memory: Some(*id), of: of.clone(), ..Anchor::default() };
            }
        };
        asked.beside.as_mut()?.anchors_mut().for_each(&mut restore);
        let is_left = asked.named().any(|of| of.class == Some(STAND_IN));
        let is_all = self.ids.iter().all(|(id, _)| ids.contains(id));
        (is_all && !is_left).then_some(asked)
    }
}
