//! `memory mcp`

use super::arguments::{McpArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::{load_model, open_working, open_writing};
use crate::config::Settings;
use crate::faces::mcp::{self, ToolProfile};
use crate::faces::wall_clock::WallClock;
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::TOKEN_BYTES_MAX;
use robot_memory_core::regular_file;
use robot_memory_engine::{Engine, JobControl, JobDecision};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

/// Between two rounds of the work that no caller waits for.
const UPKEEP_PERIOD: Duration = Duration::from_secs(1);

/// Offers the tools until whoever calls them ends it.
pub fn run(arguments: McpArguments, store: &StoreArguments) -> Outcome {
    let McpArguments { url, token_file, agent, profile } = arguments;
    let profile = ToolProfile::spelled(&profile);
    let served = match url {
        // It is told in errors, and a log is no place for a password.
        Some(url) if url.contains('@') => {
            let told = "--url: it must hold no user and no password (@); put a token into a file, and give that \
                as --token-file";
            return Err(Failure::Given(told.to_owned()));
        }
        Some(url) => {
            let token = token_file.as_deref().map(token_of).transpose()?;
            mcp::bridge(&url, &token.unwrap_or_default(), profile)
        }
        None => {
            let settings = Settings::default();
            let engine = match profile {
                // Its maintenance is a job.
                ToolProfile::Mem0 => open_working(store, &settings, Arc::new(WallClock)),
                _ => open_writing(store, &settings, Arc::new(WallClock)),
            };
            let engine = Arc::new(engine.map_err(with_advice)?);
            load_model(&engine, store, &settings)?;
            let serve = || mcp::serve_engine(Arc::clone(&engine), agent, profile);
            let served = with_upkeep(&engine, profile == ToolProfile::Mem0, serve);
            engine.close()?;
            served
        }
    };
    served.map_err(|error| Failure::Given(format!("standard input: {error}")))
}

/// What holds the store is a node, most often.
fn with_advice(failure: Failure) -> Failure {
    match failure {
        Failure::Open(error) if error.is_in_use() => Failure::Busy(error),
        failure => failure,
    }
}

/// Does something while the work goes on that no caller waits for: upkeep, and perhaps jobs.
fn with_upkeep<T>(engine: &Engine, has_jobs: bool, work: impl FnOnce() -> T) -> T {
    let (end, ended) = sync_channel::<()>(0);
    let control = Ends(AtomicBool::new(false));
    std::thread::scope(|scope| {
        let control = &control;
        scope.spawn(move || {
            while ended.recv_timeout(UPKEEP_PERIOD) == Err(RecvTimeoutError::Timeout) {
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

/// The token in a file that nobody else may read.
fn token_of(path: &Path) -> Result<String, Failure> {
    let failure = |source: io::Error| Failure::File { path: path.to_owned(), source };
    let mode = std::fs::metadata(path).map_err(failure)?.mode();
    if mode & 0o077 != 0 {
        let open = format!("others may read it (mode {:o}); chmod 600 it", mode & 0o777);
        return Err(failure(io::Error::new(ErrorKind::PermissionDenied, open)));
    }
    regular_file::read_text(path, TOKEN_BYTES_MAX).map_err(failure)
}
