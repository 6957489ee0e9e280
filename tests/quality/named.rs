//! Questions about one object, beside a statement that tells of another one of its kind in the words of the question.

use crate::Result;
use crate::material::Set;
use crate::methods::{self, Robot};
use serde::Deserialize;
use std::path::Path;

/// Shares of the sealed half that are answered right at least: alone, and among a household.
const RIGHT_MIN: [f64; 2] = [0.62, 0.62];
/// Of the questions whose answer names another object only, what tells of something else comes before so many
/// at most, as many as without the rule.
const CONTROLS_WRONG_MAX: usize = 2;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    /// `pair`, or `control`: the answer names another object than the question.
    kind: String,
    query: String,
    answer: String,
    other: String,
    is_sealed: bool,
}

#[test]
fn what_tells_of_the_object_comes_before_what_tells_of_another() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/quality/named_objects.jsonl");
    let text = std::fs::read_to_string(path)?;
    let pairs: Vec<Pair> =
        text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?;
    let model = methods::load_model()?;
    let nothing = Set::empty("");
    let mut broken = Vec::new();
    for (set, of, least) in
        [(nothing, "alone", RIGHT_MIN[0]), (Set::read("household")?, "among others", RIGHT_MIN[1])]
    {
        let robot = Robot::taught(&set)?;
        robot.take_model(&model)?;
        for (kind, is_sealed) in
            [("pair", false), ("pair", true), ("control", false), ("control", true)]
        {
            let mut wrong = Vec::new();
            let mut count = 0;
            for pair in pairs.iter().filter(|it| it.kind == kind && it.is_sealed == is_sealed) {
                count += 1;
                let texts = [pair.answer.as_str(), pair.other.as_str()];
                let found = robot.recall_beside(&texts, &pair.query)?;
                let place =
                    |name: &str| found.iter().position(|it| it == name).unwrap_or(usize::MAX);
                if place("0") >= place("1") {
                    wrong.push(format!("{} / {}", pair.query, pair.answer));
                }
            }
            let right = 1.0 - wrong.len() as f64 / count as f64;
            let half = if is_sealed { "sealed" } else { "open" };
            println!("{kind}, {half}, {of}: {right:.3} of {count}");
            if !is_sealed {
                println!("{wrong:#?}");
            }
            if kind == "pair" && is_sealed && right < least {
                broken.push(format!("{of}: {right:.3} are right, below {least}: {wrong:#?}"));
            }
            if kind == "control" && wrong.len() > CONTROLS_WRONG_MAX {
                broken.push(format!("{of}: {wrong:#?}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    Ok(())
}
