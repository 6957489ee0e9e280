//! What the memory answers at the end of a month, beside what is so.

use super::Result;
use super::calendar::DAYS;
use super::life::Life;
use super::random::SplitMix64;
use super::rows::{self, Rows};
use super::truths::{Settled, Truth};
use robot_memory_core::api::{Recall, RecallRequest, SpatialSort};
use robot_memory_engine::Engine;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

/// Truths that are asked for in one exam.
const EXAMINED_MAX: usize = 400;
/// Questions whose recall is timed, and how often each.
const TIMED_TRUTHS: usize = 24;
const TIMED_ROUNDS: usize = 4;
/// Attempts from which on a task gets a summary (docs/ageing.md).
const ATTEMPTS_MIN: u64 = 5;
/// Numbers that the fixed computation sorts.
const REFERENCE_LEN: u64 = 200_000;

/// A month, at its end.
#[derive(Debug, Clone)]
pub struct Month {
    /// As in 2026-01.
    pub name: String,
    /// What it knows: the same on every machine.
    pub answers: Answers,
    /// What that took: another one each time.
    pub costs: Costs,
}

/// What the memory knows, and what it answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Answers {
    /// Perceptions so far, stored or gone.
    pub perceived: u64,
    /// Statements so far.
    pub stated: u64,
    /// Rows by status.
    pub active: u64,
    pub archived: u64,
    pub superseded: u64,
    /// Events that the quota deleted.
    pub deleted: u64,
    /// Truths that hold and are in use, how many of them were among the first five, and how many when
    /// asked for whatever is believed of them.
    pub asked: u64,
    pub recalled: u64,
    pub found: u64,
    /// The same of those that nobody ever asked for.
    pub unasked: u64,
    pub unasked_recalled: u64,
    pub unasked_found: u64,
    /// Truths with a value that no longer holds; how often none of those was among the first five, and
    /// how often one was, but after the value that holds.
    pub changed: u64,
    pub stale_absent: u64,
    pub stale_after: u64,
    /// Truths that hold and that no active row says.
    pub lost: u64,
    /// Statements that were taken for another.
    pub mistaken: u64,
    /// Active rows beside the first that say the same.
    pub doubles: u64,
    /// Rows that no longer hold and gave way.
    pub settled_right: u64,
    /// Rows that gave way though they hold, or though nobody can say.
    pub settled_wrong: u64,
    /// Contradictions that stand and are told, those that are not told, and of those that nobody can
    /// settle how many Recall shows.
    pub reported: u64,
    pub silent: u64,
    pub shown: u64,
    /// Tasks that were done often enough by the last weekly maintenance, how many have a summary, and how
    /// many of those have the counts that are so.
    pub practiced: u64,
    pub experiences: u64,
    pub experiences_exact: u64,
    /// Archived rows that should not be there.
    pub archived_wrong: u64,
}

/// What a month cost.
#[derive(Debug, Clone, Default)]
pub struct Costs {
    /// The file, without its log.
    pub store_bytes: u64,
    pub log_bytes: u64,
    pub quota_bytes: u64,
    /// Of recalls, the time of the thread on a processor.
    pub recall_p50_ms: f64,
    pub recall_p95_ms: f64,
    /// Of the same recalls by the clock on the wall.
    pub recall_p95_wall_ms: f64,
    /// A fixed computation, timed beside them.
    pub reference_ms: f64,
    pub record_secs: f64,
    pub learn_secs: Vec<f64>,
    pub end_session_secs: Vec<f64>,
    pub daily_secs: Vec<f64>,
    pub weekly_secs: Vec<f64>,
}

/// Examines the memory at the end of a day.
pub fn hold(life: &mut Life, day: usize) -> Result<Month> {
    let mut costs = std::mem::take(&mut life.costs);
    let health = life.engine.health()?;
    costs.store_bytes = std::fs::metadata(life.store_path())?.len();
    costs.log_bytes = health.store_bytes.saturating_sub(costs.store_bytes);
    costs.quota_bytes = life.scale.store_bytes_max;
    if life.scale.is_timed {
        time_recalls(life, &mut costs)?;
    }
    let mut answers = Answers {
        perceived: life.perceived as u64,
        stated: life.stated as u64,
        deleted: life.recorded - health.events.count,
        mistaken: life.knowledge.mistaken,
        ..Default::default()
    };
    let (engine, path) = life.copy()?;
    ask_truths(life, &engine, day, &mut answers)?;
    engine.close()?;
    look_at_rows(life, &rows::read(&path)?, day, &mut answers);
    std::fs::remove_dir_all(path.parent().unwrap_or(Path::new("copy")))?;
    let name = life.calendar.days[day].date.strftime("%Y-%m").to_string();
    Ok(Month { name, answers, costs })
}

/// Asks for what is so, on a copy: being asked keeps a memory alive.
fn ask_truths(life: &Life, engine: &Engine, day: usize, answers: &mut Answers) -> Result<()> {
    let truths: Vec<(usize, &Truth)> = life
        .world
        .truths
        .iter()
        .enumerate()
        .filter(|(_, truth)| truth.value_at(day).is_some())
        .collect();
    let every = truths.len().div_ceil(EXAMINED_MAX).max(1);
    for (number, truth) in truths {
        let Some(valid) = truth.value_at(day) else { continue };
        // Others in each month.
        if SplitMix64::new((number * DAYS + day) as u64).below(every) != 0 {
            continue;
        }
        let places = |min_confidence: f64| -> Result<Places> {
            let query = truth.question.clone();
            let request = RecallRequest { query, min_confidence, ..Default::default() };
            let hits = engine.call::<Recall>(request)?.memories;
            let values = hits.iter().map(|hit| match life.knowledge.values.get(&hit.memory.id) {
                Some((of, value)) if *of == number => Some(*value),
                _ => None,
            });
            let values: Vec<Option<usize>> = values.collect();
            let is_stale = |value: &Option<usize>| value.is_some_and(|value| value != valid);
            Ok(Places {
                valid: values.iter().position(|value| *value == Some(valid)),
                stale: values.iter().position(is_stale),
            })
        };
        let believed = places(RecallRequest::default().min_confidence)?;
        let any = places(0.0)?;
        let (recalled, found) =
            (u64::from(believed.valid.is_some()), u64::from(any.valid.is_some()));
        if truth.asked_days.is_some() {
            answers.asked += 1;
            answers.recalled += recalled;
            answers.found += found;
        } else {
            answers.unasked += 1;
            answers.unasked_recalled += recalled;
            answers.unasked_found += found;
        }
        let is_changed =
            life.knowledge.values.values().any(|(of, value)| *of == number && *value != valid);
        if is_changed {
            let is_after = any.stale.is_some_and(|stale| any.valid.is_some_and(|at| at < stale));
            answers.changed += 1;
            answers.stale_absent += u64::from(any.stale.is_none());
            answers.stale_after += u64::from(is_after);
        }
    }
    for (number, truth) in life.world.truths.iter().enumerate() {
        if truth.settled != Settled::Nobody {
            continue;
        }
        let (query, min_confidence) = (truth.question.clone(), 0.0);
        let request = RecallRequest { query, min_confidence, ..Default::default() };
        let hits = engine.call::<Recall>(request)?.memories;
        let is_shown = hits.iter().any(|hit| {
            let is_of =
                |id: &i64| life.knowledge.values.get(id).is_some_and(|(of, _)| *of == number);
            is_of(&hit.memory.id) && hit.conflicts_with.iter().any(is_of)
        });
        answers.shown += u64::from(is_shown);
    }
    Ok(())
}

/// Where in an answer the value that holds is, and the first that no longer does.
struct Places {
    valid: Option<usize>,
    stale: Option<usize>,
}

/// Holds what is stored against what is so.
fn look_at_rows(life: &Life, rows: &Rows, day: usize, answers: &mut Answers) {
    answers.active = rows.active;
    answers.archived = rows.archived;
    answers.superseded = rows.superseded;
    answers.archived_wrong = rows.archived_wrong;
    let mut by_truth: Vec<Vec<(i64, usize)>> = vec![Vec::new(); life.world.truths.len()];
    for (&id, &(truth, value)) in &life.knowledge.values {
        by_truth[truth].push((id, value));
    }
    for (truth, said) in life.world.truths.iter().zip(&by_truth) {
        let valid = truth.value_at(day);
        let is_active = |id: i64| rows.is_active(id);
        let active: Vec<usize> =
            said.iter().filter(|(id, _)| is_active(*id)).map(|(_, value)| *value).collect();
        if let Some(valid) = valid {
            answers.lost += u64::from(!active.contains(&valid));
        }
        let mut distinct = active.clone();
        distinct.sort_unstable();
        distinct.dedup();
        answers.doubles += (active.len() - distinct.len()) as u64;
        if truth.settled == Settled::Alone {
            continue;
        }
        for &(id, value) in said {
            let gave_way_to = rows.superseded_by(id).and_then(|by| life.knowledge.values.get(&by));
            // A row that says the same may well stand for it.
            let gave_way = gave_way_to.is_some_and(|(_, other)| *other != value);
            let holds = valid == Some(value) || truth.settled == Settled::Nobody;
            match (holds, gave_way) {
                (true, true) => answers.settled_wrong += 1,
                (false, true) => answers.settled_right += 1,
                (true, false) | (false, false) => {}
            }
        }
        if distinct.len() > 1 {
            let is_stated = said.iter().any(|(id, _)| is_active(*id) && rows.is_in_conflict(*id));
            answers.reported += u64::from(is_stated);
            answers.silent += u64::from(!is_stated);
        }
    }
    for (of, outcomes) in &life.knowledge.outcomes_of_week {
        let figures = rows.experiences.get(of);
        answers.practiced += u64::from(outcomes.attempts >= ATTEMPTS_MIN);
        answers.experiences += u64::from(figures.is_some());
        answers.experiences_exact += u64::from(figures == Some(outcomes));
    }
}

/// Times the same questions each month, and a fixed computation beside them.
fn time_recalls(life: &Life, costs: &mut Costs) -> Result<()> {
    let truths = life.world.truths.iter().step_by((life.world.truths.len() / TIMED_TRUTHS).max(1));
    let query = |query: &str| RecallRequest { query: query.to_owned(), ..Default::default() };
    let mut requests: Vec<RecallRequest> = truths.map(|truth| query(&truth.question)).collect();
    requests.extend([
        query("contact on wrist force with a peak of 12 N"),
        query("slip felt on the left finger"),
        query("insert of hex bolt P-0 failed"),
        query("impact on wrist force"),
        RecallRequest {
            context_filter: r#"{"params.force.value": {"$gt": 12}, "task.success": false}"#.into(),
            ..query("insert failed")
        },
        RecallRequest {
            spatial_sort: Some(SpatialSort {
                field: "spatial.robot_position".into(),
                target: vec![20.0, 15.0, 0.0],
                max_distance: 2.0,
                ..SpatialSort::default()
            }),
            ..Default::default()
        },
    ]);
    let (mut cpu_ms, mut wall_ms, mut reference_ms) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=TIMED_ROUNDS {
        reference_ms.push(reference());
        for request in &requests {
            let (begun, cpu) = (Instant::now(), thread_cpu_ms());
            life.engine.call::<Recall>(request.clone())?;
            // The first round makes the indexes that a question asks for.
            if round > 0 {
                cpu_ms.push(thread_cpu_ms() - cpu);
                wall_ms.push(begun.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    costs.recall_p50_ms = quantile(&cpu_ms, 0.5);
    costs.recall_p95_ms = quantile(&cpu_ms, 0.95);
    costs.recall_p95_wall_ms = quantile(&wall_ms, 0.95);
    costs.reference_ms = quantile(&reference_ms, 0.5);
    Ok(())
}

/// How long a fixed computation takes, in milliseconds on a processor.
fn reference() -> f64 {
    let begun = thread_cpu_ms();
    let mix = |number: u64| number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ number;
    let mut numbers: Vec<u64> = (0..REFERENCE_LEN).map(mix).collect();
    numbers.sort_unstable();
    black_box(&numbers);
    thread_cpu_ms() - begun
}

fn thread_cpu_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// The smallest value that at least this share (0 to 1) of the values do not exceed; 0 of none.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}
