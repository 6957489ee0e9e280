//! Errors as `application/problem+json` (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use robot_memory_core::api::{ApiError, ErrorKind};
use serde_json::json;
use std::fmt;

/// Why a request was not done.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    /// Spelling of an [`ErrorKind`], or what only this face has.
    code: &'static str,
    detail: String,
}

impl Problem {
    /// Its detail is cut where it is long: it may quote what was given.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        let detail = ApiError::invalid_argument(detail).shortened().message;
        Self { status, code, detail }
    }

    /// Its status, its spelling, and what is wrong.
    pub fn parts(self) -> (StatusCode, &'static str, String) {
        (self.status, self.code, self.detail)
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Nobody is known by the token, or there is none.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// Not for this caller.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, ErrorKind::Forbidden.as_str(), detail)
    }
}

impl Problem {
    /// As the operations name it; `None`: only this face has it.
    pub fn kind(&self) -> Option<ErrorKind> {
        ErrorKind::parse(self.code)
    }
}

/// In one line, for those who are not told the status.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl From<ApiError> for Problem {
    fn from(error: ApiError) -> Self {
        let ApiError { kind, message } = error;
        let status = match kind {
            ErrorKind::InvalidArgument => StatusCode::BAD_REQUEST,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::InvalidState => StatusCode::CONFLICT,
            ErrorKind::Forbidden => StatusCode::FORBIDDEN,
            ErrorKind::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, kind.as_str(), message)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { status, code, detail } = self;
        let title = status.canonical_reason().unwrap_or_default();
        let body = json!({
            "type": "about:blank",
            "title": title,
            "status": status.as_u16(),
            "error_code": code,
            "detail": detail,
        });
        let mut response = (status, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE || status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
