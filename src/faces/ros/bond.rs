//! The bond of a managed node, as the package `bond` has it: heartbeats on the topic `bond`, by which a
//! lifecycle manager notices that the node hangs or is gone.
//!
//! The type `bond/msg/Status` is loaded at run time, so that the package is needed by those who have such a
//! manager only.

mod publisher;

use super::slot::Rounds;
use super::stop::Stop;
use super::streams::rcl::{Buffer, Qos, RclSubscription, TypeSupport};
use super::streams::{Owner, hidden_node};
use crate::faces::installed::Installed;
use publisher::SerializedPublisher;
use robot_memory_core::model::Stamp;
use robot_memory_messages::{CdrError, CdrReader};
use robot_memory_perception::{Durability, Reliability};
use std::time::{Duration, Instant};
use uuid::Uuid;

const TOPIC: &str = "bond";
const TYPE: &str = "bond/msg/Status";
/// Between two heartbeats.
const HEARTBEAT_PERIOD: Duration = Duration::from_millis(250);
/// The manager takes the node for gone after so long without one.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(4);
/// Between two looks at what the manager says.
const POLL_PERIOD: Duration = Duration::from_millis(50);
/// How long the end of the bond is on its way before the publisher is gone.
const LAST_WAIT: Duration = Duration::from_millis(100);
const QOS: Qos =
    Qos { reliability: Reliability::Reliable, durability: Durability::Volatile, depth: 10 };

/// Keeps the bond until the manager breaks it or it is time to stop, as long as the node spins.
pub(super) fn run(owner: &Owner, rounds: &Rounds, stop: &Stop) {
    if let Err(reason) = Bond::form(owner).and_then(|bond| bond.keep(rounds, stop)) {
        log::info!("no bond with a lifecycle manager: {reason}");
    }
}

/// What one side says of a bond.
#[derive(Debug, Clone, PartialEq)]
struct Status {
    /// Of the bond; the node's name.
    id: String,
    /// Of the side.
    instance_id: String,
    /// Whether the side holds the bond.
    is_active: bool,
}

struct Bond {
    own: Status,
    publisher: SerializedPublisher,
    statuses: RclSubscription,
    buffer: Buffer,
}

impl Bond {
    fn form(owner: &Owner) -> Result<Self, String> {
        let type_support = TypeSupport::load(TYPE, &Installed::from_environment().library_folders)?;
        let said = |error: super::streams::rcl::RclError| error.to_string();
        let node = hidden_node(owner, "bond").map_err(said)?;
        let topic = node.resolve(TOPIC).map_err(said)?;
        let instance_id = Uuid::new_v4().to_string();
        Ok(Self {
            own: Status { id: owner.name.clone(), instance_id, is_active: true },
            publisher: SerializedPublisher::create(&node, &topic, type_support, QOS)?,
            statuses: node.subscribe(&topic, type_support, QOS).map_err(said)?,
            buffer: Buffer::create().map_err(said)?,
        })
    }

    fn keep(mut self, rounds: &Rounds, stop: &Stop) -> Result<(), String> {
        let (mut beat_next, mut last_round) = (Instant::now(), None);
        let mut is_held = false;
        while !stop.wait(POLL_PERIOD) {
            while let Some(other) = self.next_of_other()? {
                if !other.is_active {
                    log::info!("the lifecycle manager has broken the bond");
                    return self.end();
                }
                if !std::mem::replace(&mut is_held, true) {
                    log::info!("a lifecycle manager holds the bond");
                }
            }
            let now = Instant::now();
            // A node that hangs has no heartbeat.
            let round = Some(rounds.count());
            if now >= beat_next && round != last_round {
                (beat_next, last_round) = (now + HEARTBEAT_PERIOD, round);
                self.publisher.publish(&encode(&self.own))?;
            }
        }
        self.end()
    }

    /// Says that this side holds the bond no longer.
    fn end(mut self) -> Result<(), String> {
        self.own.is_active = false;
        self.publisher.publish(&encode(&self.own))?;
        std::thread::sleep(LAST_WAIT);
        Ok(())
    }

    /// The next status that the other side of this bond has published; `None` when none waits.
    fn next_of_other(&mut self) -> Result<Option<Status>, String> {
        while self.statuses.take(&mut self.buffer).map_err(|error| error.to_string())?.is_some() {
            match decode(self.buffer.bytes()) {
                Ok(it) if it.id == self.own.id && it.instance_id != self.own.instance_id => {
                    return Ok(Some(it));
                }
                Ok(_) => {}
                Err(error) => log::debug!("{TOPIC}: {error}"),
            }
        }
        Ok(None)
    }
}

/// `bond/msg/Status` as CDR, little endian: header (stamp, frame), id, instance_id, active, timeout, period.
fn encode(status: &Status) -> Vec<u8> {
    let Status { id, instance_id, is_active } = status;
    let mut bytes = vec![0, 1, 0, 0];
    // A bond is timed by when its heartbeats come, so that their stamp is not used.
    bytes.extend([0; 8]);
    for text in ["", id, instance_id] {
        align(&mut bytes);
        bytes.extend((text.len() as u32 + 1).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes.push(0);
    }
    bytes.push(u8::from(*is_active));
    align(&mut bytes);
    for duration in [HEARTBEAT_TIMEOUT, HEARTBEAT_PERIOD] {
        bytes.extend(duration.as_secs_f32().to_le_bytes());
    }
    bytes
}

/// To four bytes; the header of four does not change that.
fn align(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

fn decode(message: &[u8]) -> Result<Status, CdrError> {
    let mut reader = CdrReader::new(message)?;
    let _: Stamp = reader.stamp()?;
    reader.text()?;
    let id = reader.text()?.into_owned();
    let instance_id = reader.text()?.into_owned();
    Ok(Status { id, instance_id, is_active: reader.bool()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_read_as_it_was_written() {
        for (id, is_active) in [("memory", true), ("left_memory", false), ("", true)] {
            let status = Status { id: id.into(), instance_id: "1f2e".into(), is_active };
            let message = encode(&status);
            assert_eq!(decode(&message), Ok(status));
            assert_eq!(message.len() % 4, 0);
            assert!(decode(&message[..20]).is_err());
        }
    }
}
