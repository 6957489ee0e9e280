//! The pieces of a sentence that may set a bound: senses, amounts, words.

use super::super::decimal::Decimal;
use super::super::items::{Item, ItemKind};
use super::super::statement::number_at;
use super::words::{QUANTITIES, QuantityWord, SENSES, Sense};

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
    let mut index = 0;
    while let Some(item) = items.get(index) {
        let rest = &items[index..];
        if let Some(used) = push_rate(items, index, &mut tokens) {
            index += used;
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
            index += used;
            continue;
        }
        match item.kind {
            ItemKind::Break if ["?", "？", "…"].contains(&item.text.as_str()) => return None,
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
    Some(tokens)
}

fn word(item: &Item) -> Token {
    Token::Word { text: item.text.clone(), is_han: item.kind == ItemKind::Han }
}

fn push_number(items: &[Item], index: usize, tokens: &mut Vec<Token>) -> Option<usize> {
    let (number, used) = match &items[index].kind {
        ItemKind::Ordinal(_) => return None,
        ItemKind::Quantity(quantity) => {
            let has_symbol = !quantity.symbol.is_empty() && quantity.written != quantity.value;
            let number = if has_symbol {
                Number {
                    value: quantity.written.clone(),
                    unit: quantity.symbol.to_owned(),
                    base: quantity.unit.clone(),
                }
            } else {
                Number {
                    value: quantity.value.clone(),
                    unit: quantity.unit.clone(),
                    base: quantity.unit.clone(),
                }
            };
            (number, 1)
        }
        _ => {
            let (unit, value, used) = number_at(items, index)?;
            (Number { value: value?, unit: unit.clone(), base: unit }, used)
        }
    };
    tokens.push(Token::Number(number));
    Some(used)
}

/// 每秒 0.3 米: meters per second.
fn push_rate(items: &[Item], index: usize, tokens: &mut Vec<Token>) -> Option<usize> {
    let is_rate = items.get(index)?.text == "每" && items.get(index + 1)?.text == "秒";
    items.get(index + 2).filter(|_| is_rate)?;
    let mut number = Vec::new();
    let used = push_number(items, index + 2, &mut number)?;
    match number.pop() {
        Some(Token::Number(Number { value, unit, base })) if base == "m" => {
            let unit = format!("{unit}/s");
            tokens.push(Token::Number(Number { value, unit, base: "m/s".to_owned() }));
            Some(2 + used)
        }
        _ => None,
    }
}
