//! What robots publish (tests/fixtures/robots.jsonl), and the events that it makes.

use super::*;
use crate::{PoseSettings, Streams};
use robot_memory_messages::Interface;
use robot_memory_messages::testing::bytes;
use serde_json::Value as Json;

/// A case: its first line, and its messages.
type Case = (Json, Vec<Json>);

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in include_str!("../../../../../tests/fixtures/robots.jsonl").lines() {
        let line = json(line);
        match cases.last_mut().filter(|_| line["case"].is_null()) {
            Some((_, messages)) => messages.push(line),
            None => cases.push((line, Vec::new())),
        }
    }
    cases
}

/// The events of a case: from what is heard on its topics, and poses from its odometry.
fn told((head, messages): &Case) -> Vec<Event> {
    let Ok(Streams::List(streams)) = Streams::parse(&head["streams"].to_string()) else {
        panic!("{}", head["case"]);
    };
    let topics: Vec<String> = streams.iter().map(|stream| stream.topic.clone()).collect();
    let pose = PoseSettings {
        is_auto: true,
        pose_frame: "map".into(),
        base_frame: "base_link".into(),
        map_id: String::new(),
        age_secs_max: 1.0,
        std_dev_m_max: 0.0,
        settle_secs: 0.0,
    };
    let settings = RecorderSettings { pose: Some(pose), ..RecorderSettings::default() };
    let mut recorder = Recorder::new(settings, streams);
    let mut received = Vec::new();
    for message in messages {
        let text = |name: &str| message[name].as_str().expect("a text");
        let streams = topics.iter().enumerate().filter(|(_, topic)| *topic == text("topic"));
        let mut sources: Vec<Source> = streams.map(|(stream, _)| Source::Stream(stream)).collect();
        if sources.is_empty() {
            sources.push(Source::PoseBeside);
        }
        let definition = head["definitions"][text("type")].as_str();
        let secs = message["t"].as_f64().expect("seconds");
        for source in sources {
            let interface = definition.map(|it| Interface::parse(text("type"), it).expect("whole"));
            let is_set = match source {
                Source::Stream(stream) => recorder.set_type(stream, text("type"), interface),
                source => recorder.set_pose_type(source, text("type"), interface),
            };
            is_set.expect("a known type");
            let message = bytes(text("cdr")).into();
            received.push(Received { source, received: at(secs), message });
        }
    }
    let mut told = events(&mut recorder, received);
    for counts in recorder.counts() {
        assert_eq!((counts.undecodable, counts.late), (0, 0), "{}", counts.problem);
    }
    told.sort_by_key(|event| event.stamp);
    told
}

#[test]
fn what_robots_publish_makes_the_events_that_are_expected() {
    let mut wrong = Vec::new();
    for case in cases() {
        let told = told(&case);
        let told: Vec<(f64, &str, &str)> = told
            .iter()
            .map(|it| {
                (secs_between(at(0.0), it.stamp), it.trigger.as_str(), it.description.as_str())
            })
            .collect();
        let expected = case.0["events"].as_array().expect("a list");
        let is_so = |(expected, told): (&Json, &(f64, &str, &str))| {
            let (secs, sentence) = (expected[0].as_f64().unwrap(), expected[2].as_str().unwrap());
            let said = match sentence.strip_suffix('…') {
                Some(beginning) => told.2.starts_with(beginning),
                None => told.2 == sentence,
            };
            (secs - told.0).abs() < 0.5 && expected[1] == told.1 && said
        };
        if expected.len() != told.len() || !expected.iter().zip(&told).all(is_so) {
            wrong.push(format!(
                "{}:\n  {told:?}\n  expected {:?}",
                case.0["case"],
                case.0["events"].to_string()
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
