//! Copies of the store that are made while others write.

use crate::robot::{Robot, sql};
use crate::steps::{Unhurried, do_jobs};
use robot_memory_core::api::{
    Backup, BackupRequest, ClearMemories, ClearMemoriesRequest, DeleteMemory, DeleteMemoryRequest,
    ErrorKind,
};
use robot_memory_core::model::{Job, JobStatus};
use robot_memory_engine::{Config, JobControl, JobDecision, MachineClock};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

/// Noon of 2026-11-22.
const NOON_MILLIS: i64 = 1_795_348_800_000;
const DAY_MILLIS: i64 = 86_400_000;

/// A robot with workers, and its machine's clock.
fn robot() -> (Robot, Arc<AtomicI64>) {
    let clock = Arc::new(AtomicI64::new(NOON_MILLIS));
    let now = Arc::clone(&clock);
    let robot = Robot::with(|config: &mut Config| {
        config.jobs.has_workers = true;
        config.jobs.clock = MachineClock::new(move || now.load(Ordering::SeqCst));
    });
    (robot, clock)
}

fn back_up(robot: &Robot) -> Job {
    let queued = robot.call::<Backup>(BackupRequest::default());
    assert!(queued.created);
    do_jobs(robot).into_iter().find(|job| job.id == queued.job_id).expect("it was done")
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

fn names(robot: &Robot) -> Vec<String> {
    robot.engine.backups().into_iter().map(|backup| backup.name).collect()
}

#[test]
fn the_job_makes_a_whole_private_copy_and_says_what_is_in_it() {
    let (robot, _) = robot();
    robot.plug_in_embedder();
    for number in 0..30 {
        robot.perceive(&format!("saw cup number {number} on the table"), "");
    }
    let job = back_up(&robot);
    assert_eq!(job.status, JobStatus::Succeeded, "{}", job.last_error);
    let result: serde_json::Value = serde_json::from_str(&job.result).expect("JSON");
    let name = "robot_memory-2026-11-22T120000Z.db";
    assert_eq!(result["name"], name);
    assert_eq!((&result["memory_count"], &result["verified"]), (&30.into(), &true.into()));
    let folder = robot.engine.backups_folder();
    assert_eq!(folder, robot.store_path().with_file_name("memory.db.backups"));
    let path = folder.join(name);
    assert_eq!((mode(&path), mode(&folder)), (0o600, 0o700));
    assert_eq!(sql::<i64>(&path, "SELECT count(*) FROM memory_vector"), 30);
    assert_eq!(sql::<String>(&path, "PRAGMA integrity_check"), "ok");
    assert_eq!(sql::<String>(&path, "PRAGMA journal_mode"), "delete", "it is one file");
    let listed = robot.engine.backups();
    assert_eq!(listed.len(), 1);
    assert!(listed[0].is_verified);
    let version = sql(&robot.store_path(), "PRAGMA user_version");
    assert_eq!((listed[0].memory_count, listed[0].schema_version), (30, version));
    assert_eq!(listed[0].bytes, std::fs::metadata(&path).expect("bytes").len());
}

#[test]
fn a_copy_is_of_one_moment_while_others_write() {
    let (robot, _) = robot();
    for number in 0..400 {
        robot.perceive(&format!("saw cup number {number} on the table"), &"x".repeat(0));
    }
    let before: i64 = sql(&robot.store_path(), "SELECT count(*) FROM memory");
    let mut steps = 0;
    let made = robot.engine.make_backup(None, &mut |_, _| {
        // A commit between any two steps does not let it begin anew.
        robot.learn(&format!("box {steps} weighs {steps} kg"));
        steps += 1;
        ControlFlow::Continue(())
    });
    let made = made.expect("it is made").expect("nobody stopped it");
    assert_eq!(made.memory_count, u64::try_from(before).expect("few"));
    let after: i64 = sql(&robot.store_path(), "SELECT count(*) FROM memory");
    assert!(after >= before && steps >= 0);
}

#[test]
fn one_that_is_stopped_or_handed_back_leaves_nothing() {
    struct HandsBack(AtomicU32);
    impl JobControl for HandsBack {
        fn between_steps(&self) -> JobDecision {
            if self.0.fetch_add(1, Ordering::SeqCst) > 0 {
                JobDecision::On
            } else {
                JobDecision::Yield
            }
        }
    }
    let (robot, _) = robot();
    let data = format!("[{}0]", "0,".repeat(100_000));
    for number in 0..20 {
        robot.call::<robot_memory_core::api::SavePerception>(
            robot_memory_core::api::SavePerceptionRequest {
                description: format!("contact number {number}"),
                data: data.clone(),
                ..Default::default()
            },
        );
    }
    let queued = robot.call::<Backup>(BackupRequest::default());
    let again = robot.call::<Backup>(BackupRequest::default());
    assert_eq!((again.job_id, again.created), (queued.job_id, false));
    let lease = robot.engine.claim_job(0).expect("asked").expect("a job");
    let job = robot.engine.work(&lease, &HandsBack(AtomicU32::new(0))).expect("worked on");
    assert_eq!(job.status, JobStatus::Pending);
    let folder = robot.engine.backups_folder();
    let left = || std::fs::read_dir(&folder).map_or(0, Iterator::count);
    assert_eq!(left(), 0);
    let lease = robot.engine.claim_job(0).expect("asked").expect("a job");
    assert!(robot.engine.stop_job(queued.job_id).expect("asked"));
    let job = robot.engine.work(&lease, &Unhurried).expect("worked on");
    assert_eq!(job.status, JobStatus::Cancelled);
    assert_eq!(left(), 0);
}

#[test]
fn old_ones_go_and_a_clock_that_jumps_does_not_take_all() {
    let (robot, clock) = robot();
    robot.learn("the cup is red");
    for day in 0..12 {
        clock.store(NOON_MILLIS + day * DAY_MILLIS, Ordering::SeqCst);
        assert_eq!(back_up(&robot).status, JobStatus::Succeeded);
    }
    assert_eq!(names(&robot).len(), 12, "the files are new, whatever their names say");
    let age = |days: u64| {
        for name in names(&robot) {
            let path = robot.engine.backups_folder().join(name);
            let file = std::fs::File::options().write(true).open(path).expect("a file");
            let then = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 86_400);
            file.set_modified(then).expect("it is set");
        }
    };
    age(30);
    clock.store(NOON_MILLIS + 12 * DAY_MILLIS, Ordering::SeqCst);
    let job = back_up(&robot);
    assert!(job.result.contains("\"removed_count\":5"), "{}", job.result);
    assert_eq!(names(&robot)[0], "robot_memory-2026-12-04T120000Z.db");
    assert_eq!(names(&robot).len(), 8, "that of seven days ago is not older than seven days");
    age(30);
    clock.store(NOON_MILLIS + 9_000 * DAY_MILLIS, Ordering::SeqCst);
    back_up(&robot);
    assert_eq!(names(&robot).len(), 7);
}

#[test]
fn who_may_order_one_and_what_it_needs() {
    let (robot, _) = robot();
    let request = BackupRequest { agent: "skill_grip".into() };
    assert_eq!(robot.refused::<Backup>(request).0, ErrorKind::Forbidden);
    let without = Robot::words_only();
    let (kind, message) = without.refused::<Backup>(BackupRequest::default());
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(message.contains("job_workers"), "{message}");
}

#[test]
fn deleting_says_until_when_backups_hold_it() {
    let (robot, _) = robot();
    let first = robot.learn_with("the cup is red", "");
    let second = robot.learn_with("the drill needs 12 V", "");
    let delete = |memory_id| {
        let request = DeleteMemoryRequest { memory_id, ..Default::default() };
        robot.call::<DeleteMemory>(request).backups_until
    };
    assert_eq!(delete(first), None);
    back_up(&robot);
    let until = delete(second).expect("there is a backup");
    assert_eq!(until.0, (NOON_MILLIS + 7 * DAY_MILLIS) * 1_000_000);
    let cleared = robot.call::<ClearMemories>(ClearMemoriesRequest {
        level: "knowledge".into(),
        collection: "default".into(),
        ..Default::default()
    });
    assert_eq!(cleared.backups_until, Some(until));
}
