//! What is counted of a stream, for metrics: the numbers that `/diagnostics` shows.

use super::status::{StreamStatus, SubscriptionStatus};
use crate::faces::http::StreamNumbers;
use robot_memory_perception::StreamCounts;

/// What is counted of a stream, or of the source of poses.
pub(super) fn numbers(stream: StreamStatus) -> StreamNumbers {
    let StreamStatus { name, subscription, counts, .. } = stream;
    let SubscriptionStatus { received_count, lost_count, dropped_count, untimed_count, .. } =
        subscription;
    let StreamCounts { late, undecodable, over_rate, events, over_minute, over_day, .. } =
        counts.unwrap_or_default();
    StreamNumbers {
        stream: name,
        received: received_count,
        dropped: vec![
            ("lost", lost_count),
            ("too_many_waited", dropped_count),
            ("before_clock", untimed_count),
            ("late", late),
            ("not_readable", undecodable),
            ("over_rate_max_hz", over_rate),
        ],
        events: events.into_iter().map(|(kind, count)| (kind.as_str(), count)).collect(),
        outcomes: vec![
            ("stored", stream.saved_count),
            ("stored_before", stream.known_count),
            ("not_stored", stream.unsaved_count),
            ("never_store", stream.secret_count),
            ("over_events_per_minute_max", over_minute),
            ("over_events_per_day_max", over_day),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_perception::TriggerKind;

    #[test]
    fn the_counts_of_a_stream_are_told_by_their_reasons() {
        let counts = StreamCounts {
            late: 3,
            over_day: 4,
            events: [(TriggerKind::Motion, 5)].into(),
            ..StreamCounts::default()
        };
        let subscription = SubscriptionStatus {
            received_count: 9,
            lost_count: 2,
            ..SubscriptionStatus::default()
        };
        let told = numbers(StreamStatus {
            name: "wrist".to_owned(),
            subscription,
            counts: Some(counts),
            saved_count: 1,
            ..StreamStatus::default()
        });
        assert_eq!((told.stream.as_str(), told.received), ("wrist", 9));
        assert_eq!(told.events, [("motion", 5)]);
        for (of, expected) in [
            (&told.dropped, [("lost", 2), ("late", 3)]),
            (&told.outcomes, [("stored", 1), ("over_events_per_day_max", 4)]),
        ] {
            let is_told = expected.iter().all(|one| of.contains(one));
            assert!(is_told, "{of:?}");
            assert_eq!(of.iter().filter(|(_, count)| *count > 0).count(), 2, "{of:?}");
        }
    }
}
