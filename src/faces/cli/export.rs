//! `memory export`

#[cfg(feature = "fleet")]
pub mod claims;

use super::arguments::{ExportArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::open_engine;
use super::output::Output;
use robot_memory_core::api::ExportRequest;
use robot_memory_engine::Engine;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Writes each memory as a line of JSON to standard output, or to a file, which is taken away again
/// when it could not be finished.
pub fn run(arguments: ExportArguments, store: &StoreArguments, mut output: Output) -> Outcome {
    #[cfg(feature = "fleet")]
    if let Some(path) = &arguments.of_robot.claims {
        return claims::run(path, &arguments.of_robot, store, &mut output);
    }
    let ExportArguments { collections, all, vectors, everything, output: path, .. } = arguments;
    let request = ExportRequest {
        collections,
        all_statuses: all,
        include_embedding: vectors,
        agent: String::new(),
    };
    let engine = open_engine(store)?;
    let write = |output: &mut Output| match everything {
        true => write_everything(&engine, output),
        false => write(&engine, request, output),
    };
    let Some(path) = path else {
        return write(&mut output).map(drop);
    };
    let of_file = |source| Failure::File { path: path.clone(), source };
    let (file, is_new) = sink(&path).map_err(of_file)?;
    let outcome = write(&mut Output::to(file));
    if outcome.is_err() && is_new {
        // What failed is said below; a part of an export that stays is no more than a nuisance.
        let _ = std::fs::remove_file(&path);
    }
    let count = outcome.map_err(|failure| match failure {
        Failure::Output(source) => of_file(source),
        failure => failure,
    })?;
    let (name, what) = match everything {
        true => ("row_count", "rows"),
        false => ("memory_count", "memories"),
    };
    let path = path.display().to_string();
    output.answer(json!({name: count, "output": path}), |_| format!("{count} {what} in {path}\n"))
}

/// Writes all of the store; answers how many rows that were.
fn write_everything(engine: &Engine, output: &mut Output) -> Result<u64, Failure> {
    let mut written = Ok(());
    let count = engine.full_export(&mut |line| {
        written = output.line(line);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    output.finish()?;
    Ok(count)
}

/// A new file, private to this user as the store is, or something that is there and is no file, as
/// a pipe. Answers whether it is new.
fn sink(path: &Path) -> io::Result<(File, bool)> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Err(error)
            if error.kind() == io::ErrorKind::AlreadyExists
                && std::fs::metadata(path).is_ok_and(|found| !found.is_file()) =>
        {
            Ok((OpenOptions::new().write(true).open(path)?, false))
        }
        made => Ok((made?, true)),
    }
}

fn write(engine: &Engine, request: ExportRequest, output: &mut Output) -> Result<u64, Failure> {
    let mut written = Ok(());
    let count = engine.export(request, &mut |stored| {
        written = output.json_line(&stored);
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written?;
    output.finish()?;
    Ok(count)
}
