//! Where a chat endpoint is, as the parameters say.

use robot_memory_core::limits::CHAT_KEY_BYTES_MAX;
use std::fmt;
use std::time::Duration;
use ureq::http::Uri;

/// A chat endpoint that can be asked.
#[derive(Clone, PartialEq, Eq)]
pub struct ChatEndpoint {
    /// `POST` goes there.
    pub(super) completions_url: String,
    pub(super) model: String,
    /// Sent as a bearer token.
    pub(super) key: Option<String>,
    /// For a whole call.
    pub(super) timeout: Duration,
    pub(super) id: String,
}

/// Why the parameters name no endpoint. Names the parameter, the bound and what was given, but no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ChatEndpointError(String);

/// Seconds that a call may take, from and to.
const TIMEOUT_SECS: (f64, f64) = (1.0, 600.0);
/// What an endpoint is asked by, below its base.
const COMPLETIONS: &str = "/chat/completions";

impl ChatEndpoint {
    /// Reads the parameters `chat_url` (the base, as `http://127.0.0.1:11434/v1`; empty: `None`),
    /// `chat_model`, the text of the file at `chat_key_path` (its first line is the key; empty: none) and
    /// `chat_timeout_secs`, 1 to 600.
    ///
    /// # Errors
    /// When one of them cannot be.
    pub fn read(
        url: &str,
        model: &str,
        key_text: &str,
        timeout_secs: f64,
    ) -> Result<Option<Self>, ChatEndpointError> {
        let (url, model) = (url.trim(), model.trim());
        if url.is_empty() {
            return Ok(None);
        }
        let base = base(url)?;
        if model.is_empty() {
            return Err(ChatEndpointError(
                "parameter chat_url is set, so chat_model must name a model, not \"\"".to_owned(),
            ));
        }
        if !(TIMEOUT_SECS.0..=TIMEOUT_SECS.1).contains(&timeout_secs) {
            return Err(ChatEndpointError(format!(
                "parameter chat_timeout_secs must be from {:?} to {:?}, not {timeout_secs:?}",
                TIMEOUT_SECS.0, TIMEOUT_SECS.1
            )));
        }
        Ok(Some(Self {
            completions_url: format!("{base}{COMPLETIONS}"),
            model: model.to_owned(),
            key: key(key_text)?,
            timeout: Duration::from_secs_f64(timeout_secs),
            id: format!("{model} at {base}"),
        }))
    }
}

impl fmt::Debug for ChatEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatEndpoint")
            .field("id", &self.id)
            .field("has_key", &self.key.is_some())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// The base of the endpoint without a slash at its end.
fn base(url: &str) -> Result<&str, ChatEndpointError> {
    let refuse = |why: &str| ChatEndpointError(format!("parameter chat_url {why}"));
    // Before anything is repeated: it may hold a password.
    if url.contains('@') {
        return Err(refuse(
            "must hold no user or password; chat_key_path names a file with the key",
        ));
    }
    if url.contains(['?', '#']) {
        return Err(refuse(
            "must end with its path, as http://127.0.0.1:11434/v1, without ? and #",
        ));
    }
    let example =
        || refuse(&format!("must be an address as http://127.0.0.1:11434/v1, not \"{url}\""));
    let uri: Uri = url.parse().map_err(|_| example())?;
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    if !is_http || uri.host().is_none_or(str::is_empty) {
        return Err(example());
    }
    let base = url.trim_end_matches('/');
    if base.ends_with(COMPLETIONS) {
        return Err(refuse(&format!("must be the base of the endpoint, without {COMPLETIONS}")));
    }
    Ok(base)
}

fn key(text: &str) -> Result<Option<String>, ChatEndpointError> {
    let key = text.lines().next().unwrap_or_default().trim();
    let refuse = |why: String| ChatEndpointError(format!("the key in chat_key_path {why}"));
    if key.len() > CHAT_KEY_BYTES_MAX {
        return Err(refuse(format!(
            "must be at most {CHAT_KEY_BYTES_MAX} bytes long, not {}",
            key.len()
        )));
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(refuse(
            "must be the first line of its file, in ASCII without spaces".to_owned(),
        ));
    }
    Ok((!key.is_empty()).then(|| key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_checked() {
        let long = "k".repeat(CHAT_KEY_BYTES_MAX + 1);
        let cases = [
            ("", "", "", 20.0, Ok(None)),
            (" ", "m", "key", 20.0, Ok(None)),
            (
                "http://127.0.0.1:11434/v1",
                "m",
                "",
                20.0,
                Ok(Some("m at http://127.0.0.1:11434/v1")),
            ),
            ("https://host/v1/", " m ", "key\n", 1.0, Ok(Some("m at https://host/v1"))),
            ("http://[::1]:8080", "m", "", 600.0, Ok(Some("m at http://[::1]:8080"))),
            (
                "http://127.0.0.1:11434/v1",
                "",
                "",
                20.0,
                Err("parameter chat_url is set, so chat_model must name a model, not \"\""),
            ),
            (
                "127.0.0.1:11434",
                "m",
                "",
                20.0,
                Err(
                    "parameter chat_url must be an address as http://127.0.0.1:11434/v1, not \"127.0.0.1:11434\"",
                ),
            ),
            (
                "ftp://host/v1",
                "m",
                "",
                20.0,
                Err(
                    "parameter chat_url must be an address as http://127.0.0.1:11434/v1, not \"ftp://host/v1\"",
                ),
            ),
            (
                "http://a b/v1",
                "m",
                "",
                20.0,
                Err(
                    "parameter chat_url must be an address as http://127.0.0.1:11434/v1, not \"http://a b/v1\"",
                ),
            ),
            (
                "http://user:secret@host/v1",
                "m",
                "",
                20.0,
                Err(
                    "parameter chat_url must hold no user or password; chat_key_path names a file with the key",
                ),
            ),
            (
                "http://host/v1?key=secret",
                "m",
                "",
                20.0,
                Err(
                    "parameter chat_url must end with its path, as http://127.0.0.1:11434/v1, without ? and #",
                ),
            ),
            (
                "http://host/v1/chat/completions",
                "m",
                "",
                20.0,
                Err(
                    "parameter chat_url must be the base of the endpoint, without /chat/completions",
                ),
            ),
            (
                "http://host/v1",
                "m",
                "",
                0.5,
                Err("parameter chat_timeout_secs must be from 1.0 to 600.0, not 0.5"),
            ),
            (
                "http://host/v1",
                "m",
                "",
                f64::NAN,
                Err("parameter chat_timeout_secs must be from 1.0 to 600.0, not NaN"),
            ),
            (
                "http://host/v1",
                "m",
                "two words",
                20.0,
                Err(
                    "the key in chat_key_path must be the first line of its file, in ASCII without spaces",
                ),
            ),
            (
                "http://host/v1",
                "m",
                &long,
                20.0,
                Err("the key in chat_key_path must be at most 4096 bytes long, not 4097"),
            ),
        ];
        for (url, model, key, secs, expected) in cases {
            let read = ChatEndpoint::read(url, model, key, secs);
            let shown = read.map(|endpoint| endpoint.map(|endpoint| endpoint.id));
            let expected = expected.map(|id| id.map(str::to_owned));
            assert_eq!(shown.map_err(|error| error.0), expected.map_err(str::to_owned), "{url}");
        }
    }

    #[test]
    fn the_key_is_the_first_line_and_is_not_shown() {
        let endpoint = ChatEndpoint::read("http://host/v1", "m", " s3cret-key \r\nmore", 20.0)
            .expect("it is valid")
            .expect("it is on");
        assert_eq!(endpoint.key.as_deref(), Some("s3cret-key"));
        assert!(!format!("{endpoint:?}").contains("s3cret-key"));
    }
}
