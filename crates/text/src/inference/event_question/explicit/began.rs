//! Cycles that began, which are changes to their number: "since cycle 260 started", 第36周期开始后.

use super::super::atoms::{Atom, ends, longest_of};
use super::words::cardinal;

const CYCLES: [&str; 4] = ["cycle", "cycles", "周期", "循环"];
const BEGUN: &[&str] = &[
    "began",
    "begins",
    "had begun",
    "has begun",
    "beginning",
    "started",
    "starts",
    "starting",
    "had started",
    "has started",
    "was started",
    "got started",
    "got under way",
    "was reached",
    "had been reached",
    "came up",
    "start",
    "begin",
];
const HAN_BEGUN: [&str; 6] = ["开始", "开始了", "启动", "一开始", "到来", "起"];
/// With one of these before it, a cycle is named for its begin.
const SIDES: [&str; 7] = ["since", "before", "until", "till", "up to", "prior to", "ever since"];
const OF_BEGIN: [&str; 6] =
    ["start of", "beginning of", "begin of", "onset of", "start of the", "beginning of the"];
const HAN_SIDES: [&str; 8] = ["以来", "之前", "以前", "前", "到现在", "至今", "到目前为止", "起"];

/// A whole number, and where it ends.
fn whole(atoms: &[Atom], at: usize) -> Option<(u32, usize)> {
    let is_vague = atoms.get(at)?.is_one_of(&["a", "an", "few", "several", "couple", "几"]);
    let (value, count) = cardinal(atoms.get(at..)?)?;
    let is_whole = value.fract() == 0.0 && value >= 0.0 && !is_vague;
    is_whole.then_some((value as u32, at + count))
}

/// Skips the phrases, and tells where they end.
fn past(atoms: &[Atom], at: usize, phrases: &[&str]) -> usize {
    at + atoms.get(at..).and_then(|rest| longest_of(rest, phrases)).unwrap_or(0)
}

/// A cycle that began: how many atoms, and its number.
pub(super) fn began(all: &[Atom], place: usize) -> Option<(usize, u32)> {
    let atoms = all.get(place..)?;
    if atoms.first()?.is_han() || atoms.get(1).is_some_and(Atom::is_han) {
        return began_han(atoms);
    }
    let cycle = past(atoms, 0, &CYCLES);
    if cycle == 0 {
        return None;
    }
    let (value, end) = whole(atoms, past(atoms, cycle, &["number", "no"]))?;
    let begun = past(atoms, end, BEGUN);
    if begun > end || ends(&all[..place], &OF_BEGIN) {
        return Some((begun, value));
    }
    // "Since cycle 260, which stops": but not "before cycle 36 changed".
    const NEXT: [&str; 16] = [
        "how", "what", "which", "when", "did", "has", "have", "had", "were", "was", "show", "list",
        "where", "the", "we", "please",
    ];
    let is_alone = atoms.get(end).is_none_or(|next| {
        next.is_one_of(&NEXT) || atoms[end - 1].place.end + 1 < next.place.start
    });
    let from_on = ends(&all[..place], &["from"])
        && atoms
            .get(end)
            .is_some_and(|next| next.is_one_of(&["on", "onward", "onwards", "forward"]));
    (ends(&all[..place], &SIDES) && is_alone || from_on).then_some((end, value))
}

/// 第36周期开始, 107号周期开始, 周期到200, 自第36周期以来.
fn began_han(atoms: &[Atom]) -> Option<(usize, u32)> {
    let cycle = past(atoms, 0, &CYCLES);
    if cycle > 0 {
        let counter = past(atoms, cycle, &["号", "数", "计数", "编号", "序号", "值"]);
        let to =
            past(atoms, counter, &["到", "到了", "达到", "达到了", "为", "走到", "数到", "第"]);
        let (value, end) = whole(atoms, past(atoms, to, &["第"]))?;
        let end = past(atoms, end, &["号"]);
        let begun = past(atoms, end, &HAN_BEGUN);
        let is_counted = atoms
            .get(end)
            .is_some_and(|next| next.is_one_of(&["次", "个", "回", "点", "秒", "分", "天", "小"]));
        let is_beside = longest_of(&atoms[end..], &HAN_SIDES).is_some() && !is_counted;
        return (begun > end || to > counter && !is_counted || is_beside).then_some((begun, value));
    }
    let (value, end) = whole(atoms, past(atoms, 0, &["第"]))?;
    let number = past(atoms, end, &["号", "个"]);
    let end = past(atoms, number, &CYCLES);
    if end == number {
        return None;
    }
    let begun = past(atoms, end, &HAN_BEGUN);
    let is_beside = longest_of(&atoms[end..], &HAN_SIDES).is_some();
    let end = if begun > end && atoms[begun - 1].text != "起" { begun } else { end };
    (begun > end || is_beside || atoms[end - 1].is_one_of(&["始", "了", "来", "动"]))
        .then_some((end, value))
}
