//! Refuses what is never stored, before anything else is done with it.

use super::record::Recording;
use crate::{OpenError, Operations};
use FieldText::{Json, Text};
use robot_memory_core::access::{Access, NeverStore, SecretMatch};
use robot_memory_core::api::{ApiError, ErrorKind, FieldText, StorableTexts};
use robot_memory_core::event::{ClipMessage, Event};
use robot_memory_core::limits::DATA_BYTES_MAX;
use robot_memory_messages::ClipTexts;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Types whose messages are pictures or points, behind some bytes of texts.
const PICTURES: [&str; 3] =
    ["sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/PointCloud2"];
/// Bytes of such a message that are looked at: header, encoding and fields take no more.
const PICTURE_BYTES_READ: usize = 4_096;

/// Fields that say something in words.
const STATEMENTS: [&str; 4] = ["insight", "description", "new_content", "text"];

/// What is never stored, to be asked before something is kept.
#[derive(Debug, Clone)]
pub struct Secrets(Arc<NeverStore>);

impl Operations {
    /// What this store never keeps. [`call`](crate::Engine::call) asks it before anything else; who keeps
    /// something beside the store, as a clip, asks it first.
    pub fn secrets(&self) -> Secrets {
        Secrets(Arc::clone(&self.access.never_store))
    }

    /// Whether a memory may say this: what is never stored may be ruled otherwise by now than when that was
    /// stored which it is made of.
    pub(super) fn may_store(&self, content: &str) -> bool {
        self.secrets().check_given("content", Text(content)).is_ok()
    }
}

impl Secrets {
    /// As an access file says ([`Access::parse`]), without a store; `None`: as shipped.
    ///
    /// # Errors
    /// When the file is not well formed.
    pub fn read(access: Option<&str>) -> Result<Self, OpenError> {
        let access = access.map_or_else(|| Ok(Access::shipped()), Access::parse)?;
        Ok(Self(access.never_store))
    }

    /// Refuses a request that holds what is never stored.
    ///
    /// # Errors
    /// `refused`, with the field, the rule and the place, and nothing of the text.
    pub fn check(&self, request: &impl StorableTexts) -> Result<(), ApiError> {
        request.texts().try_for_each(|(field, given)| self.check_given(field, given))?;
        self.check_across(request)
    }

    /// Refuses what a statement names and another field of it holds.
    fn check_across(&self, request: &impl StorableTexts) -> Result<(), ApiError> {
        let Self(never_store) = self;
        let texts: Vec<(&'static str, FieldText<'_>)> = request.texts().collect();
        for (name, given) in &texts {
            let Text(said) = given else { continue };
            if !STATEMENTS.contains(name) {
                continue;
            }
            for (field, given) in &texts {
                if let Json(json) = given
                    && json.len() <= DATA_BYTES_MAX
                    && let Some(found) = never_store.find_across(said, json)
                {
                    return Err(refused(field, &found));
                }
            }
        }
        Ok(())
    }

    /// The same of an event's texts, but not of its clip.
    ///
    /// # Errors
    /// As of [`Secrets::check`].
    pub fn check_event(&self, event: &Event) -> Result<(), ApiError> {
        let Event {
            key,
            event_id,
            stamp: _,
            end: _,
            stream,
            topic,
            trigger: _,
            perception_type: _,
            description,
            data,
            metadata,
            context,
            importance: _,
            collection,
            signature: _,
            clip: _,
        } = event;
        [
            ("description", Text(description)),
            ("data", Json(data)),
            ("metadata", Json(metadata)),
            ("context", Json(context)),
            ("collection", Text(collection)),
            ("stream", Text(stream)),
            ("topic", Text(topic)),
            ("event_id", Text(event_id)),
            ("key", Text(key)),
        ]
        .into_iter()
        .try_for_each(|(field, given)| self.check_given(field, given))
    }

    /// Refuses the messages of a clip that hold what is never stored: to be asked before they are
    /// written. Looked at are their bytes (of pictures and clouds of points the first 4096), in which
    /// texts are UTF-8, and what they say when their type is known.
    ///
    /// # Errors
    /// As of [`Secrets::check`].
    pub fn check_clip(&self, messages: &[ClipMessage]) -> Result<(), ApiError> {
        let Self(never_store) = self;
        let mut texts = ClipTexts::default();
        let mut seen = BTreeSet::new();
        for message in messages {
            let ClipMessage { topic, type_name, definition, received: _, stamp: _, bytes } =
                message;
            let is_picture = PICTURES.contains(&&**type_name);
            let read = if is_picture { bytes.len().min(PICTURE_BYTES_READ) } else { bytes.len() };
            let mut found = never_store.find_in_bytes(bytes.get(..read).unwrap_or_default());
            if found.is_none() && seen.insert((topic, type_name, definition)) {
                let names = [topic.as_str(), type_name, definition];
                found = names.into_iter().find_map(|name| never_store.find(name));
            }
            if let Some(found) = found {
                return Err(refused("clip", &found));
            }
            if let Some(said) = texts.json(message)
                && let Some(found) = never_store.find_in_json(&said)
            {
                return Err(refused("clip", &found));
            }
        }
        Ok(())
    }

    /// Why something was refused, without the place: what is counted by it is counted together.
    pub fn reason(error: &ApiError) -> &str {
        let end = match error.kind {
            ErrorKind::Refused => error.message.find(')').map(|end| end + 1),
            _ => None,
        };
        end.and_then(|end| error.message.get(..end)).unwrap_or(&error.message)
    }

    /// The same of an event that is about to be stored, with what the face knows of it.
    ///
    /// # Errors
    /// As of [`Secrets::check`].
    pub fn check_recording(&self, recording: &Recording) -> Result<(), ApiError> {
        let Recording { event, sim_or_real, session_id, clip, known_at: _ } = recording;
        self.check_event(event)?;
        self.check_given("sim_or_real", Text(sim_or_real))?;
        self.check_given("session_id", Text(session_id.as_deref().unwrap_or_default()))?;
        self.check_given("clip", Text(clip.as_ref().map_or("", |(file, _)| file)))
    }

    /// The same of one text.
    ///
    /// # Errors
    /// As of [`Secrets::check`].
    pub fn check_given(&self, field: &'static str, given: FieldText<'_>) -> Result<(), ApiError> {
        let Self(never_store) = self;
        let found = match given {
            // Longer JSON is refused for its length, without being read.
            Json(json) if json.len() > DATA_BYTES_MAX => never_store.find_in_bytes(json.as_bytes()),
            Json(json) => never_store.find_in_json(json),
            Text(text) => never_store.find(text),
        };
        found.map_or(Ok(()), |found| Err(refused(field, &found)))
    }
}

fn refused(field: &str, SecretMatch { rule, place }: &SecretMatch<'_>) -> ApiError {
    let message = format!("{field}: holds what is never stored (rule {rule}) {place}");
    ApiError { kind: ErrorKind::Refused, message }
}
