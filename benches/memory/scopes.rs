//! Recalls in a scope of a few rows of a large store, beside recalls over a small store; and recalls
//! of a caller that may read thousands of scopes.

use crate::Result;
use crate::figures::{Figures, table};
use crate::measure::OURS;
use crate::robot::SetClock;
use crate::statements::{SplitMix64, Statements};
use crate::timing::Timings;
use crate::vectors::{Given, Vectors};
use robot_memory_core::api::{Recall, RecallRequest, RecallResponse, SavePerceptionRequest};
use robot_memory_core::model::Clock;
use robot_memory_embedding::Embedder;
use robot_memory_engine::{Config, Engine};
use std::path::Path;
use std::sync::Arc;

/// The scope that is asked, of [`SMALL_LEN`] rows.
const SMALL: &str = "group:small";
const SMALL_LEN: usize = 20;
/// Rows of every other scope, and of the global one; fewer in a store of less than four of them.
const OTHER_LEN: usize = 500;
/// Memories of the store that the times are compared with.
const REFERENCE_LEN: usize = 1_000;
/// Rows that a question is answered with.
const N: u32 = 5;
/// Statements that differ in their words at most: as many as the cache of vectors is made for.
const BASE_MAX: usize = 100_000;
/// Scopes of one row each at most.
const TURNS_MAX: usize = 100_000;
const SEED: u64 = 5;

/// May read every step and every group, and what everybody reads.
const POLICY: &str = r#"
agents:
  - names: [by_kind]
    read: [global, "turn:*", "group:*"]
  - names: [by_name]
    read: [global, "turn:1*", "group:*"]
"#;

/// Which scope the statement of a number is in.
#[derive(Clone, Copy)]
enum Layout {
    /// The small scope and the global one, and nothing else.
    Two,
    /// The small scope, the global one, and as many others as it takes.
    Many { other_len: usize },
    /// A scope for each.
    Turns,
}

impl Layout {
    fn scope(self, number: usize) -> String {
        match self {
            Self::Turns => format!("turn:{number}"),
            _ if number < SMALL_LEN => SMALL.into(),
            Self::Two => "global".into(),
            Self::Many { other_len } => match (number - SMALL_LEN) / other_len {
                0 => "global".into(),
                other => {
                    let kind = ["group", "agent", "turn"][other % 3];
                    format!("{kind}:{other}")
                }
            },
        }
    }
}

/// A store with its rows in random order, the worst for what is known of neighbors.
struct Store {
    engine: Engine,
    size: usize,
}

impl Store {
    fn fill(folder: &Path, size: usize, layout: Layout) -> Result<Self> {
        let statements = Statements::new(size.min(BASE_MAX));
        let vectors = Vectors::open(&statements)?;
        let name = if matches!(layout, Layout::Turns) { "turns" } else { "scopes" };
        let path = folder.join(format!("ours_{name}_{size}.db"));
        let clock = Arc::new(SetClock::at_start());
        let config = Config { access: Some(POLICY.into()), ..Config::at(&path) };
        let (engine, _) = Engine::open(config, Arc::clone(&clock) as Arc<dyn Clock>)?;
        let given: Arc<Given> = Arc::new(vectors.embedder());
        engine.set_embedder(Ok(Some(Arc::clone(&given) as Arc<dyn Embedder>)))?;
        eprintln!("bench: {size} memories, {name}");
        for numbers in shuffled(size).chunks(500) {
            let mut requests = Vec::with_capacity(numbers.len());
            for &number in numbers {
                clock.sleep_days(1e-4);
                let description = statements.text(number);
                given.give(&description, vectors.statement(number)?);
                let scope = layout.scope(number);
                // So that an answer says which statement it is.
                let metadata = format!("{{\"number\":{number}}}");
                requests.push(SavePerceptionRequest {
                    description,
                    scope,
                    metadata,
                    ..Default::default()
                });
            }
            for answer in engine.save_perceptions(requests)? {
                answer?;
            }
        }
        engine.upkeep()?;
        Ok(Self { engine, size })
    }

    fn recall(&self, query: &str, scope: &str, agent: &str) -> Result<RecallResponse> {
        let (query, scope, agent) = (query.into(), scope.into(), agent.into());
        let request = RecallRequest { query, scope, agent, n: N, ..Default::default() };
        Ok(self.engine.call::<Recall>(request)?)
    }

    /// The share of questions about the rows of the small scope whose row is answered. An answer from
    /// another scope, or another answer than that of a search that compares every vector, is an error.
    fn found(&self, questions: &[String]) -> Result<f64> {
        let mut found = 0;
        for (number, question) in questions.iter().enumerate() {
            let exact = RecallRequest {
                query: question.clone(),
                scope: SMALL.into(),
                n: N,
                exact: true,
                include_data: true,
                ..Default::default()
            };
            let exact = self.engine.call::<Recall>(exact)?;
            let answer = self.recall(question, SMALL, "")?;
            let ids = |answer: &RecallResponse| -> Vec<i64> {
                answer.memories.iter().map(|hit| hit.memory.id).collect()
            };
            if ids(&answer) != ids(&exact) {
                return Err(format!("not the exact answer: {question}").into());
            }
            let is_seen = |scope: String| [SMALL, "global"].contains(&scope.as_str());
            if !answer.memories.iter().all(|hit| is_seen(hit.memory.scope.to_string())) {
                return Err(format!("a row of another scope: {question}").into());
            }
            let asked_for = format!("{{\"number\":{number}}}");
            found += usize::from(exact.memories.iter().any(|hit| hit.memory.metadata == asked_for));
        }
        Ok(found as f64 / questions.len() as f64)
    }
}

/// The numbers below `count`, in an order that is always the same.
fn shuffled(count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    let mut random = SplitMix64::new(SEED);
    for last in (1..count).rev() {
        numbers.swap(last, random.below(last + 1));
    }
    numbers
}

/// Measures stores of these sizes and prints a table. The vectors must have been prepared.
pub fn measure(folder: &Path, sizes: &str, rounds: &str) -> Result<()> {
    let rounds: usize = rounds.parse()?;
    let mut sizes: Vec<usize> =
        sizes.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?;
    sizes.sort_unstable();
    let least = 4 * SMALL_LEN;
    if rounds == 0 || sizes.first().is_none_or(|size| *size < least) {
        return Err(format!("a round at least, and sizes of at least {least}").into());
    }
    let base_count = sizes.last().map_or(least, |largest| (*largest).min(BASE_MAX));
    let statements = Statements::new(base_count.max(REFERENCE_LEN));
    Vectors::prepare(&statements)?;
    let questions: Vec<String> = (0..SMALL_LEN).map(|number| statements.question(number)).collect();
    let reference = Store::fill(folder, REFERENCE_LEN, Layout::Two)?;
    let mut figures = Vec::new();
    for &size in &sizes {
        let other_len = OTHER_LEN.min(size / 4);
        let store = Store::fill(folder, size, Layout::Many { other_len })?;
        // In turn, so that both have the same luck with the machine.
        let (mut small, mut other, mut base) = <(Timings, Timings, Timings)>::default();
        for round in 0..rounds + questions.len() {
            let question = &questions[round % questions.len()];
            let one = |timings: &mut Timings, store: &Store, scope: &str| {
                let mut unwarmed = Timings::default();
                let timings = if round < questions.len() { &mut unwarmed } else { timings };
                timings.time(|| store.recall(question, scope, ""))
            };
            one(&mut small, &store, SMALL)?;
            one(&mut base, &reference, SMALL)?;
            one(&mut other, &store, "group:3")?;
        }
        let mut of_size = Figures::new(OURS, size);
        for (what, timings) in [("a scope of 20 rows", &small), ("a scope of 500 rows", &other)] {
            for (share, name) in [(0.5, "p50"), (0.95, "p95")] {
                let measure = format!("recall, {what} and 500 global ones: CPU {name}");
                of_size.add(&measure, timings.cpu_ms(share), "ms");
            }
        }
        for (share, name) in [(0.5, "p50"), (0.95, "p95")] {
            let measure = format!("recall, all of a store of 1 000: CPU {name}");
            of_size.add(&measure, base.cpu_ms(share), "ms");
        }
        for (share, name) in [(0.5, "p50"), (0.95, "p95")] {
            let measure = format!("scope of 20 rows by store of 1 000: {name}");
            of_size.add(&measure, small.cpu_ms(share) / base.cpu_ms(share), "ratio");
        }
        of_size.add("the memory asked for is among 5 answered", store.found(&questions)?, "share");
        figures.extend(of_size.into_list());
        store.engine.close()?;
    }
    reference.engine.close()?;
    if let Some(&size) = sizes.iter().rfind(|size| **size <= TURNS_MAX) {
        figures.extend(turns(folder, size, rounds, &questions)?);
    }
    print!("{}", table(&figures));
    Ok(())
}

/// Recalls of all that a caller may read, in a store where every row has a scope of its own.
fn turns(
    folder: &Path,
    size: usize,
    rounds: usize,
    questions: &[String],
) -> Result<Vec<crate::figures::Figure>> {
    let store = Store::fill(folder, size, Layout::Turns)?;
    let mut figures = Figures::new(OURS, store.size);
    let callers = [
        ("the operator", ""),
        ("who may read turn:*", "by_kind"),
        ("who may read turn:1*", "by_name"),
    ];
    for (what, agent) in callers {
        let timings = Timings::alone(rounds, |round| {
            store.recall(&questions[round % questions.len()], "all", agent).map(drop)
        })?;
        for (share, name) in [(0.5, "p50"), (0.95, "p95")] {
            let measure = format!("recall of all, a scope a row, {what}: CPU {name}");
            figures.add(&measure, timings.cpu_ms(share), "ms");
        }
    }
    store.engine.close()?;
    Ok(figures.into_list())
}
