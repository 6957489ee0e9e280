//! Names of what moves, and of what counts cycles, in both languages.

use super::super::atoms::{Atom, has, longest_of};
use super::{Beside, Closest, NamedEvents, OrderQuestion};

pub(super) const MOVERS: &[&str] = &[
    "robot arm",
    "arm",
    "gripper",
    "wheels",
    "wheel",
    "base",
    "hand",
    "fingers",
    "head",
    "torso",
    "lift",
];
pub(super) const HAN_MOVERS: &[&str] =
    &["夹爪", "夹具", "抓手", "手爪", "机械爪", "手臂", "机械臂", "机械手", "轮子", "车轮", "底盘"];
/// The longest first.
#[rustfmt::skip]
pub(super) const HAN_COUNTERS: &[&str] = &[
    "周期计数器", "循环计数器", "周期计数", "循环计数", "周期编号", "循环编号", "计数器", "周期号", "循环号", "周期数", "循环数", "周期", "循环",
];

/// Whether it is what may move beside others.
pub(super) fn is_mover(name: &str) -> bool {
    MOVERS.contains(&name) || HAN_MOVERS.contains(&name)
}

/// How many atoms the name of a mover has that stands there.
pub(super) fn mover(atoms: &[Atom]) -> Option<usize> {
    longest_of(atoms, MOVERS).or_else(|| longest_of(atoms, HAN_MOVERS))
}

/// Whether a text says what moves, and the question that was read of it is of the motions of anything: the name stands where it
/// was not found to belong to them.
pub(super) fn is_dropped(atoms: &[Atom], asked: &OrderQuestion) -> bool {
    const DOING: &[&str] =
        &["do", "doing", "做了什么", "做什么", "干了什么", "干什么", "在做什么", "干嘛"];
    let of_place: Vec<&NamedEvents> = match &asked.beside {
        Some(Beside::Between(one, other, _)) => vec![&one.of, &other.of],
        Some(Beside::Closest(Closest::Moment(_))) | None => Vec::new(),
        Some(
            Beside::Before(anchor, _)
            | Beside::After(anchor, _)
            | Beside::Since(anchor)
            | Beside::Until(anchor)
            | Beside::Around(anchor, _)
            | Beside::During(anchor)
            | Beside::Closest(Closest::Event(anchor)),
        ) => vec![&anchor.of],
    };
    let all = || std::iter::once(&asked.of).chain(&asked.or_of).chain(of_place.iter().copied());
    if all().any(|of| !of.words.is_empty())
        || !(0..atoms.len()).any(|at| mover(&atoms[at..]).is_some())
    {
        return false;
    }
    let is_motion = |of: &NamedEvents| of.class == Some("motion");
    let is_open = |of: &NamedEvents| of.class.is_none();
    all().any(is_motion) && all().all(|of| is_motion(of) || is_open(of))
        || is_open(&asked.of) && has(atoms, DOING)
}
