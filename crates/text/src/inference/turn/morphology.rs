//! Word forms: what the ending of a word, and the words around it, say of it.

use std::ops::Range;

use super::super::items::ItemKind;
use super::parsed_sentence::ParsedSentence;
use super::words::LexicalClass::*;

/// Words after which one in `-ed` describes.
pub(super) const BEFORE_ADJECTIVES: &[&str] = &[
    "the", "a", "an", "this", "that", "each", "every", "its", "my", "our", "of", "very", "too",
    "more", "some", "any", "no", "than",
];
pub(super) const BASE_IN_ED: &[&str] = &[
    "need", "speed", "feed", "bleed", "embed", "seed", "shed", "exceed", "proceed", "succeed",
    "red", "bed", "led", "weed",
];
pub(super) const ARTICLES: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "all", "both", "each", "our", "my", "your",
    "another", "one", "no",
];

/// What announces before a colon what is to be done.
pub(super) const PLAN_LABELS: &[&str] = &[
    "task", "todo", "plan", "goal", "next", "question", "request", "action", "idea", "wish",
    "order",
];

/// Whether a noun, or the name of a value, stands before the number at `index`.
pub(super) fn is_noun_before(
    sentence: &ParsedSentence,
    index: usize,
    range: &Range<usize>,
) -> bool {
    let Some(before) = index.checked_sub(1).filter(|&before| before >= range.start) else {
        return false;
    };
    let opens = sentence.has_cue(range.start, &[At, Preposition, Relative, About]);
    let is_noun = match sentence.items[before].kind {
        ItemKind::Word => !sentence.has_cue(before, &[At, Preposition, About]),
        ItemKind::Han => true,
        ItemKind::Sign => sentence.is_word(before, &["="]),
        ItemKind::Break => sentence.is_word(before, &[":"]),
        _ => false,
    };
    is_noun && !opens
}

/// Whether a number without a unit at `index` is the value of what is named before it.
pub(super) fn is_value_before(
    sentence: &ParsedSentence,
    index: usize,
    range: &Range<usize>,
) -> bool {
    let from = range.start.max(index.saturating_sub(3));
    let named = (from..index).rev().find_map(|at| {
        let (cue, used) = sentence.cues[at]?;
        (at + used >= index || at + used + 1 >= index).then_some(cue)
    });
    matches!(named, Some(Parameter | Handling | Is | Was | Measured))
        && (matches!(named, Some(Is | Was))
            || sentence.is_word(index - 1, &[":", "="])
            || sentence.cue(index - 1).is_some()
            || sentence.is_han(index - 1))
}

/// What is chatter by itself, and says how it went after something else.
#[rustfmt::skip]
pub(super) const TELLING_CHATTER: &[&str] = &[
    "ok", "okay", "fine", "good", "well", "perfect", "done", "finished", "great", "went well", "went fine",
    "went smoothly", "worked well", "好了", "完成了", "搞定", "很好", "不错", "准备好了",
];
pub(super) const BEFORE_PLACES: &[&str] = &[
    "not", "back", "is", "are", "was", "were", "s", "now", "still", "always", "up", "directly",
    "right", "just",
];

/// Whether a word looks like a participle.
pub(super) fn is_participle(word: &str) -> bool {
    word.ends_with("ed") && word.len() > 4
        || ["kept", "hung", "put", "stuck", "built", "bound", "laid", "held", "left", "found"]
            .contains(&word)
}

pub(super) fn is_pronoun(sentence: &ParsedSentence, index: usize) -> bool {
    sentence.cue(index) == Some(Pronoun)
}

/// Where something moves.
#[rustfmt::skip]
const DIRECTIONS: &[&str] = &[
    "inward", "inwards", "outward", "outwards", "open", "shut", "upward", "upwards", "downward",
    "downwards", "sideways", "left", "right", "backwards", "forward",
];

/// Whether a question begins at `index`: "is the", "did it", "have you".
pub(super) fn asks(sentence: &ParsedSentence, index: usize) -> bool {
    let next = index + 1;
    sentence.is_word(index, AUXILIARIES)
        && is_article(sentence, next)
        && !sentence.is_word(next, &["no", "one"])
}

const AUXILIARIES: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "can", "could", "will",
    "would", "should", "may", "might",
];

/// Whether a number with a unit stands at `index`.
pub(super) fn is_quantity(sentence: &ParsedSentence, index: usize) -> bool {
    matches!(sentence.items.get(index).map(|item| &item.kind), Some(ItemKind::Quantity(_)))
}

/// Whether the word at `index` is a verb in the present by its ending and by what stands around it: "the
/// connector drips when", "the lid holds the".
pub(super) fn is_third_person(sentence: &ParsedSentence, index: usize, end: usize) -> bool {
    let text = sentence.items[index].text.as_str();
    let is_form = text.len() > 3
        && text.ends_with('s')
        && !["ss", "us", "is", "ous"].iter().any(|ending| text.ends_with(ending));
    let follows_noun = index > 1
        && sentence.items[index - 1].kind == ItemKind::Word
        && matches!(sentence.cue(index - 1), None | Some(Plain | Act | Handling | Parameter))
        && !is_article(sentence, index - 1)
        && (index > 2 || is_article(sentence, index - 2));
    let next = index + 1;
    let ends = next >= end;
    let goes_on = ends && is_article(sentence, index.saturating_sub(2))
        || !ends
            && (is_article(sentence, next)
                || sentence.items[next].text.ends_with("ly")
                || sentence.is_word(next, DIRECTIONS)
                || sentence.has_cue(next, &[Condition, At, Preposition, Scope, Adverb]));
    // "Door swings inward".
    let is_short = index == 1
        && sentence.items[0].kind == ItemKind::Word
        && sentence.cue(0).is_none()
        && !ends
        && (sentence.is_word(next, DIRECTIONS) || sentence.cue(next) == Some(Condition));
    if is_form && is_short {
        return true;
    }
    is_form && follows_noun && goes_on
}

/// Whether "since" at `index` names a time: since Monday, since the last run.
pub(super) fn is_since_when(
    sentence: &ParsedSentence,
    index: usize,
    after: usize,
    end: usize,
) -> bool {
    sentence.is_word(index, &["since"])
        && !sentence
            .cues_in(after..end)
            .any(|(_, cue)| matches!(cue, Is | Was | Attribute | Past | Bad | Good))
        && !(after..end).any(|at| is_past(sentence, at))
}

/// Whether the word at `index` is a verb in the past tense by its ending.
pub(super) fn is_past(sentence: &ParsedSentence, index: usize) -> bool {
    let item = &sentence.items[index];
    item.kind == ItemKind::Word
        && item.text.len() > 3
        && item.text.ends_with("ed")
        && !item.is_one_of(BASE_IN_ED)
        && !(index > 0 && sentence.is_word(index - 1, BEFORE_ADJECTIVES))
}

/// Whether a noun phrase begins at `index`.
pub(super) fn is_article(sentence: &ParsedSentence, index: usize) -> bool {
    sentence.is_word(index, ARTICLES)
}
