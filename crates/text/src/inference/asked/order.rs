//! Which of several a question asks for: the hardest, the longest, the last.

use super::Direction;
use super::atoms::{Atom, longest};
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

/// Which of several events comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedOrder {
    /// By what was measured, the most.
    Strongest,
    /// The least.
    Weakest,
    /// By how fast it was.
    Fastest,
    /// By how far it went.
    Farthest,
    /// By how long it took, the longest.
    Longest,
    /// The shortest.
    Shortest,
    /// By time, the oldest.
    First,
    /// The newest.
    Last,
}

impl Display for AskedOrder {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Strongest => "strongest",
            Self::Weakest => "weakest",
            Self::Fastest => "fastest",
            Self::Farthest => "farthest",
            Self::Longest => "longest",
            Self::Shortest => "shortest",
            Self::First => "oldest",
            Self::Last => "newest",
        })
    }
}

use AskedOrder::{Farthest, Fastest, First, Last, Longest, Shortest, Strongest, Weakest};

/// What asks for one of several; the longest phrase counts.
#[rustfmt::skip]
const ORDERS: &[(&str, AskedOrder)] = &[
    ("hardest", Strongest), ("strongest", Strongest), ("biggest", Strongest), ("largest", Strongest),
    ("greatest", Strongest), ("highest", Strongest), ("heaviest", Strongest), ("worst", Strongest),
    ("most violent", Strongest), ("most severe", Strongest), ("most forceful", Strongest),
    ("most powerful", Strongest), ("most serious", Strongest), ("most intense", Strongest),
    ("roughest", Strongest), ("harshest", Strongest), ("fiercest", Strongest), ("nastiest", Strongest),
    ("maximum", Strongest), ("max", Strongest), ("peak", Strongest), ("toughest", Strongest),
    ("top", Strongest),
    ("softest", Weakest), ("gentlest", Weakest), ("lightest", Weakest), ("weakest", Weakest),
    ("smallest", Weakest), ("slightest", Weakest), ("lowest", Weakest), ("faintest", Weakest),
    ("mildest", Weakest), ("minimum", Weakest), ("least", Weakest), ("tiniest", Weakest),
    ("fastest", Fastest), ("quickest", Fastest), ("swiftest", Fastest), ("slowest", Weakest),
    ("farthest", Farthest), ("furthest", Farthest), ("moved the most", Farthest), ("move the most", Farthest),
    ("largest movement", Farthest), ("biggest movement", Farthest), ("largest motion", Farthest),
    ("biggest motion", Farthest),
    ("longest", Longest), ("longest lasting", Longest), ("lasted longest", Longest), ("most time", Longest),
    ("shortest", Shortest), ("briefest", Shortest),
    ("first", First), ("the first time", First), ("first time", First), ("earliest", First), ("oldest", First),
    ("very first", First),
    ("last", Last), ("the last time", Last), ("last time", Last), ("latest", Last), ("most recent", Last),
    ("most recently", Last), ("newest", Last), ("final", Last), ("recently", Last), ("lately", Last),
    ("previous", Last), ("the most recent", Last), ("very last", Last),
    ("最大", Strongest), ("最强", Strongest), ("最重", Strongest), ("最猛", Strongest), ("最狠", Strongest),
    ("最严重", Strongest), ("最厉害", Strongest), ("最剧烈", Strongest), ("最激烈", Strongest), ("最高", Strongest),
    ("最用力", Strongest), ("最大力", Strongest), ("最疼", Strongest), ("最凶", Strongest), ("峰值最高", Strongest),
    ("力最大", Strongest), ("力气最大", Strongest), ("力度最大", Strongest),
    ("最小", Weakest), ("最弱", Weakest), ("最轻", Weakest), ("最低", Weakest), ("最轻微", Weakest), ("最慢", Weakest),
    ("力最小", Weakest), ("力度最小", Weakest),
    ("最快", Fastest), ("速度最快", Fastest), ("最远", Farthest), ("幅度最大", Farthest), ("转得最多", Farthest),
    ("动得最多", Farthest),
    ("最长", Longest), ("最久", Longest), ("时间最长", Longest), ("持续最久", Longest), ("最长时间", Longest),
    ("时间最久", Longest), ("持续时间最长", Longest), ("持续最长", Longest),
    ("最短", Shortest), ("最短暂", Shortest), ("时间最短", Shortest), ("持续时间最短", Shortest), ("最短时间", Shortest),
    ("第一次", First), ("第一回", First), ("首次", First), ("头一次", First), ("头一回", First), ("最早", First),
    ("最先", First), ("最初", First), ("第一个", First), ("最早一次", First), ("最早的一次", First), ("第一", First),
    ("最后一次", Last), ("最后一回", Last), ("最后", Last), ("最近一次", Last), ("最近的一次", Last), ("最近", Last),
    ("上一次", Last), ("上次", Last), ("上一回", Last), ("上回", Last), ("最新", Last), ("最后的一次", Last),
    ("最近一回", Last), ("前一次", Last), ("近来", Last), ("最新一次", Last), ("最新的一次", Last),
    ("最晚", Last), ("最晚一次", Last),
];

/// Words behind a number that say which of it is asked for, and are no part of an order: "how long did it
/// last".
fn is_verb(atoms: &[Atom], at: usize) -> bool {
    let is = |at: usize, words: &[&str]| {
        atoms.get(at).is_some_and(|atom| words.contains(&atom.text.as_str()))
    };
    let asks_length =
        atoms[..at].windows(2).any(|pair| pair[0].text == "how" && pair[1].text == "long");
    atoms[at].text == "last"
        && (asks_length && at + 1 == atoms.len() || is(at + 1, &["for", "longer", "more"]))
}

/// Which of several, and the places of the words that say so. What is measured or timed goes before what is
/// merely new.
pub(super) fn asked_order(atoms: &[Atom]) -> (Option<AskedOrder>, Vec<Range<usize>>) {
    let mut found: Option<AskedOrder> = None;
    let mut places = Vec::new();
    let mut at = 0;
    while at < atoms.len() {
        match longest(&atoms[at..], ORDERS) {
            Some((count, order)) if !is_verb(atoms, at) => {
                places.push(atoms[at].place.start..atoms[at + count - 1].place.end);
                if found.is_none_or(|found| found == Last) {
                    found = Some(order);
                }
                at += count;
            }
            _ => at += 1,
        }
    }
    (found, places)
}

/// What a level did, as a question says it.
pub(super) fn direction(atoms: &[Atom]) -> Option<Direction> {
    use Direction::{Down, Up};
    #[rustfmt::skip]
    const WORDS: &[(&str, Direction)] = &[
        ("charged", Up), ("charging", Up), ("charge", Up), ("recharged", Up), ("recharge", Up), ("full", Up),
        ("rise", Up), ("rose", Up), ("went up", Up), ("go up", Up), ("increase", Up), ("increased", Up),
        ("plugged in", Up), ("topped up", Up),
        ("low", Down), ("drain", Down), ("drained", Down), ("empty", Down), ("flat", Down), ("died", Down),
        ("die", Down), ("dead", Down), ("drop", Down), ("dropped", Down), ("fall", Down), ("fell", Down),
        ("run out", Down), ("ran out", Down), ("run down", Down), ("ran down", Down), ("sank", Down),
        ("weak", Down), ("went down", Down), ("go down", Down), ("decrease", Down), ("decreased", Down),
        ("discharged", Down), ("discharge", Down), ("lose charge", Down), ("lost charge", Down),
        ("low charge", Down), ("out of charge", Down), ("out of power", Down), ("used up", Down),
        ("充电", Up), ("充过电", Up), ("充满", Up), ("充了电", Up), ("充上电", Up), ("充", Up), ("上升", Up), ("升高", Up), ("涨", Up),
        ("没电", Down), ("缺电", Down), ("掉电", Down), ("低", Down), ("不足", Down), ("耗尽", Down), ("下降", Down),
        ("掉", Down), ("降", Down), ("用完", Down), ("快没", Down), ("亏电", Down), ("见底", Down), ("用光", Down),
        ("耗光", Down), ("跌", Down), ("不够", Down),
    ];
    let mut at = 0;
    while at < atoms.len() {
        if let Some((_, direction)) = longest(&atoms[at..], WORDS) {
            return Some(direction);
        }
        at += 1;
    }
    None
}

/// Whether it is put as a question of what happened: how to do something is none.
pub(super) fn is_of_the_past(atoms: &[Atom]) -> bool {
    const PAST: &[(&str, ())] = &[
        ("when", ()),
        ("did", ()),
        ("has", ()),
        ("have", ()),
        ("had", ()),
        ("was", ()),
        ("were", ()),
        ("happened", ()),
        ("happen", ()),
        ("ever", ()),
        ("how often", ()),
        ("how many", ()),
        ("什么时候", ()),
        ("何时", ()),
        ("几点", ()),
        ("几次", ()),
        ("哪天", ()),
        ("哪次", ()),
        ("哪一次", ()),
        ("有没有", ()),
        ("发生", ()),
        ("多久", ()),
        ("过", ()),
        ("了吗", ()),
        ("了没", ()),
        ("没有", ()),
        ("了", ()),
    ];
    const RULE: &[(&str, ())] = &[
        ("should", ()),
        ("may", ()),
        ("can", ()),
        ("must", ()),
        ("shall", ()),
        ("how do", ()),
        ("how to", ()),
        ("how can", ()),
        ("could", ()),
        ("该", ()),
        ("应该", ()),
        ("可以", ()),
        ("能不能", ()),
        ("怎么", ()),
        ("如何", ()),
        ("怎样", ()),
        ("要不要", ()),
        ("需要", ()),
    ];
    let has =
        |words: &[(&str, ())]| (0..atoms.len()).any(|at| longest(&atoms[at..], words).is_some());
    has(PAST) && !has(RULE)
}

/// Places of words that say nothing of what it is about.
pub(super) fn general(atoms: &[Atom]) -> Vec<Range<usize>> {
    #[rustfmt::skip]
    const WORDS: &[(&str, ())] = &[
        ("happened", ()), ("happen", ()), ("occur", ()), ("occurred", ()), ("event", ()), ("events", ()),
        ("time", ()), ("times", ()), ("robot", ()), ("ever", ()), ("anything", ()), ("something", ()),
        ("somebody", ()), ("someone", ()), ("anybody", ()), ("anyone", ()), ("thing", ()), ("object", ()),
        ("take", ()), ("took", ()), ("go off", ()), ("went off", ()), ("trigger", ()), ("triggered", ()),
        ("get", ()), ("got", ()), ("make", ()), ("made", ()), ("long", ()), ("often", ()), ("hard", ()), ("say", ()),
        ("far", ()), ("fast", ()), ("force", ()), ("newtons", ()), ("one", ()), ("felt", ()), ("feel", ()),
        ("发生", ()), ("事件", ()), ("事情", ()), ("情况", ()), ("机器人", ()), ("东西", ()), ("触发", ()),
        ("一次", ()), ("次", ()), ("时候", ()), ("时间", ()), ("持续", ()), ("多长", ()), ("多久", ()), ("多大", ()),
        ("按下", ()), ("拍下", ()), ("按", ()), ("有人", ()), ("哪天", ()), ("几点", ()), ("几秒", ()), ("过", ()),
        ("力", ()), ("多少牛", ()), ("记录", ()), ("左右", ()), ("前后", ()),
    ];
    let mut places = Vec::new();
    let mut at = 0;
    while at < atoms.len() {
        match longest(&atoms[at..], WORDS) {
            Some((count, ())) => {
                places.push(atoms[at].place.start..atoms[at + count - 1].place.end);
                at += count;
            }
            None => at += 1,
        }
    }
    places
}
