//! The table `memory_signature`.

use super::column::Cells;
use super::vectors::to_bytes;
use super::{ReadTx, Result, WriteTx};
use rusqlite::params;

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
        let sql = "SELECT kind, version, signature FROM memory_signature WHERE memory_id = ?1";
        self.row(sql, [id], |row| {
            Ok(StoredSignature { kind: row.get(0)?, version: row.get(1)?, bytes: row.get(2)? })
        })
    }

    /// Calls `f` with each signature of a kind and version, as little-endian f32, in order of id.
    pub fn each_signature(
        &self,
        kind: &str,
        version: u32,
        mut f: impl FnMut(i64, &[u8]),
    ) -> Result<()> {
        let sql = "SELECT memory_id, signature FROM memory_signature WHERE kind = ?1 \
                   AND version = ?2 ORDER BY memory_id";
        self.each(sql, params![kind, version], |row| {
            f(row.get(0)?, row.blob(1)?);
            Ok(())
        })
    }

    /// Rows whose signature is of another version and whose id is greater than `after`, at most
    /// `limit`, in order of id.
    pub fn outdated_signatures(&self, version: u32, after: i64, limit: u32) -> Result<Vec<i64>> {
        self.values(
            "SELECT memory_id FROM memory_signature WHERE memory_id > ?2 AND version <> ?1 \
             ORDER BY memory_id LIMIT ?3",
            params![version, after, limit],
        )
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
        self.execute(
            "INSERT OR REPLACE INTO memory_signature VALUES (?1, ?2, ?3, ?4)",
            params![memory_id, kind, version, to_bytes(vector)],
        )
    }

    /// Takes a row's signature out.
    pub fn delete_signature(&self, memory_id: i64) -> Result<()> {
        self.execute("DELETE FROM memory_signature WHERE memory_id = ?1", [memory_id])
    }
}
