//! What the streams heard becomes memories.

use super::promote_working;
use super::save_perception::CheckedPerception;
use super::sessions::unknown_session;
use crate::db::{Outcome, WriteTx};
use crate::{Error, Operations, Result};
use robot_memory_core::access::Visibility;
use robot_memory_core::api::{ApiError, SavePerceptionRequest, StartSessionRequest};
use robot_memory_core::event::Event;
use robot_memory_core::limits::PAGE_MAX;
use robot_memory_core::model::{Session, SessionStatus, Stamp};
use robot_memory_db::{EventDraft, SessionDraft};
use robot_memory_index::Change;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::mem::take;
use uuid::Uuid;

/// An event, and what only the face knows of it; as JSON, a line of the write queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// What happened. Its clip's messages are not looked at.
    #[serde(flatten)]
    pub event: Event,
    /// `sim` or `real`, for `context.env.sim_or_real`; empty: as the configuration says.
    pub sim_or_real: String,
    /// The session it belongs to; `None`: the one that is open in its collection at its end, if any.
    pub session_id: Option<String>,
    /// File of the clip, below the folder of clips, and its bytes.
    pub clip: Option<(String, u64)>,
    /// When it came to be known, of what was recorded before or elsewhere; `None`: when it happened. Its
    /// confidence fades and its age counts from then on.
    #[serde(alias = "fades_from")]
    pub known_at: Option<Stamp>,
}

/// Where an event went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// Its memory; 0: it waits in the write queue, and is stored when the store can be written.
    pub memory_id: i64,
    /// Whether it was stored or queued now; else it had been before, and nothing was changed.
    pub is_first: bool,
}

/// An event that was checked and embedded, and is not stored yet.
pub(crate) struct CheckedEvent {
    perception: CheckedPerception,
    data_bytes: u64,
    has_session: bool,
    recording: Recording,
}

impl CheckedEvent {
    /// When it happened.
    pub(crate) fn at(&self) -> Stamp {
        self.perception.now
    }
}

impl Operations {
    /// Stores events, one memory each, with one wait for the disk; answers each in its place.
    pub(crate) fn record_now(
        &self,
        recordings: Vec<Recording>,
    ) -> Result<Vec<Result<Recorded, ApiError>>> {
        let known = self.memories_of(recordings.iter().map(|recording| &recording.event))?;
        let mut answers: Vec<Option<Result<Recorded, ApiError>>> = known
            .iter()
            .map(|known| known.map(|memory_id| Ok(Recorded { memory_id, is_first: false })))
            .collect();
        let unknown: Vec<_> = recordings
            .into_iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none())
            .map(|(recording, _)| self.check_event(recording))
            .collect();
        if !unknown.is_empty() {
            let stored = self.write_each(unknown, |tx, checked| self.store_event(tx, checked))?;
            let places = answers.iter_mut().filter(|answer| answer.is_none());
            for (place, answer) in places.zip(stored) {
                *place = Some(answer);
            }
        }
        Ok(answers.into_iter().flatten().collect())
    }

    /// The memories of events that were stored before, each in its place.
    pub fn recorded(&self, events: &[Event]) -> Result<Vec<Option<i64>>, ApiError> {
        Ok(self.memories_of(events.iter())?)
    }

    /// The open session with this context that [`begin_recorded_session`](Self::begin_recorded_session)
    /// began: that of an import which did not come to its end.
    pub fn open_recorded_session(
        &self,
        collection: &str,
        context: &Value,
    ) -> Result<Option<String>, ApiError> {
        let is_same = |session: &Session| {
            serde_json::from_str::<Value>(&session.context).is_ok_and(|given| given == *context)
        };
        let open = SessionStatus::Open.as_str();
        let found: Result<Option<Session>> = self.store.read(|tx| {
            let mut offset = 0;
            loop {
                let (page, total) = tx.sessions(collection, open, None, PAGE_MAX, offset)?;
                let found = page.into_iter().find(is_same);
                offset += PAGE_MAX;
                if found.is_some() || u64::from(offset) >= total {
                    return Ok(found);
                }
            }
        });
        Ok(found?.map(|session| session.session_id))
    }

    /// Begins a session for what is recorded from a bag, at the bag's time. Though it is open, what is
    /// stored without a session does not become part of it.
    pub fn begin_recorded_session(
        &self,
        collection: &str,
        context: &Value,
        at: Stamp,
    ) -> Result<String, ApiError> {
        let request = StartSessionRequest {
            collection: collection.to_owned(),
            context: context.to_string(),
            agent: String::new(),
        };
        self.secrets().check(&request)?;
        let session_id = Uuid::new_v4().to_string();
        self.write(|tx| {
            tx.insert_recorded_session(&SessionDraft {
                session_id: &session_id,
                collection: &self.collection(&request.collection)?,
                agent: "",
                context: &request.context,
                started_at: at,
            })?;
            Ok(Outcome::Changed(()))
        })?;
        Ok(session_id)
    }

    /// Ends a session whose events were recorded from a bag, at the bag's time; one that has ended
    /// stays as it is. Unlike EndSession it lets no confidence fade: the time of a bag is not that of
    /// the store, and a bag of a later year, or with a wrong clock, would have all else forgotten. Its
    /// working memories are promoted or archived as by EndSession.
    pub fn end_recorded_session(&self, session_id: &str, at: Stamp) -> Result<(), ApiError> {
        Ok(self.with_accesses(|write_accesses| {
            self.write(|tx| {
                let session = tx.session(session_id)?.ok_or_else(|| unknown_session(session_id))?;
                write_accesses(tx)?;
                if session.status == SessionStatus::Open {
                    promote_working::settle(tx, session_id, None, &Visibility::Everything, "", at)?;
                    tx.end_session(session_id, None, at)?;
                }
                Ok(Outcome::Changed(()))
            })
        })?)
    }

    /// The memories of those events that are known: they need not be embedded again.
    pub(crate) fn memories_of<'a>(
        &self,
        events: impl Iterator<Item = &'a Event>,
    ) -> Result<Vec<Option<i64>>> {
        self.store.read(|tx| events.map(|event| Ok(tx.event_memory(&event.key)?)).collect())
    }

    pub(crate) fn check_event(&self, mut recording: Recording) -> Result<CheckedEvent> {
        self.secrets().check_recording(&recording)?;
        let Recording { event, sim_or_real, session_id, clip: _, known_at: _ } = &mut recording;
        let data_bytes = (event.data.len() + event.metadata.len()) as u64;
        let has_session = session_id.is_some();
        let request = SavePerceptionRequest {
            description: take(&mut event.description),
            perception_type: event.perception_type.as_str().to_owned(),
            data: take(&mut event.data),
            metadata: take(&mut event.metadata),
            context: with_origin(&event.context, sim_or_real)?,
            collection: take(&mut event.collection),
            session_id: session_id.take().unwrap_or_default(),
            importance: Some(event.importance),
            scope: self.own_scope().to_string(),
            ..SavePerceptionRequest::default()
        };
        // The event's own signature was made of all samples, not of those that are kept. Sensors need
        // no agent's name.
        let mut perception = self.check_perception(request, event.signature.take())?;
        perception.now = event.stamp;
        if perception.collection.is_empty() && !has_session {
            perception.collection = self.config.default_collection.clone();
        }
        Ok(CheckedEvent { perception, data_bytes, has_session, recording })
    }

    pub(crate) fn store_event(
        &self,
        tx: &WriteTx<'_>,
        checked: CheckedEvent,
    ) -> Result<Outcome<Recorded>> {
        let CheckedEvent { mut perception, data_bytes, has_session, recording } = checked;
        let Recording { event, clip, known_at, .. } = recording;
        if let Some(memory_id) = tx.event_memory(&event.key)? {
            return Ok(Outcome::Unchanged(Recorded { memory_id, is_first: false }));
        }
        if !has_session && let Some(open) = tx.open_session(&perception.collection, event.end)? {
            perception.origin.session_id = open;
        }
        let memory_id = match self.store_perception(tx, perception)? {
            Outcome::Changed(stored) | Outcome::Unchanged(stored) => stored.memory_id,
        };
        if let Some(known_at) = known_at {
            let belief = tx.set_known_at(memory_id, known_at)?;
            tx.index(Change::Belief { id: memory_id, belief });
        }
        tx.insert_event(&EventDraft {
            memory_id,
            key: &event.key,
            event_id: &event.event_id,
            stream: &event.stream,
            trigger: event.trigger.as_str(),
            began_at: event.stamp,
            ended_at: event.end,
            data_bytes,
            clip: clip.as_ref().map(|(file, bytes)| (file.as_str(), *bytes)),
        })?;
        Ok(Outcome::Changed(Recorded { memory_id, is_first: true }))
    }
}

/// The context with `env.sim_or_real`, unless it says that itself.
pub(super) fn with_origin(context: &str, sim_or_real: &str) -> Result<String> {
    if sim_or_real.is_empty() {
        return Ok(context.to_owned());
    }
    let mut parts: Map<String, Value> = if context.is_empty() {
        Map::new()
    } else {
        serde_json::from_str(context).map_err(|error| {
            Error::Api(ApiError::invalid_argument(format!("context: not a JSON object: {error}")))
        })?
    };
    let env = parts.entry("env").or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(env) = env {
        env.entry("sim_or_real").or_insert_with(|| sim_or_real.into());
    }
    Ok(Value::Object(parts).to_string())
}
