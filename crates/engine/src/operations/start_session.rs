//! StartSession: begin an episode.

use super::check;
use super::visibility::{VisibleRows, forbidden};
use crate::db::Outcome;
use crate::{Operations, Result, Run};
use robot_memory_core::api::{StartSession, StartSessionRequest, StartSessionResponse};
use robot_memory_core::limits::CONTEXT_BYTES_MAX;
use robot_memory_db::SessionDraft;
use robot_memory_index::RowSelection;
use uuid::Uuid;

impl Run<StartSession> for Operations {
    fn run(&self, request: StartSessionRequest) -> Result<StartSessionResponse> {
        let StartSessionRequest { collection, context, agent } = request;
        self.check_agent(&agent)?;
        self.access.policy.check_begin_session(&agent).map_err(forbidden)?;
        let collection = self.collection(&collection)?;
        check::object("context", &context, CONTEXT_BYTES_MAX)?;
        let now = self.now()?;
        let session_id = Uuid::new_v4().to_string();
        self.write(|tx| {
            tx.insert_session(&SessionDraft {
                session_id: &session_id,
                collection: &collection,
                agent: &agent,
                context: context.trim(),
                started_at: now,
            })?;
            Ok(Outcome::Changed(()))
        })?;
        let active_memories_count = {
            let derived = self.derived();
            let rows = &derived.rows;
            let collections = rows.names().get(&collection).into_iter().collect();
            let all = RowSelection { collections: Some(collections), ..RowSelection::default() };
            VisibleRows::of(&self.full_visibility(&agent), rows).allowed(&derived, &all).count()
        };
        Ok(StartSessionResponse { session_id, collection, active_memories_count })
    }
}
