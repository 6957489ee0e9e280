//! Locate: where things are that detectors saw.

use crate::robot::{Robot, START};
use robot_memory_core::api::{
    ClearMemories, ClearMemoriesRequest, ErrorKind, Locate, LocateRequest, LocateResponse,
    NameMatch,
};
use robot_memory_core::limits::OBJECTS_MAX;
use robot_memory_core::model::{ObjectState, Stamp};
use robot_memory_core::object::{Caption, Labels, Moved, SeenObjects, TrackedObject};

const MINUTE: i64 = 60_000_000_000;

fn object(key: &str, label: &str, position_m: [f64; 3]) -> TrackedObject {
    TrackedObject {
        key: key.into(),
        labels: Labels::new(vec![(label.into(), 40.0)]),
        frame: "map".into(),
        map_id: "hall".into(),
        position_m,
        orientation: None,
        sigma_m: 0.05,
        is_seen_from: false,
        size_m: None,
        first_seen: Stamp(START.0 - 20 * MINUTE),
        last_seen: Stamp(START.0 - 2 * MINUTE),
        robot_m: [0.0; 3],
        count: 50,
        confidence: 0.95,
        state: ObjectState::Present,
        looked_at: Stamp(START.0 - 2 * MINUTE),
        moved: None,
        topic: "/detections".into(),
        seen_ranges_m: vec![2.5; 12],
    }
}

fn seen(objects: Vec<TrackedObject>) -> SeenObjects {
    SeenObjects { objects, ..SeenObjects::default() }
}

fn robot() -> Robot {
    Robot::with(|config| config.map_id = "hall".into())
}

fn locate(robot: &Robot, what: &str) -> LocateResponse {
    robot.call::<Locate>(LocateRequest { what: what.into(), ..Default::default() })
}

fn labels(found: &LocateResponse) -> Vec<&str> {
    found.places.iter().map(|place| place.label.as_str()).collect()
}

#[test]
fn a_thing_is_found_by_its_names_in_both_languages_and_its_kind() {
    let robot = robot();
    let objects = vec![
        object("a", "cup", [1.0, 2.0, 0.8]),
        object("b", "wine glass", [3.0, 2.0, 0.8]),
        object("c", "hammer", [4.0, 0.0, 0.1]),
        object("d", "tag36h11:7", [5.0, 0.0, 0.1]),
    ];
    robot.engine.record_objects(seen(objects)).expect("they are stored");
    for (what, label, name_match) in [
        ("cup", "cup", NameMatch::Same),
        ("the cup", "cup", NameMatch::Same),
        ("杯子", "cup", NameMatch::Same),
        ("锤子", "hammer", NameMatch::Same),
        ("red cup", "cup", NameMatch::Broader),
        ("tag36h11:7", "tag36h11:7", NameMatch::Same),
    ] {
        let found = locate(&robot, what);
        let best = found.places.first().unwrap_or_else(|| panic!("{what}: {found:?}"));
        assert_eq!((best.label.as_str(), best.name_match), (label, name_match), "{what}");
        assert!((best.age_secs - 120.0).abs() < 1e-6);
    }
    let best = &locate(&robot, "杯子").places[0];
    assert_eq!(best.position_m, [1.0, 2.0, 0.8]);
    assert_eq!((best.frame.as_str(), best.map_id.as_str(), best.count), ("map", "hall", 50));
    assert_eq!(
        locate(&robot, "cup").sentence_en,
        "cup: cup was seen at (1.00, 2.00, 0.80) map 2 minutes ago"
    );
    assert_eq!(locate(&robot, "杯子").sentence_zh, "杯子：cup位于(1.00, 2.00, 0.80) map，2 分钟前");
    assert_eq!(locate(&robot, "").total, 4);
}

#[test]
fn what_was_never_seen_is_plainly_not_known() {
    let robot = robot();
    robot.engine.record_objects(seen(vec![object("a", "cup", [0.0; 3])])).expect("stored");
    let found = locate(&robot, "anvil");
    assert!(!found.is_known && found.places.is_empty() && found.total == 0);
    assert_eq!(found.sentence_en, "anvil: not known");
    assert_eq!(locate(&robot, "铁砧").sentence_zh, "铁砧：不知道在哪里");
}

#[test]
fn the_best_come_first_and_what_is_elsewhere_or_gone_last() {
    let robot = robot();
    let objects = vec![
        TrackedObject { map_id: "cellar".into(), ..object("cellar", "cup", [0.0; 3]) },
        TrackedObject { state: ObjectState::Gone, ..object("gone", "cup", [1.0, 0.0, 0.0]) },
        TrackedObject { is_seen_from: true, ..object("flat", "cup", [1.0, 0.0, 0.0]) },
        TrackedObject { confidence: 0.5, ..object("unsure", "cup", [2.0, 0.0, 0.0]) },
        object("far", "cup", [30.0, 0.0, 0.0]),
        TrackedObject {
            last_seen: Stamp(START.0 - 9 * 24 * 60 * MINUTE),
            ..object("old", "cup", [3.0, 0.0, 0.0])
        },
    ];
    let count = objects.len() as u64;
    robot.engine.record_objects(seen(objects)).expect("stored");
    let places = |request: LocateRequest| -> Vec<f64> {
        let found = robot.call::<Locate>(LocateRequest { what: "cup".into(), ..request });
        found.places.iter().map(|place| place.position_m[0]).collect()
    };
    assert_eq!(places(LocateRequest::default()), [30.0, 2.0, 3.0, 1.0, 1.0, 0.0]);
    let near = || LocateRequest { position_m: vec![0.0, 0.0], ..Default::default() };
    assert_eq!(places(near()), [2.0, 30.0, 3.0, 1.0, 1.0, 0.0]);
    assert_eq!(places(LocateRequest { distance_m_max: 2.5, ..near() }), [2.0, 1.0, 1.0]);
    let since = Some(Stamp(START.0 - 60 * MINUTE));
    assert_eq!(places(LocateRequest { since, ..Default::default() }).len(), 5);
    assert_eq!(places(LocateRequest { n: 2, ..Default::default() }), [30.0, 2.0]);
    let found = locate(&robot, "cup");
    assert_eq!(found.total, count);
    let states: Vec<_> = found.places.iter().map(|it| (it.state, it.is_elsewhere)).collect();
    let present = (ObjectState::Present, false);
    let last = [(ObjectState::Gone, false), (ObjectState::Present, true)];
    assert_eq!(states, [&[present; 4][..], &last].concat());
}

#[test]
fn a_place_in_another_map_is_named_as_of_no_use() {
    let robot = robot();
    let cup = TrackedObject { map_id: "cellar".into(), ..object("a", "cup", [1.0, 0.0, 0.0]) };
    robot.engine.record_objects(seen(vec![cup])).expect("stored");
    let found = locate(&robot, "cup");
    assert!(found.is_known && found.is_map_known && found.places[0].is_elsewhere);
    assert!(found.sentence_en.contains("another map (cellar)"), "{}", found.sentence_en);
    assert!(found.sentence_zh.contains("另一张地图（cellar）"), "{}", found.sentence_zh);
    let there = LocateRequest { map_id: "cellar".into(), ..Default::default() };
    assert!(!robot.call::<Locate>(there).places[0].is_elsewhere);
    let of_frame = |frame: &str| {
        let (frame, map_id) = (frame.into(), "cellar".into());
        robot.call::<Locate>(LocateRequest { frame, map_id, ..Default::default() })
    };
    assert!(!of_frame("/map").places[0].is_elsewhere);
    let in_odom = of_frame("odom");
    assert!(in_odom.places[0].is_elsewhere);
    assert!(in_odom.sentence_en.contains("in another frame (map)"), "{}", in_odom.sentence_en);
    assert!(in_odom.sentence_zh.contains("在另一个坐标系（map）"), "{}", in_odom.sentence_zh);
    let unplaced = robot.restart_with(|_| {});
    let found = locate(&unplaced, "cup");
    assert!(!found.is_map_known && !found.places[0].is_elsewhere);
    assert!(found.sentence_en.contains("in which map the robot is is not known"));
}

#[test]
fn a_place_of_no_known_map_is_not_called_elsewhere() {
    let robot = robot();
    let cup = |key: &str| TrackedObject { map_id: String::new(), ..object(key, "cup", [1.0; 3]) };
    robot.engine.record_objects(seen(["a", "b", "c"].map(cup).into())).expect("stored");
    let request = LocateRequest { what: "cup".into(), n: 2, ..Default::default() };
    let found = robot.call::<Locate>(request);
    assert!(!found.places[0].is_elsewhere);
    let sentence = &found.sentence_en;
    assert!(sentence.ends_with("; in which map this is is not known; 2 more places"), "{sentence}");
    assert!(found.sentence_zh.ends_with("；该位置所属的地图未知；另有 2 处"));
}

#[test]
fn what_is_of_deleted_objects_is_not_stored_again() {
    let robot = robot();
    let engine = &robot.engine;
    let of = |generation| SeenObjects {
        generation: Some(generation),
        ..seen(vec![object("a", "cup", [0.0; 3]), object("b", "cup", [1.0; 3])])
    };
    let before = engine.objects_generation();
    engine.record_objects(of(before)).expect("stored");
    assert_eq!(engine.objects_generation(), before);
    let request = ClearMemoriesRequest {
        level: "working".into(),
        collection: "default".into(),
        ..Default::default()
    };
    assert_eq!(robot.call::<ClearMemories>(request).deleted_count, 2);
    let after = engine.objects_generation();
    assert_ne!(after, before);
    engine.record_objects(of(before)).expect("nothing fails");
    assert_eq!(locate(&robot, "cup").total, 0);
    engine.record_objects(of(after)).expect("stored");
    assert_eq!(locate(&robot, "cup").total, 2);
}

#[test]
fn a_row_that_cannot_be_read_hides_no_other() {
    let robot = robot();
    let objects = vec![object("a", "cup", [0.0; 3]), object("b", "cup", [1.0, 0.0, 0.0])];
    robot.engine.record_objects(seen(objects)).expect("stored");
    let store = rusqlite::Connection::open(robot.store_path()).expect("it opens");
    let spoil = "UPDATE object SET told = replace(told, '2.5', 'null') WHERE object_key = 'a'";
    assert_eq!(store.execute(spoil, []).expect("it is changed"), 1);
    assert_eq!(locate(&robot, "cup").total, 1);
    assert_eq!(robot.engine.known_objects().expect("read").len(), 1);
}

#[test]
fn a_mislabel_is_a_seldom_name_and_less_than_that_is_none() {
    let robot = robot();
    let called = |key: &str, weights: &[(&str, f64)]| TrackedObject {
        labels: Labels::new(weights.iter().map(|(it, weight)| ((*it).into(), *weight)).collect()),
        ..object(key, "", [0.0; 3])
    };
    let objects = vec![
        called("a", &[("cup", 30.0), ("hammer", 1.0)]),
        called("b", &[("saw", 30.0), ("hammer", 10.0)]),
        called("c", &[("hammer", 2.0)]),
    ];
    robot.engine.record_objects(seen(objects)).expect("stored");
    assert_eq!(labels(&locate(&robot, "hammer")), ["hammer", "saw"]);
    assert_eq!(locate(&robot, "hammer").places[1].name_match, NameMatch::Seldom);
}

#[test]
fn what_is_stored_is_there_after_a_crash_and_goes_on() {
    let robot = robot();
    let moved = Some(Moved { at: START, from_m: [9.0, 9.0, 0.0] });
    let cup = TrackedObject { moved, ..object("a", "cup", [1.0, 0.0, 0.0]) };
    let batch = SeenObjects {
        objects: vec![cup.clone(), object("b", "bowl", [2.0, 0.0, 0.0])],
        thumbnails: vec![("a".into(), vec![0xFF, 0xD8, 7])],
        ..SeenObjects::default()
    };
    robot.engine.record_objects(batch).expect("stored");
    let id = locate(&robot, "cup").places[0].object_id;
    let robot = robot.pull_the_plug();
    assert_eq!(robot.engine.known_objects().expect("read").len(), 2);
    let later = TrackedObject { count: 90, ..cup.clone() };
    let batch = SeenObjects {
        objects: vec![later.clone()],
        merged: vec!["b".into()],
        ..SeenObjects::default()
    };
    robot.engine.record_objects(batch).expect("stored");
    assert_eq!(robot.engine.known_objects().expect("read"), [later]);
    let request = LocateRequest { include_thumbnails: true, ..Default::default() };
    let place = &robot.call::<Locate>(request).places[0];
    assert_eq!((place.object_id, place.count), (id, 90));
    assert_eq!(place.thumbnail, [0xFF, 0xD8, 7]);
    assert_eq!((place.moved_at, &*place.moved_from_m), (Some(START), &[9.0, 9.0, 0.0][..]));
    assert!(locate(&robot, "cup").places[0].thumbnail.is_empty());
}

#[test]
fn captions_name_things_that_are_seen_from_the_robot() {
    let robot = robot();
    let caption = |secs: i64, text: &str, x: f64| Caption {
        at: Stamp(START.0 + secs * 1_000_000_000),
        topic: "/camera/caption".into(),
        text: text.into(),
        frame: "map".into(),
        map_id: "hall".into(),
        robot_m: [x, 1.0, 0.0],
    };
    let captions = vec![
        caption(1, "A red cup on a table next to a laptop.", 1.0),
        caption(2, "a laptop, a red cup", 1.5),
        caption(3, "the laptop", 40.0),
        caption(4, "something went wrong", 1.0),
    ];
    let batch = SeenObjects { captions, ..SeenObjects::default() };
    robot.engine.record_objects(batch.clone()).expect("stored");
    robot.engine.record_objects(batch).expect("the same again is nothing new");
    let laptops = locate(&robot, "笔记本电脑");
    assert_eq!(laptops.total, 2);
    assert!(laptops.places.iter().all(|place| place.is_seen_from));
    let counts: Vec<u64> = laptops.places.iter().map(|place| place.count).collect();
    assert_eq!(counts, [1, 2]);
    assert_eq!(locate(&robot, "red cup").total, 1);
    assert_eq!(locate(&robot, "").total, 4);
}

#[test]
fn odd_requests_are_refused_with_the_field() {
    let robot = robot();
    let refused = |request: LocateRequest, said: &str| {
        let error = robot.engine.call::<Locate>(request).expect_err(said);
        assert_eq!(error.kind, ErrorKind::InvalidArgument);
        assert!(error.message.starts_with(said), "{}", error.message);
    };
    let of = LocateRequest::default;
    refused(LocateRequest { n: 0, ..of() }, "n: must be 1 to 100, got 0");
    refused(LocateRequest { n: 101, ..of() }, "n: must be");
    refused(LocateRequest { position_m: vec![1.0], ..of() }, "position_m: must have 2 or 3");
    refused(
        LocateRequest { position_m: vec![f64::NAN, 1.0], ..of() },
        "position_m: must be finite",
    );
    refused(LocateRequest { distance_m_max: -1.0, ..of() }, "distance_m_max: must be 0 or more");
    refused(LocateRequest { distance_m_max: 1.0, ..of() }, "distance_m_max: needs");
    refused(LocateRequest { what: "x".repeat(2001), ..of() }, "what: at most 2000 characters");
    refused(LocateRequest { map_id: "x".repeat(300), ..of() }, "map_id:");
    refused(LocateRequest { frame: "x".repeat(300), ..of() }, "frame:");
}

#[test]
fn who_may_not_read_events_sees_no_objects() {
    let policy = "
agents:
  - names: [chief]
    read: all
    write: all
  - names: [nurse]
    read: [{scope: global, mem_types: [lesson]}]
";
    let robot = Robot::with(|config| config.access = Some(policy.into()));
    robot.engine.record_objects(seen(vec![object("a", "cup", [0.0; 3])])).expect("stored");
    let asks = |agent: &str| LocateRequest { agent: agent.into(), ..Default::default() };
    assert_eq!(robot.call::<Locate>(asks("chief")).total, 1);
    let nurse = robot.call::<Locate>(asks("nurse"));
    assert!(!nurse.is_known && nurse.total == 0);
}

#[test]
fn a_label_that_is_never_stored_is_not_and_the_others_are() {
    let robot = robot();
    let secret = "password: hunter2hunter2";
    let mistaken = Labels::new(vec![("bowl".into(), 4.0), (secret.into(), 9.0)]);
    let objects = vec![
        object("a", secret, [0.0; 3]),
        object("b", "cup", [0.0; 3]),
        TrackedObject { labels: mistaken, ..object("c", "", [1.0, 0.0, 0.0]) },
    ];
    assert_eq!(robot.engine.record_objects(seen(objects)).expect("stored"), 1);
    let found = locate(&robot, "");
    assert_eq!(labels(&found), ["cup", "bowl"]);
    assert_eq!(found.places[1].labels.len(), 1);
}

#[test]
fn objects_are_cleared_with_the_events_and_bounded() {
    let robot = robot();
    let stored = |from: usize| {
        let all = (from..from + 6_000).map(|number| TrackedObject {
            last_seen: Stamp(START.0 + number as i64),
            ..object(&format!("{number}"), "cup", [0.0; 3])
        });
        robot.engine.record_objects(seen(all.collect())).expect("stored");
    };
    stored(0);
    stored(6_000);
    assert_eq!(locate(&robot, "").total, OBJECTS_MAX as u64);
    let clear = |since: Option<Stamp>, collection: &str| {
        robot.call::<ClearMemories>(ClearMemoriesRequest {
            level: "working".into(),
            collection: collection.into(),
            since,
            ..Default::default()
        });
        locate(&robot, "").total
    };
    assert_eq!(clear(None, "other"), OBJECTS_MAX as u64);
    assert_eq!(clear(Some(Stamp(START.0 + 11_000)), "default"), OBJECTS_MAX as u64 - 1_000);
    assert_eq!(clear(None, "default"), 0);
}
