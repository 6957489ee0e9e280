//! What recall does with explicit phrases of order and time: over days and kinds of events, beside the fields of
//! the request, and when it is not sure.

use crate::record::contact;
use crate::robot::{Robot, START, ids};
use robot_memory_core::api::{KeyCount, Recall, RecallRequest, RecallResponse};
use robot_memory_core::model::Stamp;
use robot_memory_engine::Recording;
use robot_memory_perception::TriggerKind;
use serde_json::{Value, json};

pub const HOUR: i64 = 3_600_000_000_000;

/// An event of a stream, so many hours from the start.
pub fn event(stream: &str, trigger: TriggerKind, hours: i64, context: &Value) -> Recording {
    let mut recording =
        contact(&format!("{stream} {trigger} {hours}"), Stamp(START.0 + hours * HOUR));
    let mut told = json!({
        "stream": stream, "topic": format!("/{stream}"), "trigger": trigger.as_str(),
        "subject": stream.replace(['_', '/'], " "),
    });
    for (key, value) in context.as_object().expect("an object") {
        told[key] = value.clone();
    }
    recording.event.stream = stream.to_owned();
    recording.event.topic = format!("/{stream}");
    recording.event.trigger = trigger;
    recording.event.description = format!("{stream} {hours}");
    recording.event.context = json!({ "event": told }).to_string();
    recording
}

pub fn rise(stream: &str, hours: i64) -> Recording {
    event(stream, TriggerKind::Edge, hours, &json!({"from": false, "to": true}))
}

fn fall(stream: &str, hours: i64) -> Recording {
    event(stream, TriggerKind::Edge, hours, &json!({"from": true, "to": false}))
}

/// A robot with these events as memories 1, 2, 3..., two days after the start.
pub fn robot(events: Vec<Recording>) -> Robot {
    let robot = Robot::words_only();
    robot.clock.set(Stamp(START.0 + 48 * HOUR));
    let stored = robot.engine.record(events).expect("stored");
    let stored: Vec<i64> = stored.into_iter().map(|one| one.expect("stored").memory_id).collect();
    assert_eq!(stored, (1..).take(stored.len()).collect::<Vec<i64>>());
    robot
}

fn ask(robot: &Robot, query: &str) -> RecallResponse {
    robot.recall(query)
}

pub fn understood(response: &RecallResponse) -> Value {
    serde_json::from_str(&response.understood).unwrap_or_default()
}

/// Stops 1, 2, 4, 6; of them 2 falls after 3; a slip 5.
pub fn stops() -> Vec<Recording> {
    vec![
        rise("protective_stop", 0),
        rise("protective_stop", 1),
        fall("protective_stop", 2),
        rise("protective_stop", 24),
        rise("grip_lost", 25),
        rise("protective_stop", 26),
    ]
}

#[test]
fn only_rises_count_and_days_are_those_of_the_zone() {
    let robot = robot(stops());
    assert_eq!(ask(&robot, "how many protective stops were there").total, 4);
    assert_eq!(ids(&ask(&robot, "the first protective stop of each day")), [1, 4]);
    assert_eq!(ids(&ask(&robot, "每天最后一次保护性停止")), [6, 2]);
    // START is 15:06:40 UTC: nine hours to the east the rises at 15 h and 16 h are of the next day.
    let robot = robot.restart_with(|config| {
        config.maintenance.time_zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(9));
    });
    let per_day = ask(&robot, "protective stops per day");
    let counts: Vec<(&str, u64)> =
        per_day.counts.iter().map(|one| (one.key.as_str(), one.count)).collect();
    assert_eq!(counts, [("2025-06-16", 2), ("2025-06-17", 2)]);
    assert_eq!(understood(&per_day)["utc_offset_secs"], 9 * 3600);
    assert_eq!(ask(&robot, "how many protective stops yesterday").total, 2);
}

#[test]
fn a_time_of_the_day_is_of_today_or_of_the_only_day_that_has_events() {
    let robot_of = |events: Vec<Recording>| {
        let robot = robot(events);
        // The same time of the day.
        robot.clock.set(Stamp(START.0 + 240 * HOUR));
        robot
    };
    let early = "how many protective stops between 14:00 and 15:00";
    let late = "how many protective stops between 15:00 and 16:30";
    // At 15:06, 16:06 and 17:06.
    let robot = robot_of((0..3).map(|hour| rise("protective_stop", hour)).collect());
    assert_eq!(ask(&robot, late).total, 2);
    assert_eq!(understood(&ask(&robot, late))["since"], "2025-06-15T15:00:00Z");
    assert_eq!((ask(&robot, early).total, understood(&ask(&robot, early)).is_null()), (0, false));
    assert_eq!(ask(&robot, "how many protective stops today").total, 0);
    // One of today, and then an older one, which is stored last.
    for hour in [239, 3] {
        robot.engine.record(vec![rise("protective_stop", hour)]).expect("stored");
        assert_eq!(ask(&robot, early).total, 1);
        let late = ask(&robot, late);
        assert_eq!((late.total, &understood(&late)["since"]), (0, &json!("2025-06-25T15:00:00Z")));
    }
    // Of which of the two days?
    let robot = robot_of(stops());
    assert_eq!(ask(&robot, late).understood, "");
    let on_the_first = ask(&robot, "on 15 June, how many protective stops between 15:00 and 16:30");
    assert_eq!((on_the_first.total, on_the_first.understood.is_empty()), (2, false));
}

#[test]
fn what_moved_is_told_apart() {
    let moved = |hours, subject: &str| {
        event("joint_states", TriggerKind::Motion, hours, &json!({ "subject": subject }))
    };
    let parts = ["arm", "gripper", "arm", "gripper", "arm"];
    let robot = robot((0..).zip(parts).map(|(hours, part)| moved(hours, part)).collect());
    assert_eq!(ids(&ask(&robot, "what happened after the gripper first moved")), [3, 4, 5]);
    assert_eq!(ids(&ask(&robot, "夹爪第二次动作之前发生了什么")), [3, 2, 1]);
    assert_eq!(ids(&ask(&robot, "When was the gripper's last motion?")), [4]);
    let after = "How many arm motions were there after the gripper's first motion?";
    assert_eq!(ask(&robot, after).total, 2);
    let of_both = "How many arm and gripper motions were there in total?";
    assert_eq!(ask(&robot, of_both).total, 5);
    assert_eq!(ask(&robot, "手臂和夹爪动过几次？").understood, "");
    assert_eq!(ask(&robot, "Which moved last, the gripper or the wheels?").understood, "");
    assert_eq!(ids(&ask(&robot, "What happened between the two gripper motions?")), [3]);
    assert_eq!(ask(&robot, "两次夹爪动作之间，手臂动了几次？").total, 1);
    assert_eq!(ask(&robot, "What happened between the two arm motions?").understood, "");
    assert_eq!(ids(&ask(&robot, "Which moved last, the gripper or the arm?")), [5]);
    assert_eq!(ids(&ask(&robot, "夹爪和手臂，哪个先动？")), [1]);
}

#[test]
fn a_part_of_the_log_is_of_the_time_that_has_events() {
    let robot = robot(stops());
    let last = ask(&robot, "How many protective stops in the last two hours of the log?");
    assert_eq!(last.total, 2);
    let last_of_both = ask(&robot, "the last stop or drop in the last ninety minutes of the log");
    assert_eq!(ids(&last_of_both), [6]);
    assert_eq!(ask(&robot, "记录的前半小时内有几次保护性停止？").total, 1);
    assert_eq!(ask(&robot, "How many protective stops in the last two hours?").total, 0);
}

#[test]
fn memories_are_named_by_their_ids() {
    let robot = robot(stops());
    // What is told only as the end of another event is a memory, too.
    let before = ask(&robot, "What happened right before memory 4?");
    assert_eq!((ids(&before), before.anchor_memory_id), (vec![3, 2, 1], 4));
    assert_eq!(understood(&before)["around_memory_id"], 4);
    assert_eq!(ids(&ask(&robot, "记忆5之后的第一次保护性停止是什么时候？")), [6]);
    let between = ask(&robot, "How many protective stops were there between memories 1 and 6?");
    assert_eq!(between.total, 2);
    assert_eq!(understood(&between)["anchor_memory_ids"], json!([1, 6]));
    assert_eq!(ask(&robot, "What happened right before memory 7?").understood, "");
    assert_eq!(ask(&robot, "What is memory 4?").understood, "");
    // By their kind as well, where no ordinal is as high.
    let before = ask(&robot, "What happened right before the protective stop with id 6?");
    assert_eq!((ids(&before), before.anchor_memory_id), (vec![5, 4, 3], 6));
    assert_eq!(ids(&ask(&robot, "编号6的保护性停止之前发生了什么？")), [5, 4, 3]);
    assert_eq!(ask(&robot, "编号4的保护性停止之前发生了什么？").understood, "");
    assert_eq!(ask(&robot, "What happened right before protective stop 6?").understood, "");
    assert_eq!(ask(&robot, "What happened right before the grip loss with id 6?").understood, "");
    // Nor one that the request does not look at.
    let elsewhere = RecallRequest {
        query: "What happened right before memory 4?".into(),
        collections: vec!["another".into()],
        ..RecallRequest::default()
    };
    assert_eq!(robot.call::<Recall>(elsewhere).understood, "");
}

#[test]
fn several_that_follow_each_other_are_named_by_their_ordinals() {
    let robot = robot((0..9).map(|hour| rise("protective_stop", hour)).collect());
    let seven = ask(&robot, "List the second to eighth protective stops.");
    assert_eq!((ids(&seven), seven.total), (vec![2, 3, 4, 5, 6, 7, 8], 7));
    assert_eq!(ids(&ask(&robot, "第三次和第四次保护性停止分别是什么时候？")), [3, 4]);
    assert_eq!(ask(&robot, "List the eighth to tenth protective stops.").understood, "");
    let again = robot.engine.record(vec![rise("cell/protective_stop", 3)]).expect("stored");
    assert!(again[0].is_ok());
    // Which of the two at one time is the fourth?
    assert_eq!(ask(&robot, "the third and fourth protective stops").understood, "");
    assert_eq!(ids(&ask(&robot, "the first, second and third protective stops")), [1, 2, 3]);
}

#[test]
fn from_an_event_to_a_moment_is_no_stretch_when_the_moment_was_before_it() {
    let robot = robot(stops());
    let until_five = |which: &str| {
        format!("How many grip losses were there between the {which} stop and 17:00 yesterday?")
    };
    assert_eq!(ask(&robot, &until_five("first protective")).total, 1);
    // The last one came on some minutes after five.
    assert_eq!(ask(&robot, &until_five("last protective")).understood, "");
}

#[test]
fn both_ends_are_asked_for_at_once() {
    let robot = robot(stops());
    let both = ask(&robot, "Show me both the first and the last protective stop.");
    assert_eq!((ids(&both), both.total), (vec![1, 6], 2));
    assert_eq!(understood(&both)["events"], "the first and the last protective stop");
    assert_eq!(ids(&ask(&robot, "第一次和最后一次保护性停止分别是哪两条？")), [1, 6]);
    // There is one only, and one of each of two kinds is no pair.
    assert_eq!(ask(&robot, "the first and the last grip loss").understood, "");
    assert_eq!(ask(&robot, "the first stop and the last grip loss").understood, "");
}

#[test]
fn each_topic_is_a_group() {
    let robot = robot(stops());
    assert_eq!(ids(&ask(&robot, "What was the first event on each topic?")), [1, 5]);
    assert_eq!(ids(&ask(&robot, "每个话题最近的一个事件分别是什么？")), [6, 5]);
    let count = |key: &str, count| KeyCount { key: key.to_owned(), count };
    let counted = ask(&robot, "How many events were there per topic?");
    assert_eq!(counted.counts, [count("/protective_stop", 4), count("/grip_lost", 1)]);
    // By fields, of what is no event as well.
    robot.learn("The sink is to the left of the stove");
    let by_topic = RecallRequest { count_by: "topic".into(), ..RecallRequest::default() };
    let counts = robot.call::<Recall>(by_topic).counts;
    assert_eq!(counts, [count("/protective_stop", 5), count("/grip_lost", 1), count("", 1)]);
    // With a query, of those that it finds.
    let found = RecallRequest {
        query: "sink".into(),
        count_by: "topic".into(),
        read_phrases: false,
        ..RecallRequest::default()
    };
    assert_eq!(robot.call::<Recall>(found).counts, [count("", 1)]);
    let second = RecallRequest {
        group_by: "topic".into(),
        nth: 2,
        order: "oldest".into(),
        ..RecallRequest::default()
    };
    assert_eq!(ids(&robot.call::<Recall>(second)), [2]);
}

#[test]
fn each_kind_is_a_group_where_each_topic_has_its_own() {
    let robot = robot(stops());
    let latest = "For every kind of event, what was the last one?";
    assert_eq!(ids(&ask(&robot, "What was the first event of each kind?")), [1, 5]);
    // Another topic of stops: are they one kind?
    robot.engine.record(vec![rise("cell/protective_stop", 40)]).expect("stored");
    assert_eq!(ask(&robot, "What was the first event of each kind?").understood, "");
    assert_eq!(ask(&robot, latest).understood, "");
    assert_eq!(ids(&ask(&robot, "What was the last event on each topic?")), [7, 6, 5]);
}

#[test]
fn a_robot_that_is_named_is_the_only_one() {
    let robot = robot(vec![rise("ur3/protective_stop", 0), rise("grip_lost", 1)]);
    assert_eq!(ask(&robot, "How many grip losses did the UR3 have?").total, 1);
    assert_eq!(ask(&robot, "How many grip losses did the UR5 have?").understood, "");
    assert_eq!(ask(&robot, "How many grip losses did the UR3e have?").understood, "");
    assert_eq!(ask(&robot, "How many grip losses did the UR3 and the UR5 have?").understood, "");
    robot.engine.record(vec![rise("ur5/protective_stop", 2)]).expect("stored");
    assert_eq!(ask(&robot, "How many grip losses did the UR3 have?").understood, "");
}

#[test]
fn one_kind_is_taken_out_of_all() {
    let robot = robot(stops());
    let last = ask(&robot, "Ignoring protective stops, what was the last event?");
    assert_eq!(ids(&last), [5]);
    assert_eq!(understood(&last)["events"], "any but protective stop");
    assert_eq!(ask(&robot, "不算掉件，一共有几个事件？").total, 4);
    assert_eq!(ask(&robot, "Ignoring impacts, what was the last event?").understood, "");
}

#[test]
fn motions_are_of_the_joint_that_moved_most() {
    let moved = |joint: &str, hours| {
        event("joint_states", TriggerKind::Motion, hours, &json!({ "subject": "arm", "on": joint }))
    };
    let robot =
        robot(vec![moved("wrist_3_joint", 0), moved("elbow_joint", 1), moved("wrist_3_joint", 2)]);
    let count = ask(&robot, "How many arm motions were there that were mostly wrist 3 joint?");
    assert_eq!(count.total, 2);
    assert_eq!(understood(&count)["events"], "motion: arm: mostly wrist_3_joint");
    assert_eq!(ids(&ask(&robot, "最近一次以elbow_joint为主的机械臂运动是什么时候？")), [2]);
    assert_eq!(ask(&robot, "the last motion that was mostly wrist_1_joint").understood, "");
}

#[test]
fn a_counter_goes_back_when_it_changes_to_a_smaller_number() {
    let changed = |hours: i64, (from, to): (&str, &str)| {
        event("cycle", TriggerKind::Change, hours, &json!({"from": from, "to": to}))
    };
    let values = [("8", "9"), ("9", "10"), ("10", "9"), ("9", "10"), ("10", "2")];
    let events = (0..).zip(values).map(|(hours, values)| changed(hours, values)).collect();
    let robot = robot(events);
    let back = ask(&robot, "How often did the cycle counter go back?");
    assert_eq!((back.total, &understood(&back)["events"]), (2, &json!("change: cycle: back")));
    assert_eq!(ids(&ask(&robot, "When did the cycle counter last go backwards?")), [5]);
    assert_eq!(ids(&ask(&robot, "循环计数第一次变小是什么时候？")), [3]);
    // From what is no number it can go nowhere.
    robot.engine.record(vec![changed(6, ("idle", "3"))]).expect("stored");
    assert_eq!(ask(&robot, "How often did the cycle counter go back?").understood, "");
}

#[test]
fn what_a_counter_showed_is_what_its_last_change_made_of_it() {
    let changed = |hours: i64| {
        let (from, to) = (hours.to_string(), (hours + 1).to_string());
        event("cycle", TriggerKind::Change, hours, &json!({"from": from, "to": to}))
    };
    let robot = robot(vec![changed(1), changed(6), changed(30)]);
    // START is 15:06:40 UTC.
    let at = |query: &str| ids(&ask(&robot, query));
    assert_eq!(at("What was the cycle counter at 16:06:40 on 15 June 2025?"), [1]);
    assert_eq!(at("What was the cycle counter at 21:06:39 on 15 June 2025?"), [1]);
    assert_eq!(at("What was the cycle counter at 21:06:40 on 15 June 2025?"), [2]);
    assert_eq!(at("What was the cycle counter at 20:00 on 15 June 2025?"), [1]);
    assert_eq!(at("2025年6月16日8点整，循环计数是多少？"), [2]);
    assert_eq!(at("Which cycle was it at 15:00 yesterday?"), [2]);
}

#[test]
fn a_counter_that_is_not_named_is_the_only_thing_that_changes() {
    let changed = |stream: &str, hours| {
        event(stream, TriggerKind::Change, hours, &json!({"from": "1", "to": "2"}))
    };
    let moved = event("joint_states", TriggerKind::Motion, 2, &json!({ "subject": "arm" }));
    let robot = robot(vec![changed("cycle", 0), changed("cycle", 1), moved]);
    assert_eq!(ask(&robot, "计数器变了几次？").total, 2);
    robot.engine.record(vec![changed("mode", 3)]).expect("stored");
    assert_eq!(ask(&robot, "计数器变了几次？").understood, "");
}

#[test]
fn all_before_an_event_are_more_than_the_nearest() {
    let robot = robot(
        (0..9).map(|hour| rise("protective_stop", hour)).chain([rise("grip_lost", 9)]).collect(),
    );
    let all = "list all protective stops before the first grip loss";
    assert_eq!(ask(&robot, all).total, 9);
    assert_eq!(ids(&ask(&robot, all)), [1, 2, 3, 4, 5]);
    assert_eq!(ids(&ask(&robot, "what happened before the first grip loss")), [9, 8, 7]);
}

#[test]
fn events_of_many_names_are_told_apart() {
    let doors = (0..40).map(|number| rise(&format!("door_{number}"), number));
    let robot = robot(doors.chain(stops()).collect());
    assert_eq!(ask(&robot, "how many protective stops were there").total, 4);
    assert_eq!(ids(&ask(&robot, "the last grip loss")), [45]);
}

#[test]
fn as_many_as_are_asked_for_are_shown_unless_the_request_bounds_them() {
    let robot = robot((0..9).map(|hour| rise("protective_stop", hour)).collect());
    let query = "the last seven protective stops";
    let answer = ask(&robot, query);
    assert_eq!(ids(&answer), [9, 8, 7, 6, 5, 4, 3]);
    assert_eq!(understood(&answer)["n"], 7);
    let before = ask(&robot, "the seven protective stops before the last protective stop");
    assert_eq!(ids(&before), [8, 7, 6, 5, 4, 3, 2]);
    let both = ask(&robot, "Show the three events before and the three events after memory 5.");
    assert_eq!(ids(&both), [2, 3, 4, 6, 7, 8]);
    let request = RecallRequest { query: query.into(), n: 3, ..RecallRequest::default() };
    assert_eq!(ids(&robot.call::<Recall>(request)), [9, 8, 7]);
}

#[test]
fn events_without_a_stream_are_named_by_no_filter() {
    let mut events = vec![rise("protective_stop", 0), rise("protective_stop", 1)];
    for (event, number) in events.iter_mut().zip(1..) {
        let mut context: Value = serde_json::from_str(&event.event.context).expect("JSON");
        context["event"].as_object_mut().expect("an object").remove("stream");
        context["number"] = number.into();
        event.event.context = context.to_string();
    }
    let answer = ask(&robot(events), "the last protective stop");
    assert_eq!(ids(&answer), [2]);
    assert_eq!(understood(&answer).get("context_filter"), None);
}

#[test]
fn names_in_traditional_characters_are_found_by_both_spellings() {
    let robot = robot(vec![rise("東區/protective_stop", 0), rise("西區/protective_stop", 1)]);
    for query in ["最後一次東區保護性停止", "最后一次东区保护性停止"] {
        let answer = ask(&robot, query);
        assert_eq!(ids(&answer), [1], "{query}");
        assert!(!answer.understood.is_empty(), "{query}");
    }
}

#[test]
fn the_fields_that_are_told_give_the_same_answer() {
    let robot = robot(stops());
    for query in [
        "what happened just before the last protective stop",
        "the two protective stops after the first protective stop",
        "the second to last protective stop",
        "how many protective stops since the second protective stop",
        "上次保护性停止前两小时内发生了什么",
        "what happened between the first protective stop and the last grip loss",
        "每天第一次保护性停止",
        "the last event on each topic",
        "the second and third protective stops",
        "how many protective stops since memory 2",
        "which grip loss was closest to the third protective stop",
        "the two protective stops closest to the first protective stop",
        "the last three protective stops, oldest first",
        "the first two protective stops yesterday, newest first",
    ] {
        let answer = ask(&robot, query);
        let told = understood(&answer);
        let text = |key: &str| told[key].as_str().unwrap_or_default().to_owned();
        let count = |key: &str| told[key].as_u64().unwrap_or_default() as u32;
        let stamp =
            |key: &str| told.get(key).map(|at| serde_json::from_value(at.clone()).expect("a time"));
        let filter = &told["context_filter"];
        let again = robot.call::<Recall>(RecallRequest {
            context_filter: if filter.is_null() { String::new() } else { filter.to_string() },
            since: stamp("since"),
            until: stamp("until"),
            order: text("order"),
            around_memory_id: told["around_memory_id"].as_i64().unwrap_or_default(),
            before_count: count("before_count"),
            after_count: count("after_count"),
            before_secs: told["before_secs"].as_f64().unwrap_or_default(),
            after_secs: told["after_secs"].as_f64().unwrap_or_default(),
            nth: count("nth"),
            group_by: text("group_by"),
            ..Default::default()
        });
        assert!(!ids(&answer).is_empty(), "{query}: {told}");
        assert_eq!((ids(&again), again.total), (ids(&answer), answer.total), "{query}: {told}");
    }
}

#[test]
fn the_closest_are_of_all_and_two_as_close_are_not_told_apart() {
    let robot = robot(stops());
    // An hour before it, and an hour after it.
    let query = "which protective stop was closest to the last grip loss";
    assert_eq!(ask(&robot, query).understood, "");
    let two = ask(&robot, "which two protective stops were closest to the last grip loss");
    assert_eq!((ids(&two), two.total), (vec![4, 6], 2));
    // A filter would leave others.
    let query = "which grip loss was closest to the third protective stop".to_owned();
    let context_filter = r#"{"event.stream": "grip_lost"}"#.into();
    let filtered = RecallRequest { query, context_filter, ..Default::default() };
    assert_eq!(robot.call::<Recall>(filtered).understood, "");
}

#[test]
fn several_kinds_are_one_list() {
    let robot = robot(stops());
    let all = ask(&robot, "list the protective stops and grip losses, oldest first");
    assert_eq!((ids(&all), all.total), (vec![1, 2, 4, 5, 6], 5));
    assert_eq!(understood(&all)["events"], "protective stop or slip");
    assert_eq!(ids(&ask(&robot, "the second to last protective stop or grip loss")), [5]);
    // Some from one end, told from the other.
    let last = ask(&robot, "the last two protective stops or grip losses, oldest first");
    assert_eq!((ids(&last), last.total), (vec![5, 6], 2));
    // Of one of them there is none.
    assert_eq!(
        ask(&robot, "list the protective stops and collisions, oldest first").understood,
        ""
    );
}

#[test]
fn a_cycle_is_from_its_begin_to_the_next() {
    let change = |stream: &str, hours, from: &str, to: &str| {
        event(stream, TriggerKind::Change, hours, &json!({"from": from, "to": to}))
    };
    let robot_of = |stream: &str| {
        let cycles = [change("cycle", 1, "6", "7"), change("cycle", 25, "7", "8")];
        robot(stops().into_iter().chain(cycles).chain([change(stream, 20, "1", "2")]).collect())
    };
    // At its begin, and not at its end.
    let other = robot_of("shift");
    assert_eq!(ids(&ask(&other, "which protective stops fell in cycle 7")), [2, 4]);
    assert_eq!(ids(&ask(&other, "第8周期里的掉件有哪些？")), [5]);
    // What of it was on the day on which it began.
    assert_eq!(ids(&ask(&other, "which protective stops fell in cycle 7 on 15 June 2025")), [2]);
    assert_eq!(
        ask(&other, "which protective stops fell in cycle 7 on 16 June 2025").understood,
        ""
    );
    assert_eq!(ids(&ask(&other, "which protective stops fell in cycle 8")), [6]);
    assert_eq!(ask(&other, "which protective stops fell in cycle 9").understood, "");
    // Another counter of cycles: the end of which one is meant?
    let two = robot_of("other_cycle");
    assert_eq!(ask(&two, "which protective stops fell in cycle 7").understood, "");
}

#[test]
fn an_anchor_is_told_and_narrowed_by_nothing_but_rights() {
    let robot = robot(stops());
    let request = RecallRequest {
        query: "what happened before the last protective stop".into(),
        context_filter: r#"{"event.stream": "grip_lost"}"#.into(),
        ..Default::default()
    };
    let answer = robot.call::<Recall>(request);
    assert_eq!((ids(&answer), answer.anchor_memory_id), (vec![5], 6));
}

#[test]
fn a_field_of_the_request_is_not_overridden() {
    let robot = robot(stops());
    let query = "how many protective stops yesterday".to_owned();
    let since = Some(START);
    let given = RecallRequest { query: query.clone(), since, ..Default::default() };
    assert_eq!(robot.call::<Recall>(given).understood, "");
    let query = "the last protective stop".to_owned();
    let given =
        RecallRequest { query: query.clone(), order: "oldest".into(), ..Default::default() };
    assert_eq!(robot.call::<Recall>(given).understood, "");
    // Nothing is ranked that a bound of relevance could leave out.
    let min_relevance = 0.5;
    let given = RecallRequest { query: query.clone(), min_relevance, ..Default::default() };
    let bounded = robot.call::<Recall>(given);
    assert_eq!(bounded.understood, ask(&robot, &query).understood);
    assert_eq!((ids(&bounded), bounded.memories[0].why.relevance), (vec![6], 0.0));
    // What it does not say is free to be given.
    let given =
        RecallRequest { query, until: Some(Stamp(START.0 + 2 * HOUR)), ..Default::default() };
    assert_eq!(ids(&robot.call::<Recall>(given)), [2]);
}

#[test]
fn what_is_not_sure_is_not_read() {
    let left_out = |mut events: Vec<Recording>| {
        let mut summed = event("protective_stop", TriggerKind::Edge, 30, &json!({"left_out": 12}));
        summed.event.description = "protective stop: 12 more events".into();
        events.push(summed);
        events
    };
    let count = "how many protective stops were there";
    assert_eq!(ask(&robot(left_out(stops())), count).understood, "");
    let slip = event("finger", TriggerKind::Slip, 27, &json!({}));
    let two_kinds: Vec<Recording> = stops().into_iter().chain([slip]).collect();
    let robot_of_two = robot(two_kinds);
    assert_eq!(ask(&robot_of_two, "how many grip losses were there").understood, "");
    assert_ne!(ask(&robot_of_two, count).understood, "");
    // No collision was ever felt, no seventh stop was made, and one of four is not the only one.
    let robot_of_stops = robot(stops());
    for query in [
        "how many collisions were there today",
        "what happened before the seventh protective stop",
        "what happened before the protective stop",
        "how many protective stops did Anna cause today",
        "how often was the first protective stop of the blue arm today",
    ] {
        assert_eq!(ask(&robot_of_stops, query).understood, "", "{query}");
    }
    assert_eq!(ids(&ask(&robot_of_stops, "what happened after the grip loss")), [6]);
    // Where no events are, nothing is asked of them.
    let other = Robot::words_only();
    other.clock.set(START);
    other.learn("yesterday the protective stop was pressed");
    assert_eq!(ask(&other, "what happened yesterday").understood, "");
}
