//! Attempts that the end of the node left open.

use crate::db::Outcome;
use crate::operations::attempts::{AttemptContext, INTERRUPTED};
use crate::operations::update::CheckedUpdate;
use crate::{Engine, Result};
use robot_memory_core::api::UpdateRequest;
use robot_memory_core::model::{Memory, Status};
use robot_memory_text::experience::attempt_sentence;
use serde_json::json;

/// Attempts that are read at once.
const BATCH: u32 = 100;

impl Engine {
    /// Writes into attempts that an earlier run left open that they were interrupted. They stay open: who
    /// outlived the node may still say how they ended.
    pub(super) fn mark_interrupted_attempts(&self) -> Result<()> {
        loop {
            let ids = self.store.read(|tx| tx.interrupted_attempts(BATCH))?;
            let count = ids.len() as u32;
            for id in ids {
                let memory = self.store.read(|tx| tx.memory(id, false))?;
                // What was forgotten meanwhile stays as it is.
                let active = memory.filter(|it| it.status == Status::Active);
                let checked = active.map(|memory| self.interrupted(&memory)).transpose()?;
                self.write(|tx| {
                    if let Some(checked) = checked {
                        self.store_update(tx, checked.keeping_class())?;
                    }
                    tx.mark_open_attempt(id)?;
                    Ok(Outcome::Changed(()))
                })?;
            }
            if count > 0 {
                log::warn!("{count} attempts were interrupted by the end of an earlier run");
            }
            if count < BATCH {
                return Ok(());
            }
        }
    }

    fn interrupted(&self, memory: &Memory) -> Result<CheckedUpdate> {
        let mut context = AttemptContext::of(&memory.context);
        context.set_in("task", "outcome", json!(INTERRUPTED));
        let (task, object) = (context.of_task("name"), context.of_task("object"));
        let new_content = attempt_sentence(task, object, INTERRUPTED, "", &context.params());
        self.prepare_update(UpdateRequest {
            memory_id: memory.id,
            new_content,
            context: context.text()?,
            ..UpdateRequest::default()
        })
    }
}
