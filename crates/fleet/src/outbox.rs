//! From the memory's outbox to JetStream.

use crate::backoff::{Backoff, SERVER_LONGEST};
use crate::link::Link;
use crate::memory::{Calls, Outgoing};
use crate::publish::{fleet_message_id, publish};
use crate::settings::Settings;
use crate::state::{Failure, Shared, Way};
use crate::streams;
use async_nats::jetstream::message::PublishMessage;
use robot_memory_core::limits::{FLEET_IN_FLIGHT_MAX, FLEET_MESSAGE_BYTES_MAX};
use std::convert::Infallible;
use std::time::Duration;

/// The outbox is looked at so often, also without a word from the memory.
const LOOK_EACH: Duration = Duration::from_secs(1);

/// Sends what waits, for as long as the connection lasts.
pub(crate) async fn run(link: &Link, calls: &Calls, settings: &Settings, shared: &Shared) {
    let mut backoff = Backoff::up_to(SERVER_LONGEST);
    loop {
        let Err(failure) = send(link, calls, settings, shared, &mut backoff).await;
        shared.change(|state| state.unacked = 0);
        shared.failed(failure);
        backoff.wait().await;
    }
}

async fn send(
    link: &Link,
    calls: &Calls,
    settings: &Settings,
    shared: &Shared,
    backoff: &mut Backoff,
) -> Result<Infallible, Failure> {
    let failed = |text: String| {
        Failure::new(Way::Outbox, format!("claims are not sent: {}", link.explained(&text)))
    };
    let (context, stream, subject) = match &link.leaf {
        Some(leaf) => {
            let out = streams::out(leaf, settings).await.map_err(failed)?;
            let info = out.cached_info();
            shared.out_is(streams::created(info), info.state.last_sequence);
            (leaf, streams::OUT, streams::out_subject(&settings.robot))
        }
        // `FLEET` is made by `receive.rs`.
        None => (&link.hub, streams::FLEET, streams::fleet_subject(&settings.robot)),
    };
    loop {
        let waiting = calls.call(|memory| memory.to_tell(FLEET_IN_FLIGHT_MAX)).await;
        let waiting = waiting.map_err(failed)?;
        if waiting.is_empty() {
            shared.works(Way::Outbox);
            backoff.reset();
            let _ = tokio::time::timeout(LOOK_EACH, shared.wake.notified()).await;
            continue;
        }
        let (waiting, mut told) = without_too_long(waiting, link, shared);
        let keys: Vec<_> = waiting.iter().map(|one| (one.memory_id, one.revision)).collect();
        shared.change(|state| state.unacked = keys.len() as u64);
        let messages = waiting.into_iter().map(|one| {
            let message_id = match &link.leaf {
                Some(_) => one.message_id,
                None => fleet_message_id(&one.message_id, &one.payload),
            };
            PublishMessage::build().payload(one.payload.into()).message_id(message_id)
        });
        let outcomes = publish(context, &subject, stream, messages).await;
        let mut refusal = None;
        for (key, outcome) in keys.into_iter().zip(outcomes) {
            match outcome {
                Ok(sequence) => {
                    told.push(key);
                    shared.change(|state| state.acknowledged += 1);
                    if link.leaf.is_some() {
                        shared.out_has(sequence);
                    }
                }
                Err(text) => refusal = refusal.or(Some(text)),
            }
        }
        shared.change(|state| state.unacked = 0);
        if !told.is_empty() {
            calls.call(move |memory| memory.told(&told)).await.map_err(failed)?;
        }
        match refusal {
            Some(text) if text.contains("maximum bytes exceeded") => {
                return Err(failed(format!("{stream} is full until the hub has what is in it")));
            }
            Some(text) => return Err(failed(format!("{stream} does not take them: {text}"))),
            None => {
                shared.works(Way::Outbox);
                backoff.reset();
            }
        }
    }
}

/// Those that a server takes, and the keys of the others, which would be in the way of all that come after them.
fn without_too_long(
    waiting: Vec<Outgoing>,
    link: &Link,
    shared: &Shared,
) -> (Vec<Outgoing>, Vec<(i64, u64)>) {
    // The rest is for headers.
    let bytes_max = FLEET_MESSAGE_BYTES_MAX.min(link.message_bytes_max().saturating_sub(1024));
    let (good, long): (Vec<_>, Vec<_>) =
        waiting.into_iter().partition(|one| one.payload.len() <= bytes_max);
    for one in &long {
        log::error!(
            "fleet: the claim {} has {} bytes and is not sent: at most {bytes_max} are",
            one.message_id,
            one.payload.len()
        );
        shared.change(|state| state.refused += 1);
    }
    (good, long.into_iter().map(|one| (one.memory_id, one.revision)).collect())
}
