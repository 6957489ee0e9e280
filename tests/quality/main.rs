//! How well the right memories are found: written memories and questions, the real model, and four
//! ways to rank.
//!
//! ```text
//! cargo test --test quality -- --nocapture                  print the table, hold the floors
//! QUALITY_FLOORS=write cargo test --test quality            measure the floors anew
//! ```
//!
//! docs/ranking.md says what the sets are and what was learned from them.

mod floors;
mod material;
mod measures;
mod methods;
mod table;

use floors::Floors;
use material::Set;
use measures::Measures;
use methods::{Method, Robot};
use std::collections::BTreeMap;
use std::error::Error;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Stands for all kinds of a set, and for all sets.
const ALL: &str = "all";

/// Of which set and kind, or of [`ALL`], by which method.
type Key = (String, String, Method);

/// How each method did, on average over the questions.
type Results = BTreeMap<Key, Measures>;

#[test]
fn the_final_ranking_holds_its_floors() -> Result<()> {
    let model = methods::load_model()?;
    let mut answered = Vec::new();
    for set in material::SETS {
        let set = Set::read(set)?;
        let robot = Robot::taught(&set, &model)?;
        for method in Method::EACH {
            for question in &set.questions {
                let found = robot.ask(question, method)?;
                let measures = Measures::of(&found, &question.answers);
                answered.push((set.name.clone(), question.kind.clone(), method, measures));
            }
        }
    }
    let results = averages(&answered);
    println!("{}", table::markdown(&results));
    if std::env::var("QUALITY_FLOORS").is_ok_and(|what| what == "write") {
        return Floors::measured(&results).write();
    }
    let broken = Floors::read()?.broken(&results);
    assert!(broken.is_empty(), "the ranking got worse:\n{}", broken.join("\n"));
    Ok(())
}

/// Over each kind of each set, over each set, over each kind, and over all.
fn averages(answered: &[(String, String, Method, Measures)]) -> Results {
    let mut groups: BTreeMap<Key, Vec<Measures>> = BTreeMap::new();
    for (set, kind, method, measures) in answered {
        for set in [set, ALL] {
            for kind in [kind, ALL] {
                let key = (set.to_owned(), kind.to_owned(), *method);
                groups.entry(key).or_default().push(*measures);
            }
        }
    }
    groups.into_iter().map(|(key, group)| (key, Measures::mean(&group))).collect()
}
