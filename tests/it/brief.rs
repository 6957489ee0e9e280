//! Brief: what is known of a task on an object.

use crate::robot::Robot;
use robot_memory_core::api::{
    BeginAttempt, BeginAttemptRequest, Brief, BriefRequest, BriefResponse, EndAttempt,
    EndAttemptRequest, ErrorKind, Forget, ForgetRequest, Learn, LearnRequest, Nearness,
};
use serde_json::json;

fn attempt(robot: &Robot, object: &str, force_n: f64, outcome: &str) -> i64 {
    let id = robot
        .call::<BeginAttempt>(BeginAttemptRequest {
            task: "grip".into(),
            object: object.into(),
            params: json!({"force_n": force_n}).to_string(),
            ..Default::default()
        })
        .attempt_id;
    let reason = if outcome == "failure" { "slipped" } else { "" };
    robot.call::<EndAttempt>(EndAttemptRequest {
        attempt_id: id,
        outcome: outcome.into(),
        reason: reason.into(),
        ..Default::default()
    });
    id
}

fn brief(robot: &Robot, object: &str) -> BriefResponse {
    robot.call::<Brief>(BriefRequest {
        task: "grip".into(),
        object: object.into(),
        ..Default::default()
    })
}

/// Of the red glass cup three attempts, of a blue one two, of a rubber duck one.
fn robot() -> (Robot, Vec<i64>) {
    let robot = Robot::words_only();
    let ids = vec![
        attempt(&robot, "red glass cup", 8.0, "success"),
        attempt(&robot, "red glass cup", 9.0, "success"),
        attempt(&robot, "red glass cup", 5.0, "failure"),
        attempt(&robot, "blue glass cup", 10.0, "success"),
        attempt(&robot, "blue glass cup", 6.0, "failure"),
        attempt(&robot, "rubber duck", 30.0, "success"),
    ];
    (robot, ids)
}

#[test]
fn what_worked_on_the_object_comes_first() {
    let (robot, ids) = robot();
    let answer = brief(&robot, "red glass cup");
    assert!(answer.is_known);
    assert_eq!(answer.nearness, Some(Nearness::Object));
    let counts: Vec<_> = answer
        .attempts
        .iter()
        .map(|it| (it.nearness, it.success_count, it.failure_count))
        .collect();
    assert_eq!(counts, [(Nearness::Object, 2, 1), (Nearness::Kind, 3, 2), (Nearness::Task, 4, 2)]);
    let own = &answer.attempts[0];
    assert_eq!(own.numbers.len(), 1);
    assert_eq!(own.numbers[0].unit, "N");
    assert_eq!(own.numbers[0].success_range, [8.0, 8.25, 8.5, 8.75, 9.0]);
    assert_eq!(own.numbers[0].failure_range, [5.0; 5]);
    assert_eq!((own.failures[0].reason.as_str(), own.failures[0].count), ("slipped", 1));
    assert_eq!((&*own.success_ids, &*own.failure_ids), (&[ids[1], ids[0]][..], &[ids[2]][..]));
    assert!(own.success_rate_interval[0] > 0.2 && own.success_rate_interval[1] < 0.95);
    let similar: Vec<_> = answer.similar.iter().map(|it| it.attempt_id).collect();
    assert_eq!(similar, [ids[2], ids[1], ids[0], ids[4], ids[3]]);
    assert!(
        answer
            .sentence_en
            .starts_with("grip red glass cup: 2 of 3 attempts succeeded; force 8 to 9 N worked"),
        "{}",
        answer.sentence_en
    );
    assert!(answer.sentence_zh.contains("3 次中成功 2 次"), "{}", answer.sentence_zh);
}

#[test]
fn what_a_briefing_gives_is_used() {
    let (robot, ids) = robot();
    robot.sleep_days(30.0);
    brief(&robot, "rubber duck");
    let session_id = robot.start_session();
    robot.end_session(&session_id);
    let (given, other) = (robot.confidence(ids[5]), robot.confidence(ids[3]));
    assert!(given > other * 1.2, "{given} against {other}");
}

#[test]
fn names_in_the_other_language_are_the_same_object() {
    let (robot, _) = robot();
    let answer = robot.call::<Brief>(BriefRequest {
        task: "抓取".into(),
        object: "红色玻璃杯".into(),
        ..Default::default()
    });
    assert_eq!(
        answer.attempts.first().map(|it| (it.nearness, it.success_count)),
        Some((Nearness::Object, 2)),
        "{answer:?}"
    );
}

#[test]
fn of_one_of_its_kind_the_kind_is_known() {
    let (robot, _) = robot();
    let answer = brief(&robot, "green glass cup");
    assert_eq!((answer.is_known, answer.nearness), (true, Some(Nearness::Kind)));
    assert_eq!(answer.attempts[0].objects, ["blue glass cup", "red glass cup"]);
    assert_eq!(answer.attempts[0].success_count, 3);
}

#[test]
fn of_what_was_never_met_nothing_is_known() {
    let (robot, _) = robot();
    for object in ["hammer", "steel cup", "plastic bottle", "台灯", "zorble", "rubber boot"] {
        let answer = brief(&robot, object);
        assert!(!answer.is_known, "{object}: {:?}", answer.attempts);
        assert_eq!(answer.nearness, Some(Nearness::Task), "{object}");
        assert!(answer.similar.is_empty(), "{object}");
        assert!(answer.sentence_en.contains("nothing is known"), "{}", answer.sentence_en);
    }
    let other =
        BriefRequest { task: "weld".into(), object: "red glass cup".into(), ..Default::default() };
    let answer = robot.call::<Brief>(other);
    assert_eq!((answer.is_known, answer.nearness, answer.attempts.len()), (false, None, 0));
}

#[test]
fn limits_in_force_are_those_of_check_action() {
    let (robot, _) = robot();
    let insight = "Never grip the glass cup with more than 12 N".into();
    robot.call::<Learn>(LearnRequest { insight, ..Default::default() });
    let answer = robot.call::<Brief>(BriefRequest {
        task: "grip".into(),
        object: "red glass cup".into(),
        params: json!({"force_n": 15}).to_string(),
        ..Default::default()
    });
    assert!(!answer.allowed);
    assert_eq!(answer.violations.len(), 1);
    assert!(answer.sentence_en.contains("NOT allowed"), "{}", answer.sentence_en);
}

#[test]
fn attempts_that_change_are_followed() {
    let (robot, ids) = robot();
    assert_eq!(brief(&robot, "rubber duck").attempts[0].success_count, 1);
    attempt(&robot, "rubber duck", 31.0, "success");
    assert_eq!(brief(&robot, "rubber duck").attempts[0].success_count, 2);
    robot.call::<Forget>(ForgetRequest {
        memory_id: ids[5],
        reason: "a mistake".into(),
        ..Default::default()
    });
    let answer = brief(&robot, "rubber duck");
    assert_eq!(answer.attempts[0].success_count, 1);
    assert_eq!(answer.attempts[0].numbers[0].success_range, [31.0; 5]);
}

#[test]
fn a_position_orders_what_is_similar() {
    let robot = Robot::words_only();
    for x in [4.0, 1.0, 2.0].into_iter().chain((0..60).map(|step| 5.0 + f64::from(step))) {
        let context = json!({
            "task": {"name": "dock", "success": true}, "spatial": {"robot_position": [x, 0.0, 0.0], "frame": "map"}
        });
        robot.call::<Learn>(LearnRequest {
            insight: format!("docked at {x}"),
            context: context.to_string(),
            mem_type: "task_log".into(),
            ..Default::default()
        });
    }
    let answer = robot.call::<Brief>(BriefRequest {
        task: "dock".into(),
        position_m: vec![1.2, 0.0],
        frame: "map".into(),
        ..Default::default()
    });
    assert!(answer.is_known);
    let distances: Vec<_> = answer.similar.iter().filter_map(|it| it.distance_m).collect();
    assert_eq!(distances.len(), 5);
    assert!(distances.is_sorted(), "{distances:?}");
    // The nearest are the oldest.
    for (found, expected) in distances.iter().zip([0.2, 0.8, 2.8, 3.8, 4.8]) {
        assert!((found - expected).abs() < 1e-9, "{distances:?}");
    }
    for (request, field) in [
        (BriefRequest::default(), "task"),
        (BriefRequest { task: "dock".into(), n: 0, ..Default::default() }, "n"),
        (
            BriefRequest { task: "dock".into(), position_m: vec![1.0], ..Default::default() },
            "position_m",
        ),
        (
            BriefRequest {
                task: "dock".into(),
                position_m: vec![f64::NAN, 0.0],
                ..Default::default()
            },
            "position_m",
        ),
        (BriefRequest { task: "dock".into(), frame: "map".into(), ..Default::default() }, "frame"),
    ] {
        let (kind, message) = robot.refused::<Brief>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument);
        assert!(message.starts_with(field), "{message}");
    }
}

/// A generator that gives the same numbers each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[test]
fn counts_and_ranges_are_those_of_all_attempts() {
    let robot = Robot::words_only();
    let objects = ["hammer", "wrench", "glass bottle", "plastic bottle", "screwdriver"];
    let tasks = ["pick", "place", "insert"];
    let mut dice = Dice(7);
    let mut all: Vec<(&str, &str, f64, bool, &str)> = Vec::new();
    for _ in 0..400 {
        let task = tasks[dice.below(3) as usize];
        let object = objects[dice.below(5) as usize];
        let force_n = dice.below(400) as f64 / 10.0;
        let success = dice.below(2) == 0;
        let collection = ["default", "other"][usize::from(dice.below(5) == 0)];
        let context = json!({
            "task": {"name": task, "object": object, "success": success}, "params": {"force_n": force_n}
        });
        let id = robot
            .call::<Learn>(LearnRequest {
                insight: format!("{task} {object}"),
                context: context.to_string(),
                mem_type: "task_log".into(),
                collection: collection.into(),
                ..Default::default()
            })
            .memory_id;
        // Every ninth is withdrawn again.
        if dice.below(9) == 0 {
            let request = ForgetRequest { memory_id: id, ..Default::default() };
            robot.call::<Forget>(ForgetRequest { reason: "a test".into(), ..request });
        } else {
            all.push((task, object, force_n, success, collection));
        }
    }
    for task in tasks {
        for object in objects {
            let answer = robot.call::<Brief>(BriefRequest {
                task: task.into(),
                object: object.into(),
                ..Default::default()
            });
            for (found, of_object) in
                [(&answer.attempts[0], true), (answer.attempts.last().expect("one"), false)]
            {
                let matches = |it: &&(&str, &str, f64, bool, &str)| {
                    it.0 == task && (!of_object || it.1 == object) && it.4 == "default"
                };
                for (is_success, count, range) in [
                    (true, found.success_count, &found.numbers[0].success_range),
                    (false, found.failure_count, &found.numbers[0].failure_range),
                ] {
                    let mut numbers: Vec<f64> = all
                        .iter()
                        .filter(matches)
                        .filter(|it| it.3 == is_success)
                        .map(|it| it.2)
                        .collect();
                    numbers.sort_by(f64::total_cmp);
                    assert_eq!(count, numbers.len() as u64, "{task} {object}");
                    assert_eq!((range[0], range[4]), (numbers[0], numbers[numbers.len() - 1]));
                    let middle =
                        (numbers[(numbers.len() - 1) / 2] + numbers[numbers.len() / 2]) / 2.0;
                    assert!((range[2] - middle).abs() < 1e-9, "{task} {object}: {range:?}");
                }
            }
        }
    }
}

#[test]
fn an_attempt_that_was_stopped_says_nothing_of_what_works() {
    let (robot, _) = robot();
    for outcome in ["cancelled", "unknown"] {
        for _ in 0..2 {
            attempt(&robot, "tin can", 12.0, outcome);
        }
    }
    let own = brief(&robot, "tin can").attempts.swap_remove(0);
    assert_eq!(own.nearness, Nearness::Object);
    assert_eq!((own.success_count, own.failure_count, own.unknown_count), (0, 0, 4));
    assert!(own.failures.is_empty() && own.failure_ids.is_empty(), "{own:?}");
}
