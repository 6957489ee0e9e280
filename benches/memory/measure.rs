//! Fills a memory and measures it.

use crate::Result;
use crate::baseline::Baseline;
use crate::figures::{Figure, Figures, HEADLINE};
use crate::machine::Resident;
use crate::opening;
use crate::ours::Ours;
use crate::statements::Statements;
use crate::system::{Entry, Filter, Memory};
use crate::timing::{Stopwatch, Timings};
use crate::vectors::{QUESTION_COUNT, Vectors, dot};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The engine.
pub const OURS: &str = "robot_memory";
/// What it is compared with.
pub const BASELINE: &str = "sqlite-vec + FTS5";

/// Rows that a question is answered with.
const N: usize = 5;
/// Rows of a list that recall is counted in.
const LIST_LEN: usize = 10;
/// Perceptions stored in one go.
const BATCH_LEN: usize = 500;
/// From one perception to the next while questions are answered.
const PERCEPTION_EVERY: Duration = Duration::from_millis(10);
/// From one round of upkeep to the next, as in the node.
const UPKEEP_EVERY: Duration = Duration::from_secs(1);

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

    fn entry(&self, number: usize) -> Result<Entry> {
        let vector = self.vectors.statement(number)?;
        Ok(Entry { statement: self.statements.get(number), vector })
    }

    fn question(&self, round: usize) -> &str {
        &self.questions[round % self.questions.len()]
    }

    fn ours_path(&self) -> PathBuf {
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
    quality(task, memory, figures)?;
    let stored = recalls(task, memory, figures)?;
    let resident = Resident::now()?;
    let grown = |now: f64, before: f64| now - before;
    let all_mb = grown(resident.all_mb, resident_before.all_mb);
    figures.add("resident memory besides the model", all_mb, "MB");
    let anonymous_mb = grown(resident.anonymous_mb, resident_before.anonymous_mb);
    figures.add("of it not of mapped files", anonymous_mb, "MB");
    writes(task, memory, task.size + stored, figures)
}

/// What is found, before anything else is stored.
fn quality(task: &Task, memory: &dyn Memory, figures: &mut Figures) -> Result<()> {
    // Each costs a look at every vector.
    let count = if task.size > 100_000 { 50 } else { QUESTION_COUNT };
    let questions = &task.questions[..count.min(task.rounds)];
    if let Some(recall) = vector_recall(task, memory, questions)? {
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
fn vector_recall(task: &Task, memory: &dyn Memory, questions: &[String]) -> Result<Option<f64>> {
    let queries =
        questions.iter().map(|text| task.vectors.question(text)).collect::<Result<Vec<_>>>()?;
    let mut cosines = vec![Vec::with_capacity(task.size); queries.len()];
    for number in 0..task.size {
        let vector = task.vectors.statement(number)?;
        for (query, cosines) in queries.iter().zip(&mut cosines) {
            cosines.push(dot(query, &vector));
        }
    }
    let mut found = 0;
    for (question, cosines) in questions.iter().zip(&mut cosines) {
        let Some(ids) = memory.nearest(question, LIST_LEN)? else { return Ok(None) };
        let mut sorted = cosines.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        // The sums of another order differ in the last bits.
        let tenth = sorted.get(LIST_LEN - 1).copied().unwrap_or(f32::NEG_INFINITY) - 1e-5;
        let near = |id: &&i64| {
            let cosine = usize::try_from(**id - 1).ok().and_then(|number| cosines.get(number));
            cosine.is_some_and(|cosine| *cosine >= tenth)
        };
        found += ids.iter().filter(near).count();
    }
    Ok(Some(found as f64 / (questions.len() * LIST_LEN.min(task.size)) as f64))
}

/// Questions while another thread stores perceptions; answers how many were stored.
fn recalls(task: &Task, memory: &dyn Memory, figures: &mut Figures) -> Result<usize> {
    let stop = AtomicBool::new(false);
    let stored = AtomicUsize::new(0);
    let started = Instant::now();
    let timings = thread::scope(|scope| {
        let perceiving = scope.spawn(|| perceive(task, memory, &stop, &stored));
        let keeping_up = scope.spawn(|| keep_up(memory, &stop));
        let timings = [Filter::Broad, Filter::Narrow, Filter::None].map(|filter| {
            Timings::of(task.rounds, |round| {
                let answered = memory.recall(task.question(round), filter, N)?;
                if answered.is_empty() { Err("no memory was answered".into()) } else { Ok(()) }
            })
        });
        stop.store(true, Ordering::Relaxed);
        for thread in [perceiving, keeping_up] {
            match thread.join() {
                Ok(outcome) => outcome?,
                Err(_) => return Err("a thread panicked".into()),
            }
        }
        Result::Ok(timings)
    })?;
    let wall_secs = started.elapsed().as_secs_f64();
    let [broad, narrow, all] = timings;
    let (broad, narrow, all) = (broad?, narrow?, all?);
    for (share, name) in [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")] {
        figures.add(&format!("{HEADLINE} {name}"), broad.cpu_ms(share), "ms");
    }
    for (share, name) in [(0.5, "p50"), (0.95, "p95"), (0.99, "p99")] {
        figures.add(&format!("recall, filtered: wall {name}"), broad.wall_ms(share), "ms");
    }
    for (what, timings) in [("narrow filter", narrow), ("no filter", all)] {
        for (share, name) in [(0.5, "p50"), (0.95, "p95")] {
            let measure = format!("recall, {what}: CPU {name}");
            figures.add(&measure, timings.cpu_ms(share), "ms");
        }
    }
    let stored = stored.into_inner();
    figures.add("perceptions stored meanwhile", stored as f64 / wall_secs, "1/s");
    Ok(stored)
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

fn keep_up(memory: &dyn Memory, stop: &AtomicBool) -> Result<()> {
    let mut done = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        if done.elapsed() >= UPKEEP_EVERY {
            memory.upkeep()?;
            done = Instant::now();
        }
        thread::sleep(PERCEPTION_EVERY);
    }
    Ok(())
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
