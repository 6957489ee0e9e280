//! How a stream is doing, for `/diagnostics`.

use super::status::StreamStatus;
use crate::faces::ros::diagnostics::{ERROR, OK, WARN, value};
use crate::faces::ros::wire::text;
use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use robot_memory_perception::StreamCounts;
use std::time::{Duration, Instant};

/// Losses are shown as trouble for so long.
const RECENT: Duration = Duration::from_secs(10);

/// The status of a stream, or of the source of poses.
pub(in crate::faces::ros) fn status(node_name: &str, stream: &StreamStatus) -> DiagnosticStatus {
    let (level, message) = verdict(stream, Instant::now());
    DiagnosticStatus {
        level,
        name: text(format!("{}: stream {}", node_name.trim_start_matches('/'), stream.name)),
        message: text(message),
        hardware_id: text(stream.subscription.topic.as_str()),
        values: values(stream),
    }
}

/// What is to be known first.
fn verdict(stream: &StreamStatus, now: Instant) -> (u8, String) {
    let StreamStatus { subscription, not_understood, counts, .. } = stream;
    if !not_understood.is_empty() {
        return (ERROR, format!("no events are kept: {not_understood}"));
    }
    if subscription.has_gone {
        return (OK, "nobody publishes it any more".to_owned());
    }
    if !subscription.waits_for.is_empty() {
        return (WARN, format!("waiting: {}", subscription.waits_for));
    }
    if !subscription.unheard.is_empty() {
        return (WARN, subscription.unheard.clone());
    }
    let rate = match subscription.received_count {
        0 => "nothing came so far".to_owned(),
        _ => format!("receiving {:.1} Hz", subscription.rate_hz),
    };
    let is_recent = |lost: Instant| now.saturating_duration_since(lost) < RECENT;
    if subscription.lost_last.is_some_and(is_recent) {
        return (WARN, format!("{rate}, losing messages"));
    }
    if !stream.useless.is_empty() {
        return (WARN, format!("{rate}, {}", stream.useless));
    }
    match counts {
        Some(counts) if counts.undecodable > 0 => {
            let StreamCounts { undecodable, problem, .. } = counts;
            (WARN, format!("{rate}, {undecodable} messages were not readable: {problem}"))
        }
        _ if subscription.untimed_count > 0
            && subscription.untimed_count == subscription.received_count =>
        {
            (WARN, format!("{rate}, waiting for /clock"))
        }
        _ => (OK, rate),
    }
}

fn values(stream: &StreamStatus) -> Vec<KeyValue> {
    let subscription = &stream.subscription;
    let mut values = vec![
        value("topic", &subscription.topic),
        value("type", &subscription.type_name),
        value("qos", &subscription.qos),
        value("rate, Hz", format!("{:.1}", subscription.rate_hz)),
        value("received", subscription.received_count),
        value("lost on the way", subscription.lost_count),
        value("dropped: too many waited", subscription.dropped_count),
        value("dropped: before /clock", subscription.untimed_count),
        value("stamped between two of /clock", subscription.between_count),
    ];
    if let Some(counts) = &stream.counts {
        values.extend([
            value("dropped: late", counts.late),
            value("stamped as the one before", counts.repeated),
            value("dropped: not readable", counts.undecodable),
            value("not looked at: rate_max_hz", counts.over_rate),
            value("stamped when they came", counts.stamped_on_receipt),
            value("events", counts.events.values().sum::<u64>()),
        ]);
        let events = counts.events.iter();
        values.extend(events.map(|(kind, count)| value(&format!("events: {kind}"), count)));
        values.extend([
            value("merged into the event before", counts.merged),
            value("events dropped: events_per_minute_max", counts.over_minute),
            value("events dropped: events_per_day_max", counts.over_day),
            value("reports left out: too many at a time", counts.reports_left_out),
            value("events closed early: too many at a time", counts.cut_short),
        ]);
    }
    values.extend([
        value("events stored", stream.saved_count),
        value("events stored before", stream.known_count),
        value("events not stored", stream.unsaved_count),
        value("events refused: never_store", stream.secret_count),
        value("clips refused: never_store", stream.secret_clip_count),
    ]);
    values
}

#[cfg(test)]
mod tests {
    use super::super::status::SubscriptionStatus;
    use super::*;
    use robot_memory_perception::TriggerKind;

    fn heard() -> StreamStatus {
        let subscription = SubscriptionStatus {
            topic: "/wrist/wrench".to_owned(),
            received_count: 1000,
            rate_hz: 499.96,
            ..SubscriptionStatus::default()
        };
        StreamStatus { name: "wrist".to_owned(), subscription, ..StreamStatus::default() }
    }

    fn with(change: impl FnOnce(&mut StreamStatus)) -> StreamStatus {
        let mut stream = heard();
        change(&mut stream);
        stream
    }

    #[test]
    fn the_worst_is_told_first() {
        let now = Instant::now();
        let unreadable = StreamCounts {
            undecodable: 3,
            problem: "position: ends early".to_owned(),
            ..StreamCounts::default()
        };
        let cases = [
            (heard(), OK, "receiving 500.0 Hz"),
            (with(|it| it.subscription.received_count = 0), OK, "nothing came so far"),
            (
                with(|it| it.subscription.lost_last = Some(now)),
                WARN,
                "receiving 500.0 Hz, losing messages",
            ),
            (
                with(|it| it.counts = Some(unreadable)),
                WARN,
                "receiving 500.0 Hz, 3 messages were not readable: position: ends early",
            ),
            (
                with(|it| it.subscription.untimed_count = 1000),
                WARN,
                "receiving 500.0 Hz, waiting for /clock",
            ),
            (
                with(|it| {
                    it.subscription.has_gone = true;
                    it.subscription.waits_for = "nobody publishes /a".to_owned();
                }),
                OK,
                "nobody publishes it any more",
            ),
            (
                with(|it| it.useless = "9 of 10 messages are dropped".to_owned()),
                WARN,
                "receiving 500.0 Hz, 9 of 10 messages are dropped",
            ),
            (with(|it| it.subscription.unheard = "/b is not".to_owned()), WARN, "/b is not"),
            (
                with(|it| it.subscription.waits_for = "nobody publishes /a".to_owned()),
                WARN,
                "waiting: nobody publishes /a",
            ),
            (
                with(|it| it.not_understood = "no field x".to_owned()),
                ERROR,
                "no events are kept: no field x",
            ),
        ];
        for (stream, level, message) in cases {
            assert_eq!(verdict(&stream, now), (level, message.to_owned()));
        }
        let before = with(|it| it.subscription.lost_last = now.checked_sub(2 * RECENT));
        assert_eq!(verdict(&before, now).0, OK);
    }

    #[test]
    fn a_status_names_its_stream_and_has_keys_of_their_own() {
        let counts = StreamCounts {
            events: [(TriggerKind::Contact, 2), (TriggerKind::Slip, 1)].into(),
            ..StreamCounts::default()
        };
        let status = status("/ns/memory", &with(|it| it.counts = Some(counts)));
        assert_eq!(
            (status.name.as_str(), status.hardware_id.as_str()),
            ("ns/memory: stream wrist", "/wrist/wrench")
        );
        let mut keys: Vec<_> = status.values.iter().map(|value| &value.key).collect();
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count);
        let events = status.values.iter().find(|value| value.key == "events").unwrap();
        assert_eq!(events.value, "3");
    }
}
