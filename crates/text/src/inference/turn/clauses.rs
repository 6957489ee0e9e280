//! The clauses of a sentence.

use std::ops::Range;

use super::super::items::ItemKind;
use super::features::ClauseFeatures;
use super::parsed_sentence::ParsedSentence;
use super::words::LexicalClass::*;

/// A part of a sentence between two marks or conjunctions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// Its items.
    pub range: Range<usize>,
    /// Whether what stands before it is told apart from it: by a semicolon, by "but".
    pub is_apart: bool,
}

/// Items of a label before a colon.
const LABEL_ITEMS_MAX: usize = 6;

/// The clauses of a sentence in order.
pub(super) fn clauses(sentence: &ParsedSentence) -> Vec<Clause> {
    let mut found = Vec::new();
    let (mut from, mut is_apart) = (0, false);
    let mut depth = 0usize;
    let mut index = 0;
    let mut end = |from: &mut usize, to: usize, next: usize, is_apart: &mut bool, apart: bool| {
        if to > *from {
            found.push(Clause { range: *from..to, is_apart: *is_apart });
            *is_apart = apart;
        } else {
            *is_apart |= apart;
        }
        *from = next;
    };
    while index < sentence.items.len() {
        let item = &sentence.items[index];
        match item.text.as_str() {
            "(" | "[" | "【" | "「" | "《" | "“" => depth += 1,
            ")" | "]" | "】" | "」" | "》" | "”" => depth = depth.saturating_sub(1),
            _ => {}
        }
        // What opens and is never closed opens nothing.
        let is_inside = depth > 0 && closes_later(sentence, index);
        let is_dash = item.kind == ItemKind::Sign
            && item.is_one_of(&["-", "\u{2013}", "\u{2014}", "|"])
            && !sentence.is_word(index + 1, &[">"]);
        if is_inside {
            index += 1;
            continue;
        }
        match item.kind {
            ItemKind::Break if item.text == "." || item.text == "、" => {}
            ItemKind::Break if item.text == ":" => {
                let is_value = matches!(
                    sentence.items.get(index + 1).map(|next| &next.kind),
                    Some(ItemKind::Quantity(_))
                );
                if !is_value && ends_label(sentence, from..index) {
                    end(&mut from, index, index + 1, &mut is_apart, false);
                }
            }
            ItemKind::Break => {
                let apart = item.is_one_of(&[";", "。", "!", "…", "\u{2014}"]);
                end(&mut from, index, index + 1, &mut is_apart, apart);
            }
            _ if is_dash => end(&mut from, index, index + 1, &mut is_apart, true),
            _ => {
                let after = sentence.after(index);
                if sentence.cue(index) == Some(But) {
                    end(&mut from, index, index, &mut is_apart, true);
                }
                index = after;
                continue;
            }
        }
        index += 1;
    }
    end(&mut from, sentence.items.len(), 0, &mut is_apart, false);
    found
}

/// How far the closing mark of a bracket is looked for.
const BRACKET_ITEMS_MAX: usize = 48;

fn closes_later(sentence: &ParsedSentence, index: usize) -> bool {
    sentence.items[index + 1..]
        .iter()
        .take(BRACKET_ITEMS_MAX)
        .any(|item| item.is_one_of(&[")", "]", "】", "」", "》", "”"]))
}

/// Whether the items before a colon say something by themselves, or only what kind of thing follows.
fn ends_label(sentence: &ParsedSentence, range: Range<usize>) -> bool {
    let features = ClauseFeatures::of(sentence, range.clone());
    let is_label =
        sentence.cue(range.start) == Some(Label) && sentence.after(range.start) == range.end;
    is_label || range.len() > LABEL_ITEMS_MAX || features.kind().is_some()
}
