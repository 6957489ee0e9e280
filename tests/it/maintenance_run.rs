//! Runs of maintenance over every scope, and what is reported of them.

use crate::maintenance::total;
use crate::robot::{Robot, sql};
use crate::scope_work::{Kill, do_jobs, get, with_workers};
use robot_memory_core::api::{
    CommitTurn, CommitTurnRequest, ErrorKind, Learn, LearnRequest, MaintenanceMode, RunMaintenance,
    RunMaintenanceRequest,
};
use robot_memory_core::model::{JobScope, JobStatus, JobType, Status};
use robot_memory_engine::{Config, JobControl, JobDecision, MaintenanceReports};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Two that say the same, and one that does not.
const SAYINGS: [&str; 3] = [
    "glass cup slips out of gripper",
    "glass cup slips out of gripper in `grip`",
    "kettle hangs above sink on hook",
];

pub fn learn(robot: &Robot, scope: &str, insight: &str) -> i64 {
    let request =
        LearnRequest { insight: insight.into(), scope: scope.into(), ..Default::default() };
    robot.call::<Learn>(request).memory_id
}

pub fn run(robot: &Robot, mode: &str, dry_run: bool) -> i64 {
    let request = RunMaintenanceRequest { mode: mode.into(), dry_run, ..Default::default() };
    robot.call::<RunMaintenance>(request).job_id
}

/// Three scopes, of which one needs nothing; the ids of the first.
fn world(robot: &Robot) -> [i64; 3] {
    for scope in ["group:cell-7", "agent:arm"] {
        for saying in SAYINGS {
            learn(robot, scope, saying);
        }
    }
    learn(robot, "session:s1", "The lamp is red");
    SAYINGS.map(|saying| learn(robot, "global", saying))
}

fn scopes(report: &Value) -> Vec<&str> {
    let scopes = report["scopes"].as_array().expect("a list");
    scopes.iter().filter_map(|scope| scope["scope"].as_str()).collect()
}

#[test]
fn every_scope_is_looked_after_in_order_and_never_across() {
    let robot = Robot::with(with_workers);
    let own = world(&robot);
    assert_eq!(run(&robot, "daily", false), 1);
    let report = do_jobs(&robot).remove(0).1;
    assert_eq!(scopes(&report), ["agent:arm", "global", "group:cell-7"]);
    assert_eq!((&report["scope_count"], &report["quiet_scopes"]), (&4.into(), &1.into()));
    assert_eq!((&report["scope"], &report["dry_run"]), (&"all".into(), &false.into()));
    // The same is said in three scopes, and stays in each.
    assert_eq!(total(&report, "merge", "superseded"), 3);
    let status = own.map(|id| get(&robot, id).memory.status);
    assert_eq!(status, [Status::Superseded, Status::Active, Status::Active]);
    assert!(report["totals"]["fade"].is_null(), "a daily run lets nothing fade");

    run(&robot, "weekly", false);
    let again = do_jobs(&robot).remove(0).1;
    assert_eq!((&again["scope_count"], total(&again, "merge", "superseded")), (&4.into(), 0));
    let runs: i64 =
        sql(&robot.store_path(), "SELECT count(*) FROM maintenance_run WHERE report <> ''");
    let parts: i64 = sql(&robot.store_path(), "SELECT count(*) FROM maintenance_part");
    assert_eq!((runs, parts), (2, 0));
    let state = robot.engine.schedule_state().expect("it is known");
    let now = Some(robot.clock_now());
    assert_eq!((state.last_daily_at, state.last_weekly_at), (now, now));
    assert_eq!(state.next_daily_at, None, "it is off");
}

#[test]
fn an_empty_store_is_looked_after_too() {
    let robot = Robot::with(with_workers);
    run(&robot, "weekly", false);
    let report = do_jobs(&robot).remove(0).1;
    assert_eq!((&report["scope_count"], scopes(&report).len()), (&0.into(), 0));
}

fn revision(robot: &Robot) -> i64 {
    sql(&robot.store_path(), "SELECT revision FROM store_state")
}

/// Commits of the next run, and its report.
fn counted(robot: &Robot, mode: &str) -> (i64, Value) {
    run(robot, mode, false);
    let before = revision(robot);
    let report = do_jobs(robot).remove(0).1;
    (revision(robot) - before, report)
}

#[test]
fn scopes_with_nothing_to_do_are_noted_together() {
    const SCOPES: i64 = 300;
    let robot = Robot::with(with_workers);
    for number in 0..SCOPES {
        let kind = ["session", "group", "agent"][number as usize % 3];
        learn(&robot, &format!("{kind}:s{number}"), &format!("bin {number} holds M4 bolts"));
    }
    // Nothing is like what came: the comparisons of many scopes begin, and end, in one commit each.
    let (commits, report) = counted(&robot, "daily");
    let scope_counts =
        |report: &Value| (report["scope_count"].as_i64(), report["quiet_scopes"].as_i64());
    assert_eq!(scope_counts(&report), (Some(SCOPES), Some(SCOPES)));
    assert!(commits < 20, "{commits} commits for what is new in {SCOPES} scopes");
    let left = "SELECT count(*) FROM maintenance_state WHERE compared_upto < comparing_upto";
    assert_eq!(sql::<i64>(&robot.store_path(), left), 0);
    for again in 0..2 {
        let (commits, report) = counted(&robot, "daily");
        assert_eq!(scope_counts(&report), (Some(SCOPES), Some(SCOPES)));
        assert!(commits < 12, "{commits} commits for nothing, run {again}");
    }
    counted(&robot, "weekly");
    let (commits, report) = counted(&robot, "weekly");
    assert_eq!(scope_counts(&report), (Some(SCOPES), Some(SCOPES)));
    assert!(commits < 12, "{commits} commits for nothing in a weekly run");

    // One that has something to do is found among the others.
    for saying in SAYINGS {
        learn(&robot, "session:s150", saying);
    }
    let (commits, report) = counted(&robot, "daily");
    assert_eq!(scopes(&report), ["session:s150"]);
    assert_eq!((scope_counts(&report).0, total(&report, "merge", "superseded")), (Some(SCOPES), 1));
    assert!(commits < 20, "{commits} commits for one scope");
}

/// Hands over a step of an attempt before the given step of a job.
struct Interrupted<'a> {
    robot: &'a Robot,
    session_id: &'a str,
    steps: AtomicUsize,
    at: usize,
}

impl JobControl for Interrupted<'_> {
    fn between_steps(&self) -> JobDecision {
        if self.steps.fetch_add(1, Ordering::SeqCst) + 1 == self.at {
            self.robot.call::<CommitTurn>(CommitTurnRequest {
                session_id: self.session_id.into(),
                turn_no: 1,
                text: "The green tray is on shelf 4.".into(),
                ..Default::default()
            });
            // The step has waited for longer than the run when that goes back into the queue.
            std::thread::sleep(Duration::from_millis(5));
        }
        JobDecision::On
    }
}

#[test]
fn a_step_that_comes_during_a_run_is_taken_in_between() {
    let whole = Robot::with(with_workers);
    world(&whole);
    run(&whole, "daily", false);
    let expected = do_jobs(&whole).remove(0).1;
    for at in 1..9 {
        let robot = Robot::with(with_workers);
        world(&robot);
        let session_id = robot.start_session();
        run(&robot, "daily", false);
        let lease = robot.engine.claim_job(0).expect("it can be claimed").expect("a job");
        let steps = AtomicUsize::new(0);
        let control = Interrupted { robot: &robot, session_id: &session_id, steps, at };
        let job = robot.engine.work(&lease, &control).expect("it is worked on");
        assert!(control.steps.load(Ordering::SeqCst) >= at, "it took no {at} steps");
        assert_eq!((job.status, job.attempt_count), (JobStatus::Pending, 0), "step {at}");
        let done = do_jobs(&robot);
        let kinds: Vec<JobType> = done.iter().map(|(job, _)| job.job_type).collect();
        assert_eq!(kinds, [JobType::IngestTurn, JobType::Maintenance], "step {at}");
        let report = &done[1].1;
        for step in ["merge", "judge"] {
            assert_eq!(report["totals"][step], expected["totals"][step], "step {at}");
        }
    }
}

#[test]
fn a_run_that_is_killed_goes_on_where_it_was() {
    let whole = Robot::with(with_workers);
    world(&whole);
    run(&whole, "weekly", false);
    let expected = do_jobs(&whole).remove(0).1;
    for steps in [1, 2, 3, 4, 6, 8] {
        let robot = Robot::with(with_workers);
        world(&robot);
        run(&robot, "weekly", false);
        let folder = Arc::new(TempDir::new().expect("a folder"));
        let lease = robot.engine.claim_job(0).expect("it can be claimed").expect("a job");
        let kill = Kill::after(steps, robot.store_path(), folder.path());
        robot.engine.work(&lease, &kill).expect("the other life goes on");
        if !folder.path().join("memory.db").exists() {
            break;
        }
        let robot = Robot::at(folder, with_workers);
        let report = do_jobs(&robot).remove(0).1;
        assert_eq!(report, expected, "killed after {steps} steps");
    }
}

#[test]
fn work_on_everything_is_for_those_who_may_do_everything() {
    let robot = Robot::with(|config: &mut Config| {
        with_workers(config);
        config.access = Some(
            "agents:\n  - names: [keeper]\n    read: [\"*\"]\n    write: [\"*\"]\n  - names: [reader]\n    \
             read: [\"*\"]\n"
                .into(),
        );
    });
    robot.learn("The lamp is red");
    let request = |agent: &str| RunMaintenanceRequest { agent: agent.into(), ..Default::default() };
    let (kind, message) = robot.refused::<RunMaintenance>(request("reader"));
    assert_eq!(kind, ErrorKind::Forbidden, "{message}");
    assert!(robot.call::<RunMaintenance>(request("keeper")).created);
}

/// Names and permissions of the files in a folder.
fn files(folder: &Path) -> Vec<(String, u32)> {
    let mut files: Vec<(String, u32)> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| {
            let entry = entry.expect("a file");
            let mode = entry.metadata().expect("it is there").permissions().mode() & 0o777;
            (entry.file_name().to_string_lossy().into_owned(), mode)
        })
        .collect();
    files.sort();
    files
}

fn folder(robot: &Robot) -> PathBuf {
    PathBuf::from(format!("{}.maintenance", robot.store_path().display()))
}

#[test]
fn a_report_is_written_beside_the_store_and_told_once() {
    let robot = Robot::with(with_workers);
    let reports: MaintenanceReports = robot.engine.maintenance_reports(8);
    world(&robot);
    run(&robot, "daily", false);
    let (job, result) = do_jobs(&robot).remove(0);
    let folder = folder(&robot);
    let stem = format!("2025-06-15T150640Z-daily-job{}", job.id);
    assert_eq!(files(&folder), [(format!("{stem}.json"), 0o600), (format!("{stem}.md"), 0o600)]);
    let mode = std::fs::metadata(&folder).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode, 0o700);
    let json = std::fs::read_to_string(folder.join(format!("{stem}.json"))).expect("UTF-8");
    assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON"), result);
    let markdown = std::fs::read_to_string(folder.join(format!("{stem}.md"))).expect("UTF-8");
    for text in [&json, &markdown] {
        assert!(!text.contains("gripper"), "a report holds text of a memory: {text}");
    }
    let published = reports.next(Duration::ZERO);
    assert_eq!(published.len(), 1);
    let published = &published[0];
    assert_eq!(
        (published.job_id, published.mode, published.dry_run),
        (job.id, MaintenanceMode::Daily, false)
    );
    assert_eq!((&published.scope, published.success), (&JobScope::All, true));
    assert_eq!((&published.markdown, published.folder.as_ref()), (&markdown, Some(&folder)));
    robot.engine.schedule().expect("nothing is due");
    assert!(reports.next(Duration::ZERO).is_empty());
}

#[test]
fn a_report_that_could_not_be_written_is_written_at_the_next_start() {
    let robot = Robot::with(with_workers);
    let reports = robot.engine.maintenance_reports(8);
    let folder = folder(&robot);
    std::fs::write(&folder, "in the way").expect("it is written");
    world(&robot);
    run(&robot, "daily", false);
    let (job, _) = do_jobs(&robot).remove(0);
    assert_eq!(job.status, JobStatus::Succeeded, "the run itself is done");
    assert_eq!(reports.next(Duration::ZERO)[0].folder, None);
    std::fs::remove_file(&folder).expect("it is removed");
    let robot = robot.restart_with(with_workers);
    robot.engine.schedule().expect("it is written");
    assert_eq!(files(&folder).len(), 2);
    let left: i64 = sql(&robot.store_path(), "SELECT count(*) FROM maintenance_untold");
    assert_eq!(left, 0);
}
