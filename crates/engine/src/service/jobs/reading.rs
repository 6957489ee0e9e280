//! What a job was told, and from where it goes on, as values.

use super::{Fault, JobRun};
use serde::de::DeserializeOwned;

impl JobRun<'_> {
    /// What the job needs to know.
    pub(super) fn payload<T: DeserializeOwned>(&self) -> Result<T, Fault> {
        let payload = self.lease.job.payload.as_str();
        let payload = if payload.is_empty() { "{}" } else { payload };
        serde_json::from_str(payload)
            .map_err(|error| Fault::Fatal(format!("its payload cannot be read: {error}")))
    }

    /// From where an earlier attempt said that the job goes on; the beginning when it said nothing that
    /// this version understands: what is done already is found done.
    pub(super) fn begun_with<T: DeserializeOwned + Default>(&self) -> Result<T, Fault> {
        let position = self.position()?;
        Ok(position.and_then(|position| serde_json::from_value(position).ok()).unwrap_or_default())
    }
}
