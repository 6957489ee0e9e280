//! Lessons of attempts: a hypothesis, tested, demoted, pinned, rejected; changes; procedures.

use crate::cli::memory;
use crate::robot::Robot;
use robot_memory_core::api::{
    BeginAttempt, BeginAttemptRequest, Brief, BriefRequest, BriefResponse, DeleteMemory,
    DeleteMemoryRequest, EndAttempt, EndAttemptRequest, ErrorKind, Forget, ForgetRequest,
    GetMemory, GetMemoryRequest, JudgeLesson, JudgeLessonRequest, Learn, LearnRequest, Lesson,
    LessonJudgment, LessonState, Nearness, Recall, RecallRequest, Side,
};
use robot_memory_core::model::LedgerChange;
use serde_json::{Value, json};

fn attempt(robot: &Robot, object: &str, params: &Value, is_success: bool) -> i64 {
    let attempt_id = robot
        .call::<BeginAttempt>(BeginAttemptRequest {
            task: "grip".into(),
            object: object.into(),
            params: params.to_string(),
            ..Default::default()
        })
        .attempt_id;
    robot.call::<EndAttempt>(EndAttemptRequest {
        attempt_id,
        outcome: if is_success { "success" } else { "failure" }.into(),
        ..Default::default()
    });
    attempt_id
}

/// Tries forces one after the other; up to a force it works.
fn try_forces(robot: &Robot, object: &str, forces_n: &[f64], works_to_n: f64) {
    for force_n in forces_n {
        attempt(robot, object, &json!({"force_n": force_n}), *force_n <= works_to_n);
    }
}

fn brief(robot: &Robot, object: &str) -> BriefResponse {
    let object = object.into();
    robot.call::<Brief>(BriefRequest { task: "grip".into(), object, ..Default::default() })
}

fn the_lesson(robot: &Robot, object: &str) -> Lesson {
    let [lesson] = <[Lesson; 1]>::try_from(brief(robot, object).lessons).expect("one lesson");
    lesson
}

const FIRST: &[f64] = &[8.0, 14.0, 9.0, 15.0, 10.0, 16.0, 11.0, 14.5, 12.0, 15.5, 9.5, 16.5];
const LATER: &[f64] = &[10.5, 14.2, 11.5, 9.2, 12.2, 15.2, 8.5, 10.2];

#[test]
fn a_hypothesis_is_tested_by_later_attempts_and_demoted_by_others() {
    let robot = Robot::words_only();
    try_forces(&robot, "glass cup", FIRST, 13.0);
    let lesson = the_lesson(&robot, "glass cup");
    assert_eq!((lesson.state, lesson.side), (LessonState::Hypothesis, Side::Above));
    assert_eq!((lesson.path.as_str(), lesson.unit.as_str()), ("params.force", "N"));
    assert!((12.0..14.0).contains(&lesson.bound), "{lesson:?}");
    assert_eq!((lesson.beyond_failure_count, lesson.beyond_count), (6, 6));
    assert!(lesson.sentence_en.contains("force above 13 N fails (hypothesis"), "{lesson:?}");

    try_forces(&robot, "glass cup", LATER, 13.0);
    let tested = the_lesson(&robot, "glass cup");
    assert_eq!(tested.state, LessonState::Tested, "{tested:?}");
    assert!(tested.confirmed_count >= 6 && tested.refuted_count == 0, "{tested:?}");
    assert!(tested.sentence_zh.contains("已验证"), "{tested:?}");
    let answer = brief(&robot, "玻璃杯");
    assert!(answer.sentence_en.contains("force above 13.1 N fails"), "{}", answer.sentence_en);

    // A better gripper: what broke now holds.
    try_forces(&robot, "glass cup", &[14.0, 15.0, 14.5, 15.5, 16.0], 20.0);
    let lessons = brief(&robot, "glass cup").lessons;
    assert!(lessons.iter().any(|it| it.state == LessonState::Demoted), "{lessons:?}");
    assert!(lessons.iter().all(|it| it.state != LessonState::Tested), "{lessons:?}");
}

#[test]
fn a_lesson_is_a_memory_with_its_history() {
    let robot = Robot::words_only();
    try_forces(&robot, "glass cup", FIRST, 13.0);
    robot.engine.upkeep().expect("upkeep");
    let id = the_lesson(&robot, "glass cup").lesson_id;
    assert!(id > 0);
    try_forces(&robot, "glass cup", LATER, 13.0);
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(the_lesson(&robot, "glass cup").lesson_id, id);
    let recalled = robot.call::<Recall>(RecallRequest {
        query: "force that fails on the glass cup".into(),
        ..Default::default()
    });
    let lesson = recalled.memories.iter().find(|it| it.memory.id == id).expect("it is recalled");
    assert_eq!(lesson.memory.content, "grip glass cup: force above 13.1 N fails (tested)");
    let shown = robot.call::<GetMemory>(GetMemoryRequest { memory_id: id, ..Default::default() });
    let steps: Vec<_> = shown
        .ledger
        .iter()
        .filter(|it| it.change == LedgerChange::Tested)
        .map(|it| (it.value_before.as_str(), it.value_after.as_str()))
        .collect();
    assert_eq!(steps, [("", "hypothesis"), ("hypothesis", "tested")]);
}

#[test]
fn an_archived_attempt_that_is_forgotten_counts_no_more() {
    let robot = Robot::words_only();
    let ids: Vec<i64> = (0..4)
        .map(|number| attempt(&robot, "glass cup", &json!({"force_n": number}), number < 3))
        .collect();
    rusqlite::Connection::open(robot.store_path())
        .expect("the file opens")
        .execute("UPDATE memory SET status = 'archived' WHERE id = ?1", [ids[3]])
        .expect("it is archived");
    let robot = robot.restart();
    let counted = |robot: &Robot| {
        let attempts = brief(robot, "glass cup").attempts.remove(0);
        (attempts.success_count, attempts.failure_count)
    };
    assert_eq!(counted(&robot), (3, 1));
    robot.call::<Forget>(ForgetRequest {
        memory_id: ids[3],
        reason: "the gripper was miscalibrated".into(),
        ..Default::default()
    });
    assert_eq!(counted(&robot), (3, 0));
    let robot = robot.restart();
    assert_eq!(counted(&robot), (3, 0));
}

#[test]
fn a_lesson_survives_the_end_of_the_node_and_follows_its_attempts() {
    let robot = Robot::words_only();
    try_forces(&robot, "glass cup", FIRST, 13.0);
    robot.engine.upkeep().expect("upkeep");
    let before = the_lesson(&robot, "glass cup");
    let robot = robot.restart();
    assert_eq!(the_lesson(&robot, "glass cup"), before);
    for id in &before.failure_ids {
        let request =
            ForgetRequest { memory_id: *id, reason: "wrong".into(), ..Default::default() };
        robot.call::<Forget>(request);
    }
    assert!(brief(&robot, "glass cup").lessons.is_empty());
    robot.engine.upkeep().expect("upkeep");
    let (kind, _) = robot.refused::<GetMemory>(GetMemoryRequest {
        memory_id: before.lesson_id,
        ..Default::default()
    });
    assert_eq!(kind, ErrorKind::NotFound);
}

#[test]
fn a_person_pins_or_rejects_a_lesson() {
    let robot = Robot::words_only();
    try_forces(&robot, "glass cup", FIRST, 13.0);
    robot.engine.upkeep().expect("upkeep");
    let lesson_id = the_lesson(&robot, "glass cup").lesson_id;
    let judge = |judgment: &str| JudgeLessonRequest {
        lesson_id,
        judgment: judgment.into(),
        reason: "checked by hand".into(),
        ..Default::default()
    };
    let judged = robot.call::<JudgeLesson>(judge("rejected"));
    assert_eq!(judged.judgment, Some(LessonJudgment::Rejected));
    let rejected = the_lesson(&robot, "glass cup");
    assert_eq!(rejected.judgment, Some(LessonJudgment::Rejected));
    assert!(!brief(&robot, "glass cup").sentence_en.contains("fails"));
    robot.call::<JudgeLesson>(judge("pinned"));
    // Contradicted, it stays what a person says; its state says what attempts do.
    try_forces(&robot, "glass cup", &[14.0, 15.0, 14.5, 15.5, 16.0], 20.0);
    robot.engine.upkeep().expect("upkeep");
    let pinned = the_lesson(&robot, "glass cup");
    assert_eq!(
        (pinned.judgment, pinned.state, pinned.bound),
        (Some(LessonJudgment::Pinned), LessonState::Demoted, rejected.bound)
    );
    assert!(brief(&robot, "glass cup").sentence_en.contains("force above 13 N fails"));
    let shown =
        robot.call::<GetMemory>(GetMemoryRequest { memory_id: lesson_id, ..Default::default() });
    let content = &shown.memory.content;
    assert!(content.ends_with("(pinned against later attempts)"), "{content}");
    let judged: Vec<_> = shown
        .ledger
        .iter()
        .filter(|it| it.change == LedgerChange::Judged)
        .map(|it| (it.value_before.as_str(), it.value_after.as_str(), it.cause.as_str()))
        .collect();
    let because = "checked by hand";
    assert_eq!(judged, [("", "rejected", because), ("rejected", "pinned", because)]);
    // Taken back, it is what attempts say.
    robot.call::<JudgeLesson>(judge(""));
    let free = the_lesson(&robot, "glass cup");
    assert_eq!((free.judgment, free.state), (None, LessonState::Demoted));
    let shown =
        robot.call::<GetMemory>(GetMemoryRequest { memory_id: lesson_id, ..Default::default() });
    assert!(shown.memory.content.ends_with("(no longer holds)"), "{}", shown.memory.content);

    let learned = robot
        .call::<Learn>(LearnRequest { insight: "cups are fragile".into(), ..Default::default() });
    let other = JudgeLessonRequest { lesson_id: learned.memory_id, ..judge("pinned") };
    assert_eq!(robot.refused::<JudgeLesson>(other).0, ErrorKind::InvalidState);
    let (kind, message) = robot.refused::<JudgeLesson>(judge("loved"));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.contains("pinned, rejected"), "{message}");
    let nobody = JudgeLessonRequest { agent: "stranger".into(), ..judge("pinned") };
    assert_ne!(robot.refused::<JudgeLesson>(nobody).0, ErrorKind::InvalidArgument);
}

#[test]
fn outcomes_by_chance_teach_nothing() {
    let robot = Robot::words_only();
    for place in 0_i32..40 {
        let force_n = 5.0 + f64::from(place * 7 % 40) / 4.0;
        attempt(&robot, "glass cup", &json!({"force_n": force_n}), place * 11 % 3 > 0);
    }
    assert_eq!(brief(&robot, "glass cup").lessons, []);
}

#[test]
fn what_many_of_a_kind_teach_is_said_of_the_kind() {
    let robot = Robot::words_only();
    let (first, second) = FIRST.split_at(6);
    try_forces(&robot, "red glass cup", first, 13.0);
    try_forces(&robot, "blue glass cup", second, 13.0);
    let lesson = the_lesson(&robot, "green glass cup");
    assert_eq!((lesson.nearness, lesson.lesson_id), (Nearness::Kind, 0));
}

#[test]
fn a_change_is_reported_and_what_was_before_it_is_marked() {
    let robot = Robot::words_only();
    for place in 0..12 {
        attempt(&robot, "drawer", &json!({"force_n": 8.0 + f64::from(place % 3) / 10.0}), true);
    }
    let mut after = Vec::new();
    for _ in 0..3 {
        after.push(attempt(&robot, "drawer", &json!({"force_n": 8.1}), false));
    }
    for place in 0..8 {
        let force_n = 9.5 + f64::from(place % 2) / 10.0;
        after.push(attempt(&robot, "drawer", &json!({"force_n": force_n}), true));
    }
    let answer = brief(&robot, "drawer");
    let [change] = &*answer.changes else { panic!("{:?}", answer.changes) };
    assert_eq!(change.attempt_id, after[0]);
    assert_eq!((change.before_range[2], change.after_range[2]), (8.1, 9.55));
    assert!(change.sentence_en.contains("since then 9.55 N"), "{}", change.sentence_en);
    let all = robot.call::<Brief>(BriefRequest {
        task: "grip".into(),
        object: "drawer".into(),
        n: 100,
        ..Default::default()
    });
    assert_eq!(all.similar.len(), 23);
    assert!(all.similar.iter().all(|it| it.is_outdated != after.contains(&it.attempt_id)));
}

fn stepped(robot: &Robot, object: &str, steps: &Value, outcome: &str) -> i64 {
    let attempt_id = robot
        .call::<BeginAttempt>(BeginAttemptRequest {
            task: "open".into(),
            object: object.into(),
            ..Default::default()
        })
        .attempt_id;
    robot.call::<EndAttempt>(EndAttemptRequest {
        attempt_id,
        outcome: outcome.into(),
        steps: steps.to_string(),
        ..Default::default()
    });
    attempt_id
}

#[test]
fn the_best_procedure_is_the_one_that_worked_most_surely() {
    let robot = Robot::words_only();
    let lucky = json!([{"name": "pull", "anchor": "handle"}]);
    let pose = json!({"position_m": [0.0, 0.1, 0.02]});
    let best = json!([
        {"name": "lift", "anchor": "handle", "pose": pose, "duration_secs": 0.4},
        {"name": "pull", "anchor": "handle", "params": {"force_n": 12}},
    ]);
    stepped(&robot, "sticky drawer", &json!([{"name": "push"}]), "failure");
    stepped(&robot, "sticky drawer", &lucky, "success");
    let ids: Vec<i64> = (0..10)
        .map(|place| {
            let outcome = if place == 4 { "failure" } else { "success" };
            stepped(&robot, "sticky drawer", &best, outcome)
        })
        .collect();
    let ask = |object: &str| {
        let object = object.into();
        robot.call::<Brief>(BriefRequest { task: "open".into(), object, ..Default::default() })
    };
    let procedures = ask("sticky drawer").procedures;
    assert_eq!(procedures.len(), 2);
    assert_eq!(serde_json::from_str::<Value>(&procedures[0].steps).expect("JSON"), best);
    assert_eq!((procedures[0].success_count, procedures[0].failure_count), (9, 1));
    assert_eq!(procedures[0].failure_ids, [ids[4]]);
    assert!(ask("window").procedures.is_empty());
}

#[test]
fn a_step_that_is_none_is_refused() {
    let robot = Robot::words_only();
    for (steps, named) in [
        (json!({"name": "lift"}), "steps: must be a JSON array"),
        (json!(["lift"]), "steps[0]: must be a JSON object"),
        (json!([{"anchor": "handle"}]), "steps[0].name"),
        (
            json!([{"name": "lift"}, {"name": "pull", "pose": {"position_m": [0, 0, 0]}}]),
            "steps[1].pose: needs the anchor",
        ),
        (json!([{"name": "lift", "anchor": "h", "pose": {"position_m": [0, 0]}}]), "steps[0].pose"),
        (json!([{"name": "lift", "speed": 3}]), "steps[0]: has no field \"speed\""),
        (json!([{"name": "lift", "duration_secs": -1}]), "steps[0].duration_secs"),
        (json!([{"name": "lift", "verdict": "fine"}]), "steps[0].verdict"),
        (json!(vec![json!({"name": "lift"}); 65]), "steps: at most 64, got 65"),
    ] {
        let attempt_id = robot
            .call::<BeginAttempt>(BeginAttemptRequest { task: "open".into(), ..Default::default() })
            .attempt_id;
        let (kind, message) = robot.refused::<EndAttempt>(EndAttemptRequest {
            attempt_id,
            outcome: "success".into(),
            steps: steps.to_string(),
            ..Default::default()
        });
        assert_eq!(kind, ErrorKind::InvalidArgument);
        assert!(message.starts_with(named), "{message}");
    }
}

#[test]
fn contradictions_about_the_object_are_named() {
    let robot = Robot::words_only();
    let say = |insight: &str, trust: &str| {
        let (insight, trust) = (insight.into(), trust.into());
        robot.call::<Learn>(LearnRequest { insight, trust, ..Default::default() }).memory_id
    };
    let older = say("The glass cup weighs 200 g", "high");
    let newer = say("The glass cup weighs 250 g", "low");
    say("The red box weighs 3 kg", "high");
    attempt(&robot, "glass cup", &json!({"force_n": 8}), true);
    let contradictions = brief(&robot, "玻璃杯").contradictions;
    let ids: Vec<_> = contradictions.iter().map(|it| (it.memory_id, it.other_id)).collect();
    assert_eq!(ids, [(older, newer)], "{contradictions:?}");
    assert!(brief(&robot, "red box").contradictions.is_empty());
}

#[test]
fn the_command_line_briefs() {
    let robot = Robot::words_only();
    try_forces(&robot, "glass cup", FIRST, 13.0);
    stepped(&robot, "glass cup", &json!([{"name": "lift"}]), "success");
    robot.engine.close().expect("it closes");
    let answer = memory(&robot.store_path(), &["brief", "grip", "玻璃杯"]);
    let text = answer.text();
    assert!(text.contains("object: 6 of 12 succeeded (95 % interval 25 to 75 %)"), "{text}");
    assert!(text.contains("force above 13 N fails (hypothesis"), "{text}");
    assert!(text.contains("params.force"), "{text}");
    let shown = memory(&robot.store_path(), &["brief", "open", "glass cup", "--json"]).json();
    assert_eq!(shown["procedures"][0]["success_count"], 1);
    let answer = memory(&robot.store_path(), &["brief", "grip", "hammer"]);
    let text = answer.text();
    assert!(text.contains("nothing is known"), "{text}");
}

#[test]
fn a_lesson_whose_attempts_went_while_nobody_looked_goes_at_the_next_start() {
    let robot = Robot::words_only();
    try_forces(&robot, "glass cup", FIRST, 13.0);
    robot.engine.upkeep().expect("upkeep");
    let lesson = the_lesson(&robot, "glass cup");
    let robot = robot.restart();
    for memory_id in 1..=FIRST.len() as i64 {
        robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id, ..Default::default() });
    }
    let robot = robot.restart();
    robot.engine.upkeep().expect("upkeep");
    let gone = GetMemoryRequest { memory_id: lesson.lesson_id, ..Default::default() };
    assert_eq!(robot.refused::<GetMemory>(gone).0, ErrorKind::NotFound);
}

#[test]
fn a_lesson_of_a_simulation_says_so() {
    let robot = Robot::words_only();
    for force_n in FIRST {
        let attempt_id = robot
            .call::<BeginAttempt>(BeginAttemptRequest {
                task: "dock".into(),
                params: json!({"force_n": force_n}).to_string(),
                context: json!({"env": {"sim_or_real": "sim"}}).to_string(),
                ..Default::default()
            })
            .attempt_id;
        let outcome = if *force_n < 13.0 { "success" } else { "failure" }.to_owned();
        robot.call::<EndAttempt>(EndAttemptRequest { attempt_id, outcome, ..Default::default() });
    }
    robot.engine.upkeep().expect("upkeep");
    // A task without an object has lessons, too, and they can be judged.
    let brief = || {
        let answer =
            robot.call::<Brief>(BriefRequest { task: "dock".into(), ..Default::default() });
        <[Lesson; 1]>::try_from(answer.lessons).expect("one lesson")[0].clone()
    };
    let memory_id = brief().lesson_id;
    let memory =
        robot.call::<GetMemory>(GetMemoryRequest { memory_id, ..Default::default() }).memory;
    assert!(memory.context.contains(r#""sim_or_real":"sim""#), "{}", memory.context);
    let reject = ForgetRequest { memory_id, reason: "another dock".into(), ..Default::default() };
    robot.call::<Forget>(reject);
    assert_eq!(brief().judgment, Some(LessonJudgment::Rejected));
}
