//! `memory load --from`: what other programs remembered, brought over and told row by row.

use crate::cli::{Outcome, memory, program, run};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Made by robotmem 0.1.3: ten memories, one of them forgotten and one superseded; three sessions.
const ROBOTMEM: &str = include_str!("../fixtures/robotmem.sql");
/// Its first session.
const SESSION: &str = "077863b3-1e62-462a-a528-31efa0c3b366";

struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn store(&self) -> PathBuf {
        self.path("own.db")
    }

    /// A database of robotmem, changed by a statement.
    fn robotmem(&self, change: &str) -> PathBuf {
        let path = self.path("robotmem.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(ROBOTMEM).unwrap();
        connection.execute_batch(change).unwrap();
        path
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn load(&self, from: &str, file: &Path) -> Outcome {
        memory(&self.store(), &["--json", "load", "--from", from, file.to_str().unwrap()])
    }

    /// What was told of each row, and the counts.
    fn loaded(&self, from: &str, file: &Path) -> (Vec<Value>, Value) {
        let mut told = self.load(from, file).lines();
        let counts = told.pop().unwrap();
        (told, counts)
    }

    fn get(&self, id: &Value) -> Value {
        memory(&self.store(), &["--json", "get", &id.to_string(), "--data"]).json()
    }

    fn column(&self, sql: &str) -> Vec<String> {
        let connection = Connection::open(self.store()).unwrap();
        let mut statement = connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }
}

fn row<'t>(told: &'t [Value], name: &str) -> &'t Value {
    told.iter().find(|line| line["row"] == name).unwrap_or_else(|| panic!("{name}: {told:?}"))
}

#[test]
fn every_row_of_robotmem_is_told_of() {
    let home = Home::new();
    let file = home.robotmem(
        "UPDATE memories SET confidence = 0.42 WHERE id = 3; \
         UPDATE memories SET confidence = 0.55 WHERE id = 6;",
    );
    let (told, counts) = home.loaded("robotmem", &file);
    assert_eq!(told.len(), 10, "{told:?}");
    assert_eq!(counts["not_kept"], 2, "{counts}");
    assert_eq!(counts["sessions"], 3);
    assert_eq!(
        counts["kept"].as_u64().unwrap() + counts["merged"].as_u64().unwrap(),
        8,
        "{told:?}"
    );
    assert_eq!(row(&told, "5")["outcome"], "not kept");
    assert_eq!(row(&told, "5")["notes"], json!(["forgotten there: Sensor calibration error"]));
    assert_eq!(row(&told, "8")["notes"], json!(["superseded there by 9"]));

    let grip = home.get(&row(&told, "1")["memory_id"]);
    assert_eq!(grip["content"], "grip_force=12.5N optimal for cylindrical objects");
    assert_eq!(grip["created_at"], "2025-03-09T19:08:12.385Z");
    assert_eq!(
        (grip["source"].clone(), grip["trust"].clone()),
        (json!("migration"), json!("medium"))
    );
    assert_eq!(grip["session_id"], SESSION);
    assert!((grip["confidence"].as_f64().unwrap() - 0.85).abs() < 1e-9, "{grip}");
    assert!(grip["known_at"].is_string(), "its age counts from now: {grip}");
    let context = json!({ "params": { "grip_force": { "value": 12.5 } }, "robot": { "type": "UR5e" },
        "spatial": { "object_position": [1.3, 0.7, 0.42] }, "task": { "success": true } });
    assert_eq!(grip["context"], context);
    let preference = home.get(&row(&told, "3")["memory_id"]);
    assert_eq!(preference["context"], json!({ "user_context": "said by the operator" }));
    assert_eq!(preference["confidence"], 0.42, "as it had faded there");
    let grasp = home.get(&row(&told, "4")["memory_id"]);
    assert_eq!(
        (grasp["type"].clone(), grasp["perception_type"].clone()),
        (json!("perception"), json!("procedural"))
    );
    assert_eq!(grasp["data"], json!({ "actions": [[0.1, -0.3, 0.05]], "force_peak": 12.5 }));
    assert_eq!(
        (grasp["metadata"].clone(), grasp["confidence"].clone()),
        (json!({ "hz": 30 }), json!(0.9))
    );
    let knock = home.get(&row(&told, "6")["memory_id"]);
    assert_eq!(
        (knock["collection"].clone(), knock["perception_type"].clone()),
        (json!("kitchen"), json!("auditory"))
    );
    assert_eq!(knock["confidence"], 0.55);
    // What it was corrected to is a limit here.
    let limit = home.get(&row(&told, "2")["memory_id"]);
    assert_eq!(limit["limits"][0]["value"], 14.0, "{limit}");

    let sessions = home.column(
        "SELECT session_id || ' ' || status || ' ' || coalesce(outcome_score, '-') || ' ' || \
         (started_at / 1000000) FROM session ORDER BY started_at",
    );
    assert_eq!(sessions.len(), 3);
    assert_eq!(sessions[0], format!("{SESSION} ended 0.9 1741547292384"));
    assert!(sessions[1].contains(" open - "), "{sessions:?}");
    let found = memory(&home.store(), &["--json", "recall", "cylindrical objects"]).json();
    assert_eq!(found["memories"][0]["id"], grip["id"]);
}

#[test]
fn what_is_brought_over_again_is_there_once() {
    let home = Home::new();
    let file = home.robotmem("");
    let (first, _) = home.loaded("robotmem", &file);
    let count = "SELECT CAST(count(*) AS TEXT) FROM memory";
    let before = home.column(count);
    let (again, counts) = home.loaded("robotmem", &file);
    assert_eq!(again, first);
    assert_eq!(counts["sessions"], 0);
    assert_eq!(home.column(count), before);
    // Beside what is there already.
    memory(&home.store(), &["--json", "stats"]).json();
}

#[test]
fn what_came_since_of_a_session_that_has_ended_is_kept_without_it() {
    let home = Home::new();
    let file = home.robotmem("");
    home.loaded("robotmem", &file);
    let connection = Connection::open(&file).unwrap();
    connection
        .execute_batch(&format!(
            "INSERT INTO memories (session_id, content) VALUES ('{SESSION}', 'the clamp of bench two is worn'); \
             INSERT INTO memories (id, content) VALUES (-3, 'the fan of the cell is loud'); \
             INSERT INTO sessions (external_id) VALUES (NULL);"
        ))
        .unwrap();
    drop(connection);
    let (told, counts) = home.loaded("robotmem", &file);
    assert_eq!(counts["not_kept"], 2, "{counts}");
    let since = row(&told, "11");
    assert_eq!(since["notes"], json!(["without its session, which takes nothing more here"]));
    assert!(home.get(&since["memory_id"])["session_id"] != SESSION);
    assert_eq!(row(&told, "-3")["outcome"], "kept");
    assert_eq!(row(&told, "session #4")["notes"], json!(["it has no id"]));
    let (again, _) = home.loaded("robotmem", &file);
    assert_eq!(again, told);
}

#[test]
fn rows_that_cannot_be_kept_keep_no_other_from_it() {
    let home = Home::new();
    let file = home.robotmem(
        "UPDATE memories SET content = 'the password is hunter2hunter2' WHERE id = 3; \
         UPDATE memories SET type = 'dream' WHERE id = 7; \
         UPDATE memories SET status = 'odd' WHERE id = 9; \
         UPDATE memories SET perception_data = X'ff00ff' WHERE id = 4; \
         UPDATE memories SET perception_type = 'smell' WHERE id = 6; \
         UPDATE memories SET created_at = 'yesterday', collection = 'elsewhere', content = 'the valve leaks at 4 bar' \
         WHERE id = 10; \
         UPDATE memories SET confidence = 7.0 WHERE id = 1; \
         INSERT INTO memories (session_id, collection, content, created_at) VALUES \
         ('of nobody', 'default', 'the drill of bench two wobbles', '2025-03-01 08:00:00'), \
         (NULL, 'default', 'the drill of bench two wobbles', '2025-03-02T08:00:00.000');",
    );
    let (told, counts) = home.loaded("robotmem", &file);
    assert_eq!(counts, json!({ "kept": 3, "merged": 1, "not_kept": 8, "sessions": 4 }), "{told:?}");
    for (name, why) in [
        ("1", "confidence"),
        ("3", "insight"),
        ("4", "no UTF-8"),
        ("6", "perception_type"),
        ("7", "\"dream\""),
        ("9", "\"odd\""),
    ] {
        let note = row(&told, name)["notes"][0].as_str().unwrap();
        assert_eq!(row(&told, name)["outcome"], "not kept");
        assert!(note.contains(why) && !note.contains("hunter2"), "{name}: {note}");
    }
    let moved = row(&told, "10");
    assert_eq!(
        moved["notes"],
        json!([
            "its time is not known: as of now",
            "without its session, which is of collection default"
        ])
    );
    let kept = row(&told, "11");
    assert_eq!(home.get(&kept["memory_id"])["session_id"], "of nobody");
    assert_eq!(home.get(&kept["memory_id"])["created_at"], "2025-03-01T08:00:00Z");
    let merged = row(&told, "12");
    assert_eq!(
        (merged["outcome"].clone(), merged["memory_id"].clone()),
        (json!("merged"), kept["memory_id"].clone())
    );
    assert!(merged["notes"][0].as_str().unwrap().contains("exact"), "{merged}");
    let ended = home.column("SELECT status FROM session WHERE session_id = 'of nobody'");
    assert_eq!(ended, ["ended"]);
}

#[test]
fn a_file_of_robotmem_is_read_and_left_as_it_is() {
    let home = Home::new();
    let file = home.robotmem("PRAGMA journal_mode = WAL");
    // What is only in its log is read as well.
    let writer = Connection::open(&file).unwrap();
    writer
        .execute("INSERT INTO memories (content) VALUES ('the lamp of the cell is dim')", [])
        .unwrap();
    let before = std::fs::read(&file).unwrap();
    let (told, _) = home.loaded("robotmem", &file);
    assert_eq!(row(&told, "11")["outcome"], "kept");
    assert_eq!(std::fs::read(&file).unwrap(), before);
    drop(writer);

    let text =
        memory(&home.path("other.db"), &["load", "--from", "robotmem", file.to_str().unwrap()]);
    let last = text.text().lines().last().unwrap();
    assert!(last.ends_with("2 not kept; 3 sessions"), "{last}");
    assert!(text.text().contains("5  not kept: forgotten there: Sensor"), "{}", text.text());
}

#[test]
fn a_damaged_or_other_file_is_an_error_and_nothing_is_stored() {
    let home = Home::new();
    let file = home.robotmem("");
    let whole = std::fs::read(&file).unwrap();
    let cut = home.path("cut.db");
    std::fs::write(&cut, &whole[..whole.len() / 2]).unwrap();
    let mut flipped = whole;
    let page = flipped.len() / 2 / 4096 * 4096;
    flipped[page..page + 512].fill(0xa5);
    let torn = home.path("torn.db");
    std::fs::write(&torn, flipped).unwrap();
    let other = home.path("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE notes (text TEXT)").unwrap();
    let view = home.path("view.db");
    Connection::open(&view)
        .unwrap()
        .execute_batch("CREATE VIEW memories AS SELECT 1 AS id")
        .unwrap();
    let text = home.file("text.db", "this is no database at all, whatever its name says of it");
    for (path, why) in [
        (&cut, "damaged"),
        (&torn, "damaged"),
        (&other, "no table memories"),
        (&view, "no table memories"),
        (&text, "no database of robotmem"),
    ] {
        let outcome = home.load("robotmem", path);
        let said = outcome.refusal(2);
        assert!(said.contains(why) && said.contains(".db: "), "{said}");
    }
    home.load("robotmem", &home.path("none.db")).refusal(1);
    home.load("robotmem", home.folder.path()).refusal(1);
    assert!(!home.store().exists());
    let unknown =
        run(program().args(["load", "--from", "other", "x", "--store"]).arg(home.store()));
    assert!(unknown.refusal(2).contains("robotmem"));
}

/// Memories as mem0 answers them, the first three of its documents.
fn mem0() -> Value {
    json!({ "results": [
        { "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e", "memory": "User is planning to watch a movie tonight.",
          "hash": "a1b2", "metadata": null, "created_at": "2025-02-27T16:33:20.557Z",
          "updated_at": "2025-02-27T16:33:27.051Z", "user_id": "alice", "categories": [] },
        { "id": "cbb1fe73-0bf1-4067-8c1f-63aa53e7b1a4", "memory": "The gripper prefers cylindrical cups",
          "metadata": { "category": "grasp" }, "created_at": "2024-07-20T01:30:36.275141-07:00",
          "agent_id": "grasp", "run_id": "run-7" },
        { "id": 7, "memory": "Solder at 320 degrees", "metadata": { "scope": "group:oc_xxx", "source": "user_direct",
          "trust": "high", "mem_type": "procedure", "agent": "writer", "context": "bench", "access_count": 3 } },
        { "id": "8", "memory": "Old news", "metadata": { "archived": true }, "created_at": "2024-07-20T01:30:36Z" },
        { "id": "9", "memory": "The lamp is dim", "metadata": { "scope": "room:1", "source": "hearsay", "importance": 7 },
          "created_at": "2024-07-21T01:30:36Z" },
        { "id": "10", "text": "no memory" },
        "nothing",
        { "id": "12", "memory": "token: 8f14e45fceea167a5a36dedd4bea2543", "created_at": "2024-07-21T01:30:36Z" },
    ] })
}

#[test]
fn every_row_of_mem0_is_told_of() {
    let home = Home::new();
    let file = home.file("mem0.json", &mem0().to_string());
    let (told, counts) = home.loaded("mem0", &file);
    assert_eq!(counts, json!({ "kept": 4, "merged": 0, "not_kept": 4, "sessions": 1 }), "{told:?}");
    let movie = home.get(&row(&told, "892db2ae-06d9-49e5-8b3e-585ef9b85b8e")["memory_id"]);
    assert_eq!(
        (movie["created_at"].clone(), movie["scope"].clone()),
        (json!("2025-02-27T16:33:20.557Z"), json!("global"))
    );
    assert_eq!(movie["source"], "migration");
    let context = json!({ "mem0": { "hash": "a1b2", "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
        "updated_at": "2025-02-27T16:33:27.051Z", "user_id": "alice" } });
    assert_eq!(movie["context"], context);
    let cups = home.get(&row(&told, "cbb1fe73-0bf1-4067-8c1f-63aa53e7b1a4")["memory_id"]);
    assert_eq!(cups["created_at"], "2024-07-20T08:30:36.275141Z");
    assert_eq!(
        (cups["scope"].clone(), cups["session_id"].clone()),
        (json!("agent:grasp"), json!("run-7"))
    );
    assert_eq!(cups["context"]["metadata"], json!({ "category": "grasp" }));
    let solder = home.get(&row(&told, "7")["memory_id"]);
    assert_eq!(row(&told, "7")["notes"], json!(["its time is not known: as of now"]));
    assert_eq!(
        (solder["scope"].clone(), solder["mem_type"].clone()),
        (json!("group:oc_xxx"), json!("procedure"))
    );
    assert_eq!(
        (solder["source"].clone(), solder["trust"].clone()),
        (json!("user_direct"), json!("high"))
    );
    assert_eq!(row(&told, "8")["notes"], json!(["archived there"]));
    let lamp = row(&told, "9");
    assert_eq!(
        lamp["notes"],
        json!([
            "scope \"room:1\" is none here",
            "source \"hearsay\" is none here",
            "importance 7 is none here"
        ])
    );
    assert_eq!(home.get(&lamp["memory_id"])["scope"], "unscoped");
    assert!(row(&told, "10")["notes"][0].as_str().unwrap().contains("`memory`"));
    assert_eq!(row(&told, "#7")["outcome"], "not kept");
    assert!(!row(&told, "12")["notes"].to_string().contains("8f14"), "{told:?}");
    let sessions = home.column("SELECT session_id || ' ' || status FROM session");
    assert_eq!(sessions, ["run-7 ended"]);

    let (again, _) = home.loaded("mem0", &file);
    assert_eq!(again, told);
    assert_eq!(home.column("SELECT CAST(count(*) AS TEXT) FROM memory"), ["4"]);
}

#[test]
fn a_list_alone_long_texts_and_pages_are_read() {
    let home = Home::new();
    let long =
        format!("The rules of the workshop: {}end.", "wear glasses near the lathe, ".repeat(40));
    let list = json!([
        { "id": "1", "memory": long, "created_at": "2024-07-21T01:30:36Z" },
        { "id": "2", "memory": "The vise is loose", "agent_id": "a*", "created_at": "2024-07-22T01:30:36Z" },
        { "id": "3", "memory": "The drill hums", "metadata": { "scope": null }, "created_at": "2024-07-23T01:30:36Z" },
        { "id": "4", "memory": "The saw is new", "metadata": { "scope": "" }, "created_at": "2024-07-24T01:30:36Z" },
    ]);
    let (told, counts) = home.loaded("mem0", &home.file("list.json", &list.to_string()));
    assert_eq!(counts["kept"], 4);
    for without_scope in &told[2..] {
        assert_eq!(home.get(&without_scope["memory_id"])["scope"], "global");
    }
    assert_eq!(told[1]["notes"], json!(["agent_id \"a*\" is none here"]));
    assert_eq!(home.get(&told[1]["memory_id"])["scope"], "unscoped");
    assert_eq!(
        told[0]["notes"],
        json!(["cut to 300 characters", "all of it is in its context, as text"])
    );
    assert_eq!(home.get(&told[0]["memory_id"])["context"]["text"], long);

    let page = json!({ "results": [], "next": "https://example.org/?page=2", "relations": [{ "source": "a" }] });
    let (told, _) = home.loaded("mem0", &home.file("page.json", &page.to_string()));
    assert_eq!(told.len(), 2);
    assert!(told[0]["note"].as_str().unwrap().contains("1 relations are not kept"), "{told:?}");
    assert!(told[1]["note"].as_str().unwrap().contains("page=2"), "{told:?}");
    for (text, why) in [("{", "line 1"), ("3", "neither"), (r#"{"memories": 1}"#, "results")] {
        let outcome = home.load("mem0", &home.file("wrong.json", text));
        let said = outcome.refusal(2);
        assert!(said.contains("no export of mem0") && said.contains(why), "{said}");
    }
}
