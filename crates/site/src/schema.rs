//! The schema as numbered steps, and what the database must have for it.

use crate::error::{Error, Result};
use postgres::error::SqlState;
use postgres::{Client, Transaction};

/// The steps, in order. A released one never changes.
const STEPS: [&str; 1] = [include_str!("schema/0001_claims.sql")];
/// One program at a time makes the schema or a partition; of no meaning but that others do not use it.
const SCHEMA_LOCK: i64 = 0x726d_5f73_6974_6531;

/// The first that tells whether a role may be set.
const POSTGRES_MIN: i32 = 16;

/// The version that this program makes.
pub const VERSION: i32 = STEPS.len() as i32;

/// Makes or upgrades the schema.
pub(crate) fn upgrade(client: &mut Client, place: &str) -> Result<()> {
    let not_set_up = |reason: String| Error::NotSetUp { place: place.to_owned(), reason };
    check_encoding(client).and_then(|encoding| match encoding.as_str() {
        "UTF8" => Ok(()),
        other => Err(not_set_up(format!("its encoding is {other}, and must be UTF8"))),
    })?;
    let row = client.query_one("SELECT current_setting('server_version_num')::integer", &[])?;
    if row.get::<_, i32>(0) < POSTGRES_MIN * 10_000 {
        return Err(not_set_up(format!("its Postgres must be {POSTGRES_MIN} or newer")));
    }
    let mut tx = client.transaction()?;
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&SCHEMA_LOCK])?;
    if let Some(found) = version(&mut tx)?.filter(|found| *found > VERSION) {
        return Err(Error::NewerSchema { found, known: VERSION });
    }
    need_extension(&mut tx).map_err(|code| {
        not_set_up(format!(
            "it has no pgvector ({code}): install it on the server, and run CREATE EXTENSION vector as an administrator"
        ))
    })?;
    need_role(&mut tx).map_err(|code| {
        not_set_up(format!(
            "the role robot_memory_reader cannot be made or used ({code}): run as an administrator CREATE ROLE \
             robot_memory_reader NOLOGIN; GRANT robot_memory_reader TO <user of the url>"
        ))
    })?;
    let is_reader =
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = 'robot_memory_reader'";
    if tx.query_one(is_reader, &[])?.get::<_, bool>(0) {
        return Err(not_set_up(
            "the role robot_memory_reader passes row level security: take SUPERUSER and BYPASSRLS from it".to_owned(),
        ));
    }
    let from = version(&mut tx)?.unwrap_or(0);
    if from == 0 {
        tx.batch_execute(
            "CREATE SCHEMA IF NOT EXISTS robot_memory; \
             CREATE TABLE robot_memory.schema_version (version integer NOT NULL)",
        )?;
        tx.execute("INSERT INTO robot_memory.schema_version VALUES (0)", &[])?;
    }
    let schema = vector_schema(&mut tx)?;
    if !tx.query_one("SELECT to_regtype('vector') IS NOT NULL", &[])?.get::<_, bool>(0) {
        return Err(not_set_up(format!(
            "pgvector is in the schema {schema}, where {user} does not look: run as an administrator ALTER ROLE {user} SET \
             search_path = \"$user\", public, {schema} and, unless all may use it, GRANT USAGE ON SCHEMA {schema} TO {user}, \
             robot_memory_reader",
            user = current_user(&mut tx)?
        )));
    }
    let vector = format!("{schema}.vector");
    for step in STEPS.iter().skip(from.unsigned_abs() as usize) {
        tx.batch_execute(&step.replace("VECTOR_TYPE", &vector))?;
    }
    if from < VERSION {
        tx.execute("UPDATE robot_memory.schema_version SET version = $1", &[&VERSION])?;
    }
    Ok(tx.commit()?)
}

fn check_encoding(client: &mut Client) -> Result<String> {
    Ok(client.query_one("SELECT current_setting('server_encoding')", &[])?.get(0))
}

fn version(tx: &mut Transaction<'_>) -> Result<Option<i32>> {
    let is_there: bool =
        tx.query_one("SELECT to_regclass('robot_memory.schema_version') IS NOT NULL", &[])?.get(0);
    if !is_there {
        return Ok(None);
    }
    let row = tx.query_opt("SELECT version FROM robot_memory.schema_version", &[])?;
    Ok(row.map(|row| row.get(0)))
}

/// The SQLSTATE of why it cannot be had.
fn need_extension(tx: &mut Transaction<'_>) -> std::result::Result<(), String> {
    attempt(
        tx,
        "SELECT 1 FROM pg_extension WHERE extname = 'vector'",
        "CREATE EXTENSION IF NOT EXISTS vector",
    )
}

fn need_role(tx: &mut Transaction<'_>) -> std::result::Result<(), String> {
    let known = "SELECT 1 FROM pg_roles WHERE rolname = 'robot_memory_reader'";
    attempt(tx, known, "CREATE ROLE robot_memory_reader NOLOGIN")?;
    let member = "SELECT 1 WHERE pg_has_role(current_user, 'robot_memory_reader', 'SET')";
    attempt(tx, member, "GRANT robot_memory_reader TO CURRENT_USER")
}

/// Runs a statement, unless a query has a row.
fn attempt(tx: &mut Transaction<'_>, unless: &str, sql: &str) -> std::result::Result<(), String> {
    let code = |error: postgres::Error| {
        error.code().map_or_else(
            || error.to_string(),
            |code: &SqlState| format!("SQLSTATE {}", code.code()),
        )
    };
    if tx.query_opt(unless, &[]).map_err(code)?.is_some() {
        return Ok(());
    }
    tx.batch_execute(sql).map_err(code)
}

/// The schema in which the extension is.
fn vector_schema(tx: &mut Transaction<'_>) -> Result<String> {
    let row = tx.query_one(
        "SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace \
         WHERE e.extname = 'vector'",
        &[],
    )?;
    Ok(row.get(0))
}

fn current_user(tx: &mut Transaction<'_>) -> Result<String> {
    Ok(tx.query_one("SELECT quote_ident(current_user)", &[])?.get(0))
}

/// The number of a site, which is made with its partitions when it is not known.
pub(crate) fn site_no(client: &mut Client, name: &str) -> Result<i32> {
    let mut tx = client.transaction()?;
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&SCHEMA_LOCK])?;
    let known = tx.query_opt("SELECT no FROM robot_memory.site WHERE name = $1", &[&name])?;
    if let Some(row) = known {
        return Ok(row.get(0));
    }
    let row =
        tx.query_one("INSERT INTO robot_memory.site (name) VALUES ($1) RETURNING no", &[&name])?;
    let no: i32 = row.get(0);
    for table in PARTITIONED {
        // The number is this database's own.
        tx.batch_execute(&format!(
            "CREATE TABLE robot_memory.{table}_s{no} PARTITION OF robot_memory.{table} FOR VALUES IN ({no}) \
             PARTITION BY RANGE (created_at); \
             CREATE TABLE robot_memory.{table}_s{no}_other PARTITION OF robot_memory.{table}_s{no} DEFAULT"
        ))?;
    }
    tx.commit()?;
    Ok(no)
}

/// The tables that have a partition for each site and month.
pub(crate) const PARTITIONED: [&str; 2] = ["statement", "vector"];

/// Makes the partitions of a month, which begins and ends then, unless they are there.
pub(crate) fn make_month(
    client: &mut Client,
    site_no: i32,
    month: &str,
    begin: i64,
    end: i64,
) -> Result<()> {
    let mut tx = client.transaction()?;
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&SCHEMA_LOCK])?;
    for table in PARTITIONED {
        // All of it are numbers of this program.
        tx.batch_execute(&format!(
            "CREATE TABLE IF NOT EXISTS robot_memory.{table}_s{site_no}_{month} \
             PARTITION OF robot_memory.{table}_s{site_no} FOR VALUES FROM ({begin}) TO ({end})"
        ))?;
    }
    Ok(tx.commit()?)
}

/// Names of the months that have partitions.
pub(crate) fn months(client: &mut Client, site_no: i32) -> Result<Vec<String>> {
    let parent = format!("robot_memory.vector_s{site_no}");
    let rows = client.query(
        "SELECT substring(c.relname from '_([0-9]{6})$') FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
         WHERE i.inhparent = to_regclass($1) AND c.relname ~ '_[0-9]{6}$' ORDER BY 1",
        &[&parent],
    )?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}
