//! Counts over all rows.

use super::column::{Cells, Column};
use super::{ReadTx, Result, schema};
use robot_memory_core::model::{Category, Kind, Level, MemType, Scope, Stamp, Status};
use std::collections::BTreeMap;

/// How many memories are alike in all of this, and when the first and the last of them were made.
pub struct MemoryTotal {
    pub status: Status,
    pub kind: Kind,
    pub category: Option<Category>,
    pub level: Level,
    pub scope: Scope,
    pub mem_type: MemType,
    pub collection: String,
    pub count: u64,
    pub oldest: Stamp,
    pub newest: Stamp,
}

impl ReadTx<'_> {
    /// All memories, counted in one pass, in no order.
    pub fn memory_totals(&self) -> Result<Vec<MemoryTotal>> {
        let sql = "SELECT status, type, category, level, collection, count(*), min(created_at), \
                   max(created_at), min(id), scope, mem_type FROM memory \
                   GROUP BY status, type, category, level, collection, scope, mem_type";
        self.rows(sql, [], |row| {
            // An unknown spelling is told of the first row that has it.
            let column = Column { row, id: row.get(8)? };
            Ok(MemoryTotal {
                status: column.text(0, "status", Status::parse)?,
                kind: column.text(1, "type", Kind::parse)?,
                category: column.optional_text(2, "category", Category::parse)?,
                level: column.text(3, "level", Level::parse)?,
                scope: column.scope(9)?,
                mem_type: column.text(10, "mem_type", MemType::parse)?,
                collection: row.get(4)?,
                count: row.count(5)?,
                oldest: row.stamp(6)?,
                newest: row.stamp(7)?,
            })
        })
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
        let sql = "SELECT n.name, m.scope, m.mem_type, count(*), min(m.id) \
                   FROM memory_vector v JOIN memory m ON m.id = v.memory_id \
                   JOIN embedding_model n ON n.model = v.model GROUP BY 1, 2, 3";
        let mut totals: BTreeMap<String, u64> = BTreeMap::new();
        self.each(sql, [], |row| {
            let column = Column { row, id: row.get(4)? };
            let scope = column.scope(1)?;
            if counts(&scope, column.text(2, "mem_type", MemType::parse)?) {
                *totals.entry(row.get(0)?).or_default() += row.count(3)?;
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
