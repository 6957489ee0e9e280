//! The table `memory_signature`.

use super::vectors::to_bytes;
use super::{ReadTx, Result, WriteTx};
use rusqlite::{OptionalExtension, params};

/// What a memory felt like, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSignature {
    /// Of which kind of numbers it is.
    pub kind: String,
    /// Only those of one version are compared.
    pub version: u32,
    /// Its numbers, little-endian f32.
    pub bytes: Vec<u8>,
}

impl ReadTx<'_> {
    /// The signature of a row; `None` when it has none.
    pub fn signature(&self, id: i64) -> Result<Option<StoredSignature>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT kind, version, signature FROM memory_signature WHERE memory_id = ?1",
        )?;
        let found = statement.query_row([id], |row| {
            Ok(StoredSignature { kind: row.get(0)?, version: row.get(1)?, bytes: row.get(2)? })
        });
        Ok(found.optional()?)
    }

    /// Calls `f` with each signature of a kind and version, as little-endian f32, in order of id.
    pub fn each_signature(
        &self,
        kind: &str,
        version: u32,
        mut f: impl FnMut(i64, &[u8]),
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(
            "SELECT memory_id, signature FROM memory_signature WHERE kind = ?1 AND version = ?2 \
             ORDER BY memory_id",
        )?;
        let mut rows = statement.query(params![kind, version])?;
        while let Some(row) = rows.next()? {
            f(row.get(0)?, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
        }
        Ok(())
    }

    /// Rows whose signature is of another version and whose id is greater than `after`, at most
    /// `limit`, in order of id.
    pub fn outdated_signatures(&self, version: u32, after: i64, limit: u32) -> Result<Vec<i64>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT memory_id FROM memory_signature WHERE memory_id > ?2 AND version <> ?1 \
             ORDER BY memory_id LIMIT ?3",
        )?;
        let rows = statement.query_map(params![version, after, limit], |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl WriteTx<'_> {
    /// Stores what a row felt like, in place of any former signature.
    pub fn insert_signature(
        &self,
        memory_id: i64,
        kind: &str,
        version: u32,
        vector: &[f32],
    ) -> Result<()> {
        self.connection
            .prepare_cached("INSERT OR REPLACE INTO memory_signature VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![memory_id, kind, version, to_bytes(vector)])?;
        Ok(())
    }

    /// Takes a row's signature out.
    pub fn delete_signature(&self, memory_id: i64) -> Result<()> {
        self.connection
            .prepare_cached("DELETE FROM memory_signature WHERE memory_id = ?1")?
            .execute([memory_id])?;
        Ok(())
    }
}
