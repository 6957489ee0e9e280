//! Counts over all rows.

use super::column::{Cells, Record, record};
use super::{ReadTx, Result, schema};
use robot_memory_core::model::{Category, Kind, Level, MemType, Scope, Stamp, Status};
use std::collections::BTreeMap;

// An unknown spelling is told of the first row that has it.
record! {
    /// How many memories are alike in all of this, and when the first and the last of them were made.
    pub struct MemoryTotal, select_total by "min(id)" {
        pub status: Status = "status",
        pub kind: Kind = "type",
        pub category: Option<Category> = "category",
        pub level: Level = "level",
        pub scope: Scope = "scope",
        pub mem_type: MemType = "mem_type",
        pub collection: String = "collection",
        pub count: u64 = "count(*)",
        pub oldest: Stamp = "min(created_at)",
        pub newest: Stamp = "max(created_at)",
    }
}

impl ReadTx<'_> {
    /// All memories, counted in one pass, in no order.
    pub fn memory_totals(&self) -> Result<Vec<MemoryTotal>> {
        let sql = select_total!(
            "FROM memory GROUP BY status, type, category, level, collection, scope, mem_type"
        );
        self.rows(sql, [], Record::read)
    }

    /// How many vectors there are of each model.
    pub fn vector_totals(&self) -> Result<BTreeMap<String, u64>> {
        let totals = self.rows(
            "SELECT m.name, v.count FROM embedding_model m JOIN \
             (SELECT model, count(*) AS count FROM memory_vector GROUP BY model) v \
             ON v.model = m.model",
            [],
            |row| Ok((row.get(0)?, row.count(1)?)),
        )?;
        Ok(totals.into_iter().collect())
    }

    /// How many vectors there are of each model, of the scopes and life cycle classes that count.
    pub fn vector_totals_of(
        &self,
        counts: impl Fn(&Scope, MemType) -> bool,
    ) -> Result<BTreeMap<String, u64>> {
        let sql = "SELECT min(m.id), n.name, m.scope, m.mem_type, count(*) \
                   FROM memory_vector v JOIN memory m ON m.id = v.memory_id \
                   JOIN embedding_model n ON n.model = v.model GROUP BY 2, 3, 4";
        let mut totals: BTreeMap<String, u64> = BTreeMap::new();
        self.each(sql, [], |row| {
            if counts(&row.cell(2, "scope")?, row.cell(3, "mem_type")?) {
                *totals.entry(row.get(1)?).or_default() += row.count(4)?;
            }
            Ok(())
        })?;
        Ok(totals)
    }

    /// The version of the file's schema.
    pub fn schema_version(&self) -> Result<u32> {
        Ok(u32::try_from(schema::version(self.connection)?).unwrap_or(0))
    }
}
