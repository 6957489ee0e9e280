//! What is not worth keeping leaves every search, and each memory tells what changed it by itself.

use crate::robot::{Robot, START, ids, newest_schema, sql};
use crate::scope_work::{changed, changed_with, do_jobs, get, note, robot, with_workers};
use robot_memory_core::api::{
    DeleteMemory, DeleteMemoryRequest, GetMemory, GetMemoryRequest, Learn, LearnRequest,
    LedgerEntry, MergeBranch, MergeBranchRequest, RestoreMemory, RestoreMemoryRequest,
    RunMaintenance, RunMaintenanceRequest,
};
use robot_memory_core::limits::LEDGER_ENTRIES_MAX;
use robot_memory_core::model::{LedgerChange, Level, Status};

const CELL: &str = "group:cell-7";

fn maintain(robot: &Robot, mode: &str, scope: &str) {
    let (scope, scope_id) = scope.split_once(':').unwrap_or((scope, ""));
    robot.call::<RunMaintenance>(RunMaintenanceRequest {
        mode: mode.into(),
        scope: scope.into(),
        scope_id: scope_id.into(),
        ..Default::default()
    });
    do_jobs(robot);
}

fn weekly(robot: &Robot) {
    maintain(robot, "weekly", CELL);
}

fn learn(robot: &Robot, mem_type: &str, insight: &str) -> i64 {
    let request = LearnRequest {
        insight: insight.into(),
        scope: CELL.into(),
        mem_type: mem_type.into(),
        ..Default::default()
    };
    robot.call::<Learn>(request).memory_id
}

fn changes(ledger: &[LedgerEntry]) -> Vec<(LedgerChange, u32)> {
    ledger.iter().map(|entry| (entry.change, entry.repetitions)).collect()
}

#[test]
fn a_task_log_fades_is_archived_and_says_why() {
    let robot = robot();
    let log = learn(&robot, "task_log", "Tray 3 was carried to the door");
    let procedure = learn(&robot, "procedure", "Lift the lid before the tray goes in");
    let fact = learn(&robot, "fact", "The kettle hangs above the sink");
    let rule = learn(&robot, "task_log", "The grip force must never exceed 15 N");
    let born = get(&robot, log);
    assert_eq!((born.fades, born.half_life_days, born.retention), (true, 30.0, 0.5));
    let due = born.archives_at.expect("it is archived one day");
    assert!((due.days_since(START) - 69.658).abs() < 0.001, "{due:?}");
    assert_eq!(get(&robot, procedure).half_life_days, 90.0);
    for id in [fact, rule] {
        let kept = get(&robot, id);
        let shown = (kept.fades, kept.half_life_days, kept.retention, kept.archives_at);
        assert_eq!(shown, (false, 0.0, kept.memory.importance, None));
    }

    let believed = born.memory.confidence;
    for (days, repetitions) in [(10.0, 1), (7.0, 2), (0.0, 2), (0.9, 2), (6.1, 3)] {
        robot.sleep_days(days);
        weekly(&robot);
        let faded = get(&robot, log);
        let age = robot.clock_now().days_since(START);
        let counted = faded.memory.decayed_until.expect("it faded").days_since(START);
        assert!(age - counted < 1.0);
        assert!((faded.memory.confidence - believed * 0.99_f64.powf(counted)).abs() < 1e-9);
        assert_eq!(changes(&faded.ledger), [(LedgerChange::Faded, repetitions)]);
        let entry = &faded.ledger[0];
        assert_eq!(entry.value_before, format!("{believed:.4}"));
        assert_eq!(entry.value_after, format!("{:.4}", faded.memory.confidence));
        assert_eq!((entry.cause.as_str(), entry.began_at), ("maintenance", START.plus_days(10.0)));
        assert!((faded.retention - 0.5 * 0.5_f64.powf(age / 30.0)).abs() < 1e-9);
    }

    robot.sleep_days(69.6 - 24.0);
    weekly(&robot);
    assert_eq!(get(&robot, log).memory.status, Status::Active);
    robot.sleep_days(0.1);
    weekly(&robot);
    let archived = get(&robot, log);
    assert_eq!((archived.memory.status, archived.archives_at), (Status::Archived, None));
    let last = archived.ledger.last().expect("an entry");
    assert_eq!((last.change, last.value_after.as_str()), (LedgerChange::Archived, "archived"));
    assert!(last.cause.starts_with("maintenance: retention 0.09"), "{}", last.cause);
    assert!(last.cause.ends_with("is below 0.1"), "{}", last.cause);
    for id in [procedure, fact, rule] {
        assert_eq!(get(&robot, id).memory.status, Status::Active);
    }
    assert_eq!(get(&robot, rule).ledger, []);
    assert_eq!(get(&robot, rule).memory.confidence, 0.8);

    // Neither the ledger nor anything else of it outlives it.
    let request = DeleteMemoryRequest { memory_id: log, ..Default::default() };
    robot.call::<DeleteMemory>(request);
    let left = format!("SELECT count(*) FROM memory_ledger WHERE memory_id = {log}");
    assert_eq!(sql::<i64>(&robot.store_path(), &left), 0);
}

#[test]
fn one_scope_is_forgotten_and_no_other() {
    let robot = robot();
    let own = note(&robot, CELL, "", "Tray 3 was carried to the door");
    let other = note(&robot, "group:cell-8", "", "Tray 4 was carried to the door");
    robot.sleep_days(100.0);
    weekly(&robot);
    assert_eq!(get(&robot, own).memory.status, Status::Archived);
    let other = get(&robot, other);
    assert_eq!((other.memory.status, other.ledger), (Status::Active, vec![]));
}

#[test]
fn what_is_archived_is_in_no_index() {
    let robot = robot();
    for number in 0..300 {
        note(&robot, CELL, "", &format!("Tray {number} was carried to the door"));
    }
    let kept = learn(&robot, "fact", "The kettle hangs above the sink");
    robot.sleep_days(100.0);
    weekly(&robot);
    let health = robot.engine.health().expect("health");
    assert_eq!((health.active_count, health.missing_vectors), (1, 0));
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory_vector"), 1);
    let tokens = "SELECT count(DISTINCT doc) FROM memory_words_instance";
    assert_eq!(sql::<i64>(&robot.store_path(), tokens), 1);
    let found =
        robot.call::<robot_memory_core::api::Recall>(robot_memory_core::api::RecallRequest {
            query: "kettle tray door".into(),
            scope: CELL.into(),
            min_confidence: 0.0,
            n: 100,
            ..Default::default()
        });
    assert_eq!(ids(&found), [kept]);
    // After a start they have no place in memory either.
    let robot = robot.restart_with(with_workers);
    assert_eq!(robot.engine.health().expect("health").active_count, 1);
}

#[test]
fn a_ledger_keeps_its_first_entry_and_the_newest() {
    let robot = Robot::with(with_workers);
    let id = note(&robot, CELL, "", "Tray 3 was carried to the door");
    for _ in 0..40 {
        robot.sleep_days(70.0);
        weekly(&robot);
        let request = RestoreMemoryRequest { memory_id: id, ..Default::default() };
        robot.call::<RestoreMemory>(request);
    }
    let ledger = get(&robot, id).ledger;
    assert_eq!(ledger.len(), LEDGER_ENTRIES_MAX as usize);
    assert_eq!(ledger[0].began_at, START.plus_days(70.0));
    // Of eighty entries the second to the seventeenth are gone.
    assert_eq!(
        (ledger[1].change, ledger[1].began_at),
        (LedgerChange::Restored, START.plus_days(630.0))
    );
    assert_eq!(ledger[63].changed_at, robot.clock_now());
}

#[test]
fn what_is_merged_and_superseded_is_in_the_ledgers() {
    let robot = robot();
    let ids = [
        "glass cup slips out of gripper",
        "glass cup slips out of gripper in `grip`",
        "kettle hangs above sink on hook",
    ]
    .map(|insight| learn(&robot, "", insight));
    maintain(&robot, "daily", CELL);
    let superseded = get(&robot, ids[0]).ledger;
    assert_eq!(changes(&superseded), [(LedgerChange::Superseded, 1)]);
    assert_eq!(superseded[0].cause, "consolidation");
    assert_eq!(changes(&get(&robot, ids[1]).ledger), [(LedgerChange::Merged, 1)]);
    assert_eq!(get(&robot, ids[2]).ledger, []);
}

#[test]
fn the_end_of_a_session_is_in_the_ledgers() {
    let robot = Robot::words_only();
    let session = robot.start_session();
    let working = |insight: &str| {
        let request = LearnRequest {
            insight: insight.into(),
            session_id: session.clone(),
            level: "working".into(),
            ..Default::default()
        };
        robot.call::<Learn>(request).memory_id
    };
    let forgotten = working("The cup stands on the table");
    let kept = working("The grip force must never exceed 15 N");
    robot.end_session(&session);
    let of = |id: i64| {
        let entry = get(&robot, id).ledger.remove(0);
        (entry.change, entry.cause, entry.value_before, entry.value_after)
    };
    let text = |text: &str| text.to_owned();
    let archived = (LedgerChange::Archived, text("end_session"), text("active"), text("archived"));
    assert_eq!(of(forgotten), archived);
    let promoted =
        (LedgerChange::Promoted, text("end_session"), text("working"), text("knowledge"));
    assert_eq!(of(kept), promoted);
}

const POLICY: &str = "
agents:
  - names: [reader]
    read: [global]
";

#[test]
fn a_ledger_names_no_scope_that_is_not_seen() {
    let robot = Robot::with(|config| config.access = Some(POLICY.into()));
    let session = robot.start_session();
    let branch = format!("branch:{session}/left");
    let request = LearnRequest {
        insight: "The cup stands on the table".into(),
        scope: branch.clone(),
        session_id: session.clone(),
        ..Default::default()
    };
    let id = robot.call::<Learn>(request).memory_id;
    robot.call::<MergeBranch>(MergeBranchRequest {
        session_id: session,
        branch_id: "left".into(),
        into: "global".into(),
        ..Default::default()
    });
    let seen_by = |agent: &str| {
        let request = GetMemoryRequest { memory_id: id, agent: agent.into(), ..Default::default() };
        let entry = robot.call::<GetMemory>(request).ledger.remove(0);
        assert_eq!(entry.change, LedgerChange::Rescoped);
        (entry.value_before, entry.value_after)
    };
    assert_eq!(seen_by(""), (branch, "global".to_owned()));
    assert_eq!(seen_by("reader"), (String::new(), "global".to_owned()));
}

#[test]
fn rows_of_an_earlier_version_are_completed_once() {
    let robot = robot();
    let id =
        learn(&robot, "procedure", "Gripper `left_arm` must never exceed 15 N near src/arm.rs");
    let log = learn(&robot, "task_log", "The kettle hangs above the sink");
    let whole = get(&robot, id).memory;
    assert!(!whole.tags.is_empty() && !whole.scope_entities.is_empty());
    let key = format!("SELECT quantity_key FROM memory WHERE id = {id}");
    let whole_key: i64 = sql(&robot.store_path(), &key);
    assert_ne!(whole_key, 0);
    let lacking = "UPDATE memory SET tags = '', scope_entities = '', scope_files = '[\"given\"]', \
         quantity_key = 0";
    let robot = changed(robot, |store| {
        store.execute(lacking, []).expect("changed");
    });
    maintain(&robot, "daily", CELL);
    assert!(get(&robot, id).memory.tags.is_empty(), "rows of this version are not looked at");

    let robot = changed(robot, |store| {
        store.execute("UPDATE memory SET schema_version = 5", []).expect("changed");
    });
    maintain(&robot, "daily", CELL);
    let completed = get(&robot, id);
    assert_eq!(completed.memory.tags, whole.tags);
    assert_eq!(completed.memory.scope_entities, whole.scope_entities);
    assert_eq!(completed.memory.scope_files, ["given"], "what is there stays");
    assert_eq!(completed.memory.mem_type, whole.mem_type);
    assert_eq!(sql::<i64>(&robot.store_path(), &key), whole_key);
    let entry = completed.ledger.last().expect("an entry");
    assert_eq!(entry.change, LedgerChange::Completed);
    assert_eq!(entry.value_after, "tags scope_entities quantity_key");
    assert_eq!(robot.engine.health().expect("health").missing_vectors, 0);
    maintain(&robot, "daily", CELL);
    assert_eq!(get(&robot, id).ledger, completed.ledger);
    let version = format!("SELECT schema_version FROM memory WHERE id = {log}");
    assert_eq!(sql::<i64>(&robot.store_path(), &version), newest_schema());
}

#[test]
fn rows_without_a_scope_get_one_where_it_is_certain() {
    let robot = robot();
    let session = robot.start_session();
    let unscoped = |session_id: &str, insight: &str| {
        let request = LearnRequest {
            insight: insight.into(),
            scope: "unscoped".into(),
            session_id: session_id.into(),
            ..Default::default()
        };
        robot.call::<Learn>(request).memory_id
    };
    let of_session = unscoped(&session, "The cup stands on the table");
    let of_agent = unscoped("", "The pan hangs on the wall");
    let of_nobody = unscoped("", "The kettle hangs above the sink");
    let of_two_minds = unscoped("", "The lid lies under the bench");
    let agents = [
        ("home", &["group:cell-7", "group:cell-7", "group:cell-7"], of_agent),
        ("away", &["group:cell-7", "group:cell-7", "group:cell-8"], of_two_minds),
    ];
    let mut said = Vec::new();
    for (agent, scopes, id) in agents {
        said.push((agent, id));
        for (scope, number) in scopes.iter().zip(1..) {
            said.push((
                agent,
                note(&robot, scope, "", &format!("Tray {number} of {agent} is full")),
            ));
        }
    }
    let policy = "agents:\n  - names: [home, away]\n    read: all\n    write: all\n";
    let robot = changed_with(
        robot,
        |store| {
            for (agent, id) in &said {
                let sql = "UPDATE memory SET agent = ?1 WHERE id = ?2";
                store.execute(sql, rusqlite::params![agent, id]).expect("changed");
            }
        },
        |config| {
            with_workers(config);
            config.access = Some(policy.into());
        },
    );
    maintain(&robot, "daily", "unscoped");
    let scope = |id: i64| get(&robot, id).memory.scope.to_string();
    assert_eq!(scope(of_session), format!("session:{session}"));
    assert_eq!(scope(of_agent), CELL);
    assert_eq!((scope(of_nobody), scope(of_two_minds)), ("unscoped".into(), "unscoped".into()));
    let entry = get(&robot, of_agent).ledger.pop().expect("an entry");
    assert_eq!((entry.change, entry.value_after.as_str()), (LedgerChange::Rescoped, CELL));
    assert_eq!((entry.value_before.as_str(), entry.changed_at), ("unscoped", robot.clock_now()));
    let found =
        robot.call::<robot_memory_core::api::Recall>(robot_memory_core::api::RecallRequest {
            query: "pan wall".into(),
            scope: CELL.into(),
            n: 1,
            ..Default::default()
        });
    assert_eq!(ids(&found), [of_agent], "the indexes have followed");
    assert_eq!(get(&robot, of_agent).memory.level, Level::Knowledge);
}
