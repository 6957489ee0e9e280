//! One entry of the list.

use super::SettingsError;
use super::keys::{self, NumberKey, kind_of};
use super::names::{fault_of_topic, full_type_name};
use crate::{
    Durability, QosOverrides, Reliability, Selection, StreamSettings, Trigger, TriggerKind,
    TriggerSettings,
};
use robot_memory_core::limits;
use robot_memory_core::model::{PerceptionType, nearest};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Parameters of one trigger; none has as many.
const PARAMETERS_MAX: usize = 32;

/// Entries with where they stand.
pub(super) fn numbered(entries: Vec<Value>) -> Vec<(String, Value)> {
    let places = (0..entries.len()).map(|index| format!("streams[{index}]"));
    places.zip(entries).collect()
}

/// The same of a map, whose keys are their names. What a parameter file of ROS makes of a list of maps is
/// the keys of its last entry.
pub(super) fn named(entries: Map<String, Value>) -> Result<Vec<(String, Value)>, String> {
    let is_key = |name: &&String| keys::entry().contains(&name.as_str());
    if let Some(key) = entries.keys().find(is_key) {
        return Err(format!(
            "{key} is a key of an entry, not its name: put the entry under a name (`wrist: {{topic: \
             /wrist/wrench}}`), or into a list (`- topic: /wrist/wrench`), which a parameter file of \
             ROS holds only as a text (`streams: |`)"
        ));
    }
    let named = |(name, mut entry): (String, Value)| {
        let place = format!("streams.{name}");
        if let Value::String(_) = entry {
            entry = Value::Object(Map::from_iter([("topic".to_owned(), entry)]));
        }
        if let Value::Object(map) = &mut entry {
            map.entry("name").or_insert(Value::String(name));
        }
        (place, entry)
    };
    Ok(entries.into_iter().map(named).collect())
}

/// Where it stands, its settings, and whether it is enabled. A text alone is a topic.
pub(super) fn read(
    place: &str,
    entry: &Value,
) -> Result<(String, StreamSettings, bool), SettingsError> {
    let only_topic;
    let map = match entry {
        Value::Object(map) => map,
        Value::String(_) => {
            only_topic = Map::from_iter([("topic".to_owned(), entry.clone())]);
            &only_topic
        }
        other => {
            let given = kind_of(other);
            return Err(SettingsError::new(place, format!("must be a map, was {given}")));
        }
    };
    let fields = Fields { place: place.to_owned(), map };
    let topic = fields.read("topic", "a text", |topic| topic.as_str().map(str::to_owned))?;
    let Some(topic) = topic else {
        fields.check_keys(&keys::entry())?;
        return Err(fields.wrong("topic is missing".to_owned()));
    };
    if let Some(fault) = fault_of_topic(&topic) {
        let given = kind_of(&Value::String(topic));
        return Err(fields.wrong(format!("topic {given} {fault}")));
    }
    let place = format!("{place} ({topic})");
    let fields = Fields { place: place.clone(), map };
    fields.check_keys(&keys::entry())?;
    let defaults = StreamSettings::new(&topic);
    let whole = |key, default| fields.number(key).map(|n| n.map_or(default, |n| n as usize));
    let stream = StreamSettings {
        name: fields.text("name")?.unwrap_or(defaults.name),
        topic: defaults.topic,
        type_name: fields.type_name()?,
        field: fields.text("field")?,
        selection: fields.selection()?,
        perception_type: fields.word("perception_type", PerceptionType::ALL)?,
        triggers: fields.triggers()?,
        before_secs: fields.number(&keys::BEFORE_SECS)?.unwrap_or(defaults.before_secs),
        after_secs: fields.number(&keys::AFTER_SECS)?.unwrap_or(defaults.after_secs),
        event_secs_max: fields.number(&keys::EVENT_SECS_MAX)?.unwrap_or(defaults.event_secs_max),
        sample_rate_hz: fields.number(&keys::SAMPLE_RATE_HZ)?.unwrap_or(defaults.sample_rate_hz),
        with_others: fields.flag("with_others")?.unwrap_or(defaults.with_others),
        rate_max_hz: fields.number(&keys::RATE_MAX_HZ)?,
        events_per_minute_max: fields.number(&keys::EVENTS_PER_MINUTE_MAX)?.map(|n| n as u32),
        events_per_day_max: fields
            .number(&keys::EVENTS_PER_DAY_MAX)?
            .map_or(defaults.events_per_day_max, |n| n as u32),
        ring_bytes_max: whole(&keys::RING_BYTES_MAX, defaults.ring_bytes_max)?,
        thumbnail_bytes_max: whole(&keys::THUMBNAIL_BYTES_MAX, defaults.thumbnail_bytes_max)?,
        clip: fields.flag("clip")?.unwrap_or(defaults.clip),
        importance: fields.number(&keys::IMPORTANCE)?,
        collection: fields.text("collection")?.unwrap_or(defaults.collection),
        qos: fields.qos()?,
    };
    let is_enabled = fields.flag("enabled")?.unwrap_or(true);
    Ok((place, stream, is_enabled))
}

/// A map, and where it stands.
struct Fields<'a> {
    place: String,
    map: &'a Map<String, Value>,
}

impl Fields<'_> {
    fn wrong(&self, reason: String) -> SettingsError {
        SettingsError::new(&self.place, reason)
    }

    /// That it has no other keys.
    fn check_keys(&self, known: &[&str]) -> Result<(), SettingsError> {
        let Some(unknown) = self.map.keys().find(|key| !known.contains(&key.as_str())) else {
            return Ok(());
        };
        let given = kind_of(&Value::String(unknown.clone()));
        Err(self.wrong(match nearest(unknown, known.iter().copied()) {
            Some(meant) => format!("unknown key {given}, did you mean {meant}?"),
            None => format!("unknown key {given}; the keys are {}", known.join(", ")),
        }))
    }

    /// The value of a key, which must be as `must` says.
    fn read<T>(
        &self,
        key: &str,
        must: &str,
        of: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, SettingsError> {
        let Some(value) = self.map.get(key) else { return Ok(None) };
        let read = of(value).map(Some);
        read.ok_or_else(|| self.wrong(format!("{key} must be {must}, was {}", kind_of(value))))
    }

    /// A number within the bounds of its key.
    fn number(&self, key: &NumberKey) -> Result<Option<f64>, SettingsError> {
        let must = format!("{} ({})", key.bounds(), key.why);
        self.read(key.name, &must, |value| value.as_f64().filter(|number| key.allows(*number)))
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, SettingsError> {
        self.read(key, "true or false", Value::as_bool)
    }

    /// A text that is not empty, of one line, and no longer than a name may be.
    fn text(&self, key: &str) -> Result<Option<String>, SettingsError> {
        const BYTES_MAX: usize = limits::NAME_BYTES_MAX;
        let is_name = |text: &&str| {
            !text.trim().is_empty() && text.len() <= BYTES_MAX && !text.contains(char::is_control)
        };
        let must = format!("a text of one line and 1 to {BYTES_MAX} bytes");
        self.read(key, &must, |value| value.as_str().filter(is_name).map(str::to_owned))
    }

    /// One of an enum's spellings.
    fn word<T: Copy + std::fmt::Display>(
        &self,
        key: &str,
        all: &[T],
    ) -> Result<Option<T>, SettingsError> {
        let words: Vec<String> = all.iter().map(ToString::to_string).collect();
        let place = |value: &Value| words.iter().position(|word| value.as_str() == Some(word));
        let must = format!("one of {}", words.join(", "));
        self.read(key, &must, |value| place(value).map(|at| all[at]))
    }

    fn type_name(&self) -> Result<Option<String>, SettingsError> {
        self.text("type")?;
        let must = "the name of a message type, as sensor_msgs/msg/JointState";
        self.read("type", must, |value| full_type_name(value.as_str()?))
    }

    /// `[contact, {kind: impact, rate: 300}]`, or `{contact: true, impact: {rate: 300}}`. Each
    /// trigger checks its own parameters.
    fn triggers(&self) -> Result<Option<Vec<TriggerSettings>>, SettingsError> {
        let given = self.map.get("triggers").and_then(Value::as_object).map(|by_kind| {
            let given = by_kind.iter().filter_map(|(kind, it)| self.of_kind(kind, it).transpose());
            given.collect::<Result<Vec<_>, _>>()
        });
        let must = "a list, as [contact, {kind: impact, rate: 300}]";
        let given = match given {
            Some(given) => Some(given?),
            None => self.read("triggers", must, |given| given.as_array().cloned())?,
        };
        let Some(given) = given else { return Ok(None) };
        let mut triggers: Vec<TriggerSettings> = Vec::new();
        for (index, value) in given.iter().enumerate() {
            let place = format!("{}.triggers[{index}]", self.place);
            let trigger = trigger(&place, value)?;
            let kind = trigger.kind;
            if triggers.iter().any(|other| other.kind == kind) {
                return Err(SettingsError::new(place, format!("{kind} is there twice")));
            }
            triggers.push(trigger);
        }
        Ok(Some(triggers))
    }

    /// A trigger of a map by kind: true alone for one without parameters, false for none.
    fn of_kind(&self, kind: &str, parameters: &Value) -> Result<Option<Value>, SettingsError> {
        match parameters {
            Value::Bool(false) => Ok(None),
            Value::Bool(true) | Value::Null => Ok(Some(Value::from(kind))),
            Value::Object(parameters) if !parameters.contains_key("kind") => {
                let mut trigger = parameters.clone();
                trigger.insert("kind".to_owned(), Value::from(kind));
                Ok(Some(Value::Object(trigger)))
            }
            other => {
                let (kind, given) = (kind_of(&Value::from(kind)), kind_of(other));
                Err(self.wrong(format!(
                    "triggers: {kind} must be a map of its parameters, true or false, was {given}"
                )))
            }
        }
    }

    fn selection(&self) -> Result<Selection, SettingsError> {
        let must = "a map, as {name: lidar*, level: >=ERROR}";
        let map = self.read(keys::WHERE, must, |map| map.as_object().cloned())?;
        let selection = Selection::parse(&map.unwrap_or_default());
        selection.map_err(|reason| self.wrong(format!("where: {reason}")))
    }

    fn qos(&self) -> Result<QosOverrides, SettingsError> {
        let must = "a map, as {reliability: reliable}";
        let Some(map) = self.read(keys::QOS, must, |qos| qos.as_object().cloned())? else {
            return Ok(QosOverrides::default());
        };
        let fields = Fields { place: format!("{}.qos", self.place), map: &map };
        fields.check_keys(&keys::QOS_KEYS)?;
        Ok(QosOverrides {
            reliability: fields.word("reliability", Reliability::ALL)?,
            durability: fields.word("durability", Durability::ALL)?,
            depth: fields.number(&keys::DEPTH)?.map(|depth| depth as u32),
        })
    }
}

/// A trigger: its kind, or a map of its kind and its parameters.
fn trigger(place: &str, value: &Value) -> Result<TriggerSettings, SettingsError> {
    let wrong = |reason: String| SettingsError::new(place, reason);
    let (kind, map) = match value {
        Value::String(_) => (value, None),
        Value::Object(map) => match map.get("kind") {
            Some(kind) => (kind, Some(map)),
            None => return Err(wrong("kind is missing".to_owned())),
        },
        other => {
            let given = kind_of(other);
            return Err(wrong(format!("must be the kind of a trigger, or a map, was {given}")));
        }
    };
    // A capture is asked for by a service, it watches nothing.
    let kinds: Vec<&str> = TriggerKind::ALL
        .iter()
        .filter(|kind| **kind != TriggerKind::Capture)
        .map(|kind| kind.as_str())
        .collect();
    let Some(found) =
        kind.as_str().filter(|kind| kinds.contains(kind)).and_then(TriggerKind::parse)
    else {
        let meant = kind.as_str().and_then(|given| nearest(given, kinds.iter().copied()));
        let hint = meant.map(|meant| format!(", did you mean {meant}?")).unwrap_or_default();
        let (kinds, given) = (kinds.join(", "), kind_of(kind));
        return Err(wrong(format!("kind must be one of {kinds}, was {given}{hint}")));
    };
    let mut parameters = BTreeMap::new();
    for (name, value) in map.into_iter().flatten().filter(|(name, _)| *name != "kind") {
        if parameters.len() == PARAMETERS_MAX {
            return Err(wrong(format!("has more than {PARAMETERS_MAX} parameters")));
        }
        let number = match value {
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            other => other.as_f64(),
        };
        let Some(number) = number.filter(|number| number.is_finite()) else {
            let (name, given) = (kind_of(&Value::String(name.clone())), kind_of(value));
            return Err(wrong(format!("{name} must be a number, true or false, was {given}")));
        };
        parameters.insert(name.clone(), number);
    }
    let settings = TriggerSettings { kind: found, parameters };
    Trigger::new(&settings).map_err(|error| wrong(error.to_string()))?;
    Ok(settings)
}
