//! What says the same is merged: one memory stands for several.

use super::{Done, ScopePart, ScopeWork};
use crate::db::WriteTx;
use crate::operations::consolidate::{MERGE_JACCARD_MIN, Sameness, consolidate, is_mergeable};
use crate::service::jobs::{Fault, JobRun};
use crate::service::similar_pairs::Nearness;
use crate::{Engine, Result};
use robot_memory_core::model::{Level, Scope, Stamp};
use robot_memory_db::SessionRow;
use robot_memory_index::ranking::{MERGED_FROM_MIN, connected};
use serde_json::Value;
use std::collections::BTreeMap;

/// Rows for which others are looked for on one snapshot.
const SOUGHT_PER_VIEW: usize = 64;
/// Rows that are compared with each other in one step; of more that may say the same, the first so
/// many are, then the next.
const COMPARED_PER_STEP: usize = 256;

impl JobRun<'_> {
    /// Lets one row stand for several that say the same, as EndSession does for the rows of a session, by
    /// words and by vectors. Only rows that came or changed since the last run are held against the
    /// others.
    pub(super) fn merge_step(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        let engine = self.engine;
        let (scope, now) = (work.scope.clone(), work.now);
        if !work.part().is_quiet() {
            // What was filled in just now is compared in this run, too.
            let newest = engine.newest_of_scope(&scope)?;
            self.commit_part(work, 0, |tx, _| {
                tx.begin_comparing(&scope, newest)?;
                Ok(Done { cursor: Value::Null, done: 0 })
            })?;
        } else if !work.may_compare() {
            return Ok(());
        }
        let batches = self.likely_same(&scope)?;
        let total = batches.len() as u64;
        let sameness = Sameness {
            similarity_min: Some(engine.config.maintenance.merge_similarity_min as f32),
            judged: None,
            is_strict: true,
        };
        for (done, batch) in (1..).zip(&batches) {
            self.commit_part(work, total, |tx, part| {
                engine.merge_batch(tx, part, &scope, batch, sameness, now)?;
                Ok(Done { cursor: Value::Null, done })
            })?;
        }
        Ok(())
    }

    /// Rows of a scope that may say the same, put together, at most [`COMPARED_PER_STEP`] each; in each
    /// is one that is still to be compared.
    fn likely_same(&self, scope: &Scope) -> Result<Vec<Vec<i64>>, Fault> {
        let engine = self.engine;
        let nearness = Nearness {
            jaccard_min: Some(MERGE_JACCARD_MIN),
            similarity_min: engine.config.maintenance.merge_similarity_min as f32,
        };
        let mut pairs = Vec::new();
        let mut mergeable = Collections::default();
        for ids in engine.still_to_compare(scope)?.chunks(SOUGHT_PER_VIEW) {
            for (sought, near) in
                engine.similar_pairs(ids, nearness, |row| is_maintained(row, scope))?
            {
                if !near.is_empty() && mergeable.has(engine, scope, &sought.row.collection)? {
                    pairs.extend(near.into_iter().map(|other| (sought.row.id, other.id)));
                }
            }
            self.pause()?;
        }
        let mut batches: Vec<Vec<i64>> = Vec::new();
        for group in connected(&pairs) {
            batches.extend(group.chunks(COMPARED_PER_STEP).map(<[i64]>::to_vec));
        }
        Ok(batches)
    }
}

/// Which collections of a scope have enough rows to be merged.
#[derive(Default)]
pub(super) struct Collections(BTreeMap<String, bool>);

impl Collections {
    pub fn has(&mut self, engine: &Engine, scope: &Scope, collection: &str) -> Result<bool> {
        if let Some(has) = self.0.get(collection) {
            return Ok(*has);
        }
        let has =
            engine.has_rows(scope, collection, MERGED_FROM_MIN, |row| is_maintained(row, scope))?;
        self.0.insert(collection.to_owned(), has);
        Ok(has)
    }
}

impl Engine {
    /// Rows of a scope that the comparison that was begun still has to hold against the others.
    pub(super) fn still_to_compare(&self, scope: &Scope) -> Result<Vec<i64>> {
        let (upto, mark_no) = self.store.read(|tx| tx.comparing(scope))?;
        self.rows_to_compare(scope, upto, mark_no)
    }

    /// Merges what says the same of some rows, as they are by now.
    pub(super) fn merge_batch(
        &self,
        tx: &WriteTx<'_>,
        part: &mut ScopePart,
        scope: &Scope,
        ids: &[i64],
        sameness: Sameness<'_>,
        now: Stamp,
    ) -> Result<()> {
        let mut by_collection: BTreeMap<String, Vec<SessionRow>> = BTreeMap::new();
        for &id in ids {
            if let Some(row) = tx.active_row(id)?.filter(|row| is_maintained(row, scope)) {
                by_collection.entry(row.collection.clone()).or_default().push(row);
            }
        }
        let (mut groups, mut superseded) = (0, 0);
        for rows in by_collection.values() {
            let rows: Vec<&SessionRow> = rows.iter().collect();
            let merged = consolidate(tx, self.model().as_deref(), &rows, sameness, now)?;
            for group in &merged {
                let places = std::iter::once(group.kept).chain(group.superseded.iter().copied());
                let ids: Vec<i64> =
                    places.filter_map(|place| rows.get(place)).map(|row| row.id).collect();
                let least = group.pair_similarities.iter().copied().fold(1.0, f64::min);
                part.find("merged", &ids, &format!("they say the same, similarity {least:.2}"));
                groups += 1;
                superseded += group.superseded.len() as u64;
            }
        }
        part.count("merged_groups", groups);
        part.count("superseded", superseded);
        Ok(())
    }
}

/// Whether a row is one of those that maintenance merges. Working memories are their session's: its end
/// merges them.
pub(super) fn is_maintained(row: &SessionRow, scope: &Scope) -> bool {
    row.scope == *scope && row.level != Level::Working && is_mergeable(row)
}
