//! A question as tokens: classes of events, words of order, times, and names.

use super::super::atoms::Atom;
use super::super::classes::class_at;
use super::bounds::{Bounds, Present, Side, TimePhrase};
use super::words::{self, Word};
use super::{End, Nth};
use robot_memory_core::api::CountBy;

/// What a token says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Word(Word),
    Nth(Nth),
    Several(End, u32),
    Number(u32),
    Per(CountBy),
    /// Seconds.
    Length(f64),
    Time(Bounds),
    Class(&'static str),
    /// A word that is none of the others: of a name, or of something else.
    Name,
}

/// A word or phrase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token {
    pub kind: Kind,
    /// Its atoms, the last not included.
    pub from: usize,
    pub to: usize,
    /// Whether something new begins with it: after a comma, or with a question word.
    pub is_cut: bool,
}

impl Token {
    pub fn is(&self, word: Word) -> bool {
        self.kind == Kind::Word(word)
    }

    /// Whether it is one of the words that name events.
    pub fn is_naming(&self) -> bool {
        matches!(self.kind, Kind::Class(_) | Kind::Name)
    }
}

/// What was found at a place, times not yet resolved.
enum Piece {
    Kind(Kind),
    Time(Box<TimePhrase>),
}

/// The tokens of a text, without those that say nothing; `None` when a time in it bounds nothing exactly.
pub(super) fn tokens(
    text: &str,
    atoms: &[Atom],
    present: &Present<'_>,
    is_han: bool,
) -> Option<Vec<Token>> {
    let mut found: Vec<(Piece, usize, usize)> = Vec::new();
    let mut at = 0;
    while at < atoms.len() {
        let last = found.iter().rev().find(|(found, ..)| !is_filler(found));
        let (count, what) = found_at(atoms, at, last.map(|(found, ..)| found), present);
        found.push((what, at, at + count));
        at += count;
    }
    let mut found = with_sides(found, present, is_han)?;
    leave_out_insides(&mut found)?;
    let mut tokens: Vec<Token> = Vec::new();
    let mut is_cut = false;
    for (kind, from, to) in found {
        let gap =
            if from > 0 { &text[atoms[from - 1].place.end..atoms[from].place.start] } else { "" };
        is_cut |= gap.contains([',', '，', '、', '(', ')']);
        if kind == Kind::Word(Word::Filler) {
            // "What happened when the last stop began" asks what was at the same time.
            if atoms[from].is_one_of(&["when"]) && !tokens.is_empty() && !is_cut {
                return None;
            }
            is_cut |= atoms[from].is_one_of(&["what", "which", "did", "when", "show", "list"]);
            continue;
        }
        is_cut |= kind == Kind::Word(Word::Count);
        tokens.push(Token { kind, from, to, is_cut });
        is_cut = false;
    }
    Some(tokens)
}

/// Takes out the words that say that something lies in a time; `None` when it lies in something else.
fn leave_out_insides(kinds: &mut Vec<(Kind, usize, usize)>) -> Option<()> {
    let is_time = |kind: Option<&(Kind, usize, usize)>| {
        kind.is_some_and(|(kind, ..)| matches!(kind, Kind::Time(_) | Kind::Length(_)))
    };
    let is_filler = |kind: &(Kind, usize, usize)| kind.0 == Kind::Word(Word::Filler);
    let is_in_time = |at: usize| match kinds[at].0 {
        Kind::Word(Word::During) => is_time(kinds[at + 1..].iter().find(|kind| !is_filler(kind))),
        Kind::Word(Word::Inside) => is_time(kinds[..at].iter().rev().find(|kind| !is_filler(kind))),
        _ => true,
    };
    if !(0..kinds.len()).all(is_in_time) {
        return None;
    }
    let is_inside = |kind: Kind| matches!(kind, Kind::Word(Word::During | Word::Inside));
    kinds.retain(|(kind, ..)| !is_inside(*kind));
    Some(())
}

fn is_filler(found: &Piece) -> bool {
    matches!(found, Piece::Kind(Kind::Word(Word::Filler)))
}

/// What stands at a place: the longest, of equals the first.
fn found_at(
    atoms: &[Atom],
    at: usize,
    last: Option<&Piece>,
    present: &Present<'_>,
) -> (usize, Piece) {
    let rest = &atoms[at..];
    let is_side = |word| matches!(word, Word::Before | Word::After | Word::Around);
    let is_beside = matches!(last, Some(Piece::Kind(Kind::Word(word))) if is_side(*word));
    if let Some((count, secs)) = words::length(rest).or_else(|| words::one_length(atoms, at)) {
        let after = &rest[count..];
        let just = words::word(after).filter(|(_, word)| *word == Word::Just);
        let after = &after[just.map_or(0, |(count, _)| count)..];
        let is_before_side = words::word(after).is_some_and(|(_, word)| is_side(word));
        let is_english = !rest[0].is_han() && after.first().is_some_and(|atom| !atom.is_han());
        if is_beside || is_english && is_before_side && words::is_stretch(&atoms[..at]) {
            return (count, Piece::Kind(Kind::Length(secs)));
        }
    }
    let is_named = matches!(last, Some(Piece::Kind(Kind::Class(_) | Kind::Name)));
    // 急停前十分钟 is a time before a stop, and not the ten minutes until now.
    let is_free = !(is_named && rest[0].is_one_of(&["前", "以前", "之前"]));
    // 之后刚刚 is right after it, and 刚刚 alone a moment ago.
    let is_just = words::word(rest).is_some_and(|(_, word)| word == Word::Just);
    let is_free = is_free && !(is_beside && is_just);
    let is_part = at > 1
        && atoms[at - 1].is_one_of(&["the"])
        && atoms[at - 2].is_one_of(&["of", "in", "during"]);
    let time = present.phrase(rest).or_else(|| present.part(rest).filter(|_| is_part));
    let time = time.filter(|_| is_free);
    let time = time.map(|phrase| (phrase.count, Piece::Time(Box::new(phrase))));
    let kind = |(count, kind)| (count, Piece::Kind(kind));
    let candidates = [
        time,
        words::per(rest).map(|(count, by)| kind((count, Kind::Per(by)))),
        words::several(rest).map(|(count, end, many)| kind((count, Kind::Several(end, many)))),
        words::nth(rest).map(|(count, nth)| kind((count, Kind::Nth(nth)))),
        class_at(rest).map(|(count, class)| kind((count, class.map_or(Kind::Name, Kind::Class)))),
        words::word(rest).map(|(count, word)| kind((count, Kind::Word(word)))),
        words::how_many(rest).map(|(count, many)| kind((count, Kind::Number(many)))),
    ];
    let best = candidates.into_iter().flatten().rev().max_by_key(|(count, _)| *count);
    best.unwrap_or((1, Piece::Kind(Kind::Name)))
}

/// The same with what each time bounds, by the words beside it: "since noon", 昨天之前.
fn with_sides(
    found: Vec<(Piece, usize, usize)>,
    present: &Present<'_>,
    is_han: bool,
) -> Option<Vec<(Kind, usize, usize)>> {
    let mut kinds: Vec<(Kind, usize, usize)> = Vec::with_capacity(found.len());
    let mut found = found.into_iter().peekable();
    while let Some((what, mut from, mut to)) = found.next() {
        let phrase = match what {
            Piece::Kind(kind) => {
                kinds.push((kind, from, to));
                continue;
            }
            Piece::Time(phrase) => phrase,
        };
        let next = found.peek().map(|(found, ..)| found);
        let is_of_event =
            matches!(next, Some(Piece::Kind(Kind::Nth(_) | Kind::Class(_) | Kind::Name)));
        let last = kinds.last().map(|(kind, ..)| *kind);
        let mut side = Side::In;
        let mut is_between = false;
        if !is_of_event && let Some(Kind::Word(word)) = last {
            side = match word {
                Word::Since => Side::Since,
                Word::From if !phrase.is_range() => Side::Since,
                Word::After => Side::After,
                Word::Before => Side::Before,
                Word::Until => Side::Until,
                _ => Side::In,
            };
            is_between = word == Word::Between || word == Word::From && phrase.is_range();
            if side != Side::In || is_between {
                from = kinds.pop().map_or(from, |(_, from, _)| from);
            }
        }
        if is_han && let Some(Piece::Kind(Kind::Word(word))) = next {
            let after = match word {
                Word::Since => Some(Side::Since),
                Word::After if side == Side::Since => Some(Side::Since),
                Word::After if phrase.is_clock() => Some(Side::After),
                Word::Before => Some(Side::Before),
                Word::Between => Some(side),
                // 昨天之后: with yesterday, or without?
                Word::After => return None,
                _ => None,
            };
            if let Some(after) = after {
                side = after;
                is_between |= *word == Word::Between;
                to = found.next().map_or(to, |(_, _, to)| to);
            }
        }
        if phrase.is_pair && !is_between {
            return None;
        }
        kinds.push((Kind::Time(present.bounds(&phrase, side)?), from, to));
    }
    Some(kinds)
}
