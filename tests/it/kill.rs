//! kill -9 in random moments of a learning storm: what was acknowledged is there afterwards.

use crate::robot::{config, sql};
use crate::sampled::sampled;
use robot_memory_core::api::{
    ClearMemories, ClearMemoriesRequest, Forget, ForgetRequest, Learn, LearnRequest,
    SavePerceptionRequest, Update, UpdateRequest,
};
use robot_memory_core::model::{Clock, Stamp};
use robot_memory_embedding::HashedEmbedder;
use robot_memory_engine::Engine;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

const KILLS: u32 = 100;
/// Names the store of the child process; set, this test binary is that child.
const STORE: &str = "ROBOT_MEMORY_STORM_STORE";
/// Names the store that a child process clears.
const CLEARED: &str = "ROBOT_MEMORY_CLEARED_STORE";
/// Memories in it.
const CLEARED_ROWS: usize = 2_000;

struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Option<Stamp> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_nanos()).ok().map(Stamp)
    }
}

/// Learns, updates and forgets without end, and says what was acknowledged.
#[test]
fn storm() {
    let Some(store) = std::env::var_os(STORE).map(PathBuf::from) else { return };
    let (engine, opened) =
        Engine::open(config(&store), Arc::new(WallClock)).expect("the store opens");
    assert!(opened.damaged_aside.is_none(), "the store was damaged");
    engine.set_embedder(Ok(Some(Arc::new(HashedEmbedder::new(16))))).expect("taken");
    let mut out = std::io::stdout().lock();
    writeln!(out, "\nopen").expect("the parent listens");
    // Bounded, so that a child whose parent died ends.
    for number in 0..200_000_u64 {
        let content = format!("shelf {} holds cup {number}", opened.memory_count);
        let learned =
            engine.call::<Learn>(LearnRequest { insight: content.clone(), ..Default::default() });
        let id = learned.expect("it learns").memory_id;
        writeln!(out, "active {id} {content}").expect("the parent listens");
        if number % 3 == 1 {
            let content = format!("{content} now");
            let request =
                UpdateRequest { memory_id: id, new_content: content.clone(), ..Default::default() };
            writeln!(out, "changing {id} {content}").expect("the parent listens");
            engine.call::<Update>(request).expect("it updates");
            writeln!(out, "active {id} {content}").expect("the parent listens");
        }
        if number % 5 == 2 {
            let request = ForgetRequest {
                memory_id: id,
                reason: "moved".into(),
                scope: String::new(),
                agent: String::new(),
            };
            writeln!(out, "changing {id} ").expect("the parent listens");
            engine.call::<Forget>(request).expect("it forgets");
            writeln!(out, "gone {id} ").expect("the parent listens");
        }
    }
}

/// What the parent knows of the rows, by id.
type Shelf = BTreeMap<i64, Known>;

/// What the parent knows of a row.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    /// What it says; `None` when it was forgotten.
    content: Option<String>,
    /// What it may say instead, because the child died while changing it.
    perhaps: Option<Option<String>>,
}

/// Lets a child acknowledge some writes and go on for a moment, kills it, and takes down all that
/// it said. Answers how many writes it acknowledged.
fn run_and_kill(store: &Path, writes: u32, moment: Duration, known: &mut Shelf) -> u32 {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["kill::storm", "--exact", "--nocapture", "--test-threads=1"])
        .env(STORE, store)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the child starts");
    let mut lines = BufReader::new(child.stdout.take().expect("its output"));
    let mut line = String::new();
    while line.trim() != "open" {
        line.clear();
        assert_ne!(lines.read_line(&mut line).expect("it speaks"), 0, "the child died by itself");
    }
    let mut acknowledged = 0;
    let mut is_killed = false;
    loop {
        if acknowledged >= writes && !is_killed {
            std::thread::sleep(moment);
            child.kill().expect("it is killed");
            is_killed = true;
        }
        line.clear();
        let read = lines.read_line(&mut line).expect("it speaks");
        if read == 0 || !line.ends_with('\n') {
            break;
        }
        acknowledged += u32::from(take_down(&line, known));
    }
    child.wait().expect("it is gone");
    assert!(is_killed, "the child died by itself");
    acknowledged
}

/// Notes what the child said; answers whether it acknowledged a write.
fn take_down(line: &str, known: &mut Shelf) -> bool {
    let mut parts = line.trim_end_matches('\n').splitn(3, ' ');
    let (what, id, content) = (parts.next(), parts.next(), parts.next());
    let id: i64 = id.and_then(|id| id.parse().ok()).expect("an id");
    let content = content.filter(|content| !content.is_empty()).map(str::to_owned);
    match what {
        Some("changing") => {
            known.get_mut(&id).expect("it is known").perhaps = Some(content);
            false
        }
        Some("active" | "gone") => {
            known.insert(id, Known { content, perhaps: None });
            true
        }
        other => panic!("the child said {other:?}"),
    }
}

#[test]
fn nothing_acknowledged_is_lost_by_a_hundred_kills() {
    let folder = TempDir::new().expect("a folder");
    let store = folder.path().join("memory.db");
    let mut known = Shelf::new();
    let mut acknowledged = 0;
    for kill in sampled(0..KILLS, 4) {
        // 0 to 19 writes and 0 to 2 ms, spread by steps that visit all of them.
        let writes = kill * 37 % KILLS / 5;
        let moment = Duration::from_micros(u64::from(kill * 61 % KILLS) * 20);
        acknowledged += run_and_kill(&store, writes, moment, &mut known);
        let connection = rusqlite::Connection::open(&store).expect("the store opens");
        for (id, row) in &mut known {
            let found: Option<String> = connection
                .query_row(
                    "SELECT content FROM memory WHERE id = ?1 AND status = 'active'",
                    [id],
                    |row| row.get(0),
                )
                .map(Some)
                .or_else(|error| match error {
                    rusqlite::Error::QueryReturnedNoRows => Ok(None),
                    other => Err(other),
                })
                .expect("the query runs");
            let allowed = found == row.content || row.perhaps.as_ref() == Some(&found);
            assert!(allowed, "memory {id} after kill {kill}: found {found:?}, known {row:?}");
            *row = Known { content: found, perhaps: None };
        }
    }
    println!("{KILLS} kills, {acknowledged} acknowledged writes, none lost");

    assert_eq!(sql::<String>(&store, "PRAGMA integrity_check"), "ok");
    // Row, words and vector came and went together.
    let active = "SELECT count(*) FROM memory WHERE status = 'active'";
    let count = sql::<i64>(&store, active);
    assert_eq!(sql::<i64>(&store, "SELECT count(*) FROM memory_vector"), count);
    assert_eq!(sql::<i64>(&store, "SELECT count(*) FROM memory_words"), count);
}

fn opened(store: &Path) -> Engine {
    let (engine, opened) = Engine::open(config(store), Arc::new(WallClock)).expect("it opens");
    assert!(opened.damaged_aside.is_none(), "the store was damaged");
    engine
}

fn clear(engine: &Engine) -> u64 {
    let request = ClearMemoriesRequest {
        level: "knowledge".into(),
        collection: "default".into(),
        ..Default::default()
    };
    engine.call::<ClearMemories>(request).expect("it clears").deleted_count
}

/// Clears the store, and says when it begins.
#[test]
fn clearing() {
    let Some(store) = std::env::var_os(CLEARED).map(PathBuf::from) else { return };
    let engine = opened(&store);
    println!("\nopen");
    clear(&engine);
}

#[test]
fn a_kill_while_clearing_leaves_whole_memories() {
    let folder = TempDir::new().expect("a folder");
    let full = folder.path().join("full.db");
    let engine = opened(&full);
    let requests = |from: usize| {
        let request = |number| SavePerceptionRequest {
            description: format!("camera saw cup {number}"),
            data: format!("[{number}]"),
            ..Default::default()
        };
        (from..from + 500).map(request).collect()
    };
    for from in (0..CLEARED_ROWS).step_by(500) {
        for answer in engine.save_perceptions(requests(from)).expect("stored") {
            answer.expect("stored");
        }
    }
    engine.close().expect("it closes");
    let mut left = Vec::new();
    for kill in 0..8_u64 {
        let store = folder.path().join(format!("{kill}.db"));
        std::fs::copy(&full, &store).expect("a copy");
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["kill::clearing", "--exact", "--nocapture", "--test-threads=1"])
            .env(CLEARED, &store)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the child starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output"));
        let mut line = String::new();
        while line.trim() != "open" {
            line.clear();
            assert_ne!(lines.read_line(&mut line).expect("it speaks"), 0, "the child died");
        }
        std::thread::sleep(Duration::from_millis(20 + 60 * kill));
        child.kill().expect("it is killed, or has ended");
        child.wait().expect("it is gone");

        let engine = opened(&store);
        let count = sql::<i64>(&store, "SELECT count(*) FROM memory");
        for table in ["perception", "memory_words"] {
            assert_eq!(sql::<i64>(&store, &format!("SELECT count(*) FROM {table}")), count);
        }
        assert_eq!(engine.health().expect("health").active_count, count.unsigned_abs());
        assert_eq!(sql::<String>(&store, "PRAGMA integrity_check"), "ok");
        assert_eq!(clear(&engine), count.unsigned_abs(), "called again, it deletes the rest");
        assert_eq!(sql::<i64>(&store, "SELECT count(*) FROM memory"), 0);
        left.push(count);
    }
    println!("of {CLEARED_ROWS} memories were left by each kill: {left:?}");
}
