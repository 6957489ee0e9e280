//! Events that were too many to be kept one by one, as one event for each hour.

use super::budget::LeftOut;
use super::{Recorder, data, key};
use crate::Event;
use robot_memory_core::model::{PerceptionType, Stamp};
use serde_json::json;

impl Recorder {
    /// Makes events of what was left out in hours before `now`.
    pub(super) fn sum_up(&mut self, now: Stamp) {
        for stream in 0..self.streams.len() {
            for left_out in self.streams[stream].budget.sum_up(now) {
                if let Some(event) = self.of_left_out(stream, &left_out) {
                    *self.counts[stream].events.entry(event.trigger).or_default() += 1;
                    self.finished.push(event);
                }
            }
        }
    }

    fn of_left_out(&self, stream: usize, left_out: &LeftOut) -> Option<Event> {
        let LeftOut { first, last, counts } = left_out;
        let settings = &self.streams[stream].settings;
        // Of equals the first kind.
        let (trigger, _) = counts.iter().rev().max_by_key(|(_, count)| **count)?;
        let count: u64 = counts.values().sum();
        let kinds: Vec<String> =
            counts.iter().map(|(kind, count)| format!("{count} {}", kind.as_str())).collect();
        let description = format!(
            "{}: {count} more events between {} and {} UTC, not kept one by one ({})",
            settings.name,
            minute(*first),
            minute(*last),
            kinds.join(", ")
        );
        let by_trigger: serde_json::Map<_, _> = counts
            .iter()
            .map(|(kind, count)| (kind.as_str().to_owned(), (*count).into()))
            .collect();
        let id = key::of_activity(&settings.topic, *trigger, "left out", *first);
        Some(Event {
            event_id: id.clone(),
            stamp: *first,
            end: *last,
            stream: settings.name.clone(),
            topic: settings.topic.clone(),
            trigger: *trigger,
            perception_type: settings.perception_type.unwrap_or(PerceptionType::Proprioceptive),
            description,
            data: json!({"event": data::measured(*first, Some(*last), &[])}).to_string(),
            metadata: json!({
                "stream": settings.name,
                "topic": settings.topic,
                "type": self.streams[stream].type_name.as_ref(),
                "trigger": trigger.as_str(),
                "left_out": by_trigger,
            })
            .to_string(),
            context: json!({
                "event": {
                    "id": id,
                    "stream": settings.name,
                    "trigger": trigger.as_str(),
                    "left_out": count,
                },
            })
            .to_string(),
            importance: settings.importance.unwrap_or_else(|| trigger.importance()),
            collection: settings.collection.clone(),
            signature: None,
            clip: Vec::new(),
            key: id,
        })
    }
}

/// Hours and minutes of the day.
fn minute(stamp: Stamp) -> String {
    let minutes = stamp.0.div_euclid(60 * 1_000_000_000).rem_euclid(24 * 60);
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}
