//! A text piece by piece, for who holds another text against it.

use super::decimal::Decimal;
use super::items::{Item, ItemKind, Part, items, parts};
use super::lexer::{PieceKind, scan};
use super::opposites::{SENSES, Sense};
use super::statement::number_at;
use super::stem::stem;
use super::stop_words::is_english_stop_word;
use super::tokens::normalized;
use super::units::{scale, unit};

/// What a [`Mention`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MentionKind {
    /// A word of letters, its stem, and whether it is one that says little by itself: the, is, of.
    Word {
        /// What all its forms begin with.
        stem: String,
        /// Whether it says little by itself.
        is_stop_word: bool,
    },
    /// One Han character.
    Han,
    /// A number with its unit. Two are equal when they are the same amount, however they are written:
    /// 0.5 m and 500 mm, 12 N and "twelve newtons".
    Quantity {
        /// The base unit; empty for a plain number. A unit that may be two by the case of its letters
        /// (`MN`) is told as it is written, behind `=`.
        unit: String,
        /// The number in that unit, exactly, in its only form.
        value: String,
    },
    /// A part number, identifier, path, topic or address.
    Name,
    /// Words that negate.
    Negation,
    /// One of several words that exclude each other: left and right, failed and succeeded.
    Contrast {
        /// Of which of these groups.
        group: u8,
        /// Which of its members; equal for all words of one, in both languages.
        member: u8,
    },
    /// Punctuation that ends a clause.
    Break,
    /// Any other character.
    Sign,
}

/// A piece of a text.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub kind: MentionKind,
    /// As it is written, but after NFKC and in lower case; words of one mention stand one after the
    /// other, English ones with a space between.
    pub text: String,
}

/// Words that make the number after them a negative one.
const MINUS: &[&str] = &["minus", "负"];
const BELOW_ZERO: [&str; 2] = ["零", "下"];

/// The pieces of `text` in order. Linear in its length.
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut doubtful = doubtful_measures(text);
    let items = items(text);
    let mut mentions = Vec::with_capacity(items.len());
    let mut index = 0;
    while let Some(item) = items.get(index) {
        let (kind, used) = match &item.kind {
            ItemKind::Quantity(quantity) => {
                let found = doubtful.iter().position(|measure| {
                    measure.unit == quantity.unit && measure.value == quantity.value
                });
                let (unit, value) = match found {
                    Some(at) => (format!("={}", doubtful.remove(at).symbol), &quantity.written),
                    None => (quantity.unit.clone(), &quantity.value),
                };
                (signed(&mut mentions, unit, value), 1)
            }
            _ => match number_at(&items, index) {
                // One of something that is counted has no value there.
                Some((unit, value, used)) => {
                    let value = value.unwrap_or_else(|| Decimal::from_integer(1));
                    (signed(&mut mentions, unit, &value), used)
                }
                None => plain(&items[index..], mentions.last()),
            },
        };
        if kind == MentionKind::Han {
            // Characters of a phrase that only looks like an opposite or a negation.
            let each = items[index..index + used].iter();
            mentions
                .extend(each.map(|item| Mention { kind: kind.clone(), text: item.text.clone() }));
            index += used;
            continue;
        }
        let text = written(&items[index..index + used]);
        mentions.push(Mention { kind, text });
        index += used;
    }
    mentions
}

/// What begins `items`, after the mention `before`, and how many of them it takes.
fn plain(items: &[Item], before: Option<&Mention>) -> (MentionKind, usize) {
    match SENSES.longest(items) {
        Some((Sense::Negation, used)) => return (MentionKind::Negation, used),
        Some((Sense::Member { group, member, .. }, used)) => {
            return (MentionKind::Contrast { group, member }, used);
        }
        // As one, so that no part of it is taken for an opposite or a negation.
        Some((Sense::Neutral, used)) if items[0].kind == ItemKind::Word => {
            let text = written(&items[..used]);
            return (MentionKind::Word { stem: text, is_stop_word: false }, used);
        }
        Some((Sense::Neutral, used)) => return (MentionKind::Han, used),
        _ => {}
    }
    let item = &items[0];
    let begins = before.is_none_or(|before| before.kind == MentionKind::Break);
    // "bolt A"; where a sentence begins it is the article.
    let is_letter = item.is_capital && item.text == "a" && !begins;
    let kind = match item.kind {
        ItemKind::Word => MentionKind::Word {
            stem: stem(&item.text).into_owned(),
            is_stop_word: is_english_stop_word(&item.text) && !is_letter,
        },
        ItemKind::Han => MentionKind::Han,
        ItemKind::Name => MentionKind::Name,
        ItemKind::Break => MentionKind::Break,
        ItemKind::Sign | ItemKind::Quantity(_) | ItemKind::Ordinal(_) => MentionKind::Sign,
    };
    (kind, 1)
}

/// A quantity, negative when the words before it say so, which then are but its sign.
fn signed(before: &mut [Mention], unit: String, value: &Decimal) -> MentionKind {
    let texts = || before.iter().rev().map(|mention| mention.text.as_str());
    let sign_len = if texts().next().is_some_and(|text| MINUS.contains(&text)) {
        1
    } else if texts().take(BELOW_ZERO.len()).eq(BELOW_ZERO.into_iter().rev()) {
        BELOW_ZERO.len()
    } else {
        0
    };
    for mention in before.iter_mut().rev().take(sign_len) {
        mention.kind = MentionKind::Sign;
    }
    let sign = if sign_len > 0 { "-" } else { "" };
    MentionKind::Quantity { unit, value: format!("{sign}{value}") }
}

fn written(items: &[Item]) -> String {
    let mut text = String::new();
    for item in items {
        if item.kind != ItemKind::Han && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&item.text);
    }
    text
}

/// A measure whose unit is another one in other letters.
struct Doubtful {
    unit: String,
    value: Decimal,
    symbol: String,
}

fn doubtful_measures(text: &str) -> Vec<Doubtful> {
    let text = normalized(text);
    let pieces = scan(&text);
    let mut measures = Vec::new();
    for (index, piece) in pieces.iter().enumerate().filter(|(_, p)| p.kind == PieceKind::Chunk) {
        let parts = parts(piece.text);
        let last = parts.len().saturating_sub(1);
        for (at, part) in parts.into_iter().enumerate() {
            let (value, symbol) = match part {
                Part::Measure(value, symbol) => (value, symbol),
                Part::Number(value) if at == last => match pieces.get(index + 1) {
                    Some(next) if next.kind == PieceKind::Chunk => (value, next.text),
                    _ => continue,
                },
                _ => continue,
            };
            if scale(symbol).is_none()
                && let Some(read) = unit(symbol)
            {
                let value = read.in_base(&value);
                measures.push(Doubtful { unit: read.base, value, symbol: symbol.to_owned() });
            }
        }
    }
    measures
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        let show = |mention: &Mention| match &mention.kind {
            MentionKind::Word { is_stop_word: true, .. } => format!("({})", mention.text),
            MentionKind::Word { stem, .. } => stem.clone(),
            MentionKind::Quantity { unit, value } => format!("#{value}{unit}"),
            MentionKind::Name => format!("@{}", mention.text),
            MentionKind::Negation => format!("!{}", mention.text),
            MentionKind::Contrast { .. } => format!("<{}>", mention.text),
            _ => mention.text.clone(),
        };
        mentions(text).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_text_is_told_piece_by_piece() {
        let cases = [
            ("Gripped the M8 bolts at 12 N.", "grip (the) @m8 bolt (at) #12N ."),
            ("held for twelve seconds", "held (for) #12s"),
            ("500 mm, 0.5m and 50 厘米", "#0.5m , #0.5m (and) #0.5m"),
            ("It didn't slip", "(it) !did not slip"),
            ("the grasp failed on the left", "(the) <grasp> <failed> <on> (the) <left>"),
            ("in order to hold", "in order to hold"),
            ("没有滑落", "!没有 滑 落"),
            ("不锈钢杯子", "不 锈 钢 杯 子"),
            ("一个杯子", "#1 杯 子"),
            ("minus 3 °C or 零下3度", "minus #-3°C (or) 零 下 #-3°"),
            ("5 MN is not 5 mN", "#5=MN (is) !not #0.005N"),
            ("5MN", "#5=MN"),
            ("A bolt, bolt A on a rack", "(a) bolt , bolt a <on> (a) rack"),
            ("第二次", "#2ordinal 次"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,60}|[a-zA-Z0-9./_:%°\\-力不没左负零下 ]{0,60}|.{0,40}") {
            let items = items(&text).len();
            prop_assert!(mentions(&text).len() <= items);
        }
    }
}
