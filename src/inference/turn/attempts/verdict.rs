//! How a clause says that something ended.

use std::ops::Range;

use super::super::super::items::ItemKind;
use super::super::forms::is_article;
use super::super::reading::Reading;
use super::super::words::Cue;
use super::words::{Mark, mark};

/// Something in a clause that tells how an attempt ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Its first item.
    pub at: usize,
    pub is_good: bool,
    /// Whether it is told by what does not come about and is not known to be good or bad.
    pub is_weak: bool,
    /// Whether the word by itself is good: in "did not slip" it is not.
    pub is_good_word: bool,
    /// It says only that the same came about, or did not: "15 N did".
    pub is_echo: bool,
}

/// Items between "not" and what it denies.
const NOT_ITEMS_MAX: usize = 4;

/// Verbs of going wrong that are also done on purpose: "folded the towel".
#[rustfmt::skip]
const ON_PURPOSE: &[&str] = &[
    "fold", "clip", "brush", "spray", "pinch", "hang", "slid", "slide", "twist", "spun", "spin", "unscrew", "snap", "bend", "bent", "tear", "tore", "catch", "caught",
    "strip", "pop", "swing", "swung", "shake", "shook", "stick", "stuck", "separat", "detach", "disconnect", "loosen", "melt", "tip", "curl", "rock", "split",
];

/// Adverbs of Chinese, after which 不 denies what follows and is no part of the verb before it.
const ADVERBS: &str = "也都还就又才却并从很则再仍总老太真好子件个杯盘盒力";
/// What a Chinese verb can come to: 拧不动, 够不着.
const COMPLEMENTS: &str = "住着开动上下进出起到了稳牢紧过来去成掉断干满透严平齐准";
/// What goes on after a verb that went wrong: 弹开, 掉下来.
const AFTERS: &str = "开起来下出到上倒了进过去走掉落坏弯歪断裂碎穿翻脱偏";

/// The words of a clause that tell how something ended, in order. `values_end` is the item after its last
/// value: before that, some words only tell what was to be done.
pub(super) fn evidence(reading: &Reading, range: &Range<usize>, values: &[usize]) -> Vec<Evidence> {
    let mut found: Vec<Evidence> = Vec::new();
    let mut denied_at: Option<usize> = None;
    let mut index = range.start;
    while index < range.end {
        if let Some(end) = not_complement(reading, range, index) {
            found.push(Evidence::told(index, true, true));
            denied_at = None;
            index = end;
            continue;
        }
        let (mark, used) = match read(reading, index) {
            Some((mark, used)) => (Some(mark), used),
            None => (None, 1),
        };
        let after = (index + used).min(range.end);
        let is_denied = denied_at.is_some_and(|at| index - at <= NOT_ITEMS_MAX);
        match mark {
            Some(Mark::Not) if asks(reading, range, index) => {}
            Some(Mark::Not | Mark::Nearly) => {
                // "Never ... not" is rare; the last counts.
                denied_at = Some(after - 1);
            }
            Some(Mark::Good) => {
                found.push(Evidence::told(index, true, is_denied));
                denied_at = None;
            }
            Some(Mark::Result) if is_denied => {
                found.push(Evidence::told(index, true, true));
                denied_at = None;
            }
            // "Slip detected": what came after it went wrong.
            Some(Mark::Result) if found.last().is_some_and(|it| !it.is_good) => {}
            Some(Mark::Result)
                if values.iter().all(|&value| value < index)
                    || is_intransitive(reading, range, index, after) =>
            {
                found.push(Evidence { is_weak: true, ..Evidence::told(index, true, false) });
            }
            // "He was there, too".
            Some(Mark::Bad)
                if reading.is_word(index, &["too"])
                    && used == 1
                    && (after >= range.end || reading.items[after].kind != ItemKind::Word) => {}
            Some(Mark::Bad) if !is_name(reading, range, index, after, values) => {
                found.push(Evidence::told(index, false, is_denied));
                // "Failed to open": what was not done.
                if reading.is_word(after, &["to"]) {
                    return found;
                }
                // "Not a drop was lost".
                denied_at = is_denied.then_some(after - 1);
                index = after;
                while index < range.end
                    && reading.is_han(index)
                    && AFTERS.contains(reading.items[index].text.as_str())
                {
                    index += 1;
                }
                continue;
            }
            Some(Mark::Bad) => denied_at = None,
            _ => {}
        }
        index = after;
    }
    if found.is_empty() {
        let last = range.end - 1;
        let denies = denied_at == Some(last);
        let verb = if denies { last.wrapping_sub(1) } else { last };
        let is_echo = verb >= range.start
            && range.contains(&verb)
            && reading.is_word(verb, &["did", "does"])
            && range.len() > 1;
        if is_echo {
            found.push(Evidence { is_echo, ..Evidence::told(verb, true, denies) });
        } else if let Some(at) = denied_at {
            found.extend(denial(reading, range, at, values));
        }
    }
    found
}

impl Evidence {
    fn told(at: usize, is_good_word: bool, is_denied: bool) -> Self {
        let is_good = is_good_word != is_denied;
        Self { at, is_good, is_weak: false, is_good_word, is_echo: false }
    }
}

/// Whether what something came to stands before the value that it came to it at: "the jar held at 15 N".
fn is_intransitive(reading: &Reading, range: &Range<usize>, index: usize, after: usize) -> bool {
    index > range.start
        && reading.is_word(after, &["at", "with", "using", "from"])
        && matches!(reading.items[index - 1].kind, ItemKind::Word | ItemKind::Name)
        && !matches!(
            reading.cue(index - 1),
            Some(
                Cue::Was
                    | Cue::Is
                    | Cue::And
                    | Cue::But
                    | Cue::Speaker
                    | Cue::Done
                    | Cue::Therefore
            )
        )
        && !reading.is_word(index - 1, &["robot", "arm", "to", "be"])
}

/// What the item at `index` says, and how many items say it. Of what the words of reports know to be a part of
/// another word, nothing.
fn read(reading: &Reading, index: usize) -> Option<(Mark, usize)> {
    let found = mark(&reading.items[index..]);
    let part_of = reading.cues[index].filter(|(cue, used)| *cue == Cue::Plain && *used > 1);
    // "Lifted it at 60 N and it stayed", but "it stayed shut".
    let is_last = reading.items.get(index + 1).is_none_or(|next| next.kind == ItemKind::Break);
    if found.is_none() && is_last && reading.is_word(index, &["stayed", "came", "moved", "cleared"])
    {
        return Some((Mark::Result, 1));
    }
    match (found, part_of) {
        (Some((_, used)), Some((_, longer))) if longer > used => Some((Mark::Neutral, longer)),
        (found, _) => found,
    }
}

/// The end of a Chinese verb that comes to nothing, of which 不 stands at `index`: 拧不动.
fn not_complement(reading: &Reading, range: &Range<usize>, index: usize) -> Option<usize> {
    let is_not = reading.is_word(index, &["不"]) && index > range.start && index + 1 < range.end;
    let follows_verb = is_not
        && reading.is_han(index - 1)
        && !ADVERBS.contains(reading.items[index - 1].text.as_str());
    let has_complement = follows_verb
        && reading.is_han(index + 1)
        && COMPLEMENTS.contains(reading.items[index + 1].text.as_str());
    if !has_complement {
        return None;
    }
    let mut end = index + 2;
    while end < range.end
        && reading.is_han(end)
        && COMPLEMENTS.contains(reading.items[end].text.as_str())
    {
        end += 1;
    }
    Some(end)
}

/// Whether a word of going wrong only tells what a thing is like, or what was to be done: "the broken cup",
/// "folded the towel at 5 N".
fn is_name(
    reading: &Reading,
    range: &Range<usize>,
    index: usize,
    after: usize,
    values: &[usize],
) -> bool {
    if reading.items[index].kind != ItemKind::Word {
        return false;
    }
    let next_is_noun = reading.items.get(after).is_some_and(|next| next.kind == ItemKind::Word)
        && after < range.end
        && !is_article(reading, after)
        && mark(&reading.items[after..]).is_none()
        && !matches!(
            reading.cue(after),
            Some(Cue::At | Cue::Preposition | Cue::And | Cue::Was | Cue::Is | Cue::Adverb)
        );
    let after_article = index > range.start && is_article(reading, index - 1);
    if after_article && next_is_noun && !reading.is_word(index, &["too"]) {
        return true;
    }
    let stem = super::super::super::stem::stem(&reading.items[index].text).into_owned();
    let is_first = (range.start..index).all(|at| {
        matches!(reading.cue(at), Some(Cue::And | Cue::Speaker | Cue::Therefore | Cue::Adverb))
    });
    let before_value = values.iter().any(|&value| value > index);
    is_first
        && before_value
        && after - index == 1
        && ON_PURPOSE.contains(&stem.as_str())
        && (is_article(reading, after)
            || next_is_noun && !reading.is_word(after, &["at", "with", "by"]))
}

/// What a denial tells of which the words do not know what is denied: "did not budge", 没扣上; "12 N: no".
fn denial(
    reading: &Reading,
    range: &Range<usize>,
    at: usize,
    values: &[usize],
) -> Option<Evidence> {
    let failed = Evidence { is_weak: true, ..Evidence::told(at, true, true) };
    if at + 1 >= range.end {
        return Some(Evidence { is_weak: false, ..failed });
    }
    let is_han = reading.is_han(at);
    if is_han {
        let denies_act = ["没", "未", "有"].contains(&reading.items[at].text.as_str());
        // 没有缝: a thing that was not there tells nothing by itself.
        let denies_thing = reading.is_word(at, &["有"]);
        return (denies_act && !denies_thing).then_some(failed);
    }
    let is_verb_before = at > range.start
        && reading.is_word(
            at - 1,
            &["did", "does", "do", "would", "could", "can", "was", "were", "has", "had", "is"],
        );
    let never = reading.is_word(at, &["never"]);
    let follows_value = values.iter().any(|&value| value < at);
    (is_verb_before || never && (follows_value || values.is_empty())).then_some(failed)
}

/// Whether a Chinese verb stands on both sides of its denial at `index`, and asks: 扣没扣上.
fn asks(reading: &Reading, range: &Range<usize>, index: usize) -> bool {
    reading.is_word(index, &["没", "不"])
        && index > range.start
        && index + 1 < range.end
        && reading.is_han(index - 1)
        && reading.items[index - 1].text == reading.items[index + 1].text
}

/// Whether a clause says that nobody knows how it ended.
pub(super) fn is_unclear(reading: &Reading, range: &Range<usize>) -> bool {
    let mut index = range.start;
    while index < range.end {
        if asks(reading, range, index) {
            return true;
        }
        let (found, used) = read(reading, index).unwrap_or((Mark::Neutral, 1));
        // "Not sure why" doubts the reason.
        let of_reason = reading.is_word(index + used, &["why", "how", "what", "为", "原"]);
        if found == Mark::Unclear && !of_reason {
            return true;
        }
        index += used;
    }
    false
}

/// Whether one of the marks stands in the clause.
pub(super) fn has(reading: &Reading, range: &Range<usize>, wanted: &[Mark]) -> bool {
    marks(reading, range).any(|(_, mark)| wanted.contains(&mark))
}

/// The marks of a clause in order.
pub(super) fn marks<'a>(
    reading: &'a Reading,
    range: &Range<usize>,
) -> impl Iterator<Item = (usize, Mark)> + use<'a> {
    let (mut index, end) = (range.start, range.end);
    std::iter::from_fn(move || {
        while index < end {
            let at = index;
            let Some((mark, used)) = read(reading, at) else {
                index += 1;
                continue;
            };
            index += used;
            return Some((at, mark));
        }
        None
    })
}
