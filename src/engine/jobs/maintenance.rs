//! Looks after the memories of one scope.

use super::{Fault, JobRun};

impl JobRun<'_> {
    pub(super) fn maintain(&self) -> Result<(), Fault> {
        Err(Fault::Fatal("not there yet".into()))
    }
}
