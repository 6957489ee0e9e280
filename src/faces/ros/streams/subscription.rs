//! One topic that is listened to.

use super::matching::{Match, Wanted, matched, must_change};
use super::rcl::{Buffer, Node, Qos, RclSubscription, Taken, TypeSupport};
use super::status::{Rate, SubscriptionStatus, ThrottledCount};
use crate::faces::installed::Installed;
use robot_memory_messages::Interface;
use robot_memory_perception::decode;
use std::collections::BTreeMap;
use std::time::Instant;

/// Messages of a topic taken in a round, so that one that floods does not starve the others.
const ROUND_MAX: usize = 2000;
/// Publishers of a topic whose messages are numbered at a time.
const PUBLISHERS_MAX: usize = 256;

/// A topic, and the subscription to it once there can be one.
pub(super) struct TopicSubscription {
    /// In the log.
    name: String,
    wanted: Wanted,
    now: Option<(Match, RclSubscription)>,
    pub status: SubscriptionStatus,
    /// The last message's number of each publisher.
    sequences: BTreeMap<[u8; 16], u64>,
    /// The same of the subscription before: what a publisher keeps comes again.
    heard: BTreeMap<[u8; 16], u64>,
    rate: Rate,
    /// Lost and dropped when last looked.
    missing_count: u64,
    lost: ThrottledCount,
    dropped: ThrottledCount,
}

/// What the messages of a topic are.
type MessageType = (String, Option<Interface>);

impl TopicSubscription {
    /// For a topic by its full name.
    pub fn new(name: String, topic: String, wanted: Wanted) -> Self {
        Self {
            name,
            wanted,
            now: None,
            status: SubscriptionStatus { topic, ..SubscriptionStatus::default() },
            sequences: BTreeMap::new(),
            heard: BTreeMap::new(),
            rate: Rate::new(Instant::now()),
            missing_count: 0,
            lost: ThrottledCount::default(),
            dropped: ThrottledCount::default(),
        }
    }

    pub fn subscription(&self) -> Option<&RclSubscription> {
        self.now.as_ref().map(|(_, subscription)| subscription)
    }

    /// Subscribes, or subscribes anew, when who publishes makes it possible or necessary. Answers to
    /// what.
    pub fn discover(&mut self, node: &Node, installed: &Installed) -> Option<MessageType> {
        self.subscribe(node, installed).unwrap_or_else(|waits_for| {
            if self.status.waits_for != waits_for {
                log::info!("stream {}: waiting: {waits_for}", self.name);
                self.status.waits_for = waits_for;
            }
            None
        })
    }

    fn subscribe(
        &mut self,
        node: &Node,
        installed: &Installed,
    ) -> Result<Option<MessageType>, String> {
        let topic = self.status.topic.clone();
        let publishers = node.publishers(&topic).map_err(|error| error.to_string())?;
        self.status.has_gone = self.wanted.is_found && publishers.is_empty();
        let heard_type = self.now.as_ref().map(|(now, _)| now.type_name.as_str());
        let matched = matched(&topic, &self.wanted, heard_type, &publishers);
        let fits = match (matched, &self.now) {
            (Ok(fits), Some((now, _))) if !must_change(now, &fits, &publishers) => {
                if !std::mem::take(&mut self.status.waits_for).is_empty() {
                    log::info!("stream {}: {topic} is published again", self.name);
                }
                self.tell_unheard(fits.unheard);
                return Ok(None);
            }
            (fits, _) => fits?,
        };
        let type_support = TypeSupport::load(&fits.type_name, &installed.library_folders)?;
        let interface = match Interface::load(&fits.type_name, &installed.share_folders) {
            Ok(interface) => Some(interface),
            Err(error) if decode::is_known(&fits.type_name) => {
                log::debug!("stream {}: {error}", self.name);
                None
            }
            Err(error) => return Err(error.to_string()),
        };
        // The former one goes first, so that nothing is heard twice.
        self.now = None;
        self.heard.append(&mut self.sequences);
        if self.heard.len() > PUBLISHERS_MAX {
            self.heard.clear();
        }
        let subscription =
            node.subscribe(&topic, type_support, fits.qos).map_err(|error| error.to_string())?;
        let Qos { reliability, durability, depth } = fits.qos;
        self.status.waits_for.clear();
        self.status.type_name.clone_from(&fits.type_name);
        self.status.qos = format!("{reliability}, {durability}, keep last {depth}");
        log::info!(
            "stream {}: subscribed to {topic} ({}; {})",
            self.name,
            fits.type_name,
            self.status.qos
        );
        self.tell_unheard(fits.unheard.clone());
        let type_name = fits.type_name.clone();
        self.now = Some((fits, subscription));
        Ok(Some((type_name, interface)))
    }

    fn tell_unheard(&mut self, unheard: String) {
        if self.status.unheard != unheard {
            if !unheard.is_empty() {
                log::warn!("stream {}: {unheard}", self.name);
            }
            self.status.unheard = unheard;
        }
    }

    /// Takes what waits, and gives each message to `give`.
    pub fn take(&mut self, buffer: &mut Buffer, mut give: impl FnMut(Taken, &[u8])) {
        let Some((_, subscription)) = &self.now else { return };
        for _ in 0..ROUND_MAX {
            match subscription.take(buffer) {
                Ok(Some(taken)) => {
                    if was_heard(&self.heard, &taken) {
                        continue;
                    }
                    self.status.received_count += 1;
                    self.status.lost_count += missed(&mut self.sequences, &taken);
                    give(taken, buffer.bytes());
                }
                Ok(None) => break,
                Err(error) => {
                    log::debug!("stream {}: {error}", self.name);
                    break;
                }
            }
        }
    }

    /// Brings counts and rates up to date, and tells the log of losses.
    pub fn report(&mut self, now: Instant) -> &SubscriptionStatus {
        if let Some((_, subscription)) = &mut self.now {
            let lost = subscription.lost_since();
            // Where messages are numbered, the numbers are exact.
            if self.sequences.is_empty() {
                self.status.lost_count += lost;
            }
        }
        let missing_count = self.status.lost_count + self.status.dropped_count;
        if missing_count > self.missing_count {
            (self.missing_count, self.status.lost_last) = (missing_count, Some(now));
        }
        if let Some(rate_hz) = self.rate.measure(self.status.received_count, now) {
            self.status.rate_hz = rate_hz;
        }
        if let Some(more) = self.lost.more(self.status.lost_count, now) {
            log::warn!("stream {}: {more} messages were lost on the way", self.name);
        }
        if let Some(more) = self.dropped.more(self.status.dropped_count, now) {
            log::warn!(
                "stream {}: {more} messages were dropped: too many waited (inbox_bytes_max)",
                self.name
            );
        }
        &self.status
    }
}

/// Whether it came by the subscription before already.
fn was_heard(heard: &BTreeMap<[u8; 16], u64>, taken: &Taken) -> bool {
    let last = heard.get(&taken.publisher);
    taken.sequence.zip(last).is_some_and(|(sequence, last)| sequence <= *last)
}

/// How many messages of its publisher are missing before this one.
fn missed(sequences: &mut BTreeMap<[u8; 16], u64>, taken: &Taken) -> u64 {
    let Some(sequence) = taken.sequence else { return 0 };
    if sequences.len() >= PUBLISHERS_MAX && !sequences.contains_key(&taken.publisher) {
        sequences.clear();
    }
    // What was published before the first one that is heard was not meant for this subscription.
    let last = sequences.entry(taken.publisher).or_insert(sequence.saturating_sub(1));
    let missed = sequence.saturating_sub(last.saturating_add(1));
    *last = sequence.max(*last);
    missed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_new_subscription_brings_again_was_heard() {
        let heard = BTreeMap::from([([1; 16], 7)]);
        let taken = |publisher: u8, sequence| Taken {
            source_nanos: 0,
            received_nanos: 0,
            sequence,
            publisher: [publisher; 16],
        };
        let cases =
            [(1, Some(6), true), (1, Some(7), true), (1, Some(8), false), (2, Some(1), false)];
        for (publisher, sequence, expected) in cases {
            assert_eq!(was_heard(&heard, &taken(publisher, sequence)), expected);
        }
        assert!(!was_heard(&heard, &taken(1, None)));
    }

    #[test]
    fn gaps_in_numbers_are_losses() {
        let mut sequences = BTreeMap::new();
        let mut missed_of = |publisher: u8, sequence: Option<u64>| {
            let publisher = [publisher; 16];
            let taken = Taken { source_nanos: 0, received_nanos: 0, sequence, publisher };
            missed(&mut sequences, &taken)
        };
        let cases = [
            (1, Some(7), 0),
            (1, Some(8), 0),
            (2, Some(1), 0),
            (1, Some(11), 2),
            (1, Some(9), 0),
            (2, Some(2), 0),
            (1, Some(12), 0),
            (1, None, 0),
            (3, Some(0), 0),
            (3, Some(u64::MAX), u64::MAX - 1),
        ];
        for (publisher, sequence, expected) in cases {
            assert_eq!(missed_of(publisher, sequence), expected, "{publisher} {sequence:?}");
        }
    }
}
