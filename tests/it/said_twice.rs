//! What a step says once is answered once.

use crate::robot::Robot;
use crate::scope_work::do_jobs;
use robot_memory_core::api::{CommitTurn, CommitTurnRequest, Recall, RecallRequest};
use robot_memory_core::model::Kind;

/// What is answered to a query in the branch of a session with these steps, best first.
fn answered(turns: &[&str], query: &str, n: u32) -> Vec<(Kind, String)> {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    robot.plug_in_embedder();
    let session_id = robot.start_session();
    for (turn_no, text) in (1..).zip(turns) {
        robot.call::<CommitTurn>(CommitTurnRequest {
            session_id: session_id.clone(),
            turn_no,
            text: (*text).into(),
            ..Default::default()
        });
        do_jobs(&robot);
    }
    let found = robot.call::<Recall>(RecallRequest {
        query: query.into(),
        scope: format!("branch:{session_id}/main"),
        n,
        ..Default::default()
    });
    found.memories.into_iter().map(|hit| (hit.memory.kind, hit.memory.content)).collect()
}

#[test]
fn a_summary_of_one_fact_is_not_answered_beside_it() {
    for (text, query) in
        [("The spoon is on shelf B2.", "where is the spoon"), ("勺子在二号架上。", "勺子在哪里")]
    {
        for n in [1, 5] {
            let found = answered(&[text], query, n);
            let kinds: Vec<Kind> = found.iter().map(|(kind, _)| *kind).collect();
            assert_eq!(kinds, [Kind::Fact], "{text}, {n}: {found:?}");
        }
    }
    // Of two steps each is answered, and each once.
    let steps = ["The spoon is on shelf B2.", "The spoon is made of steel."];
    let found = answered(&steps, "the spoon", 5);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|(kind, _)| *kind == Kind::Fact), "{found:?}");
}
