//! Which rows are active constraints.

use super::column::Column;
use super::{ReadTx, Result};
use robot_memory_core::model::{MemType, Scope, Source, Trust};
use rusqlite::Row;

/// What the guard needs of a constraint.
#[derive(Debug, Clone)]
pub struct ConstraintFacts {
    pub id: i64,
    pub collection: String,
    pub scope: Scope,
    pub mem_type: MemType,
    pub content: String,
    pub context: String,
    pub source: Source,
    pub trust: Trust,
}

/// What [`facts`] reads, in this order.
macro_rules! columns {
    () => {
        "SELECT id, collection, scope, mem_type, content, context, source, trust FROM memory \
         WHERE status = 'active' AND category = 'constraint'"
    };
}

impl ReadTx<'_> {
    /// Calls `f` with each active constraint, in order of id.
    pub fn each_constraint(&self, mut f: impl FnMut(ConstraintFacts)) -> Result<()> {
        self.each(concat!(columns!(), " ORDER BY id"), [], |row| {
            f(facts(row)?);
            Ok(())
        })
    }

    /// The memory of this id, when it is an active constraint.
    pub fn constraint(&self, id: i64) -> Result<Option<ConstraintFacts>> {
        self.row(concat!(columns!(), " AND id = ?1"), [id], facts)
    }
}

fn facts(row: &Row<'_>) -> Result<ConstraintFacts> {
    let id = row.get(0)?;
    let column = Column { row, id };
    Ok(ConstraintFacts {
        id,
        collection: row.get(1)?,
        scope: column.scope(2)?,
        mem_type: column.text(3, "mem_type", MemType::parse)?,
        content: row.get(4)?,
        context: row.get(5)?,
        source: column.text(6, "source", Source::parse)?,
        trust: column.text(7, "trust", Trust::parse)?,
    })
}
