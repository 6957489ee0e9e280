use crate::robot::{Robot, sql};
use robot_memory_core::api::{
    ErrorKind, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
};
use robot_memory_core::model::{Kind, MemType, PerceptionType, Source};

fn request(description: &str) -> SavePerceptionRequest {
    SavePerceptionRequest { description: description.into(), ..Default::default() }
}

#[test]
fn a_perception_is_stored_with_its_data() {
    let robot = Robot::new();
    let data = r#"{"times": [0.0, 0.1], "force": [1.5, 23.4]}"#;
    let response = robot.call::<SavePerception>(SavePerceptionRequest {
        perception_type: "tactile".into(),
        data: data.into(),
        metadata: r#"{"unit": "N", "rate_hz": 10}"#.into(),
        ..request("contact on the wrist, peak 23.4 N")
    });
    assert_eq!(response.perception_type, PerceptionType::Tactile);
    assert_eq!(response.collection, "default");
    assert!(response.has_embedding);

    let ask = |include_data| {
        robot.call::<Recall>(RecallRequest {
            query: "contact on the wrist".into(),
            include_data,
            ..Default::default()
        })
    };
    let with = &ask(true).memories[0].memory;
    assert_eq!((with.data.as_str(), with.kind), (data, Kind::Perception));
    assert_eq!(with.metadata, r#"{"unit": "N", "rate_hz": 10}"#);
    assert_eq!((with.mem_type, with.source), (MemType::TaskLog, Source::Sensor));
    assert_eq!(with.category, None);
    assert_eq!(ask(false).memories[0].memory.data, "");
}

#[test]
fn defaults_are_visual_and_procedures_have_their_own_life() {
    let robot = Robot::new();
    assert_eq!(
        robot.call::<SavePerception>(request("a red cup")).perception_type,
        PerceptionType::Visual
    );
    robot.call::<SavePerception>(SavePerceptionRequest {
        perception_type: "procedural".into(),
        ..request("open the drawer, take the cup")
    });
    assert_eq!(robot.recall("open drawer").memories[0].memory.mem_type, MemType::Procedure);
}

#[test]
fn perceptions_are_never_duplicates() {
    let robot = Robot::new();
    let first = robot.call::<SavePerception>(request("a red cup on the table"));
    let second = robot.call::<SavePerception>(request("a red cup on the table"));
    assert_ne!(first.memory_id, second.memory_id);
}

#[test]
fn bad_requests_name_the_field_and_change_nothing() {
    let robot = Robot::new();
    let cases = [
        (request(""), "description"),
        (request("four"), "description"),
        (request("两个字吗"), "description"),
        (
            SavePerceptionRequest { perception_type: "smell".into(), ..request("a cup") },
            "perception_type",
        ),
        (SavePerceptionRequest { data: "{".into(), ..request("a cup") }, "data"),
        (SavePerceptionRequest { data: "[NaN]".into(), ..request("a cup") }, "data"),
        (
            SavePerceptionRequest {
                data: format!("[{}1]", "1,".repeat(600_000)),
                ..request("a cup")
            },
            "data",
        ),
        (SavePerceptionRequest { metadata: "[]".into(), ..request("a cup") }, "metadata"),
        (SavePerceptionRequest { context: "3".into(), ..request("a cup") }, "context"),
    ];
    for (request, field) in cases {
        let (kind, message) = robot.refused::<SavePerception>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument, "{message}");
        assert!(message.starts_with(field), "{message}");
    }
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory"), 0);
}

#[test]
fn the_data_of_one_answer_is_bounded() {
    let robot = Robot::words_only();
    let data = format!("[{}1]", "1,".repeat(500_000));
    for number in 0..9 {
        let description = format!("contact number {number}");
        robot.call::<SavePerception>(SavePerceptionRequest {
            data: data.clone(),
            ..request(&description)
        });
    }
    let ask =
        |n| RecallRequest { query: "contact".into(), include_data: true, n, ..Default::default() };
    let (kind, message) = robot.refused::<Recall>(ask(9));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.starts_with("include_data"), "{message}");
    assert_eq!(robot.call::<Recall>(ask(8)).memories.len(), 8);
}
