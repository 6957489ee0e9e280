//! The versions of the indexes in memory.

use robot_memory_db::{Locked, RwLocked};
use robot_memory_index::Derived;
use std::sync::{Arc, Mutex, RwLock};

/// The newest version of what is derived from the rows. Who reads holds a version and no lock.
#[derive(Debug)]
pub(crate) struct Indexes {
    /// Locked for as long as it takes to copy or exchange a pointer, and for a [small](Self::change_little)
    /// change of a version that nobody has.
    newest: RwLock<Arc<Derived>>,
    /// Held by who makes the next version.
    changing: Mutex<()>,
}

impl Indexes {
    pub(crate) fn new(derived: Derived) -> Self {
        Self { newest: RwLock::new(Arc::new(derived)), changing: Mutex::new(()) }
    }

    /// The newest version.
    pub(crate) fn newest(&self) -> Arc<Derived> {
        Arc::clone(&self.newest.read_locked())
    }

    /// Makes the next version: a clone, which shares what is not changed and then takes the place of the
    /// newest. Nobody who reads waits for it.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Derived) -> T) -> T {
        let _one_at_a_time = self.changing.locked();
        self.change_clone(change)
    }

    /// The same for what takes microseconds: in place when nobody has the newest version, so that no page is
    /// copied. Who comes to read meanwhile waits these microseconds.
    pub(crate) fn change_little<T>(&self, change: impl FnOnce(&mut Derived) -> T) -> T {
        let _one_at_a_time = self.changing.locked();
        if let Some(derived) = Arc::get_mut(&mut self.newest.write_locked()) {
            return change(derived);
        }
        self.change_clone(change)
    }

    fn change_clone<T>(&self, change: impl FnOnce(&mut Derived) -> T) -> T {
        let mut next = Derived::clone(&self.newest());
        let outcome = change(&mut next);
        self.replace_newest(next);
        outcome
    }

    /// Puts one in the place of all that were there.
    pub(crate) fn replace(&self, derived: Derived) {
        let _one_at_a_time = self.changing.locked();
        self.replace_newest(derived);
    }

    fn replace_newest(&self, derived: Derived) {
        let mut next = Arc::new(derived);
        {
            let mut newest = self.newest.write_locked();
            std::mem::swap(&mut *newest, &mut next);
        }
        // Freed while nobody waits, unless somebody reads it still.
        drop(next);
    }
}
