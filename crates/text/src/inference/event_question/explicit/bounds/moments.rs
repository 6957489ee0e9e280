//! What a time of the day bounds by itself: the minute or the second that it is, and so many seconds beside it.

use super::super::super::clocks::{Clock, Detail};
use super::{Bounds, Present, Side, TimePhrase};
use robot_memory_core::model::Stamp;

impl Present<'_> {
    /// The minute, or the second, that a moment is.
    pub fn moment_bounds(&self, phrase: &TimePhrase) -> Option<Bounds> {
        let (from, _) = self.span(&phrase.parse, phrase.is_of_half, Side::Since)?;
        Some(lasting(from, phrase.parse.clocks.first()?.detail))
    }

    /// So many seconds before or after a time of the day.
    pub fn beside(&self, phrase: &TimePhrase, side: Side, secs: f64) -> Option<Bounds> {
        let is_one = phrase.last.is_none() && phrase.parse.clocks.len() == 1 && !phrase.is_vague;
        let (at, _) = self.span(&phrase.parse, phrase.is_of_half, side).filter(|_| is_one)?;
        let nanos = (secs * 1e9) as i64;
        let (since, until) = match side {
            Side::Before | Side::Until => (Stamp(at.0.saturating_sub(nanos)), at),
            Side::Around => (Stamp(at.0.saturating_sub(nanos)), Stamp(at.0.saturating_add(nanos))),
            _ => (at, Stamp(at.0.saturating_add(nanos))),
        };
        Some(Bounds { since: Some(since), until: Some(until) })
    }

    /// The minutes, or the seconds, that a pair of moments of one day are.
    pub fn both_moments(&self, phrase: &TimePhrase) -> Option<(Bounds, Bounds)> {
        let [Clock { detail: first, .. }, Clock { detail: last, .. }] = phrase.parse.clocks[..]
        else {
            return None;
        };
        let is_said =
            ![first, last].iter().any(|it| matches!(it, Detail::Hour | Detail::HourAfter));
        let (one, two) = self.span(&phrase.parse, phrase.is_of_half, Side::In)?;
        is_said.then(|| (lasting(one, first), lasting(two, last)))
    }
}

/// As long as what was said of a time lasts.
fn lasting(from: Stamp, said: Detail) -> Bounds {
    Bounds { since: Some(from), until: Some(Stamp(from.0.saturating_add(said.width_nanos()))) }
}
