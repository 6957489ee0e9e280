//! A dry run of maintenance: it reports what the real run does, and changes nothing.

use crate::maintenance::total;
use crate::maintenance_run::{learn, run};
use crate::robot::Robot;
use crate::scope_work::{do_jobs, robot, with_workers, work_steps};
use robot_memory_core::api::{Learn, LearnRequest};
use robot_memory_core::model::JobStatus;
use rusqlite::types::ValueRef;
use std::path::Path;

/// Tables that tell of jobs and of commits, and what waits to be told of a job.
const OF_JOBS: [&str; 4] = ["job", "scope_state", "store_state", "maintenance_untold"];

/// All that is stored but for jobs.
fn contents(store_path: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(store_path).expect("the file opens");
    let mut tables = connection
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' \
             AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
        )
        .expect("it is a query");
    let names = tables.query_map([], |row| row.get(0)).expect("names");
    let mut lines = Vec::new();
    for name in names.map(|name| name.expect("a name")).collect::<Vec<String>>() {
        if OF_JOBS.contains(&name.as_str()) {
            continue;
        }
        let mut all = connection.prepare(&format!("SELECT * FROM {name}")).expect("a table");
        let columns = all.column_count();
        let mut rows = all.query([]).expect("rows");
        while let Some(row) = rows.next().expect("a row") {
            let values = (0..columns).map(|place| match row.get_ref(place).expect("a value") {
                ValueRef::Null => "-".to_owned(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => number.to_bits().to_string(),
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => format!("{bytes:x?}"),
            });
            lines.push(format!("{name}: {}", values.collect::<Vec<_>>().join(" ")));
        }
    }
    lines
}

/// What there is to do for each step: same sayings, contradictions, an old task log, one that is recalled.
fn world(robot: &Robot) {
    for scope in ["global", "group:cell-7"] {
        for insight in [
            "glass cup slips out of gripper",
            "glass cup slips out of gripper in `grip`",
            "kettle hangs above sink on hook",
            "The operator prefers the left bin for bolts",
            "The operator prefers the right bin for bolts",
            "The gripper force for the glass cup is 5 N",
            "The gripper force for the glass cup is 8 N",
        ] {
            learn(robot, scope, insight);
        }
        let log = LearnRequest {
            insight: "moved the crate to hall 3".into(),
            scope: scope.into(),
            mem_type: "task_log".into(),
            ..Default::default()
        };
        robot.call::<Learn>(log);
    }
    robot.sleep_days(300.0);
    robot.recall("kettle");
}

fn left_overs(robot: &Robot) -> usize {
    let folder = robot.store_path().parent().expect("a folder").to_owned();
    let entries = std::fs::read_dir(folder).expect("it is there").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().contains(".rehearsal-")).count()
}

#[test]
fn a_dry_run_reports_what_the_real_run_does_and_changes_nothing() {
    for (mode, with_embedder) in [("daily", true), ("weekly", true), ("weekly", false)] {
        let robot = if with_embedder { robot() } else { Robot::with(with_workers) };
        world(&robot);
        let before = contents(&robot.store_path());
        run(&robot, mode, true);
        let mut rehearsed = do_jobs(&robot).remove(0).1;
        assert_eq!(contents(&robot.store_path()), before, "{mode}");
        assert_eq!(left_overs(&robot), 0);
        assert_eq!(rehearsed["dry_run"], true);
        run(&robot, mode, false);
        let real = do_jobs(&robot).remove(0).1;
        rehearsed["dry_run"] = false.into();
        assert_eq!(rehearsed, real, "{mode}");
        assert_eq!(total(&real, "merge", "superseded"), 2);
        if mode == "weekly" {
            assert!(total(&real, "fade", "archived") >= 2, "{real:#}");
            assert!(total(&real, "fade", "faded") > 0, "{real:#}");
        }
        assert_ne!(contents(&robot.store_path()), before, "{mode}");
    }
}

#[test]
fn a_dry_run_that_is_handed_back_leaves_nothing_and_begins_anew() {
    let robot = robot();
    world(&robot);
    run(&robot, "weekly", true);
    for steps in [0, 2] {
        let job = work_steps(&robot, steps).expect("a job");
        assert_eq!(job.status, JobStatus::Pending, "{}", job.last_error);
        assert_eq!(left_overs(&robot), 0);
    }
    let job_id = run(&robot, "weekly", true);
    let report = do_jobs(&robot).remove(0).1;
    assert_eq!((job_id, total(&report, "merge", "superseded")), (1, 2));
}

#[test]
fn what_a_killed_dry_run_left_is_removed_at_the_next_start() {
    let robot = robot();
    let left = format!("{}.rehearsal-7", robot.store_path().display());
    std::fs::create_dir(&left).expect("it is made");
    std::fs::write(format!("{left}/memory.db"), "half a copy").expect("it is written");
    let robot = robot.restart();
    assert_eq!(left_overs(&robot), 0);
}
