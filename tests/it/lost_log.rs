//! A log that loses its end: what it lacks is told, and no id is given twice.

use crate::robot::{Robot, open, sql};
use robot_memory_core::api::{
    GetStatus, Learn, LearnRequest, SavePerception, SavePerceptionRequest, StatusLevel,
    StatusRequest,
};
use robot_memory_engine::Engine;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const SAVED: u64 = 40;

/// A store that was not closed, and the last id that it answered.
fn robot() -> (Robot, i64) {
    let robot = Robot::words_only();
    let mut last = 0;
    for number in 1..=SAVED {
        last = robot.perceive(&format!("saw cup {number} fall"), "");
    }
    (robot, last)
}

/// A copy of a store as it is on disk, as after a loss of power.
fn copy(store: &Path, folder: &TempDir, suffixes: &[&str]) -> PathBuf {
    let to = folder.path().join("memory.db");
    for suffix in suffixes {
        let [from, to] =
            [store, &to].map(|path| PathBuf::from(format!("{}{suffix}", path.display())));
        std::fs::copy(from, to).expect("copied");
    }
    to
}

fn damage(store: &Path, at: usize, bytes: usize, is_zeroed: bool) {
    let log = format!("{}-wal", store.display());
    let mut found = std::fs::read(&log).expect("a log");
    let end = (at + bytes).min(found.len());
    if is_zeroed {
        found[at..end].fill(0);
    } else {
        found[at] ^= 4;
    }
    std::fs::write(&log, found).expect("written");
}

fn learned(engine: &Engine) -> i64 {
    let request = LearnRequest { insight: "the lamp is green".into(), ..Default::default() };
    engine.call::<Learn>(request).expect("it learns").memory_id
}

fn store_of_status(engine: &Engine) -> (StatusLevel, String) {
    let status = engine.call::<GetStatus>(StatusRequest::default()).expect("a status");
    let store = status.components.into_iter().find(|part| part.name == "store").expect("a part");
    (store.level, store.message)
}

#[test]
fn commits_that_the_log_lost_are_told_and_their_ids_are_not_given_again() {
    let (robot, last) = robot();
    let length = std::fs::metadata(format!("{}-wal", robot.store_path().display())).expect("it");
    let length = usize::try_from(length.len()).expect("a size");
    let page = 8192 + 24;
    let mut logged = 0;
    // The header of the log, and pages from its first to its last.
    let places = [5].into_iter().chain((0..10).map(|part| 32 + part * length / 10 / page * page));
    for place in places.chain([32 + (length / page - 1) * page]) {
        for (is_zeroed, has_note) in [(true, true), (false, true), (true, false), (false, false)] {
            let folder = TempDir::new().expect("a folder");
            let suffixes: &[&str] = if has_note { &["", "-wal", ".lock"] } else { &["", "-wal"] };
            let path = copy(&robot.store_path(), &folder, suffixes);
            damage(&path, place + if place == 5 { 0 } else { 4_000 }, 4_096, is_zeroed);
            let (engine, opened) = open(&path).expect("it opens");
            let place = format!("byte {place}, zeroed: {is_zeroed}, noted: {has_note}");
            let lacking = SAVED - opened.memory_count;
            if opened.damaged_aside.is_none() {
                assert!(opened.missing_commits >= lacking, "{place}: {opened:?}");
                assert_eq!(opened.missing_commits > 0, lacking > 0, "{place}: {opened:?}");
                let (level, message) = store_of_status(&engine);
                let expected = if lacking > 0 { StatusLevel::Warn } else { StatusLevel::Ok };
                assert_eq!(level, expected, "{place}: {message}");
                if lacking > 0 {
                    logged += 1;
                    assert!(message.contains(" commits that were answered"), "{message}");
                    let kept = folder.path().join("memory.db.damaged-1-wal");
                    assert_eq!(std::fs::metadata(kept).expect("it is kept").len(), length as u64);
                }
            }
            assert!(learned(&engine) > last, "{place}");
            // The next run has nothing to tell.
            drop(engine);
            assert_eq!(open(&path).expect("it opens").1.missing_commits, 0, "{place}");
        }
    }
    assert!(logged >= 30, "hardly anything was lost: {logged}");
}

#[test]
fn a_sound_log_lacks_nothing() {
    let (robot, last) = robot();
    for suffixes in [&["", "-wal", ".lock"][..], &["", "-wal"]] {
        let folder = TempDir::new().expect("a folder");
        let path = copy(&robot.store_path(), &folder, suffixes);
        let (engine, opened) = open(&path).expect("it opens");
        assert_eq!((opened.missing_commits, opened.memory_count), (0, SAVED));
        assert_eq!(learned(&engine), last + 1);
        assert!(!folder.path().join("memory.db.damaged-1").exists());
    }
    // Also when pages of a transaction that was undone are left in it.
    let data = format!("[{}0]", "0,".repeat(500_000));
    let blocked = rusqlite::Connection::open(robot.store_path()).expect("opens");
    let fails = "CREATE TRIGGER sabotage AFTER INSERT ON perception \
         BEGIN SELECT RAISE(ABORT, 'sabotaged'); END";
    blocked.execute_batch(fails).expect("made");
    for number in 0..8 {
        let request = SavePerceptionRequest {
            description: format!("saw box {number} fall"),
            data: data.clone(),
            ..Default::default()
        };
        assert!(robot.engine.call::<SavePerception>(request).is_err());
    }
    blocked.execute_batch("DROP TRIGGER sabotage").expect("dropped");
    drop(blocked);
    let last = robot.perceive("saw the last cup fall", "");
    let folder = TempDir::new().expect("a folder");
    let path = copy(&robot.store_path(), &folder, &["", "-wal"]);
    let (engine, opened) = open(&path).expect("it opens");
    assert_eq!((opened.missing_commits, opened.memory_count), (0, SAVED + 1));
    assert!(learned(&engine) > last);
}

#[test]
fn an_earlier_copy_in_the_place_of_the_store_is_told_too() {
    let (robot, _) = robot();
    let path = robot.store_path();
    let earlier = TempDir::new().expect("a folder");
    let robot = robot.restart();
    let kept = copy(&path, &earlier, &["", "-wal"]);
    let last = robot.perceive("saw the last cup fall", "");
    let revision = "SELECT revision FROM store_state";
    let reached: i64 = sql(&path, revision);
    robot.engine.close().expect("it closes");
    drop(robot.engine);
    for suffix in ["", "-wal"] {
        std::fs::copy(format!("{}{suffix}", kept.display()), format!("{}{suffix}", path.display()))
            .expect("put back");
    }
    let (engine, opened) = open(&path).expect("it opens");
    assert_eq!((opened.missing_commits, opened.memory_count), (1, SAVED));
    assert!(learned(&engine) > last);
    assert!(sql::<i64>(&path, revision) > reached, "no revision is of two states");
    drop(engine);
    // One that was removed was meant to be.
    std::fs::remove_file(&path).expect("removed");
    for suffix in ["-wal", "-shm"] {
        std::fs::remove_file(format!("{}{suffix}", path.display())).unwrap_or_default();
    }
    let (engine, opened) = open(&path).expect("it opens");
    assert_eq!(opened.missing_commits, 0);
    assert_eq!(learned(&engine), 1);
}
