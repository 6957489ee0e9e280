//! What a Recall is made of, what writing costs, and how long opening takes.

use crate::robot::{Robot, load_model};
use crate::statements::{MARKED_FILTER, POSITION, Source};
use crate::timing::{Timings, WARM_UP, millis_since};
use crate::{Result, Scale};
use robot_memory::api::{
    Learn, LearnRequest, LearnStatus, Mode, Recall, RecallRequest, RecallResponse, SavePerception,
    SavePerceptionRequest, SpatialSort,
};
use robot_memory::embedding::Embedder;
use robot_memory::engine::Engine;
use robot_memory::index::{Bitset, VectorIndex};
use robot_memory::limits::VECTOR_LIST_MIN;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const SEED: u64 = 1;
/// How often the store is opened: it takes long.
const OPENINGS: usize = 5;
/// One of so many memories is a perception.
const PERCEPTION_EVERY: usize = 10;
/// Rows that a Recall answers with when nobody says how many.
const N: u32 = 5;
/// Rows that the longest answer has.
const N_MAX: u32 = 100;

/// Fills a store, prints rows of a Markdown table (what, p50, p99, unit, how), and leaves
/// `memory.db` and `workload.json` for a client of the node.
pub fn measure(scale: &Scale) -> Result<()> {
    let store_path = scale.folder.join("memory.db");
    let mut source = Source::new(SEED);
    let queries: Vec<String> = (0..200).map(|_| source.query()).collect();

    let mut loading = Timings::default();
    let started = Instant::now();
    let model = load_model()?;
    loading.push(millis_since(started));

    fill(&store_path, &model, scale.memory_count, &mut source)?;
    let robot = open(&store_path)?;
    recall_without_model(scale, &robot.engine, &queries, &mut source)?;
    embedding_and_vectors(scale, model.as_ref(), &queries, &mut source)?;
    recall_with_model(scale, &robot.engine, &model, &queries)?;
    writes(scale, &robot.engine, &mut source)?;
    robot.engine.close()?;
    loading.print("engine: loading the model", "once");

    let statements: Vec<_> = (0..2 * scale.rounds).map(|_| source.statement()).collect();
    let workload = json!({ "queries": queries, "statements": statements });
    fs::write(scale.folder.join("workload.json"), workload.to_string())?;
    Ok(())
}

/// Learns and perceives until there are so many memories.
fn fill(
    store_path: &Path,
    model: &Arc<dyn Embedder>,
    memory_count: usize,
    source: &mut Source,
) -> Result<()> {
    eprintln!("bench: learning {memory_count} memories");
    let robot = Robot::open(store_path)?;
    robot.engine.set_embedder(Ok(Some(Arc::clone(model))))?;
    let mut count = 0;
    while count < memory_count {
        if count % PERCEPTION_EVERY == 0 {
            perceive(&robot.engine, source)?;
            count += 1;
        } else if learn(&robot.engine, source)? == LearnStatus::Created {
            count += 1;
        }
    }
    robot.engine.close()?;
    Ok(())
}

fn open(store_path: &Path) -> Result<Robot> {
    let mut openings = Timings::default();
    for _ in 1..OPENINGS {
        let started = Instant::now();
        let robot = Robot::open(store_path)?;
        openings.push(millis_since(started));
        robot.engine.close()?;
    }
    let started = Instant::now();
    let robot = Robot::open(store_path)?;
    openings.push(millis_since(started));
    openings.print(
        "engine: opening the store",
        &format!("{OPENINGS} times, rows and words, no vectors yet"),
    );
    Ok(robot)
}

fn recall_without_model(
    scale: &Scale,
    engine: &Engine,
    queries: &[String],
    source: &mut Source,
) -> Result<()> {
    eprintln!("bench: recalling by words, filter and place");
    engine.set_embedder(Ok(None))?;
    let filtered = |n| RecallRequest { context_filter: MARKED_FILTER.into(), n, ..all() };

    Timings::of(scale.rounds, |round| {
        let request = RecallRequest { query: queries[round % queries.len()].clone(), ..all() };
        expect(Mode::Bm25Only, &engine.call::<Recall>(request)?)
    })?
    .print("engine: words", "Recall without a model, n = 5: BM25 and reading the rows");

    Timings::of(scale.rounds, |_| expect(Mode::FilterOnly, &engine.call::<Recall>(filtered(1))?))?
        .print("engine: filter", "Recall without a query, two conditions on the context, n = 1");

    Timings::of(scale.rounds, |_| {
        let target = source.position_m().to_vec();
        let spatial_sort = Some(SpatialSort { field: POSITION.into(), target, max_distance: 0.0 });
        let request = RecallRequest { spatial_sort, n: 1, ..all() };
        expect(Mode::SpatialOnly, &engine.call::<Recall>(request)?)
    })?
    .print("engine: spatial", "Recall without a query, nearest of all in three dimensions, n = 1");

    let newest = |n| RecallRequest { since: Some(robot_memory::model::Stamp(0)), n, ..all() };
    let mut reading = Timings::default();
    for _ in 0..scale.rounds {
        let started = Instant::now();
        let few = engine.call::<Recall>(newest(1))?.memories.len();
        let few_ms = millis_since(started);
        let started = Instant::now();
        let many = engine.call::<Recall>(newest(N_MAX))?.memories.len();
        let per_row_ms = (millis_since(started) - few_ms) / (many - few).max(1) as f64;
        reading.push(per_row_ms * f64::from(N));
    }
    reading.print(
        "engine: reading the rows",
        "5 times what a further row costs: Recall of the newest, n = 100 less n = 1",
    );
    engine.upkeep()?;
    Ok(())
}

/// In turn, as a Recall does both: each finds the caches as the other left them.
fn embedding_and_vectors(
    scale: &Scale,
    model: &dyn Embedder,
    queries: &[String],
    source: &mut Source,
) -> Result<()> {
    let dimension = model.dimension();
    let mut index = VectorIndex::new(dimension);
    let mut allowed = Bitset::default();
    allowed.grow(scale.memory_count);
    for slot in 0..u32::try_from(scale.memory_count)? {
        index.put(slot, &source.unit_vector(dimension))?;
        allowed.insert(slot);
    }
    let (mut embedding, mut scanning) = (Timings::default(), Timings::default());
    for round in 0..WARM_UP + scale.rounds {
        let started = Instant::now();
        let query = model.embed(&queries[round % queries.len()])?;
        let embedding_ms = millis_since(started);
        let started = Instant::now();
        let nearest = index.nearest(&query, &allowed, VECTOR_LIST_MIN, f32::NEG_INFINITY);
        let scanning_ms = millis_since(started);
        if nearest.is_empty() {
            return Err("no vector was found".into());
        }
        if round >= WARM_UP {
            embedding.push(embedding_ms);
            scanning.push(scanning_ms);
        }
    }
    embedding.print("engine: embedding", &format!("a question; {}", model.model_id()));
    scanning.print(
        "engine: vectors",
        &format!("the index alone, after each embedding: {dimension} numbers a vector, exact"),
    );
    Ok(())
}

fn recall_with_model(
    scale: &Scale,
    engine: &Engine,
    model: &Arc<dyn Embedder>,
    queries: &[String],
) -> Result<()> {
    eprintln!("bench: recalling with the model");
    let mut reading = Timings::default();
    let started = Instant::now();
    engine.set_embedder(Ok(Some(Arc::clone(model))))?;
    reading.push(millis_since(started));
    reading.print("engine: reading all vectors", "once, after opening");

    // A question of which no row has enough words is answered by vectors alone.
    let mut hybrid = 0;
    let recalling = Timings::of(scale.rounds, |round| {
        let request = RecallRequest { query: queries[round % queries.len()].clone(), ..all() };
        let response = engine.call::<Recall>(request)?;
        match response.mode {
            Mode::Hybrid => hybrid += 1,
            _ => expect(Mode::VecOnly, &response)?,
        }
        Ok(())
    })?;
    let share = 100 * hybrid / (scale.rounds + WARM_UP);
    recalling.print(
        "engine: Recall",
        &format!("all of it, n = 5; {share} % of the answers hybrid, else by vectors alone"),
    );
    engine.upkeep()?;
    Ok(())
}

fn writes(scale: &Scale, engine: &Engine, source: &mut Source) -> Result<()> {
    eprintln!("bench: writing");
    let mut learning = Timings::default();
    let mut created = 0;
    while created < scale.rounds {
        let started = Instant::now();
        let status = learn(engine, source)?;
        if status == LearnStatus::Created {
            learning.push(millis_since(started));
            created += 1;
        }
    }
    learning.print(
        "engine: Learn",
        "a new fact: embedded, compared with all that resemble it, on disk, in all indexes",
    );
    Timings::of(scale.rounds, |_| perceive(engine, source))?
        .print("engine: SavePerception", "embedded, on disk, in all indexes");
    Ok(())
}

fn learn(engine: &Engine, source: &mut Source) -> Result<LearnStatus> {
    let statement = source.statement();
    let request = LearnRequest {
        insight: statement.insight,
        context: statement.context,
        ..Default::default()
    };
    Ok(engine.call::<Learn>(request)?.status)
}

fn perceive(engine: &Engine, source: &mut Source) -> Result<()> {
    let statement = source.statement();
    let request = SavePerceptionRequest {
        description: statement.insight,
        context: statement.context,
        ..Default::default()
    };
    engine.call::<SavePerception>(request)?;
    Ok(())
}

fn all() -> RecallRequest {
    RecallRequest { n: N, ..Default::default() }
}

/// A figure is of the way that it says, or there is none.
fn expect(mode: Mode, response: &RecallResponse) -> Result<()> {
    if response.mode != mode || response.memories.is_empty() {
        return Err(format!(
            "expected memories by {mode}, got {} by {}",
            response.memories.len(),
            response.mode
        )
        .into());
    }
    Ok(())
}
