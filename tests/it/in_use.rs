//! One process has a store, by whatever path it is reached, and lets it go at once.

use crate::robot::{Robot, open};
use robot_memory_engine::Config;
use rustix::fd::{BorrowedFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn refusal(path: &Path) -> String {
    open(path).err().expect("it is refused").to_string()
}

/// Copies of all descriptors that this process has of files below a folder, as a child process has them
/// between its fork and its exec.
fn copies_of_descriptors(folder: &Path) -> Vec<OwnedFd> {
    let folder = folder.canonicalize().expect("a folder");
    let open = std::fs::read_dir("/proc/self/fd").expect("descriptors");
    let numbers = open.flatten().filter_map(|entry| {
        let is_below = std::fs::read_link(entry.path()).ok()?.starts_with(&folder);
        is_below.then(|| entry.file_name().to_str()?.parse().ok()).flatten()
    });
    let numbers: Vec<i32> = numbers.collect();
    // SAFETY: they belong to an engine of this test, which is not dropped meanwhile.
    let copied = numbers.iter().map(|fd| rustix::io::dup(unsafe { BorrowedFd::borrow_raw(*fd) }));
    copied.map(|copy| copy.expect("a copy")).collect()
}

#[test]
fn a_child_process_that_is_just_begun_keeps_nobody_from_opening_the_store_again() {
    let with_queue = |config: &mut Config| config.write_queue.bytes_max = 1 << 20;
    let robot = Robot::with(with_queue);
    let id = robot.learn_with("the cup is red", "");
    let path = robot.store_path();
    let copies = copies_of_descriptors(path.parent().expect("a folder"));
    assert!(copies.len() > 3, "of the store, its log, its lock, and the queue: {copies:?}");
    let robot = robot.restart_with(with_queue);
    assert_eq!(robot.recall("cup").memories[0].memory.id, id);
    let health = robot.engine.health().expect("health").write_queue;
    assert!(health.is_open, "the queue is its own again");
    let more = copies_of_descriptors(path.parent().expect("a folder"));
    let robot = robot.pull_the_plug();
    assert_eq!(robot.recall("cup").total, 1);
    drop((copies, more));
    assert!(refusal(&path).contains("in use by another process"));
}

#[test]
fn a_store_whose_lock_file_was_removed_is_still_in_use() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    let path = robot.store_path();
    for _ in 0..2 {
        std::fs::remove_file(path.with_file_name("memory.db.lock")).expect("removed");
        let error = refusal(&path);
        assert!(error.contains("in use by another process"), "{error}");
    }
    robot.learn("the bowl is blue");
    let robot = robot.restart();
    assert_eq!(robot.recall("bowl").total, 2);
}

#[test]
fn a_new_store_in_the_place_of_a_damaged_one_is_in_use_too() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("memory.db");
    std::fs::write(path.with_file_name("memory.db.lock"), "").expect("written");
    std::fs::write(&path, [0xa5; 8192]).expect("written");
    let (engine, opened) = open(&path).expect("a new one is begun");
    assert!(opened.damaged_aside.is_some());
    std::fs::remove_file(path.with_file_name("memory.db.lock")).expect("removed");
    assert!(refusal(&path).contains("in use by another process"));
    drop(engine);
    open(&path).expect("it is free");
}

#[test]
fn every_path_to_one_file_is_one_store() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    let (path, elsewhere) = (robot.store_path(), TempDir::new().expect("a folder"));
    let link = elsewhere.path().join("link.db");
    symlink(&path, &link).expect("a link");
    assert!(refusal(&link).contains("in use by another process"));
    let folder_link = elsewhere.path().join("folder");
    symlink(path.parent().expect("a folder"), &folder_link).expect("a link");
    assert!(refusal(&folder_link.join("memory.db")).contains("in use by another process"));
    let hard = elsewhere.path().join("hard.db");
    std::fs::hard_link(&path, &hard).expect("the same file system");
    assert!(refusal(&hard).contains("hard links"));
    std::fs::remove_file(&hard).expect("removed");
    assert!(refusal(&path).contains("in use by another process"));
}

/// What is mounted at a path, as long as this is kept.
struct Bound(std::path::PathBuf);

impl Bound {
    fn new(from: &Path, to: &Path) -> Option<Self> {
        let mounted = Command::new("mount").arg("--bind").args([from, to]).output();
        let is_mounted = mounted.is_ok_and(|output| output.status.success());
        if !is_mounted {
            println!("mounting is not allowed here: this way of the fault is not tested");
        }
        is_mounted.then(|| Self(to.into()))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

#[test]
fn a_file_that_is_mounted_without_its_folder_is_refused() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    let (path, elsewhere) = (robot.store_path(), TempDir::new().expect("a folder"));
    let other = elsewhere.path().join("memory.db");
    std::fs::write(&other, "").expect("written");
    let Some(bound) = Bound::new(&path, &other) else { return };
    assert!(refusal(&other).contains("mount the folder"));
    robot.learn("the bowl is blue");
    robot.engine.close().expect("it closes");
    drop(robot);
    // Also when nobody has it: what it writes would not all be in that file.
    assert!(refusal(&other).contains("mount the folder"));
    drop(bound);
}

#[test]
fn a_folder_that_is_mounted_elsewhere_holds_the_same_store() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    let (path, elsewhere) = (robot.store_path(), TempDir::new().expect("a folder"));
    let folder = path.parent().expect("a folder");
    let Some(bound) = Bound::new(folder, elsewhere.path()) else { return };
    let other = elsewhere.path().join("memory.db");
    assert!(refusal(&other).contains("in use by another process"));
    std::fs::remove_file(elsewhere.path().join("memory.db.lock")).expect("removed");
    assert!(refusal(&other).contains("in use by another process"));
    drop(robot.engine);
    open(&other).expect("it is free");
    drop(bound);
}
