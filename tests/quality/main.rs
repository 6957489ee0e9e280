//! How well the right memories are found: written memories and questions, the real model, and four
//! ways to rank.
//!
//! ```text
//! cargo test --test quality -- --nocapture                  print the table, hold the floors
//! ROBOT_MEMORY_MODEL_DIR=FOLDER cargo test --test quality -- --nocapture   print that of another model
//! QUALITY_FLOORS=write cargo test --test quality            measure the floors anew
//! ```
//!
//! docs/measurements.md says what the sets are and what was learned from them.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod bootstrap;
mod calibration;
mod cases;
mod fields;
mod floors;
mod logistic;
mod material;
mod measures;
mod methods;
mod named;
mod table;

use fields::Fields;
use floors::Floors;
use material::Set;
use measures::Measures;
use methods::{Method, Robot};
use std::collections::BTreeMap;
use std::error::Error;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Stands for all kinds of a set, and for all sets.
const ALL: &str = "all";
/// Stands for the sealed halves of all sets.
const ALL_SEALED: &str = "all, sealed";

/// A question's set and kind, and how well each of [`Method::EACH`] answered it.
struct Answered {
    set: String,
    is_sealed: bool,
    kind: String,
    by_method: ByMethod,
}

/// In the order of [`Method::EACH`].
type ByMethod = [Measures; Method::EACH.len()];

/// The means over the questions of a set and kind, or of [`ALL`] of them, and how many they are.
type Results = BTreeMap<(String, String), (usize, ByMethod)>;

#[test]
fn the_final_ranking_holds_its_floors() -> Result<()> {
    let model = methods::load_model()?;
    let mut answered = Vec::new();
    for set in material::SETS {
        let set = Set::read(set)?;
        let robot = Robot::taught(&set)?;
        let mut found = Vec::new();
        for question in &set.questions {
            found.push(robot.recall(question, "rrf")?);
        }
        robot.take_model(&model)?;
        let fields = Fields::of(&set);
        for (question, by_words) in set.questions.iter().zip(found) {
            // In the order of Method::EACH.
            let found = [
                by_words,
                fields.best(&set, question),
                methods::most_similar(&set, &model, question)?,
                robot.recall(question, "rrf")?,
                robot.recall(question, "default")?,
            ];
            let by_method = found.map(|found| Measures::of(&found, &question.answers));
            let (set, kind) = (question.label(&set.name), question.kind.clone());
            answered.push(Answered { set, is_sealed: question.is_sealed, kind, by_method });
        }
    }
    let results = averages(&answered);
    println!("{}\n{}", table::markdown(&results), table::leads(&answered));
    if std::env::var("QUALITY_FLOORS").is_ok_and(|what| what == "write") {
        return Floors::measured(&results).write();
    }
    let mut broken = Floors::read()?.broken(&results);
    let (least, _) = bootstrap::interval(&table::lead(&answered, Method::Rrf));
    if least <= 0.0 {
        broken.push("the final ranking is not clearly better than plain fusion".into());
    }
    assert!(broken.is_empty(), "the ranking got worse:\n{}", broken.join("\n"));
    Ok(())
}

/// Over each kind of each set, over each set, over each kind, and over all; the last two of the sealed halves, too.
fn averages(answered: &[Answered]) -> Results {
    let mut groups: BTreeMap<(String, String), Vec<ByMethod>> = BTreeMap::new();
    for Answered { set, is_sealed, kind, by_method } in answered {
        for set in
            [Some(set.as_str()), Some(ALL), is_sealed.then_some(ALL_SEALED)].into_iter().flatten()
        {
            for kind in [kind, ALL] {
                groups.entry((set.to_owned(), kind.to_owned())).or_default().push(*by_method);
            }
        }
    }
    let mean = |group: &Vec<ByMethod>| {
        Method::EACH.map(|method| {
            Measures::mean(&group.iter().map(|by| by[method as usize]).collect::<Vec<_>>())
        })
    };
    groups.into_iter().map(|(key, group)| (key, (group.len(), mean(&group)))).collect()
}
