//! What happened in a bag is remembered once, whatever interrupts it.

use crate::bags::fixture;
use crate::cli::{Outcome, program, run};
use crate::robot::config;
use robot_memory_bags::{BagReader, Filter, write_clip};
use robot_memory_core::model::{Clock, PerceptionType, Stamp};
use robot_memory_engine::Engine;
use robot_memory_perception::{ClipMessage, Event, TriggerKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// A folder with a store that is not there yet.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn store(&self) -> PathBuf {
        self.path("memory.db")
    }

    pub fn written(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect("it can be written");
        path
    }

    pub fn memory(&self, arguments: &[&str]) -> Outcome {
        run(program().args(arguments).arg("--no-model").arg("--store").arg(self.store()))
    }

    pub fn import(&self, bag: &Path, arguments: &[&str]) -> Outcome {
        let bag = bag.to_str().expect("UTF-8");
        self.memory(&[&["import", bag, "--json"], arguments].concat())
    }

    /// All memories, in order of id.
    pub fn memories(&self) -> Vec<Value> {
        self.memory(&["export"]).lines()
    }

    /// What the memories say, with their times: the same for the same activities.
    fn said(&self) -> Vec<(String, String)> {
        let text = |memory: &Value, key: &str| memory[key].as_str().expect("a text").to_owned();
        let mut said: Vec<_> = self
            .memories()
            .iter()
            .map(|memory| (text(memory, "created_at"), text(memory, "content")))
            .collect();
        said.sort();
        said
    }
}

pub fn real_bag() -> PathBuf {
    fixture("ur3_mcap")
}

/// All of the day that [`real_bag`] has some minutes of.
pub fn day_bag() -> PathBuf {
    fixture("ur3_day")
}

/// Stamps at which a boolean topic of the bag becomes true, as the messages have it.
fn rises(bag: &Path, topic: &str) -> Vec<Stamp> {
    let mut reader = BagReader::open(bag).expect("it is a bag");
    let place = reader.topics().iter().position(|found| found.name == topic).expect("it is there");
    let filter = Filter { topics: Some(vec![place]), ..Filter::default() };
    let mut last = None;
    let mut rises = Vec::new();
    for message in reader.messages(filter) {
        let message = message.expect("it can be read");
        let now = message.bytes[4] != 0;
        if now && last == Some(false) {
            rises.push(message.log_time);
        }
        last = Some(now);
    }
    rises
}

#[test]
fn each_stop_of_a_real_arm_is_a_memory_of_its_own() {
    let place = Place::new();
    let report = place.import(&real_bag(), &[]).json();
    assert_eq!(report["problems"], serde_json::json!([]));
    assert_eq!(
        report["stored"],
        report["streams"].as_array().map_or(0, |streams| {
            streams
                .iter()
                .flat_map(|stream| stream["events"].as_object().expect("a map").values())
                .map(|count| count.as_u64().expect("a number"))
                .sum()
        })
    );
    let memories = place.memories();
    for (stream, topic, count) in [
        ("ur3/protective_stop", "/ur3/protective_stop", 5),
        ("gripper/grip_lost", "/gripper/grip_lost", 6),
    ] {
        let expected: Vec<i64> = rises(&real_bag(), topic).iter().map(|stamp| stamp.0).collect();
        assert_eq!(expected.len(), count);
        let mut found: Vec<i64> = memories
            .iter()
            .filter(|memory| memory["context"]["event"]["stream"] == stream)
            .map(|memory| nanos(memory["created_at"].as_str().expect("a time")))
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{topic}");
        let filter = format!("{{\"event.stream\": \"{stream}\"}}");
        let counted =
            place.memory(&["recall", "--context-filter", &filter, "--count-by", "day", "--json"]);
        let counts = &counted.json()["counts"];
        assert_eq!(counts[0]["key"], "2022-10-26");
        assert_eq!(counts[0]["count"], count);
    }
    let recalled = place.memory(&["recall", "protective stop", "--json", "-n", "1"]).json();
    let content = recalled["memories"][0]["content"].as_str().expect("a text");
    assert!(content.contains("protective stop on"), "{content}");
}

fn nanos(time: &str) -> i64 {
    let (date, part) = time.trim_end_matches('Z').split_once('.').unwrap_or((time, "0"));
    assert!(date.starts_with("2022-10-26T"), "{time}");
    let parts: Vec<i64> = date[11..]
        .split(':')
        .map(|part| part.trim_end_matches('Z').parse().expect("digits"))
        .collect();
    // 2022-10-26T00:00:00Z
    let secs = 1_666_742_400 + parts[0] * 3600 + parts[1] * 60 + parts[2];
    secs * 1_000_000_000 + format!("{part:0<9}").parse::<i64>().expect("digits")
}

#[test]
fn the_same_messages_are_remembered_once_from_whatever_storage() {
    let place = Place::new();
    let first = place.import(&real_bag(), &[]).json();
    let said = place.said();
    let again = place.import(&fixture("ur3_sqlite3"), &[]).json();
    assert_eq!((again["stored"].as_u64(), &again["known"]), (Some(0), &first["stored"]));
    assert_eq!(again["session_id"], Value::Null);
    assert_eq!(place.said(), said);
    assert_eq!(said.len() as u64, first["stored"].as_u64().expect("a number"));
    let other = Place::new();
    other.import(&fixture("ur3_sqlite3"), &[]).json();
    assert_eq!(other.said(), said);
}

#[test]
fn a_bag_is_a_session_that_ends() {
    let place = Place::new();
    let report = place.import(&real_bag(), &[]).json();
    let session = report["session_id"].as_str().expect("a session");
    let memories = place.memories();
    assert!(memories.iter().all(|memory| memory["session_id"] == session));
    let stats = place.memory(&["stats", "--json"]).json();
    assert_eq!((&stats["open_sessions"], &stats["ended_sessions"]), (&0.into(), &1.into()));
    let without = Place::new();
    let report = without.import(&real_bag(), &["--no-session"]).json();
    assert_eq!(report["session_id"], Value::Null);
    assert!(without.memories().iter().all(|memory| memory["session_id"] == ""));
}

#[test]
fn a_dry_run_shows_all_and_stores_nothing() {
    let place = Place::new();
    let shown = place.import(&real_bag(), &["--dry-run"]).lines();
    assert!(!place.store().exists());
    let (report, shown) = shown.split_last().expect("a report");
    assert_eq!(report["stored"], Value::Null);
    let mut shown: Vec<(String, String)> = shown
        .iter()
        .map(|event| {
            let text = |key: &str| event[key].as_str().expect("a text").to_owned();
            (text("created_at"), text("content"))
        })
        .collect();
    assert!(shown.is_sorted_by_key(|event| nanos(&event.0)));
    place.import(&real_bag(), &[]).json();
    shown.sort();
    assert_eq!(shown, place.said());
    let table = place.memory(&["import", real_bag().to_str().expect("UTF-8"), "--dry-run"]);
    assert!(table.text().contains("protective stop on"), "{}", table.stdout);
}

#[test]
fn the_parameters_of_the_node_are_those_of_the_import() {
    let place = Place::new();
    let parameters = place.written(
        "memory.yaml",
        "/**:\n  ros__parameters:\n    use_sim_time: true\n    sim_or_real: sim\n    \
         default_collection: arm\n    streams: |\n      - topic: ur3/protective_stop\n        \
         name: stop\n        importance: 0.95\n      - topic: /nowhere\n",
    );
    let parameters = parameters.to_str().expect("UTF-8");
    let report = place.import(&real_bag(), &["--params-file", parameters]).json();
    assert_eq!(report["notes"], serde_json::json!(["/nowhere is left out: it is not in the bag"]));
    let memories = place.memories();
    assert_eq!(memories.len(), 5);
    for memory in memories {
        assert_eq!(memory["collection"], "arm");
        assert_eq!(memory["importance"], 0.95);
        assert_eq!(memory["context"]["env"]["sim_or_real"], "sim");
        assert_eq!(memory["context"]["event"]["stream"], "stop");
    }
    // Flags win.
    let flags = ["--params-file", parameters, "--collection", "b", "--sim-or-real", "real"];
    let other = Place::new();
    other.import(&real_bag(), &[&flags[..], &["--streams-text", "[/gripper/grip_lost]"]].concat());
    let memories = other.memories();
    assert_eq!(memories.len(), 6);
    for memory in memories {
        assert_eq!(memory["collection"], "b");
        assert_eq!(memory["context"]["env"]["sim_or_real"], "real");
    }
}

#[test]
fn a_part_of_the_time_is_imported() {
    let place = Place::new();
    let rises = rises(&real_bag(), "/ur3/protective_stop");
    let secs = |stamp: Stamp| format!("{}.{:09}", stamp.0 / 1_000_000_000, stamp.0 % 1_000_000_000);
    let (from, until) = (secs(Stamp(rises[1].0 - 5_000_000_000)), secs(rises[3]));
    place.import(&real_bag(), &["--from", &from, "--until", &until]).json();
    let stops = place
        .memories()
        .iter()
        .filter(|memory| memory["context"]["event"]["stream"] == "ur3/protective_stop")
        .count();
    assert_eq!(stops, 2);
}

#[test]
fn what_cannot_be_imported_is_refused_in_words() {
    let place = Place::new();
    let text = place.written("notes.mcap", "grip the cup gently");
    let text = text.to_str().expect("UTF-8");
    let empty = place.written("empty.db3", "");
    let bag = real_bag();
    let bag = bag.to_str().expect("UTF-8");
    let wrong = place.written("wrong.yaml", "robot_memory: {ros__parameters: {reorder_sec: 1}}");
    let wrong = wrong.to_str().expect("UTF-8");
    let access = place.written("access.yaml", "default:\n  raed: all");
    let access = access.to_str().expect("UTF-8");
    let of_node = format!("robot_memory: {{ros__parameters: {{access_path: {access}}}}}");
    let of_node = place.written("node.yaml", of_node);
    let of_node = of_node.to_str().expect("UTF-8");
    let expected = format!("{access}: default (line 2): there is no key \"raed\"");
    let cases: [(&[&str], i32, &str); 12] = [
        (&["import"], 2, "<BAG>"),
        (&["import", empty.to_str().expect("UTF-8")], 1, "it is empty"),
        (&["import", text], 1, "first bytes are not those of MCAP"),
        (&["import", "/nowhere/bag"], 1, "No such file"),
        (&["import", bag, "--streams-text", "[{topic: /x, triger: 1}]"], 2, "triger"),
        (&["import", bag, "--streams-text", "[/nowhere]"], 1, "/nowhere is left out"),
        (&["import", bag, "--streams", "/nowhere.yaml"], 1, "/nowhere.yaml"),
        (&["import", bag, "--params-file", wrong], 2, "reorder_secs may be meant"),
        (&["import", bag, "--from", "yesterday"], 2, "yesterday"),
        (&["import", bag, "--access", access], 2, &expected),
        (&["import", bag, "--access", "/nowhere.yaml"], 1, "/nowhere.yaml"),
        (&["import", bag, "--params-file", of_node], 2, &expected),
    ];
    for (arguments, code, expected) in cases {
        let outcome = place.memory(arguments);
        let line = outcome.refusal(code);
        assert!(line.contains(expected), "{line}");
    }
    // The other bags are imported all the same.
    let outcome = place.memory(&["import", empty.to_str().expect("UTF-8"), bag, "--json"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("it is empty"), "{}", outcome.stderr);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("a report");
    assert_eq!(report["stored"].as_u64(), Some(place.memories().len() as u64));
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Option<Stamp> {
        Some(Stamp::from_secs(1_750_000_000))
    }
}

#[test]
fn while_a_node_has_the_store_it_is_refused() {
    let place = Place::new();
    let (engine, _) = Engine::open(config(&place.store()), Arc::new(Noon)).expect("it opens");
    let outcome = place.import(&real_bag(), &[]);
    let line = outcome.refusal(1);
    assert!(line.contains("in use") || line.contains("another process"), "{line}");
    drop(engine);
    assert_eq!(place.import(&real_bag(), &[]).code, 0);
}

#[test]
fn a_damaged_bag_gives_what_it_has_and_says_so() {
    let place = Place::new();
    let bytes = fs::read(fixture("ur3_mcap/ur3_mcap_0.mcap")).expect("the bag");
    let torn = place.written("torn.mcap", &bytes[..bytes.len() / 2]);
    let outcome = place.import(&torn, &[]);
    assert_eq!(outcome.code, 3, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("read as far as it could be"), "{}", outcome.stderr);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("a report");
    let problems = report["problems"][0].as_str().expect("a sentence");
    assert!(problems.contains("breaks off at byte"), "{problems}");
    let stored = report["stored"].as_u64().expect("a number");
    assert!(stored >= 10, "{stored}");
    // What the whole bag has besides comes later, once.
    let rest = place.import(&real_bag(), &[]).json();
    assert!(rest["known"].as_u64().expect("a number") >= stored - 2);
    assert!(rest["stored"].as_u64().expect("a number") >= 10);
    let said = place.said();
    let keys: BTreeSet<&(String, String)> = said.iter().collect();
    assert_eq!(keys.len(), said.len());
}

/// An event whose clip is these messages.
fn event(clip: Vec<ClipMessage>) -> Event {
    Event {
        key: "k".into(),
        event_id: "0123456789abcdef".into(),
        stamp: Stamp(1_666_774_382_073_999_872),
        end: Stamp(1_666_774_383_000_000_000),
        stream: "wrist/../wrench".into(),
        topic: "/wrist/wrench".into(),
        trigger: TriggerKind::Contact,
        perception_type: PerceptionType::Tactile,
        description: "contact on wrist".into(),
        data: String::new(),
        metadata: String::new(),
        context: String::new(),
        importance: 0.5,
        collection: String::new(),
        signature: None,
        clip,
    }
}

pub fn message(topic: &str, type_name: &str, received: i64, bytes: &[u8]) -> ClipMessage {
    ClipMessage {
        topic: topic.into(),
        type_name: type_name.into(),
        definition: "bool data\n".into(),
        received: Stamp(received),
        stamp: Stamp(received - 5),
        bytes: bytes.into(),
    }
}

#[test]
fn a_clip_is_a_bag_that_is_written_whole_or_not_at_all() {
    let place = Place::new();
    let folder = place.path("clips");
    let messages = vec![
        message("/b", "std_msgs/msg/Bool", 300, &[0, 1, 0, 0, 1]),
        message("/a", "std_msgs/msg/Bool", 100, &[0, 1, 0, 0, 0]),
        message("/b", "std_msgs/msg/Bool", 200, &[0, 1, 0, 0, 0]),
    ];
    let clip = event(messages);
    let (name, bytes) = write_clip(&folder, &clip).expect("it is written");
    assert_eq!(name, "0123456789abcdef_20221026T085302.073999872Z_wrist----wrench_k.mcap");
    let path = folder.join(&name);
    let file = fs::metadata(&path).expect("it is there");
    assert_eq!((file.len(), file.permissions().mode() & 0o777), (bytes, 0o600));
    let mut reader = BagReader::open(&path).expect("it is a bag");
    let topics: Vec<(String, String, u64)> = reader
        .topics()
        .iter()
        .map(|topic| {
            assert_eq!((&*topic.encoding, &*topic.definition), ("cdr", "bool data\n"));
            (topic.name.clone(), topic.type_name.clone(), topic.message_count)
        })
        .collect();
    let bool_type = || "std_msgs/msg/Bool".to_owned();
    assert_eq!(topics, [("/a".to_owned(), bool_type(), 1), ("/b".to_owned(), bool_type(), 2)]);
    let read: Vec<(usize, i64, u8)> = reader
        .messages(Filter::default())
        .map(|message| message.expect("it can be read"))
        .map(|message| (message.topic, message.log_time.0, message.bytes[4]))
        .collect();
    assert_eq!(read, [(0, 100, 0), (1, 200, 0), (1, 300, 1)]);
    assert!(reader.problems().is_empty());
    // The same event has the same file.
    assert_eq!(write_clip(&folder, &clip).expect("it is written"), (name, bytes));
    let error = write_clip(&folder, &event(Vec::new())).expect_err("there is nothing to write");
    assert!(error.to_string().contains("no messages"), "{error}");
    let not_a_folder = place.written("file", "");
    let several = event(clip.clip);
    assert!(write_clip(&not_a_folder, &several).is_err());
    let left: Vec<_> = fs::read_dir(&folder).expect("the folder").collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn clips_of_a_bag_lie_beside_the_store() {
    let place = Place::new();
    let streams = "[{topic: /ur3/protective_stop, clip: true}, {topic: /joint_states, clip: true, triggers: []}]";
    let report = place.import(&real_bag(), &["--streams-text", streams]).json();
    assert_eq!((&report["stored"], &report["clips"]), (&5.into(), &5.into()));
    let clips: Vec<PathBuf> = fs::read_dir(place.path("memory.db.clips"))
        .expect("the folder of clips")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(clips.len(), 5);
    for clip in clips {
        let (start, end) = BagReader::open(&clip).expect("a bag").span().expect("messages");
        assert!(end.0 - start.0 < 30_000_000_000, "{}", clip.display());
    }
    let again = place.import(&real_bag(), &["--streams-text", streams]).json();
    assert_eq!((&again["known"], &again["clips"]), (&5.into(), &0.into()));
}

/// A bag of these messages.
pub fn bag_of(place: &Place, name: &str, messages: Vec<ClipMessage>) -> PathBuf {
    let folder = place.path(name);
    write_clip(&folder, &event(messages)).expect("it is written");
    folder
}

#[test]
fn a_bag_of_a_simulation_has_the_time_of_its_clock() {
    let place = Place::new();
    // The recorder's clock is of 2025; the simulation began at zero.
    let wall = 1_750_000_000_000_000_000_i64;
    let mut messages = Vec::new();
    for tenth in 0..600_i64 {
        let at = wall + tenth * 100_000_000;
        let (sec, nanosec) = ((tenth / 10) as i32 + 7, (tenth % 10 * 100_000_000) as u32);
        let is_on = (200..300).contains(&tenth);
        messages.push(message("/stopped", "std_msgs/msg/Bool", at, &[0, 1, 0, 0, u8::from(is_on)]));
        let clock = [&[0, 1, 0, 0][..], &sec.to_le_bytes(), &nanosec.to_le_bytes()].concat();
        if tenth >= 10 {
            messages.push(message("/clock", "rosgraph_msgs/msg/Clock", at + 1, &clock));
        }
    }
    let bag = bag_of(&place, "sim", messages);
    let report = place.import(&bag, &[]).json();
    assert_eq!(report["sim_or_real"], "sim");
    assert_eq!(report["notes"], serde_json::json!(["11 messages came before the first of /clock"]));
    let memories = place.memories();
    assert_eq!(memories.len(), 1);
    // What /clock said last, 0.1 s before.
    assert_eq!(memories[0]["created_at"], "1970-01-01T00:00:26.9Z");
    assert_eq!(memories[0]["context"]["env"]["sim_or_real"], "sim");
}

#[test]
fn a_bag_of_a_later_year_lets_nothing_be_forgotten() {
    let place = Place::new();
    place.import(&real_bag(), &[]);
    let confidences = |place: &Place| -> BTreeMap<i64, f64> {
        let memories = place.memories();
        let one = |memory: &Value| Some((memory["id"].as_i64()?, memory["confidence"].as_f64()?));
        memories.iter().map(|memory| one(memory).expect("an id and a confidence")).collect()
    };
    let before = confidences(&place);
    // The recorder's clock is of 2200.
    let start = 7_258_118_400_000_000_000_i64;
    let messages = (0..100).map(|tenth| {
        let at = start + tenth * 100_000_000;
        message("/stopped", "std_msgs/msg/Bool", at, &[0, 1, 0, 0, u8::from(tenth == 50)])
    });
    let report = place.import(&bag_of(&place, "later", messages.collect()), &[]).json();
    assert_eq!(report["stored"], 1);
    let mut after = confidences(&place);
    after.pop_last();
    assert_eq!(after, before);
}

/// The messages of the real bag, so many times one after the other.
fn long_bag(place: &Place, times: i64) -> PathBuf {
    let mut reader = BagReader::open(&real_bag()).expect("it is a bag");
    let topics = reader.topics().to_vec();
    let (start, end) = reader.span().expect("it has messages");
    let period = end.0 - start.0 + 10_000_000_000;
    let read: Vec<_> = reader
        .messages(Filter::default())
        .map(|message| message.expect("it can be read"))
        .collect();
    let messages = (0..times)
        .flat_map(|time| read.iter().map(move |message| (time, message)))
        .map(|(time, message)| {
            let topic = &topics[message.topic];
            let received = Stamp(message.log_time.0 + time * period);
            ClipMessage {
                topic: topic.name.clone(),
                type_name: topic.type_name.as_str().into(),
                definition: Arc::clone(&topic.definition),
                received,
                stamp: received,
                bytes: Arc::clone(&message.bytes),
            }
        })
        .collect();
    bag_of(place, "long", messages)
}

#[test]
fn an_import_that_is_killed_at_any_moment_is_done_again_without_duplicates() {
    let place = Place::new();
    let bag = long_bag(&place, 12);
    let clean = Place::new();
    let expected = clean.import(&bag, &[]).json();
    let streams = |report: &Value| -> BTreeMap<String, Value> {
        let all = report["streams"].as_array().expect("a list");
        all.iter().map(|stream| (stream["stream"].to_string(), stream["events"].clone())).collect()
    };
    let mut counts_between = BTreeSet::new();
    let mut kills = 0;
    for millis in (20..).step_by(60) {
        let mut child = program()
            .arg("import")
            .arg(&bag)
            .args(["--no-model", "--json", "--store"])
            .arg(place.store())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program runs");
        std::thread::sleep(Duration::from_millis(millis));
        if child.try_wait().expect("it can be asked").is_some() {
            let output = child.wait_with_output().expect("it has ended");
            let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
            assert_eq!(streams(&report), streams(&expected));
            break;
        }
        child.kill().expect("it is killed");
        child.wait().expect("it has ended");
        kills += 1;
        assert!(kills < 400, "it never ends");
        if place.store().exists() {
            let stats = place.memory(&["stats", "--json"]);
            if stats.code == 0 {
                counts_between.insert(stats.json()["memory_count"].as_u64());
            }
        }
    }
    assert!(counts_between.len() > 2, "it was never killed halfway: {counts_between:?}");
    assert_eq!(place.said(), clean.said());
    let stats = place.memory(&["stats", "--json"]).json();
    assert_eq!((&stats["open_sessions"], &stats["ended_sessions"]), (&0.into(), &1.into()));
}
