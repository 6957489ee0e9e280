//! `memory backup`, `memory backups`, `memory restore`

use super::arguments::{BackupArguments, BackupsArguments, RestoreArguments, StoreArguments};
use super::failure::{Failure, Outcome};
use super::open::{open_engine, open_engine_as, open_writing};
use super::output::Output;
use super::table::Table;
use crate::config::Settings;
use crate::faces::wall_clock::WallClock;
use robot_memory_core::api::{RestoreBackup, RestoreBackupRequest};
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Copies the store, also one that a node has open.
pub fn back_up(
    arguments: &BackupArguments,
    store: &StoreArguments,
    output: &mut Output,
) -> Outcome {
    let engine = open_engine(store)?;
    let folder = arguments.to.clone().unwrap_or_else(|| engine.backups_folder());
    let made = engine.make_backup(Some(&folder), &mut |_, _| ControlFlow::Continue(()))?;
    // Nobody stops it.
    let made = made.ok_or(Failure::Closed)?;
    let path = folder.join(&made.name);
    let shown = |_| format!("{} memories, verified, in {}\n", made.memory_count, path.display());
    output.answer(sorted(&made)?, shown)
}

/// Lists the backups, the newest first.
pub fn list(arguments: &BackupsArguments, store: &StoreArguments, output: &mut Output) -> Outcome {
    let engine = open_engine_as(store, &settings(arguments.folder.as_deref()))?;
    let backups = engine.backups();
    if output.is_json {
        for backup in &backups {
            output.json_line(&sorted(backup)?)?;
        }
        return output.finish();
    }
    let mut table =
        Table::new(["name", "made_at", "#memories", "#bytes", "#schema", "verified", "store"]);
    for backup in backups {
        let memories = match backup.is_verified {
            true => backup.memory_count.to_string(),
            false => String::new(),
        };
        table.row([
            backup.name,
            backup.made_at.rfc_3339(),
            memories,
            backup.bytes.to_string(),
            backup.schema_version.to_string(),
            if backup.is_verified { "yes" } else { "no" }.to_owned(),
            if backup.is_foreign { "another" } else { "this" }.to_owned(),
        ]);
    }
    output.text(&table.render(0))
}

/// Puts the store back to what a backup holds.
pub fn restore(
    arguments: &RestoreArguments,
    store: &StoreArguments,
    output: &mut Output,
) -> Outcome {
    let engine = open_writing(store, &settings(arguments.folder.as_deref()), Arc::new(WallClock))?;
    let path = Path::new(&arguments.backup);
    let is_path = path.components().count() > 1 || path.is_file();
    let restored = if is_path {
        engine.restore_from(path)
    } else {
        let request = RestoreBackupRequest { name: arguments.backup.clone(), ..Default::default() };
        engine.call::<RestoreBackup>(request)
    };
    let closed = engine.close();
    let restored = restored?;
    closed?;
    let of = if restored.is_foreign { ", which is of another store" } else { "" };
    output.answer(sorted(&restored)?, |_| {
        format!(
            "{} memories, as in {}{of}; {} has what was stored before\n",
            restored.memory_count, restored.name, restored.kept_as
        )
    })
}

/// The node's parameters, as far as they say where backups are.
fn settings(folder: Option<&Path>) -> Settings {
    let backup_path = folder.map(|folder| folder.to_string_lossy().into_owned());
    Settings { backup_path: backup_path.unwrap_or_default(), ..Settings::default() }
}

/// With its members in the order of their names, as these commands always wrote them.
fn sorted(answer: &impl Serialize) -> Result<Value, Failure> {
    Ok(serde_json::to_value(answer).map_err(io::Error::from)?)
}
