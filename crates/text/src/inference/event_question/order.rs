//! Which of several a question asks for: the hardest, the longest, the last.

use super::super::phrases::Rows;
use super::Direction;
use super::atoms::{Atom, all, has, longest, longest_of};
use robot_memory_core::model::text_enum;
use std::ops::Range;

text_enum! {
    /// Which of several events comes first.
    AskedOrder {
        /// By what was measured, the most.
        Strongest = "strongest",
        /// The least.
        Weakest = "weakest",
        /// By how fast it was.
        Fastest = "fastest",
        /// By how far it went.
        Farthest = "farthest",
        /// By how long it took, the longest.
        Longest = "longest",
        /// The shortest.
        Shortest = "shortest",
        /// By time, the oldest.
        First = "oldest",
        /// The newest.
        Last = "newest",
    }
}

use AskedOrder::{Farthest, Fastest, First, Last, Longest, Shortest, Strongest, Weakest};

/// What asks for one of several; the longest phrase counts.
#[rustfmt::skip]
const ORDERS: &Rows<AskedOrder> = &[
    (Strongest, &["hardest", "strongest", "biggest", "largest", "greatest", "highest", "heaviest", "worst",
        "most violent", "most severe", "most forceful", "most powerful", "most serious", "most intense",
        "roughest", "harshest", "fiercest", "nastiest", "maximum", "max", "peak", "toughest", "top", "最大",
        "最强", "最重", "最猛", "最狠", "最严重", "最厉害", "最剧烈", "最激烈", "最高", "最用力", "最大力",
        "最疼", "最凶", "峰值最高", "力最大", "力气最大", "力度最大"]),
    (Weakest, &["softest", "gentlest", "lightest", "weakest", "smallest", "slightest", "lowest", "faintest",
        "mildest", "minimum", "least", "tiniest", "slowest", "最小", "最弱", "最轻", "最低", "最轻微", "最慢",
        "力最小", "力度最小"]),
    (Fastest, &["fastest", "quickest", "swiftest", "最快", "速度最快"]),
    (Farthest, &["farthest", "furthest", "moved the most", "move the most", "largest movement",
        "biggest movement", "largest motion", "biggest motion", "最远", "幅度最大", "转得最多", "动得最多"]),
    (Longest, &["longest", "longest lasting", "lasted longest", "most time", "最长", "最久", "时间最长",
        "持续最久", "最长时间", "时间最久", "持续时间最长", "持续最长"]),
    (Shortest, &["shortest", "briefest", "最短", "最短暂", "时间最短", "持续时间最短", "最短时间"]),
    (First, &["first", "the first time", "first time", "earliest", "oldest", "very first", "第一次", "第一回",
        "首次", "头一次", "头一回", "最早", "最先", "最初", "第一个", "最早一次", "最早的一次", "第一"]),
    (Last, &["last", "the last time", "last time", "latest", "most recent", "most recently", "newest",
        "final", "recently", "lately", "previous", "the most recent", "very last", "最后一次", "最后一回",
        "最后", "最近一次", "最近的一次", "最近", "上一次", "上次", "上一回", "上回", "最新", "最后的一次",
        "最近一回", "前一次", "近来", "最新一次", "最新的一次", "最晚", "最晚一次"]),
];

/// Words behind a number that say which of it is asked for, and are no part of an order: "how long did it
/// last".
fn is_verb(atoms: &[Atom], at: usize) -> bool {
    let is = |at: usize, words: &[&str]| atoms.get(at).is_some_and(|atom| atom.is_one_of(words));
    let asks_length =
        atoms[..at].windows(2).any(|pair| pair[0].text == "how" && pair[1].text == "long");
    atoms[at].text == "last"
        && (asks_length && at + 1 == atoms.len() || is(at + 1, &["for", "longer", "more"]))
}

/// Which of several, and the places of the words that say so. What is measured or timed goes before what is
/// merely new.
pub(super) fn asked_order(atoms: &[Atom]) -> (Option<AskedOrder>, Vec<Range<usize>>) {
    let at = |at: usize| longest(&atoms[at..], ORDERS).filter(|_| !is_verb(atoms, at));
    let (places, orders): (Vec<_>, Vec<_>) = all(atoms, at).into_iter().unzip();
    let is_measured = |order: &&AskedOrder| **order != Last;
    (orders.iter().find(is_measured).or(orders.first()).copied(), places)
}

/// What a level did, as a question says it.
pub(super) fn direction(atoms: &[Atom]) -> Option<Direction> {
    use Direction::{Down, Up};
    #[rustfmt::skip]
    const WORDS: &Rows<Direction> = &[
        (Up, &["charged", "charging", "charge", "recharged", "recharge", "full", "rise", "rose", "went up",
            "go up", "increase", "increased", "plugged in", "topped up", "充电", "充过电", "充满", "充了电",
            "充上电", "充", "上升", "升高", "涨"]),
        (Down, &["low", "drain", "drained", "empty", "flat", "died", "die", "dead", "drop", "dropped", "fall",
            "fell", "run out", "ran out", "run down", "ran down", "sank", "weak", "went down", "go down",
            "decrease", "decreased", "discharged", "discharge", "lose charge", "lost charge", "low charge",
            "out of charge", "out of power", "used up", "没电", "缺电", "掉电", "低", "不足", "耗尽", "下降",
            "掉", "降", "用完", "快没", "亏电", "见底", "用光", "耗光", "跌", "不够"]),
    ];
    (0..atoms.len()).find_map(|at| Some(longest(&atoms[at..], WORDS)?.1))
}

/// Whether it is put as a question of what happened: how to do something is none.
pub(super) fn is_of_the_past(atoms: &[Atom]) -> bool {
    #[rustfmt::skip]
    const PAST: &[&str] = &[
        "when", "did", "has", "have", "had", "was", "were", "happened", "happen", "ever", "how often",
        "how many", "什么时候", "何时", "几点", "几次", "哪天", "哪次", "哪一次", "有没有", "发生",
        "多久", "过", "了吗", "了没", "没有", "了",
    ];
    #[rustfmt::skip]
    const RULE: &[&str] = &[
        "should", "may", "can", "must", "shall", "how do", "how to", "how can", "could", "该", "应该", "可以",
        "能不能", "怎么", "如何", "怎样", "要不要", "需要",
    ];
    has(atoms, PAST) && !has(atoms, RULE)
}

/// Places of words that say nothing of what it is about.
pub(super) fn general(atoms: &[Atom]) -> Vec<Range<usize>> {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "happened", "happen", "occur", "occurred", "event", "events", "time", "times", "robot", "ever",
        "anything", "something", "somebody", "someone", "anybody", "anyone", "thing", "object", "take",
        "took", "go off", "went off", "trigger", "triggered", "get", "got", "make", "made", "long",
        "often", "hard", "say", "far", "fast", "force", "newtons", "one", "felt", "feel", "发生", "事件",
        "事情", "情况", "机器人", "东西", "触发", "一次", "次", "时候", "时间", "持续", "多长", "多久",
        "多大", "按下", "拍下", "按", "有人", "哪天", "几点", "几秒", "过", "力", "多少牛", "记录",
        "左右", "前后",
    ];
    let at = |at: usize| Some((longest_of(&atoms[at..], WORDS)?, ()));
    all(atoms, at).into_iter().map(|(place, ())| place).collect()
}
