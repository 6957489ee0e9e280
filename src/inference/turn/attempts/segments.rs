//! A report cut into clauses that each tell one thing of an attempt, and the values that they name.

use std::ops::Range;

use super::super::super::decimal::Decimal;
use super::super::super::items::{ItemKind, Quantity};
use super::super::super::units::unit;
use super::super::forms::is_article;
use super::super::reading::Reading;
use super::super::sentences::sentences;
use super::super::words::Cue;
use super::verdict::{Evidence, evidence, has, is_unclear, marks};
use super::words::{ACT_NOUNS, Mark, mark};

/// A value that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tried {
    pub quantity: Quantity,
    /// Its item in the reading of its sentence.
    pub at: usize,
}

impl Tried {
    pub fn is(&self, other: &Self) -> bool {
        self.quantity.unit == other.quantity.unit && self.quantity.value == other.quantity.value
    }
}

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
    pub tries: bool,
    /// By a word that says nothing else: "tried again", 第二次.
    pub is_try: bool,
    pub again: bool,
    pub changes: bool,
    /// Told after the one before, and no act of its own.
    pub is_later: bool,
    /// It tells of another try, by any of its words.
    pub turns: bool,
    pub is_other: bool,
    pub is_of_all: bool,
    pub is_of_last: bool,
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
    pub readings: Vec<Reading>,
    pub segments: Vec<Segment>,
}

impl Cut {
    pub fn of(text: &str) -> Self {
        let ranges = sentences(text);
        let readings: Vec<Reading> = ranges.iter().map(|range| Reading::of(text, range)).collect();
        let mut segments = Vec::new();
        for (sentence, reading) in readings.iter().enumerate() {
            segments.extend(segments_of(reading, sentence));
        }
        // "15 N did": the same as was said before.
        let mut before: Option<bool> = None;
        for segment in &mut segments {
            for it in segment.evidence.iter_mut().filter(|it| it.is_echo) {
                let denies = it.is_good != it.is_good_word;
                it.is_good_word = before.unwrap_or(true);
                it.is_good = it.is_good_word != denies;
            }
            if before.is_none() {
                segment.evidence.retain(|it| !it.is_echo);
            }
            before = segment.evidence.last().map(|it| it.is_good_word).or(before);
        }
        Self { ranges, readings, segments }
    }
}

fn segments_of(reading: &Reading, sentence: usize) -> Vec<Segment> {
    let tried = values(reading);
    let asks = reading.items.last().is_some_and(|item| item.text == "?");
    let mut found: Vec<Segment> = Vec::new();
    let mut is_planned = asks;
    let count = reading.items.len();
    for range in parts(reading, &tried) {
        let own: Vec<Tried> =
            tried.iter().filter(|value| range.contains(&value.at)).cloned().collect();
        let at: Vec<usize> = own.iter().map(|value| value.at).collect();
        let mut evidence = evidence(reading, &range, &at);
        // "Okay, let me see".
        let is_chatter = range.start == 0
            && range.end < count
            && reading.cue(0) == Some(Cue::Chatter)
            && reading.after(0) >= range.end;
        if is_chatter {
            evidence.clear();
        }
        let is_done = evidence.iter().any(|it| !it.is_weak);
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
                || begins_reason(reading, &range)
                // "Because it rocked and fell over".
                || at.is_empty()
                    && reading.cue(range.start) == Some(Cue::And)
                    && found.last().is_some_and(|before| before.is_reason && before.values.is_empty()),
            is_earlier: first == Some(Mark::Earlier) && !found.is_empty(),
            tries: is(&[Mark::Try]) || is_ordinal(reading, &range),
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
            is_of_last: is(&[Mark::OnlyLast]),
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

/// What only goes on telling: what follows may be what came of it.
const ONLY_GOES_ON: &[&str] = &[
    "so",
    "then",
    "until",
    "next",
    "finally",
    "eventually",
    "later",
    "afterwards",
    "still",
    "only",
    "才",
    "就",
    "便",
    "所",
    "于",
    "结",
    "直",
    "最",
    "后",
    "然",
    "接",
    "随",
    "之",
    "仍",
    "依",
];

/// The items of the clauses of a sentence.
fn parts(reading: &Reading, tried: &[Tried]) -> Vec<Range<usize>> {
    let mut cuts = vec![0];
    let mut ends = Vec::new();
    let len = reading.items.len();
    let mut index = 0;
    while index < len {
        let item = &reading.items[index];
        let is_break = match item.kind {
            ItemKind::Break => item.text != "、" && item.text != ".",
            ItemKind::Sign => "-–—|()[]→⇒>【】".contains(item.text.as_str()),
            _ => false,
        };
        if is_break {
            ends.push(index);
            cuts.push(index + 1);
        } else if index > 0 && begins_part(reading, index, tried, cuts.last().copied().unwrap_or(0))
        {
            ends.push(index);
            cuts.push(index);
        }
        index += 1;
    }
    ends.push(len);
    cuts.into_iter().zip(ends).map(|(from, to)| from..to).filter(|part| !part.is_empty()).collect()
}

/// Whether a conjunction at `index` begins a clause.
fn begins_part(reading: &Reading, index: usize, tried: &[Tried], from: usize) -> bool {
    let Some((found, used)) = mark(&reading.items[index..]) else { return false };
    let is_value = |at: usize| tried.iter().any(|value| value.at == at);
    let next = index + used;
    match found {
        // "16 N and 19 N", 16牛和19牛.
        Mark::Then => {
            let is_list = is_value(index - 1) && (is_value(next) || is_value(next + 1));
            let joins_nouns = reading.is_han(index)
                && reading.items[index].text == "而"
                && reading.is_word(next, &["不", "非"]);
            !is_list && !joins_nouns
        }
        Mark::Because | Mark::Earlier => {
            // "After the first", "before that": no clause follows a bare number of the list.
            !(index > 0
                && reading.is_word(index - 1, &["is", "was", "only", "right", "是", "之所以"]))
                && (reading.items[index].kind == ItemKind::Word
                    || used > 1
                    || reading.is_word(index, &["因"]))
                && !reading.is_word(index, &["had"])
        }
        Mark::Change | Mark::Later if reading.is_han(index) => {
            // 13牛不行改用18牛.
            let may_begin = used > 1 || reading.is_word(index, &["改", "换"]);
            // 从12牛加到18牛 is one.
            let goes_on = (from..index).any(|at| reading.is_word(at, &["从", "由"]));
            may_begin
                && !goes_on
                && tried.iter().any(|value| value.at < index && value.at >= from)
                && tried.iter().any(|value| value.at >= next)
        }
        Mark::Change | Mark::Later => {
            reading.is_word(index, &["so", "then", "until", "finally", "eventually"])
                && !is_value(index - 1)
                && !reading.is_word(index - 1, &["and", "but"])
                || reading.is_word(index, &["so", "until"])
                || reading.is_word(index, &["then"]) && !reading.is_word(index - 1, &["and", "but"])
        }
        // 8牛掉了又用9牛.
        Mark::Again if reading.is_han(index) => {
            tried.iter().any(|value| value.at < index && value.at >= from)
                && tried.iter().any(|value| value.at >= next)
        }
        _ => false,
    }
}

/// The values of a sentence that may have been tried, in order. A number without a unit in a list, or before
/// "to", has that of the next.
fn values(reading: &Reading) -> Vec<Tried> {
    let mut found: Vec<Tried> = Vec::new();
    for at in (0..reading.items.len()).rev() {
        let ItemKind::Quantity(quantity) = &reading.items[at].kind else { continue };
        let quantity = if quantity.unit.is_empty() {
            let next = found.last().filter(|next| joins_values(reading, at, next.at));
            match next.and_then(|next| in_unit(quantity, &next.quantity)) {
                Some(quantity) if !quantity.is_count => quantity,
                _ => continue,
            }
        } else {
            quantity.clone()
        };
        if !is_set(reading, at, &quantity) {
            continue;
        }
        found.push(Tried { quantity, at });
    }
    found.reverse();
    found
}

/// Whether only what joins a list stands between two numbers.
fn joins_values(reading: &Reading, at: usize, next: usize) -> bool {
    next > at
        && next - at <= 4
        && next - at > 1
        && (at + 1..next).all(|between| {
            reading.is_word(
                between,
                &[
                    ",", "、", "and", "or", "to", "then", "&", "和", "到", "及", "降", "升", "至",
                    "改", "为", "finally",
                ],
            )
        })
}

/// A bare number in the unit of another.
fn in_unit(bare: &Quantity, other: &Quantity) -> Option<Quantity> {
    if other.is_count || bare.is_count {
        return None;
    }
    let value: Decimal = match other.symbol {
        "" => bare.written.clone(),
        symbol => unit(symbol)?.in_base(&bare.written),
    };
    Some(Quantity {
        unit: other.unit.clone(),
        value,
        is_count: false,
        written: bare.written.clone(),
        symbol: other.symbol,
    })
}

/// Units that tell when, and how large a thing is, and nothing of how it was handled.
const NEVER_SET: &[&str] = &["day", "week", "month", "year", "byte", "K", "Ω"];

/// Whether a number with a unit may have been set, and was not measured, and does not describe a thing.
fn is_set(reading: &Reading, at: usize, quantity: &Quantity) -> bool {
    if NEVER_SET.contains(&quantity.unit.as_str()) {
        return false;
    }
    let from = at.saturating_sub(3);
    let before: Vec<usize> = (from..at)
        .rev()
        .take_while(|&index| {
            !matches!(reading.items[index].kind, ItemKind::Break | ItemKind::Quantity(_))
        })
        .collect();
    // "Peak force 14 N", "missed by 3 mm", 偏了3毫米.
    let is_measured = before.iter().any(|&index| {
        matches!(mark(&reading.items[index..]), Some((Mark::Measured, used)) if index + used <= at)
    });
    let is_adjacent_measure = is_measured && {
        let bases = ["m", "g", "s", "°", "%"];
        let last = before.first().copied().unwrap_or(at);
        bases.contains(&quantity.unit.as_str())
            || reading.is_word(last, &["by", "than", "比"])
            || before.iter().any(|&index| reading.is_word(index, OF_MEASURES))
    };
    if is_adjacent_measure {
        return false;
    }
    // "After 3 s", 0.4 s内.
    let says_when = quantity.unit == "s"
        && (before.first().is_some_and(|&at| reading.is_word(at, &["after", "within"]))
            || reading.is_word(at + 1, &["内", "以", "之", "后", "later", "ago"]));
    if says_when {
        return false;
    }
    // "0.05 mm too tight", "3 cm long".
    let says_how_far = reading.is_word(
        at + 1,
        &["too", "off", "short", "away", "apart", "long", "wide", "thick", "tall"],
    );
    if says_how_far {
        return false;
    }
    // "The bolt is 40 mm long", "the bolt weighs 12 g".
    let describes =
        before.first().is_some_and(|&index| reading.is_word(index, &["is", "are", "weighs"]))
            && matches!(quantity.unit.as_str(), "m" | "g" | "l");
    !describes && !is_attribute(reading, at, quantity)
}

/// Words beside a number that nobody set.
const OF_MEASURES: &[&str] =
    &["peak", "peaked", "measured", "average", "reading", "峰", "实", "测", "只", "仅", "than"];

/// Whether a value describes the thing that is named after it: "the 4 kg toolbox", 4公斤的工具箱.
fn is_attribute(reading: &Reading, at: usize, quantity: &Quantity) -> bool {
    let next = at + 1;
    let Some(noun) = reading.items.get(next) else { return false };
    if noun.kind == ItemKind::Han {
        let is_mass = quantity.unit == "g" || quantity.unit == "l";
        return noun.text == "的"
            && !reading.is_word(
                next + 1,
                &["力", "速", "扭", "压", "高", "角", "推", "拉", "夹", "吸", "握"],
            )
            || is_mass && mark(&reading.items[next..]).is_none();
    }
    let is_noun = noun.kind == ItemKind::Word
        && mark(&reading.items[next..]).is_none()
        && !is_article(reading, next)
        && !noun.text.ends_with("ed")
        && !matches!(
            reading.cue(next),
            Some(
                Cue::At
                    | Cue::Preposition
                    | Cue::And
                    | Cue::But
                    | Cue::Was
                    | Cue::Is
                    | Cue::Adverb
                    | Cue::Past
                    | Cue::Pronoun
                    | Cue::Relative
                    | Cue::Condition
                    | Cue::Therefore
                    | Cue::Because
                    | Cue::Not
            )
        )
        && !["let", "lets", "cut", "each"].contains(&noun.text.as_str())
        && !ACT_NOUNS.contains(&noun.text.as_str());
    let names_thing = (at.saturating_sub(3)..at).any(|index| {
        is_article(reading, index) && !reading.is_word(index, &["both", "all", "one"])
            || matches!(reading.cue(index), Some(Cue::Possessive))
            || reading.is_word(index, &["each", "two", "another"])
    });
    let is_mass = quantity.unit == "g" || quantity.unit == "l";
    is_noun && (names_thing || is_mass)
}

/// Whether the values are told as "from 12 N to 15 N".
fn is_from_to(reading: &Reading, own: &[Tried]) -> bool {
    let [first, second] = own else { return false };
    let goes = first.quantity.unit == second.quantity.unit;
    let from = (first.at.saturating_sub(3)..first.at)
        .any(|index| reading.is_word(index, &["from", "从", "由", "自"]));
    let to = (first.at + 1..second.at)
        .any(|index| reading.is_word(index, &["to", "到", "至", "成", "为"]));
    let is_changed =
        (0..first.at).any(|index| matches!(mark(&reading.items[index..]), Some((Mark::Change, _))));
    goes && to && (from || is_changed)
}

/// Whether the values are told as "26 N instead of 22 N".
fn is_instead(reading: &Reading, own: &[Tried]) -> bool {
    let [first, second] = own else { return false };
    first.quantity.unit == second.quantity.unit
        && (first.at + 1..second.at)
            .any(|at| matches!(mark(&reading.items[at..]), Some((Mark::Instead, _))))
}

/// Whether the clause is not told as done: "next time I would start at 28 N".
fn plans(reading: &Reading, range: &Range<usize>) -> bool {
    let told = |at: usize| {
        let cue = reading.cue(at);
        let is_rule = cue == Some(Cue::Rule) || cue == Some(Cue::RuleAtStart) && at == range.start;
        is_rule
            || matches!(cue, Some(Cue::Wish | Cue::Request | Cue::Question | Cue::Hearsay))
                && reading.items[at].kind == ItemKind::Word
                && !reading.is_word(at, &["would"])
    };
    let is_label =
        |at: usize| reading.is_word(at, &["would", "could"]) && reading.is_word(at + 1, &["not"]);
    marks(reading, range).any(|(at, mark)| mark == Mark::Plan && !is_label(at))
        || range.clone().any(told)
}

/// What the clause begins with, after conjunctions.
fn first_mark(reading: &Reading, range: &Range<usize>) -> Option<Mark> {
    let mut index = range.start;
    while index < range.end {
        let Some((found, used)) = mark(&reading.items[index..]) else {
            let skips = reading.is_word(index, &["是", "而", "just"]);
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

/// "This was because": a reason that does not stand first.
fn begins_reason(reading: &Reading, range: &Range<usize>) -> bool {
    range.clone().take(3).any(|at| {
        reading.is_word(at, &["because"])
            || reading.is_word(at, &["因"]) && reading.is_word(at + 1, &["为"])
    })
}

/// Whether it is told as a try: "tried again", "the second attempt", 再试一次.
fn is_try(reading: &Reading, range: &Range<usize>) -> bool {
    is_ordinal(reading, range) && reading.is_han(range.start)
        || range.clone().any(|at| {
            // "At the first try" is none anew.
            reading.is_word(at, TRIES)
                && !(at > range.start && reading.is_word(at - 1, &["first", "each", "every"]))
        })
}

const TRIES: &[&str] =
    &["try", "tried", "retry", "retried", "retrying", "attempt", "attempted", "reattempted", "试"];

/// 第二次, "attempt 2", "#2".
fn is_ordinal(reading: &Reading, range: &Range<usize>) -> bool {
    range.clone().any(|at| {
        reading.is_word(at, &["第"])
            && (at + 1..(at + 5).min(range.end))
                .any(|next| reading.is_word(next, &["次", "回", "趟", "遍", "轮"]))
            || matches!(reading.items[at].kind, ItemKind::Ordinal(_))
            || reading.is_word(at, &["#"])
    })
}

/// Whether it says what was done.
fn acts(reading: &Reading, range: &Range<usize>) -> bool {
    range.clone().any(|at| {
        let past = super::super::forms::is_past(reading, at);
        past || matches!(
            reading.cue(at),
            Some(Cue::Past | Cue::Measured | Cue::Act | Cue::Handles | Cue::Tries | Cue::Takes)
        )
    })
}

/// The verb of doing that it begins with: "lowered the speed".
fn act(reading: &Reading, range: &Range<usize>) -> Option<String> {
    let mut first = range.start;
    while first + 1 < range.end
        && matches!(
            reading.cue(first),
            Some(Cue::And | Cue::But | Cue::Therefore | Cue::Adverb | Cue::Speaker)
        )
    {
        first = reading.after(first);
    }
    if first >= range.end {
        return None;
    }
    let is_it = reading.is_word(first + 1, &["it", "them", "again", "at", "with"]);
    let is_verb = reading.items[first].kind == ItemKind::Word
        && (super::super::forms::is_past(reading, first)
            || matches!(reading.cue(first), Some(Cue::Past | Cue::Measured | Cue::Tries)));
    (is_verb && !is_it).then(|| reading.items[first].text.clone())
}
