//! Events of a length: "stops that lasted longer than 8 s", 持续不到三秒的掉件. Without these words the question is read of events of any
//! length, and then of those.

use super::super::super::lexer::is_han;
use super::super::super::phrases::Rows;
use super::super::atoms::{Atom, atoms, ends, has, longest, longest_of};
use super::super::classes::class_at;
use super::{Lasted, Lengths, NamedEvents, OrderQuestion, Taken, movers, words};
use std::ops::Bound;
use std::time::Duration;

/// On which side of a length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Than {
    More,
    AtLeast,
    Less,
    AtMost,
    Just,
}

/// They say that a length is that of the event right before.
#[rustfmt::skip]
const ATTRIBUTES: &[&str] = &[
    "that lasted", "which lasted", "that last", "which last", "that lasts", "lasting", "that had lasted", "that have lasted", "that each lasted", "that took", "which took", "that went on", "which went on", "that were", "which were", "that was", "which was", "that are", "that is", "with a duration of", "with durations of", "with a length of", "with a duration", "whose duration was", "whose duration is", "of a duration of", "that had a duration of", "having lasted", "that ran", "which ran", "and lasted", "and took", "and ran",
];
/// As those before, where more than a length stands behind: "stops of at least 8 s", "that exceeded 8 s".
const BEFORE_THAN: &[&str] = &["of", "that", "which", "to", "for", "that were over"];
/// One of them is in what says surely that a length is one of an event.
#[rustfmt::skip]
const LASTED: &[&str] = &["lasted", "last", "lasts", "lasting", "duration", "durations", "length", "took", "ran", "went on", "of"];
/// They say it of what is asked for.
#[rustfmt::skip]
const PREDICATES: &[&str] = &["lasted", "have lasted", "had lasted", "took", "went on", "had a duration of", "ran", "were", "was", "each lasted", "needed", "went"];
#[rustfmt::skip]
const THAN: &Rows<Than> = &[
    (Than::More, &["longer than", "more than", "over", "above", "in excess of", "exceeding", "greater than", "beyond", "strictly longer than", "strictly more than", "any longer than", "upwards of", "exceeded", "exceed", "exceeds", "outlasted", "outlast", "topped"]),
    (Than::AtLeast, &["at least", "no less than", "not less than", "no shorter than", "not shorter than", "a minimum of", "no fewer than"]),
    (Than::Less, &["less than", "under", "shorter than", "below", "fewer than", "strictly less than", "strictly shorter than"]),
    (Than::AtMost, &["at most", "no more than", "not more than", "no longer than", "not longer than", "a maximum of"]),
    (Than::Just, &["exactly", "precisely", "only", "just", "exactly for"]),
];
#[rustfmt::skip]
const OR: &Rows<Than> = &[
    (Than::AtLeast, &["or more", "or longer", "and more", "and longer", "or over", "or above", "and up", "or greater", "at least", "at minimum", "或更久", "或更长", "或以上", "及以上", "或更多", "或者更久", "或者更长", "或者以上", "及更久"]),
    (Than::AtMost, &["or less", "or shorter", "and less", "and shorter", "or under", "or below", "or fewer", "at most", "at maximum", "tops", "或更短", "或以下", "及以下", "或更少", "及更短"]),
];
#[rustfmt::skip]
const HAN_LEADS: &[&str] = &["持续时间", "持续时长", "持续的时间", "持续了", "持续", "时长", "时间", "历时", "停了", "停机时间", "停机时长", "停机", "动了", "丢了", "掉了", "耗时", "用时", "长度", "停顿", "运动时间", "运动时长", "停", "拖了", "连续"];
const HAN_IS: &[&str] = &["为", "是", "都", "在", "长达", "达", "了"];
#[rustfmt::skip]
const HAN_THAN: &Rows<Than> = &[
    (Than::More, &["超过", "超过了", "大于", "多于", "长于", "高于", "超出", "超出了", "比"]),
    (Than::AtLeast, &["不少于", "不低于", "至少", "不短于", "不小于", "起码", "大于等于", "大于或等于", "最少", "达到", "达到了", "满", "满了", "够", "足足"]),
    (Than::Less, &["不到", "少于", "短于", "低于", "不足", "小于", "未到", "未满", "不满", "没到"]),
    (Than::AtMost, &["不超过", "至多", "最多", "不多于", "不长于", "不大于", "未超过", "没超过", "小于等于", "小于或等于"]),
    (Than::Just, &["恰好", "正好", "刚好", "只有", "只", "仅", "仅有", "整整", "恰好是", "正好是", "刚好是", "恰好只", "恰好为", "恰恰"]),
];
/// 八秒以上: whether eight seconds are among them is not sure.
const HAN_OR: &Rows<Than> =
    &[(Than::AtLeast, &["以上"]), (Than::AtMost, &["以下", "以内", "之内", "内"])];
/// Before a length they say that it is a distance in time.
#[rustfmt::skip]
const HAN_APART: &[&str] = &["后", "前", "隔", "距", "离", "差", "等", "速度", "距离", "角度", "每", "最近", "过去", "间隔", "相隔", "近", "头", "开始", "约", "大约", "大概"];
/// Between two lengths that both bound.
const AND: &[&str] = &[
    "but", "and", "yet", "but also", "但", "且", "而且", "又", "但又", "并且", "但是", "同时", "而",
];
/// Before them a length is not that of the events, or not just that.
#[rustfmt::skip]
const NOT: &[&str] = &[
    "not", "never", "t", "without", "nor", "no", "about", "around", "roughly", "approximately", "nearly", "almost",
    "不", "没", "没有", "并非", "未", "大约", "大概", "约", "差不多", "将近", "接近",
];
/// A length that is said of another thing, or asked for.
#[rustfmt::skip]
const HOW_LONG: &[&str] = &["how long", "how many seconds", "how many minutes", "gap", "gaps", "apart", "interval", "intervals", "combined", "average", "total time", "total duration", "sum", "多久", "多长时间", "多少秒", "几秒", "几分钟", "间隔", "相隔", "总共停", "平均", "总时长"];
/// Stands in the place of an event.
const STAND_IN: &str = "takeover";
/// Words between 超过8秒的 and what it is said of.
#[rustfmt::skip]
const HAN_BETWEEN: &[&str] = &["那次", "那一次", "那些", "所有", "全部", "每次", "每一次", "一次", "这些", "一共", "各次", "那几次", "几次", "哪些", "哪几次"];

/// A text without the words for a length.
pub(super) struct Lasting {
    pub text: String,
    /// With another event in place of what they are said of, when that stands beside them.
    marked: Option<String>,
    lengths: Lengths,
    /// Whether they are said of what is asked for.
    is_predicate: bool,
}

/// The words for a length.
struct Said {
    from: usize,
    to: usize,
    lengths: Lengths,
    /// The name of what they are said of, when it stands beside them.
    name: Option<(usize, usize)>,
    is_predicate: bool,
}

/// Of a text that says how long events lasted.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<Lasting> {
    let asks_how_long = (0..all.len()).any(|at| longest_of(&all[at..], HOW_LONG).is_some());
    if asks_how_long {
        return None;
    }
    let said = |at: usize| {
        let said = english(text, all, at).or_else(|| han(text, all, at));
        said.or_else(|| adjective(text, all, at))
    };
    let Said { from, to, lengths, name, is_predicate } = outside_names(all).find_map(said)?;
    let (cut, behind) = (all[from].place.start, all[to - 1].place.end);
    let without = |text: &str, (start, end): (usize, usize)| {
        let before = text[..start].trim_end_matches([' ', '>', '<', '=', '≥', '≤', '＞', '＜']);
        format!("{before}{}", &text[end..])
    };
    let plain = without(text, (cut, behind));
    let stand_in = |(first, last): (usize, usize)| {
        let (start, end) = (all[first].place.start, all[last - 1].place.end);
        let word = match () {
            () if all[first].is_han() => "接管",
            () if text[..end].ends_with('s') && !text[..end].ends_with("loss") => "takeovers",
            () => STAND_IN,
        };
        let replaced = |text: &str| format!("{}{word}{}", &text[..start], &text[end..]);
        match start < cut {
            true => replaced(&plain),
            false => without(&replaced(text), (cut, behind)),
        }
    };
    Some(Lasting { marked: name.map(stand_in), text: plain, lengths, is_predicate })
}

impl Than {
    fn bounds(self, secs: f64) -> Option<(Bound<Duration>, Bound<Duration>)> {
        let at = Duration::try_from_secs_f64(secs).ok()?;
        Some(match self {
            Self::More => (Bound::Excluded(at), Bound::Unbounded),
            Self::AtLeast => (Bound::Included(at), Bound::Unbounded),
            Self::Less => (Bound::Unbounded, Bound::Excluded(at)),
            Self::AtMost => (Bound::Unbounded, Bound::Included(at)),
            Self::Just => (Bound::Included(at), Bound::Included(at)),
        })
    }
}

/// A sign that says what stands on which side.
fn sign(before: &str) -> Option<Than> {
    Some(match before.trim() {
        ">" | "＞" => Than::More,
        ">=" | "≥" | "=>" => Than::AtLeast,
        "<" | "＜" => Than::Less,
        "<=" | "≤" | "=<" => Than::AtMost,
        _ => return None,
    })
}

/// "Between 3 and 5 s", 3到5秒: whether the ends are among them is not sure.
fn between(all: &[Atom], at: usize) -> Option<(usize, Lengths)> {
    let low_at = at + longest_of(&all[at..], &["between", "from", "在", "介于", "从"]).unwrap_or(0);
    let (number, count) = words::cardinal(all.get(low_at..)?)?;
    let own = words::length(&all[low_at..]);
    let low_end = low_at + own.map_or(count, |(count, _)| count);
    let and = low_end + longest_of(all.get(low_end..)?, &["and", "to", "到", "至", "和", "与"])?;
    let (count, high) = words::length(all.get(and..)?)?;
    // "3 to 5 min".
    let unit = high / words::cardinal(&all[and..])?.0;
    let low = own.map_or(number * unit, |(_, secs)| secs);
    let end = and + count + longest_of(&all[and + count..], &["之间", "间"]).unwrap_or(0);
    let at = |secs| Duration::try_from_secs_f64(secs).ok();
    let (from, until) = (Bound::Included(at(low)?), Bound::Included(at(high)?));
    (low < high).then_some((end, Lengths { from, until, is_end_sure: false }))
}

/// Lengths that are said at a place.
struct Bounded {
    to: usize,
    lengths: Lengths,
    /// Whether a length alone says it.
    is_bare: bool,
}

/// One bound that stands at a place.
fn bound(text: &str, all: &[Atom], at: usize) -> Option<Bounded> {
    let begun = all.get(at)?.place.start;
    let before = at.checked_sub(1).map_or(0, |before| all[before].place.end);
    let signed = sign(&text[before..begun]).map(|than| (0, than));
    let than = longest(&all[at..], THAN).or_else(|| longest(&all[at..], HAN_THAN)).or(signed);
    let length = at + than.map_or(0, |(count, _)| count);
    let (count, secs) = words::length(all.get(length..)?)?;
    let rest = &all[length + count..];
    let is_vague =
        longest_of(rest, &["or so", "左右", "多", "上下", "前后", "per", "each"]).is_some();
    let (or, han_or) = (longest(rest, OR), longest(rest, HAN_OR));
    let (more, than) = match (than, or.or(han_or)) {
        // 比8秒长的, 比8秒短的.
        (Some(_), _) if all[at].text == "比" => match rest.first()?.text.as_str() {
            "长" | "久" => (1, Some(Than::More)),
            "短" => (1, Some(Than::Less)),
            _ => return None,
        },
        (None | Some((_, Than::Just)), Some((count, than))) => (count, Some(than)),
        // 不到八秒以内.
        (Some(_), Some(_)) => return None,
        (than, None) => (0, than.map(|(_, than)| than)),
    };
    let (from, until) = than.unwrap_or(Than::Just).bounds(secs)?;
    let lengths = Lengths { from, until, is_end_sure: han_or.is_none() };
    let to = length + count + more;
    (!is_vague).then_some(Bounded { to, lengths, is_bare: than.is_none() })
}

/// One bound, or two that bound from both sides: "longer than 3 s but shorter than 6".
fn bounds(text: &str, all: &[Atom], at: usize) -> Option<Bounded> {
    if let Some((to, lengths)) = between(all, at) {
        // They may be times of the day, or a distance, without a word before them.
        return Some(Bounded { to, lengths, is_bare: true });
    }
    let one = bound(text, all, at)?;
    let and = one.to + longest_of(&all[one.to..], AND).unwrap_or(0);
    match bound(text, all, and).filter(|next| !next.is_bare) {
        Some(Bounded { to, lengths, .. }) => {
            Some(Bounded { to, lengths: one.lengths.and(lengths)?, is_bare: false })
        }
        None => Some(one),
    }
}

/// The names of events in a text, from one atom to another.
pub(super) fn names(all: &[Atom]) -> Vec<(usize, usize)> {
    let (mut at, mut names) = (0, Vec::new());
    while at < all.len() {
        let (count, class) = class_at(&all[at..]).unwrap_or((1, None));
        names.extend(class.map(|_| (at, at + count)));
        at += count;
    }
    names
}

/// Where a name may begin or end: not within one, as 停 is within 急停.
pub(super) fn outside_names(all: &[Atom]) -> impl Iterator<Item = usize> {
    let names = names(all);
    (0..all.len()).filter(move |at| names.iter().all(|(from, to)| at <= from || to <= at))
}

/// The name of events that ends right before a place: "the first stop", "the first one".
fn name_before(all: &[Atom], place: usize) -> Option<(usize, usize)> {
    let is_one = place > 0 && all[place - 1].is_one_of(&["one", "ones"]);
    let one = is_one.then(|| (place - 1, place));
    names(all).into_iter().find(|(_, end)| *end == place).or(one)
}

/// "The 7-second stop": a length with a hyphen, before a name.
fn adjective(text: &str, all: &[Atom], at: usize) -> Option<Said> {
    let (count, secs) = words::length(&all[at..])?;
    let to = at + count;
    let is_joined = text[all[at].place.end..].starts_with('-')
        && !ends(&all[..at], &["last", "first", "past", "final"]);
    let name = names(all).into_iter().find(|(from, _)| *from == to).filter(|_| is_joined)?;
    let (from, until) = Than::Just.bounds(secs)?;
    let lengths = Lengths { from, until, is_end_sure: true };
    Some(Said { from: at, to, lengths, name: Some(name), is_predicate: false })
}

fn english(text: &str, all: &[Atom], at: usize) -> Option<Said> {
    const WHETHER: &[&str] = &["was", "were", "is", "are", "did", "do", "does", "has", "have"];
    // "Was the last stop longer than 3 s?"
    let asks_whether = all[0].is_one_of(WHETHER) && all.get(1).is_none_or(|it| it.text != "there");
    if all[at].is_han() || asks_whether || is_denied(&all[..at]) {
        return None;
    }
    let attribute = longest_of(&all[at..], ATTRIBUTES);
    let predicate = longest_of(&all[at..], PREDICATES).filter(|_| attribute.is_none());
    let begun = at + attribute.or(predicate).unwrap_or(0);
    let before_than = longest_of(all.get(begun..)?, BEFORE_THAN).unwrap_or(0);
    let Bounded { to, lengths, is_bare } = bounds(text, all, begun + before_than)?;
    // "Twelve stops, which lasted over 3 s".
    let is_told = all[at].text == "which" && text[..all[at].place.start].trim_end().ends_with(',');
    // "The last five minutes", "of 8 s"; but "lasted 8 s", "lasted for 8 s".
    let is_led = begun > at && (before_than == 0 || all[begun].text == "for");
    if is_told || is_bare && !is_led {
        return None;
    }
    let is_relative = attribute.is_some() || before_than > 0 && all[begun].text != "for";
    let says_length = longest_of(&all[begun..], &["longer", "shorter"]).is_some();
    let lead = &all[at..begun + before_than];
    let is_distance = !says_length && !has(lead, LASTED) && is_distance(&all[to..]);
    let name = name_before(all, at);
    let is_signed = at > 0 && sign(&text[all[at - 1].place.end..all[at].place.start]).is_some();
    let is_such = !lead.is_empty() || says_length || is_signed || name.is_some();
    if is_distance || !is_such {
        return None;
    }
    let said = |name, is_predicate| Some(Said { from: at, to, lengths, name, is_predicate });
    if predicate.is_some() {
        let is_of_time = name.is_some_and(|(from, _)| is_of_time(&all[..from]));
        return if is_of_time { said(name, false) } else { said(None, true) };
    }
    // "How many stops were there in the last hour for more than 3 s?"
    said(name, !is_relative && name.is_none())
}

/// Whether words before make it another length, or are those that it begins with.
fn is_denied(before: &[Atom]) -> bool {
    let is_begun =
        ends(before, HAN_LEADS) && names(before).last().is_none_or(|(_, to)| *to < before.len());
    let is_begun =
        is_begun || ends(before, PREDICATES) || ends(before, &["last", "lasts", "lasting"]);
    is_begun || ends(before, NOT) && !ends(before, &["有没有"])
}

/// "When was the last time a stop": of the times that there was one.
fn is_of_time(before: &[Atom]) -> bool {
    const TIME: &[&str] = &["time", "times", "time that", "times that", "time when"];
    let article = before.last().is_some_and(|it| it.is_one_of(&["a", "an", "the"]));
    ends(&before[..before.len() - usize::from(article)], TIME)
}

/// "Over 10 s before": what stands behind a length makes a distance of it.
fn is_distance(behind: &[Atom]) -> bool {
    #[rustfmt::skip]
    const BEHIND: &[&str] = &[
        "before", "after", "ago", "later", "apart", "into", "earlier", "from", "prior", "behind", "following", "since", "ahead", "past", "away", "between", "in", "within", "long",
    ];
    behind.first().is_some_and(|next| next.is_one_of(BEHIND))
}

fn han(text: &str, all: &[Atom], at: usize) -> Option<Said> {
    if !text.chars().any(is_han) || is_denied(&all[..at]) {
        return None;
    }
    let lead = longest_of(&all[at..], HAN_LEADS);
    let begun = at + lead.unwrap_or(0);
    let is = lead.map_or(0, |_| longest_of(&all[begun..], HAN_IS).unwrap_or(0));
    let Bounded { to, lengths, is_bare } = bounds(text, all, begun + is)?;
    // 急停后不到二十秒的掉件, but 最近一个小时内，超过两秒的急停.
    let is_glued = at > 0 && all[at - 1].place.end == all[at].place.start;
    // 之后的十秒之内.
    let is_within = all[to - 1].text == "内";
    if lead.is_none() && (is_bare || is_within || is_glued && ends(&all[..at], HAN_APART)) {
        return None;
    }
    let of = to + longest_of(&all[to..], &["的情况", "的那种", "的"]).unwrap_or(0);
    let mut behind = of;
    while let Some(count) = all.get(behind..).and_then(|rest| {
        let nth = words::nth(rest).map(|(count, _)| count);
        let several = words::several(rest).map(|(count, ..)| count);
        nth.or(several).or_else(|| longest_of(rest, HAN_BETWEEN))
    }) {
        behind += count;
    }
    let named = all.get(behind..).and_then(|rest| {
        let subject = movers::subject(rest).unwrap_or(0);
        let (count, class) = class_at(rest.get(subject..)?)?;
        class.map(|_| (behind + subject, behind + subject + count))
    });
    // 超过8秒的急停; 急停超过8秒的最后一次.
    let is_attribute = named.is_some_and(|_| of > to) || of > to && behind > of;
    let before = name_before(all, at);
    let name = if of > to { named.or(before) } else { None };
    // 第一次急停超过十秒是什么时候.
    let is_of_such = before.is_some() && longest_of(&all[of..], &["是", "发生在", "在"]).is_some();
    Some(Said { from: at, to: of, lengths, name, is_predicate: !(is_attribute || is_of_such) })
}

impl Lasting {
    /// Reads the text; one that asks for all events of a kind, too.
    pub fn read(&self, read: impl Fn(&str) -> Option<OrderQuestion>) -> Option<OrderQuestion> {
        let bare = self.text.trim_end_matches(['?', '.', '!', '？', '。', '！', ' ']);
        let (show, in_order) = match bare.chars().any(is_han) {
            true => ("列出", "，按时间顺序"),
            false => ("Show ", ", oldest first"),
        };
        let all = |text: &str| {
            let asked = read(text)?;
            let is_all = asked.taken == Taken::All && asked.beside.is_none();
            let is_open = asked.bounds.is_open() && asked.of_log.is_none() && !asked.is_counted;
            // 如果急停超过八秒怎么办.
            let words = atoms(&asked.of.words);
            let is_subject = words.is_empty() || movers::subject(&words) == Some(words.len());
            (is_all && is_open && is_subject).then_some(OrderQuestion { order: None, ..asked })
        };
        read(&self.text)
            .or_else(|| all(&format!("{bare}{in_order}")))
            .or_else(|| is_name(bare).then(|| all(&format!("{show}{bare}{in_order}")))?)
    }

    /// What was read, of events of that length; `None` when it is not sure of which they are said. `read`: reads a text.
    pub fn restored(
        &self,
        mut asked: OrderQuestion,
        read: impl FnOnce(&str) -> Option<OrderQuestion>,
    ) -> Option<OrderQuestion> {
        let said: Vec<usize> = places(&asked, |of| !of.is_empty());
        let places = match said[..] {
            [one] => vec![one],
            _ if self.is_predicate => vec![0],
            _ => {
                let marked = read(self.marked.as_deref()?)?;
                (places(&marked, |of| !of.is_empty()) == said).then_some(())?;
                // "Between the first and the last one that lasted over 8 s".
                places(&marked, |of| of.class == Some(STAND_IN))
            }
        };
        // "Which of the last five stops lasted longer than 3 s?" is of the last five of all.
        let is_of_some = self.is_predicate && (asked.taken != Taken::All || places != [0]);
        let is_of_many = !asked.or_of.is_empty() && !self.is_predicate || asked.but_not.is_some();
        if is_of_some || is_of_many || places.is_empty() {
            return None;
        }
        // "Which stops and losses lasted over 3 s?"
        let places = if places == [0] { (0..=asked.or_of.len()).collect() } else { places };
        for place in places {
            let of = asked.named_mut().nth(place)?;
            (of.lasted.is_none() && !of.is_empty()).then_some(())?;
            of.lasted = Some(Lasted::For(self.lengths));
        }
        Some(asked)
    }
}

/// Whether words for a length were taken for the names of events.
pub(super) fn is_left(asked: &OrderQuestion) -> bool {
    #[rustfmt::skip]
    const LENGTHS: &[&str] = &["longest", "shortest", "longer", "shorter", "lasted", "lasting", "最长", "最久", "最短", "持续"];
    asked.named().any(|of| has(&atoms(&of.words), LENGTHS))
}

/// Whether a text is no more than a name of events.
fn is_name(text: &str) -> bool {
    let all = atoms(text);
    let article =
        longest_of(&all, &["the", "all", "all the", "any", "所有", "所有的"]).unwrap_or(0);
    movers::named_class(&all[article..]).is_some_and(|count| article + count == all.len())
}

/// Where the events stand among all that a question names.
fn places(asked: &OrderQuestion, is_one: impl Fn(&NamedEvents) -> bool) -> Vec<usize> {
    asked.named().enumerate().filter(|(_, of)| is_one(of)).map(|(place, _)| place).collect()
}
