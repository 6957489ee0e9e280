//! Several kinds of events that are asked for together: "list the stops, grip losses and movements after 9:00", 今天的急停和掉件.
//! The text is read once with each of them, and all have to be understood alike.

use super::super::atoms::{Atom, atoms, has, longest_of, said};
use super::super::classes::{class_at, one_class};
use super::slots::is_weak;
use super::{NamedEvents, OrderQuestion, Taken};
use robot_memory_core::api::CountBy;

const KINDS_MAX: usize = 6;
/// What has, or does, what happened: part of a name.
#[rustfmt::skip]
const SUBJECTS: &[&str] = &[
    "arm", "robot", "robot arm", "gripper", "wheels", "cycle", "cycle number", "机械臂", "手臂", "机器人", "夹爪", "轮子", "周期", "循环", "周期号",
];
const ARTICLES: &[&str] =
    &["the", "a", "an", "any", "every", "all", "all the", "所有", "所有的", "全部"];
const AND: &[&str] =
    &["and", "plus", "as well as", "和", "与", "及", "以及", "还有", "跟", "加上", "加"];
const OR: &[&str] = &["or", "and or", "或", "或者", "或是"];
/// Before or behind them they say that all of these are meant.
const BOTH: &[&str] = &[
    "both",
    "either",
    "alike",
    "together",
    "combined",
    "both kinds",
    "both kinds added up",
    "这两类事件",
    "这两种事件",
    "两类事件",
    "两种事件",
    "这两类",
    "这两种",
    "两类",
    "两种",
    "这三类事件",
    "三类事件",
    "三种事件",
    "这三种事件",
    "都算上",
    "都算",
    "放在一起",
    "放一起",
];
/// With one of these their sum is asked for.
const SUM: &[&str] = &[
    "in total",
    "total",
    "together",
    "combined",
    "altogether",
    "in all",
    "all told",
    "overall",
    "一共",
    "总共",
    "合计",
    "总计",
    "加起来",
    "加在一起",
    "added up",
    "both kinds added up",
    "added together",
];
/// With one of these it is asked for each of them, which of them, or what is between them; or nothing is asked at all.
#[rustfmt::skip]
const EACH: &[&str] = &[
    "respectively", "separately", "each", "which came", "which of", "which one", "which happened", "which occurred", "which was", "whichever", "earlier", "sooner",
    "more often", "more of", "came last", "came first", "comes first", "what was first", "what was the first event", "what was the last event", "difference", "most", "least", "fewer", "happened together", "happen together", "occurred together", "occur together", "came together",
    "total time", "with both", "did both", "in an hour", "in a day", "in one day", "an hour", "a day", "may happen", "can happen", "may be", "can be", "could be", "must", "should", "will", "if", "when there was", "whenever",
    "what came", "not", "without", "except", "their", "between stops", "translate", "thought",
    "分别", "各", "哪个", "哪种", "哪一种", "哪一个", "还是", "谁", "先发生", "先出现", "先来", "更多", "更早", "总时间", "时段", "都发生", "一起发生", "一起出现", "是一起", "如果", "要是", "只要", "没", "不", "吗", "解除", "之间的时间",
];

/// Names of events side by side.
struct Listed {
    /// The text of each, and where the first begins and the last ends.
    names: Vec<String>,
    from: usize,
    to: usize,
    /// Whether one of them is enough.
    is_or: bool,
}

/// What a text asks, by what `read` reads of others.
pub(super) fn several(
    text: &str,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    let all = atoms(text);
    let listed = (0..all.len()).find_map(|at| listed(text, &all, at))?;
    // 急停和掉件各自的最后一次.
    if let Some(each) = one_of_each(text, &listed, &read) {
        return Some(each);
    }
    // "Stops and drops happened today."
    let is_told = has(&all, &["happened", "occurred", "发生了", "出现了"])
        && !text.contains(['?', '？'])
        && !has(&all, &["list", "show", "give", "what", "which", "how", "列", "哪", "查", "几"]);
    if is_told || has(&all, EACH) || text.contains(['"', '“', '「']) {
        return None;
    }
    let before = without_both(&text[..listed.from]);
    let behind = without_both(&text[listed.to..]);
    let asked = listed.names.iter().map(|name| read(&format!("{before}{name}{behind}")));
    let asked: Vec<OrderQuestion> = asked.collect::<Option<_>>()?;
    let (first, others) = asked.split_first()?;
    let is_alike =
        others.iter().all(|other| of_any(other) == of_any(first) && other.of != first.of);
    let has_class = asked.iter().all(|one| one.of.class.is_some());
    // "The last stop and slip": one of each, or of both?
    let is_plain = first.taken == Taken::All && !first.is_just;
    let is_whole = listed.is_or || is_plain && (!first.is_counted || has(&all, SUM));
    let mut question = first.clone();
    question.or_of = others.iter().map(|other| other.of.clone()).collect();
    (is_alike && has_class && is_whole).then_some(question)
}

/// What is asked, of whatever events.
fn of_any(asked: &OrderQuestion) -> OrderQuestion {
    OrderQuestion { of: NamedEvents::default(), ..asked.clone() }
}

/// What a text asks of each of the kinds that it lists: one event of each topic, if each kind has one.
fn one_of_each(
    text: &str,
    listed: &Listed,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    const OF_EACH: [&str; 4] = ["各自的", "各自", "各自最近的", "分别的"];
    let behind = &text[listed.to..];
    let each =
        OF_EACH.iter().filter(|each| behind.starts_with(**each)).map(|each| each.len()).max()?;
    let ask = |name: &String| read(&format!("{}{name}的{}", &text[..listed.from], &behind[each..]));
    let asked: Vec<OrderQuestion> = listed.names.iter().map(ask).collect::<Option<_>>()?;
    let (first, others) = asked.split_first()?;
    let is_alike = others.iter().all(|other| of_any(other) == of_any(first));
    let is_one =
        matches!(first.taken, Taken::Nth(_)) && first.per.is_none() && first.beside.is_none();
    (is_alike && is_one && !listed.is_or).then(|| OrderQuestion {
        or_of: others.iter().map(|other| other.of.clone()).collect(),
        per: Some(CountBy::Topic),
        is_per_kind: true,
        ..first.clone()
    })
}

/// What a text asks that wishes for a list of all events of a kind, and says nothing more of them: the oldest comes first.
pub(super) fn all_of_a_kind(
    text: &str,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    #[rustfmt::skip]
    const LIST: &[&str] = &[
        "list all", "list every", "list all the", "show all", "show me all", "show every", "show me every", "give me all", "give me every", "列出所有", "列出全部", "请列出所有", "请列出全部", "列出所有的", "请列出所有的", "列出全部的",
    ];
    let all = atoms(text);
    let count = longest_of(&all, LIST)?;
    let name = named(&all, count)?;
    let bare = text.trim_end_matches(['.', '?', '!', '。', '？', ' ']);
    let ordered = if all[0].is_han() { "，按时间顺序" } else { ", oldest first" };
    (name.to == all.len()).then(|| read(&format!("{bare}{ordered}")))?
}

/// Whether a text names two kinds side by side, which may be of what is asked for.
pub(super) fn names_several(text: &str) -> bool {
    let all = atoms(text);
    (0..all.len()).any(|at| {
        let Some(name) = named(&all, at) else { return false };
        let Some((next, _)) = joined(text, &all, name.to) else { return false };
        let from = next + longest_of(&all[next..], ARTICLES).unwrap_or(0);
        named(&all, from).is_some_and(|other| {
            !is_weak(other.class) && one_class(&[name.class, other.class]).is_none()
        })
    })
}

/// Names that begin at a place, two or more.
fn listed(text: &str, all: &[Atom], at: usize) -> Option<Listed> {
    if let Some(listed) = movers(text, all, at) {
        return Some(listed);
    }
    let mut name = named(all, at)?;
    let mut listed = Listed {
        names: vec![said(text, &all[at..name.to]).to_owned()],
        from: all[at].place.start,
        to: all[name.to - 1].place.end,
        is_or: false,
    };
    let (mut last, mut is_joined) = (name.to, false);
    while let Some((next, join)) = joined(text, all, last) {
        let from = next + longest_of(&all[next..], ARTICLES).unwrap_or(0);
        let Some(next) = named(all, from) else {
            // What else is asked for is none of them.
            if join != Join::Comma {
                return None;
            }
            break;
        };
        // A stop that was protective is one.
        let is_same = next.class == name.class
            && (next.subject == name.subject || next.subject.is_empty() || name.subject.is_empty());
        if is_same || listed.names.len() == KINDS_MAX {
            return None;
        }
        (name, last) = (next, next.to);
        is_joined |= join != Join::Comma;
        listed.is_or |= join == Join::Or;
        listed.names.push(said(text, &all[from..next.to]).to_owned());
        listed.to = all[next.to - 1].place.end;
    }
    (listed.names.len() > 1 && is_joined).then_some(listed)
}

/// "Arm and gripper motions": what has the class of the next one.
fn movers(text: &str, all: &[Atom], at: usize) -> Option<Listed> {
    let end = at + longest_of(&all[at..], SUBJECTS)?;
    let (next, join) = joined(text, all, end)?;
    let from = next + longest_of(&all[next..], ARTICLES).unwrap_or(0);
    let name = named(all, from).filter(|name| !name.subject.is_empty())?;
    let (one, other) = (said(text, &all[at..end]), said(text, &all[from..name.to]));
    let class = other.get(name.subject.len()..)?;
    let is_other = one != name.subject && join != Join::Comma;
    is_other.then(|| Listed {
        names: vec![format!("{one}{class}"), other.to_owned()],
        from: all[at].place.start,
        to: all[name.to - 1].place.end,
        is_or: join == Join::Or,
    })
}

/// A name of a class of events.
#[derive(Clone, Copy)]
struct Name {
    /// Where it ends.
    to: usize,
    class: &'static str,
    /// What it is of; empty when that is not said.
    subject: &'static str,
}

/// The name at a place, with what it is of.
fn named(all: &[Atom], at: usize) -> Option<Name> {
    let rest = all.get(at..)?;
    let of = |from: usize, subject| {
        let (count, class) = class_at(rest.get(from..)?)?;
        Some(Name { to: at + from + count, class: class?, subject })
    };
    of(0, "").or_else(|| {
        let count = longest_of(rest, SUBJECTS)?;
        let subject = SUBJECTS.iter().find(|it| longest_of(rest, &[it]) == Some(count))?;
        let joint = longest_of(&rest[count..], &["的"]).unwrap_or(0);
        of(count + joint, subject)
    })
}

#[derive(PartialEq)]
enum Join {
    Comma,
    And,
    Or,
}

/// What joins a name to the next: where that begins.
fn joined(text: &str, all: &[Atom], end: usize) -> Option<(usize, Join)> {
    let rest = all.get(end..).filter(|rest| !rest.is_empty())?;
    let (count, join) = match (longest_of(rest, OR), longest_of(rest, AND)) {
        (Some(or), and) if Some(or) >= and => (or, Join::Or),
        (_, Some(and)) => (and, Join::And),
        _ => (0, Join::Comma),
    };
    let gap = |at: usize| {
        let next = all.get(at).map_or(text.len(), |atom| atom.place.start);
        &text[all[at - 1].place.end..next]
    };
    if count > 0 {
        let is_close = |gap: &str| gap.trim().is_empty() || gap.trim() == "," || gap.trim() == "/";
        return (is_close(gap(end)) && is_close(gap(end + count))).then_some((end + count, join));
    }
    match gap(end).trim() {
        "、" | "&" | "+" => Some((end, Join::And)),
        "/" => Some((end, Join::Or)),
        "," | "，" => Some((end, Join::Comma)),
        _ => None,
    }
}

/// A part of the text without words that say that all are meant.
fn without_both(text: &str) -> String {
    let all = atoms(text);
    let (mut left, mut begin, mut at) = (String::with_capacity(text.len()), 0, 0);
    while at < all.len() {
        let Some(count) = longest_of(&all[at..], BOTH) else {
            at += 1;
            continue;
        };
        left.push_str(&text[begin..all[at].place.start]);
        begin = all[at + count - 1].place.end;
        at += count;
    }
    left.push_str(&text[begin..]);
    left
}
