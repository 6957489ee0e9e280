//! What CheckAction says of actions as planners write them, held against constraints as people say them.

use crate::robot::Robot;
use robot_memory_core::api::{CheckAction, CheckActionRequest, Learn, LearnRequest};
use serde_json::Value;
use std::path::Path;

/// How the cases of one expectation were answered.
#[derive(Debug, Default)]
struct Answers {
    denied: usize,
    undecided: usize,
    /// Allowed, and nothing is undecided.
    allowed: usize,
    failed: usize,
}

impl Answers {
    fn all(&self) -> usize {
        self.denied + self.undecided + self.allowed + self.failed
    }
}

struct Measured {
    deny: Answers,
    allow: Answers,
    not_silent: Answers,
    /// Cases that are to be denied, and were allowed without a word.
    silent: Vec<String>,
}

fn measured(name: &str, file: &str) -> Measured {
    let robot = Robot::new();
    let mut measured = Measured {
        deny: Answers::default(),
        allow: Answers::default(),
        not_silent: Answers::default(),
        silent: Vec::new(),
    };
    for (number, line) in file.lines().enumerate() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let text = |key: &str| case[key].as_str().expect("a text").to_owned();
        // A collection for each case, so that no constraint speaks of the action of another.
        let collection = format!("case_{number}");
        robot.call::<Learn>(LearnRequest {
            insight: text("constraint"),
            collection: collection.clone(),
            ..Default::default()
        });
        let answer = robot.engine.call::<CheckAction>(CheckActionRequest {
            params: case["params"].to_string(),
            object: text("object"),
            place: text("place"),
            collection,
            ..Default::default()
        });
        let expect = text("expect");
        let answers = match expect.as_str() {
            "deny" => &mut measured.deny,
            "allow" => &mut measured.allow,
            "not_silent" => &mut measured.not_silent,
            other => panic!("{other}"),
        };
        let said = match &answer {
            Err(_) => (&mut answers.failed, "failed"),
            Ok(answer) if !answer.allowed => (&mut answers.denied, "denied"),
            Ok(answer) if answer.undecided_count > 0 => (&mut answers.undecided, "undecided"),
            Ok(_) => (&mut answers.allowed, "allowed"),
        };
        *said.0 += 1;
        let said = said.1;
        if said == "allowed" && expect == "deny" {
            measured.silent.push(line.to_owned());
        }
        let is_as_expected = matches!(
            (expect.as_str(), said),
            ("deny", "denied") | ("allow", "allowed") | ("not_silent", "denied" | "undecided")
        );
        if !is_as_expected {
            let why = answer.map_or_else(
                |error| error.message,
                |answer| {
                    answer
                        .violations
                        .iter()
                        .chain(&answer.undecided)
                        .map(|l| l.reason.clone())
                        .collect()
                },
            );
            println!("{said:9} {line}  {why}");
        }
    }
    for (expect, answers) in
        [("deny", &measured.deny), ("allow", &measured.allow), ("not_silent", &measured.not_silent)]
    {
        println!("{name}: {expect:10} {:3} cases: {answers:?}", answers.all());
    }
    measured
}

/// Fixtures, the share of what is to be denied that is denied at least, and of what the constraint may bear
/// on that is not passed over in silence, and of what is allowed that nothing is undecided of.
const FIXTURES: [(&str, f64, f64, f64); 4] = [
    ("guard.jsonl", 0.85, 1.0, 0.75),
    ("guard_held_out.jsonl", 0.85, 1.0, 0.75),
    ("guard_later.jsonl", 0.85, 1.0, 0.75),
    ("guard_unseen.jsonl", 0.65, 0.85, 0.9),
];

#[test]
fn what_is_forbidden_is_never_allowed_without_a_word() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let all = FIXTURES.map(|fixture| {
        let file = std::fs::read_to_string(folder.join(fixture.0)).expect(fixture.0);
        (fixture, measured(fixture.0, &file))
    });
    for ((name, denied_min, found_min, clean_min), measured) in all {
        assert!(measured.silent.is_empty(), "{name}:\n{}", measured.silent.join("\n"));
        assert_eq!(measured.allow.denied, 0, "{name}");
        let share = |part: usize, answers: &Answers| part as f64 / answers.all() as f64;
        let found = 1.0 - share(measured.not_silent.allowed, &measured.not_silent);
        assert!(found >= found_min, "{name}: {found}");
        let denied = share(measured.deny.denied, &measured.deny);
        assert!(denied >= denied_min, "{name}: {denied}");
        let clean = share(measured.allow.allowed, &measured.allow);
        assert!(clean >= clean_min, "{name}: {clean}");
    }
}
