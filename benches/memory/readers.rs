//! What an ordinary recall takes while another thread asks for exact answers and a third writes.

use crate::Result;
use crate::figures::{Figure, Figures};
use crate::machine::Resident;
use crate::measure::{OURS, Task, joined};
use crate::ours::Ours;
use crate::system::{Filter, Memory};
use crate::timing::Timings;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Rows that a question is answered with.
const N: usize = 5;
/// Each part lasts so long at least: several exact recalls of a large store.
const PART_MIN: Duration = Duration::from_secs(15);
/// With fewer rounds it is only tried whether all runs.
const MEASURED_ROUNDS_MIN: usize = 50;
/// From one Learn to the next.
const LEARN_EVERY: Duration = Duration::from_millis(20);
/// From one perception to the next.
const PERCEPTION_EVERY: Duration = Duration::from_millis(10);

/// What one writer did at an even pace, as far as it could keep it.
struct Written {
    per_sec: f64,
    timings: Timings,
}

/// What happened beside the ordinary recalls.
struct Beside {
    written: Written,
    exact: Timings,
    recalls: Timings,
}

/// Measures a store of the engine that [`fill_ours`](crate::measure::fill_ours) filled.
pub fn measure(task: &Task) -> Result<Vec<Figure>> {
    let mut figures = Figures::new(OURS, task.size);
    let before = Resident::now()?;
    let ours = Ours::open(&task.ours_path(), &task.vectors, &task.questions)?;
    ours.load()?;
    while ours.has_upkeep()? {}
    let alone = recalls(task, &ours)?;
    let resting_mb = Resident::now()?.anonymous_mb - before.anonymous_mb;
    // Of numbers that no other part of the table stores.
    let first = 2 * task.size + 100_000;
    let learning = beside(task, &ours, LEARN_EVERY, |number| {
        ours.learn(task.entry(first + number)?).map(drop)
    })?;
    let first = 2 * first;
    let perceiving = beside(task, &ours, PERCEPTION_EVERY, |number| {
        ours.save(task.entry(first + number)?).map(drop)
    })?;
    let busy_mb = Resident::now()?.anonymous_mb - before.anonymous_mb;
    ours.close()?;
    for (share, name) in [(0.5, "p50"), (0.99, "p99")] {
        figures.add(&format!("recall, alone: wall {name}"), alone.wall_ms(share), "ms");
    }
    let both = [("Learn", &learning), ("perceptions", &perceiving)];
    for (what, part) in both {
        let measure = format!("recall, beside exact ones and {what}");
        for (share, name) in [(0.5, "p50"), (0.99, "p99")] {
            figures.add(&format!("{measure}: wall {name}"), part.recalls.wall_ms(share), "ms");
        }
        let ratio = part.recalls.wall_ms(0.99) / alone.wall_ms(0.99);
        figures.add(&format!("{measure}: wall p99 to that alone"), ratio, "x");
    }
    for (what, part) in both {
        let Written { per_sec, timings } = &part.written;
        figures.add(&format!("{what} beside exact recalls"), *per_sec, "1/s");
        figures.add(&format!("{what} beside exact recalls: p50"), timings.wall_ms(0.5), "ms");
        figures.add(&format!("{what} beside exact recalls: p99"), timings.wall_ms(0.99), "ms");
    }
    figures.add("an exact recall: wall p50", learning.exact.wall_ms(0.5), "ms");
    figures.add("memory of no file, with recalls alone", resting_mb, "MB");
    figures.add("memory of no file, beside writes", busy_mb, "MB");
    Ok(figures.into_list())
}

/// Ordinary recalls while another thread asks for exact answers and a third writes.
fn beside(
    task: &Task,
    ours: &Ours,
    every: Duration,
    write: impl Fn(usize) -> Result<()> + Sync,
) -> Result<Beside> {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let exact = scope.spawn(|| {
            let mut timings = Timings::default();
            for round in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                timings.time(|| ours.recall_exactly(task.question(round), N))?;
            }
            Ok(timings)
        });
        let written = scope.spawn(|| {
            let mut timings = Timings::default();
            let started = Instant::now();
            let mut due = started;
            let mut count = 0;
            while !stop.load(Ordering::Relaxed) {
                timings.time(|| write(count))?;
                count += 1;
                due += every;
                thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            Ok(Written { per_sec: count as f64 / started.elapsed().as_secs_f64(), timings })
        });
        let recalls = recalls(task, ours);
        stop.store(true, Ordering::Relaxed);
        Ok(Beside { written: joined(written)?, exact: joined(exact)?, recalls: recalls? })
    })
}

/// Ordinary recalls back to back, all rounds and long enough.
fn recalls(task: &Task, ours: &Ours) -> Result<Timings> {
    let ask = |round| match ours.recall(task.question(round), Filter::Broad, N)? {
        answered if answered.is_empty() => Err("no memory was answered".into()),
        _ => Ok(()),
    };
    ask(0)?;
    let least = if task.rounds < MEASURED_ROUNDS_MIN { Duration::ZERO } else { PART_MIN };
    let mut timings = Timings::default();
    let started = Instant::now();
    for round in 0.. {
        if round >= task.rounds && started.elapsed() >= least {
            break;
        }
        timings.time(|| ask(round))?;
    }
    Ok(timings)
}
