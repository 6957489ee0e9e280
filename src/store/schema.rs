//! The schema's versions and the steps between them.

use super::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};

/// Marks a file as a memory store (`PRAGMA application_id`): "rmem".
pub const APPLICATION_ID: i64 = 0x726d_656d;

/// Step `i` takes a store from version `i` to version `i + 1`. A released step never changes.
const STEPS: &[&str] = &[include_str!("schema/0001_memory.sql")];

/// The version that this program writes.
pub const VERSION: i64 = STEPS.len() as i64;

/// The version of an open store; 0 when the file is new.
pub fn version(connection: &Connection) -> Result<i64> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Refuses a version that this program does not know yet.
pub fn refuse_newer(found: i64) -> Result<()> {
    if found > VERSION { Err(Error::NewerSchema { found, known: VERSION }) } else { Ok(()) }
}

/// Brings the store to [`VERSION`], all steps in one transaction.
pub fn migrate(connection: &mut Connection) -> Result<()> {
    let found = version(connection)?;
    refuse_newer(found)?;
    if found == VERSION {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in STEPS.iter().skip(usize::try_from(found).unwrap_or(0)) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "user_version", VERSION)?;
    tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(tx.commit()?)
}
