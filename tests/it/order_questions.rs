//! Questions about order and time, asked of an imported bag whose answers are known.
//!
//! Each has the events that answer it, or how many there are; or nothing, when it is not wholly about order and
//! time: then recall must do as it does without the reader.

use crate::cli::{program, run};
use crate::import::{day_bag, real_bag};
use crate::robot::Robot;
use robot_memory_core::api::{Recall, RecallRequest, RecallResponse};
use robot_memory_core::model::Stamp;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The evening of the day of the bag.
const EVENING: &str = "2022-10-26T18:00:00Z";

#[derive(Deserialize)]
struct Question {
    lang: String,
    question: String,
    now: Option<String>,
    answer: Answer,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Answer {
    /// When the events were that answer it: as texts, or in nanoseconds.
    ids_by_stamp: Option<Vec<serde_json::Value>>,
    count: Option<u64>,
    counts: Option<BTreeMap<String, u64>>,
    /// Nothing may be read.
    nothing: bool,
}

/// What became of some questions.
#[derive(Debug, Default, PartialEq)]
struct Score {
    right: usize,
    not_understood: usize,
    wrong_but_sure: usize,
}

fn stamp(at: &str) -> Stamp {
    serde_json::from_value(at.into()).expect("a time")
}

/// A robot that remembers what is in the bag, in the evening of that day.
fn robot(bag: &Path) -> Robot {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let store = folder.path().join("memory.db");
    run(program().arg("import").arg(bag).args(["--json", "--no-model", "--store"]).arg(store))
        .json();
    let robot = Robot::at(folder, |_| {});
    robot.clock.set(stamp(EVENING));
    robot
}

fn questions(lines: &str) -> Vec<Question> {
    lines.lines().map(|line| serde_json::from_str(line).expect("a question")).collect()
}

fn ask(robot: &Robot, question: &Question, read_phrases: bool) -> RecallResponse {
    robot.clock.set(stamp(question.now.as_deref().unwrap_or(EVENING)));
    let query = question.question.clone();
    robot.call::<Recall>(RecallRequest { query, n: 100, read_phrases, ..Default::default() })
}

fn is_right(question: &Question, response: &RecallResponse) -> bool {
    let Answer { ids_by_stamp, count, counts, nothing } = &question.answer;
    if *nothing {
        return response.understood.is_empty();
    }
    // What stands beside an event is told with the next ones behind it; of all else there may be no others.
    let has_more =
        ["before_count", "after_count"].iter().any(|it| response.understood.contains(it));
    let is_told = ids_by_stamp.as_ref().is_none_or(|expected| {
        let told = response.memories.iter().map(|hit| hit.memory.created_at.rfc_3339());
        let mut told: Vec<String> =
            told.take(if has_more { expected.len() } else { usize::MAX }).collect();
        told.sort();
        let text = |at: &serde_json::Value| match at.as_i64() {
            Some(nanos) => Stamp(nanos).rfc_3339(),
            None => at.as_str().unwrap_or_default().to_owned(),
        };
        let mut expected: Vec<String> = expected.iter().map(text).collect();
        expected.sort();
        told == expected
    });
    let told: BTreeMap<String, u64> =
        response.counts.iter().map(|one| (one.key.clone(), one.count)).collect();
    is_told
        && count.is_none_or(|count| response.total == count)
        && counts.as_ref().is_none_or(|counts| *counts == told)
}

/// Asks all questions, and prints those that were not answered rightly.
fn asked(robot: &Robot, questions: &[Question]) -> Score {
    let mut score = Score::default();
    for question in questions {
        let response = ask(robot, question, true);
        let is_sure = !response.understood.is_empty();
        if is_sure != question.answer.nothing && is_right(question, &response) {
            score.right += 1;
            continue;
        }
        let Question { lang, question: text, .. } = question;
        if is_sure {
            score.wrong_but_sure += 1;
            let (total, at) = (response.total, response.memories.first());
            let at = at.map(|hit| hit.memory.created_at.rfc_3339());
            println!("{lang} wrong but sure: {text}\n    {}, {total}, {at:?}", response.understood);
        } else {
            score.not_understood += 1;
            println!("{lang} not understood: {text}");
        }
    }
    println!("{} questions: {score:?}", questions.len());
    score
}

/// Questions of our own, and their answers, from the messages of the bag.
const OWN: &str = include_str!("../fixtures/order_questions.jsonl");

/// The bag and the questions about it; others where the environment names them (`ORDER_BAG`, `ORDER_QUESTIONS`).
fn asked_about() -> (PathBuf, Vec<Question>) {
    let named = |name: &str| std::env::var(name).ok();
    let bag = named("ORDER_BAG").map_or_else(real_bag, PathBuf::from);
    let file = named("ORDER_QUESTIONS");
    let lines = file.map(|file| std::fs::read_to_string(file).expect("the questions"));
    (bag, questions(lines.as_deref().unwrap_or(OWN)))
}

#[test]
fn questions_about_order_and_time_are_answered_exactly() {
    let (bag, questions) = asked_about();
    let robot = robot(&bag);
    let (others, of_order): (Vec<_>, Vec<_>) =
        questions.into_iter().partition(|question| question.answer.nothing);
    let score = asked(&robot, &of_order);
    let other = asked(&robot, &others);
    assert_eq!((score.wrong_but_sure, other.wrong_but_sure), (0, 0));
    assert!(score.right * 100 >= 95 * of_order.len(), "{score:?}");
}

/// Questions of five writers about a whole day, a hundred each, and their answers.
const OF_DAY: &str = include_str!("../fixtures/order_day.jsonl");

#[test]
fn questions_of_each_writer_about_a_whole_day_are_answered() {
    let robot = robot(&day_bag());
    for of_writer in questions(OF_DAY).chunks(100) {
        let score = asked(&robot, of_writer);
        assert!(score.right >= 95 && score.wrong_but_sure == 0, "{score:?}");
    }
}

#[test]
fn nothing_is_read_when_it_is_turned_off() {
    let robot = robot(&real_bag());
    for question in questions(OWN) {
        let response = ask(&robot, &question, false);
        let told = (response.understood.as_str(), response.anchor_memory_id);
        assert_eq!(told, ("", 0), "{}", question.question);
    }
}
