//! What is done once with `FLEET`, by who has no memory to tell: publish one message, or read all.

use crate::follow::Follow;
use crate::link::Link;
use crate::publish::{fleet_message_id, publish};
use crate::settings::{Error, Settings};
use crate::streams::{self, FLEET};
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::message::PublishMessage;
use robot_memory_core::limits::FLEET_BATCH_MAX;
use std::future::Future;
use std::time::Duration;

/// What the hub still has after so long, it has on its disk: its file says `sync_interval: 1s`.
const SYNCED_AFTER: Duration = Duration::from_secs(3);

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub enum OnceError {
    /// A setting cannot be used.
    #[error(transparent)]
    Settings(#[from] Error),
    /// The server, the hub or the stream.
    #[error("{0}")]
    Fleet(String),
    /// It took too long.
    #[error("not done within {} s", .0.as_secs())]
    Timeout(Duration),
}

/// Publishes a message of `settings.robot` into `FLEET`, and waits until JetStream has it on its disk. Returns its
/// sequence there. The same payload with the same `message_id` again is the same message.
///
/// # Errors
/// When it is not known to be there.
pub fn publish_once(
    settings: &Settings,
    message_id: &str,
    payload: Vec<u8>,
    timeout: Duration,
) -> Result<u64, OnceError> {
    run(settings, timeout, async |link| {
        streams::fleet(&link.hub, settings).await?;
        let message_id = fleet_message_id(message_id, &payload);
        let message = PublishMessage::build().payload(payload.into()).message_id(message_id);
        let subject = streams::fleet_subject(&settings.robot);
        let mut outcomes = publish(&link.hub, &subject, FLEET, [message]).await;
        outcomes.pop().unwrap_or_else(|| Err("nothing was sent".to_owned()))
    })
}

/// The same, for a message that nobody else has: returns when the hub has also written it to its disk, which may be a while
/// after it was acknowledged.
///
/// # Errors
/// When it is not known to be there.
pub fn publish_to_disk(
    settings: &Settings,
    message_id: &str,
    payload: Vec<u8>,
    timeout: Duration,
) -> Result<u64, OnceError> {
    let sequence = publish_once(settings, message_id, payload.clone(), timeout)?;
    run(settings, timeout, async |link| {
        tokio::time::sleep(SYNCED_AFTER).await;
        let fleet = streams::fleet(&link.hub, settings).await?;
        match fleet.get_raw_message(sequence).await {
            Ok(message) if message.payload == payload => Ok(sequence),
            Ok(_) => Err("the hub lost it, as in a power cut: send it again".to_owned()),
            Err(error) => Err(format!("whether the hub kept it is not known: {error}")),
        }
    })
}

/// Calls `each` with every message that `FLEET` has when this begins, in its order; returns how many these are. A
/// batch of them is in memory at a time.
///
/// # Errors
/// When not all of them were read.
pub fn read_all(
    settings: &Settings,
    timeout: Duration,
    mut each: impl FnMut(&[u8]),
) -> Result<u64, OnceError> {
    run(settings, timeout, async |link| {
        let stream = link.hub.get_stream(FLEET).await.map_err(|error| match error.kind() {
            GetStreamErrorKind::JetStream(cause)
                if cause.error_code() == ErrorCode::STREAM_NOT_FOUND =>
            {
                format!("the hub has no stream {FLEET}: no robot told anything yet")
            }
            _ => format!("the stream {FLEET} of the hub cannot be read: {error}"),
        })?;
        let state = &stream.cached_info().state;
        if state.messages == 0 {
            return Ok(0);
        }
        let mut follow = Follow::start(&link.hub, FLEET, None, 1, FLEET_BATCH_MAX).await?;
        let mut count = 0;
        let mut is_last = false;
        while !is_last {
            for entry in follow.next().await? {
                each(&entry.message.payload);
                count += 1;
                // The second: the last of them was deleted meanwhile.
                is_last = entry.sequence >= state.last_sequence || entry.pending == 0;
                if is_last {
                    break;
                }
            }
        }
        follow.end(&link.hub, FLEET).await;
        Ok(count)
    })
}

/// Does something with a connection, on this thread.
fn run<T>(
    settings: &Settings,
    timeout: Duration,
    with: impl AsyncFnOnce(&Link) -> Result<T, String>,
) -> Result<T, OnceError> {
    settings.check()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Error::from)?;
    let done = within(timeout, async {
        let link = Link::connect(settings).await.map_err(|failure| failure.text)?;
        with(&link).await
    });
    runtime.block_on(done)
}

async fn within<T>(
    timeout: Duration,
    doing: impl Future<Output = Result<T, String>>,
) -> Result<T, OnceError> {
    match tokio::time::timeout(timeout, doing).await {
        Ok(done) => done.map_err(OnceError::Fleet),
        Err(_) => Err(OnceError::Timeout(timeout)),
    }
}
