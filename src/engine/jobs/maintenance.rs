//! Looks after the memories of one scope: fills in vectors, lets one memory stand for several that say
//! the same, and lets belief fade.

use super::{Committed, Fault, JobRun};
use crate::engine::consolidate::{MERGE_JACCARD_MIN, consolidate, is_mergeable};
use crate::engine::fade::fade;
use crate::engine::upkeep::EMBED_BATCH;
use crate::engine::{Engine, Result};
use crate::index::Change;
use crate::inference::Statement;
use crate::model::{JobProgress, JobScope, Level, MemType, Scope, Stamp};
use crate::ranking::{MERGED_FROM_MIN, alike};
use crate::store::{SessionRow, WriteTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Rows whose belief fades in one step.
const FADED_PER_STEP: usize = 512;
/// Rows that are compared with each other in one step; of more that may say the same, the first so
/// many are, then the next.
const COMPARED_PER_STEP: usize = 256;

/// How far the job is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Phase {
    /// Missing vectors.
    #[default]
    Vectors,
    /// What says the same.
    Merge,
    /// Belief.
    Fade,
}

/// From where the job goes on, and what it has done: its report.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
struct Position {
    phase: Phase,
    /// The last row that was looked at.
    after: i64,
    /// Rows that were looked at for a vector.
    rows: u64,
    /// Rows that got one.
    embedded: u64,
    /// Rows that should have got one and did not.
    not_embedded: u64,
    /// Groups of rows that said the same.
    merged_groups: u64,
    /// Rows for which another one stands now.
    superseded: u64,
    /// Rows whose confidence faded.
    faded: u64,
}

impl JobRun<'_> {
    pub(super) fn maintain(&self) -> std::result::Result<(), Fault> {
        let JobScope::Of(scope) = &self.claim.job.scope else {
            return Err(Fault::Fatal("one scope is looked after at a time, not all".into()));
        };
        // Without the time nothing can be said to have faded or to be replaced.
        let now = self.engine.now()?;
        // What was recalled lately does not fade.
        self.engine.write_accesses()?;
        let mut position: Position = self.begun_with()?;
        if position.phase == Phase::Vectors {
            position = self.embed_scope(scope, position)?;
        }
        if position.phase == Phase::Merge {
            position = self.merge_scope(scope, position, now)?;
        }
        self.fade_scope(scope, position, now)
    }

    /// Fills in the vectors of a scope.
    fn embed_scope(
        &self,
        scope: &Scope,
        mut position: Position,
    ) -> std::result::Result<Position, Fault> {
        let engine = self.engine;
        while position.phase == Phase::Vectors {
            let (ids, total) = engine.rows_of_scope(scope, position.after, EMBED_BATCH)?;
            let missing = engine.without_vector(&ids)?;
            let made = engine.make_vectors(&missing)?;
            let committed = self.commit_part("vectors", total as u64, |tx, changes| {
                let embedded = engine.put_vectors(tx, changes, made)? as u64;
                position.rows += ids.len() as u64;
                position.embedded += embedded;
                position.not_embedded += missing.len() as u64 - embedded;
                position.after = ids.last().copied().unwrap_or(position.after);
                let done = position.rows;
                if ids.len() < EMBED_BATCH {
                    position.phase = Phase::Merge;
                    position.after = 0;
                }
                Ok((position, done))
            })?;
            position = committed;
            self.pause()?;
        }
        Ok(position)
    }

    /// Lets one row stand for several that say the same, as EndSession does for the rows of a session.
    fn merge_scope(
        &self,
        scope: &Scope,
        mut position: Position,
        now: Stamp,
    ) -> std::result::Result<Position, Fault> {
        let engine = self.engine;
        // What was merged before a restart is found merged.
        let batches = engine.likely_same(scope)?;
        let total = batches.len() as u64;
        for (done, batch) in (1..).zip(&batches) {
            position = self.commit_part("merge", total, |tx, changes| {
                let (groups, superseded) = engine.merge_batch(tx, changes, scope, batch, now)?;
                position.merged_groups += groups;
                position.superseded += superseded;
                Ok((position, done))
            })?;
            self.pause()?;
        }
        self.commit_part("merge", total, |_, _| {
            position.phase = Phase::Fade;
            position.after = 0;
            Ok((position, total))
        })
    }

    /// Lets belief fade, and ends the job with its report.
    fn fade_scope(
        &self,
        scope: &Scope,
        mut position: Position,
        now: Stamp,
    ) -> std::result::Result<(), Fault> {
        let engine = self.engine;
        loop {
            let (ids, total) = engine.rows_of_scope(scope, position.after, FADED_PER_STEP)?;
            let is_last = ids.len() < FADED_PER_STEP;
            let committed = self.commit(
                |tx, changes| {
                    for &id in &ids {
                        if let Some(row) = tx.decay_row(id)?
                            && row.scope == *scope
                        {
                            position.faded += u64::from(fade(tx, changes, &row, now)?);
                        }
                    }
                    position.after = ids.last().copied().unwrap_or(position.after);
                    let told = if is_last { position.report() } else { json!(position) };
                    let total = total as u64;
                    let progress = JobProgress { step: "fade".into(), done: position.faded, total };
                    Ok(Committed { position, progress, told, is_done: is_last })
                },
                Committed::step,
            )?;
            if committed.is_done {
                return Ok(());
            }
            position = committed.position;
            self.pause()?;
        }
    }

    /// Commits a step after which there is more; `f` answers the position and how much is done.
    fn commit_part(
        &self,
        step: &str,
        total: u64,
        f: impl FnOnce(&WriteTx<'_>, &mut Vec<Change>) -> Result<(Position, u64)>,
    ) -> std::result::Result<Position, Fault> {
        let committed = self.commit(
            |tx, changes| {
                let (position, done) = f(tx, changes)?;
                let progress = JobProgress { step: step.into(), done, total: total.max(done) };
                Ok(Committed { told: json!(position), position, progress, is_done: false })
            },
            Committed::step,
        )?;
        Ok(committed.position)
    }
}

impl Position {
    /// What the job answers.
    fn report(&self) -> Value {
        json!({
            "rows": self.rows,
            "embedded": self.embedded,
            "not_embedded": self.not_embedded,
            "merged_groups": self.merged_groups,
            "superseded": self.superseded,
            "faded": self.faded,
        })
    }
}

/// Only rows of one such place can say the same: of one collection, level and class, and with the same
/// quantities and names.
type Place = (String, Level, MemType, u64);

impl Engine {
    /// Those of these rows that have no vector of the present model.
    fn without_vector(&self, ids: &[i64]) -> Result<Vec<i64>> {
        let Some(model) = self.model() else { return Ok(Vec::new()) };
        self.store.read(|tx| {
            let mut without = Vec::new();
            for &id in ids {
                if tx.vector_of(id, &model, |_| ())?.is_none() {
                    without.push(id);
                }
            }
            Ok(without)
        })
    }

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
