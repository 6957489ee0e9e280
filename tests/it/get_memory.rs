//! What GetMemory tells of a memory beside what it says.

use crate::robot::{Robot, START};
use robot_memory_core::api::{
    ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest, Learn, LearnRequest,
    StoredMemory, Update, UpdateRequest,
};
use robot_memory_core::model::{Status, SupersededRule};

fn get(robot: &Robot, memory_id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id, ..Default::default() })
}

#[test]
fn a_merged_memory_says_which_one_stands_for_it() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    let loser = robot.learn_in(&session, "glass cup slips out of gripper");
    let winner = robot.learn_in(&session, "glass cup slips out of gripper in `grip`");
    // Fewer than three are not merged.
    robot.learn_in(&session, "kettle hangs above sink on hook");
    assert_eq!(robot.end_session(&session).superseded_count, 1);
    let (loser, winner) = match get(&robot, loser).memory.status {
        Status::Superseded => (loser, winner),
        _ => (winner, loser),
    };
    let stored = get(&robot, loser);
    assert_eq!(stored.superseded_rule, Some(SupersededRule::Consolidation));
    assert_eq!(stored.memory.superseded_by, Some(winner));
    assert_eq!(
        stored.superseded_why,
        format!(
            "consolidation: memory {winner} (operator, high) of 2025-06-15T15:06:40Z replaced it"
        )
    );
    let kept = get(&robot, winner);
    assert_eq!(kept.supersedes, [loser]);
    assert_eq!((kept.superseded_rule, kept.superseded_why.as_str()), (None, ""));
}

#[test]
fn history_tells_what_was_said_before() {
    let robot = Robot::new();
    let id = robot.learn_with("The red cup needs 15 N", r#"{"n": 1}"#);
    assert!(get(&robot, id).history.is_empty());
    robot.call::<Update>(UpdateRequest {
        memory_id: id,
        new_content: "The red cup needs 12 N".into(),
        ..Default::default()
    });
    robot.call::<Forget>(ForgetRequest {
        memory_id: id,
        reason: "another cup".into(),
        ..Default::default()
    });
    let stored = get(&robot, id);
    let history: Vec<(&str, &str)> = stored
        .history
        .iter()
        .map(|change| (change.operation.as_str(), change.content.as_str()))
        .collect();
    assert_eq!(
        history,
        [("update", "The red cup needs 15 N"), ("forget", "The red cup needs 12 N")]
    );
    assert_eq!(stored.history[0].changed_at, START);
    assert_eq!(stored.history[0].context, r#"{"n": 1}"#);
    assert_eq!(stored.invalidated_reason, "another cup");
    assert_eq!(stored.invalidated_at, Some(START));
}

#[test]
fn relations_show_only_what_the_caller_sees() {
    let robot = Robot::new();
    let parent = robot
        .call::<Learn>(LearnRequest {
            insight: "Site alpha has two gates".into(),
            level: "core".into(),
            ..Default::default()
        })
        .memory_id;
    let child = |insight: &str, scope: &str| {
        robot
            .call::<Learn>(LearnRequest {
                insight: insight.into(),
                scope: scope.into(),
                parent_id: parent,
                ..Default::default()
            })
            .memory_id
    };
    let shown = child("Gate one is 3 m wide", "global");
    let hidden = child("Gate two is 4 m wide", "group:guards");
    assert_eq!(get(&robot, parent).children, [shown, hidden]);
    let of_agent =
        |memory_id| GetMemoryRequest { memory_id, agent: "skill_1".into(), ..Default::default() };
    assert_eq!(robot.call::<GetMemory>(of_agent(parent)).children, [shown]);
    let unseen = robot.refused::<GetMemory>(of_agent(hidden));
    let absent = robot.refused::<GetMemory>(of_agent(hidden + 1));
    assert_eq!(unseen.0, ErrorKind::NotFound);
    assert_eq!(
        unseen.1.replace(&hidden.to_string(), "N"),
        absent.1.replace(&(hidden + 1).to_string(), "N")
    );
}

#[test]
fn data_and_embedding_come_when_they_are_asked_for() {
    let robot = Robot::new();
    let id = robot.learn("The red cup needs 15 N").memory_id;
    let plain = get(&robot, id);
    assert!(plain.embedding.is_empty());
    assert!(!plain.embedding_model.is_empty());
    let full = robot.call::<GetMemory>(GetMemoryRequest {
        memory_id: id,
        include_embedding: true,
        ..Default::default()
    });
    let norm: f32 = full.embedding.iter().map(|component| component * component).sum();
    assert!((norm - 1.0).abs() < 1e-5, "{norm}");
}
