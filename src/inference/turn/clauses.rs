//! The clauses of a sentence, and what each says.

use std::ops::Range;

use super::super::category::is_base_form;
use super::super::items::ItemKind;
use super::super::stop_words::is_english_stop_word;
use super::TurnFactKind;
use super::reading::Reading;
use super::words::Cue;

/// A part of a sentence between two marks or conjunctions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    /// Its items.
    pub range: Range<usize>,
    /// Whether what stands before it is told apart from it: by a semicolon, by "but".
    pub is_apart: bool,
}

/// Items after a conjunction that are looked at for a word that turns what it joins into something else.
const TURN_ITEMS_MAX: usize = 4;
/// Items of a label before a colon.
const LABEL_ITEMS_MAX: usize = 6;

/// The clauses of a sentence in order.
pub(super) fn clauses(reading: &Reading) -> Vec<Clause> {
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
    while index < reading.items.len() {
        let item = &reading.items[index];
        match item.text.as_str() {
            "(" | "[" | "【" | "「" | "《" | "“" => depth += 1,
            ")" | "]" | "】" | "」" | "》" | "”" => depth = depth.saturating_sub(1),
            _ => {}
        }
        // What opens and is never closed opens nothing.
        let is_inside = depth > 0 && closes_later(reading, index);
        let is_dash = item.kind == ItemKind::Sign
            && ["-", "\u{2013}", "\u{2014}", "|"].contains(&item.text.as_str())
            && !reading.is_word(index + 1, &[">"]);
        if is_inside {
            index += 1;
            continue;
        }
        match item.kind {
            ItemKind::Break if item.text == "." || item.text == "、" => {}
            ItemKind::Break if item.text == ":" => {
                if ends_label(reading, from..index) {
                    end(&mut from, index, index + 1, &mut is_apart, false);
                }
            }
            ItemKind::Break => {
                let apart = [";", "。", "!", "…", "\u{2014}"].contains(&item.text.as_str());
                end(&mut from, index, index + 1, &mut is_apart, apart);
            }
            _ if is_dash => end(&mut from, index, index + 1, &mut is_apart, true),
            _ => {
                let after = reading.after(index);
                match reading.cue(index) {
                    Some(Cue::But) => end(&mut from, index, index, &mut is_apart, true),
                    Some(Cue::And) if turns(reading, after) => {
                        end(&mut from, index, index, &mut is_apart, false);
                    }
                    Some(Cue::Guess) if reading.cue(after) == Some(Cue::Because) => {
                        end(&mut from, index, index, &mut is_apart, false);
                    }
                    _ => {}
                }
                index = after;
                continue;
            }
        }
        index += 1;
    }
    end(&mut from, reading.items.len(), 0, &mut is_apart, false);
    found
}

/// How far the closing mark of a bracket is looked for.
const BRACKET_ITEMS_MAX: usize = 48;

fn closes_later(reading: &Reading, index: usize) -> bool {
    reading.items[index + 1..]
        .iter()
        .take(BRACKET_ITEMS_MAX)
        .any(|item| [")", "]", "】", "」", "》", "”"].contains(&item.text.as_str()))
}

/// Whether what follows a conjunction is no longer told as done.
fn turns(reading: &Reading, from: usize) -> bool {
    let to = (from + TURN_ITEMS_MAX).min(reading.items.len());
    reading
        .cues_in(from..to)
        .take(2)
        .any(|(_, cue)| matches!(cue, Cue::Plan | Cue::Request | Cue::Wish | Cue::Guess | Cue::Rule))
}

/// Whether the items before a colon say something by themselves, or only what kind of thing follows.
fn ends_label(reading: &Reading, range: Range<usize>) -> bool {
    let signs = Signs::of(reading, range.clone());
    let is_label = reading.cue(range.start) == Some(Cue::Label) && reading.after(range.start) == range.end;
    is_label || signs.is_chatter || range.len() > LABEL_ITEMS_MAX || signs.kind().is_some()
}

/// What a clause shows.
#[derive(Debug, Clone, Default)]
pub(super) struct Signs {
    /// A plan, request, wish, guess or question, or nothing at all.
    pub is_untold: bool,
    pub is_chatter: bool,
    pub rule: bool,
    /// A reason, wherever it stands.
    pub because: bool,
    pub because_at_start: bool,
    pub therefore_at_start: bool,
    /// It gives the reason of what was said before it.
    pub reason_at_start: bool,
    pub condition_at_start: bool,
    pub condition_at_end: bool,
    pub joins: bool,
    pub good: bool,
    pub bad: bool,
    pub not: bool,
    pub past: bool,
    pub past_at_start: bool,
    pub parameter: bool,
    pub handling: bool,
    pub quantity: bool,
    pub has_subject: bool,
    pub caused_at_start: bool,
    /// A noun stands before its number: "moisture 31 %".
    pub names_number: bool,
    /// An attempt is told, and not how it ended.
    tries: bool,
    handles: bool,
    pub pronoun_at_start: bool,
    pub is_han: bool,
    done: bool,
    pub handles_at_start: bool,
    measured: bool,
    act: bool,
    is: bool,
    was: bool,
    attribute: bool,
    place: bool,
    number: bool,
    speaker: bool,
    vague: bool,
    content: usize,
}

/// Words after which one in `-ed` describes.
const BEFORE_ADJECTIVES: &[&str] =
    &["the", "a", "an", "this", "that", "each", "every", "its", "my", "our", "of", "very", "too", "more", "some", "any", "no"];
const BASE_IN_ED: &[&str] = &["need", "speed", "feed", "bleed", "embed", "seed", "shed", "exceed", "proceed", "succeed", "red", "bed", "led", "weed"];
const ARTICLES: &[&str] = &["the", "a", "an", "this", "that", "these", "those", "all", "both", "each", "our", "my", "your", "another", "one", "no"];

impl Signs {
    /// Reads the items in `range`.
    pub fn of(reading: &Reading, range: Range<usize>) -> Self {
        let mut signs = Self::default();
        let first = Self::first_told(reading, &range);
        let mut has_verb = false;
        let mut untold = false;
        let mut imperative = false;
        let mut scope = false;
        let mut ever_at: Option<usize> = None;
        let mut chatter = 0;
        let mut said = 0;
        let mut last_place: Option<usize> = None;
        let mut is_predicate = false;
        let mut content_before_verb = 0;
        let mut index = range.start;
        let mut in_condition = false;
        while index < range.end {
            let item = &reading.items[index];
            let after = reading.after(index).min(range.end);
            let is_first = index == first;
            let mut cue = reading.cue(index);
            // What holds only in a condition says nothing of what holds then.
            if in_condition && cue.is_some_and(Cue::is_of_predicate) {
                cue = None;
            }
            signs.is_han |= item.kind == ItemKind::Han;
            if item.kind != ItemKind::Sign && item.kind != ItemKind::Break {
                said += 1;
            }
            match cue {
                Some(Cue::Plan | Cue::Request | Cue::Wish | Cue::Guess | Cue::Question) => untold = true,
                // A relative clause.
                Some(Cue::QuestionAtStart) if index > 0 && reading.is_word(index, &["which", "who", "whose"]) => {
                    signs.joins |= is_first;
                }
                Some(Cue::PlanAtStart | Cue::QuestionAtStart) => untold |= is_first,
                Some(Cue::Chatter) => {
                    chatter += 1;
                    if signs.content > 0 && TELLING_CHATTER.contains(&item.text.as_str()) {
                        signs.good = true;
                        has_verb = true;
                    }
                }
                Some(Cue::Tries) => {
                    signs.tries = true;
                    has_verb = true;
                }
                Some(Cue::And) => chatter += usize::from(index < first || is_first),
                Some(Cue::Because) => {
                    if !is_since_when(reading, index, after, range.end) {
                        signs.because = true;
                        signs.because_at_start |= signs.content == 0;
                    }
                }
                Some(Cue::Causes) => {
                    signs.because = true;
                    has_verb = true;
                    signs.caused_at_start |= signs.content == 0;
                }
                Some(Cue::Therefore) => signs.therefore_at_start |= index <= first,
                Some(Cue::Reason) => {
                    signs.because = true;
                    let says_of_what = reading.is_word(after, &["for", "of", "why"]);
                    signs.reason_at_start |= content_before_verb == 0 && !says_of_what;
                }
                Some(Cue::Rule) => signs.rule = true,
                Some(Cue::RuleAtStart) => signs.rule |= is_first,
                Some(Cue::Ever) => ever_at = Some(index),
                Some(Cue::Imperative) => {
                    imperative |= is_first;
                    signs.act = true;
                    signs.content += 1;
                }
                Some(Cue::Scope) => scope = true,
                Some(Cue::Condition) => {
                    scope = true;
                    signs.condition_at_start |= is_first;
                    in_condition |= item.kind == ItemKind::Word && has_verb;
                }
                Some(Cue::ConditionEnd) => {
                    signs.condition_at_end = after == range.end && index > range.start;
                    scope = true;
                }
                // "So that took long": no purpose, since nothing was said before it.
                Some(Cue::Relative) if is_first && reading.is_word(index, &["so"]) && range.start == 0 => {
                    signs.pronoun_at_start = true;
                }
                Some(Cue::Relative) => signs.joins |= is_first,
                Some(Cue::Good) => {
                    signs.good = true;
                    has_verb = true;
                }
                Some(Cue::Bad) => {
                    signs.bad = true;
                    has_verb = true;
                }
                Some(Cue::Done) => {
                    signs.done = true;
                    has_verb = true;
                }
                Some(Cue::Past) => {
                    signs.past = true;
                    signs.past_at_start |= is_first;
                    has_verb = true;
                }
                Some(Cue::Measured) => {
                    signs.measured = true;
                    signs.past_at_start |= is_first && item.kind == ItemKind::Word;
                    has_verb = true;
                }
                Some(Cue::Act) => {
                    signs.act = true;
                    signs.content += 1;
                    signs.handles |= item.kind == ItemKind::Han;
                    signs.handles_at_start |= is_first && item.kind == ItemKind::Han;
                }
                Some(Cue::Not) => {
                    signs.not = !signs.not;
                    signs.content += usize::from(["nothing", "none", "nobody"].contains(&item.text.as_str()));
                }
                Some(Cue::Is) => {
                    signs.is = true;
                    has_verb = true;
                }
                Some(Cue::Was) => {
                    signs.was = true;
                    has_verb = true;
                }
                Some(Cue::Attribute) => {
                    signs.attribute = true;
                    has_verb = true;
                }
                Some(Cue::At) => {
                    let before = index.wrapping_sub(1);
                    let follows = last_place == Some(before);
                    // "Is stored in", "is mounted on".
                    let is_placed = reading.is_word(before.wrapping_sub(1), &["is", "are", "still", "now"])
                        && reading.items.get(before).is_some_and(|item| is_participle(&item.text));
                    signs.place |= follows || is_placed || reading.is_word(before, BEFORE_PLACES);
                }
                Some(Cue::Lies) => {
                    last_place = Some(after - 1);
                    let is_han = item.kind == ItemKind::Han;
                    signs.place |= is_han;
                    has_verb = true;
                    if !is_han && item.text.ends_with("ed") {
                        signs.past |= !reading.is_word(index.wrapping_sub(1), &["is", "are", "s"]);
                        signs.past_at_start |= is_first;
                    }
                }
                Some(Cue::Parameter) => {
                    signs.parameter = true;
                    signs.content += 1;
                }
                Some(Cue::Handling) => {
                    signs.handling = true;
                    signs.content += 1;
                    has_verb |= item.text == "took" || item.text == "lasted";
                }
                Some(Cue::Pronoun | Cue::Possessive) => signs.pronoun_at_start |= is_first,
                Some(Cue::Demonstrative) => {
                    signs.pronoun_at_start |= is_first && (after >= range.end || is_verb(reading, after));
                }
                Some(Cue::Speaker) => signs.speaker |= is_first,
                Some(Cue::Vague) => signs.vague |= is_first || index == first + 1,
                // 三把螺丝刀 counts them.
                Some(Cue::Takes) if is_numeral(reading, index) => {}
                Some(Cue::Takes) => signs.handles_at_start = true,
                Some(Cue::Handles) => {
                    // At the end of its clause it says what is done, and not that it was: 三层堆叠.
                    let is_of_nothing = after == range.end && signs.content > 0 && !signs.handles_at_start;
                    signs.handles |= !is_of_nothing;
                    signs.handles_at_start |= signs.content == 0;
                    signs.content += 1;
                    has_verb = true;
                }
                Some(Cue::Person) => signs.content += 2,
                Some(_) | None => {}
            }
            match &item.kind {
                ItemKind::Quantity(_) if in_condition => signs.content += 1,
                ItemKind::Quantity(quantity) => {
                    signs.number |= !quantity.unit.is_empty() || is_value_before(reading, index, &range);
                    signs.names_number |= signs.content > 0 && !has_verb && is_noun_before(reading, index, &range);
                    signs.quantity |= !quantity.unit.is_empty();
                    signs.content += 1;
                }
                ItemKind::Name => signs.content += 2,
                ItemKind::Han if cue.is_none_or(|cue| cue == Cue::Plain) => {
                    signs.content += after - index;
                }
                ItemKind::Word if cue.is_none_or(|cue| cue == Cue::Plain) => {
                    let is_past = is_past(reading, index);
                    if in_condition {
                        signs.content += 1;
                    } else if is_past && !signs.is {
                        signs.past = true;
                        signs.past_at_start |= is_first;
                        has_verb = true;
                    } else if !is_english_stop_word(&item.text) && item.text.len() > 1 && !item.text.ends_with("ly") {
                        signs.content += 2;
                        is_predicate |= is_third_person(reading, index, range.end);
                        has_verb |= is_predicate;
                    }
                }
                _ => {}
            }
            if !has_verb {
                content_before_verb = signs.content;
            }
            index = after;
        }
        if let Some(at) = ever_at {
            let next = reading.items.get(at + 1).filter(|item| item.kind == ItemKind::Word);
            let is_order = at == first && next.is_some_and(|next| is_base_form(&next.text));
            signs.rule |= is_order;
            signs.not ^= reading.items[at].text == "never";
        }
        // "The scan read a code".
        signs.past |= signs.measured && !signs.is_han && !signs.number && !signs.place;
        // "Grasp succeeded" names an act, and orders none.
        imperative &= !(signs.past || signs.good || signs.bad || signs.is || signs.was || signs.done);
        signs.rule |= imperative && (scope || signs.quantity && signs.content > 3);
        untold |= imperative && !signs.rule;
        signs.attribute |= is_predicate;
        let least = if signs.is_han { 2 } else { 1 };
        signs.has_subject = content_before_verb >= least && !signs.past_at_start && has_verb;
        // "Task: ...", 待办：....
        untold |= reading.is_word(first, PLAN_LABELS) && reading.is_word(reading.after(first), &[":"])
            || reading.is_word(first, &["任"]) && reading.is_word(first + 2, &[":"]);
        signs.is_chatter = chatter >= said;
        signs.is_untold = untold && !signs.rule;
        // Who guesses or asks gives no rule.
        if signs.rule {
            let gives_none = |(index, cue): (usize, Cue)| {
                matches!(cue, Cue::Guess | Cue::Wish | Cue::Question)
                    || cue == Cue::QuestionAtStart && index == first
            };
            signs.is_untold = reading.cues_in(range).any(gives_none);
        }
        signs
    }

    /// The first item that is no conjunction.
    fn first_told(reading: &Reading, range: &Range<usize>) -> usize {
        let mut index = range.start;
        while index < range.end {
            let item = &reading.items[index];
            let opens = matches!(
                reading.cue(index),
                Some(Cue::And | Cue::But | Cue::Therefore | Cue::Chatter | Cue::Request)
            ) || matches!(item.kind, ItemKind::Break | ItemKind::Sign);
            // "Please do not": the request opens an order.
            if !opens {
                break;
            }
            index = reading.after(index);
        }
        index.min(range.end.saturating_sub(1)).max(range.start)
    }

    /// What kind of fact the clause is by itself.
    pub fn kind(&self) -> Option<TurnFactKind> {
        if self.is_untold || self.is_chatter {
            return None;
        }
        if self.rule {
            return (self.content > 1).then_some(TurnFactKind::Rule);
        }
        if self.because {
            return (self.content > 0).then_some(TurnFactKind::Cause);
        }
        if self.vague && self.content < 3 {
            return None;
        }
        let names_value = self.parameter || self.handling;
        let fared = self.good || self.bad;
        let acts = self.past || self.handles_at_start || self.handles && !self.attribute;
        if self.number && names_value && !fared && !(self.past && self.act) {
            return Some(TurnFactKind::Parameter);
        }
        if self.quantity && self.measured && !fared {
            return Some(TurnFactKind::Parameter);
        }
        if self.place && !fared && !self.done && !self.past && !self.handles && !self.speaker {
            return Some(TurnFactKind::Place);
        }
        if self.place && !fared && !self.speaker && !self.handles && self.has_subject && !self.past {
            return Some(TurnFactKind::Place);
        }
        let is_state = self.is && !self.past && !self.act;
        let has_become = self.done && self.attribute && !fared && !self.handles;
        if (fared || self.done || acts && !self.tries) && !is_state && !has_become && self.content > 0 {
            return Some(TurnFactKind::Outcome);
        }
        if self.act && self.was && self.content > 2 {
            return Some(TurnFactKind::Outcome);
        }
        let describes = self.is || self.was || self.attribute;
        if describes && self.content > 1 && !self.speaker {
            return Some(TurnFactKind::Object);
        }
        if self.quantity && !self.tries {
            return Some(TurnFactKind::Parameter);
        }
        None
    }

    /// Whether it says how something went, perhaps without saying what.
    pub fn fared(&self) -> bool {
        (self.good || self.bad) && !self.is_untold
    }

    /// Whether it names nothing by itself.
    pub fn names_nothing(&self) -> bool {
        self.content == 0
    }

    /// Whether it was reached or not, when it is told.
    pub fn success(&self) -> Option<bool> {
        match (self.good, self.bad) {
            (true, false) => Some(!self.not),
            (false, true) => Some(self.not),
            _ => None,
        }
    }
}

/// What announces before a colon what is to be done.
const PLAN_LABELS: &[&str] = &["task", "todo", "plan", "goal", "next", "question", "request", "action", "idea", "wish", "order"];

/// Whether a noun, or the name of a value, stands before the number at `index`.
fn is_noun_before(reading: &Reading, index: usize, range: &Range<usize>) -> bool {
    let Some(before) = index.checked_sub(1).filter(|&before| before >= range.start) else { return false };
    let opens = matches!(reading.cue(range.start), Some(Cue::At | Cue::Preposition | Cue::Relative | Cue::About));
    let is_noun = match reading.items[before].kind {
        ItemKind::Word => !matches!(reading.cue(before), Some(Cue::At | Cue::Preposition | Cue::About)),
        ItemKind::Han => true,
        ItemKind::Sign => reading.is_word(before, &["="]),
        ItemKind::Break => reading.is_word(before, &[":"]),
        _ => false,
    };
    is_noun && !opens
}

/// Whether a number without a unit at `index` is the value of what is named before it.
fn is_value_before(reading: &Reading, index: usize, range: &Range<usize>) -> bool {
    let from = range.start.max(index.saturating_sub(3));
    let named = (from..index).rev().find_map(|at| {
        let (cue, used) = reading.cues[at]?;
        (at + used >= index || at + used + 1 >= index).then_some(cue)
    });
    matches!(named, Some(Cue::Parameter | Cue::Handling | Cue::Is | Cue::Was | Cue::Measured))
        && (matches!(named, Some(Cue::Is | Cue::Was | Cue::Measured))
            || reading.is_word(index - 1, &[":", "="])
            || reading.cue(index - 1).is_some()
            || reading.is_han(index - 1))
}

/// Whether a Chinese numeral, or "that" or "each", stands before `index`.
fn is_numeral(reading: &Reading, index: usize) -> bool {
    index > 0
        && (matches!(reading.items[index - 1].kind, ItemKind::Quantity(_) | ItemKind::Ordinal(_))
            || reading.is_word(index - 1, &["一", "二", "两", "三", "四", "五", "六", "七", "八", "九", "十", "几", "那", "这", "每", "半"]))
}

/// What is chatter by itself, and says how it went after something else.
const TELLING_CHATTER: &[&str] =
    &["ok", "okay", "fine", "good", "well", "perfect", "done", "finished", "perfect", "great", "完成了", "很好", "不错"];
const BEFORE_PLACES: &[&str] = &["is", "are", "was", "were", "s", "now", "still", "always", "up", "directly", "right", "just"];

/// Whether a word looks like a participle.
fn is_participle(word: &str) -> bool {
    word.ends_with("ed") && word.len() > 4 || ["kept", "hung", "put", "stuck", "built", "bound", "laid", "held", "left", "found"].contains(&word)
}

/// Whether a verb begins at `index`, by its cue or its ending.
fn is_verb(reading: &Reading, index: usize) -> bool {
    let is_cue = matches!(
        reading.cue(index),
        Some(
            Cue::Is | Cue::Was | Cue::Attribute | Cue::Past | Cue::Measured | Cue::Bad | Cue::Good | Cue::Causes
                | Cue::Because | Cue::Not | Cue::Plan | Cue::Wish | Cue::Guess | Cue::Reason | Cue::Lies | Cue::Done
                | Cue::Chatter | Cue::Therefore
        )
    );
    is_cue || index < reading.items.len() && is_past(reading, index)
}

/// Whether the word at `index` is a verb in the present by its ending and by what stands around it: "the
/// connector drips when", "the lid holds the".
fn is_third_person(reading: &Reading, index: usize, end: usize) -> bool {
    let text = reading.items[index].text.as_str();
    let is_form = text.len() > 3
        && text.ends_with('s')
        && !["ss", "us", "is", "ous"].iter().any(|ending| text.ends_with(ending));
    let follows_noun = index > 1
        && reading.items[index - 1].kind == ItemKind::Word
        && matches!(reading.cue(index - 1), None | Some(Cue::Plain | Cue::Act | Cue::Handling | Cue::Parameter))
        && !is_article(reading, index - 1)
        && (index > 2 || is_article(reading, index - 2));
    let next = index + 1;
    let goes_on = next >= end
        || is_article(reading, next)
        || matches!(reading.cue(next), Some(Cue::Condition | Cue::At | Cue::Preposition | Cue::Scope | Cue::Adverb))
        || reading.items[next].text.ends_with("ly");
    is_form && follows_noun && goes_on
}

/// Whether "since" at `index` names a time: since Monday, since the last run.
fn is_since_when(reading: &Reading, index: usize, after: usize, end: usize) -> bool {
    reading.is_word(index, &["since"])
        && !reading.cues_in(after..end).any(|(_, cue)| {
            matches!(cue, Cue::Is | Cue::Was | Cue::Attribute | Cue::Past | Cue::Bad | Cue::Good)
        })
        && !(after..end).any(|at| is_past(reading, at))
}

/// Whether the word at `index` is a verb in the past tense by its ending.
pub(super) fn is_past(reading: &Reading, index: usize) -> bool {
    let item = &reading.items[index];
    item.kind == ItemKind::Word
        && item.text.len() > 3
        && item.text.ends_with("ed")
        && !BASE_IN_ED.contains(&item.text.as_str())
        && !(index > 0 && reading.is_word(index - 1, BEFORE_ADJECTIVES))
}

/// Whether a noun phrase begins at `index`.
pub(super) fn is_article(reading: &Reading, index: usize) -> bool {
    reading.is_word(index, ARTICLES)
}
