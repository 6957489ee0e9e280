//! What is done once with `FLEET`, beside a transport or without one: publish one message, read all, or ask how much there is.

use crate::follow::Follow;
use crate::link::Link;
use crate::memory::Position;
use crate::publish::{fleet_message_id, publish};
use crate::receive::goes_on;
use crate::settings::{Error, Settings};
use crate::streams::{self, FLEET};
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::Stream;
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
        let stream = existing(link).await?;
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

/// How far a memory is behind `FLEET`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lag {
    /// Messages that are still to be taken.
    pub message_count: u64,
    /// Messages that `FLEET` dropped, as it was full, before they were taken.
    pub missed_count: u64,
    /// Whether `FLEET` is another stream than the one that was taken, or lost messages: it is taken from its beginning.
    pub is_anew: bool,
}

/// How far a memory that took `FLEET` up to `position` is behind it; `None`: it took nothing yet.
///
/// # Errors
/// When `FLEET` cannot be asked.
pub fn lag(
    settings: &Settings,
    position: Option<&Position>,
    timeout: Duration,
) -> Result<Lag, OnceError> {
    run(settings, timeout, async |link| {
        let stream = existing(link).await?;
        let state = &stream.cached_info().state;
        let is_anew = match position {
            None => false,
            Some(position) => !goes_on(&stream, position).await?,
        };
        let known = position.filter(|_| !is_anew).map(|it| it.sequence);
        // Before the first message that is still there.
        let dropped = state.first_sequence.max(1) - 1;
        Ok(Lag {
            message_count: state.last_sequence.saturating_sub(dropped.max(known.unwrap_or(0))),
            missed_count: known.map_or(0, |known| dropped.saturating_sub(known)),
            is_anew,
        })
    })
}

/// `FLEET`, which is not made here.
async fn existing(link: &Link) -> Result<Stream, String> {
    link.hub.get_stream(FLEET).await.map_err(|error| match error.kind() {
        GetStreamErrorKind::JetStream(cause)
            if cause.error_code() == ErrorCode::STREAM_NOT_FOUND =>
        {
            format!("the hub has no stream {FLEET}: no robot told anything yet")
        }
        _ => format!("the stream {FLEET} of the hub cannot be read: {error}"),
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
