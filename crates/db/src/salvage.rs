//! Saving what can be read of a damaged file into a new one.
//!
//! Rows are read around what cannot be, from before it and from behind it. What is derived is made
//! again. What a backup has and the damaged file lacks is taken from it, unless it may have been
//! deleted, withdrawn or said anew since: that is known from the table `memory_outdated`, and from what was
//! noted of it beside the store. When neither can be read nothing is taken, unless nothing else is left.

mod fill;
mod header;
mod repair;
mod walk;

use super::backup::{alone, verify};
use super::files::{Part, copy_private, new_private_file, with_suffix};
use super::known::KnownBeside;
use super::open::PAGE_BYTES;
use super::tables::{
    GroundTable, SEQUENCES, ground_tables, numbers, raise_sequence, row_count, value,
};
use super::{Error, Result, schema};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rusqlite::types::Value;
use std::path::{Path, PathBuf};
use walk::Walked;

/// What was saved of a damaged store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// Memories in the new file, of any status.
    pub memory_count: u64,
    /// How many of them were taken from a backup.
    pub from_backup: u64,
    /// How many are withdrawn, since their text is in doubt and no backup has it.
    pub withdrawn: u64,
    /// Memories that are lost, at most: ids that nothing is known of, and those that were there when they
    /// were last counted.
    pub lost_max: u64,
    /// Rows of other tables that could be read and not be kept, or not be read one by one.
    pub dropped_rows: u64,
    /// The tables that could not be read wholly, and that no backup has.
    pub broken_tables: Vec<String>,
    /// Whether what a backup has could be told from what was deleted since.
    pub knew_deletions: bool,
}

impl Salvaged {
    /// Whether anything is not as it was.
    pub fn is_lossy(&self) -> bool {
        let is_whole = self.lost_max == 0 && self.withdrawn == 0 && self.dropped_rows == 0;
        !is_whole || !self.broken_tables.is_empty() || !self.knew_deletions
    }
}

/// What a damaged store is held against, and filled from.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// Backups, the latest first.
    pub backups: &'a [PathBuf],
    /// Whether they are where no other store's are: then they count also when nothing says which store it is.
    pub are_own: bool,
    /// What was noted beside the store.
    pub known: Option<&'a KnownBeside>,
}

/// How far the identity of the damaged store is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Identity {
    /// It says so itself.
    Said,
    /// It is noted beside it.
    Noted,
    /// Not at all, and all backups there are its own.
    OfBackups,
    /// Not at all.
    Unknown,
}

/// Tables whose rows are made again of others by upkeep and maintenance.
const DERIVED: [&str; 7] = [
    "attempt",
    "attempt_unread",
    "experience_stale",
    "memory_pair",
    "memory_picture",
    "memory_to_compare",
    "memory_vector",
];

/// What the damaged file had, beside what was copied of it.
#[derive(Default)]
struct Left {
    of_memories: Walked,
    /// Rows that are not what was written, by table.
    bad: Vec<(GroundTable, Vec<Vec<Value>>)>,
    knows_outdated: bool,
    /// Whether what the file says of itself could be read.
    knows_itself: bool,
    /// Tables that could not be read wholly.
    broken: Vec<String>,
}

/// Saves what can be read of a damaged file, which is not changed, into a new store of this version at
/// `target`; what it lacks comes from the first of these backups that is whole, and of the same store. It is
/// held against what is known of the store beside it. Nobody may have any of these files open.
///
/// # Errors
/// When the new file cannot be written; that nothing could be read is none.
pub fn salvage(damaged: &Path, sources: &Sources<'_>, target: &Path) -> Result<Salvaged> {
    let Sources { backups, are_own, known } = *sources;
    let work = with_suffix(target, ".damaged");
    let of_backup = with_suffix(target, ".backup");
    let _scratch = [&work, &of_backup].map(|path| Part(path.clone()));
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

    let mut into = begun(target, version)?;
    let mut salvaged = Salvaged::default();
    let mut left = match &source {
        Some(source) => copied(source, &into, &mut salvaged)?,
        None => Left::default(),
    };
    drop(source);
    into.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, true)?;
    schema::migrate(&mut into)?;
    let saved = row_count(&into, "memory")?;

    let known = known.filter(|known| is_of(&into, &left, known));
    identify(&into, &left, known)?;
    let identity = match (left.knows_itself, known) {
        (true, _) => Identity::Said,
        (false, Some(_)) => Identity::Noted,
        (false, None) if are_own => Identity::OfBackups,
        (false, None) => Identity::Unknown,
    };
    if !left.knows_outdated
        && let Some(outdated) = known.and_then(|known| known.outdated.as_ref())
    {
        for (id, revision) in outdated {
            into.execute(
                "INSERT INTO memory_outdated VALUES (?1, ?2) ON CONFLICT (memory_id) DO UPDATE \
                 SET revision = max(revision, ?2)",
                (id, revision),
            )?;
        }
        left.knows_outdated = true;
    }
    salvaged.knew_deletions = left.knows_outdated;
    let filled_to = match left.knows_outdated || saved == 0 {
        true => fill_from_first(&into, backups, &of_backup, identity)?,
        false => None,
    };
    if !left.knows_outdated {
        // Nor may anything ever be taken from those backups later.
        into.execute(
            "INSERT OR REPLACE INTO memory_outdated (memory_id, revision) \
             SELECT 0, max(revision, ?1) FROM store_state WHERE id = 1",
            [filled_to.unwrap_or(0)],
        )?;
    }
    salvaged.from_backup = row_count(&into, "memory")?.saturating_sub(saved);
    for (table, bad) in std::mem::take(&mut left.bad) {
        let (kept, dropped) = repair::keep(&into, &table, bad)?;
        match table.name.as_str() {
            "memory" => {
                salvaged.withdrawn += kept;
                left.of_memories.dropped += dropped;
            }
            _ => salvaged.dropped_rows += kept + dropped,
        }
    }
    fill::settle(&into)?;
    salvaged.memory_count = row_count(&into, "memory")?;
    let by_count = known.map_or(0, |known| known.memory_count);
    salvaged.lost_max =
        lost_max(&into, &left.of_memories)?.max(by_count.saturating_sub(salvaged.memory_count));
    salvaged.broken_tables = left.broken;
    if filled_to.is_some() {
        salvaged.broken_tables.retain(|table| !fill::is_filled(table));
    }
    into.close().map_err(|(_, error)| Error::from(error))?;
    verify(target)?;
    Ok(salvaged)
}

/// A new file with the schema of a version, into which rows are copied as they are.
fn begun(target: &Path, version: i64) -> Result<Connection> {
    drop(new_private_file(target)?);
    let into = alone(target)?;
    into.pragma_update(None, "page_size", PAGE_BYTES)?;
    into.pragma_update(None, "journal_mode", "memory")?;
    into.pragma_update(None, "synchronous", "off")?;
    into.pragma_update(None, "foreign_keys", false)?;
    schema::make(&into, version)?;
    // What triggers note of a change is among the rows, and none of these is one.
    into.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    Ok(into)
}

/// Copies what can be read.
fn copied(source: &Connection, into: &Connection, salvaged: &mut Salvaged) -> Result<Left> {
    let mut left = Left::default();
    for table in ground_tables(into)? {
        into.execute_batch("BEGIN")?;
        let mut walked = walk::copy_rows(source, into, &table)?;
        into.execute_batch("COMMIT")?;
        let is_whole = walked.is_whole();
        let bad = std::mem::take(&mut walked.bad);
        let is_derived = DERIVED.contains(&table.name.as_str());
        if !is_derived && !walked.is_whole() {
            left.broken.push(table.name.clone());
        }
        match table.name.as_str() {
            "memory_outdated" => left.knows_outdated = is_whole,
            "memory" => left.of_memories = walked,
            "store_state" => {
                let sql = "SELECT count(*) FROM store_state WHERE revision > 0";
                let is_read = into.query_row(sql, [], |row| row.get::<_, bool>(0))?;
                left.knows_itself = is_whole && is_read;
            }
            _ if is_derived => {}
            _ => salvaged.dropped_rows += walked.dropped,
        }
        if !bad.is_empty() {
            left.bad.push((table, bad));
        }
    }
    copy_sequences(source, into)?;
    Ok(left)
}

/// Whether what is known is of the store that was read, as far as that says which one it is.
fn is_of(into: &Connection, left: &Left, known: &KnownBeside) -> bool {
    let of = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
    let own = into.query_row("SELECT store_id FROM store_state WHERE id = 1", [], of);
    !left.knows_itself || own.is_ok_and(|own| own == known.store_id)
}

/// Lets the new file be the store that it was saved of.
fn identify(into: &Connection, left: &Left, known: Option<&KnownBeside>) -> Result<()> {
    let Some(known) = known else { return Ok(()) };
    if !left.knows_itself && !known.store_id.is_empty() {
        into.execute("UPDATE store_state SET store_id = ?1 WHERE id = 1", [&known.store_id])?;
    }
    let sql = "UPDATE store_state SET revision = max(revision, ?1) WHERE id = 1";
    into.execute(sql, [known.revision])?;
    Ok(())
}

/// Takes what is lacking from the first backup that is whole and of the same store; answers its revision.
fn fill_from_first(
    into: &Connection,
    backups: &[PathBuf],
    of_backup: &Path,
    identity: Identity,
) -> Result<Option<i64>> {
    for backup in backups {
        copy_private(backup, of_backup)?;
        match verify(of_backup) {
            Ok(copied) => {
                if fill::from_backup(into, of_backup, &copied, identity)? {
                    return Ok(Some(copied.revision));
                }
            }
            Err(Error::BadCopy { reason, .. }) => {
                log::warn!("the backup {} is skipped: {reason}", backup.display());
            }
            Err(error) => log::warn!("the backup {} is skipped: {error}", backup.display()),
        }
    }
    Ok(None)
}

/// Ids that nothing is known of, within what could not be read.
fn lost_max(into: &Connection, walked: &Walked) -> Result<u64> {
    let newest: i64 = value(
        into,
        "SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory'), 0), \
         coalesce((SELECT max(id) FROM memory), 0))",
        [],
    )?;
    let mut lost = 0;
    for (after, before) in &walked.gaps {
        let (first, last) = ((*after).max(0) + 1, before.saturating_sub(1).min(newest));
        if first > last {
            continue;
        }
        let known: i64 = value(
            into,
            "SELECT (SELECT count(*) FROM memory WHERE id BETWEEN ?1 AND ?2) + \
             (SELECT count(*) FROM memory_outdated o WHERE o.memory_id BETWEEN ?1 AND ?2 \
             AND NOT EXISTS (SELECT 1 FROM memory m WHERE m.id = o.memory_id))",
            [first, last],
        )?;
        lost += (last - first + 1).saturating_sub(known).max(0).unsigned_abs();
    }
    Ok(lost + walked.dropped)
}

/// Ids of rows that are gone stay used.
fn copy_sequences(source: &Connection, into: &Connection) -> Result<()> {
    for (table, seq) in numbers(source, SEQUENCES) {
        raise_sequence(into, &table, seq)?;
    }
    Ok(())
}
