//! Where words stand to what is asked for.

use super::super::End;
use super::super::lexer::{Kind, Token};
use super::Slots;
use super::sides::Place;
use super::target::Target;

impl Slots<'_> {
    /// Whether a word joins two events, or two times.
    pub(super) fn joins(&self, at: usize) -> bool {
        self.tokens().get(at + 1).is_some_and(|next| {
            self.phrases.of_token(at + 1).is_some()
                || matches!(next.kind, Kind::At(_) | Kind::Time(_) | Kind::Number(_) | Kind::Nth(_))
        })
    }

    pub(super) fn has_per(&self) -> bool {
        self.tokens().iter().any(|token| matches!(token.kind, Kind::Per(_)))
    }

    /// "Opened" and "closed", of an hour.
    pub(super) fn end_of_each(&self, token: &Token) -> Option<End> {
        let atom = &self.atoms()[token.from];
        if atom.is_one_of(&["opened", "opens", "opening"]) {
            return Some(End::First);
        }
        atom.is_one_of(&["closed", "closes", "closing"]).then_some(End::Last)
    }

    pub(super) fn asks_at(&self, at: usize) -> bool {
        self.phrases.of_token(at).is_some_and(|of| self.phrases.all[of].is_asked)
    }

    /// Whether a word stands in a clause of what is asked for.
    pub(super) fn is_of_phrases(&self, token: &Token, target: &Target) -> bool {
        let clause = self.clauses.of_token(token);
        target.phrases.is_empty()
            || target.phrases.iter().any(|at| self.phrases.all[*at].clause == clause)
    }

    /// Whether a word stands in a clause of what is asked for, or of what says when.
    pub(super) fn is_of_target(&self, token: &Token, place: &Place, target: &Target) -> bool {
        let clause = self.clauses.of_token(token);
        self.is_of_phrases(token, target)
            || place.tokens.iter().any(|at| self.clauses.of_token(&self.tokens()[*at]) == clause)
    }
}
