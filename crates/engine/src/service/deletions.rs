//! DeleteMemory, ClearMemories: with what belongs to a deleted memory and is no row.

use crate::{Engine, Result, Run};
use robot_memory_core::api::{
    ClearMemories, ClearMemoriesRequest, ClearMemoriesResponse, DeleteMemory, DeleteMemoryRequest,
    DeleteMemoryResponse,
};

impl Run<DeleteMemory> for Engine {
    fn run(&self, request: DeleteMemoryRequest) -> Result<DeleteMemoryResponse> {
        let memory_id = request.memory_id;
        let deleted = self.delete_memory(request)?;
        let clip_deleted = !deleted.clip.is_empty();
        self.follow_deleted(&[deleted]);
        self.erase_deleted();
        Ok(DeleteMemoryResponse {
            status: "deleted".into(),
            memory_id,
            clip_deleted,
            backups_until: self.backups_until(),
        })
    }
}

impl Run<ClearMemories> for Engine {
    fn run(&self, request: ClearMemoriesRequest) -> Result<ClearMemoriesResponse> {
        let response = self.clear_memories(request, &|deleted| self.follow_deleted(deleted))?;
        // One that was made meanwhile counts.
        Ok(ClearMemoriesResponse { backups_until: self.backups_until(), ..response })
    }
}
