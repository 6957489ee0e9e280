//! Makes one long summary of many short ones.

use super::{Committed, Fault, JobRun};
use crate::operations::jobs::choose_among;
use crate::operations::macro_summary::Macro;
use robot_memory_core::model::{JobProgress, JobScope};
use robot_memory_db::{self as store, ReadTx};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Long summaries that one job makes at most: whatever is there, it ends. What is left is queued with the
/// next step.
const MACROS_MAX: usize = 64;

/// What the job was asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Payload {
    /// Whether it is done below the thresholds, too: once.
    force: bool,
}

/// What was made so far; from there the job goes on.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
struct Made {
    macros: Vec<Macro>,
}

impl Made {
    /// What the job answers: ids, numbers and reasons, no words.
    fn report(&self) -> Value {
        let compacted: usize = self.macros.iter().map(|it| it.source_ids.len()).sum();
        json!({ "compacted": compacted, "macros": self.macros })
    }
}

impl JobRun<'_> {
    /// Compacts while a threshold is reached; below it once, when that is forced. Each long summary is
    /// one step: it is written, and its sources give way to it, or nothing of it.
    pub(super) fn compact_macro(&self) -> Result<(), Fault> {
        let JobScope::Of(scope) = &self.lease.job.scope else {
            return Err(Fault::Fatal("summaries are compacted in one scope, not in all".into()));
        };
        self.payload::<Payload>()?;
        let mut made: Made = self.begun_with()?;
        loop {
            let engine = self.engine;
            let settings = &engine.config.jobs.compaction;
            let choose = |tx: &ReadTx<'_>| {
                let force = made.macros.is_empty() && self.is_forced(tx)?;
                Ok::<_, store::Error>(choose_among(tx.micro_summaries(scope)?, settings, force).0)
            };
            let chosen = engine.store.read(choose)?;
            let written = chosen.as_ref().map(|(_, micros)| engine.write_macro(micros));
            // To write may have taken long.
            self.pause()?;
            let committed = self.commit(
                |tx| {
                    let mut made = made.clone();
                    // What changed meanwhile is chosen and written again.
                    let is_same = choose(tx)? == chosen;
                    if is_same && let (Some((choice, micros)), Some(written)) = (chosen, written) {
                        let it = engine.put_macro(tx, scope, &choice, &micros, written)?;
                        made.macros.push(it);
                        let now = engine.machine_now();
                        tx.note_compaction(&self.lease.job.scope, now)?;
                    }
                    let (more, _) = choose_among(tx.micro_summaries(scope)?, settings, false);
                    let is_enough = made.macros.len() >= MACROS_MAX;
                    let is_done = is_same && (more.is_none() || is_enough);
                    let report = if is_done { made.report() } else { json!(made) };
                    let done = made.macros.len() as u64;
                    let progress = JobProgress { step: "compact".into(), done, total: 0 };
                    Ok(Committed { position: made, progress, report, is_done })
                },
                Committed::step,
            )?;
            if committed.is_done {
                return Ok(());
            }
            made = committed.position;
            self.pause()?;
        }
    }

    /// Whether it is done below the thresholds, too: somebody may ask for that while it is being done.
    fn is_forced(&self, tx: &ReadTx<'_>) -> store::Result<bool> {
        let job = tx.job(self.lease.job.id)?;
        let payload = job.and_then(|job| serde_json::from_str::<Payload>(&job.payload).ok());
        Ok(payload.unwrap_or_default().force)
    }
}
