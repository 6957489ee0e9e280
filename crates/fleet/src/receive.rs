//! From `FLEET` to the memory.

use crate::backoff::{Backoff, SERVER_LONGEST, STREAM_LONGEST};
use crate::follow::{Entry, Follow};
use crate::link::Link;
use crate::memory::{Calls, Position};
use crate::settings::Settings;
use crate::state::{Failure, Shared, Way};
use crate::streams::{self, FLEET};
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, RawMessageErrorKind, Stream};
use robot_memory_core::limits::FLEET_BATCH_MAX;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// A hub that was reached for so long is tried again without a wait when it is lost.
const STEADY: Duration = Duration::from_secs(5);

/// A message that was there and does not come for so long was dropped meanwhile.
const FIRST_WAIT: Duration = Duration::from_secs(10);

/// Receives, for as long as the connection to the server lasts.
pub(crate) async fn run(link: &Link, calls: &Calls, settings: &Settings, shared: &Shared) {
    let mut backoff = Backoff::up_to(STREAM_LONGEST);
    // The hub keeps each reader that was lost for a minute.
    let mut reading = Backoff::up_to(SERVER_LONGEST);
    loop {
        let begun = Instant::now();
        let Err(failure) = receive(link, calls, settings, shared).await;
        let had_reader = shared.state().is_hub_reached;
        shared.hub_is_reached(false);
        shared.failed(failure);
        if begun.elapsed() > STEADY {
            backoff.reset();
            reading.reset();
        }
        let next = if had_reader { &mut reading } else { &mut backoff };
        next.wait().await;
    }
}

fn lost(link: &Link, settings: &Settings, text: &str) -> Failure {
    let hub = match settings.hub_domain.as_str() {
        "" => "the hub of the fleet".to_owned(),
        domain => format!("the hub of the fleet (JetStream domain {domain})"),
    };
    let server = settings.shown_url();
    let text = link.explained(text);
    Failure::new(Way::Fleet, format!("{hub} is not reachable by the NATS server {server}: {text}"))
}

fn untaken(text: &str) -> Failure {
    Failure::new(Way::Memory, format!("the memory does not take claims: {text}"))
}

async fn receive(
    link: &Link,
    calls: &Calls,
    settings: &Settings,
    shared: &Shared,
) -> Result<Infallible, Failure> {
    let failed = |text: String| lost(link, settings, &text);
    let fleet = streams::fleet(&link.hub, settings).await.map_err(failed)?;
    let info = fleet.cached_info();
    let created = streams::created(info);
    let known = calls.call(|memory| memory.position()).await.map_err(|text| untaken(&text))?;
    let mut taken = known.clone();
    let last = info.state.last_sequence;
    let first = info.state.first_sequence.max(1);
    // What comes without a gap comes after it. `None`: what this stream had before is not known.
    let mut before = None;
    let from = match known {
        None => 0,
        Some(known) if goes_on(&fleet, &known).await.map_err(failed)? => {
            note_missed(shared, created, known.sequence, first);
            before = Some(known.sequence);
            known.sequence
        }
        Some(known) => {
            log::warn!(
                "fleet: the stream {FLEET} of the hub was made anew or lost messages ({} at {} was taken, it is of \
                 {created} at {last}): it is taken from its beginning",
                known.stream_id,
                known.sequence
            );
            shared.change(|state| state.anew += 1);
            0
        }
    };
    take_first(link, calls, &fleet, from + 1, &failed).await?;
    let mut follow =
        Follow::start(&link.hub, FLEET, None, from + 1, FLEET_BATCH_MAX).await.map_err(failed)?;
    let now = fleet.get_info().await.map_err(|error| failed(error.to_string()))?;
    if streams::created(&now) != streams::created(info) {
        return Err(failed(format!("{FLEET} was made anew just now")));
    }
    shared.hub_is_reached(true);
    shared.change(|state| {
        if link.leaf.is_none() {
            state.unforwarded = Some(0);
        }
        state.lag = Some((last + 1).saturating_sub(first.max(from + 1)));
    });
    shared.works(Way::Fleet);
    loop {
        let entries = follow.next().await.map_err(failed)?;
        let Some(Entry { sequence, published, pending, .. }) = entries.last() else { continue };
        let (sequence, pending) = (*sequence, *pending);
        before = note_gaps(shared, created, before, &entries);
        let stream_id = stream_id(created, *published);
        let count = entries.len() as u64;
        shared.change(|state| state.lag = Some(pending + count));
        let position = Position { stream_id, sequence };
        let messages: Vec<Vec<u8>> =
            entries.into_iter().map(|entry| entry.message.payload.into()).collect();
        take(calls, shared, messages, taken, position.clone()).await?;
        taken = Some(position);
        shared.change(|state| {
            state.lag = Some(pending);
            state.taken += count;
        });
    }
}

/// Takes what those said since who come first, however much others said.
async fn take_first(
    link: &Link,
    calls: &Calls,
    fleet: &Stream,
    from: u64,
    failed: &impl Fn(String) -> Failure,
) -> Result<(), Failure> {
    let names = calls.call(|memory| Ok(memory.who_comes_first())).await;
    for name in names.map_err(|text| untaken(&text))? {
        let subject = streams::fleet_subject(&name);
        match fleet.get_last_raw_message_by_subject(&subject).await {
            Ok(last) if last.sequence >= from => {}
            Ok(_) => continue,
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => continue,
            Err(error) => return Err(failed(format!("what {name} said last: {error}"))),
        }
        let mut follow = Follow::start(&link.hub, FLEET, Some(subject), from, FLEET_BATCH_MAX)
            .await
            .map_err(failed)?;
        let mut pending = follow.pending();
        while pending > 0 {
            let next = timeout(FIRST_WAIT, follow.next()).await;
            let next = next.map_err(|_| failed(format!("what {name} said did not arrive")))?;
            let entries = next.map_err(failed)?;
            pending = entries.last().map_or(0, |it| it.pending);
            let messages: Vec<Vec<u8>> =
                entries.into_iter().map(|it| it.message.payload.into()).collect();
            let taken = calls.call(move |memory| memory.take_first(&messages)).await;
            taken.map_err(|text| untaken(&text))?;
        }
        // The server forgets this reader by itself: a robot may not be permitted to ask for it.
    }
    Ok(())
}

/// Counts what is missing between messages and before them. Returns which is the last of them.
fn note_gaps(
    shared: &Shared,
    created: i128,
    before: Option<u64>,
    entries: &[Entry],
) -> Option<u64> {
    entries.iter().fold(before, |before, entry| {
        note_missed(shared, created, before.unwrap_or(entry.sequence), entry.sequence);
        Some(entry.sequence)
    })
}

/// Counts, and says once, what `FLEET` no longer has of what is between two messages.
fn note_missed(shared: &Shared, created: i128, taken: u64, next: u64) {
    let count = shared.missed(created, taken, next);
    if count > 0 {
        log::warn!(
            "fleet: the stream {FLEET} of the hub dropped {count} messages before this robot took them, the last of them \
             {}: it was full. What they told is not known here, nor what they took back or revoked. Let the hub keep more \
             (nats stream edit {FLEET} --max-bytes), and revoke again what was revoked meanwhile",
            next - 1
        );
    }
}

/// What a stream is known by, with the message that was taken last: two of another stream, or of one that lost its end, are
/// of other times.
fn stream_id(created: i128, published: i128) -> String {
    format!("{FLEET}@{created}/{published}")
}

/// Whether the stream is the one that was taken, and still has what was taken last. A hub that lost its end in a power cut
/// may have others in its place.
pub(crate) async fn goes_on(fleet: &Stream, known: &Position) -> Result<bool, String> {
    let info = fleet.cached_info();
    let (created, first) = (streams::created(info), info.state.first_sequence);
    let is_same = known.stream_id.starts_with(&format!("{FLEET}@{created}/"));
    if !is_same || known.sequence > info.state.last_sequence {
        return Ok(false);
    }
    // Dropped since, when the stream was full.
    if known.sequence < first {
        return Ok(true);
    }
    match fleet.get_raw_message(known.sequence).await {
        Ok(message) => {
            let published = message.time.unix_timestamp_nanos();
            Ok(known.stream_id == stream_id(created, published))
        }
        Err(error) => match error.kind() {
            RawMessageErrorKind::NoMessageFound => Ok(true),
            RawMessageErrorKind::JetStream(cause)
                if cause.error_code() == ErrorCode::NO_MESSAGE_FOUND =>
            {
                Ok(true)
            }
            _ => Err(format!("what was taken last cannot be read: {error}")),
        },
    }
}

/// Offers them until they are taken. The hub is not left for it: what is forwarded goes on.
///
/// # Errors
/// When the memory is no longer where these follow, as after a backup was restored.
async fn take(
    calls: &Calls,
    shared: &Shared,
    messages: Vec<Vec<u8>>,
    from: Option<Position>,
    position: Position,
) -> Result<(), Failure> {
    let mut backoff = Backoff::up_to(STREAM_LONGEST);
    let messages = Arc::new(messages);
    loop {
        let (messages, position) = (Arc::clone(&messages), position.clone());
        let taking = calls.call(move |memory| memory.take(&messages, &position));
        match taking.await {
            Ok(()) => {
                shared.works(Way::Memory);
                return Ok(());
            }
            Err(text) => shared.failed(untaken(&text)),
        }
        if let Ok(found) = calls.call(|memory| memory.position()).await
            && found != from
        {
            let text = "it is at another position of the stream than before, and is asked anew";
            return Err(untaken(text));
        }
        backoff.wait().await;
    }
}
