//! What the final ranking has reached and must not lose.

use crate::measures::Measures;
use crate::methods::Method;
use crate::{ALL, Result, Results};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A mean over a whole set may fall so far below its floor: one question in a hundred, or one where there are fewer.
const TOLERANCE: f64 = 0.01;
/// A mean over one kind of question may: one in thirty.
const TOLERANCE_OF_KIND: f64 = 0.03;

/// Means of the final ranking.
#[derive(Debug, Serialize, Deserialize)]
pub struct Floors {
    /// By set, in the order of [`Measures::NAMES`].
    sets: BTreeMap<String, [f64; 5]>,
    /// By kind, over all sets: the last of [`Measures::NAMES`].
    kinds: BTreeMap<String, f64>,
}

impl Floors {
    /// Those that are committed.
    pub fn read() -> Result<Self> {
        Ok(serde_json::from_str(&std::fs::read_to_string(path())?)?)
    }

    /// What the final ranking reaches now.
    pub fn measured(results: &Results) -> Self {
        let rounded = |value: f64| (value * 1e3).round() / 1e3;
        let of_final = || results.iter().map(|(key, (_, by))| (key, by[Method::Final as usize]));
        Self {
            sets: of_final()
                .filter(|((_, kind), _)| kind == ALL)
                .map(|((set, _), measures)| (set.clone(), measures.values().map(rounded)))
                .collect(),
            kinds: of_final()
                .filter(|((set, kind), _)| set == ALL && kind != ALL)
                .map(|((_, kind), measures)| (kind.clone(), rounded(measures.ndcg_at_10)))
                .collect(),
        }
    }

    /// Commits these.
    pub fn write(&self) -> Result<()> {
        Ok(std::fs::write(path(), serde_json::to_string_pretty(self)? + "\n")?)
    }

    /// Lines that say which floor does not hold; none when all do, and when the final ranking is
    /// over all questions at least as good as plain fusion in each measure.
    pub fn broken(&self, results: &Results) -> Vec<String> {
        let measured = Self::measured(results);
        let mut broken = Vec::new();
        let mut hold = |what: &str, measure: &str, value: Option<f64>, floor: f64| match value {
            Some(value) if value >= floor - 1e-9 => {}
            Some(value) => {
                broken.push(format!("{what}: {measure} is {value:.3}, below {floor:.3}"))
            }
            None => broken.push(format!("{what}: {measure} was not measured")),
        };
        for (set, floors) in &self.sets {
            let values = measured.sets.get(set);
            let count = results.get(&(set.clone(), ALL.to_owned())).map_or(1, |(count, _)| *count);
            let tolerance = TOLERANCE.max(1.0 / count as f64);
            for (index, (floor, name)) in floors.iter().zip(Measures::NAMES).enumerate() {
                hold(set, name, values.map(|values| values[index]), floor - tolerance);
            }
        }
        for (kind, floor) in &self.kinds {
            let value = measured.kinds.get(kind).copied();
            hold(kind, Measures::NAMES[4], value, floor - TOLERANCE_OF_KIND);
        }
        if let Some((_, by)) = results.get(&(ALL.to_owned(), ALL.to_owned())) {
            let [ours, plain] =
                [Method::Final, Method::Rrf].map(|method| by[method as usize].values());
            for ((ours, plain), name) in ours.into_iter().zip(plain).zip(Measures::NAMES) {
                hold("final beside plain RRF", name, Some(ours), plain);
            }
        }
        for set in measured.sets.keys().filter(|set| !self.sets.contains_key(*set)) {
            broken.push(format!("{set}: has no floor"));
        }
        broken
    }
}

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/quality/floors.json")
}
