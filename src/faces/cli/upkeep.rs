//! The work of a store that no caller waits for, of a program that has it for a while.

use crate::memory_use::MemoryUse;
use robot_memory_core::api::ApiError;
use robot_memory_engine::{Engine, JobControl, JobDecision};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Between two rounds of it.
const UPKEEP_PERIOD: Duration = Duration::from_secs(1);

/// Does something while the work goes on that no caller waits for: upkeep, and perhaps jobs.
pub fn with_upkeep<T>(engine: &Engine, has_jobs: bool, work: impl FnOnce() -> T) -> T {
    let (end, ended) = sync_channel::<()>(0);
    let control = Ends(AtomicBool::new(false));
    std::thread::scope(|scope| {
        let control = &control;
        scope.spawn(move || {
            let mut memory = MemoryUse::default();
            while ended.recv_timeout(UPKEEP_PERIOD) == Err(RecvTimeoutError::Timeout) {
                memory.look(|| control.between_steps() == JobDecision::On);
                let done = engine.upkeep();
                let done = if has_jobs {
                    done.and_then(|_| do_jobs(engine, control))
                } else {
                    done.map(drop)
                };
                if let Err(error) = done {
                    log::debug!("{error}");
                }
            }
        });
        let done = work();
        control.0.store(true, Ordering::SeqCst);
        drop(end);
        done
    })
}

/// Whether the caller is gone: a job goes back into the queue then.
struct Ends(AtomicBool);

impl JobControl for Ends {
    fn between_steps(&self) -> JobDecision {
        if self.0.load(Ordering::SeqCst) { JobDecision::Yield } else { JobDecision::On }
    }
}

/// Does the jobs that can be done now. Nobody else takes them: no lease needs to be renewed.
fn do_jobs(engine: &Engine, control: &Ends) -> Result<(), ApiError> {
    while control.between_steps() == JobDecision::On {
        let Some(lease) = engine.claim_job(0)? else { return Ok(()) };
        let job = engine.work(&lease, control)?;
        log::debug!("job {} ({}): {}", job.id, job.job_type, job.status);
    }
    Ok(())
}
