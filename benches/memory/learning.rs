//! How long one Learn takes as the store grows.

use crate::Result;
use crate::figures::{Figures, table};
use crate::measure::OURS;
use crate::robot::SetClock;
use crate::statements::{SplitMix64, Statements};
use crate::timing::{Stopwatch, Timings};
use crate::vectors::{Given, Vectors};
use robot_memory_core::api::{Learn, LearnRequest, LearnStatus};
use robot_memory_core::model::Clock;
use robot_memory_embedding::Embedder;
use robot_memory_engine::{Config, Engine};
use std::path::Path;
use std::sync::Arc;

const NAME_PARTS: &[&str] = &["ka", "vo", "mi", "ren", "ta", "lu", "so", "pe", "shi", "do"];
const COLORS: &[&str] = &["red", "green", "white", "dark blue", "striped"];
const THINGS: &[&str] = &["mug", "bowl", "tray", "towel", "kettle", "lamp", "box", "jar"];
const PLACES: &[&str] = &["kitchen", "hall", "workshop", "office", "store room", "balcony"];

/// Preferences and facts in turn, of the same few sentences: what is nearly a duplicate of thousands.
/// The name makes each a statement of its own.
fn statement(number: usize) -> String {
    let mut random = SplitMix64::new(number as u64);
    let (color, thing, place) = (random.pick(COLORS), random.pick(THINGS), random.pick(PLACES));
    let mut name = String::new();
    let mut rest = number;
    for _ in 0..6 {
        name += NAME_PARTS[rest % NAME_PARTS.len()];
        rest /= NAME_PARTS.len();
    }
    match number % 2 {
        0 => format!("{name} prefers the {color} {thing} in the {place}"),
        _ => format!("The {color} {thing} of {name} is kept in the {place}"),
    }
}

/// Learns statements until the store is of each size, times so many Learns at each, and prints a table.
pub fn measure(folder: &Path, sizes: &str, rounds: &str) -> Result<()> {
    let rounds: usize = rounds.parse()?;
    let mut sizes: Vec<usize> =
        sizes.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?;
    sizes.sort_unstable();
    let last = sizes.last().copied().unwrap_or_default();
    if rounds == 0 || sizes.first().is_none_or(|size| *size < 1) {
        return Err("a round at least, and sizes of at least 1".into());
    }
    let statements = Statements::new(last + rounds);
    let vectors = Vectors::open(&statements)?;
    let path = folder.join("learning.db");
    let clock = Arc::new(SetClock::at_start());
    let (engine, _) = Engine::open(Config::at(&path), Arc::clone(&clock) as Arc<dyn Clock>)?;
    let given: Arc<Given> = Arc::new(vectors.embedder());
    engine.set_embedder(Ok(Some(Arc::clone(&given) as Arc<dyn Embedder>)))?;
    // Whether it was stored: some vectors are so near that the one is taken for the other.
    let learn = |number: usize| -> Result<bool> {
        let insight = statement(number);
        given.give(&insight, vectors.statement(number)?);
        let answer = engine.call::<Learn>(LearnRequest { insight, ..Default::default() })?;
        Ok(answer.status == LearnStatus::Created)
    };
    let mut figures = Vec::new();
    let mut number = 0;
    for size in sizes {
        while number + rounds < size {
            learn(number)?;
            number += 1;
        }
        let mut timings = Timings::default();
        for _ in 0..rounds {
            let stopwatch = Stopwatch::start();
            let is_stored = learn(number)?;
            if is_stored {
                timings.push(stopwatch.read());
            }
            number += 1;
        }
        let mut of_size = Figures::new(OURS, size);
        for (share, name) in [(0.5, "p50"), (0.95, "p95")] {
            of_size.add(&format!("one Learn: CPU {name}"), timings.cpu_ms(share), "ms");
            of_size.add(&format!("one Learn: wall {name}"), timings.wall_ms(share), "ms");
        }
        figures.extend(of_size.into_list());
    }
    engine.close()?;
    println!("{}", table(&figures));
    Ok(())
}
