//! Measures the engine. `scripts/bench` and `scripts/compare_robotmem` start it and say what its
//! figures mean beside those of a service call and of another memory.
//!
//! ```text
//! memory parts      FOLDER MEMORIES ROUNDS   a store in FOLDER; rows of a Markdown table
//! memory comparison FOLDER MEMORIES ROUNDS   workload.json, vectors.bin, ours.json in FOLDER
//! ```

mod comparison;
mod parts;
mod robot;
mod statements;
mod timing;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How much is to be measured, and where.
struct Scale {
    /// An empty folder, on the disk that is to be measured.
    folder: PathBuf,
    /// Memories in the store.
    memory_count: usize,
    /// How often each thing is timed.
    rounds: usize,
}

fn main() -> ExitCode {
    // `cargo bench` adds `--bench` to the arguments of the caller.
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let outcome = match arguments.as_slice() {
        [what, folder, memory_count, rounds] => run(what, Path::new(folder), memory_count, rounds),
        _ => Err("expected: parts|comparison FOLDER MEMORIES ROUNDS (see scripts/bench)".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(what: &str, folder: &Path, memory_count: &str, rounds: &str) -> Result<()> {
    let scale = Scale {
        folder: folder.to_owned(),
        memory_count: memory_count.parse()?,
        rounds: rounds.parse()?,
    };
    if scale.memory_count == 0 || scale.rounds == 0 {
        return Err("MEMORIES and ROUNDS must be at least 1".into());
    }
    match what {
        "parts" => parts::measure(&scale),
        "comparison" => comparison::measure(&scale),
        _ => Err(format!("unknown: {what}").into()),
    }
}
