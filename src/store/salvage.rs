//! Saving what can be read of a damaged file into a new one.
//!
//! Rows are read around what cannot be, from before it and from behind it. What is derived is made
//! again. What a backup has and the damaged file lacks is taken from it, unless it may have been
//! deleted, withdrawn or said anew since: that is known from the table `memory_outdated`, and when
//! this cannot be read, nothing is taken.

mod fill;
mod header;
mod walk;

use super::backup::{alone, verify};
use super::files::{copy_private, new_private_file, with_suffix};
use super::open::PAGE_BYTES;
use super::tables::{ground_tables, raise_sequence};
use super::{Error, Result, schema};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::path::{Path, PathBuf};
use walk::Walked;

/// What was saved of a damaged store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Memories in the new file, of any status.
    pub memory_count: u64,
    /// How many of them were taken from a backup.
    pub from_backup: u64,
    /// Memories that are lost, at most: ids that nothing is known of.
    pub lost_max: u64,
    /// Rows of other tables that could be read and not be kept, or not be read one by one.
    pub dropped_rows: u64,
    /// Whether what a backup has could be told from what was deleted since.
    pub knew_deletions: bool,
}

/// Files that are removed with it.
struct Scratch(Vec<PathBuf>);

impl Drop for Scratch {
    fn drop(&mut self) {
        for path in &self.0 {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                // Mostly there is none.
                let _ = std::fs::remove_file(with_suffix(path, suffix));
            }
        }
    }
}

/// Saves what can be read of a damaged file, which is not changed, into a new store of this version at
/// `target`; what it lacks comes from the first of these backups that is whole. Nobody may have any of
/// these files open.
///
/// # Errors
/// When the new file cannot be written; that nothing could be read is none.
pub fn salvage(damaged: &Path, backups: &[PathBuf], target: &Path) -> Result<Salvaged> {
    let work = with_suffix(target, ".damaged");
    let of_backup = with_suffix(target, ".backup");
    let _scratch = Scratch(vec![work.clone(), of_backup.clone()]);
    for suffix in ["", "-wal"] {
        let from = with_suffix(damaged, suffix);
        if from.exists() {
            copy_private(&from, &with_suffix(&work, suffix))?;
        }
    }
    let source = header::readable(&work, backups, target)?;
    let version = source.as_ref().and_then(|source| schema::version(source).ok());
    let version = version.filter(|version| (1..=schema::VERSION).contains(version));
    let version = version.unwrap_or(schema::VERSION);

    drop(new_private_file(target)?);
    let mut into = alone(target)?;
    into.pragma_update(None, "page_size", PAGE_BYTES)?;
    into.pragma_update(None, "journal_mode", "memory")?;
    into.pragma_update(None, "synchronous", "off")?;
    into.pragma_update(None, "foreign_keys", false)?;
    schema::make(&into, version)?;
    // What triggers note of a change is among the rows, and none of these is one.
    into.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;

    let mut salvaged = Salvaged::default();
    let mut of_memories = Walked::default();
    let mut knows_outdated = false;
    let mut revision = None;
    if let Some(source) = &source {
        for table in ground_tables(&into)? {
            into.execute_batch("BEGIN")?;
            let walked = walk::copy_rows(source, &into, &table)?;
            into.execute_batch("COMMIT")?;
            match table.name.as_str() {
                "memory_outdated" => knows_outdated = walked.is_whole(),
                "memory" => of_memories = walked,
                "store_state" if walked.is_whole() => {
                    let sql = "SELECT revision FROM store_state WHERE id = 1";
                    revision = Some(into.query_row(sql, [], |row| row.get::<_, i64>(0))?);
                }
                _ => salvaged.dropped_rows += walked.dropped + u64::from(!walked.is_whole()),
            }
        }
        copy_sequences(source, &into)?;
    }
    drop(source);
    into.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, true)?;
    schema::migrate(&mut into)?;
    let saved = count(&into, "memory")?;

    salvaged.knew_deletions = knows_outdated;
    if knows_outdated {
        for backup in backups {
            match verify(backup) {
                Ok(_) => {
                    copy_private(backup, &of_backup)?;
                    fill::from_backup(&into, &of_backup, revision)?;
                    break;
                }
                Err(error) => log::warn!("a backup is passed over: {error}"),
            }
        }
    } else {
        // Nor may anything ever be taken from those backups later.
        into.execute(
            "INSERT OR REPLACE INTO memory_outdated (memory_id, revision) \
             SELECT 0, revision FROM store_state WHERE id = 1",
            [],
        )?;
    }
    fill::settle(&into)?;
    salvaged.memory_count = count(&into, "memory")?;
    salvaged.from_backup = salvaged.memory_count.saturating_sub(saved);
    salvaged.lost_max = lost_max(&into, &of_memories)?;
    into.close().map_err(|(_, error)| Error::from(error))?;
    verify(target)?;
    Ok(salvaged)
}

/// Ids that nothing is known of, within what could not be read.
fn lost_max(into: &Connection, walked: &Walked) -> Result<u64> {
    let newest: i64 = into.query_row(
        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory'), 0), \
         coalesce((SELECT max(id) FROM memory), 0))",
        [],
        |row| row.get(0),
    )?;
    let mut lost = 0;
    for (after, before) in &walked.gaps {
        let (first, last) = ((*after).max(0) + 1, before.saturating_sub(1).min(newest));
        if first > last {
            continue;
        }
        let known: i64 = into.query_row(
            "SELECT (SELECT count(*) FROM memory WHERE id BETWEEN ?1 AND ?2) + \
             (SELECT count(*) FROM memory_outdated o WHERE o.memory_id BETWEEN ?1 AND ?2 \
             AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.id = o.memory_id))",
            [first, last],
            |row| row.get(0),
        )?;
        lost += (last - first + 1).saturating_sub(known).max(0).unsigned_abs();
    }
    Ok(lost + walked.dropped)
}

/// Ids of rows that are gone stay used.
fn copy_sequences(source: &Connection, into: &Connection) -> Result<()> {
    let Ok(mut statement) = source.prepare("SELECT name, seq FROM sqlite_sequence") else {
        return Ok(());
    };
    let found: Vec<(String, i64)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .map(|rows| rows.flatten().collect())
        .unwrap_or_default();
    for (table, seq) in found {
        raise_sequence(into, &table, seq)?;
    }
    Ok(())
}

fn count(connection: &Connection, table: &str) -> Result<u64> {
    let sql = format!("SELECT count(*) FROM \"{table}\"");
    let count: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
    Ok(count.unsigned_abs())
}
