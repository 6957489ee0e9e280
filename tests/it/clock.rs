//! A clock that jumps makes nothing forgotten, and is believed again when it is right.

use crate::robot::{Robot, START, sql};
use crate::scope_work::{do_jobs, get, note, with_workers, work_steps};
use robot_memory_core::api::{RunMaintenance, RunMaintenanceRequest};
use robot_memory_core::model::{JobStatus, Stamp, Status};
use robot_memory_engine::ClockState;

fn order(robot: &Robot) {
    robot.call::<RunMaintenance>(RunMaintenanceRequest {
        mode: "weekly".into(),
        scope: "global".into(),
        ..Default::default()
    });
}

/// As the schedule does, which says nothing of the clock. Answers the report.
fn run_by_schedule(robot: &Robot) -> String {
    order(robot);
    let store = rusqlite::Connection::open(robot.store_path()).expect("the file opens");
    let sql = "UPDATE job SET payload = json_remove(payload, '$.asked_for') \
         WHERE finished_at IS NULL";
    assert_eq!(store.execute(sql, []).expect("changed"), 1);
    drop(store);
    let job = work_steps(robot, usize::MAX).expect("a job");
    assert_eq!(job.status, JobStatus::Succeeded, "{}", job.last_error);
    job.result
}

fn last_now(robot: &Robot) -> Stamp {
    Stamp(sql(&robot.store_path(), "SELECT last_now FROM store_state"))
}

#[test]
fn nothing_is_forgotten_while_the_clock_is_wrong() {
    // Days from the last write, and what is said of the clock.
    let cases = [
        (-1.0 / 24.0, "steady"),
        (-0.99, "steady"),
        (-1.01, "jumped"),
        (-365.0, "jumped"),
        (-20_000.0, "jumped"),
        (1.0, "steady"),
        (366.0, "steady"),
        (367.0, "jumped"),
        (400.0, "jumped"),
        (18_262.0, "jumped"),
        (80_000.0, "jumped"),
    ];
    for (days, expected) in cases {
        let robot = Robot::with(with_workers);
        let log = note(&robot, "global", "", "Tray 3 was carried to the door");
        let fact = robot.learn_with("The cup stands on the table", "");
        robot.clock.set(START.plus_days(days));
        assert_eq!(robot.engine.clock_state().as_str(), expected, "{days} days");
        if expected == "steady" {
            continue;
        }
        let before = (get(&robot, log), get(&robot, fact));
        let session = robot.start_session();
        let meanwhile = robot.learn_with("The pan hangs on the wall", "");
        assert_eq!(robot.end_session(&session).decayed_count, 0);
        let report = run_by_schedule(&robot);
        assert!(report.contains("the last write: nothing fades"), "{report}");
        robot.recall("cup");
        robot.engine.upkeep().expect("upkeep");
        assert_eq!(last_now(&robot), START, "it is not believed");
        assert_eq!(get(&robot, meanwhile).memory.created_at, START.plus_days(days));

        // It is so after a restart, too.
        let robot = robot.restart_with(with_workers);
        robot.clock.set(START.plus_days(days));
        assert_eq!(robot.engine.clock_state().as_str(), "jumped");
        let after = (get(&robot, log), get(&robot, fact));
        assert_eq!(before.0.memory, after.0.memory);
        assert_eq!((&before.1.ledger, before.1.memory.confidence), (&after.1.ledger, 0.8));
        assert_eq!(after.1.memory.last_accessed, Some(START), "it fades as the others, once");
        assert_eq!(before.0.retention, after.0.retention);

        // Set right, it is believed again.
        robot.clock.set(START.plus_days(3.0));
        assert_eq!(robot.engine.clock_state(), ClockState::Steady);
        run_by_schedule(&robot);
        for id in [log, fact] {
            let found = get(&robot, id).memory;
            assert_eq!(found.status, Status::Active);
            assert!((found.confidence - 0.8 * 0.99_f64.powi(3)).abs() < 1e-9, "{days} days");
        }
        assert_eq!(last_now(&robot), START.plus_days(3.0));
    }
}

#[test]
fn a_person_says_that_the_robot_was_off_for_longer() {
    let robot = Robot::with(with_workers);
    let log = note(&robot, "global", "", "Tray 3 was carried to the door");
    robot.learn("The cup stands on the table");
    robot.sleep_days(500.0);
    assert_eq!(robot.engine.clock_state(), ClockState::Ahead { days: 500.0 });
    run_by_schedule(&robot);
    assert_eq!(get(&robot, log).memory.status, Status::Active);
    order(&robot);
    do_jobs(&robot);
    assert_eq!(robot.engine.clock_state(), ClockState::Steady);
    assert_eq!(get(&robot, log).memory.status, Status::Archived);
    assert_eq!(last_now(&robot), START.plus_days(500.0));

    // And that it was ahead until now.
    robot.sleep_days(-300.0);
    assert_eq!(robot.engine.clock_state(), ClockState::Behind { days: 300.0 });
    order(&robot);
    do_jobs(&robot);
    assert_eq!(robot.engine.clock_state(), ClockState::Steady);
    assert_eq!(last_now(&robot), START.plus_days(200.0));
}

#[test]
fn the_time_is_written_once_a_minute() {
    let robot = Robot::with(with_workers);
    robot.learn("The cup stands on the table");
    let secs = 1.0 / 86_400.0;
    robot.sleep_days(50.0 * secs);
    robot.learn("The pan hangs on the wall");
    assert_eq!(last_now(&robot), START);
    robot.sleep_days(20.0 * secs);
    robot.learn("The lid lies under the bench");
    assert_eq!(last_now(&robot), robot.clock_now());
}

#[test]
fn a_clock_that_is_not_known_yet_is_neither_right_nor_wrong() {
    let robot = Robot::with(with_workers);
    robot.clock.set(Stamp(0));
    assert_eq!(robot.engine.clock_state(), ClockState::Unknown);
    assert_eq!(robot.engine.clock_state().as_str(), "unknown");
    assert!(robot.engine.clock_state().to_string().contains("/clock"));
}

#[test]
fn a_clock_that_broke_is_not_believed_though_maintenance_is_asked_for() {
    let robot = Robot::with(with_workers);
    let log = note(&robot, "global", "", "Tray 3 was carried to the door");
    let fact = robot.learn_with("The cup stands on the table", "");
    // 2036, 2038, 2106 …
    for days in [3_700.0, 4_500.0, 22_700.0, 80_000.0] {
        robot.clock.set(START.plus_days(days));
        order(&robot);
        let (_, report) = do_jobs(&robot).pop().expect("a run");
        assert!(report.to_string().contains("days ahead of the last write"), "{report}");
        assert_eq!(robot.engine.clock_state().as_str(), "jumped");
        for id in [log, fact] {
            let found = get(&robot, id).memory;
            assert_eq!((found.status, found.confidence), (Status::Active, 0.8), "{days} days");
        }
    }
    robot.clock.set(START.plus_days(3.0));
    order(&robot);
    do_jobs(&robot);
    let left = get(&robot, fact).memory.confidence;
    assert!((left - 0.8 * 0.99_f64.powi(3)).abs() < 1e-9, "{left}");
}

#[test]
fn what_was_counted_by_a_clock_that_was_ahead_is_taken_back() {
    let robot = Robot::with(with_workers);
    let fact = robot.learn_with("The cup stands on the table", "");
    robot.sleep_days(500.0);
    order(&robot);
    do_jobs(&robot);
    let session = robot.start_session();
    robot.end_session(&session);
    let left = |robot: &Robot| get(robot, fact).memory.confidence;
    assert!((left(&robot) - 0.8 * 0.99_f64.powi(500)).abs() < 1e-9);
    // It was wrong, and a person says so.
    robot.sleep_days(-490.0);
    order(&robot);
    do_jobs(&robot);
    let robot = robot.restart_with(with_workers);
    robot.clock.set(START.plus_days(10.0));
    let session = robot.start_session();
    robot.end_session(&session);
    assert!((left(&robot) - 0.8 * 0.99_f64.powi(10)).abs() < 1e-9, "{}", left(&robot));
    let found = robot.recall("cup");
    assert_eq!(found.memories.first().map(|hit| hit.memory.id), Some(fact));
}
