//! A question as tokens: classes of events, words of order, times, and names.

mod sided;

use super::super::atoms::{Atom, longest_of};
use super::super::classes::class_at;
use super::super::numbers::{month as month_of, unit};
use super::began::began;
use super::bounds::{Bounds, Present, TimePhrase};
use super::harmless;
use super::movers::mover;
use super::vocabulary::Word;
use super::{Became, End, Nth};
use super::{beside_words, objects, words};
use robot_memory_core::api::CountBy;
use sided::with_sides;

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
    Became(Became),
    /// A cycle that began, which is a change to it.
    Began(u32),
    /// A time that bounds nothing exactly.
    Vague,
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
        matches!(self.kind, Kind::Class(_) | Kind::Name | Kind::Became(_) | Kind::Began(_))
    }
}

/// What was found at a place, times not yet resolved.
enum Piece {
    Kind(Kind),
    Time(Box<TimePhrase>),
}

/// The tokens of a text, without those that say nothing; `None` when a time in it is not clear.
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
        let last = last.map(|(found, ..)| found);
        let (count, what) = token_at(atoms, at, last, present);
        found.push((what, at, at + count));
        at += count;
    }
    let mut found = with_sides(found, (text, atoms), present, is_han)?;
    leave_out_insides(&mut found);
    let mut tokens: Vec<Token> = Vec::new();
    let mut is_cut = false;
    for (kind, from, to) in found {
        let gap =
            if from > 0 { &text[atoms[from - 1].place.end..atoms[from].place.start] } else { "" };
        is_cut |= gap.contains([',', '，', '、']) || gap.contains(CUTS) || gap.contains(" - ");
        if kind == Kind::Word(Word::Filler) {
            // "What happened when the last stop began" asks what was at the same time.
            let is_while = atoms[from].is_one_of(&["when"]) && !tokens.is_empty() && !is_cut;
            if is_while {
                tokens.push(Token { kind: Kind::Vague, from, to, is_cut });
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

/// What ends a sentence, or a clause.
const CUTS: [char; 14] =
    ['.', '?', '!', ';', ':', '。', '？', '！', '；', '：', '…', '(', ')', '\n'];

/// What stands at a place, wherever that is.
fn token_at(
    atoms: &[Atom],
    at: usize,
    last: Option<&Piece>,
    present: &Present<'_>,
) -> (usize, Piece) {
    let rest = &atoms[at..];
    let (count, what) = found_at(atoms, at, last, present);
    if let Some(more) = narrowing(atoms, at, count, &what) {
        return (more, Piece::Kind(Kind::Vague));
    }
    let is_unknown = matches!(what, Piece::Kind(Kind::Name | Kind::Number(_)));
    // "Within the next minute".
    let is_next = matches!(last, Some(Piece::Kind(Kind::Word(Word::Next))));
    let unit = unit(rest).filter(|(unit, _)| is_next && !unit.is_calendar());
    let unit = unit.map(|(unit, count)| (count, unit.secs()));
    let length = words::length(rest).or(unit);
    if let Some((more, secs)) = length.filter(|(more, _)| is_unknown && *more >= count) {
        return (more, Piece::Kind(Kind::Length(secs)));
    }
    let is_behind = matches!(last, Some(Piece::Kind(Kind::Word(word))) if side_before_hour(*word));
    if let Some(hour) = present.hour(rest).filter(|hour| is_behind && hour.count > count) {
        return (hour.count, Piece::Time(Box::new(hour)));
    }
    if let Some(part) = part_of_day(atoms, at, present).filter(|_| is_unknown) {
        return part;
    }
    if let Some(said) = said_by_phrase(atoms, at) {
        return said;
    }
    // What does something is one word.
    let mover = mover(rest).filter(|_| rest[0].is_han());
    let subject = mover.or_else(|| longest_of(rest, &["周期", "循环", "计数器"]));
    if let Some(count) = subject.filter(|_| is_unknown) {
        return (count, Piece::Kind(Kind::Name));
    }
    match harmless::at(atoms, at) {
        Some(more) if more > count || is_unknown && more == count => {
            (more, Piece::Kind(Kind::Word(Word::Filler)))
        }
        _ => (count, what),
    }
}

/// "The morning's first stop"; "my shift was the morning", which bounds nothing.
fn part_of_day(atoms: &[Atom], at: usize, present: &Present<'_>) -> Option<(usize, Piece)> {
    let part = present.part(&atoms[at..])?;
    let before = &atoms.get(at.checked_sub(1)?)?.text;
    let is_possessed = atoms.get(at + part.count).is_some_and(|next| next.text == "s");
    if is_possessed && ["the", "that", "this"].contains(&before.as_str()) {
        return Some((part.count + 1, Piece::Time(Box::new(part))));
    }
    (part.count == 1 && before == "the").then_some((part.count, Piece::Kind(Kind::Vague)))
}

/// Things of which there may be several: "each robot", "line 2".
#[rustfmt::skip]
const THINGS: [&str; 40] = [
    "shift", "shifts", "robot", "robots", "cobot", "cobots", "machine", "machines", "line", "lines", "cell", "cells", "unit", "units", "tool", "tools", "device", "devices", "crew", "crews", "team", "teams", "station", "stations", "run", "runs", "system", "systems",
    "page", "pages", "row", "rows", "day", "days", "half", "机器人", "机器", "设备", "系统", "班次",
];
/// Of these one is told by its number: "table 2".
#[rustfmt::skip]
const NUMBERED: [&str; 15] = [
    "log", "table", "bench", "bin", "tray", "conveyor", "belt", "zone", "area", "room", "shelf", "arm", "gripper", "camera", "pallet",
];
/// Behind "how many" they are what is counted.
#[rustfmt::skip]
const COUNTED: [&str; 24] = [
    "day", "days", "hour", "hours", "minute", "minutes", "second", "seconds", "kind", "kinds", "type", "types", "sort", "sorts", "class", "classes", "category", "categories", "different", "天", "种", "类", "台", "班",
];

/// A word that says of what thing, or which part of a time, or counts something else: what it narrows is not known.
fn narrowing(atoms: &[Atom], at: usize, count: usize, what: &Piece) -> Option<usize> {
    let rest = &atoms[at..];
    let next = rest.get(count);
    let is_next = |words: &[&str]| next.is_some_and(|next| next.is_one_of(words));
    let before = |words: &[&str]| at > 0 && atoms[at - 1].is_one_of(words);
    match what {
        Piece::Kind(Kind::Nth(_) | Kind::Several(..)) => {
            // "On the 12th", "the second robot".
            let is_day = at > 1 && atoms[at - 2].text == "on" && before(&["the"]);
            let is_event = next.is_some_and(|next| {
                next.is_one_of(&["one", "time", "occasion", "event", "record"])
            }) || rest.len() > count && class_at(&rest[count..]).is_some();
            let month = usize::from(is_next(&["of"]));
            let is_month =
                rest.get(count + month).is_some_and(|next| month_of(&next.text).is_some());
            let is_thing = longest_of(&rest[count..], &THINGS).is_some();
            (is_thing || is_day && !is_event || is_month).then_some(count)
        }
        Piece::Kind(Kind::Word(Word::Count)) => is_next(&COUNTED).then_some(count),
        _ => {
            let is_thing = rest[0].is_one_of(&THINGS) && !rest[0].is_han();
            let is_place = rest[0].is_one_of(&NUMBERED)
                && rest.get(1).is_some_and(|next| next.is_digits() && next.text.len() < 3);
            let is_place = is_place
                && rest.get(2).is_none_or(|next| {
                    class_at(&rest[2..]).is_none() && !next.is_one_of(&["s", "times"])
                });
            if is_place {
                return Some(2);
            }
            let is_each =
                before(&["each", "every", "by", "per"]) && words::per(&atoms[at - 1..]).is_none();
            let number = rest.get(1).filter(|next| rest[0].place.end + 1 >= next.place.start);
            let is_numbered = number.is_some_and(|next| {
                let is_letter =
                    next.text.len() == 1 && next.text.is_ascii() && !next.is_one_of(&["s", "i"]);
                is_letter
                    || next.is_one_of(&["one", "two", "three", "number"])
                    || next.text.parse::<u32>().is_ok()
            });
            // "At the end of the day".
            const PARTS: [&str; 4] = ["end of", "beginning of", "start of", "middle of"];
            let part = longest_of(rest, &PARTS).filter(|part| {
                let after = &rest[*part..];
                let article =
                    usize::from(after.first().is_some_and(|atom| atom.is_one_of(&["the", "this"])));
                after.get(article).is_some_and(|atom| {
                    atom.is_one_of(&[
                        "day",
                        "morning",
                        "afternoon",
                        "evening",
                        "night",
                        "week",
                        "shift",
                        "yesterday",
                        "today",
                    ])
                })
            });
            part.or((is_thing && (is_each || is_numbered)).then_some(1 + usize::from(is_numbered)))
        }
    }
}

/// What a phrase means that is known as a whole.
fn said_by_phrase(atoms: &[Atom], at: usize) -> Option<(usize, Piece)> {
    let rest = &atoms[at..];
    let kind = |count, kind| Some((count, Piece::Kind(kind)));
    // "What comes every time it slips", but "show me each time".
    if let Some(count) = longest_of(rest, &["every time", "each time", "whenever"])
        && beside_words::lists_times(atoms, at).is_none()
        && rest
            .get(count)
            .is_some_and(|next| atoms[at + count - 1].place.end + 1 == next.place.start)
    {
        return kind(count, Kind::Vague);
    }
    // 最近开始的一次运动.
    if let Some((count, nth)) = words::done_last(rest) {
        return kind(count, Kind::Nth(nth));
    }
    // "Which pair of stops".
    if let Some(count) = longest_of(rest, &["pair of"]) {
        return kind(count, Kind::Number(2));
    }
    // 早于14:58, and what stands behind it.
    if let Some(count) = longest_of(rest, &["早于", "先于"]) {
        return kind(count, Kind::Word(Word::Before));
    }
    longest_of(rest, &["晚于", "迟于"]).and_then(|count| kind(count, Kind::Word(Word::After)))
}

const fn side_before_hour(word: Word) -> bool {
    matches!(
        word,
        Word::Before
            | Word::After
            | Word::Since
            | Word::Until
            | Word::From
            | Word::To
            | Word::Between
            | Word::And
    )
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
fn leave_out_insides(kinds: &mut Vec<(Kind, usize, usize)>) {
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
    let others: Vec<usize> = (0..kinds.len()).filter(|at| !is_in_time(*at)).collect();
    for at in others {
        // "During the last stop".
        let beside = match kinds[at].0 {
            Kind::Word(Word::Inside) => kinds[..at].iter().rev().find(|kind| !is_filler(kind)),
            _ => kinds[at + 1..].iter().find(|kind| !is_filler(kind)),
        };
        let is_event = beside.is_some_and(|(kind, ..)| {
            matches!(kind, Kind::Class(_) | Kind::Nth(_) | Kind::Began(_) | Kind::At(_))
        });
        kinds[at].0 = if is_event { Kind::Vague } else { Kind::Word(Word::Filler) };
    }
    let is_inside = |kind: Kind| matches!(kind, Kind::Word(Word::During | Word::Inside));
    kinds.retain(|(kind, ..)| !is_inside(*kind));
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
    // 急停后面那两次掉件: so many of them.
    let is_behind = matches!(last, Some(Piece::Kind(Kind::Word(word))) if is_side(*word));
    let is_that = is_behind && rest[0].is_one_of(&["那", "这"]);
    if is_that && words::how_many(&rest[1..]).is_some() {
        return Some(filler(1));
    }
    // "The first five minutes after it".
    let is_begin = |word| is_side(word) || matches!(word, Word::From | Word::Since);
    let nothing = words::stretch_beside(rest, is_begin).or_else(|| words::was(rest));
    // "Every stop between 3 and 4 pm", and not one before each.
    let is_every =
        rest[0].is_one_of(&["every"]) && words::per(rest).is_none() && at == words::asking(atoms);
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
        // "An hour after it" is a moment, and not "within an hour after it".
        let is_one = rest[0].is_one_of(&["a", "an"]);
        let is_length = is_before_side && (is_one || words::is_stretch(atoms, at));
        if is_beside || is_english && is_length {
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
        // "Within one hour", beside nothing.
        words::length(rest).map(|(count, secs)| kind((count, Kind::Length(secs)))),
    ];
    let best = candidates.into_iter().flatten().rev().max_by_key(|(count, _)| *count);
    best.unwrap_or((1, Piece::Kind(Kind::Name)))
}
