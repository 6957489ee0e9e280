//! Where it is said what moved: "the gripper's last motion", "when did the gripper last move", 夹爪第二次动作 become "the last gripper
//! motion", "when did the gripper move for the last time", 第二次夹爪动作, so that the name stands beside the kind of event.

use super::super::atoms::{Atom, atoms, longest_of, said};
use super::super::classes::class_at;
use super::super::numbers::number;
use super::movers::{HAN_COUNTERS, mover};

const ARTICLES: &[&str] = &["the", "its", "our"];
#[rustfmt::skip]
const WHICH: &[&str] = &[
    "second to last", "third to last", "next to last", "penultimate", "most recent", "first", "second", "third", "fourth", "fifth", "sixth", "last", "latest", "final", "earliest", "only",
];
pub(super) const MOTIONS: &[&str] =
    &["motion", "motions", "movement", "movements", "move", "moves"];
const MOVED: &[&str] = &["moved", "move", "moves"];
const COUNTERS: &[&str] = &["cycle", "cycle counter", "cycle number", "counter", "cycle count"];
const CHANGED: &[&str] = &["changed", "moved on", "advanced", "moved"];
#[rustfmt::skip]
const HAN_WHICH: &[&str] = &[
    "最后一次", "最近一次", "最早一次", "最初一次", "上一次", "上次", "首次", "头一次", "头一回", "头回", "最后一回",
];
const HAN_AND: &[&str] = &["和", "与", "跟", "到", "至"];
const HAN_TOTAL: &[&str] = &["一共", "总共", "共", "总计", "合计"];
const HAN_CHANGES: &[&str] = &["变化", "改变", "变动"];
const HAN_MOTIONS: &[&str] = &["动作", "运动", "移动", "活动", "动"];

/// The text with each name beside its motion.
pub(super) fn beside_motions(text: &str) -> String {
    let mut text = text.to_owned();
    // Each name comes once to its place.
    for _ in 0..MOVES_MAX {
        let all = atoms(&text);
        let moved = |at| possessed(&text, &all, at).or_else(|| adverb(&text, &all, at));
        let moved = |at| moved(at).or_else(|| han(&text, &all, at));
        let moved = |at| moved(at).or_else(|| recorded(&text, &all, at));
        let Some(moved) = (0..all.len()).find_map(moved) else { break };
        text = moved;
    }
    text
}

const MOVES_MAX: usize = 4;

/// Two stretches of atoms that follow each other, the other way round; what is between them is left out.
fn exchanged(text: &str, all: &[Atom], [one, other]: [(usize, usize); 2], gap: &str) -> String {
    let (before, behind) = (&text[..all[one.0].place.start], &text[all[other.1 - 1].place.end..]);
    format!(
        "{before}{}{gap}{}{behind}",
        said(text, &all[other.0..other.1]),
        said(text, &all[one.0..one.1])
    )
}

/// "The gripper's last motion", "the gripper's first and second motion", "the arm's first motion and its third motion".
fn possessed(text: &str, all: &[Atom], at: usize) -> Option<String> {
    let end = at + mover(&all[at..])?;
    let which = end + longest_of(&all[end..], &["s"])?;
    let mut motion = which + longest_of(&all[which..], WHICH)?;
    let second = |from: usize| {
        let which = from + longest_of(&all[from..], &["and", "and its", "and the"])?;
        Some(which + longest_of(&all[which..], WHICH)?)
    };
    motion = second(motion).unwrap_or(motion);
    let close = motion + longest_of(&all[motion..], MOTIONS)?;
    let subject = said(text, &all[at..end]);
    let other = second(close).filter(|other| longest_of(&all[*other..], MOTIONS).is_some());
    let text = match other.map(|other| all[other].place.start) {
        Some(place) => format!("{}{subject} {}", &text[..place], &text[place..]),
        None => text.to_owned(),
    };
    Some(exchanged(&text, all, [(at, end), (which, motion)], " "))
}

/// "The gripper first moved", "did the gripper last move", "since the cycle counter last changed".
fn adverb(text: &str, all: &[Atom], at: usize) -> Option<String> {
    let article = at + longest_of(&all[at..], ARTICLES)?;
    if let Some(counter) = longest_of(&all[article..], COUNTERS) {
        let end = article + counter;
        let changed = end + longest_of(&all[end..], &["first", "last"])?;
        let close = changed + longest_of(&all[changed..], CHANGED)?;
        let subject = said(text, &all[article..end]);
        let (before, behind) =
            (&text[..all[article].place.start], &text[all[close - 1].place.end..]);
        return Some(format!("{before}{} {subject} change{behind}", all[end].text));
    }
    let end = article + mover(&all[article..])?;
    let moved = end + longest_of(&all[end..], &["first", "last"])?;
    let close = moved + longest_of(&all[moved..], MOVED)?;
    let (subject, verb) = (all[end - 1].place.end, &all[moved].place);
    let (before, behind) = (&text[..subject], &text[all[close - 1].place.end..]);
    let which = &text[all[end].place.clone()];
    Some(format!("{before} {} for the {which} time{behind}", &text[verb.clone()]))
}

/// "Impacts did the IMU record", "impacts recorded by the IMU": of the IMU.
fn recorded(text: &str, all: &[Atom], at: usize) -> Option<String> {
    #[rustfmt::skip]
    const RECORD: &[&str] = &["record", "register", "detect", "measure", "sense", "report", "notice", "see", "pick up"];
    #[rustfmt::skip]
    const RECORDED: &[&str] = &[
        "recorded by the", "registered by the", "detected by the", "measured by the", "sensed by the", "reported by the", "seen by the", "picked up by the",
    ];
    let (count, _) = class_at(&all[at..]).filter(|(_, class)| class.is_some())?;
    let named = at + count;
    let rest = all.get(named..)?;
    // What nothing else is known of.
    let name = |at: usize| {
        let atom = all.get(at)?;
        let is_word = !atom.has_digit_first()
            && !atom.is_one_of(&[
                "robot",
                "log",
                "memory",
                "system",
                "bag",
                "recording",
                "left",
                "right",
                "other",
                "same",
                "first",
                "second",
                "last",
                "new",
                "old",
            ]);
        (is_word && class_at(&all[at..]).is_none()).then_some(at)
    };
    let is_idle = longest_of(rest, &["were", "was", "have been", "has been"]).unwrap_or(0);
    let (sensor, end, verb) = if let Some(did) = longest_of(rest, &["did the", "has the"]) {
        let sensor = name(named + did)?;
        (sensor, sensor + 1 + longest_of(all.get(sensor + 1..)?, RECORD)?, " were there")
    } else {
        let by = named + is_idle;
        let sensor = name(by + longest_of(all.get(by..)?, RECORDED)?)?;
        (sensor, sensor + 1, if is_idle > 0 { " were there" } else { "" })
    };
    let (before, behind) = (&text[..all[at].place.start], &text[all[end - 1].place.end..]);
    let class = said(text, &all[at..named]);
    Some(format!("{before}{} {class}{verb}{behind}", said(text, &all[sensor..=sensor])))
}

/// 夹爪第二次动作, 手臂的最后一次运动, 周期最后一次变化.
fn han(text: &str, all: &[Atom], at: usize) -> Option<String> {
    let mover = mover(&all[at..]).filter(|_| all[at].is_han());
    let counter = longest_of(&all[at..], HAN_COUNTERS).filter(|_| mover.is_none());
    let happening = if counter.is_some() { HAN_CHANGES } else { HAN_MOTIONS };
    let end = at + mover.or(counter)?;
    let which = end + longest_of(&all[end..], &["的"]).unwrap_or(0);
    // 夹爪一共动过几次.
    if let Some(total) = longest_of(&all[end..], HAN_TOTAL)
        && longest_of(&all[end + total..], happening).is_some()
    {
        return Some(exchanged(text, all, [(at, end), (end, end + total)], ""));
    }
    let mut motion = which + han_which(all.get(which..)?)?;
    // 机械臂第三次和第四次运动.
    let second = longest_of(&all[motion..], HAN_AND).and_then(|join| {
        let second = motion + join;
        Some(second + han_which(all.get(second..)?)?)
    });
    motion = second.unwrap_or(motion);
    let close = motion + longest_of(&all[motion..], happening)?;
    // 机械臂第二次、第三次运动.
    if text[all[at].place.start..all[motion].place.start].contains(['，', ',', '、']) {
        return None;
    }
    let subject = said(text, &all[at..end]);
    // 机械臂第一次运动和第三次运动之间: both are its.
    let other = longest_of(&all[close..], HAN_AND).and_then(|join| {
        let second = close + join + han_which(all.get(close + join..)?)?;
        longest_of(&all[second..], happening).map(|_| all[second].place.start)
    });
    let text = match other {
        Some(place) => format!("{}{subject}{}", &text[..place], &text[place..]),
        None => text.to_owned(),
    };
    Some(exchanged(&text, all, [(at, end), (which, motion)], ""))
}

/// 第二次, 倒数第三次, 最后一次.
fn han_which(atoms: &[Atom]) -> Option<usize> {
    if let Some(count) = longest_of(atoms, HAN_WHICH) {
        return Some(count);
    }
    let begun = longest_of(atoms, &["第", "倒数第"])?;
    let (_, count) = number(&atoms[begun..])?;
    let end = begun + count;
    Some(end + longest_of(&atoms[end..], &["次", "回", "个"])?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_beside_their_motions() {
        let cases = [
            ("When was the gripper's last motion?", "When was the last gripper motion?"),
            ("the gripper's first and second motion", "the first and second gripper motion"),
            (
                "the arm's first motion and its third motion",
                "the first arm motion and its third arm motion",
            ),
            ("the arm's second to last movement", "the second to last arm movement"),
            (
                "after the gripper first moved, which",
                "after the gripper moved for the first time, which",
            ),
            (
                "did the gripper last move before 9:00?",
                "did the gripper move for the last time before 9:00?",
            ),
            ("夹爪第二次动作之后，手臂的最后一次运动", "第二次夹爪动作之后，最后一次手臂运动"),
            ("轮子倒数第三次动之前", "倒数第三次轮子动之前"),
            ("机械臂第一次运动和第三次运动之间", "第一次机械臂运动和第三次机械臂运动之间"),
            ("机械臂第三次和第四次运动之间", "第三次和第四次机械臂运动之间"),
            ("今天循环计数最后一次变化之前", "今天最后一次循环计数变化之前"),
            ("夹爪第二次掉件", "夹爪第二次掉件"),
            ("夹爪一共动过几次？", "一共夹爪动过几次？"),
            ("机械臂第二次、第三次运动", "机械臂第二次、第三次运动"),
            ("the arm's last protective stop", "the arm's last protective stop"),
        ];
        for (text, expected) in cases {
            assert_eq!(beside_motions(text), expected);
        }
    }
}
