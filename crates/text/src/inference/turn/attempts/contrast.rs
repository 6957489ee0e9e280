//! What the attempts at one thing tell of each other.
//!
//! Nobody tries again what was good enough: an attempt after which the same is tried anew is no success, unless the
//! words say so by themselves. The last one after a failure is told by its contrast to that: what came about that did
//! not before, what no longer came about, or a result without any sign of failure or doubt.

use std::ops::Range;

use super::super::super::items::ItemKind;
use super::super::morphology::is_past;
use super::super::parsed_sentence::ParsedSentence;
use super::super::words::LexicalClass::*;
use super::builder::is_apart;
use super::outcome_words::{OutcomeWords, PAST};
use super::segments::{Cut, Segment, is_amount};
use super::verdict::marks;
use super::words::{Mark, blemish, is_vague};
use super::{Attempt, verdict_of};

/// How an attempt ended.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct End {
    pub success: Option<bool>,
    /// Words and data say different things of it.
    pub disagrees: bool,
    /// The clause that tells it, where no word of an end does.
    pub stated_at: Option<usize>,
    /// After it the same was not tried again.
    is_last: bool,
}

/// How the attempts ended, of which the data say `success` of the last.
pub(super) fn ends(found: &[Attempt], cut: &Cut, success: Option<bool>) -> Vec<End> {
    let after = |one: usize| (one + 1..found.len()).find(|&other| is_retry(found, cut, one, other));
    let next: Vec<Option<usize>> = (0..found.len()).map(after).collect();
    let mut ends: Vec<End> = vec![End::default(); found.len()];
    // From the last on, so that each knows what came of the next.
    for index in (0..found.len()).rev() {
        ends[index] = match next[index] {
            Some(next) => before_retry(&found[index], &found[next], &ends[next], cut),
            None => End { is_last: true, ..last_of_series(found, &next, index, cut) },
        };
    }
    for index in 0..found.len() {
        let is_sure =
            found[index].evidence.iter().any(|it| it.evidence.is_good && it.evidence.is_sure);
        // "It was picked, but would not let go": what follows without a value may be of the same.
        let is_undone = found.get(index + 1).is_some_and(|next| {
            next.values.is_empty() && !next.is_try && verdict_of(next) == Some(false)
        });
        // 柄没断 of two values: of the first it was no success.
        let own = OutcomeWords::of(&tail(&found[index], cut), cut);
        let is_known = |before: &usize| {
            ends[*before].success == Some(false)
                && found[*before].segments.last() != found[index].segments.last()
                && own.begins_as(&OutcomeWords::of(&tail(&found[*before], cut), cut))
        };
        if ends[index].success == Some(true)
            && (is_undone || !is_sure && (0..index).any(|before| is_known(&before)))
        {
            ends[index].success = None;
        }
    }
    if let (Some(last), Some(end)) = (found.last(), ends.last_mut()) {
        with_data(end, last, success);
    }
    ends
}

/// What the data say of the last attempt, beside its words.
fn with_data(end: &mut End, last: &Attempt, success: Option<bool>) {
    let Some(success) = success else { return };
    let has_words = !last.evidence.is_empty();
    match end.success {
        Some(said) if said != success && has_words => {
            // What only came about, or was read from its contrast, may not be what was wanted.
            let is_sure = last.evidence.iter().any(|it| it.evidence.is_sure);
            end.disagrees = is_sure || success;
            end.success = (!end.disagrees).then_some(success);
        }
        // Words that say both leave it to the data.
        None if has_words && last.evidence.iter().all(|it| it.evidence.is_sure) => {}
        _ => end.success = Some(success),
    }
}

/// Whether `other` is the same again as `one`.
fn is_retry(found: &[Attempt], cut: &Cut, one: usize, other: usize) -> bool {
    let (before, after) = (&found[one], &found[other]);
    let is_same_kind = match (before.values.is_empty(), after.values.is_empty()) {
        (true, true) => true,
        (false, false) => !is_apart(&before.values, &after.values),
        _ => after.is_try,
    };
    if !is_same_kind
        || after.is_other
        || before.is_former
        || labels(after, cut) != labels(before, cut)
    {
        return before.is_former && is_same_kind && after.changes;
    }
    true
}

/// What tells one thing from another of its kind: box A, box B.
fn labels(attempt: &Attempt, cut: &Cut) -> Vec<String> {
    let Some(&first) = attempt.segments.first() else { return Vec::new() };
    let (segment, reading) = cut.at(first);
    let is_label = |at: &usize| {
        let item = &reading.items[*at];
        item.kind == ItemKind::Word
            && item.is_capital
            && item.text.chars().count() == 1
            && item.text != "i"
    };
    segment.range.clone().filter(is_label).map(|at| reading.items[at].text.clone()).collect()
}

/// An attempt after which the same was tried again.
fn before_retry(attempt: &Attempt, next: &Attempt, next_end: &End, cut: &Cut) -> End {
    let is_sure = attempt.evidence.iter().any(|it| it.evidence.is_good && it.evidence.is_sure);
    let is_changed = !attempt.values.is_empty()
        && !next.values.is_empty()
        && attempt.values.iter().any(|own| !next.values.iter().any(|it| it.is(own)));
    let tail = tail(attempt, cut);
    let is_unlike = !next.again
        && OutcomeWords::of(&tail, cut).is_unlike(&OutcomeWords::of(&self::tail(next, cut), cut));
    let success = match verdict_of(attempt) {
        Some(false) => Some(false),
        // "Came up with three at once", then another depth: whatever the words, it was not left at that.
        Some(true) if is_sure => (!is_changed || has_failed(next)).then_some(true),
        // "8 N held, 14 N tore it": nothing was wrong with the first.
        Some(true) if next_end.is_last && is_unlike && has_failed(next) => Some(true),
        // "It was 48 N that finally held": what came before it is told behind it.
        Some(true) if is_final(attempt, cut) && verdict_of(next) != Some(true) => Some(true),
        // It was not left at that, and nothing went wrong either.
        Some(true) if is_unlike && (next_end.success.is_none() || has_failed(next)) => None,
        Some(true) => Some(false),
        None if attempt.is_unclear => None,
        None if attempt.is_implied => Some(false),
        None if !attempt.evidence.is_empty() => Some(false),
        None if attempt.is_former => None,
        None if next.again || next.changes || next.is_later => Some(false),
        // What it came to was not what was wanted, since another way came to that.
        None => {
            (!tail.is_empty() && (next_end.success.is_some() || next.is_unclear)).then_some(false)
        }
    };
    End { success, ..End::default() }
}

/// Whether it is told as the last of all, wherever it stands.
fn is_final(attempt: &Attempt, cut: &Cut) -> bool {
    attempt.segments.iter().map(|&index| cut.at(index)).any(|(segment, reading)| {
        let begins = |at: usize| {
            reading.is_word(at, &["finally", "eventually"])
                || reading.is_word(at, &["最"]) && reading.is_word(at + 1, &["后", "终"])
                || reading.is_word(at, &["终", "总"]) && reading.is_word(at + 1, &["于", "算"])
        };
        segment.range.clone().any(begins)
    })
}

fn has_failed(attempt: &Attempt) -> bool {
    let is_sure = attempt.evidence.iter().any(|it| !it.evidence.is_good && it.evidence.is_sure);
    is_sure && verdict_of(attempt) == Some(false)
}

/// The last attempt at one thing.
fn last_of_series(found: &[Attempt], next: &[Option<usize>], index: usize, cut: &Cut) -> End {
    let attempt = &found[index];
    let said = verdict_of(attempt);
    let is_open = attempt.evidence.iter().all(|it| !it.evidence.is_sure || it.evidence.is_either);
    if attempt.is_unclear || !is_open {
        return End { success: said, ..End::default() };
    }
    // What was surely good needs no better.
    let failed = |before: &usize| {
        let is_sure =
            |heard: &super::PlacedEvidence| heard.evidence.is_good && heard.evidence.is_sure;
        !(verdict_of(&found[*before]) == Some(true) && found[*before].evidence.iter().any(is_sure))
    };
    let before: Vec<usize> =
        (0..index).filter(|&it| reaches(next, it, index)).filter(failed).collect();
    let own = tail(attempt, cut);
    let words = OutcomeWords::of(&own, cut);
    if said == Some(true) {
        // "Wheels locked": so they did before, and nobody was content.
        let is_known = |it: &usize| {
            let other = tail(&found[*it], cut);
            let evidence = found[*it].evidence.iter().any(|heard| heard.evidence.is_good);
            evidence && OutcomeWords::of(&other, cut).begins_as(&words)
        };
        let is_doubtful = own.iter().any(|(at, range)| {
            let sentence = cut.at(*at).1;
            range.clone().any(|at| is_vague(&sentence.items[at..]))
        });
        let success = (!is_doubtful && !before.iter().any(is_known)).then_some(true);
        return End { success, ..End::default() };
    }
    let mut success = said;
    for &before in &before {
        let other = OutcomeWords::of(&tail(&found[before], cut), cut);
        if words.denies_what(&other) || other.denies_what(&words) {
            success = Some(true);
        }
    }
    // Only what is known to have failed makes a success of what else came about.
    let is_new = attempt.changes || attempt.again || attempt.is_try;
    let is_verdict = |it: &usize| match verdict_of(&found[*it]) {
        Some(is_good) => !is_good || is_new,
        None => found[*it].is_implied || is_new && !tail(&found[*it], cut).is_empty(),
    };
    if success.is_none() && attempt.evidence.is_empty() && before.iter().any(is_verdict) {
        success = tells_result(attempt, &own, cut).then_some(true);
    }
    let stated_at = own.last().map(|piece| piece.0).filter(|_| success.is_some() && said.is_none());
    End { success, stated_at, ..End::default() }
}

/// Whether one attempt was followed, over others, by another one.
fn reaches(next: &[Option<usize>], from: usize, to: usize) -> bool {
    let mut at = from;
    while let Some(after) = next[at] {
        if after == to {
            return true;
        }
        at = after;
    }
    false
}

/// A clause, and its items that stand after the values of an attempt.
pub(super) type Piece = (usize, Range<usize>);

fn tail(attempt: &Attempt, cut: &Cut) -> Vec<Piece> {
    let last = attempt.segments.iter().rposition(|&index| !cut.segments[index].values.is_empty());
    let from = last.unwrap_or(0);
    let mut found = Vec::new();
    for (place, &index) in attempt.segments.iter().enumerate().skip(from) {
        let segment = &cut.segments[index];
        let is_beside = segment.is_plan || segment.is_reason || segment.is_earlier;
        let begins = match segment.values.last() {
            Some(value) if place == from => value.at + 1,
            Some(_) => continue,
            None if is_beside => continue,
            None => segment.range.start,
        };
        if begins < segment.range.end {
            found.push((index, begins..segment.range.end));
        }
    }
    found
}

/// Whether what follows the values of an attempt tells what came of it, without any sign of failure or doubt.
fn tells_result(attempt: &Attempt, tail: &[Piece], cut: &Cut) -> bool {
    let acts = attempt
        .segments
        .iter()
        .map(|&index| &cut.segments[index])
        .any(|segment| !segment.values.is_empty() && segment.acts);
    for (index, range) in tail {
        let (segment, reading) = cut.at(*index);
        if has_doubt(reading, range, segment.is_plan) {
            return false;
        }
        let is_own = segment.values.is_empty();
        let is_result = if range.clone().any(|at| reading.is_han(at)) {
            is_chinese_result(reading, range, is_own)
        } else {
            is_english_result(reading, range, segment, acts)
        };
        if is_result {
            return true;
        }
    }
    false
}

/// What says that it failed, or may have.
#[rustfmt::skip]
const FAILURES: &[Mark] = &[
    Mark::Bad, Mark::Mild, Mark::Either, Mark::GivenUp, Mark::Not, Mark::Nearly, Mark::Gone, Mark::Unclear,
];

fn has_doubt(sentence: &ParsedSentence, range: &Range<usize>, is_plan: bool) -> bool {
    let tells = |mark: Mark| FAILURES.contains(&mark) || mark == Mark::Plan && is_plan;
    // A number there may be of another attempt.
    let has_number = sentence.items[range.clone()].iter().any(is_amount);
    has_number
        || marks(sentence, range).any(|(_, mark)| tells(mark))
        || range.clone().any(|at| blemish(&sentence.items[at..]).is_some())
}

fn is_english_result(
    sentence: &ParsedSentence,
    range: &Range<usize>,
    segment: &Segment,
    acts: bool,
) -> bool {
    let first = (range.start..range.end)
        .find(|&at| !sentence.has_cue(at, &[And, But, Therefore, Adverb]))
        .unwrap_or(range.start);
    let is_verb = |at: usize| {
        is_past(sentence, at)
            || sentence.has_cue(at, &[Past, Was, Is, Measured])
            || PAST.iter().any(|(past, _)| sentence.is_word(at, &[past]))
    };
    let Some(verb) = range.clone().find(|&at| is_verb(at)) else {
        // "600 rpm, mirror finish".
        return segment.values.is_empty()
            && range.len() <= 3
            && !sentence.items[first].text.ends_with("ing");
    };
    // After "lifted the box at 8 N" a verb without a subject tells what was done next.
    let is_state = sentence.has_cue(verb, &[Was, Is]);
    !(acts && verb == first && segment.values.is_empty() && !is_state)
}

/// What a Chinese clause ends with that tells what came about.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "了", "来", "去", "住", "牢", "稳", "的", "里", "上", "中", "完", "底", "净", "正", "直", "透", "满", "严", "开", "着",
];

fn is_chinese_result(sentence: &ParsedSentence, range: &Range<usize>, is_own: bool) -> bool {
    let is = |at: usize, words: &[&str]| sentence.is_word(at, words);
    // 把线挪开, 用4牛拉: what was done.
    if range.clone().any(|at| is(at, &["把", "将", "用", "以", "再", "改", "换"])) {
        return false;
    }
    let count = range.clone().filter(|&at| sentence.is_han(at)).count();
    let last = range.end - 1;
    let ends = is(last, ENDINGS);
    // 片片一样厚: a clause of its own that does nothing.
    let is_state = is_own && count >= 4;
    is_state || ends && count >= if is_own { 2 } else { 3 }
}
