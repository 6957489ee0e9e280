use super::ledger_entry::ledger_entry;
use super::limit::limits as limit_messages;
use super::memory::memory as memory_message;
use super::memory_change::memory_changes;
use super::turn_source::turn_source;
use super::{Wire, failure, spelling, text, time};
use r2r::robot_memory::srv::GetMemory as srv;
use robot_memory_core::api::{ApiError, GetMemory, GetMemoryRequest, StoredMemory};

/// GetMemory.srv
pub(in crate::faces::ros) struct GetMemoryWire;

impl Wire for GetMemoryWire {
    type Op = GetMemory;
    type Srv = srv::Service;

    fn decode(message: srv::Request) -> Result<GetMemoryRequest, ApiError> {
        let srv::Request { memory_id, include_data, include_embedding, scope, agent } = message;
        Ok(GetMemoryRequest { memory_id, include_data, include_embedding, scope, agent })
    }

    fn encode(outcome: Result<StoredMemory, ApiError>) -> srv::Response {
        let StoredMemory {
            memory,
            invalidated_reason,
            invalidated_at,
            superseded_rule,
            superseded_why,
            supersedes,
            children,
            limits,
            turns,
            ledger,
            fades,
            retention,
            half_life_days,
            archives_at,
            history,
            embedding_model,
            embedding,
        } = match outcome {
            Ok(response) => response,
            Err(failed) => {
                let (error_code, error) = failure(failed);
                return srv::Response { error_code, error, ..Default::default() };
            }
        };
        srv::Response {
            success: true,
            error_code: String::new(),
            error: String::new(),
            memory: memory_message(memory),
            invalidated_reason: text(invalidated_reason),
            invalidated_at: time(invalidated_at),
            superseded_rule: spelling(superseded_rule),
            superseded_why: text(superseded_why),
            supersedes,
            children,
            limits: limit_messages(limits),
            turns: turns.into_iter().map(turn_source).collect(),
            ledger: ledger.into_iter().map(ledger_entry).collect(),
            fades,
            retention,
            half_life_days,
            archives_at: time(archives_at),
            history: memory_changes(history),
            embedding_model: text(embedding_model),
            embedding,
        }
    }
}
