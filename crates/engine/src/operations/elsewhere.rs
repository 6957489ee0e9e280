//! Which collections hold better hits, of those that a request left out.

use super::lists::{List, ListOptions, Query};
use super::plan::{Plan, RowFilter};
use super::relevant::{self, evidence};
use super::search::{self, Similarities, Stages};
use crate::{Operations, Result};
use robot_memory_core::api::Ranking;
use robot_memory_core::limits::BETTER_COLLECTIONS_MAX;
use robot_memory_db::ReadTx;
use robot_memory_index::{Derived, Slot};

/// What another collection holds is told of from this evidence on. Relevance tells nothing here: it
/// holds the best row against the others of its own list, and these are of several.
const SOME_EVIDENCE_MIN: f64 = 0.3;
/// An answer with a row of this evidence is good enough: no other collection is looked into.
const GOOD_EVIDENCE_MIN: f64 = 0.75;

impl Operations {
    /// The collections with a hit that the query fits better than all that is answered, the best first: a
    /// request looks into one collection when it names none, and its caller may not know of the others.
    /// Filters and visibility are those of the request. When what is answered fits well, none is looked for.
    pub(super) fn better_collections(
        &self,
        tx: &ReadTx<'_>,
        derived: &Derived,
        plan: &Plan,
        query: &Query,
        similarities: &mut Similarities<'_>,
        answered: &List,
    ) -> Result<Vec<String>> {
        // A session is of one collection.
        let Some(looked_into) = &plan.rows.collections else { return Ok(Vec::new()) };
        if plan.rows.session_id.is_some() {
            return Ok(Vec::new());
        }
        let shown = answered.listed.iter().take(plan.n).map(evidence);
        let least = shown.fold(SOME_EVIDENCE_MIN, f64::max);
        if least >= GOOD_EVIDENCE_MIN {
            return Ok(Vec::new());
        }
        // The search elsewhere takes as long as the one here.
        let names = derived.rows.names();
        let looked_into: Vec<u32> = looked_into.iter().filter_map(|name| names.get(name)).collect();
        if derived.rows.all_are_of(&looked_into) {
            return Ok(Vec::new());
        }
        let visibility = &plan.rows.visibility;
        let everywhere = RowFilter { collections: None, ..plan.rows.clone() };
        let mut outside = search::allowed(derived, &everywhere, visibility);
        outside.subtract(&search::allowed(derived, &plan.rows, visibility));
        if outside.is_empty() || !derived.columns.narrow(&plan.filter, &mut outside) {
            return Ok(Vec::new());
        }
        if let Some(min_similarity) = plan.min_similarity {
            similarities.narrow(&mut outside, min_similarity)?;
        }
        let options = ListOptions::best(BETTER_COLLECTIONS_MAX, Ranking::Best);
        let outside = [outside];
        let stages = &mut Stages::begin();
        let mut found = List::make(tx, derived, query, similarities, &outside, options, stages)?;
        if let Some(min_relevance) = plan.min_relevance {
            relevant::keep(&mut found, min_relevance);
        }
        let mut better: Vec<String> = Vec::new();
        for listed in found.listed.iter().take_while(|listed| evidence(listed) > least) {
            if let Some(name) = collection(derived, listed.slot)
                && !better.iter().any(|known| known == name)
            {
                better.push(name.to_owned());
            }
            if better.len() == BETTER_COLLECTIONS_MAX {
                break;
            }
        }
        Ok(better)
    }
}

fn collection(derived: &Derived, slot: Slot) -> Option<&str> {
    derived.rows.names().name(derived.rows.facts(slot)?.collection)
}
