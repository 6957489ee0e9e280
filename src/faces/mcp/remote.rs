//! A node that answers over HTTP.

use robot_memory_core::limits::MCP_ANSWER_BYTES_MAX;
use serde_json::{Map, Value};
use std::time::Duration;
use ureq::Agent;

/// For a whole call: longer than the node takes at most.
const TIMEOUT: Duration = Duration::from_secs(80);

/// A node, and the token that proves who calls it.
pub(super) struct RemoteNode {
    /// `http://127.0.0.1:8080`
    url: String,
    /// Empty: none.
    token: String,
    agent: Agent,
}

impl RemoteNode {
    /// The node at this address.
    pub fn new(url: &str, token: &str) -> Self {
        let config = Agent::config_builder()
            // The token is for this node and for nobody else.
            .max_redirects(0)
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(TIMEOUT))
            .user_agent("robot_memory")
            .build();
        let url = url.trim_end_matches('/').to_owned();
        Self { url, token: token.trim().to_owned(), agent: Agent::new_with_config(config) }
    }

    /// Calls an operation; answers the response as JSON.
    ///
    /// # Errors
    /// In words: the error of the node, or that it does not answer.
    pub fn call(&self, operation: &str, fields: &Map<String, Value>) -> Result<Vec<u8>, String> {
        let mut request = self
            .agent
            .post(format!("{}/api/v1/{operation}", self.url))
            .header("Content-Type", "application/json");
        if !self.token.is_empty() {
            request = request.header("Authorization", format!("Bearer {}", self.token));
        }
        let silent =
            |error: ureq::Error| format!("unavailable: {} does not answer: {error}", self.url);
        let mut response =
            request.send(Value::Object(fields.clone()).to_string()).map_err(silent)?;
        let status = response.status();
        let body = response.body_mut().with_config().limit(MCP_ANSWER_BYTES_MAX).read_to_vec();
        let body = body.map_err(silent)?;
        if status.is_success() {
            return Ok(body);
        }
        let problem: Value = serde_json::from_slice(&body).unwrap_or_default();
        match (problem["error_code"].as_str(), problem["detail"].as_str()) {
            (Some(code), Some(detail)) => Err(format!("{code}: {detail}")),
            _ => Err(format!(
                "unavailable: {} answers {status}: is it a node of this program?",
                self.url
            )),
        }
    }
}
