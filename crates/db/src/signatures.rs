//! The table `memory_signature`.

use super::column::{Cells, record};
use super::vectors::to_bytes;
use super::{ReadTx, Result, WriteTx};
use crate::statement::statements;
use rusqlite::params;

record! {
    /// What a memory felt like, as it is stored.
    #[derive(Debug, Clone, PartialEq)]
    pub struct StoredSignature, select_signature {
        /// Of which kind of numbers it is.
        pub kind: String = "kind",
        /// Only those of one version are compared.
        pub version: u32 = "version",
        /// Its numbers, little-endian f32.
        pub bytes: Vec<u8> = "signature",
    }
}

impl ReadTx<'_> {
    statements! {
        /// The signature of a row; `None` when it has none.
        pub fn signature(id: i64) -> row<StoredSignature> =
            select_signature!("FROM memory_signature WHERE memory_id = ?1");

        /// Rows whose signature is of another version and whose id is greater than `after`, at most
        /// `limit`, in order of id.
        pub fn outdated_signatures(version: u32, after: i64, limit: u32) -> values<i64> =
            "SELECT memory_id FROM memory_signature WHERE memory_id > ?2 AND version <> ?1 \
             ORDER BY memory_id LIMIT ?3";
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
}

impl WriteTx<'_> {
    statements! {
        /// Stores what a row felt like, in place of any former signature.
        pub fn insert_signature(memory_id: i64, kind: &str, version: u32, vector: &[f32])
            [memory_id, kind, version, to_bytes(vector)] -> execute =
            "INSERT OR REPLACE INTO memory_signature VALUES (?1, ?2, ?3, ?4)";

        /// Takes a row's signature out.
        pub fn delete_signature(memory_id: i64) -> execute =
            "DELETE FROM memory_signature WHERE memory_id = ?1";
    }
}
