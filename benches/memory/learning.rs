//! How long one Learn takes as the store grows, and what looking for secrets takes of it.

use crate::Result;
use crate::figures::{Figures, table};
use crate::measure::OURS;
use crate::robot::SetClock;
use crate::statements::{SplitMix64, Statements};
use crate::timing::{Stopwatch, Timings};
use crate::vectors::{Given, Vectors};
use robot_memory_core::access::Access;
use robot_memory_core::api::{Learn, LearnRequest, LearnStatus};
use robot_memory_core::model::Clock;
use robot_memory_embedding::Embedder;
use robot_memory_engine::{Config, Engine};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

const NAME_PARTS: &[&str] = &["ka", "vo", "mi", "ren", "ta", "lu", "so", "pe", "shi", "do"];
const COLORS: &[&str] = &["red", "green", "white", "dark blue", "striped"];
const THINGS: &[&str] = &["mug", "bowl", "tray", "towel", "kettle", "lamp", "box", "jar"];
const PLACES: &[&str] = &["kitchen", "hall", "workshop", "office", "store room", "balcony"];
const MEGABYTE: usize = 1_000_000;

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
        given.tell(&insight, vectors.statement(number)?);
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

/// Times the search for what is never stored, in a statement with its context and in a megabyte, and
/// prints a table.
pub fn measure_never_store(rounds: &str) -> Result<()> {
    let rounds: usize = rounds.parse()?;
    let never_store = Access::shipped().never_store;
    let statements = Statements::new(1_000);
    let mut figures = Figures::new(OURS, rounds);
    let one = statements.get(1);
    let text: String = statement(1).chars().cycle().take(300).collect();
    let many: String = (0..).map(|number| statements.text(number) + ". ").take(20_000).collect();
    let of_megabyte: String = many.chars().take(MEGABYTE / 2).collect();
    let of_megabyte = of_megabyte.as_str();
    let contexts: Vec<String> =
        (0..).map(|number| statements.get(number).context).take(5_000).collect();
    let mut data = format!("{{\"rows\":[{}]}}", contexts.join(","));
    let per_megabyte = |len: usize| MEGABYTE as f64 / len as f64;
    let mut add = |what: &str, scale: f64, unit: &str, search: &dyn Fn() -> bool| -> Result<()> {
        let timings = Timings::of(rounds, |_| match black_box(search()) {
            true => Err("nothing here is a secret".into()),
            false => Ok(()),
        })?;
        figures.add(&format!("{what}: CPU p50"), timings.cpu_ms(0.5) * scale, unit);
        figures.add(&format!("{what}: CPU p95"), timings.cpu_ms(0.95) * scale, unit);
        Ok(())
    };
    add("a statement of 300 characters", 1e3, "µs", &|| never_store.find(&text).is_some())?;
    add("a context", 1e3, "µs", &|| never_store.find_in_json(&one.context).is_some())?;
    let scale = per_megabyte(of_megabyte.len());
    add("a megabyte of text", scale, "ms", &|| never_store.find(of_megabyte).is_some())?;
    let scale = per_megabyte(data.len());
    add("a megabyte of JSON", scale, "ms", &|| never_store.find_in_json(&data).is_some())?;
    data.insert(0, ' ');
    let scale = per_megabyte(data.len());
    add("a megabyte of bytes", scale, "ms", &|| {
        never_store.find_in_bytes(data.as_bytes()).is_some()
    })?;
    println!("{}", table(&figures.into_list()));
    Ok(())
}
