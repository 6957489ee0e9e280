//! Events that become memories.

use crate::robot::{Robot, START};
use robot_memory_core::api::{
    ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest, Recall, RecallRequest,
};
use robot_memory_core::model::{PerceptionType, Stamp};
use robot_memory_engine::{Recorded, Recording};
use robot_memory_perception::{Event, TriggerKind};

pub fn contact(key: &str, at: Stamp) -> Recording {
    Recording {
        event: Event {
            key: key.into(),
            event_id: "e1".into(),
            stamp: at,
            end: Stamp(at.0 + 3_000_000_000),
            stream: "wrist".into(),
            topic: "/wrist/wrench".into(),
            trigger: TriggerKind::Contact,
            perception_type: PerceptionType::Tactile,
            description: "contact on wrist force, peak 23.4 N at 1.2 s".into(),
            data: r#"{"series":[]}"#.into(),
            metadata: r#"{"topic":"/wrist/wrench"}"#.into(),
            context: r#"{"spatial":{"robot_position":[1.0,2.0,0.0],"frame":"map"}}"#.into(),
            importance: 0.6,
            collection: String::new(),
            signature: None,
            clip: Vec::new(),
        },
        sim_or_real: String::new(),
        session_id: None,
        clip: None,
        known_at: None,
    }
}

fn stored(robot: &Robot, recordings: Vec<Recording>) -> Vec<Recorded> {
    let answers = robot.engine.record(recordings).expect("the batch is stored");
    answers.into_iter().map(|answer| answer.expect("it is stored")).collect()
}

#[test]
fn an_event_is_a_perception_of_its_own_time() {
    let robot = Robot::new();
    let began = Stamp(START.0 - 5_000_000_000);
    let real = Recording { sim_or_real: "real".into(), ..contact("a", began) };
    assert_eq!(stored(&robot, vec![real]), [Recorded { memory_id: 1, is_first: true }]);
    let hit = &robot.recall("contact on the wrist").memories[0];
    assert_eq!(hit.memory.created_at, began);
    assert_eq!(hit.memory.perception_type, Some(PerceptionType::Tactile));
    assert_eq!(hit.memory.importance, 0.6);
    assert_eq!(hit.why.source_weight, 1.5);
    let nearest = robot.call::<Recall>(RecallRequest {
        context_filter: r#"{"spatial.frame":"map","env.sim_or_real":"real"}"#.into(),
        ..Default::default()
    });
    assert_eq!(nearest.total, 1);
}

#[test]
fn an_event_is_stored_once() {
    let robot = Robot::new();
    let twice = stored(&robot, vec![contact("a", START), contact("b", START), contact("a", START)]);
    let seen: Vec<_> =
        twice.iter().map(|recorded| (recorded.memory_id, recorded.is_first)).collect();
    assert_eq!(seen, [(1, true), (2, true), (1, false)]);
    let robot = robot.pull_the_plug();
    let again = stored(&robot, vec![contact("b", START), contact("c", START)]);
    let seen: Vec<_> =
        again.iter().map(|recorded| (recorded.memory_id, recorded.is_first)).collect();
    assert_eq!(seen, [(2, false), (3, true)]);
}

#[test]
fn what_was_forgotten_is_not_stored_again() {
    let robot = Robot::new();
    stored(&robot, vec![contact("a", START)]);
    robot.call::<Forget>(ForgetRequest {
        memory_id: 1,
        reason: "test".into(),
        ..Default::default()
    });
    assert_eq!(stored(&robot, vec![contact("a", START)])[0].memory_id, 1);
    assert_eq!(robot.recall("contact").total, 0);
}

#[test]
fn an_event_belongs_to_the_session_that_is_open_while_it_happens() {
    let robot = Robot::new();
    let before = contact("a", Stamp(START.0 - 60_000_000_000));
    let session = robot.start_session();
    let during = contact("b", START);
    let given = Recording { session_id: Some(String::new()), ..contact("c", START) };
    stored(&robot, vec![before, during, given]);
    robot.end_session(&session);
    stored(&robot, vec![contact("d", START)]);
    let session_of = |memory_id| {
        let request = GetMemoryRequest { memory_id, ..Default::default() };
        let stored = robot.engine.call::<GetMemory>(request).expect("it is there");
        stored.memory.session_id
    };
    assert_eq!(
        [1, 2, 3, 4].map(session_of),
        [String::new(), session, String::new(), String::new()]
    );
}

#[test]
fn what_is_told_of_long_after_fades_from_then_on() {
    let robot = Robot::new();
    let long_ago = START.plus_days(-400.0);
    let told_now = Recording { known_at: Some(START), ..contact("a", long_ago) };
    stored(&robot, vec![told_now, contact("b", long_ago)]);
    // Not recalled before, which would begin the fading anew.
    robot.sleep_days(2.0);
    let session = robot.start_session();
    robot.end_session(&session);
    let (told_now, told_then) = (robot.confidence(1), robot.confidence(2));
    assert!((told_now - 0.85 * 0.99_f64.powi(2)).abs() < 1e-9, "{told_now}");
    assert!(told_then < 0.05, "{told_then}");
}

#[test]
fn a_refused_event_leaves_the_others() {
    let robot = Robot::new();
    let mut bad = contact("a", START);
    bad.event.metadata = "[]".into();
    let answers = robot.engine.record(vec![bad, contact("b", START)]).expect("the batch is stored");
    let refused = answers[0].as_ref().expect_err("metadata must be an object");
    assert_eq!(refused.kind, ErrorKind::InvalidArgument);
    assert_eq!(answers[1], Ok(Recorded { memory_id: 1, is_first: true }));
}
