//! What says the same is merged: one memory stands for several.

use super::{Done, ScopeWork};
use crate::engine::consolidate::{MERGE_JACCARD_MIN, consolidate, is_mergeable};
use crate::engine::jobs::{Fault, JobRun};
use crate::engine::{Engine, Result};
use crate::index::Change;
use crate::inference::Statement;
use crate::model::{Level, MemType, Scope, Stamp};
use crate::ranking::{MERGED_FROM_MIN, alike};
use crate::store::{SessionRow, WriteTx};
use serde_json::Value;
use std::collections::BTreeMap;

/// Rows that are compared with each other in one step; of more that may say the same, the first so
/// many are, then the next.
const COMPARED_PER_STEP: usize = 256;

impl JobRun<'_> {
    /// Lets one row stand for several that say the same, as EndSession does for the rows of a session.
    pub(super) fn merge_step(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        let engine = self.engine;
        let (scope, now) = (work.scope.clone(), work.now);
        // What was merged before a restart is found merged.
        let batches = engine.likely_same(&scope)?;
        let total = batches.len() as u64;
        for (done, batch) in (1..).zip(&batches) {
            self.commit_part(work, total, |tx, changes, part| {
                let (groups, superseded) = engine.merge_batch(tx, changes, &scope, batch, now)?;
                part.count("merged_groups", groups);
                part.count("superseded", superseded);
                Ok(Done { cursor: Value::Null, done })
            })?;
        }
        Ok(())
    }
}

/// Only rows of one such place can say the same: of one collection, level and class, and with the same
/// quantities and names.
type Place = (String, Level, MemType, u64);

impl Engine {
    /// Rows of a scope that may say the same, put together, at most [`COMPARED_PER_STEP`] each.
    fn likely_same(&self, scope: &Scope) -> Result<Vec<Vec<i64>>> {
        let (ids, _) = self.rows_of_scope(scope, 0, usize::MAX)?;
        let mut places: BTreeMap<Place, (Vec<i64>, Vec<Vec<String>>)> = BTreeMap::new();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        self.store.read(|tx| {
            for id in ids {
                let Some((row, collection)) = tx.active_row(id)? else { continue };
                if !is_maintained(&row, scope) {
                    continue;
                }
                *counts.entry(collection.clone()).or_default() += 1;
                let statement = Statement::parse(&row.content);
                let place = (collection, row.level, row.mem_type, statement.key());
                let (ids, sets) = places.entry(place).or_default();
                ids.push(id);
                sets.push(statement.tokens().iter().cloned().collect());
            }
            Result::Ok(())
        })?;
        let mut batches: Vec<Vec<i64>> = Vec::new();
        for ((collection, ..), (ids, sets)) in places {
            if counts.get(&collection).is_some_and(|count| *count < MERGED_FROM_MIN) {
                continue;
            }
            for group in alike(&sets, MERGE_JACCARD_MIN) {
                for places in group.chunks(COMPARED_PER_STEP) {
                    batches
                        .push(places.iter().filter_map(|place| ids.get(*place).copied()).collect());
                }
            }
        }
        Ok(batches)
    }

    /// Merges what says the same of some rows, as they are by now; answers how many groups there were,
    /// and how many rows gave way.
    fn merge_batch(
        &self,
        tx: &WriteTx<'_>,
        changes: &mut Vec<Change>,
        scope: &Scope,
        ids: &[i64],
        now: Stamp,
    ) -> Result<(u64, u64)> {
        let mut by_collection: BTreeMap<String, Vec<SessionRow>> = BTreeMap::new();
        for &id in ids {
            if let Some((row, collection)) = tx.active_row(id)?
                && is_maintained(&row, scope)
            {
                by_collection.entry(collection).or_default().push(row);
            }
        }
        let (mut groups, mut superseded) = (0, 0);
        for rows in by_collection.values() {
            let rows: Vec<&SessionRow> = rows.iter().collect();
            let merged = consolidate(tx, self.model().as_deref(), changes, &rows, now)?;
            groups += merged.len() as u64;
            superseded += merged.iter().map(|group| group.superseded.len() as u64).sum::<u64>();
        }
        Ok((groups, superseded))
    }
}

/// Whether a row is one of those that maintenance merges. Working memories are their session's: its end
/// merges them.
fn is_maintained(row: &SessionRow, scope: &Scope) -> bool {
    row.scope == *scope && row.level != Level::Working && is_mergeable(row)
}
