//! Rows are found by the names of the task and the object that they and their sessions are of.

use crate::robot::{Robot, ids};
use robot_memory_core::api::{
    Forget, ForgetRequest, Recall, RecallRequest, SavePerception, SavePerceptionRequest,
    StartSession, StartSessionRequest, Update, UpdateRequest,
};

fn found(robot: &Robot, query: &str) -> Vec<i64> {
    ids(&robot.call::<Recall>(RecallRequest { query: query.into(), ..Default::default() }))
}

fn save(robot: &Robot, description: &str, context: &str, session_id: &str) -> i64 {
    robot
        .call::<SavePerception>(SavePerceptionRequest {
            description: description.into(),
            context: context.into(),
            session_id: session_id.into(),
            ..Default::default()
        })
        .memory_id
}

#[test]
fn a_row_is_found_by_what_its_context_names() {
    let robot = Robot::words_only();
    let of_bolt = save(
        &robot,
        "It slipped at 12 N",
        r#"{"task": {"name": "insert", "object": "M8 bolt"}}"#,
        "",
    );
    let of_cup = save(&robot, "It held at 3 N", r#"{"object": {"class": "玻璃杯"}}"#, "");
    let of_parts =
        save(&robot, "Two were left", r#"{"objects": ["washer", {"label": "nut"}]}"#, "");
    let of_mode = save(&robot, "It waits", r#"{"task": "polish"}"#, "");
    for (query, right) in [
        ("M8 bolts", of_bolt),
        ("inserting", of_bolt),
        ("玻璃杯", of_cup),
        ("the nut", of_parts),
        ("washers", of_parts),
        ("polishing", of_mode),
    ] {
        assert_eq!(found(&robot, query), [right], "{query}");
    }
    assert_eq!(found(&robot, "class label object"), Vec::<i64>::new(), "keys are no names");

    // What says it itself is before what is merely of it.
    let says = save(&robot, "The M8 bolt slipped at 12 N", "", "");
    assert_eq!(found(&robot, "M8 bolt"), [says, of_bolt]);
    let robot = robot.restart();
    assert_eq!(found(&robot, "M8 bolt"), [says, of_bolt]);
}

#[test]
fn a_row_is_found_by_what_its_session_is_for() {
    let robot = Robot::words_only();
    let context = r#"{"task": {"name": "pick", "object": "red cup"}}"#.into();
    let session = robot
        .call::<StartSession>(StartSessionRequest { context, ..Default::default() })
        .session_id;
    let inside = save(&robot, "It slipped at 12 N", "", &session);
    save(&robot, "It slipped at 13 N", "", "");
    assert_eq!(found(&robot, "red cup"), [inside]);
    robot.end_session(&session);
    assert_eq!(found(&robot.restart(), "red cup"), [inside]);
}

#[test]
fn names_go_with_their_row() {
    let robot = Robot::words_only();
    let context = r#"{"task": {"object": "bolt"}}"#;
    let changed = save(&robot, "It slipped at 12 N", context, "");
    let gone = save(&robot, "It jammed at 15 N", context, "");
    assert_eq!(found(&robot, "bolt").len(), 2);
    robot.call::<Update>(UpdateRequest {
        memory_id: changed,
        new_content: "It slipped at 12 N".into(),
        context: r#"{"task": {"object": "rivet"}}"#.into(),
        scope: String::new(),
        agent: String::new(),
    });
    robot.call::<Forget>(ForgetRequest {
        memory_id: gone,
        reason: "wrong".into(),
        scope: String::new(),
        agent: String::new(),
    });
    assert_eq!(found(&robot, "bolt"), Vec::<i64>::new());
    assert_eq!(found(&robot, "rivet"), [changed]);
    let robot = robot.restart();
    assert_eq!(found(&robot, "bolt"), Vec::<i64>::new());
    assert_eq!(found(&robot, "rivet"), [changed]);
}

#[test]
fn a_row_is_found_by_its_tags() {
    let robot = Robot::words_only();
    let save = |description: &str, perception_type: &str| {
        let request = SavePerceptionRequest {
            description: description.into(),
            perception_type: perception_type.into(),
            ..Default::default()
        };
        robot.call::<SavePerception>(request).memory_id
    };
    let felt = save("It slipped at 12 N", "tactile");
    save("It slipped at 13 N", "visual");
    let learned = robot.learn("Never grip the cup with more than 20 N").memory_id;
    assert_eq!(found(&robot, "tactile"), [felt]);
    assert_eq!(found(&robot, "constraint"), [learned]);
    robot.call::<Update>(UpdateRequest {
        memory_id: learned,
        new_content: "I prefer the blue cup".into(),
        ..Default::default()
    });
    assert_eq!(found(&robot, "preferences"), [learned]);
    assert_eq!(found(&robot, "constraint"), Vec::<i64>::new());
    let robot = robot.restart();
    assert_eq!(
        (found(&robot, "tactile"), found(&robot, "preference")),
        (vec![felt], vec![learned])
    );
}
