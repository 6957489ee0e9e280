//! Files that are removed while they are open, and links to the store.

use crate::robot::{Robot, ids, open};
use crate::waiting::{learn, queue, queue_path, robot_at, until_well};
use robot_memory_core::api::{Learn, LearnRequest};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn beside(path: &Path, suffix: &str) -> PathBuf {
    format!("{}{suffix}", path.display()).into()
}

fn block(robot: &Robot) {
    robot.engine.block_writes(Some("there is no room".into()));
}

fn unblock(robot: &Robot) {
    robot.engine.block_writes(None);
    until_well(robot);
}

#[test]
fn what_is_in_a_log_that_was_removed_is_brought_into_the_store() {
    for by_write in [true, false] {
        let robot = Robot::words_only();
        for number in 0..20 {
            robot.perceive(&format!("saw cup {number} fall"), "");
        }
        let path = robot.store_path();
        std::fs::remove_file(beside(&path, "-wal")).expect("removed");
        let mut expected = 20;
        if by_write {
            robot.perceive("saw the last cup fall", "");
            expected += 1;
        } else {
            robot.engine.upkeep().expect("upkeep");
        }
        assert!(beside(&path, "-wal").exists(), "a new one is begun");
        // Killed at any time after it, nothing is missing.
        let folder = TempDir::new().expect("a folder");
        let copy = folder.path().join("memory.db");
        for suffix in ["", "-wal", ".lock"] {
            std::fs::copy(beside(&path, suffix), beside(&copy, suffix)).expect("copied");
        }
        let (_, opened) = open(&copy).expect("it opens");
        assert_eq!((opened.memory_count, opened.missing_commits), (expected, 0));
        // And it goes on in it.
        for number in 0..5 {
            robot.perceive(&format!("saw box {number} fall"), "");
        }
        assert_eq!(robot.recall("fall").total, expected + 5);
        let robot = robot.pull_the_plug();
        assert_eq!((robot.opened.memory_count, robot.opened.missing_commits), (expected + 5, 0));
        std::fs::remove_file(beside(&path, "-wal")).expect("removed");
        let robot = robot.restart();
        assert_eq!(robot.opened.memory_count, expected + 5, "closing brings it in, too");
    }
}

#[test]
fn the_lock_file_is_made_anew_with_what_is_noted_in_it() {
    let robot = Robot::words_only();
    let last = robot.perceive("saw the cup fall", "");
    let (path, folder) = (robot.store_path(), TempDir::new().expect("a folder"));
    std::fs::remove_file(beside(&path, ".lock")).expect("removed");
    robot.engine.upkeep().expect("upkeep");
    let copy = folder.path().join("memory.db");
    std::fs::copy(beside(&path, ".lock"), beside(&copy, ".lock")).expect("it is there");
    std::fs::copy(&path, &copy).expect("copied");
    let (engine, opened) = open(&copy).expect("it opens");
    assert!(opened.missing_commits > 0, "the log was not copied");
    let request = LearnRequest { insight: "the lamp is green".into(), ..Default::default() };
    assert!(engine.call::<Learn>(request).expect("it learns").memory_id > last);
}

#[test]
fn what_waits_in_a_queue_that_was_removed_is_kept() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let robot = robot_at(&store);
    block(&robot);
    learn(&robot.engine, "the first waits").expect("it waits");
    std::fs::remove_file(queue_path(&store)).expect("removed");
    learn(&robot.engine, "the second waits").expect("it waits");
    std::fs::remove_file(queue_path(&store)).expect("removed");
    robot.engine.upkeep().expect("upkeep");
    assert!(queue_path(&store).exists());
    // As after a kill.
    drop(robot);
    let robot = robot_at(&store);
    unblock(&robot);
    assert_eq!(queue(&robot).replayed, 2);
    // Another file in its place is left as it is.
    block(&robot);
    learn(&robot.engine, "the third waits").expect("it waits");
    std::fs::rename(queue_path(&store), folder.path().join("moved")).expect("moved");
    std::fs::write(queue_path(&store), "").expect("written");
    let error = learn(&robot.engine, "the fourth waits").expect_err("it is refused");
    assert!(error.message.contains("replaced"), "{error}");
}

#[test]
fn links_to_a_store_lead_to_the_same_files() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let robot = robot_at(&store);
    block(&robot);
    learn(&robot.engine, "the first waits").expect("it waits");
    drop(robot);
    let elsewhere = TempDir::new().expect("a folder");
    let link = elsewhere.path().join("link.db");
    symlink(&store, &link).expect("a link");
    let robot = robot_at(&link);
    assert_eq!(queue(&robot).queued, 1);
    block(&robot);
    learn(&robot.engine, "the second waits").expect("it waits");
    drop(robot);
    assert!(!beside(&link, ".write_queue.jsonl").exists());
    let robot = robot_at(&store);
    assert_eq!(queue(&robot).queued, 2);
    unblock(&robot);
    assert_eq!(queue(&robot).replayed, 2);
    drop(robot);
    // What an earlier version put beside the link is taken over.
    for suffix in [".write_queue.jsonl", ".backups"] {
        std::fs::rename(beside(&store, suffix), beside(&link, suffix)).unwrap_or_default();
    }
    std::fs::create_dir_all(beside(&link, ".clips")).expect("a folder");
    std::fs::write(beside(&link, ".clips").join("1.mcap"), "a clip").expect("written");
    let robot = robot_at(&link);
    assert!(beside(&store, ".write_queue.jsonl").exists());
    assert!(!beside(&link, ".clips").exists() && !beside(&link, ".write_queue.jsonl").exists());
    assert_eq!(ids(&robot.recall("waits")).len(), 2);
}
