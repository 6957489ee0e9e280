//! Export: hand on every memory, one at a time.

use super::check;
use super::get_memory::stored;
use super::visibility::hide_unseen;
use crate::{Operations, Result};
use robot_memory_core::api::{ApiError, ExportRequest, StoredMemory};
use std::ops::ControlFlow;

impl Operations {
    /// Calls `each` with the memories that are asked for and that the caller may read, in order of id,
    /// with their data, all of one snapshot, until it breaks. Answers how many it was called with.
    ///
    /// While it runs, the store's log cannot be brought into its file: let `each` be quick, or the
    /// log grows with what is written meanwhile.
    ///
    /// # Errors
    /// When the request is not well formed or the store cannot be read; `each` may have been called
    /// before.
    pub fn export(
        &self,
        request: ExportRequest,
        each: &mut dyn FnMut(StoredMemory) -> ControlFlow<()>,
    ) -> Result<u64, ApiError> {
        Ok(self.export_each(request, each)?)
    }

    fn export_each(
        &self,
        request: ExportRequest,
        each: &mut dyn FnMut(StoredMemory) -> ControlFlow<()>,
    ) -> Result<u64> {
        let ExportRequest { mut collections, all_statuses, include_embedding, agent } = request;
        self.check_agent(&agent)?;
        let visibility = self.visibility_of_one(&agent, "")?;
        check::names("collections", &collections)?;
        if collections.iter().any(|name| name == "*") {
            if collections.len() > 1 {
                return Err(check::invalid("collections: * is all of them and stands alone"));
            }
            collections.clear();
        }
        self.store.read(|tx| {
            let mut count = 0;
            tx.each_id(&collections, all_statuses, |id| {
                let found = stored(tx, id, true, include_embedding)?;
                let seen = found.filter(|it| visibility.sees(&it.memory.scope, it.memory.mem_type));
                let Some(mut memory) = seen else { return Ok(ControlFlow::Continue(())) };
                hide_unseen(tx, &mut memory.memory, &visibility)?;
                let memory = self.with_tellers(tx, self.with_forgetting(memory, &visibility))?;
                count += 1;
                Ok(each(memory))
            })?;
            Ok(count)
        })
    }
}
