//! Unlearn by the program `memory`: shown, then done; killed meanwhile, done or not begun.

use crate::cli::{program, run};
use crate::robot::sql;
use crate::scope_work::{do_jobs, robot};
use crate::steps::commit;
use robot_memory_core::api::SavePerceptionRequest;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Rows of the store that is unlearned while it is killed.
const ROWS: usize = 1_000;
const KILLS: u32 = 16;

fn plan_of(shown: &str) -> String {
    let (_, plan) = shown.split_once("--plan ").expect("a plan");
    plan.split_whitespace().next().expect("a word").to_owned()
}

#[test]
fn the_program_shows_what_would_be_done_and_does_it() {
    let robot = robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, "The part zork1 is in tray 3. The part zork2 is in tray 6.");
    do_jobs(&robot);
    let store = robot.store_path();
    let root =
        sql::<i64>(&store, "SELECT id FROM memory WHERE type = 'fact' AND content LIKE '%zork1%'");
    let memory = |arguments: &[&str]| run(program().arg("--store").arg(&store).args(arguments));
    let id = root.to_string();
    assert!(memory(&["unlearn", &id]).refusal(1).contains("in use by another process"));
    robot.engine.close().expect("it closes");
    drop(robot.engine);

    let shown = memory(&["unlearn", &id]).text().to_owned();
    assert!(shown.starts_with("1 forgotten, 1 remade, 0 removed, 0 kept\n"), "{shown}");
    assert!(shown.contains("summary of a turn: made again of what is left"), "{shown}");
    assert!(shown.contains("now: ") && shown.contains("nothing was changed"), "{shown}");
    let active = format!("SELECT status FROM memory WHERE id = {root}");
    assert_eq!(sql::<String>(&store, &active), "active");
    let plan = plan_of(&shown);
    assert!(memory(&["unlearn", &id, "--yes"]).refusal(2).contains("--plan"));
    assert!(memory(&["unlearn", &id, "--plan", &plan]).refusal(2).contains("--yes"));
    let real = ["unlearn", &id, "--yes", "--reason", "miscalibrated", "--plan"];
    let other = memory(&[&real[..], &["ab"]].concat()).refusal(1).to_owned();
    assert!(other.contains(&plan), "{other}");
    let done = memory(&[&real[..], &[&plan, "--json"]].concat()).json();
    assert_eq!((&done["forgotten_count"], &done["plan"]), (&1.into(), &plan.as_str().into()));
    assert_eq!(sql::<String>(&store, &active), "invalidated");
    let left = "SELECT count(*) FROM memory WHERE status = 'active' AND content LIKE '%zork1%'";
    assert_eq!(sql::<i64>(&store, left), 0);
}

/// How many rows are forgotten, and how many summaries still say what they said.
fn state(store: &Path) -> (i64, i64) {
    (
        sql(store, "SELECT count(*) FROM memory WHERE status = 'invalidated'"),
        sql(
            store,
            "SELECT count(*) FROM memory WHERE status = 'active' AND content LIKE '%zork1%'",
        ),
    )
}

#[test]
fn a_kill_leaves_all_of_it_or_nothing() {
    let folder = TempDir::new().expect("a folder");
    let full = folder.path().join("full.db");
    let robot = robot();
    let session = robot.start_session();
    commit(&robot, &session, 1, "The part zork1 is in tray 3. The part zork2 is in tray 6.");
    do_jobs(&robot);
    let request = |number| SavePerceptionRequest {
        description: format!("camera saw cup {number}"),
        ..Default::default()
    };
    let seen = robot.engine.save_perceptions((1..ROWS).map(request).collect()).expect("stored");
    let zork1 = "SELECT id FROM memory WHERE type = 'fact' AND content LIKE '%zork1%'";
    let mut meant = vec![sql::<i64>(&robot.store_path(), zork1).to_string()];
    meant.extend(seen.into_iter().map(|it| it.expect("stored").memory_id.to_string()));
    robot.engine.close().expect("it closes");
    std::fs::copy(robot.store_path(), &full).expect("a copy");
    drop(robot);

    let command = |store: &Path, more: &[&str]| -> Command {
        let mut command = program();
        command.arg("--store").arg(store).arg("unlearn").args(&meant).args(more);
        command
    };
    let plan = plan_of(run(&mut command(&full, &[])).text());
    let real = ["--yes", "--reason", "miscalibrated", "--plan", &plan];
    let before = state(&full);
    let whole = folder.path().join("whole.db");
    std::fs::copy(&full, &whole).expect("a copy");
    let begun = Instant::now();
    run(&mut command(&whole, &real)).text();
    let takes = begun.elapsed();
    let after = state(&whole);
    assert!(before == (0, 2) && after == (ROWS as i64, 0), "{before:?} {after:?}");
    let mut outcomes = Vec::new();
    for kill in 0..KILLS {
        let store = folder.path().join(format!("{kill}.db"));
        std::fs::copy(&full, &store).expect("a copy");
        let mut child = command(&store, &real)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        std::thread::sleep(takes * (kill + 1) / KILLS + Duration::from_millis(u64::from(kill)));
        // It may have ended.
        let _ = child.kill();
        child.wait().expect("it ends");
        let left = state(&store);
        assert!(left == before || left == after, "{left:?} is neither {before:?} nor {after:?}");
        assert_eq!(sql::<String>(&store, "PRAGMA integrity_check"), "ok");
        outcomes.push(left == after);
    }
    println!("after kills, done: {outcomes:?}");
}
