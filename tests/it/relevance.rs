//! How relevant hits are to the query, and answers that leave out what is not relevant enough.

use crate::robot::{Robot, ids};
use robot_memory_core::api::{ErrorKind, Recall, RecallRequest, SpatialSort};
use std::collections::BTreeMap;

/// A store with one row that answers, some that share a word with the question, and many that have nothing of it.
fn workshop() -> (Robot, i64) {
    let robot = Robot::new();
    let place = |x: u32| format!(r#"{{"spatial": {{"position": [{x}.0, 0.0, 0.0]}}}}"#);
    let mut answer = 0;
    for number in 0..30 {
        robot.sleep_days(0.5);
        match number {
            7 => {
                let text = "The torque wrench hangs in the third drawer of the cabinet";
                answer = robot.perceive(text, &place(7));
            }
            12 => {
                robot.perceive("The wrench set came with the new lathe", &place(12));
            }
            _ => {
                robot.perceive(
                    &format!("Pallet {number} went to the yard without a stop"),
                    &place(number),
                );
            }
        }
    }
    (robot, answer)
}

const QUERY: &str = "in which drawer of the cabinet is the torque wrench";

fn asked(robot: &Robot, request: RecallRequest) -> robot_memory_core::api::RecallResponse {
    robot.call::<Recall>(RecallRequest { query: QUERY.into(), ..request })
}

#[test]
fn what_answers_is_more_relevant_than_what_only_shares_a_word() {
    let (robot, answer) = workshop();
    for ranking in ["", "rrf"] {
        let found = asked(&robot, RecallRequest { ranking: ranking.into(), ..Default::default() });
        let relevance: Vec<f64> = found.memories.iter().map(|hit| hit.why.relevance).collect();
        assert_eq!(found.memories[0].memory.id, answer);
        assert!(relevance.iter().all(|it| (0.0..=1.0).contains(it)), "{relevance:?}");
        assert!(relevance[0] > 0.5, "{relevance:?}");
        assert!(relevance[1..].iter().all(|it| *it < 0.2), "{relevance:?}");
    }
    // What only has a word of a question is likely no answer to it.
    let found = robot.recall("at how many revolutions does the lathe turn brass sleeves");
    assert!(found.memories.iter().all(|hit| hit.why.relevance < 0.5), "{found:?}");
    // Without a query nothing is relevant.
    let listed = robot
        .call::<Recall>(RecallRequest { types: vec!["perception".into()], ..Default::default() });
    assert!(listed.memories.iter().all(|hit| hit.why.relevance == 0.0));
}

#[test]
fn what_is_not_relevant_enough_is_left_out_and_not_counted() {
    let (robot, answer) = workshop();
    let everything = asked(&robot, RecallRequest { n: 100, ..Default::default() });
    let mut relevance: BTreeMap<i64, f64> = BTreeMap::new();
    relevance.extend(everything.memories.iter().map(|hit| (hit.memory.id, hit.why.relevance)));
    for min_relevance in [0.001, 0.02, 0.05, 0.5, 0.999] {
        let found = asked(&robot, RecallRequest { n: 100, min_relevance, ..Default::default() });
        let expected: Vec<i64> =
            ids(&everything).into_iter().filter(|id| relevance[id] >= min_relevance).collect();
        assert_eq!(ids(&found), expected, "{min_relevance}");
        assert_eq!(found.total as usize, expected.len(), "{min_relevance}");
    }
    // What is left is what is sorted, counted and placed.
    let likely = RecallRequest { min_relevance: 0.5, ..Default::default() };
    let newest = asked(&robot, RecallRequest { order: "newest".into(), ..likely.clone() });
    assert_eq!((ids(&newest), newest.total), (vec![answer], 1));
    let counted = asked(&robot, RecallRequest { count_by: "day".into(), ..likely.clone() });
    assert_eq!(counted.counts.iter().map(|day| day.count).sum::<u64>(), 1);
    let nearest = SpatialSort {
        field: "spatial.position".into(),
        target: vec![0.0, 0.0, 0.0],
        ..Default::default()
    };
    let placed = asked(&robot, RecallRequest { spatial_sort: Some(nearest), ..likely });
    assert_eq!((ids(&placed), placed.total), (vec![answer], 1));
    // No row is an answer to everything. The vectors of these tests are alike where letters are.
    let query = "谁下周过生日".to_owned();
    let nothing = RecallRequest { query, min_relevance: 0.5, ..Default::default() };
    let found = robot.call::<Recall>(nothing);
    assert_eq!((ids(&found), found.total), (Vec::new(), 0));
}

#[test]
fn the_bound_is_between_nothing_and_certainty_and_needs_a_query() {
    let robot = Robot::new();
    let refused = |request: RecallRequest| {
        let (kind, message) = robot.refused::<Recall>(request);
        assert_eq!(kind, ErrorKind::InvalidArgument);
        message
    };
    for min_relevance in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        let message =
            refused(RecallRequest { query: QUERY.into(), min_relevance, ..Default::default() });
        assert!(message.starts_with("min_relevance: must be"), "{message}");
    }
    let message = refused(RecallRequest {
        min_relevance: 0.5,
        types: vec!["fact".into()],
        ..Default::default()
    });
    assert_eq!(message, "min_relevance: needs a query to be relevant to");
}

#[test]
fn relevance_does_not_depend_on_what_the_caller_may_not_see() {
    let (robot, answer) = workshop();
    let before = asked(&robot, RecallRequest { agent: "picker".into(), ..Default::default() });
    for number in 0..20 {
        robot.call::<robot_memory_core::api::Learn>(robot_memory_core::api::LearnRequest {
            insight: format!("Crate {number} stays beside the gate"),
            scope: "agent:driver".into(),
            ..Default::default()
        });
    }
    let after = asked(&robot, RecallRequest { agent: "picker".into(), ..Default::default() });
    assert_eq!(ids(&before), ids(&after));
    let of = |found: &robot_memory_core::api::RecallResponse| found.memories[0].why.relevance;
    assert_eq!(after.memories[0].memory.id, answer);
    // Only how rare a word is among all rows is told, as by the score.
    assert!((of(&before) - of(&after)).abs() < 0.1, "{} {}", of(&before), of(&after));
}
