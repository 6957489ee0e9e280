//! The schema's versions and the steps between them.

use super::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};
use std::time::Instant;

/// Marks a file as a memory store (`PRAGMA application_id`): "rmem".
pub const APPLICATION_ID: i64 = 0x726d_656d;

/// Step `i` takes a store from version `i` to version `i + 1`. A released step never changes.
const STEPS: &[&str] = &[
    include_str!("schema/0001_memory.sql"),
    include_str!("schema/0002_scale.sql"),
    include_str!("schema/0003_events.sql"),
    include_str!("schema/0004_governance.sql"),
    include_str!("schema/0005_jobs.sql"),
    include_str!("schema/0006_upkeep.sql"),
    include_str!("schema/0007_fading.sql"),
    include_str!("schema/0008_job_ends.sql"),
];

/// The version that this program writes.
pub const VERSION: i64 = STEPS.len() as i64;

/// The version of an open store; 0 when the file is new.
pub fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Whose file it is.
pub fn application_id(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "application_id", |row| row.get(0))?)
}

/// Refuses a version that this program does not know yet.
pub fn refuse_newer(found: i64) -> Result<()> {
    if found > VERSION { Err(Error::NewerSchema { found, known: VERSION }) } else { Ok(()) }
}

/// Makes the schema of a version that this program knows in a new file.
pub fn make(connection: &Connection, version: i64) -> Result<()> {
    refuse_newer(version)?;
    for step in &STEPS[..usize::try_from(version).unwrap_or(0)] {
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "user_version", version)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(())
}

/// Brings the store to [`VERSION`], all steps in one transaction; answers the version it had. The
/// connection may not enforce foreign keys afterwards.
pub fn migrate(connection: &mut Connection) -> Result<i64> {
    let found = version(connection)?;
    refuse_newer(found)?;
    if found == VERSION {
        return Ok(found);
    }
    // A step may make a table anew: dropping the former one would delete what refers to it. Inside
    // a transaction this cannot be changed, and SQLite may have been built to enforce them.
    connection.pragma_update(None, "foreign_keys", false)?;
    let started = Instant::now();
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (step, to) in STEPS.iter().zip(1..).skip(usize::try_from(found).unwrap_or(0)) {
        if found > 0 {
            log::info!("the store goes from schema version {} to {to}", to - 1);
        }
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "user_version", VERSION)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    tx.commit()?;
    if found > 0 {
        let seconds = started.elapsed().as_secs_f64();
        log::info!("the store has schema version {VERSION} after {seconds:.1} s");
    }
    Ok(found)
}
