//! Events of a length: "stops that lasted longer than 8 s", 持续不到三秒的掉件. Without these words the question is read of events of any
//! length, and then of those.

use super::super::super::lexer::is_han;
use super::super::atoms::{Atom, atoms, ends, has, longest_of, said};
use super::super::classes::class_at;
use super::lengths::{self, Bounded, bounds, is_signed};
use super::memory_ids::STAND_IN;
use super::{Lasted, Lengths, NamedEvents, OrderQuestion, Taken, movers, stand_in, words};

/// They say that a length is that of the event right before.
#[rustfmt::skip]
const ATTRIBUTES: &[&str] = &[
    "that lasted", "which lasted", "that last", "which last", "that lasts", "lasting", "that had lasted", "that have lasted", "that each lasted", "that took", "which took", "that went on", "which went on", "that were", "which were", "that was", "which was", "that are", "that is", "with a duration of", "with durations of", "with a length of", "with a duration", "whose duration was", "whose duration is", "of a duration of", "that had a duration of", "having lasted", "to last", "that remained active", "that stayed active", "that remained on", "that stayed on", "that kept", "that ran", "which ran",
];
/// As those before, where more than a length stands behind: "stops of at least 8 s", "that exceeded 8 s".
const BEFORE_THAN: &[&str] = &["of", "that", "which", "to", "for", "that were over"];
/// One of them is in what says surely that a length is one of an event.
#[rustfmt::skip]
const LASTED: &[&str] = &["lasted", "last", "lasts", "lasting", "duration", "durations", "length", "took", "ran", "went on", "of"];
/// They say it of what is asked for.
#[rustfmt::skip]
const PREDICATES: &[&str] = &["lasted", "have lasted", "had lasted", "took", "went on", "had a duration of", "ran", "were", "was", "each lasted", "needed", "went", "and lasted", "and took", "and ran"];
/// They say it alone.
const FINITE: &[&str] = &["exceeded", "exceed", "exceeds", "outlasted", "topped"];
/// Before a name: whether all were so is no list of these.
const OF_ALL: &[&str] = &["all", "every", "each", "all the", "all of the", "no"];
/// They go with several.
#[rustfmt::skip]
const OF_MANY: &[&str] = &["that were", "which were", "that are", "that last", "which last", "that exceed", "which exceed", "that have"];
const WHETHER: &[&str] = &["was", "were", "is", "are", "did", "do", "does", "has", "have"];
#[rustfmt::skip]
const HAN_LEADS: &[&str] = &["持续时间", "持续时长", "持续的时间", "持续了", "持续", "时长", "时间", "历时", "停了", "停机时间", "停机时长", "停机", "动了", "丢了", "掉了", "耗时", "用时", "长度", "停顿", "运动时间", "运动时长", "停", "拖了", "连续"];
const HAN_IS: &[&str] = &["为", "是", "在", "长达", "达", "了"];
/// Before a length they say that it is a distance in time.
#[rustfmt::skip]
const HAN_APART: &[&str] = &["后", "前", "隔", "距", "离", "差", "等", "速度", "距离", "角度", "每", "最近", "过去", "间隔", "相隔", "近", "头", "开始", "约", "大约", "大概"];
/// Before them a length is not that of the events, or not just that.
#[rustfmt::skip]
const NOT: &[&str] = &[
    "not", "never", "t", "without", "nor", "no", "about", "around", "roughly", "approximately", "nearly", "almost",
    "all", "every", "each", "总共", "一共", "都", "全都", "全部", "均", "第", "要", "必须", "应", "应该", "应当",
    "不", "没", "没有", "并非", "未", "大约", "大概", "约", "差不多", "将近", "接近",
];
/// They say or ask a length of something else than one event, or what it means.
#[rustfmt::skip]
const OF_OTHERS: &[&str] = &[
    "how long", "how many seconds", "how many minutes", "gap", "gaps", "apart", "interval", "intervals", "combined", "average", "total time", "total duration", "total length", "altogether", "only occur", "occur only", "happen only", "may occur", "next to", "仅次于", "次于", "sum", "summed", "share", "percent", "mean", "means",
    "多久", "多长时间", "多少秒", "几秒", "几分钟", "间隔", "相隔", "平均", "总时长", "总时间", "总和", "累计", "合计", "加起来", "占", "说明什么", "算什么", "意味", "代表什么",
];
/// Before a length with a hyphen they make a time of it: "the last 10-minute stretch".
const ENDS: &[&str] = &["last", "first", "past", "final"];
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

/// Whether a text says or asks a length of something else than one event.
pub(super) fn is_of_others(all: &[Atom]) -> bool {
    has(all, OF_OTHERS)
}

/// Of a text that says how long events lasted.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<Lasting> {
    let counts = (0..all.len()).filter(|at| longest_of(&all[*at..], &["how many"]).is_some());
    if is_of_others(all) || counts.count() > 1 {
        return None;
    }
    let said = |at: usize| {
        let said = english(text, all, at).or_else(|| han(text, all, at));
        said.or_else(|| adjective(text, all, at)).filter(|_| !is_in_name(all, at))
    };
    let Said { from, to, lengths, name, is_predicate } = (0..all.len()).find_map(said)?;
    let (text, marked) = stand_in::without_words(text, all, (from, to), name);
    Some(Lasting { marked, text, lengths, is_predicate })
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

/// Whether a place is within a name, as 停 is within 急停.
pub(super) fn is_in_name(all: &[Atom], at: usize) -> bool {
    names(all).into_iter().any(|(from, to)| from < at && at < to)
}

/// The name of events that ends right before a place: "the first stop", "the first one".
pub(super) fn name_before(all: &[Atom], place: usize) -> Option<(usize, usize)> {
    let is_one = place > 0 && all[place - 1].is_one_of(&["one", "ones"]);
    let one = is_one.then(|| (place - 1, place));
    names(all).into_iter().find(|(_, end)| *end == place).or(one)
}

/// "The 7-second stop", 7秒那次急停: a length with a hyphen, or 那次, before a name.
fn adjective(text: &str, all: &[Atom], at: usize) -> Option<Said> {
    let (count, secs) = words::length(&all[at..])?;
    let that =
        longest_of(&all[at + count..], &["那次", "的那次", "那一次", "的那一次"]).unwrap_or(0);
    let to = at + count + that;
    let before = &all[..at];
    let is_joined = match that {
        0 => text[all[at].place.end..].starts_with('-') && !ends(before, ENDS),
        _ => !is_denied(before) && !ends(before, HAN_APART) && !ends(before, &["点", "时", "分"]),
    };
    let name = names(all).into_iter().find(|(from, _)| *from == to).filter(|_| is_joined)?;
    let lengths = lengths::just(secs)?;
    Some(Said { from: at, to, lengths, name: Some(name), is_predicate: false })
}

fn english(text: &str, all: &[Atom], at: usize) -> Option<Said> {
    // "Was the last stop longer than 3 s?"
    let asks_whether = all[0].is_one_of(WHETHER) && all.get(1).is_none_or(|it| it.text != "there");
    if all[at].is_han() || asks_whether || is_denied(&all[..at]) {
        return None;
    }
    let attribute = longest_of(&all[at..], ATTRIBUTES);
    let predicate = longest_of(&all[at..], PREDICATES).filter(|_| attribute.is_none());
    let begun = at + attribute.or(predicate).unwrap_or(0);
    let than = begun + longest_of(all.get(begun..)?, BEFORE_THAN).unwrap_or(0);
    let Bounded { to, lengths, is_bare } = bounds(text, all, than)?;
    let is_for = than > begun && all[begun].text == "for";
    // "The last five minutes", "of 8 s"; but "lasted 8 s", "lasted for 8 s".
    if is_bare && (begun == at || than > begun && !is_for) {
        return None;
    }
    let lead = &all[at..than];
    let says_length = longest_of(&all[begun..], &["longer", "shorter"]).is_some();
    let is_distance = !says_length && !has(lead, LASTED) && is_distance(&all[to..]);
    let between = at.checked_sub(1).map_or("", |before| between(text, all, before));
    // "Twelve stops, which lasted over 3 s".
    let is_told =
        all[at].text == "which" && (ends(&all[..at], &["and"]) || between.starts_with(','));
    let is_signed = is_signed(text, all, at);
    // "After the third stop, longer than 5 s" is not of that stop.
    let name = name_before(all, at).filter(|_| between.trim().is_empty() || is_signed);
    let is_such = !lead.is_empty() || says_length || is_signed || name.is_some();
    if is_told || is_distance || !is_such {
        return None;
    }
    let is_relative = attribute.is_some() || than > begun && !is_for;
    let is_predicate = predicate.is_some() || !is_relative && all[begun].is_one_of(FINITE);
    let is_behind = |words| name.is_some_and(|(from, _)| ends(&all[..from], words));
    // "Stops by motions longer than 8 s", "all stops were longer than 8 s".
    if is_behind(&["by"]) || is_predicate && is_behind(OF_ALL) {
        return None;
    }
    let said = |name, is_predicate| Some(Said { from: at, to, lengths, name, is_predicate });
    if is_predicate {
        let is_of_time = name.is_some_and(|(from, _)| is_of_time(&all[..from]));
        return if is_of_time { said(name, false) } else { said(None, true) };
    }
    // "The stops before the first grip loss that were longer than 8 s".
    let is_of_many = longest_of(&all[at..], OF_MANY).is_some();
    let is_it = |(_, to): &(usize, usize)| !is_for && (is_plural(&all[to - 1]) || !is_of_many);
    // "How many stops were there in the last hour for more than 3 s?"
    said(name.filter(is_it), !is_relative && name.is_none())
}

/// What stands between an atom and the next one.
fn between<'t>(text: &'t str, all: &[Atom], at: usize) -> &'t str {
    &text[all[at].place.end..all[at + 1].place.start]
}

/// Whether words before make it another length, or are those that it begins with.
fn is_denied(before: &[Atom]) -> bool {
    let is_begun =
        ends(before, HAN_LEADS) && names(before).last().is_none_or(|(_, to)| *to < before.len());
    let is_begun =
        is_begun || ends(before, PREDICATES) || ends(before, &["last", "lasts", "lasting"]);
    is_begun || ends(before, NOT) && !ends(before, &["有没有"])
}

/// 离上次急停超过八秒: a distance in time.
fn is_from(text: &str, before: &[Atom]) -> bool {
    let from = (0..before.len()).rfind(|at| before[*at].is_one_of(&["离", "距"]));
    from.is_some_and(|at| !said(text, &before[at..]).contains([',', '，', '。', '、']))
}

/// Whether a name is of several.
pub(super) fn is_plural(name: &Atom) -> bool {
    name.text.ends_with('s') && name.text != "loss"
}

/// "When was the last time a stop": of the times that there was one.
fn is_of_time(before: &[Atom]) -> bool {
    const TIME: &[&str] = &["time", "times", "time that", "times that", "time when"];
    let article = before.last().is_some_and(|it| it.is_one_of(&["a", "an", "the"]));
    ends(&before[..before.len() - usize::from(article)], TIME)
}

/// "Over 10 s before": what stands behind a length makes a distance of it.
pub(super) fn is_distance(behind: &[Atom]) -> bool {
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
    let is_apart = is_glued && (ends(&all[..at], HAN_APART) || is_from(text, &all[..at]));
    if lead.is_none() && (is_bare || is_apart) {
        return None;
    }
    // 掉件超过八秒之后的急停.
    let before = name_before(all, at);
    if longest_of(&all[to..], &["后", "之后", "以后", "前", "之前", "以前"]).is_some() {
        let name = before.filter(|_| lengths.from != lengths.until)?;
        return Some(Said { from: at, to, lengths, name: Some(name), is_predicate: false });
    }
    let of = to + longest_of(&all[to..], &["的情况", "的那种", "的"]).unwrap_or(0);
    // 掉件正好8秒的那次之前.
    let that = to + longest_of(&all[to..], &["的那次", "的那一次"]).unwrap_or(0);
    if before.is_some() && that > to && all.get(that..).and_then(movers::named_class).is_none() {
        return Some(Said { from: at, to: that, lengths, name: before, is_predicate: false });
    }
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
    let is_beside = named.is_some_and(|(from, _)| from == to);
    let is_attribute = is_beside || of > to && (named.is_some() || behind > of || of == all.len());
    let name = if of > to || is_beside { named.or(before) } else { None };
    // 第一次急停超过十秒是什么时候.
    let is_of_such = before.is_some() && longest_of(&all[of..], &["是", "发生在", "在"]).is_some();
    // 正好11秒的那次急停.
    let that = longest_of(&all[of..], &["那次", "那一次"]).filter(|_| named.is_some()).unwrap_or(0);
    let is_predicate = !(is_attribute || is_of_such);
    Some(Said { from: at, to: of + that, lengths, name, is_predicate })
}

impl Lasting {
    /// Whether it only tells of an event how long it lasted: "the stop at 14:21:07, which lasted 12.1 s".
    pub fn may_be_told(&self) -> bool {
        self.is_predicate && self.lengths.from == self.lengths.until
    }

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
        let of_all = || match is_name(bare) && !self.is_predicate {
            true => all(&format!("{show}{bare}{in_order}")),
            false if asks(bare) => all(&format!("{bare}{in_order}")),
            false => None,
        };
        read(&self.text).or_else(of_all)
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
            // A change takes no time.
            let is_such = of.lasted.is_none() && !of.is_empty() && of.class != Some("change");
            is_such.then_some(())?;
            of.lasted = Some(Lasted::For(self.lengths));
        }
        Some(asked).filter(|asked| !is_left(asked))
    }
}

/// Whether words beside a length were taken for the names of events.
pub(super) fn is_left(asked: &OrderQuestion) -> bool {
    const LENGTHS: &[&str] = &[
        "longest", "shortest", "longer", "shorter", "lasted", "lasting", "最长", "最久", "最短",
        "持续",
    ];
    // Of others than the events themselves.
    const OTHERS: &[&str] = &[
        "joint", "joints", "cycle", "cycles", "outside", "non", "few", "rad", "distance", "每",
        "周期", "循环", "非",
    ];
    asked.named().any(|of| {
        let words = atoms(&of.words);
        let is_other = || of.words.split_whitespace().any(|word| OTHERS.contains(&word));
        has(&words, LENGTHS) || of.lasted.is_some() && is_other()
    })
}

/// Whether a text asks for something, and tells nothing.
fn asks(text: &str) -> bool {
    #[rustfmt::skip]
    const ASKS: &[&str] = &["which", "what", "show", "list", "find", "give", "tell", "print", "when", "were there", "are there", "is there", "哪", "几", "什么", "列出", "查", "找", "有没有", "显示", "给我"];
    has(&atoms(text), ASKS)
}

/// Whether a text is no more than a name of events.
fn is_name(text: &str) -> bool {
    let all = atoms(text);
    let article =
        longest_of(&all, &["the", "all", "all the", "any", "所有", "所有的"]).unwrap_or(0);
    // "Stop for more than 8 s" is an order.
    let is_order = article == 0 && !all.last().is_some_and(|it| it.is_han() || is_plural(it));
    let is_whole =
        movers::named_class(&all[article..]).is_some_and(|count| article + count == all.len());
    is_whole && !is_order
}

/// Where the events stand among all that a question names.
fn places(asked: &OrderQuestion, is_one: impl Fn(&NamedEvents) -> bool) -> Vec<usize> {
    asked.named().enumerate().filter(|(_, of)| is_one(of)).map(|(place, _)| place).collect()
}
