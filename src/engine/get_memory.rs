//! GetMemory: show one memory with all that the store keeps of it.

use super::{Engine, Result, Run, check};
use crate::api::{ApiError, GetMemory, GetMemoryRequest, StoredMemory};
use crate::store::{self, ReadTx};

impl Run<GetMemory> for Engine {
    fn run(&self, request: GetMemoryRequest) -> Result<StoredMemory> {
        let GetMemoryRequest { memory_id, include_data, include_embedding, scope, agent } = request;
        self.check_agent(&agent)?;
        let id = check::memory_id(memory_id)?;
        let sight = self.sight_of_one(&agent, &scope)?;
        self.store.read(|tx| {
            let found = stored(tx, id, include_data, include_embedding)?;
            let seen = found.filter(|it| sight.sees(&it.memory.scope, it.memory.mem_type));
            seen.ok_or_else(|| {
                ApiError::not_found(format!("memory_id: there is no memory {id}")).into()
            })
        })
    }
}

/// The memory of this id, of any status.
pub(super) fn stored(
    tx: &ReadTx<'_>,
    id: i64,
    with_data: bool,
    with_embedding: bool,
) -> store::Result<Option<StoredMemory>> {
    let Some(memory) = tx.memory(id, with_data)? else { return Ok(None) };
    let (invalidated_reason, invalidated_at) = tx.invalidation(id)?;
    let (embedding_model, embedding) = tx.embedding(id, with_embedding)?;
    Ok(Some(StoredMemory {
        memory,
        invalidated_reason,
        invalidated_at,
        superseded_rule: None,
        superseded_why: String::new(),
        supersedes: Vec::new(),
        children: Vec::new(),
        limits: Vec::new(),
        history: Vec::new(),
        embedding_model,
        embedding,
    }))
}
