//! `memory bench`

use super::arguments::{BenchArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::filters;
use super::open::{load_model, open_engine};
use super::output::Output;
use super::table::Table;
use crate::config::Settings;
use robot_memory_core::api::{Order, Recall, RecallRequest};
use robot_memory_core::limits::RECALL_N_MAX;
use robot_memory_core::model::Stamp;
use robot_memory_embedding::Embedder;
use robot_memory_engine::Engine;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

/// Words of a memory that make a query, when none are given.
const QUERY_WORDS: usize = 6;
/// And how many characters of it at most: Chinese has no spaces.
const QUERY_CHARS: usize = 40;

/// What was measured.
#[derive(Serialize)]
struct Measured {
    active_count: u64,
    /// Whether the indexes were in memory, as a node has them; else searches read the disk.
    indexes_ready: bool,
    queries: usize,
    rounds: u32,
    n: u32,
    /// Recall as a whole, in milliseconds.
    recall_ms: Quantiles,
    /// Of it, making a vector of the query.
    embedding_ms: Option<Quantiles>,
    /// Recalls by what their answers were made from.
    modes: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct Quantiles {
    p50: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

/// Measures recall on the store.
pub fn run(arguments: BenchArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let BenchArguments { queries, rounds, filters } = arguments;
    let given = queries.as_deref().map(read_queries).transpose()?;
    let engine = open_engine(store)?;
    let embedder = load_model(&engine, store, &Settings::default())?;
    engine.pin_snapshot()?;
    let request = filters::request(String::new(), filters, false, false);
    let queries = match given {
        Some(queries) => queries,
        None => queries_of(&engine, &request)?,
    };
    if queries.is_empty() {
        return Err(Failure::NothingToAsk("there is nothing to ask: give --queries"));
    }
    let measured = measure(&engine, embedder.as_deref(), &queries, rounds, &request)?;
    output.answer(&measured, shown)
}

fn read_queries(path: &Path) -> Result<Vec<String>, Failure> {
    let text = if path == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|source| Failure::File { path: path.into(), source })?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.map(str::to_owned).collect())
}

/// The first words of the newest memories that the filters let pass.
fn queries_of(engine: &Engine, request: &RecallRequest) -> Result<Vec<String>, Failure> {
    let newest = engine.call::<Recall>(RecallRequest {
        n: RECALL_N_MAX,
        order: Order::Newest.to_string(),
        // A filter, which a request without a query needs, that all memories pass.
        until: Some(request.until.unwrap_or(Stamp(i64::MAX))),
        min_similarity: 0.0,
        count_by: String::new(),
        ..request.clone()
    })?;
    Ok(newest.memories.iter().map(|hit| first_words(&hit.memory.content)).collect())
}

fn first_words(content: &str) -> String {
    let words: Vec<&str> = content.split_whitespace().take(QUERY_WORDS).collect();
    words.join(" ").chars().take(QUERY_CHARS).collect()
}

fn measure(
    engine: &Engine,
    embedder: Option<&dyn Embedder>,
    queries: &[String],
    rounds: u32,
    request: &RecallRequest,
) -> Result<Measured, Failure> {
    let ask = |query: &String| {
        engine.call::<Recall>(RecallRequest { query: query.clone(), ..request.clone() })
    };
    // The first recalls find caches cold, and make the indexes that the filters need.
    for query in queries {
        ask(query)?;
    }
    let mut recall_ms = Vec::new();
    let mut embedding_ms = Vec::new();
    let mut modes = BTreeMap::new();
    for _ in 0..rounds {
        for query in queries {
            let response = ask(query)?;
            recall_ms.push(response.query_ms);
            *modes.entry(response.mode.as_str()).or_default() += 1;
            if let Some(embedder) = embedder {
                let started = Instant::now();
                if embedder.embed(query).is_ok() {
                    embedding_ms.push(started.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
    }
    let health = engine.health()?;
    Ok(Measured {
        active_count: health.active_count,
        indexes_ready: health.indexes_ready,
        queries: queries.len(),
        rounds,
        n: request.n,
        recall_ms: quantiles(recall_ms).ok_or(Failure::NothingToAsk("nothing was asked"))?,
        embedding_ms: quantiles(embedding_ms),
        modes,
    })
}

/// By nearest rank; nothing of nothing.
fn quantiles(mut values: Vec<f64>) -> Option<Quantiles> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |percent: usize| values[(values.len() * percent).div_ceil(100).saturating_sub(1)];
    Some(Quantiles { p50: at(50), p95: at(95), p99: at(99), max: values[last] })
}

fn shown(measured: &Measured) -> String {
    let Measured { active_count, queries, rounds, n, modes, .. } = measured;
    let mut table = Table::new(["ms", "#p50", "#p95", "#p99", "#max"]);
    let mut row = |name: &str, quantiles: &Quantiles| {
        let Quantiles { p50, p95, p99, max } = quantiles;
        let [p50, p95, p99, max] = [p50, p95, p99, max].map(|ms| format!("{ms:.2}"));
        table.row([name.to_owned(), p50, p95, p99, max]);
    };
    row("recall", &measured.recall_ms);
    if let Some(embedding_ms) = &measured.embedding_ms {
        row("of it embedding", embedding_ms);
    }
    let modes: Vec<String> = modes.iter().map(|(mode, count)| format!("{count} {mode}")).collect();
    let indexes = if measured.indexes_ready { "in memory" } else { "on disk" };
    format!(
        "{active_count} active memories, indexes {indexes}; {queries} queries, {rounds} rounds, \
         n {n}: {}\n\n{}",
        modes.join(", "),
        table.render(0)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let of = |values: Vec<f64>| quantiles(values).map(|q| [q.p50, q.p95, q.p99, q.max]);
        assert_eq!(of(vec![]), None);
        assert_eq!(of(vec![3.0]), Some([3.0; 4]));
        assert_eq!(of((1..=100).rev().map(f64::from).collect()), Some([50.0, 95.0, 99.0, 100.0]));
        assert_eq!(of(vec![2.0, 1.0]), Some([1.0, 2.0, 2.0, 2.0]));
    }

    #[test]
    fn a_query_is_short() {
        assert_eq!(
            first_words("one two  three four five six seven"),
            "one two three four five six"
        );
        assert_eq!(first_words(&"杯".repeat(100)).chars().count(), QUERY_CHARS);
    }
}
