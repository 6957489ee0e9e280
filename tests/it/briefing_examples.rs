//! Briefings on examples that were written by people who had not seen the rules: objects that were never met,
//! objects in other words, series of attempts, procedures. `open` ones were looked at while the rules were made;
//! `held_out` ones once, at the end; `later` ones were written after that.

use crate::robot::Robot;
use robot_memory_core::api::{
    BeginAttempt, BeginAttemptRequest, Brief, BriefRequest, BriefResponse, EndAttempt,
    EndAttemptRequest, LessonState,
};
use serde_json::Value;
use std::collections::BTreeMap;

fn examples(name: &str) -> Vec<Value> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/briefing/");
    let text = std::fs::read_to_string(format!("{folder}{name}.jsonl")).expect("the examples");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

fn attempt(robot: &Robot, (task, object): (&str, &str), tried: &Value) -> i64 {
    let json = |field: &str| tried.get(field).map(Value::to_string).unwrap_or_default();
    let attempt_id = robot
        .call::<BeginAttempt>(BeginAttemptRequest {
            task: task.into(),
            object: object.into(),
            params: json("params"),
            ..Default::default()
        })
        .attempt_id;
    robot.call::<EndAttempt>(EndAttemptRequest {
        attempt_id,
        outcome: text(tried, "outcome").into(),
        steps: json("steps"),
        ..Default::default()
    });
    attempt_id
}

fn brief(robot: &Robot, asked: &Value) -> BriefResponse {
    robot.call::<Brief>(BriefRequest {
        task: text(asked, "task").into(),
        object: text(asked, "object").into(),
        ..Default::default()
    })
}

fn robot_that_met() -> Robot {
    let robot = Robot::words_only();
    for met in examples("met") {
        for tried in list(&met, "attempts") {
            attempt(&robot, (text(&met, "task"), text(&met, "object")), tried);
        }
    }
    robot
}

/// How many of each set are right, of how many.
#[derive(Debug, Default)]
struct Score(BTreeMap<String, (u32, u32)>);

impl Score {
    fn add(&mut self, example: &Value, is_right: bool, what: impl FnOnce() -> String) {
        let of = self.0.entry(text(example, "set").to_owned()).or_default();
        of.0 += u32::from(is_right);
        of.1 += 1;
        if !is_right {
            println!("{}: {}", text(example, "set"), what());
        }
    }

    fn assert(&self, wanted: &[(&str, u32, u32)]) {
        println!("right, of: {:?}", self.0);
        for (set, right, total) in wanted {
            let found = self.0.get(*set).copied().unwrap_or_default();
            assert!(found.0 >= *right && found.1 == *total, "{set}: {found:?}");
        }
    }
}

#[test]
fn of_what_was_never_met_nothing_is_known() {
    let robot = robot_that_met();
    let mut score = Score::default();
    for asked in examples("unmet") {
        let answer = brief(&robot, &asked);
        score.add(&asked, !answer.is_known, || format!("{asked} is {:?}", answer.attempts[0]));
    }
    score.assert(&[("open", 49, 49), ("held_out", 50, 50), ("later", 50, 50)]);
}

#[test]
fn objects_are_known_in_other_words() {
    let robot = robot_that_met();
    let mut score = Score::default();
    for asked in examples("other_words") {
        let answer = brief(&robot, &asked);
        let objects = answer.attempts.first().map(|it| it.objects.clone()).unwrap_or_default();
        let nearness = answer.nearness.filter(|_| answer.is_known).map(|it| it.as_str());
        let is_near = list(&asked, "accept").iter().any(|it| it.as_str() == nearness);
        let is_of = list(&asked, "of").iter().any(|of| objects.iter().any(|it| of == it));
        score.add(&asked, is_near && is_of, || format!("{asked}: {nearness:?} {objects:?}"));
    }
    score.assert(&[("open", 43, 50), ("held_out", 42, 50), ("later", 15, 30)]);
}

#[test]
fn series_teach_what_a_careful_person_reads_in_them() {
    let (mut lessons, mut none, mut changes) =
        (Score::default(), Score::default(), Score::default());
    for series in examples("series") {
        let robot = Robot::words_only();
        let of = (text(&series, "task"), text(&series, "object"));
        let ids: Vec<i64> =
            list(&series, "attempts").iter().map(|tried| attempt(&robot, of, tried)).collect();
        let answer = brief(&robot, &series);
        let name = || format!("{} {}", series["id"], series["category"]);
        for expected in list(&series, "expect") {
            let found = answer.lessons.iter().find(|it| {
                text(expected, "path").starts_with(&it.path)
                    && it.side.as_str() == text(expected, "side")
            });
            let state = found.map_or("absent", |it| it.state.as_str());
            let between: Vec<f64> =
                list(expected, "bound_between").iter().filter_map(Value::as_f64).collect();
            let is_right = list(expected, "state").iter().any(|it| it == state)
                && (["absent", "demoted"].contains(&state)
                    || found.is_some_and(|it| (between[0]..=between[1]).contains(&it.bound)));
            lessons.add(&series, is_right, || format!("{}: {expected}: {found:?}", name()));
        }
        if series["expect_none"] == true {
            let is_tolerated = |state: LessonState| {
                state == LessonState::Demoted
                    || state == LessonState::Hypothesis && series["is_hypothesis_tolerated"] == true
            };
            let is_right = answer.lessons.iter().all(|it| is_tolerated(it.state));
            none.add(&series, is_right, || format!("{}: {:?}", name(), answer.lessons));
        }
        if series["is_change_scored"] == true {
            let change = answer.changes.first();
            let place = change.and_then(|it| ids.iter().position(|id| *id == it.attempt_id));
            let after = list(&series, "change_after");
            let is_right = match (after, place) {
                ([first, last], Some(place)) => {
                    (first.as_f64()..=last.as_f64()).contains(&Some(place as f64))
                }
                (after, place) => after.is_empty() && place.is_none(),
            };
            changes.add(&series, is_right, || format!("{}: {after:?}: {change:?}", name()));
        }
    }
    lessons.assert(&[("open", 20, 21), ("held_out", 18, 19)]);
    none.assert(&[("open", 11, 11), ("held_out", 11, 11)]);
    changes.assert(&[("open", 28, 28), ("held_out", 27, 29)]);
}

#[test]
fn the_best_procedure_is_that_of_a_careful_person() {
    let mut score = Score::default();
    for example in examples("procedures") {
        let robot = Robot::words_only();
        for tried in list(&example, "attempts") {
            attempt(&robot, (text(tried, "task"), text(tried, "object")), tried);
        }
        let answer = brief(&robot, &example["ask"]);
        let steps = answer.procedures.first().map(|it| {
            let steps: Vec<Value> = serde_json::from_str(&it.steps).expect("steps are JSON");
            Value::from_iter(steps.iter().map(|step| step["name"].clone()))
        });
        let found = steps.unwrap_or(Value::Null);
        let is_right = list(&example, "expect_any").contains(&found);
        score.add(&example, is_right, || format!("{}: {found}", example["ask"]));
    }
    score.assert(&[("open", 10, 10), ("held_out", 10, 10)]);
}
