//! Fills in missing vectors.

use super::{Fault, JobRun};

impl JobRun<'_> {
    pub(super) fn fill_in_vectors(&self) -> Result<(), Fault> {
        Err(Fault::Fatal("not there yet".into()))
    }
}
