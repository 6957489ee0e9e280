//! The values of a report that were set, and not measured, and do not describe a thing.

use super::super::super::decimal::Decimal;
use super::super::super::items::{ItemKind, Quantity};
use super::super::super::units::unit;
use super::super::morphology::is_article;
use super::super::parsed_sentence::ParsedSentence;
use super::super::words::LexicalClass::{self, *};
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
        self.quantity.is_as_great_as(&other.quantity)
    }
}

/// The values of a sentence that may have been tried, in order. A number without a unit in a list, or before
/// "to", has that of the next.
pub(super) fn values(sentence: &ParsedSentence) -> Vec<Tried> {
    let mut found: Vec<Tried> = Vec::new();
    for at in (0..sentence.items.len()).rev() {
        let ItemKind::Quantity(quantity) = &sentence.items[at].kind else { continue };
        let quantity = if quantity.unit.is_empty() {
            let next = found.last().filter(|next| joins_values(sentence, at, next.at));
            match next.and_then(|next| in_unit(quantity, &next.quantity)) {
                Some(quantity) if !quantity.is_count => quantity,
                _ => continue,
            }
        } else {
            quantity.clone()
        };
        if !is_set(sentence, at, &quantity) {
            continue;
        }
        found.push(Tried { quantity, at });
    }
    found.reverse();
    found
}

/// What joins the numbers of a list.
#[rustfmt::skip]
const JOINING: &[&str] = &[
    ",", "、", "and", "or", "to", "then", "&", "和", "到", "及", "降", "升", "至", "改", "为", "finally",
];

/// Whether only what joins a list stands between two numbers.
fn joins_values(sentence: &ParsedSentence, at: usize, next: usize) -> bool {
    next > at
        && next - at <= 4
        && next - at > 1
        && (at + 1..next).all(|between| sentence.is_word(between, JOINING))
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

/// Whether a number with a unit may have been set, and was not measured, and does not describe a thing.
fn is_set(sentence: &ParsedSentence, at: usize, quantity: &Quantity) -> bool {
    let from = at.saturating_sub(3);
    let before: Vec<usize> = (from..at)
        .rev()
        .take_while(|&index| {
            !matches!(sentence.items[index].kind, ItemKind::Break | ItemKind::Quantity(_))
        })
        .collect();
    // "Peak force 14 N", "missed by 3 mm", 偏了3毫米.
    let is_measured = before.iter().any(|&index| {
        matches!(mark(&sentence.items[index..]), Some((Mark::Measured, used)) if index + used <= at)
    });
    // "Missed by 3 mm", but "turned the valve by 45 deg".
    let is_by = before.first().is_some_and(|&index| sentence.is_word(index, &["by"]))
        && !(at.saturating_sub(MOVED_ITEMS_MAX)..at).any(|it| sentence.is_word(it, MOVED_BY));
    let is_adjacent_measure = (is_measured || is_by) && {
        let bases = ["m", "g", "s", "°", "%"];
        let last = before.first().copied().unwrap_or(at);
        bases.contains(&quantity.unit.as_str())
            || sentence.is_word(last, &["by", "than", "比"])
            || before.iter().any(|&index| sentence.is_word(index, OF_MEASURES))
    };
    if is_adjacent_measure {
        return false;
    }
    // "After 3 s", 0.4 s内.
    let says_when = quantity.unit == "s"
        && (before.first().is_some_and(|&at| sentence.is_word(at, &["after", "within"]))
            || sentence.is_word(at + 1, &["内", "以", "之", "后", "later", "ago"]));
    if says_when {
        return false;
    }
    // "0.05 mm too tight", "3 cm long".
    let says_how_far = matches!(quantity.unit.as_str(), "m" | "°" | "s")
        && sentence.is_word(
            at + 1,
            &["too", "off", "short", "away", "apart", "long", "wide", "thick", "tall"],
        );
    if says_how_far {
        return false;
    }
    // "The bolt is 40 mm long", "the bolt weighs 12 g".
    let describes =
        before.first().is_some_and(|&index| sentence.is_word(index, &["is", "are", "weighs"]))
            && matches!(quantity.unit.as_str(), "m" | "g" | "l");
    !describes && !is_attribute(sentence, at, quantity)
}

/// Items before "by 45 deg" among which is what was moved by so much: bounds the work in a long text.
const MOVED_ITEMS_MAX: usize = 64;
/// What is done by an angle or a way that is set.
const MOVED_BY: &[&str] = &[
    "turned", "turning", "rotated", "rotating", "twisted", "tilted", "moved", "moving", "shifted",
    "lifted", "raised", "lowered", "opened", "bent", "panned", "pushed", "pulled", "swung",
    "backed", "advanced",
];
/// Words beside a number that nobody set.
const OF_MEASURES: &[&str] =
    &["peak", "peaked", "measured", "average", "reading", "峰", "实", "测", "只", "仅", "than"];

/// What a word says that is no thing with the value before it.
#[rustfmt::skip]
const NO_NOUNS: &[LexicalClass] = &[
    At, Preposition, Scope, And, But, Was, Is, Adverb, Past,
    Pronoun, Relative, Condition, Therefore, Because, Not,
];

/// Whether a value describes the thing that is named after it: "the 4 kg toolbox", 4公斤的工具箱.
fn is_attribute(sentence: &ParsedSentence, at: usize, quantity: &Quantity) -> bool {
    let next = at + 1;
    let Some(noun) = sentence.items.get(next) else { return false };
    if noun.kind == ItemKind::Han {
        let is_mass = quantity.unit == "g" || quantity.unit == "l";
        let is_when = sentence.is_word(next + 1, &["时"]);
        return noun.text == "的"
            && !is_when
            && !sentence.is_word(
                next + 1,
                &["力", "速", "扭", "压", "高", "角", "推", "拉", "夹", "吸", "握"],
            )
            || is_mass && mark(&sentence.items[next..]).is_none();
    }
    let is_noun = noun.kind == ItemKind::Word
        && mark(&sentence.items[next..]).is_none()
        && !is_article(sentence, next)
        && !noun.text.ends_with("ed")
        && !sentence.has_cue(next, NO_NOUNS)
        && !noun.is_one_of(&["let", "lets", "cut", "each"])
        && !noun.is_one_of(ACT_NOUNS);
    let is_break = |index: usize| sentence.items[index].kind == ItemKind::Break;
    let from = (at.saturating_sub(3)..at).rev().find(|&index| is_break(index));
    let names_thing =
        (from.unwrap_or(at.saturating_sub(3))..at).any(|index| is_article(sentence, index));
    let is_mass = quantity.unit == "g" || quantity.unit == "l";
    is_noun && (names_thing || is_mass)
}
