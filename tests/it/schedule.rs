//! What is due by the clock is queued once, and when it may be.

use crate::robot::Robot;
use crate::scope_work::{do_jobs, with_workers};
use robot_memory_core::api::{
    Learn, LearnRequest, ListJobs, ListJobsRequest, RunMaintenance, RunMaintenanceRequest,
};
use robot_memory_core::model::{Job, JobStatus, Stamp};
use robot_memory_engine::{Config, DailyAt, JobControl, JobDecision, WeeklyAt};
use serde_json::json;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Noon and some of a Sunday, in UTC.
const SUNDAY: Stamp = crate::robot::START;

pub fn scheduled(config: &mut Config) {
    with_workers(config);
    config.maintenance.daily_at = Some(DailyAt::parse("03:00").expect("a time"));
    config.maintenance.weekly_at = Some(WeeklyAt::parse("sun 04:00").expect("a time"));
    config.backups.daily_at = Some(DailyAt::parse("02:30").expect("a time"));
}

/// What is in the queue or was, in order: type, and mode of maintenance.
fn queued(robot: &Robot) -> Vec<String> {
    let request = ListJobsRequest { sort_order: "asc".into(), ..Default::default() };
    let jobs = robot.call::<ListJobs>(request).jobs;
    let name = |payload: &str| ["daily", "weekly"].into_iter().find(|mode| payload.contains(mode));
    jobs.iter()
        .map(|shown| name(&shown.job.payload).unwrap_or(shown.job.job_type.as_str()).to_owned())
        .collect()
}

/// Moves the clock to so many days and hours after the midnight before the start.
fn at(robot: &Robot, day: i64, time: &str) {
    let (hour, minute) = time.split_once(':').expect("a time");
    let minutes =
        hour.parse::<i64>().expect("hours") * 60 + minute.parse::<i64>().expect("minutes");
    let midnight = SUNDAY.0 - SUNDAY.0.rem_euclid(86_400_000_000_000);
    robot.clock.set(Stamp(midnight + (day * 1440 + minutes) * 60_000_000_000));
    for _ in 0..3 {
        robot.engine.schedule().expect("it is queued");
    }
}

/// A robot that has been on for a while.
fn robot() -> Robot {
    let robot = Robot::with(scheduled);
    robot.learn("The lamp is red");
    robot.engine.schedule().expect("nothing is due");
    assert_eq!(queued(&robot), [""; 0], "nothing is missed in a new store");
    robot
}

#[test]
fn each_time_that_is_due_is_served_once_also_over_restarts() {
    let robot = robot();
    let expected = [
        (1, "02:29", vec![]),
        (1, "02:30", vec!["backup"]),
        (1, "02:59", vec!["backup"]),
        (1, "03:00", vec!["backup", "daily"]),
        (1, "23:00", vec!["backup", "daily"]),
    ];
    for (day, time, jobs) in expected {
        at(&robot, day, time);
        assert_eq!(queued(&robot), jobs, "{day} {time}");
    }
    let robot = robot.restart_with(scheduled);
    at(&robot, 1, "23:30");
    assert_eq!(queued(&robot), ["backup", "daily"]);
    let state = robot.engine.schedule_state().expect("it is known");
    let shown = [state.next_backup_at, state.next_daily_at, state.next_weekly_at]
        .map(|next| next.expect("it is on").rfc_3339());
    assert_eq!(shown, ["2025-06-17T02:30:00Z", "2025-06-17T03:00:00Z", "2025-06-22T04:00:00Z"]);
}

#[test]
fn what_was_missed_is_done_once_and_the_weekly_run_serves_both() {
    let robot = robot();
    robot.engine.close().expect("it closes");
    let robot = robot.restart_with(scheduled);
    // Off from Sunday to the Monday after the next.
    at(&robot, 8, "09:00");
    assert_eq!(queued(&robot), ["backup", "weekly"]);
    at(&robot, 9, "03:00");
    assert_eq!(queued(&robot), ["backup", "weekly", "daily"], "the first backup waits still");
}

#[test]
fn maintenance_waits_for_the_end_of_the_session_and_backups_do_not() {
    let robot = robot();
    let session = robot.start_session();
    at(&robot, 1, "03:10");
    assert_eq!(queued(&robot), ["backup"]);
    let next = robot.engine.schedule_state().expect("it is known").next_daily_at;
    assert_eq!(next.expect("it is on").rfc_3339(), "2025-06-16T03:00:00Z");
    robot.end_session(&session);
    at(&robot, 1, "03:11");
    assert_eq!(queued(&robot), ["backup", "daily"]);
}

#[test]
fn maintenance_that_has_begun_makes_way_for_a_session_and_is_done_after_it() {
    let robot = robot();
    for scope in ["group:a", "group:b", "group:c"] {
        let insight = format!("The lamp of {scope} is red");
        let scope = scope.into();
        robot.call::<Learn>(LearnRequest { insight, scope, ..Default::default() });
    }
    at(&robot, 1, "02:30");
    do_jobs(&robot);
    at(&robot, 1, "03:00");
    let session = OnceLock::new();
    let begins = BeginsSession { robot: &robot, session: &session, left: AtomicUsize::new(8) };
    let job = work(&robot, &begins);
    assert_eq!(job.status, JobStatus::Succeeded);
    let report = report_of(&job);
    let done = report["scope_count"].as_u64().expect("a count");
    assert!((2..4).contains(&done), "{report}");
    assert_eq!(report["notes"].as_object().map(|notes| notes.len()), Some(1));
    let state = || robot.engine.schedule_state().expect("it is known");
    assert_eq!(state().last_daily_at, None);
    assert_eq!(state().next_daily_at.expect("it is on").rfc_3339(), "2025-06-16T03:00:00Z");
    at(&robot, 1, "03:10");
    assert_eq!(queued(&robot), ["backup", "daily"]);

    robot.end_session(session.get().expect("it began"));
    at(&robot, 1, "03:20");
    assert_eq!(queued(&robot), ["backup", "daily", "daily"]);
    let rest = report_of(&work(&robot, &Always));
    // The scope in which it was is looked after again.
    let left = rest["scope_count"].as_u64().expect("a count");
    assert!(left < 4 && left + done >= 4, "{done} and {left}");
    assert_eq!(rest["notes"], json!({}));
    at(&robot, 1, "23:00");
    assert_eq!(queued(&robot), ["backup", "daily", "daily"]);
    assert_eq!(state().next_daily_at.expect("it is on").rfc_3339(), "2025-06-17T03:00:00Z");

    // The next night all are looked after; one that is asked for, also during a session.
    at(&robot, 2, "03:00");
    do_jobs(&robot);
    let jobs = robot.call::<ListJobs>(ListJobsRequest::default()).jobs;
    assert_eq!(report_of(&jobs[0].job)["scope_count"], 4);
    robot.start_session();
    let mode = "daily".into();
    robot.call::<RunMaintenance>(RunMaintenanceRequest { mode, ..Default::default() });
    let asked = report_of(&work(&robot, &Always));
    assert_eq!((&asked["scope_count"], &asked["notes"]), (&json!(4), &json!({})));
}

fn report_of(job: &Job) -> serde_json::Value {
    serde_json::from_str(&job.result).expect("JSON")
}

/// Begins a session in the middle of a job.
struct BeginsSession<'r> {
    robot: &'r Robot,
    session: &'r OnceLock<String>,
    left: AtomicUsize,
}

impl JobControl for BeginsSession<'_> {
    fn between_steps(&self) -> JobDecision {
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.session.set(self.robot.start_session()).expect("one");
        }
        JobDecision::On
    }
}

struct Always;

impl JobControl for Always {
    fn between_steps(&self) -> JobDecision {
        JobDecision::On
    }
}

fn work(robot: &Robot, control: &dyn JobControl) -> Job {
    let lease = robot.engine.claim_job(0).expect("the store is well").expect("a job waits");
    robot.engine.work(&lease, control).expect("it is noted")
}

#[test]
fn a_session_that_a_crash_left_open_holds_nothing_up() {
    let robot = robot();
    robot.start_session();
    let clock = robot.clock_now();
    drop(robot.engine.close());
    let robot = robot.restart_with(scheduled);
    robot.clock.set(clock);
    at(&robot, 1, "03:10");
    assert_eq!(queued(&robot), ["backup", "daily"]);
}

#[test]
fn without_workers_nothing_is_queued() {
    let robot = Robot::with(|config| {
        scheduled(config);
        config.jobs.has_workers = false;
    });
    for day in 0..3 {
        at(&robot, day, "05:00");
    }
    assert_eq!(queued(&robot), [""; 0]);
}

#[test]
fn a_clock_that_is_put_right_serves_no_date_twice_and_one_that_jumped_none() {
    let robot = robot();
    at(&robot, 1, "03:00");
    at(&robot, 1, "02:20");
    at(&robot, 1, "03:01");
    assert_eq!(queued(&robot), ["backup", "daily"]);
    at(&robot, 900, "05:00");
    assert_eq!(queued(&robot), ["backup", "daily"], "the clock is held for wrong");
    at(&robot, 2, "03:00");
    assert_eq!(queued(&robot), ["backup", "daily"], "the same work waits still");
}

#[test]
fn a_scheduled_run_is_done_like_any_other() {
    let robot = Robot::with(|config| {
        scheduled(config);
        config.backups.daily_at = None;
    });
    robot.learn("The lamp is red");
    robot.engine.schedule().expect("nothing is due");
    for day in 1..4 {
        at(&robot, day, "03:00");
        let report = do_jobs(&robot).remove(0).1;
        at(&robot, day, "03:05");
        assert_eq!(queued(&robot).len(), usize::try_from(day).expect("a number"), "once a date");
        assert_eq!((&report["mode"], &report["scope_count"]), (&"daily".into(), &1.into()));
    }
}
