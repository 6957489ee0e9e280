//! Forget: withdraw a memory that is wrong.

use super::check;
use super::db::Outcome;
use super::queued::Waits;
use super::sight::seen_memory;
use super::unlist::unlist;
use super::{Engine, Result, Run};
use robot_memory_core::access::Sight;
use robot_memory_core::api::{ApiError, Forget, ForgetRequest, ForgetResponse};
use robot_memory_core::limits::REASON_CHARS_MAX;
use robot_memory_core::model::{Memory, Stamp, Status};
use robot_memory_db::{ReadTx, WriteTx};
use robot_memory_index::Change;

impl Run<Forget> for Engine {
    fn run(&self, request: ForgetRequest) -> Result<ForgetResponse> {
        self.run_or_queue::<Forget>(request)
    }
}

/// A Forget that was checked.
pub(super) struct CheckedForget {
    id: i64,
    reason: String,
    agent: String,
    sight: Sight,
    now: Stamp,
}

impl Waits for Forget {
    type Checked = CheckedForget;

    fn check(engine: &Engine, request: ForgetRequest) -> Result<CheckedForget> {
        let ForgetRequest { memory_id, reason, scope, agent } = request;
        engine.check_agent(&agent)?;
        let id = check::memory_id(memory_id)?;
        let sight = engine.sight_of_one(&agent, &scope)?;
        let reason = check::text("reason", &reason)?;
        let chars = reason.chars().count();
        if chars > REASON_CHARS_MAX {
            return Err(check::invalid(format!(
                "reason: at most {REASON_CHARS_MAX} characters, got {chars}"
            )));
        }
        Ok(CheckedForget { id, reason: reason.to_owned(), agent, sight, now: engine.now()? })
    }

    fn look(
        engine: &Engine,
        tx: &ReadTx<'_>,
        checked: &CheckedForget,
    ) -> Result<Option<ForgetResponse>> {
        engine.forgettable(tx, checked).map(|_| None)
    }

    fn store(
        engine: &Engine,
        tx: &WriteTx<'_>,
        changes: &mut Vec<Change>,
        checked: CheckedForget,
    ) -> Result<Outcome<ForgetResponse>> {
        let memory = engine.forgettable(tx, &checked)?;
        let CheckedForget { id, reason, agent, now, .. } = checked;
        tx.insert_audit(id, "forget", &agent, &memory.content, &memory.context, now)?;
        tx.invalidate(id, &reason, now)?;
        if memory.status == Status::Active {
            unlist(tx, changes, id, &memory.content)?;
        }
        Ok(Outcome::Changed(ForgetResponse {
            status: "forgotten".into(),
            memory_id: id,
            content: memory.content,
            reason,
        }))
    }

    fn queued(_engine: &Engine, checked: &CheckedForget) -> ForgetResponse {
        ForgetResponse {
            status: "queued".into(),
            memory_id: checked.id,
            content: String::new(),
            reason: checked.reason.clone(),
        }
    }

    fn at(checked: &mut CheckedForget) -> &mut Stamp {
        &mut checked.now
    }
}

impl Engine {
    fn forgettable(&self, tx: &ReadTx<'_>, checked: &CheckedForget) -> Result<Memory> {
        let CheckedForget { id, agent, sight, .. } = checked;
        let memory = seen_memory(tx.memory(*id, false)?, sight, *id)?;
        self.check_write(agent, &memory.scope, memory.mem_type)?;
        if memory.status == Status::Invalidated {
            return Err(ApiError::invalid_state(format!(
                "memory_id: memory {id} was forgotten before"
            ))
            .into());
        }
        Ok(memory)
    }
}
