//! RestoreMemory: take an archived memory back.

use super::check;
use super::index_entry::index_entry;
use super::visibility::seen_memory;
use crate::db::{Outcome, row_tokens};
use crate::{Error, Operations, Result, Run};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{
    Operation, RestoreMemory, RestoreMemoryRequest, RestoreMemoryResponse,
};
use robot_memory_core::limits::RESTORE_REASON_CHARS_MAX;
use robot_memory_core::model::{LedgerChange, Level, Memory, SessionStatus, Status};
use robot_memory_core::picture;
use robot_memory_db::{LedgerNote, ReadTx};
use robot_memory_text::inference;

impl Run<RestoreMemory> for Operations {
    fn run(&self, request: RestoreMemoryRequest) -> Result<RestoreMemoryResponse> {
        let RestoreMemoryRequest { memory_id, reason, scope, agent } = request;
        self.check_agent(&agent)?;
        let id = check::memory_id(memory_id)?;
        let visibility = self.visibility_of_one(&agent, &scope)?;
        let cause = cause(&reason)?;
        let now = self.now()?;
        // The vector is made before the store is held.
        let content = self.store.read(|tx| self.restorable(tx, id, &visibility, &agent))?.content;
        let vector = self.embed(&content);
        self.write(|tx| {
            let memory = self.restorable(tx, id, &visibility, &agent)?;
            tx.restore(id, now)?;
            let restored = LedgerNote {
                memory_id: id,
                change: LedgerChange::Restored,
                cause,
                agent: &agent,
                values: (Status::Archived.as_str(), Status::Active.as_str()),
                at: now,
            };
            tx.note_change(&restored)?;
            if outlives_its_session(tx, &memory)? {
                tx.promote(id)?;
                tx.note_change(&LedgerNote {
                    change: LedgerChange::Promoted,
                    cause: RestoreMemory::NAME,
                    values: (Level::Working.as_str(), Level::Knowledge.as_str()),
                    ..restored
                })?;
            }
            let Memory { content: text, context, session_id, tags, .. } = &memory;
            let tokens = row_tokens(tx, text, context, session_id, tags)?;
            tx.insert_missing_words(id, &tokens, inference::word_count(&tokens))?;
            // A summary may have been written again meanwhile: then its vector is made later.
            let vector = vector.as_ref().filter(|_| memory.content == content);
            let vector = self.put_vector(tx, id, vector)?;
            let has_embedding = vector.is_some();
            let quantity_key = tx.indexed(id)?.map_or(0, |indexed| indexed.quantity_key);
            let memory = tx.memory(id, true)?.unwrap_or(memory);
            let level = memory.level;
            let felt = self.signature_of(&memory);
            let has_picture =
                serde_json::from_str(&memory.data).is_ok_and(|data| picture::is_in(&data));
            let belief = tx.belief(id)?;
            tx.index(index_entry(memory, belief, quantity_key, tokens, Vec::new(), vector));
            if let Some(felt) = felt {
                self.put_signature(tx, id, &felt)?;
            }
            if has_picture {
                tx.insert_picture(id)?;
            }
            let status = Status::Active;
            Ok(Outcome::Changed(RestoreMemoryResponse {
                memory_id: id,
                status,
                level,
                has_embedding,
            }))
        })
    }
}

impl Operations {
    /// The memory, when it is archived, and the caller sees it and may write it.
    fn restorable(
        &self,
        tx: &ReadTx<'_>,
        id: i64,
        visibility: &Visibility,
        agent: &str,
    ) -> Result<Memory> {
        let memory = seen_memory(tx.memory(id, false)?, visibility, id)?;
        self.check_write(agent, &memory.scope, memory.mem_type)?;
        if memory.status != Status::Archived {
            return Err(Error::invalid_state(format!(
                "memory_id: memory {id} is {}, only archived memories can be restored",
                memory.status
            )));
        }
        Ok(memory)
    }
}

/// What the ledger says of why.
fn cause(reason: &str) -> Result<&str> {
    if reason.trim().is_empty() {
        return Ok(RestoreMemory::NAME);
    }
    let reason = check::text("reason", reason)?;
    check::at_most("reason", RESTORE_REASON_CHARS_MAX, "characters", reason.chars().count())?;
    Ok(reason)
}

/// Whether a row is a working memory of a session that has ended, or that is not known any more.
fn outlives_its_session(tx: &ReadTx<'_>, memory: &Memory) -> Result<bool> {
    if memory.level != Level::Working {
        return Ok(false);
    }
    let session = tx.session(&memory.session_id)?;
    Ok(session.is_none_or(|session| session.status != SessionStatus::Open))
}
