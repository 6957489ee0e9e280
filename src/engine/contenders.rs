//! Which rows a query ranks, and what it finds in them and beside them.

use super::search::{self, Similarities, WordList};
use crate::index::{Bitset, Derived, Slot};
use crate::model::Stamp;
use crate::ranking::{Contender, Evidence, Fused, NEIGHBORHOODS, Ranked, VectorHit, WordHit, rank};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A row of the word list takes part from this coverage of the query on, or when it has no vector:
/// what has less is among the nearest vectors or cannot come to the front.
const COVERAGE_MIN: f64 = 0.3;

/// Places in the word list and the vector list.
type Places = (Option<u32>, Option<u32>);

/// Ranks the rows of both lists and those beside the best of them.
pub fn ranked(
    derived: &Derived,
    allowed: &Bitset,
    similarities: &Similarities<'_>,
    words: &WordList,
    vectors: &[VectorHit],
) -> Vec<Fused> {
    let query = Query {
        derived,
        allowed,
        similarities,
        words: words.hits.iter().map(|hit| (hit.slot, *hit)).collect(),
    };
    let takes_part = |hit: &&WordHit| {
        vectors.is_empty() || hit.coverage >= COVERAGE_MIN || !similarities.has(hit.slot)
    };
    let mut places: BTreeMap<Slot, Places> = BTreeMap::new();
    for (hit, rank) in words.hits.iter().filter(takes_part).zip(1..) {
        places.entry(hit.slot).or_default().0 = Some(rank);
    }
    for (hit, rank) in vectors.iter().zip(1..) {
        places.entry(hit.slot).or_default().1 = Some(rank);
    }
    let codes = codes(&words.tokens);
    let mut contenders: Vec<Contender> = places.keys().map(|slot| query.contender(*slot)).collect();
    let listed = rank(&contenders, codes);
    let best = listed.iter().take(NEIGHBORHOODS);
    let beside: BTreeSet<Slot> =
        best.flat_map(|row| contenders[row.contender].neighbors).flatten().collect();
    let unlisted = beside.into_iter().filter(|slot| !places.contains_key(slot));
    contenders.extend(unlisted.map(|slot| query.contender(slot)));
    let fused = |row: &Ranked| {
        let Contender { slot, evidence, .. } = contenders[row.contender];
        let (word_rank, vector_rank) = places.get(&slot).copied().unwrap_or_default();
        Fused {
            slot,
            score: row.score,
            word_rank,
            vector_rank,
            word: evidence.words.filter(|_| word_rank.is_some()),
            similarity: evidence.similarity,
        }
    };
    rank(&contenders, codes).iter().map(fused).collect()
}

/// The tokens, as bits, that are numbers or part numbers.
fn codes(tokens: &[String]) -> u64 {
    let has_digit = |token: &String| token.contains(|c: char| c.is_ascii_digit());
    let bits = tokens.iter().take(u64::BITS as usize).enumerate();
    bits.filter(|(_, token)| has_digit(token)).map(|(bit, _)| 1 << bit).sum()
}

struct Query<'a> {
    derived: &'a Derived,
    allowed: &'a Bitset,
    similarities: &'a Similarities<'a>,
    words: HashMap<Slot, WordHit>,
}

impl Query<'_> {
    fn contender(&self, slot: Slot) -> Contender {
        let (source, trust) = search::weights(self.derived, slot);
        Contender {
            slot,
            evidence: Evidence {
                similarity: self.similarities.of(slot),
                words: self.words.get(&slot).copied(),
            },
            neighbors: self.neighbors(slot),
            weight: source * trust,
            created_at: self
                .derived
                .rows
                .facts(slot)
                .map_or_else(Stamp::default, |facts| facts.created_at),
        }
    }

    /// The rows made just before and after a row in its session, when they may be answered.
    fn neighbors(&self, slot: Slot) -> [Option<Slot>; 2] {
        let rows = &self.derived.rows;
        let Some(session) = rows.facts(slot).map(|facts| facts.session) else {
            return [None; 2];
        };
        if rows.names().get("") == Some(session) {
            return [None; 2];
        }
        let is_beside = |&other: &Slot| {
            rows.live().contains(other)
                && rows.facts(other).is_some_and(|facts| facts.session == session)
        };
        let end = slot.saturating_add(1)..;
        let before = (0..slot).rev().find(is_beside);
        let after = end.take_while(|&other| rows.facts(other).is_some()).find(is_beside);
        [before, after].map(|beside| beside.filter(|&slot| self.allowed.contains(slot)))
    }
}
