//! What is done for the memories of a scope while nobody waits.

use crate::robot::{Robot, sql};
use crate::scope_work::{Kill, do_jobs, get, robot, with_workers, work_steps};
use robot_memory_core::api::{Learn, LearnRequest, RunMaintenance, RunMaintenanceRequest};
use robot_memory_core::model::{JobStatus, JobType, Status, SupersededRule};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tempfile::TempDir;

fn learn(robot: &Robot, scope: &str, collection: &str, insight: &str) -> i64 {
    let request = LearnRequest {
        insight: insight.into(),
        scope: scope.into(),
        collection: collection.into(),
        ..Default::default()
    };
    let learned = robot.call::<Learn>(request);
    assert_ne!(learned.memory_id, 0, "{insight} is a duplicate of {}", learned.existing_id);
    learned.memory_id
}

fn maintain(robot: &Robot) -> i64 {
    let request = RunMaintenanceRequest {
        mode: "weekly".into(),
        scope: "group".into(),
        scope_id: "cell-7".into(),
        ..Default::default()
    };
    robot.call::<RunMaintenance>(request).job_id
}

/// How many of what a step did in all scopes together.
pub fn total(report: &Value, step: &str, what: &str) -> u64 {
    report["totals"][step][what].as_u64().unwrap_or(0)
}

/// Two that say the same, the better one second, and one that does not.
const SAYINGS: [&str; 3] = [
    "glass cup slips out of gripper",
    "glass cup slips out of gripper in `grip`",
    "kettle hangs above sink on hook",
];

#[test]
fn one_scope_is_looked_after_and_no_other() {
    let robot = Robot::with(with_workers);
    let scope = "group:cell-7";
    let own = SAYINGS.map(|insight| learn(&robot, scope, "", insight));
    // Too few of this collection to be merged, as at the end of a session.
    let few = [SAYINGS[0], SAYINGS[1]].map(|insight| learn(&robot, scope, "few", insight));
    let other = SAYINGS.map(|insight| learn(&robot, "group:cell-8", "", insight));
    let rule = learn(&robot, scope, "", "The grip force must never exceed 15 N");
    robot.sleep_days(10.0);
    maintain(&robot);
    let report = do_jobs(&robot).remove(0).1;
    assert_eq!((&report["mode"], &report["scope"]), (&"weekly".into(), &"group:cell-7".into()));
    assert_eq!(
        (&report["scope_count"], &report["scopes"][0]["scope"]),
        (&1.into(), &report["scope"])
    );
    assert_eq!((total(&report, "merge", "superseded"), total(&report, "fade", "faded")), (1, 4));
    let merged = get(&robot, own[0]);
    assert_eq!(merged.memory.superseded_by, Some(own[1]));
    assert_eq!(merged.superseded_rule, Some(SupersededRule::Consolidation));
    for id in own[1..].iter().chain(&few).chain(&other).chain([&rule]) {
        assert_eq!(get(&robot, *id).memory.status, Status::Active);
    }
    let confidence = |id: i64| get(&robot, id).memory.confidence;
    assert!((confidence(own[2]) - 0.8 * 0.99_f64.powi(10)).abs() < 1e-9);
    assert_eq!((confidence(other[2]), confidence(rule)), (0.8, 0.8));

    // What the first run wrote fades once itself.
    maintain(&robot);
    do_jobs(&robot);
    maintain(&robot);
    let again = do_jobs(&robot).remove(0).1;
    assert_eq!((total(&again, "merge", "superseded"), total(&again, "fade", "faded")), (0, 0));
    assert_eq!(
        (&again["quiet_scopes"], &again["scopes"][0]["scope"]),
        (&1.into(), &again["scope"])
    );
}

#[test]
fn missing_vectors_of_the_scope_are_filled_in_and_a_kill_costs_nothing() {
    let robot = Robot::with(with_workers);
    for number in 0..70 {
        learn(&robot, "group:cell-7", "", &format!("Crate {number} stands in hall {number}"));
    }
    learn(&robot, "global", "", "The door is open");
    robot.plug_in_embedder();
    maintain(&robot);
    let folder = Arc::new(TempDir::new().expect("a folder"));
    let lease = robot.engine.claim_job(0).expect("it can be claimed").expect("a job");
    let kill = Kill::after(1, robot.store_path(), folder.path());
    robot.engine.work(&lease, &kill).expect("the other life goes on");
    let robot = Robot::at(folder, with_workers);
    robot.plug_in_embedder();
    let report = do_jobs(&robot).remove(0).1;
    assert_eq!(total(&report, "complete", "embedded"), 70);
    let count: i64 = sql(&robot.store_path(), "SELECT count(*) FROM memory_vector");
    assert_eq!(count, 70);
}

fn job_count(robot: &Robot) -> i64 {
    sql(&robot.store_path(), "SELECT count(*) FROM job")
}

#[test]
fn many_missing_vectors_are_a_job_that_is_queued_once() {
    let robot = Robot::with(with_workers);
    for number in 0..100 {
        robot.learn(&format!("cup number {number} is red"));
    }
    robot.plug_in_embedder();
    for _ in 0..3 {
        assert!(!robot.engine.upkeep().expect("upkeep"), "the job does the rest");
    }
    assert_eq!(job_count(&robot), 1);
    let handed_back = work_steps(&robot, 1).expect("a job");
    assert_eq!((handed_back.job_type, handed_back.status), (JobType::Embed, JobStatus::Pending));
    assert_eq!((handed_back.progress.done, handed_back.progress.total), (64, 100));
    let (_, report) = do_jobs(&robot).remove(0);
    assert_eq!(report, json!({"embedded": 100, "not_embedded": 0}));
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 0);
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(job_count(&robot), 1);
}

#[test]
fn few_missing_vectors_are_filled_in_at_once() {
    let robot = Robot::with(with_workers);
    robot.learn("the cup is red");
    robot.plug_in_embedder();
    robot.engine.upkeep().expect("upkeep");
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 0);
    assert_eq!(job_count(&robot), 0);
}

#[test]
fn a_broken_embedder_queues_no_job_after_job() {
    let robot = robot();
    robot.embedder_broken.store(true, Ordering::SeqCst);
    for number in 0..40 {
        robot.learn(&format!("cup number {number} is red"));
    }
    for _ in 0..3 {
        robot.engine.upkeep().expect("upkeep");
    }
    assert_eq!(job_count(&robot), 0);
    robot.embedder_broken.store(false, Ordering::SeqCst);
    for _ in 0..3 {
        robot.engine.upkeep().expect("upkeep");
        do_jobs(&robot);
    }
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 0);
    assert!(job_count(&robot) <= 1);
}
