//! A store that another program holds.

use crate::waiting::{
    assert_all_stored, assert_all_wait, before, learn, queue, robot_at, state, until_well,
    usual_recall,
};
use robot_memory_core::api::LearnStatus;
use robot_memory_engine::StoreState;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Names the store that a child process holds.
const HELD: &str = "ROBOT_MEMORY_HELD_STORE";

/// Another program, which holds a store until it is let go.
struct Holder(Child);

impl Holder {
    fn of(store: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["locked::hold", "--exact", "--nocapture", "--test-threads=1"])
            .env(HELD, store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the child starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        assert!(lines.any(|line| line.expect("it speaks") == "held"), "the child died");
        Self(child)
    }

    fn let_go(mut self) {
        drop(self.0.stdin.take());
        self.0.wait().expect("it ends");
    }
}

#[test]
fn hold() {
    let Some(store) = std::env::var_os(HELD).map(PathBuf::from) else { return };
    let connection = rusqlite::Connection::open(store).expect("the file opens");
    connection.execute_batch("BEGIN EXCLUSIVE").expect("it is held");
    println!("\nheld");
    // Until the parent is done, or dead.
    let _ = std::io::stdin().lines().next();
}

#[test]
fn a_locked_store_lets_writes_wait_and_recall_go_on() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let robot = robot_at(&store);
    let before = before(&robot);
    let calm = usual_recall(&robot);
    let holder = Holder::of(&store);
    let begun = Instant::now();
    let at = robot.clock_now();
    // Several that come at the same time wait for it once, and none after them.
    std::thread::scope(|scope| {
        for number in 0..4 {
            let engine = &robot.engine;
            scope.spawn(move || {
                assert_eq!(
                    learn(engine, &format!("drawer {number} holds washers")),
                    Ok(LearnStatus::Queued)
                );
            });
        }
        std::thread::sleep(Duration::from_millis(200));
        let held = usual_recall(&robot);
        println!("half of 50 recalls within: {calm:?} before, {held:?} beside a lock");
        assert!(held < calm * 5 + Duration::from_millis(50), "{held:?} instead of {calm:?}");
    });
    // Each for itself would take eight seconds.
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    assert_eq!(state(&robot), StoreState::Locked);
    let begun = Instant::now();
    assert_all_wait(&robot, &before);
    // Two seconds for each would be twelve.
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(queue(&robot).queued, 8);
    robot.sleep_days(1.0);
    holder.let_go();
    until_well(&robot);
    assert_all_stored(&robot, &before, at);
    assert_eq!((queue(&robot).replayed, queue(&robot).rejected), (8, 0));
}

#[test]
fn a_store_that_is_held_opens_and_becomes_writable() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let robot = robot_at(&store);
    let before = before(&robot);
    robot.engine.close().expect("it closes");
    drop(robot);
    let holder = Holder::of(&store);
    let robot = robot_at(&store);
    assert_eq!(state(&robot), StoreState::Locked);
    assert_all_wait(&robot, &before);
    let at = robot.clock_now();
    robot.sleep_days(1.0);
    holder.let_go();
    until_well(&robot);
    assert_all_stored(&robot, &before, at);
    assert_eq!(learn(&robot.engine, "the saw is blunt"), Ok(LearnStatus::Created));
    robot.engine.close().expect("it closes");
}
