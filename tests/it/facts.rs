//! Whether the same fact in other words is known again, and another fact in the same frame never lost for it,
//! held against labels.
//!
//! A line of a fixture is two statements: `first`, `second`, `langs` and their `relation`: `same`,
//! `different`, or `changed` (the second says something else of the same). They are learned one after the
//! other, by words alone, and with an embedder for which all texts are alike: as a model's vectors are whose
//! tokenizer does not know what differs.

use crate::robot::Robot;
use robot_memory_core::api::{LearnResponse, LearnStatus};
use robot_memory_embedding::{EmbedError, Embedder};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

#[derive(Deserialize)]
struct Facts {
    first: String,
    second: String,
    langs: String,
    relation: String,
}

/// Gives every text the same direction.
struct Alike;

impl Embedder for Alike {
    fn model_id(&self) -> &str {
        "alike"
    }

    fn dimension(&self) -> usize {
        3
    }

    fn embed(&self, _: &str) -> Result<Vec<f32>, EmbedError> {
        Ok(vec![1.0, 0.0, 0.0])
    }
}

fn robot(has_vectors: bool) -> Robot {
    let robot = Robot::words_only();
    if has_vectors {
        robot.engine.set_embedder(Ok(Some(Arc::new(Alike)))).expect("the embedder is taken");
    }
    robot
}

fn learned_after(first: &str, second: &str, has_vectors: bool) -> (i64, LearnResponse) {
    let robot = robot(has_vectors);
    let id = robot.learn(first).memory_id;
    (id, robot.learn(second))
}

/// Pairs of one relation, those taken for duplicates, and those of which the second replaced the first.
#[derive(Default, Clone, Copy)]
struct Count {
    pairs: usize,
    duplicates: usize,
    superseded: usize,
}

type Counts = BTreeMap<String, Count>;

/// The figures of a fixture by relation, printed by language too; `None` when it is not there.
fn measured(name: &str, has_vectors: bool) -> Option<Counts> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let file = std::fs::read_to_string(path).ok()?;
    let mut by_relation = Counts::new();
    let mut by_language: BTreeMap<(String, String), Count> = BTreeMap::new();
    for line in file.lines().filter(|line| !line.trim().is_empty()) {
        let pair: Facts = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let (_, second) = learned_after(&pair.first, &pair.second, has_vectors);
        let is_duplicate = second.status == LearnStatus::Duplicate;
        if is_duplicate != (pair.relation == "same") {
            let what = if is_duplicate { "LOST" } else { "missed" };
            if is_duplicate || pair.relation == "same" {
                println!("{what} ({}): {} / {}", pair.relation, pair.first, pair.second);
            }
        }
        for count in [
            by_relation.entry(pair.relation.clone()).or_default(),
            by_language.entry((pair.langs, pair.relation)).or_default(),
        ] {
            count.pairs += 1;
            count.duplicates += usize::from(is_duplicate);
            count.superseded += usize::from(!second.superseded_ids.is_empty());
        }
    }
    println!("{name}, vectors {has_vectors}");
    for ((langs, relation), count) in &by_language {
        let Count { pairs, duplicates, superseded } = count;
        println!(
            "{langs:6} {relation:10} {pairs:3} pairs, {duplicates:3} duplicates, {superseded:3} superseded"
        );
    }
    Some(by_relation)
}

fn assert_nothing_is_lost(counts: &Counts) {
    for relation in ["different", "changed"] {
        assert_eq!(counts[relation].duplicates, 0, "{relation} facts taken for duplicates");
    }
    assert_eq!(counts["different"].superseded, 0, "other facts superseded");
}

fn recall(counts: &Counts) -> f64 {
    let same = counts["same"];
    same.duplicates as f64 / same.pairs as f64
}

#[test]
fn another_fact_is_not_lost_for_the_same_one() {
    for has_vectors in [false, true] {
        let counts = measured("facts.jsonl", has_vectors).expect("the fixture is there");
        assert_nothing_is_lost(&counts);
        // Words alone find what shares half of them.
        assert!(!has_vectors || recall(&counts) >= 0.85, "{}", recall(&counts));
    }
}

#[test]
fn facts_that_were_held_back_are_not_lost_either() {
    for has_vectors in [false, true] {
        let Some(counts) = measured("facts_held_out.jsonl", has_vectors) else { return };
        assert_nothing_is_lost(&counts);
        assert!(!has_vectors || recall(&counts) >= 0.45, "{}", recall(&counts));
    }
}

/// Things whose characters tokenizers know seldom, and things of one shelf.
const THINGS: &[&str] = &[
    "钳子",
    "锤子",
    "扳手",
    "钉子",
    "铆钉",
    "笼屉",
    "镊子",
    "锯子",
    "锉刀",
    "铣刀",
    "缆绳",
    "拧",
    "勺子",
    "筷子",
    "剪刀",
    "小刀",
    "橙子",
    "橘子",
    "螺丝",
    "螺母",
    "钹",
    "铙",
    "镲",
    "锣",
    "磬",
    "埙",
    "钵",
    "盏",
    "盂",
    "碾子",
    "臼",
    "簸箕",
    "烧杯",
    "烧瓶",
    "红杯子",
    "蓝杯子",
];

#[test]
fn things_are_never_exchanged_for_each_other() {
    for frame in ["X在二号抽屉", "X挂在门的左边", "不要碰X", "X用完要消毒"] {
        for has_vectors in [false, true] {
            let robot = robot(has_vectors);
            for thing in THINGS {
                let text = frame.replace('X', thing);
                let answer = robot.learn(&text);
                assert_eq!(answer.status, LearnStatus::Created, "{text}: {answer:?}");
            }
            for thing in THINGS {
                let text = format!("{}。", frame.replace('X', thing));
                assert_eq!(robot.learn(&text).status, LearnStatus::Duplicate, "{text}");
            }
        }
    }
}

#[test]
fn what_is_much_alike_is_linked() {
    for has_vectors in [false, true] {
        let (id, answer) = learned_after(
            "The hammer hangs left of the green door",
            "The wrench hangs left of the green door",
            has_vectors,
        );
        assert_eq!((answer.status, &answer.similar_to[..]), (LearnStatus::Created, &[id][..]));
        let (_, answer) =
            learned_after("The hammer hangs here", "A hammer hangs here", has_vectors);
        assert_eq!((answer.status, &answer.similar_to[..]), (LearnStatus::Duplicate, &[][..]));
    }
}
