//! Events are found by questions in words: what happened, when, and which of several.
//!
//! A world is a list of things that happened to a robot. Its sentences and contexts are the recorder's own,
//! stored as the recorder stores them; each question has the events that answer it.

use crate::robot::Robot;
use jiff::Timestamp;
use robot_memory_core::api::{Recall, RecallRequest};
use robot_memory_core::model::{PerceptionType, Stamp};
use robot_memory_embedding::Embedder;
use robot_memory_embedding::locate::{ModelChoice, cache_dir, model_folder, onnxruntime_library};
use robot_memory_embedding::{OnnxEmbedder, OnnxOptions};
use robot_memory_engine::Recording;
use robot_memory_perception::{
    Activity, Event, LayoutKind, Measure, Sense, StreamSettings, TriggerKind, event_text,
};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

#[derive(Deserialize)]
struct World {
    world: u32,
    now: String,
    events: Vec<Happened>,
}

#[derive(Deserialize)]
struct Happened {
    key: String,
    kind: String,
    at: String,
    peak: Option<f64>,
    unit: Option<String>,
    topic: String,
    subject: String,
    duration_secs: Option<f64>,
    detail: Value,
}

#[derive(Deserialize)]
struct Question {
    world: u32,
    lang: String,
    question: String,
    right: Vec<String>,
}

/// Shares of questions with a right answer in the first place, and among the first three.
#[derive(Default, Clone, Copy)]
struct Score {
    asked: u32,
    first: u32,
    third: u32,
}

fn stamp(at: &str) -> Stamp {
    let at: Timestamp = at.parse().expect("a time");
    Stamp(i64::try_from(at.as_nanosecond()).expect("in range"))
}

/// The trigger that tells of it, what its stream tells of, and what is measured.
fn measured(happened: &Happened) -> (TriggerKind, Sense, Vec<Measure>) {
    let Happened { kind, at, peak, unit, duration_secs, detail, .. } = happened;
    let number = |name: &str| detail[name].as_f64();
    let text = |name: &str| match &detail[name] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let unit = unit.clone().unwrap_or_default();
    let measure = |name: &'static str, value: f64, unit: &str, of: &str| Measure {
        name,
        value,
        unit: unit.to_owned(),
        of: of.to_owned(),
        stamp: Some(stamp(at)),
    };
    let timed = |name: &'static str| {
        duration_secs.map(|secs| Measure { stamp: None, ..measure(name, secs, "s", "") })
    };
    let peak = peak.unwrap_or(f64::NAN);
    match kind.as_str() {
        "impact" => {
            let rise_secs = number("rise_ms").unwrap_or(10.0) / 1e3;
            let rate = measure("rise_rate", peak / rise_secs, &format!("{unit}/s"), "force.z");
            let measures = vec![measure("peak", peak, &unit, "force.z"), rate];
            (TriggerKind::Impact, Sense::Numbers(LayoutKind::Wrench), measures)
        }
        "contact" => {
            let measures = vec![measure("peak", peak, &unit, "force.z")];
            let measures = measures.into_iter().chain(timed("duration")).collect();
            (TriggerKind::Contact, Sense::Numbers(LayoutKind::Wrench), measures)
        }
        "grip_lost" => {
            let (from, to) =
                (number("force_from").unwrap_or(1.0), number("force_to").unwrap_or(0.0));
            let measures =
                vec![measure("loss", (from - to) / from, "", ""), measure("force", from, "N", "")];
            (TriggerKind::Slip, Sense::Numbers(LayoutKind::Wrench), measures)
        }
        "protective_stop" | "emergency_stop" => {
            let measures = vec![
                measure("from", f64::NAN, "", "false"),
                measure("to", f64::NAN, "", &text("to")),
            ];
            (
                TriggerKind::Edge,
                Sense::Bool,
                measures.into_iter().chain(timed("duration")).collect(),
            )
        }
        "status" => {
            let of = |name| measure(name, f64::NAN, "", &text(name));
            (TriggerKind::Change, Sense::Text, vec![of("from"), of("to")])
        }
        "motion" => {
            let joints = detail["joints_rad"].as_object().expect("joints");
            let mut distances: Vec<Measure> = joints
                .iter()
                .map(|(joint, way)| {
                    let way = way.as_f64().expect("a number");
                    Measure { stamp: None, ..measure("distance", way, "rad", joint) }
                })
                .collect();
            distances.sort_by(|a, b| b.value.total_cmp(&a.value));
            let fastest = distances.first().map(|one| one.of.clone()).unwrap_or_default();
            distances.push(measure("peak", peak, "rad/s", &fastest));
            distances.extend(timed("duration"));
            (TriggerKind::Motion, Sense::Numbers(LayoutKind::Joints), distances)
        }
        "new_view" => {
            (TriggerKind::Keyframe, Sense::Image, vec![measure("difference", 0.34, "", "")])
        }
        "battery" => {
            let of = |name, value| measure(name, value, "", "percentage");
            let (from, to) = (number("from").expect("a level"), number("to").expect("a level"));
            let shift = measure("shift", 12.0 * (to - from).signum(), "sigma", "percentage");
            let measures = vec![shift, of("before", from), of("after", to)];
            (TriggerKind::Novelty, Sense::Numbers(LayoutKind::Plain), measures)
        }
        other => panic!("what kind is {other}?"),
    }
}

/// What the recorder makes of it.
fn event(happened: &Happened) -> Event {
    let (kind, sense, measures) = measured(happened);
    let mut settings = StreamSettings::new(&happened.topic);
    if matches!(kind, TriggerKind::Impact | TriggerKind::Contact | TriggerKind::Slip) {
        settings.name.clone_from(&happened.subject);
    }
    let begin = stamp(&happened.at);
    let lasts = !matches!(kind, TriggerKind::Novelty | TriggerKind::Change | TriggerKind::Keyframe);
    let secs = happened.duration_secs.filter(|_| lasts).unwrap_or(0.0);
    let end = Stamp(begin.0 + (secs * 1e9) as i64);
    let activity = Activity { settings: &settings, sense, kind, begin, end, measures: &measures };
    let (description, context) = event_text(&activity);
    Event {
        key: happened.key.clone(),
        event_id: happened.key.clone(),
        stamp: begin,
        end,
        stream: settings.name.clone(),
        topic: settings.topic.clone(),
        trigger: kind,
        perception_type: PerceptionType::Proprioceptive,
        description,
        data: "{}".into(),
        metadata: "{}".into(),
        context: context.to_string(),
        importance: kind.importance(),
        collection: String::new(),
        signature: None,
        clip: Vec::new(),
    }
}

/// The model that `scripts/assets` fetched, loaded once.
pub fn model() -> Option<Arc<dyn Embedder>> {
    static MODEL: OnceLock<Option<Arc<OnnxEmbedder>>> = OnceLock::new();
    let load = || {
        let cache = cache_dir(|name| std::env::var_os(name));
        let required = std::env::var("ROBOT_MEMORY_REQUIRE_MODEL").is_ok_and(|value| value == "1");
        let options = match model_folder("", None, cache.as_deref()) {
            ModelChoice::Folder(model_dir) => {
                let given = std::env::var_os("ORT_DYLIB_PATH");
                let library = onnxruntime_library("", given.as_deref(), None, cache.as_deref());
                library.map(|onnxruntime| OnnxOptions {
                    model_dir,
                    onnxruntime,
                    threads: 1,
                    parallel: 1,
                })
            }
            _ => None,
        };
        let loaded = options.and_then(|options| OnnxEmbedder::load(&options).ok());
        assert!(loaded.is_some() || !required, "no model: run scripts/setup engine");
        loaded.map(Arc::new)
    };
    MODEL.get_or_init(load).clone().map(|model| model as Arc<dyn Embedder>)
}

/// A robot to which a world happened, and the keys of its memories.
fn robot_in(world: &World) -> (Robot, BTreeMap<i64, String>) {
    let robot = Robot::words_only();
    robot.clock.set(stamp(&world.now));
    if let Some(model) = model() {
        robot.engine.set_embedder(Ok(Some(model))).expect("the model is taken");
    }
    let recordings = world.events.iter().map(|happened| Recording {
        event: event(happened),
        sim_or_real: "real".into(),
        session_id: None,
        clip: None,
        known_at: None,
    });
    let answers = robot.engine.record(recordings.collect()).expect("stored");
    let keys = answers
        .into_iter()
        .zip(&world.events)
        .map(|(answer, happened)| (answer.expect("stored").memory_id, happened.key.clone()));
    let keys = keys.collect();
    (robot, keys)
}

/// Asks all questions of a set; prints what was not in the first place.
pub fn scores(questions: &str, worlds: &str) -> BTreeMap<String, (u32, u32, u32)> {
    let worlds: Vec<World> = serde_json::from_str(worlds).expect("worlds");
    let questions: Vec<Question> = questions
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a question"))
        .collect();
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for world in &worlds {
        let (robot, keys) = robot_in(world);
        for asked in questions.iter().filter(|asked| asked.world == world.world) {
            let answer = robot.call::<Recall>(RecallRequest {
                query: asked.question.clone(),
                explain: true,
                ..Default::default()
            });
            let found: Vec<&str> = answer
                .memories
                .iter()
                .map(|hit| keys.get(&hit.memory.id).map_or("?", String::as_str))
                .collect();
            let is_right = |key: &&str| asked.right.iter().any(|right| right == key);
            let place = found.iter().position(is_right);
            for name in ["all", asked.lang.as_str()] {
                let score = scores.entry(name.to_owned()).or_default();
                score.asked += 1;
                score.first += u32::from(place == Some(0));
                score.third += u32::from(place.is_some_and(|place| place < 3));
            }
            if place != Some(0) {
                let plan = answer.plan.split("; ms").next().unwrap_or_default();
                println!(
                    "{} -> {place:?} of {:?}, wants {:?}; {plan}",
                    asked.question,
                    &found[..found.len().min(4)],
                    asked.right
                );
                for hit in answer.memories.iter().take(3) {
                    println!("    {:.3} {:.3} {}", hit.why.evidence, hit.score, hit.memory.content);
                }
            }
        }
    }
    for (name, score) in &scores {
        println!("{name}: top 1 {} of {}, top 3 {}", score.first, score.asked, score.third);
    }
    scores
        .into_iter()
        .map(|(name, score)| (name, (score.asked, score.first, score.third)))
        .collect()
}

/// Fails when fewer than so many of a hundred are first, or among the first three.
fn expect(set: &str, first: u32, third: u32) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let read = |name: String| std::fs::read_to_string(folder.join(name));
    let questions = read(format!("event_questions{set}.jsonl"));
    let (Ok(questions), Ok(worlds)) = (questions, read(format!("event_worlds{set}.json"))) else {
        panic!("the fixtures event_questions{set}.jsonl and event_worlds{set}.json are there");
    };
    let scores = scores(&questions, &worlds);
    if model().is_none() {
        println!("without a model nothing is expected");
        return;
    }
    let (asked, got_first, got_third) = scores["all"];
    assert!(got_first * 100 >= first * asked, "{got_first} of {asked} are first");
    assert!(got_third * 100 >= third * asked, "{got_third} of {asked} are among the first three");
}

#[test]
fn questions_find_their_events() {
    expect("", 95, 100);
    expect("_held_out", 95, 100);
}

/// What was learned stays before events that share a word with the question.
pub fn facts_beside_events(worlds: &str) -> Vec<String> {
    let facts = [
        (
            "The spare batteries are in the drawer under the charger",
            "where are the spare batteries",
        ),
        ("The porcelain mug is gripped with 9 N at most", "how hard may I grip the porcelain mug"),
        ("Dropped parts go into the red bin", "where do dropped parts go"),
        ("Anna replaced the gripper pads on Monday", "who replaced the gripper pads on Monday"),
        ("The e-stop of cell 3 is behind the left pillar", "where is the e-stop of cell 3"),
        ("After a protective stop call Li Wei first", "whom do I call after a protective stop"),
        ("The first aid kit hangs beside the first door", "where is the first aid kit"),
        ("备用夹爪放在红色抽屉里", "备用夹爪放在哪里"),
        ("相机标定板在二号柜的上层", "相机标定板在哪里"),
        ("掉落的零件放进红色箱子", "掉落的零件放进哪里"),
        ("周三的巡检从东门开始", "周三的巡检从哪里开始"),
    ];
    let worlds: Vec<World> = serde_json::from_str(worlds).expect("worlds");
    let mut wrong = Vec::new();
    for world in &worlds {
        let (robot, _) = robot_in(world);
        let ids: Vec<i64> = facts.iter().map(|(fact, _)| robot.learn_with(fact, "")).collect();
        for ((_, question), id) in facts.iter().zip(ids) {
            let answer = robot.recall(question);
            let first = answer.memories.first();
            if first.map(|hit| hit.memory.id) != Some(id) {
                wrong.push(format!("{question} -> {:?}", first.map(|hit| &hit.memory.content)));
            }
        }
    }
    wrong
}

#[test]
fn facts_stay_before_events_of_the_same_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let worlds = std::fs::read_to_string(folder.join("event_worlds.json")).expect("worlds");
    let wrong = facts_beside_events(&worlds);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn measures_of_events_are_filtered_by_ranges() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let worlds = std::fs::read_to_string(folder.join("event_worlds.json")).expect("worlds");
    let worlds: Vec<World> = serde_json::from_str(&worlds).expect("worlds");
    for world in &worlds {
        let (robot, keys) = robot_in(world);
        for least in [5.0, 20.0, 40.0] {
            let filter = format!(
                r#"{{"event.trigger": "impact", "event.peak_force_n": {{"$gt": {least}}}}}"#
            );
            let answer = robot.call::<Recall>(RecallRequest {
                context_filter: filter,
                n: 100,
                ..Default::default()
            });
            let mut found: Vec<&str> =
                answer.memories.iter().map(|hit| keys[&hit.memory.id].as_str()).collect();
            found.sort_unstable();
            let mut expected: Vec<&str> = world
                .events
                .iter()
                .filter(|one| one.kind == "impact" && one.peak.is_some_and(|peak| peak > least))
                .map(|one| one.key.as_str())
                .collect();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}
