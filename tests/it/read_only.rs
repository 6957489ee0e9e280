//! A file system that is read-only, or becomes so.

use crate::mounts::Mount;
use crate::waiting::{
    assert_all_stored, assert_all_wait, before, learn, queue, robot_at, robot_with, state,
    until_reserved, until_well,
};
use robot_memory_core::api::LearnStatus;
use robot_memory_engine::StoreState;

#[test]
fn a_store_on_a_read_only_file_system_opens_and_becomes_writable() {
    let Some(disk) = Mount::tmpfs(8 << 20) else { return };
    let store = disk.path().join("memory.db");
    let queue_file = disk.beside().join("queue.jsonl");
    let open = || robot_with(&store, |config| config.write_queue.path = Some(queue_file.clone()));
    let robot = open();
    let before = before(&robot);
    robot.engine.close().expect("it closes");
    drop(robot);
    assert!(disk.remount("ro"));
    let robot = open();
    assert_eq!(state(&robot), StoreState::ReadOnly);
    assert_all_wait(&robot, &before);
    let at = robot.clock_now();
    robot.sleep_days(1.0);
    assert!(disk.remount("rw"));
    until_well(&robot);
    assert_all_stored(&robot, &before, at);
    assert_eq!(learn(&robot.engine, "the saw is blunt"), Ok(LearnStatus::Created));
    assert!(matches!(
        crate::robot::open(&store).err().expect("it is in use").to_string().as_str(),
        error if error.contains("in use")
    ));
    robot.engine.close().expect("it closes");
}

#[test]
fn what_a_killed_run_left_in_its_log_is_read_on_a_read_only_file_system() {
    let Some(disk) = Mount::tmpfs(8 << 20) else { return };
    let beside = disk.beside().join("memory.db");
    let robot = robot_at(&beside);
    let before = before(&robot);
    let store = disk.path().join("memory.db");
    for suffix in ["", "-wal", "-shm"] {
        let with = |path: &std::path::Path| format!("{}{suffix}", path.display());
        std::fs::copy(with(&beside), with(&store)).expect("copied");
    }
    assert!(disk.remount("ro"));
    let queue_file = disk.beside().join("queue.jsonl");
    let robot = robot_with(&store, |config| config.write_queue.path = Some(queue_file));
    assert_eq!(state(&robot), StoreState::ReadOnly);
    assert_all_wait(&robot, &before);
    let at = robot.clock_now();
    assert!(disk.remount("rw"));
    until_well(&robot);
    assert_all_stored(&robot, &before, at);
}

#[test]
fn with_its_queue_beside_it_a_read_only_store_is_read_and_nothing_waits() {
    let Some(disk) = Mount::tmpfs(8 << 20) else { return };
    let store = disk.path().join("memory.db");
    let robot = robot_at(&store);
    robot.learn("the saw is blunt");
    robot.engine.close().expect("it closes");
    drop(robot);
    assert!(disk.remount("ro"));
    let robot = robot_at(&store);
    let error = learn(&robot.engine, "the ladder is short").expect_err("nothing takes it");
    assert_eq!(error.kind.as_str(), "unavailable", "{error}");
    assert_eq!(robot.recall("saw").memories.len(), 1);
    assert!(disk.remount("rw"));
    until_reserved(&robot);
    until_well(&robot);
    assert_eq!(learn(&robot.engine, "the ladder is short"), Ok(LearnStatus::Created));
}

#[test]
fn a_file_system_that_fails_lets_writes_wait_until_it_is_repaired() {
    let Some(disk) = Mount::failing(24 << 20) else { return };
    let store = disk.path().join("memory.db");
    let queue_file = disk.beside().join("queue.jsonl");
    let open = || robot_with(&store, |config| config.write_queue.path = Some(queue_file.clone()));
    let robot = open();
    let before = before(&robot);
    // The kernel does the same by itself when it finds a fault.
    assert!(disk.remount("abort"));
    let at = robot.clock_now();
    assert_all_wait(&robot, &before);
    assert_eq!((state(&robot), queue(&robot).queued), (StoreState::ReadOnly, 4));
    drop(robot);
    disk.repair();
    let robot = open();
    until_well(&robot);
    assert_all_stored(&robot, &before, at);
    robot.engine.close().expect("it closes");
}
