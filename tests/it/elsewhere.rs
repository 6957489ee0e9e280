//! An answer that leaves out collections with better hits says so.

use crate::robot::Robot;
use robot_memory_core::api::{Learn, LearnRequest, Recall, RecallRequest};

fn learn(robot: &Robot, collection: &str, insight: &str, scope: &str) {
    let request = LearnRequest {
        insight: insight.into(),
        collection: collection.into(),
        scope: scope.into(),
        ..Default::default()
    };
    robot.call::<Learn>(request);
}

fn better(robot: &Robot, query: &str, with: impl FnOnce(&mut RecallRequest)) -> Vec<String> {
    let mut request = RecallRequest { query: query.into(), ..Default::default() };
    with(&mut request);
    robot.call::<Recall>(request).better_collections
}

#[test]
fn collections_that_hold_a_better_hit_are_named_best_first() {
    for robot in [Robot::new(), Robot::words_only()] {
        learn(&robot, "", "The kettle stands beside the sink", "");
        learn(&robot, "garage", "The torque wrench hangs on hook 7", "");
        learn(&robot, "yard", "A wrench lies somewhere", "");
        learn(&robot, "secret", "The torque wrench hangs on hook 9", "dm");
        let query = "torque wrench hook";
        let named = better(&robot, query, |_| {});
        assert!(named.contains(&"garage".to_owned()), "{named:?}");
        assert!(!named.contains(&"default".to_owned()), "{named:?}");
        let both = |request: &mut RecallRequest| request.collections = vec!["*".into()];
        assert_eq!(better(&robot, query, both), [""; 0], "all were looked into");
        assert_eq!(better(&robot, query, |r| r.collection = "garage".into()), ["secret"; 0]);
        assert_eq!(better(&robot, "kettle beside the sink", |_| {}), [""; 0], "it is here");
        // What the caller does not see is not named.
        let guest = |request: &mut RecallRequest| {
            request.agent = "guest".into();
            request.collection = "yard".into();
        };
        assert_eq!(better(&robot, query, guest), ["garage"]);
        let without = |request: &mut RecallRequest| {
            request.context_filter = r#"{"task.name": "insert"}"#.into();
        };
        assert_eq!(better(&robot, query, without), [""; 0], "filters hold there, too");
        assert_eq!(
            better(&robot, "", |r| r.since = Some(robot_memory_core::model::Stamp(1))),
            [""; 0]
        );
    }
}

#[test]
fn an_answer_that_fits_well_names_no_other_collection() {
    for robot in [Robot::new(), Robot::words_only()] {
        learn(&robot, "", "The torque wrench hangs on the third hook", "");
        learn(&robot, "garage", "torque wrench hook", "");
        assert_eq!(better(&robot, "torque wrench hook", |_| {}), [""; 0], "it is here");
        learn(&robot, "garage", "torque pliers shelf", "");
        assert_eq!(better(&robot, "torque pliers shelf", |_| {}), ["garage"]);
    }
}

#[test]
fn other_spellings_of_session_and_turn_are_taken() {
    use robot_memory_core::model::{JobScope, Scope, ScopeOrder};
    let cases = [("chat:a", Scope::Session("a".into())), ("floor:b", Scope::Turn("b".into()))];
    for (text, scope) in cases {
        assert_eq!(Scope::parse(text), Ok(scope.clone()));
        let (kind, id) = text.split_once(':').expect("two parts");
        assert_eq!(JobScope::parse(kind, id), Ok(JobScope::Of(scope)));
    }
    let order = ScopeOrder::spelled("last_processed_floor_no");
    assert_eq!(order, Some(ScopeOrder::LastProcessedTurnNo));
    // As a writer of its own scope, by the names of the sources.
    let robot = Robot::new();
    for agent in ["writer", "creator"] {
        let request = LearnRequest {
            insight: format!("{agent} opens the lid with the left hand"),
            agent: agent.into(),
            scope: format!("agent:{agent}"),
            mem_type: "procedure".into(),
            ..Default::default()
        };
        robot.call::<Learn>(request);
    }
}
