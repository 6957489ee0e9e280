//! Fills a site with claims of 1 000 robots that tell fifty a day, and measures it: rows a second, bytes of a claim, and how
//! long recalls take.
//!
//! `cargo run --release -p robot_memory_site --example fill -- URL CLAIMS [--index] [--repeats=40]`, with a database of its
//! own; one that was filled in part is filled on. Without `--index` the vectors have no index. The last line is the table as
//! JSON.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a program of developers"
)]

use postgres::{Client, NoTls};
use robot_memory_core::api::RecallRequest;
use robot_memory_core::claim::{
    Body, CLAIM_VERSION, Claim, ClaimOp, ClaimVector, MemoryRef, Statement,
};
use robot_memory_core::model::{Kind, MemType, Stamp, Trust};
use robot_memory_site::{Scopes, SitePosition, SiteStore};
use serde_json::json;
use std::time::{Duration, Instant};

const ROBOTS: u64 = 1_000;
const PER_DAY: u64 = 50;
const DIMENSION: usize = 384;
const MODEL: &str = "synthetic-384";
const BATCH: u64 = 2_000;
/// 2026-09-01T00:00:00Z: when the first claim is of.
const BEGIN: i64 = 1_788_220_800;
/// How often each recall is measured, by each caller, when `--repeats` does not say it.
const REPEATS: usize = 40;

/// Chances that repeat.
struct Chances(u64);

impl Chances {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Small numbers are likelier: as words of a language are.
    fn rank(&mut self, bound: u64) -> u64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        ((bound as f64).powf(unit) as u64).min(bound - 1)
    }
}

/// A word of a language of 20 000, the first of them the commonest.
fn word(rank: u64) -> String {
    const KNOWN: [&str; 16] = [
        "the", "gripper", "object", "slipped", "from", "force", "newton", "shelf", "glass",
        "grasp", "robot", "motion", "failed", "battery", "door", "hall",
    ];
    if let Some(known) = KNOWN.get(rank as usize) {
        return (*known).to_owned();
    }
    let syllables = ["ka", "lo", "mi", "ren", "tu", "vok", "bor", "del", "fin", "gol"];
    let mut text = String::new();
    let mut rest = rank;
    while rest > 0 {
        text.push_str(syllables[(rest % 10) as usize]);
        rest /= 10;
    }
    text
}

/// One of 200 themes, near which vectors are; random ones have no neighbours.
fn direction(chances: &mut Chances) -> Vec<f32> {
    let mut theme = Chances(chances.below(200) * 7_919 + 1);
    let component = |chances: &mut Chances| (chances.below(2_001) as f32 - 1_000.0) / 1_000.0;
    (0..DIMENSION).map(|_| component(&mut theme) + 0.5 * component(chances)).collect()
}

fn claim(number: u64) -> Claim {
    let mut chances = Chances(number);
    let origin = format!("robot-{:04}", number % ROBOTS);
    let memory_id = (number / ROBOTS + 1) as i64;
    let words: Vec<String> =
        (0..8 + chances.below(16)).map(|_| word(chances.rank(20_000))).collect();
    let mut content = words.join(" ");
    content.truncate(290);
    content.push_str(&format!(" {}", chances.below(1_000)));
    let per_sec = (ROBOTS * PER_DAY) as f64 / 86_400.0;
    let created_at = Stamp(BEGIN * 1_000_000_000 + (number as f64 / per_sec * 1e9) as i64);
    let kind = if chances.below(10) < 7 { Kind::Fact } else { Kind::Perception };
    let context = json!({
        "task": {"name": format!("task-{}", chances.rank(2_000)), "success": chances.below(4) > 0},
        "params": {"force": chances.below(400) as f64 / 10.0},
        "spatial": {"map_id": format!("hall-{}", number % ROBOTS % 20), "position": [chances.below(500) as f64 / 10.0, 2.5, 0.0]},
    });
    let own = MemoryRef { origin: origin.clone(), memory_id };
    Claim {
        version: CLAIM_VERSION.to_owned(),
        origin,
        memory_id,
        revision: 1,
        op: ClaimOp::Assert,
        stamp: created_at,
        body: Body { robot_type: "ur5e".into(), gripper: "rg2".into() },
        statement: Some(Statement {
            scope: if chances.below(5) > 0 {
                "global".into()
            } else {
                format!("group:cell-{}", number % 20)
            },
            collection: "default".into(),
            kind,
            mem_type: if kind == Kind::Fact { MemType::Fact } else { MemType::TaskLog },
            category: None,
            trust: Trust::High,
            confidence: 0.9,
            created_at,
            session_id: format!("{:08x}-0000-4000-8000-{:012x}", number / 20, number % ROBOTS),
            stream: if kind == Kind::Fact { String::new() } else { "wrist_wrench".into() },
            content,
            context: context.to_string(),
            map_id: format!("hall-{}", number % ROBOTS % 20),
            frame: "map".into(),
            roots: vec![own],
            derived_from: Vec::new(),
            vector: Some(ClaimVector::of(MODEL, &direction(&mut chances))),
        }),
        target: None,
        selector: None,
        removed: None,
    }
}

fn fill(store: &SiteStore, total: u64) -> f64 {
    let begun = Instant::now();
    let from = store.position().unwrap().map_or(0, |it| it.sequence);
    let (sender, receiver) = std::sync::mpsc::sync_channel(2);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut begin = from;
            while begin < total {
                let end = (begin + BATCH).min(total);
                let claims: Vec<Claim> = (begin..end).map(claim).collect();
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
        "words" | "common words" => (query, None),
        "filter: a task" => (RecallRequest { context_filter: task.to_string(), ..base }, None),
        "filter: a day" => (RecallRequest { since: Some(day), until: next_day, ..base }, None),
        "filter: a force, all days" => (
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
        let found = store.recall(&request, vector, &readable);
        (begun.elapsed(), found)
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
                    Ok(found) => approximate += usize::from(found.approximate),
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

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, claims, options @ ..] = arguments.as_slice() else {
        eprintln!("fill URL CLAIMS [--index] [--repeats=40]");
        return;
    };
    let total: u64 = claims.parse().expect("a number of claims");
    let store = SiteStore::open(url, "measured").expect("a database");
    let rate = fill(&store, total);
    println!("{total} claims, {rate:.0} a second\n");
    let mut client = Client::connect(url, NoTls).expect("a connection");
    let begun = Instant::now();
    client.batch_execute("VACUUM ANALYZE").expect("a vacuum");
    let vacuum_secs = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let indexes = if options.iter().any(|it| it == "--index") {
        store.index_vectors().expect("indexes")
    } else {
        0
    };
    let index_secs = begun.elapsed().as_secs_f64();
    println!("vacuum {vacuum_secs:.0} s, {indexes} indexes of vectors in {index_secs:.0} s\n");
    let sizes = sizes(&mut client, total);
    let given = options.iter().find_map(|it| it.strip_prefix("--repeats="));
    let repeats = given.map_or(REPEATS, |it| it.parse().expect("a number of repeats"));
    let mut recalls = Vec::new();
    println!(
        "| recall | callers | p50 ms | p95 ms | approximate | failed |\n|---|---:|---:|---:|---:|---:|"
    );
    for name in [
        "words",
        "common words",
        "filter: a task",
        "filter: a day",
        "filter: a force, all days",
        "vector",
        "vector, a day",
        "words and vector",
        "words, vector and filter",
    ] {
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
        json!({"claims": total, "rows_per_sec": rate, "index_secs": index_secs, "bytes_per_claim": sizes, "recalls": recalls})
    );
}
