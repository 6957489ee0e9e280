//! Times that are told around a question, and words that refer to them.

use super::super::bounds::Bounds;
use super::super::lexer::{Kind, Token};
use super::super::vocabulary::Word;
use super::Slots;
use super::sides::Place;
use super::target::Target;

impl Slots<'_> {
    /// A length of time that was told before: "in those five minutes".
    pub(super) fn is_of_told(&self, token: &Token) -> bool {
        let before = token.from.checked_sub(1).map(|at| &self.atoms()[at]);
        let at = self.tokens().iter().position(|other| other.from == token.from);
        // 第一次急停前的那半分钟里.
        let side = at.and_then(|at| at.checked_sub(1)).map(|at| self.tokens()[at]);
        let is_of_side = side.is_some_and(|side| {
            !token.is_cut
                && matches!(
                    side.kind,
                    Kind::Word(Word::Before | Word::After | Word::Around | Word::Since)
                )
        });
        !is_of_side
            && before.is_some_and(|atom| {
                atom.is_one_of(&["those", "these", "that", "this", "这", "那", "该"])
            })
    }

    /// The time of what is asked for. What is told around a question says when only if nothing else does.
    pub(super) fn bounds(
        &self,
        of_place: Bounds,
        times: &[usize],
        place: &Place,
        target: &Target,
    ) -> Option<Bounds> {
        let clause = |at: usize| &self.clauses.all[self.clauses.of_token(&self.tokens()[at])];
        let of_target: Vec<usize> =
            target.phrases.iter().map(|at| self.phrases.all[*at].clause).collect();
        let sentences: Vec<usize> =
            of_target.iter().map(|at| self.clauses.all[*at].sentence).collect();
        let is_told = |at: &&usize| {
            let clause = clause(**at);
            clause.is_story
                || !sentences.is_empty() && !sentences.contains(&clause.sentence) && !clause.asks
        };
        let (told, said): (Vec<&usize>, Vec<&usize>) = times.iter().partition(is_told);
        let is_placed = place.beside.is_some() || place.end.is_some() && !of_place.is_open();
        // "The morning was bad. How many stops?" may mean those of the morning.
        let is_told = |(at, token): (usize, &Token)| {
            matches!(token.kind, Kind::At(_) | Kind::Vague)
                && !place.tokens.contains(&at)
                && self.phrases.of_token(at).is_none()
        };
        let tells_time = self.tokens().iter().enumerate().any(is_told);
        let is_free = told.is_empty() && !tells_time || !said.is_empty() || is_placed;
        if !is_free && !self.refers() {
            return None;
        }
        let times = if said.is_empty() && !is_placed { told } else { said };
        // 15:00到15:10，就这十分钟.
        let is_again = |at: &&usize| {
            self.is_of_told(&self.tokens()[**at]) || self.begins_that(&self.tokens()[**at])
        };
        let is_one = times.len() == 1;
        let times = times.into_iter().filter(|at| is_one || !is_again(at));
        times.into_iter().try_fold(of_place, |bounds, at| match self.tokens()[*at].kind {
            Kind::Time(time) => bounds.and(time),
            _ => Some(bounds),
        })
    }

    /// Whether it says that a time is meant that was told: "how many were there then?"
    pub(super) fn refers(&self) -> bool {
        #[rustfmt::skip]
        const TOLD: &[&str] = &[
            "its", "those", "these", "then", "that time", "those minutes", "that minute", "that hour", "that period", "that span", "that run", "that stretch", "that window", "that interval", "in between", "those five", "those ten", "of those", "of that", "in that", "in those", "within that",
            "那时", "当时", "那段", "这段", "那会", "其间", "期间", "那个时", "这个时", "那一", "这一", "那几", "这几", "从那",
        ];
        self.has(TOLD)
    }

    pub(super) fn begins_that(&self, token: &Token) -> bool {
        self.atoms()[token.from].is_one_of(&["这", "那", "these", "those", "that", "this"])
            && self.atoms()[token.from + 1..token.to].iter().any(|atom| {
                atom.is_one_of(&["分", "秒", "小", "minutes", "hours", "minute", "hour"])
            })
    }
}
