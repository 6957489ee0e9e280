//! Events that were under way at a moment: "what was moving at 16:02:05?", 16点02分05秒时机械臂在做什么动作. It is read as what was closest to that
//! moment, and then of what had begun by then and was not over.

use super::super::atoms::{Atom, atoms, longest_of, said};
use super::bounds::Present;
use super::lasting::names;
use super::{Beside, Closest, OrderQuestion, Taken, movers, polite};

/// They ask for a motion.
#[rustfmt::skip]
const MOVING: &[(&str, &[&str])] = &[
    ("motion", &["what was moving", "what was in motion", "what part was moving", "which part was moving", "what was it that moved", "what motion was it making", "which motion was it making"]),
    ("arm motion", &["what was the arm doing", "what was the robot arm doing", "what motion was the arm making", "which motion was the arm making"]),
];
const WHICH: &[&str] = &["which", "what", "which of the", "show the", "list the"];
#[rustfmt::skip]
const UNDER_WAY: &[&str] = &[
    "was under way", "were under way", "was underway", "were underway", "was in progress", "were in progress", "was going on", "were going on", "was ongoing", "were ongoing", "was active", "were active", "was running", "were running", "that was under way", "that was in progress", "being made", "was being made",
];
const HAN_SUBJECTS: &[&str] = &["机器人", "机器", "它", "机械臂", "手臂", "夹爪", "轮子", "车轮"];
/// The moment is of these already.
const OF_NONE: &[&str] = &["机器人", "机器", "它"];
#[rustfmt::skip]
const HAN_MOVING: &[&str] = &["在做什么动作", "正在做什么动作", "正做什么动作", "在进行什么动作", "正在进行什么动作", "在做哪个动作", "正在做哪个动作", "在做哪次动作", "在执行什么动作", "正在执行什么动作", "在做什么运动", "正在做什么运动"];
const HAN_UNDER_WAY: &[&str] = &[
    "正在进行的是哪次",
    "正在持续的是哪次",
    "正在进行的是",
    "还在持续的是哪次",
    "正在进行",
    "正在持续",
    "还在持续",
    "正在进行的",
    "正在持续的",
    "还在持续的",
];
#[rustfmt::skip]
const HAN_WHICH: &[&str] = &["是哪次", "是哪一次", "是哪个", "是什么", "有哪些", "是哪条", "哪次", "哪一次"];
const HAN_TIME: &[&str] = &["的时候", "时", "那一刻", "这一刻", "那个时候", "当时", "整"];

/// What a text asks of a moment, by what `read` reads of others.
pub(super) fn read(
    text: &str,
    all: &[Atom],
    present: &Present<'_>,
    read: impl FnOnce(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    let moment = |at: usize| {
        let phrase = present.phrase(&all[at..])?;
        (phrase.is_of_second() && !phrase.is_range()).then_some((at, at + phrase.count))
    };
    let (from, to) = (0..all.len()).find_map(moment)?;
    let time = said(text, &all[from..to]);
    let is_han = all.iter().any(Atom::is_han);
    let behind = match is_han {
        true => to + longest_of(&all[to..], HAN_TIME).unwrap_or(0),
        false => to,
    };
    let before = match all[..from].split_last() {
        Some((at, before)) if at.is_one_of(&["at", "在"]) => before,
        _ => &all[..from],
    };
    let before = match before.split_last() {
        Some((exactly, before)) if exactly.is_one_of(&["exactly", "precisely"]) => before,
        _ => before,
    };
    let rest = format!("{} {}", said(text, before), said(text, &all[behind..]));
    let name = if is_han { han(&rest) } else { english(&rest) }?;
    let asked = read(&match is_han {
        true => format!("离{time}最近的{name}是哪次？"),
        false => format!("Which {name} was closest to {time}?"),
    })?;
    let Some(Beside::Closest(Closest::Moment(at))) = asked.beside else { return None };
    let is_event = asked.of.class.is_some_and(|class| class != "change");
    is_event.then(|| OrderQuestion {
        bounds: super::Bounds::default(),
        beside: Some(Beside::UnderWay(at)),
        taken: Taken::All,
        ..asked
    })
}

/// Whether a text with a time of the day says that something was under way.
pub(super) fn is_left(all: &[Atom], present: &Present<'_>) -> bool {
    #[rustfmt::skip]
    const MORE: &[&str] = &["was active", "were active", "been active", "active at", "still moving", "kept moving", "was moving", "were moving", "under way", "underway", "in progress"];
    let is_said = |at: usize| {
        let rest = &all[at..];
        let is_moving = MOVING.iter().any(|(_, words)| longest_of(rest, words).is_some());
        is_moving
            || [MORE, UNDER_WAY, HAN_MOVING, HAN_UNDER_WAY]
                .iter()
                .any(|words| longest_of(rest, words).is_some())
    };
    let is_clock = |at: usize| present.phrase(&all[at..]).is_some_and(|phrase| phrase.is_clock());
    (0..all.len()).any(is_said) && (0..all.len()).any(is_clock)
}

/// The events of which it asks which were under way.
fn english(text: &str) -> Option<String> {
    let all = atoms(text);
    let all = &all[polite::opening(&all).min(all.len())..];
    let is_whole = |words: &[&str]| longest_of(all, words) == Some(all.len());
    if let Some((name, _)) = MOVING.iter().find(|(_, words)| is_whole(words)) {
        return Some((*name).to_owned());
    }
    let from = longest_of(all, WHICH)?;
    let to = from + movers::named_class(all.get(from..)?)?;
    let end = to + longest_of(all.get(to..)?, UNDER_WAY)?;
    (end == all.len()).then(|| said(text, &all[from..to]).to_owned())
}

/// 机械臂在做什么动作, 正在进行的是哪次运动, 哪次急停正在持续.
fn han(text: &str) -> Option<String> {
    let all = atoms(text);
    let subject = longest_of(&all, HAN_SUBJECTS).unwrap_or(0);
    if longest_of(all.get(subject..)?, HAN_MOVING) == Some(all.len() - subject) {
        let subject = said(text, &all[..subject]);
        return Some(format!("{}动作", if OF_NONE.contains(&subject) { "" } else { subject }));
    }
    let under_way = longest_of(&all, HAN_UNDER_WAY).or_else(|| longest_of(&all, HAN_WHICH))?;
    let (from, to) = names(&all).into_iter().find(|(from, _)| *from >= under_way)?;
    let rest = all.get(to..)?;
    let end = longest_of(rest, HAN_WHICH).or_else(|| longest_of(rest, HAN_UNDER_WAY)).unwrap_or(0);
    let is_said = longest_of(&all, HAN_UNDER_WAY).or_else(|| longest_of(rest, HAN_UNDER_WAY));
    let is_whole = to + end == all.len() && is_said.is_some();
    is_whole.then(|| said(text, &all[under_way..to]).to_owned()).filter(|_| from - under_way <= 2)
}
