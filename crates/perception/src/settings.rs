//! Which topics are listened to, and for what: from YAML to [`StreamSettings`] (docs/sensors.md).

mod by_type;
mod entry;
mod keys;
mod names;

#[cfg(test)]
mod tests;

pub use by_type::of_topic;
pub use names::{full_type_name, twin_of};

use super::StreamSettings;
use robot_memory_core::limits;
use serde_json::Value;

/// What of the settings cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct SettingsError {
    /// Where: `streams[2] (/wrist/wrench)`, `trigger contact`.
    pub place: String,
    /// Which key, which bound, what was given.
    pub reason: String,
}

impl SettingsError {
    /// What is wrong at a place.
    pub fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), reason: reason.into() }
    }
}

/// What is listened to.
#[derive(Debug, Clone, PartialEq)]
pub enum Streams {
    /// Every topic of a type that [`of_topic`] knows.
    Auto,
    /// These; their names are unique.
    List(Vec<StreamSettings>),
}

impl Streams {
    /// Reads the YAML text of the parameter `streams` or of the file it may stand in: a list of maps,
    /// a map of them by their names, or the word `auto`. Entries with `enabled: false` are checked and left out.
    ///
    /// # Errors
    ///
    /// What is no YAML, unknown keys, values out of bounds, two entries of one name, more than
    /// [`limits::STREAMS_MAX`] entries: the entry, the key, the bound and what was given are named.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let wrong = |reason: String| SettingsError::new("streams", reason);
        if text.len() > limits::STREAMS_BYTES_MAX {
            let (given, most) = (text.len(), limits::STREAMS_BYTES_MAX);
            return Err(wrong(format!("the text has {given} bytes, at most {most} are read")));
        }
        let options = serde_saphyr::options! {
            budget: serde_saphyr::budget! { max_events: YAML_EVENTS_MAX, max_depth: YAML_DEPTH_MAX },
        };
        let entries = match serde_saphyr::from_str_with_options(text, options) {
            Ok(Value::Null) => Vec::new(),
            Ok(Value::String(word)) if word.trim() == "auto" => return Ok(Self::Auto),
            Ok(Value::Array(entries)) => entry::numbered(entries),
            Ok(Value::Object(entries)) => entry::named(entries).map_err(wrong)?,
            Ok(other) => {
                let given = keys::kind_of(&other);
                return Err(wrong(format!(
                    "must be a list of maps (`- topic: /joint_states`), a map of them by name, or the word auto; was {given}"
                )));
            }
            Err(error) => return Err(wrong(format!("no YAML: {}", error.without_snippet()))),
        };
        if entries.len() > limits::STREAMS_MAX {
            let (given, most) = (entries.len(), limits::STREAMS_MAX);
            return Err(wrong(format!(
                "has {given} entries, at most {most} topics can be subscribed to"
            )));
        }
        let mut places: Vec<(String, String)> = Vec::with_capacity(entries.len());
        let mut streams = Vec::with_capacity(entries.len());
        for (place, entry) in &entries {
            let (place, stream, is_enabled) = entry::read(place, entry)?;
            if let Some((_, first)) = places.iter().find(|(name, _)| *name == stream.name) {
                let name = &stream.name;
                return Err(SettingsError::new(
                    place,
                    format!("the name {name:?} is that of {first}, too: give each its own `name`"),
                ));
            }
            places.push((stream.name.clone(), place));
            if is_enabled {
                streams.push(stream);
            }
        }
        Ok(Self::List(streams))
    }
}

/// Nodes of the YAML text: far more than [`limits::STREAMS_MAX`] entries with every key have.
const YAML_EVENTS_MAX: usize = 50_000;
/// A list of maps with a list of maps in it is six deep.
const YAML_DEPTH_MAX: usize = 32;
