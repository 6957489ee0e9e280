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

macro_rules! number_keys {
    ($($key:ident = $name:literal, $default:expr, $min:literal to $max:literal, $why:literal $(, $also:ident)*;)+) => {
        $(pub(super) const $key: NumberKey = NumberKey {
            $($also: true,)*
            ..NumberKey { name: $name, default: $default, min: $min, max: $max, with_zero: false, is_whole: false, why: $why }
        };)+
    };
}

number_keys! {
    BEFORE_SECS = "before_secs", Some(2.0), 0.0 to 60.0, "what leads up to an event waits in memory";
    AFTER_SECS = "after_secs", Some(1.0), 0.0 to 60.0, "an event is remembered only when it is complete";
    EVENT_SECS_MAX = "event_secs_max", Some(30.0), 0.1 to 600.0, "a longer stretch is for a bag";
    SAMPLE_RATE_HZ = "sample_rate_hz", Some(50.0), 0.1 to 1000.0, "a memory holds a sampled window";
    RATE_MAX_HZ = "rate_max_hz", None, 0.01 to 100_000.0, "0 looks at every message", with_zero;
    EVENTS_PER_MINUTE_MAX = "events_per_minute_max", None, 0.0 to 10_000.0, "0 keeps every event", is_whole;
    EVENTS_PER_DAY_MAX =
        "events_per_day_max", Some(5000.0), 0.0 to 1_000_000.0, "0 keeps every event", is_whole;
    RING_BYTES_MAX = "ring_bytes_max", Some(16_777_216.0), 65_536.0 to 1_073_741_824.0,
        "each stream has its own ring in memory", is_whole;
    THUMBNAIL_BYTES_MAX = "thumbnail_bytes_max", Some(16_384.0), 1024.0 to 262_144.0,
        "a thumbnail is a part of its memory; 0 keeps none", is_whole, with_zero;
    IMPORTANCE = "importance", None, 0.0 to 1.0, "it is a share";
    DEPTH = "depth", None, 1.0 to 100_000.0, "the middleware keeps as many messages", is_whole;
}

/// Those of an entry; `depth` is one of `qos`.
#[cfg(test)]
#[rustfmt::skip]
pub(super) const NUMBERS: [&NumberKey; 10] = [
    &BEFORE_SECS, &AFTER_SECS, &EVENT_SECS_MAX, &SAMPLE_RATE_HZ, &RATE_MAX_HZ, &EVENTS_PER_MINUTE_MAX,
    &EVENTS_PER_DAY_MAX, &RING_BYTES_MAX, &THUMBNAIL_BYTES_MAX, &IMPORTANCE,
];

/// All keys of an entry but `where` and `qos`, in the order of the document.
#[rustfmt::skip]
pub(super) const ENTRY: [&str; 20] = [
    "topic", "name", "type", "field", "perception_type", "triggers", "enabled", BEFORE_SECS.name, AFTER_SECS.name,
    EVENT_SECS_MAX.name, SAMPLE_RATE_HZ.name, "with_others", RATE_MAX_HZ.name, EVENTS_PER_MINUTE_MAX.name,
    EVENTS_PER_DAY_MAX.name, RING_BYTES_MAX.name, THUMBNAIL_BYTES_MAX.name, "clip", IMPORTANCE.name, "collection",
];

/// The keys of an entry that hold maps of their own.
pub(super) const QOS: &str = "qos";
pub(super) const WHERE: &str = "where";
/// All keys of an entry.
pub(super) fn entry() -> Vec<&'static str> {
    ENTRY.into_iter().chain([WHERE, QOS]).collect()
}

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
