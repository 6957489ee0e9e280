//! Requests as they come in: how long they take, how large they are, and what they become in memory.

use super::problem::Problem;
use axum::body::{Body, Bytes, HttpBody, to_bytes};
use axum::http::StatusCode;
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::{HTTP_BODIES_BYTES_MAX, HTTP_BODY_BYTES_MAX, HTTP_JSON_BYTES_MAX};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A request must have come within so long.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Permits of the bytes of a request.
const KIB: usize = 1 << 10;
/// Bytes that a value takes where it stands in a list, which has room for more, or in an object.
const VALUE_BYTES: usize = 64;
/// Bytes that an object takes, with room for some fields.
const OBJECT_BYTES: usize = 704;

/// The room for requests.
pub(super) struct Bodies {
    kib: Arc<Semaphore>,
}

impl Bodies {
    /// All of it.
    pub fn new() -> Self {
        Self { kib: Arc::new(Semaphore::new(HTTP_BODIES_BYTES_MAX / KIB)) }
    }

    /// A whole request of at most so many bytes; and the room that it takes, also once it has been read as JSON.
    ///
    /// # Errors
    /// When it is too large, does not come in time, or there is no room.
    pub async fn whole(
        &self,
        body: Body,
        bytes_max: usize,
    ) -> Result<(Bytes, OwnedSemaphorePermit), Problem> {
        let length = body.size_hint().upper().map(usize::try_from);
        let length = length.map_or(bytes_max, |length| length.unwrap_or(usize::MAX));
        if length > bytes_max {
            return Err(too_large(format!(
                "a request has at most {bytes_max} bytes, got {length}"
            )));
        }
        let read = async {
            let room = Arc::clone(&self.kib).acquire_many_owned(kib(length)).await;
            let room = room.map_err(|_| ApiError::unavailable("the node is stopping"))?;
            let body = to_bytes(body, bytes_max).await.map_err(|error| {
                ApiError::invalid_argument(format!(
                    "the request did not come whole, or has more than {bytes_max} bytes: {error}"
                ))
            })?;
            Ok::<_, Problem>((body, room))
        };
        let read = tokio::time::timeout(BODY_TIMEOUT, read).await.map_err(|_elapsed| {
            let detail = format!("the request did not come within {BODY_TIMEOUT:?}");
            Problem::new(StatusCode::REQUEST_TIMEOUT, "invalid_argument", detail)
        });
        let (body, room) = read??;
        let room = self.room_of_values(&body, room)?;
        Ok((body, room))
    }

    /// A short text can be a thousand times as many bytes of lists and objects. Nobody waits for their room: who
    /// waits holds some already.
    fn room_of_values(
        &self,
        body: &[u8],
        mut room: OwnedSemaphorePermit,
    ) -> Result<OwnedSemaphorePermit, Problem> {
        let values = value_bytes(body);
        if values > HTTP_JSON_BYTES_MAX {
            return Err(too_large(format!(
                "the values of a request take at most {HTTP_JSON_BYTES_MAX} bytes in memory, got {values}"
            )));
        }
        let (needed, had) = (kib(body.len() + values) as usize, room.num_permits());
        if needed <= had {
            drop(room.split(had - needed));
            return Ok(room);
        }
        let more = u32::try_from(needed - had).unwrap_or(u32::MAX);
        match Arc::clone(&self.kib).try_acquire_many_owned(more) {
            Ok(more) => room.merge(more),
            Err(_) => {
                let why = "too many large requests are there; try again";
                return Err(ApiError::unavailable(why).into());
            }
        }
        Ok(room)
    }
}

fn too_large(detail: String) -> Problem {
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "invalid_argument", detail)
}

fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(KIB).max(1)).unwrap_or(u32::MAX)
}

/// Bytes that the values of a JSON text take in memory, its texts aside. Of what is no JSON it says too much.
pub(super) fn value_bytes(text: &[u8]) -> usize {
    let (mut bytes, mut is_text, mut is_escaped) = (0, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' => bytes += OBJECT_BYTES,
            b'[' | b',' | b':' => bytes += VALUE_BYTES,
            _ => {}
        }
    }
    bytes
}

// Else a request that waits for its room would wait for ever.
const _: () = assert!(HTTP_BODY_BYTES_MAX + HTTP_JSON_BYTES_MAX <= HTTP_BODIES_BYTES_MAX);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_texts() {
        assert_eq!(value_bytes(br#"{"a": [1, 2]}"#), OBJECT_BYTES + 3 * VALUE_BYTES);
        assert_eq!(value_bytes(br#"{"a": "[{,:\"[{,:"}"#), OBJECT_BYTES + VALUE_BYTES);
        assert_eq!(value_bytes(b"\"{{{{"), 0);
        assert_eq!(value_bytes(b""), 0);
    }

    #[test]
    fn a_request_has_room_for_what_it_becomes() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let bodies = Bodies::new();
        let whole = |text: String| runtime.block_on(bodies.whole(text.into(), HTTP_BODY_BYTES_MAX));
        let all = HTTP_BODIES_BYTES_MAX / KIB;
        let (_, small) = whole("{}".to_owned()).unwrap();
        assert_eq!(bodies.kib.available_permits(), all - 1);
        let bomb = |objects: usize| format!("[{}]", r#"{"":0},"#.repeat(objects));
        let refused = whole(bomb(100_000)).unwrap_err().to_string();
        assert!(refused.contains("in memory"), "{refused}");
        let (_, one) = whole(bomb(39_000)).unwrap();
        let why = whole(bomb(39_000)).unwrap_err().to_string();
        assert!(why.starts_with("unavailable: "), "{why}");
        drop((small, one));
        assert_eq!(bodies.kib.available_permits(), all);
    }
}
