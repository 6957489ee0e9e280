//! Ends of attempts beside the write queue, and attempts that the end of the node left open.

use crate::db::Outcome;
use crate::{Engine, GoalEnd, Result, Run};
use robot_memory_core::api::{
    ApiError, EndAttempt, EndAttemptRequest, EndAttemptResponse, ErrorKind,
};

/// Attempts that are read at once.
const BATCH: u32 = 100;

impl Run<EndAttempt> for Engine {
    fn run(&self, request: EndAttemptRequest) -> Result<EndAttemptResponse> {
        self.refuse_while_update_waits(request.attempt_id)?;
        self.end_attempt(request)
    }
}

impl Engine {
    /// Writes into attempts that an earlier run left open that they were interrupted. They stay open: who
    /// outlived the node may still say how they ended.
    pub(super) fn mark_interrupted_attempts(&self) -> Result<()> {
        loop {
            let ids = self.store.read(|tx| tx.interrupted_attempts(BATCH))?;
            let all_read = ids.len() < BATCH as usize;
            let mut count = 0;
            for id in ids {
                match self.interrupt_goal(id, "") {
                    Ok(true) => count += 1,
                    // It was ended or forgotten meanwhile, and stays as it is.
                    Ok(false) => self.set_aside(id)?,
                    Err(error) if error.kind == ErrorKind::Unavailable => return Err(error.into()),
                    Err(error) => {
                        log::error!("attempt {id} was not marked as interrupted: {error}");
                        self.set_aside(id)?;
                    }
                }
            }
            if count > 0 {
                log::warn!("{count} attempts were interrupted by the end of an earlier run");
            }
            if all_read {
                return Ok(());
            }
        }
    }

    fn set_aside(&self, attempt_id: i64) -> Result<()> {
        self.write(|tx| Ok(Outcome::Changed(tx.mark_open_attempt(attempt_id)?)))
    }

    /// Stores how a goal ended. Answers whether it was open; the end of one that was ended, or deleted, is
    /// not stored.
    ///
    /// # Errors
    /// `unavailable` while the store cannot be written, or an update of it waits; `refused` when its result holds
    /// what is never stored.
    pub fn end_goal(&self, end: GoalEnd) -> Result<bool, ApiError> {
        self.refuse_while_update_waits(end.attempt_id)?;
        self.operations.end_goal(end)
    }

    /// Writes into an attempt that nobody tells of its goal any more. It stays open: its server may come back.
    /// Answers whether it was open.
    ///
    /// # Errors
    /// `unavailable` while the store cannot be written, or an update of it waits.
    pub fn interrupt_goal(&self, attempt_id: i64, reason: &str) -> Result<bool, ApiError> {
        self.refuse_while_update_waits(attempt_id)?;
        self.operations.interrupt_goal(attempt_id, reason)
    }

    /// An update that waits would be stored over the end or the mark, with what its caller knew before.
    fn refuse_while_update_waits(&self, attempt_id: i64) -> Result<(), ApiError> {
        if !self.has_waiting_update(attempt_id) {
            return Ok(());
        }
        Err(ApiError::unavailable(format!(
            "attempt_id: an update of attempt {attempt_id} waits to be stored; try again"
        )))
    }
}
