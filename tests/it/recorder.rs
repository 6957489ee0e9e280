//! A recorded robot through the recorder: every stop and every lost grip is an event of its own.

use crate::bags::fixture;
use robot_memory_bags::{BagReader, Filter};
use robot_memory_core::model::Stamp;
use robot_memory_messages::Interface;
use robot_memory_perception::{
    Event, Received, Recorder, RecorderSettings, Source, TriggerKind, settings,
};

/// The events of a bag, and the stamps at which each boolean topic rose, read from the bytes.
fn replayed(name: &str) -> (Vec<Event>, Vec<(String, Stamp)>) {
    let mut reader = BagReader::open(&fixture(name)).expect("it is a bag");
    let topics = reader.topics().to_vec();
    let streams: Vec<_> = topics
        .iter()
        .map(|topic| settings::of_topic(&topic.name, &topic.type_name).expect("a known type"))
        .collect();
    let mut recorder = Recorder::new(RecorderSettings::default(), streams);
    for (stream, topic) in topics.iter().enumerate() {
        let interface = Interface::parse(&topic.type_name, &topic.definition).expect("is defined");
        recorder.set_type(stream, &topic.type_name, Some(interface)).expect("is known");
    }
    let mut events = Vec::new();
    let mut rises = Vec::new();
    let mut last = vec![None; topics.len()];
    for message in reader.messages(Filter::default()) {
        let message = message.expect("the bag is whole");
        if topics[message.topic].type_name == "std_msgs/msg/Bool" {
            let is_true = message.bytes[4] != 0;
            if last[message.topic].replace(is_true) == Some(false) && is_true {
                rises.push((topics[message.topic].name.clone(), message.log_time));
            }
        }
        recorder.take(Received {
            source: Source::Stream(message.topic),
            received: message.log_time,
            message: message.bytes,
        });
        recorder.advance(message.log_time, &mut events);
    }
    recorder.finish(&mut events);
    for (topic, counts) in topics.iter().zip(recorder.counts()) {
        assert_eq!(counts.messages, topic.message_count, "{}", topic.name);
        assert_eq!((counts.late, counts.undecodable), (0, 0), "{}: {}", topic.name, counts.problem);
    }
    (events, rises)
}

#[test]
fn every_stop_and_lost_grip_of_a_bag_is_an_event() {
    let (events, mut rises) = replayed("ur3_mcap");
    let edges = events.iter().filter(|event| event.trigger == TriggerKind::Edge);
    let mut detected: Vec<(String, Stamp)> =
        edges.map(|event| (event.topic.clone(), event.stamp)).collect();
    detected.sort();
    rises.sort();
    assert_eq!(detected, rises);
    assert_eq!(rises.len(), 11);
    let moving = "protective stop on, for ";
    assert!(events.iter().any(|event| {
        event.description.starts_with(moving)
            && event.description.ends_with(" s, while the arm was moving")
    }));
    assert!(events.iter().any(|event| event.trigger == TriggerKind::Motion));
    assert!(events.iter().all(|event| event.data.len() <= 64 * 1024));
    let mut keys: Vec<&str> = events.iter().map(|event| &event.key[..]).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), events.len());
}

/// The events of booleans that are heard second by second on a topic.
fn heard(topic: &str, values: &[bool]) -> Vec<Event> {
    let stream = settings::of_topic(topic, "std_msgs/msg/Bool").expect("a known type");
    let mut recorder = Recorder::new(RecorderSettings::default(), vec![stream]);
    recorder.set_type(0, "std_msgs/msg/Bool", None).expect("is known");
    let mut events = Vec::new();
    for (second, value) in values.iter().enumerate() {
        let received = Stamp::from_secs(1_700_000_000 + second as i64);
        let message = vec![0, 1, 0, 0, u8::from(*value)].into();
        recorder.take(Received { source: Source::Stream(0), received, message });
        recorder.advance(received, &mut events);
    }
    recorder.finish(&mut events);
    events
}

#[test]
fn a_stop_that_is_pressed_when_it_is_first_heard_is_an_event() {
    for topic in ["/e_stop", "/ur/protective_stop", "/base/EmergencyStop", "/safety"] {
        let events = heard(topic, &[true, true, false]);
        assert_eq!(events.len(), 1, "{topic}");
        let description = &events[0].description;
        assert!(description.ends_with(" already when first heard, for 2 s"), "{description}");
        // A second press is one of its own.
        assert_eq!(heard(topic, &[true, false, true, false]).len(), 2, "{topic}");
        assert_eq!(heard(topic, &[true]).len(), 1, "{topic}");
        assert_eq!(heard(topic, &[false, true]).len(), 1, "{topic}");
        assert_eq!(heard(topic, &[false]).len(), 0, "{topic}");
    }
    for topic in ["/gripper/has_object", "/estop_released", "/safety_ok"] {
        assert_eq!(heard(topic, &[true, true, false]).len(), 0, "{topic}");
        assert_eq!(heard(topic, &[true, false, true]).len(), 1, "{topic}");
    }
}

#[test]
fn either_storage_of_a_bag_gives_the_same_events() {
    assert_eq!(replayed("ur3_mcap").0, replayed("ur3_sqlite3").0);
}
