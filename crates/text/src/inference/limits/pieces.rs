//! The pieces of a sentence that may set a bound: senses, amounts, words.

use super::super::decimal::Decimal;
use super::super::items::{Item, ItemKind};
use super::super::statement::number_at;
use super::words::{Comparison, QUANTITIES, QuantityWord, SENSES, Sense};

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Sense(Sense),
    Number(Number),
    /// A word, a Han character or a name without a sense of its own.
    Word {
        text: String,
        is_han: bool,
    },
    Break,
}

/// A number as it is written, with its unit in Latin letters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Number {
    pub value: Decimal,
    pub unit: String,
    pub base: String,
}

/// `None` when there is something that no sentence here has.
pub(super) fn tokens(items: &[Item]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    // 每秒 0.3 米, 每秒不得超过 0.3 米.
    let mut is_rate = false;
    let mut index = 0;
    while let Some(item) = items.get(index) {
        let rest = &items[index..];
        if is_per_second(rest) {
            is_rate = true;
            index += 2;
            continue;
        }
        if let Some((sense, used)) = SENSES.longest(rest) {
            match sense {
                Some(Sense::Block) => return None,
                Some(sense) => tokens.push(Token::Sense(sense)),
                None => tokens.extend(rest[..used].iter().map(word)),
            }
            index += used;
            continue;
        }
        if let Some(used) = push_number(items, index, &mut tokens) {
            if std::mem::take(&mut is_rate) {
                let Some(Token::Number(number)) = tokens.last_mut() else { return None };
                number.per_second()?;
            }
            index += used;
            continue;
        }
        match item.kind {
            ItemKind::Break if item.is_one_of(&["?", "？", "…"]) => return None,
            ItemKind::Break => tokens.push(Token::Break),
            ItemKind::Word | ItemKind::Han | ItemKind::Ordinal(_) => tokens.push(word(item)),
            ItemKind::Name => {
                let is_named = |q: &QuantityWord| q.parameter == item.text;
                tokens.push(match QUANTITIES.iter().position(is_named) {
                    Some(row) => Token::Sense(Sense::Quantity(row)),
                    None => word(item),
                });
            }
            ItemKind::Sign | ItemKind::Quantity(_) => return None,
        }
        index += 1;
    }
    (!is_rate).then_some(tokens)
}

fn word(item: &Item) -> Token {
    Token::Word { text: item.text.clone(), is_han: item.kind == ItemKind::Han }
}

fn push_number(items: &[Item], index: usize, tokens: &mut Vec<Token>) -> Option<usize> {
    let (number, used) = match &items[index].kind {
        ItemKind::Ordinal(_) => return None,
        ItemKind::Quantity(quantity) => {
            let (value, unit) = quantity.as_written();
            let (value, unit) = (value.clone(), unit.to_owned());
            (Number { value, unit, base: quantity.unit.clone() }, 1)
        }
        _ => {
            let (unit, value, used) = number_at(items, index)?;
            (Number { value: value?, unit: unit.clone(), base: unit }, used)
        }
    };
    tokens.push(Token::Number(number));
    Some(used)
}

/// What says that a sentence reports what was, or describes what is.
const REPORTS: &[&str] = &[
    "was", "were", "had", "been", "found", "measured", "observed", "is", "are", "weighs", "takes",
    "took", "lasts", "发现", "测得", "曾", "实测", "平均", "重",
];

/// Whether a text sets a bound that may not be understood as a whole: an amount is compared by the order
/// that it gives, as in "at night keep below 0.3 m/s in the corridor".
pub(super) fn may_set_a_bound(text: &[Item]) -> bool {
    let (mut is_order, mut is_compared, mut amounts) = (false, false, 0);
    let mut index = 0;
    while let Some(item) = text.get(index) {
        if item.is_one_of(REPORTS) {
            return false;
        }
        let mut number = Vec::new();
        if let Some((sense, used)) = SENSES.longest(&text[index..]) {
            match sense {
                Some(Sense::Keep | Sense::Must | Sense::Forbid) => is_order = true,
                Some(
                    Sense::SpeedLimit | Sense::Compare(Comparison::AtMost | Comparison::AtLeast),
                ) => {
                    (is_order, is_compared) = (true, true);
                }
                Some(Sense::Compare(_) | Sense::Closer(_) | Sense::Greatest | Sense::Least) => {
                    is_compared = true;
                }
                _ => {}
            }
            index += used;
        } else if let Some(used) = push_number(text, index, &mut number) {
            let has_unit =
                matches!(&number[..], [Token::Number(number)] if !number.base.is_empty());
            amounts += usize::from(has_unit && is_compared);
            index += used;
        } else {
            index += 1;
        }
    }
    is_order && amounts > 0
}

fn is_per_second(items: &[Item]) -> bool {
    matches!(items, [every, second, ..] if every.text == "每" && second.text == "秒")
}

impl Number {
    /// Makes it one of each second; `None` when that has no unit here.
    fn per_second(&mut self) -> Option<()> {
        if self.base != "m" {
            return None;
        }
        self.unit.push_str("/s");
        self.base = "m/s".to_owned();
        Some(())
    }
}
