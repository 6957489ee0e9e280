//! How answers are JSON: by the same names as in the services, for whoever reads them.
//!
//! A text that is not given is empty, any other value that is not given is null. Times are RFC 3339 in UTC.
//! Stored JSON stays as it was written, so that no digit and no order of keys is lost; only line breaks between
//! its parts become spaces. For `#[serde(serialize_with)]`, since the store keeps some of the types otherwise.

use crate::model::Stamp;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

const NANOS_PER_MILLI: i64 = 1_000_000;

/// A time, or none.
pub(crate) trait Time<T>: Copy {
    fn stamp(self) -> Option<Stamp>;
}

impl Time<Stamp> for Stamp {
    fn stamp(self) -> Option<Stamp> {
        Some(self)
    }
}

/// Milliseconds since 1970.
impl Time<i64> for i64 {
    fn stamp(self) -> Option<Stamp> {
        Some(Stamp(self.saturating_mul(NANOS_PER_MILLI)))
    }
}

impl<T: Time<T>> Time<T> for Option<T> {
    fn stamp(self) -> Option<Stamp> {
        self.and_then(T::stamp)
    }
}

/// RFC 3339.
pub(crate) fn time<S: Serializer>(
    time: &impl Time<Stamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.stamp().map(Stamp::rfc_3339).serialize(serializer)
}

/// The same of milliseconds since 1970.
pub(crate) fn millis<S: Serializer>(
    time: &impl Time<i64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    time.stamp().map(Stamp::rfc_3339).serialize(serializer)
}

/// Stored JSON as it is.
pub(crate) fn stored<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    stored_json(text).serialize(serializer)
}

/// Stored JSON as it is, in one line; as a text when it is none.
fn stored_json(text: &str) -> Option<Box<RawValue>> {
    if text.is_empty() {
        return None;
    }
    // A string in JSON holds no line break, so each of them is between two parts.
    let line = text.replace(['\n', '\r'], " ");
    RawValue::from_string(line).or_else(|_| to_raw_value(&text)).ok()
}

/// Bytes as base64.
pub(crate) fn base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    STANDARD.encode(bytes).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_json_keeps_its_digits_and_its_order() {
        let shown =
            |text: &str| stored_json(text).map_or("null".to_owned(), |raw| raw.get().to_owned());
        for (stored, expected) in [
            ("", "null"),
            (
                "{\"z\": 1.10, \"a\": 18446744073709551617}",
                "{\"z\": 1.10, \"a\": 18446744073709551617}",
            ),
            ("[1,\r\n\"a\\n\"]", "[1,  \"a\\n\"]"),
            ("not {json", "\"not {json\""),
            ("two\nlines", "\"two\\nlines\""),
        ] {
            assert_eq!(shown(stored), expected);
        }
    }
}
