//! Indexes and orders the memories of one scope anew.

use super::{Fault, JobRun};

impl JobRun<'_> {
    pub(super) fn rebuild_scope(&self) -> Result<(), Fault> {
        Err(Fault::Fatal("not there yet".into()))
    }
}
