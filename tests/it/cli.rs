//! The program `memory`, run as a process on real stores.

use crate::robot::Robot;
use robot_memory_core::api::{Forget, ForgetRequest, SavePerception, SavePerceptionRequest};
use serde_json::{Value, json};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// What a run of the program came to.
pub struct Outcome {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Outcome {
    /// It went well, with nothing to say but, on a slow machine, how far it was.
    fn assert_done(&self) {
        let is_progress = |line: &str| line.contains(" messages, ") && line.contains(" a second, ");
        let said = self.stderr.lines().filter(|line| !is_progress(line)).count();
        assert_eq!((self.code, said), (0, 0), "{}{}", self.stderr, self.stdout);
    }

    pub fn json(&self) -> Value {
        self.assert_done();
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }

    pub fn lines(&self) -> Vec<Value> {
        self.assert_done();
        self.stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line is JSON"))
            .collect()
    }

    pub fn text(&self) -> &str {
        self.assert_done();
        &self.stdout
    }

    /// The one line that says why it was not done.
    pub fn refusal(&self, code: i32) -> &str {
        assert_eq!((self.code, self.stdout.as_str()), (code, ""), "{}", self.stderr);
        let line = self.stderr.strip_suffix('\n').unwrap_or_default();
        assert!(line.starts_with("memory: ") && !line.contains('\n'), "{}", self.stderr);
        line
    }
}

pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_memory"));
    command.env_remove("HOME").env_remove("ROS_HOME").env_remove("AMENT_PREFIX_PATH");
    command
}

pub fn run(command: &mut Command) -> Outcome {
    let output = command.output().expect("the program runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Outcome {
        code: output.status.code().expect("it was not killed"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// Runs it on a store, by words only.
pub fn memory(store: &Path, arguments: &[&str]) -> Outcome {
    run(program().args(arguments).arg("--no-model").arg("--store").arg(store))
}

/// A store with a little of everything.
pub struct Example {
    pub robot: Robot,
    pub cup: i64,
    pub door: i64,
    pub perception: i64,
    pub forgotten: i64,
    pub elsewhere: i64,
    pub session: String,
}

const DATA: &str = "{\"z\": 1.10,\n \"forces\": [0.1, 18446744073709551617]}";

impl Example {
    pub fn new() -> Self {
        let robot = Robot::new();
        let cup = robot.learn_with(
            "The red cup is fragile, grip it with 2.5 N",
            r#"{"params": {"force_n": 2.5}, "spatial": {"p": [1.0, 2.0, 0.5], "frame": "map"}}"#,
        );
        robot.sleep_days(1.0);
        let session = robot.start_session();
        let door = robot.learn_in(&session, "The door of the kitchen opens to the left");
        let perception = robot
            .call::<SavePerception>(SavePerceptionRequest {
                description: "Force rises while the cup is lifted".into(),
                perception_type: "tactile".into(),
                data: DATA.into(),
                metadata: r#"{"hz": 100}"#.into(),
                context: r#"{"spatial": {"p": [4.0, 2.0, 0.5]}}"#.into(),
                ..Default::default()
            })
            .memory_id;
        let forgotten = robot.learn("The cup is made of steel").memory_id;
        robot.call::<Forget>(ForgetRequest {
            memory_id: forgotten,
            reason: "it is glass".into(),
            ..Default::default()
        });
        let elsewhere = robot
            .call::<SavePerception>(SavePerceptionRequest {
                description: "A cup fell in the workshop".into(),
                collection: "workshop".into(),
                ..Default::default()
            })
            .memory_id;
        Self { robot, cup, door, perception, forgotten, elsewhere, session }
    }

    pub fn memory(&self, arguments: &[&str]) -> Outcome {
        memory(&self.robot.store_path(), arguments)
    }

    pub fn recalled(&self, arguments: &[&str]) -> Vec<i64> {
        let answer = self.memory(&[&["recall", "--json"], arguments].concat()).json();
        ids(answer["memories"].as_array().expect("a list"))
    }
}

pub fn ids(memories: &[Value]) -> Vec<i64> {
    memories.iter().map(|memory| memory["id"].as_i64().expect("an id")).collect()
}

pub fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

#[test]
fn recall_answers_in_the_fields_of_the_service() {
    let example = Example::new();
    let answer = example.memory(&["recall", "red cup", "--json", "--explain"]).json();
    let keys: Vec<&str> =
        answer.as_object().expect("an object").keys().map(String::as_str).collect();
    let fields = [
        "anchor_memory_id",
        "approximate",
        "better_collections",
        "counts",
        "memories",
        "mode",
        "other_map_count",
        "plan",
        "query_ms",
        "site",
        "site_fault",
        "total",
        "understood",
        "unresolved_frames",
    ];
    assert_eq!(keys, fields);
    assert_eq!(answer["mode"], "bm25_only");
    assert_ne!(answer["plan"], "");
    let best = &answer["memories"][0];
    assert_eq!(best["id"], example.cup);
    assert_eq!(best["score"], 1.0);
    assert_eq!(best["type"], "fact");
    assert_eq!(best["created_at"], "2025-06-15T15:06:40Z");
    assert_eq!(best["last_accessed"], Value::Null);
    assert_eq!(best["context"]["params"]["force_n"], 2.5);
    let words = best["why"]["matched_words"].as_array().expect("a list");
    assert!(words.contains(&json!("cup")), "{words:?}");

    // The fields of Memory.msg, but for the parts of the context, which are in the context.
    let message =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("msg/Memory.msg"))
            .expect("Memory.msg");
    let in_context = ["params", "spatial", "robot", "robot_pose", "task", "has_distance"];
    let is_field = |line: &&str| !line.starts_with('#') && !line.contains("=\"");
    for line in message.lines().filter(is_field) {
        let Some(name) = line.split_whitespace().nth(1) else { continue };
        assert!(in_context.contains(&name) || best.get(name).is_some(), "{name} is missing");
    }
}

#[test]
fn recall_takes_every_filter() {
    let example = Example::new();
    let Example { cup, door, perception, elsewhere, ref session, .. } = example;
    let day_2 = "2025-06-16T00:00:00Z";
    let cases: Vec<(Vec<&str>, Vec<i64>)> = vec![
        (vec!["cup"], vec![cup, perception]),
        (vec!["cup", "-n", "1", "--order", "oldest"], vec![cup]),
        (vec!["cup", "--collections", "*"], vec![cup, perception, elsewhere]),
        (vec!["cup", "--collections", "default,workshop"], vec![cup, perception, elsewhere]),
        (vec!["cup", "-c", "workshop"], vec![elsewhere]),
        (vec!["cup", "--min-confidence", "1"], vec![]),
        (vec!["--session", session], vec![door]),
        (vec!["--types", "perception"], vec![perception]),
        (vec!["--types", "perception,fact"], vec![cup, door, perception]),
        (vec!["--levels", "core"], vec![]),
        (vec!["--since", day_2], vec![door, perception]),
        (vec!["--until", "1750040000.5"], vec![cup]),
        (vec!["--since", day_2, "--scope", "global"], vec![door, perception]),
        (vec!["--context-filter", r#"{"params.force_n": {"$lt": 3}}"#], vec![cup]),
        (vec!["--frame", "map"], vec![cup]),
        (vec!["--map-id", "hall"], vec![]),
        (vec!["--near", "spatial.p=4,2,0.5"], vec![cup, perception]),
        (vec!["--near", "spatial.p=4,2,0.5", "--max-distance", "1.5"], vec![perception]),
        (
            vec![
                "--near",
                "spatial.p=4,2,0.5",
                "--near-std-dev",
                "params.force_n",
                "--max-distance",
                "4",
            ],
            vec![perception],
        ),
        (vec!["cup", "--exact", "--ranking", "rrf"], vec![cup, perception]),
    ];
    for (arguments, expected) in cases {
        assert_eq!(sorted(example.recalled(&arguments)), expected, "{arguments:?}");
    }
    assert_eq!(example.recalled(&["--near", "spatial.p=4,2,0.5"]), [perception, cup]);
    let counts = |arguments: &[&str]| {
        let answer = example.memory(&[&["recall", "--json", "--count-by"], arguments].concat());
        answer.json()["counts"].clone()
    };
    let count = |key: &str, count: u64| json!({"key": key, "count": count});
    assert_eq!(counts(&["day"]), json!([count("2025-06-15", 1), count("2025-06-16", 2)]));
    let shifted = counts(&["day", "--utc-offset-secs", "43200"]);
    assert_eq!(shifted, json!([count("2025-06-16", 1), count("2025-06-17", 2)]));
    assert_eq!(counts(&["session", "--session", session]), json!([count(session, 1)]));
    let by_time = ["--types", "fact", "--order"];
    assert_eq!(example.recalled(&[&by_time[..], &["newest"]].concat()), [door, cup]);
    assert_eq!(example.recalled(&[&by_time[..], &["oldest"]].concat()), [cup, door]);
}

#[test]
fn data_is_shown_when_it_is_asked_for_and_as_it_was_stored() {
    let example = Example::new();
    let id = example.perception.to_string();
    let kept = DATA.replace('\n', " ");
    for arguments in [vec!["get", &id], vec!["recall", "--types", "perception"]] {
        let plain = example.memory(&[&arguments[..], &["--json"]].concat());
        assert!(plain.text().contains("\"data\":null"), "{}", plain.stdout);
        let whole = example.memory(&[&arguments[..], &["--json", "--data"]].concat());
        assert!(whole.text().contains(&format!("\"data\":{kept},")), "{}", whole.stdout);
        let shown = example.memory(&[&arguments[..], &["--data"]].concat());
        assert!(shown.text().contains(&kept), "{}", shown.stdout);
    }
}

#[test]
fn recall_shows_a_person_aligned_columns() {
    let example = Example::new();
    let outcome = example.memory(&["recall", "cup"]);
    let lines: Vec<&str> = outcome.text().lines().collect();
    assert!(lines[0].starts_with("2 of 2 memories, bm25_only, "), "{}", lines[0]);
    let head = lines[2];
    assert_eq!(
        head.split_whitespace().collect::<Vec<_>>(),
        ["id", "score", "type", "category", "confidence", "created_at", "collection"]
    );
    let first = lines[3];
    assert_eq!(first.find("default"), head.find("collection"), "{head}\n{first}");
    assert!(outcome.text().contains("why: word_rank 1"), "{}", outcome.stdout);
    let far = example.memory(&["recall", "--near", "spatial.p=1,2,2.5"]);
    assert!(far.text().contains("2.000"), "{}", far.stdout);
    assert!(!far.text().contains("score"), "{}", far.stdout);
}

#[test]
fn a_text_does_not_steer_the_terminal() {
    let robot = Robot::words_only();
    robot.learn("The lamp \u{1b}[2J says \u{9b}31m hello");
    let shown = memory(&robot.store_path(), &["recall", "lamp"]);
    assert!(!shown.text().contains(['\u{1b}', '\u{9b}']), "{}", shown.stdout);
}

#[test]
fn get_shows_a_memory_of_any_status() {
    let example = Example::new();
    let id = example.forgotten.to_string();
    let answer = example.memory(&["get", &id, "--json"]).json();
    assert_eq!(answer["id"], example.forgotten);
    assert_eq!(answer["status"], "invalidated");
    assert_eq!(answer["invalidated_reason"], "it is glass");
    assert_eq!(answer["invalidated_at"], "2025-06-16T15:06:40Z");
    assert_eq!(answer["embedding_model"], "");
    assert!(answer.get("embedding").is_none());
    let shown = example.memory(&["get", &id]);
    assert!(shown.text().contains("invalidated_reason  it is glass\n"), "{}", shown.stdout);
    let with_vector = example.memory(&["get", &example.cup.to_string(), "--json"]).json();
    assert_ne!(with_vector["embedding_model"], "");
}

#[test]
fn stats_counts_everything_once() {
    let example = Example::new();
    let stats = example.memory(&["stats", "--json"]).json();
    assert_eq!(stats["memory_count"], 5);
    assert_eq!(stats["by_status"], json!({"active": 4, "invalidated": 1}));
    assert_eq!(stats["by_type"], json!({"fact": 2, "perception": 2}));
    assert_eq!(stats["by_collection"], json!({"default": 3, "workshop": 1}));
    assert_eq!(stats["by_level"], json!({"knowledge": 4}));
    let categories = stats["by_category"].as_object().expect("an object");
    assert_eq!(categories.values().filter_map(Value::as_u64).sum::<u64>(), 2);
    assert_eq!(stats["oldest_created_at"], "2025-06-15T15:06:40Z");
    assert_eq!(stats["newest_created_at"], "2025-06-16T15:06:40Z");
    assert_eq!((&stats["open_sessions"], &stats["ended_sessions"]), (&json!(1), &json!(0)));
    let vectors = stats["vectors_by_model"].as_object().expect("an object");
    assert_eq!(vectors.values().collect::<Vec<_>>(), [&json!(4)]);
    assert_eq!(stats["missing_vectors"], 0);
    assert!(stats["store_bytes"].as_u64().is_some_and(|bytes| bytes > 4096));
    assert!(stats["schema_version"].as_u64().is_some_and(|version| version >= 1));

    let shown = example.memory(&["stats"]);
    let words: Vec<Vec<&str>> =
        shown.text().lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(words.contains(&vec!["by_status", "active", "4"]), "{}", shown.stdout);
    assert!(words.contains(&vec!["invalidated", "1"]), "{}", shown.stdout);

    let empty = Robot::words_only();
    let stats = memory(&empty.store_path(), &["stats", "--json"]).json();
    assert_eq!((&stats["memory_count"], &stats["by_status"]), (&json!(0), &json!({})));
    assert_eq!(stats["oldest_created_at"], Value::Null);
}

#[test]
fn export_writes_every_memory_in_order_of_id() {
    let example = Example::new();
    let Example { cup, door, perception, forgotten, elsewhere, .. } = example;
    let active = example.memory(&["export"]).lines();
    assert_eq!(ids(&active), [cup, door, perception, elsewhere]);
    let all = example.memory(&["export", "--all", "--json"]).lines();
    assert_eq!(ids(&all), [cup, door, perception, forgotten, elsewhere]);
    for collections in [vec!["-c", "workshop"], vec!["--collection", "workshop,attic"]] {
        let some = example.memory(&[&["export"], &collections[..]].concat()).lines();
        assert_eq!(ids(&some), [elsewhere], "{collections:?}");
    }
    assert_eq!(active[2]["metadata"], json!({"hz": 100}));
    assert!(active.iter().all(|memory| memory.get("embedding").is_none()));

    // A line is what `get` answers.
    let got = example.memory(&["get", &cup.to_string(), "--json", "--data"]).json();
    assert_eq!(active[0], got);

    let vectors = example.memory(&["export", "--vectors"]).lines();
    for memory in &vectors {
        let components = memory["embedding"].as_array().expect("a vector");
        let square: f64 = components.iter().filter_map(Value::as_f64).map(|x| x * x).sum();
        assert!((square - 1.0).abs() < 1e-6, "{square}");
    }
}

#[test]
fn export_goes_to_a_new_file_and_never_over_one() {
    let example = Example::new();
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("memories.jsonl");
    let path = file.to_str().expect("UTF-8");
    let output = example.memory(&["export", "--output", path]);
    assert_eq!(output.text(), format!("4 memories in {path}\n"));
    let lines = std::fs::read_to_string(&file).expect("it is there");
    assert_eq!(lines.lines().count(), 4);
    let mode = std::fs::metadata(&file).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    example.memory(&["export", "--output", path]).refusal(1);
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), lines);
    let store = example.robot.store_path();
    example.memory(&["export", "--output", store.to_str().expect("UTF-8")]).refusal(1);
    assert_eq!(example.memory(&["stats", "--json"]).json()["memory_count"], 5);
    let output = example.memory(&["export", "--output", "/dev/null", "--json"]).json();
    assert_eq!(output, json!({"memory_count": 4, "output": "/dev/null"}));
    let output = example.memory(&["export", "--output", "/dev/full"]);
    assert!(output.refusal(1).contains("/dev/full"), "{}", output.stderr);
}

#[test]
fn bench_measures_the_queries_that_it_is_given() {
    let example = Example::new();
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("queries.txt");
    std::fs::write(&file, "red cup\n\nkitchen door\n").expect("it is written");
    let path = file.to_str().expect("UTF-8");
    let measured =
        example.memory(&["bench", "--queries", path, "--rounds", "3", "-n", "2", "--json"]).json();
    assert_eq!((&measured["queries"], &measured["rounds"]), (&json!(2), &json!(3)));
    assert_eq!((&measured["active_count"], &measured["indexes_ready"]), (&json!(4), &json!(true)));
    assert_eq!(measured["modes"], json!({"bm25_only": 6}));
    assert_eq!(measured["embedding_ms"], Value::Null);
    let quantile = |name: &str| measured["recall_ms"][name].as_f64().expect("a number");
    assert!(0.0 < quantile("p50") && quantile("p50") <= quantile("p95"));
    assert!(quantile("p95") <= quantile("p99") && quantile("p99") <= quantile("max"));

    let of_the_store = example.memory(&["bench", "--rounds", "1"]);
    assert!(
        of_the_store
            .text()
            .starts_with("4 active memories, indexes in memory; 3 queries, 1 rounds, n 5: ")
    );
    let empty = Robot::words_only();
    let outcome = memory(&empty.store_path(), &["bench"]);
    assert!(outcome.refusal(1).contains("--queries"), "{}", outcome.stderr);
}

#[test]
fn errors_are_one_line_and_an_exit_code() {
    let example = Example::new();
    let cases: [(&[&str], i32, &str); 16] = [
        (&["get", "999"], 1, "memory: not_found: memory_id: there is no memory 999"),
        (&["recall", "--session", "nobody"], 1, "not_found: session_id"),
        (&["bench", "--queries", "/nowhere/q.txt"], 1, "/nowhere/q.txt"),
        (&["export", "--output", "/nowhere/o.jsonl"], 1, "/nowhere/o.jsonl"),
        (&["get", "0"], 2, "invalid_argument: memory_id"),
        (&["recall"], 2, "invalid_argument: query"),
        (&["recall", "cup", "-n", "0"], 2, "invalid_argument: n"),
        (&["recall", "cup", "--context-filter", "{"], 2, "invalid_argument: context_filter"),
        (&["recall", "cup", "--since", "yesterday"], 2, "yesterday is neither"),
        (&["recall", "cup", "--near", "here"], 2, "spatial.object_position"),
        (&["recall", "cup", "--max-distance", "1"], 2, "--near"),
        (&["recall", "cup", "--order", "best"], 2, "newest, oldest"),
        (&["recall", "cup", "-c", "a", "--collections", "b"], 2, "cannot be used with"),
        (&["export", "-c", "*,a"], 2, "invalid_argument: collections"),
        (&["learn", "the cup is red"], 2, "learn"),
        (&["get"], 2, "<ID>"),
    ];
    for (arguments, code, part) in cases {
        let outcome = example.memory(arguments);
        let line = outcome.refusal(code);
        assert!(line.contains(part), "{arguments:?}: {line}");
    }
    assert!(run(&mut program()).refusal(2).contains("a command must be given"));
}

#[test]
fn without_its_model_recall_says_that_it_goes_by_words() {
    let example = Example::new();
    let nowhere = TempDir::new().expect("a folder");
    let mut command = program();
    command.args(["recall", "cup", "--json", "--store"]).arg(example.robot.store_path());
    command.arg("--model-dir").arg(nowhere.path().join("model"));
    let outcome = run(command.env("ROBOT_MEMORY_CACHE", nowhere.path()));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(
        outcome.stderr.starts_with("memory: recall goes by words only: "),
        "{}",
        outcome.stderr
    );
    assert_eq!(outcome.stderr.lines().count(), 1);
    let answer: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    assert_eq!(answer["mode"], "bm25_only");
    // No query needs no model.
    let quiet = run(program()
        .args(["recall", "--types", "fact", "--json", "--store"])
        .arg(example.robot.store_path())
        .arg("--model-dir")
        .arg(nowhere.path().join("model")));
    assert_eq!(quiet.json()["mode"], "filter_only");
}

#[test]
fn help_says_that_writing_goes_through_the_node() {
    let help = run(program().arg("--help"));
    assert!(help.text().contains("ros2 service call"), "{}", help.stdout);
    for command in ["recall", "get", "stats", "bench", "export"] {
        assert!(help.text().contains(command));
        assert!(run(program().arg(command).arg("--help")).text().contains("--store"));
    }
    assert!(run(program().arg("--version")).text().starts_with("memory "));
}

#[test]
fn queries_come_from_standard_input_too() {
    let example = Example::new();
    let mut child = program()
        .args(["bench", "--queries", "-", "--rounds", "1", "--json", "--no-model", "--store"])
        .arg(example.robot.store_path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    child.stdin.take().expect("its input").write_all(b"red cup\n").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let measured: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(measured["queries"], 1);
}
