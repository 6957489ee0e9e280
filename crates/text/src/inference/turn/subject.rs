//! What a clause is about, and what "it" stands for.

use std::ops::Range;

use super::super::items::ItemKind;
use super::super::stop_words::is_english_stop_word;
use super::clauses::Clause;
use super::morphology::{is_article, is_past};
use super::parsed_sentence::ParsedSentence;
use super::words::LexicalClass::*;

/// Items of a noun phrase.
const NOUN_ITEMS_MAX: usize = 10;
/// Sentences before the present one in which what "it" stands for is looked for.
const SENTENCES_BACK_MAX: usize = 3;

/// The things that a clause names as its subject and its object, in bytes of the report. What stands after a
/// preposition is none of them.
pub(super) fn things(sentence: &ParsedSentence, clause: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut index = clause.start;
    let mut may_begin = true;
    while index < clause.end {
        let after = sentence.after(index).min(clause.end);
        let cue = sentence.cue(index);
        let item = &sentence.items[index];
        let is_noun = may_begin
            && (is_article(sentence, index) || is_noun_item(sentence, index) || cue == Some(Act));
        if is_noun {
            let (end, thing) = noun_phrase(sentence, index, clause.end);
            found.extend(thing);
            index = end.max(after);
            may_begin = false;
            continue;
        }
        may_begin = match cue {
            Some(And | But | Therefore | Because | Condition | Chatter) => true,
            Some(Handles | Takes | Past | Done | Bad | Imperative) => true,
            Some(Measured) => item.kind == ItemKind::Word,
            // "Picked up the cup".
            Some(Preposition) => {
                may_begin && sentence.is_word(index, &["up", "down"]) && index > clause.start
            }
            Some(Act) if item.kind == ItemKind::Han => true,
            Some(_) => may_begin && item.kind != ItemKind::Word && cue == Some(Plain),
            None => item.kind == ItemKind::Break || is_past(sentence, index),
        };
        index = after;
    }
    found
}

fn is_noun_item(sentence: &ParsedSentence, index: usize) -> bool {
    let item = &sentence.items[index];
    let is_free = matches!(sentence.cue(index), None | Some(Plain | Parameter | Handling));
    match item.kind {
        ItemKind::Word => {
            is_free
                && !is_past(sentence, index)
                && !item.text.ends_with("ly")
                && !is_english_stop_word(&item.text)
        }
        ItemKind::Han => is_free && !"了着过的地得到上下里中个".contains(item.text.as_str()),
        ItemKind::Name => true,
        ItemKind::Ordinal(_) => true,
        ItemKind::Quantity(ref quantity) => quantity.unit.is_empty(),
        _ => false,
    }
}

/// Verbs that name an act when they are nouns; others name things: the handle, the switch.
const ACTS: &[&str] = &[
    "grasp", "pick", "grip", "lift", "place", "push", "move", "run", "test", "check", "approach",
    "start", "stop", "turn", "call",
];

/// The noun phrase that begins at `index`: where it ends, and its bytes if it names a thing.
fn noun_phrase(
    sentence: &ParsedSentence,
    index: usize,
    end: usize,
) -> (usize, Option<Range<usize>>) {
    let mut at = index;
    let mut is_thing = false;
    let mut last_act = false;
    let is_han = sentence.is_han(index);
    while at < end && at - index < NOUN_ITEMS_MAX {
        let after = sentence.after(at).min(end);
        let opens = at == index && is_article(sentence, at);
        let is_act = !(is_han && at > index)
            && (sentence.cue(at) == Some(Act) || sentence.is_word(at, ACTS) && at > index);
        // "The handle", "the good one": after an article it is no verb and no chatter.
        let is_after_article =
            at > index && !is_han && sentence.has_cue(at, &[Imperative, Chatter, Label, Adverb]);
        let is_attribute_of_noun = sentence.is_word(at, &["的"]) && at > index && at + 1 < end;
        if !(opens
            || is_act
            || is_attribute_of_noun
            || is_after_article
            || is_noun_item(sentence, at))
        {
            break;
        }
        let is_value = sentence.has_cue(at, &[Parameter, Handling]);
        let is_name = matches!(sentence.items[at].kind, ItemKind::Name)
            || !opens
                && !is_act
                && !is_value
                && !matches!(sentence.items[at].kind, ItemKind::Quantity(_));
        is_thing |= is_name && !is_attribute_of_noun;
        last_act = is_act;
        at = after;
    }
    // "The grasp of the cup": the cup is what it is about.
    if last_act && sentence.is_word(at, &["of"]) && at + 1 < end {
        return noun_phrase(sentence, at + 1, end);
    }
    if last_act || at == index {
        return (at, None);
    }
    // 两次 counts, and names nothing.
    let is_count = sentence.items[index..at]
        .iter()
        .all(|item| "一二两三四五六七八九十几第次个遍回下".contains(item.text.as_str()));
    is_thing &= !is_count;
    // 螺旋搜索对准: what stands before a verb does it, or says how.
    is_thing &= !(is_han && sentence.has_cue(at, &[Handles, Act]) && at < end);
    let bytes = sentence.bytes(index..at);
    (at, is_thing.then_some(bytes))
}

/// What was named so far, sentence by sentence.
#[derive(Default)]
pub(super) struct Things<'a> {
    sentences: Vec<Vec<&'a str>>,
}

impl<'a> Things<'a> {
    /// Notes what the clauses of one sentence name.
    pub fn note(&mut self, text: &'a str, sentence: &ParsedSentence, clauses: &[Clause]) {
        let named = clauses.iter().flat_map(|clause| things(sentence, &clause.range));
        self.sentences.push(named.map(|bytes| &text[bytes]).collect());
    }

    /// The one thing that the sentences before named last; `None` when that is none, or several.
    pub fn last(&self) -> Option<&'a str> {
        let before = self.sentences.iter().rev().take(SENTENCES_BACK_MAX);
        only(before.into_iter().find(|named| !named.is_empty())?)
    }
}

/// The one thing that is named, however often.
pub(super) fn only<'a>(named: &[&'a str]) -> Option<&'a str> {
    let first = named.first()?;
    let bare = |name: &str| {
        let small = name.to_lowercase();
        ["the ", "a ", "an "]
            .iter()
            .find_map(|article| small.strip_prefix(article))
            .unwrap_or(&small)
            .to_owned()
    };
    // A single Han character may be a part of a word.
    let is_whole = first.chars().nth(1).is_some();
    let is_same = |other: &&str| bare(other) == bare(first);
    (is_whole && named.iter().all(is_same)).then_some(first)
}
