//! Indexes of vectors: one for each month and model, made when the month has many.

use crate::SiteStore;
use crate::error::Result;
use crate::schema;
use postgres::Client;
use robot_memory_core::limits::{SITE_EXACT_ROWS_MAX, SITE_INDEXED_COMPONENTS_MAX};

impl SiteStore {
    /// Makes the indexes of vectors that are missing: of each month and model with more vectors than are compared one by one.
    /// Beside reads and takes; minutes for a month of a large site. Returns how many were made. Without them a recall with a
    /// vector is exact, and as slow as there are vectors.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn index_vectors(&self) -> Result<u64> {
        // A connection of its own: the writer goes on.
        self.pool().read(|client| {
            // Another program that makes them has it until it is done.
            let lock = "hashtext('robot_memory.index_vectors')";
            let row = client.query_one(&format!("SELECT pg_try_advisory_lock({lock})"), &[])?;
            if !row.get::<_, bool>(0) {
                return Ok(0);
            }
            let models = client.query(
                "SELECT no, dimension FROM robot_memory.model WHERE dimension <= $1 ORDER BY no",
                &[&(SITE_INDEXED_COMPONENTS_MAX as i32)],
            )?;
            let mut partitions = schema::months(client, self.site_no())?;
            partitions.push("other".to_owned());
            client.batch_execute("SET statement_timeout = 0")?;
            let mut count = 0;
            for model in &models {
                for partition in &partitions {
                    let table = format!("vector_s{}_{partition}", self.site_no());
                    count += u64::from(make(client, &table, model.get(0), model.get(1))?);
                }
            }
            client.batch_execute(&format!(
                "RESET statement_timeout; SELECT pg_advisory_unlock({lock})"
            ))?;
            Ok(count)
        })
    }
}

/// Makes the index of a partition and a model, unless it is there or too few rows are.
fn make(client: &mut Client, table: &str, model_no: i32, dimension: i32) -> Result<bool> {
    let index = format!("{table}_m{model_no}");
    let known = client.query_opt(
        "SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relname = $1 \
         AND c.relnamespace = 'robot_memory'::regnamespace",
        &[&index],
    )?;
    match known.map(|row| row.get::<_, bool>(0)) {
        Some(true) => return Ok(false),
        // One whose making was broken off.
        Some(false) => {
            client.batch_execute(&format!("DROP INDEX CONCURRENTLY robot_memory.{index}"))?
        }
        None => {}
    }
    // Table and numbers are this database's own.
    let row = client.query_one(
        &format!(
            "SELECT count(*) FROM (SELECT FROM robot_memory.{table} WHERE model_no = {model_no} LIMIT {}) some_rows",
            SITE_EXACT_ROWS_MAX + 1
        ),
        &[],
    )?;
    if row.get::<_, i64>(0) <= SITE_EXACT_ROWS_MAX {
        return Ok(false);
    }
    client.batch_execute(&format!(
        "CREATE INDEX CONCURRENTLY {index} ON robot_memory.{table} USING hnsw \
         ((embedding::vector({dimension})) vector_cosine_ops) WHERE model_no = {model_no}"
    ))?;
    Ok(true)
}
