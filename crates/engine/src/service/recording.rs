//! Events that the streams heard: stored, or put into the write queue; and batches, which do not wait.

use super::queued_event::event_draft;
use crate::{Engine, Error, Recorded, Recording, Result};
use robot_memory_core::api::{ApiError, SavePerceptionRequest, SavePerceptionResponse};
use robot_memory_core::limits::BATCH_MAX;

impl Engine {
    /// Stores events, one memory each, with one wait for the disk, at most [`BATCH_MAX`]; answers each
    /// in its place. An event whose key is known already stores nothing. One that is refused leaves
    /// the others as they are. When the whole fails, nothing was stored. Those that the store cannot take
    /// wait in the write queue, when there is one and they are of no session.
    pub fn record(
        &self,
        recordings: Vec<Recording>,
    ) -> Result<Vec<Result<Recorded, ApiError>>, ApiError> {
        if recordings.len() > BATCH_MAX {
            return Err(ApiError::invalid_argument(format!(
                "a batch has at most {BATCH_MAX} events, got {}",
                recordings.len()
            )));
        }
        // Those of a bag come again with it, and their session would have ended.
        let may_wait = recordings.iter().all(|recording| recording.session_id.is_none());
        if self.must_queue() {
            if !may_wait {
                return Err(ApiError::unavailable(
                    "the store cannot be written, or others wait to be stored; events of a session \
                     do not wait",
                ));
            }
            return Ok(self.queue_events(recordings)?);
        }
        let kept = (may_wait && self.has_queue()).then(|| recordings.clone());
        match (self.record_now(recordings), kept) {
            (Err(error), Some(kept)) if self.may_wait_for(&error) => Ok(self.queue_events(kept)?),
            (outcome, _) => Ok(outcome?),
        }
    }

    /// Puts events into the write queue, but for those that are stored or wait already.
    fn queue_events(&self, recordings: Vec<Recording>) -> Result<Vec<Result<Recorded, ApiError>>> {
        let events = recordings.iter().map(|recording| &recording.event);
        // Where that cannot be read it is found out when they are stored.
        let known = self.memories_of(events).unwrap_or_else(|_| vec![None; recordings.len()]);
        let mut answers = Vec::with_capacity(recordings.len());
        let mut drafts = Vec::new();
        for (recording, known) in recordings.into_iter().zip(known) {
            if let Some(memory_id) = known {
                answers.push(Ok(Recorded { memory_id, is_first: false }));
                continue;
            }
            let checked = self.check_event(recording.clone());
            let draft = checked.and_then(|it| event_draft(&recording, it.at()));
            answers.push(match draft {
                Ok(draft) => {
                    let is_first = !self.is_queued(&draft.key);
                    drafts.push(draft);
                    Ok(Recorded { memory_id: 0, is_first })
                }
                Err(Error::Api(refused)) => Err(refused),
                Err(error) => return Err(error),
            });
        }
        self.queue_all(drafts)?;
        Ok(answers)
    }

    /// Stores many perceptions with one wait for the disk, at most [`BATCH_MAX`]; answers each in
    /// its place. One that is refused leaves the others as they are. When the whole fails, nothing
    /// was stored. They never wait in the write queue: while others do, they are `unavailable`.
    pub fn save_perceptions(
        &self,
        requests: Vec<SavePerceptionRequest>,
    ) -> Result<Vec<Result<SavePerceptionResponse, ApiError>>, ApiError> {
        if requests.len() > BATCH_MAX {
            return Err(ApiError::invalid_argument(format!(
                "a batch has at most {BATCH_MAX} perceptions, got {}",
                requests.len()
            )));
        }
        if self.must_queue() {
            return Err(ApiError::unavailable(
                "the store cannot be written, or others wait to be stored; a batch does not wait",
            ));
        }
        Ok(self.store_perceptions(requests)?)
    }
}
