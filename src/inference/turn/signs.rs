//! What a clause shows, and what kind of fact it is.

use std::ops::Range;

use super::super::category::is_base_form;
use super::super::items::ItemKind;
use super::super::stop_words::is_english_stop_word;
use super::super::validity::{Validity, validity};
use super::TurnFactKind;
use super::forms::{
    BEFORE_PLACES, PLAN_LABELS, TELLING_CHATTER, asks, is_article, is_noun_before, is_numeral,
    is_participle, is_past, is_pronoun, is_quantity, is_since_when, is_third_person,
    is_value_before, is_verb,
};
use super::reading::Reading;
use super::words::Cue;

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
    /// Worded as an order, for this step only.
    pub is_once: bool,
    /// A noun stands before its number: "moisture 31 %".
    pub names_number: bool,
    /// An attempt is told, and not how it ended.
    tries: bool,
    handles: bool,
    takes: bool,
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
    pub speaker: bool,
    vague: bool,
    pub content: usize,
}

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
        let opens_adverbial = matches!(
            reading.cue(range.start),
            Some(Cue::At | Cue::Preposition | Cue::Scope | Cue::Relative)
        );
        while index < range.end {
            let item = &reading.items[index];
            let after = reading.after(index).min(range.end);
            let is_first = index == first;
            let mut cue = reading.cue(index);

            signs.is_han |= item.kind == ItemKind::Han;
            if item.kind != ItemKind::Sign && item.kind != ItemKind::Break {
                said += 1;
            }
            match cue {
                // 等待 45 s tells how long it took.
                Some(Cue::Plan) if is_quantity(reading, after) => {}
                Some(
                    Cue::Plan
                    | Cue::Request
                    | Cue::Wish
                    | Cue::Guess
                    | Cue::Question
                    | Cue::Hearsay,
                ) => untold = true,
                // A relative clause.
                Some(Cue::QuestionAtStart) if index > 0 => {}
                Some(Cue::PlanAtStart | Cue::QuestionAtStart) => untold |= is_first,

                Some(Cue::Chatter) => {
                    if signs.content > 0 && reading.is_phrase(index..after, TELLING_CHATTER) {
                        signs.good = true;
                        has_verb = true;
                    }
                }

                Some(Cue::And) => chatter += usize::from(index < first),
                Some(Cue::Because) => {
                    if !is_since_when(reading, index, after, range.end) {
                        signs.because = true;
                        signs.because_at_start |= signs.content == 0 && !signs.pronoun_at_start;
                    }
                }
                Some(Cue::Causes) => {
                    signs.because = true;
                    has_verb = true;
                    signs.caused_at_start |= true;
                }
                // "No handle so the top grasp was used".
                Some(Cue::Therefore) if index > first => {
                    signs.because = true;
                }
                Some(Cue::Therefore) => signs.therefore_at_start |= index <= first,
                Some(Cue::Reason) => {
                    signs.because = true;
                    let says_of_what = reading.is_word(after, &["for", "of", "why"]);
                    signs.reason_at_start |= true;
                }
                Some(Cue::Rule) => signs.rule = true,
                Some(Cue::RuleAtStart) => {
                    let is_after_time =
                        index > 0 && reading.cue(index - 1) == Some(Cue::ConditionEnd);
                    signs.rule |= is_first;
                }
                Some(Cue::Ever) => ever_at = Some(index),
                Some(Cue::Imperative) => {
                    imperative |= is_first;
                    signs.act = true;
                    signs.content += 1;
                }

                Some(Cue::Condition) => {
                    scope = true;
                    signs.condition_at_start |= is_first;
                    in_condition |= item.kind == ItemKind::Word && has_verb;
                }

                // "So that took long": no purpose, since nothing was said before it.
                Some(Cue::Relative) if reading.is_word(index, &["so"]) && range.start == 0 => {
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

                    has_verb = true;
                }
                Some(Cue::Measured) => {
                    signs.measured = true;
                    signs.past_at_start |= item.kind == ItemKind::Word;
                    has_verb = true;
                }
                Some(Cue::Act) => {
                    signs.act = true;
                    signs.content += 1;
                    signs.handles |= item.kind == ItemKind::Han;
                    signs.handles_at_start |= item.kind == ItemKind::Han;
                }
                Some(Cue::Not) => {
                    signs.not = !signs.not;
                    // 不完整: what it is not like.
                    let describes = item.text == "不";
                    signs.attribute |= describes;

                    signs.content +=
                        usize::from(["nothing", "none", "nobody"].contains(&item.text.as_str()));
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
                    let before =
                        if after < range.end { index.wrapping_sub(1) } else { usize::MAX - 1 };
                    // "Stands upside down in the rack".
                    let follows = last_place == Some(before);
                    // "Is stored in", "is mounted on".
                    let is_placed =
                        reading.items.get(before).is_some_and(|item| is_participle(&item.text));
                    signs.place |= follows || is_placed || reading.is_word(before, BEFORE_PLACES);
                }
                Some(Cue::Lies) => {
                    last_place = Some(after - 1);
                    let is_han = item.kind == ItemKind::Han;
                    signs.place |= is_han;
                    has_verb = true;
                    if item.text.ends_with("ed") {
                        signs.past |= !reading.is_word(index.wrapping_sub(1), &["is", "are", "s"]);
                    }
                }
                Some(Cue::Parameter) => {
                    signs.parameter = true;
                }
                Some(Cue::Handling) => {
                    signs.handling = true;
                }
                Some(Cue::Pronoun | Cue::Possessive) => signs.pronoun_at_start |= is_first,

                Some(Cue::Speaker) => signs.speaker |= is_first,
                Some(Cue::Vague) => signs.vague |= index == first + 1,

                Some(Cue::Handles) => {
                    // At the end of its clause it says what is done, and not that it was: 三层堆叠.
                    let is_of_nothing = after == range.end;
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
                    signs.number |=
                        !quantity.unit.is_empty() || is_value_before(reading, index, &range);
                    signs.names_number |=
                        signs.content > 0 && is_noun_before(reading, index, &range);
                    signs.quantity |= !quantity.unit.is_empty();
                    signs.content += 1;
                }
                ItemKind::Name => signs.content += 2,
                ItemKind::Han if cue.is_none_or(|cue| cue == Cue::Plain) => {
                    let is_particle = "的了着吧呢啊过".contains(item.text.as_str());
                    signs.content += if is_particle { 0 } else { after - index };
                }
                ItemKind::Word if cue.is_none_or(|cue| cue == Cue::Plain) => {
                    // "Chipped glass is in the bin" tells where it is.
                    let is_past = is_past(reading, index);
                    if is_past && !signs.is {
                        signs.past = true;
                        signs.past_at_start |= is_first;
                        signs.content += usize::from(is_pronoun(reading, after));
                        has_verb = true;
                    } else if !is_english_stop_word(&item.text)
                        && item.text.len() > 1
                        && !item.text.ends_with("ly")
                    {
                        signs.content += 2;
                        is_predicate |=
                            !opens_adverbial && is_third_person(reading, index, range.end);
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
        untold |= range.start == 0 && asks(reading, first);
        if let Some(at) = ever_at {
            let next = reading.items.get(at + 1).filter(|item| item.kind == ItemKind::Word);
            let is_order = at == first && next.is_some_and(|next| is_base_form(&next.text));

            signs.rule |= is_order;
            signs.not ^= reading.items[at].text == "never";
        }
        // "The scan read a code".
        signs.past |= signs.measured && !signs.number && !signs.place;

        // "Only staff may unlock it".
        let allows = |(index, _): (usize, Cue)| reading.is_word(index, &["may", "can"]);
        let only = reading.is_word(first, &["only"]);
        signs.rule |= only;

        // "Grasp succeeded" names an act, and orders none.
        imperative &= !(signs.good || signs.bad);
        signs.rule |= imperative && (scope || signs.content > 3);
        untold |= imperative;
        signs.attribute |= is_predicate;
        let least = if signs.is_han { 2 } else { 1 };
        signs.has_subject = content_before_verb >= least && has_verb;
        // "The blue one next."
        untold |= range.len() > 2 && reading.is_word(range.end - 1, &["next"]);
        // "Task: ...", 待办：....
        untold |= reading.is_word(first, &["任"]);
        let is_told = false;
        let orders = reading.cues_in(range.clone()).any(|(_, cue)| cue == Cue::Imperative);
        match validity(&reading.items[range.clone()]) {
            Validity::Task => untold = true,
            // "This time use 10 N" says what was used.
            Validity::Once if orders => {
                signs.rule = false;
                signs.is_once = true;
                signs.measured = true;
                untold = !signs.quantity;
            }
            Validity::Once | Validity::Lasting => {}
        }
        signs.is_chatter = chatter >= said;
        signs.is_untold = untold;
        // Who guesses or asks gives no rule.
        if signs.rule {
            let gives_none = |(index, cue): (usize, Cue)| {
                matches!(cue, Cue::Guess | Cue::Wish | Cue::Question)
                    || cue == Cue::QuestionAtStart && index == first
            };
            signs.is_untold = !only && reading.cues_in(range).any(gives_none);
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
            );
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
            return (self.content > 0).then_some(TurnFactKind::Rule);
        }
        if self.because {
            return (self.content > 0).then_some(TurnFactKind::Cause);
        }

        let names_value = self.parameter || self.handling;
        let fared = self.good || self.bad;
        let acts = self.past || (self.handles) && !self.attribute;
        if self.number && names_value {
            return Some(TurnFactKind::Parameter);
        }
        if self.quantity && self.measured {
            return Some(TurnFactKind::Parameter);
        }
        if self.place && !fared && !self.done && !self.past {
            return Some(TurnFactKind::Place);
        }

        let is_state = self.is;
        let has_become = self.done && self.attribute && !self.handles;
        if (fared || self.done || acts) && !is_state && !has_become && self.content > 0 {
            return Some(TurnFactKind::Outcome);
        }

        let describes = self.is || self.attribute;
        if describes && self.content > 1 && !self.speaker {
            return Some(TurnFactKind::Object);
        }
        if self.quantity {
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
