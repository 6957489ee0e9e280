//! Beside what a word for a side stands: an event, a moment, or what was told.

use super::super::bounds::Bounds;
use super::super::lexer::{Kind, Token};
use super::super::vocabulary::Word;
use super::super::{Anchor, Nth};
use super::Slots;
use super::clauses;
use super::phrases::Phrase;
use super::sides::{Place, is_second};

/// Beside what.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Operand {
    Phrase(usize),
    /// What was told before.
    Told,
    /// A moment, and its token.
    Moment(usize, Bounds),
    /// "The first one": another of the events that are named elsewhere, and the tokens that say which.
    Like(usize, Nth, Option<usize>),
    /// "The one at 14:21".
    LikeAt(usize, Bounds),
}

impl Slots<'_> {
    pub(super) fn moment(&self, at: usize) -> Option<Operand> {
        match self.tokens().get(at)?.kind {
            Kind::At(bounds) if self.phrases.of_token(at).is_none() => {
                Some(Operand::Moment(at, bounds))
            }
            _ => None,
        }
    }

    /// What stands behind an English word for a side.
    pub(super) fn operand(&self, at: usize) -> Option<Operand> {
        let said = self.atoms()[self.tokens()[at].from].text.as_str();
        if ["afterwards", "afterward", "thereafter", "beforehand"].contains(&said) {
            return Some(Operand::Told);
        }
        let mut next = at + 1;
        let skips = |at: usize| {
            let is_subject = |token: &Token| {
                clauses::is_any_subject(token, self.atoms())
                    || token.kind == Kind::Name && clauses::is_counter(token, self.atoms())
            };
            // "Since the cycle last changed".
            let is_nth =
                self.tokens().get(at + 1).is_some_and(|next| matches!(next.kind, Kind::Nth(_)));
            self.tokens().get(at).is_some_and(|token| {
                !token.is_cut && (Self::skips(token) || is_nth && is_subject(token))
            })
        };
        while skips(next) {
            next += 1;
        }
        // "Before this afternoon's first stop".
        let is_time =
            self.tokens().get(next).is_some_and(|token| matches!(token.kind, Kind::Time(_)));
        let is_of_event = self
            .phrases
            .of_token(next + 1)
            .is_some_and(|of| self.is_one(&self.phrases.all[of]))
            || self.tokens().get(next + 1).is_some_and(|token| matches!(token.kind, Kind::Nth(_)));
        if is_time && is_of_event && self.tokens().get(next + 1).is_some_and(|token| !token.is_cut)
        {
            next += 1;
        }
        let behind = self.tokens().get(next).filter(|token| !token.is_cut);
        if behind.is_some() {
            if let Some(of) = self.phrases.of_token(next) {
                let phrase = &self.phrases.all[of];
                // "After which stop did it slip?"
                return (!phrase.is_asked).then_some(Operand::Phrase(of));
            }
            if let Some(moment) = self.moment(next) {
                // "Before the one at 14:21".
                let between = &self.atoms()[self.tokens()[at].to..self.tokens()[next].from];
                let is_one = between.iter().any(|atom| atom.is_one_of(&["one"]));
                return match moment {
                    Operand::Moment(at, bounds) if is_one => Some(Operand::LikeAt(at, bounds)),
                    moment => Some(moment),
                };
            }
            // "Before this afternoon's last one", "before the last one this afternoon".
            let is_time = |at: &usize| {
                self.tokens().get(*at).is_some_and(|it| matches!(it.kind, Kind::Time(_)))
            };
            let behind_it = Some(next + 1).filter(|at| is_time(at) && !self.tokens()[*at].is_cut);
            let time = (next > at + 1).then_some(next - 1).or(behind_it);
            let is_one = self.tokens().get(next).and_then(|token| self.atoms().get(token.to));
            if let (Some(Kind::Nth(nth)), Some(true)) =
                (behind.map(|token| token.kind), is_one.map(|atom| atom.is_one_of(&["one"])))
            {
                return Some(Operand::Like(next, nth, time));
            }
        }
        #[rustfmt::skip]
        const TOLD: [&str; 14] = [
            "it", "that", "this", "these", "those", "them", "then", "which", "what", "when", "how", "did", "is", "was",
        ];
        let said = self.atoms().get(self.tokens()[at].to);
        let is_told = said.is_none_or(|atom| atom.is_one_of(&TOLD))
            || behind.is_none_or(|token| {
                matches!(token.kind, Kind::Length(_) | Kind::Nth(_) | Kind::Word(Word::Count))
            });
        is_told.then_some(Operand::Told)
    }

    /// What stands before a Chinese word for a side.
    pub(super) fn operand_han(&self, at: usize) -> Option<Operand> {
        let tokens = self.tokens();
        // 早于上次急停.
        if self.atoms()[tokens[at].to - 1].text == "于" {
            let next = self.phrases.of_token(at + 1).map(Operand::Phrase);
            return next.or_else(|| self.moment(at + 1));
        }
        let mut before = at;
        while before > 0 && !tokens[before].is_cut && Self::skips(&tokens[before - 1]) {
            before -= 1;
        }
        if !tokens[before].is_cut && before > 0 {
            if let Some(of) = self.phrases.of_token(before - 1) {
                let phrase = &self.phrases.all[of];
                let asks = phrase.is_asked && phrase.nth.is_none() && !phrase.is_pinned();
                return (!asks).then_some(Operand::Phrase(of));
            }
            if let Some(moment) = self.moment(before - 1) {
                return Some(moment);
            }
        }
        const TOLD: [&str; 12] =
            ["这", "那", "此", "其", "它", "该", "次", "在", "停", "来", "走", "回"];
        let said = tokens[at].from.checked_sub(1).map(|before| &self.atoms()[before]);
        let is_told =
            tokens[before].is_cut || before == 0 || said.is_some_and(|atom| atom.is_one_of(&TOLD));
        is_told.then_some(Operand::Told)
    }

    /// The event that a phrase is; `None` when it does not say which one.
    pub(super) fn anchor(&self, phrase: &Phrase, place: Option<&mut Place>) -> Option<Anchor> {
        let of = self.sentence.events_of(phrase)?;
        // "Before a stop" is said of all.
        let is_of_all = phrase.is_of_all && !phrase.is_pinned() && phrase.nth.is_none();
        let is_other = |token: &Token| {
            token.kind == Kind::Name
                && self.atoms()[token.from].is_one_of(&["or", "not", "no", "或", "不", "没"])
        };
        let has_other = self.tokens()[phrase.from..phrase.to].iter().any(is_other);
        if is_of_all
            || has_other
            || of.is_empty()
            || phrase.several.is_some()
            || phrase.number.is_some() && !phrase.is_pinned()
        {
            return None;
        }
        // At one second there is one, however it is counted.
        let is_second = phrase.at.is_some_and(is_second);
        let nth = phrase.nth.filter(|_| !is_second);
        let mut bounds = phrase.at.unwrap_or_default();
        if phrase.at.is_none()
            && let (Some(_), Some(place)) = (nth, place)
            && let Some((at, time)) = self.time_beside(phrase)
        {
            place.tokens.push(at);
            bounds = time;
        }
        // 夹爪第四次丢件.
        let before = phrase.extent().0.checked_sub(1).filter(|_| !phrase.is_pinned());
        let subject = before.map(|at| self.tokens()[at]).filter(|token| {
            token.kind == Kind::Name
                && self.phrases.of_token(before.unwrap_or_default()).is_none()
                && clauses::is_subject(token, self.atoms(), of.class)
        });
        let mut of = of;
        if let Some(token) = subject.filter(|_| of.words.is_empty()) {
            of.words = self.sentence.text_of(&token);
        }
        if nth.is_none() && !phrase.is_pinned() && !of.words.is_empty() {
            return None;
        }
        Some(Anchor { of, nth, bounds, ..Anchor::default() })
    }

    /// A time right beside a phrase: "yesterday's first stop".
    pub(super) fn time_beside(&self, phrase: &Phrase) -> Option<(usize, Bounds)> {
        let (from, to) = phrase.extent();
        let time = |at: usize| match self.tokens().get(at)?.kind {
            Kind::Time(time) => Some((at, time)),
            _ => None,
        };
        let within = (from..to).find_map(time);
        let before = from.checked_sub(1).filter(|_| !self.tokens()[from].is_cut).and_then(time);
        let behind = time(to).filter(|_| !self.sentence.is_han && !self.tokens()[to].is_cut);
        within.or(before).or(behind)
    }

    /// The one event that was told before a place.
    pub(super) fn told(&self, before: usize) -> Option<Operand> {
        let all = &self.phrases.all;
        let pinned: Vec<usize> = (0..all.len()).filter(|at| all[*at].is_pinned()).collect();
        match &pinned[..] {
            [] => {}
            [first, rest @ ..] if rest.iter().all(|other| self.is_same(*first, *other)) => {
                return Some(Operand::Phrase(*first));
            }
            _ => return None,
        }
        let moments: Vec<usize> =
            (0..self.tokens().len()).filter(|at| self.moment(*at).is_some()).collect();
        match moments[..] {
            [] => {}
            [at] => return self.moment(at),
            _ => return None,
        }
        let clause = self.clauses.of_token(&self.tokens()[before]);
        let mut one =
            (0..all.len()).filter(|at| all[*at].nth.is_some() && all[*at].clause < clause);
        match (one.next(), one.next()) {
            (Some(at), None) => Some(Operand::Phrase(at)),
            _ => None,
        }
    }

    pub(super) fn is_one(&self, phrase: &Phrase) -> bool {
        phrase.is_pinned() || phrase.nth.is_some()
    }
}
