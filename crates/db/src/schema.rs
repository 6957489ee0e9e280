//! The schema's versions and the steps between them.

use super::{Error, Result};
use rusqlite::{Connection, TransactionBehavior};
use std::collections::BTreeSet;
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
    include_str!("schema/0009_belief.sql"),
    include_str!("schema/0010_identity.sql"),
    include_str!("schema/0011_attempts.sql"),
    include_str!("schema/0012_lessons.sql"),
    include_str!("schema/0013_objects.sql"),
    include_str!("schema/0014_pictures.sql"),
    include_str!("schema/0015_timeline.sql"),
    include_str!("schema/0016_fleet.sql"),
    include_str!("schema/0017_rulings.sql"),
    include_str!("schema/0018_receipts.sql"),
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

/// What a version makes that a file of it lacks: the kind and the name of the first.
pub fn lacking(connection: &Connection, version: i64) -> Result<Option<String>> {
    let named = "SELECT type || ' ' || name FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY 1";
    let names = |connection: &Connection| -> Result<BTreeSet<String>> {
        let mut statement = connection.prepare(named)?;
        let names = statement.query_map([], |row| row.get(0))?;
        Ok(names.collect::<rusqlite::Result<_>>()?)
    };
    let whole = Connection::open_in_memory()?;
    make(&whole, version)?;
    let found = names(connection)?;
    Ok(names(&whole)?.into_iter().find(|name| !found.contains(name)))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory of an earlier version: its confidence, and when it was made, changed, recalled and counted.
    fn memory(id: i64, confidence: f64, times: [Option<i64>; 4]) -> String {
        let [created_at, updated_at, last_accessed, decayed_until] =
            times.map(|time| time.map_or("NULL".to_owned(), |time| time.to_string()));
        format!(
            "INSERT INTO memory (id, status, type, level, mem_type, trust, is_real, word_count, \
             quantity_key, confidence, created_at, collection, scope, turn_id, agent, source, \
             decay_rate, importance, last_accessed, updated_at, decayed_until, schema_version, \
             content_hash, content, tags, scope_files, scope_entities, context) VALUES ({id}, \
             'active', 'fact', 'knowledge', 'fact', 'high', 0, 1, 1, {confidence}, {created_at}, \
             'default', 'global', '', '', 'operator', 0.01, 0.5, {last_accessed}, {updated_at}, \
             {decayed_until}, 7, zeroblob(32), 'x', '', '', '', '');"
        )
    }

    fn faded(id: i64, entry_no: i64, before: f64, began_at: i64) -> String {
        format!(
            "INSERT INTO memory_ledger VALUES ({id}, {entry_no}, 'faded', 'maintenance', '', \
             '{before:.4}', '0.1', 1, {began_at}, {began_at});"
        )
    }

    #[test]
    fn belief_that_was_written_as_it_faded_becomes_what_was_said() {
        let mut connection = Connection::open_in_memory().expect("it opens");
        make(&connection, 8).expect("the schema");
        let rows = [
            // Never faded; faded, and recalled; said anew since; and of which no ledger tells.
            memory(1, 0.8, [Some(10), Some(10), None, None]),
            memory(2, 0.5, [Some(10), Some(10), Some(40), Some(30)]) + &faded(2, 1, 0.85, 20),
            memory(3, 0.7, [Some(10), Some(25), None, Some(30)])
                + &faded(3, 1, 0.95, 20)
                + &faded(3, 2, 0.8, 30),
            memory(4, 0.6, [Some(10), Some(25), None, Some(25)]) + &faded(4, 1, 0.95, 20),
            // An event of a bag that was imported, and one that the robot heard itself.
            memory(5, 0.4, [Some(10), Some(10), None, Some(30)]) + &faded(5, 1, 0.8, 30),
            memory(6, 0.4, [Some(10), Some(10), None, Some(30)]),
        ];
        let others =
            "INSERT INTO session VALUES ('bag', 'default', 'ended', '', '', NULL, 0, 1, 2);
            UPDATE memory SET session_id = 'bag' WHERE id = 5;
            INSERT INTO event VALUES (5, 'a', 'a', 's', 't', 10, 10, 0, '', 0),
                                     (6, 'b', 'b', 's', 't', 10, 10, 0, '', 0);";
        connection.execute_batch(&(rows.concat() + others)).expect("the rows");
        migrate(&mut connection).expect("it migrates");
        let mut statement = connection
            .prepare("SELECT confidence, said_at, known_at FROM memory ORDER BY id")
            .expect("the columns");
        let found: Vec<(f64, Option<i64>, Option<i64>)> = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .and_then(Iterator::collect)
            .expect("rows");
        let expected = [
            (0.8, None, None),
            (0.85, None, None),
            (0.8, None, None),
            (0.6, Some(25), None),
            (0.4, Some(30), Some(30)),
            (0.4, Some(30), None),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn pictures_of_active_perceptions_are_known_whatever_other_data_hold() {
        let mut connection = Connection::open_in_memory().expect("it opens");
        make(&connection, 13).expect("the schema");
        let with_picture = r#"{"image": {"t": 0.5, "thumbnail_jpeg": "AAAA"}}"#;
        let data = [
            with_picture,
            r#"{"image": {"thumbnail_jpeg": 7}}"#,
            r#"{"thumbnail_jpeg": "AAAA"}"#,
            r#"{"note": "no \"thumbnail_jpeg\""}"#,
            r#"{"image": {"thumbnail_jpeg": "AAAA""#,
            r#"["thumbnail_jpeg"]"#,
            "",
            with_picture,
        ];
        for (data, id) in data.iter().zip(1..) {
            let rows = memory(id, 0.5, [Some(10), Some(10), None, None]);
            connection
                .execute_batch(&rows.replace("decayed_until", "said_at"))
                .expect("a row of version 13");
            connection
                .execute("INSERT INTO perception VALUES (?1, 'visual', ?2, '{}')", (id, data))
                .expect("a row");
        }
        connection
            .execute_batch("UPDATE memory SET status = 'archived' WHERE id = 8")
            .expect("it is archived");
        migrate(&mut connection).expect("it migrates");
        let mut statement =
            connection.prepare("SELECT memory_id FROM memory_picture").expect("the table");
        let ids = statement.query_map([], |row| row.get(0)).and_then(Iterator::collect);
        assert_eq!(ids, Ok(vec![1_i64]));
    }
}
