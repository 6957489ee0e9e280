//! What a backup says of itself: of which store it is, and whether it still is what was written.

use crate::restore_backup::{back_up, restore};
use crate::robot::{Robot, sql};
use crate::sampled::sampled;
use rand_like::below;
use robot_memory_core::api::{ErrorKind, RestoreBackup, RestoreBackupRequest};
use robot_memory_engine::MachineClock;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use tempfile::TempDir;

/// Flips of one bit that are tried.
const FLIPS: u64 = 60;

/// Noon of 2026-11-22.
const NOON_MILLIS: i64 = 1_795_348_800_000;

mod rand_like {
    /// Numbers that look drawn, the same in each run.
    pub fn below(state: &mut u64, bound: u64) -> u64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % bound
    }
}

fn filled() -> Robot {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    robot.plug_in_embedder();
    let session_id = robot.start_session();
    robot.learn_in(&session_id, "the tray holds 231 g of screws");
    for number in 0..30 {
        robot.perceive(&format!("saw cup number {number} on the table"), r#"{"at": [1.0, 2.0]}"#);
    }
    robot
}

/// All that is said of memories, sessions and perceptions.
fn contents(path: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(path).expect("it opens");
    let mut rows = Vec::new();
    for query in [
        "SELECT id || content || context || scope || status || confidence || created_at FROM memory",
        "SELECT session_id || collection || context || started_at FROM session",
        "SELECT memory_id || perception_type || data || metadata FROM perception",
    ] {
        let mut statement = connection.prepare(query).expect("it is prepared");
        let found = statement.query_map([], |row| row.get::<_, String>(0)).expect("rows");
        rows.extend(found.map(|row| row.expect("a row")));
    }
    rows
}

fn try_restore(robot: &Robot, name: &str) -> Result<u64, ErrorKind> {
    let request = RestoreBackupRequest { name: name.into(), ..Default::default() };
    let answer = robot.engine.call::<RestoreBackup>(request);
    answer.map(|answer| answer.memory_count).map_err(|error| error.kind)
}

fn label(path: &Path) -> PathBuf {
    path.with_extension("json")
}

#[test]
fn one_flipped_bit_anywhere_in_a_backup_is_found() {
    let robot = filled();
    let name = back_up(&robot);
    let known = contents(&robot.store_path());
    let path = robot.engine.backups_folder().join(&name);
    let whole = std::fs::read(&path).expect("bytes");
    let noted = std::fs::read(label(&path)).expect("it is noted");
    let mut state = 7;
    for _ in sampled(0..FLIPS, 4) {
        let at = below(&mut state, whole.len() as u64) as usize;
        let bit = below(&mut state, 8);
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << bit;
        std::fs::write(&path, &flipped).expect("written");
        let refused = try_restore(&robot, &name);
        assert!(
            matches!(refused, Err(ErrorKind::InvalidState | ErrorKind::NotFound)),
            "bit {bit} of byte {at}: {refused:?}"
        );
        // The file alone, as somebody copied it: what is put back is true, or nothing is.
        std::fs::remove_file(label(&path)).expect("removed");
        match try_restore(&robot, &name) {
            Ok(count) => {
                assert_eq!(count, 31);
                assert_eq!(contents(&robot.store_path()), known, "bit {bit} of byte {at}");
            }
            Err(kind) => {
                assert!(matches!(kind, ErrorKind::InvalidState | ErrorKind::NotFound), "{kind}");
            }
        }
        std::fs::write(label(&path), &noted).expect("noted again");
    }
    assert_eq!(contents(&robot.store_path()), known);
    std::fs::write(&path, &whole).expect("written");
    assert_eq!(restore(&robot, &name).memory_count, 31);
}

#[test]
fn a_backup_that_was_changed_and_is_sound_for_sqlite_is_refused() {
    let robot = filled();
    for change in [
        "UPDATE memory SET content = replace(content, '231 g', '931 g')",
        "UPDATE memory SET confidence = 0.11 WHERE id = 1",
        "UPDATE memory SET content = replace(content, '231 g', '931 g'), content_hash = randomblob(32)",
        "DELETE FROM perception WHERE memory_id = 2",
        "UPDATE session SET agent = 'other'",
        "DROP TRIGGER memory_outdated_by_delete",
        "DROP INDEX memory_inactive",
        "PRAGMA foreign_keys = OFF; PRAGMA legacy_alter_table = ON; DROP TABLE session",
    ] {
        let name = back_up(&robot);
        let path = robot.engine.backups_folder().join(&name);
        let connection = rusqlite::Connection::open(&path).expect("it opens");
        connection.execute_batch(change).expect("it is changed");
        drop(connection);
        assert_eq!(try_restore(&robot, &name), Err(ErrorKind::InvalidState), "{change}");
        std::fs::remove_file(label(&path)).expect("removed");
        assert_eq!(try_restore(&robot, &name), Err(ErrorKind::InvalidState), "alone: {change}");
        std::fs::remove_file(&path).expect("removed");
    }
    assert_eq!(
        robot.recall("tray screws").memories[0].memory.content,
        "the tray holds 231 g of screws"
    );
}

/// Two robots that keep their backups in one folder.
fn neighbors(folder: &TempDir, clock: &Arc<AtomicI64>) -> [Robot; 2] {
    [(); 2].map(|()| {
        let now = Arc::clone(clock);
        let robot = Robot::with(|config| {
            config.jobs.has_workers = true;
            config.backups.folder = Some(folder.path().join("backups"));
            config.jobs.clock = MachineClock::new(move || now.load(Ordering::SeqCst));
        });
        robot.plug_in_embedder();
        robot
    })
}

#[test]
fn latest_is_of_this_store_and_goes_by_what_is_in_it() {
    let folder = TempDir::new().expect("a folder");
    let clock = Arc::new(AtomicI64::new(NOON_MILLIS));
    let [one, other] = neighbors(&folder, &clock);
    one.learn("the cup is red");
    other.learn("the plate is green");
    let (none, message) = one.refused::<RestoreBackup>(RestoreBackupRequest {
        name: "latest".into(),
        ..Default::default()
    });
    assert_eq!(none, ErrorKind::NotFound, "{message}");
    let of_other = back_up(&other);
    let (none, message) = one.refused::<RestoreBackup>(RestoreBackupRequest {
        name: "latest".into(),
        ..Default::default()
    });
    assert!(none == ErrorKind::NotFound && message.contains("1 of other stores"), "{message}");

    // The clock was five years ahead for the first, and of the other store's time for the second.
    clock.store(NOON_MILLIS + 5 * 365 * 86_400_000, Ordering::SeqCst);
    let first = back_up(&one);
    clock.store(NOON_MILLIS, Ordering::SeqCst);
    one.learn("the bowl is in the sink");
    let second = back_up(&one);
    clock.store(NOON_MILLIS + 9 * 365 * 86_400_000, Ordering::SeqCst);
    let last_of_other = back_up(&other);
    clock.store(NOON_MILLIS, Ordering::SeqCst);
    one.learn("the fork is in the drawer");
    let answer = restore(&one, "latest");
    assert_eq!((&answer.name, answer.memory_count, answer.is_foreign), (&second, 2, false));
    // Without what is noted beside it: it is in the file as well.
    for name in [&first, &second, &last_of_other] {
        let label = label(&folder.path().join("backups").join(name));
        std::fs::remove_file(label).expect("removed");
    }
    let answer = restore(&one, "latest");
    assert_eq!((&answer.name, answer.memory_count), (&second, 2));
    let listed = one.engine.backups();
    let foreign: Vec<&str> =
        listed.iter().filter(|it| it.is_foreign).map(|it| it.name.as_str()).collect();
    assert_eq!(
        foreign.len(),
        listed
            .iter()
            .filter(|it| it.name != first
                && it.name != second
                && !it.name.starts_with("before-restore"))
            .count()
    );
    assert!(foreign.contains(&of_other.as_str()) && foreign.contains(&last_of_other.as_str()));

    // By its name it is put back, and the answer says whose it is. The store stays the one that it was.
    let answer = restore(&one, &of_other);
    assert_eq!((answer.memory_count, answer.is_foreign), (1, true));
    assert_eq!(one.recall("plate").total, 1);
    assert_eq!(restore(&one, "latest").name, second);
    // Nobody's old backups take those of another along.
    let ids = [&one, &other]
        .map(|it| sql::<String>(&it.store_path(), "SELECT store_id FROM store_state"));
    assert!(ids[0] != ids[1] && ids.iter().all(|id| id.len() == 32));
}

#[test]
fn a_store_keeps_its_identity_through_restarts_and_its_copies_have_it() {
    let robot = filled();
    let id = |path: &Path| sql::<String>(path, "SELECT store_id FROM store_state");
    let own = id(&robot.store_path());
    let path = robot.engine.backups_folder().join(back_up(&robot));
    assert_eq!(id(&path), own);
    let digest = "SELECT coalesce(length(rows_sha256), 0) FROM store_state";
    assert_eq!(sql::<i64>(&path, digest), 32);
    assert_eq!(sql::<i64>(&robot.store_path(), digest), 0);
    let robot = robot.restart();
    restore(&robot, "latest");
    assert_eq!(id(&robot.store_path()), own);
    assert_eq!(sql::<i64>(&robot.store_path(), digest), 0);
    // A copy that is opened as a store is one that is written.
    let copy = path.with_file_name("opened.db");
    std::fs::copy(&path, &copy).expect("copied");
    drop(crate::robot::open(&copy).expect("it opens"));
    assert_eq!(sql::<i64>(&copy, digest), 0);
}
