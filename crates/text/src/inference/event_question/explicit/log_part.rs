//! "In the last ten minutes of the log", 记录的头半小时内: of the time from the first event to the last one, and not of now.

use super::super::atoms::{Atom, longest_of};
use super::super::classes::class_at;
use super::super::numbers::unit;
use super::bounds::Present;
use super::cycles::HAN_IN;
use super::words::length;
use super::{End, OrderQuestion, Taken, stand_in};

const IN: &[&str] = &["in", "during", "within", "over", "throughout", "for", "from"];
#[rustfmt::skip]
const ENDS: [(End, &[&str]); 2] = [
    (End::First, &["first", "very first", "opening", "initial"]),
    (End::Last, &["last", "very last", "final", "closing"]),
];
#[rustfmt::skip]
const LOGS: &[&str] = &[
    "log", "log file", "recording", "bag", "bag file", "rosbag", "record", "records", "data", "data set", "dataset", "history", "timeline", "trace", "capture",
];
const ARTICLES: &[&str] =
    &["the", "this", "that", "your", "our", "the whole", "the entire", "today s"];
#[rustfmt::skip]
const HAN_LOGS: &[&str] = &[
    "日志", "记录", "录制", "录包", "数据", "数据包", "录像", "时间线",
];
#[rustfmt::skip]
const HAN_ENDS: [(End, &[&str]); 2] = [
    (End::First, &["最初", "最开始", "开头", "开始", "起初", "头", "前", "最前", "开始后", "开始之后", "开始以后", "开始后的", "开始后头", "开始后的头", "开始后的前", "开始后的最初", "开头的", "最初的", "最开始的"]),
    (End::Last, &["最后", "最后的", "末尾", "末尾的", "结尾", "结束前", "结束前的", "结束前最后", "结束前的最后", "最末", "最末的"]),
];

/// What stands for a part of the log: its first and its last atom, from which end, and how many seconds.
pub(super) struct Part {
    from: usize,
    to: usize,
    end: End,
    secs: f64,
    /// Whether it is said that something was in it.
    is_inside: bool,
}

/// The part that a text names.
pub(super) fn named(text: &str, all: &[Atom]) -> Option<Part> {
    (0..all.len()).find_map(|at| part(text, all, at))
}

/// What a text asks of such a part, by what `read` reads of it with another time in its place.
pub(super) fn within(
    part: &Part,
    (text, all): (&str, &[Atom]),
    present: &Present<'_>,
    read: impl Fn(&str) -> Option<OrderQuestion>,
) -> Option<OrderQuestion> {
    const ON: &[&str] = &[
        "on", "onward", "onwards", "till", "until", "to", "up to", "起", "开始", "以来", "之后",
        "以后", "后", "之前", "以前", "前", "以外", "之外",
    ];
    let Part { from, to, end, secs, is_inside } = *part;
    if !is_inside || longest_of(&all[to..], ON).is_some() {
        return None;
    }
    let before = text[..all[from].place.start].trim_end_matches('在');
    let sides = [before, &text[all[to - 1].place.end..]];
    let asked = stand_in::read_around(sides, !all[from].is_han(), present, read)?;
    let is_all = !asked.is_just && !matches!(asked.taken, Taken::Nearest(_));
    // The end of today's log is that of the log.
    let is_open = asked.bounds.is_open() || end == End::Last && asked.bounds.contains(present.now);
    (is_all && is_open).then_some(OrderQuestion { of_log: Some((end, secs)), ..asked })
}

fn part(text: &str, all: &[Atom], at: usize) -> Option<Part> {
    english(all, at).or_else(|| possessed(all, at)).or_else(|| han(text, all, at))
}

/// "The last ten minutes", "the first minute": where it ends.
fn stretch(all: &[Atom], at: usize) -> Option<(End, f64, usize)> {
    let of_end = |(end, words): (End, &[&str])| {
        let begun = at + longest_of(&all[at..], words)?;
        let rest = all.get(begun..)?;
        let one = || unit(rest).map(|(unit, count)| (count, unit.secs()));
        let (count, secs) = length(rest).or_else(one)?;
        Some((end, secs, begun + count))
    };
    ENDS.into_iter().find_map(of_end)
}

/// "In the last ten minutes of the log".
fn english(all: &[Atom], at: usize) -> Option<Part> {
    let lead = longest_of(&all[at..], IN);
    let begun = at + lead.unwrap_or(0);
    let article = begun + longest_of(all.get(begun..)?, ARTICLES)?;
    let (end, secs, of) = stretch(all, article)?;
    let log = of + longest_of(all.get(of..)?, &["of"])?;
    let is_of_today = end == End::First && longest_of(&all[log..], &["today s"]).is_some();
    let log = log + longest_of(all.get(log..)?, ARTICLES)?;
    let to = log + longest_of(all.get(log..)?, LOGS)?;
    let is_inside = is_inside(all, at, lead) && !is_of_today;
    Some(Part { from: at, to, end, secs, is_inside })
}

/// "In the recording's first half hour".
fn possessed(all: &[Atom], at: usize) -> Option<Part> {
    let lead = longest_of(&all[at..], IN);
    let begun = at + lead.unwrap_or(0);
    let log = begun + longest_of(all.get(begun..)?, ARTICLES)?;
    let s = log + longest_of(all.get(log..)?, LOGS)?;
    let (end, secs, to) = stretch(all, s + longest_of(all.get(s..)?, &["s"])?)?;
    Some(Part { from: at, to, end, secs, is_inside: is_inside(all, at, lead) })
}

/// "In", but not "from".
fn is_inside(all: &[Atom], at: usize, lead: Option<usize>) -> bool {
    lead.is_some() && all[at].text != "from"
}

/// 在日志的最后十分钟里, 这段记录开始后的头二十分钟内; 上次急停的记录前十分钟 is beside an event.
fn han(text: &str, all: &[Atom], at: usize) -> Option<Part> {
    const THIS: &[&str] = &["的", "这段", "这份", "本次", "整段", "整个", "该"];
    let before = at.checked_sub(1).map(|at| &all[at]);
    let is_begin = before.is_none_or(|before| {
        let gap = &text[before.place.end..all[at].place.start];
        let is_today = before.text == "天" && at > 1 && all[at - 2].text == "今";
        is_today
            || before.is_one_of(&["在", "出"])
            || gap.contains(['，', ',', '：', ':', '。', ' '])
    });
    let this = longest_of(&all[at..], THIS);
    let lead = at + this.unwrap_or(0);
    let log = lead + longest_of(all.get(lead..)?, HAN_LOGS)?;
    let of = log + longest_of(all.get(log..)?, &["的", "里", "中"]).unwrap_or(0);
    HAN_ENDS.into_iter().find_map(|(end, words)| {
        let begun = of + longest_of(all.get(of..)?, words)?;
        let (count, secs) = length(all.get(begun..)?)?;
        // 记录前十分钟 is before it.
        let is_before = of == log && all[of].is_one_of(&["前", "头"]);
        let is_of_event = (0..at).any(|at| class_at(&all[at..]).is_some());
        let to = begun + count;
        let inside = longest_of(&all[to..], HAN_IN).unwrap_or(0);
        let is_inside = (is_begin || this.is_some()) && !is_before;
        (is_inside || !is_of_event).then_some(Part {
            from: at,
            to: to + inside,
            end,
            secs,
            is_inside,
        })
    })
}
