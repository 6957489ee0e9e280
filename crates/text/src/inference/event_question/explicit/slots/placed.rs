//! Where what is asked for lies, by a word for a side and what it stands beside.

use super::super::super::atoms::longest_of;
use super::super::super::classes::one_class;
use super::super::bounds::Bounds;
use super::super::lexer::{Kind, Token};
use super::super::vocabulary::Word;
use super::super::{Anchor, Beside, End, NamedEvents, Nth};
use super::Slots;
use super::clauses::is_weak;
use super::operands::Operand;
use super::phrases::Phrase;
use super::sides::{Place, Side, is_second};
use robot_memory_core::model::Stamp;

impl Slots<'_> {
    /// "That stop", and "the stop" behind one that is told to the second.
    pub(super) fn is_said_again(&self, of: usize) -> bool {
        let phrase = &self.phrases.all[of];
        let class = |phrase: &Phrase| self.sentence.events_of(phrase).and_then(|of| of.class);
        let pinned = || self.phrases.all.iter().filter(|other| other.is_pinned());
        let is_like = |other: &Phrase| match (class(other), class(phrase)) {
            (Some(one), Some(two)) => one_class(&[one, two]).is_some(),
            _ => false,
        };
        !self.is_one(phrase) && (phrase.is_that || pinned().count() == 1 && pinned().all(is_like))
    }

    pub(super) fn is_from(&self, of: usize) -> bool {
        let before = self.phrases.all[of].extent().0.checked_sub(1);
        self.sentence.is_han && before.is_some_and(|at| self.tokens()[at].is(Word::From))
    }

    /// 紧接着, of what was told.
    pub(super) fn is_then(&self, token: &Token) -> bool {
        const THEN: [&str; 7] = ["紧接着", "紧接", "紧跟着", "随即", "立刻", "立即", "旋即"];
        longest_of(&self.atoms()[token.from..], &THEN).is_some()
    }

    /// No word for a side, but "next" or "previous", and an event that was told.
    pub(super) fn next_to_told(
        &self,
        place: &mut Place,
        length: Option<(usize, f64)>,
    ) -> Option<()> {
        let adverbs: Vec<(usize, Word)> = self
            .tokens()
            .iter()
            .enumerate()
            .filter_map(|(at, token)| match token.kind {
                Kind::Word(Word::Next) if self.is_length(at + 1) && self.told(at).is_none() => None,
                Kind::Word(word @ (Word::Next | Word::Previous)) => Some((at, word)),
                // 紧接着发生了什么.
                Kind::Word(Word::Just) if (at == 0 || token.is_cut) && self.is_then(token) => {
                    Some((at, Word::Next))
                }
                _ => None,
            })
            .collect();
        let Some((at, first)) = adverbs.first().copied() else {
            return length.is_none().then_some(());
        };
        let is_one_way = adverbs.iter().all(|(_, word)| *word == first);
        // 第二次急停的前一条记录.
        let beside =
            at.checked_sub(1).filter(|_| self.sentence.is_han && !self.tokens()[at].is_cut);
        let beside = beside.and_then(|at| self.phrases.of_token(at));
        // 跳变的上一条记录, of what was told.
        let again = beside.filter(|of| {
            !self.is_one(&self.phrases.all[*of]) && self.phrases.all[*of].adverb.is_none()
        });
        place.phrases.extend(again);
        let beside = beside.filter(|of| self.is_one(&self.phrases.all[*of]));
        let told = beside.map(Operand::Phrase).or_else(|| self.told(at));
        let Some(told) = told.filter(|_| is_one_way) else {
            return (length.is_none() && self.end_of_time().is_some()).then_some(());
        };
        // "The next stop at 9:02" is itself at that time.
        if let Operand::Phrase(of) = told
            && self.phrases.all[of].adverb.is_some()
        {
            return None;
        }
        let word = if first == Word::Next { Word::After } else { Word::Before };
        let operand = if beside.is_some() { told } else { Operand::Told };
        self.on_side(&Side { at, word, operand }, place, length)?;
        // It also says which one.
        place.tokens.retain(|token| *token != at);
        Some(())
    }

    /// On which side of a time of the day all is asked for: "after 14:20".
    pub(super) fn end_of_time(&self) -> Option<End> {
        let mut ends = self.tokens().iter().filter_map(|token| match token.kind {
            Kind::Time(Bounds { since: Some(_), until: None }) => Some(End::First),
            Kind::Time(Bounds { until: Some(_), .. }) => {
                let said = &self.atoms()[token.from..token.to];
                let is = |words: &[&str]| said.iter().any(|atom| atom.is_one_of(words));
                #[rustfmt::skip]
                const BEFORE: [&str; 9] = ["before", "until", "till", "prior", "ahead", "leading", "preceding", "by", "前"];
                #[rustfmt::skip]
                const AFTER: [&str; 8] = ["after", "since", "following", "past", "later", "后", "起", "来"];
                if is(&BEFORE) { Some(End::Last) } else { is(&AFTER).then_some(End::First) }
            }
            _ => None,
        });
        let one = ends.next();
        ends.all(|end| Some(end) == one).then_some(one).flatten()
    }

    /// `None` when it is not sure beside what, or how far.
    pub(super) fn on_side(
        &self,
        side: &Side,
        place: &mut Place,
        length: Option<(usize, f64)>,
    ) -> Option<()> {
        // "Until 15:10, counted backwards": said twice.
        let end = match side.word {
            Word::Before | Word::Until => End::Last,
            _ => End::First,
        };
        let is_told = side.operand == Operand::Told;
        if is_told && self.told(side.at).is_none() && self.end_of_time() == Some(end) {
            place.tokens.push(side.at);
            place.end = Some(end);
            return length.is_none().then_some(());
        }
        let operand = match &side.operand {
            Operand::Told => self.told(side.at)?,
            Operand::Phrase(of) if self.is_said_again(*of) => {
                place.phrases.push(*of);
                self.told(side.at)?
            }
            other => other.clone(),
        };
        place.tokens.push(side.at);
        place.side = place.side.or(Some(side.at));
        let secs = length.map(|(_, secs)| secs);
        let is_length = |at: &usize| matches!(self.tokens()[*at].kind, Kind::Length(_));
        place.tokens.extend((0..self.tokens().len()).filter(is_length));
        match operand {
            Operand::Phrase(of) => self.beside_phrase(side, of, secs, place),
            Operand::Moment(at, bounds) => {
                place.tokens.push(at);
                Self::beside_moment(side.word, bounds, secs, place)
            }
            // "Of the stops, which came before the last one?", "before the one at 14:21".
            Operand::Like(at, nth, time) => {
                let bounds = time.and_then(|at| match self.tokens()[at].kind {
                    Kind::Time(time) => Some(time),
                    _ => None,
                });
                place.tokens.extend(time.into_iter().chain([at]));
                self.beside_like(side.word, Some(nth), bounds.unwrap_or_default(), secs, place)
            }
            Operand::LikeAt(at, bounds) => {
                place.tokens.push(at);
                self.beside_like(side.word, None, bounds, secs, place)
            }
            Operand::Told => None,
        }
    }

    /// Beside the event that a phrase names.
    fn beside_phrase(
        &self,
        side: &Side,
        of: usize,
        secs: Option<f64>,
        place: &mut Place,
    ) -> Option<()> {
        let phrase = &self.phrases.all[of];
        place.phrases.push(of);
        // "Somebody pressed a button at 14:58; what came next?"
        let class = self.sentence.events_of(phrase).and_then(|of| of.class);
        let is_told = match side.operand {
            Operand::Phrase(said) => said != of,
            Operand::Told => true,
            Operand::Moment(..) | Operand::Like(..) | Operand::LikeAt(..) => false,
        };
        if let (Some(at), true, true) = (phrase.at, class.is_some_and(is_weak), is_told) {
            return Self::beside_moment(side.word, at, secs, place);
        }
        let anchor = self.anchor(phrase, Some(place))?;
        place.like = Some(NamedEvents { became: None, ..anchor.of.clone() });
        place.beside = Some(match side.word {
            Word::Before => Beside::Before(anchor, secs),
            Word::Until if secs.is_none() => Beside::Before(anchor, None),
            // 从周期变到260往后.
            Word::After if secs.is_none() && self.is_from(of) => Beside::Since(anchor),
            Word::After => Beside::After(anchor, secs),
            Word::Around => Beside::Around(anchor, secs),
            Word::Since if secs.is_none() => Beside::Since(anchor),
            Word::Since => Beside::After(anchor, secs),
            _ => return None,
        });
        Some(())
    }

    /// Beside another one of the events that the only phrase names.
    fn beside_like(
        &self,
        word: Word,
        nth: Option<Nth>,
        bounds: Bounds,
        secs: Option<f64>,
        place: &mut Place,
    ) -> Option<()> {
        let [like] = &self.phrases.all[..] else { return None };
        let mut of = self.sentence.events_of(like)?;
        if nth.is_none() {
            of.words.clear();
        }
        let anchor = Anchor { of, nth, bounds, ..Anchor::default() };
        place.beside = Some(match word {
            Word::Before => Beside::Before(anchor, secs),
            Word::After => Beside::After(anchor, secs),
            _ => return None,
        });
        Some(())
    }

    /// Beside a moment, at which something may have been of which it was told: that second is left out.
    pub(super) fn beside_moment(
        word: Word,
        at: Bounds,
        secs: Option<f64>,
        place: &mut Place,
    ) -> Option<()> {
        let moment = at.since?;
        let end = if is_second(at) { at.until? } else { moment };
        let nanos = secs.map(|secs| (secs * 1e9) as i64);
        let (since, until) = match word {
            Word::Before | Word::Until => {
                (nanos.map(|n| Stamp(moment.0.saturating_sub(n))), Some(moment))
            }
            Word::After | Word::Since => {
                (Some(end), nanos.map(|n| Stamp(moment.0.saturating_add(n))))
            }
            _ => return None,
        };
        place.bounds = Bounds { since, until };
        place.end = Some(if word == Word::Before { End::Last } else { End::First });
        Some(())
    }
}
