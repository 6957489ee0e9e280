//! The protocol: `POST {base}/chat/completions`, as OpenAI, llama.cpp, Ollama and vLLM understand it.

use super::endpoint::ChatEndpoint;
use super::{Chat, ChatError};
use robot_memory_core::limits::CHAT_ANSWER_BYTES_MAX;
use serde::{Deserialize, Serialize};
use std::io;
use std::time::{Duration, Instant};
use ureq::http::HeaderValue;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE};
use ureq::{Agent, Body, Error};

/// Asks a [`ChatEndpoint`]. Calls of several threads do not wait for each other.
pub struct OpenAiChat {
    endpoint: ChatEndpoint,
    agent: Agent,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: [Message<'a>; 2],
    temperature: f32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct ResponseFormat {
    r#type: &'static str,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Answered,
}

#[derive(Deserialize)]
struct Answered {
    content: Option<String>,
}

/// A server that does not know `response_format` says so.
const BAD_REQUEST: u16 = 400;

impl OpenAiChat {
    /// What asks `endpoint`. Nothing is sent before the first question.
    pub fn new(endpoint: ChatEndpoint) -> Self {
        let config = Agent::config_builder()
            // No redirect: text and key go where the parameter says and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            // The environment decides nothing.
            .proxy(None)
            // A question comes once in a while: a kept connection would be a stale one.
            .max_idle_connections(0)
            .user_agent("robot_memory")
            .build();
        Self { endpoint, agent: Agent::new_with_config(config) }
    }

    fn ask(&self, request: &Request<'_>, until: Instant) -> Result<(u16, Body), ChatError> {
        let left = until.saturating_duration_since(Instant::now());
        if left < Duration::from_millis(1) {
            return Err(ChatError::Timeout);
        }
        let body = serde_json::to_vec(request).map_err(|_| ChatError::Shape("request"))?;
        let mut builder = self
            .agent
            .post(&self.endpoint.completions_url)
            .header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.endpoint.key {
            let mut bearer = HeaderValue::from_str(&format!("Bearer {key}"))
                .map_err(|_| ChatError::Unreachable("the key is no HTTP header".to_owned()))?;
            bearer.set_sensitive(true);
            builder = builder.header(AUTHORIZATION, bearer);
        }
        let answer = builder
            .config()
            .timeout_global(Some(left))
            .build()
            .send(&body[..])
            .map_err(|error| chat_error(&error))?;
        Ok((answer.status().as_u16(), answer.into_body()))
    }
}

impl Chat for OpenAiChat {
    fn id(&self) -> &str {
        &self.endpoint.id
    }

    fn complete(&self, system: &str, user: &str) -> Result<String, ChatError> {
        let until = Instant::now() + self.endpoint.timeout;
        let mut request = Request {
            model: &self.endpoint.model,
            messages: [
                Message { role: "system", content: system },
                Message { role: "user", content: user },
            ],
            temperature: 0.0,
            stream: false,
            response_format: Some(ResponseFormat { r#type: "json_object" }),
        };
        let (mut status, mut body) = self.ask(&request, until)?;
        if status == BAD_REQUEST {
            request.response_format = None;
            (status, body) = self.ask(&request, until)?;
        }
        if !(200..300).contains(&status) {
            return Err(ChatError::Status(status));
        }
        let limit = CHAT_ANSWER_BYTES_MAX as u64;
        let bytes = body
            .into_with_config()
            .limit(limit)
            .read_to_vec()
            .map_err(|error| chat_error(&error))?;
        let response: Response =
            serde_json::from_slice(&bytes).map_err(|error| super::answer::not_json(&error))?;
        let content = response.choices.into_iter().next().and_then(|choice| choice.message.content);
        content.ok_or(ChatError::Shape("choices[0].message.content"))
    }
}

/// What is told of an error: nothing that the other side wrote.
fn chat_error(error: &Error) -> ChatError {
    let unreachable = |why: &str| ChatError::Unreachable(why.to_owned());
    match error {
        Error::Timeout(_) => ChatError::Timeout,
        Error::StatusCode(status) => ChatError::Status(*status),
        Error::BodyExceedsLimit(_) | Error::LargeResponseHeader(..) => ChatError::TooLong,
        Error::HostNotFound => unreachable("its host is not known"),
        Error::ConnectionFailed => unreachable("no connection"),
        Error::Io(error) => match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
            Some(inner) => chat_error(inner),
            None if error.kind() == io::ErrorKind::TimedOut => ChatError::Timeout,
            None => unreachable(&error.kind().to_string()),
        },
        Error::Tls(_) | Error::Rustls(_) | Error::Pem(_) | Error::TlsRequired => {
            unreachable("its certificate or encryption is not accepted")
        }
        Error::Protocol(_) | Error::Http(_) => unreachable("its response is not valid HTTP"),
        _ => unreachable("the request failed"),
    }
}

#[cfg(test)]
#[path = "open_ai_tests.rs"]
mod tests;
