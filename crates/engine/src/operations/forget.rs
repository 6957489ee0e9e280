//! Forget: withdraw a memory that is wrong.

use super::check;
use super::visibility::seen_memory;
use crate::db::{Outcome, WriteTx};
use crate::{Error, Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{Forget, ForgetRequest, ForgetResponse, Operation};
use robot_memory_core::limits::REASON_CHARS_MAX;
use robot_memory_core::model::{Memory, Stamp, Status};
use robot_memory_db::ReadTx;
use robot_memory_index::Change;

/// A Forget that was checked.
pub(crate) struct CheckedForget {
    id: i64,
    reason: String,
    agent: String,
    visibility: Visibility,
    pub(crate) now: Stamp,
}

impl CheckedForget {
    /// What is known of its answer before the row is read.
    pub(crate) fn response_template(&self) -> ForgetResponse {
        ForgetResponse {
            status: String::new(),
            memory_id: self.id,
            content: String::new(),
            reason: self.reason.clone(),
        }
    }
}

/// Withdraws a memory, and keeps for audit what it said.
pub(super) fn withdraw(
    tx: &WriteTx<'_>,
    memory: &Memory,
    reason: &str,
    agent: &str,
    now: Stamp,
) -> Result<()> {
    let Memory { id, content, context, status, .. } = memory;
    tx.insert_audit(*id, Forget::NAME, agent, content, context, now)?;
    tx.invalidate(*id, reason, now)?;
    if *status == Status::Active {
        tx.deactivate(*id)?;
    } else {
        // An attempt counts that is archived, or that another report of it replaced.
        tx.index(Change::Remove { id: *id, tokens: Vec::new() });
    }
    Ok(())
}

impl Operations {
    /// Checks all that can be checked without the store.
    pub(crate) fn check_forget(&self, request: ForgetRequest) -> Result<CheckedForget> {
        let ForgetRequest { memory_id, reason, scope, agent } = request;
        self.check_agent(&agent)?;
        let id = check::memory_id(memory_id)?;
        let visibility = self.visibility_of_one(&agent, &scope)?;
        let reason = check::text("reason", &reason)?;
        check::at_most("reason", REASON_CHARS_MAX, "characters", reason.chars().count())?;
        Ok(CheckedForget { id, reason: reason.to_owned(), agent, visibility, now: self.now()? })
    }

    /// Does it.
    pub(crate) fn store_forget(
        &self,
        tx: &WriteTx<'_>,
        checked: CheckedForget,
    ) -> Result<Outcome<ForgetResponse>> {
        let memory = self.forgettable(tx, &checked)?;
        let CheckedForget { id, reason, agent, now, .. } = checked;
        withdraw(tx, &memory, &reason, &agent, now)?;
        Ok(Outcome::Changed(ForgetResponse {
            status: "forgotten".into(),
            memory_id: id,
            content: memory.content,
            reason,
        }))
    }

    /// The memory, when it can be forgotten now.
    pub(crate) fn forgettable(&self, tx: &ReadTx<'_>, checked: &CheckedForget) -> Result<Memory> {
        let CheckedForget { id, agent, visibility, .. } = checked;
        let memory = seen_memory(tx.memory(*id, false)?, visibility, *id)?;
        self.check_write(agent, &memory.scope, memory.mem_type)?;
        if memory.status == Status::Invalidated {
            return Err(Error::invalid_state(format!(
                "memory_id: memory {id} was forgotten before"
            )));
        }
        Ok(memory)
    }
}
