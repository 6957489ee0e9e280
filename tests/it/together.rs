//! What lies between the parts: putting a store back, repairing, loading, the write queue, dry runs,
//! maintenance and deletion at once.

use crate::conflict_pairs::conflict_count;
use crate::damage::pages_of;
use crate::disk;
use crate::experience::{insertion, maintain_weekly, twenty};
use crate::jsonl::{export, load, loaded};
use crate::maintenance_run::run;
use crate::restore_backup::{back_up, restore};
use crate::robot::{Robot, sql};
use crate::scope_work::{changed, do_jobs, robot, with_workers};
use crate::waiting::{
    forget, learn, queue, queue_path, robot_at, robot_with, state, until_well, update,
};
use robot_memory_core::api::{
    ClearMemories, ClearMemoriesRequest, DeleteMemory, DeleteMemoryRequest, GetStatus, Learn,
    LearnRequest, LearnStatus, StatusLevel, StatusRequest,
};
use robot_memory_engine::{ClockState, OnTopic, StoreState};
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    (folder, store)
}

fn block(robot: &Robot) {
    robot.engine.block_writes(Some("the disk is nearly full".into()));
}

fn count(path: &Path, table: &str) -> i64 {
    sql(path, &format!("SELECT count(*) FROM {table}"))
}

/// All files below a folder, but for those of backups, that hold a text.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = disk::files_with(folder, text);
    found.retain(|path| !path.contains(".backups/"));
    found
}

#[test]
fn attempts_that_are_still_to_be_counted_are_loaded() {
    let robot = robot();
    let logs = twenty(&robot);
    maintain_weekly(&robot, "global", "");
    robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: logs[0], ..Default::default() });
    insertion(&robot, "global", false, 9.5);
    robot.engine.close().expect("it closes");
    let robot = changed(robot, |connection| {
        let stale =
            "INSERT OR IGNORE INTO experience_stale SELECT scope, collection, subject FROM attempt";
        connection.execute(stale, []).expect("a stale subject");
    });
    let lines = export(&robot.engine);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("memory.db");
    load(&path, &(lines.join("\n") + "\n")).expect("it is loaded");
    let (engine, _) = crate::robot::open(&path).expect("it opens");
    assert_eq!(loaded(&engine), lines[1..]);
    // Changes are noted again.
    let deleted = DeleteMemoryRequest { memory_id: logs[1], ..Default::default() };
    engine.call::<DeleteMemory>(deleted).expect("it is deleted");
    assert_eq!(
        sql::<i64>(
            &path,
            &format!("SELECT count(*) FROM memory_outdated WHERE memory_id = {}", logs[1])
        ),
        1
    );
}

#[test]
fn a_write_that_was_replayed_is_not_replayed_into_a_store_that_was_put_back() {
    let (_folder, store) = folder();
    let robot = robot_at(&store);
    robot.learn("the cup is red");
    let name = back_up(&robot);
    block(&robot);
    assert_eq!(learn(&robot.engine, "the drill hangs on hook 3"), Ok(LearnStatus::Queued));
    assert_eq!(learn(&robot.engine, "the saw is blunt today"), Ok(LearnStatus::Queued));
    robot.engine.block_writes(None);
    robot.engine.upkeep().expect("one is stored");
    assert_eq!((queue(&robot).queued, queue(&robot).replayed), (1, 1));
    restore(&robot, &name);
    // What waited is of no past: it is stored.
    let text = std::fs::read_to_string(queue_path(&store)).expect("text");
    assert!(text.contains("saw") && text.contains("drill"), "the line is there still");
    drop(robot);
    let robot = robot_at(&store);
    until_well(&robot);
    let all: String = sql(&store, "SELECT group_concat(content, '; ') FROM memory");
    assert_eq!(all, "the cup is red; the saw is blunt today");
}

#[test]
fn what_waits_is_stored_once_in_a_store_that_is_put_back_and_names_no_other_memory() {
    let (_folder, store) = folder();
    let robot = robot_at(&store);
    let cup = robot.learn_with("the cup is red", "");
    let name = back_up(&robot);
    let drill = robot.learn_with("the drill hangs on hook 3", "");
    block(&robot);
    assert_eq!(update(&robot.engine, drill, "the drill hangs on hook 7").as_deref(), Ok("queued"));
    assert_eq!(update(&robot.engine, cup, "the cup is blue").as_deref(), Ok("queued"));
    assert_eq!(forget(&robot.engine, cup).as_deref(), Ok("queued"));
    assert_eq!(learn(&robot.engine, "the saw is blunt today"), Ok(LearnStatus::Queued));
    robot.engine.block_writes(None);
    restore(&robot, &name);
    until_well(&robot);
    assert_eq!((queue(&robot).replayed, queue(&robot).rejected), (3, 1));
    let all: String =
        sql(&store, "SELECT group_concat(content || ' ' || status, '; ') FROM memory");
    assert_eq!(all, "the cup is blue invalidated; the saw is blunt today active");
}

#[test]
fn an_old_backup_does_not_make_the_clock_jump() {
    let robot = Robot::with(with_workers);
    robot.learn("the cup is red");
    let name = back_up(&robot);
    for _ in 0..3 {
        robot.sleep_days(200.0);
        robot.learn(&format!("day {}", robot.clock_now().0));
    }
    restore(&robot, &name);
    assert_eq!(robot.engine.clock_state(), ClockState::Steady);
    let robot = robot.restart();
    assert_eq!(robot.engine.clock_state(), ClockState::Steady);
}

/// Overwrites the first page of a table, and lets the daily backup meet it.
fn break_table(robot: &Robot, store: &Path, table: &str) {
    let connection = rusqlite::Connection::open(store).expect("it opens");
    // What is in the log hides what is done to the file.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).expect("moved");
    let (root, _) = pages_of(store, table);
    let file = std::fs::File::options().write(true).open(store).expect("it opens");
    file.write_all_at(&[0xa5; 8_192], (root - 1) * 8_192).expect("written");
    let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
    assert!(made.is_err() && robot.engine.is_damaged());
}

#[test]
fn conflicts_that_were_lost_with_their_page_are_found_again() {
    let robot = Robot::with(with_workers);
    robot.learn_with("The red cup weighs 200 g", "");
    let request = LearnRequest {
        insight: "The red cup weighs 250 g".into(),
        scope: "group:elsewhere".into(),
        ..Default::default()
    };
    robot.call::<Learn>(request);
    let robot = changed(robot, |connection| {
        connection
            .execute("UPDATE memory SET scope = 'global', trust = 'medium', created_at = 1750000000000000000", [])
            .expect("it moves");
    });
    maintain_weekly(&robot, "global", "");
    assert_eq!(conflict_count(&robot), 1);
    break_table(&robot, &robot.store_path(), "memory_pair");
    robot.engine.upkeep().expect("it is repaired");
    assert_eq!(conflict_count(&robot), 0);
    maintain_weekly(&robot, "global", "");
    assert_eq!(conflict_count(&robot), 1);
}

#[test]
fn attempts_are_counted_right_after_mending() {
    let robot = robot();
    twenty(&robot);
    maintain_weekly(&robot, "global", "");
    let shown = |robot: &Robot| -> String {
        sql(
            &robot.store_path(),
            "SELECT m.content FROM memory m JOIN summary s ON s.memory_id = m.id WHERE s.kind = 'experience'",
        )
    };
    let before = shown(&robot);
    assert!(before.contains("14 of 20"), "{before}");
    break_table(&robot, &robot.store_path(), "attempt");
    robot.engine.upkeep().expect("it is repaired");
    insertion(&robot, "global", true, 9.25);
    maintain_weekly(&robot, "global", "");
    let after = shown(&robot);
    assert!(after.contains("15 of 21"), "{after}");
}

#[test]
fn damage_with_writes_waiting_is_repaired_and_they_are_stored() {
    let (_folder, store) = folder();
    let robot = robot_with(&store, with_workers);
    let id = robot.learn_with("the cup is red", "");
    break_table(&robot, &store, "memory_pair");
    assert_eq!(state(&robot), StoreState::Damaged);
    assert_eq!(learn(&robot.engine, "the drill hangs on hook 3"), Ok(LearnStatus::Queued));
    assert_eq!(update(&robot.engine, id, "the cup is blue").as_deref(), Ok("queued"));
    let status = robot.call::<GetStatus>(StatusRequest::default());
    assert_eq!((status.level, status.queued_writes), (StatusLevel::Error, 2));
    until_well(&robot);
    assert_eq!((queue(&robot).replayed, queue(&robot).rejected), (2, 0));
    let all: String = sql(&store, "SELECT group_concat(content, '; ') FROM memory");
    assert_eq!(all, "the cup is blue; the drill hangs on hook 3");
    assert_eq!(sql::<String>(&store, "PRAGMA integrity_check"), "ok");
}

#[test]
fn a_dry_run_leaves_the_queue_and_every_file_as_they_are() {
    let (folder, store) = folder();
    let robot = robot_with(&store, with_workers);
    robot.learn("the cup is red");
    robot.engine.close().expect("it closes");
    drop(robot);
    let robot = robot_with(&store, with_workers);
    run(&robot, "weekly", true);
    let names = || {
        let mut names: Vec<String> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    };
    let before = names();
    let pending = robot.engine.claim_job(0).expect("claimed").expect("a job");
    block(&robot);
    assert_eq!(learn(&robot.engine, "the drill hangs on hook 3"), Ok(LearnStatus::Queued));
    let queued = std::fs::read(queue_path(&store)).expect("bytes");
    let done = robot.engine.work(&pending, &crate::scope_work::Steps::at_most(10_000));
    println!("{done:?}");
    assert_eq!(std::fs::read(queue_path(&store)).expect("bytes"), queued);
    assert_eq!(queue(&robot).queued, 1);
    let mut after = names();
    after.retain(|name| !name.ends_with(".maintenance"));
    assert_eq!(after, before);
    robot.engine.block_writes(None);
    until_well(&robot);
    assert_eq!(count(&store, "memory"), 2);
}

#[test]
fn what_is_deleted_is_in_no_file_but_the_backups() {
    let (folder, store) = folder();
    let robot = robot_with(&store, with_workers);
    let words = "plover";
    let fact = robot.learn_with("the plover sits on hook 3", "");
    let log = LearnRequest {
        insight: "fed the plover at noon".into(),
        mem_type: "task_log".into(),
        ..Default::default()
    };
    let log = robot.call::<Learn>(log).memory_id;
    let session = robot.start_session();
    let said = robot.learn_in(&session, "the plover likes seeds");
    robot.end_session(&session);
    block(&robot);
    assert_eq!(update(&robot.engine, fact, "the plover sits on hook 7").as_deref(), Ok("queued"));
    robot.engine.block_writes(None);
    until_well(&robot);
    robot.sleep_days(300.0);
    // One is archived, and a weekly run leaves its reports.
    run(&robot, "weekly", true);
    run(&robot, "weekly", false);
    do_jobs(&robot);
    assert_eq!(
        sql::<String>(&store, &format!("SELECT status FROM memory WHERE id = {log}")),
        "archived"
    );
    block(&robot);
    assert_eq!(update(&robot.engine, fact, "the plover sits on hook 9").as_deref(), Ok("queued"));
    robot.engine.block_writes(None);
    let mut until = None;
    for (number, memory_id) in [fact, log, said].into_iter().enumerate() {
        if number == 1 {
            back_up(&robot);
        }
        let request = DeleteMemoryRequest { memory_id, ..Default::default() };
        let answer = robot.call::<DeleteMemory>(request);
        assert_eq!(answer.backups_until.is_some(), number > 0);
        until = answer.backups_until;
    }
    assert!(until.is_some());
    until_well(&robot);
    assert_eq!(queue(&robot).rejected, 1);
    assert_eq!(files_with(folder.path(), words), Vec::<String>::new());
}

#[test]
fn what_is_archived_is_cleared_too() {
    let (folder, store) = folder();
    let robot = robot_with(&store, with_workers);
    let log = LearnRequest {
        insight: "fed the plover at noon".into(),
        mem_type: "task_log".into(),
        ..Default::default()
    };
    let log = robot.call::<Learn>(log).memory_id;
    let level: String = sql(&store, "SELECT level FROM memory");
    let collection: String = sql(&store, "SELECT collection FROM memory");
    robot.sleep_days(300.0);
    run(&robot, "weekly", false);
    do_jobs(&robot);
    assert_eq!(
        sql::<String>(&store, &format!("SELECT status FROM memory WHERE id = {log}")),
        "archived"
    );
    robot.call::<ClearMemories>(ClearMemoriesRequest { level, collection, ..Default::default() });
    assert_eq!(files_with(folder.path(), "plover"), Vec::<String>::new());
}

#[test]
fn maintenance_that_is_due_while_nothing_can_be_written_is_queued_once_when_it_can() {
    let (_folder, store) = folder();
    let robot = robot_with(&store, crate::schedule::scheduled);
    robot.learn("the cup is red");
    robot.engine.schedule().expect("nothing is due");
    robot.sleep_days(1.5);
    block(&robot);
    for _ in 0..3 {
        assert_eq!(robot.engine.schedule().expect_err("it cannot").kind.as_str(), "unavailable");
    }
    let begun = Instant::now();
    robot.call::<GetStatus>(StatusRequest::default());
    assert!(begun.elapsed() < Duration::from_millis(500));
    robot.engine.block_writes(None);
    for _ in 0..3 {
        robot.engine.schedule().expect("it is queued");
    }
    assert_eq!(
        sql::<String>(&store, "SELECT group_concat(job_type) FROM job"),
        "backup,maintenance"
    );
}

#[test]
fn a_store_put_back_while_maintenance_runs_is_not_touched_by_that_run() {
    let robot = robot();
    twenty(&robot);
    let name = back_up(&robot);
    run(&robot, "weekly", false);
    struct PutBack<'r>(&'r Robot, String, std::sync::atomic::AtomicUsize);
    impl robot_memory_engine::JobControl for PutBack<'_> {
        fn between_steps(&self) -> robot_memory_engine::JobDecision {
            if self.2.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 3 {
                restore(self.0, &self.1);
            }
            robot_memory_engine::JobDecision::On
        }
    }
    let lease = robot.engine.claim_job(0).expect("claimed").expect("a job");
    let done = robot.engine.work(&lease, &PutBack(&robot, name, Default::default()));
    println!("{done:?}");
    assert_eq!(count(&robot.store_path(), "job"), 0);
    assert_eq!(count(&robot.store_path(), "summary"), 0);
    assert_eq!(sql::<String>(&robot.store_path(), "PRAGMA integrity_check"), "ok");
    maintain_weekly(&robot, "global", "");
    assert_eq!(count(&robot.store_path(), "summary WHERE kind = 'experience'"), 1);
}

#[test]
fn a_week_that_was_told_in_another_scope_goes_with_what_it_tells() {
    let (folder, store) = folder();
    let robot = robot_with(&store, with_workers);
    let session = robot.start_session();
    let unscoped = |insight: &str, session_id: &str| {
        let request = LearnRequest {
            insight: insight.into(),
            scope: "unscoped".into(),
            session_id: session_id.into(),
            ..Default::default()
        };
        robot.call::<Learn>(request).memory_id
    };
    let rule = unscoped("Never feed the plover after noon", "");
    unscoped("The cup stands on the table", "");
    unscoped("The pan hangs on the wall", "");
    robot.sleep_days(7.0);
    maintain_weekly(&robot, "unscoped", "");
    let query = "SELECT count(*) FROM memory WHERE type = 'summary' AND content LIKE '%plover%'";
    assert_eq!(sql::<i64>(&store, query), 1);
    robot.engine.close().expect("it closes");
    drop(robot);
    // It becomes known of which session it is.
    let connection = rusqlite::Connection::open(&store).expect("it opens");
    connection.pragma_update(None, "secure_delete", true).expect("as the store does");
    connection
        .execute("UPDATE memory SET session_id = ?1 WHERE id = ?2", (&session, rule))
        .expect("changed");
    let robot = robot_with(&store, with_workers);
    robot.sleep_days(7.0);
    run(&robot, "daily", false);
    do_jobs(&robot);
    let scope = format!("SELECT scope FROM memory WHERE id = {rule}");
    assert_eq!(sql::<String>(&store, &scope), format!("session:{session}"));
    robot.call::<DeleteMemory>(DeleteMemoryRequest { memory_id: rule, ..Default::default() });
    assert_eq!(sql::<i64>(&store, query), 0);
    assert_eq!(files_with(folder.path(), "plover"), Vec::<String>::new());
}

#[test]
fn a_backup_that_is_being_made_holds_what_is_deleted_meanwhile() {
    let (folder, store) = folder();
    let robot = robot_with(&store, with_workers);
    let ids = ["the cup is red", "the drill hangs on hook 3"].map(|it| robot.learn_with(it, ""));
    let delete = |memory_id| DeleteMemoryRequest { memory_id, ..Default::default() };
    assert_eq!(robot.call::<DeleteMemory>(delete(ids[0])).backups_until, None);
    // As it is called until it is finished.
    let backups = folder.path().join("memory.db.backups");
    std::fs::create_dir(&backups).expect("a folder");
    let part = backups.join("robot_memory-2026-11-22T023000Z.db.part");
    std::fs::write(part, "").expect("written");
    assert!(robot.call::<DeleteMemory>(delete(ids[1])).backups_until.is_some());
}

#[test]
fn a_store_that_was_removed_does_not_come_back_out_of_its_backups() {
    for later in [1, 60] {
        let (_folder, store) = folder();
        let robot = robot_with(&store, with_workers);
        for insight in ["the cup is red", "the drill hangs on hook 3", "the saw is blunt today"] {
            robot.learn(insight);
        }
        back_up(&robot);
        robot.engine.close().expect("it closes");
        drop(robot);
        for suffix in ["", "-wal", "-shm", ".write_queue.jsonl"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", store.display()));
        }
        let robot = robot_with(&store, with_workers);
        robot.sleep_days(1.0);
        let id = robot.learn_with("the kettle is blue", "");
        for number in 0..later {
            update(&robot.engine, id, &format!("the kettle weighs {number} g")).expect("updated");
        }
        break_table(&robot, &store, "memory_pair");
        robot.engine.upkeep().expect("it is repaired");
        assert_eq!(count(&store, "memory"), 1, "after {later} changes");
    }
}

#[test]
fn topics_tell_of_no_scope_that_they_may_not_read() {
    let policy = |topics: &str| format!("agents:\n  - names: [a]\n    read: all\n{topics}");
    for (topics, is_shown) in [
        ("topics: {read: all}\n", [true, true]),
        ("topics: {read: \"group:cell-7\"}\n", [false, true]),
        ("topics: {read: \"group:cell-8\"}\n", [false, false]),
    ] {
        let robot = Robot::with(|config| {
            with_workers(config);
            config.access = Some(policy(topics));
        });
        let reports = robot.engine.maintenance_reports(8);
        let request = LearnRequest {
            insight: "the cup is red".into(),
            scope: "group:cell-7".into(),
            ..Default::default()
        };
        robot.call::<Learn>(request);
        run(&robot, "daily", false);
        do_jobs(&robot);
        maintain_weekly(&robot, "group", "cell-7");
        let shown: Vec<bool> = reports
            .next(Duration::from_millis(50))
            .into_iter()
            .map(|report| {
                let OnTopic { content, names_scope } = robot.engine.report_on_topics(report);
                assert_eq!(names_scope, !content.json.is_empty());
                assert_eq!(content.json.is_empty(), content.markdown.is_empty());
                !content.json.is_empty()
            })
            .collect();
        assert_eq!(shown, is_shown, "{topics}");
    }
}
