//! What each time of a text bounds, by the words beside it: "since noon", 昨天之前.

use super::super::super::atoms::{Atom, longest_of};
use super::super::super::classes::class_at;
use super::super::bounds::{Bounds, LentDay, Present, Side, TimePhrase};
use super::super::vocabulary::Word;
use super::{Kind, Piece, is_filler};
use std::collections::VecDeque;

/// Behind a time: from then until now.
const GOING_ON: [&str; 4] = ["on", "onward", "onwards", "forward"];

/// The same with what each time bounds; `None` when two of them are joined that bound nothing together.
pub(super) fn with_sides(
    found: Vec<(Piece, usize, usize)>,
    (text, atoms): (&str, &[Atom]),
    present: &Present<'_>,
    is_han: bool,
) -> Option<Vec<(Kind, usize, usize)>> {
    let mut found = found;
    lend_day(&mut found);
    lend_told_day(&mut found);
    let kinds = Vec::with_capacity(found.len());
    let mut sided = Sided { text, atoms, present, is_han, kinds, found: found.into() };
    while let Some((what, from, to)) = sided.found.pop_front() {
        match what {
            Piece::Kind(kind) => sided.kinds.push((kind, from, to)),
            Piece::Time(phrase) => sided.take(&phrase, from, to)?,
        }
    }
    Some(sided.kinds)
}

/// What was found, as far as its times are bounded.
struct Sided<'t> {
    text: &'t str,
    atoms: &'t [Atom],
    present: &'t Present<'t>,
    is_han: bool,
    kinds: Vec<(Kind, usize, usize)>,
    found: VecDeque<(Piece, usize, usize)>,
}

impl Sided<'_> {
    fn take(&mut self, phrase: &TimePhrase, mut from: usize, mut to: usize) -> Option<()> {
        let (mut side, mut is_between) = (Side::In, false);
        if !self.is_of_event(phrase, from, to)
            && self.is_prefixed(from)
            && let Some((Kind::Word(word), before, _)) = self.kinds.last().copied()
        {
            side = side_before(word, phrase);
            // "The stops from this morning" are of it; "from this morning on" is since then.
            let goes_on = goes_on(self.atoms, to, self.next(to));
            let is_of_it = word == Word::From && !self.is_han && !phrase.is_clock() && !goes_on;
            let is_of_it = is_of_it && !phrase.is_range();
            is_between = word == Word::Between || word == Word::From && phrase.is_range();
            if is_of_it || side != Side::In || is_between {
                from = before;
                self.kinds.pop();
            }
            if is_of_it {
                side = Side::In;
            }
        }
        if self.is_han
            && let Some(Piece::Kind(Kind::Word(word))) = self.next(to)
        {
            let word = *word;
            match side_after(word, side, phrase) {
                // 昨天之后: with yesterday, or without?
                None => {
                    self.kinds.push((Kind::Vague, from, to));
                    return Some(());
                }
                Some(None) => {}
                Some(Some(after)) => {
                    side = after;
                    is_between |= word == Word::Between;
                    to = self.found.pop_front().map_or(to, |(_, _, to)| to);
                    // 到15:00为止.
                    if let (Side::Until, Some((Kind::Word(Word::To), before, _))) =
                        (side, self.kinds.last().copied())
                    {
                        from = before;
                        self.kinds.pop();
                    }
                }
            }
        }
        self.bound(phrase, side, is_between, (from, to))
    }

    /// Puts down what a time bounds.
    fn bound(
        &mut self,
        phrase: &TimePhrase,
        side: Side,
        is_between: bool,
        place: (usize, usize),
    ) -> Option<()> {
        if phrase.is_pair && !is_between {
            // "The stops at 9:02 and 9:05".
            let mut named = self.kinds.iter().rev();
            let named = named.find(|(kind, ..)| *kind != Kind::Word(Word::Filler));
            let is_of_class = self.is_han || matches!(named, Some((Kind::Class(_), ..)));
            let moments = self.present.both_moments(phrase).filter(|_| is_of_class)?;
            push_pair(&mut self.kinds, moments, place);
            return Some(());
        }
        let secs = if side != Side::In && phrase.is_clock() {
            length_beside(&mut self.kinds, &mut self.found, self.is_han)
        } else {
            None
        };
        let is_hour = side == Side::In && phrase.is_hour();
        let hour = || self.present.moment_bounds(phrase).filter(|_| is_hour);
        let kind = bounded(self.present, phrase, side, secs);
        let kind = kind.or_else(|| hour().map(Kind::At)).unwrap_or(Kind::Vague);
        self.kinds.push((kind, place.0, place.1));
        Some(())
    }

    /// What stands behind a time, and not behind a comma.
    fn next(&self, to: usize) -> Option<&Piece> {
        let (piece, next, _) = self.found.front()?;
        let gap = &self.text[self.atoms[to - 1].place.end..self.atoms[*next].place.start];
        (!gap.contains([',', '，', '。', ';', '；'])).then_some(piece)
    }

    /// Whether a time says which event is meant that is named behind it: "the 14:21 stop".
    fn is_of_event(&self, phrase: &TimePhrase, from: usize, to: usize) -> bool {
        let named = named_behind(&self.found, self.atoms, self.is_han && phrase.is_moment());
        let end = self.atoms[to - 1].place.end;
        let is_apart = !self.is_han
            && self
                .found
                .front()
                .is_some_and(|(_, next, _)| end + 1 < self.atoms[*next].place.start);
        let is_prefixed = self.is_han && from > 0 && self.atoms[from - 1].text == "于";
        let is_bound = is_prefixed && !is_said_of(self.atoms, to, phrase);
        let is_named =
            matches!(named, Some(Piece::Kind(Kind::Nth(_) | Kind::Class(_) | Kind::Name)));
        is_named && !phrase.is_range() && !is_apart && !is_bound
    }

    /// Whether a word before a time may be of it: 之后 is of what stands before it, 早于 of what follows.
    fn is_prefixed(&self, from: usize) -> bool {
        let last = self.kinds.last().map(|(kind, ..)| *kind);
        let is_prefix = matches!(
            last,
            Some(Kind::Word(Word::From | Word::Since | Word::Until | Word::To | Word::Between))
        );
        !self.is_han || from == 0 || is_prefix || self.atoms[from - 1].text == "于"
    }
}

/// Gives a time of the day the one day, and the part of the day, that is said elsewhere: "yesterday, which stops came
/// before 9:30?"
fn lend_day(found: &mut [(Piece, usize, usize)]) {
    let is_lender = |phrase: &TimePhrase| !phrase.is_clock() && phrase.is_of_day();
    lend(found, |phrase| is_lender(phrase).then(|| phrase.lent()));
}

/// Gives times of the day the day of another time of the day: "at 9:03 yesterday I paused it; what came before 9:04?"
fn lend_told_day(found: &mut [(Piece, usize, usize)]) {
    let is_lender = |phrase: &TimePhrase| phrase.is_clock() && phrase.has_day();
    lend(found, |phrase| is_lender(phrase).then(|| phrase.lent_day()));
}

/// Gives times of the day what the only time lends that lends anything.
fn lend(found: &mut [(Piece, usize, usize)], lent: impl Fn(&TimePhrase) -> Option<LentDay>) {
    let mut lenders = found.iter().filter_map(|(piece, ..)| match piece {
        Piece::Time(phrase) => lent(phrase),
        _ => None,
    });
    let (Some(lent), None) = (lenders.next(), lenders.next()) else { return };
    for (piece, ..) in found {
        if let Piece::Time(phrase) = piece
            && phrase.is_clock()
        {
            phrase.borrow_day(&lent);
        }
    }
}

/// Whether what stands behind a time is the event of that time: 晚于09:01:08那次掉件.
fn is_said_of(atoms: &[Atom], to: usize, phrase: &TimePhrase) -> bool {
    const THAT: [&str; 8] =
        ["那次", "那一次", "那条", "那个", "那回", "的那次", "的那条", "的那个"];
    let rest = &atoms[to.min(atoms.len())..];
    let is_class = |rest: &[Atom]| class_at(rest).is_some_and(|(_, class)| class.is_some());
    longest_of(rest, &THAT).is_some()
        || phrase.is_of_second()
            && (is_class(rest) || rest.len() > 1 && rest[0].text == "的" && is_class(&rest[1..]))
}

/// 15:29:14和15:29:20这两次急停.
fn push_pair(
    kinds: &mut Vec<(Kind, usize, usize)>,
    (one, two): (Bounds, Bounds),
    (from, to): (usize, usize),
) {
    for kind in [Kind::At(one), Kind::Word(Word::And), Kind::At(two)] {
        kinds.push((kind, from, to));
    }
}

/// What a time bounds, on a side of it and as far as is said.
fn bounded(
    present: &Present<'_>,
    phrase: &TimePhrase,
    side: Side,
    secs: Option<f64>,
) -> Option<Kind> {
    Some(match (side, secs) {
        (_, Some(secs)) => Kind::Time(present.beside(phrase, side, secs)?),
        (Side::Around, None) => return None,
        (Side::In, None) if phrase.is_moment() => Kind::At(present.moment_bounds(phrase)?),
        _ => Kind::Time(present.bounds(phrase, side)?),
    })
}

/// What stands behind a time; behind a moment without 那次: 从15:28:41那次掉件 is of the event, and not since then.
fn named_behind<'p>(
    found: &'p VecDeque<(Piece, usize, usize)>,
    atoms: &[Atom],
    is_moment: bool,
) -> Option<&'p Piece> {
    const THAT: [&str; 6] = ["的", "那次", "那一次", "那条", "那个", "那回"];
    let joins = |(piece, from, _): &&(Piece, usize, usize)| {
        is_moment && is_filler(piece) && longest_of(&atoms[*from..], &THAT).is_some()
    };
    found.iter().find(|piece| !joins(piece)).map(|(piece, ..)| piece)
}

/// Whether something after a time says that it goes on: "from this morning on", "from yesterday until now".
fn goes_on(atoms: &[Atom], to: usize, next: Option<&Piece>) -> bool {
    atoms.get(to).is_some_and(|next| next.is_one_of(&GOING_ON))
        || matches!(next, Some(Piece::Kind(Kind::Word(Word::SoFar | Word::To | Word::Until))))
}

/// What a word before a time says of it.
fn side_before(word: Word, phrase: &TimePhrase) -> Side {
    match word {
        Word::Since => Side::Since,
        Word::From if !phrase.is_range() => Side::Since,
        Word::After => Side::After,
        Word::Before => Side::Before,
        Word::Until => Side::Until,
        Word::Around if phrase.is_clock() => Side::Around,
        _ => Side::In,
    }
}

/// What a Chinese word after a time says of it; `None` when it is not sure what.
#[expect(clippy::option_option, reason = "nothing is said, or it is not sure what")]
fn side_after(word: Word, side: Side, phrase: &TimePhrase) -> Option<Option<Side>> {
    Some(match word {
        Word::Since => Some(Side::Since),
        Word::After if side == Side::Since => Some(Side::Since),
        Word::After if phrase.is_clock() => Some(Side::After),
        // 9:00到12:00之前: its end is not in it anyway.
        Word::Before | Word::Until if phrase.has_own_end() => Some(side),
        Word::Before => Some(Side::Before),
        Word::Around if phrase.is_clock() => Some(Side::Around),
        Word::Until if phrase.is_clock() => Some(Side::Until),
        Word::Between => Some(side),
        // 昨天之后: with yesterday, or without?
        Word::After => return None,
        _ => None,
    })
}

/// Takes the length of a stretch beside a time of the day: "half an hour before 15:00", 三点后十分钟内.
fn length_beside(
    kinds: &mut Vec<(Kind, usize, usize)>,
    found: &mut VecDeque<(Piece, usize, usize)>,
    is_han: bool,
) -> Option<f64> {
    if !is_han {
        let Some(Kind::Length(secs)) = kinds.last().map(|(kind, ..)| *kind) else { return None };
        kinds.pop();
        return Some(secs);
    }
    let at = found.iter().position(|(piece, ..)| !is_filler(piece))?;
    let Piece::Kind(Kind::Length(secs)) = found.get(at)?.0 else { return None };
    found.remove(at);
    if matches!(found.get(at), Some((Piece::Kind(Kind::Word(Word::Inside)), ..))) {
        found.remove(at);
    }
    Some(secs)
}
