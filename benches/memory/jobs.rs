//! What taking and listing a job costs, however many are queued.

use crate::Result;
use crate::figures::{Figure, Figures};
use crate::robot::SetClock;
use crate::timing::Timings;
use robot_memory_core::api::{ListJobs, ListJobsRequest};
use robot_memory_engine::{Config, Engine, MachineClock};
use rusqlite::{Connection, params};
use std::path::Path;
use std::sync::Arc;

/// The machine's time, in milliseconds. It stands, so that no wait and no lease ends.
const NOW: i64 = 1_750_000_000_000;

/// Queues in which so many jobs wait, and how their first ones are found.
#[derive(Clone, Copy)]
enum Queue {
    /// All in one scope, whose first one waits to be tried again; the others are behind it.
    BehindOne,
    /// Each in a scope of its own.
    SideBySide,
}

impl Queue {
    fn name(self) -> &'static str {
        match self {
            Self::BehindOne => "behind one that waits",
            Self::SideBySide => "in scopes of their own",
        }
    }
}

/// Times claims, looks that find nothing, and lists, with each of these counts of jobs queued, and how
/// much longer they take than with the first of the counts.
pub fn measure(folder: &Path, counts: &str, rounds: &str) -> Result<Vec<Figure>> {
    let rounds: usize = rounds.parse()?;
    if rounds == 0 {
        return Err("a round at least".into());
    }
    let counts: Vec<usize> =
        counts.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?;
    let mut all = Vec::new();
    for queue in [Queue::BehindOne, Queue::SideBySide] {
        let mut first: Option<Vec<f64>> = None;
        for count in &counts {
            let timed = timed(folder, queue, *count, rounds)?;
            let mut figures = Figures::new("robot_memory", *count);
            let medians: Vec<f64> = timed.iter().map(|(_, timings)| timings.wall_ms(0.5)).collect();
            let first = first.get_or_insert_with(|| medians.clone());
            for (((what, timings), median), first) in timed.iter().zip(&medians).zip(first) {
                let measure = format!("{what}, jobs {}", queue.name());
                figures.add(&format!("{measure}: p50"), *median, "ms");
                figures.add(&format!("{measure}: p99"), timings.wall_ms(0.99), "ms");
                figures.add(&format!("{measure}: p50 to that of the first"), *median / *first, "x");
            }
            all.extend(figures.into_list());
        }
    }
    Ok(all)
}

fn timed(
    folder: &Path,
    queue: Queue,
    count: usize,
    rounds: usize,
) -> Result<Vec<(&'static str, Timings)>> {
    let path = folder.join("jobs.db");
    let config = || {
        let mut config = Config::at(&path);
        config.jobs.clock = MachineClock::new(|| NOW);
        config.jobs.has_workers = true;
        config
    };
    Engine::open(config(), Arc::new(SetClock::at_start()))?.0.close()?;
    // Twice the rounds, for the warm-up.
    fill(&path, queue, count, 2 * rounds)?;
    let (engine, _) = Engine::open(config(), Arc::new(SetClock::at_start()))?;
    let listed = Timings::of(rounds, |_| {
        engine.call::<ListJobs>(ListJobsRequest::default())?;
        Ok(())
    })?;
    let claimed = Timings::of(rounds, |_| {
        engine.claim_job(0)?.ok_or("nothing to claim")?;
        Ok(())
    })?;
    let mut all = vec![("list_jobs", listed), ("claim", claimed)];
    if matches!(queue, Queue::BehindOne) {
        while engine.claim_job(0)?.is_some() {}
        let idle = Timings::of(rounds, |_| match engine.claim_job(0)? {
            Some(_) => Err("something to claim".into()),
            None => Ok(()),
        })?;
        all.push(("a look that finds nothing", idle));
    }
    engine.close()?;
    std::fs::remove_file(path)?;
    Ok(all)
}

/// Writes `count` jobs into the store as the engine would, and beside them `free` that can be claimed.
fn fill(path: &Path, queue: Queue, count: usize, free: usize) -> Result<()> {
    let connection = Connection::open(path)?;
    connection.execute_batch("BEGIN")?;
    let mut insert = connection.prepare(
        "INSERT INTO job (scope, scope_id, job_type, status, is_head, dedup_key, turn_id, \
         based_on_revision, payload, result, step, done, total, position, attempt_count, \
         max_attempts, available_at, lease_owner, last_error, agent, created_at, updated_at) \
         VALUES ('session', ?1, 'maintenance', ?2, ?3, ?4, '', 0, '{}', '', '', 0, 0, '', 0, 5, \
         ?5, '', '', '', ?6, ?6)",
    )?;
    for number in 0..count {
        let at = NOW - 10_000 + i64::try_from(number)? / 100;
        let key = format!("queued {number}");
        match (queue, number) {
            (Queue::BehindOne, 0) => {
                insert.execute(params!["busy", "retry_waiting", 1, key, NOW + 20_000, at])?;
            }
            (Queue::BehindOne, _) => {
                insert.execute(params!["busy", "pending", 0, key, at, at])?;
            }
            (Queue::SideBySide, _) => {
                insert.execute(params![key, "pending", 1, key, at, at])?;
            }
        }
    }
    for number in 0..free {
        let key = format!("free {number}");
        insert.execute(params![key, "pending", 1, key, NOW, NOW])?;
    }
    drop(insert);
    connection.execute_batch("COMMIT")?;
    Ok(())
}
