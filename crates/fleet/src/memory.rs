//! What the transport needs of a memory.

use std::sync::Arc;
use tokio::sync::Mutex;

/// A signed message that waits to be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The memory that it is about.
    pub memory_id: i64,
    /// Its revision.
    pub revision: u64,
    /// `Nats-Msg-Id`: the same message, sent again, is one message.
    pub message_id: String,
    /// The message itself.
    pub payload: Vec<u8>,
}

/// Up to where a stream was taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The name of the stream, the time of its creation, and that of the last message that was taken: a stream that was made
    /// anew, or that has another message there, is another one.
    pub stream_id: String,
    /// The sequence number of the last message that was taken.
    pub sequence: u64,
}

/// What the transport needs of a memory. The calls may block: they are made on threads for that, never two of
/// [`Self::to_tell`] and [`Self::told`] at a time, nor two of
/// [`Self::take`], [`Self::take_first`] and [`Self::position`].
pub trait Memory: Send + Sync + 'static {
    /// Messages that wait to be told, oldest first, at most `n`. They are given again until they are [told](Self::told).
    ///
    /// # Errors
    /// When they cannot be read now: asked again later.
    fn to_tell(&self, n: usize) -> Result<Vec<Outgoing>, String>;

    /// JetStream acknowledged these, by memory and revision: they are on its disk.
    ///
    /// # Errors
    /// When that cannot be stored now: they are sent again later.
    fn told(&self, told: &[(i64, u64)]) -> Result<(), String>;

    /// Messages of the fleet in the order of the stream, this robot's own among them, and the position after them:
    /// one transaction. A message may come again. A bad one is no error.
    ///
    /// # Errors
    /// When nothing of it was taken: offered again later.
    fn take(&self, messages: &[Vec<u8>], position: &Position) -> Result<(), String>;

    /// The robots and authorities whose messages are taken before all others after a time without the hub: what they revoke is not to be
    /// answered any more.
    fn who_comes_first(&self) -> Vec<String>;

    /// Messages of one of [these](Self::who_comes_first), before their turn: the position stays, and they come again.
    ///
    /// # Errors
    /// When they cannot be taken now: offered again later.
    fn take_first(&self, messages: &[Vec<u8>]) -> Result<(), String>;

    /// Up to where the stream was taken; `None`: from its beginning.
    ///
    /// # Errors
    /// When it cannot be read now: asked again later.
    fn position(&self) -> Result<Option<Position>, String>;
}

/// Calls of a memory in one direction, one at a time: a call whose waiter is gone is waited for by the next.
#[derive(Clone)]
pub(crate) struct Calls {
    memory: Arc<dyn Memory>,
    one: Arc<Mutex<()>>,
}

impl Calls {
    pub(crate) fn new(memory: Arc<dyn Memory>) -> Self {
        Self { memory, one: Arc::default() }
    }

    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&dyn Memory) -> Result<T, String> + Send + 'static,
    ) -> Result<T, String> {
        let memory = Arc::clone(&self.memory);
        let one = Arc::clone(&self.one).lock_owned().await;
        let called = tokio::task::spawn_blocking(move || {
            let answer = call(memory.as_ref());
            drop(one);
            answer
        });
        called.await.map_err(|error| format!("a call of the memory ended: {error}"))?
    }
}
