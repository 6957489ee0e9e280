//! The words that say on which side of an event, or of a moment, a question asks.

use super::super::super::atoms::longest_of;
use super::super::bounds::Bounds;
use super::super::lexer::{Kind, Token};
use super::super::vocabulary::Word;
use super::super::{Beside, End, NamedEvents, Nth};
use super::Slots;
use super::operands::Operand;
use super::pairs::EndOf;
use super::phrases::Phrase;

/// Where in time what is asked for lies, as far as an event or a moment beside it says.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub beside: Option<Beside>,
    /// What a moment bounds.
    pub bounds: Bounds,
    /// On which side of a moment, or of a time of the day: from its end the nearest are counted.
    pub end: Option<End>,
    /// The word for the side, of two that say the same the one that is asked for.
    pub side: Option<usize>,
    /// The phrases that say so.
    pub phrases: Vec<usize>,
    /// All tokens that say so and are of no phrase.
    pub tokens: Vec<usize>,
    /// The events that were told: "another one" is one of these.
    pub like: Option<NamedEvents>,
}

/// A word for a side.
#[derive(Debug)]
pub(super) struct Side {
    pub at: usize,
    pub word: Word,
    pub operand: Operand,
}

impl Slots<'_> {
    /// `None` when it is not sure.
    pub(super) fn place(&self) -> Option<Place> {
        let mut place = Place::default();
        if let Some((one, other, is_ordered, used)) = self.pair()? {
            let (first, second) = self.both_anchors(one, other)?;
            place.like = Some(first.of.clone());
            place.beside = Some(Beside::Between(first, second, is_ordered));
            place.tokens = used;
            self.take_times(&mut place, &[one, other]);
            place.phrases.extend([one, other].map(|end| match end {
                EndOf::Phrase(at) | EndOf::Like(at, ..) => at,
            }));
            self.take_repeated(&mut place);
            return Some(place);
        }
        let mut sides = self.sides()?;
        let length = self.length()?;
        // 到第十次急停为止.
        place.tokens.extend(sides.iter().filter_map(|side| match side.operand {
            Operand::Phrase(of) if side.word == Word::Until => {
                let before = self.phrases.all[of].extent().0.checked_sub(1)?;
                self.tokens()[before].is(Word::To).then_some(before)
            }
            _ => None,
        }));
        let is_taken =
            |at: &usize| self.tokens()[*at].is(Word::From) || self.tokens()[*at].is(Word::Between);
        place.tokens.extend((0..self.tokens().len()).filter(is_taken));
        if let [one, two] = &sides[..]
            && one.word == two.word
        {
            // "Shortly after the switch to cycle 80: the losses after that change".
            let is_told = |side: &Side| match side.operand {
                Operand::Told => true,
                Operand::Phrase(at) => self.phrases.all[at].is_that,
                Operand::Moment(..) | Operand::Like(..) | Operand::LikeAt(..) => false,
            };
            let told = usize::from(!is_told(one));
            place.side = Some(two.at);
            if !is_told(one) && !is_told(two) && one.operand != two.operand {
                return None;
            }
            place.tokens.push(sides[told].at);
            sides.remove(told);
        }
        match &sides[..] {
            [] => self.next_to_told(&mut place, length)?,
            [side] => self.on_side(side, &mut place, length)?,
            _ => return None,
        }
        self.take_repeated(&mut place);
        if place.beside.is_none() && place.end.is_none() {
            place.end = self.end_of_time();
        }
        Some(place)
    }

    /// Takes the phrases that say again what is known: "that change".
    pub(super) fn take_repeated(&self, place: &mut Place) {
        let Some(like) = &place.like else { return };
        for (at, phrase) in self.phrases.all.iter().enumerate() {
            let is_again = phrase.is_that && phrase.nth.is_none() && !phrase.is_pinned();
            let of = self.sentence.events_of(phrase);
            let is_same = of.is_some_and(|of| of.class == like.class && of.class.is_some());
            let is_free = !place.phrases.contains(&at);
            let is_target = !phrase.is_both && self.phrases.all.len() == place.phrases.len() + 1;
            // "Cycle 42 took long: the stops since the change to cycle 42".
            let is_same_one = place.phrases.iter().any(|one| self.is_same(*one, at));
            if is_free && (is_again && is_same && !is_target || is_same_one) {
                place.phrases.push(at);
            }
        }
    }

    /// Whether two phrases are of one event that each says.
    pub(super) fn is_same(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.phrases.all[one], &self.phrases.all[other]);
        let of = |phrase: &Phrase| self.sentence.events_of(phrase).map(|of| (of.class, of.became));
        one.is_pinned() && other.is_pinned() && one.at == other.at && of(one) == of(other)
    }

    /// The one length of time beside an event; `None` when there are two.
    #[expect(clippy::option_option, reason = "none is said, or two are")]
    pub(super) fn length(&self) -> Option<Option<(usize, f64)>> {
        let mut lengths =
            self.tokens().iter().enumerate().filter_map(|(at, token)| match token.kind {
                Kind::Length(secs) if !self.is_of_told(token) && self.has_side(token) => {
                    // "Five minutes before it" is a moment.
                    let is_stretch = self.sentence.is_han || self.is_stretch(token);
                    Some((at, if is_stretch { secs } else { f64::NAN }))
                }
                _ => None,
            });
        let one = lengths.next();
        let is_same = lengths.all(|(_, secs)| one.is_some_and(|(_, first)| first == secs));
        let is_sure = one.is_none_or(|(_, secs)| !secs.is_nan());
        (is_same && is_sure).then_some(one)
    }

    /// "In the five minutes", "within five minutes".
    pub(super) fn is_stretch(&self, token: &Token) -> bool {
        #[rustfmt::skip]
        const OPENS: [&str; 17] = [
            "first", "in", "within", "during", "the", "last", "final", "most", "full", "whole", "next", "those", "these", "for", "to", "following", "a",
        ];
        let before = |back: usize| token.from.checked_sub(back).map(|at| &self.atoms()[at]);
        // "More than five minutes after it" is the opposite.
        let is_less = before(1).is_some_and(|atom| atom.is_one_of(&["than"]))
            && before(2).is_some_and(|atom| atom.is_one_of(&["less", "fewer"]));
        is_less || before(1).is_none_or(|atom| atom.is_one_of(&OPENS))
    }

    /// 从上次急停算起，十分钟以内掉了几次: beside an event that another clause of the sentence tells.
    fn is_within(&self, token: &Token) -> bool {
        let is_word = |at: usize| self.atoms()[at].is_one_of(&["within"]);
        let is_within = token.from.checked_sub(1).is_some_and(is_word)
            || longest_of(&self.atoms()[token.to..], &["以内", "之内", "内"]).is_some();
        let clause = self.clauses.of_token(token);
        let sentence = self.clauses.all[clause].sentence;
        let is_asked = |other: &Token| {
            self.clauses.of_token(other) == clause
                && matches!(other.kind, Kind::Class(_) | Kind::Word(Word::Happened | Word::Event))
        };
        let is_one = self.clauses.all.iter().all(|other| other.sentence == sentence);
        is_within && is_one && self.clauses.all[clause].asks && self.tokens().iter().any(is_asked)
    }

    /// Whether a word for a side stands in the clause of a token, or else in none.
    pub(super) fn has_side(&self, token: &Token) -> bool {
        const SIDES: [Word; 8] = [
            Word::Before,
            Word::After,
            Word::Since,
            Word::Around,
            Word::Once,
            Word::Next,
            Word::Previous,
            Word::From,
        ];
        let is_side =
            |token: &&Token| matches!(token.kind, Kind::Word(word) if SIDES.contains(&word));
        let clause = self.clauses.of_token(token);
        let mut sides = self
            .tokens()
            .iter()
            .filter(is_side)
            .map(|token| self.clauses.of_token(token))
            .peekable();
        sides.peek().is_none() || sides.any(|of| of == clause) || self.is_within(token)
    }

    /// The words for sides; `None` when it is not sure of what.
    pub(super) fn sides(&self) -> Option<Vec<Side>> {
        const SIDES: [Word; 6] =
            [Word::Before, Word::After, Word::Since, Word::Around, Word::Once, Word::Until];
        let mut sides: Vec<Side> = Vec::new();
        for (at, token) in self.tokens().iter().enumerate() {
            let Kind::Word(word) = token.kind else { continue };
            if word == Word::From {
                sides.extend(self.side_of_from(at)?);
                continue;
            }
            if !SIDES.contains(&word) {
                continue;
            }
            let operand =
                if self.sentence.is_han { self.operand_han(at) } else { self.operand(at) };
            // "By its start".
            let is_first = |token: &Token| token.kind == Kind::Nth(Nth { end: End::First, nth: 1 });
            let next =
                self.tokens().get(at + 1).filter(|_| self.phrases.of_token(at + 1).is_none());
            let is_end = self.tokens().get(at + 2).is_none_or(|token| token.is_cut);
            if word == Word::Since && is_end && next.is_some_and(is_first) {
                // "The seventh stop, counting since the earliest".
                continue;
            }
            if word == Word::Until
                && !self.sentence.is_han
                && matches!(operand, None | Some(Operand::Told))
            {
                continue;
            }
            let operand = operand?;
            let word = if word == Word::Once { Word::After } else { word };
            sides.push(Side { at, word, operand });
        }
        Some(sides)
    }

    /// "From the stop at 15:33 on".
    #[expect(clippy::option_option, reason = "it says nothing, or it is not sure what")]
    pub(super) fn side_of_from(&self, at: usize) -> Option<Option<Side>> {
        let next = at + 1;
        // "From the 90 seconds before 15:06".
        if matches!(
            self.tokens().get(next)?.kind,
            Kind::Time(Bounds { since: Some(_), until: Some(_) })
        ) {
            return Some(None);
        }
        let of = self.phrases.of_token(next)?;
        let (_, mut end) = self.phrases.all[of].extent();
        let last = self.tokens()[end - 1].to;
        let is_on = self.atoms().get(last).is_some_and(|atom| {
            atom.is_one_of(&["on", "onward", "onwards", "forward", "起", "开", "以", "算"])
        });
        while self.tokens().get(end).is_some_and(Self::skips) {
            end += 1;
        }
        // 自从换到250周期，抓取丢失了几次.
        let is_begin = self.atoms()[self.tokens()[at].from].is_one_of(&["自", "打"]);
        let is_on = is_on || is_begin && self.tokens().get(end).is_none_or(|next| next.is_cut);
        let is_until_now = self.tokens().get(end).is_some_and(|token| {
            token.is(Word::SoFar) || token.is(Word::Since) || token.is(Word::After)
        });
        if !is_on && !is_until_now {
            return None;
        }
        // 自第一次急停以来 has a word for its side.
        let is_said = self
            .tokens()
            .get(end)
            .is_some_and(|token| token.is(Word::Since) || token.is(Word::After));
        Some((!is_said).then_some(Side { at, word: Word::Since, operand: Operand::Phrase(of) }))
    }

    pub(super) fn skips(token: &Token) -> bool {
        matches!(token.kind, Kind::Word(Word::Just | Word::Happened | Word::Object))
    }
}

/// Whether it is no longer than a second.
pub(super) fn is_second(bounds: Bounds) -> bool {
    const SECOND: i64 = 1_000_000_000;
    bounds.since.zip(bounds.until).is_some_and(|(since, until)| until.0 - since.0 <= SECOND)
}
