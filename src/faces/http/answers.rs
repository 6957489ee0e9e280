//! Answers as they go out: how many bytes of them wait for callers that read slowly, and what each says to
//! browsers and proxies.

use super::problem::Problem;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use robot_memory_core::api::ApiError;
use robot_memory_core::limits::{HTTP_ANSWERS_BYTES_MAX, HTTP_SMALL_ANSWER_BYTES_MAX};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Permits of the bytes of an answer.
const KIB: usize = 1 << 10;

/// On the answer to somebody who was let in. Whoever is not known keeps no connection: those of callers would all
/// be used by one who only asks, again and again.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfCaller;

/// The room for answers.
#[derive(Debug, Clone)]
pub(super) struct AnswerRoom(Arc<Semaphore>);

impl AnswerRoom {
    /// All of it.
    pub fn new() -> Self {
        Self::of(HTTP_ANSWERS_BYTES_MAX)
    }

    fn of(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / KIB)))
    }

    /// The answer, which holds its room until it has been sent; or that there is none.
    fn held(&self, response: Response) -> Response {
        // What is made while it is sent has no size before.
        let Some(bytes) = response.body().size_hint().exact() else { return response };
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        if bytes <= HTTP_SMALL_ANSWER_BYTES_MAX {
            return response;
        }
        let kib = u32::try_from(bytes.div_ceil(KIB).min(HTTP_ANSWERS_BYTES_MAX / KIB));
        match Arc::clone(&self.0).try_acquire_many_owned(kib.unwrap_or(u32::MAX)) {
            Ok(room) => response.map(|body| Body::new(Held { body, room: Arc::new(room) })),
            Err(_) => Problem::from(ApiError::unavailable(format!(
                "an answer of {bytes} bytes has no room beside those that callers read slowly; what was to be \
                 written is written"
            )))
            .into_response(),
        }
    }
}

/// Bounds what waits to be sent, and says what holds for every answer.
pub(super) async fn send(State(room): State<AnswerRoom>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let is_known = response.extensions_mut().remove::<OfCaller>().is_some();
    let mut response = room.held(response);
    let headers = response.headers_mut();
    if !is_known {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    // What is stored is no program, and for whoever asked.
    for (name, value) in
        [(header::X_CONTENT_TYPE_OPTIONS, "nosniff"), (header::CACHE_CONTROL, "no-store")]
    {
        let name: HeaderName = name;
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// A body that holds its room until its last byte has been taken by the operating system.
struct Held {
    body: Body,
    room: Arc<OwnedSemaphorePermit>,
}

/// Bytes of it, which may be sent after it was dropped.
struct HeldBytes {
    bytes: Bytes,
    _room: Arc<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        frame.map_ok(|frame| {
            frame.map_data(|bytes| {
                Bytes::from_owner(HeldBytes { bytes, _room: Arc::clone(&self.room) })
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::StatusCode;

    #[test]
    fn answers_wait_as_far_as_there_is_room() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let room = AnswerRoom::of(2 << 20);
        let answer = || room.held(Body::from(vec![7; 1 << 20]).into_response());
        let (first, second) = (answer(), answer());
        assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::OK));
        assert_eq!(answer().status(), StatusCode::SERVICE_UNAVAILABLE);
        // A small one needs none.
        let small = room.held(Body::from("x").into_response());
        assert_eq!(small.status(), StatusCode::OK);
        // Its bytes may be sent after it is gone.
        let bytes = runtime.block_on(axum::body::to_bytes(first.into_body(), usize::MAX)).unwrap();
        assert_eq!((bytes.len(), answer().status()), (1 << 20, StatusCode::SERVICE_UNAVAILABLE));
        drop(bytes);
        assert_eq!(answer().status(), StatusCode::OK);
        drop(second);
    }
}
