//! How a clause says that something ended.

use std::ops::Range;

use super::super::super::items::ItemKind;
use super::super::morphology::is_article;
use super::super::parsed_sentence::ParsedSentence;
use super::super::words::LexicalClass::*;
use super::words::{Mark, blemish, mark};

/// Something in a clause that tells how an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Evidence {
    /// Its first item.
    pub at: usize,
    pub is_good: bool,
    /// Whether the word by itself is good: in "did not slip" it is not.
    pub is_good_word: bool,
    /// Whether it tells the end by itself, and not only what came about or did not.
    pub is_sure: bool,
    /// What went wrong may yet have ended well.
    pub is_mild: bool,
    /// What came about may be what was wanted: it melted.
    pub is_either: bool,
    /// It says that something is not there any more.
    pub is_gone: bool,
}

/// Items between "not" and what it denies.
const NOT_ITEMS_MAX: usize = 4;

/// Verbs of going wrong that are also done on purpose: "folded the towel".
#[rustfmt::skip]
const ON_PURPOSE: &[&str] = &[
    "scrape", "twist", "bend", "bent", "tear", "tore", "shake", "shook", "tip", "rock", "split", "roll", "blow", "tilt",
];

/// Adverbs of Chinese, after which 不 denies what follows and is no part of the verb before it.
const ADVERBS: &str = "也都还就又才却并从很则再仍总老太真好子件个杯盘盒力";
/// What a Chinese verb can come to: 拧不动, 够不着.
const COMPLEMENTS: &str = "住着开动上下进出起到了稳牢紧过来去成掉断干满透严平齐准";
/// What goes on after a verb that went wrong: 弹开, 掉下来.
const AFTERS: &str = "开起来下出到上倒了进过去走掉落坏弯歪断裂碎穿翻脱偏";

/// The words of a clause that tell how something ended, in order. Before the last of its `values` some words
/// only tell what was to be done.
pub(super) fn evidence(
    sentence: &ParsedSentence,
    range: &Range<usize>,
    values: &[usize],
) -> Vec<Evidence> {
    let mut clause = Clause {
        reading: sentence,
        range,
        values,
        found: Vec::new(),
        denied_at: None,
        is_nearly: false,
    };
    let mut index = Some(range.start);
    while let Some(at) = index.filter(|&at| at < range.end) {
        index = clause.read(at);
    }
    clause.conclude();
    clause.found
}

/// A clause while it is read.
struct Clause<'a> {
    reading: &'a ParsedSentence,
    range: &'a Range<usize>,
    values: &'a [usize],
    found: Vec<Evidence>,
    /// The last item of what denies what follows.
    denied_at: Option<usize>,
    /// What denies it says that it almost came about.
    is_nearly: bool,
}

impl Clause<'_> {
    /// Reads what stands at `index`, and returns where to go on; `None`: the rest says nothing of the end.
    fn read(&mut self, index: usize) -> Option<usize> {
        let (reading, range) = (self.reading, self.range);
        if let Some(end) = not_complement(reading, range, index) {
            self.add_evidence(Evidence::at_word(index, true, true));
            return Some(end);
        }
        let (mark, used) = match read(reading, index) {
            Some((mark, used)) => (Some(mark), used),
            None => match self.is_blemish(index) {
                Some(used) => (Some(Mark::Bad), used),
                None => (None, 1),
            },
        };
        let after = (index + used).min(range.end);
        // 没惊动就起来了: what follows came about.
        if !self.is_nearly && reading.is_word(index, &["就", "才", "但", "而"]) {
            self.denied_at = None;
        }
        // "Streak-free", "spill free", 气泡一个都没有: what went wrong stands before what denies it.
        if let Some(end) = denied_behind(reading, range, index) {
            self.add_evidence(Evidence { is_sure: false, ..Evidence::at_word(index, false, true) });
            return Some(end);
        }
        match mark {
            Some(bad @ (Mark::Bad | Mark::Mild | Mark::Either)) => {
                return self.read_bad(bad, index, after);
            }
            Some(mark) => self.read_mark(mark, index, after),
            // "Without so much as a wobble".
            None if self.is_denied(index)
                && reading.is_word(index, &["so", "much", "as", "a", "any", "or", "single"]) =>
            {
                self.denied_at = Some(index);
            }
            None => {}
        }
        Some(after)
    }

    fn is_denied(&self, index: usize) -> bool {
        self.denied_at.is_some_and(|at| index - at <= NOT_ITEMS_MAX)
    }

    /// Adds what ends a denial.
    fn add_evidence(&mut self, evidence: Evidence) {
        self.found.push(evidence);
        self.denied_at = None;
    }

    fn read_mark(&mut self, mark: Mark, index: usize, after: usize) {
        let (reading, range, values) = (self.reading, self.range, self.values);
        let is_denied = self.is_denied(index);
        match mark {
            Mark::Not if asks(reading, range, index) => {}
            // "Never ... not" is rare; the last counts.
            Mark::Not | Mark::Nearly => {
                self.denied_at = Some(after - 1);
                self.is_nearly = mark == Mark::Nearly;
            }
            Mark::Good => self.add_evidence(Evidence::at_word(index, true, is_denied)),
            Mark::Result if is_denied => self.add_evidence(Evidence::at_word(index, true, true)),
            Mark::Result => {
                // "Slip detected": what came after it went wrong.
                let is_of_bad = self.found.last().is_some_and(|it| {
                    !it.is_good && !values.iter().any(|&value| value > it.at && value < index)
                });
                let comes_about = values.iter().all(|&value| value < index)
                    || is_intransitive(reading, range, index, after);
                if !is_of_bad && comes_about {
                    let evidence = Evidence::at_word(index, true, false);
                    self.found.push(Evidence { is_sure: false, ..evidence });
                }
            }
            // 没倒, "nobody hurt": it did not come about.
            Mark::Harm if is_denied && !self.is_nearly => {
                self.add_evidence(Evidence {
                    is_sure: false,
                    ..Evidence::at_word(index, false, true)
                });
                self.denied_at = Some(after - 1);
            }
            Mark::Gone => {
                let is_blemish =
                    (range.start..index).any(|at| blemish(&reading.items[at..]).is_some());
                if is_blemish {
                    self.found.retain(|it| it.is_good);
                }
                let evidence = Evidence::at_word(index, is_blemish, is_denied);
                self.add_evidence(Evidence { is_sure: is_blemish, is_gone: true, ..evidence });
            }
            Mark::GivenUp => self.found.push(Evidence::at_word(index, false, false)),
            _ => {}
        }
    }

    /// Reads a word of going wrong.
    fn read_bad(&mut self, bad: Mark, index: usize, after: usize) -> Option<usize> {
        let (reading, range, values) = (self.reading, self.range, self.values);
        let is_denied = self.is_denied(index);
        let is_before_value = values.iter().any(|&value| value >= index);
        // "It did not melt": nobody knows whether it was to. "Peeled at 20 deg": what was done.
        if bad == Mark::Either && (is_denied || is_before_value) {
            self.denied_at = self.denied_at.filter(|_| !is_denied);
            return Some(after);
        }
        // "He was there, too"; 纹丝不动地入位: how it came about.
        let is_also = reading.is_word(index, &["too"])
            && after == index + 1
            && (after >= range.end || reading.items[after].kind != ItemKind::Word);
        if bad == Mark::Bad && (is_also || reading.is_word(after, &["地"])) {
            return Some(after);
        }
        if self.is_name(index, after) {
            self.denied_at = None;
            return Some(after);
        }
        // "Could not tear it": what it was to come to.
        let could = |at: usize| reading.is_word(at, &["could", "can"]);
        let is_unable = self.denied_at.and_then(|at| at.checked_sub(1)).is_some_and(could);
        let is_denied = is_denied && !is_unable;
        self.found.push(Evidence {
            is_mild: bad == Mark::Mild,
            is_either: bad == Mark::Either,
            is_sure: !is_denied,
            ..Evidence::at_word(index, false, is_denied)
        });
        // "Failed to open": what was not done.
        if reading.is_word(after, &["to"]) {
            self.denied_at = None;
            return None;
        }
        // "Not a drop was lost".
        self.denied_at = is_denied.then_some(after - 1);
        let goes_on = |at: &usize| reading.is_han_of(*at, AFTERS);
        (after..range.end).find(|at| !goes_on(at)).or(Some(range.end))
    }

    /// What a clause tells in which no word tells an end: a share, or a denial of what the words do not know.
    fn conclude(&mut self) {
        let (reading, range) = (self.reading, self.range);
        if !self.found.is_empty() {
            return;
        }
        let share = |at: usize| Some((at, part_of_all(reading, at)?));
        if let Some((at, is_all)) = (range.start..range.end).find_map(share) {
            self.found.push(Evidence { is_sure: false, ..Evidence::at_word(at, true, !is_all) });
            return;
        }
        // "Turned it further and it stopped".
        let last = range.end - 1;
        let is_halt = self.denied_at == Some(last)
            && reading.is_word(last, &["stopped", "prevented", "avoided"]);
        if let Some(at) = self.denied_at.filter(|_| !is_halt) {
            self.found.extend(self.denial(at));
        }
    }
}

/// Items between what went wrong and what denies it: 气泡一个都没有.
const BEHIND_ITEMS_MAX: usize = 3;

/// The end of what went wrong at `index` and is denied behind: "streak free", 报警都没有, 印子没留下.
fn denied_behind(sentence: &ParsedSentence, range: &Range<usize>, index: usize) -> Option<usize> {
    let items = &sentence.items;
    let named = match read(sentence, index) {
        Some((Mark::Bad | Mark::Mild | Mark::Harm, used)) => used,
        _ => blemish(&items[index..])?,
    };
    let after = index + named;
    if !sentence.is_han(index) {
        let is_joined = items.get(after).is_some_and(|item| item.kind == ItemKind::Sign);
        let at = after + usize::from(is_joined);
        return (at + 1 == range.end && sentence.is_word(at, &["free"])).then_some(range.end);
    }
    // 一点..都没有: only at the end of the clause, or before what it could have left.
    let not = (after..range.end.min(after + 1 + BEHIND_ITEMS_MAX)).find(|&at| {
        sentence.is_word(at, &["没", "未", "无"])
            && mark(&items[at..]).is_none_or(|it| it.0 == Mark::Not || it.0 == Mark::Gone)
    })?;
    let joins = (after..not).all(|at| {
        sentence.is_word(
            at,
            &[
                "子", "都", "也", "个", "一", "滴", "丝", "毫", "几", "乎", "点", "处", "条", "道",
                "根", "完", "全", "再", "就",
            ],
        )
    });
    let leaves = (not + 1..range.end).all(|at| {
        sentence.is_word(at, &["有", "了", "留", "下", "剩", "出", "见", "掉", "着", "过", "现"])
    });
    (joins && leaves).then_some(range.end)
}

/// Whether a share is told at `index`, and is the whole: "6 of 6", "2 of 6".
fn part_of_all(sentence: &ParsedSentence, index: usize) -> Option<bool> {
    let number = |at: usize| match &sentence.items.get(at)?.kind {
        ItemKind::Quantity(it) if it.unit.is_empty() => Some(it.written.clone()),
        _ => None,
    };
    let (part, all) = (number(index)?, number(index + 2)?);
    let is_share = sentence.is_word(index + 1, &["of", "out", "/"]);
    is_share.then(|| part.compare(&all) == std::cmp::Ordering::Equal)
}

impl Clause<'_> {
    /// How many items at `index` name what should not be there, where the clause tells that it is.
    fn is_blemish(&self, index: usize) -> Option<usize> {
        let Self { reading, range, values, .. } = *self;
        let used = blemish(&reading.items[index..])?;
        let stays = (index + used..range.end).any(|at| {
            reading.is_word(
                at,
                &["left", "stayed", "remained", "there", "remain", "visible", "在", "留"],
            )
        });
        let is_had =
            index > range.start && reading.is_word(index - 1, &["left", "有", "留", "留下", "出"]);
        let is_denied = (range.start..index)
            .any(|at| matches!(mark(&reading.items[at..]), Some((Mark::Not, _))));
        let is_after = values.iter().all(|&value| value < index);
        (is_after && (stays || is_had || is_denied || !values.is_empty())).then_some(used)
    }
}

impl Evidence {
    fn at_word(at: usize, is_good_word: bool, is_denied: bool) -> Self {
        Self {
            at,
            is_good: is_good_word != is_denied,
            is_good_word,
            is_sure: true,
            is_mild: false,
            is_either: false,
            is_gone: false,
        }
    }
}

/// Whether what something came to stands before the value that it came to it at: "the jar held at 15 N".
fn is_intransitive(
    sentence: &ParsedSentence,
    range: &Range<usize>,
    index: usize,
    after: usize,
) -> bool {
    index > range.start
        && sentence.is_word(after, &["at", "with", "using", "from"])
        && matches!(sentence.items[index - 1].kind, ItemKind::Word | ItemKind::Name)
        && !sentence.has_cue(index - 1, &[Was, Is, And, But, Speaker, Done, Therefore])
        && !sentence.is_word(index - 1, &["robot", "arm", "to", "be"])
}

/// What the item at `index` says, and how many items say it. Of what the words of reports know to be a part of
/// another word, nothing.
fn read(sentence: &ParsedSentence, index: usize) -> Option<(Mark, usize)> {
    let found = mark(&sentence.items[index..]);
    let part_of = sentence.cues[index].filter(|(cue, used)| *cue == Plain && *used > 1);

    // "Lifted it at 60 N and it stayed", but "it stayed shut".
    let is_last = sentence.items.get(index + 1).is_none_or(|next| next.kind == ItemKind::Break);
    if found.is_none()
        && is_last
        && sentence.is_word(index, &["stayed", "came", "moved", "cleared"])
    {
        return Some((Mark::Result, 1));
    }
    match (found, part_of) {
        (Some((_, used)), Some((_, longer))) if longer > used => Some((Mark::Neutral, longer)),
        (found, _) => found,
    }
}

/// The end of a Chinese verb that comes to nothing, of which 不 stands at `index`: 拧不动.
fn not_complement(sentence: &ParsedSentence, range: &Range<usize>, index: usize) -> Option<usize> {
    let is_not = sentence.is_word(index, &["不"]) && index > range.start && index + 1 < range.end;
    let follows_verb = is_not
        && sentence.is_han(index - 1)
        && !ADVERBS.contains(sentence.items[index - 1].text.as_str());
    let goes_on = |at: &usize| sentence.is_han_of(*at, COMPLEMENTS);
    if !follows_verb || !goes_on(&(index + 1)) {
        return None;
    }
    (index + 2..range.end).find(|at| !goes_on(at)).or(Some(range.end))
}

impl Clause<'_> {
    /// Whether a word of going wrong only tells what a thing is like, or what was to be done: "the broken cup",
    /// "folded the towel at 5 N".
    fn is_name(&self, index: usize, after: usize) -> bool {
        let Self { reading, range, values, .. } = *self;
        if reading.items[index].kind != ItemKind::Word {
            return false;
        }
        let next_is_noun = reading.items.get(after).is_some_and(|next| next.kind == ItemKind::Word)
            && after < range.end
            && !is_article(reading, after)
            && mark(&reading.items[after..]).is_none()
            && !reading.has_cue(after, &[At, Preposition, And, Was, Is, Adverb]);
        let after_article = index > range.start && is_article(reading, index - 1);
        if after_article && next_is_noun && !reading.is_word(index, &["too"]) {
            return true;
        }
        let is_plain = super::super::super::stem::stem(&reading.items[index].text)
            == reading.items[index].text;
        // "Walked round the block".
        if is_plain && index > range.start && reading.is_word(index - 1, &["the"]) {
            return true;
        }
        // "Pipette tip pickup at 10 N".
        if is_plain && next_is_noun && values.iter().any(|&value| value > after) {
            return true;
        }
        // "Cut a new strip at 0.04 m/s".
        let is_named_before = values.iter().any(|&value| value > index)
            && (index.saturating_sub(2).max(range.start)..index).any(|at| is_article(reading, at))
            && mark(&reading.items[index - 1..]).is_none()
            && is_plain;
        if is_named_before {
            return true;
        }
        let stem = super::super::super::stem::stem(&reading.items[index].text).into_owned();
        let is_first =
            (range.start..index).all(|at| reading.has_cue(at, &[And, Speaker, Therefore, Adverb]));
        let before_value = values.iter().any(|&value| value > index);
        is_first
            && before_value
            && after - index == 1
            && (ON_PURPOSE.contains(&stem.as_str())
                || mark(&reading.items[index..]).is_some_and(|(it, _)| it == Mark::Either))
            && (is_article(reading, after)
                || next_is_noun && !reading.is_word(after, &["at", "with", "by"]))
    }

    /// What a denial tells of which the words do not know what is denied: "did not budge", 没扣上; "12 N: no".
    fn denial(&self, at: usize) -> Option<Evidence> {
        let Self { reading, range, values, .. } = *self;
        let failed = Evidence { is_sure: false, ..Evidence::at_word(at, true, true) };
        if at + 1 >= range.end {
            return Some(Evidence { is_sure: true, ..failed });
        }
        let is_han = reading.is_han(at);
        // 再没被吹开过: what went wrong did not come again.
        let is_no_more = is_han
            && (reading.is_word(at, &["再"])
                || at > range.start && reading.is_word(at - 1, &["再"]));
        if is_no_more {
            return Some(Evidence { is_good: true, ..failed });
        }
        if is_han {
            let denies_act = reading.is_word(at, &["没", "未", "有"]);
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
}

/// Whether a Chinese verb stands on both sides of its denial at `index`, and asks: 扣没扣上.
fn asks(sentence: &ParsedSentence, range: &Range<usize>, index: usize) -> bool {
    sentence.is_word(index, &["没", "不"])
        && index > range.start
        && index + 1 < range.end
        && sentence.is_han(index - 1)
        && sentence.items[index - 1].text == sentence.items[index + 1].text
}

/// Whether a clause says that nobody knows how it ended.
pub(super) fn is_unclear(sentence: &ParsedSentence, range: &Range<usize>) -> bool {
    let mut index = range.start;
    while index < range.end {
        if asks(sentence, range, index) {
            return true;
        }
        let (found, used) = read(sentence, index).unwrap_or((Mark::Neutral, 1));
        if found == Mark::Unclear {
            return true;
        }
        index += used;
    }
    false
}

/// Whether one of the marks stands in the clause.
pub(super) fn has(sentence: &ParsedSentence, range: &Range<usize>, wanted: &[Mark]) -> bool {
    marks(sentence, range).any(|(_, mark)| wanted.contains(&mark))
}

/// The marks of a clause in order.
pub(super) fn marks<'a>(
    sentence: &'a ParsedSentence,
    range: &Range<usize>,
) -> impl Iterator<Item = (usize, Mark)> + use<'a> {
    let (mut index, end) = (range.start, range.end);
    std::iter::from_fn(move || {
        while index < end {
            let at = index;
            let Some((mark, used)) = read(sentence, at) else {
                index += 1;
                continue;
            };
            index += used;
            return Some((at, mark));
        }
        None
    })
}
