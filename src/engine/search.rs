//! Which rows count, and the two lists that a query makes of them.

use super::plan::{Plan, RowFilter};
use super::{Engine, Result, Vector, load};
use crate::api::ApiError;
use crate::index::{Bitset, Derived, Slot};
use crate::limits::{QUERY_TOKENS_MAX, VECTOR_LIST_MIN};
use crate::model::Trust;
use crate::ranking::VectorHit;
use crate::ranking::bm25::{self, TermPostings, WordHit};
use crate::store::ReadTx;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::ops::ControlFlow;

/// Weight of data of the real robot beside simulated data.
pub const REAL_WEIGHT: f64 = 1.5;
/// Weight of rows of low trust beside others.
pub const LOW_TRUST_WEIGHT: f64 = 0.8;

/// The query's distinct tokens that are looked up, in the order of the bits of
/// [`WordHit::matched`], and the rows that have any of them.
pub struct WordList {
    pub tokens: Vec<String>,
    pub hits: Vec<WordHit>,
}

/// Which rows have a token, and how often.
type Postings = Vec<(Slot, u32)>;

/// The rows that count, by what every row has.
pub fn allowed(derived: &Derived, filter: &RowFilter) -> Bitset {
    let rows = &derived.rows;
    let collections: Option<Vec<u32>> = filter
        .collections
        .as_ref()
        .map(|names| names.iter().filter_map(|name| rows.names().get(name)).collect());
    // A name that no row has matches no row.
    let session = filter.session_id.as_ref().map(|session| rows.names().get(session));
    let mut allowed = rows.live().clone();
    allowed.retain(|slot| {
        rows.facts(slot).is_some_and(|facts| {
            collections.as_ref().is_none_or(|some| some.contains(&facts.collection))
                && session.is_none_or(|session| session == Some(facts.session))
                && (filter.levels.is_empty() || filter.levels.contains(&facts.level))
                && facts.confidence >= filter.min_confidence
                && filter.since.is_none_or(|since| facts.created_at >= since)
                && filter.until.is_none_or(|until| facts.created_at < until)
        })
    });
    allowed
}

/// Ranks the allowed rows that have any of the tokens by BM25. Frequencies are those of the whole
/// store, so that a filter does not change how rare a word is.
pub fn words(
    tx: &ReadTx<'_>,
    derived: &Derived,
    tokens: Vec<String>,
    allowed: &Bitset,
) -> Result<WordList> {
    let mut terms: Vec<(String, u64, Postings)> = Vec::new();
    let distinct: BTreeSet<String> = tokens.into_iter().collect();
    for token in distinct {
        let live: Postings = tx
            .postings(&token)?
            .into_iter()
            .filter_map(|(id, count)| Some((derived.rows.slot(id)?, count)))
            .collect();
        terms.push((token, live.len() as u64, live));
    }
    if terms.len() > QUERY_TOKENS_MAX {
        // The rarest tell most; those that no row has find nothing.
        terms.sort_by(|a, b| (a.1 == 0, a.1, &a.0).cmp(&(b.1 == 0, b.1, &b.0)));
        terms.truncate(QUERY_TOKENS_MAX);
    }
    let postings: Vec<TermPostings<'_>> = terms
        .iter()
        .map(|(_, df, live)| TermPostings { df: *df, postings: live, query_weight: 1.0 })
        .collect();
    let hits = bm25::score(
        &postings,
        |slot| allowed.contains(slot),
        |slot| derived.rows.facts(slot).map_or(1, |facts| facts.word_count),
        derived.rows.mean_words(),
        derived.rows.live().count(),
    );
    let tokens = terms.into_iter().map(|(token, _, _)| token).collect();
    Ok(WordList { tokens, hits })
}

/// The similarity of rows with a query.
pub struct Similarities<'d> {
    derived: &'d Derived,
    query: Option<&'d [f32]>,
    /// From disk, by slot, when the search is to be exact.
    on_disk: Option<BTreeMap<Slot, f32>>,
}

impl<'d> Similarities<'d> {
    /// For a query's vector, which must be of the model in use, else there is no similarity.
    pub fn new(
        tx: &ReadTx<'_>,
        derived: &'d Derived,
        query: Option<&'d Vector>,
        exact: bool,
    ) -> Result<Self> {
        let usable = query.filter(|vector| {
            derived
                .vectors
                .as_ref()
                .is_some_and(|vectors| vectors.dimension() == vector.components.len())
        });
        let on_disk = match usable {
            Some(vector) if exact => {
                let mut on_disk = BTreeMap::new();
                let _ = tx.each_similarity::<Infallible>(
                    &vector.model,
                    &vector.components,
                    |id, similarity| {
                        on_disk.extend(derived.rows.slot(id).map(|slot| (slot, similarity)));
                        ControlFlow::Continue(())
                    },
                )?;
                Some(on_disk)
            }
            _ => None,
        };
        let query = usable.map(|vector| vector.components.as_slice());
        Ok(Self { derived, query, on_disk })
    }

    /// Whether a row can be compared with the query.
    pub fn has(&self, slot: Slot) -> bool {
        match &self.on_disk {
            Some(on_disk) => on_disk.contains_key(&slot),
            None => {
                let vectors = self.derived.vectors.as_ref();
                self.query.is_some() && vectors.is_some_and(|vectors| vectors.contains(slot))
            }
        }
    }

    /// The cosine of a row's vector and the query's, when both have one.
    pub fn of(&self, slot: Slot) -> Option<f32> {
        match &self.on_disk {
            Some(on_disk) => on_disk.get(&slot).copied(),
            None => self.derived.vectors.as_ref()?.similarity(slot, self.query?),
        }
    }

    /// Takes out the rows that are less similar; a row without a vector has similarity 0.
    pub fn narrow(&self, allowed: &mut Bitset, min_similarity: f32) {
        allowed.retain(|slot| self.of(slot).unwrap_or(0.0) >= min_similarity);
    }

    /// The most similar allowed rows, best first, equals in order of id.
    pub fn nearest(&self, allowed: &Bitset, count: usize) -> Vec<VectorHit> {
        let nearest: Vec<(Slot, f32)> = match (&self.on_disk, self.query) {
            (Some(on_disk), _) => {
                let mut all: Vec<(Slot, f32)> = on_disk
                    .iter()
                    .map(|(slot, similarity)| (*slot, *similarity))
                    .filter(|(slot, _)| allowed.contains(*slot))
                    .collect();
                all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                all.truncate(count);
                all
            }
            (None, Some(query)) => self
                .derived
                .vectors
                .as_ref()
                .map(|vectors| vectors.nearest(query, allowed, count, f32::NEG_INFINITY))
                .unwrap_or_default(),
            (None, None) => Vec::new(),
        };
        nearest.into_iter().map(VectorHit::from).collect()
    }
}

/// How many rows at the head of the vector list take part in fusion.
pub fn vector_list_len(n: usize) -> usize {
    VECTOR_LIST_MIN.max(n.saturating_mul(4))
}

/// The two weights of a row in fusion: of its source and of its trust.
pub fn weights(derived: &Derived, slot: Slot) -> (f64, f64) {
    derived.rows.facts(slot).map_or((1.0, 1.0), |facts| {
        let source = if facts.is_real { REAL_WEIGHT } else { 1.0 };
        let trust = if facts.trust == Trust::Low { LOW_TRUST_WEIGHT } else { 1.0 };
        (source, trust)
    })
}

impl Engine {
    /// Builds the columns and the spatial index that a plan needs and that are not there yet.
    pub(super) fn prepare(&self, plan: &Plan) -> Result<()> {
        let (columns, spatial) = {
            let derived = self.derived();
            let columns: Vec<_> =
                derived.columns.missing(&plan.filter).into_iter().cloned().collect();
            let spatial = plan
                .spatial
                .as_ref()
                .map(|spatial| spatial.field.clone())
                .filter(|field| derived.spatial(field).is_none());
            (columns, spatial)
        };
        if columns.is_empty() && spatial.is_none() {
            return Ok(());
        }
        self.while_unchanged(
            |tx| {
                let derived = self.derived();
                let mut built = Vec::with_capacity(columns.len());
                for path in columns {
                    let column = load::column(tx, &derived, &path)?;
                    built.push((path, column));
                }
                let spatial = match spatial {
                    Some(field) => {
                        let index = load::spatial(tx, &derived, &field)?;
                        Some((field, index))
                    }
                    None => None,
                };
                Ok((built, spatial))
            },
            |derived, (columns, spatial)| {
                for (path, column) in columns {
                    derived.columns.insert(path, column);
                }
                if let Some((field, index)) = spatial {
                    derived.insert_spatial(field, index);
                }
            },
        )
    }

    /// The rows that a plan allows, similarity aside.
    pub(super) fn allowed(&self, derived: &Derived, plan: &Plan) -> Result<Bitset> {
        let mut allowed = allowed(derived, &plan.rows);
        if derived.columns.narrow(&plan.filter, &mut allowed) {
            Ok(allowed)
        } else {
            // Another call needed the room between this call's preparation and its search.
            Err(ApiError::unavailable("too many different filters at once; try again").into())
        }
    }
}
