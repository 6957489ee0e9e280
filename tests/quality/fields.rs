//! BM25 over two fields by brute force, beside the engine: a row's own words, and those of the rows beside it in its
//! session (Robertson, Zaragoza and Taylor 2004, "Simple BM25 Extension to Multiple Weighted Fields").

use crate::material::{Question, Set};
use robot_memory_text::inference::tokens;
use std::collections::{BTreeMap, BTreeSet, HashMap};

const K1: f64 = 1.2;
const B: f64 = 0.75;
/// Of a row's own words, of those of the next row, and of the next but one.
const WEIGHTS: [f64; 3] = [3.0, 1.0, 0.5];
/// How many memories a question asks for.
const N: usize = 10;

/// The rows of a set with their weighted words.
pub struct Fields {
    rows: Vec<HashMap<String, f64>>,
    /// In how many rows a word is.
    rarity: HashMap<String, usize>,
    mean_length: f64,
}

impl Fields {
    /// Of all rows of a set.
    pub fn of(set: &Set) -> Self {
        let own: Vec<Vec<String>> =
            set.memories.iter().map(|memory| tokens(&memory.text)).collect();
        let mut rarity: HashMap<String, usize> = HashMap::new();
        for words in &own {
            for word in words.iter().collect::<BTreeSet<_>>() {
                *rarity.entry(word.clone()).or_default() += 1;
            }
        }
        let mut sessions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, memory) in set.memories.iter().enumerate() {
            sessions.entry(&memory.session).or_default().push(row);
        }
        let mut rows = vec![HashMap::new(); own.len()];
        for places in sessions.values() {
            for (at, row) in places.iter().enumerate() {
                for (other, from) in places.iter().enumerate() {
                    let Some(weight) = WEIGHTS.get(at.abs_diff(other)) else { continue };
                    for word in &own[*from] {
                        *rows[*row].entry(word.clone()).or_default() += weight;
                    }
                }
            }
        }
        let length: f64 = rows.iter().flat_map(HashMap::values).sum();
        Self { mean_length: length / rows.len().max(1) as f64, rows, rarity }
    }

    /// The names of the best rows for a question, at most ten.
    pub fn best(&self, set: &Set, question: &Question) -> Vec<String> {
        let words: BTreeSet<String> = tokens(&question.text).into_iter().collect();
        let mut scored: Vec<(f64, usize)> = Vec::new();
        for (row, memory) in set.memories.iter().enumerate() {
            let score: f64 = words.iter().map(|word| self.score(row, word)).sum();
            if score > 0.0 && question.admits(memory.minute) {
                scored.push((score, row));
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().take(N).map(|(_, row)| set.memories[row].name.clone()).collect()
    }

    fn score(&self, row: usize, word: &str) -> f64 {
        let Some(frequency) = self.rows[row].get(word) else { return 0.0 };
        let with = self.rarity.get(word).copied().unwrap_or_default() as f64;
        let rarity = (1.0 + (self.rows.len() as f64 - with + 0.5) / (with + 0.5)).ln();
        let length: f64 = self.rows[row].values().sum();
        let norm = K1 * (1.0 - B + B * length / self.mean_length);
        rarity * frequency * (K1 + 1.0) / (frequency + norm)
    }
}
