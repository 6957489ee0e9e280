//! What somebody needs an answer for: "I need them for the shift report", 我在做磨损估算. It asks for nothing.

use super::super::atoms::{Atom, has, longest_of};
use super::wishes::wish;
use super::{background, polite};

/// What they do who say so asks or narrows: "I'm looking for the left one".
const SEEKING: [&str; 12] = [
    "looking",
    "asking",
    "talking",
    "meaning",
    "thinking",
    "referring",
    "wondering",
    "trying",
    "searching",
    "using",
    "missing",
    "counting",
];
/// A purpose has none of these: with them it says which.
#[rustfmt::skip]
const NARROWING: [&str; 24] = [
    "not", "t", "no", "only", "just", "except", "but", "without", "ignore", "if", "unless", "or", "ones", "where", "exclude",
    "instead", "rather", "只", "仅", "不", "没", "除", "别", "若",
];
#[rustfmt::skip]
const BEGINS: &[&str] = &[
    "it s for", "this is for", "that s for", "they re for", "it is for", "to fill in", "to write",
    "i need it for", "i need them for", "i need this for", "i need that for", "i need it to", "i need them to", "i need this to", "i need that to",
    "we need it for", "we need them for", "we need this for", "we need it to", "we need them to", "we need this to", "need it for", "need them for",
    "need it to", "need them to", "i want it for", "i want them for", "i have to", "we have to", "i must", "i ll use", "i will use",
];
#[rustfmt::skip]
const WORKS: [&str; 36] = [
    "report", "reports", "log", "logbook", "book", "sheet", "spreadsheet", "audit", "handover", "ticket", "slide", "slides", "summary", "meeting", "record", "records", "review", "notes", "note", "chart", "table", "presentation",
    "protocol", "documentation", "diary", "file", "minutes", "analysis", "paper", "board", "dashboard", "boss", "customer", "statistics", "archive", "newsletter",
];
#[rustfmt::skip]
const HAN_BEGINS: &[&str] = &[
    "我在", "我正在", "我们在", "我们正在", "咱们在", "我要", "我们要", "我得", "我们得", "我准备", "我们准备", "我打算", "我刚在", "正在", "我这边", "我们这边", "为了",
    "用于", "用来",
];
#[rustfmt::skip]
const HAN_WORKS: &[&str] = &[
    "填表", "早会", "例会", "班会", "晨会", "追溯", "报告", "汇报", "复盘", "交班", "交接", "备查", "上报", "存底", "备案", "归档", "存档", "总结", "估算", "排查", "核对", "对账", "分析", "日报", "周报", "月报", "巡检", "保养", "维护",
    "报表", "整改", "写", "填", "评估", "检修", "审计", "盘点", "会议", "开会",
];

/// Whether a heading says for what something is asked, or who asks it: "shift report: ...", 问题一：. Another may say of what:
/// "gripper 2: ...", 夜班：.
pub(super) fn is_label(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const LABELS: &[&str] = &["question", "bottom line", "q", "query", "request", "task", "quick one", "one more", "next one", "here", "问", "题", "数据", "数字", "回顾", "例", "任务", "请求", "求助"];
    const SHIFTS: &[&str] = &[
        "night",
        "late",
        "early",
        "day shift",
        "morning shift",
        "夜班",
        "早班",
        "晚班",
        "中班",
        "白班",
    ];
    if has(atoms, SHIFTS) && !has(atoms, &["here"]) {
        return false;
    }
    has(atoms, &WORKS)
        || has(atoms, HAN_WORKS)
        || has(atoms, LABELS)
        || polite::is_polite(atoms)
        || is_purpose(atoms)
        || is_of_asker(atoms)
        || background::is_story(atoms)
}

/// Whether a sentence tells of who asks, and so nothing of what is asked: "I was at the other cell", 我刚接班.
pub(super) fn is_of_asker(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const STATES: [&str; 26] = [
        "was", "were", "am", "m", "are", "re", "ve", "have", "had", "just", "came", "missed", "took", "forgot", "work", "started", "arrived", "returned", "left", "got",
        "will", "ll", "must", "do", "did", "only",
    ];
    #[rustfmt::skip]
    const MEANING: [&str; 16] = [
        "mean", "meant", "want", "need", "care", "one", "ones", "those", "these", "kind", "about", "interested", "same", "left", "right", "said",
    ];
    #[rustfmt::skip]
    const HAN_STATES: [&str; 14] = [
        "我刚", "我才", "我们刚", "我昨天", "我今天", "我新来", "我是新", "我在外", "我不在", "我没在", "我出差", "我请假", "我休息", "刚接班",
    ];
    const HAN_MEANING: [&str; 12] =
        ["找", "看", "问", "查", "想", "说", "指", "只", "仅", "除", "别", "算"];
    let has = |words: &[&str]| atoms.iter().any(|atom| atom.is_one_of(words));
    let Some(first) = atoms.first() else { return false };
    if first.is_han() {
        return longest_of(atoms, &HAN_STATES).is_some() && !has(&HAN_MEANING);
    }
    let is_asker =
        first.is_one_of(&["i", "we"]) && atoms.get(1).is_some_and(|next| next.is_one_of(&STATES));
    const ONLY: [&str; 10] =
        ["only", "just", "except", "without", "ignore", "if", "unless", "or", "exclude", "instead"];
    let is_narrowing =
        atoms.iter().skip(2).any(|atom| atom.is_one_of(&ONLY) || atom.is_one_of(&MEANING));
    is_asker
        && !is_narrowing
        && !has(&SEEKING)
        && atoms.get(1).is_some_and(|next| next.text != "only")
}

/// Whether a clause says only what for.
pub(super) fn is_purpose(atoms: &[Atom]) -> bool {
    if atoms.iter().any(|atom| atom.is_one_of(&NARROWING)) {
        return false;
    }
    let is = |at: usize, words: &[&str]| atoms.get(at).is_some_and(|atom| atom.is_one_of(words));
    if is(0, &["i", "we"]) && is(1, &["am", "m", "are", "re"]) {
        let doing = atoms.get(2).map_or("", |atom| atom.text.as_str());
        let is_where = ["on", "in", "at", "with", "off", "new"].contains(&doing);
        return is_where || doing.ends_with("ing") && !SEEKING.contains(&doing);
    }
    let has_work = || has(atoms, HAN_WORKS);
    let is_han = atoms.first().is_some_and(Atom::is_han);
    // "The insurance wants it in writing".
    if let Some(count) = wish(atoms) {
        let rest = &atoms[count..];
        let is_it = |at: usize| {
            atoms.get(at).is_some_and(|atom| atom.is_one_of(&["it", "them", "this", "that"]))
        };
        let is_for = rest.is_empty()
            || rest[0].is_one_of(&[
                "in", "for", "by", "on", "asap", "urgently", "now", "quickly", "soon",
            ]);
        if !is_han && (is_it(count) && count > 1 || is_it(count - 1) && is_for) {
            return true;
        }
    }
    if is_han {
        let doing = longest_of(atoms, &["我在", "我正在", "我们在", "我们正在", "正在"]);
        if let Some(count) = doing {
            return !is(count, &["找", "看", "问", "查", "想", "说", "等", "数", "哪", "这", "那"]);
        }
        let begins = longest_of(atoms, HAN_BEGINS).is_some();
        let is_need = atoms.iter().any(|atom| atom.is_one_of(&["要", "用"]));
        return (begins || is_need) && has_work();
    }
    // "For my report", but "for the left gripper".
    let has_work = || atoms.iter().any(|atom| atom.is_one_of(&WORKS));
    let is_for = longest_of(atoms, &["for the", "for my", "for our", "for a"]).is_some();
    if is_for { has_work() } else { longest_of(atoms, BEGINS).is_some() }
}
