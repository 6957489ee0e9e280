//! What the memories beside one in its session add to its words: a question and its answer, or a stop and
//! what led to it, share few words and stand beside each other.

use super::K1;
use super::query::WordQuery;
use crate::Slot;
use robot_memory_core::model::Stamp;

/// What a memory's own words count beside those of others: of BM25 over fields (Robertson, Zaragoza and
/// Taylor 2004, "Simple BM25 Extension to Multiple Weighted Fields") the weight of the first field.
pub const OWN_WEIGHT: f64 = 3.0;
/// What the words of the next memory count, and those of the next but one.
pub const BESIDE_WEIGHTS: [f64; 2] = [1.0, 0.5];
/// Words that were said so far apart count half: of what is further apart it is less likely that it is about
/// the same.
const HALVED_AFTER_SECS: f64 = 600.0;

/// What the words of a memory count for one that is `step` places away in the session (1 is the next one)
/// and was made at another time; 0 beyond [`BESIDE_WEIGHTS`].
pub fn beside_weight(step: usize, made: Stamp, other: Stamp) -> f64 {
    let Some(weight) = step.checked_sub(1).and_then(|at| BESIDE_WEIGHTS.get(at)) else {
        return 0.0;
    };
    let secs_apart = made.0.abs_diff(other.0) as f64 / 1e9;
    weight / (1.0 + secs_apart / HALVED_AFTER_SECS)
}

/// What weighted occurrences of a term tell beside an occurrence in the memory itself: 0 to 1. The
/// saturation of BM25 without the length, which says how much a memory is about, not what it tells.
fn told(weighted: f64) -> f64 {
    if weighted >= OWN_WEIGHT {
        return 1.0;
    }
    weighted * (OWN_WEIGHT + K1) / (OWN_WEIGHT * (weighted + K1))
}

impl WordQuery<'_> {
    /// The coverage of memories by their words and those beside them, 0 to 1, in the order of `slots`.
    /// `beside` answers which memories these are, and what their words count.
    ///
    /// As [`WordHit::coverage`](super::WordHit::coverage), of which it is never less, but that an
    /// alternative counts by how often it occurs in all these memories, each occurrence weighing as much as
    /// the words of its memory; [`OWN_WEIGHT`] or more counts 1.
    pub fn coverage_in_context(
        &self,
        slots: &[Slot],
        beside: impl Fn(Slot) -> Vec<(Slot, f64)>,
    ) -> Vec<f64> {
        let around: Vec<Vec<(Slot, f64)>> = slots
            .iter()
            .map(|&slot| {
                let mut around = beside(slot);
                around.push((slot, OWN_WEIGHT));
                around
            })
            .collect();
        let mut needed: Vec<Slot> = around.iter().flatten().map(|(slot, _)| *slot).collect();
        needed.sort_unstable();
        needed.dedup();
        let frequencies = self.frequencies(&needed);
        let width = self.lists.len();
        let of = |slot: &Slot| match needed.binary_search(slot) {
            Ok(at) => &frequencies[at * width..][..width],
            Err(_) => &[],
        };
        let of_row = |around: &Vec<(Slot, f64)>| {
            let rows: Vec<(&[u32], f64)> =
                around.iter().map(|(slot, weight)| (of(slot), *weight)).collect();
            self.coverage_of(&rows)
        };
        around.iter().map(of_row).collect()
    }

    /// Of memories together: how often each has the token of each list, and what its words count.
    fn coverage_of(&self, rows: &[(&[u32], f64)]) -> f64 {
        let mut covered = 0.0;
        for term in &self.terms {
            let mut share = 0.0_f64;
            for alternative in &term.alternatives {
                let occurs = |frequencies: &[u32]| {
                    let lists = alternative.lists.iter();
                    lists.map(|&list| frequencies.get(list).copied().unwrap_or(0)).min()
                };
                let weighted: f64 = rows
                    .iter()
                    .map(|(frequencies, weight)| {
                        weight * f64::from(occurs(frequencies).unwrap_or(0))
                    })
                    .sum();
                share = share.max(alternative.share * told(weighted));
            }
            covered += term.coverage * share;
        }
        if covered > 0.0 { (covered / self.coverage_of_all).min(1.0) } else { 0.0 }
    }
}
