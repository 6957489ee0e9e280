//! What robots publish (tests/fixtures/robots.jsonl) is found by questions in words, and by its measures.

use crate::event_questions::model;
use crate::robot::Robot;
use robot_memory_core::api::{Recall, RecallRequest};
use robot_memory_core::model::Stamp;
use robot_memory_engine::Recording;
use robot_memory_messages::Interface;
use robot_memory_perception::{Event, Received, Recorder, RecorderSettings, Source, Streams};
use serde_json::Value;
use std::path::Path;

const START_SECS: i64 = 1_700_000_000;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

/// The events of one case.
fn events_of(head: &Value, messages: &[Value]) -> Vec<Event> {
    let Ok(Streams::List(streams)) = Streams::parse(&head["streams"].to_string()) else {
        panic!("{}", head["case"]);
    };
    let topics: Vec<String> = streams.iter().map(|stream| stream.topic.clone()).collect();
    let pose = robot_memory_perception::PoseSettings {
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
    let mut events = Vec::new();
    for message in messages {
        let text = |name: &str| message[name].as_str().expect("a text");
        let streams = topics.iter().enumerate().filter(|(_, topic)| *topic == text("topic"));
        let mut sources: Vec<Source> = streams.map(|(stream, _)| Source::Stream(stream)).collect();
        if sources.is_empty() {
            sources.push(Source::PoseBeside);
        }
        let definition = head["definitions"][text("type")].as_str();
        let nanos = (message["t"].as_f64().expect("seconds") * 1e9).round() as i64;
        let received = Stamp(START_SECS * 1_000_000_000 + nanos);
        for source in sources {
            let interface = definition.map(|it| Interface::parse(text("type"), it).expect("whole"));
            match source {
                Source::Stream(stream) => recorder.set_type(stream, text("type"), interface),
                source => recorder.set_pose_type(source, text("type"), interface),
            }
            .expect("a known type");
            recorder.take(Received { source, received, message: bytes(text("cdr")).into() });
        }
        recorder.advance(received, &mut events);
    }
    recorder.finish(&mut events);
    events
}

/// A robot that has stored all of them.
fn robot() -> Robot {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/robots.jsonl");
    let lines = std::fs::read_to_string(path).expect("the fixture");
    let lines: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let cases = lines.chunk_by(|_, line| line["case"].is_null());
    let events: Vec<Event> = cases.flat_map(|case| events_of(&case[0], &case[1..])).collect();
    let robot = Robot::words_only();
    robot.clock.set(Stamp::from_secs(START_SECS + 3600));
    if let Some(model) = model() {
        robot.engine.set_embedder(Ok(Some(model))).expect("the model is taken");
    }
    let recordings = events.into_iter().map(|event| Recording {
        event,
        sim_or_real: "real".into(),
        session_id: None,
        clip: None,
        known_at: None,
    });
    for answer in robot.engine.record(recordings.collect()).expect("stored") {
        answer.expect("stored");
    }
    robot
}

fn first(robot: &Robot, request: RecallRequest) -> String {
    let answer = robot.call::<Recall>(request);
    answer.memories.first().map(|hit| hit.memory.content.clone()).unwrap_or_default()
}

#[test]
fn what_robots_publish_is_found_by_questions_in_words() {
    let robot = robot();
    let questions = [
        ("when was the battery low?", "battery low"),
        ("was the battery critical?", "battery critical"),
        ("电池什么时候快没电了？", "battery "),
        ("when was the battery charged?", "battery charg"),
        ("which sensor failed?", "ERROR"),
        ("哪个传感器出错了？", "ERROR"),
        ("did the lidar fail?", "lidar_node"),
        ("was there an obstacle?", "obstacle within"),
        ("前面有障碍物吗？", "obstacle within"),
        ("when did the robot get stuck?", "robot stuck"),
        ("机器人什么时候卡住了？", "robot stuck"),
        ("when did an operator take over?", "operator took over"),
        ("什么时候被人工接管了？", "operator took over"),
        ("when did the robot drive?", "robot drove"),
        ("when was the motor too hot?", "motor temperature above"),
        ("电机什么时候过热了？", "motor temperature above"),
        ("what was the last error of the controller server?", "controller_server"),
    ];
    let mut wrong = Vec::new();
    for (question, part) in questions {
        let query = question.to_owned();
        let found = first(&robot, RecallRequest { query, ..RecallRequest::default() });
        if !found.contains(part) {
            wrong.push(format!("{question} -> {found}"));
        }
    }
    println!("{} of {}: {wrong:#?}", questions.len() - wrong.len(), questions.len());
    assert!(wrong.len() <= 1 || model().is_none(), "{wrong:#?}");
}

#[test]
fn what_robots_publish_is_found_by_its_measures() {
    let robot = robot();
    let filters = [
        (r#"{"event.level": "STALE"}"#, "imu_node: IMU Status: STALE"),
        (r#"{"event.state": "critical"}"#, "battery critical"),
        (r#"{"event.trigger": "stuck"}"#, "robot stuck"),
        (r#"{"event.name": "camera", "event.over_secs": {"$gt": 50}}"#, "camera: OK again"),
        (r#"{"event.extreme_m": {"$lt": 0.2}}"#, "obstacle within"),
        (r#"{"event.travelled_m": {"$gt": 2}}"#, "robot drove 10 s"),
    ];
    for (filter, part) in filters {
        let context_filter = filter.to_owned();
        let found = first(&robot, RecallRequest { context_filter, ..RecallRequest::default() });
        assert!(found.contains(part), "{filter}: {found}");
    }
}
