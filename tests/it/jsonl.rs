//! All that a store holds, as lines and back.

use crate::robot::{Robot, START, open, sql};
use crate::steps::{do_jobs, take_in};
use crate::streamed::{contact, record};
use robot_memory_core::api::{
    CommitTurn, CommitTurnRequest, ErrorKind, Forget, ForgetRequest, Learn, LearnRequest, Update,
    UpdateRequest,
};
use robot_memory_engine::Engine;
use std::collections::BTreeSet;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;
use tempfile::TempDir;

/// Tables that no line is of: derived from others, or about the file.
const LEFT_OUT: [&str; 3] = ["memory_words", "sqlite_stat", "store_state"];

/// A robot with something in as many tables as there are ways to write.
fn robot() -> Robot {
    let robot = Robot::with(|config| config.jobs.has_workers = true);
    robot.plug_in_embedder();
    let cup =
        robot.learn_with("the cup is \"red\"\n\u{1}, and 3.5 cm wide", r#"{"at": [0.1, 1e-300]}"#);
    robot.call::<Update>(UpdateRequest {
        memory_id: cup,
        new_content: "the cup is blue, and 3.5 cm wide".into(),
        ..Default::default()
    });
    let gone = robot.learn_with("the bowl is in the sink", "");
    robot.call::<Forget>(ForgetRequest {
        memory_id: gone,
        reason: "moved".into(),
        scope: String::new(),
        agent: String::new(),
    });
    robot.call::<Learn>(LearnRequest {
        insight: "the drill needs 12 V".into(),
        idempotency_key: "drill".into(),
        ..Default::default()
    });
    let session_id = robot.start_session();
    robot.call::<CommitTurn>(CommitTurnRequest {
        session_id: session_id.clone(),
        branch_id: "a".into(),
        turn_no: 1,
        text: "The tray is on shelf B2. It weighs 3 kg.".into(),
        data: r#"{"force_n": 12.25}"#.into(),
        ..Default::default()
    });
    take_in(&robot);
    robot.call::<CommitTurn>(CommitTurnRequest {
        session_id,
        branch_id: "b".into(),
        turn_no: 1,
        text: "The spoon is on shelf B3.".into(),
        ..Default::default()
    });
    let made = vec![contact(0, 0.5, 10), contact(1, 0.5, 10)];
    record(&robot, made);
    let last = robot.learn_with("the last of them goes", "");
    robot.call::<robot_memory_core::api::DeleteMemory>(
        robot_memory_core::api::DeleteMemoryRequest { memory_id: last, ..Default::default() },
    );
    robot
}

pub fn export(engine: &Engine) -> Vec<String> {
    let mut lines = Vec::new();
    let count = engine.full_export(&mut |line| {
        lines.push(line.to_owned());
        ControlFlow::Continue(())
    });
    assert_eq!(count.expect("it is read") as usize + 1, lines.len());
    lines
}

/// What was loaded, but for when the memories came to be known here.
pub fn loaded(engine: &Engine) -> Vec<String> {
    let known_now = format!("\"known_at\":{}", START.0);
    let lines = export(engine);
    lines[1..].iter().map(|line| line.replace(&known_now, "\"known_at\":null")).collect()
}

pub fn load(path: &Path, text: &str) -> Result<u64, (ErrorKind, String)> {
    let (engine, _) = open(path).expect("it opens");
    engine
        .load_everything(&mut Cursor::new(text.as_bytes()))
        .map_err(|error| (error.kind, error.message))
}

#[test]
fn what_is_loaded_is_exported_to_the_same_bytes() {
    let robot = robot();
    let lines = export(&robot.engine);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("memory.db");
    let (engine, _) = open(&path).expect("it opens");
    let text = lines.join("\n") + "\n";
    let count = engine.load_everything(&mut Cursor::new(text.as_bytes())).expect("it is loaded");
    assert_eq!(count as usize, lines.len() - 1);
    assert_eq!(loaded(&engine), lines[1..]);
    // It serves at once, and takes more; ids go on where they were.
    let found = engine
        .call::<robot_memory_core::api::Recall>(robot_memory_core::api::RecallRequest {
            query: "drill".into(),
            ..Default::default()
        })
        .expect("it recalls");
    assert!(found.memories.iter().any(|hit| hit.memory.content.contains("drill")));
    let newest: i64 = sql(&path, "SELECT seq FROM sqlite_sequence WHERE name = 'memory'");
    let request = LearnRequest { insight: "the fork is long".into(), ..Default::default() };
    let learned = engine.call::<Learn>(request).expect("it learns");
    assert_eq!(learned.memory_id, newest + 1);
    engine.close().expect("it closes");
    drop(engine);
    let (engine, opened) = open(&path).expect("it opens");
    assert!(!opened.unclean && opened.damaged_aside.is_none());
    assert_eq!(sql::<String>(&path, "PRAGMA integrity_check"), "ok");
    drop(engine);
    let unfinished = do_jobs(&robot).len();
    assert_eq!(unfinished, 1, "the job that waited was in the lines as well");
}

#[test]
fn no_table_is_forgotten() {
    let robot = robot();
    let path = robot.store_path();
    let connection = rusqlite::Connection::open(&path).expect("it opens");
    let mut statement =
        connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").expect("read");
    let names = statement.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    let in_schema: BTreeSet<String> = names.map(|name| name.expect("a text")).collect();
    let exported: BTreeSet<String> = export(&robot.engine)[1..]
        .iter()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            line["table"].as_str().expect("a name").to_owned()
        })
        .collect();
    for name in &in_schema {
        if LEFT_OUT.iter().any(|left_out| name.starts_with(left_out)) {
            assert!(!exported.contains(name), "{name}");
            continue;
        }
        let count: i64 = sql(&path, &format!("SELECT count(*) FROM \"{name}\""));
        assert_eq!(exported.contains(name), count > 0, "{name} has {count} rows");
    }
    assert!(exported.len() > 14, "the test fills too few tables: {exported:?}");
}

#[test]
fn a_store_that_holds_something_takes_no_lines() {
    let robot = robot();
    let text = export(&robot.engine).join("\n");
    let error =
        robot.engine.load_everything(&mut Cursor::new(text.as_bytes())).expect_err("refused");
    assert_eq!(error.kind, ErrorKind::InvalidState);
}

#[test]
fn what_is_wrong_is_named_by_line_and_field_and_never_by_content() {
    let robot = robot();
    let lines = export(&robot.engine);
    let at = lines.iter().position(|line| line.contains("\"table\":\"memory\"")).expect("a memory");
    let secret = "password: hunter2hunter2";
    let cases: [(&str, &str, ErrorKind, &str); 9] = [
        ("\"confidence\":0", "\"confidence\":7", ErrorKind::InvalidArgument, "confidence"),
        ("\"status\":\"", "\"status\":\"un", ErrorKind::InvalidArgument, "status"),
        ("\"table\":\"memory\"", "\"table\":\"memoirs\"", ErrorKind::InvalidArgument, "table"),
        ("\"content\":", "\"contents\":", ErrorKind::InvalidArgument, "row"),
        ("\"base64\":\"", "\"base64\":\"?", ErrorKind::InvalidArgument, "content_hash"),
        ("\"row\":{", "\"row\":{{", ErrorKind::InvalidArgument, "row"),
        ("{\"table\"", "{\"table", ErrorKind::InvalidArgument, "object"),
        ("\"word_count\":", "\"word_count\":true,\"x\":", ErrorKind::InvalidArgument, "row"),
        ("\"content\":\"", &format!("\"content\":\"{secret} "), ErrorKind::Refused, "content"),
    ];
    for (from, to, kind, named) in cases {
        let mut wrong = lines.clone();
        wrong[at] = wrong[at].replacen(from, to, 1);
        assert_ne!(wrong[at], lines[at], "{from}");
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("memory.db");
        let loaded = load(&path, &wrong.join("\n"));
        let (found, message) = loaded.expect_err(&format!("{from} becomes {to}"));
        assert_eq!(found, kind, "{message}");
        assert!(message.starts_with(&format!("line {}: ", at + 1)), "{message}");
        assert!(message.contains(named), "{message}");
        for text in [secret, "blue", "3.5"] {
            assert!(!message.contains(text), "{message}");
        }
        assert_eq!(sql::<i64>(&path, "SELECT count(*) FROM memory"), 0, "nothing was stored");
    }
}

/// What the first line says of the present schema.
fn schema_of(robot: &Robot) -> String {
    format!("\"schema\":{}", sql::<i64>(&robot.store_path(), "PRAGMA user_version"))
}

#[test]
fn lines_of_an_earlier_schema_are_loaded() {
    let robot = robot();
    let mut lines = export(&robot.engine);
    lines.retain(|line| !line.contains("\"table\":\"collection_fading\""));
    lines[0] = lines[0].replace(&schema_of(&robot), "\"schema\":6");
    assert!(lines[0].contains("\"schema\":6"));
    for line in lines.iter_mut().filter(|line| line.contains("\"table\":\"job\"")) {
        *line = line.replace("\"end_count\":0,", "").replace(",\"end_count\":0", "");
    }
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("memory.db");
    let loaded = load(&path, &lines.join("\n"));
    assert!(loaded.is_ok_and(|count| count > 0));
    let version = "PRAGMA user_version";
    assert_eq!(sql::<i64>(&path, version), sql::<i64>(&robot.store_path(), version));
}

#[test]
fn a_header_of_something_else_or_lines_that_end_too_soon_are_refused() {
    let robot = robot();
    let lines = export(&robot.engine);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("memory.db");
    let refused = |text: &str| load(&path, text).expect_err("it is refused");
    let later = lines[0].replace(&schema_of(&robot), "\"schema\":99");
    assert!(refused(&later).1.contains("99"));
    for text in ["", "\n\n", "[]", "{\"format\":\"mcap\"}", &lines[1]] {
        assert!(refused(text).1.starts_with("line "), "{text}");
    }
    // Without the sessions, turns belong to nothing.
    let without: Vec<_> =
        lines.iter().filter(|line| !line.contains("\"table\":\"session\"")).cloned().collect();
    let (kind, message) = refused(&without.join("\n"));
    assert_eq!(kind, ErrorKind::InvalidArgument);
    assert!(message.contains("refers"), "{message}");
    assert_eq!(load(&path, &lines.join("\r\n")).expect("it is loaded") as usize, lines.len() - 1);
}
