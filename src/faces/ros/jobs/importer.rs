//! What the jobs that import a bag do.

use crate::faces::import::{Import, ImportError, Pace, Parameters, Target, Watch};
use robot_memory_core::api::{ApiError, ErrorKind};
use robot_memory_core::model::{JobProgress, Stamp};
use robot_memory_engine::{Engine, ImportFault, Importer, JobDecision};
use std::path::Path;

/// Imports bags as this node hears topics.
pub(in crate::faces::ros) struct BagImporter(pub Parameters);

impl Importer for BagImporter {
    fn import(
        &self,
        engine: &Engine,
        path: &Path,
        collection: &str,
        on_progress: &mut dyn FnMut(&JobProgress) -> JobDecision,
    ) -> Result<serde_json::Value, ImportFault> {
        let mut parameters = self.0.clone();
        if !collection.is_empty() {
            collection.clone_into(&mut parameters.settings.default_collection);
        }
        let import =
            Import { parameters: &parameters, from: None, until: None, has_sessions: true };
        let target = Target::Store { engine, keeps_up: false };
        let (report, _) =
            import.bag(path, target, &mut ProgressWatch(on_progress)).map_err(fault)?;
        Ok(report.json())
    }
}

fn fault(error: ImportError) -> ImportFault {
    match error {
        ImportError::Call(ApiError {
            kind: ErrorKind::Unavailable | ErrorKind::Internal, ..
        })
        | ImportError::Stopped => ImportFault::Passing(error.to_string()),
        ImportError::Call(_) | ImportError::Bag(_) | ImportError::NothingHeard { .. } => {
            ImportFault::Lasting(error.to_string())
        }
    }
}

/// Tells the job how far it is.
struct ProgressWatch<'a>(&'a mut dyn FnMut(&JobProgress) -> JobDecision);

impl Watch for ProgressWatch<'_> {
    fn begin(&mut self, _path: &Path, _span: Option<(Stamp, Stamp)>) {}

    fn look(&mut self, pace: Pace) -> bool {
        // What the bag counts may be too little.
        let total = if pace.expected == 0 { 0 } else { pace.expected.max(pace.messages) };
        let progress = JobProgress { step: "messages".to_owned(), done: pace.messages, total };
        (self.0)(&progress) == JobDecision::On
    }

    fn end(&mut self) {}
}
