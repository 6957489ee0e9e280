//! A report cut into clauses that each tell one thing of an attempt, and the values that they name.

use std::ops::Range;

use super::super::super::decimal::Decimal;
use super::super::super::items::{Item, ItemKind};
use super::super::parsed_sentence::ParsedSentence;
use super::super::sentences::sentences;
use super::super::words::LexicalClass::*;
use super::values::{Tried, values};
use super::verdict::{Evidence, evidence, has, is_unclear, marks};
use super::words::{Mark, blemish, mark};

/// A clause.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    /// The sentence, from 0.
    pub sentence: usize,
    /// Its items.
    pub range: Range<usize>,
    pub values: Vec<Tried>,
    pub evidence: Vec<Evidence>,
    pub is_unclear: bool,
    /// Not told as done.
    pub is_plan: bool,
    /// Begins with a reason.
    pub is_reason: bool,
    /// Begins with what was before, after another clause of the sentence.
    pub is_earlier: bool,
    pub is_try: bool,
    pub again: bool,
    pub changes: bool,
    /// Told after the one before, and no act of its own.
    pub is_later: bool,
    /// It tells of another try, by any of its words.
    pub turns: bool,
    pub is_other: bool,
    pub is_of_all: bool,
    /// From one value to another.
    pub is_from_to: bool,
    /// One value instead of another.
    pub is_instead: bool,
    /// It says what was done.
    pub acts: bool,
    /// The verb of doing that it begins with.
    pub act: Option<String>,
}

/// A report that is cut.
pub(super) struct Cut {
    pub ranges: Vec<Range<usize>>,
    pub readings: Vec<ParsedSentence>,
    pub segments: Vec<Segment>,
}

impl Cut {
    /// A clause, and the sentence that it is of.
    pub fn at(&self, index: usize) -> (&Segment, &ParsedSentence) {
        let segment = &self.segments[index];
        (segment, &self.readings[segment.sentence])
    }

    pub fn of(text: &str) -> Self {
        let ranges = sentences(text);
        let mut readings: Vec<ParsedSentence> =
            ranges.iter().map(|range| ParsedSentence::with_spoken(text, range)).collect();
        let is_of_heat = text.contains(HEAT);
        readings.iter_mut().for_each(|reading| name_units(reading, text, is_of_heat));
        let mut segments = Vec::new();
        for (sentence, reading) in readings.iter().enumerate() {
            segments.extend(segments_of(reading, sentence));
        }
        // "The stain laughed at 2 bar. At 5 bar it was gone."
        let mut has_blemish = false;
        for segment in &mut segments {
            let items = &readings[segment.sentence].items;
            let names_it =
                segment.range.clone().any(|at| items[at].is_one_of(&["it", "they", "that", "all"]));
            let is_it = names_it && has_blemish;
            for it in segment.evidence.iter_mut().filter(|it| it.is_gone && is_it) {
                (it.is_good, it.is_sure) = (true, true);
            }
            has_blemish |= segment.range.clone().any(|at| blemish(&items[at..]).is_some());
        }
        Self { ranges, readings, segments }
    }
}

/// Characters of heat.
const HEAT: [char; 13] =
    ['温', '热', '烤', '炉', '焊', '烘', '煮', '蒸', '熔', '烫', '封', '冰', '浴'];
/// The least number of turns that is a speed, and none that were made: 2400转.
const TURNS_MIN: u64 = 20;

/// Units that only the words beside them tell: where it is told of heat, 65度 is a temperature, but 转90度 is
/// an angle; 2400转 is a speed.
fn name_units(sentence: &mut ParsedSentence, text: &str, is_of_heat: bool) {
    for at in 0..sentence.items.len() {
        let is_degree = text[sentence.spans[at].clone()].ends_with('度');
        let is_angle = (at.saturating_sub(3)..at)
            .any(|at| sentence.is_word(at, &["角", "转", "弯", "倾", "旋", "开", "拧", "成"]));
        let is_turns = sentence.is_word(at + 1, &["转"])
            && !sentence.is_word(at + 2, &["弯", "动", "身", "数", "到", "移", "换", "角"]);
        let ItemKind::Quantity(it) = &mut sentence.items[at].kind else { continue };
        if is_of_heat && is_degree && !is_angle && it.unit == "°" {
            "°C".clone_into(&mut it.unit);
            it.symbol = "°C";
        } else if is_turns
            && it.unit.is_empty()
            && it.written.compare(&Decimal::from_integer(TURNS_MIN)).is_ge()
        {
            "rpm".clone_into(&mut it.unit);
            it.value = it.written.clone();
            (it.symbol, it.is_count) = ("rpm", false);
        }
    }
}

fn segments_of(reading: &ParsedSentence, sentence: usize) -> Vec<Segment> {
    let tried = values(reading);
    let asks = reading.items.last().is_some_and(|item| item.text == "?");
    let mut found: Vec<Segment> = Vec::new();
    let mut is_planned = asks;
    let count = reading.items.len();
    for range in parts(reading, &tried) {
        let place = |at: usize| tried.partition_point(|value| value.at < at);
        let own: Vec<Tried> = tried[place(range.start)..place(range.end)].to_vec();
        let at: Vec<usize> = own.iter().map(|value| value.at).collect();
        let mut evidence = evidence(reading, &range, &at);
        // "The display said success", 老张说够了: what somebody says is not what came about.
        evidence.retain(|it| !is_claimed(reading, &range, it.at));
        // "Okay, let me see".
        let is_chatter = range.start == 0
            && range.end < count
            && reading.cue(0) == Some(Chatter)
            && reading.after(0) >= range.end;
        if is_chatter {
            evidence.clear();
        }
        let is_done = evidence.iter().any(|it| it.is_sure || !it.is_good_word);
        let plans = plans(reading, &range);
        // What follows a plan in its sentence is of the plan.
        is_planned |= plans && (!is_done || at.is_empty());
        let first = first_mark(reading, &range);
        let is = |wanted: &[Mark]| has(reading, &range, wanted);
        found.push(Segment {
            sentence,
            is_unclear: is_unclear(reading, &range),
            is_plan: is_planned || plans,
            is_reason: first == Some(Mark::Because)
                // "Because it rocked and fell over".
                || at.is_empty()
                    && reading.cue(range.start) == Some(And)
                    && found.last().is_some_and(|before| before.is_reason && before.values.is_empty()),
            is_earlier: !found.is_empty() && first == Some(Mark::Earlier),
            is_try: is_try(reading, &range),
            again: is(&[Mark::Again]),
            changes: is(&[Mark::Change]),
            is_later: is(&[Mark::Later]) && !acts(reading, &range),
            turns: marks(reading, &range).any(|(at, mark)| {
                matches!(mark, Mark::Again | Mark::Change | Mark::Try | Mark::Later)
                    && !reading.is_word(at, ONLY_GOES_ON)
            }),
            is_other: is(&[Mark::Other]),
            is_of_all: is(&[Mark::All]),
            is_from_to: is_from_to(reading, &own),
            is_instead: is_instead(reading, &own),
            acts: acts(reading, &range),
            act: act(reading, &range),
            values: own,
            evidence,
            range,
        });
    }
    found
}

/// Whether somebody says what stands at `at`, or thought so before.
fn is_claimed(sentence: &ParsedSentence, range: &Range<usize>, at: usize) -> bool {
    let claims = marks(sentence, &(range.start..at)).any(|(_, mark)| mark == Mark::Claimed);
    let opens = |index: &usize| sentence.is_word(*index, &["“", "「", "『", "\""]);
    let closes = |index: usize| sentence.is_word(index, &["”", "」", "』", "\""]);
    let is_quoted = (0..at).rev().find(opens).is_some_and(|from| !(from + 1..at).any(closes))
        && (at..sentence.items.len()).any(closes);
    claims || is_quoted
}

/// What only goes on telling: what follows may be what came of it.
#[rustfmt::skip]
const ONLY_GOES_ON: &[&str] = &[
    "so", "then", "until", "next", "finally", "eventually", "later", "afterwards", "still", "only", "才",
    "就", "便", "所", "于", "结", "直", "最", "后", "然", "接", "随", "之", "仍", "依",
];

/// The items of the clauses of a sentence.
fn parts(sentence: &ParsedSentence, tried: &[Tried]) -> Vec<Range<usize>> {
    let mut cuts = vec![0];
    let mut ends = Vec::new();
    let len = sentence.items.len();
    // 刮刀40度 墙面一道一道的 25度 监理签字了: white space instead of marks.
    let is_between_han = |&at: &usize| {
        sentence.is_han(at) && sentence.is_han(at - 1) && is_after_space(sentence, at)
    };
    let is_spaced = sentence.items.iter().all(|item| item.kind != ItemKind::Break)
        && (1..len).filter(is_between_han).count() >= 2;
    let mut index = 0;
    while index < len {
        let item = &sentence.items[index];
        let is_break = match item.kind {
            ItemKind::Break => item.text != "、" && item.text != ".",
            // "5 N: fail / 7 N: ok", but "9 N / 0.2 m/s".
            ItemKind::Sign if "/／".contains(item.text.as_str()) => {
                index > 0
                    && !matches!(sentence.items[index - 1].kind, ItemKind::Quantity(_))
                    && tried.iter().any(|value| value.at < index)
                    && tried.iter().any(|value| value.at > index)
            }
            ItemKind::Sign => "-–—|()[]→⇒>【】".contains(item.text.as_str()),
            _ => false,
        };
        if is_spaced && is_after_space(sentence, index) {
            ends.push(index);
            cuts.push(index);
        } else if is_break {
            ends.push(index);
            cuts.push(index + 1);
        } else if index > 0
            && begins_part(sentence, index, tried, cuts.last().copied().unwrap_or(0))
        {
            ends.push(index);
            cuts.push(index);
        }
        index += 1;
    }
    ends.push(len);
    let is_mark = |at: usize| sentence.items[at].kind == ItemKind::Break;
    let part = |(from, to): (usize, usize)| {
        let to = (from..to).rev().find(|&at| !is_mark(at)).map_or(from, |last| last + 1);
        (from < to).then_some(from..to)
    };
    cuts.into_iter().zip(ends).filter_map(part).collect()
}

/// Whether white space stands between the item at `index` and the one before, of which one is Chinese.
fn is_after_space(sentence: &ParsedSentence, index: usize) -> bool {
    index > 0
        && sentence.spans[index - 1].end < sentence.spans[index].start
        && (sentence.is_han(index) || sentence.is_han(index - 1))
}

/// Whether a conjunction at `index` begins a clause.
fn begins_part(sentence: &ParsedSentence, index: usize, tried: &[Tried], from: usize) -> bool {
    let Some((found, used)) = mark(&sentence.items[index..]) else { return false };
    let is_value = |at: usize| tried.iter().any(|value| value.at == at);
    let next = index + used;
    match found {
        // "16 N and 19 N", 16牛和19牛.
        Mark::Then => {
            let is_list = is_value(index - 1) && (is_value(next) || is_value(next + 1));
            let joins_nouns = sentence.is_han(index)
                && sentence.items[index].text == "而"
                && sentence.is_word(next, &["不", "非"]);
            !is_list && !joins_nouns
        }
        Mark::Because | Mark::Earlier => !sentence.is_word(index, &["had"]),
        Mark::Change | Mark::Later => sentence.is_word(index, &["so", "until"]),
        // 8牛掉了又用9牛.
        Mark::Again if sentence.is_han(index) => {
            tried.iter().any(|value| value.at < index && value.at >= from)
                && tried.iter().any(|value| value.at >= next)
        }
        _ => false,
    }
}

/// Whether the values are told as "from 12 N to 15 N".
fn is_from_to(sentence: &ParsedSentence, own: &[Tried]) -> bool {
    let [first, second] = own else { return false };
    let goes = first.quantity.unit == second.quantity.unit;
    let from = (first.at.saturating_sub(3)..first.at)
        .any(|index| sentence.is_word(index, &["from", "从", "由", "自"]));
    let to = (first.at + 1..second.at)
        .any(|index| sentence.is_word(index, &["to", "到", "至", "成", "为"]));
    let is_changed = (0..first.at)
        .any(|index| matches!(mark(&sentence.items[index..]), Some((Mark::Change, _))));
    goes && to && (from || is_changed)
}

/// Whether the values are told as "26 N instead of 22 N".
fn is_instead(sentence: &ParsedSentence, own: &[Tried]) -> bool {
    let [first, second] = own else { return false };
    first.quantity.unit == second.quantity.unit
        && (first.at + 1..second.at)
            .any(|at| matches!(mark(&sentence.items[at..]), Some((Mark::Instead, _))))
}

/// Whether the clause is not told as done: "next time I would start at 28 N".
fn plans(sentence: &ParsedSentence, range: &Range<usize>) -> bool {
    let is_intent = |at: usize| {
        let cue = sentence.cue(at);
        let is_rule = cue == Some(Rule) || cue == Some(RuleAtStart) && at == range.start;
        // "It reads every time": how often it came about.
        let is_often = sentence.is_word(at, &["every", "each", "最", "每"]);
        is_rule && !(is_often && sentence.items.iter().any(is_amount))
            || matches!(cue, Some(Wish | Request | Hearsay))
                && sentence.items[at].kind == ItemKind::Word
                && !sentence.is_word(at, &["would"])
    };
    let is_label =
        |at: usize| sentence.is_word(at, &["would", "could"]) && sentence.is_word(at + 1, &["not"]);
    // 以后用8牛, but 对正以后.
    let begins = |at: usize| at == range.start || sentence.items[at - 1].kind != ItemKind::Han;
    let is_from_now = |at: usize| {
        sentence.is_word(at, &["以"]) && sentence.is_word(at + 1, &["后"]) && begins(at)
    };
    // "Went at 0.7 m/s next time".
    let first = range.start;
    let was_done = |at: usize| {
        sentence.is_word(at, &["next"])
            && (super::super::morphology::is_past(sentence, first)
                || sentence.cue(first) == Some(Past))
    };
    // "Keep it below 8 N", but "not enough to keep it".
    let goes_on = |at: usize| at > range.start && sentence.is_word(at, &["keep", "need"]);
    marks(sentence, range)
        .any(|(at, mark)| mark == Mark::Plan && !is_label(at) && !was_done(at) && !goes_on(at))
        || range
            .clone()
            .any(|at| is_intent(at) && !sentence.is_word(at, &["以"]) || is_from_now(at))
}

/// Whether it is a number with a unit.
pub(super) fn is_amount(item: &Item) -> bool {
    matches!(&item.kind, ItemKind::Quantity(it) if !it.unit.is_empty())
}

/// What the clause begins with, after conjunctions.
fn first_mark(sentence: &ParsedSentence, range: &Range<usize>) -> Option<Mark> {
    let mut index = range.start;
    while index < range.end {
        let Some((found, used)) = mark(&sentence.items[index..]) else {
            let skips = sentence.is_word(index, &["是", "而", "just"]);
            if !skips {
                return None;
            }
            index += 1;
            continue;
        };
        if !matches!(found, Mark::Then | Mark::Neutral) {
            return Some(found);
        }
        index += used;
    }
    None
}

/// Whether it is told as another try: "next time".
fn is_try(sentence: &ParsedSentence, range: &Range<usize>) -> bool {
    range.clone().any(|at| sentence.is_word(at, &["next"]) && sentence.is_word(at + 1, &["time"]))
}

/// Whether it says what was done.
fn acts(sentence: &ParsedSentence, range: &Range<usize>) -> bool {
    range.clone().any(|at| {
        let past = super::super::morphology::is_past(sentence, at);
        past || sentence.has_cue(at, &[Past, Measured, Act, Handles, Tries, Takes])
    })
}

/// The verb of doing that it begins with: "lowered the speed".
fn act(sentence: &ParsedSentence, range: &Range<usize>) -> Option<String> {
    let mut first = range.start;
    while first + 1 < range.end && sentence.has_cue(first, &[And, But, Therefore, Adverb, Speaker])
    {
        first = sentence.after(first);
    }
    if first >= range.end {
        return None;
    }
    let is_it = sentence.is_word(first + 1, &["it", "them", "again", "at", "with"]);
    let is_verb = sentence.items[first].kind == ItemKind::Word
        && super::super::morphology::is_past(sentence, first);
    (is_verb && !is_it).then(|| sentence.items[first].text.clone())
}
