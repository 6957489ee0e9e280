//! A verified copy of the store, made while others write.

use super::{Fault, JobRun, Step};
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::model::JobProgress;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// Of how many parts it tells that they are done.
const REPORTED_PARTS: u64 = 10;

impl JobRun<'_> {
    pub(super) fn back_up(&self) -> Result<(), Fault> {
        let mut fault = None;
        let mut reported = 0;
        let mut progress = |done: u64, total: u64| {
            let part = done * REPORTED_PARTS / total.max(1);
            let asked = if part > reported {
                reported = part;
                self.tell_copied(done, total)
            } else {
                self.pause()
            };
            match asked {
                Ok(()) => ControlFlow::Continue(()),
                Err(stopped) => {
                    fault = Some(stopped);
                    ControlFlow::Break(())
                }
            }
        };
        let made = self.engine.make_backup(None, &mut progress);
        if let Some(fault) = fault {
            return Err(fault);
        }
        let made = made.map_err(why)?.ok_or_else(|| Fault::Retry("it was not finished".into()))?;
        let (removed_count, oldest_revision) = self.engine.prune_backups();
        let result = json!({
            "name": made.name,
            "bytes": made.bytes,
            "memory_count": made.memory_count,
            "verified": made.is_verified,
            "removed_count": removed_count,
        });
        self.commit(
            |tx| {
                if let Some(revision) = oldest_revision {
                    tx.forget_outdated(revision)?;
                }
                Ok(result)
            },
            |result| Step::Done(result),
        )?;
        Ok(())
    }

    /// Writes down how far it is. It begins anew after a break.
    fn tell_copied(&self, done: u64, total: u64) -> Result<(), Fault> {
        let progress = JobProgress { step: "copy".into(), done, total };
        self.commit(|_| Ok((progress, Value::Null)), |(progress, at)| Step::More(progress, at))?;
        self.pause()
    }
}

/// The texts of these errors name files and counts, and nothing that is stored.
fn why(error: ApiError) -> Fault {
    match error.kind {
        // Tomorrow's will find out whether there is room again.
        ErrorKind::Unavailable => Fault::Fatal(error.message),
        _ => Fault::Retry(error.message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_not_asked_again_and_again() {
        assert!(matches!(why(ApiError::unavailable("no room")), Fault::Fatal(_)));
    }
}
