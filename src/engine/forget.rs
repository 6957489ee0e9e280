//! Forget: withdraw a memory that is wrong.

use super::check;
use super::sight::seen_memory;
use super::transaction::Outcome;
use super::unlist::unlist;
use super::{Engine, Result, Run};
use crate::api::{ApiError, Forget, ForgetRequest, ForgetResponse};
use crate::limits::REASON_CHARS_MAX;
use crate::model::Status;

impl Run<Forget> for Engine {
    fn run(&self, request: ForgetRequest) -> Result<ForgetResponse> {
        let ForgetRequest { memory_id, reason, scope, agent } = request;
        self.check_agent(&agent)?;
        let id = check::memory_id(memory_id)?;
        let sight = self.sight_of_one(&agent, &scope)?;
        let reason = check::text("reason", &reason)?;
        let chars = reason.chars().count();
        if chars > REASON_CHARS_MAX {
            return Err(check::invalid(format!(
                "reason: at most {REASON_CHARS_MAX} characters, got {chars}"
            )));
        }
        let now = self.now()?;
        self.write(|tx, changes| {
            let memory = seen_memory(tx.memory(id, false)?, &sight, id)?;
            self.check_write(&agent, &memory.scope, memory.mem_type)?;
            if memory.status == Status::Invalidated {
                return Err(ApiError::invalid_state(format!(
                    "memory_id: memory {id} was forgotten before"
                ))
                .into());
            }
            tx.insert_audit(id, "forget", &agent, &memory.content, &memory.context, now)?;
            tx.invalidate(id, reason, now)?;
            if memory.status == Status::Active {
                unlist(tx, changes, id, &memory.content)?;
            }
            Ok(Outcome::Changed(ForgetResponse {
                status: "forgotten".into(),
                memory_id: id,
                content: memory.content,
                reason: reason.to_owned(),
            }))
        })
    }
}
