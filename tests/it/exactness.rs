//! Filters and spatial sorts hold for the whole store, not for the best few of a text search.

use crate::robot::{Robot, ids};
use robot_memory_core::api::{Recall, RecallRequest, SpatialSort};

const MEMORIES: usize = 10_000;
const MATCHING: usize = 134;

/// 10 000 memories that all fit the query, 134 of which match the filter.
fn crowded() -> (Robot, Vec<i64>, Vec<[f64; 3]>) {
    let robot = Robot::words_only();
    let mut matching = Vec::new();
    let mut points = Vec::new();
    for number in 0..MEMORIES {
        let is_match = number % 75 == 7 && matching.len() < MATCHING;
        let n = number as f64;
        let point = [(n * 0.37) % 9.0, (n * 0.53) % 7.0, (n * 0.11) % 2.0];
        let context = format!(
            r#"{{"task": {{"success": {is_match}}}, "spatial": {{"object_position": {point:?}}}}}"#
        );
        let id = robot.perceive(&format!("grip force for cup {number} was measured"), &context);
        points.push(point);
        if is_match {
            matching.push(id);
        }
    }
    assert_eq!(matching.len(), MATCHING);
    (robot, matching, points)
}

#[test]
fn filters_and_nearest_are_right_among_ten_thousand() {
    let (robot, matching, points) = crowded();
    for with_embedder in [false, true] {
        if with_embedder {
            robot.plug_in_embedder();
            for _ in 0..MEMORIES {
                if !robot.engine.upkeep().expect("upkeep") {
                    break;
                }
            }
        }
        for query in ["grip force cup", "measured", ""] {
            let response = robot.call::<Recall>(RecallRequest {
                query: query.into(),
                context_filter: r#"{"task.success": true}"#.into(),
                ..Default::default()
            });
            assert_eq!(response.memories.len(), 5, "{query}");
            assert!(ids(&response).iter().all(|id| matching.contains(id)), "{query}");
            assert_eq!(response.total, MATCHING as u64, "{query}");
        }
        for (step, query) in ["grip force cup", "", "something else entirely"].iter().enumerate() {
            let s = step as f64;
            let target = [1.7 + s, 3.3 - s, 0.4];
            let response = robot.call::<Recall>(RecallRequest {
                query: (*query).into(),
                spatial_sort: Some(SpatialSort {
                    field: "spatial.object_position".into(),
                    target: target.to_vec(),
                    max_distance: 0.0,
                    ..SpatialSort::default()
                }),
                ..Default::default()
            });
            let mut by_distance: Vec<(f64, i64)> = points
                .iter()
                .zip(1..)
                .map(|(point, id)| {
                    let squares = point.iter().zip(&target).map(|(a, b)| (a - b) * (a - b));
                    (squares.sum::<f64>().sqrt(), id)
                })
                .collect();
            by_distance.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let nearest: Vec<i64> = by_distance.iter().take(5).map(|(_, id)| *id).collect();
            assert_eq!(ids(&response), nearest, "{query}");
        }
    }
}
