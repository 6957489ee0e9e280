//! Checks a site that `fill` has filled against the claims themselves, which are made again: filters against brute force,
//! words against all statements scored, and that no caller gets what is of a scope that it may not read.
//!
//! `cargo run --release -p robot_memory_site --example check -- URL CLAIMS [--seed=1] [--only=words]`. It ends with an error if anything
//! differs.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a program of developers"
)]

mod synthetic;

use robot_memory_core::api::{ApiError, ErrorKind, Hit, RecallRequest};
use robot_memory_core::model::{Filter, Stamp};
use robot_memory_site::{Scopes, SiteStore};
use serde_json::{Value, json};
use synthetic::{BEGIN, Chances, MODEL, PER_DAY, ROBOTS, claim, direction, told_at, word};

const FILTERS: usize = 100;
const QUERIES: usize = 60;
const CALLERS: usize = 160;
/// The most that a recall gives.
const N: u32 = 100;

struct Asked {
    request: RecallRequest,
    filter: Option<Filter>,
    readable: Scopes,
}

fn readable(chances: &mut Chances) -> Scopes {
    if chances.below(8) == 0 {
        return Scopes::All;
    }
    let cells = (0..20).map(|cell| format!("group:cell-{cell}"));
    let all = std::iter::once("global".to_owned()).chain(cells);
    let share = 1 + chances.below(6);
    Scopes::Only(all.filter(|_| chances.below(6) < share).collect())
}

fn is_readable(readable: &Scopes, scope: &str) -> bool {
    match readable {
        Scopes::All => true,
        Scopes::Only(scopes) => scopes.iter().any(|it| it == scope),
    }
}

fn filtered(chances: &mut Chances, total: u64) -> RecallRequest {
    let mut conditions = serde_json::Map::new();
    let operator =
        |chances: &mut Chances| ["$lt", "$lte", "$gt", "$gte", "$ne"][chances.below(5) as usize];
    while conditions.is_empty() {
        if chances.below(3) == 0 {
            let force = chances.below(400) as f64 / 10.0;
            let condition = if chances.below(4) == 0 {
                json!(force)
            } else {
                json!({operator(chances): force})
            };
            conditions.insert("params.force".to_owned(), condition);
        }
        if chances.below(3) == 0 {
            conditions
                .insert("task.name".to_owned(), json!(format!("task-{}", chances.rank(2_100))));
        }
        if chances.below(4) == 0 {
            conditions.insert("task.success".to_owned(), json!(chances.below(2) == 0));
        }
        if chances.below(4) == 0 {
            let at = chances.below(500) as f64 / 10.0;
            conditions.insert("spatial.position.0".to_owned(), json!({operator(chances): at}));
        }
        if chances.below(6) == 0 {
            conditions
                .insert("spatial.map_id".to_owned(), json!(format!("hall-{}", chances.below(21))));
        }
    }
    let mut request = RecallRequest {
        context_filter: Value::Object(conditions).to_string(),
        n: N,
        order: ["", "newest", "oldest"][chances.below(3) as usize].to_owned(),
        ..RecallRequest::default()
    };
    if chances.below(4) == 0 {
        request.types = vec![["fact", "perception"][chances.below(2) as usize].to_owned()];
    }
    if chances.below(2) == 0 {
        let secs = total / (ROBOTS * PER_DAY) * 86_400;
        let since = BEGIN + chances.below(secs.max(1)) as i64;
        request.since = Some(Stamp::from_secs(since));
        if chances.below(2) == 0 {
            request.until = Some(Stamp::from_secs(since + 1 + chances.below(10 * 86_400) as i64));
        }
    }
    request
}

/// Rows that pass a filter, and the first of them in its order.
#[derive(Default, Clone)]
struct Passing {
    count: u64,
    numbers: Vec<u64>,
}

/// What brute force finds in some of the claims.
fn scanned(asked: &[Asked], numbers: impl Iterator<Item = u64>) -> Vec<Passing> {
    let mut all = vec![Passing::default(); asked.len()];
    for number in numbers {
        let said = claim(number, false).statement.unwrap();
        let context: Value = serde_json::from_str(&said.context).unwrap();
        let at = said.created_at;
        for (asked, passing) in asked.iter().zip(&mut all) {
            let Asked { request, filter, readable } = asked;
            if request.since.is_none_or(|it| it <= at)
                && request.until.is_none_or(|it| at < it)
                && is_readable(readable, &said.scope)
                && (request.types.is_empty() || request.types[0] == said.kind.as_str())
                && filter.as_ref().is_none_or(|it| it.matches(&context))
            {
                passing.count += 1;
                passing.numbers.push(number);
                if request.order != "oldest" && passing.numbers.len() >= 4_096 {
                    passing.numbers.drain(..4_096 - N as usize);
                }
                if request.order == "oldest" {
                    passing.numbers.truncate(N as usize);
                }
            }
        }
    }
    all
}

/// The number of the claim that a hit is of; the claim is as it was told.
fn number_of(hit: &Hit) -> u64 {
    let per_nano = (ROBOTS * PER_DAY) as f64 / 86_400.0 / 1e9;
    let near = ((hit.memory.created_at.0 - BEGIN * 1_000_000_000) as f64 * per_nano).round() as u64;
    let number =
        (near.saturating_sub(1)..=near + 1).find(|it| told_at(*it) == hit.memory.created_at);
    let number = number.expect("a claim of the time");
    let claim = claim(number, false);
    assert_eq!(claim.statement.unwrap().content, hit.memory.content);
    assert_eq!(hit.why.told_by, [claim.origin]);
    number
}

fn check_filters(store: &SiteStore, total: u64, chances: &mut Chances) -> usize {
    let asked: Vec<Asked> = (0..FILTERS)
        .map(|_| {
            let request = filtered(chances, total);
            let filter = Some(Filter::parse(&request.context_filter).unwrap());
            Asked { request, filter, readable: readable(chances) }
        })
        .collect();
    // In order of time, a half each.
    let (first, second) = std::thread::scope(|scope| {
        let first = scope.spawn(|| scanned(&asked, 0..total / 2));
        let second = scanned(&asked, total / 2..total);
        (first.join().unwrap(), second)
    });
    let (mut differ, mut rows) = (0, 0);
    for ((asked, first), second) in asked.iter().zip(first).zip(second) {
        let count = first.count + second.count;
        let mut wanted: Vec<u64> = [first.numbers, second.numbers].concat();
        if asked.request.order != "oldest" {
            wanted.reverse();
        }
        wanted.truncate(N as usize);
        let found = store.recall(&asked.request, None, &asked.readable).unwrap();
        let numbers: Vec<u64> = found.memories.iter().map(number_of).collect();
        rows += numbers.len();
        if found.total != count || numbers != wanted || found.approximate {
            differ += 1;
            println!(
                "differs: {} of {count}: {:?} {:?}",
                found.total, asked.request, asked.readable
            );
        }
    }
    println!(
        "filters: {FILTERS} compared with a scan of {total} claims, by count and {rows} rows: {differ} differ"
    );
    differ
}

fn query(chances: &mut Chances) -> String {
    let words = (0..1 + chances.below(4)).map(|_| word(chances.rank(20_000)));
    words.collect::<Vec<_>>().join(" ")
}

fn check_words(store: &SiteStore, _: u64, chances: &mut Chances) -> usize {
    let (mut differ, mut approximate, mut rows) = (0, 0, 0);
    for _ in 0..QUERIES {
        let request = RecallRequest { query: query(chances), n: N, ..RecallRequest::default() };
        let readable = readable(chances);
        let found = store.recall(&request, None, &readable).unwrap();
        if found.approximate {
            approximate += 1;
            continue;
        }
        let exact = RecallRequest { exact: true, ..request.clone() };
        // Scoring every statement with a common word takes longer than a statement may.
        let Some(wanted) = in_time(store.recall(&exact, None, &readable)) else {
            println!("not scored in time: {:?}", request.query);
            continue;
        };
        let list = |hits: &[Hit]| {
            hits.iter().map(|hit| (hit.memory.id, hit.why.word_rank)).collect::<Vec<_>>()
        };
        rows += wanted.memories.len();
        if list(&found.memories) != list(&wanted.memories) {
            differ += 1;
            println!("differs: {:?} {readable:?}", request.query);
        }
    }
    println!(
        "words: {QUERIES} compared with all statements scored, {rows} rows: {approximate} said that they are approximate, \
         {differ} of the others differ"
    );
    differ
}

/// What was answered, unless it took longer than it may.
fn in_time<T>(answer: Result<T, ApiError>) -> Option<T> {
    match answer {
        Ok(answer) => Some(answer),
        Err(error) if error.kind == ErrorKind::Unavailable => None,
        Err(error) => panic!("{error}"),
    }
}

/// Two days before the last claim: what is counted there is counted soon.
fn last_days(total: u64) -> Stamp {
    told_at(total.saturating_sub(2 * ROBOTS * PER_DAY))
}

fn check_isolation(store: &SiteStore, total: u64, chances: &mut Chances) -> usize {
    let (mut foreign, mut rows, mut late) = (0, 0, 0);
    for number in 0..CALLERS {
        let readable = readable(chances);
        let mut request = match number % 4 {
            0 => filtered(chances, total),
            _ => RecallRequest { query: query(chances), n: N, ..RecallRequest::default() },
        };
        if number % 4 == 1 {
            request.query.clear();
        }
        if chances.below(4) == 0 {
            request.scope = format!("group:cell-{}", chances.below(20));
        }
        let vector = (number % 4 == 1 || number % 4 == 2).then(|| direction(chances));
        let vector = vector.as_deref().map(|it| (MODEL, it));
        let found = match vector.is_none() && request.query.is_empty() {
            true => store.recall(
                &RecallRequest { since: request.since.or(Some(last_days(total))), ..request },
                None,
                &readable,
            ),
            false => store.recall(&request, vector, &readable),
        };
        // Comparing every vector takes longer than a statement may.
        let Some(found) = in_time(found) else {
            late += 1;
            continue;
        };
        rows += found.memories.len();
        for hit in &found.memories {
            let scope = claim(number_of(hit), false).statement.unwrap().scope;
            foreign += usize::from(!is_readable(&readable, &scope));
        }
    }
    println!(
        "scopes: {CALLERS} callers, {late} not answered in time, {rows} rows looked at: {foreign} of a scope that the caller \
         may not read"
    );
    assert!(rows > 0, "nobody was answered");
    foreign
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, url, claims, options @ ..] = arguments.as_slice() else {
        eprintln!("check URL CLAIMS [--seed=1] [--only=words|filters|scopes]");
        return;
    };
    let total: u64 = claims.parse().expect("a number of claims");
    let seed = options.iter().find_map(|it| it.strip_prefix("--seed="));
    let seed = seed.map_or(1, |it| it.parse().expect("a number"));
    let store = SiteStore::open(url, "measured").expect("a database");
    let only = options.iter().find_map(|it| it.strip_prefix("--only=")).unwrap_or("");
    let mut faults = 0;
    for (name, check) in [
        ("scopes", check_isolation as fn(&SiteStore, u64, &mut Chances) -> usize),
        ("words", check_words),
        ("filters", check_filters),
    ] {
        if name.starts_with(only) {
            faults += check(&store, total, &mut Chances(seed));
        }
    }
    assert_eq!(faults, 0);
}
