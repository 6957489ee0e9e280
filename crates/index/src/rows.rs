//! What every search needs of the active rows, a column for each fact.

mod beliefs;
mod classes;
mod groups;
mod name_list;
mod names;
mod scopes;
mod sessions;
mod summary;
#[cfg(test)]
mod tests;
mod times;

pub use classes::ClassCounts;
pub use groups::Grouping;
pub use names::Names;
pub use summary::RowSelection;
pub use times::SessionCount;

use super::chunks::{BLOCK_LEN, Chunks};
use super::paged::Paged;
use super::planes::{Bits, Planes};
use super::{Bitset, Slot};
use beliefs::Beliefs;
use robot_memory_core::model::{Belief, Category, Kind, Level, MemType, ScopeKind, Stamp, Trust};
use scopes::Scopes;
use sessions::Links;
use std::cell::Cell;
use std::collections::BTreeMap;
use summary::Summary;

/// What every search needs of an active row, and no more.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowFacts {
    pub id: i64,
    /// Its collection, as a number from [`Names`].
    pub collection: u32,
    /// Its scope, as a number from [`Names`].
    pub scope: u32,
    /// What kind of scope that is.
    pub scope_kind: ScopeKind,
    /// Its session, as a number from [`Names`]; that of the empty name when it has none.
    pub session: u32,
    /// Reach and life.
    pub level: Level,
    /// Fact, perception or summary.
    pub kind: Kind,
    /// Life cycle class.
    pub mem_type: MemType,
    /// Kind of statement, of a fact.
    pub category: Option<Category>,
    /// How far its source is believed.
    pub trust: Trust,
    /// Whether it is data of the real robot.
    pub is_real: bool,
    /// Belief, 0 to 1.
    pub confidence: f64,
    pub created_at: Stamp,
    /// Tokens in the word index.
    pub word_count: u32,
    /// Hash of the quantities that it speaks of; 0 when it is not known.
    pub quantity_key: u64,
}

/// What [`Rows::put`] is told of a row: its [`RowFacts`], with names for numbers.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<'a> {
    pub id: i64,
    /// The namespace that it is in.
    pub collection: &'a str,
    /// Who may see it, as it is written.
    pub scope: &'a str,
    /// The episode in which it was made, or empty.
    pub session: &'a str,
    /// Reach and life.
    pub level: Level,
    /// Fact, perception or summary.
    pub kind: Kind,
    /// Life cycle class.
    pub mem_type: MemType,
    /// Kind of statement, of a fact.
    pub category: Option<Category>,
    /// How far its source is believed.
    pub trust: Trust,
    /// Whether it is data of the real robot.
    pub is_real: bool,
    /// Belief in it.
    pub belief: Belief,
    pub created_at: Stamp,
    /// Tokens in the word index.
    pub word_count: u32,
    /// Hash of the quantities that it speaks of; 0 when it is not known.
    pub quantity_key: u64,
}

/// Where the facts lie that have few values.
const LEVEL: Bits = Bits { first: 0, len: 2 };
const KIND: Bits = Bits { first: LEVEL.first + LEVEL.len, len: 2 };
const MEM_TYPE: Bits = Bits { first: KIND.first + KIND.len, len: 3 };
const TRUST: Bits = Bits { first: MEM_TYPE.first + MEM_TYPE.len, len: 2 };
const IS_REAL: Bits = Bits { first: TRUST.first + TRUST.len, len: 1 };
const SCOPE_KIND: Bits = Bits { first: IS_REAL.first + IS_REAL.len, len: 4 };
/// 0 when there is none, else one more than its place.
const CATEGORY: Bits = Bits { first: SCOPE_KIND.first + SCOPE_KIND.len, len: 4 };
const CLASS_BITS: usize = CATEGORY.first + CATEGORY.len;
const _: () = assert!(ScopeKind::ALL.len() <= 1 << SCOPE_KIND.len);
/// Summaries in one page.
const PAGE_SUMMARIES: usize = 64;

/// The active rows: 88 bytes a row, at most 4 more to find those of a scope, and the names. A row
/// keeps its slot for as long as the program runs; slots are in order of id. A clone shares what
/// neither of the two changes.
#[derive(Debug, Clone)]
pub struct Rows {
    /// Rows that have a slot, active or not.
    count: usize,
    ids: Chunks<i64>,
    collections: Chunks<u32>,
    scopes: Chunks<u32>,
    /// Of the active rows.
    by_scope: Scopes,
    sessions: Chunks<u32>,
    /// [`LEVEL`] to [`CATEGORY`].
    classes: Planes<CLASS_BITS>,
    /// As they are.
    confidences: Chunks<f64>,
    beliefs: Beliefs,
    created: Chunks<i64>,
    word_counts: Chunks<u32>,
    quantity_keys: Chunks<u64>,
    links: Chunks<Links>,
    /// Of the active rows of each word of `live`.
    summaries: Paged<Summary, PAGE_SUMMARIES>,
    /// The last active row of a session, by the number of that.
    chains: Chunks<Slot>,
    live: Bitset,
    names: Names,
    live_words: u64,
}

impl Default for Rows {
    fn default() -> Self {
        Self {
            count: 0,
            ids: Chunks::new(0),
            collections: Chunks::new(0),
            scopes: Chunks::new(0),
            by_scope: Scopes::default(),
            sessions: Chunks::new(0),
            classes: Planes::default(),
            confidences: Chunks::new(0.0),
            beliefs: Beliefs::default(),
            created: Chunks::new(0),
            word_counts: Chunks::new(0),
            quantity_keys: Chunks::new(0),
            links: Chunks::new(Links::default()),
            summaries: Paged::new(Summary::NONE),
            chains: Chunks::new(sessions::NONE),
            live: Bitset::default(),
            names: Names::default(),
            live_words: 0,
        }
    }
}

impl Rows {
    /// The slot of an active row.
    pub fn slot(&self, id: i64) -> Option<Slot> {
        self.any_slot(id).filter(|slot| self.live.contains(*slot))
    }

    /// The facts of the row in a slot.
    pub fn facts(&self, slot: Slot) -> Option<RowFacts> {
        if slot as usize >= self.count {
            return None;
        }
        let class = self.classes.get(slot);
        Some(RowFacts {
            id: self.ids.get(slot)?,
            collection: self.collections.get(slot)?,
            scope: self.scopes.get(slot)?,
            scope_kind: *ScopeKind::ALL.get(SCOPE_KIND.of(class))?,
            session: self.sessions.get(slot)?,
            level: *Level::ALL.get(LEVEL.of(class))?,
            kind: *Kind::ALL.get(KIND.of(class))?,
            mem_type: *MemType::ALL.get(MEM_TYPE.of(class))?,
            category: category_at(CATEGORY.of(class)),
            trust: *Trust::ALL.get(TRUST.of(class))?,
            is_real: IS_REAL.of(class) == 1,
            confidence: self.confidences.get(slot)?,
            created_at: Stamp(self.created.get(slot)?),
            word_count: self.word_counts.get(slot)?,
            quantity_key: self.quantity_keys.get(slot)?,
        })
    }

    /// The id of the row in a slot, without a look at its other facts.
    pub fn id(&self, slot: Slot) -> Option<i64> {
        self.ids.get(slot).filter(|_| (slot as usize) < self.count)
    }

    /// When the row in a slot was made, without a look at its other facts.
    pub fn created_at(&self, slot: Slot) -> Option<Stamp> {
        self.created.get(slot).filter(|_| (slot as usize) < self.count).map(Stamp)
    }

    /// Where the row in a slot came from, without a look at its other facts: whether it is data of the
    /// real robot, and how far its source is believed.
    pub fn origin(&self, slot: Slot) -> Option<(bool, Trust)> {
        if slot as usize >= self.count {
            return None;
        }
        let class = self.classes.get(slot);
        Some((IS_REAL.of(class) == 1, *Trust::ALL.get(TRUST.of(class))?))
    }

    /// Tokens of the row in a slot, without looking up its other facts; 0 where there is none.
    #[inline]
    pub fn word_count(&self, slot: Slot) -> u32 {
        self.word_counts.get(slot).unwrap_or(0)
    }

    /// [`word_count`](Self::word_count) of many slots, of which most are asked for beside the one before.
    pub fn word_counts(&self) -> impl Fn(Slot) -> u32 + '_ {
        let last: Cell<(usize, Option<&[u32; BLOCK_LEN]>)> =
            Cell::new((0, self.word_counts.block(0)));
        move |slot| {
            let (place, word) = (slot as usize % BLOCK_LEN, word_of(slot));
            let (known, mut block) = last.get();
            if known != word {
                block = self.word_counts.block(word);
                last.set((word, block));
            }
            block.map_or(0, |block| block[place])
        }
    }

    /// Hash of the quantities of the row in a slot; 0 when it is not known, and where there is none.
    pub fn quantity_key(&self, slot: Slot) -> u64 {
        self.quantity_keys.get(slot).unwrap_or(0)
    }

    /// The slots of active rows.
    pub fn live(&self) -> &Bitset {
        &self.live
    }

    /// Numbers of collections, scopes and sessions.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The scopes that an active row has and whose names begin so, with their numbers, in order of
    /// name.
    pub fn scopes_with_prefix<'s>(&'s self, prefix: &str) -> impl Iterator<Item = (&'s str, u32)> {
        self.by_scope.with_prefix(prefix)
    }

    /// The first scope after this name, in order of name, that an active row has.
    pub fn scope_after(&self, name: &str) -> Option<&str> {
        self.by_scope.after(name)
    }

    /// How many scopes active rows have.
    pub fn scope_count(&self) -> usize {
        self.by_scope.count()
    }

    /// The ids of all rows that have a slot, active or not, in the order of slots.
    pub fn ids(&self) -> Vec<i64> {
        (0..).take(self.count).filter_map(|slot| self.ids.get(slot)).collect()
    }

    /// Tokens of all active rows together.
    pub fn live_words(&self) -> u64 {
        self.live_words
    }

    /// Mean number of tokens of an active row; 1 when there is none.
    pub fn mean_words(&self) -> f64 {
        match self.live.count() {
            0 => 1.0,
            count => (self.live_words as f64 / count as f64).max(1.0),
        }
    }

    /// Takes in a new or changed active row and answers its slot; `None` when its id is smaller
    /// than that of a row that came before and it has no slot yet: then all must be loaded again.
    pub fn put(&mut self, row: &Row<'_>) -> Option<Slot> {
        let slot = match self.any_slot(row.id) {
            Some(slot) => slot,
            None if self.last_id().is_none_or(|last| last < row.id) => {
                // The greatest slot stands for none.
                Slot::try_from(self.count).ok().filter(|slot| *slot < Slot::MAX)?
            }
            None => return None,
        };
        let session = self.names.number(row.session);
        let was_live = self.live.contains(slot);
        let stays = was_live && self.sessions.get(slot) == Some(session);
        if was_live {
            self.live_words -= u64::from(self.word_count(slot));
            if !stays {
                self.unlink(slot);
            }
        }
        self.count = self.count.max(slot as usize + 1);
        self.ids.set(slot, row.id);
        self.collections.set(slot, self.names.number(row.collection));
        self.put_scope(slot, row.scope, was_live);
        self.sessions.set(slot, session);
        let class = LEVEL.at(row.level as usize)
            | KIND.at(row.kind as usize)
            | MEM_TYPE.at(row.mem_type as usize)
            | TRUST.at(row.trust as usize)
            | IS_REAL.at(row.is_real.into())
            | SCOPE_KIND.at(ScopeKind::of(row.scope) as usize)
            | CATEGORY.at(row.category.map_or(0, |category| category as usize + 1));
        self.classes.set(slot, class);
        self.confidences.set(slot, row.belief.confidence());
        self.beliefs.put(slot, row.belief);
        self.created.set(slot, row.created_at.0);
        self.word_counts.set(slot, row.word_count);
        self.quantity_keys.set(slot, row.quantity_key);
        self.live.insert(slot);
        self.live_words += u64::from(row.word_count);
        if !stays {
            self.links.set(slot, Links::default());
            if !row.session.is_empty() {
                self.link(slot, session);
            }
        }
        if was_live {
            self.summarize(slot);
        } else {
            self.widen_summary(slot);
        }
        Some(slot)
    }

    /// Takes a row out.
    pub fn remove(&mut self, slot: Slot) {
        if self.live.remove(slot) {
            self.live_words -= u64::from(self.word_count(slot));
            self.unlink(slot);
            self.leave_scope(slot);
            self.summarize(slot);
        }
    }

    /// Writes a row's level.
    pub fn set_level(&mut self, slot: Slot, level: Level) {
        if (slot as usize) < self.count {
            let others = self.classes.get(slot) & !LEVEL.at((1 << LEVEL.len) - 1);
            self.classes.set(slot, others | LEVEL.at(level as usize));
        }
    }

    /// Writes an active row's scope.
    pub fn set_scope(&mut self, slot: Slot, scope: &str) {
        if self.live.contains(slot) {
            self.put_scope(slot, scope, true);
            let others = self.classes.get(slot) & !SCOPE_KIND.at((1 << SCOPE_KIND.len) - 1);
            self.classes.set(slot, others | SCOPE_KIND.at(ScopeKind::of(scope) as usize));
        }
    }

    /// The active rows of a set by the number of their collection, in order of that number.
    pub fn count_by_collection(&self, slots: &Bitset) -> BTreeMap<u32, u64> {
        classes::count_each(slots.iter().filter_map(|slot| self.collections.get(slot)))
    }

    /// Puts a row into its scope; one that is active goes out of the one that it had.
    fn put_scope(&mut self, slot: Slot, name: &str, was_live: bool) {
        let number = self.names.number(name);
        if was_live && self.scopes.get(slot) == Some(number) {
            return;
        }
        if was_live {
            self.leave_scope(slot);
        }
        self.scopes.set(slot, number);
        if let Some(name) = self.names.shared(number) {
            self.by_scope.insert(number, &name, slot, self.count);
        }
    }

    fn leave_scope(&mut self, slot: Slot) {
        if let Some(number) = self.scopes.get(slot)
            && let Some(name) = self.names.name(number)
        {
            self.by_scope.remove(number, name, slot);
        }
    }

    fn last_id(&self) -> Option<i64> {
        self.ids.get(Slot::try_from(self.count.checked_sub(1)?).ok()?)
    }

    fn any_slot(&self, id: i64) -> Option<Slot> {
        let (first, last) = (self.ids.get(0)?, self.last_id()?);
        if !(first..=last).contains(&id) {
            return None;
        }
        // From one slot to the next an id grows by at least 1, so that the ids that are missing
        // bound how far from the ends it can be.
        let below = usize::try_from(id.abs_diff(first)).unwrap_or(usize::MAX);
        let above = usize::try_from(last.abs_diff(id)).unwrap_or(usize::MAX);
        let mut high = below.min(self.count - 1);
        let mut low = (self.count - 1).saturating_sub(above);
        while low < high {
            let middle = low.midpoint(high);
            if self.ids.get(middle as Slot)? < id {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let slot = Slot::try_from(low).ok()?;
        (self.ids.get(slot) == Some(id)).then_some(slot)
    }
}

/// The category that is kept so.
fn category_at(value: usize) -> Option<Category> {
    Category::ALL.get(value.checked_sub(1)?).copied()
}

/// The word of a bitset that a slot is in.
fn word_of(slot: Slot) -> usize {
    slot as usize / BLOCK_LEN
}
