//! Adopt: what other robots told becomes a memory of this robot's own.

use super::super::check;
use super::super::visibility::seen_memory;
use crate::db::Outcome;
use crate::{Error, Operations, Result, Run};
use robot_memory_core::api::{Adopt, AdoptRequest, AdoptResponse, LearnRequest, LearnStatus};
use robot_memory_core::limits::FLEET_TELLERS_READ_MAX;
use robot_memory_core::model::{Memory, Scope, Status};
use robot_memory_db::{Hearsay, ReadTx};

impl Run<Adopt> for Operations {
    fn run(&self, request: AdoptRequest) -> Result<AdoptResponse> {
        let AdoptRequest { memory_id, scope, agent } = request;
        self.check_agent(&agent)?;
        let heard_id = check::memory_id(memory_id)?;
        let visibility = self.visibility_of_one(&agent, "")?;
        let not_told = || {
            Error::invalid_state(format!(
                "memory_id: memory {heard_id} is none that other robots tell"
            ))
        };
        let heard = |tx: &ReadTx<'_>| -> Result<Memory> {
            let heard = seen_memory(tx.memory(heard_id, false)?, &visibility, heard_id)?;
            let is_told = heard.scope == Scope::Fleet && heard.status == Status::Active;
            if is_told { Ok(heard) } else { Err(not_told()) }
        };
        let told = self.store.read(heard)?;
        let checked = self.check_learn(LearnRequest {
            insight: told.content,
            context: told.context,
            collection: told.collection,
            mem_type: told.mem_type.to_string(),
            scope,
            agent,
            ..LearnRequest::default()
        })?;
        self.write(|tx| {
            // It may have been forgotten meanwhile.
            heard(tx)?;
            let tellers = tx.tellers(heard_id, FLEET_TELLERS_READ_MAX)?;
            if tellers.is_empty() {
                return Err(not_told());
            }
            let transfer = self.told_by(tx, heard_id, &Scope::Fleet)?.transfer;
            for adopted_id in tellers.iter().filter_map(|it| it.adopted_id) {
                if tx.memory(adopted_id, false)?.is_some_and(|it| it.status == Status::Active) {
                    let existing_id = adopted_id;
                    return Ok(Outcome::Unchanged(AdoptResponse {
                        memory_id: 0,
                        existing_id,
                        truncated: false,
                        transfer,
                    }));
                }
            }
            let outcome = self.store_learn(tx, checked)?;
            let (Outcome::Changed(stored) | Outcome::Unchanged(stored)) = &outcome;
            let response = AdoptResponse {
                memory_id: stored.memory_id,
                existing_id: stored.existing_id,
                truncated: stored.truncated,
                transfer,
            };
            if stored.status == LearnStatus::Created {
                for teller in tellers {
                    tx.put_hearsay(&Hearsay { adopted_id: Some(stored.memory_id), ..teller })?;
                }
            }
            Ok(Outcome::of(matches!(outcome, Outcome::Changed(_)), response))
        })
    }
}
