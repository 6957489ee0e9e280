use std::collections::HashMap;
use std::sync::Arc;

/// Parts of a map: so many times fewer entries are copied for one that is new.
const SHARDS: usize = 64;

/// Numbers of texts. Clones share the parts that neither of them changes.
#[derive(Debug, Clone, Default)]
pub(super) struct TextMap {
    /// None, or [`SHARDS`] of them.
    shards: Vec<Arc<HashMap<Arc<str>, u32>>>,
}

impl TextMap {
    /// The number of a text.
    pub(super) fn get(&self, text: &str) -> Option<u32> {
        self.shards.get(shard(text))?.get(text).copied()
    }

    /// Gives a text a number.
    pub(super) fn insert(&mut self, text: Arc<str>, number: u32) {
        if self.shards.is_empty() {
            self.shards.resize_with(SHARDS, Arc::default);
        }
        Arc::make_mut(&mut self.shards[shard(&text)]).insert(text, number);
    }

    /// Forgets a text.
    pub(super) fn remove(&mut self, text: &str) {
        if let Some(shard) = self.shards.get_mut(shard(text)) {
            Arc::make_mut(shard).remove(text);
        }
    }
}

/// Names that are counted differ at their ends.
fn shard(text: &str) -> usize {
    let ends = text.bytes().rev().take(8);
    ends.fold(text.len(), |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % SHARDS
}
