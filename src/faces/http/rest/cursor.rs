//! Where a page ended: opaque to who has it, and checked when it comes back.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::HTTP_CURSOR_BYTES_MAX;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Bytes of the digest of a request: two requests are not alike by chance.
const DIGEST_BYTES: usize = 8;

/// The last row of a page, by what its list is sorted by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cursor {
    /// Of which list.
    #[serde(rename = "l")]
    pub list: String,
    /// Of which request, without its page.
    #[serde(rename = "r")]
    pub request: String,
    /// How many rows stood before the next page when this one was made.
    #[serde(rename = "n")]
    pub offset: u32,
    #[serde(rename = "k")]
    pub key: Key,
}

/// What rows are sorted by: a time in nanoseconds, and equals by a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Key(pub i64, pub String);

impl Cursor {
    /// As it is handed out.
    pub fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// The cursor that this list handed out for this request.
    ///
    /// # Errors
    /// When it is none, or one of another request.
    pub fn parse(text: &str, list: &str, request: &str) -> Result<Self, ApiError> {
        let is_not = |why: &str| ApiError::invalid_argument(format!("cursor: {why}"));
        if text.len() > HTTP_CURSOR_BYTES_MAX {
            let bytes = text.len();
            return Err(is_not(&format!("has at most {HTTP_CURSOR_BYTES_MAX} bytes, got {bytes}")));
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok();
        let cursor: Option<Self> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let cursor = cursor.ok_or_else(|| is_not("is none that an answer had as next_cursor"))?;
        if cursor.list != list || cursor.request != request {
            return Err(is_not("is of another request: all fields but limit must stay the same"));
        }
        Ok(cursor)
    }
}

/// Tells requests apart, whatever their page.
pub(super) fn digest(fields: &Map<String, Value>) -> String {
    // A map without preserved order is sorted by its keys.
    let filters = fields.iter().filter(|(name, _)| !["limit", "offset"].contains(&name.as_str()));
    let mut filters: Vec<(&String, &Value)> = filters.collect();
    filters.sort_by_key(|(name, _)| *name);
    let digest = Sha256::digest(serde_json::to_vec(&filters).unwrap_or_default());
    URL_SAFE_NO_PAD.encode(&digest[..DIGEST_BYTES])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_was_handed_out_for_a_request_is_taken_back() {
        let of = |fields: Value| digest(fields.as_object().unwrap());
        let request = of(json!({ "status": "open", "limit": 2 }));
        assert_eq!(request, of(json!({ "limit": 9, "status": "open", "offset": 3 })));
        assert_ne!(request, of(json!({ "status": "ended" })));
        let key = Key(-5, "a".to_owned());
        let cursor = Cursor { list: "sessions".into(), request, offset: 2, key };
        let text = cursor.text();
        let parse = |text: &str, list: &str, request: &str| {
            Cursor::parse(text, list, request).map_err(|error| error.message)
        };
        assert_eq!(parse(&text, "sessions", &cursor.request).unwrap(), cursor);
        assert!(parse(&text, "jobs", &cursor.request).unwrap_err().contains("another request"));
        assert!(parse(&text, "sessions", "x").unwrap_err().contains("another request"));
        for wrong in ["", "7", "e30", "%", &text[1..], &format!("{text}AAAA")] {
            assert!(parse(wrong, "sessions", "x").unwrap_err().contains("next_cursor"), "{wrong}");
        }
        let long = "A".repeat(HTTP_CURSOR_BYTES_MAX + 1);
        assert!(parse(&long, "sessions", "x").unwrap_err().contains("at most"));
    }
}
