//! The style sheet and the scripts: in the program, under a name that changes with what they hold.

use super::reply::{compressed, takes_gzip};
use crate::faces::http::problem::Problem;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;

/// A file as it is sent.
pub struct Asset {
    /// Where it is: its name with a hash.
    pub path: String,
    content_type: &'static str,
    text: &'static str,
    gzip: Vec<u8>,
}

pub static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("page", "css", "text/css", include_str!("assets/page.css")));
pub static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("page", "js", "text/javascript", include_str!("assets/page.js")));
pub static HTMX: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("htmx", "js", "text/javascript", include_str!("assets/htmx.min.js"))
});

impl Asset {
    fn new(name: &str, ending: &str, content_type: &'static str, text: &'static str) -> Self {
        let hash: String =
            Sha256::digest(text).iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        let path = format!("/assets/{name}.{hash}.{ending}");
        Self { path, content_type, text, gzip: compressed(text.as_bytes()) }
    }
}

/// Sends one of them, which never changes under its name.
pub async fn file(
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let assets = [&STYLE, &SCRIPT, &HTMX];
    let asset = path.ok().and_then(|Path(file)| {
        assets.into_iter().find(|asset| asset.path.ends_with(&format!("/{file}")))
    });
    let Some(asset) = asset else {
        let detail = "the page has no such file";
        return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", detail));
    };
    let is_small = takes_gzip(&headers);
    let mut response =
        if is_small { asset.gzip.clone().into_response() } else { asset.text.into_response() };
    let sent = response.headers_mut();
    sent.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    sent.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    sent.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let unchanging = HeaderValue::from_static("public, max-age=31536000, immutable");
    sent.insert(header::CACHE_CONTROL, unchanging);
    if is_small {
        sent.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}
