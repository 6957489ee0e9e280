//! The picture of a perception, as a file.

use super::{memory_of, no_file, shown};
use crate::faces::http::guard::Caller;
use crate::faces::http::problem::Problem;
use crate::faces::http::routes::App;
use axum::Extension;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use robot_memory_core::limits::HTTP_PICTURES_MAX;
use robot_memory_core::picture;
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// What a JPEG begins with. Data are what a caller gave: nothing else is shown as a picture.
const JPEG: [u8; 3] = [0xff, 0xd8, 0xff];

/// Bytes of the digest that tells one picture from another.
const TAG_BYTES: usize = 16;

/// The room for those that are decoded.
static DECODED: Semaphore = Semaphore::const_new(HTTP_PICTURES_MAX);

/// Of a memory, what may hold a picture.
#[derive(Deserialize)]
struct Pictured {
    data: Box<RawValue>,
}

/// A JPEG, and what tells it from another.
struct Picture {
    jpeg: Vec<u8>,
    tag: String,
}

/// The picture in the answer of `get_memory`; `None`: it has none.
fn picture_of(answer: &[u8]) -> Option<Picture> {
    let Pictured { data } = serde_json::from_slice(answer).ok()?;
    let jpeg = picture::jpeg_of(data.get()).filter(|jpeg| jpeg.starts_with(&JPEG))?;
    let digest = Sha256::digest(&jpeg);
    let tag = format!("\"{}\"", URL_SAFE_NO_PAD.encode(&digest[..TAG_BYTES]));
    Some(Picture { jpeg, tag })
}

/// `GET /api/v1/keyframes/{memory_id}.jpg`
pub(super) async fn keyframe(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    path: Result<RawPathParams, RawPathParamsRejection>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Problem> {
    let id = memory_of(path, ".jpg")?;
    let answer = shown(&app, &caller, &uri, id, true).await?;
    // Megabytes take a while, in which the one thread of all callers is to do something else.
    let room = DECODED.acquire().await;
    let decoded = spawn_blocking(move || {
        let _room = room;
        picture_of(&answer)
    });
    let Ok(Some(Picture { jpeg, tag })) = decoded.await else {
        return Err(no_file(id, "picture"));
    };
    let is_known = is_named(&headers, &tag);
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let kind = HeaderValue::from_static("image/jpeg");
        ([(header::CONTENT_TYPE, kind)], jpeg).into_response()
    };
    let headers = response.headers_mut();
    private(headers);
    if let Ok(tag) = tag.parse() {
        headers.insert(header::ETAG, tag);
    }
    Ok(response)
}

/// Only the caller keeps it, and asks again before it is shown: its memory may be deleted by then.
pub(super) fn private(headers: &mut HeaderMap) {
    let mut insert =
        |name: HeaderName, value| headers.insert(name, HeaderValue::from_static(value));
    insert(header::CACHE_CONTROL, "private, no-cache");
    insert(header::VARY, "Authorization, Cookie");
    insert(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
}

/// Whether the caller has what this tag names (RFC 9110, 13.1.2).
fn is_named(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .any(|given| given == "*" || given.strip_prefix("W/").unwrap_or(given) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_taken_out_of_an_answer() {
        let answer =
            br#"{"id": 1, "data": {"image": {"thumbnail_jpeg": "/9j/4A=="}}, "content": ""}"#;
        let picture = picture_of(answer).unwrap();
        assert_eq!(picture.jpeg, [0xff, 0xd8, 0xff, 0xe0]);
        assert!(picture.tag.starts_with('"') && picture.tag.len() > TAG_BYTES, "{}", picture.tag);
        for none in [
            &br#"{"id": 1, "data": null}"#[..],
            br#"{"id": 1}"#,
            br#"{"data": {"image": {"thumbnail_jpeg": "R0lG"}}}"#,
            b"no JSON",
        ] {
            assert!(picture_of(none).is_none(), "{}", String::from_utf8_lossy(none));
        }
    }

    #[test]
    fn a_tag_is_known_by_its_name_in_a_list() {
        let cases = [
            ("\"a\"", true),
            ("W/\"a\"", true),
            ("\"b\", \"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
            ("", false),
        ];
        for (given, expected) in cases {
            let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, given.parse().unwrap())]);
            assert_eq!(is_named(&headers, "\"a\""), expected, "{given}");
        }
        assert!(!is_named(&HeaderMap::new(), "\"a\""));
    }
}
