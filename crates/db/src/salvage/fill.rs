//! What a backup has and the saved rows lack, and what the saved rows need to agree.

use super::Identity;
use crate::backup::{Copied, alone};
use crate::tables::{GroundTable, ground_tables};
use crate::{Result, schema};
use rusqlite::Connection;
use std::path::Path;

/// Why a row is withdrawn whose replacement is lost.
const REPLACEMENT_LOST: &str = "the memory that replaced it was lost when the store was damaged";

/// What is known of a memory alone, beside its row; their rows go with it.
const OF_MEMORIES: [&str; 7] = [
    "event",
    "memory_audit",
    "memory_ledger",
    "memory_signature",
    "perception",
    "summary",
    "turn_memory",
];
/// What holds whatever was deleted.
const OF_THE_WHOLE: [&str; 9] = [
    "branch",
    "collection_fading",
    "embedding_model",
    "maintenance_run",
    "maintenance_state",
    "schedule_state",
    "scope_state",
    "session",
    "write_queue_state",
];

/// Whether what a table lacks is taken from a backup.
pub fn is_filled(table: &str) -> bool {
    ["memory", "memory_outdated", "store_state", "turn"].contains(&table)
        || OF_MEMORIES.contains(&table)
        || OF_THE_WHOLE.contains(&table)
}

/// Takes from a backup, a copy of which is changed for it, what is lacking and not outdated; answers whether
/// it is of the same store and of the same past.
pub fn from_backup(
    into: &Connection,
    backup: &Path,
    copied: &Copied,
    identity: Identity,
) -> Result<bool> {
    {
        let mut connection = alone(backup)?;
        connection.pragma_update(None, "journal_mode", "delete")?;
        schema::migrate(&mut connection)?;
    }
    into.execute("ATTACH ?1 AS backup", [backup.to_string_lossy()])?;
    let filled = fill(into, copied, identity);
    into.execute("DETACH backup", [])?;
    filled
}

fn fill(into: &Connection, copied: &Copied, identity: Identity) -> Result<bool> {
    let revision = copied.revision;
    let is_of_another_past: bool = into.query_row(
        "SELECT EXISTS (SELECT 1 FROM memory_outdated WHERE memory_id = 0 AND revision >= ?1)",
        [revision],
        |row| row.get(0),
    )?;
    if is_of_another_past || is_of_another_store(into, copied, identity)? {
        return Ok(false);
    }
    // What was given out since is not given out again.
    let sql = "UPDATE store_state SET revision = max(revision, ?1) WHERE id = 1";
    into.execute(sql, [revision])?;
    if identity == Identity::OfBackups && !copied.store_id.is_empty() {
        into.execute("UPDATE store_state SET store_id = ?1 WHERE id = 1", [&copied.store_id])?;
    }
    let is_current = "(SELECT memory_id FROM memory_outdated WHERE revision >= ?1)";
    let tables = ground_tables(into)?;
    let named = |name: &str| tables.iter().find(|table| table.name == name);
    into.execute_batch("BEGIN")?;
    for table in OF_THE_WHOLE.iter().filter_map(|name| named(name)) {
        into.execute(&taken(table, ""), [])?;
    }
    if let Some(memory) = named("memory") {
        let condition = format!(
            "WHERE id NOT IN (SELECT id FROM main.memory) AND id NOT IN {is_current} ORDER BY id"
        );
        into.execute(&taken(memory, &condition), [revision])?;
    }
    // A step's text is blanked where a memory of it was deleted.
    let was_any_deleted: bool = into.query_row(
        "SELECT EXISTS (SELECT 1 FROM memory_outdated WHERE revision >= ?1)",
        [revision],
        |row| row.get(0),
    )?;
    if !was_any_deleted && let Some(turn) = named("turn") {
        into.execute(&taken(turn, "ORDER BY id"), [])?;
    }
    for table in OF_MEMORIES.iter().filter_map(|name| named(name)) {
        let condition = format!(
            "WHERE memory_id IN (SELECT m.id FROM main.memory m JOIN backup.memory b ON b.id = m.id \
             AND b.created_at = m.created_at) AND memory_id NOT IN {is_current}"
        );
        into.execute(&taken(table, &condition), [revision])?;
    }
    into.execute_batch(
        "INSERT INTO main.sqlite_sequence (name, seq) SELECT name, seq FROM backup.sqlite_sequence b \
         WHERE NOT EXISTS (SELECT 1 FROM main.sqlite_sequence m WHERE m.name = b.name);
         UPDATE main.sqlite_sequence SET seq = max(seq, coalesce((SELECT b.seq FROM \
         backup.sqlite_sequence b WHERE b.name = main.sqlite_sequence.name), 0));
         COMMIT",
    )?;
    Ok(true)
}

/// Whether a backup is of another store. One that does not say of which it is may be of one that was in the
/// same place before, and was removed: then it is ahead, or what it knows by the same id was stored at
/// another time.
fn is_of_another_store(into: &Connection, copied: &Copied, identity: Identity) -> Result<bool> {
    let sql = "SELECT store_id, revision FROM store_state WHERE id = 1";
    let own: (String, i64) = into.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let says_so = !copied.store_id.is_empty();
    match identity {
        Identity::Said | Identity::Noted if own.0 == copied.store_id => return Ok(false),
        Identity::Said if says_so || own.1 < copied.revision => return Ok(true),
        Identity::Noted if says_so => return Ok(true),
        Identity::Unknown => return Ok(true),
        Identity::Said | Identity::Noted | Identity::OfBackups => {}
    }
    Ok(into.query_row(
        "SELECT EXISTS (SELECT 1 FROM main.memory m JOIN backup.memory b ON b.id = m.id \
         WHERE b.created_at <> m.created_at)",
        [],
        |row| row.get(0),
    )?)
}

fn taken(table: &GroundTable, condition: &str) -> String {
    let (name, columns) = (&table.name, table.columns_of(""));
    format!(
        "INSERT OR IGNORE INTO main.\"{name}\" ({columns}) SELECT {columns} FROM backup.\"{name}\" \
         {condition}"
    )
}

/// Lets the saved rows agree: what refers to a lost row is given what stands for it, or lets go of it.
/// Words are made again when the store is opened.
pub fn settle(into: &Connection) -> Result<()> {
    into.execute_batch("BEGIN")?;
    // Episodes whose row is lost are known by what was said in them.
    into.execute_batch(
        "INSERT OR IGNORE INTO session (session_id, collection, status, agent, context, run, \
         started_at, ended_at) SELECT session_id, min(collection), 'ended', '', '', 0, \
         min(created_at), max(created_at) FROM memory WHERE session_id IS NOT NULL \
         GROUP BY session_id;
         INSERT OR IGNORE INTO session (session_id, collection, status, agent, context, run, \
         started_at, ended_at) SELECT session_id, min(collection), 'ended', '', '', 0, \
         min(committed_at), max(committed_at) FROM turn GROUP BY session_id;
         INSERT OR IGNORE INTO branch (session_id, branch_id, status) \
         SELECT DISTINCT session_id, branch_id, 'open' FROM turn;",
    )?;
    into.execute(
        "UPDATE memory SET status = 'invalidated', superseded_by = NULL, superseded_rule = NULL, \
         invalidated_reason = ?1, invalidated_at = updated_at WHERE superseded_by IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM memory other WHERE other.id = memory.superseded_by)",
        [REPLACEMENT_LOST],
    )?;
    let tables = ground_tables(into)?;
    // What lets go of a row may be what another refers to.
    for _ in 0..tables.len() {
        if !clear_dangling_references(into, &tables)? {
            break;
        }
    }
    // What was found of pairs and of attempts may be lost, or be lacking of rows of a backup: maintenance
    // looks once more.
    into.execute_batch(
        "UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT max(memory_id) FROM \
         memory_outdated), 0)) WHERE name = 'memory';
         UPDATE maintenance_state SET compared_upto = 0, comparing_upto = 0, comparing_mark_no = 0;
         INSERT OR IGNORE INTO attempt_unread SELECT scope, id FROM memory \
         WHERE mem_type = 'task_log' AND type <> 'summary' \
         AND id NOT IN (SELECT memory_id FROM attempt);
         INSERT OR IGNORE INTO memory_picture (memory_id) SELECT memory_id FROM perception_with_picture;
         UPDATE store_state SET tokens_version = 0, clean = 1, damaged = 0 WHERE id = 1;
         INSERT INTO memory_words (memory_words) VALUES ('delete-all');",
    )?;
    into.execute_batch("COMMIT")?;
    Ok(())
}

/// Takes back references to rows that are not there, with the row where it needs it; answers whether
/// there were any.
fn clear_dangling_references(into: &Connection, tables: &[GroundTable]) -> Result<bool> {
    let mut is_changed = false;
    for table in tables {
        for key in foreign_keys(into, &table.name)? {
            let joined: Vec<String> = key
                .columns
                .iter()
                .map(|(from, to)| format!("parent.\"{to}\" = \"{}\".\"{from}\"", table.name))
                .collect();
            let given: Vec<String> =
                key.columns.iter().map(|(from, _)| format!("\"{from}\" IS NOT NULL")).collect();
            let lost = format!(
                "{} AND NOT EXISTS (SELECT 1 FROM \"{}\" parent WHERE {})",
                given.join(" AND "),
                key.parent,
                joined.join(" AND ")
            );
            let changed = if key.is_nullable {
                let cleared: Vec<String> =
                    key.columns.iter().map(|(from, _)| format!("\"{from}\" = NULL")).collect();
                into.execute(
                    &format!("UPDATE \"{}\" SET {} WHERE {lost}", table.name, cleared.join(", ")),
                    [],
                )?
            } else {
                into.execute(&format!("DELETE FROM \"{}\" WHERE {lost}", table.name), [])?
            };
            is_changed |= changed > 0;
        }
    }
    Ok(is_changed)
}

/// To which table columns refer.
struct ForeignKey {
    parent: String,
    /// From and to.
    columns: Vec<(String, String)>,
    is_nullable: bool,
}

fn foreign_keys(into: &Connection, table: &str) -> Result<Vec<ForeignKey>> {
    let mut statement = into.prepare(
        "SELECT f.id, f.\"table\", f.\"from\", f.\"to\", c.\"notnull\" = 0 AND c.pk = 0 \
         FROM pragma_foreign_key_list(?1) f JOIN pragma_table_info(?1) c ON c.name = f.\"from\" \
         ORDER BY f.id, f.seq",
    )?;
    let mut rows = statement.query([table])?;
    let mut keys: Vec<(i64, ForeignKey)> = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, parent, is_nullable) = (row.get(0)?, row.get(1)?, row.get(4)?);
        let column = (row.get(2)?, row.get(3)?);
        match keys.last_mut() {
            Some((known, key)) if *known == id => {
                key.columns.push(column);
                key.is_nullable &= is_nullable;
            }
            _ => keys.push((id, ForeignKey { parent, columns: vec![column], is_nullable })),
        }
    }
    Ok(keys.into_iter().map(|(_, key)| key).collect())
}
