//! Lengths and distances that are compared in a way that is not known: "stops more than 8 s after 10:00", "stops longer than the first".

use super::super::atoms::{Atom, ends, longest_of};
use super::lasting::{is_distance, is_plural, name_before, names};
use super::lengths::{is_signed, more};
use super::words;

#[rustfmt::skip]
const COMPARED: &[&str] = &["longer than", "shorter than", "longest", "shortest", "最长", "最短", "最久", "更长", "更久", "更短", "将近"];
const SECS: &[&str] = &["s", "sec", "secs", "second", "seconds", "秒", "钟"];

/// Whether a text compares any.
pub(super) fn is_said(text: &str, all: &[Atom]) -> bool {
    let is_far = |at: usize| {
        more(&all[at..]).and_then(|count| words::length(all.get(at + count..)?)).is_some()
    };
    (0..all.len()).any(|at| {
        let is_compared = longest_of(&all[at..], COMPARED).is_some() || is_far(at);
        // "No longer than 30 s after it" is within 30 s.
        let is_within = ends(&all[..at], &["no", "not"]);
        is_compared && !is_within || is_said_at(text, all, at)
    })
}

/// Whether a number is compared by a sign, or a length by what stands beside it: "grip losses > 10 s after 10:00", "of 10 s after 10:00",
/// "how many stops last 5 s", "the last 10 second stop", 9点后8秒以下.
fn is_said_at(text: &str, all: &[Atom], at: usize) -> bool {
    let is_signed = is_signed(text, all, at);
    if all[at].has_digit_first() && is_signed {
        return true;
    }
    let Some((count, _)) = words::length(&all[at..]) else { return false };
    let (to, behind) = (at + count, &all[at + count..]);
    let name = || name_before(all, at - 1).is_some_and(|(_, to)| is_plural(&all[to - 1]));
    let is_adjective = || {
        let is_one = behind.first().is_some_and(|it| !it.text.ends_with("onds"));
        is_one && names(all).into_iter().any(|(from, _)| from == to)
    };
    let is_last = ends(&all[..at], &["last", "最近的"]) && all[to - 1].is_one_of(SECS);
    let is_of = is_signed || ends(&all[..at], &["of"]);
    is_last && (at > 1 && name() || is_adjective())
        || is_of && is_distance(behind)
        || longest_of(behind, &["以上", "以下"]).is_some()
}
