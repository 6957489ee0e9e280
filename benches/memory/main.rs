//! Measures the memory. `scripts/bench` and `scripts/compare_robotmem` start it and say what is
//! needed.
//!
//! ```text
//! memory table      FOLDER [OPTION ...]              the table, as JSON and as a plot too
//! memory prepare    COUNT                         embeds so many statements for later runs
//! memory part       NAME FOLDER SIZE ROUNDS BASE     a part of it, in a process of its own
//! memory scopes     FOLDER SIZES ROUNDS              small scopes of large stores, as a table
//! memory workload   FOLDER MEMORIES ROUNDS           memory.db and workload.json for a client
//! memory guard      FOLDER CONSTRAINTS ROUNDS        how long CheckAction takes
//! memory fleet      FOLDER MEMORIES ROUNDS       what Learn and Recall cost in a fleet
//! memory brief      FOLDER ATTEMPTS ROUNDS          how long Brief takes
//! memory order      FOLDER EVENTS ROUNDS            how long questions about order and time take
//! memory locate     THINGS TOURS FIRST LAST         how far objects are the things of simulated buildings
//! memory jobs       FOLDER COUNTS ROUNDS             taking and listing jobs as the queue grows
//! memory learning   FOLDER SIZES ROUNDS              how long one Learn takes in a growing store
//! memory year      FOLDER SHARE                     a simulated year, or a share of it, as tables
//! memory comparison FOLDER MEMORIES ROUNDS           workload.json, vectors.bin, ours.json
//! ```

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a measurement that fails ends"
)]

mod baseline;
mod brief;
mod comparison;
mod figures;
mod fleet;
mod guard;
mod jobs;
mod learning;
mod locate;
mod machine;
mod measure;
mod opening;
mod order;
mod ours;
mod plot;
mod readers;
mod robot;
mod run;
mod scopes;
mod statements;
mod system;
mod timing;
mod vectors;
mod workload;
mod year;

use comparison::Scale;
use std::path::Path;
use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> ExitCode {
    robot_memory::memory_use::choose();
    // `cargo bench` adds `--bench` to the arguments of the caller.
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match arguments.as_slice() {
        ["table", folder, options @ ..] => run::table(Path::new(folder), options),
        ["prepare", count] => run::prepare(count),
        ["part", name, folder, size, rounds, base_count] => {
            run::part(name, Path::new(folder), size, rounds, base_count)
        }
        ["scopes", folder, sizes, rounds] => scopes::measure(Path::new(folder), sizes, rounds),
        ["learning", folder, sizes, rounds] => learning::measure(Path::new(folder), sizes, rounds),
        ["year", folder, share] => year(Path::new(folder), share),
        ["workload", folder, memory_count, rounds] => {
            scale(folder, memory_count, rounds).and_then(|scale| workload::write(&scale))
        }
        ["comparison", folder, memory_count, rounds] => {
            scale(folder, memory_count, rounds).and_then(|scale| comparison::measure(&scale))
        }
        ["guard", folder, constraint_count, rounds] => scale(folder, constraint_count, rounds)
            .and_then(|scale| {
                let figures = guard::measure(&scale.folder, scale.memory_count, scale.rounds)?;
                println!("{}", figures::table(&figures));
                Ok(())
            }),
        ["fleet", folder, memory_count, rounds] => scale(folder, memory_count, rounds)
            .and_then(|scale| fleet::measure(&scale.folder, scale.memory_count, scale.rounds)),
        ["brief", folder, attempt_count, rounds] => scale(folder, attempt_count, rounds)
            .and_then(|scale| {
                let figures = brief::measure(&scale.folder, scale.memory_count, scale.rounds)?;
                println!("{}", figures::table(&figures));
                Ok(())
            }),
        ["order", folder, event_count, rounds] => scale(folder, event_count, rounds)
            .and_then(|scale| {
                let figures = order::measure(&scale.folder, scale.memory_count, scale.rounds)?;
                println!("{}", figures::table(&figures));
                Ok(())
            }),
        ["locate", things, tours, first_seed, last_seed] => (|| {
            let (things, tours) = (things.parse()?, tours.parse()?);
            locate::measure(things, tours, first_seed.parse()?, last_seed.parse()?)
        })(),
        ["jobs", folder, counts, rounds] => {
            jobs::measure(Path::new(folder), counts, rounds).map(|figures| {
                println!("{}", figures::table(&figures));
            })
        }
        [] => Err(
            "expected: table|scopes|guard|fleet|brief|order|locate|jobs|learning|year|part|workload|comparison ... (see \
             scripts/bench)"
                .into(),
        ),
        _ => Err(format!("not understood: {}", arguments.join(" ")).into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn year(folder: &Path, share: &str) -> Result<()> {
    let scale = year::Scale::share(share.parse()?);
    let table = |months: &[year::Month]| year::answers(months) + "\n" + &year::costs(months);
    let tell = |month: &year::Month| eprintln!("{}", table(std::slice::from_ref(month)));
    let months = year::live(folder, scale, tell)?;
    println!("{}", table(&months));
    let broken = year::broken(&months);
    for line in year::slowdown(&months).into_iter().chain(broken) {
        println!("{line}");
    }
    Ok(())
}

fn scale(folder: &str, memory_count: &str, rounds: &str) -> Result<Scale> {
    let folder = Path::new(folder).to_owned();
    let (memory_count, rounds) = (memory_count.parse()?, rounds.parse()?);
    if memory_count == 0 || rounds == 0 {
        return Err("MEMORIES and ROUNDS must be at least 1".into());
    }
    Ok(Scale { folder, memory_count, rounds })
}
