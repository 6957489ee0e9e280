//! What was archived is taken back.

use crate::robot::{Robot, ids, sql};
use crate::scope_work::{do_jobs, get, note, robot, with_workers};
use robot_memory_core::api::{
    ErrorKind, Forget, ForgetRequest, Learn, LearnRequest, Recall, RecallRequest, RestoreMemory,
    RestoreMemoryRequest, RunMaintenance, RunMaintenanceRequest,
};
use robot_memory_core::model::{LedgerChange, Level, Status};
use std::sync::atomic::Ordering;

const SAID: &str = "Tray 3 was carried to the door";

fn archive_all(robot: &Robot) {
    robot.sleep_days(100.0);
    robot.call::<RunMaintenance>(RunMaintenanceRequest {
        mode: "weekly".into(),
        scope: "global".into(),
        ..Default::default()
    });
    do_jobs(robot);
}

/// A robot whose only memory of this text is archived.
fn archived(robot: &Robot) -> i64 {
    let id = note(robot, "global", "", SAID);
    archive_all(robot);
    assert_eq!(get(robot, id).memory.status, Status::Archived);
    id
}

fn restore(memory_id: i64) -> RestoreMemoryRequest {
    RestoreMemoryRequest { memory_id, ..Default::default() }
}

#[test]
fn it_is_found_again_by_words_and_by_meaning() {
    let robot = robot();
    let id = archived(&robot);
    let other = note(&robot, "global", "", "The lid lies under the bench");
    assert!(!ids(&robot.recall("tray carried")).contains(&id));
    let restored = robot.call::<RestoreMemory>(RestoreMemoryRequest {
        reason: "the audit asks for it".into(),
        ..restore(id)
    });
    assert_eq!((restored.memory_id, restored.status), (id, Status::Active));
    assert_eq!((restored.level, restored.has_embedding), (Level::Knowledge, true));
    assert_eq!(ids(&robot.recall("tray carried"))[0], id);
    let near = robot.call::<Recall>(RecallRequest {
        query: SAID.into(),
        min_similarity: 0.9,
        ..Default::default()
    });
    assert_eq!(ids(&near), [id]);
    let found = get(&robot, id);
    let entry = found.ledger.last().expect("an entry");
    assert_eq!(
        (entry.change, entry.cause.as_str()),
        (LedgerChange::Restored, "the audit asks for it")
    );
    assert_eq!(found.memory.restored_at, Some(robot.clock_now()));
    assert_eq!(found.retention, 0.5, "its age counts from now");
    let before = found.memory.confidence;
    robot.sleep_days(50.0);
    archive_others(&robot);
    let found = get(&robot, id);
    assert_eq!(found.memory.status, Status::Active);
    assert!((found.memory.confidence - before * 0.99_f64.powi(50)).abs() < 1e-9);
    assert_eq!(get(&robot, other).memory.status, Status::Active);
}

fn archive_others(robot: &Robot) {
    robot.call::<RunMaintenance>(RunMaintenanceRequest {
        mode: "weekly".into(),
        scope: "global".into(),
        ..Default::default()
    });
    do_jobs(robot);
}

#[test]
fn only_what_is_archived_is_restored() {
    let robot = robot();
    let active = note(&robot, "global", "", "The lid lies under the bench");
    let (kind, message) = robot.refused::<RestoreMemory>(restore(active));
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(message.contains("is active, only archived memories"), "{message}");
    let withdrawn = note(&robot, "global", "", "The pan hangs on the wall");
    let request =
        ForgetRequest { memory_id: withdrawn, reason: "wrong".into(), ..Default::default() };
    robot.call::<Forget>(request);
    let (kind, message) = robot.refused::<RestoreMemory>(restore(withdrawn));
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(message.contains("is invalidated"), "{message}");
    assert_eq!(robot.refused::<RestoreMemory>(restore(99)).0, ErrorKind::NotFound);

    let id = archived(&robot);
    let refusal = |reason: String| {
        robot.refused::<RestoreMemory>(RestoreMemoryRequest { reason, ..restore(id) })
    };
    let (kind, message) = refusal("x".repeat(201));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.contains("at most 200 characters, got 201"), "{message}");
    let (_, message) = refusal("password: hunter2".into());
    assert!(!message.contains("hunter2"), "{message}");
    assert_eq!(get(&robot, id).memory.status, Status::Archived);
    robot.call::<RestoreMemory>(restore(id));
    assert_eq!(robot.refused::<RestoreMemory>(restore(id)).0, ErrorKind::InvalidState);
}

const POLICY: &str = "
agents:
  - names: [reader]
    read: all
  - names: [blind]
    read: ['group:cell-7']
    write: all
";

#[test]
fn it_takes_visibility_and_the_right_to_write() {
    let robot = Robot::with(|config| {
        with_workers(config);
        config.access = Some(POLICY.into());
    });
    let id = archived(&robot);
    let by = |agent: &str| RestoreMemoryRequest { agent: agent.into(), ..restore(id) };
    assert_eq!(robot.refused::<RestoreMemory>(by("reader")).0, ErrorKind::Forbidden);
    let (kind, message) = robot.refused::<RestoreMemory>(by("blind"));
    assert_eq!(kind, ErrorKind::NotFound);
    assert_eq!(message, format!("memory_id: there is no memory {id}"));
}

#[test]
fn after_a_restart_and_without_an_embedder_it_comes_back_too() {
    let robot = robot();
    let id = archived(&robot);
    let later = note(&robot, "global", "", "The lid lies under the bench");
    let robot = robot.restart_with(with_workers);
    robot.plug_in_embedder();
    robot.embedder_broken.store(true, Ordering::SeqCst);
    assert!(!robot.call::<RestoreMemory>(restore(id)).has_embedding);
    assert_eq!(ids(&robot.recall("tray carried")), [id]);
    assert_eq!(ids(&robot.recall("lid bench")), [later]);
    robot.embedder_broken.store(false, Ordering::SeqCst);
    for _ in 0..3 {
        robot.engine.upkeep().expect("upkeep");
    }
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory_vector"), 2);
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 0);
}

#[test]
fn a_working_memory_of_an_ended_session_is_knowledge() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    let request = LearnRequest {
        insight: "The cup stands on the table".into(),
        session_id: session.clone(),
        level: "working".into(),
        ..Default::default()
    };
    let id = robot.call::<Learn>(request).memory_id;
    robot.end_session(&session);
    let restored = robot.call::<RestoreMemory>(restore(id));
    assert_eq!((restored.level, restored.has_embedding), (Level::Knowledge, false));
    let found = get(&robot, id);
    let changes: Vec<LedgerChange> = found.ledger.iter().map(|entry| entry.change).collect();
    use LedgerChange::{Archived, Promoted, Restored};
    assert_eq!(changes, [Archived, Restored, Promoted]);
    assert_eq!(ids(&robot.recall("cup")), [id]);
}

#[test]
fn beside_a_twin_that_was_learned_meanwhile_there_are_two() {
    let robot = Robot::with(with_workers);
    let request = |mem_type: &str| LearnRequest {
        insight: SAID.into(),
        mem_type: mem_type.into(),
        ..Default::default()
    };
    let id = robot.call::<Learn>(request("procedure")).memory_id;
    robot.sleep_days(200.0);
    archive_all(&robot);
    let twin = robot.call::<Learn>(request("procedure")).memory_id;
    assert_ne!(twin, 0, "what is archived is not there for a duplicate");
    robot.call::<RestoreMemory>(restore(id));
    let request = RecallRequest { query: "tray carried".into(), ..Default::default() };
    let both = RecallRequest { diversity: false, ..request.clone() };
    let mut found = ids(&robot.call::<Recall>(both));
    found.sort_unstable();
    assert_eq!(found, [id, twin]);
    // They are shown as one unless all are asked for.
    let shown = robot.call::<Recall>(request).memories;
    let shown: Vec<(i64, u32)> =
        shown.iter().map(|hit| (hit.memory.id, hit.similar_count)).collect();
    assert_eq!(shown, [(twin, 1)]);
}
