//! What a clause shows, and what kind of fact it is.

use std::ops::Range;

use super::super::category::is_base_form;
use super::super::items::{Item, ItemKind};
use super::super::stop_words::is_english_stop_word;
use super::super::validity::{Validity, validity};
use super::TurnFactKind;
use super::morphology::{
    BEFORE_PLACES, PLAN_LABELS, TELLING_CHATTER, asks, is_article, is_noun_before, is_participle,
    is_past, is_pronoun, is_quantity, is_since_when, is_third_person, is_value_before,
};
use super::parsed_sentence::ParsedSentence;
use super::words::LexicalClass::{self, *};

/// What a clause shows.
#[derive(Debug, Clone, Default)]
pub(super) struct ClauseFeatures {
    /// A plan, request, wish, guess or question.
    pub is_hypothetical: bool,
    rule: bool,
    /// A reason, wherever it stands.
    because: bool,
    pub because_at_start: bool,
    pub therefore_at_start: bool,
    /// It gives the reason of what was said before it.
    pub reason_at_start: bool,
    pub condition_at_start: bool,
    pub joins: bool,
    good: bool,
    bad: bool,
    not: bool,
    past: bool,
    past_at_start: bool,
    pub parameter: bool,
    pub handling: bool,
    quantity: bool,
    pub has_subject: bool,
    pub caused_at_start: bool,
    /// Worded as an order, for this step only.
    pub is_once: bool,
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
    is: bool,
    was: bool,
    attribute: bool,
    place: bool,
    number: bool,
    pub speaker: bool,
    pub content: usize,
}

/// A sign of a clause.
type Sign = fn(&mut ClauseFeatures) -> &mut bool;

/// Cues that show one thing wherever they stand, and whether they make a predicate.
#[rustfmt::skip]
const ANYWHERE: &[(LexicalClass, Sign, bool)] = &[
    (Tries, |it| &mut it.tries, true), (Good, |it| &mut it.good, true),
    (Bad, |it| &mut it.bad, true), (Done, |it| &mut it.done, true),
    (Past, |it| &mut it.past, true), (Measured, |it| &mut it.measured, true),
    (Is, |it| &mut it.is, true), (Was, |it| &mut it.was, true),
    (Attribute, |it| &mut it.attribute, true), (Causes, |it| &mut it.because, true),
    (Reason, |it| &mut it.because, false), (Rule, |it| &mut it.rule, false),
    (Parameter, |it| &mut it.parameter, false), (Handling, |it| &mut it.handling, false),
];
/// Cues that show one thing where they begin a clause.
#[rustfmt::skip]
const AT_START: &[(LexicalClass, Sign)] = &[
    (RuleAtStart, |it| &mut it.rule), (Condition, |it| &mut it.condition_at_start),
    (Therefore, |it| &mut it.therefore_at_start), (Relative, |it| &mut it.joins),
    (Pronoun, |it| &mut it.pronoun_at_start), (Possessive, |it| &mut it.pronoun_at_start),
    (Speaker, |it| &mut it.speaker),
];

/// A clause while its items are read.
struct Clause<'a> {
    reading: &'a ParsedSentence,
    range: Range<usize>,
    /// The first item that is no conjunction.
    first: usize,
    signs: ClauseFeatures,
    has_verb: bool,
    is_hypothetical: bool,
    is_imperative: bool,
    has_condition: bool,
    /// After a condition that follows what it is of: its numbers are not those of the clause.
    in_condition: bool,
    ever_at: Option<usize>,
    /// The item after which a verb of being somewhere ended.
    lies_at: Option<usize>,
    content_before_verb: usize,
}

impl Clause<'_> {
    /// Notes what the cue of the item at `index` shows; the phrase ends before `after`.
    fn note_cue(&mut self, cue: LexicalClass, index: usize, after: usize) {
        let is_first = index == self.first;
        if let Some((_, sign, is_verb)) = ANYWHERE.iter().find(|(of, ..)| *of == cue) {
            *sign(&mut self.signs) = true;
            self.has_verb |= is_verb;
        }
        let starts = AT_START.iter().find(|(of, _)| *of == cue);
        if let Some((_, sign)) =
            starts.filter(|_| is_first || cue == Therefore && index < self.first)
        {
            *sign(&mut self.signs) = true;
        }
        self.note_hypothetical(cue, index, after);
        self.note_reason(cue, index, after);
        self.note_act(cue, index, after);
        self.note_place(cue, index, after);
    }

    /// Plans, questions and orders.
    fn note_hypothetical(&mut self, cue: LexicalClass, index: usize, after: usize) {
        let is_first = index == self.first;
        match cue {
            // 等待 45 s tells how long it took.
            Plan => self.is_hypothetical |= !is_quantity(self.reading, after),
            Request | Wish | Guess | Question | Hearsay => {
                self.is_hypothetical = true;
            }
            // In a sentence it begins a relative clause.
            QuestionAtStart => self.is_hypothetical |= is_first && index == 0,
            PlanAtStart => self.is_hypothetical |= is_first,
            Ever => self.ever_at = Some(index),
            Imperative => {
                self.is_imperative |= is_first;
                self.signs.content += 1;
            }
            Condition => {
                self.has_condition = true;
                self.in_condition |= self.has_verb && !self.reading.is_han(index);
            }
            _ => {}
        }
    }

    fn note_reason(&mut self, cue: LexicalClass, index: usize, after: usize) {
        let features = &mut self.signs;
        let opens = features.content == 0 && !features.pronoun_at_start;
        match cue {
            Because if !is_since_when(self.reading, index, after, self.range.end) => {
                features.because = true;
                features.because_at_start |= opens;
            }
            Causes => features.caused_at_start |= opens,
            // "No handle so the top grasp was used".
            Therefore if index > self.first => features.because |= is_article(self.reading, after),
            Reason => {
                let says_of_what = self.reading.is_word(after, &["for", "of", "why"]);
                features.reason_at_start |= self.content_before_verb == 0 && !says_of_what;
            }
            // "So that took long": no purpose, since nothing was said before it.
            Relative
                if index == self.first
                    && self.range.start == 0
                    && self.reading.is_word(index, &["so"]) =>
            {
                features.pronoun_at_start = true;
                features.joins = false;
            }
            _ => {}
        }
    }

    fn note_act(&mut self, cue: LexicalClass, index: usize, after: usize) {
        let item = &self.reading.items[index];
        let is_han = item.kind == ItemKind::Han;
        let features = &mut self.signs;
        match cue {
            // "..., all good": it went well.
            Chatter
                if features.content > 0
                    && self.reading.is_phrase(index..after, TELLING_CHATTER) =>
            {
                features.good = true;
                self.has_verb = true;
            }
            Act => {
                features.content += 1;
                features.handles |= is_han;
                features.handles_at_start |= index == self.first && is_han;
            }
            Handles => {
                // At the end of its clause it says what is done, and not that it was: 三层堆叠.
                features.handles |= after < self.range.end;
                features.handles_at_start |= features.content == 0;
                features.content += 1;
                self.has_verb = true;
            }
            Not => {
                features.not = !features.not;
                // 不完整: what it is not like.
                features.attribute |= item.text == "不";
                let is_all = item.is_one_of(&["nothing", "none", "nobody"]);
                features.content += usize::from(is_all);
            }
            Person => features.content += 2,
            _ => {}
        }
    }

    fn note_place(&mut self, cue: LexicalClass, index: usize, after: usize) {
        let item = &self.reading.items[index];
        match cue {
            At => {
                // What ends its clause is no preposition.
                let before = index.checked_sub(1).filter(|_| after < self.range.end);
                let is_placed = |at: usize| {
                    self.lies_at == Some(at)
                        || is_participle(&self.reading.items[at].text)
                        || self.reading.is_word(at, BEFORE_PLACES)
                };
                self.signs.place |= before.is_some_and(is_placed);
            }
            Lies => {
                self.lies_at = Some(after - 1);
                self.signs.place |= item.kind == ItemKind::Han;
                self.has_verb = true;
                let is_state = self.reading.is_word(index.wrapping_sub(1), &["is", "are", "s"]);
                self.signs.past |= item.text.ends_with("ed") && !is_state;
            }
            _ => {}
        }
    }

    /// Notes what an item shows by its kind: values, names, and words that no cue knows.
    fn note_item(&mut self, item: &Item, index: usize, after: usize) {
        let is_plain = self.reading.cue(index).is_none_or(|cue| cue == Plain);
        let features = &mut self.signs;
        match &item.kind {
            ItemKind::Quantity(_) if self.in_condition => features.content += 1,
            ItemKind::Quantity(quantity) => {
                let has_unit = !quantity.unit.is_empty();
                features.number |= has_unit || is_value_before(self.reading, index, &self.range);
                features.names_number |= features.content > 0
                    && !self.has_verb
                    && is_noun_before(self.reading, index, &self.range);
                features.quantity |= has_unit;
                features.content += 1;
            }
            ItemKind::Name => features.content += 2,
            ItemKind::Han if is_plain => {
                let is_particle = "的了着吧呢啊过".contains(item.text.as_str());
                features.content += if is_particle { 0 } else { after - index };
            }
            ItemKind::Word if is_plain => self.note_word(item, index, after),
            _ => {}
        }
    }

    fn note_word(&mut self, item: &Item, index: usize, after: usize) {
        let features = &mut self.signs;
        if is_past(self.reading, index) && !features.is {
            features.past = true;
            features.past_at_start |= index == self.first;
            features.content += usize::from(is_pronoun(self.reading, after));
            self.has_verb = true;
            return;
        }
        let is_content =
            !is_english_stop_word(&item.text) && item.text.len() > 1 && !item.text.ends_with("ly");
        if !is_content {
            return;
        }
        features.content += 2;
        let opens_adverbial =
            self.reading.has_cue(self.range.start, &[At, Preposition, Scope, Relative]);
        if !opens_adverbial && is_third_person(self.reading, index, self.range.end) {
            features.attribute = true;
            self.has_verb = true;
        }
    }

    /// What the clause as a whole shows.
    fn finish(mut self) -> ClauseFeatures {
        let (reading, first) = (self.reading, self.first);
        let has = |wanted: &[LexicalClass]| {
            reading.cues_in(self.range.clone()).any(|(_, cue)| wanted.contains(&cue))
        };
        let features = &mut self.signs;
        if let Some(at) = self.ever_at {
            let next = reading.items.get(at + 1).filter(|item| item.kind == ItemKind::Word);
            features.rule |= at == first && next.is_some_and(|next| is_base_form(&next.text));
            features.not ^= reading.items[at].text == "never";
        }
        // "The scan read a code".
        features.past |=
            features.measured && !features.is_han && !features.number && !features.place;
        // "Only staff may unlock it".
        let allows = |(at, _): (usize, LexicalClass)| reading.is_word(at, &["may", "can"]);
        let is_only =
            reading.is_word(first, &["only"]) && reading.cues_in(self.range.clone()).any(allows);
        // "Grasp succeeded" names an act, and orders none; "please close it" is no lasting order.
        let is_report = features.past
            || features.good
            || features.bad
            || features.is
            || features.was
            || features.done;
        let is_order = self.is_imperative && !is_report && !has(&[Request]);
        features.rule |= is_only
            || is_order && (self.has_condition || features.quantity && features.content > 3);
        let least = if features.is_han { 2 } else { 1 };
        features.has_subject =
            self.content_before_verb >= least && !features.past_at_start && self.has_verb;
        // "The blue one next".
        let is_next = self.range.len() > 2 && reading.is_word(self.range.end - 1, &["next"]);
        // "Task: ...", 待办：....
        let is_label = reading.is_word(first, PLAN_LABELS)
            && reading.is_word(reading.after(first), &[":"])
            || reading.is_word(first, &["任"]) && reading.is_word(first + 2, &[":"]);
        let asks = self.range.start == 0 && asks(reading, first);
        features.is_hypothetical =
            self.is_hypothetical || is_next || is_label || asks || is_order && !features.rule;
        match validity(&reading.items[self.range.clone()]) {
            Validity::Task => features.is_hypothetical = true,
            // "This time use 10 N" says what was used.
            Validity::Once if features.rule || !is_report && has(&[Imperative]) => {
                features.rule = false;
                features.is_once = true;
                features.measured = true;
                features.is_hypothetical = !features.quantity;
            }
            Validity::Once | Validity::Lasting => {}
        }
        if features.rule {
            // Who guesses or asks gives no rule.
            let asks = reading.cue(first) == Some(QuestionAtStart);
            features.is_hypothetical = !is_only && (asks || has(&[Guess, Wish, Question]));
        }
        self.signs
    }
}

impl ClauseFeatures {
    /// Reads the items in `range`.
    pub fn of(sentence: &ParsedSentence, range: Range<usize>) -> Self {
        let mut clause = Clause {
            reading: sentence,
            first: Self::first_stated(sentence, &range),
            range: range.clone(),
            signs: Self::default(),
            has_verb: false,
            is_hypothetical: false,
            is_imperative: false,
            has_condition: false,
            in_condition: false,
            ever_at: None,
            lies_at: None,
            content_before_verb: 0,
        };
        let mut index = range.start;
        while index < range.end {
            let item = &sentence.items[index];
            let after = sentence.after(index).min(range.end);
            clause.signs.is_han |= item.kind == ItemKind::Han;
            if let Some(cue) = sentence.cue(index) {
                clause.note_cue(cue, index, after);
            }
            clause.note_item(item, index, after);
            if !clause.has_verb {
                clause.content_before_verb = clause.signs.content;
            }
            index = after;
        }
        clause.finish()
    }

    /// The first item that is no conjunction.
    fn first_stated(sentence: &ParsedSentence, range: &Range<usize>) -> usize {
        let mut index = range.start;
        // "Please do not": the request opens an order.
        while index < range.end
            && (sentence.has_cue(index, &[And, But, Therefore, Chatter, Request])
                || matches!(sentence.items[index].kind, ItemKind::Break | ItemKind::Sign))
        {
            index = sentence.after(index);
        }
        index.min(range.end.saturating_sub(1)).max(range.start)
    }

    /// What kind of fact the clause is by itself.
    pub fn kind(&self) -> Option<TurnFactKind> {
        let says = self.content > 0;
        let fared = self.good || self.bad;
        let acts = (self.past || self.handles && !self.attribute) && !self.tries;
        let has_become = self.done && self.attribute && !self.handles;
        let is_parameter = self.number && (self.parameter || self.handling) && !fared
            || self.quantity && self.measured && !fared;
        if self.is_hypothetical {
            None
        } else if self.rule {
            says.then_some(TurnFactKind::Rule)
        } else if self.because {
            says.then_some(TurnFactKind::Cause)
        } else if is_parameter {
            Some(TurnFactKind::Parameter)
        } else if self.place && !fared && !self.done && !self.past && !self.handles && !self.speaker
        {
            Some(TurnFactKind::Place)
        } else if (fared || self.done || acts) && (!self.is || self.past) && !has_become && says {
            Some(TurnFactKind::Outcome)
        } else if (self.is || self.was || self.attribute) && self.content > 1 && !self.speaker {
            Some(TurnFactKind::Object)
        } else {
            (self.quantity && !self.tries).then_some(TurnFactKind::Parameter)
        }
    }

    /// Whether it says why what stands before it was so.
    pub fn explains(&self) -> bool {
        self.because_at_start
            || self.therefore_at_start
            || self.reason_at_start
            || self.caused_at_start
    }

    /// Whether it says how something went, perhaps without saying what.
    pub fn fared(&self) -> bool {
        (self.good || self.bad) && !self.is_hypothetical
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
