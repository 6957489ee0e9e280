//! What is missing is filled in: vectors, names, tags.

use super::{Done, ScopeWork};
use crate::engine::jobs::{Fault, JobRun};
use crate::engine::upkeep::EMBED_BATCH;
use crate::engine::{Engine, Result};
use serde_json::json;

impl JobRun<'_> {
    /// Fills in the vectors of a scope.
    pub(super) fn complete_step(&self, work: &mut ScopeWork) -> std::result::Result<(), Fault> {
        let engine = self.engine;
        let mut after = work.cursor().as_i64().unwrap_or(0);
        loop {
            let (ids, total) = engine.rows_of_scope(&work.scope, after, EMBED_BATCH)?;
            let Some(&last) = ids.last() else { return Ok(()) };
            let missing = engine.without_vector(&ids)?;
            let made = engine.make_vectors(&missing)?;
            self.commit_part(work, total as u64, |tx, changes, part| {
                let embedded = engine.put_vectors(tx, changes, made)? as u64;
                part.look(ids.len() as u64);
                part.count("embedded", embedded);
                part.count("not_embedded", missing.len() as u64 - embedded);
                Ok(Done { cursor: json!(last), done: part.looked_at() })
            })?;
            after = last;
        }
    }
}

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
}
