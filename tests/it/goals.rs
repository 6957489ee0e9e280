//! Goals of actions as attempts: each once, whatever is told again, also over the end of the node.

use crate::robot::{DIMENSION, Robot, START};
use robot_memory_core::api::{
    EndAttempt, EndAttemptRequest, ErrorKind, Forget, ForgetRequest, GetMemory, GetMemoryRequest,
    Update, UpdateRequest, Verdict,
};
use robot_memory_core::limits::REASON_CHARS_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_embedding::{EmbedError, Embedder, HashedEmbedder};
use robot_memory_engine::{Engine, Goal, GoalEnd};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn goal(number: u8) -> Goal {
    Goal {
        action: "/arm/pick_cup".into(),
        type_name: "my_msgs/action/Pick".into(),
        goal_id: format!("{number:032x}"),
        began_at: Stamp(START.0 - 2_000_000_000),
        spatial: json!({"robot_position": [1.0, 2.0, 0.0], "frame": "map"}).to_string(),
        sim_or_real: "real".into(),
    }
}

fn end(attempt_id: i64, verdict: Verdict) -> GoalEnd {
    GoalEnd {
        attempt_id,
        verdict,
        reason: String::new(),
        measured: String::new(),
        ended_at: Some(START),
    }
}

fn context_of(robot: &Robot, id: i64) -> Value {
    let stored = robot.call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() });
    serde_json::from_str(&stored.memory.context).expect("JSON")
}

#[test]
fn a_goal_is_one_attempt_however_often_it_is_told_of() {
    let robot = Robot::words_only();
    let first = robot.engine.begin_goal(&goal(1)).expect("it is stored");
    assert!(first.is_first && first.is_open);
    // The robot is elsewhere when it is told of again.
    let elsewhere = Goal { spatial: String::new(), began_at: START, ..goal(1) };
    let again = robot.engine.begin_goal(&elsewhere).expect("it is known");
    assert_eq!((again.attempt_id, again.is_first, again.is_open), (first.attempt_id, false, true));
    let measured = json!({"error_code": 7}).to_string();
    let reason = "x".repeat(1_000);
    let failed = GoalEnd { measured, reason, ..end(first.attempt_id, Verdict::Failure) };
    assert_eq!(robot.engine.end_goal(failed), Ok(true));
    assert_eq!(robot.engine.end_goal(end(first.attempt_id, Verdict::Success)), Ok(false));
    let ended = robot.engine.begin_goal(&goal(1)).expect("it is known");
    assert!(!ended.is_first && !ended.is_open);
    let context = context_of(&robot, first.attempt_id);
    let task = &context["task"];
    let expected =
        json!(["pick_cup", "/arm/pick_cup", "my_msgs/action/Pick", "failure", false, 2.0]);
    let fields = ["name", "action", "action_type", "outcome", "success", "duration_secs"];
    assert_eq!(Value::from_iter(fields.map(|field| task[field].clone())), expected);
    assert_eq!(task["reason"].as_str().map(str::len), Some(REASON_CHARS_MAX));
    assert_eq!(
        (&context["measured"]["error_code"], &context["env"]["sim_or_real"]),
        (&json!(7), &json!("real"))
    );
    assert_eq!(context["spatial"]["frame"], "map");
    assert_ne!(robot.engine.begin_goal(&goal(2)).expect("another").attempt_id, first.attempt_id);
}

#[test]
fn a_goal_needs_no_agent() {
    let robot = Robot::with(|config| config.require_agent = true);
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    assert_eq!(robot.engine.interrupt_goal(id, "gone"), Ok(true));
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Success)), Ok(true));
}

#[test]
fn a_goal_outlives_the_node() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    let robot = robot.restart();
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(context_of(&robot, id)["task"]["outcome"], "interrupted");
    let known = robot.engine.begin_goal(&goal(1)).expect("it is known");
    assert_eq!((known.attempt_id, known.is_first, known.is_open), (id, false, true));
    let late = GoalEnd { ended_at: None, ..end(id, Verdict::Success) };
    assert_eq!(robot.engine.end_goal(late), Ok(true));
    let context = context_of(&robot, id);
    assert_eq!(
        (&context["task"]["success"], &context["task"]["duration_secs"]),
        (&json!(true), &Value::Null)
    );
}

/// An embedder that lets something happen, once, while it is asked for the vector of a text with a word.
struct InterferingEmbedder {
    inner: HashedEmbedder,
    word: &'static str,
    interfere: Mutex<Option<Interference>>,
}

type Interference = Box<dyn FnOnce() + Send>;

impl Embedder for InterferingEmbedder {
    fn model_id(&self) -> &str {
        self.inner.model_id()
    }

    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        if text.contains(self.word) {
            let interfere = self.interfere.lock().expect("nothing panics").take();
            interfere.into_iter().for_each(|it| it());
        }
        self.inner.embed(text)
    }
}

/// Lets something happen to an engine, once, while it makes the vector of a text with a word.
fn while_embedding(
    robot: &Robot,
    word: &'static str,
    interfere: impl FnOnce(&Engine) + Send + 'static,
) {
    let engine = Arc::downgrade(&robot.engine);
    let interfere = move || interfere(&engine.upgrade().expect("the engine is there"));
    let embedder = InterferingEmbedder {
        inner: HashedEmbedder::new(DIMENSION),
        word,
        interfere: Mutex::new(Some(Box::new(interfere))),
    };
    robot.engine.set_embedder(Ok(Some(Arc::new(embedder)))).expect("it is taken");
}

#[test]
fn a_goal_that_ends_while_it_is_being_marked_has_ended() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    let other = robot.engine.begin_goal(&goal(2)).expect("it is stored").attempt_id;
    let robot = robot.restart();
    while_embedding(&robot, "interrupted", move |engine| {
        engine.end_goal(end(id, Verdict::Success)).expect("its end is stored");
    });
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(context_of(&robot, id)["task"]["outcome"], "success");
    assert_eq!(context_of(&robot, other)["task"]["outcome"], "interrupted");
}

/// What a caller writes into an attempt stays, whatever is being made of the attempt meanwhile.
#[test]
fn an_update_is_not_overwritten_by_an_end_or_a_mark_that_had_read_before() {
    let begun = |robot: &Robot| {
        let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
        let mut context = context_of(robot, id);
        context["checked_by"] = json!("Ada");
        let update = UpdateRequest {
            memory_id: id,
            new_content: "pick_cup, which Ada looks at".into(),
            context: context.to_string(),
            ..UpdateRequest::default()
        };
        (id, move |engine: &Engine| drop(engine.call::<Update>(update).expect("it is stored")))
    };
    let assert_has_both = |robot: &Robot, id: i64, outcome: &str| {
        let context = context_of(robot, id);
        let has = (&context["checked_by"], &context["task"]["outcome"]);
        assert_eq!(has, (&json!("Ada"), &json!(outcome)));
    };

    let robot = Robot::words_only();
    let (id, update) = begun(&robot);
    while_embedding(&robot, "success", update);
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Success)), Ok(true));
    assert_has_both(&robot, id, "success");

    let robot = Robot::words_only();
    let (id, update) = begun(&robot);
    while_embedding(&robot, "failure", update);
    robot.call::<EndAttempt>(EndAttemptRequest {
        attempt_id: id,
        outcome: "failure".into(),
        ..EndAttemptRequest::default()
    });
    assert_has_both(&robot, id, "failure");

    let robot = Robot::words_only();
    let (id, update) = begun(&robot);
    let robot = robot.restart();
    while_embedding(&robot, "interrupted", update);
    robot.engine.upkeep().expect("upkeep");
    assert_has_both(&robot, id, "interrupted");
}

#[test]
fn an_interrupted_goal_can_come_back() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    assert_eq!(robot.engine.interrupt_goal(id, "the server is gone"), Ok(true));
    let task = &context_of(&robot, id)["task"];
    assert_eq!(
        (&task["outcome"], &task["reason"]),
        (&json!("interrupted"), &json!("the server is gone"))
    );
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Cancelled)), Ok(true));
    let task = &context_of(&robot, id)["task"];
    assert_eq!((&task["outcome"], &task["reason"]), (&json!("cancelled"), &Value::Null));
    assert_eq!(robot.engine.interrupt_goal(id, "again"), Ok(false));
}

#[test]
fn what_was_forgotten_or_may_not_be_stored_is_not_ended() {
    let robot = Robot::words_only();
    let id = robot.engine.begin_goal(&goal(1)).expect("it is stored").attempt_id;
    robot.call::<Forget>(ForgetRequest {
        memory_id: id,
        reason: "wrong".into(),
        ..Default::default()
    });
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Success)), Ok(false));
    assert_eq!(robot.engine.interrupt_goal(id, "gone"), Ok(false));
    let id = robot.engine.begin_goal(&goal(2)).expect("it is stored").attempt_id;
    let secret = "password: hunter2-Zx81".to_owned();
    let told = GoalEnd { reason: secret, ..end(id, Verdict::Failure) };
    assert_eq!(robot.engine.end_goal(told).expect_err("a secret").kind, ErrorKind::Refused);
    assert_eq!(robot.engine.end_goal(end(id, Verdict::Failure)), Ok(true));
}
