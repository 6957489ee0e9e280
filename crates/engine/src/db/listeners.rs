//! Who listens to each new memory.

use super::listener::{ListenerSet, Subscription};
use robot_memory_core::access::Visibility;
use robot_memory_core::model::Scope;
use robot_memory_index::Change;
use std::sync::atomic::{AtomicI64, Ordering};

/// Those who listen.
#[derive(Debug)]
pub(crate) struct Listeners {
    all: ListenerSet<i64>,
    /// The greatest id that was stored; ids are never used again.
    newest_id: AtomicI64,
    /// What they may be shown.
    shown: Visibility,
}

impl Listeners {
    /// In a store whose newest row has this id.
    pub fn after(newest_id: i64, shown: Visibility) -> Self {
        Self { all: ListenerSet::default(), newest_id: AtomicI64::new(newest_id), shown }
    }

    /// One more, and what it will be told; `waiting_max` may wait to be taken.
    pub fn add(&self, waiting_max: usize) -> Subscription<i64> {
        self.all.add(waiting_max)
    }

    /// How many memories those who listen now were not told of.
    pub fn dropped(&self) -> u64 {
        self.all.dropped()
    }

    /// The greatest id that was stored.
    pub fn newest_id(&self) -> i64 {
        self.newest_id.load(Ordering::Relaxed)
    }

    /// Tells of the new rows among committed changes that are to be shown. Called in the order of
    /// commits.
    pub fn publish(&self, changes: &[Change]) {
        self.all.publish(changes.iter().filter_map(|change| {
            let Change::Put(put) = change else { return None };
            let is_new = put.id > self.newest_id.fetch_max(put.id, Ordering::Relaxed);
            let is_shown =
                Scope::parse(&put.scope).is_ok_and(|scope| self.shown.sees(&scope, put.mem_type));
            (is_new && is_shown).then_some(put.id)
        }));
    }
}
