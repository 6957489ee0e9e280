//! From the opening of a store until its answers are right, and until they are quick: somebody asks
//! the same question again and again meanwhile.

use crate::Result;
use crate::figures::Figures;
use crate::measure::joined;
use crate::ours::Ours;
use crate::system::{Filter, Memory};
use crate::timing::{Stopwatch, quantile};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Between an answer and the next question.
const PAUSE: Duration = Duration::from_millis(20);
/// How long the answers must have been alike and quick before nothing more is expected.
const SETTLED: Duration = Duration::from_secs(2);
/// When to give up.
const WAIT_MAX: Duration = Duration::from_secs(120);
/// Answers in a row that are looked at together, so that a single slow one says nothing.
const WINDOW: usize = 5;
/// An answer at full speed takes no longer than so many times the settled one.
const SLOWER_MAX: f64 = 1.5;
/// And so much more, which nobody notices.
const SLACK_MS: f64 = 0.5;

/// An answer, and when it came.
struct Answer {
    at: Duration,
    cpu_ms: f64,
    ids: Vec<i64>,
}

/// Opens a store and asks until it has settled.
pub fn measure(
    question: &str,
    figures: &mut Figures,
    open: impl FnOnce() -> Result<Ours>,
) -> Result<Ours> {
    let started = Instant::now();
    let ours = open()?;
    let opened = started.elapsed();
    let (loaded, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    let answers = thread::scope(|scope| {
        let loading = scope.spawn(|| {
            let outcome = ours.load();
            loaded.store(true, Ordering::Relaxed);
            outcome
        });
        let keeping_up = scope.spawn(|| -> Result<()> {
            while !stop.load(Ordering::Relaxed) {
                ours.upkeep()?;
                thread::sleep(PAUSE);
            }
            Ok(())
        });
        let answers = ask(&ours, question, started, &loaded);
        stop.store(true, Ordering::Relaxed);
        joined(loading)?;
        joined(keeping_up)?;
        answers
    })?;
    let secs = |at: Option<Duration>| at.map_or(f64::NAN, |at| at.as_secs_f64());
    figures.add("from opening to the first answer", secs(answers.first().map(|a| a.at)), "s");
    figures.add("from opening to the first settled answer", secs(right_from(&answers)), "s");
    figures.add("from opening to full speed", secs(quick_from(&answers)), "s");
    eprintln!(
        "bench: opened after {:.2} s, {} answers until it had settled",
        opened.as_secs_f64(),
        answers.len()
    );
    Ok(ours)
}

/// Asks until all is loaded and the answers have settled.
fn ask(ours: &Ours, question: &str, started: Instant, loaded: &AtomicBool) -> Result<Vec<Answer>> {
    let mut answers: Vec<Answer> = Vec::new();
    let mut loaded_at = None;
    while started.elapsed() < WAIT_MAX {
        let stopwatch = Stopwatch::start();
        let ids = ours.recall(question, Filter::Broad, 5)?;
        let cpu_ms = stopwatch.read().cpu_ms;
        answers.push(Answer { at: started.elapsed(), cpu_ms, ids });
        if loaded_at.is_none() && loaded.load(Ordering::Relaxed) {
            loaded_at = Some(started.elapsed());
        }
        if loaded_at.is_some_and(|at| started.elapsed() - at >= SETTLED) && settled(&answers) {
            break;
        }
        thread::sleep(PAUSE);
    }
    Ok(answers)
}

/// Whether the last answers are alike and none is much slower than the others.
fn settled(answers: &[Answer]) -> bool {
    let Some(tail) = answers.len().checked_sub(2 * WINDOW).map(|first| &answers[first..]) else {
        return false;
    };
    let earlier: Vec<f64> = tail[..WINDOW].iter().map(|answer| answer.cpu_ms).collect();
    let later: Vec<f64> = tail[WINDOW..].iter().map(|answer| answer.cpu_ms).collect();
    tail.iter().all(|answer| answer.ids == tail[0].ids)
        && quantile(&earlier, 0.5) <= slower_max_ms(quantile(&later, 0.5))
}

/// What an answer at full speed may take when it takes so long in the end.
fn slower_max_ms(end_ms: f64) -> f64 {
    SLOWER_MAX * end_ms + SLACK_MS
}

/// Since when every answer is the last one.
fn right_from(answers: &[Answer]) -> Option<Duration> {
    let last = answers.last()?;
    let wrong = answers.iter().rposition(|answer| answer.ids != last.ids);
    Some(answers[wrong.map_or(0, |place| place + 1)].at)
}

/// Since when answers take no longer than in the end.
fn quick_from(answers: &[Answer]) -> Option<Duration> {
    let times: Vec<f64> = answers.iter().map(|answer| answer.cpu_ms).collect();
    let end = quantile(&times[times.len().saturating_sub(2 * WINDOW)..], 0.5);
    let slow = times.windows(WINDOW).rposition(|window| quantile(window, 0.5) > slower_max_ms(end));
    // The last of a window may be quick already; its first may not.
    let right = right_from(answers)?;
    let quick = answers.get(slow.map_or(0, |first| first + WINDOW / 2 + 1))?.at;
    Some(right.max(quick))
}
