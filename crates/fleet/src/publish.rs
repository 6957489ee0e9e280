//! Publishes many messages at once and waits for what JetStream says to each.

use crate::link::TIMEOUT;
use async_nats::jetstream::Context;
use async_nats::jetstream::context::{PublishAckFuture, PublishError};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::publish::PublishAck;
use std::error::Error;
use std::hash::{DefaultHasher, Hasher};
use tokio::time::{Instant, timeout_at};

/// Publishes all in their order, and waits for all. Of each the sequence it has in the stream, or why it has none.
pub(crate) async fn publish(
    context: &Context,
    subject: &str,
    stream: &str,
    messages: impl IntoIterator<Item = PublishMessage>,
) -> Vec<Result<u64, String>> {
    let mut sent = Vec::new();
    for message in messages {
        sent.push(send(context, subject, stream, message).await);
    }
    let mut outcomes = Vec::with_capacity(sent.len());
    // From the last answer on, not for each message: when none comes, the end is near.
    let mut until = Instant::now() + TIMEOUT;
    for waiting in sent {
        let outcome = match waiting {
            Ok(waiting) => timeout_at(until, acknowledged(waiting)).await,
            Err(text) => Ok(Err(text)),
        };
        outcomes.push(match outcome {
            Ok(outcome) => {
                if outcome.is_ok() {
                    until = Instant::now() + TIMEOUT;
                }
                outcome.map(|ack| ack.sequence)
            }
            Err(_) => Err(format!("no acknowledgment within {} s", TIMEOUT.as_secs())),
        });
    }
    outcomes
}

/// Publishes one, without waiting for what JetStream says to it. Waits while too many others wait for that.
pub(crate) async fn send(
    context: &Context,
    subject: &str,
    stream: &str,
    message: PublishMessage,
) -> Result<PublishAckFuture, String> {
    // What another stream would take by mistake is not taken for told.
    let message = message.expected_stream(stream);
    context.send_publish(subject.to_owned(), message).await.map_err(|error| in_full(&error))
}

/// What JetStream says to a sent message, or why its stream does not have it.
pub(crate) async fn acknowledged(waiting: PublishAckFuture) -> Result<PublishAck, String> {
    waiting.await.map_err(|error| in_full(&error))
}

/// What `FLEET` knows a message by: its id, with a hash of it. Who may publish there at all could otherwise take the id of a
/// message that is still to come, which `FLEET` would drop as one that it has. A signed one cannot be known before.
pub(crate) fn fleet_message_id(message_id: &str, payload: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(payload);
    format!("{message_id}:{:016x}", hasher.finish())
}

/// An error with its causes, each once.
fn in_full(error: &PublishError) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}
