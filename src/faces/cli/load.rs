//! `memory load`: all that a store held, back into an empty one; or what another program remembered.

mod brought;
mod mem0;
mod robotmem;

use super::arguments::{LoadArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::{load_model, open_writing};
use super::output::Output;
use crate::config::Settings;
use crate::faces::wall_clock::WallClock;
use brought::Tally;
use robot_memory_core::limits::FOREIGN_FILE_BYTES_MAX;
use robot_memory_core::regular_file;
use robot_memory_engine::Engine;
use robot_memory_engine::foreign::RobotmemFile;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

/// Stores what the arguments name.
pub fn run(arguments: &LoadArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let path = arguments.file.as_path();
    match arguments.from.as_deref() {
        None => everything(path, store, output),
        Some("robotmem") => {
            let of_file = |error| Failure::Given(format!("{}: {error}", path.display()));
            regular_file::open(path).map_err(|source| failure(path, source))?;
            let file = RobotmemFile::open(path).map_err(of_file)?;
            bring(store, output, |engine, tally| {
                robotmem::bring(engine, &file, tally).map_err(|fault| fault.into_failure(path))
            })
        }
        Some(_) => {
            let text = regular_file::read_text(path, FOREIGN_FILE_BYTES_MAX);
            let text = text.map_err(|source| failure(path, source))?;
            let export = mem0::Export::read(&text)
                .map_err(|reason| Failure::Given(format!("{}: {reason}", path.display())))?;
            bring(store, output, |engine, tally| mem0::bring(engine, &export, tally))
        }
    }
}

fn failure(path: &Path, source: io::Error) -> Failure {
    Failure::File { path: path.to_owned(), source }
}

/// Stores all that was exported in a store that is empty, or is made.
fn everything(path: &Path, store: &StoreArguments, output: &mut Output) -> Outcome {
    let mut lines: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path).map_err(|source| failure(path, source))?;
        Box::new(BufReader::new(file))
    };
    let engine = open_writing(store, &Settings::default(), Arc::new(WallClock))?;
    let loaded = engine.load_everything(&mut lines);
    let closed = engine.close();
    let count = loaded?;
    closed?;
    output.answer(json!({ "row_count": count }), |_| format!("{count} rows loaded\n"))
}

/// Brings over what another program remembers, and tells what became of it, also when that ends early.
fn bring(
    store: &StoreArguments,
    output: &mut Output,
    work: impl FnOnce(&Engine, &mut Tally<'_>) -> Outcome,
) -> Outcome {
    let settings = Settings::default();
    let engine = open_writing(store, &settings, Arc::new(WallClock))?;
    load_model(&engine, store, &settings)?;
    let mut tally = Tally::new(output);
    let brought = work(&engine, &mut tally);
    let told = tally.finish();
    let closed = engine.close();
    brought?;
    told?;
    Ok(closed?)
}
