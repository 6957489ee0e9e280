//! Publishes many messages at once and waits for what JetStream says to each.

use async_nats::jetstream::Context;
use async_nats::jetstream::context::PublishError;
use async_nats::jetstream::message::PublishMessage;
use std::error::Error;

/// Publishes all in their order, and waits for all. Of each the sequence it has in the stream, or why it has none.
pub(crate) async fn publish(
    context: &Context,
    subject: &str,
    stream: &str,
    messages: impl IntoIterator<Item = PublishMessage>,
) -> Vec<Result<u64, String>> {
    let mut sent = Vec::new();
    for message in messages {
        // What another stream would take by mistake is not taken for told.
        let message = message.expected_stream(stream);
        sent.push(context.send_publish(subject.to_owned(), message).await);
    }
    let mut outcomes = Vec::with_capacity(sent.len());
    for waiting in sent {
        outcomes.push(match waiting {
            Ok(waiting) => waiting.await.map(|ack| ack.sequence).map_err(|error| in_full(&error)),
            Err(error) => Err(in_full(&error)),
        });
    }
    outcomes
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
