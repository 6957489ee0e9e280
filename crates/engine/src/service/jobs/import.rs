//! Remembers what happened in a recorded bag. How a bag is heard is not the engine's: it is given.

use super::{Fault, JobDecision, JobRun, Step};
use crate::Engine;
use robot_memory_core::model::JobProgress;
use robot_memory_db::RwLocked;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// Remembers a bag.
pub trait Importer: Send + Sync {
    /// Remembers what happened in the bag at `path`, in this collection (empty: the default one), and
    /// says now and then how far it is; it must end soon when that is answered with anything but
    /// [`JobDecision::On`]. What was remembered before must not be remembered twice. Answers a report, a JSON
    /// object.
    ///
    /// # Errors
    /// Why it could not be done; the text names no content.
    fn import(
        &self,
        engine: &Engine,
        path: &Path,
        collection: &str,
        on_progress: &mut dyn FnMut(&JobProgress) -> JobDecision,
    ) -> Result<Value, ImportFault>;
}

/// Why a bag was not imported to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportFault {
    /// It may go better next time.
    Passing(String),
    /// It will never go better.
    Lasting(String),
}

impl Engine {
    /// Who imports bags; without, jobs that are to fail.
    pub fn set_importer(&self, importer: Arc<dyn Importer>) {
        *self.importer.write_locked() = Some(importer);
    }
}

impl JobRun<'_> {
    pub(super) fn import(&self) -> Result<(), Fault> {
        let importer = self.engine.importer.read_locked().clone();
        let importer =
            importer.ok_or_else(|| Fault::Fatal("this program imports no bags".into()))?;
        let payload: Value = serde_json::from_str(&self.lease.job.payload).unwrap_or_default();
        let [Some(path), Some(collection)] =
            ["path", "collection"].map(|field| payload.get(field).and_then(Value::as_str))
        else {
            return Err(Fault::Fatal("its payload names no bag".into()));
        };
        let mut stopped = None;
        let mut on_progress = |progress: &JobProgress| match self.report_progress(progress) {
            Ok(()) => JobDecision::On,
            Err(fault) => {
                stopped = Some(fault);
                JobDecision::Yield
            }
        };
        let report = importer.import(self.engine, Path::new(path), collection, &mut on_progress);
        match (stopped, report) {
            (Some(fault), _) => Err(fault),
            (None, Ok(report)) => {
                self.commit(|_| Ok(report), |report| Step::Done(report)).map(drop)
            }
            (None, Err(ImportFault::Passing(reason))) => Err(Fault::Retry(reason)),
            (None, Err(ImportFault::Lasting(reason))) => Err(Fault::Fatal(reason)),
        }
    }

    /// Writes down how far it is. Each event is known by its key, so it begins anew after a break.
    fn report_progress(&self, progress: &JobProgress) -> Result<(), Fault> {
        let position = Value::Null;
        self.commit(|_| Ok((progress, position)), |(progress, at)| Step::More(progress, at))?;
        self.pause()
    }
}
