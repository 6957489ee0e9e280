//! Which rows are active constraints.

use super::column::{Record, record};
use super::{ReadTx, Result};
use robot_memory_core::model::{MemType, Scope, Source, Trust};

record! {
    /// What the guard needs of a constraint.
    #[derive(Debug, Clone)]
    pub struct ConstraintFacts, select_constraint {
        pub id: i64 = "id",
        pub collection: String = "collection",
        pub scope: Scope = "scope",
        pub mem_type: MemType = "mem_type",
        pub content: String = "content",
        pub context: String = "context",
        pub source: Source = "source",
        pub trust: Trust = "trust",
    }
}

macro_rules! constraints {
    ($rest:literal) => {
        select_constraint!(
            "FROM memory WHERE status = 'active' AND category = 'constraint' ",
            $rest
        )
    };
}

impl ReadTx<'_> {
    /// Calls `f` with each active constraint, in order of id.
    pub fn each_constraint(&self, mut f: impl FnMut(ConstraintFacts)) -> Result<()> {
        self.each(constraints!("ORDER BY id"), [], |row| Record::read(row).map(&mut f))
    }

    /// The memory of this id, when it is an active constraint.
    pub fn constraint(&self, id: i64) -> Result<Option<ConstraintFacts>> {
        self.row(constraints!("AND id = ?1"), [id], Record::read)
    }
}
