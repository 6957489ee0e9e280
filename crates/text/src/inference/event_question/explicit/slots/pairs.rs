//! The two events between which it is asked.

use super::super::bounds::Bounds;
use super::super::lexer::Kind;
use super::super::part::NANOS_OF_DAY;
use super::super::vocabulary::Word;
use super::super::{Anchor, End, NamedEvents, Nth};
use super::Slots;
use super::operands::Operand;
use super::sides::Place;
use robot_memory_core::model::Stamp;
use std::iter;

/// One end of a stretch between two events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum EndOf {
    Phrase(usize),
    /// Another event like that of a phrase: the one with this number, or of this moment.
    Like(usize, Option<Nth>, Option<Bounds>),
}

/// Two events, whether the first is the earlier one, and the tokens that say so.
type Pair = (EndOf, EndOf, bool, Vec<usize>);

impl Slots<'_> {
    /// The two events, of which what is said of one alone is meant of both: "the first and the last stop of this morning".
    pub(super) fn both_anchors(&self, one: EndOf, other: EndOf) -> Option<(Anchor, Anchor)> {
        let mut anchors = [self.anchor_at(one)?, self.anchor_at(other)?];
        let times = [one, other].map(|end| match end {
            EndOf::Like(_, Some(_), Some(time)) => Some(time),
            end => self.time_of(end).map(|(_, time)| time),
        });
        let either = match times {
            [None, Some(other)] if !is_day(other) && self.is_of_second_alone(&anchors) => {
                // "Between the second loss and the first stop of this afternoon": of both, or not?
                return self.sentence.is_han.then(|| {
                    let [one, second] = anchors;
                    (one, Anchor { bounds: other, ..second })
                });
            }
            [Some(one), Some(other)] => [Some(one), Some(other)],
            [one, other] => [one.or(other); 2],
        };
        for (anchor, time) in anchors.iter_mut().zip(either) {
            if anchor.nth.is_some()
                && let Some(time) = time
            {
                anchor.bounds = time;
            }
        }
        Some(anchors.into())
    }

    /// Whether a time that is said beside the second of two events may be of that one alone: but "the first stop and the last stop this
    /// afternoon" are two of one row.
    fn is_of_second_alone(&self, [one, other]: &[Anchor; 2]) -> bool {
        let is_row = match (one.nth, other.nth) {
            (Some(one), Some(other)) => match (one.end, other.end) {
                (End::First, End::First) => one.nth < other.nth,
                (End::Last, End::Last) => one.nth > other.nth,
                (End::First, End::Last) => true,
                (End::Last, End::First) => false,
            },
            _ => false,
        };
        self.sentence.is_han || one.of != other.of || !is_row
    }

    /// A time beside one of two events that says which one it is.
    pub(super) fn time_of(&self, end: EndOf) -> Option<(usize, Bounds)> {
        let (EndOf::Phrase(at) | EndOf::Like(at, ..)) = end;
        let phrase = &self.phrases.all[at];
        let is_counted = phrase.nth.is_some() && !phrase.is_pinned();
        is_counted.then(|| self.time_beside(phrase)).flatten()
    }

    pub(super) fn take_times(&self, place: &mut Place, ends: &[EndOf]) {
        place.tokens.extend(ends.iter().filter_map(|end| self.time_of(*end)).map(|(at, _)| at));
    }

    pub(super) fn anchor_at(&self, end: EndOf) -> Option<Anchor> {
        match end {
            EndOf::Phrase(at) => self.anchor(&self.phrases.all[at], None),
            EndOf::Like(at, nth, bounds) => {
                let like = self.sentence.events_of(&self.phrases.all[at])?;
                let is_of_moment = bounds.is_some() && nth.is_none();
                let words = if is_of_moment { String::new() } else { like.words.clone() };
                // "The first and the second time that it changed to 230".
                let became = like.became.filter(|_| nth.is_some());
                let of = NamedEvents { became, words, ..like };
                Some(Anchor { of, nth, bounds: bounds.unwrap_or_default(), ..Anchor::default() })
            }
        }
    }

    /// What begins at a token, or a bare number or moment of what another phrase names.
    pub(super) fn end_at(&self, at: usize, like: Option<usize>) -> Option<(EndOf, usize)> {
        // "To today's last stop".
        let is_time = matches!(self.tokens().get(at)?.kind, Kind::Time(_));
        let next = self.phrases.of_token(at + 1).filter(|_| is_time);
        let next = next.filter(|of| self.phrases.all[*of].nth.is_some());
        if let Some(of) = self.phrases.of_token(at).or(next) {
            return Some((EndOf::Phrase(of), self.phrases.all[of].extent().1));
        }
        let like = like?;
        match self.tokens().get(at)?.kind {
            Kind::Nth(nth) => {
                // "And the first one this afternoon".
                let next = self.tokens().get(at + 1).filter(|next| !next.is_cut);
                let time =
                    next.filter(|_| !self.sentence.is_han).and_then(|next| match next.kind {
                        Kind::Time(time) => Some(time),
                        _ => None,
                    });
                let end = at + 1 + usize::from(time.is_some());
                Some((EndOf::Like(like, Some(nth), time), end))
            }
            // "When it became 10 and 20".
            Kind::Number(nth) if !self.sentence.is_han && !self.became(like) => {
                Some((EndOf::Like(like, Some(Nth { end: End::First, nth }), None), at + 1))
            }
            Kind::At(bounds) => Some((EndOf::Like(like, None, Some(bounds)), at + 1)),
            _ => None,
        }
    }

    fn became(&self, of: usize) -> bool {
        let of = self.sentence.events_of(&self.phrases.all[of]);
        of.is_some_and(|of| of.became.is_some())
    }

    /// Two events between which it is asked; `None` when it is not sure which.
    #[expect(clippy::option_option, reason = "none is said, or it is not sure which")]
    pub(super) fn pair(&self) -> Option<Option<Pair>> {
        let between = self.tokens().iter().position(|token| token.is(Word::Between));
        if let Some(at) = between
            && let Some(pair) = self.last_two(at)
        {
            return Some(Some(pair));
        }
        match (&self.joined_pairs(between)[..], between) {
            ([], Some(at)) => {
                let is_of_time = self.tokens().iter().any(|token| {
                    matches!(token.kind, Kind::Time(Bounds { since: Some(_), until: Some(_) }))
                });
                match self.told_pair(at) {
                    // "From 9:02 to 9:04, the changes in between".
                    None if is_of_time => Some(None),
                    pair => Some(Some(pair?)),
                }
            }
            ([pair], _) => self.other_sides(&pair.3).then(|| Some(pair.clone())),
            ([], None) => Some(self.after_and_before()),
            _ => None,
        }
    }

    /// Each "and" or "to" with an event on both sides.
    fn joined_pairs(&self, between: Option<usize>) -> Vec<Pair> {
        let is = |at: usize, word: Word| self.tokens().get(at).is_some_and(|token| token.is(word));
        let is_to = |at: usize| is(at, Word::To) || is(at, Word::Until);
        let mut pairs = Vec::new();
        for at in (1..self.tokens().len()).filter(|at| is(*at, Word::And) || is_to(*at)) {
            let timed = self.counted_before_time(at - 1);
            let before = self.phrases.of_token(at - 1).or(timed);
            let next = self.phrases.of_token(at + 1);
            let first = match before {
                Some(of) => Some(EndOf::Phrase(of)),
                None => next.and_then(|like| self.end_at(at - 1, Some(like)).map(|(end, _)| end)),
            };
            let Some(first) = first else { continue };
            let Some((second, end)) = self.end_at(at + 1, before) else { continue };
            // "Between the first stop after 14:50 and the third one": of the day, or after 14:50?
            if timed.is_some() && !self.is_placed(second) {
                continue;
            }
            let begin = match first {
                EndOf::Phrase(of) => self.phrases.all[of].extent().0,
                EndOf::Like(..) => at - 1,
            };
            let is_begin = |from: &usize| is(*from, Word::From) || is(*from, Word::Between);
            let from = begin.checked_sub(1).filter(is_begin);
            let is_from = from.is_some_and(|from| is(from, Word::From));
            if between.is_none() && !(is_from && is_to(at)) {
                continue;
            }
            let mut used = vec![at];
            used.extend(from);
            used.extend(matches!(first, EndOf::Like(..)).then_some(at - 1));
            used.extend(matches!(second, EndOf::Like(..)).then_some(at + 1));
            used.extend(matches!(second, EndOf::Like(_, Some(_), Some(_))).then_some(at + 2));
            used.extend(Some(end).filter(|end| is(*end, Word::Until) || is(*end, Word::Between)));
            used.extend(between);
            pairs.push((first, second, is_to(at), used));
        }
        pairs
    }

    /// The phrase that stands before a time that says which one it is: "the last stop this morning and ...".
    fn counted_before_time(&self, at: usize) -> Option<usize> {
        let is_time = matches!(self.tokens()[at].kind, Kind::Time(_)) && !self.sentence.is_han;
        let of = self.phrases.of_token(at.checked_sub(1)?).filter(|_| is_time)?;
        self.time_of(EndOf::Phrase(of)).filter(|(time, _)| *time == at).map(|_| of)
    }

    /// Whether an event is told with its own time.
    fn is_placed(&self, end: EndOf) -> bool {
        match end {
            EndOf::Phrase(of) => self.phrases.all[of].is_pinned() || self.time_of(end).is_some(),
            EndOf::Like(.., bounds) => bounds.is_some(),
        }
    }

    /// "Between those two": of two that were told.
    fn told_pair(&self, between: usize) -> Option<Pair> {
        let tokens = self.tokens();
        let all = &self.phrases.all;
        let mut used = vec![between];
        let is_two = tokens.get(between + 1).is_some_and(|next| next.kind == Kind::Number(2));
        let is_free = self.phrases.of_token(between + 1).is_none();
        used.extend((is_two && is_free).then_some(between + 1));
        let pinned: Vec<usize> = (0..all.len()).filter(|at| all[*at].is_pinned()).collect();
        let is_first = |at: &&usize| {
            !pinned.iter().take_while(|one| one != at).any(|one| self.is_same(*one, **at))
        };
        let pinned: Vec<usize> = pinned.iter().filter(is_first).copied().collect();
        let moment = |at: usize| match self.moment(at)? {
            Operand::Moment(at, bounds) => Some((at, bounds)),
            _ => None,
        };
        let moments: Vec<(usize, Bounds)> = (0..tokens.len()).filter_map(moment).collect();
        let like = |of, bounds| EndOf::Like(of, None, Some(bounds));
        let is_told = |at: &usize| {
            self.is_one(&all[*at]) && !all[*at].is_asked && all[*at].extent().1 <= between
        };
        let counted: Vec<usize> = (0..all.len()).filter(is_told).collect();
        match (&pinned[..], &moments[..], &counted[..]) {
            ([] | [_], [], [one, two]) | ([one, two], [], _) => {
                Some((EndOf::Phrase(*one), EndOf::Phrase(*two), false, used))
            }
            // "A stop at 8:49 and another at 8:53".
            ([one], [(at, bounds)], _) => {
                used.push(*at);
                Some((EndOf::Phrase(*one), like(*one, *bounds), false, used))
            }
            // "Two stops, one at 8:57 and the next at 9:02".
            ([], [(at, bounds), (to, other)], _) => {
                let of = all.iter().position(|phrase| phrase.number == Some(2))?;
                used.extend([*at, *to]);
                Some((like(of, *bounds), like(of, *other), false, used))
            }
            _ => None,
        }
    }

    /// "Between the last two stops": only of two is there one time between.
    pub(super) fn last_two(&self, between: usize) -> Option<Pair> {
        let beside = if self.sentence.is_han { between.checked_sub(1)? } else { between + 1 };
        let two = |of: usize| self.phrases.all[of].several.filter(|(_, many)| *many == 2);
        let told = || {
            (0..self.phrases.all.len())
                .find(|of| two(*of).is_some() && self.phrases.all[*of].to <= between)
        };
        let of = self.phrases.of_token(beside).filter(|of| two(*of).is_some()).or_else(told)?;
        let (end, many) = two(of)?;
        // "Between the last two stops before 9 am".
        let (at, time) = self.time_beside(&self.phrases.all[of]).unzip();
        let nth = |nth| EndOf::Like(of, Some(Nth { end, nth }), time);
        let used = iter::once(between).chain(at).collect();
        Some((nth(many), nth(1), false, used))
    }

    /// Whether no word for a side stands beside those.
    pub(super) fn other_sides(&self, used: &[usize]) -> bool {
        const SIDES: [Word; 6] =
            [Word::Before, Word::After, Word::Since, Word::Around, Word::Once, Word::Until];
        !self.tokens().iter().enumerate().any(|(at, token)| {
            matches!(token.kind, Kind::Word(word) if SIDES.contains(&word)) && !used.contains(&at)
        })
    }

    /// "After the first stop and before the second".
    pub(super) fn after_and_before(&self) -> Option<Pair> {
        let sides = self.sides()?;
        let [one, two] = &sides[..] else { return None };
        let mut used = vec![one.at, two.at];
        // "After the 12th but before the 13th stop".
        if let (Operand::Told, Operand::Phrase(of), Some(Kind::Nth(nth))) =
            (&one.operand, &two.operand, self.tokens().get(one.at + 1).map(|token| token.kind))
            && one.word == Word::After
            && two.word == Word::Before
        {
            used.push(one.at + 1);
            return Some((EndOf::Like(*of, Some(nth), None), EndOf::Phrase(*of), true, used));
        }
        let Operand::Phrase(first) = &one.operand else { return None };
        let second = match &two.operand {
            Operand::Phrase(of) => {
                self.is_named_in_full(*first, *of).then_some(())?;
                EndOf::Phrase(*of)
            }
            // "After the first stop, and before the last one".
            Operand::Like(at, nth, time) => {
                used.push(*at);
                let bounds = time.and_then(|at| match self.tokens()[at].kind {
                    Kind::Time(time) => Some(time),
                    _ => None,
                });
                used.extend(time);
                EndOf::Like(*first, Some(*nth), bounds)
            }
            _ => return None,
        };
        let first = EndOf::Phrase(*first);
        let (after, before) = match (one.word, two.word) {
            (Word::After | Word::Since, Word::Before | Word::Until) => (first, second),
            (Word::Before | Word::Until, Word::After | Word::Since) => (second, first),
            _ => return None,
        };
        (first != second).then_some((after, before, true, used))
    }
}

impl Slots<'_> {
    /// Whether the second of two events says of what it is, when the first one does: 夹爪第一次动作之后、第二次动作之前 is of the gripper.
    fn is_named_in_full(&self, first: usize, second: usize) -> bool {
        let of = |phrase: usize| self.sentence.events_of(&self.phrases.all[phrase]);
        let (Some(one), Some(other)) = (of(first), of(second)) else { return false };
        let is_bare = other.words.is_empty() && other.became.is_none();
        one.class != other.class || one.words.is_empty() || !is_bare
    }
}

/// Whether a time is a day, or more: it tells no event from another of that day.
fn is_day(time: Bounds) -> bool {
    let length = |(since, until): (Stamp, Stamp)| until.0.saturating_sub(since.0);
    time.since.zip(time.until).is_some_and(|ends| length(ends) >= NANOS_OF_DAY)
}
