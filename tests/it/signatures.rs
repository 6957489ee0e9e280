//! Recall by what was felt.

use crate::robot::{Robot, START, ids, sql};
use robot_memory_core::api::{
    ErrorKind, Forget, ForgetRequest, Mode, Recall, RecallRequest, SavePerception,
    SavePerceptionRequest, SpatialSort, Update, UpdateRequest,
};
use robot_memory_core::model::PerceptionType;
use robot_memory_core::signature;
use robot_memory_engine::Recording;
use robot_memory_perception::{Event, TriggerKind};
use serde_json::{Value, json};

/// A push along x that peaks at `peak_n`, for the middle third of the window, with a tool's weight.
fn push(peak_n: f64) -> Vec<[f64; 6]> {
    let force = |at| if (10..20).contains(&at) { peak_n } else { 0.0 };
    (0..30).map(|at| [force(at), 0.0, -8.0, 0.0, force(at) / 10.0, 0.0]).collect()
}

fn data(rows: &[[f64; 6]]) -> Value {
    let times: Vec<f64> = (0..rows.len()).map(|at| at as f64 / 50.0).collect();
    json!({"series": [{"kind": "wrench", "values": rows, "t": times}]})
}

fn feel_in(robot: &Robot, description: &str, data: &Value, context: &str) -> i64 {
    robot
        .call::<SavePerception>(SavePerceptionRequest {
            description: description.into(),
            perception_type: "tactile".into(),
            data: data.to_string(),
            context: context.into(),
            ..Default::default()
        })
        .memory_id
}

fn feel(robot: &Robot, peak_n: f64) -> i64 {
    feel_in(robot, &format!("A push of {peak_n} N on the wrist"), &data(&push(peak_n)), "")
}

fn like(id: i64) -> RecallRequest {
    RecallRequest { like_memory_id: id, n: 100, ..Default::default() }
}

fn window(rows: &[[f64; 6]]) -> RecallRequest {
    RecallRequest {
        window_name: "wrench".into(),
        window: rows.concat(),
        n: 100,
        ..Default::default()
    }
}

#[test]
fn what_felt_most_alike_comes_first_and_the_example_is_left_out() {
    let robot = Robot::new();
    let [light, firm, hard, away] = [5.0, 40.0, 45.0, -40.0].map(|peak| feel(&robot, peak));
    robot.learn("The wrist is pushed now and then");
    robot.perceive("A push on the wrist was seen", "");
    let answer = robot.call::<Recall>(RecallRequest { explain: true, ..like(firm) });
    assert_eq!(answer.mode, Mode::Signature);
    assert_eq!((answer.total, answer.approximate), (3, false));
    assert_eq!(ids(&answer)[0], hard);
    assert_eq!(answer.memories.len(), 3);
    let distances: Vec<f64> =
        answer.memories.iter().filter_map(|hit| hit.why.signature_distance).collect();
    assert!(distances.is_sorted() && distances.len() == 3 && distances[0] > 0.0, "{distances:?}");
    assert!(answer.plan.contains(&format!("felt like memory {firm} (wrench)")), "{}", answer.plan);

    let answer = robot.call::<Recall>(window(&push(-40.0)));
    assert_eq!((answer.total, ids(&answer)[0]), (4, away));
    assert_eq!(answer.memories[0].why.signature_distance, Some(0.0));
    assert_eq!(ids(&robot.call::<Recall>(window(&push(4.0))))[0], light);
}

#[test]
fn filters_come_first() {
    let robot = Robot::new();
    let mut places = Vec::new();
    for (peak, place) in [(10.0, "hall"), (11.0, "yard"), (30.0, "hall"), (90.0, "hall")] {
        let context = json!({"spatial": {"frame": "map", "map_id": place}}).to_string();
        places.push(feel_in(&robot, &format!("Felt {peak} N"), &data(&push(peak)), &context));
        robot.sleep_days(1.0);
    }
    let recalled = |request: RecallRequest| {
        let answer = robot.call::<Recall>(request);
        (ids(&answer), answer.total)
    };
    let all = like(places[0]);
    assert_eq!(recalled(all.clone()), (places[1..].to_vec(), 3));
    assert_eq!(recalled(RecallRequest { n: 1, ..all.clone() }), (vec![places[1]], 3));
    let hall = RecallRequest { map_id: "hall".into(), ..all.clone() };
    assert_eq!(recalled(RecallRequest { n: 1, ..hall.clone() }), (vec![places[2]], 2));
    let filter = r#"{"spatial.map_id": {"$ne": "hall"}}"#;
    let filtered = RecallRequest { context_filter: filter.into(), ..all.clone() };
    assert_eq!(recalled(filtered), (vec![places[1]], 1));
    let day = 86_400_000_000_000;
    let since = robot_memory_core::model::Stamp(START.0 + 2 * day);
    assert_eq!(
        recalled(RecallRequest { since: Some(since), ..all.clone() }),
        (places[2..].to_vec(), 2)
    );
    let facts = RecallRequest { types: vec!["fact".into()], ..all.clone() };
    assert_eq!(recalled(facts), (vec![], 0));
    assert_eq!(recalled(RecallRequest { collection: "other".into(), ..all.clone() }), (vec![], 0));
    let counted = robot.call::<Recall>(RecallRequest { count_by: "day".into(), ..hall });
    assert_eq!(counted.counts.iter().map(|day| day.count).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn the_column_follows_what_is_written_and_withdrawn() {
    let robot = Robot::new();
    let first = feel(&robot, 40.0);
    assert!(ids(&robot.call::<Recall>(like(first))).is_empty());
    let second = feel(&robot, 41.0);
    let third = feel(&robot, 80.0);
    assert_eq!(ids(&robot.call::<Recall>(like(first))), [second, third]);
    robot.call::<Update>(UpdateRequest {
        memory_id: second,
        new_content: "A push against the palm of the hand".into(),
        ..Default::default()
    });
    assert_eq!(ids(&robot.call::<Recall>(like(first))), [second, third]);
    let forget = |memory_id| ForgetRequest {
        memory_id,
        reason: "a test".into(),
        scope: String::new(),
        agent: String::new(),
    };
    robot.call::<Forget>(forget(second));
    assert_eq!(ids(&robot.call::<Recall>(like(first))), [third]);
    let left: i64 = sql(&robot.store_path(), "SELECT count(*) FROM memory_signature");
    assert_eq!(left, 2);
    let (kind, message) = robot.refused::<Recall>(like(second));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.ends_with("has no signature: it is invalidated"), "{message}");
    let robot = robot.restart();
    assert_eq!(ids(&robot.call::<Recall>(like(first))), [third]);
}

#[test]
fn only_one_kind_is_compared() {
    let robot = Robot::new();
    let push_id = feel(&robot, 40.0);
    let values: Vec<Vec<f64>> = (0..9).map(|at| vec![f64::from(at) / 10.0; 14]).collect();
    let joints = json!({"series": [{"kind": "joints", "values": values}]});
    let moved = feel_in(&robot, "The arm moved", &joints, "");
    assert!(ids(&robot.call::<Recall>(like(push_id))).is_empty());
    let request = RecallRequest {
        window_name: "joints".into(),
        window: values.concat(),
        window_channels: 14,
        ..Default::default()
    };
    assert_eq!(ids(&robot.call::<Recall>(request)), [moved]);
}

#[test]
fn an_event_brings_its_own_signature() {
    let robot = Robot::new();
    let rows = push(60.0);
    let event = |key: &str, own: bool| Recording {
        event: Event {
            key: key.into(),
            event_id: key.into(),
            stamp: START,
            end: START,
            stream: "wrist".into(),
            topic: "/wrench".into(),
            trigger: TriggerKind::Contact,
            perception_type: PerceptionType::Tactile,
            description: format!("contact {key} on the wrist"),
            data: data(&push(1.0)).to_string(),
            metadata: "{}".into(),
            context: String::new(),
            importance: 0.5,
            collection: String::new(),
            signature: own
                .then(|| {
                    signature::of(robot_memory_perception::LayoutKind::Wrench, 6, &rows.concat())
                })
                .flatten(),
            clip: Vec::new(),
        },
        sim_or_real: String::new(),
        session_id: None,
        clip: None,
        known_at: None,
    };
    let recorded = robot.engine.record(vec![event("a", true), event("b", false)]).expect("stored");
    let recorded: Vec<i64> =
        recorded.into_iter().map(|answer| answer.expect("stored").memory_id).collect();
    let answer = robot.call::<Recall>(window(&rows));
    assert_eq!(ids(&answer), recorded);
    assert_eq!(answer.memories[0].why.signature_distance, Some(0.0));
}

#[test]
fn signatures_of_another_version_are_made_again() {
    let robot = Robot::new();
    let first = feel(&robot, 40.0);
    let second = feel(&robot, 42.0);
    let path = robot.store_path();
    let robot = {
        let store = rusqlite::Connection::open(&path).expect("the file opens");
        store
            .execute("UPDATE memory_signature SET version = 0, signature = x'00000000'", [])
            .expect("they are of another version");
        drop(store);
        robot.restart()
    };
    assert_eq!(robot.refused::<Recall>(like(first)).0, ErrorKind::Unavailable);
    assert_eq!(robot.call::<Recall>(window(&push(42.0))).total, 0);
    while robot.engine.upkeep().expect("upkeep") {}
    assert_eq!(ids(&robot.call::<Recall>(like(first))), [second]);
    assert_eq!(ids(&robot.call::<Recall>(window(&push(42.0)))), [second, first]);
}

#[test]
fn a_wrong_example_is_refused_with_field_bound_and_what_was_given() {
    let robot = Robot::new();
    let fact = robot.learn("The red cup needs more force").memory_id;
    let seen = robot.perceive("A push on the wrist was seen", "");
    let felt = feel(&robot, 3.0);
    let six = push(5.0);
    let named = |window_name: &str, window: Vec<f64>, window_channels| RecallRequest {
        window_name: window_name.into(),
        window,
        window_channels,
        ..Default::default()
    };
    let sort = SpatialSort {
        field: "at".into(),
        target: vec![1.0],
        max_distance: 0.0,
        ..SpatialSort::default()
    };
    let cases = [
        (like(fact), format!("like_memory_id: memory {fact} has no signature: it is a fact")),
        (like(seen), format!("like_memory_id: memory {seen} has no signature: its data")),
        (like(-3), "like_memory_id: must be a positive id, got -3".into()),
        (RecallRequest { like_memory_id: felt, ..window(&six) }, "like_memory_id: give".into()),
        (
            RecallRequest { query: "cup".into(), ..like(felt) },
            "like_memory_id: not beside q".into(),
        ),
        (RecallRequest { query: "cup".into(), ..window(&six) }, "window: not beside query".into()),
        (
            RecallRequest { spatial_sort: Some(sort), ..window(&six) },
            "window: not beside spatial_sort".into(),
        ),
        (
            RecallRequest { order: "newest".into(), ..like(felt) },
            "like_memory_id: not beside order".into(),
        ),
        (RecallRequest { min_similarity: 0.5, ..like(felt) }, "min_similarity".into()),
        (named("", vec![1.0; 30], 0), "window_name: must say".into()),
        (named("wrist", vec![1.0; 30], 0), "window_name: must be one of".into()),
        (named("wrench", vec![1.0; 30], 3), "window_channels: a window of wrench has 6".into()),
        (named("wrench", vec![1.0; 31], 0), "window: must have a multiple of 6 numbers".into()),
        (named("wrench", vec![1.0; 24], 0), "window: must have 5 samples or more, got 4".into()),
        (named("wrench", vec![], 0), "window: must have 5 samples or more, got 0".into()),
        (named("taxels", vec![1.0; 100_001], 0), "window: at most 100000 numbers, got".into()),
        (named("taxels", vec![f64::NAN; 9], 0), "window: must hold finite numbers".into()),
        (
            RecallRequest { window_rate_hz: -1.0, ..window(&six) },
            "window_rate_hz: must be finite and not negative, got -1".into(),
        ),
    ];
    for (request, expected) in cases {
        let (kind, message) = robot.refused::<Recall>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument, "{message}");
        assert!(message.starts_with(&expected), "{message}\nis not\n{expected}");
    }
    let (kind, message) = robot.refused::<Recall>(like(77));
    assert_eq!(kind, ErrorKind::NotFound);
    assert_eq!(message, "like_memory_id: there is no memory 77");
}

#[cfg(feature = "cli")]
#[test]
fn the_command_line_asks_for_what_felt_alike() {
    use crate::cli::memory;
    let robot = Robot::words_only();
    let [light, firm, hard] = [5.0, 40.0, 45.0].map(|peak| feel(&robot, peak));
    let path = robot.store_path();
    let answer = memory(&path, &["recall", "--json", "--like", &firm.to_string()]).json();
    assert_eq!(answer["mode"], "signature");
    let found = answer["memories"].as_array().expect("a list");
    assert_eq!(crate::cli::ids(found), [hard, light]);
    assert!(found[0]["why"]["signature_distance"].as_f64().is_some_and(|distance| distance > 0.0));

    let window: Vec<String> = push(-5.0).concat().iter().map(f64::to_string).collect();
    let window = format!("--window=-0.0,{}", &window[1..].join(","));
    let asked = ["recall", &window, "--window-name", "wrench", "--window-rate-hz", "50"];
    let shown = memory(&path, &asked);
    assert!(shown.text().starts_with("3 of 3 memories, signature, "), "{}", shown.stdout);
    assert!(shown.text().contains("why: signature_distance "), "{}", shown.stdout);
    let refused = memory(&path, &["recall", "--window", "1,2,3", "--window-name", "plain"]);
    assert!(refused.refusal(2).contains("window: must have 5 samples or more, got 3"));
    assert!(memory(&path, &["recall", "--window", "1,2"]).refusal(2).contains("--window-name"));
    assert!(memory(&path, &["recall", "--like", "99"]).refusal(1).contains("like_memory_id"));
}
