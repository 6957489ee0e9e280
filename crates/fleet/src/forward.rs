//! From `CLAIMS_OUT` to `FLEET`.
//!
//! Each message carries, in a header, up to where `FLEET` had `CLAIMS_OUT` without a gap when the message was sent.
//! The newest message of this robot in `FLEET` therefore says where to go on, whatever was lost on the way, on the
//! leaf or on the hub; at most what is in flight is sent twice. It says so for one `CLAIMS_OUT` and one `FLEET`: a message
//! that came into a new `FLEET` before its sender knew counts for nothing.

use crate::backoff::{Backoff, STREAM_LONGEST};
use crate::follow::{Entry, Follow};
use crate::link::Link;
use crate::publish::{acknowledged, fleet_message_id, send};
use crate::settings::Settings;
use crate::state::{Failure, Shared, Way};
use crate::streams::{self, FLEET, OUT};
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::Context;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use robot_memory_core::limits::{FLEET_IN_FLIGHT_BYTES_MAX, FLEET_IN_FLIGHT_MAX};
use std::cell::Cell;
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::channel;
use tokio::time::Instant;

/// `<when FLEET was made>:<when CLAIMS_OUT was made>:<sequence in it>`.
const FLOOR: &str = "Fleet-Floor";
/// `CLAIMS_OUT` is trimmed after so many messages while there are more, and when there are none.
const TRIM_EACH: u64 = 8192;

/// A failure that lasts no longer, or that ends with the hub, is none of its own.
const SETTLE: Duration = Duration::from_secs(3);

/// Forwards, for as long as the connection to the server lasts.
pub(crate) async fn run(link: &Link, leaf: &Context, settings: &Settings, shared: &Shared) {
    let mut backoff = Backoff::up_to(STREAM_LONGEST);
    let mut failing: Option<Instant> = None;
    loop {
        let times = shared.hub_reached().await;
        let works = || {
            backoff.reset();
            failing = None;
        };
        let failure = tokio::select! {
            Err(failure) = forward(link, leaf, settings, shared, works) => failure,
            () = shared.hub_left(times) => continue,
        };
        let since = *failing.get_or_insert_with(Instant::now);
        if since.elapsed() > SETTLE && shared.state().is_hub_reached {
            shared.failed(failure);
        }
        backoff.wait().await;
    }
}

async fn forward(
    link: &Link,
    leaf: &Context,
    settings: &Settings,
    shared: &Shared,
    mut works: impl FnMut(),
) -> Result<Infallible, Failure> {
    let failed =
        |text: String| Failure::new(Way::Forward, format!("claims do not reach the hub: {text}"));
    let subject = streams::fleet_subject(&settings.robot);
    let fleet = streams::fleet(&link.hub, settings).await.map_err(failed)?;
    let out = streams::out(leaf, settings).await.map_err(failed)?;
    let (created, last) =
        (streams::created(out.cached_info()), out.cached_info().state.last_sequence);
    let streams = format!("{}:{created}:", streams::created(fleet.cached_info()));
    let mut known = floor(&fleet, &subject, &streams).await.map_err(failed)?;
    // More than there is: the leaf lost what was there.
    if known > last {
        known = 0;
    }
    shared.out_is(created, last);
    shared.floor_is(known);
    trim(&out, known).await.map_err(failed)?;
    if known == last {
        shared.works(Way::Forward);
        works();
    }
    let mut follow =
        Follow::start(leaf, OUT, None, known + 1, FLEET_IN_FLIGHT_MAX).await.map_err(failed)?;
    let floor = Cell::new(known);
    let room = Semaphore::new(FLEET_IN_FLIGHT_BYTES_MAX as usize);
    let (sent, mut unsettled) = channel(FLEET_IN_FLIGHT_MAX);
    // What is sent does not wait until the hub has what was sent before.
    let mut sending = async || -> Result<Infallible, Failure> {
        loop {
            for entry in follow.next().await.map_err(failed)? {
                let at = (entry.sequence, entry.pending);
                let bytes = u32::try_from(entry.message.payload.len()).unwrap_or(u32::MAX);
                let bytes = bytes.min(FLEET_IN_FLIGHT_BYTES_MAX);
                let space = room.acquire_many(bytes).await.map_err(|it| failed(it.to_string()))?;
                let message = forwarded(entry, &format!("{streams}{}", floor.get()));
                let ack = send(&link.hub, &subject, FLEET, message).await.map_err(failed)?;
                // The other side ends only with an error, and this one with it.
                let _ = sent.send((at, ack, space)).await;
            }
        }
    };
    let mut settling = async || -> Result<Infallible, Failure> {
        let mut trimmed = known;
        while let Some(((sequence, pending), ack, _space)) = unsettled.recv().await {
            let ack = acknowledged(ack).await.map_err(failed)?;
            floor.set(sequence);
            shared.forwarded(sequence, !ack.duplicate);
            let is_last = pending == 0 && unsettled.is_empty();
            // What it has already it takes again before one that it never takes.
            if is_last || !ack.duplicate {
                shared.works(Way::Forward);
                works();
            }
            if is_last || sequence >= trimmed + TRIM_EACH {
                trim(&out, sequence).await.map_err(failed)?;
                trimmed = sequence;
            }
        }
        Err(failed("nothing is sent any more".to_owned()))
    };
    tokio::try_join!(sending(), settling()).map(|(endless, _)| endless)
}

fn forwarded(entry: Entry, floor: &str) -> PublishMessage {
    let message_id = entry
        .message
        .headers
        .as_ref()
        .and_then(|headers| headers.get(NATS_MESSAGE_ID))
        .map_or_else(|| format!("{OUT}:{}", entry.sequence), |id| id.as_str().to_owned());
    let message_id = fleet_message_id(&message_id, &entry.message.payload);
    PublishMessage::build()
        .payload(entry.message.payload)
        .message_id(message_id)
        .header(FLOOR, floor)
}

/// Up to where `FLEET` has `CLAIMS_OUT`, as its newest message of this robot says; 0 when that is of other streams.
async fn floor(fleet: &Stream, subject: &str, streams: &str) -> Result<u64, String> {
    match fleet.get_last_raw_message_by_subject(subject).await {
        Ok(message) => {
            let value = message.headers.get(FLOOR);
            Ok(value.and_then(|value| parsed(value.as_str(), streams)).unwrap_or(0))
        }
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(0),
        Err(error) => Err(format!("what {FLEET} has cannot be looked up: {error}")),
    }
}

fn parsed(value: &str, streams: &str) -> Option<u64> {
    value.strip_prefix(streams)?.parse().ok()
}

/// Drops the older half of `CLAIMS_OUT` when it is three quarters full, as far as `FLEET` has it. The rest stays,
/// for a hub that loses its storage.
async fn trim(out: &Stream, floor: u64) -> Result<(), String> {
    let info =
        out.get_info().await.map_err(|error| format!("{OUT} cannot be looked up: {error}"))?;
    let state = &info.state;
    let bytes_max = u64::try_from(info.config.max_bytes).unwrap_or(u64::MAX);
    if state.bytes < bytes_max / 4 * 3 {
        return Ok(());
    }
    // The first that stays.
    let from = (floor + 1).min(state.first_sequence + state.messages.div_ceil(2));
    if from > state.first_sequence {
        out.purge()
            .sequence(from)
            .await
            .map_err(|error| format!("{OUT} cannot be trimmed: {error}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_counts_for_the_streams_that_it_names() {
        assert_eq!(parsed("9:17:4", "9:17:"), Some(4));
        for other in ["9:18:4", "8:17:4", "9:17:", "9:17:-4", "9:17", ":4", "", "9:17:4:5"] {
            assert_eq!(parsed(other, "9:17:"), None, "{other}");
        }
    }
}
