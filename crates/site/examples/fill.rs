//! Fills a site with claims of 1 000 robots that tell fifty a day, and measures it: rows a second, bytes of a claim, and how
//! long recalls take.
//!
//! `cargo run --release -p robot_memory_site --example fill -- URL CLAIMS [--index] [--no-vectors] [--repeats=40]
//! [--only=RECALL]`, with a database of its own; one that was filled in part is filled on. Without `--index` the vectors have
//! no index. With `--only` nothing but the recalls whose name begins so is measured. The last line is the table as JSON.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a program of developers"
)]

mod synthetic;

use postgres::{Client, NoTls};
use robot_memory_core::api::RecallRequest;
use robot_memory_core::claim::Claim;
use robot_memory_core::model::Stamp;
use robot_memory_site::{Scopes, SitePosition, SiteStore};
use serde_json::json;
use std::time::{Duration, Instant};
use synthetic::{BEGIN, Chances, MODEL, PER_DAY, ROBOTS, direction, word};

const BATCH: u64 = 10_000;
/// How often each recall is measured, by each caller, when `--repeats` does not say it.
const REPEATS: usize = 40;

fn fill(store: &SiteStore, total: u64, has_vectors: bool) -> f64 {
    let begun = Instant::now();
    let from = store.position().unwrap().map_or(0, |it| it.sequence);
    let (sender, receiver) = std::sync::mpsc::sync_channel(2);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut begin = from;
            while begin < total {
                let end = (begin + BATCH).min(total);
                let claims: Vec<Claim> =
                    (begin..end).map(|number| synthetic::claim(number, has_vectors)).collect();
                sender.send((claims, end)).unwrap();
                begin = end;
            }
        });
        for (claims, end) in receiver {
            let position = SitePosition { stream_id: "synthetic".to_owned(), sequence: end };
            let taken = store.take(&claims, &position).unwrap();
            assert!(taken.refused.is_empty(), "{:?}", taken.refused);
            if end % 100_000 == 0 {
                let rate = (end - from) as f64 / begun.elapsed().as_secs_f64();
                eprintln!("{end} claims, {rate:.0} a second");
            }
        }
    });
    (total - from) as f64 / begun.elapsed().as_secs_f64()
}

/// Bytes of each table with its parts, and of its indexes.
fn sizes(client: &mut Client, claims: u64) -> serde_json::Value {
    let sql = "SELECT coalesce(substring(c.relname from '^(statement|vector)_s[0-9]+'), c.relname) AS name, \
         sum(pg_table_size(c.oid))::bigint, sum(pg_indexes_size(c.oid))::bigint FROM pg_class c \
         WHERE c.relnamespace = 'robot_memory'::regnamespace AND c.relkind = 'r' GROUP BY 1 ORDER BY 2 DESC";
    let mut all = serde_json::Map::new();
    let (mut tables, mut indexes) = (0, 0);
    println!("| table | bytes of a claim | of its indexes |\n|---|---:|---:|");
    for row in client.query(sql, &[]).unwrap() {
        let (name, table, index): (String, i64, i64) = (row.get(0), row.get(1), row.get(2));
        tables += table;
        indexes += index;
        if table + index > claims as i64 {
            let of = |bytes: i64| bytes as f64 / claims as f64;
            println!("| {name} | {:.0} | {:.0} |", of(table), of(index));
            all.insert(name, json!({"table": of(table), "indexes": of(index)}));
        }
    }
    all.insert(
        "all".to_owned(),
        json!({"table": tables as f64 / claims as f64, "indexes": indexes as f64 / claims as f64}),
    );
    let gib = (tables + indexes) as f64 / (1_u64 << 30) as f64;
    println!(
        "| all: {gib:.2} GiB | {:.0} | {:.0} |\n",
        tables as f64 / claims as f64,
        indexes as f64 / claims as f64
    );
    all.into()
}

/// A request and the vector of its query, by the number of the repetition.
type Asked = (RecallRequest, Option<Vec<f32>>);

fn asked(name: &str, number: usize, total: u64) -> Asked {
    let mut chances = Chances(number as u64 * 104_729 + 5);
    let base = RecallRequest { n: 10, ..RecallRequest::default() };
    let days = (total / (ROBOTS * PER_DAY)).max(1);
    let day = Stamp::from_secs(BEGIN + 86_400 * chances.below(days) as i64);
    let rare = format!(
        "glass {} {}",
        word(2_000 + chances.below(18_000)),
        word(500 + chances.below(1_000))
    );
    let words = match name {
        name if name.starts_with("common words") => "the gripper failed".to_owned(),
        _ => rare,
    };
    let query = RecallRequest { query: words, ..base.clone() };
    let next_day = Some(Stamp(day.0 + 86_400_000_000_000));
    let task = json!({"task.name": format!("task-{}", 100 + chances.below(1_900)), "params.force": {"$gt": 10}});
    match name {
        "rare words beside a common one" | "common words" => (query, None),
        "filter: a task" => (RecallRequest { context_filter: task.to_string(), ..base }, None),
        "filter: a day" => (RecallRequest { since: Some(day), until: next_day, ..base }, None),
        name if name.starts_with("filter: a force, all days") => (
            RecallRequest {
                context_filter: json!({"params.force": {"$gt": 39.5}}).to_string(),
                ..base
            },
            None,
        ),
        "vector" => (base, Some(direction(&mut chances))),
        "vector, a day" => (
            RecallRequest { since: Some(day), until: next_day, ..base },
            Some(direction(&mut chances)),
        ),
        "words and vector" => (query, Some(direction(&mut chances))),
        _ => (
            RecallRequest { context_filter: task.to_string(), ..query },
            Some(direction(&mut chances)),
        ),
    }
}

/// Milliseconds that half and 95 of 100 recalls take at most, and how many were approximate.
fn measure(
    store: &SiteStore,
    name: &str,
    callers: usize,
    repeats: usize,
    total: u64,
) -> (f64, f64, usize, usize) {
    let readable = Scopes::Only(vec!["global".to_owned(), "group:cell-3".to_owned()]);
    let ask = |number: usize| {
        let (request, vector) = asked(name, number, total);
        let vector = vector.as_deref().map(|it| (MODEL, it));
        let begun = Instant::now();
        let approximate = if name.ends_with("for a robot") {
            store.answer_robot(&request, vector, &readable).map(|it| it.approximate)
        } else {
            store.recall(&request, vector, &readable).map(|it| it.approximate)
        };
        (begun.elapsed(), approximate)
    };
    let _ = ask(999_999);
    let mut all: Vec<Duration> = Vec::new();
    let (mut approximate, mut failed) = (0, 0);
    std::thread::scope(|scope| {
        let ask = &ask;
        let run = |caller: usize| {
            move || (0..repeats).map(|at| ask(caller * 1_000 + at)).collect::<Vec<_>>()
        };
        let callers: Vec<_> = (0..callers).map(|caller| scope.spawn(run(caller))).collect();
        for caller in callers {
            for (took, found) in caller.join().unwrap() {
                all.push(took);
                match found {
                    Ok(is_approximate) => approximate += usize::from(is_approximate),
                    Err(_) => failed += 1,
                }
            }
        }
    });
    all.sort();
    let at = |share: f64| {
        all[((all.len() as f64 * share) as usize).min(all.len() - 1)].as_secs_f64() * 1e3
    };
    (at(0.5), at(0.95), approximate, failed)
}

/// Makes the indexes of vectors that are asked for, and tells what all of it takes.
fn kept(
    store: &SiteStore,
    client: &mut Client,
    claims: u64,
    is_indexed: bool,
) -> serde_json::Value {
    let begun = Instant::now();
    client.batch_execute("VACUUM ANALYZE").expect("a vacuum");
    let vacuum_secs = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let indexes = if is_indexed { store.index_vectors().expect("indexes") } else { 0 };
    let index_secs = begun.elapsed().as_secs_f64();
    println!("vacuum {vacuum_secs:.0} s, {indexes} indexes of vectors in {index_secs:.0} s\n");
    json!({"index_secs": index_secs, "bytes_per_claim": sizes(client, claims)})
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, claims, options @ ..] = arguments.as_slice() else {
        eprintln!("fill URL CLAIMS [--index] [--no-vectors] [--repeats=40] [--only=RECALL]");
        return;
    };
    let total: u64 = claims.parse().expect("a number of claims");
    let store = SiteStore::open(url, "measured").expect("a database");
    let has_vectors = !options.iter().any(|it| it == "--no-vectors");
    let rate = fill(&store, total, has_vectors);
    println!("{total} claims, {rate:.0} a second\n");
    let mut client = Client::connect(url, NoTls).expect("a connection");
    let only = options.iter().find_map(|it| it.strip_prefix("--only="));
    let of_table = match only {
        Some(_) => serde_json::Value::Null,
        None => kept(&store, &mut client, total, options.iter().any(|it| it == "--index")),
    };
    let given = options.iter().find_map(|it| it.strip_prefix("--repeats="));
    let repeats = given.map_or(REPEATS, |it| it.parse().expect("a number of repeats"));
    let mut recalls = Vec::new();
    println!(
        "| recall | callers | p50 ms | p95 ms | approximate | failed |\n|---|---:|---:|---:|---:|---:|"
    );
    for name in [
        "rare words beside a common one",
        "common words",
        "filter: a task",
        "filter: a day",
        "filter: a force, all days",
        "filter: a force, all days, for a robot",
        "vector",
        "vector, a day",
        "words and vector",
        "words, vector and filter",
    ] {
        let needs_vectors = name.contains("vector");
        if !name.starts_with(only.unwrap_or_default()) || (needs_vectors && !has_vectors) {
            continue;
        }
        for callers in [1, 4] {
            let (p50, p95, approximate, failed) = measure(&store, name, callers, repeats, total);
            let asked = repeats * callers;
            println!(
                "| {name} | {callers} | {p50:.1} | {p95:.1} | {approximate} of {asked} | {failed} |"
            );
            recalls.push(json!({"recall": name, "callers": callers, "p50_ms": p50, "p95_ms": p95, "approximate": approximate, "failed": failed}));
        }
    }
    println!(
        "\n{}",
        json!({"claims": total, "rows_per_sec": rate, "kept": of_table, "recalls": recalls})
    );
}
