//! A question as tokens: classes of events, words of order, times, and names.

use super::super::atoms::{Atom, longest_of};
use super::super::classes::class_at;
use super::began::began;
use super::bounds::{Bounds, Present, Side, TimePhrase};
use super::vocabulary::Word;
use super::{End, Nth};
use super::{beside_words, objects, words};
use robot_memory_core::api::CountBy;
use std::collections::VecDeque;

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
    /// A minute or a second, at which an event was.
    At(Bounds),
    Class(&'static str),
    /// What a change made it: "to cycle 36".
    Became(u32),
    /// A cycle that began, which is a change to it.
    Began(u32),
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

    /// Whether it says nothing of events, nor of times, where it tells of who asks.
    pub fn says_no_event(&self) -> bool {
        let is_word = matches!(
            self.kind,
            Kind::Word(
                Word::Other
                    | Word::From
                    | Word::Just
                    | Word::During
                    | Word::SoFar
                    | Word::Count
                    | Word::Inside
            )
        );
        is_word || self.says_nothing()
    }

    /// Whether it says nothing of which events, nor of when.
    pub fn says_nothing(&self) -> bool {
        let is_word = matches!(
            self.kind,
            Kind::Word(Word::Happened | Word::Object | Word::And | Word::To | Word::Event)
        );
        is_word || self.kind == Kind::Name
    }

    /// Whether it is one of the words that name events.
    pub fn is_naming(&self) -> bool {
        matches!(self.kind, Kind::Class(_) | Kind::Name | Kind::Became(_) | Kind::Began(_))
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
    let mut found = with_sides(found, atoms, present, is_han)?;
    leave_out_insides(&mut found)?;
    let mut tokens: Vec<Token> = Vec::new();
    let mut is_cut = false;
    for (kind, from, to) in found {
        let gap =
            if from > 0 { &text[atoms[from - 1].place.end..atoms[from].place.start] } else { "" };
        is_cut |= gap.contains([',', '，', '、']);
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
    objects::leave_out(&mut tokens, atoms, is_han);
    leave_out_joins(&mut tokens, is_han);
    Some(tokens)
}

/// Takes out what joins two times, and makes of 到目前为止 a word for since an event, or nothing.
fn leave_out_joins(tokens: &mut Vec<Token>, is_han: bool) {
    let is_time = |token: Option<&Token>| token.is_some_and(|t| matches!(t.kind, Kind::Time(_)));
    let mut at = 0;
    while at < tokens.len() {
        let (before, rest) = tokens.split_at(at);
        let is_join =
            rest[0].is(Word::And) && (at == 0 || is_time(before.last()) && is_time(rest.get(1)));
        let is_from = before.iter().any(|token| token.is(Word::From) || token.is(Word::Between));
        // 第四次触发急停.
        let is_nth = before.last().is_some_and(|token| matches!(token.kind, Kind::Nth(_)));
        let is_class = rest.get(1).is_some_and(|next| matches!(next.kind, Kind::Class(_)));
        // 08:24:08发生的掉件.
        let is_nth = is_nth || before.last().is_some_and(|token| matches!(token.kind, Kind::At(_)));
        let is_of_nth = is_han && is_nth && is_class && rest[0].is(Word::Happened);
        if rest[0].is(Word::SoFar) && !is_han {
            // "From the last stop until now".
            if is_from {
                at += 1;
            } else {
                tokens.remove(at);
            }
        } else if rest[0].is(Word::SoFar) {
            let names = before.iter().rev().take_while(|token| token.is_naming()).count();
            let which = before.iter().rev().nth(names);
            let is_one = names > 0 && which.is_some_and(|it| matches!(it.kind, Kind::Nth(_)));
            if is_one {
                tokens[at].kind = Kind::Word(Word::Since);
                at += 1;
            } else {
                tokens.remove(at);
            }
        } else if is_join || is_of_nth {
            tokens.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Takes out the words that say that something lies in a time; `None` when it lies in something else.
fn leave_out_insides(kinds: &mut Vec<(Kind, usize, usize)>) -> Option<()> {
    let is_time = |kind: Option<&(Kind, usize, usize)>| {
        kind.is_some_and(|(kind, ..)| {
            matches!(kind, Kind::Time(_) | Kind::Length(_) | Kind::Per(_))
        })
    };
    let is_filler = |kind: &(Kind, usize, usize)| kind.0 == Kind::Word(Word::Filler);
    let is_in_time = |at: usize| match kinds[at].0 {
        Kind::Word(Word::During) => is_time(kinds[at + 1..].iter().find(|kind| !is_filler(kind))),
        Kind::Word(Word::Inside) => {
            let before = kinds[..at].iter().rev().find(|kind| !is_filler(kind));
            // 15点以前的急停中，倒数第三次.
            let is_class = before.is_some_and(|(kind, ..)| matches!(kind, Kind::Class(_)));
            let is_one = kinds[at..]
                .iter()
                .any(|(kind, ..)| matches!(kind, Kind::Nth(_) | Kind::Several(..)));
            is_time(before) || is_class && is_one
        }
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

/// What only words beside it make clear.
fn said_beside(
    atoms: &[Atom],
    at: usize,
    last: Option<&Piece>,
    present: &Present<'_>,
) -> Option<(usize, Piece)> {
    let rest = &atoms[at..];
    let filler = |count| (count, Piece::Kind(Kind::Word(Word::Filler)));
    if let Some((count, value)) = began(atoms, at) {
        return Some((count, Piece::Kind(Kind::Began(value))));
    }
    // "Cycle changes from 2 to 3" may be hours.
    let is_one = at > 0 && !atoms[at - 1].is_one_of(&["changes", "switches", "jumps"]);
    let is_change = is_one && matches!(last, Some(Piece::Kind(Kind::Class("change"))));
    if let Some((count, value)) = words::became(atoms, at).filter(|_| is_change) {
        return Some((count, Piece::Kind(Kind::Became(value))));
    }
    // "Up to 9 am", "up to the tenth stop".
    if let Some(count) = words::up_to(rest) {
        let is_time = present.phrase(&rest[count..]).is_some_and(|phrase| phrase.is_clock());
        if is_time || words::nth(&rest[count..]).is_some() {
            return Some((count, Piece::Kind(Kind::Word(Word::Until))));
        }
    }
    if let Some(marked) = marked_beside(atoms, at, last) {
        return Some(marked);
    }
    // "The first five minutes after it".
    let nothing = words::stretch_beside(rest, is_side).or_else(|| words::was(rest));
    // "Every stop between 3 and 4 pm", and not one before each.
    let is_every =
        at == words::asking(atoms) && rest[0].is_one_of(&["every"]) && words::per(rest).is_none();
    // 10月26日当天.
    let is_same_day = matches!(last, Some(Piece::Time(_))) && words::same_day(rest);
    // 之后的头十分钟.
    let is_beside = matches!(last, Some(Piece::Kind(Kind::Word(word))) if is_side(*word));
    let begun = words::begun(rest).filter(|_| is_beside);
    let nothing = nothing
        .or(begun)
        .or(is_every.then_some(1))
        .or(is_same_day.then_some(2))
        .or_else(|| beside_words::lists_times(atoms, at))
        .or_else(|| beside_words::of_whole_log(rest))
        .or_else(|| words::grouping(atoms, at));
    nothing.map(filler)
}

/// What a word behind a time or an event, or before a question word, makes of it.
fn marked_beside(atoms: &[Atom], at: usize, last: Option<&Piece>) -> Option<(usize, Piece)> {
    let rest = &atoms[at..];
    // 从8点35分起三分钟内: after it.
    let is_begin = match last {
        Some(Piece::Time(phrase)) => phrase.is_clock(),
        Some(Piece::Kind(kind)) => matches!(kind, Kind::Class(_) | Kind::Began(_) | Kind::Nth(_)),
        None => false,
    };
    if let Some(count) = beside_words::from_then(rest).filter(|_| is_begin) {
        return Some((count, Piece::Kind(Kind::Word(Word::After))));
    }
    // 计数器从73跳到75: what counts.
    if let Some(count) = beside_words::counter(atoms, at) {
        return Some((count, Piece::Kind(Kind::Name)));
    }
    // "It was followed by which stop?"
    if let Some((count, word)) = beside_words::passive(rest) {
        return Some((count, Piece::Kind(Kind::Word(word))));
    }
    // 到14:50止; 08:53和08:55两次急停.
    if let Some(Piece::Time(phrase)) = last {
        let said = if phrase.is_pair {
            beside_words::two_times(rest)
        } else {
            beside_words::to_its_end(rest)
        };
        if let Some(count) = said.filter(|_| phrase.is_range()) {
            return Some((count, Piece::Kind(Kind::Word(Word::Filler))));
        }
    }
    None
}

const fn is_side(word: Word) -> bool {
    matches!(word, Word::Before | Word::After | Word::Around)
}

/// What stands at a place: the longest, of equals the first.
fn found_at(
    atoms: &[Atom],
    at: usize,
    last: Option<&Piece>,
    present: &Present<'_>,
) -> (usize, Piece) {
    let rest = &atoms[at..];
    let is_beside = matches!(last, Some(Piece::Kind(Kind::Word(word))) if is_side(*word) || *word == Word::Next);
    if let Some(said) = said_beside(atoms, at, last, present) {
        return said;
    }
    if let Some((count, secs)) = words::length(rest).or_else(|| words::one_length(atoms, at)) {
        let after = &rest[count..];
        let that = after.first().filter(|atom| atom.is_one_of(&["that", "which"]));
        let after = &after[usize::from(that.is_some())..];
        let just = words::word(after).filter(|(_, word)| *word == Word::Just);
        let after = &after[just.map_or(0, |(count, _)| count)..];
        // "The three minutes from 14:30".
        let is_from = |count: usize, word| {
            matches!(word, Word::From | Word::Since | Word::Until)
                && present.phrase(&after[count..]).is_some_and(|phrase| phrase.is_clock())
        };
        let is_before_side =
            words::word(after).is_some_and(|(count, word)| is_side(word) || is_from(count, word));
        let is_english = !rest[0].is_han() && after.first().is_some_and(|atom| !atom.is_han());
        if is_beside || is_english && is_before_side && words::is_stretch(atoms, at) {
            return (count, Piece::Kind(Kind::Length(secs)));
        }
    }
    let is_named = match last {
        Some(Piece::Kind(kind)) => {
            matches!(kind, Kind::Class(_) | Kind::Name | Kind::Became(_) | Kind::Began(_))
        }
        Some(Piece::Time(phrase)) => phrase.is_clock(),
        None => false,
    };
    // 急停前十分钟 is a time before a stop, and not the ten minutes until now.
    let is_free = !(is_named && rest[0].is_one_of(&["前", "以前", "之前"]));
    // 之后刚刚 is right after it, and 刚刚 alone a moment ago.
    let is_just = words::word(rest).is_some_and(|(_, word)| word == Word::Just);
    let is_free = is_free && !(is_beside && is_just);
    let is_part = at > 1
        && atoms[at - 1].is_one_of(&["the"])
        && (atoms[at - 2].is_one_of(&["of", "in", "during", "on", "for", "from"])
            || at - 1 == words::asking(atoms)
                && present.part(rest).is_some_and(|it| it.count == rest.len()));
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
        words::verb(rest).map(|(count, class)| kind((count, Kind::Class(class)))),
        words::is_tripped(atoms, at).then_some((1, Piece::Kind(Kind::Class("stop")))),
        words::word(rest).map(|(count, word)| kind((count, Kind::Word(word)))),
        words::how_many(rest).map(|(count, many)| kind((count, Kind::Number(many)))),
    ];
    let best = candidates.into_iter().flatten().rev().max_by_key(|(count, _)| *count);
    best.unwrap_or((1, Piece::Kind(Kind::Name)))
}

/// The same with what each time bounds, by the words beside it: "since noon", 昨天之前.
fn with_sides(
    found: Vec<(Piece, usize, usize)>,
    atoms: &[Atom],
    present: &Present<'_>,
    is_han: bool,
) -> Option<Vec<(Kind, usize, usize)>> {
    let mut kinds: Vec<(Kind, usize, usize)> = Vec::with_capacity(found.len());
    let mut found = found;
    lend_day(&mut found);
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
        let next = found.front().map(|(found, ..)| found);
        let is_of_event = !phrase.is_range()
            && matches!(named, Some(Piece::Kind(Kind::Nth(_) | Kind::Class(_) | Kind::Name)));
        let last = kinds.last().map(|(kind, ..)| *kind);
        let mut side = Side::In;
        let mut is_between = false;
        if !is_of_event && let Some(Kind::Word(word)) = last {
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
            let (word, after) = (*word, side_after(*word, side, &phrase)?);
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
            kinds.push((bounded(present, &phrase, side, secs)?, from, to));
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

/// Behind a time: from then until now.
const GOING_ON: [&str; 4] = ["on", "onward", "onwards", "forward"];

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
