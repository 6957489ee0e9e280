//! Fills in missing vectors.

use super::{Committed, Fault, JobRun};
use crate::db::Outcome;
use crate::operations::jobs::Enqueued;
use crate::service::vectors::EMBED_BATCH;
use crate::{Engine, Result};
use robot_memory_core::model::{JobProgress, JobScope, JobType};
use robot_memory_db::JobDraft;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// From where the job goes on, and what it has done.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(default)]
struct Position {
    /// The last row that was looked at.
    after: i64,
    /// Rows that got a vector.
    embedded: u64,
    /// Rows that got none: the embedder refused their text, or they changed meanwhile.
    not_embedded: u64,
}

impl JobRun<'_> {
    /// Gives vectors of the present model to the rows that have none, some rows at a time.
    pub(super) fn fill_in_vectors(&self) -> Result<(), Fault> {
        let engine = self.engine;
        let mut position: Position = self.begun_with()?;
        loop {
            let missing = match engine.model() {
                Some(model) => engine.missing_vectors(&model, position.after)?,
                None => Vec::new(),
            };
            let made = engine.make_vectors(&missing)?;
            if made.is_empty() && missing.len() >= EMBED_BATCH {
                return Err(Fault::Retry("the embedder fails; see the node's status".into()));
            }
            let left = engine.missing_count(position.after);
            let committed = self.commit(
                |tx| {
                    let embedded = engine.put_vectors(tx, made)?.len() as u64;
                    let mut position = position;
                    position.embedded += embedded;
                    position.not_embedded += missing.len() as u64 - embedded;
                    position.after = missing.last().copied().unwrap_or(position.after);
                    let is_last = missing.len() < EMBED_BATCH;
                    let report = match is_last {
                        true => json!({
                            "embedded": position.embedded,
                            "not_embedded": position.not_embedded,
                        }),
                        false => json!(position),
                    };
                    let done = position.embedded + position.not_embedded;
                    let progress = JobProgress {
                        step: "vectors".into(),
                        done,
                        total: done + left.saturating_sub(missing.len() as u64),
                    };
                    Ok(Committed { position, progress, report, is_done: is_last })
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
}

impl Engine {
    /// Queues the job that fills in missing vectors, unless it waits already.
    pub(crate) fn queue_embedding(&self) -> Result<Enqueued> {
        self.write(|tx| {
            let queued = self.enqueue(tx, &JobDraft::of(&JobScope::All, JobType::Embed, ""))?;
            Ok(Outcome::of(queued.created, queued))
        })
    }
}
