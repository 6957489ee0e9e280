//! Names of what moves, and of what counts cycles, in both languages.

use super::super::atoms::{Atom, has, longest_of};
use super::super::classes::class_at;
use super::OrderQuestion;
use super::cycles::{CYCLES, HAN_CYCLES};

/// Each with its other names.
#[rustfmt::skip]
const MOVERS: [&[&str]; 8] = [
    &["arm", "robot arm", "手臂", "机械臂", "机械手"],
    &["gripper", "夹爪", "夹具", "抓手", "手爪", "机械爪"],
    &["wheels", "wheel", "轮子", "车轮"],
    &["base", "底盘"],
    &["hand", "fingers"],
    &["head"],
    &["torso"],
    &["lift"],
];
/// The longest first.
#[rustfmt::skip]
pub(super) const HAN_COUNTERS: &[&str] = &[
    "周期计数器", "循环计数器", "周期计数", "循环计数", "周期编号", "循环编号", "计数器", "周期号", "循环号", "周期数", "循环数", "周期", "循环",
];

/// Whether it is what may move beside others.
pub(super) fn is_mover(name: &str) -> bool {
    MOVERS.iter().any(|names| names.contains(&name))
}

/// How many atoms the name of a mover has that stands there.
pub(super) fn mover(atoms: &[Atom]) -> Option<usize> {
    MOVERS.iter().filter_map(|names| longest_of(atoms, names)).max()
}

/// How many atoms the name of what moves, or of what counts, has that stands there.
pub(super) fn subject(atoms: &[Atom]) -> Option<usize> {
    let counter = longest_of(atoms, CYCLES).or_else(|| longest_of(atoms, HAN_COUNTERS));
    mover(atoms).or(counter)
}

/// How many atoms the name of a kind of events has that stands there: "arm motions", 循环切换.
pub(super) fn named_class(atoms: &[Atom]) -> Option<usize> {
    let subject = subject(atoms).unwrap_or(0);
    let (class, _) = class_at(atoms.get(subject..)?).filter(|(_, class)| class.is_some())?;
    Some(subject + class)
}

/// Whether a text says what moves, and that is nothing of the question that was read of it: its name stands where it was not
/// found to belong to a motion, and nothing else is named that may be its.
pub(super) fn is_dropped(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    const DOING: &[&str] =
        &["do", "doing", "做了什么", "做什么", "干了什么", "干什么", "在做什么", "干嘛"];
    let is_of = |class| asked.named().any(|of| of.class == Some(class));
    let has_open_motion = asked.named().any(|of| of.class == Some("motion") && of.words.is_empty());
    let has_class = asked.named().any(|of| of.class.is_some_and(|class| class != "motion"));
    let is_kept =
        |names: &[&str]| asked.named().any(|of| names.iter().any(|name| of.words.contains(name)));
    // "What was the arm doing?" asks for its motions.
    let asks_for_motion = has(atoms, DOING) && asked.of.class != Some("motion");
    // "What happened to the arm right before the last stop?"
    const HAPPENED: &[&str] = &["happened to", "happened at", "happened with"];
    const HAN_HAPPENED: &[&str] = &["发生了什么", "发生什么", "发生过什么", "怎么了"];
    let happened_to = |names: &[&str]| {
        (0..atoms.len()).any(|at| {
            let to = longest_of(&atoms[at..], HAPPENED).map(|count| at + count);
            let article = to.map(|to| to + longest_of(&atoms[to..], &["the", "its"]).unwrap_or(0));
            let name = longest_of(&atoms[at..], names).map(|count| at + count);
            article.is_some_and(|to| longest_of(&atoms[to..], names).is_some())
                || name.is_some_and(|to| longest_of(&atoms[to..], HAN_HAPPENED).is_some())
        })
    };
    let is_dropped = |names: &[&str]| {
        let holds = names.contains(&"gripper") || names.contains(&"hand");
        let is_holder = holds && is_of("slip");
        // It is what stops, and what a cycle is of.
        let is_arm = names.contains(&"arm");
        let is_no_doer = !is_holder && (!is_arm || has_open_motion);
        asks_for_motion || is_no_doer || !has_class || happened_to(names)
    };
    let is_said = |names: &[&str]| has(atoms, names) && !is_kept(names);
    // "Cycle and gripper changes".
    let says_cycle = has(atoms, CYCLES) || has(atoms, HAN_CYCLES);
    let is_counter_dropped = is_of("change")
        && says_cycle
        && !(is_kept(CYCLES) || is_kept(HAN_CYCLES))
        && asked.named().any(|of| !of.words.is_empty());
    is_counter_dropped || MOVERS.into_iter().any(|names| is_said(names) && is_dropped(names))
}
