use crate::robot::{Robot, START, ids};
use robot_memory_core::api::{
    ErrorKind, Learn, LearnRequest, Mode, Recall, RecallRequest, SavePerception,
    SavePerceptionRequest, SpatialSort,
};
use robot_memory_core::model::Stamp;

fn query(query: &str) -> RecallRequest {
    RecallRequest { query: query.into(), ..Default::default() }
}

fn spatial(field: &str, target: &[f64], max_distance: f64) -> Option<SpatialSort> {
    Some(SpatialSort {
        field: field.into(),
        target: target.into(),
        max_distance,
        ..SpatialSort::default()
    })
}

#[test]
fn words_and_vectors_together_are_hybrid_and_say_why() {
    let robot = Robot::new();
    let cup = robot.learn("The red cup needs more force").memory_id;
    robot.learn("The kettle is on the shelf");
    let response = robot.call::<Recall>(RecallRequest { explain: true, ..query("red cup") });
    assert_eq!(response.mode, Mode::Hybrid);
    assert!(!response.approximate);
    assert_eq!(response.total, 2, "rows in either list");
    let best = &response.memories[0];
    assert_eq!((best.memory.id, best.score), (cup, 1.0));
    assert_eq!((best.why.word_rank, best.why.vector_rank), (1, 1));
    assert_eq!(best.why.matched_words, ["red", "cup"]);
    assert!(best.why.word_score > 0.0);
    assert!(best.why.similarity.is_some_and(|similarity| similarity > 0.5));
    assert_eq!((best.why.source_weight, best.why.trust_weight), (1.0, 1.0));
    assert!(response.plan.contains("collections default"), "{}", response.plan);
    assert!(response.query_ms > 0.0);
}

#[test]
fn the_mode_tells_what_the_answer_was_made_from() {
    let words = Robot::words_only();
    words.learn("The red cup needs more force");
    assert_eq!(words.recall("red").mode, Mode::Bm25Only);
    assert_eq!(words.recall("nothing of it").mode, Mode::Bm25Only);

    let robot = Robot::new();
    robot.learn_with("The red cup needs more force", r#"{"at": [1]}"#);
    assert_eq!(robot.recall("unheard words").mode, Mode::VecOnly);
    let nearest = RecallRequest { spatial_sort: spatial("at", &[0.0], 0.0), ..Default::default() };
    assert_eq!(robot.call::<Recall>(nearest).mode, Mode::SpatialOnly);
    let filtered = RecallRequest { context_filter: r#"{"at": [1]}"#.into(), ..Default::default() };
    assert_eq!(robot.call::<Recall>(filtered).mode, Mode::FilterOnly);
}

#[test]
fn chinese_words_are_found_without_spaces() {
    let robot = Robot::words_only();
    let id = robot.learn("机器人的备用电池放在第二个抽屉里").memory_id;
    robot.learn("红色杯子需要更大的力");
    assert_eq!(ids(&robot.recall("电池")), [id]);
    assert_eq!(ids(&robot.recall("备用电池在哪里")), [id]);
}

#[test]
fn data_of_the_real_robot_counts_one_and_a_half_times() {
    let robot = Robot::words_only();
    let simulated =
        robot.learn_with("grip force nine for the mug", r#"{"env": {"sim_or_real": "sim"}}"#);
    let real = robot
        .learn_with("grip force seven for this old mug", r#"{"env": {"sim_or_real": "real"}}"#);
    let response = robot.recall("grip force mug");
    assert_eq!(ids(&response), [real, simulated]);
    assert_eq!(response.memories[0].why.source_weight, 1.5);
    assert_eq!(response.memories[0].why.word_rank, 2, "words alone would put it second");
}

#[test]
fn low_trust_weighs_less() {
    let robot = Robot::words_only();
    let hearsay = robot.call::<Learn>(LearnRequest {
        insight: "grip mug softly always with soft pads".into(),
        source: "web_scrape".into(),
        ..Default::default()
    });
    let first_hand = robot.learn("grip the old mug softly, its handle is loose and it is heavy");
    let response = robot.recall("grip mug softly");
    assert_eq!(ids(&response), [first_hand.memory_id, hearsay.memory_id]);
    assert!(response.memories[1].why.trust_weight < 1.0);
}

#[test]
fn equal_rows_come_in_order_of_id_and_the_same_question_gets_the_same_answer() {
    let robot = Robot::new();
    let made: Vec<i64> = (0..20).map(|_| robot.perceive("a red cup on the table", "")).collect();
    let ask = || {
        let request = RecallRequest { n: 20, diversity: false, ..query("red cup") };
        robot.call::<Recall>(request)
    };
    assert_eq!(ids(&ask()), made);
    assert_eq!(ids(&ask()), ids(&ask()));
}

#[test]
fn context_filters_compare_by_type_and_never_fail_the_call() {
    let robot = Robot::words_only();
    let rows = [
        r#"{"task": {"success": true}, "params": {"force": {"value": 12.5}}, "robot": {"type": "UR5e"}}"#,
        r#"{"task": {"success": 1}, "params": {"force": {"value": "12.5"}}}"#,
        r#"{"task": {"success": false}, "params": {"force": {"value": 20}}}"#,
        r#"{"task": {"success": null}, "params": {"force": null}}"#,
        r#"{"task": "success"}"#,
        "",
    ];
    let made: Vec<i64> = rows.iter().map(|context| robot.perceive("it gripped", context)).collect();
    let cases: [(&str, &[usize]); 10] = [
        (r#"{"task.success": true}"#, &[0]),
        (r#"{"task.success": 1}"#, &[1]),
        (r#"{"task.success": {"$ne": true}}"#, &[2]),
        (r#"{"task.success": null}"#, &[3]),
        (r#"{"params.force.value": {"$lt": 15.0}}"#, &[0]),
        (r#"{"params.force.value": {"$gte": 12.5, "$lte": 20}}"#, &[0, 2]),
        (r#"{"params.force.value": {"$gt": 12.5}}"#, &[2]),
        (r#"{"params.force.value": {"$ne": 12.5}}"#, &[2]),
        (r#"{"robot.type": "UR5e", "task.success": true}"#, &[0]),
        (r#"{"no.such.path": {"$ne": 1}}"#, &[]),
    ];
    for (filter, expected) in cases {
        let response = robot.call::<Recall>(RecallRequest {
            context_filter: filter.into(),
            order: "oldest".into(),
            ..Default::default()
        });
        let expected: Vec<i64> = expected.iter().map(|place| made[*place]).collect();
        assert_eq!(ids(&response), expected, "{filter}");
        assert_eq!(response.total, expected.len() as u64, "{filter}");
    }
}

#[test]
fn a_spatial_sort_leaves_out_other_dimensions_frames_and_maps() {
    let robot = Robot::new();
    let at = |position: &str, frame: &str, map: &str| {
        let context = format!(
            r#"{{"spatial": {{"object_position": {position}, "frame": "{frame}", "map_id": "{map}"}}}}"#
        );
        robot.perceive("saw the cup", &context)
    };
    let near = at("[1, 2, 3]", "map", "floor-1");
    let far = at("[1, 2, 4]", "map", "floor-1");
    let other_frame = at("[1, 2, 3]", "odom", "floor-1");
    at("[1, 2]", "map", "floor-1");
    at(r#"["1", 2, 3]"#, "map", "floor-1");
    at("[]", "map", "floor-2");
    robot.perceive("saw the cup somewhere", "");

    let sort = || spatial("spatial.object_position", &[1.0, 2.0, 3.1], 0.0);
    let all = robot.call::<Recall>(RecallRequest { spatial_sort: sort(), ..Default::default() });
    assert_eq!(ids(&all), [near, other_frame, far]);
    assert_eq!(all.total, 3);
    let distance = all.memories[0].spatial_distance.expect("a distance");
    assert!((distance - 0.1).abs() < 1e-9, "{distance}");

    let in_map = robot.call::<Recall>(RecallRequest {
        spatial_sort: sort(),
        frame: "map".into(),
        map_id: "floor-1".into(),
        ..Default::default()
    });
    assert_eq!(ids(&in_map), [near, far]);
    let close = robot.call::<Recall>(RecallRequest {
        spatial_sort: spatial("spatial.object_position", &[1.0, 2.0, 3.0], 0.5),
        ..Default::default()
    });
    assert_eq!(ids(&close), [near, other_frame]);
}

#[test]
fn a_spatial_sort_with_a_query_is_still_nearest_first_over_all() {
    let robot = Robot::new();
    let cup = robot.learn_with("the red cup slipped", r#"{"at": [3.0]}"#);
    let kettle = robot.learn_with("the kettle is hot", r#"{"at": [1.0]}"#);
    let response = robot.call::<Recall>(RecallRequest {
        spatial_sort: spatial("at", &[0.0], 0.0),
        ..query("red cup")
    });
    assert_eq!(ids(&response), [kettle, cup]);
    assert_eq!(response.memories[1].score, 1.0, "the score still tells which one was meant");
}

#[test]
fn filters_on_session_time_level_confidence_and_collection_hold() {
    let robot = Robot::new();
    let session = robot.start_session();
    let in_session = robot.learn_in(&session, "the cup is red");
    robot.sleep_days(1.0);
    let core = robot.call::<Learn>(LearnRequest {
        insight: "the cup is made of glass".into(),
        level: "core".into(),
        ..Default::default()
    });
    let elsewhere = robot.call::<Learn>(LearnRequest {
        insight: "because `cup()` in src/cup.rs broke, the cup fell".into(),
        collection: "lab".into(),
        ..Default::default()
    });
    let ask = |request: RecallRequest| ids(&robot.call::<Recall>(request));
    let all = || RecallRequest { collections: vec!["*".into()], ..Default::default() };
    assert_eq!(ask(RecallRequest { session_id: session, ..all() }), [in_session]);
    let late = Some(START.plus_days(0.5));
    assert_eq!(ask(RecallRequest { since: late, ..all() }), [elsewhere.memory_id, core.memory_id]);
    assert_eq!(ask(RecallRequest { until: late, ..all() }), [in_session]);
    assert_eq!(ask(RecallRequest { levels: vec!["core".into()], ..all() }), [core.memory_id]);
    let sure = RecallRequest { min_confidence: 0.9, collections: vec!["*".into()], ..query("cup") };
    assert_eq!(ask(sure), [elsewhere.memory_id]);
    let both = RecallRequest {
        collections: vec!["lab".into(), "default".into()],
        since: Some(Stamp(1)),
        ..Default::default()
    };
    assert_eq!(ask(both).len(), 3);
    assert_eq!(ask(RecallRequest { collection: "none".into(), ..query("cup") }), [] as [i64; 0]);
}

#[test]
fn min_similarity_takes_out_what_is_less_similar_from_both_lists() {
    let robot = Robot::new();
    let cup = robot.learn("red cup").memory_id;
    robot.learn("red lamp with a long cable behind the shelf of the kitchen");
    let response = robot.call::<Recall>(RecallRequest { min_similarity: 0.9, ..query("red cup") });
    assert_eq!(ids(&response), [cup]);
    assert_eq!(response.total, 1);
    let words = Robot::words_only();
    words.learn("red cup");
    let none = words.call::<Recall>(RecallRequest { min_similarity: 0.1, ..query("red cup") });
    assert_eq!(none.total, 0, "a row without a vector has similarity 0");
}

#[test]
fn exact_compares_with_the_vectors_on_disk_and_agrees() {
    let robot = Robot::new();
    for number in 0..300 {
        robot.perceive(&format!("saw cup number {number} in room {}", number % 7), "");
    }
    let ask =
        |exact| robot.call::<Recall>(RecallRequest { exact, n: 20, ..query("cup 17 in room 3") });
    assert_eq!(ids(&ask(true)), ids(&ask(false)));
    let similarity = |exact| ask(exact).memories[0].why.similarity.expect("a similarity");
    assert!((similarity(true) - similarity(false)).abs() < 1e-5);
}

#[test]
fn a_hit_raises_the_access_count() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    robot.recall("cup");
    robot.sleep_days(1.0);
    robot.recall("cup");
    robot.engine.upkeep().expect("upkeep");
    let memory = robot.recall("cup").memories[0].memory.clone();
    assert_eq!(memory.access_count, 2);
    assert_eq!(memory.last_accessed, Some(START.plus_days(1.0)));
}

#[test]
fn bad_requests_name_the_field() {
    let robot = Robot::new();
    let filter = |context_filter: &str| RecallRequest {
        context_filter: context_filter.into(),
        ..Default::default()
    };
    let eleven: String =
        (0..11).map(|number| format!(r#""a{number}": 1"#)).collect::<Vec<_>>().join(",");
    let sort = |field: &str, target: &[f64], max_distance| RecallRequest {
        spatial_sort: spatial(field, target, max_distance),
        ..Default::default()
    };
    let cases = [
        (RecallRequest::default(), "query"),
        (query("  "), "query"),
        (query(&"x".repeat(2_001)), "query"),
        (query("a\0b"), "query"),
        (RecallRequest { n: 0, ..query("x") }, "n:"),
        (RecallRequest { n: 101, ..query("x") }, "n:"),
        (RecallRequest { min_confidence: 1.1, ..query("x") }, "min_confidence"),
        (RecallRequest { min_confidence: f64::NAN, ..query("x") }, "min_confidence"),
        (RecallRequest { min_similarity: f64::NAN, ..query("x") }, "min_similarity"),
        (RecallRequest { min_similarity: 2.0, ..query("x") }, "min_similarity"),
        (filter("[]"), "context_filter"),
        (filter("{"), "context_filter"),
        (filter(r#"{"a": {"$in": [1]}}"#), "context_filter"),
        (filter(r#"{"a": {"lt": 1}}"#), "context_filter"),
        (filter(r#"{"a": {}}"#), "context_filter"),
        (filter(r#"{"": 1}"#), "context_filter"),
        (filter(&format!("{{{eleven}}}")), "context_filter"),
        (sort("", &[1.0], 0.0), "spatial_sort.field"),
        (sort("at", &[], 0.0), "spatial_sort.target"),
        (sort("at", &[0.0; 17], 0.0), "spatial_sort.target"),
        (sort("at", &[f64::NAN], 0.0), "spatial_sort.target"),
        (sort("at", &[1.0], -1.0), "spatial_sort.max_distance"),
        (sort("at", &[1.0], f64::INFINITY), "spatial_sort.max_distance"),
        (RecallRequest { levels: vec!["deep".into()], ..query("x") }, "levels"),
        (RecallRequest { collections: vec!["*".into(), "a".into()], ..query("x") }, "collections"),
        (RecallRequest { collections: vec![String::new()], ..query("x") }, "collections"),
        (
            RecallRequest { collection: "a".into(), collections: vec!["b".into()], ..query("x") },
            "collections",
        ),
        (RecallRequest { scope: "room:1".into(), ..query("x") }, "scope"),
        (RecallRequest { scope: "cross:".into(), ..query("x") }, "scope"),
        (RecallRequest { order: "best".into(), ..query("x") }, "order"),
        (RecallRequest { ranking: "magic".into(), ..query("x") }, "ranking"),
        (RecallRequest { like_memory_id: 1, ..query("x") }, "like_memory_id"),
        (RecallRequest { window: vec![1.0], ..query("x") }, "window"),
        (RecallRequest { since: Some(START), until: Some(START), ..query("x") }, "since"),
    ];
    for (request, field) in cases {
        let (kind, message) = robot.refused::<Recall>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument, "{message}");
        assert!(message.starts_with(field), "{message} does not name {field}");
    }
    let unknown = RecallRequest { session_id: "none such".into(), ..query("x") };
    assert_eq!(robot.refused::<Recall>(unknown).0, ErrorKind::NotFound);
}

#[test]
fn plain_rrf_has_the_documented_scores() {
    let robot = Robot::new();
    robot.learn("the red cup needs more force");
    robot.learn("a cup of tea");
    robot.learn("red paint on the door");
    let response =
        robot.call::<Recall>(RecallRequest { ranking: "rrf".into(), ..query("red cup") });
    let score = |word: u32, vector: u32| {
        let term = |rank: u32| if rank == 0 { 0.0 } else { 1.0 / (60.0 + f64::from(rank)) };
        term(word) + term(vector)
    };
    let raw: Vec<f64> =
        response.memories.iter().map(|hit| score(hit.why.word_rank, hit.why.vector_rank)).collect();
    for (hit, raw_score) in response.memories.iter().zip(&raw) {
        assert!((hit.score - raw_score / raw[0]).abs() < 1e-12);
    }
}

#[test]
fn perceptions_show_their_type() {
    let robot = Robot::new();
    robot.call::<SavePerception>(SavePerceptionRequest {
        description: "heard a click".into(),
        perception_type: "auditory".into(),
        ..Default::default()
    });
    let memory = &robot.recall("click").memories[0].memory;
    assert_eq!(memory.perception_type.map(|kind| kind.as_str()), Some("auditory"));
}

#[test]
fn a_row_of_both_lists_is_counted_once_however_far_down_it_is() {
    let robot = Robot::new();
    for number in 0..200 {
        robot.perceive(&format!("The cup on shelf {number} is clean"), "");
    }
    for ranking in ["", "rrf"] {
        let request = RecallRequest {
            query: "clean cup".into(),
            ranking: ranking.into(),
            ..Default::default()
        };
        assert_eq!(robot.call::<Recall>(request).total, 200, "{ranking:?}");
    }
}
