//! Thousands of jobs, workers that fail, stall and come back, clocks that jump, and kills of the node:
//! whatever happens in whatever order, every job comes to an end, none takes effect twice, none is
//! stuck, and the same seed gives the same history.

use super::world::World;
use robot_memory_core::model::JobStatus;
use std::collections::{BTreeMap, BTreeSet};

const JOBS: usize = 2_000;

/// Lets a seed's history happen; answers its hash.
fn history(seed: u64) -> (u64, BTreeMap<&'static str, u64>) {
    let mut world = World::new(seed);
    while world.known.len() < JOBS {
        world.round(true);
    }
    for _ in 0..2_000 {
        world.round(false);
    }
    world.settle();
    let mut ends: BTreeMap<JobStatus, u64> = BTreeMap::new();
    for known in world.known.values() {
        let stored = world.stored(known.job.id);
        assert_eq!(
            (stored.status, stored.attempt_count),
            (known.job.status, known.job.attempt_count)
        );
        *ends.entry(stored.status).or_default() += 1;
    }
    let stored = world.effects_stored();
    let once: BTreeSet<&String> = stored.iter().collect();
    assert_eq!(once.len(), stored.len(), "something took effect twice");
    assert_eq!(stored, world.effects, "what took effect is what was committed");
    let done = stored.iter().filter(|effect| effect.ends_with("done")).count() as u64;
    assert_eq!(done, ends[&JobStatus::Succeeded]);
    println!("seed {seed}: {ends:?}, {:?}, history {:016x}", world.tally, world.hash);
    (world.hash, world.tally)
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a person chooses the seed")]
fn whatever_happens_every_job_ends_and_takes_effect_once() {
    let seed = std::env::var("ROBOT_MEMORY_JOBS_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or(1);
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| history(seed));
        (history(seed), second.join().expect("the same"))
    });
    assert_eq!(first, second, "the same seed, the same history");
    for what in [
        "kill",
        "stall",
        "lost",
        "overtaken",
        "back",
        "disturb",
        "cancel",
        "retry",
        "stop",
        "fault",
    ] {
        assert!(first.1.get(what).is_some_and(|count| *count > 3), "{what} hardly happened");
    }
}
