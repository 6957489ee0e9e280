//! The floor of what happens over time: the door to the operations, the write queue, who does jobs, upkeep,
//! schedule, retention, backups, and repair.

mod backups;
mod deletions;
mod full_export;
mod health;
mod index_bounds;
mod interrupted;
mod jobs;
mod known;
mod lessons;
mod maintenance_reports;
mod open;
mod pictures;
mod pin_snapshot;
mod queued;
mod queued_event;
mod recording;
mod recovery;
mod replace;
mod replay;
mod report;
mod restore_backup;
mod retention;
mod schedule;
mod side_files;
mod similar_pairs;
mod status;
mod suspected;
mod unwritable;
mod upkeep;
mod vectors;
mod waiting_writes;

pub use health::{EmbedderState, Health};
pub use jobs::{ImportFault, Importer, JobControl, JobDecision, JobLease};
pub use maintenance_reports::{MaintenanceReport, MaintenanceReports};
pub use open::Opened;
pub use pictures::PicturesHealth;
pub use queued::WriteQueueHealth;
pub use recovery::RecoveryReport;
pub use retention::EventsHealth;
pub use schedule::ScheduleState;

use crate::operations::check;
use crate::{Error, Operations, Result, Run};
use index_bounds::IndexBounds;
use known::SideRecord;
use maintenance_reports::ReportListeners;
use queued::WaitingWrites;
use recovery::RecoveryState;
use retention::Retention;
use robot_memory_core::api::{ApiError, ErrorKind, Operation, StorableTexts};
use schedule::NothingDue;
use std::ops::Deref;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, Mutex, RwLock};

/// Bytes of the texts of a request of which a copy is kept, for when it meets a bad row.
const REPEATED_BYTES_MAX: usize = 64 * 1024;

/// The memory of one robot, open.
pub struct Engine {
    operations: Operations,
    /// The last row that was looked at for a missing vector; 0 to begin anew.
    embed_after: AtomicI64,
    /// The last row whose signature of another version was made again.
    signatures_after: AtomicI64,
    /// The writes that wait until the store can be written.
    waiting: WaitingWrites,
    index_bounds: IndexBounds,
    retention: Mutex<Retention>,
    reports: ReportListeners,
    nothing_due: NothingDue,
    /// Who imports bags, when somebody does.
    importer: RwLock<Option<Arc<dyn Importer>>>,
    recovery: RecoveryState,
    noted: SideRecord,
}

impl Deref for Engine {
    type Target = Operations;

    fn deref(&self) -> &Operations {
        &self.operations
    }
}

/// What an operation needs of this floor is added to it elsewhere: then it has a `Run` of its own.
impl<Op: Operation> Run<Op> for Engine
where
    Operations: Run<Op>,
{
    fn run(&self, request: Op::Request) -> Result<Op::Response> {
        self.operations.run(request)
    }
}

impl Engine {
    /// Does one operation, unless its request holds what is never stored. What it answers with `Ok`
    /// is on disk; with an error nothing was changed (but by ClearMemories, whose error says how far
    /// it came).
    pub fn call<Op: Operation>(&self, request: Op::Request) -> Result<Op::Response, ApiError>
    where
        Self: Run<Op>,
    {
        // What is too long is not even looked at.
        let admitted = check::lengths(&request).and_then(|()| self.secrets().check(&request));
        let outcome = match admitted {
            Ok(()) => self.run_with_repair::<Op>(request),
            Err(refused) => Err(refused.into()),
        };
        outcome.map_err(|error| {
            let error = ApiError::from(error).shortened();
            match error.kind {
                ErrorKind::Internal => log::error!("{}: {}", Op::NAME, error.message),
                ErrorKind::Unavailable => log::warn!("{}: {}", Op::NAME, error.message),
                _ => log::debug!("{}: {}", Op::NAME, error.kind),
            }
            error
        })
    }

    /// Does it, and once more when it met a bad row and that was repaired at once. Of a long request no copy
    /// is kept for that: its caller is asked to call again.
    fn run_with_repair<Op: Operation>(&self, request: Op::Request) -> Result<Op::Response>
    where
        Self: Run<Op>,
    {
        let bytes: usize = request.texts().map(|(_, given)| given.as_str().len()).sum();
        let again = (bytes <= REPEATED_BYTES_MAX).then(|| request.clone());
        match (self.run(request), again) {
            (Err(Error::Store(fault)), again) if self.follow_fault(&fault) => match again {
                Some(again) => self.run(again),
                None => Err(Error::unavailable("a damaged row was found and repaired: call again")),
            },
            (outcome, _) => outcome,
        }
    }
}
