//! The events that lasted the longest, or the shortest: "the longest stop of this morning", 持续最久的三次掉件. They are read through an
//! ordinal that no text has, in their place.

use super::super::super::lexer::is_han;
use super::super::super::phrases::Rows;
use super::super::atoms::{Atom, ends, has, longest, longest_of};
use super::super::classes::class_at;
use super::lasting::{is_in_name, is_left, is_of_others, is_plural};
use super::movers::{named_class, subject};
use super::{Anchor, Beside, End, Lasted, Nth, OrderQuestion, Taken, words};

/// Ordinals for one: the second where the text has the first.
const ORDINALS: [(u32, &str); 2] = [(971, "971st"), (973, "973rd")];
/// A number for several.
const MANY: u32 = 97;
const RANK_MAX: f64 = 100.0;

/// At which end of their lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Longest,
    Shortest,
}

#[rustfmt::skip]
const ENGLISH: &Rows<Which> = &[
    (Which::Longest, &["longest", "longest lasting", "single longest", "very longest", "longest single"]),
    (Which::Shortest, &["shortest", "shortest lasting", "single shortest", "very shortest", "briefest"]),
];
const HAN: &Rows<Which> =
    &[(Which::Longest, &["最长", "最久", "最长时间"]), (Which::Shortest, &["最短"])];
#[rustfmt::skip]
const PREDICATES: &[&str] = &[
    "lasted", "lasted the", "lasted for the", "took", "took the", "took by far the", "went on", "went on the", "went on for the", "was", "was the", "were the", "lasted for", "is the", "were", "lasted by far the",
];
#[rustfmt::skip]
const HAN_LEADS: &[&str] = &["持续时间", "持续时长", "持续的时间", "持续得", "持续", "时间", "时长", "停得", "拖得", "停机时间", "停了", "时间持续", "历时", "停", "丢得", "掉得", "动得", "运动时间"];
#[rustfmt::skip]
const HAN_ONE: &[&str] = &["的一次", "的那次", "的那一次", "的一回", "一次", "那次", "的那回", "的一个", "的那个", "的", "一回", "的这次"];
const HAN_WHICH: &[&str] = &["哪次", "哪一次", "哪一回", "哪回", "哪个"];

const JUST: &[&str] =
    &["just", "right", "immediately", "directly", "shortly", "soon", "straight", "promptly"];
const SIDES: &[&str] = &["before", "after", "ahead", "following", "behind"];
const HAN_JUST: &[&str] = &["马上", "紧接着", "紧跟", "紧挨", "立刻", "立即", "随即", "紧随"];
/// Before the longest one they ask for what it is part of, or was the cause of.
#[rustfmt::skip]
const WITHIN: &[&str] = &["in the", "during the", "within the", "throughout the", "while the", "by the", "in", "during", "by", "to", "to the", "s of the", "seconds of the", "second of the", "minutes of the", "minute of the", "half of the", "end of the", "start of the", "part of the", "beginning of the"];
#[rustfmt::skip]
const BEFORE_NUMBER: &[&str] = &["the", "show", "list", "find", "give", "me", "which", "what", "are", "were", "s", "and", "our", "their", "its", "of"];
/// Behind its name they say of it when it was, or ask which of them were then.
#[rustfmt::skip]
const TOLD: &[&str] = &["was", "were", "is", "are", "happened", "occurred", "came", "fell", "took"];
#[rustfmt::skip]
const HAN_TOLD: &[&str] = &["中有哪些", "里有哪些", "中哪些", "里哪些", "中有几次", "里有几次", "哪些", "有哪些", "哪几次", "有几次", "几次", "都", "过程", "的过程", "期间", "时候", "的时候", "在上午", "在下午", "在早上", "在晚上", "在中午", "是在"];

/// A text with an ordinal in place of what says that they lasted the longest.
pub(super) struct Longest {
    pub text: String,
    /// Whether another sentence asks.
    pub is_told: bool,
    /// Whether one right beside something is asked for.
    is_just: bool,
    stand_in: u32,
    ranks: Ranks,
}

/// Those from one to another, counted from an end.
#[derive(Debug, Clone, Copy)]
struct Ranks {
    which: Which,
    from: u32,
    to: u32,
}

/// What is put in the place of words.
#[derive(Debug, Clone, Copy)]
enum Put {
    Nothing,
    Ordinal,
    /// "Which was the longest" in place of "which".
    WasTheOrdinal,
    /// 是哪次, behind the ordinal.
    IsWhich,
    Several,
}

/// The words for it, and what is put there.
struct Said {
    ranks: Ranks,
    places: Vec<((usize, usize), Put)>,
}

impl Ranks {
    fn one(which: Which) -> Self {
        Self { which, from: 1, to: 1 }
    }

    fn is_one(self) -> bool {
        self.from == self.to
    }
}

/// Of a text that asks for the longest events, or beside the longest one.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<Longest> {
    // 哪几次急停最长: how many?
    if is_of_others(all) || has(all, &["哪几次", "那些", "好几次"]) {
        return None;
    }
    let said = |at: usize| {
        let said = english(text, all, at).or_else(|| han(text, all, at));
        said.filter(|_| !is_in_name(all, at))
    };
    let said = (0..all.len()).find_map(said)?;
    let (stand_in, ordinal) =
        ORDINALS.into_iter().find(|(number, _)| !text.contains(&number.to_string()))?;
    let is_han = text.chars().any(is_han);
    let (mut new, mut written) = (String::new(), 0);
    for ((from, to), put) in said.places {
        let start = all.get(from).map_or(text.len(), |atom| atom.place.start);
        let end = if to > from { all[to - 1].place.end } else { start };
        let kept = &text[written..start];
        new += if matches!(put, Put::Nothing) { kept.trim_end() } else { kept };
        new += &match put {
            Put::Nothing => String::new(),
            Put::Ordinal if is_han => format!("第{stand_in}次"),
            Put::Ordinal if to > from => ordinal.to_owned(),
            Put::Ordinal => format!("{ordinal} "),
            Put::WasTheOrdinal => format!("was the {ordinal} "),
            Put::IsWhich => "是哪次".to_owned(),
            Put::Several if is_han => format!("前{MANY}次"),
            Put::Several => format!("first {MANY}"),
        };
        written = end;
    }
    new += &text[written..];
    let behind = &text[written..];
    let is_told = behind.contains(". ") || behind.contains('。');
    let is_just = (0..all.len()).any(|at| {
        let just = longest_of(&all[at..], JUST).map(|count| at + count);
        just.is_some_and(|at| longest_of(&all[at..], SIDES).is_some())
            || longest_of(&all[at..], HAN_JUST).is_some()
    });
    Some(Longest { text: new, is_told, is_just, stand_in, ranks: said.ranks })
}

/// Whether a word for the longest or the shortest stands there.
pub(super) fn is_said(all: &[Atom]) -> bool {
    longest(all, ENGLISH).or_else(|| longest(all, HAN)).is_some()
}

/// "Three", 三次: how many.
fn several(all: &[Atom]) -> Option<(usize, u32)> {
    let (number, count) = words::cardinal(all)?;
    let is_said = (2.0..=RANK_MAX).contains(&number) && number.fract() == 0.0;
    is_said.then_some((count, number as u32))
}

/// Whether a kind of events is named at a place.
fn is_named(all: &[Atom], at: usize) -> bool {
    all.get(at..).is_some_and(|rest| named_class(rest).is_some())
}

/// Where a name begins that ends with a kind of events: "arm motion".
fn name_begin(all: &[Atom], at: usize) -> usize {
    let is_subject =
        |from: &usize| subject(&all[*from..at]).is_some_and(|count| from + count == at);
    (at.saturating_sub(2)..at).find(is_subject).unwrap_or(at)
}

/// "The longest stop", "the three longest stops", "the longest three", "the second longest one".
fn english(text: &str, all: &[Atom], at: usize) -> Option<Said> {
    let lead = longest_of(&all[at..], PREDICATES);
    if let Some(said) = lead.and_then(|lead| predicate(all, at, lead)) {
        return Some(said);
    }
    let (count, which) = longest(&all[at..], ENGLISH)?;
    let to = at + count;
    let before = |count: usize| at.checked_sub(count).map(|from| (from, &all[from..at]));
    let number = before(1).and_then(|(from, word)| Some((from, several(word)?.1)));
    let behind = several(&all[to..]).map(|(count, number)| (to + count, number));
    let rank = (1..=3).filter_map(before).find_map(|(from, said)| {
        let (count, nth) = words::nth(said)?;
        let is_rank = count == said.len() && nth.end == End::First && nth.nth > 1;
        is_rank.then_some((from, nth.nth))
    });
    let (from, to, ranks, put) = match (number, rank, behind) {
        (Some((from, many)), ..) => (from, to, Ranks { which, from: 1, to: many }, Put::Several),
        (_, Some((from, rank)), _) => {
            (from, to, Ranks { which, from: rank, to: rank }, Put::Ordinal)
        }
        (.., Some((to, many))) => (at, to, Ranks { which, from: 1, to: many }, Put::Several),
        (None, None, None) => (at, to, Ranks::one(which), Put::Ordinal),
    };
    // "Line 3: longest stop", "#2 longest stop", "of the ten longest stops, which were after 10:00".
    let is_numbered = from < at
        && (!ends(&all[..from], BEFORE_NUMBER) && from > 0
            || text[..all[at].place.start].trim_end().ends_with([')', '.', ':', ','])
            || text[..all[from].place.start].ends_with(['#', '№']));
    let is_of_some =
        matches!(put, Put::Several) && ends(&all[..from], &["of the", "of his", "of its"]);
    if ends(&all[..from], WITHIN) || is_numbered || is_of_some {
        return None;
    }
    let name = all.get(to..).and_then(named_class).map(|count| to + count);
    let is_told = name.is_some_and(|name| longest_of(&all[name..], TOLD).is_some());
    let is_of = || ranks.is_one() && longest_of(&all[to..], &["of", "one"]).is_some();
    // "The longest stops": how many?
    let is_open = ranks.is_one() && name.is_some_and(|name| is_plural(&all[name - 1]));
    let is_it = name.map_or_else(is_of, |_| !is_told && !is_open);
    is_it.then(|| Said { ranks, places: vec![((from, to), put)] })
}

/// "Which stop lasted longest?", "the stop that lasted the longest", "which two stops were the longest?"
fn predicate(all: &[Atom], at: usize, lead: usize) -> Option<Said> {
    let (count, which) = longest(all.get(at + lead..)?, ENGLISH)?;
    let to = at + lead + count;
    if is_named(all, to) {
        return None;
    }
    // "Took longest to clear".
    let to = to + longest_of(&all[to..], &["to clear", "to recover", "to resolve"]).unwrap_or(0);
    let ranks = Ranks::one(which);
    let before = at.checked_sub(1)?;
    if all[before].is_one_of(&["that", "which"]) && before > 0 {
        let is_name =
            |from: &usize| named_class(&all[*from..]).is_some_and(|count| from + count == before);
        let name = name_begin(all, (0..before).rev().find(is_name)?);
        let places = vec![((name, name), Put::Ordinal), ((before, to), Put::Nothing)];
        return Some(Said { ranks, places });
    }
    let asks = (0..at).rev().find(|at| all[*at].is_one_of(&["which", "what"]))? + 1;
    let many = several(&all[asks..]).filter(|(count, _)| is_named(all, asks + count));
    // "Which stops were the longest?"
    let name = all.get(asks..).and_then(named_class).map(|count| &all[asks + count - 1]);
    if many.is_none() && name.is_some_and(is_plural) {
        return None;
    }
    let (ranks, asked) = match many {
        Some((count, many)) => (Ranks { to: many, ..ranks }, ((asks, asks + count), Put::Several)),
        None => (ranks, ((asks, asks), Put::WasTheOrdinal)),
    };
    Some(Said { ranks, places: vec![asked, ((at, to), Put::Nothing)] })
}

/// 最长的一次急停, 持续最久的三次, 第二长的那次; 哪次急停最长.
fn han(text: &str, all: &[Atom], at: usize) -> Option<Said> {
    if !text.chars().any(is_han) {
        return None;
    }
    let begun = at + longest_of(&all[at..], HAN_LEADS).unwrap_or(0);
    let ranked = longest(all.get(begun..)?, HAN).map(|(count, which)| (count, Ranks::one(which)));
    let (count, ranks) = ranked.or_else(|| han_rank(&all[begun..], begun > at))?;
    let to = begun + count;
    let of = to + longest_of(&all[to..], &["的"]).unwrap_or(0);
    if let Some((count, many)) = all.get(of..).and_then(several) {
        let times = of + count;
        let to = times + longest_of(all.get(times..)?, &["次", "回", "个", "条"])?;
        if is_told_han(all, to) {
            return None;
        }
        let ranks = Ranks { to: many, ..ranks };
        return Some(Said { ranks, places: vec![((at, to), Put::Several)] });
    }
    let asks =
        (0..at).rev().find_map(|from| Some((from, from + longest_of(&all[from..at], HAN_WHICH)?)));
    if let Some((from, end)) = asks {
        let name = end + longest_of(&all[end..], &["的"]).unwrap_or(0);
        class_at(all.get(name..at)?)?;
        let places = vec![((from, end), Put::Ordinal), ((at, to), Put::IsWhich)];
        return Some(Said { ranks, places });
    }
    let one = to + longest_of(&all[to..], HAN_ONE).unwrap_or(0);
    // 最长的一次的急停.
    let end = one + all.get(one..).map_or(0, |rest| longest_of(rest, &["的"]).unwrap_or(0));
    (!is_told_han(all, end)).then(|| Said { ranks, places: vec![((at, end), Put::Ordinal)] })
}

/// 最长的三次急停有哪些在上午: which of them were then.
fn is_told_han(all: &[Atom], at: usize) -> bool {
    let named = all.get(at..).and_then(named_class).unwrap_or(0);
    all.get(at + named..).is_some_and(|rest| longest_of(rest, HAN_TOLD).is_some())
}

/// 第二长; 时长排第三, where it is said of what.
fn han_rank(all: &[Atom], is_of_length: bool) -> Option<(usize, Ranks)> {
    let lead = longest_of(all, &["排第", "排在第", "排名第", "第"])?;
    let (number, count) = words::cardinal(all.get(lead..)?)?;
    let said = all.get(lead + count).map(|atom| atom.text.as_str());
    let (count, which) = match said {
        Some("长" | "久") => (lead + count + 1, Which::Longest),
        Some("短") => (lead + count + 1, Which::Shortest),
        _ if is_of_length && all[0].text == "排" => (lead + count, Which::Longest),
        _ => return None,
    };
    let rank = number as u32;
    let is_rank = (2.0..=RANK_MAX).contains(&number);
    is_rank.then_some((count, Ranks { which, from: rank, to: rank }))
}

impl Longest {
    /// What was read of the ordinal, of the longest; `None` when it is not one event, or events of one kind.
    pub fn restored(&self, mut asked: OrderQuestion) -> Option<OrderQuestion> {
        let Ranks { which, from, to } = self.ranks;
        let lasted = Lasted::Ranked { is_longest: which == Which::Longest, from, to };
        let stand_in = Nth { end: End::First, nth: self.stand_in };
        let is_target = match asked.taken {
            Taken::Nth(nth) => nth == stand_in && self.ranks.is_one(),
            Taken::Several(End::First, many) => many == MANY && !self.ranks.is_one(),
            _ => false,
        };
        let anchors = asked.beside.iter_mut().flat_map(Beside::anchors_mut);
        let is_it = |anchor: &&mut Anchor| anchor.nth == Some(stand_in) && anchor.memory.is_none();
        let mut anchors: Vec<&mut Anchor> = anchors.filter(is_it).collect();
        let of = match (is_target, &mut anchors[..]) {
            (true, []) => &mut asked.of,
            (false, [anchor]) if self.ranks.is_one() => {
                anchor.nth = None;
                &mut anchor.of
            }
            _ => return None,
        };
        if of.lasted.is_some() || of.is_empty() || of.class == Some("change") {
            return None;
        }
        of.lasted = Some(lasted);
        match is_target {
            true => of_all(asked).filter(|_| !self.is_just),
            false => Some(asked),
        }
        .filter(|asked| !is_left(asked))
    }
}

/// Those that are ranked, of all that are asked for; `None` when they are of several kinds, or when more is asked.
fn of_all(asked: OrderQuestion) -> Option<OrderQuestion> {
    let is_of_one_kind = asked.or_of.is_empty() && asked.but_not.is_none() && !asked.of.is_any;
    let is_list =
        asked.per.is_none() && asked.order.is_none() && !asked.is_counted && !asked.is_just;
    let beside = match asked.beside {
        Some(Beside::Before(anchor, None)) => Some(Beside::Until(anchor)),
        Some(Beside::After(anchor, None)) => Some(Beside::Since(anchor)),
        beside => beside,
    };
    let asked = OrderQuestion { taken: Taken::All, beside, ..asked };
    let is_of_stretch = asked.is_of_stretch() || matches!(asked.beside, Some(Beside::Until(_)));
    let is_of_all = is_of_one_kind && is_list && is_of_stretch;
    is_of_all.then_some(asked)
}
