//! Reads a stream from a sequence number on, in its order and without a gap.

use async_nats::jetstream::consumer::pull::{Config, Stream};
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, PullConsumer, ReplayPolicy};
use async_nats::jetstream::{Context, Message};
use futures_util::StreamExt;
use robot_memory_core::limits::FLEET_BATCH_BYTES_MAX;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The server says so often that it is there. Two of these without a word: the reading ends.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How long one request for messages is good.
const EXPIRES: Duration = Duration::from_secs(30);
/// The server forgets a reader that asks for nothing for so long.
const INACTIVE: Duration = Duration::from_secs(60);
/// After so long without a message the server is asked whether it sent one that did not arrive.
const SILENCE: Duration = Duration::from_secs(5);
/// How long more messages are waited for, when there is one.
const LINGER: Duration = Duration::from_millis(2);

/// What is at one place of a stream.
pub(crate) struct Entry {
    pub(crate) message: async_nats::Message,
    pub(crate) sequence: u64,
    /// When the stream took it, in nanoseconds since 1970.
    pub(crate) published: i128,
    /// Messages of the stream after it.
    pub(crate) pending: u64,
}

/// A reader of a stream. The server keeps nothing of it for longer than a minute: where to begin is the caller's.
pub(crate) struct Follow {
    consumer: PullConsumer,
    messages: Stream,
    /// What the server counted for this reader when it sent the last message that arrived.
    arrived: u64,
    batch: usize,
}

impl Follow {
    /// From the message `from` on; from the first that is still there, if that is later. With a `subject`, those of it.
    pub(crate) async fn start(
        context: &Context,
        stream: &str,
        subject: Option<String>,
        from: u64,
        batch: usize,
    ) -> Result<Self, String> {
        let config = Config {
            filter_subject: subject.unwrap_or_default(),
            deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: from.max(1) },
            // Nothing is acknowledged: what does not arrive shows as a gap.
            ack_policy: AckPolicy::None,
            replay_policy: ReplayPolicy::Instant,
            inactive_threshold: INACTIVE,
            memory_storage: true,
            num_replicas: 1,
            ..Config::default()
        };
        let consumer = context
            .create_consumer_on_stream(config, stream)
            .await
            .map_err(|error| format!("{stream} cannot be read: {error}"))?;
        let messages = consumer
            .stream()
            .max_messages_per_batch(batch)
            .max_bytes_per_batch(FLEET_BATCH_BYTES_MAX)
            .heartbeat(HEARTBEAT)
            .expires(EXPIRES)
            .messages()
            .await
            .map_err(|error| format!("{stream} cannot be read: {error}"))?;
        Ok(Self { consumer, messages, arrived: 0, batch })
    }

    /// How many messages there were for this reader when it began.
    pub(crate) fn pending(&self) -> u64 {
        self.consumer.cached_info().num_pending
    }

    /// Waits for a message, and takes those that are there with it.
    pub(crate) async fn next(&mut self) -> Result<Vec<Entry>, String> {
        let mut entries = vec![self.first().await?];
        let mut bytes = 0;
        let until = Instant::now() + LINGER;
        while entries.len() < self.batch && bytes < FLEET_BATCH_BYTES_MAX {
            let Ok(next) = timeout_at(until, self.messages.next()).await else { break };
            let entry = self.arrived(next)?;
            bytes += entry.message.payload.len();
            entries.push(entry);
        }
        Ok(entries)
    }

    /// Lets the server forget this reader now. Where it may not be asked for that it forgets it later.
    pub(crate) async fn end(self, context: &Context, stream: &str) {
        let name = &self.consumer.cached_info().name;
        let forgetting = context.delete_consumer_from_stream(name, stream);
        let _ = timeout_at(Instant::now() + HEARTBEAT, forgetting).await;
    }

    async fn first(&mut self) -> Result<Entry, String> {
        loop {
            if let Ok(next) = timeout_at(Instant::now() + SILENCE, self.messages.next()).await {
                return self.arrived(next);
            }
            let info = self.consumer.get_info().await;
            let sent = info.map_err(|error| error.to_string())?.delivered.consumer_sequence;
            if sent == self.arrived {
                continue;
            }
            // It may be on its way.
            if let Ok(next) = timeout_at(Instant::now() + HEARTBEAT, self.messages.next()).await {
                return self.arrived(next);
            }
            return Err(format!("{} messages did not arrive", sent.saturating_sub(self.arrived)));
        }
    }

    fn arrived<E: std::fmt::Display>(
        &mut self,
        next: Option<Result<Message, E>>,
    ) -> Result<Entry, String> {
        let message = match next {
            Some(Ok(message)) => message,
            Some(Err(error)) => return Err(error.to_string()),
            None => return Err("the connection is lost".to_owned()),
        };
        let info = message.info().map_err(|error| format!("not a message of a stream: {error}"))?;
        let (counted, sequence, pending) =
            (info.consumer_sequence, info.stream_sequence, info.pending);
        let published = info.published.unix_timestamp_nanos();
        if counted != self.arrived + 1 {
            return Err(format!(
                "messages did not arrive: {} came after {}",
                counted, self.arrived
            ));
        }
        self.arrived = counted;
        Ok(Entry { message: message.split().0, sequence, published, pending })
    }
}
