use crate::robot::{Robot, ids, open, sql};
use crate::streamed;
use robot_memory_core::api::{
    GetMemory, GetMemoryRequest, GetSession, GetSessionRequest, Learn, LearnRequest, ListJobs,
    ListJobsRequest, ListSessions, ListSessionsRequest, Mode, Recall, RecallRequest,
    SavePerception, SavePerceptionRequest,
};
use robot_memory_core::model::BranchStatus;
use robot_memory_embedding::HashedEmbedder;
use robot_memory_engine::Engine;
use robot_memory_perception::Event;
use rusqlite::Connection;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// Schema versions of which a file is kept.
const RELEASED: &[u32] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13];

/// The statements that make a store's schema, in one order.
fn schema(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).expect("the file opens");
    let mut statement = connection
        .prepare(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1",
        )
        .expect("the schema is read");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("texts")
}

/// Bytes of a page of a sound store.
fn page_bytes(path: &Path) -> usize {
    usize::try_from(sql::<i64>(path, "PRAGMA page_size")).expect("a size")
}

#[test]
fn the_file_and_its_folder_are_private() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("deep/er/memory.db");
    let (engine, _) = open(&path).expect("it opens");
    engine
        .call::<Learn>(LearnRequest { insight: "the cup is red".into(), ..Default::default() })
        .expect("it learns");
    let mode =
        |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&path.with_file_name("memory.db-wal")), 0o600);
    assert_eq!(mode(path.parent().expect("a folder")), 0o700);
}

#[test]
fn a_second_engine_on_one_file_is_refused() {
    let robot = Robot::new();
    let error = open(&robot.store_path()).err().expect("it is refused").to_string();
    assert!(error.contains("in use by another process"), "{error}");
    assert!(error.contains("memory.db"), "{error}");
    let path = robot.store_path();
    robot.engine.close().expect("it closes");
    // The lock goes with the engine, not with the file.
    assert!(open(&path).is_err());
}

#[test]
fn a_file_from_a_later_version_is_refused_and_left_alone() {
    let robot = Robot::new();
    robot.learn("the cup is red");
    robot.engine.close().expect("it closes");
    let path = robot.store_path();
    Connection::open(&path).expect("opens").pragma_update(None, "user_version", 999).expect("set");
    let before = std::fs::read(&path).expect("bytes");
    let copy = TempDir::new().expect("a folder");
    let copied = copy.path().join("memory.db");
    std::fs::copy(&path, &copied).expect("copied");
    let error = open(&copied).err().expect("it is refused").to_string();
    assert!(error.contains("999") && error.contains("version"), "{error}");
    assert!(std::fs::read(&copied).expect("bytes") == before, "the file was changed");
}

#[test]
fn the_database_of_another_program_is_refused_and_left_alone() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("photos.db");
    Connection::open(&path).expect("opens").execute_batch("CREATE TABLE photo (id)").expect("made");
    let before = std::fs::read(&path).expect("bytes");
    let error = open(&path).err().expect("it is refused").to_string();
    assert!(error.contains("another program"), "{error}");
    assert!(std::fs::read(&path).expect("bytes") == before, "the file was changed");
}

#[test]
fn a_damaged_file_is_kept_aside_and_reported() {
    // A header that is none; a page in the middle overwritten while the store was not closed.
    for in_the_middle in [false, true] {
        let robot = Robot::new();
        for number in 0..200 {
            robot.perceive(&format!("saw cup number {number} on the table"), "");
        }
        if !in_the_middle {
            robot.engine.close().expect("it closes");
        }
        let source = robot.store_path();
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("memory.db");
        if in_the_middle {
            let backup = Connection::open(&source).expect("opens");
            let target = path.to_str().expect("UTF-8");
            backup.execute("VACUUM INTO ?1", [target]).expect("copied");
            // The copy is of an open store, so it is marked as not closed.
        } else {
            std::fs::copy(&source, &path).expect("copied");
        }
        // A store that was used has its lock beside it.
        std::fs::write(folder.path().join("memory.db.lock"), "").expect("written");
        let mut bytes = std::fs::read(&path).expect("bytes");
        let page = page_bytes(&path);
        let start = if in_the_middle { bytes.len() / 2 / page * page } else { 0 };
        bytes[start..start + page].fill(0xa5);
        std::fs::write(&path, &bytes).expect("written");

        let (engine, opened) = open(&path).expect("a new store is begun");
        let aside = opened.damaged_aside.expect("it is reported");
        let kept = std::fs::read(&aside).expect("bytes");
        assert!(kept[page..] == bytes[page..], "nothing behind the header is lost");
        let saved = opened.memory_count;
        assert!(saved <= 200 && (in_the_middle || saved == 200), "{saved}");
        let learned = engine
            .call::<Learn>(LearnRequest { insight: "the cup is red".into(), ..Default::default() });
        assert!(learned.is_ok());
    }
}

/// What there is from version 5 on: an episode with three attempts, their steps, and jobs in every state
/// that a job can be found in.
fn check_episode(engine: &Engine) {
    let sessions = engine.call::<ListSessions>(ListSessionsRequest::default()).expect("a list");
    let session_id = sessions.sessions[0].session_id.clone();
    let request = GetSessionRequest { session_id: session_id.clone(), agent: String::new() };
    let shown = engine.call::<GetSession>(request).expect("it is there").branches;
    let shown: Vec<_> = shown
        .iter()
        .map(|it| (it.branch_id.as_str(), it.status, it.turn_count, it.last_turn_no))
        .collect();
    use BranchStatus::{Lost, Open, Won};
    assert_eq!(shown, [("a", Won, 2, 3), ("b", Lost, 3, 3), ("c", Open, 2, 2)]);
    let jobs = engine.call::<ListJobs>(ListJobsRequest::default()).expect("a list").jobs;
    let mut statuses: Vec<_> = jobs.iter().map(|job| job.job.status.as_str()).collect();
    statuses.sort_unstable();
    statuses.dedup();
    // The one that was being done when the store was left goes back into the queue.
    let expected = ["cancelled", "dead_letter", "pending", "retry_waiting", "succeeded"];
    assert_eq!(statuses, expected);
    let scope = format!("session:{session_id}");
    let request = RecallRequest { query: "bolt".into(), scope, ..Default::default() };
    let merged = engine.call::<Recall>(request).expect("it recalls").memories;
    let of_session = merged.iter().find(|hit| hit.memory.session_id == session_id);
    let memory_id = of_session.expect("what won was merged").memory.id;
    let request = GetMemoryRequest { memory_id, ..Default::default() };
    let turns = engine.call::<GetMemory>(request).expect("it is there").turns;
    assert_eq!((turns[0].branch_id.as_str(), turns[0].turn_no), ("a", 1));
}

/// The event that memory 3 is of, from version 3 on.
fn known_event() -> Event {
    let key = "0123456789abcdef0123456789abcdef".into();
    Event { key, ..streamed::contact(0, 0.5, 10).event }
}

#[test]
fn every_released_schema_migrates_to_that_of_a_new_file() {
    let folder = TempDir::new().expect("a folder");
    let new = folder.path().join("new.db");
    drop(open(&new).expect("a new store"));
    for released in RELEASED {
        let name = format!("store-v{released}.db");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(&name);
        let path = folder.path().join(&name);
        std::fs::copy(fixture, &path).expect("the fixture is there");
        let memories: i64 = sql(&path, "SELECT count(*) FROM memory");
        let changes: i64 = sql(&path, "SELECT count(*) FROM memory_audit");
        assert!(memories >= 3 && changes >= 1);
        let (engine, opened) = open(&path).expect("it migrates");
        assert_eq!(opened.memory_count, memories.unsigned_abs());
        if *released >= 5 {
            check_episode(&engine);
        }
        let everything = engine
            .call::<Recall>(RecallRequest {
                collections: vec!["*".into()],
                since: Some(robot_memory_core::model::Stamp(1)),
                include_data: true,
                ..Default::default()
            })
            .expect("it recalls");
        let contents: Vec<&str> =
            everything.memories.iter().map(|hit| hit.memory.content.as_str()).collect();
        assert_eq!(contents, ["contact on the wrist, peak 23.4 N", "抓取力不得超过 15N"]);
        assert_eq!(everything.memories[0].memory.data, r#"{"force": [1.5, 23.4]}"#);
        let by_word = engine
            .call::<Recall>(RecallRequest { query: "wrist".into(), ..Default::default() })
            .expect("it recalls");
        assert_eq!(ids(&by_word), [3]);
        if *released >= 3 {
            let alike = engine
                .call::<Recall>(RecallRequest { like_memory_id: 3, ..Default::default() })
                .expect("it has a signature");
            assert_eq!((alike.mode, alike.total), (Mode::Signature, 0));
            assert_eq!(engine.recorded(&[known_event()]).expect("it reads"), [Some(3)]);
        }
        engine.set_embedder(Ok(Some(Arc::new(HashedEmbedder::new(64))))).expect("it is taken");
        assert_eq!(engine.health().expect("health").missing_vectors, 0);
        let repeated = engine
            .call::<SavePerception>(SavePerceptionRequest {
                description: "contact on the wrist, peak 23.4 N".into(),
                idempotency_key: "event-1".into(),
                ..Default::default()
            })
            .expect_err("the key is remembered");
        assert!(repeated.message.contains("idempotency_key"), "{}", repeated.message);
        drop(engine);
        assert_eq!(page_bytes(&path), page_bytes(&new), "the file is written anew");
        assert_eq!(schema(&path), schema(&new), "version {released}");
        assert_eq!(sql::<i64>(&path, "SELECT count(*) FROM memory_audit"), changes);
    }
}

#[test]
fn words_of_another_tokenizer_are_made_anew_before_anything_is_answered() {
    // All are made by another one; or a kill ended the work when only the first row had its words.
    let other = "UPDATE store_state SET tokens_version = 12345";
    let half_way = "UPDATE store_state SET tokens_version = -tokens_version; \
                    DELETE FROM memory_words WHERE rowid > 1; UPDATE memory SET word_count = 99";
    for statements in [other, half_way] {
        let robot = Robot::words_only();
        for number in 0..3 {
            robot.perceive(&format!("saw cup number {number} on the table"), "");
        }
        robot.engine.close().expect("it closes");
        let path = robot.store_path();
        let version = "SELECT tokens_version FROM store_state";
        let before: i64 = sql(&path, version);
        Connection::open(&path).expect("opens").execute_batch(statements).expect("changed");
        let robot = robot.pull_the_plug();
        assert_eq!(ids(&robot.recall("cup")).len(), 3);
        assert_eq!(sql::<i64>(&path, version), before);
        let counted = "SELECT count(*) FROM memory WHERE word_count BETWEEN 1 AND 12";
        assert!(sql::<i64>(&path, counted) >= 2, "the rows know how many words they have");
    }
}

#[test]
fn what_never_was_a_store_is_refused_and_left_alone() {
    let folder = TempDir::new().expect("a folder");
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "buy screws, M8x40, two boxes of them").expect("written");
    for path in [notes.as_path(), folder.path(), Path::new("/dev/null")] {
        let error = open(path).err().expect("it is refused").to_string();
        assert!(error.contains("is no memory store"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&notes).expect("text").len(), 36);
}

#[test]
fn links_lead_to_one_store() {
    let robot = Robot::new();
    let folder = TempDir::new().expect("a folder");
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(robot.store_path(), &link).expect("linked");
    let error = open(&link).err().expect("it is refused").to_string();
    assert!(error.contains("in use by another process"), "{error}");
    let hard = folder.path().join("hard.db");
    std::fs::hard_link(robot.store_path(), &hard).expect("linked");
    let error = open(&hard).err().expect("it is refused").to_string();
    assert!(error.contains("hard links"), "{error}");
}

#[test]
fn damage_that_is_met_while_running_or_loading_is_put_aside_at_the_next_start() {
    let robot = Robot::new();
    for number in 0..200 {
        robot.perceive(&format!("saw cup number {number} on the table"), "");
    }
    robot.engine.close().expect("it closes");
    let path = robot.store_path();
    let root: i64 = sql(&path, "SELECT rootpage FROM sqlite_schema WHERE name = 'memory'");
    drop(robot.engine);
    let mut bytes = std::fs::read(&path).expect("bytes");
    let page = page_bytes(&path);
    let start = (root as usize - 1) * page;
    bytes[start..start + page].fill(0xff);
    std::fs::write(&path, &bytes).expect("written");
    let (_, opened) = open(&path).expect("a new store is begun");
    assert!(opened.damaged_aside.is_some());
}
