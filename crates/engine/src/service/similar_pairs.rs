//! Rows of a scope that say nearly what others do: those that are to be merged or judged.

use crate::db::Vector;
use crate::operations::lexical_candidates::lexical_candidates;
use crate::operations::peers::facts_of;
use crate::operations::search::Similarities;
use crate::{Engine, Result};
use robot_memory_core::model::{Level, MemType, Scope};
use robot_memory_db::{ReadTx, SessionRow};
use robot_memory_index::{Bitset, Derived, RowSelection, Slot, cosine_le_bytes};
use robot_memory_text::inference::Statement;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// A row for which others are looked for.
pub(super) struct Sought {
    pub row: SessionRow,
    pub statement: Statement,
    vector: Option<Vector>,
}

/// How near others must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nearness {
    /// More than this share of tokens in common; `None`: words do not count.
    pub jaccard_min: Option<f64>,
    /// A cosine of at least so much.
    pub similarity_min: f32,
}

/// Another row that is near, and how similar its vector is, when that is why it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Nearby {
    pub id: i64,
    pub similarity: Option<f32>,
}

impl Engine {
    /// Active rows of a scope that are still to be held against the others, in order of id: those up to
    /// `upto` that never were, and those that changed since, up to a mark.
    pub(super) fn rows_to_compare(
        &self,
        scope: &Scope,
        upto: i64,
        mark_no: i64,
    ) -> Result<Vec<i64>> {
        let compared = self.store.read(|tx| tx.compared_upto(scope))?;
        let (ids, _) = self.rows_of_scope(scope, compared, usize::MAX)?;
        let marked = self.store.read(|tx| tx.marked(scope, mark_no))?;
        let fresh = ids.into_iter().filter(|id| *id <= upto);
        Ok(fresh.chain(marked).collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// For each of some rows, those of its scope, collection, level and class that are near and whose
    /// numbers and names are the same; in order of id. Rows that are no longer there are left out, and so
    /// are those that `counts` refuses.
    pub(super) fn similar_pairs(
        &self,
        ids: &[i64],
        nearness: Nearness,
        counts: impl Fn(&SessionRow) -> bool,
    ) -> Result<Vec<(Sought, Vec<Nearby>)>> {
        self.view(|tx, derived| {
            let mut sought = Vec::with_capacity(ids.len());
            for &id in ids {
                if let Some(row) = tx.active_row(id)?.filter(&counts) {
                    sought.push(self.sought(tx, row)?);
                }
            }
            let allowed: Vec<Bitset> = sought.iter().map(|it| comparable(derived, it)).collect();
            let by_vector = by_vectors(tx, derived, &sought, &allowed, nearness.similarity_min)?;
            let mut found = Vec::with_capacity(sought.len());
            for ((sought, allowed), similar) in sought.into_iter().zip(allowed).zip(by_vector) {
                let mut near: BTreeMap<i64, Option<f32>> = BTreeMap::new();
                if let Some(jaccard_min) = nearness.jaccard_min {
                    let ids = by_words(tx, derived, &sought.statement, &allowed, jaccard_min)?;
                    near.extend(ids.into_iter().map(|id| (id, None)));
                }
                near.extend(similar.into_iter().map(|(id, similarity)| (id, Some(similarity))));
                let near =
                    near.into_iter().map(|(id, similarity)| Nearby { id, similarity }).collect();
                found.push((sought, near));
            }
            Ok(found)
        })
    }

    fn sought(&self, tx: &ReadTx<'_>, row: SessionRow) -> Result<Sought> {
        let vector = self.vector_in_use(tx, row.id)?;
        Ok(Sought { statement: Statement::parse(&row.content), row, vector })
    }

    /// Whether a collection has at least so many rows of a scope that count.
    pub(super) fn has_rows(
        &self,
        scope: &Scope,
        collection: &str,
        least: usize,
        counts: impl Fn(&SessionRow) -> bool,
    ) -> Result<bool> {
        self.view(|tx, derived| {
            let rows = RowSelection::default();
            let slots = facts_of(derived, &scope.to_string(), collection, rows);
            let mut count = 0;
            for slot in slots.iter() {
                let Some(id) = derived.rows.id(slot) else { continue };
                count += usize::from(tx.active_row(id)?.is_some_and(|row| counts(&row)));
                if count >= least {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }
}

/// The other rows that can say the same as one, by what every row has.
fn comparable(derived: &Derived, sought: &Sought) -> Bitset {
    let (level, mem_type): (Level, MemType) = (sought.row.level, sought.row.mem_type);
    let rows =
        RowSelection { levels: vec![level], mem_types: vec![mem_type], ..RowSelection::default() };
    let SessionRow { scope, collection, .. } = &sought.row;
    let mut comparable = facts_of(derived, &scope.to_string(), collection, rows);
    let key = sought.statement.key();
    // Zero: it is not known.
    comparable.retain(|slot| [key, 0].contains(&derived.rows.quantity_key(slot)));
    if let Some(own) = derived.rows.slot(sought.row.id) {
        comparable.remove(own);
    }
    comparable
}

/// Rows with more than this share of tokens in common.
fn by_words(
    tx: &ReadTx<'_>,
    derived: &Derived,
    statement: &Statement,
    allowed: &Bitset,
    jaccard_min: f64,
) -> Result<Vec<i64>> {
    let (_, slots) = lexical_candidates(tx, derived, statement, jaccard_min, allowed)?;
    let mut found = Vec::new();
    for id in slots.iter().filter_map(|slot| derived.rows.id(slot)) {
        let Some(content) = tx.content(id)? else { continue };
        if statement.jaccard(&Statement::parse(&content)) > jaccard_min {
            found.push(id);
        }
    }
    Ok(found)
}

/// Of each row the allowed ones whose vectors are similar enough, with how similar. Exact: by the index
/// in memory where there is one, else by one reading of all vectors of the store.
fn by_vectors(
    tx: &ReadTx<'_>,
    derived: &Derived,
    sought: &[Sought],
    allowed: &[Bitset],
    similarity_min: f32,
) -> Result<Vec<Vec<(i64, f32)>>> {
    let mut found: Vec<Vec<(i64, f32)>> = vec![Vec::new(); sought.len()];
    if derived.vectors.is_some() {
        for ((sought, allowed), found) in sought.iter().zip(allowed).zip(&mut found) {
            let Some(vector) = &sought.vector else { continue };
            let mut similarities = Similarities::new(tx, derived, Some(vector), false)?;
            let mut near = allowed.clone();
            similarities.narrow(&mut near, similarity_min)?;
            let slots: Vec<Slot> = near.iter().collect();
            for slot in slots {
                if let (Some(id), Some(similarity)) =
                    (derived.rows.id(slot), similarities.of(slot)?)
                {
                    found.push((id, similarity));
                }
            }
        }
        return Ok(found);
    }
    let Some(model) = sought.iter().find_map(|it| it.vector.as_ref()).map(|it| it.model.clone())
    else {
        return Ok(found);
    };
    let _: ControlFlow<()> = tx.each_vector(&model, |id, bytes| {
        if let Some(slot) = derived.rows.slot(id) {
            for ((sought, allowed), found) in sought.iter().zip(allowed).zip(&mut found) {
                if allowed.contains(slot)
                    && let Some(vector) = &sought.vector
                    && let Some(similarity) = cosine_le_bytes(bytes, &vector.components)
                    && similarity >= similarity_min
                {
                    found.push((id, similarity));
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}
