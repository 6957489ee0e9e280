//! The active constraints, ready to be compared with actions.

use super::followed::FromRows;
use robot_memory_core::model::Kind;
use robot_memory_db::{self as store, ConstraintFacts, ReadTx};
use robot_memory_index::Change;
use robot_memory_text::guard::{ConstraintRow, Constraints};

impl FromRows for Constraints {
    type Row = ConstraintRow;

    fn load(tx: &ReadTx<'_>) -> store::Result<Self> {
        let mut constraints = Self::default();
        tx.each_constraint(|facts| constraints.put(row(facts)))?;
        Ok(constraints)
    }

    fn changed_row(&self, change: &Change) -> Option<i64> {
        match change {
            Change::Put(put) => (put.kind == Kind::Fact || self.has(put.id)).then_some(put.id),
            Change::Remove { id, .. } | Change::Scope { id, .. } => self.has(*id).then_some(*id),
            Change::Belief { .. }
            | Change::Faded { .. }
            | Change::Level { .. }
            | Change::Vector { .. }
            | Change::Signature { .. } => None,
        }
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
