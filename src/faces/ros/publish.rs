//! Publishers: with which QoS they are made, and that nobody waits for them.

use super::streams::qos_overrides;
use crate::config::{Invalid, QosEntity, StartParameters};
use crate::faces::topics::TOPICS;
use r2r::{Publisher, QosProfile, WrappedTypesupport};
use robot_memory_perception::{Durability, QosOverrides, Reliability};
use std::collections::BTreeMap;

/// The QoS that parameters give to the node's own topics (`qos_overrides.<topic>.publisher.<policy>`).
pub(super) struct PublisherQos {
    /// Namespace and name of the node.
    full_name: String,
    /// By the topics' full names.
    overrides: BTreeMap<String, QosOverrides>,
}

impl PublisherQos {
    /// Reads them. Those of topics that the node does not publish are logged.
    ///
    /// # Errors
    /// When a policy does not take its value.
    pub fn read(given: &StartParameters, full_name: &str) -> Result<Self, Invalid> {
        let overrides = qos_overrides(given, QosEntity::Publisher)?;
        let qos = Self { full_name: full_name.to_owned(), overrides };
        let published = |topic: &String| TOPICS.iter().any(|it| qos.full(it.name) == *topic);
        for topic in qos.overrides.keys().filter(|topic| !published(topic)) {
            log::warn!(
                "parameters qos_overrides.{topic}.publisher are ignored: it is not published"
            );
        }
        Ok(qos)
    }

    /// Makes a publisher; what parameters do not say is as given.
    ///
    /// # Errors
    /// When the middleware cannot make it.
    pub fn create_publisher<M: WrappedTypesupport>(
        &self,
        topic: &'static str,
        node: &mut r2r::Node,
        qos: QosProfile,
    ) -> r2r::Result<Publisher<M>> {
        let overrides = self.overrides.get(&self.full(topic)).copied().unwrap_or_default();
        node.create_publisher(topic, overridden(qos, overrides))
    }

    fn full(&self, topic: &str) -> String {
        match topic.strip_prefix('~') {
            Some(rest) => format!("{}{rest}", self.full_name),
            None => topic.to_owned(),
        }
    }
}

fn overridden(mut qos: QosProfile, overrides: QosOverrides) -> QosProfile {
    let QosOverrides { reliability, durability, depth } = overrides;
    qos = match reliability {
        Some(Reliability::Reliable) => qos.reliable(),
        Some(Reliability::BestEffort) => qos.best_effort(),
        None => qos,
    };
    qos = match durability {
        Some(Durability::TransientLocal) => qos.transient_local(),
        Some(Durability::Volatile) => qos.volatile(),
        None => qos,
    };
    match depth.and_then(|depth| usize::try_from(depth).ok()) {
        Some(depth) => qos.keep_last(depth),
        None => qos,
    }
}

/// Publishes a message on a topic. One that is not taken is only noted.
pub(super) fn publish<M: WrappedTypesupport + 'static>(
    publisher: &Publisher<M>,
    topic: &str,
    message: &M,
) {
    if let Err(error) = publisher.publish(message) {
        log::debug!("{topic}: {error}");
    }
}
