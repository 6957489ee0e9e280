//! The active constraints, kept in memory ready to be held against actions. They are loaded when first
//! asked for, and follow each commit before it is acknowledged.

use super::{Db, Result};
use robot_memory_core::model::Kind;
use robot_memory_db::{self as store, ConstraintFacts, ReadTx, RwLocked};
use robot_memory_index::Change;
use robot_memory_text::guard::{ConstraintRow, Constraints};
use std::sync::RwLock;

/// The constraints of some revision of the store: of every one that was acknowledged.
#[derive(Debug, Default)]
pub(crate) struct ConstraintsCache(RwLock<Option<CachedConstraints>>);

/// The constraints, and the revision of the store that they are of.
#[derive(Debug)]
struct CachedConstraints {
    constraints: Constraints,
    revision: i64,
}

impl Db {
    /// Runs `f` on the constraints.
    pub(crate) fn with_constraints<T>(
        &self,
        f: impl FnOnce(&Constraints) -> Result<T>,
    ) -> Result<T> {
        let lock = &self.constraints.0;
        if let Some(kept) = &*self.constraints.0.read_locked()
            && self.is_current(kept)?
        {
            return f(&kept.constraints);
        }
        // Under the lock: a commit that is not in the snapshot waits, and is followed afterwards.
        let mut kept = lock.write_locked();
        let kept = match &mut *kept {
            Some(kept) if !self.store.is_reading_only() => kept,
            slot => slot.insert(self.store.read(load)?),
        };
        f(&kept.constraints)
    }

    /// Lets the constraints follow a commit, when they are loaded. The right to write is held.
    pub(crate) fn follow_constraints(&self, changes: &[Change], revision: i64) {
        let followed = match &*self.constraints.0.read_locked() {
            None => return,
            Some(kept) => self.changed_constraints(&kept.constraints, changes),
        };
        let mut slot = self.constraints.0.write_locked();
        let Some(kept) = &mut *slot else { return };
        match followed {
            Ok(changed) => {
                for (id, facts) in changed {
                    match facts {
                        Some(facts) => kept.constraints.put(row(facts)),
                        None => kept.constraints.remove(id),
                    }
                }
                kept.revision = revision;
            }
            Err(error) => {
                // The next that asks loads them all, or is told that they cannot be read.
                log::error!("the constraints could not follow a change: {error}");
                *slot = None;
            }
        }
    }

    /// The rows among these changes that are constraints now, or were before.
    fn changed_constraints(
        &self,
        known: &Constraints,
        changes: &[Change],
    ) -> store::Result<Vec<(i64, Option<ConstraintFacts>)>> {
        let may_be = |change: &Change| match change {
            Change::Put(put) => (put.kind == Kind::Fact || known.has(put.id)).then_some(put.id),
            Change::Remove { id, .. } | Change::Scope { id, .. } => known.has(*id).then_some(*id),
            Change::Belief { .. }
            | Change::Faded { .. }
            | Change::Level { .. }
            | Change::Vector { .. }
            | Change::Signature { .. } => None,
        };
        let ids: Vec<i64> = changes.iter().filter_map(may_be).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.store.read(|tx| ids.into_iter().map(|id| Ok((id, tx.constraint(id)?))).collect())
    }

    /// Forgets them all: the next that asks loads them.
    pub(crate) fn forget_constraints(&self) {
        *self.constraints.0.write_locked() = None;
    }

    /// Beside another process that writes, whose commits are not followed, they may be behind.
    fn is_current(&self, cached: &CachedConstraints) -> Result<bool> {
        if !self.store.is_reading_only() {
            return Ok(true);
        }
        Ok(self.store.read(|tx| tx.revision())? == cached.revision)
    }
}

fn load(tx: &ReadTx<'_>) -> store::Result<CachedConstraints> {
    let mut constraints = Constraints::default();
    tx.each_constraint(|facts| constraints.put(row(facts)))?;
    Ok(CachedConstraints { constraints, revision: tx.revision()? })
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
