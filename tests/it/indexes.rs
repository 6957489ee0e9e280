//! An answer is the same, whether the indexes are in memory or still being built.

use crate::robot::{Robot, ids};
use robot_memory_core::api::{
    Forget, ForgetRequest, Learn, LearnRequest, Recall, RecallRequest, RecallResponse, SpatialSort,
    Update, UpdateRequest,
};
use std::sync::atomic::{AtomicBool, Ordering};

const OBJECTS: [&str; 9] =
    ["cup", "bottle", "plate", "tray", "M8x40 bolt", "wrench", "glass", "box", "杯子"];
const PLACES: [&str; 7] = ["sink", "shelf", "table", "drawer", "dock", "door", "货架"];

fn fill(robot: &Robot, count: usize) {
    for number in 0..count {
        let (object, place) = (OBJECTS[number % 9], PLACES[number % 7]);
        let context = format!(
            r#"{{"spatial": {{"p": [{}, {}]}}, "params": {{"force": {}}}}}"#,
            number % 13,
            number % 11,
            number % 17
        );
        robot.perceive(&format!("The {object} at the {place} weighed {number} g"), &context);
    }
}

fn requests() -> Vec<RecallRequest> {
    let mut requests = Vec::new();
    for query in ["cup at the sink", "bolts M8x40", "杯子在货架", "weighed 12 g", "the of", ""]
    {
        for ranking in ["", "rrf"] {
            let asked = RecallRequest {
                query: query.into(),
                ranking: ranking.into(),
                min_confidence: 0.0,
                n: 9,
                ..Default::default()
            };
            requests.push(RecallRequest {
                context_filter: r#"{"params.force": {"$lt": 9}}"#.into(),
                ..asked.clone()
            });
            requests.push(RecallRequest {
                spatial_sort: Some(SpatialSort {
                    field: "spatial.p".into(),
                    target: vec![4.0, 4.0],
                    max_distance: 3.0,
                    ..SpatialSort::default()
                }),
                ..asked.clone()
            });
            if !query.is_empty() {
                requests.push(RecallRequest { min_similarity: 0.2, ..asked.clone() });
                requests.push(RecallRequest { order: "newest".into(), ..asked.clone() });
                requests.push(asked);
            }
        }
    }
    requests
}

fn without_time(response: RecallResponse) -> RecallResponse {
    RecallResponse { query_ms: 0.0, ..response }
}

/// What two ways of computing a cosine may leave between them.
fn assert_same(left: &RecallResponse, right: &RecallResponse, request: &RecallRequest) {
    assert_eq!(ids(left), ids(right), "{request:?}");
    assert_eq!((left.total, left.mode), (right.total, right.mode), "{request:?}");
    for (a, b) in left.memories.iter().zip(&right.memories) {
        assert!((a.score - b.score).abs() < 1e-4, "{request:?}: {} {}", a.score, b.score);
        assert_eq!(a.why.matched_words, b.why.matched_words, "{request:?}");
        let similarity = |s: Option<f64>| s.unwrap_or(9.0);
        assert!(
            (similarity(a.why.similarity) - similarity(b.why.similarity)).abs() < 1e-5,
            "{request:?}"
        );
    }
}

#[test]
fn an_answer_from_disk_is_the_answer_from_memory() {
    let indexed = Robot::new();
    fill(&indexed, 150);
    let on_disk = Robot::with(|config| config.index_bytes_max = 1);
    on_disk.plug_in_embedder();
    fill(&on_disk, 150);
    while on_disk.engine.upkeep().expect("upkeep") {}
    assert!(indexed.engine.health().expect("health").indexes_ready);
    assert!(!on_disk.engine.health().expect("health").indexes_ready);
    for request in requests() {
        let memory = without_time(indexed.call::<Recall>(request.clone()));
        let disk = without_time(on_disk.call::<Recall>(request.clone()));
        assert_same(&memory, &disk, &request);
        let exact = RecallRequest { exact: true, ..request.clone() };
        assert_same(&memory, &without_time(indexed.call::<Recall>(exact)), &request);
    }
}

#[test]
fn an_index_that_is_built_while_rows_come_and_go_misses_none_of_it() {
    let robot = Robot::new();
    fill(&robot, 200);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut round = 0;
            while !done.load(Ordering::SeqCst) {
                round += 1;
                let id = robot.perceive(&format!("The lamp blinked {round} times"), "");
                robot.call::<Update>(UpdateRequest {
                    memory_id: id,
                    new_content: format!("The lantern blinked {round} times"),
                    ..Default::default()
                });
                if round % 3 == 0 {
                    robot.call::<Forget>(ForgetRequest {
                        memory_id: id,
                        reason: "a reflection".into(),
                        ..Default::default()
                    });
                }
            }
        });
        // Each time all vectors are indexed again, and the first time the column and the points.
        for _ in 0..20 {
            robot.plug_in_embedder();
            for request in requests() {
                robot.call::<Recall>(request);
            }
        }
        done.store(true, Ordering::SeqCst);
    });
    let restarted = {
        let answers: Vec<RecallResponse> =
            requests().into_iter().map(|request| robot.call::<Recall>(request)).collect();
        let lamps =
            robot.recall("lamp").memories.iter().filter(|hit| hit.why.word_rank > 0).count();
        assert_eq!(lamps, 0, "the former words of a changed row are still found");
        let robot = robot.restart();
        for (before, request) in answers.into_iter().zip(requests()) {
            let after = robot.call::<Recall>(request.clone());
            assert_same(&before, &after, &request);
        }
        robot
    };
    assert!(restarted.recall("lantern blinked").total > 0);
}

#[test]
fn facts_that_differ_by_a_number_are_told_apart_however_many_there_are() {
    let robot = Robot::new();
    let learn = |grams: u32| {
        robot.call::<Learn>(LearnRequest {
            insight: format!("The plate on the shelf weighs {grams} grams"),
            ..Default::default()
        })
    };
    for grams in 100..300 {
        assert_ne!(learn(grams).memory_id, 0, "{grams}");
    }
    assert_ne!(learn(250).existing_id, 0);
}
