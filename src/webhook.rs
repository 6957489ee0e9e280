//! Posts reports of maintenance to a URL, from a thread of its own.

use robot_memory_engine::{Engine, MaintenanceReports};
use std::fmt;
use std::time::{Duration, Instant};
use ureq::Agent;
use ureq::http::Uri;
use ureq::http::header::CONTENT_TYPE;

/// For a whole request.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long it waits before the second and the third attempt.
const WAITS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];
/// The longest time for which it does not look whether it shall end.
const LOOK_EACH: Duration = Duration::from_millis(100);

/// Where reports are posted. Neither its text nor an error shows the address, which may hold a token.
#[derive(Clone)]
pub struct Webhook {
    url: String,
    agent: Agent,
    waits: [Duration; 2],
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").finish_non_exhaustive()
    }
}

/// Why a parameter names no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "parameter maintenance_webhook_url must be an address as http://127.0.0.1:8080/reports: {0}"
)]
pub struct WebhookError(&'static str);

impl Webhook {
    /// Reads the parameter `maintenance_webhook_url`: `http` or `https`; empty: `None`.
    ///
    /// # Errors
    /// When it is no such address.
    pub fn read(url: &str) -> Result<Option<Self>, WebhookError> {
        let url = url.trim();
        if url.is_empty() {
            return Ok(None);
        }
        let uri: Uri = url.parse().map_err(|_| WebhookError("it cannot be read"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(WebhookError("it begins with neither http:// nor https://"));
        }
        if uri.host().is_none_or(str::is_empty) {
            return Err(WebhookError("it names no host"));
        }
        let config = Agent::config_builder()
            // Reports go where the parameter says and nowhere else.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .proxy(None)
            .max_idle_connections(0)
            .timeout_global(Some(TIMEOUT))
            .user_agent("robot_memory")
            .build();
        Ok(Some(Self { url: url.to_owned(), agent: Agent::new_with_config(config), waits: WAITS }))
    }

    /// With other waits between attempts.
    #[must_use]
    pub fn waiting(self, waits: [Duration; 2]) -> Self {
        Self { waits, ..self }
    }

    /// Posts each report as JSON, tried three times, until `is_over`. What could not be posted is shown by
    /// [`Engine::webhook_fault`] and logged when it begins and when it ends; the report is in its file.
    pub fn deliver(
        &self,
        engine: &Engine,
        reports: &MaintenanceReports,
        is_over: impl Fn() -> bool,
    ) {
        while !is_over() {
            for report in reports.next(LOOK_EACH) {
                let fault = self.post(&report.json, &is_over).err();
                match (&fault, engine.webhook_fault().is_some()) {
                    (Some(fault), false) => {
                        log::warn!("a report of maintenance was not posted: {fault}");
                    }
                    (None, true) => log::info!("reports of maintenance are posted again"),
                    _ => {}
                }
                engine.note_webhook(fault);
            }
        }
    }

    fn post(&self, json: &str, is_over: &impl Fn() -> bool) -> Result<(), String> {
        let mut outcome = self.post_once(json);
        for wait in self.waits {
            if outcome.is_ok() {
                break;
            }
            let until = Instant::now() + wait;
            while Instant::now() < until {
                if is_over() {
                    return outcome;
                }
                std::thread::sleep(LOOK_EACH.min(wait));
            }
            outcome = self.post_once(json);
        }
        outcome
    }

    fn post_once(&self, json: &str) -> Result<(), String> {
        let answer = self
            .agent
            .post(&self.url)
            .header(CONTENT_TYPE, "application/json")
            .send(json)
            .map_err(|error| reason(&error))?;
        match answer.status().as_u16() {
            200..300 => Ok(()),
            status => Err(format!("the webhook answered with status {status}")),
        }
    }
}

/// What is told of an error: nothing that the other side wrote, and no address.
fn reason(error: &ureq::Error) -> String {
    let reason = match error {
        ureq::Error::Timeout(_) => "the webhook did not answer within 10 s",
        ureq::Error::HostNotFound => "the webhook's host is not known",
        ureq::Error::ConnectionFailed | ureq::Error::Io(_) => "no connection to the webhook",
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) | ureq::Error::Pem(_) => {
            "the webhook's certificate or encryption is not accepted"
        }
        _ => "the webhook's response is not valid HTTP",
    };
    reason.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_checked_and_never_repeated() {
        assert!(matches!(Webhook::read(" "), Ok(None)));
        assert!(matches!(Webhook::read("https://hooks.example/T0/s3cret"), Ok(Some(_))));
        for url in
            ["hooks.example/s3cret", "ftp://hooks.example/s3cret", "http:///s3cret", "http://a b"]
        {
            let error = Webhook::read(url).expect_err(url).to_string();
            assert!(
                error.contains("maintenance_webhook_url") && !error.contains("s3cret"),
                "{error}"
            );
        }
        let webhook = Webhook::read("http://hooks.example/s3cret").expect("valid").expect("on");
        assert!(!format!("{webhook:?}").contains("s3cret"));
    }
}
