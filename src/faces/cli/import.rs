//! `memory import`: what happened in recorded bags, remembered as the node would have.
//!
//! The messages go through the same recorder, in the order in which they were received. Each event
//! has a key of its own, so that an import that was interrupted is simply done again.

mod parameters;
mod progress;
mod report;

use super::arguments::{ImportArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::{load_model, open_writing, secrets};
use super::output::Output;
use crate::faces::import::{Import, ImportError, Target};
use crate::faces::paths::Folders;
use progress::Progress;
use report::{show, show_events};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_engine::Engine;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The time of the bag that is being read.
#[derive(Debug, Default)]
struct BagClock(AtomicI64);

impl BagClock {
    fn set(&self, now: Stamp) {
        self.0.store(now.0, Ordering::Relaxed);
    }
}

impl Clock for BagClock {
    fn now(&self) -> Option<Stamp> {
        Some(Stamp(self.0.load(Ordering::Relaxed)))
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// Imports each bag; one that cannot be opened does not keep the others from it.
pub fn run(arguments: &ImportArguments, mut store: StoreArguments, output: &mut Output) -> Outcome {
    let folders = Folders::from_environment();
    let parameters = parameters::read(arguments, &folders)?;
    parameters::complete(&parameters, &mut store, &folders)?;
    let clock = Arc::new(BagClock::default());
    let secrets = secrets(&parameters.settings)?;
    let engine = if arguments.dry_run {
        None
    } else {
        let engine =
            open_writing(&store, &parameters.settings, Arc::clone(&clock) as Arc<dyn Clock>)?;
        load_model(&engine, &store, &parameters.settings)?;
        Some(engine)
    };
    let target = match &engine {
        Some(engine) => Target::Store { engine, keeps_up: true },
        None => Target::DryRun(&secrets),
    };
    let import = Import {
        parameters: &parameters,
        from: arguments.from,
        until: arguments.until,
        has_sessions: !arguments.no_session,
    };
    let outcome = bags(&import, arguments, target, &clock, output);
    let closed = engine.as_ref().map_or(Ok(()), Engine::close);
    outcome?;
    Ok(closed?)
}

fn bags(
    import: &Import<'_>,
    arguments: &ImportArguments,
    target: Target<'_>,
    clock: &Arc<BagClock>,
    output: &mut Output,
) -> Outcome {
    let mut damaged = Vec::new();
    let mut failed: Option<Failure> = None;
    for path in &arguments.bags {
        let (report, events) = match import.bag(path, target, &mut Progress::new(clock)) {
            Ok(done) => done,
            Err(ImportError::Call(error)) => return Err(error.into()),
            Err(error) => {
                if let Some(earlier) = failed.replace(error.into()) {
                    earlier.print();
                }
                continue;
            }
        };
        if report.is_damaged() {
            damaged.push(path.display().to_string());
        }
        if arguments.dry_run {
            show_events(&events, output)?;
        }
        show(&report, output)?;
    }
    match (failed, damaged.as_slice()) {
        (Some(failure), _) => Err(failure),
        (None, []) => Ok(()),
        (None, damaged) => Err(Failure::Damaged(damaged.join(", "))),
    }
}
