//! `memory load`

use super::arguments::{LoadArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::open_writing;
use super::output::Output;
use crate::config::Settings;
use crate::faces::wall_clock::WallClock;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

/// Stores all that was exported in a store that is empty, or is made.
pub fn run(arguments: &LoadArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let mut lines: Box<dyn BufRead> = if arguments.file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let path = &arguments.file;
        let opened = File::open(path);
        let file = opened.map_err(|source| Failure::File { path: path.clone(), source })?;
        Box::new(BufReader::new(file))
    };
    let engine = open_writing(store, &Settings::default(), Arc::new(WallClock))?;
    let loaded = engine.load_everything(&mut lines);
    let closed = engine.close();
    let count = loaded?;
    closed?;
    output.answer(json!({ "row_count": count }), |_| format!("{count} rows loaded\n"))
}
