//! The active constraints, ready to be compared with actions.

use super::followed::FromRows;
use robot_memory_core::model::Kind;
use robot_memory_db::{self as store, ConstraintFacts, ReadTx};
use robot_memory_index::Put;
use robot_memory_text::guard::{ConstraintRow, Constraints};

impl FromRows for Constraints {
    type Row = ConstraintRow;

    fn load(tx: &ReadTx<'_>) -> store::Result<Self> {
        let mut constraints = Self::default();
        tx.each_constraint(|facts| constraints.put(row(facts)))?;
        Ok(constraints)
    }

    fn has(&self, id: i64) -> bool {
        Self::has(self, id)
    }

    fn may_be(put: &Put) -> bool {
        put.kind == Kind::Fact
    }

    fn read(tx: &ReadTx<'_>, id: i64) -> store::Result<Option<ConstraintRow>> {
        Ok(tx.constraint(id)?.map(row))
    }

    fn put(&mut self, id: i64, row: Option<ConstraintRow>) {
        match row {
            Some(row) => Self::put(self, row),
            None => self.remove(id),
        }
    }
}

fn row(facts: ConstraintFacts) -> ConstraintRow {
    ConstraintRow {
        id: facts.id,
        collection: facts.collection,
        scope: facts.scope,
        mem_type: facts.mem_type,
        content: facts.content,
        context: facts.context,
        source: facts.source,
        trust: facts.trust,
    }
}
