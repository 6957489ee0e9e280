//! Requests as they come in: how long they take, how large they are, and what they become in memory.

use super::problem::Problem;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::{
    HTTP_BODIES_BYTES_MAX, HTTP_BODY_BEGIN_BYTES, HTTP_BODY_BYTES_MAX, HTTP_JSON_BYTES_MAX,
};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A request must have come within so long.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// It waits so long for room to begin.
const ROOM_TIMEOUT: Duration = Duration::from_secs(5);
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
        let begin = kib(length.min(HTTP_BODY_BEGIN_BYTES));
        let room = Arc::clone(&self.kib).acquire_many_owned(begin);
        let room = tokio::time::timeout(ROOM_TIMEOUT, room).await.map_err(|_elapsed| no_room())?;
        let mut room = room.map_err(|_| ApiError::unavailable("the node is stopping"))?;
        let read = self.read(body, bytes_max, &mut room);
        let read = tokio::time::timeout(BODY_TIMEOUT, read).await.map_err(|_elapsed| {
            let detail = format!("the request did not come within {BODY_TIMEOUT:?}");
            Problem::new(StatusCode::REQUEST_TIMEOUT, "invalid_argument", detail)
        });
        let body = read??;
        let room = self.room_of_values(&body, room)?;
        Ok((body, room))
    }

    /// What a request holds, taking more room as it comes. Nobody waits for that: who waits holds some already.
    async fn read(
        &self,
        mut body: Body,
        bytes_max: usize,
        room: &mut OwnedSemaphorePermit,
    ) -> Result<Bytes, Problem> {
        let mut bytes = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let frame = frame.map_err(|error| {
                ApiError::invalid_argument(format!("the request did not come whole: {error}"))
            })?;
            let Ok(data) = frame.into_data() else { continue };
            let length = bytes.len() + data.len();
            if length > bytes_max {
                return Err(too_large(format!("a request has at most {bytes_max} bytes")));
            }
            self.grow(room, kib(length) as usize)?;
            bytes.extend_from_slice(&data);
        }
        Ok(bytes.into())
    }

    /// Takes as much more room as is needed for so many KiB in all.
    fn grow(&self, room: &mut OwnedSemaphorePermit, needed: usize) -> Result<(), Problem> {
        let more = needed.saturating_sub(room.num_permits());
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        room.merge(Arc::clone(&self.kib).try_acquire_many_owned(more).map_err(|_| no_room())?);
        Ok(())
    }

    /// A short text can be a thousand times as many bytes of lists and objects.
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
        if needed < had {
            drop(room.split(had - needed));
        } else {
            self.grow(&mut room, needed)?;
        }
        Ok(room)
    }
}

fn no_room() -> Problem {
    ApiError::unavailable("too many large requests are there; try again").into()
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

// Else the largest request would never have room.
const _: () = assert!(HTTP_BODY_BYTES_MAX + HTTP_JSON_BYTES_MAX <= HTTP_BODIES_BYTES_MAX);

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::body::Frame;
    use std::task::{Context, Poll};

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

    /// A body that comes in parts and has no length; without a part it never ends.
    struct InParts(Vec<&'static [u8]>);

    impl HttpBody for InParts {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            match self.0.pop() {
                Some([]) => Poll::Ready(None),
                Some(part) => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(part))))),
                None => Poll::Pending,
            }
        }
    }

    #[test]
    fn who_sends_nothing_holds_little_and_who_finds_no_room_is_told() {
        static PART: [u8; 60 << 10] = [b' '; 60 << 10];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let bodies = Bodies::new();
        let all = HTTP_BODIES_BYTES_MAX / KIB;
        let whole = |parts: &[&'static [u8]]| {
            bodies.whole(Body::new(InParts(parts.to_vec())), HTTP_BODY_BYTES_MAX)
        };
        runtime.block_on(async {
            let mut silent: Vec<_> = (0..20).map(|_| Box::pin(whole(&[]))).collect();
            for one in &mut silent {
                let mut context = Context::from_waker(std::task::Waker::noop());
                assert!(one.as_mut().poll(&mut context).is_pending());
            }
            assert_eq!(bodies.kib.available_permits(), all - 20 * HTTP_BODY_BEGIN_BYTES / KIB);
            let (body, room) = whole(&[&[], &PART, &PART]).await.unwrap();
            assert_eq!((body.len(), room.num_permits()), (120 << 10, 120));
            drop((silent, room));
            // It has grown as far as there is room.
            let others = u32::try_from(all - 100).unwrap();
            let others = Arc::clone(&bodies.kib).try_acquire_many_owned(others).unwrap();
            let why = whole(&[&[], &PART, &PART]).await.unwrap_err().to_string();
            assert!(why.starts_with("unavailable: too many large requests"), "{why}");
            assert_eq!(bodies.kib.available_permits(), 100);
            let last = Arc::clone(&bodies.kib).try_acquire_many_owned(100).unwrap();
            let why = whole(&[&[]]).await.unwrap_err();
            assert_eq!(why.status(), StatusCode::SERVICE_UNAVAILABLE, "{why}");
            drop((others, last));
            let parts = [&PART[..]; 140];
            let status = whole(&parts).await.unwrap_err().status();
            assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
        });
        assert_eq!(bodies.kib.available_permits(), all);
    }
}
