//! The transport of claims between one robot's memory and its fleet, over NATS JetStream.
//!
//! On a robot runs a nats-server, a leaf node of the hub with a JetStream domain of its own. Two streams:
//!
//! - `CLAIMS_OUT` on that leaf keeps what this robot says. What JetStream acknowledged there is told
//!   ([`Memory::told`]), with or without the hub.
//! - `FLEET` in the hub's domain keeps what all say, in one order. The transport forwards `CLAIMS_OUT` to it, and
//!   hands what is in it to [`Memory::take`].
//!
//! Connected to the hub itself, it publishes into `FLEET` and there is no `CLAIMS_OUT`.
//!
//! Every message is delivered at least once: the receiver drops what it has. `FLEET` drops a message whose
//! `Nats-Msg-Id` it got within the last hour. Each message that is forwarded carries how far `CLAIMS_OUT` was known
//! to be in `FLEET` when it was sent (`forward.rs`), so that `FLEET` itself says where to go on, and a `FLEET` that
//! lost messages, or all of them, gets them again as far as `CLAIMS_OUT` keeps them.
//!
//! Beside the streams, a robot asks the memory of the site by a request on `fleet.site.<robot>`, which the hub passes on
//! to who answers there.
//!
//! The crate neither signs nor verifies: messages are bytes to it.

mod backoff;
mod follow;
mod forward;
mod link;
mod memory;
mod once;
mod outbox;
mod publish;
mod receive;
mod settings;
mod site;
mod state;
mod streams;
mod transport;

pub use memory::{Memory, Outgoing, Position};
pub use once::{Lag, OnceError, lag, publish_once, publish_to_disk, read_all};
pub use settings::{Error, Settings};
pub use site::{Site, TakeAnswer, Unanswered};
pub use state::{Fault, State, Way};
pub use transport::{Transport, start, start_site};
