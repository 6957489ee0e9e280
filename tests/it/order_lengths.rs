//! Questions whose answers depend on how long events lasted, and of which part of the robot they were.

use crate::order_phrases::{event, rise, robot, understood};
use crate::robot::{Robot, ids};
use robot_memory_core::api::{KeyCount, Recall, RecallRequest};
use robot_memory_engine::Recording;
use robot_memory_perception::TriggerKind;
use serde_json::{Value, json};

/// A stop that lasted so long.
fn stop(hours: i64, secs: f64) -> Recording {
    let told = json!({"from": false, "to": true, "duration_secs": secs});
    event("protective_stop", TriggerKind::Edge, hours, &told)
}

#[test]
fn events_are_of_the_length_that_is_told() {
    let robot = robot(vec![
        stop(0, 8.04),
        stop(1, 8.06),
        stop(2, 2.0),
        rise("grip_lost", 3),
        stop(4, 130.0),
    ]);
    let stops = |query: &str| ids(&robot.recall(query));
    // They are told as 8 s, 8.1 s, 2 s and 2.2 min.
    assert_eq!(stops("Which protective stops lasted longer than 8 s?"), [2, 5]);
    assert_eq!(stops("持续至少8秒的保护性停止有哪些？"), [1, 2, 5]);
    assert_eq!(stops("Which protective stops lasted exactly 8 s?"), [1]);
    assert_eq!(stops("What happened right after the last stop shorter than 8.1 s?"), [4, 5]);
    let longest = robot.recall("the two longest protective stops");
    assert_eq!(ids(&longest), [2, 5]);
    assert_eq!(understood(&longest)["events"], "protective stop: the 2 longest");
    assert_eq!(understood(&longest)["context_filter"], Value::Null);
    assert_eq!(stops("the shortest protective stop before 17:00 on 15 June 2025"), [1]);
    assert_eq!(stops("第二长的保护性停止"), [2]);
    let count = robot.recall("How many protective stops lasted less than 8 s?");
    assert_eq!(
        (count.total, &understood(&count)["events"]),
        (1, &json!("protective stop: shorter than 8 s"))
    );
    // Whether 8 s are 8秒以上, and whether what is told as 2.2 min lasted longer than 131 s, is not sure; nor how long a loss was.
    for query in [
        "8秒以上的保护性停止",
        "stops longer than 131 s",
        "the longest grip loss",
        "grip losses longer than 1 s",
    ] {
        assert_eq!(robot.recall(query).understood, "", "{query}");
    }
    assert_eq!(stops("9秒以上的保护性停止"), [5]);
    robot.engine.record(vec![stop(6, 129.0)]).expect("stored");
    assert_eq!(robot.recall("the longest protective stop").understood, "");
    assert_eq!(stops("the two longest protective stops"), [5, 6]);
}

#[test]
fn what_comes_after_an_event_was_over_began_after_its_end() {
    const HOUR_SECS: f64 = 3_600.0;
    let robot = robot(vec![
        stop(0, 2.0 * HOUR_SECS),
        rise("grip_lost", 1),
        rise("grip_lost", 3),
        stop(4, 8.0),
        // Told as three hours, which end with the next loss.
        stop(5, 3.0 * HOUR_SECS + 2.0),
        rise("grip_lost", 8),
    ]);
    let of = |query: &str| ids(&robot.recall(query));
    assert_eq!(of("the first grip loss after the first protective stop"), [2]);
    assert_eq!(of("the first grip loss after the first protective stop ended"), [3]);
    assert_eq!(of("第一次保护性停止结束后的第一次掉件"), [3]);
    assert_eq!(
        of("what happened within 2 hours after the end of the first protective stop?"),
        [3, 4]
    );
    assert_eq!(of("第一次保护性停止结束到第二次保护性停止开始之间发生了什么？"), [3]);
    let first =
        robot.recall("How many grip losses were there since the end of the first protective stop?");
    assert_eq!((first.total, &understood(&first)["anchor_memory_id"]), (2, &json!(1)));
    assert_eq!(understood(&first)["since"], "2025-06-15T17:06:40Z");
    // Whether the last loss was after it is not sure; nor is when a loss was over.
    for query in [
        "the first grip loss after the third protective stop ended",
        "what happened after the first grip loss was over?",
    ] {
        assert_eq!(robot.recall(query).understood, "", "{query}");
    }
}

#[test]
fn all_within_a_time_after_an_end_are_told() {
    let mut events = vec![stop(0, 10.0)];
    events.extend((1..6).map(|hours| rise("grip_lost", hours)));
    let robot = robot(events);
    let losses =
        robot.recall("grip losses within 6 hours after the end of the first protective stop");
    assert_eq!((ids(&losses), losses.total), (vec![2, 3, 4, 5, 6], 5));
}

#[test]
fn what_began_as_another_ended_began_after_it() {
    const HOUR_SECS: f64 = 3_600.0;
    // Told as one hour, and begun with the message that ended the first.
    let robot_of = |secs: f64| robot(vec![stop(0, secs), rise("grip_lost", 1)]);
    let next =
        |robot: &Robot| robot.recall("the first grip loss after the first protective stop ended");
    assert_eq!(ids(&next(&robot_of(HOUR_SECS))), [2]);
    assert_eq!(ids(&next(&robot_of(HOUR_SECS + 0.01))), [2]);
    assert_eq!(ids(&next(&robot_of(HOUR_SECS - 1.0))), [2]);
    // Told as one hour, too, it ended a second after the loss began.
    assert_eq!(next(&robot_of(HOUR_SECS + 1.0)).understood, "");
}

#[test]
fn what_was_under_way_at_a_moment_had_begun_and_was_not_over() {
    let robot = robot(vec![stop(0, 3_700.0), rise("grip_lost", 1), stop(3, 8.04)]);
    // START is 15:06:40 UTC.
    let at = |query: &str| {
        let answer = robot.recall(query);
        (ids(&answer), understood(&answer)["under_way_at"].clone())
    };
    let hour = (vec![1], json!("2025-06-15T16:06:40Z"));
    assert_eq!(at("Which protective stop was active at 16:06:40 on 15 June 2025?"), hour);
    assert_eq!(at("2025年6月15日16:06:40正在持续的保护性停止是哪次？"), hour);
    let last = "Which protective stop was in progress at 18:06:41 on 15 June 2025?";
    assert_eq!(at(last).0, [3]);
    // There was none; and how long a loss was is not known.
    for query in [
        "Which protective stop was active at 17:06:40 on 15 June 2025?",
        "Which grip loss was in progress at 16:06:41 on 15 June 2025?",
    ] {
        assert_eq!(at(query).1, Value::Null, "{query}");
    }
}

#[test]
fn motions_are_grouped_by_the_joint_that_moved_most() {
    let motion = |hours, on: &str| event("arm", TriggerKind::Motion, hours, &json!({"on": on}));
    let robot = robot(vec![
        motion(0, "elbow_joint"),
        motion(1, "wrist_1_joint"),
        motion(2, "elbow_joint"),
        rise("grip_lost", 3),
    ]);
    let count = |key: &str, count| KeyCount { key: key.to_owned(), count };
    let request = |field: fn(&mut RecallRequest)| {
        let mut request = RecallRequest { order: "newest".to_owned(), ..Default::default() };
        field(&mut request);
        robot.call::<Recall>(request)
    };
    let last = request(|it| it.group_by = "on".to_owned());
    assert_eq!(ids(&last), [4, 3, 2]);
    let counts = request(|it| it.count_by = "on".to_owned()).counts;
    assert_eq!(counts, [count("elbow_joint", 2), count("wrist_1_joint", 1), count("", 1)]);
    let asked = robot.recall("How many arm motions were there by main joint?");
    assert_eq!(asked.counts, [count("elbow_joint", 2), count("wrist_1_joint", 1)]);
    assert_eq!(understood(&asked)["count_by"], "on");
    assert_eq!(ids(&robot.recall("the last motion of each main joint")), [3, 2]);
    assert_eq!(ids(&robot.recall("每个主要关节的第一次运动")), [1, 2]);
    assert_eq!(robot.recall("the last grip loss of each main joint").understood, "");
}
