//! What one part must not undo of another: levels, conflict rules, merging, the policy and the guard.

use crate::robot::{Robot, ids};
use robot_memory::api::{
    EndSession, EndSessionRequest, ErrorKind, GetMemory, GetMemoryRequest, Learn, LearnRequest,
    LearnResponse, LearnStatus, SavePerception, SavePerceptionRequest, StartSession,
    StartSessionRequest, StoredMemory,
};
use robot_memory::model::{Level, Status};

fn learn(robot: &Robot, insight: &str, with: impl FnOnce(&mut LearnRequest)) -> LearnResponse {
    let mut request = LearnRequest { insight: insight.into(), ..Default::default() };
    with(&mut request);
    robot.call::<Learn>(request)
}

fn stored(robot: &Robot, id: i64) -> StoredMemory {
    robot.call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() })
}

/// Starts a session of an agent.
fn session_of(robot: &Robot, agent: &str) -> String {
    let request = StartSessionRequest { agent: agent.into(), ..Default::default() };
    robot.call::<StartSession>(request).session_id
}

#[test]
fn a_session_that_may_not_be_seen_takes_no_memories() {
    let robot = Robot::words_only();
    let of_skill = session_of(&robot, "skill_a");
    let of_planner = session_of(&robot, "planner");
    let ended = session_of(&robot, "planner");
    robot.end_session(&ended);
    let learn = |agent: &str, session_id: &str| {
        robot.engine.call::<Learn>(LearnRequest {
            insight: format!("{agent} went to {session_id}"),
            session_id: session_id.into(),
            agent: agent.into(),
            scope: "agent:skill_a".into(),
            mem_type: "task_log".into(),
            // Of a session that is seen it would be refused in other words.
            collection: "another".into(),
            ..Default::default()
        })
    };
    let save = |agent: &str, session_id: &str| {
        robot.engine.call::<SavePerception>(SavePerceptionRequest {
            description: format!("{agent} looked at {session_id}"),
            session_id: session_id.into(),
            agent: agent.into(),
            scope: "agent:skill_a".into(),
            mem_type: "task_log".into(),
            collection: "another".into(),
            ..Default::default()
        })
    };
    let missing = "00000000-0000-4000-8000-000000000000".to_owned();
    for session_id in [&of_planner, &ended, &missing] {
        let refusals =
            [learn("skill_a", session_id).unwrap_err(), save("skill_a", session_id).unwrap_err()];
        for error in refusals {
            assert_eq!(error.kind, ErrorKind::InvalidState, "{error}");
            assert_eq!(error.message, format!("session_id: there is no session {session_id}"));
        }
    }
    for error in [learn("skill_a", &of_skill).unwrap_err(), save("skill_a", &of_skill).unwrap_err()]
    {
        assert_eq!(error.kind, ErrorKind::InvalidArgument, "its own is seen: {error}");
    }
}

#[test]
fn merging_keeps_apart_what_disagrees() {
    for (one, other) in [
        (
            "prefer the suction gripper for the small cups",
            "prefer the parallel gripper for the small cups",
        ),
        ("以后优先用吸盘抓玻璃杯子", "以后优先用夹爪抓玻璃杯子"),
    ] {
        let robot = Robot::words_only();
        let session = robot.start_session();
        let say = |insight: &str, level: &str| {
            learn(&robot, insight, |request| {
                request.session_id = session.clone();
                request.level = level.into();
            })
            .memory_id
        };
        // The newer one ends with the session, so that it does not stand for the older one.
        let lasting = say(one, "knowledge");
        let passing = say(other, "working");
        say("the floor of the hall is wet", "knowledge");
        robot.call::<EndSession>(EndSessionRequest {
            session_id: session,
            outcome_score: Some(1.0),
            ..Default::default()
        });
        for id in [lasting, passing] {
            assert_eq!(stored(&robot, id).memory.status, Status::Active, "{one}");
        }
    }
}

#[test]
fn merging_keeps_apart_what_is_of_another_level_or_class() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    let say = |insight: &str, level: &str, mem_type: &str| {
        learn(&robot, insight, |request| {
            request.session_id = session.clone();
            request.level = level.into();
            request.mem_type = mem_type.into();
        })
        .memory_id
    };
    let words = "the red cup stands on the shelf";
    let lasting = [
        say(&format!("{words} in the kitchen"), "knowledge", "fact"),
        say(&format!("{words} in the lab corner"), "knowledge", "knowledge"),
    ];
    robot.sleep_days(0.1);
    let passing = [
        say(&format!("{words} of the storage"), "working", "fact"),
        say(&format!("{words} near the big window"), "working", "fact"),
    ];
    let ended = robot.end_session(&session);
    for id in lasting {
        assert_eq!(stored(&robot, id).memory.status, Status::Active, "{id}");
    }
    for id in passing {
        assert_ne!(stored(&robot, id).memory.status, Status::Active, "{id}");
    }
    assert_eq!(ended.superseded_count, 1, "the test merges what may be");
}

#[test]
fn what_ends_with_a_session_is_no_duplicate_of_what_lasts() {
    let words = "the red cup stands on the shelf in the kitchen";
    for insight in [words, "the red cup stands on the shelf in the big kitchen"] {
        let robot = Robot::words_only();
        let session = robot.start_session();
        let note = |words: &str| {
            learn(&robot, words, |request| {
                request.session_id = session.clone();
                request.level = "working".into();
            })
        };
        note(words);
        assert_eq!(note(insight).status, LearnStatus::Duplicate, "of the same session");
        let lasting = learn(&robot, insight, |_| {});
        assert_eq!(lasting.status, LearnStatus::Created, "{insight}");
        assert_eq!(note(insight).status, LearnStatus::Duplicate, "what lasts says it already");
        robot.end_session(&session);
        let found = robot.recall("red cup on the shelf");
        assert_eq!(ids(&found), [lasting.memory_id]);
        let core = learn(&robot, insight, |request| request.level = "core".into());
        assert_eq!(core.status, LearnStatus::Created, "{insight}");
        assert_eq!(stored(&robot, core.memory_id).memory.level, Level::Core);
    }
}

#[test]
fn who_may_not_write_a_row_does_not_make_it_believed_again() {
    let policy =
        "agents:\n  - {names: [a], read: all, write: [{scope: global, mem_types: lesson}]}\n";
    let robot = Robot::with(|config| config.access = Some(policy.into()));
    let insight = "the cup is red";
    let id = learn(&robot, insight, |_| {}).memory_id;
    let session = robot.start_session();
    robot.sleep_days(30.0);
    robot.end_session(&session);
    let faded = robot.confidence(id);
    let say = |agent: &str, mem_type: &str| {
        learn(&robot, insight, |request| {
            request.agent = agent.into();
            request.mem_type = mem_type.into();
        })
    };
    let said = say("a", "lesson");
    assert_eq!((said.existing_id, said.confidence), (id, faded));
    assert_eq!(robot.confidence(id), faded);
    assert!(say("", "").confidence > faded);
    assert!(robot.confidence(id) > faded);
}
