//! What each time of a text bounds, by the words beside it: "since noon", 昨天之前.

use super::super::super::atoms::{Atom, longest_of};
use super::super::super::classes::class_at;
use super::super::bounds::{Bounds, Present, Side, TimePhrase};
use super::super::vocabulary::Word;
use super::{Kind, Piece, is_filler};
use std::collections::VecDeque;

/// Behind a time: from then until now.
const GOING_ON: [&str; 4] = ["on", "onward", "onwards", "forward"];

/// The same with what each time bounds, by the words beside it: "since noon", 昨天之前.
pub(super) fn with_sides(
    found: Vec<(Piece, usize, usize)>,
    (text, atoms): (&str, &[Atom]),
    present: &Present<'_>,
    is_han: bool,
) -> Option<Vec<(Kind, usize, usize)>> {
    let mut kinds: Vec<(Kind, usize, usize)> = Vec::with_capacity(found.len());
    let mut found = found;
    lend_day(&mut found);
    lend_told_day(&mut found);
    let mut found: VecDeque<(Piece, usize, usize)> = found.into();
    while let Some((what, mut from, mut to)) = found.pop_front() {
        let phrase = match what {
            Piece::Kind(kind) => {
                kinds.push((kind, from, to));
                continue;
            }
            Piece::Time(phrase) => phrase,
        };
        let named = named_behind(&found, atoms, is_han && phrase.is_moment());
        // 最后一次是09:01:32，在它后面.
        let is_cut = found.front().is_some_and(|(_, next, _)| {
            text[atoms[to - 1].place.end..atoms[*next].place.start]
                .contains([',', '，', '。', ';', '；'])
        });
        let next = found.front().map(|(found, ..)| found).filter(|_| !is_cut);
        let is_apart = !is_han
            && found
                .front()
                .is_some_and(|(_, from, _)| atoms[to - 1].place.end + 1 < atoms[*from].place.start);
        let is_of_event = !phrase.is_range()
            && !is_apart
            && !(is_han
                && from > 0
                && atoms[from - 1].text == "于"
                && !is_said_of(atoms, to, &phrase))
            && matches!(named, Some(Piece::Kind(Kind::Nth(_) | Kind::Class(_) | Kind::Name)));
        let last = kinds.last().map(|(kind, ..)| *kind);
        let mut side = Side::In;
        let mut is_between = false;
        // 之后 is of what stands before it, 早于 of what follows.
        let is_prefix = !is_han
            || from == 0
            || matches!(
                last,
                Some(Kind::Word(Word::From | Word::Since | Word::Until | Word::To | Word::Between))
            )
            || atoms[from - 1].text == "于";
        if !is_of_event
            && is_prefix
            && let Some(Kind::Word(word)) = last
        {
            side = side_before(word, &phrase);
            // "The stops from this morning" are of it; "from this morning on" is since then.
            let goes_on = goes_on(atoms, to, next);
            let is_of_it = word == Word::From && !is_han && !phrase.is_clock() && !goes_on;
            if is_of_it && !phrase.is_range() {
                (side, from) = (Side::In, kinds.pop().map_or(from, |(_, from, _)| from));
            }
            is_between = word == Word::Between || word == Word::From && phrase.is_range();
            if side != Side::In || is_between {
                from = kinds.pop().map_or(from, |(_, from, _)| from);
            }
        }
        if is_han && let Some(Piece::Kind(Kind::Word(word))) = next {
            let after = match side_after(*word, side, &phrase) {
                Some(after) => after,
                None => {
                    kinds.push((Kind::Vague, from, to));
                    continue;
                }
            };
            let word = *word;
            if let Some(after) = after {
                side = after;
                // 到15:00为止.
                if side == Side::Until
                    && kinds.last().is_some_and(|(kind, ..)| *kind == Kind::Word(Word::To))
                {
                    from = kinds.pop().map_or(from, |(_, from, _)| from);
                }
                is_between |= word == Word::Between;
                to = found.pop_front().map_or(to, |(_, _, to)| to);
            }
        }
        let place = (from, to);
        if phrase.is_pair && !is_between {
            // "The stops at 9:02 and 9:05".
            let named = kinds.iter().rev().find(|(kind, ..)| *kind != Kind::Word(Word::Filler));
            let is_of_class = is_han || matches!(named, Some((Kind::Class(_), ..)));
            push_pair(&mut kinds, present.both_moments(&phrase).filter(|_| is_of_class)?, place);
        } else {
            let secs = if side != Side::In && phrase.is_clock() {
                length_beside(&mut kinds, &mut found, is_han)
            } else {
                None
            };
            let hour =
                || present.moment_bounds(&phrase).filter(|_| side == Side::In && phrase.is_hour());
            let kind = bounded(present, &phrase, side, secs);
            let kind = kind.or_else(|| hour().map(Kind::At)).unwrap_or(Kind::Vague);
            kinds.push((kind, from, to));
        }
    }
    Some(kinds)
}

/// Gives a time of the day the one day, and the part of the day, that is said elsewhere: "yesterday, which stops came
/// before 9:30?"
fn lend_day(found: &mut [(Piece, usize, usize)]) {
    let is_lender = |phrase: &TimePhrase| !phrase.is_clock() && phrase.is_of_day();
    let mut lenders = found.iter().filter_map(|(piece, ..)| match piece {
        Piece::Time(phrase) if is_lender(phrase) => Some(phrase.lent()),
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

/// Gives times of the day the day of another time of the day: "at 9:03 yesterday I paused it; what came before 9:04?"
fn lend_told_day(found: &mut [(Piece, usize, usize)]) {
    let mut lenders = found.iter().filter_map(|(piece, ..)| match piece {
        Piece::Time(phrase) if phrase.is_clock() && phrase.has_day() => Some(phrase.lent_day()),
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
