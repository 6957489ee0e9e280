//! kill -9 while writes are put into the queue and while they are stored: each is stored once.

use crate::robot::sql;
use crate::waiting::{perceive, queue, queue_path, robot_at, until_well};
use robot_memory_core::api::SaveStatus;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const KILLS: u64 = 60;
/// Names the store of the child process, and the number that it begins with.
const STORE: &str = "ROBOT_MEMORY_QUEUE_STORE";
const FIRST: &str = "ROBOT_MEMORY_QUEUE_FIRST";
/// Writes that wait before they are stored.
const ROUND: u64 = 12;

/// Lets writes wait and be stored without end, and says what it was answered.
#[test]
fn storm() {
    let Some(store) = std::env::var_os(STORE).map(PathBuf::from) else { return };
    let first: u64 = std::env::var(FIRST).expect("a number").parse().expect("a number");
    let robot = robot_at(&store);
    let mut out = std::io::stdout().lock();
    let mut say = |what: &str| writeln!(out, "{what}").expect("the parent listens");
    say("\nopen");
    // Bounded, so that a child whose parent died ends.
    for round in 0..1_000 {
        // What the run before left is stored first.
        robot.engine.block_writes(None);
        while queue(&robot).queued > 0 {
            robot.engine.upkeep().expect("upkeep");
            say("stored");
        }
        robot.engine.block_writes(Some("the disk is full".into()));
        for number in (first + round * ROUND..).take(ROUND as usize) {
            say(&format!("asked {number}"));
            let answer = perceive(&robot.engine, &format!("box number {number}"));
            assert_eq!(answer, Ok(SaveStatus::Queued));
            say(&format!("queued {number}"));
        }
    }
}

/// What a child said until it was killed.
#[derive(Default)]
struct Said {
    asked: Vec<u64>,
    queued: Vec<u64>,
}

/// Lets a child say some lines and go on for a moment, and kills it.
fn run_and_kill(store: &Path, first: u64, lines_max: u64, moment: Duration) -> Said {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["write_queue_kill::storm", "--exact", "--nocapture", "--test-threads=1"])
        .envs([(STORE, store.as_os_str()), (FIRST, first.to_string().as_ref())])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the child starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output"));
    let mut said = Said::default();
    let (mut line, mut count, mut is_open, mut is_killed) = (String::new(), 0, false, false);
    loop {
        if is_open && count >= lines_max && !is_killed {
            std::thread::sleep(moment);
            child.kill().expect("it is killed");
            is_killed = true;
        }
        line.clear();
        if lines.read_line(&mut line).expect("it speaks") == 0 || !line.ends_with('\n') {
            break;
        }
        is_open |= line == "open\n";
        count += u64::from(is_open);
        let number = |line: &str| line.trim().parse().expect("a number");
        if let Some(rest) = line.strip_prefix("asked ") {
            said.asked.push(number(rest));
        } else if let Some(rest) = line.strip_prefix("queued ") {
            said.queued.push(number(rest));
        }
    }
    child.wait().expect("it is gone");
    assert!(is_killed, "the child died by itself");
    said
}

#[test]
fn each_write_that_waited_is_stored_once_through_sixty_kills() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let (mut queued, mut asked, mut first) = (Vec::new(), Vec::new(), 1);
    for kill in 0..KILLS {
        // Spread over the asking, the queueing and the storing.
        let moment = Duration::from_micros(kill * 389 % 4_000);
        let said = run_and_kill(&store, first, kill * 7 % 41, moment);
        first = said.asked.last().map_or(first, |last| last + 1);
        queued.extend(said.queued);
        asked.extend(said.asked);
    }
    let robot = robot_at(&store);
    until_well(&robot);
    assert_eq!(queue(&robot).rejected, 0);
    let stored: String = sql(
        &store,
        "SELECT group_concat(substr(content, 12), ' ') FROM (SELECT content FROM memory ORDER BY id)",
    );
    let stored: Vec<u64> =
        stored.split(' ').map(|number| number.parse().expect("a number")).collect();
    println!("{} asked, {} answered, {} stored", asked.len(), queued.len(), stored.len());
    assert!(queued.len() > 300, "the storm was too small: {}", queued.len());
    assert!(stored.windows(2).all(|pair| pair[0] < pair[1]), "out of order, or twice: {stored:?}");
    let lost: Vec<_> = queued.iter().filter(|number| !stored.contains(number)).collect();
    assert!(lost.is_empty(), "it waited, and was not stored: {lost:?}");
    let unasked: Vec<_> = stored.iter().filter(|number| !asked.contains(number)).collect();
    assert!(unasked.is_empty(), "nobody asked for {unasked:?}");
    let text = std::fs::read_to_string(queue_path(&store)).expect("text");
    assert!(text.trim().is_empty(), "what was stored stays on the disk");
}
