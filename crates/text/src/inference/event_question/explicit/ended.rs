//! Events beside which is asked once they were over: "what came after the first stop ended?", 最后一次急停结束后. Without these words the
//! question is read beside the event, and then from its end.

use super::super::atoms::{Atom, atoms, ends, has, longest_of, said};
use super::super::classes::class_at;
use super::super::numbers::month;
use super::lasting::names;
use super::memory_ids::STAND_IN;
use super::{Anchor, Beside, NamedEvents, OrderQuestion, stand_in};

const END_OF: &[&str] =
    &["the end of", "end of", "the very end of", "the completion of", "the ending of"];
/// What stands before these words is after the end.
#[rustfmt::skip]
const AFTER: &[&str] = &["after", "since", "following", "from", "between", "once", "as soon as"];
#[rustfmt::skip]
const ENDED: &[&str] = &[
    "ended", "had ended", "has ended", "was over", "is over", "were over", "was finished", "had finished", "finished", "has finished", "came to an end", "had come to an end", "was completed", "had been completed", "was cleared", "had been cleared", "s end", "was done", "was gone", "was through", "came to a stop", "had come to a stop", "has come to a stop",
];
/// Behind "ended" they make it a time.
const OF_TIME: &[&str] = &[
    "before", "after", "at", "by", "in", "within", "between", "on", "around", "until", "till", "to",
];
const HAN_ENDED: &[&str] = &[
    "结束",
    "完毕",
    "解除",
    "消除",
    "结束了",
    "完全结束",
    "完成",
    "做完",
    "已经结束",
    "刚结束",
    "完了",
    "完",
    "停止",
    "停下来",
    "停下",
];
/// Behind a clause that says the end they ask for what came after it.
const HAN_NEXT: &[&str] = &["接下来", "接着", "然后", "紧接着", "随后", "下一次", "下一个", "之后"];
/// It is no event that ends behind one of these.
const HAN_OTHERS: &[&str] =
    &["记录", "日志", "数据", "录制", "上午", "下午", "白天", "班", "今天", "昨天"];
/// What says an end in any way.
#[rustfmt::skip]
const ANY_END: &[&str] = &[
    "ended",  "to end", "over", "finished", "finish", "completed", "completion", "complete", "cleared", "released", "reset", "lifted", "acknowledged", "resolved", "terminated", "concluded", "came to an end", "come to an end", "its end", "s end", "ends of", "the ending of", "cancelled", "canceled",
];
/// Before or behind "over" they make another word of it.
const OVER: &[&str] = &["over the", "over an", "over a", "over all", "over 1", "over to"];
const HAN_ANY_END: &[&str] = &[
    "结束", "完毕", "完成", "做完", "完了", "完后", "解除", "消除", "复位", "释放", "撤销", "终止",
    "终了", "取消",
];
/// So many words stand between a name and that it ended.
const HAN_WORDS_MAX: usize = 4;
#[rustfmt::skip]
const HAN_AFTER: &[&str] = &["之后", "以后", "后", "起", "以来", "到", "至", "开始", "算起", "的那一刻起", "那一刻起"];
/// So many words stand between "the end of" and a name: "the last protective stop".
const WORDS_MAX: usize = 4;

/// A text without the words for an end.
pub(super) struct Ended {
    pub text: String,
    /// With another event in the place of that which ended.
    marked: String,
    /// Of what kind that is.
    class: Option<&'static str>,
}

/// From one atom to another.
type Name = (usize, usize);
/// Where the words for an end begin and end, and the name that they are said of.
type Said = (usize, usize, Name);

/// Of a text that asks beside the end of an event.
pub(super) fn in_plain_words(text: &str, all: &[Atom]) -> Option<Ended> {
    let names = names(all);
    let ended = |at: usize| {
        end_of(text, all, &names, at)
            .or_else(|| ended(text, all, &names, at))
            .or_else(|| han(text, all, &names, at))
    };
    let (from, to, name) = (0..all.len()).find_map(ended)?;
    let (text, marked) = stand_in::without_words(text, all, (from, to), Some(name));
    let class = class_at(&all[name.0..]).and_then(|(_, class)| class);
    Some(Ended { text, marked: marked?, class })
}

/// "After the end of the first stop": where the words are, and the name.
fn end_of(text: &str, all: &[Atom], names: &[Name], at: usize) -> Option<Said> {
    let to = at + longest_of(&all[at..], END_OF)?;
    let name = *names.iter().find(|(from, _)| *from >= to)?;
    let is_near = name.0 - to <= WORDS_MAX && is_clause(text, &all[to..name.1]);
    (ends(&all[..at], AFTER) && is_near).then_some((at, to, name))
}

/// "After the first stop ended".
fn ended(text: &str, all: &[Atom], names: &[Name], at: usize) -> Option<Said> {
    let to = at + longest_of(&all[at..], ENDED)?;
    let name = *names.iter().rfind(|(_, to)| *to <= at)?;
    if !all[name.1..at].iter().all(is_of_time) {
        return None;
    }
    let after = (0..name.0).rfind(|from| longest_of(&all[*from..], AFTER).is_some())?;
    let is_at_time = all.get(to..).is_some_and(|rest| longest_of(rest, OF_TIME).is_some());
    let is_one = name.0 - after <= WORDS_MAX + 1 && is_clause(text, &all[after..to]);
    (is_one && !is_at_time).then_some((at, to, name))
}

/// 第二次急停结束后.
fn han(text: &str, all: &[Atom], names: &[Name], at: usize) -> Option<Said> {
    let name = *names.iter().find(|(_, to)| *to == at)?;
    let to = at + longest_of(&all[at..], HAN_ENDED)?;
    let is_clause = || text[all[to - 1].place.end..].starts_with([',', '，', '。', '、']);
    let is_after =
        longest_of(all.get(to..)?, HAN_AFTER).is_some() || is_clause() && has(&all[to..], HAN_NEXT);
    is_after.then_some((at, to, name))
}

/// "Before the end of the stop in memory 504"; but "until the end of the log".
fn is_end_of(text: &str, all: &[Atom], names: &[Name]) -> bool {
    (0..all.len()).any(|at| {
        let end = longest_of(&all[at..], END_OF).map(|count| at + count);
        let is_near = |end: usize, from: usize| {
            from >= end && from - end <= WORDS_MAX && is_clause(text, &all[end..=from])
        };
        end.is_some_and(|end| names.iter().any(|(from, _)| is_near(end, *from)))
    })
}

/// Whether a word is part of the time of an event: "the stop at 8:35:40 am was over".
fn is_of_time(atom: &Atom) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 17] = ["day", "at", "on", "of", "in", "the", "this", "today", "yesterday", "morning", "afternoon", "evening", "am", "pm", "a", "p", "m"];
    atom.has_digit_first() || atom.is_one_of(&WORDS) || month(&atom.text).is_some()
}

/// Whether an end is said that is not that of an event beside which it asks: "stops that ended before 10:00", 第一次急停复位后.
pub(super) fn is_said(text: &str, all: &[Atom]) -> bool {
    let names = names(all);
    let says = if all.iter().any(Atom::is_han) { says_han_end } else { says_end };
    (0..all.len()).any(|at| says(text, all, &names, at))
        || is_end_of(text, all, &names)
        || has(all, &["end of memory", "end of event", "end of entry", "开始到结束"])
}

/// Whether a word for an end is in one clause with a name of events.
fn says_end(text: &str, all: &[Atom], names: &[Name], at: usize) -> bool {
    const BE: [&str; 6] = ["was", "is", "were", "are", "be", "been"];
    let Some(to) = longest_of(&all[at..], ANY_END).map(|count| at + count) else { return false };
    let is_over = all[at].text == "over" && !(at > 0 && all[at - 1].is_one_of(&BE));
    let is_more = |next: &Atom| next.is_one_of(&["list", "up"]) || next.has_digit_first();
    let is_other = is_over || longest_of(&all[at..], OVER).is_some();
    let is_near = |(from, end): &Name| is_clause(text, &all[(*from).min(at)..(*end).max(to)]);
    !is_other && !all.get(to).is_some_and(is_more) && names.iter().any(is_near)
}

/// The same in Chinese, where it stands beside the name: 急停那次结束, 结束的急停.
fn says_han_end(text: &str, all: &[Atom], names: &[Name], at: usize) -> bool {
    let Some(to) = longest_of(&all[at..], HAN_ANY_END).map(|count| at + count) else {
        return false;
    };
    let is_beside = |(from, end): &Name| {
        let is_before = *end <= at && at - end <= HAN_WORDS_MAX;
        let is_behind = *from == to + 1 && all[to].text == "的";
        is_before && is_clause(text, &all[*end - 1..to]) || is_behind
    };
    let is_row = ends(&all[..at], &["事件", "记忆", "那次", "那条"]);
    !ends(&all[..at], HAN_OTHERS) && (is_row || names.iter().any(is_beside))
}

fn is_clause(text: &str, part: &[Atom]) -> bool {
    !said(text, part).contains([',', '，', '。', ';', '?', '.'])
}

impl Ended {
    /// What is asked, by what `read` reads of others, beside the end of that event; `None` when it is not asked from that on.
    pub fn read(&self, read: impl Fn(&str) -> Option<OrderQuestion>) -> Option<OrderQuestion> {
        // Of two ends neither is read.
        if in_plain_words(&self.text, &atoms(&self.text)).is_some() {
            return None;
        }
        let mut asked = read(&self.text)?;
        let is_such = |of: &NamedEvents| of.class == self.class || of.or_class == self.class;
        let is_only = asked.named().filter(|of| is_such(of)).count() == 1;
        let is_marked = |anchor: &Anchor| anchor.of.class == Some(STAND_IN);
        let marked = if is_only { None } else { Some(read(&self.marked)?) };
        let is_alone =
            |it: &OrderQuestion| it.named().filter(|of| of.class == Some(STAND_IN)).count() == 1;
        let is_it = |anchor: &Anchor, other: Option<&Anchor>| match other {
            Some(other) => is_marked(other) && marked.as_ref().is_some_and(is_alone),
            None => is_only && is_such(&anchor.of),
        };
        let of_marked = marked.as_ref().and_then(|marked| marked.anchors().next());
        let anchor = match &mut asked.beside {
            Some(
                Beside::After(anchor, _) | Beside::Since(anchor) | Beside::Between(anchor, ..),
            ) => Some(anchor).filter(|anchor| is_it(anchor, of_marked)),
            _ => None,
        };
        anchor.filter(|anchor| anchor.of.became.is_none())?.is_end = true;
        let is_alike = marked.is_none_or(|it| of_side(&it) == of_side(&asked));
        is_alike.then_some(asked)
    }
}

/// On which side of an event it is asked.
fn of_side(asked: &OrderQuestion) -> Option<std::mem::Discriminant<Beside>> {
    asked.beside.as_ref().map(std::mem::discriminant)
}
