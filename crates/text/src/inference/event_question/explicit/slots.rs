//! What a question asks by what stands in it, wherever that stands. Each event that is named, each side, time and number
//! must have one place in the answer; a word that may narrow what is asked, and is not known, leaves the question unread.

mod asking;
mod clauses;
mod operands;
mod pairs;
mod phrases;
mod placed;
mod places;
mod said;
mod sides;
mod target;
mod told;

use super::super::atoms::{Atom, atoms};
use super::OrderQuestion;
use super::bounds::{Bounds, Present};
use super::excepting;
use super::in_cycle::names_cycle;
use super::lexer::{self, Kind, Token};
use super::purposes;
use super::sentence::Sentence;
use super::vocabulary::Word;
use super::{End, Nth};
use clauses::Clauses;
pub(super) use clauses::is_weak;
use phrases::Phrases;
use robot_memory_core::model::Stamp;

/// What a text asks; `None` when it is not sure.
pub(super) fn read(text: &str, present: &Present<'_>) -> Option<OrderQuestion> {
    let all = atoms(text);
    if all.is_empty() || all.len() > super::ATOMS_MAX {
        return None;
    }
    let is_han = text.chars().any(super::super::super::lexer::is_han);
    let mut tokens = lexer::tokens(text, &all, present, is_han)?;
    let clauses = Clauses::of(text, &all, &tokens)?;
    let is_story = |token: &Token| clauses.all[clauses.of_token(token)].is_story;
    let is_opener = |token: &Token| {
        let clause = &clauses.all[clauses.of_token(token)];
        clauses.all.len() > 1 && clauses::is_opener(&all[clause.from..clause.to])
    };
    let is_of_those = |token: &Token| {
        let clause = &clauses.all[clauses.of_token(token)];
        clause.is_story && excepting::is_of_those(token, &all, clause.to)
    };
    if tokens.iter().any(|token| is_of_those(token) && !is_opener(token)) {
        return None;
    }
    // "Impacts that hit a person: when was the first today?"
    let names_some = |tokens: &[Token]| {
        tokens.iter().any(|token| match token.kind {
            Kind::Class(class) => !is_weak(class),
            Kind::Became(_) | Kind::Began(_) | Kind::Word(Word::Event) => true,
            _ => false,
        })
    };
    let named_some = names_some(&tokens);
    tokens
        .retain(|token| !is_opener(token) && (!is_story(token) || clauses::counts_in_story(token)));
    if tokens.is_empty() || named_some && !names_some(&tokens) {
        return None;
    }
    let is_question = text.contains(['?', '？']);
    if is_han {
        with_previous(&mut tokens, &all);
    }
    let sentence = Sentence { tokens: &tokens, atoms: &all, is_han, is_question };
    let phrases = Phrases::of(&sentence, &clauses)?;
    Slots { sentence, clauses, phrases }.question()
}

/// Whether two stretches touch one day.
fn is_of_one_day(one: Bounds, other: Bounds, present: &Present<'_>) -> bool {
    let days = |of: Bounds| {
        let last = of.until.map(|until| Stamp(until.0.saturating_sub(1)));
        [of.since, last].into_iter().flatten().map(|at| present.day(at)).collect::<Vec<_>>()
    };
    let (one, other) = (days(one), days(other));
    other.is_empty() || one.iter().any(|day| other.contains(day))
}

/// 第二十次掉件的前一次急停 is the one before it.
fn with_previous(tokens: &mut [Token], atoms: &[Atom]) {
    for at in 1..tokens.len() {
        let is_behind =
            matches!(tokens[at - 1].kind, Kind::Class(_) | Kind::Became(_) | Kind::Began(_));
        let is_last = tokens[at].kind == Kind::Nth(Nth { end: End::Last, nth: 1 });
        let is_before = atoms[tokens[at].from].is_one_of(&["前", "上"]);
        if is_behind && is_last && is_before && !tokens[at].is_cut {
            tokens[at].kind = Kind::Word(Word::Previous);
        }
    }
}

/// What a text asks, of which the first clauses only tell what is around the question.
pub(super) fn read_with_story(text: &str, present: &Present<'_>) -> Option<OrderQuestion> {
    if let Some(asked) = read(text, present) {
        return Some(asked);
    }
    let all = atoms(text);
    let is_han = text.chars().any(super::super::super::lexer::is_han);
    let tokens = lexer::tokens(text, &all, present, is_han)?;
    let clauses = Clauses::of(text, &all, &[])?;
    let heading = clauses.all.first().filter(|_| clauses.has_heading);
    if heading.is_some_and(|heading| !purposes::is_label(&all[heading.from..heading.to])) {
        return None;
    }
    (1..clauses.all.len()).find_map(|from| {
        let asked = &clauses.all[from];
        let begin = all[asked.from].place.start;
        let told = |clause: &clauses::Clause| {
            let said = &all[clause.from..clause.to];
            clause.is_told_around(said, asked.sentence) && !names_cycle(said)
        };
        // One may go on beyond its clause.
        let is_before = |token: &&Token| token.from < asked.from;
        let tells_time = tokens.iter().filter(is_before).any(|token| {
            matches!(token.kind, Kind::Time(_) | Kind::At(_) | Kind::Vague | Kind::Per(_))
        });
        if !clauses.all[..from].iter().all(told) {
            return None;
        }
        let asked = read(&text[begin..], present)?;
        let has_time = asked.beside.is_some() || !asked.bounds.is_open();
        let is_of_told_day = tokens.iter().filter(is_before).all(|token| match token.kind {
            Kind::Time(time) | Kind::At(time) => is_of_one_day(time, asked.bounds, present),
            _ => true,
        });
        (has_time && is_of_told_day || !tells_time).then_some(asked)
    })
}

/// What stands in a question.
struct Slots<'a> {
    sentence: Sentence<'a>,
    clauses: Clauses,
    phrases: Phrases,
}

impl Slots<'_> {
    fn question(self) -> Option<OrderQuestion> {
        let place = self.place()?;
        let target = self.target(&place)?;
        let part = self.part(&place, &target)?;
        if self.asks_twice(&place, &target) {
            return None;
        }
        if self.may_narrow(&place, &target) || !self.asks(&place, &target) {
            return None;
        }
        part.question()
    }

    fn tokens(&self) -> &[Token] {
        self.sentence.tokens
    }

    fn atoms(&self) -> &[Atom] {
        self.sentence.atoms
    }
}

/// One of two, or both when they are the same.
#[expect(clippy::option_option, reason = "nothing is said, or two things are")]
fn one<T: PartialEq>(before: Option<T>, more: Option<T>) -> Option<Option<T>> {
    match (before, more) {
        (Some(before), Some(more)) => (before == more).then_some(Some(before)),
        (before, more) => Some(before.or(more)),
    }
}
