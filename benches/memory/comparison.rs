//! This memory's side of the comparison with another one: the same statements, the same questions.
//!
//! `workload.json` holds what both are given, `vectors.bin` its texts as this memory's model sees
//! them, `ours.json` what this memory made of it.

use crate::Result;
use crate::robot::{Robot, load_model};
use crate::statements::{MARKED_FILTER, POSITION, SplitMix64, Statement, Statements, position_m};
use crate::timing::Timings;
use robot_memory_core::api::{
    Learn, LearnRequest, LearnResponse, Recall, RecallRequest, RecallResponse, SpatialSort,
};
use robot_memory_core::model::Stamp;
use robot_memory_embedding::Embedder;
use robot_memory_engine::Engine;
use serde::Serialize;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SEED: u64 = 2;
const QUERIES: usize = 50;
const N: u32 = 5;

/// How much is to be compared, and where.
pub struct Scale {
    /// An empty folder, on the disk that is to be measured.
    pub folder: PathBuf,
    /// Statements to learn, at least one.
    pub memory_count: usize,
    /// How often a question is timed.
    pub rounds: usize,
}

/// What both are given.
#[derive(Serialize)]
struct Workload {
    statements: Vec<Statement>,
    /// JSON object.
    filter: &'static str,
    position: &'static str,
    queries: Vec<String>,
    /// As many as queries.
    targets_m: Vec<[f64; 3]>,
    n: u32,
    rounds: usize,
    fading: Fading,
    pairs: Vec<Pair>,
}

/// How long memories are left alone.
#[derive(Serialize)]
struct Fading {
    constraint: &'static str,
    constraint_days: f64,
    /// A statement that begins with a confidence of 0.9.
    fact: &'static str,
    fact_days: f64,
    /// Sessions that then end, one right after the other.
    sessions: usize,
    seconds_between: f64,
}

/// Two statements of which the second is learned after the first.
#[derive(Serialize)]
struct Pair {
    name: &'static str,
    first: &'static str,
    second: &'static str,
    /// Whether they say the same.
    same: bool,
}

const FADING: Fading = Fading {
    constraint: "The grip force must never exceed 15 N on glass",
    constraint_days: 400.0,
    fact: "The cup slipped because `home()` was skipped before the grasp",
    fact_days: 10.0,
    sessions: 5,
    seconds_between: 12.0,
};

const PAIRS: [Pair; 6] = [
    Pair {
        name: "Chinese, other spaces",
        first: "抓取红色杯子需要 12.5N 的力",
        second: "抓取红色杯子需要12.5N的力",
        same: true,
    },
    Pair {
        name: "English, other letters",
        first: "Gripping the red cup takes 12 N",
        second: "gripping the red cup takes 12 N",
        same: true,
    },
    Pair {
        name: "English, a full stop",
        first: "Gripping the red cup takes 12.5 N",
        second: "Gripping the red cup takes 12.5 N.",
        same: true,
    },
    Pair {
        name: "Chinese, 12.5 N and 15 N",
        first: "抓取红色杯子需要 12.5N 的力",
        second: "抓取红色杯子需要 15N 的力",
        same: false,
    },
    Pair {
        name: "English, 12.5 N and 15 N",
        first: "Gripping the red cup from the kitchen table takes 12.5 N with the soft gripper",
        second: "Gripping the red cup from the kitchen table takes 15 N with the soft gripper",
        same: false,
    },
    Pair {
        name: "English, 12 N and 15 N",
        first: "Gripping the red cup from the kitchen table takes 12 N with the soft gripper",
        second: "Gripping the red cup from the kitchen table takes 15 N with the soft gripper",
        same: false,
    },
];

/// What one made of the workload; the other program writes the same.
#[derive(Serialize)]
struct Outcome {
    /// Statements that became a memory.
    stored: usize,
    /// Of them, those that match the filter.
    matching: usize,
    /// Matching rows among the `n` answered, query by query.
    matching_answered: Vec<usize>,
    /// True nearest rows among the `n` answered, query by query.
    nearest_answered: Vec<usize>,
    confidences: Confidences,
    /// For each pair, the method that found the second to be a duplicate; empty when none did.
    duplicates: Vec<String>,
    recall_p50_ms: f64,
    recall_p99_ms: f64,
}

/// Before and after the time of [`Fading`].
#[derive(Serialize)]
struct Confidences {
    constraint_before: f64,
    constraint_after: f64,
    fact_before: f64,
    fact_after: f64,
}

/// Writes the workload and what this memory makes of it, without a model and with the shipped one.
pub fn measure(scale: &Scale) -> Result<()> {
    let source = Statements::new(scale.memory_count);
    let mut random = SplitMix64::new(SEED);
    let workload = Workload {
        statements: (0..scale.memory_count).map(|number| source.get(number)).collect(),
        filter: MARKED_FILTER,
        position: POSITION,
        queries: (0..QUERIES).map(|number| source.question(number)).collect(),
        targets_m: (0..QUERIES).map(|_| position_m(&mut random)).collect(),
        n: N,
        rounds: scale.rounds,
        fading: FADING,
        pairs: PAIRS.into(),
    };
    fs::write(scale.folder.join("workload.json"), serde_json::to_string(&workload)?)?;
    let model = load_model()?;
    write_vectors(&scale.folder.join("vectors.bin"), model.as_ref(), &workload)?;

    let mut outcomes = Vec::new();
    for (folder, model) in [("words", None), ("model", Some(model))] {
        eprintln!("compare: robot_memory ({folder}) learns {} statements", scale.memory_count);
        let folder = scale.folder.join(folder);
        fs::create_dir(&folder)?;
        outcomes.push(outcome(&folder, model, &workload)?);
    }
    fs::write(scale.folder.join("ours.json"), serde_json::to_string(&outcomes)?)?;
    Ok(())
}

/// The vectors of all texts of the workload in its order, as little-endian f32, so that the other
/// memory can be given the same ones.
fn write_vectors(path: &Path, model: &dyn Embedder, workload: &Workload) -> Result<()> {
    let insights = workload.statements.iter().map(|statement| statement.text.as_str());
    let queries = workload.queries.iter().map(String::as_str);
    let pairs = workload.pairs.iter().flat_map(|pair| [pair.first, pair.second]);
    let fading = [workload.fading.constraint, workload.fading.fact];
    let mut file = BufWriter::new(File::create(path)?);
    for text in insights.chain(queries).chain(pairs).chain(fading) {
        for component in model.embed(text)? {
            file.write_all(&component.to_le_bytes())?;
        }
    }
    file.flush()?;
    Ok(())
}

fn outcome(
    folder: &Path,
    model: Option<Arc<dyn Embedder>>,
    workload: &Workload,
) -> Result<Outcome> {
    let open = |name: &str| -> Result<Robot> {
        let robot = Robot::open(&folder.join(name))?;
        robot.engine.set_embedder(Ok(model.clone()))?;
        Ok(robot)
    };
    let engine = open("statements.db")?.engine;
    let mut stored: Vec<(i64, &Statement)> = Vec::new();
    for statement in &workload.statements {
        let request = LearnRequest {
            insight: statement.text.clone(),
            context: statement.context.clone(),
            ..Default::default()
        };
        let id = engine.call::<Learn>(request)?.memory_id;
        if id != 0 {
            stored.push((id, statement));
        }
    }
    let timings = Timings::of(workload.rounds, |round| {
        ask(&engine, &workload.queries[round % QUERIES], |_| {}).map(|_| ())
    })?;
    let outcome = Outcome {
        stored: stored.len(),
        matching: stored.iter().filter(|(_, statement)| statement.marked).count(),
        matching_answered: matching_answered(&engine, workload, &stored)?,
        nearest_answered: nearest_answered(&engine, workload, &stored)?,
        confidences: fade(&open("constraint.db")?, &open("fact.db")?, &workload.fading)?,
        duplicates: duplicates(&engine, &workload.pairs)?,
        recall_p50_ms: timings.wall_ms(0.5),
        recall_p99_ms: timings.wall_ms(0.99),
    };
    engine.close()?;
    Ok(outcome)
}

fn ask(
    engine: &Engine,
    query: &str,
    narrow: impl FnOnce(&mut RecallRequest),
) -> Result<RecallResponse> {
    let mut request = RecallRequest { query: query.into(), n: N, ..Default::default() };
    narrow(&mut request);
    Ok(engine.call::<Recall>(request)?)
}

fn matching_answered(
    engine: &Engine,
    workload: &Workload,
    stored: &[(i64, &Statement)],
) -> Result<Vec<usize>> {
    let marked: BTreeSet<i64> =
        stored.iter().filter(|(_, statement)| statement.marked).map(|(id, _)| *id).collect();
    let answered = workload.queries.iter().map(|query| {
        let response =
            ask(engine, query, |request| request.context_filter = workload.filter.into())?;
        Ok(response.memories.iter().filter(|hit| marked.contains(&hit.memory.id)).count())
    });
    answered.collect()
}

fn nearest_answered(
    engine: &Engine,
    workload: &Workload,
    stored: &[(i64, &Statement)],
) -> Result<Vec<usize>> {
    let answered = workload.queries.iter().zip(&workload.targets_m).map(|(query, target)| {
        let mut by_distance: Vec<(f64, i64)> = stored
            .iter()
            .map(|(id, statement)| (distance_m(statement.position_m, *target), *id))
            .collect();
        by_distance.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let nearest: BTreeSet<i64> =
            by_distance.iter().take(N as usize).map(|(_, id)| *id).collect();
        let response = ask(engine, query, |request| {
            let (field, target) = (workload.position.to_owned(), target.to_vec());
            request.spatial_sort =
                Some(SpatialSort { field, target, max_distance: 0.0, ..SpatialSort::default() });
        })?;
        Ok(response.memories.iter().filter(|hit| nearest.contains(&hit.memory.id)).count())
    });
    answered.collect()
}

fn distance_m(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

/// Learns each pair in a collection of its own.
fn duplicates(engine: &Engine, pairs: &[Pair]) -> Result<Vec<String>> {
    let methods = pairs.iter().map(|pair| {
        let learn = |insight: &str| -> Result<LearnResponse> {
            let (insight, collection) = (insight.to_owned(), pair.name.to_owned());
            let request = LearnRequest { insight, collection, ..Default::default() };
            Ok(engine.call::<Learn>(request)?)
        };
        learn(pair.first)?;
        let method = learn(pair.second)?.method;
        Ok(method.map_or(String::new(), |method| method.to_string()))
    });
    methods.collect()
}

/// Lets the time pass over two memories, each alone in its store.
fn fade(constraint: &Robot, fact: &Robot, fading: &Fading) -> Result<Confidences> {
    let learn = |robot: &Robot, insight: &str| -> Result<f64> {
        let request = LearnRequest { insight: insight.into(), ..Default::default() };
        robot.engine.call::<Learn>(request)?;
        confidence(&robot.engine)
    };
    let constraint_before = learn(constraint, fading.constraint)?;
    constraint.clock.sleep_days(fading.constraint_days);
    constraint.live_through_a_session()?;

    let fact_before = learn(fact, fading.fact)?;
    fact.clock.sleep_days(fading.fact_days);
    for _ in 0..fading.sessions {
        fact.live_through_a_session()?;
        fact.clock.sleep_days(fading.seconds_between / 86_400.0);
    }
    Ok(Confidences {
        constraint_before,
        constraint_after: confidence(&constraint.engine)?,
        fact_before,
        fact_after: confidence(&fact.engine)?,
    })
}

/// That of the only memory.
fn confidence(engine: &Engine) -> Result<f64> {
    let request =
        RecallRequest { since: Some(Stamp(0)), min_confidence: 0.0, ..Default::default() };
    let response = engine.call::<Recall>(request)?;
    match response.memories.as_slice() {
        [hit] => Ok(hit.memory.confidence),
        memories => Err(format!("expected one memory, got {}", memories.len()).into()),
    }
}
