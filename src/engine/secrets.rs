//! Refuses what is never stored, before anything else is done with it.

use super::record::Recording;
use super::{Engine, Error, Result};
use crate::api::{ApiError, ErrorKind, Given, Texts};
use crate::limits::DATA_BYTES_MAX;
use crate::perception::{ClipMessage, ClipTexts, Event};
use Given::{Json, Text};
use std::collections::BTreeSet;

/// Types whose messages are pictures or points, behind some bytes of texts.
const PICTURES: [&str; 3] =
    ["sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/PointCloud2"];
/// Bytes of such a message that are looked at: header, encoding and fields take no more.
const PICTURE_BYTES_READ: usize = 4_096;

impl Engine {
    /// Refuses a request that holds what is never stored, as [`Engine::call`] does with each before
    /// anything else; for what a face does without the engine.
    ///
    /// # Errors
    /// `refused`, with the field and the rule, and nothing of the text.
    pub fn check_texts(&self, request: &impl Texts) -> std::result::Result<(), ApiError> {
        request.texts().try_for_each(|(field, given)| self.check_given(field, given))
    }

    /// The same of an event's texts; not of its clip.
    ///
    /// # Errors
    /// As of [`Engine::check_texts`].
    pub fn check_event_texts(&self, event: &Event) -> std::result::Result<(), ApiError> {
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
    /// As of [`Engine::check_texts`].
    pub fn check_clip(&self, messages: &[ClipMessage]) -> std::result::Result<(), ApiError> {
        let never_store = &self.access.never_store;
        let mut texts = ClipTexts::default();
        let mut seen = BTreeSet::new();
        for message in messages {
            let ClipMessage { topic, type_name, definition, received: _, stamp: _, bytes } = message;
            let is_picture = PICTURES.contains(&&**type_name);
            let read = if is_picture { bytes.len().min(PICTURE_BYTES_READ) } else { bytes.len() };
            let mut found = never_store.find_in_bytes(bytes.get(..read).unwrap_or_default());
            if found.is_none() && seen.insert((topic, type_name, definition)) {
                let names = [topic.as_str(), type_name, definition];
                found = names.into_iter().find_map(|name| never_store.find(name));
            }
            if found.is_none()
                && let Some(said) = texts.json(message)
            {
                found = never_store.find_in_json(&said);
            }
            if let Some(rule) = found {
                return Err(refused("clip", rule));
            }
        }
        Ok(())
    }

    /// Refuses an event to be recorded.
    pub(super) fn check_recording(&self, recording: &Recording) -> Result<()> {
        let Recording { event, sim_or_real, session_id, clip, fades_from: _ } = recording;
        self.check_event_texts(event)?;
        self.check_text("sim_or_real", sim_or_real)?;
        self.check_text("session_id", session_id.as_deref().unwrap_or_default())?;
        self.check_text("clip", clip.as_ref().map_or("", |(file, _)| file))
    }

    /// Refuses JSON of the engine's own making.
    pub(super) fn check_json(&self, field: &'static str, json: &str) -> Result<()> {
        self.check_given(field, Json(json)).map_err(Error::Api)
    }

    fn check_text(&self, field: &'static str, text: &str) -> Result<()> {
        self.check_given(field, Text(text)).map_err(Error::Api)
    }

    fn check_given(
        &self,
        field: &'static str,
        given: Given<'_>,
    ) -> std::result::Result<(), ApiError> {
        let never_store = &self.access.never_store;
        let found = match given {
            // Longer JSON is refused for its length, without being read.
            Json(json) if json.len() <= DATA_BYTES_MAX => never_store.find_in_json(json),
            Json(json) => never_store.find_in_bytes(json.as_bytes()),
            Text(text) => never_store.find(text),
        };
        found.map_or(Ok(()), |rule| Err(refused(field, rule)))
    }
}

fn refused(field: &str, rule: &str) -> ApiError {
    let message = format!("{field}: holds what is never stored (rule {rule})");
    ApiError { kind: ErrorKind::Refused, message }
}
