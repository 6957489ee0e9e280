//! A recorded robot through the recorder: every stop and every lost grip is an event of its own.

use crate::bags::fixture;
use robot_memory::bags::{BagReader, Filter};
use robot_memory::messages::Interface;
use robot_memory::model::Stamp;
use robot_memory::perception::{
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
    let mut told: Vec<(String, Stamp)> =
        edges.map(|event| (event.topic.clone(), event.stamp)).collect();
    told.sort();
    rises.sort();
    assert_eq!(told, rises);
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

#[test]
fn either_storage_of_a_bag_gives_the_same_events() {
    assert_eq!(replayed("ur3_mcap").0, replayed("ur3_sqlite3").0);
}
