//! A disk that is full: what is answered, what waits, and that it recovers by itself.

use crate::mounts::Mount;
use crate::waiting::{
    assert_all_stored, assert_all_wait, before, learn, perceive, queue, queue_path, robot_at,
    robot_with, state, until, until_reserved, until_well, usual_recall,
};
use robot_memory_core::api::{LearnStatus, SaveStatus};
use robot_memory_engine::StoreState;
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn a_full_disk_lets_writes_wait_and_recall_go_on() {
    let Some(disk) = Mount::tmpfs(6 << 20) else { return };
    let store = disk.path().join("memory.db");
    let robot = robot_at(&store);
    let before = before(&robot);
    until_reserved(&robot);
    let calm = usual_recall(&robot);
    disk.fill();
    let mut stored = 0;
    // The log may have room of its own.
    while perceive(&robot.engine, &format!("box {stored} on the conveyor"))
        == Ok(SaveStatus::Created)
    {
        stored += 1;
        assert!(stored < 1_000, "the disk is not full");
    }
    assert_eq!(state(&robot), StoreState::Full);
    assert_eq!(queue(&robot).queued, 1);
    robot.sleep_days(1.0);
    let at = robot.clock_now();
    assert_all_wait(&robot, &before);
    let full = usual_recall(&robot);
    println!("half of 50 recalls within: {calm:?} before, {full:?} on a full disk");
    assert!(full < calm * 5 + Duration::from_millis(50), "{full:?} instead of {calm:?}");
    // It stays full for some looks whether it still is.
    for _ in 0..3 {
        std::thread::sleep(Duration::from_millis(400));
        let _ = robot.engine.upkeep();
    }
    assert_eq!((state(&robot), queue(&robot).queued), (StoreState::Full, 5));
    robot.sleep_days(1.0);
    disk.empty();
    until_well(&robot);
    assert_all_stored(&robot, &before, at);
    assert_eq!((queue(&robot).replayed, queue(&robot).rejected), (5, 0));
    let text = std::fs::read_to_string(queue_path(&store)).expect("text");
    assert!(text.trim().is_empty(), "what was stored stays on the disk");
}

#[test]
fn a_store_on_a_full_disk_opens_and_becomes_writable() {
    let Some(disk) = Mount::tmpfs(6 << 20) else { return };
    let store = disk.path().join("memory.db");
    let robot = robot_at(&store);
    let before = before(&robot);
    until_reserved(&robot);
    robot.engine.close().expect("it closes");
    drop(robot);
    disk.fill();
    let robot = robot_at(&store);
    assert_eq!(state(&robot), StoreState::Full);
    assert_all_wait(&robot, &before);
    let at = robot.clock_now();
    // Its end while it is full changes nothing.
    drop(robot);
    let robot = robot_at(&store);
    assert_eq!(queue(&robot).queued, 4);
    disk.empty();
    until_well(&robot);
    assert_all_stored(&robot, &before, at);
    assert_eq!(learn(&robot.engine, "the saw is blunt"), Ok(LearnStatus::Created));
    robot.engine.close().expect("it closes");
}

#[test]
fn where_the_queue_has_no_room_either_writes_are_unavailable() {
    let Some(disk) = Mount::tmpfs(6 << 20) else { return };
    let store = disk.path().join("memory.db");
    let robot = robot_at(&store);
    robot.learn("the saw is blunt");
    robot.engine.close().expect("it closes");
    drop(robot);
    std::fs::remove_file(queue_path(&store)).expect("it was there");
    disk.fill();
    let robot = robot_at(&store);
    let error = learn(&robot.engine, "the ladder is short").expect_err("there is no room");
    assert_eq!(error.kind.as_str(), "unavailable", "{error}");
    assert!(error.message.contains("write queue"), "{error}");
    assert_eq!((queue(&robot).queued, queue(&robot).is_reserved), (0, false));
    disk.empty();
    until_well(&robot);
    assert_eq!(learn(&robot.engine, "the ladder is short"), Ok(LearnStatus::Created));
    until_reserved(&robot);
}

#[test]
fn a_full_store_lets_writes_wait_until_there_is_room() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let robot = robot_with(&store, |config| config.store_bytes_max = 1 << 20);
    let id = robot.learn_with("the saw is blunt", "");
    let mut count = 0;
    let mut save = || {
        count += 1;
        perceive(&robot.engine, &format!("{count} {}", "box on the conveyor ".repeat(12)))
    };
    while save() == Ok(SaveStatus::Created) {}
    assert_eq!(state(&robot), StoreState::Full);
    for _ in 0..20 {
        assert_eq!(save(), Ok(SaveStatus::Queued));
    }
    until(&robot, "looked at", |robot| {
        std::thread::sleep(Duration::from_millis(1_200));
        robot.engine.upkeep().is_ok()
    });
    assert!(queue(&robot).queued > 0 && !robot.recall("saw").memories.is_empty());
    // A greater store: the same as room that was made.
    robot.engine.close().expect("it closes");
    drop(robot);
    let robot = robot_with(&store, |_| {});
    until_well(&robot);
    assert_eq!(queue(&robot).replayed + queue(&robot).rejected, queue(&robot).replayed);
    let total: i64 = crate::robot::sql(&store, "SELECT count(*) FROM memory");
    assert_eq!(total, count + 1, "each is stored once");
    assert_ne!(id, 0);
}
