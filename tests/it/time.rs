//! Questions about time are answered by fields: the last, how many, when.

use crate::robot::{Robot, START, ids};
use robot_memory_core::api::{
    ErrorKind, Forget, ForgetRequest, KeyCount, Recall, RecallRequest, SavePerception,
    SavePerceptionRequest,
};
use robot_memory_core::model::{Stamp, Status};

fn counts(pairs: &[(&str, u64)]) -> Vec<KeyCount> {
    pairs.iter().map(|(key, count)| KeyCount { key: (*key).to_owned(), count: *count }).collect()
}

/// Five slips on three days and two facts; START is 2025-06-15 15:06:40 UTC.
fn robot() -> (Robot, Vec<i64>) {
    let robot = Robot::new();
    let slip = |place: &str| {
        let context = r#"{"event": "slip", "task": {"success": false}}"#;
        robot.perceive(&format!("Slip of a wet glass at the {place}"), context)
    };
    let mut slips = vec![slip("sink"), slip("table")];
    robot.learn("The sink is to the left of the stove");
    robot.sleep_days(1.0);
    slips.push(slip("shelf"));
    robot.sleep_days(2.0);
    slips.extend([slip("door"), slip("window")]);
    robot.learn("The window cannot be opened from outside");
    (robot, slips)
}

fn of_slips() -> RecallRequest {
    RecallRequest { context_filter: r#"{"event": "slip"}"#.into(), ..Default::default() }
}

#[test]
fn the_last_time_something_happened() {
    let (robot, slips) = robot();
    let last = robot.call::<Recall>(RecallRequest { n: 1, order: "newest".into(), ..of_slips() });
    assert_eq!((ids(&last), last.total), (vec![slips[4]], 5));
    let first = robot.call::<Recall>(RecallRequest { n: 2, order: "oldest".into(), ..of_slips() });
    assert_eq!(ids(&first), slips[..2]);
    let before = robot.call::<Recall>(RecallRequest {
        n: 1,
        order: "newest".into(),
        until: Some(START.plus_days(3.0)),
        ..of_slips()
    });
    assert_eq!((ids(&before), before.total), (vec![slips[2]], 3));
}

#[test]
fn how_often_each_day() {
    let (robot, _) = robot();
    let by_day = |utc_offset_secs| {
        let request = RecallRequest { count_by: "day".into(), utc_offset_secs, n: 1, ..of_slips() };
        robot.call::<Recall>(request)
    };
    let utc = by_day(0);
    assert_eq!(utc.counts, counts(&[("2025-06-15", 2), ("2025-06-16", 1), ("2025-06-18", 2)]));
    assert_eq!((utc.total, utc.memories.len()), (5, 1));
    // Nine hours ahead it is already tomorrow.
    let japan = by_day(9 * 3600);
    assert_eq!(japan.counts, counts(&[("2025-06-16", 2), ("2025-06-17", 1), ("2025-06-19", 2)]));
}

#[test]
fn how_often_each_hour() {
    let (robot, _) = robot();
    let request = RecallRequest { count_by: "hour".into(), n: 1, ..of_slips() };
    let found = robot.call::<Recall>(request);
    let of_15th: u64 = found
        .counts
        .iter()
        .filter(|hour| hour.key.starts_with("2025-06-15T"))
        .map(|h| h.count)
        .sum();
    assert_eq!((of_15th, found.counts.iter().map(|hour| hour.count).sum::<u64>()), (2, 5));
}

#[test]
fn how_often_in_each_session() {
    let robot = Robot::new();
    let perceive = |session_id: &str, text: &str| {
        robot.call::<SavePerception>(SavePerceptionRequest {
            description: text.into(),
            session_id: session_id.into(),
            ..Default::default()
        })
    };
    let (first, second) = (robot.start_session(), robot.start_session());
    robot.sleep_days(0.5);
    perceive(&second, "A cup on the table");
    robot.sleep_days(0.5);
    perceive(&first, "A cup on the floor");
    perceive(&second, "A cup in the sink");
    perceive("", "A cup that nobody was looking for");
    let request = RecallRequest {
        collections: vec!["*".into()],
        types: vec!["perception".into()],
        count_by: "session".into(),
        ..Default::default()
    };
    let found = robot.call::<Recall>(request);
    assert_eq!(found.counts, counts(&[(&second, 2), (&first, 1), ("", 1)]));
}

#[test]
fn a_query_and_a_type_narrow_what_is_counted() {
    let (robot, slips) = robot();
    let request = RecallRequest {
        query: "wet glass".into(),
        types: vec!["perception".into()],
        order: "oldest".into(),
        count_by: "day".into(),
        n: 3,
        ..Default::default()
    };
    let found = robot.call::<Recall>(request);
    assert_eq!(ids(&found), slips[..3]);
    assert_eq!(found.counts.iter().map(|day| day.count).sum::<u64>(), found.total);
    let facts = robot.call::<Recall>(RecallRequest {
        types: vec!["fact".into()],
        count_by: "day".into(),
        ..Default::default()
    });
    assert_eq!(facts.counts, counts(&[("2025-06-15", 1), ("2025-06-18", 1)]));
    assert!(facts.memories.iter().all(|hit| hit.memory.status == Status::Active));
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let robot = Robot::new();
    for (request, message) in [
        (
            RecallRequest { count_by: "week".into(), ..Default::default() },
            "count_by: must be one of hour, day, session, topic, on; got \"week\"",
        ),
        (
            RecallRequest { count_by: "day".into(), utc_offset_secs: 50_401, ..Default::default() },
            "utc_offset_secs: must be -50400 to 50400, got 50401",
        ),
        (
            RecallRequest { types: vec!["idea".into()], ..Default::default() },
            "types: must be one of fact, perception, summary; got \"idea\"",
        ),
    ] {
        let refused = robot.refused::<Recall>(request);
        assert_eq!(refused, (ErrorKind::InvalidArgument, message.to_owned()));
    }
}

#[test]
fn what_was_stored_around_a_hit_is_shown() {
    let robot = Robot::new();
    let session = robot.start_session();
    robot.learn_in(&session, "The drawer was locked when I came");
    let key = robot.learn_in(&session, "The key to it hangs behind the door");
    robot.learn("The stove needs four minutes until it is hot");
    let last = robot.learn_in(&session, "Nobody answered the bell");
    let hit = |query: &str, id: i64| {
        let found = robot.recall(query);
        found.memories.into_iter().find(|hit| hit.memory.id == id).expect("it is recalled")
    };
    let shown = hit("where is the key", key);
    assert_eq!(shown.context_before, "The drawer was locked when I came");
    assert_eq!(shown.context_after, "Nobody answered the bell");
    assert_eq!(hit("bell", last).context_after, "");
    let alone = robot.recall("stove").memories.remove(0);
    assert_eq!((alone.context_before.as_str(), alone.context_after.as_str()), ("", ""));
    let forgotten = robot_memory_core::api::ForgetRequest {
        memory_id: key,
        reason: "it was moved".into(),
        scope: String::new(),
        agent: String::new(),
    };
    robot.call::<robot_memory_core::api::Forget>(forgotten);
    assert_eq!(hit("bell", last).context_before, "The drawer was locked when I came");
}

#[test]
fn a_day_without_a_clock_before_1970_has_a_date() {
    let robot = Robot::new();
    robot.clock.set(Stamp::from_secs(-1));
    robot.perceive("Booted with an empty battery in the clock", "");
    let request = RecallRequest { count_by: "day".into(), ..Default::default() };
    assert_eq!(robot.call::<Recall>(request).counts, counts(&[("1969-12-31", 1)]));
}

#[test]
fn counting_does_not_change_which_are_shown_nor_how_many_match() {
    let robot = Robot::new();
    let best = robot.perceive("The wet glass slipped out of the gripper", "");
    for number in 0..20 {
        robot.sleep_days(0.1);
        robot.perceive(&format!("A glass was seen {number} times at the table"), "");
    }
    for ranking in ["", "rrf"] {
        let plain = RecallRequest {
            query: "the wet glass slipped out of the gripper".into(),
            ranking: ranking.into(),
            n: 1,
            ..Default::default()
        };
        let counted = RecallRequest { count_by: "day".into(), ..plain.clone() };
        let (plain, counted) = (robot.call::<Recall>(plain), robot.call::<Recall>(counted));
        assert_eq!((ids(&plain), ids(&counted)), (vec![best], vec![best]), "{ranking}");
        assert_eq!(plain.total, counted.total);
        assert_eq!(counted.counts.iter().map(|day| day.count).sum::<u64>(), counted.total);
    }
}

#[test]
fn what_is_shown_because_of_its_neighbor_is_counted() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    robot.learn_in(&session, "The drawer was locked when I came");
    robot.learn_in(&session, "The key to it hangs behind the door");
    robot.learn_in(&session, "Nobody answered the bell");
    for count_by in ["", "day"] {
        let request =
            RecallRequest { query: "bell".into(), count_by: count_by.into(), ..Default::default() };
        let found = robot.call::<Recall>(request);
        assert_eq!((found.total, found.memories.len()), (3, 3), "{count_by}");
    }
}

#[test]
fn sessions_of_the_same_time_are_counted_in_the_same_order_after_a_restart() {
    let robot = Robot::new();
    let perceive = |session_id: &str, text: &str| {
        let request = SavePerceptionRequest {
            description: text.into(),
            session_id: session_id.into(),
            ..Default::default()
        };
        robot.call::<SavePerception>(request).memory_id
    };
    let mut sessions = [robot.start_session(), robot.start_session()];
    sessions.sort();
    let [first, second] = sessions;
    let passing = perceive(&second, "A cup on the table");
    perceive(&first, "A cup on the floor");
    perceive(&second, "A cup on the shelf");
    let reason = "it was a bowl".into();
    robot.call::<Forget>(ForgetRequest { memory_id: passing, reason, ..Default::default() });
    let counted = |robot: &Robot| {
        let request = RecallRequest {
            collections: vec!["*".into()],
            count_by: "session".into(),
            ..Default::default()
        };
        robot.call::<Recall>(request).counts
    };
    let expected = counts(&[(&first, 1), (&second, 1)]);
    assert_eq!(counted(&robot), expected);
    assert_eq!(counted(&robot.restart()), expected);
}
