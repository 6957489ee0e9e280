//! The connection to the NATS server, and where the streams are from there.

use crate::settings::Settings;
use crate::state::{Failure, Way};
use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event, ServerError};
use robot_memory_core::limits::{FLEET_IN_FLIGHT_MAX, TOKEN_BYTES_MAX};
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;

/// For the connection, and for each answer.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(5);
/// A server that does not answer two of these is lost.
const PING_INTERVAL: Duration = Duration::from_secs(10);

/// A connection to the server. It is not used again when it is lost.
pub(crate) struct Link {
    client: Client,
    /// Of the hub.
    pub(crate) hub: Context,
    /// Of the leaf; `None` when the server is the hub.
    pub(crate) leaf: Option<Context>,
    lost: watch::Receiver<bool>,
    /// What the server said last that this client may not do; empty: nothing.
    refused: watch::Receiver<String>,
}

impl Link {
    /// Connects, with the credentials as they are now.
    pub(crate) async fn connect(settings: &Settings) -> Result<Self, Failure> {
        let shown = settings.shown_url();
        let failed = |text: String| {
            Failure::new(Way::Server, format!("the NATS server {shown} is not reachable: {text}"))
        };
        let addresses = settings.addresses().map_err(|error| failed(error.to_string()))?;
        let (is_lost, lost) = watch::channel(false);
        let (refusal, refused) = watch::channel(String::new());
        let options = options(settings).await.map_err(failed)?.event_callback(move |event| {
            match event {
                Event::Disconnected | Event::Closed => {
                    is_lost.send_replace(true);
                }
                Event::ServerError(ServerError::Other(said)) => {
                    refusal.send_replace(said);
                }
                _ => (),
            }
            std::future::ready(())
        });
        let client = options.connect(addresses).await.map_err(|error| failed(error.to_string()))?;
        let info = client.server_info();
        if !info.jetstream {
            let text =
                format!("the NATS server {shown} has no JetStream: its file needs jetstream {{}}");
            return Err(Failure::new(Way::Server, text));
        }
        let domain = info.domain.unwrap_or_default();
        let is_hub = domain == settings.hub_domain;
        if domain.is_empty() && !is_hub {
            let text = format!(
                "the JetStream of the NATS server {shown} has no domain: its file needs \
                 jetstream {{ domain: {} }}, that of the hub {}",
                settings.robot, settings.hub_domain
            );
            return Err(Failure::new(Way::Server, text));
        }
        let hub = context(&client, &settings.hub_domain);
        let leaf = (!is_hub).then(|| context(&client, &domain));
        Ok(Self { client, hub, leaf, lost, refused })
    }

    /// A failure with what the server refused: who asked for what it may not do gets no answer, only that.
    pub(crate) fn explained(&self, text: &str) -> String {
        match self.refused.borrow().as_str() {
            "" => text.to_owned(),
            said => format!("{text}; the server said: {said}"),
        }
    }

    /// Returns when the connection is lost.
    pub(crate) async fn lost(&self) {
        // An error: the connection is gone altogether.
        let _ = self.lost.clone().wait_for(|is_lost| *is_lost).await;
    }

    /// The connection itself.
    pub(crate) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Bytes of the longest message that the server takes.
    pub(crate) fn message_bytes_max(&self) -> usize {
        self.client.server_info().max_payload
    }
}

fn context(client: &Client, domain: &str) -> Context {
    let builder = jetstream::ContextBuilder::new().timeout(TIMEOUT).ack_timeout(TIMEOUT);
    let builder = builder.max_ack_inflight(2 * FLEET_IN_FLIGHT_MAX);
    if domain.is_empty() {
        return builder.build(client.clone());
    }
    builder.api_prefix(format!("$JS.{domain}.API")).build(client.clone())
}

async fn options(settings: &Settings) -> Result<ConnectOptions, String> {
    let mut options = ConnectOptions::new()
        .name(format!("robot_memory of {}", settings.robot))
        .connection_timeout(TIMEOUT)
        .request_timeout(Some(TIMEOUT))
        .ping_interval(PING_INTERVAL)
        // Another connection is made by `transport.rs`, with credentials that are read again.
        .max_reconnects(1)
        .ignore_discovered_servers();
    if let Some(path) = &settings.credentials_path {
        let text = small_file("credentials_path", path)?;
        options = options.credentials(&text).map_err(|error| {
            format!("credentials_path {} has no credentials: {error}", path.display())
        })?;
    }
    if let Some(path) = &settings.nkey_seed_path {
        options = options.nkey(small_file("nkey_seed_path", path)?.trim().to_owned());
    }
    if let Some(path) = &settings.ca_path {
        options = options.add_root_certificates(path.clone()).require_tls(true);
    }
    Ok(options)
}

/// A file of a few lines.
fn small_file(field: &str, path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{field} {}: {error}", path.display());
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(TOKEN_BYTES_MAX + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > TOKEN_BYTES_MAX {
        return Err(format!("{field} {} has more than {TOKEN_BYTES_MAX} bytes", path.display()));
    }
    Ok(text)
}
