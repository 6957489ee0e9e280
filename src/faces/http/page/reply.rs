//! How pages are sent: with what a browser may do with them, and small.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::Markup;
use std::io::Write;

/// Scripts, styles and pictures of this node alone, and nothing in the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/// What is shorter is sent as it is.
const COMPRESSED_FROM: usize = 1_024;

/// A page.
pub fn html(status: StatusCode, page: Markup, takes_gzip: bool) -> Response {
    let page = page.into_string().into_bytes();
    let is_small = takes_gzip && page.len() >= COMPRESSED_FROM;
    let body = if is_small { compressed(&page) } else { page };
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Not less: without it a browser does not say that a form is of this node.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (header::VARY, "Accept-Encoding, Cookie"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if is_small {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// Shows another page next.
pub fn see_other(path: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    let path = HeaderValue::from_str(path).unwrap_or(HeaderValue::from_static("/"));
    headers.insert(header::LOCATION, path);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

/// With htmx, a page that is shown whole instead of the part of a view that was asked for.
pub fn for_main(mut response: Response) -> Response {
    for (name, value) in
        [("hx-retarget", "#main"), ("hx-reselect", "#main"), ("hx-reswap", "outerHTML")]
    {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Whether the caller can read what is compressed.
pub fn takes_gzip(headers: &HeaderMap) -> bool {
    let given = headers.get(header::ACCEPT_ENCODING).and_then(|given| given.to_str().ok());
    given.is_some_and(|given| {
        given.split(',').any(|one| {
            let (name, weight) = one.split_once(';').unwrap_or((one, ""));
            name.trim().eq_ignore_ascii_case("gzip") && weight.trim() != "q=0"
        })
    })
}

/// As gzip.
pub fn compressed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
