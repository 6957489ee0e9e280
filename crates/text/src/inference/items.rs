//! A text as a sequence of words, Han characters, quantities and names: what the rules read.

use std::ops::Range;

use super::decimal::Decimal;
use super::lexer::{Piece, PieceKind, scan};
use super::tokens::normalized;
use super::units::{han_unit, unit};

/// A number and its unit, both in the unit's base.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Quantity {
    /// Empty when there is none.
    pub unit: String,
    pub value: Decimal,
    /// Whether a counting word (个, times) follows, or the number is written as a word.
    pub is_count: bool,
    /// The number as it is written.
    pub written: Decimal,
    /// The unit that it is written in, in Latin letters; empty when that has no symbol of its own.
    pub symbol: &'static str,
}

impl Quantity {
    /// The number and its unit as they are written, when the unit has a symbol, else in the base unit.
    pub fn as_written(&self) -> (&Decimal, &str) {
        if self.symbol.is_empty() || self.written == self.value {
            (&self.value, &self.unit)
        } else {
            (&self.written, self.symbol)
        }
    }

    /// Whether both are the same, however they are written.
    pub fn is_as_great_as(&self, other: &Self) -> bool {
        self.unit == other.unit && self.value == other.value
    }
}

/// The quantities of a text in order.
pub(super) fn quantities(text: &str) -> Vec<Quantity> {
    let quantity = |item: Item| match item.kind {
        ItemKind::Quantity(quantity) => Some(quantity),
        _ => None,
    };
    items(text).into_iter().filter_map(quantity).collect()
}

/// What an [`Item`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ItemKind {
    /// A word of letters.
    Word,
    /// One Han character.
    Han,
    /// A number with its unit.
    Quantity(Quantity),
    /// 1st, 2nd, ...
    Ordinal(Decimal),
    /// A part number, identifier, path, topic or address.
    Name,
    /// Punctuation that ends a clause.
    Break,
    /// Any other character.
    Sign,
}

/// One element of a text after NFKC, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub kind: ItemKind,
    pub text: String,
    /// Whether a word was written like a name: `ONNX`, `MoveIt`, a single capital.
    pub is_capital: bool,
}

/// The items of `text` in order. Linear in its length.
pub(super) fn items(text: &str) -> Vec<Item> {
    spanned_items(&normalized(text)).0
}

/// The items of a text that is in NFKC already, and the bytes of it that each was read from. Linear in
/// its length.
pub(super) fn spanned_items(text: &str) -> (Vec<Item>, Vec<Range<usize>>) {
    let pieces = scan(text);
    let mut items = Vec::with_capacity(pieces.len());
    let mut spans: Vec<Range<usize>> = Vec::with_capacity(pieces.len());
    let mut taken_to = 0;
    for (index, piece) in pieces.iter().enumerate() {
        if piece.start < taken_to {
            continue;
        }
        let mut end = piece.end();
        match piece.kind {
            PieceKind::Han => items.push(Item::plain(ItemKind::Han, piece.text)),
            PieceKind::Url | PieceKind::DrivePath => {
                items.push(Item::plain(ItemKind::Name, piece.text));
            }
            PieceKind::Mark => items.push(mark(text, piece)),
            PieceKind::Chunk => {
                for part in parts(piece.text) {
                    part.append_to(&mut items);
                }
                if let Some(Item { kind: ItemKind::Quantity(quantity), .. }) = items.last_mut()
                    && quantity.unit.is_empty()
                    && let Some((following, unit_end)) = following_unit(text, &pieces, index)
                {
                    quantity.value = following.in_base(&quantity.value);
                    quantity.symbol = following.symbol;
                    quantity.is_count = following.base.is_empty();
                    quantity.unit = following.base;
                    taken_to = unit_end;
                    end = unit_end;
                }
            }
        }
        spans.resize(items.len(), piece.start..end);
    }
    (items, spans)
}

/// The unit that stands after the number that ends the piece at `index`, and its end in bytes.
pub(super) fn following_unit(
    text: &str,
    pieces: &[Piece<'_>],
    index: usize,
) -> Option<(super::units::Unit, usize)> {
    let next = pieces.get(index + 1)?;
    match next.kind {
        PieceKind::Han => han_unit(&text[next.start..]).map(|(unit, len)| (unit, next.start + len)),
        // "a" is an article here, not the ampere.
        PieceKind::Chunk | PieceKind::Mark if next.text != "a" => {
            unit(next.text).map(|unit| (unit, next.end()))
        }
        _ => None,
    }
}

fn mark(text: &str, piece: &Piece<'_>) -> Item {
    let is_dot_in_word =
        piece.text == "." && text[piece.end()..].starts_with(char::is_alphanumeric);
    let kind = if ",;:!?.。、，；：！？…\u{2014}".contains(piece.text) && !is_dot_in_word {
        ItemKind::Break
    } else {
        ItemKind::Sign
    };
    Item::plain(kind, piece.text)
}

impl Item {
    /// Whether it is one of these words.
    pub fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }

    fn plain(kind: ItemKind, text: &str) -> Self {
        Self { kind, text: text.to_lowercase(), is_capital: false }
    }

    fn word(text: &str) -> Self {
        let mut letters = text.chars();
        let first = letters.next().is_some_and(char::is_uppercase);
        let is_single = text.chars().count() == 1;
        let is_capital = letters.any(char::is_uppercase) || (first && is_single);
        Self { kind: ItemKind::Word, text: text.to_lowercase(), is_capital }
    }
}

/// Whether one of these words stands at `index`.
pub(super) fn is_at(items: &[Item], index: usize, words: &[&str]) -> bool {
    items.get(index).is_some_and(|item| item.is_one_of(words))
}

/// A part of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A number by itself.
    Number(Decimal),
    /// A number with the unit that is written against it.
    Measure(Decimal, &'a str),
    /// 1st, 2nd, ...
    Ordinal(Decimal),
    /// Letters, possibly with hyphens, slashes or apostrophes inside.
    Word(&'a str),
    /// What has digits, underscores or dots in it and is no number; a path.
    Name(&'a str),
}

/// What the text of a chunk means.
pub(super) fn parts(chunk: &str) -> Vec<Part<'_>> {
    if chunk.starts_with(['/', '~']) || chunk.starts_with("./") || chunk.starts_with("../") {
        return vec![Part::Name(chunk)];
    }
    if let Some((number, rest)) = Decimal::read(chunk)
        && let Some(parts) = number_parts(number, rest)
    {
        return parts;
    }
    let is_word = chunk.chars().all(|c| !c.is_numeric() && !matches!(c, '_' | '.' | '\\' | ':'));
    vec![if is_word { Part::Word(chunk) } else { Part::Name(chunk) }]
}

/// What a chunk means that begins with `number` and goes on with `rest`. `None` when it is a name.
fn number_parts(number: Decimal, rest: &str) -> Option<Vec<Part<'_>>> {
    if rest.is_empty() {
        return Some(vec![Part::Number(number)]);
    }
    if ["st", "nd", "rd", "th"].iter().any(|suffix| rest.eq_ignore_ascii_case(suffix)) {
        return Some(vec![Part::Ordinal(number)]);
    }
    if unit(rest).is_some() {
        return Some(vec![Part::Measure(number, rest)]);
    }
    let after = rest.strip_prefix('-')?;
    if unit(after).is_some() {
        return Some(vec![Part::Measure(number, after)]);
    }
    if after.chars().all(char::is_alphabetic) {
        return Some(vec![Part::Number(number), Part::Word(after)]);
    }
    // A range such as 10-20N. A leading zero is a part of a name or a date.
    let is_plain = !after.starts_with('0') || after.starts_with("0.") || after == "0";
    let (second, rest) = Decimal::read(after).filter(|_| is_plain)?;
    if rest.is_empty() {
        return Some(vec![Part::Number(number), Part::Number(second)]);
    }
    unit(rest)?;
    Some(vec![Part::Measure(number, rest), Part::Measure(second, rest)])
}

impl Part<'_> {
    fn append_to(self, items: &mut Vec<Item>) {
        match self {
            Self::Number(value) => items.push(quantity(value, "")),
            Self::Measure(value, symbol) => items.push(quantity(value, symbol)),
            Self::Ordinal(value) => {
                let text = value.to_string();
                items.push(Item { kind: ItemKind::Ordinal(value), text, is_capital: false });
            }
            Self::Name(text) => items.push(Item::plain(ItemKind::Name, text)),
            Self::Word(text) => {
                for word in text.split(['-', '/', '·', '⋅', '^']).filter(|word| !word.is_empty())
                {
                    append_word(word, items);
                }
            }
        }
    }
}

/// Appends one word; "doesn't" is "does" and "not".
fn append_word(word: &str, items: &mut Vec<Item>) {
    let straight = word.replace('\u{2019}', "'");
    let lower = straight.to_lowercase();
    match lower.strip_suffix("n't") {
        Some(stem) => {
            let verb = match stem {
                "ca" => "can",
                "wo" => "will",
                "sha" => "shall",
                other => other,
            };
            items.push(Item::word(verb));
            items.push(Item::word("not"));
        }
        None => match straight.split_once('\'') {
            Some((stem, suffix)) if !stem.is_empty() => {
                items.push(Item::word(stem));
                if !suffix.eq_ignore_ascii_case("s") {
                    items.push(Item::word(suffix));
                }
            }
            _ => items.push(Item::word(&straight)),
        },
    }
}

fn quantity(value: Decimal, symbol: &str) -> Item {
    let written = value.clone();
    let (unit, value, is_count, symbol) = match unit(symbol) {
        Some(unit) => {
            let (value, is_count) = (unit.in_base(&value), unit.base.is_empty());
            (unit.base, value, is_count, unit.symbol)
        }
        None => (String::new(), value, false, ""),
    };
    let text = format!("{value}{unit}");
    let quantity = Quantity { unit, value, is_count, written, symbol };
    Item { kind: ItemKind::Quantity(quantity), text, is_capital: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        let show = |item: &Item| match &item.kind {
            ItemKind::Quantity(q) => format!("#{}{}", q.value, q.unit),
            ItemKind::Ordinal(n) => format!("#{n}."),
            ItemKind::Name => format!("@{}", item.text),
            _ => item.text.clone(),
        };
        items(text).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_text_is_read_as_items() {
        let cases = [
            ("Grip 12.50 N", "grip #12.5N"),
            ("grip 12.5N", "grip #12.5N"),
            ("10-20 mm wide", "#10 #0.02m wide"),
            ("10-20mm wide", "#0.01m #0.02m wide"),
            ("a 6-axis arm", "a #6 axis arm"),
            ("within 5-mm", "within #0.005m"),
            ("80 % or 80%", "#80% or #80%"),
            ("it doesn't fit", "it does not fit"),
            ("it can’t", "it can not"),
            ("the robot's arm", "the robot arm"),
            ("M8x40 on arm-01", "@m8x40 on @arm-01"),
            ("on 2026-03-09", "on @2026-03-09"),
            ("see config/grip.yaml", "see @config/grip.yaml"),
            ("力不超过15牛", "力 不 超 过 #15N"),
            ("等待 3 个周期", "等 待 #3 周 期"),
            ("the 2nd drawer", "the #2. drawer"),
            ("left/right, up", "left right , up"),
            ("１２．５Ｎ", "#12.5N"),
            ("5 a day", "#5 a day"),
            ("20 °C or 20℃", "#20°C or #20°C"),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
