//! The listener for HTTP, as the parameters say.

use super::StartError;
use super::capture::Call;
use super::maintenance::path_of;
use super::offers::Offers;
use crate::config::Settings;
use crate::faces::http::{HttpServer, HttpSettings, HttpTarget, StreamNumbers, tokens};
use crate::faces::paths::Folders;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Answers over HTTP; `None`: switched off.
///
/// # Errors
/// When it cannot listen at the address.
pub(super) fn start(
    offers: &Offers,
    folders: &Folders,
    settings: &Settings,
    store_path: &Path,
) -> Result<Option<HttpServer>, StartError> {
    if settings.http_address.is_empty() {
        return Ok(None);
    }
    let tokens_path = path_of(folders, "http_tokens_path", &settings.http_tokens_path)?;
    let tokens_path = tokens_path.unwrap_or_else(|| tokens::beside(store_path));
    let told = HttpSettings {
        address: settings.http_address.clone(),
        hosts: settings.http_hosts.clone(),
        is_open: settings.http_open,
        requests_per_second_max: settings.http_requests_per_second,
        tokens_path,
        login_link: settings.http_login_link,
    };
    let server = HttpServer::start(told, target(offers, settings))
        .map_err(|error| StartError::Http(settings.http_address.clone(), error))?;
    let address = server.address();
    log::info!("answering at http://{address}/api/v1/");
    if let Some(link) = server.login_link() {
        // Whoever has it is the operator, once: it is for who looks at this terminal, and not for the log, which goes to
        // `/rosout`, to files, and from there into memories.
        let _ = writeln!(std::io::stderr(), "the page, to be opened once: {link}");
    }
    if !address.ip().is_loopback() {
        log::warn!(
            "http_address {address}: others on the network can read what is sent; put a proxy with TLS \
             before it (docs/http.md)"
        );
    }
    Ok(Some(server))
}

fn target(offers: &Offers, settings: &Settings) -> HttpTarget {
    let captures = offers.captures.clone();
    let capture = Arc::new(move |request, answer| {
        captures.submit(Call::Direct(Some(request), answer));
    });
    let streams = offers.streams.clone();
    let tell = Arc::new(move || -> Vec<StreamNumbers> {
        streams.get().map(|streams| streams.numbers()).unwrap_or_default()
    });
    HttpTarget::new(
        &offers.engine,
        (&offers.reads, usize::try_from(settings.read_workers).unwrap_or(1)),
        (&offers.writes, usize::try_from(settings.write_workers).unwrap_or(1)),
        capture,
        &offers.calls,
        tell,
    )
}
