//! A sentence of a report as items, each with its place in the report.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::super::decimal::Decimal;
use super::super::items::{Item, ItemKind, Quantity, is_at, spanned_items};
use super::super::numerals::han_number;
use super::super::units::han_unit;
use super::words::{
    CUES,
    LexicalClass::{self, *},
};

/// A sentence as items, with the place of each and the cue that it gives.
pub(super) struct ParsedSentence {
    pub items: Vec<Item>,
    /// Where each item stands, in bytes of the report.
    pub spans: Vec<Range<usize>>,
    /// What the item at each index says, alone or as the first of a phrase, and how many items say it.
    /// What stands inside a phrase has none of its own.
    pub cues: Vec<Option<(LexicalClass, usize)>>,
}

impl ParsedSentence {
    /// Reads the sentence at `range` of `text`.
    pub fn of(text: &str, range: &Range<usize>) -> Self {
        Self::from_items(text, placed_items(text, range, false))
    }

    /// Reads it with the Chinese numbers that are written in words and have a unit: 二十牛, 一点五牛.
    pub fn with_spoken(text: &str, range: &Range<usize>) -> Self {
        Self::from_items(text, placed_items(text, range, true))
    }

    fn from_items(text: &str, (mut items, spans): (Vec<Item>, Vec<Range<usize>>)) -> Self {
        for (item, span) in items.iter_mut().zip(&spans) {
            if matches!(item.kind, ItemKind::Quantity(_)) && is_code(&text[span.clone()]) {
                item.kind = ItemKind::Name;
            }
        }
        let mut cues = vec![None; items.len()];
        let mut index = 0;
        while index < items.len() {
            let Some((cue, used)) = CUES.longest(&items[index..]) else {
                index += 1;
                continue;
            };
            let is_kept = match cue {
                Act | Handles => !is_part_of_noun(&items, index, used),
                _ => true,
            };
            cues[index] = Some((if is_kept { cue } else { Plain }, used));
            index += used;
        }
        Self { items, spans, cues }
    }

    /// The cues of the items in `range`, each with its index.
    pub fn cues_in(&self, range: Range<usize>) -> impl Iterator<Item = (usize, LexicalClass)> {
        range.filter_map(|index| Some((index, self.cues[index]?.0)))
    }

    /// The cue that begins at `index`.
    pub fn cue(&self, index: usize) -> Option<LexicalClass> {
        Some((*self.cues.get(index)?)?.0)
    }

    /// Whether one of these cues begins at `index`.
    pub fn has_cue(&self, index: usize, cues: &[LexicalClass]) -> bool {
        self.cue(index).is_some_and(|cue| cues.contains(&cue))
    }

    /// Whether the item at `index` is one of these Han characters.
    pub fn is_han_of(&self, index: usize, characters: &str) -> bool {
        self.is_han(index) && characters.contains(&self.items[index].text)
    }

    /// The index after the phrase, or the item, at `index`.
    pub fn after(&self, index: usize) -> usize {
        index + self.cues.get(index).copied().flatten().map_or(1, |(_, used)| used)
    }

    pub fn is_word(&self, index: usize, words: &[&str]) -> bool {
        is_at(&self.items, index, words)
    }

    /// Whether the items in `range` spell one of the phrases.
    pub fn is_phrase(&self, range: Range<usize>, phrases: &[&str]) -> bool {
        phrases.contains(&self.spelled(range).as_str())
    }

    /// The items in `range`, with spaces between unless they are of Han.
    pub fn spelled(&self, range: Range<usize>) -> String {
        let between = if self.is_han(range.start) { "" } else { " " };
        let words: Vec<&str> = self.items[range].iter().map(|item| item.text.as_str()).collect();
        words.join(between)
    }

    /// Whether the item is of Han.
    pub fn is_han(&self, index: usize) -> bool {
        self.items.get(index).is_some_and(|item| item.kind == ItemKind::Han)
    }

    /// The bytes of the report that the items in `range` take, without marks around them.
    pub fn bytes(&self, range: Range<usize>) -> Range<usize> {
        match (self.spans.get(range.start), range.end.checked_sub(1)) {
            (Some(first), Some(last)) => first.start..self.spans[last].end,
            _ => 0..0,
        }
    }
}

/// Whether a number with a unit is rather a code: 4711-B.
fn is_code(text: &str) -> bool {
    text.rsplit_once('-').is_some_and(|(number, letter)| {
        number.ends_with(|c: char| c.is_ascii_digit())
            && letter.len() == 1
            && letter.starts_with(|c: char| c.is_ascii_uppercase())
    })
}

/// What makes a noun of the verb before it: 标定板, 充电桩, 离心管.
const NOUN_ENDINGS: &str = "板仪器机台区室桩剂液圈销站点位座员泵槽柜力管架";

/// Whether a Chinese verb is only a part of a noun, or a single character that stands inside a word.
fn is_part_of_noun(items: &[Item], index: usize, used: usize) -> bool {
    let is = |at: usize, texts: &str| {
        items
            .get(at)
            .is_some_and(|item| item.kind == ItemKind::Han && texts.contains(item.text.as_str()))
    };
    if items[index].kind != ItemKind::Han {
        return false;
    }
    if used == 1 {
        return !is(index + 1, "了着到过好完上下入出");
    }
    used == 2 && is(index + used, NOUN_ENDINGS) && !is(index + used + 1, "子门路材")
}

/// Units of what robots set, beside which a Chinese numeral is a number.
#[rustfmt::skip]
const SPOKEN_UNITS: &[&str] = &[
    "牛", "牛顿", "牛米", "牛·米", "厘米", "毫米", "千帕", "兆帕", "巴", "伏", "伏特", "瓦", "秒", "秒钟",
    "米每秒", "毫米每秒", "厘米每秒", "度",
];

/// The number in Chinese words with its unit at the begin of `text`, and its length in bytes.
fn spoken(text: &str) -> Option<(Quantity, usize)> {
    let digits = "零一二三四五六七八九";
    let digit = |c: char| digits.chars().position(|it| it == if c == '两' { '二' } else { c });
    let first = text.chars().next().filter(|&c| digit(c).is_some() || c == '十' || c == '百')?;
    let point = |at: usize| {
        text[at..]
            .strip_prefix('点')
            .filter(|rest| rest.chars().next().is_some_and(|c| digit(c).is_some()))
    };
    let whole_len: usize = text
        .chars()
        .take_while(|c| digit(*c).is_some() || "十百千".contains(*c))
        .map(char::len_utf8)
        .sum();
    let (written, len) = match point(whole_len) {
        Some(rest) => {
            // Before the point stands one numeral.
            let whole = digit(first).filter(|_| whole_len == first.len_utf8())?;
            let part: String = rest.chars().map_while(digit).map(|it| it.to_string()).collect();
            let len = whole_len + '点'.len_utf8() + part.len() * first.len_utf8();
            (Decimal::read(&format!("{whole}.{part}"))?.0, len)
        }
        None => {
            let (value, len) = han_number(text)?;
            (Decimal::from_integer(value), len)
        }
    };
    let (unit, unit_len) = han_unit(&text[len..])?;
    // 一度 is once.
    let is_known = SPOKEN_UNITS.contains(&&text[len..len + unit_len])
        && !(whole_len == first.len_utf8() && text[len..].starts_with('度'));
    let quantity = Quantity {
        value: unit.in_base(&written),
        unit: unit.base,
        is_count: false,
        written,
        symbol: unit.symbol,
    };
    is_known.then_some((quantity, len + unit_len))
}

/// The items of `text[range]`, read after NFKC, and where each stands in `text`.
fn placed_items(
    text: &str,
    range: &Range<usize>,
    with_spoken: bool,
) -> (Vec<Item>, Vec<Range<usize>>) {
    let sentence = &text[range.clone()];
    let mut normal = String::with_capacity(sentence.len());
    // For each byte of the normal form, the character that it comes from.
    let mut origins: Vec<Range<usize>> = Vec::with_capacity(sentence.len());
    for (at, c) in sentence.char_indices() {
        let start = range.start + at;
        if c.is_ascii() {
            normal.push(c);
        } else {
            normal.extend(std::iter::once(c).nfkc());
        }
        origins.resize(normal.len(), start..start + c.len_utf8());
    }
    let (mut items, mut spans) = spanned_items(&normal);
    let mut index = 0;
    while with_spoken && index < items.len() {
        if let Some((quantity, len)) = spoken(&normal[spans[index].start..])
            && !(index > 0
                && items[index - 1].kind == ItemKind::Han
                && "第几十百一".contains(items[index - 1].text.as_str()))
        {
            let end = spans[index].start + len;
            let to = (index..items.len()).find(|&at| spans[at].start >= end).unwrap_or(items.len());
            spans[index].end = end;
            spans.drain(index + 1..to);
            items.drain(index + 1..to);
            items[index].kind = ItemKind::Quantity(quantity);
        }
        index += 1;
    }
    let place = |span: Range<usize>| match (origins.get(span.start), origins.get(span.end - 1)) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => range.clone(),
    };
    (items, spans.into_iter().map(place).collect())
}
