//! The keys of an entry, and the bounds of those that are numbers.

use serde_json::Value;

/// A key whose value is a number.
pub(super) struct NumberKey {
    pub name: &'static str,
    /// What it is when it is not given; `None`: as the type of the topic says.
    pub default: Option<f64>,
    pub min: f64,
    pub max: f64,
    /// Whether 0 is allowed though it is below `min`: it means all, or none.
    pub with_zero: bool,
    pub is_whole: bool,
    /// Why there is a bound.
    pub why: &'static str,
}

impl NumberKey {
    const fn secs(name: &'static str, default: f64, min: f64, max: f64, why: &'static str) -> Self {
        Self { name, default: Some(default), min, max, with_zero: false, is_whole: false, why }
    }

    const fn whole(
        name: &'static str,
        default: Option<f64>,
        (min, max): (f64, f64),
        why: &'static str,
    ) -> Self {
        Self { name, default, min, max, with_zero: false, is_whole: true, why }
    }

    const fn or_zero(self) -> Self {
        Self { with_zero: true, ..self }
    }

    /// `a number from 0 to 60`.
    pub fn bounds(&self) -> String {
        let zero = if self.with_zero && self.min > 0.0 { "0 or " } else { "" };
        let kind = if self.is_whole { "a whole number" } else { "a number" };
        format!("{zero}{kind} from {} to {}", self.min, self.max)
    }

    /// Whether a value is within the bounds.
    pub fn allows(&self, value: f64) -> bool {
        (self.min..=self.max).contains(&value) && (!self.is_whole || value.fract() == 0.0)
            || self.with_zero && value == 0.0
    }
}

pub(super) const BEFORE_SECS: NumberKey =
    NumberKey::secs("before_secs", 2.0, 0.0, 60.0, "what leads up to an event waits in memory");
pub(super) const AFTER_SECS: NumberKey = NumberKey::secs(
    "after_secs",
    1.0,
    0.0,
    60.0,
    "an event is remembered only when it is complete",
);
pub(super) const EVENT_SECS_MAX: NumberKey =
    NumberKey::secs("event_secs_max", 30.0, 0.1, 600.0, "a longer stretch is for a bag");
pub(super) const SAMPLE_RATE_HZ: NumberKey =
    NumberKey::secs("sample_rate_hz", 50.0, 0.1, 1000.0, "a memory holds a sampled window");
pub(super) const RATE_MAX_HZ: NumberKey = NumberKey {
    name: "rate_max_hz",
    default: None,
    min: 0.01,
    max: 100_000.0,
    with_zero: true,
    is_whole: false,
    why: "0 looks at every message",
};
pub(super) const EVENTS_PER_MINUTE_MAX: NumberKey =
    NumberKey::whole("events_per_minute_max", None, (0.0, 10_000.0), "0 keeps every event");
pub(super) const EVENTS_PER_DAY_MAX: NumberKey =
    NumberKey::whole("events_per_day_max", Some(5000.0), (0.0, 1_000_000.0), "0 keeps every event");
pub(super) const RING_BYTES_MAX: NumberKey = NumberKey::whole(
    "ring_bytes_max",
    Some(16_777_216.0),
    (65_536.0, 1_073_741_824.0),
    "each stream has its own ring in memory",
);
pub(super) const THUMBNAIL_BYTES_MAX: NumberKey = NumberKey::whole(
    "thumbnail_bytes_max",
    Some(16_384.0),
    (1024.0, 262_144.0),
    "a thumbnail is a part of its memory; 0 keeps none",
)
.or_zero();
pub(super) const IMPORTANCE: NumberKey = NumberKey {
    name: "importance",
    default: None,
    min: 0.0,
    max: 1.0,
    with_zero: false,
    is_whole: false,
    why: "it is a share",
};
pub(super) const DEPTH: NumberKey =
    NumberKey::whole("depth", None, (1.0, 100_000.0), "the middleware keeps as many messages");

/// Those of an entry; `depth` is one of `qos`.
#[cfg(test)]
pub(super) const NUMBERS: [&NumberKey; 10] = [
    &BEFORE_SECS,
    &AFTER_SECS,
    &EVENT_SECS_MAX,
    &SAMPLE_RATE_HZ,
    &RATE_MAX_HZ,
    &EVENTS_PER_MINUTE_MAX,
    &EVENTS_PER_DAY_MAX,
    &RING_BYTES_MAX,
    &THUMBNAIL_BYTES_MAX,
    &IMPORTANCE,
];

/// All keys of an entry, in the order of the document.
pub(super) const ENTRY: [&str; 20] = [
    "topic",
    "name",
    "type",
    "field",
    "perception_type",
    "triggers",
    "enabled",
    BEFORE_SECS.name,
    AFTER_SECS.name,
    EVENT_SECS_MAX.name,
    SAMPLE_RATE_HZ.name,
    "with_others",
    RATE_MAX_HZ.name,
    EVENTS_PER_MINUTE_MAX.name,
    EVENTS_PER_DAY_MAX.name,
    RING_BYTES_MAX.name,
    THUMBNAIL_BYTES_MAX.name,
    "clip",
    IMPORTANCE.name,
    "collection",
];

/// The key of an entry that holds a map of its own.
pub(super) const QOS: &str = "qos";
/// Keys of `qos`.
pub(super) const QOS_KEYS: [&str; 3] = ["reliability", "durability", DEPTH.name];

/// What a value is, for an error: short, whatever was given.
pub(super) fn kind_of(value: &Value) -> String {
    const SHOWN_CHARS_MAX: usize = 60;
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() > SHOWN_CHARS_MAX => {
            format!("{:?}...", text.chars().take(SHOWN_CHARS_MAX).collect::<String>())
        }
        Value::String(text) => format!("{text:?}"),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(map) => format!("a map of {}", map.len()),
    }
}
