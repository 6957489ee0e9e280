//! Fills a memory and measures it.

use crate::Result;
use crate::baseline::Baseline;
use crate::figures::{Figure, Figures, HEADLINE};
use crate::machine::Resident;
use crate::opening;
use crate::ours::Ours;
use crate::statements::{COMMON_WORDS, Statements};
use crate::system::{Entry, Filter, Memory};
use crate::timing::{Stopwatch, Timings};
use crate::vectors::{QUESTION_COUNT, Vectors, dot};
use robot_memory::memory_use::MemoryUse;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

/// The engine.
pub const OURS: &str = "robot_memory";
/// What it is compared with.
pub const BASELINE: &str = "sqlite-vec + FTS5";

/// Rows that a question is answered with.
const N: usize = 5;
/// Rows of a list that recall is counted in.
const LIST_LEN: usize = 10;
/// Questions whose answers are looked at, at least: each is a twenty-fifth of a share.
const QUESTIONS_MIN: usize = 25;
/// Perceptions stored in one go.
const BATCH_LEN: usize = 500;
/// From one perception to the next while questions are answered.
const PERCEPTION_EVERY: Duration = Duration::from_millis(10);
/// From one round of upkeep to the next, as in the node.
const UPKEEP_EVERY: Duration = Duration::from_secs(1);
/// Seconds after which the node has looked after the memory that it opened with.
const MEMORY_SECS: usize = 12;

/// What is to be measured.
pub struct Task {
    /// Where the stores are.
    pub folder: PathBuf,
    /// Memories in a store.
    pub size: usize,
    /// How often each thing is timed.
    pub rounds: usize,
    /// What is stored and asked.
    pub statements: Statements,
    /// Of the statements and the questions.
    pub vectors: Vectors,
    /// One about each of the first statements.
    pub questions: Vec<String>,
}

impl Task {
    /// The vectors must have been prepared.
    pub fn new(folder: &Path, size: usize, rounds: usize, base_count: usize) -> Result<Self> {
        let statements = Statements::new(base_count);
        let vectors = Vectors::open(&statements)?;
        let questions = (0..QUESTION_COUNT).map(|number| statements.question(number)).collect();
        Ok(Self { folder: folder.to_owned(), size, rounds, statements, vectors, questions })
    }

    /// The statement of this number, with its vector.
    pub fn entry(&self, number: usize) -> Result<Entry> {
        let vector = self.vectors.statement(number)?;
        Ok(Entry { statement: self.statements.get(number), vector })
    }

    /// What is asked in this round.
    pub fn question(&self, round: usize) -> &str {
        &self.questions[round % self.questions.len()]
    }

    /// Where the store of the engine is.
    pub fn ours_path(&self) -> PathBuf {
        self.folder.join(format!("ours_{}.db", self.size))
    }

    fn baseline_path(&self) -> PathBuf {
        self.folder.join(format!("baseline_{}.db", self.size))
    }
}

/// Fills a store of the engine.
pub fn fill_ours(task: &Task) -> Result<Vec<Figure>> {
    let ours = Ours::open(&task.ours_path(), &task.vectors, &task.questions)?;
    ours.load()?;
    let figures = fill(task, OURS, &ours)?;
    ours.close()?;
    Ok(figures)
}

/// Fills a store of the baseline.
pub fn fill_baseline(task: &Task) -> Result<Vec<Figure>> {
    let path = task.baseline_path();
    let baseline = Baseline::open(&path, &task.vectors, &task.questions)?;
    fill(task, BASELINE, &baseline)
}

fn fill(task: &Task, system: &str, memory: &dyn Memory) -> Result<Vec<Figure>> {
    let mut wall_secs = 0.0;
    for first in (0..task.size).step_by(BATCH_LEN) {
        let numbers = first..task.size.min(first + BATCH_LEN);
        let entries = numbers.clone().map(|number| task.entry(number)).collect::<Result<_>>()?;
        let started = Instant::now();
        let last_id = memory.save_all(entries)?;
        wall_secs += started.elapsed().as_secs_f64();
        if usize::try_from(last_id)? != numbers.end {
            return Err("ids are not handed out in order".into());
        }
        if first % 100_000 == 0 && first > 0 {
            eprintln!("bench: {system}: {first} of {} stored", task.size);
        }
    }
    let mut figures = Figures::new(system, task.size);
    figures.add("perceptions stored, in batches of 500", task.size as f64 / wall_secs, "1/s");
    Ok(figures.into_list())
}

/// Measures a store of the engine that [`fill_ours`] filled.
pub fn measure_ours(task: &Task) -> Result<Vec<Figure>> {
    let path = task.ours_path();
    let mut figures = Figures::new(OURS, task.size);
    let resident_before = Resident::now()?;
    let ours = opening::measure(task.question(0), &mut figures, || {
        Ours::open(&path, &task.vectors, &task.questions)
    })?;
    measure(task, &ours, resident_before, &path, &mut figures)?;
    ours.close()?;
    Ok(figures.into_list())
}

/// Measures a store of the baseline that [`fill_baseline`] filled.
pub fn measure_baseline(task: &Task) -> Result<Vec<Figure>> {
    let path = task.baseline_path();
    let mut figures = Figures::new(BASELINE, task.size);
    let resident_before = Resident::now()?;
    let stopwatch = Stopwatch::start();
    let baseline = Baseline::open(&path, &task.vectors, &task.questions)?;
    baseline.recall(task.question(0), Filter::Broad, N)?;
    figures.add("from opening to the first settled answer", stopwatch.read().wall_ms / 1e3, "s");
    measure(task, &baseline, resident_before, &path, &mut figures)?;
    Ok(figures.into_list())
}

fn measure(
    task: &Task,
    memory: &dyn Memory,
    resident_before: Resident,
    path: &Path,
    figures: &mut Figures,
) -> Result<()> {
    figures.add("file", std::fs::metadata(path)?.len() as f64 / 1e6, "MB");
    let mut memory_use = MemoryUse::default();
    for _ in 0..MEMORY_SECS {
        memory_use.look(|| true);
        thread::sleep(Duration::from_secs(1));
    }
    let stored = recalls(task, memory, figures)?;
    let resident = Resident::now()?;
    let all_mb = resident.all_mb - resident_before.all_mb;
    figures.add("resident memory besides the model", all_mb, "MB");
    let anonymous_mb = resident.anonymous_mb - resident_before.anonymous_mb;
    figures.add("of it not of mapped files", anonymous_mb, "MB");
    // Only now, since brute force leaves its traces in the resident memory.
    quality(task, memory, task.size + stored, figures)?;
    writes(task, memory, task.size + stored, figures)
}

/// What is found among the rows of so many numbers.
fn quality(task: &Task, memory: &dyn Memory, rows: usize, figures: &mut Figures) -> Result<()> {
    // Each costs a look at every vector.
    let count_max = if task.size > 100_000 { 50 } else { QUESTION_COUNT };
    let count = task.rounds.clamp(QUESTIONS_MIN, count_max);
    let questions = &task.questions[..count];
    if let Some(recall) = vector_recall(task, memory, rows, questions)? {
        figures.add("true nearest 10 by vector found", recall, "share");
    }
    let (mut found, mut matching) = (0, 0);
    for (number, question) in questions.iter().enumerate() {
        let answered = memory.recall(question, Filter::None, LIST_LEN)?;
        found += usize::from(answered.contains(&(number as i64 + 1)));
        let answered = memory.recall(question, Filter::Narrow, N)?;
        let marked = |id: &&i64| {
            usize::try_from(**id - 1).is_ok_and(|number| task.statements.get(number).marked)
        };
        matching += answered.iter().filter(marked).count();
    }
    let asked = questions.len() as f64;
    figures.add("the memory asked for is among 10 answered", found as f64 / asked, "share");
    figures.add("rows that match the narrow filter, of 5", matching as f64 / asked, "mean");
    Ok(())
}

/// The share of the nearest ten by brute force that the memory finds; `None` when it cannot be
/// asked for them. What is as near as the tenth counts too.
fn vector_recall(
    task: &Task,
    memory: &dyn Memory,
    rows: usize,
    questions: &[String],
) -> Result<Option<f64>> {
    let queries =
        questions.iter().map(|text| task.vectors.question(text)).collect::<Result<Vec<_>>>()?;
    let mut nearest = vec![[f32::NEG_INFINITY; LIST_LEN]; queries.len()];
    for number in 0..rows {
        let vector = task.vectors.statement(number)?;
        for (query, nearest) in queries.iter().zip(&mut nearest) {
            let cosine = dot(query, &vector);
            let place = nearest.partition_point(|better| *better >= cosine);
            if place < LIST_LEN {
                nearest[place..].rotate_right(1);
                nearest[place] = cosine;
            }
        }
    }
    let mut found = 0;
    for ((question, query), nearest) in questions.iter().zip(queries).zip(nearest) {
        let Some(ids) = memory.nearest(question, LIST_LEN)? else { return Ok(None) };
        for id in ids {
            let cosine = dot(query, &task.vectors.statement(usize::try_from(id - 1)?)?);
            // Sums in another order differ in the last bits.
            found += usize::from(cosine >= nearest[LIST_LEN - 1] - 1e-5);
        }
    }
    Ok(Some(found as f64 / (questions.len() * LIST_LEN) as f64))
}

/// Questions of each kind.
struct Asked {
    broad: Timings,
    narrow: Timings,
    all: Timings,
    common: Timings,
}

impl Asked {
    /// Asks, where nothing else runs or beside other threads.
    fn of(task: &Task, memory: &dyn Memory, is_alone: bool) -> Result<Self> {
        let timings = |run: &dyn Fn(usize) -> Result<()>| match is_alone {
            true => Timings::alone(task.rounds, run),
            false => Timings::of(task.rounds, run),
        };
        let of = |filter| {
            timings(&|round| {
                let answered = memory.recall(task.question(round), filter, N)?;
                if answered.is_empty() { Err("no memory was answered".into()) } else { Ok(()) }
            })
        };
        Ok(Self {
            broad: of(Filter::Broad)?,
            narrow: of(Filter::Narrow)?,
            all: of(Filter::None)?,
            common: timings(&|_| memory.recall(COMMON_WORDS, Filter::None, N).map(drop))?,
        })
    }
}

/// Questions alone, for the time that they take of the processors, and while another thread stores perceptions,
/// for their latency; answers how many were stored.
fn recalls(task: &Task, memory: &dyn Memory, figures: &mut Figures) -> Result<usize> {
    let alone = Asked::of(task, memory, true)?;
    let stop = AtomicBool::new(false);
    let stored = AtomicUsize::new(0);
    let started = Instant::now();
    let (beside, upkeep) = thread::scope(|scope| {
        let perceiving = scope.spawn(|| perceive(task, memory, &stop, &stored));
        let keeping_up = scope.spawn(|| keep_up(memory, &stop));
        let beside = Asked::of(task, memory, false);
        stop.store(true, Ordering::Relaxed);
        joined(perceiving)?;
        Result::Ok((beside?, joined(keeping_up)?))
    })?;
    let wall_secs = started.elapsed().as_secs_f64();
    for (share, name) in [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")] {
        figures.add(&format!("{HEADLINE} {name}"), alone.broad.cpu_ms(share), "ms");
    }
    for (share, name) in [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")] {
        figures.add(&format!("recall, filtered: wall {name}"), beside.broad.wall_ms(share), "ms");
    }
    let others = [
        ("narrow filter", &alone.narrow, &beside.narrow),
        ("no filter", &alone.all, &beside.all),
        ("eight most common words", &alone.common, &beside.common),
    ];
    for (what, alone, beside) in others {
        for (share, name) in [(0.5, "p50"), (0.95, "p95")] {
            figures.add(&format!("recall, {what}: CPU {name}"), alone.cpu_ms(share), "ms");
        }
        for (share, name) in [(0.5, "p50"), (0.95, "p95")] {
            figures.add(&format!("recall, {what}: wall {name}"), beside.wall_ms(share), "ms");
        }
    }
    figures.add("upkeep, once a second: CPU p50", upkeep.cpu_ms(0.5), "ms");
    let stored = stored.into_inner();
    figures.add("perceptions stored meanwhile", stored as f64 / wall_secs, "1/s");
    Ok(stored)
}

/// What a thread came to.
pub fn joined<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err("a thread panicked".into()))
}

/// Stores perceptions at an even pace.
fn perceive(
    task: &Task,
    memory: &dyn Memory,
    stop: &AtomicBool,
    stored: &AtomicUsize,
) -> Result<()> {
    let mut due = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        let entry = task.entry(task.size + stored.load(Ordering::Relaxed))?;
        memory.save(entry)?;
        stored.fetch_add(1, Ordering::Relaxed);
        due += PERCEPTION_EVERY;
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    Ok(())
}

fn keep_up(memory: &dyn Memory, stop: &AtomicBool) -> Result<Timings> {
    let mut timings = Timings::default();
    let mut done = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        if done.elapsed() >= UPKEEP_EVERY {
            timings.time(|| memory.upkeep())?;
            done = Instant::now();
        }
        thread::sleep(PERCEPTION_EVERY);
    }
    Ok(timings)
}

/// Single durable writes, from the number on that no row has yet.
fn writes(task: &Task, memory: &dyn Memory, first: usize, figures: &mut Figures) -> Result<()> {
    let (mut perceiving, mut learning) = (Timings::default(), Timings::default());
    for number in first..first + task.rounds {
        let entry = task.entry(number)?;
        perceiving.time(|| memory.save(entry))?;
    }
    for number in first + task.rounds..first + 2 * task.rounds {
        let entry = task.entry(number)?;
        let stopwatch = Stopwatch::start();
        if memory.learn(entry)? == Some(true) {
            learning.push(stopwatch.read());
        }
    }
    for (what, timings) in [("SavePerception", perceiving), ("Learn", learning)] {
        figures.add(&format!("{what}, one: wall p50"), timings.wall_ms(0.5), "ms");
        figures.add(&format!("{what}, one: wall p95"), timings.wall_ms(0.95), "ms");
        figures.add(&format!("{what}, one: CPU p50"), timings.cpu_ms(0.5), "ms");
    }
    Ok(())
}
