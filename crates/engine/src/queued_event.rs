//! An event as it waits in the write queue.

use super::queued::draft;
use super::{Engine, Recording, Result};
use robot_memory_core::event::{Event, Signature, SignatureKind, TriggerKind};
use robot_memory_core::model::{PerceptionType, Stamp};
use robot_memory_db::write_queue::Draft;
use serde::{Deserialize, Serialize};

/// What an event is called in the queue.
pub(super) const RECORD: &str = "record";

/// A [`Recording`], without the messages of its clip.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct QueuedEvent {
    key: String,
    event_id: String,
    stamp: Stamp,
    end: Stamp,
    stream: String,
    topic: String,
    trigger: TriggerKind,
    perception_type: PerceptionType,
    description: String,
    data: String,
    metadata: String,
    context: String,
    importance: f64,
    collection: String,
    signature: Option<(SignatureKind, Vec<f32>)>,
    sim_or_real: String,
    session_id: Option<String>,
    clip: Option<(String, u64)>,
    #[serde(alias = "fades_from")]
    known_at: Option<Stamp>,
}

impl QueuedEvent {
    pub fn of(recording: &Recording) -> Self {
        let Recording { event, sim_or_real, session_id, clip, known_at } = recording;
        let Event {
            key,
            event_id,
            stamp,
            end,
            stream,
            topic,
            trigger,
            perception_type,
            description,
            data,
            metadata,
            context,
            importance,
            collection,
            signature,
            clip: _,
        } = event;
        Self {
            key: key.clone(),
            event_id: event_id.clone(),
            stamp: *stamp,
            end: *end,
            stream: stream.clone(),
            topic: topic.clone(),
            trigger: *trigger,
            perception_type: *perception_type,
            description: description.clone(),
            data: data.clone(),
            metadata: metadata.clone(),
            context: context.clone(),
            importance: *importance,
            collection: collection.clone(),
            signature: signature.as_ref().map(|felt| (felt.kind, felt.values.clone())),
            sim_or_real: sim_or_real.clone(),
            session_id: session_id.clone(),
            clip: clip.clone(),
            known_at: *known_at,
        }
    }

    pub fn into_recording(self) -> Recording {
        Recording {
            event: Event {
                key: self.key,
                event_id: self.event_id,
                stamp: self.stamp,
                end: self.end,
                stream: self.stream,
                topic: self.topic,
                trigger: self.trigger,
                perception_type: self.perception_type,
                description: self.description,
                data: self.data,
                metadata: self.metadata,
                context: self.context,
                importance: self.importance,
                collection: self.collection,
                signature: self.signature.map(|(kind, values)| Signature { kind, values }),
                clip: Vec::new(),
            },
            sim_or_real: self.sim_or_real,
            session_id: self.session_id,
            clip: self.clip,
            known_at: self.known_at,
        }
    }

    pub fn draft(&self, at: Stamp) -> Result<Draft> {
        let key = format!("{RECORD}\u{1f}{}", self.key);
        draft(RECORD, key, String::new(), at, self)
    }
}

impl Engine {
    /// The clips of events that wait: no memory names them yet.
    pub(super) fn waiting_clips(&self) -> Vec<String> {
        let mut clips = Vec::new();
        if let Some(queue) = &*self.waiting.lock() {
            let read = queue.each(|record| {
                if record.operation == RECORD
                    && let Ok(event) = serde_json::from_str::<QueuedEvent>(record.request.get())
                {
                    clips.extend(event.clip.map(|(file, _)| file));
                }
            });
            if let Err(error) = read {
                log::warn!("the write queue cannot be read: {error}");
            }
        }
        clips
    }
}
