//! Putting the store back to what a backup holds.

use crate::robot::{Robot, config, ids, newest_schema, open, sql};
use crate::steps::Unhurried;
use robot_memory_core::api::{
    Backup, BackupRequest, CommitTurn, CommitTurnRequest, ErrorKind, Learn, LearnRequest,
    ListSessions, ListSessionsRequest, Recall, RecallRequest, RestoreBackup, RestoreBackupRequest,
    RestoreBackupResponse,
};
use robot_memory_core::model::{JobStatus, SessionStatus};
use robot_memory_embedding::HashedEmbedder;
use robot_memory_engine::Engine;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Names the store of the child process; set, this test binary is that child.
const STORE: &str = "ROBOT_MEMORY_RESTORED_STORE";
const KILLS: u64 = 8;
/// Memories in its backup, and in the store that is put back to it.
const OLD_COUNT: i64 = 300;
const NEW_COUNT: i64 = 500;

fn workers() -> Robot {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    robot.plug_in_embedder();
    robot
}

pub fn back_up(robot: &Robot) -> String {
    let made = robot.engine.make_backup(None, &mut |_, _| ControlFlow::Continue(()));
    made.expect("it is made").expect("nobody stopped it").name
}

pub fn restore(robot: &Robot, name: &str) -> RestoreBackupResponse {
    robot.call::<RestoreBackup>(RestoreBackupRequest { name: name.into(), ..Default::default() })
}

/// Folders beside the store of what is about to take its place.
fn staged(robot: &Robot) -> usize {
    let store = robot.store_path();
    let folder = store.parent().expect("a folder");
    let entries = std::fs::read_dir(folder).expect("listed").flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().contains(".incoming")).count()
}

#[test]
fn the_store_is_as_it_was_and_what_was_there_is_kept() {
    let robot = workers();
    let cup = robot.learn_with("the red cup is on the table", r#"{"at": [1.0, 2.0]}"#);
    let name = back_up(&robot);
    let plate = robot.learn_with("the blue plate is in the sink", "");
    robot.recall("plate");
    let revision = |path: &Path| sql::<i64>(path, "SELECT revision FROM store_state");
    let before = revision(&robot.store_path());

    let answer = restore(&robot, &name);
    assert_eq!((answer.name.as_str(), answer.memory_count), (name.as_str(), 1));
    assert_eq!(ids(&robot.recall("red cup table")), [cup]);
    assert_eq!(
        robot.recall("blue plate").memories.iter().filter(|it| it.memory.id == plate).count(),
        0
    );
    assert!(revision(&robot.store_path()) > before);
    // By words, by vector and by a path of the context.
    let request = RecallRequest {
        query: "red cup".into(),
        context_filter: r#"{"at": [1.0, 2.0]}"#.into(),
        ..Default::default()
    };
    assert_eq!(ids(&robot.call::<Recall>(request)), [cup]);
    // No id is given out twice.
    assert!(robot.learn_with("the drill needs 12 V", "") > plate);
    robot.engine.upkeep().expect("upkeep");

    let kept = restore(&robot, &answer.kept_as);
    assert_eq!(kept.memory_count, 2);
    assert!(ids(&robot.recall("blue plate")).contains(&plate));
    assert_eq!(sql::<String>(&robot.store_path(), "PRAGMA integrity_check"), "ok");
    let robot = robot.restart();
    assert_eq!(robot.opened.memory_count, 2);
    assert_eq!(staged(&robot), 0);
}

#[test]
fn names_that_are_none_and_files_that_are_no_backups_are_refused() {
    let robot = workers();
    robot.learn("the cup is red");
    let request = |name: &str| RestoreBackupRequest { name: name.into(), ..Default::default() };
    for name in ["latest", "../memory.db", "/etc/passwd", "robot_memory-2026-11-22T120000Z.db"] {
        assert_eq!(robot.refused::<RestoreBackup>(request(name)).0, ErrorKind::NotFound, "{name}");
    }
    assert_eq!(robot.refused::<RestoreBackup>(request("")).0, ErrorKind::InvalidArgument);
    let key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let secrets = [key.to_owned(), format!("password: {key}"), format!("{key}/../{key}.db")];
    for secret in secrets {
        let (_, message) = robot.refused::<RestoreBackup>(request(&secret));
        assert!(!message.contains(key), "{message}");
    }
    let (_, message) = robot.refused::<RestoreBackup>(request("monday.db"));
    assert!(message.contains("\"monday.db\""), "{message}");
    let name = back_up(&robot);
    let agent = RestoreBackupRequest { name: name.clone(), agent: "skill_grip".into() };
    assert_eq!(robot.refused::<RestoreBackup>(agent).0, ErrorKind::Forbidden);
    let path = robot.engine.backups_folder().join(&name);
    let whole = std::fs::read(&path).expect("bytes");
    let mut flipped = whole.clone();
    let middle = whole.len() / 2 / 8192 * 8192;
    flipped[middle..middle + 8192].fill(0xa5);
    for bytes in [&flipped[..], &whole[..whole.len() / 2], b"no database"] {
        std::fs::write(&path, bytes).expect("written");
        let (kind, message) = robot.refused::<RestoreBackup>(request(&name));
        assert!(matches!(kind, ErrorKind::InvalidState | ErrorKind::NotFound), "{kind}: {message}");
    }
    std::fs::write(&path, &whole).expect("written");
    let connection = rusqlite::Connection::open(&path).expect("opens");
    connection.pragma_update(None, "user_version", 999).expect("set");
    drop(connection);
    let (kind, message) = robot.refused::<RestoreBackup>(request(&name));
    assert_eq!(kind, ErrorKind::InvalidState);
    assert!(message.contains("999"), "{message}");
    assert_eq!(robot.recall("cup").total, 1, "nothing was changed");
    assert!(
        robot
            .engine
            .call::<Learn>(LearnRequest {
                insight: "the bowl is blue".into(),
                ..Default::default()
            })
            .is_ok()
    );
}

#[test]
fn a_backup_of_every_released_version_is_put_back_by_this_one() {
    for version in 1..=9 {
        let robot = Robot::words_only();
        robot.learn("the spoon is in the drawer");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/fixtures/store-v{version}.db"));
        let memories: i64 = {
            let copy = robot.store_path().with_file_name("fixture.db");
            std::fs::copy(&fixture, &copy).expect("copied");
            sql(&copy, "SELECT count(*) FROM memory")
        };
        let answer = robot.engine.restore_from(&fixture).expect("it is put back");
        assert_eq!(answer.memory_count, memories.unsigned_abs(), "version {version}");
        let path = robot.store_path();
        assert_eq!(sql::<i64>(&path, "PRAGMA user_version"), newest_schema());
        assert_eq!(sql::<String>(&path, "PRAGMA integrity_check"), "ok");
        assert_eq!(robot.recall("spoon").total, 0);
        robot.learn("the fork is in the drawer");
        let robot = robot.restart();
        assert_eq!(robot.opened.memory_count, memories.unsigned_abs() + 1);
    }
}

#[test]
fn jobs_and_sessions_of_the_backup_are_left_over() {
    let robot = workers();
    let session_id = robot.start_session();
    robot.call::<CommitTurn>(CommitTurnRequest {
        session_id: session_id.clone(),
        branch_id: "a".into(),
        turn_no: 1,
        text: "The tray is on shelf B2.".into(),
        ..Default::default()
    });
    let lease = robot.engine.claim_job(0).expect("asked").expect("a job");
    let name = back_up(&robot);
    let job = robot.engine.work(&lease, &Unhurried).expect("worked on");
    assert_eq!(job.status, JobStatus::Succeeded);
    robot.end_session(&session_id);

    restore(&robot, &name);
    let listed = robot.call::<ListSessions>(ListSessionsRequest::default());
    assert_eq!(listed.sessions[0].status, SessionStatus::Open);
    // What was being done then is done again; the former claim is nobody's.
    let lease = robot.engine.claim_job(1).expect("asked").expect("a job");
    assert_eq!(lease.job.id, job.id);
    assert_eq!(
        robot.engine.work(&lease, &Unhurried).expect("worked on").status,
        JobStatus::Succeeded
    );
    assert!(robot.engine.claim_job(1).expect("asked").is_none());
    let health = robot.engine.health().expect("health").jobs;
    assert_eq!((health.pending, health.held), (0, 0));
    // The job that makes a backup is in it, being done: it is not done again.
    let queued = robot.call::<Backup>(BackupRequest::default());
    let lease = robot.engine.claim_job(0).expect("asked").expect("a job");
    robot.engine.work(&lease, &Unhurried).expect("worked on");
    restore(&robot, "latest");
    assert!(robot.engine.claim_job(1).expect("asked").is_none());
    let status = sql::<String>(
        &robot.store_path(),
        &format!("SELECT status FROM job WHERE id = {}", queued.job_id),
    );
    assert_eq!(status, "cancelled");
}

#[test]
fn who_learns_and_recalls_meanwhile_is_answered_before_or_after_it() {
    let robot = workers();
    for number in 0..200 {
        robot.perceive(&format!("saw cup number {number} on the table"), "");
    }
    let name = back_up(&robot);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let learning = scope.spawn(|| {
            let mut learned = Vec::new();
            for number in 0..10_000 {
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
                learned.push(robot.perceive(&format!("box {number} weighs {number} kg"), ""));
            }
            learned
        });
        let recalling = scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                assert!(robot.recall("cup").total >= 200);
            }
        });
        for _ in 0..5 {
            restore(&robot, &name);
        }
        is_over.store(true, Ordering::SeqCst);
        let learned = learning.join().expect("no panic");
        recalling.join().expect("no panic");
        let in_order = learned.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(in_order, "an id was given out twice");
    });
    assert_eq!(sql::<String>(&robot.store_path(), "PRAGMA integrity_check"), "ok");
    let total = sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory");
    assert!(total >= 200);
}

#[test]
fn many_that_restore_and_back_up_at_once_leave_the_one_or_the_other() {
    let robot = workers();
    for number in 0..60 {
        robot.perceive(&format!("saw cup number {number} on the table"), "");
    }
    let few = back_up(&robot);
    for number in 0..40 {
        robot.perceive(&format!("saw box number {number} in the drawer"), "");
    }
    let many = back_up(&robot);
    let is_over = AtomicBool::new(false);
    let done = AtomicUsize::new(0);
    let robot = &robot;
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                assert!(robot.recall("cup").total >= 60, "the cups are in both");
            }
        });
        let writing = scope.spawn(|| {
            let mut last = 0;
            while !is_over.load(Ordering::SeqCst) {
                let id = robot.perceive("the gripper closed on nothing at all", "");
                assert!(id > last, "an id was given out twice");
                last = id;
                robot.engine.upkeep().expect("upkeep");
            }
        });
        let backing = scope.spawn(|| {
            while !is_over.load(Ordering::SeqCst) {
                let name = back_up(robot);
                // In a second there are many of one time.
                let _ = std::fs::remove_file(robot.engine.backups_folder().join(name));
            }
        });
        let restoring: Vec<_> = [(&few, 60), (&many, 100), (&few, 60), (&many, 100)]
            .into_iter()
            .map(|(name, count)| {
                let done = &done;
                scope.spawn(move || {
                    for _ in 0..12 {
                        let request =
                            RestoreBackupRequest { name: name.clone(), ..Default::default() };
                        match robot.engine.call::<RestoreBackup>(request) {
                            Ok(answer) => {
                                assert_eq!(answer.memory_count, count);
                                done.fetch_add(1, Ordering::SeqCst);
                            }
                            Err(error) => {
                                assert_eq!(error.kind, ErrorKind::Unavailable, "{error}");
                                assert!(error.message.contains("restore_backup"), "{error}");
                                std::thread::sleep(Duration::from_millis(2));
                            }
                        }
                    }
                })
            })
            .collect();
        let restored: Vec<_> = restoring.into_iter().map(|thread| thread.join()).collect();
        is_over.store(true, Ordering::SeqCst);
        for thread in restored.into_iter().chain([reading.join(), writing.join(), backing.join()]) {
            thread.expect("no panic");
        }
    });
    assert!(done.load(Ordering::SeqCst) > 0);
    assert_eq!(sql::<String>(&robot.store_path(), "PRAGMA integrity_check"), "ok");
    assert!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory") >= 60);
    assert_eq!(staged(robot), 0);
    // The last one alone is done, and what it says is true.
    assert_eq!(restore(robot, &many).memory_count, 100);
    assert_eq!(sql::<i64>(&robot.store_path(), "SELECT count(*) FROM memory"), 100);
}

/// Puts a store back and forth without end.
#[test]
fn child() {
    let Some(store) = std::env::var_os(STORE).map(PathBuf::from) else { return };
    let clock = Arc::new(crate::robot::SetClock::default());
    clock.set(crate::robot::START);
    let (engine, opened) = Engine::open(config(&store), clock).expect("it opens");
    assert!(opened.damaged_aside.is_none(), "the store was damaged");
    let mut out = std::io::stdout().lock();
    engine.restore_from(&store.with_file_name("new.db")).expect("it is put back");
    writeln!(out, "\nopen").expect("the parent listens");
    for _ in 0..1_000 {
        for name in ["old.db", "new.db"] {
            engine.restore_from(&store.with_file_name(name)).expect("it is put back");
            for kept in engine.backups() {
                let _ = std::fs::remove_file(engine.backups_folder().join(kept.name));
            }
        }
    }
}

fn filled(folder: &Path, name: &str, count: i64) {
    let path = folder.join(format!("{name}.work"));
    let (engine, _) = open(&path).expect("it opens");
    engine.set_embedder(Ok(Some(Arc::new(HashedEmbedder::new(16))))).expect("taken");
    for number in 0..count {
        let insight = format!("{name} shelf holds cup {number}");
        engine.call::<Learn>(LearnRequest { insight, ..Default::default() }).expect("it learns");
    }
    let made = engine.make_backup(Some(folder), &mut |_, _| ControlFlow::Continue(()));
    let made = made.expect("it is made").expect("nobody stopped it");
    std::fs::rename(folder.join(made.name), folder.join(format!("{name}.db"))).expect("renamed");
}

#[test]
fn a_kill_at_any_moment_leaves_the_one_or_the_other() {
    let folder = TempDir::new().expect("a folder");
    filled(folder.path(), "old", OLD_COUNT);
    filled(folder.path(), "new", NEW_COUNT);
    let store = folder.path().join("memory.db");
    for kill in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["restore_backup::child", "--exact", "--nocapture", "--test-threads=1"])
            .env(STORE, &store)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the child starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        while line.trim() != "open" {
            line.clear();
            assert_ne!(
                lines.read_line(&mut line).expect("it speaks"),
                0,
                "the child died by itself"
            );
        }
        std::thread::sleep(Duration::from_millis(50 + kill * 37 % 300));
        // File and log of one moment, as a loss of power would leave them.
        let pid = child.id().to_string();
        let stopped = Command::new("kill").args(["-STOP", &pid]).status().expect("kill is there");
        assert!(stopped.success());
        let copy = TempDir::new().expect("a folder");
        let copied = copy.path().join("memory.db");
        for suffix in ["", "-wal"] {
            let from = PathBuf::from(format!("{}{suffix}", store.display()));
            let _ = std::fs::copy(&from, format!("{}{suffix}", copied.display()));
        }
        child.kill().expect("it is killed");
        child.wait().expect("it is gone");
        let count = |path: &Path| sql::<i64>(path, "SELECT count(*) FROM memory");
        for path in [&store, &copied] {
            let found = count(path);
            assert!([OLD_COUNT, NEW_COUNT].contains(&found), "{found}");
            assert_eq!(sql::<String>(path, "PRAGMA integrity_check"), "ok");
        }
    }
}
