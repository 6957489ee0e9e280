//! What memories name, kept for the next recall: to read it takes longer than the rest of a recall.

use robot_memory_db::Locked;
use robot_memory_text::inference::Objects;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex};

/// Texts of a generation; two are kept.
const GENERATION_MAX: usize = 4_096;

/// What memories name that were read lately.
#[derive(Default)]
pub(super) struct NamedObjects {
    kept: Mutex<CachedNames>,
    hashes: RandomState,
}

/// Two generations: a full newer one becomes the older one, and what is only in that is forgotten.
#[derive(Default)]
struct CachedNames {
    newer: HashMap<(i64, Which), Named>,
    older: HashMap<(i64, Which), Named>,
}

/// Which of the objects in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Which {
    /// All.
    Named,
    /// What it tells something of.
    ToldOf,
}

#[derive(Clone)]
struct Named {
    /// Of the text that it was read from.
    hash: u64,
    objects: Arc<Objects>,
}

impl NamedObjects {
    /// What the text of a memory names.
    pub fn of(&self, id: i64, content: &str) -> Arc<Objects> {
        self.read(id, Which::Named, content)
    }

    /// What the text of a memory tells something of.
    pub fn told_of(&self, id: i64, content: &str) -> Arc<Objects> {
        self.read(id, Which::ToldOf, content)
    }

    fn read(&self, id: i64, which: Which, content: &str) -> Arc<Objects> {
        let hash = self.hashes.hash_one(content);
        let known = self.kept.locked().get((id, which)).filter(|named| named.hash == hash);
        let named = known.unwrap_or_else(|| {
            let objects = match which {
                Which::Named => Objects::named_in(content),
                Which::ToldOf => Objects::told_of_in(content),
            };
            Named { hash, objects: Arc::new(objects) }
        });
        let objects = Arc::clone(&named.objects);
        self.kept.locked().put((id, which), named);
        objects
    }
}

impl CachedNames {
    fn get(&self, key: (i64, Which)) -> Option<Named> {
        self.newer.get(&key).or_else(|| self.older.get(&key)).cloned()
    }

    fn put(&mut self, key: (i64, Which), named: Named) {
        if self.newer.len() >= GENERATION_MAX && !self.newer.contains_key(&key) {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, named);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_changed_is_read_anew_and_few_are_kept() {
        let named = NamedObjects::default();
        let mug = named.of(1, "The mug needs 9 N");
        assert!(Arc::ptr_eq(&mug, &named.of(1, "The mug needs 9 N")));
        let glass = named.of(1, "The glass needs 9 N");
        assert_eq!(*glass, Objects::named_in("The glass needs 9 N"));
        assert_ne!(mug, glass);
        assert!(named.told_of(1, "In the glass").is_empty());
        assert_eq!(*named.of(1, "The glass needs 9 N"), *glass);
        for id in 2..3 * GENERATION_MAX as i64 {
            named.of(id, "mug");
            // What is asked for again and again stays.
            assert!(Arc::ptr_eq(&glass, &named.of(1, "The glass needs 9 N")));
        }
        let kept = named.kept.locked();
        assert!(kept.newer.len() + kept.older.len() <= 2 * GENERATION_MAX);
    }
}
