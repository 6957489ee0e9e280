use super::{Bitset, Slot};
use crate::model::{Kind, Level, MemType, Memory, Stamp, Trust};
use std::collections::HashMap;

/// What every search needs of an active row, and no more.
#[derive(Debug, Clone, PartialEq)]
pub struct RowFacts {
    /// The row.
    pub id: i64,
    /// Its collection, as a number from [`Names`].
    pub collection: u32,
    /// Its session, as a number from [`Names`]; that of the empty name when it has none.
    pub session: u32,
    /// Reach and life.
    pub level: Level,
    /// Fact, perception or summary.
    pub kind: Kind,
    /// Life cycle class.
    pub mem_type: MemType,
    /// How far its source is believed.
    pub trust: Trust,
    /// Whether it is data of the real robot.
    pub is_real: bool,
    /// Belief, 0 to 1.
    pub confidence: f64,
    /// When it was made.
    pub created_at: Stamp,
    /// Tokens in the word index.
    pub word_count: u32,
}

/// Numbers for names, so that rows hold no texts.
#[derive(Debug, Default)]
pub struct Names {
    numbers: HashMap<String, u32>,
}

impl Names {
    /// The number of a name that some row has.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The number of a name; a new one when it has none.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.get(name) {
            return number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// The active rows. A row keeps its slot for as long as the program runs; slots are in order of id.
#[derive(Debug, Default)]
pub struct Rows {
    facts: Vec<RowFacts>,
    live: Bitset,
    names: Names,
    live_words: u64,
}

impl Rows {
    /// The slot of an active row.
    pub fn slot(&self, id: i64) -> Option<Slot> {
        self.any_slot(id).filter(|slot| self.live.contains(*slot))
    }

    /// The facts of the row in a slot.
    pub fn facts(&self, slot: Slot) -> Option<&RowFacts> {
        self.facts.get(slot as usize)
    }

    /// The slots of active rows.
    pub fn live(&self) -> &Bitset {
        &self.live
    }

    /// Numbers of collections and sessions.
    pub fn names(&self) -> &Names {
        &self.names
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
    pub fn put(&mut self, memory: &Memory, is_real: bool, word_count: u32) -> Option<Slot> {
        let facts = RowFacts {
            id: memory.id,
            collection: self.names.number(&memory.collection),
            session: self.names.number(&memory.session_id),
            level: memory.level,
            kind: memory.kind,
            mem_type: memory.mem_type,
            trust: memory.trust,
            is_real,
            confidence: memory.confidence,
            created_at: memory.created_at,
            word_count,
        };
        let slot = match self.any_slot(memory.id) {
            Some(slot) => {
                self.remove(slot);
                self.facts[slot as usize] = facts;
                slot
            }
            None if self.facts.last().is_none_or(|last| last.id < memory.id) => {
                self.facts.push(facts);
                Slot::try_from(self.facts.len() - 1).ok()?
            }
            None => return None,
        };
        self.live.grow(self.facts.len());
        self.live.insert(slot);
        self.live_words += u64::from(word_count);
        Some(slot)
    }

    /// Takes a row out.
    pub fn remove(&mut self, slot: Slot) {
        if self.live.remove(slot)
            && let Some(facts) = self.facts.get(slot as usize)
        {
            self.live_words -= u64::from(facts.word_count);
        }
    }

    /// Writes a row's faded confidence.
    pub fn set_confidence(&mut self, slot: Slot, confidence: f64) {
        if let Some(facts) = self.facts.get_mut(slot as usize) {
            facts.confidence = confidence;
        }
    }

    fn any_slot(&self, id: i64) -> Option<Slot> {
        let place = self.facts.binary_search_by_key(&id, |facts| facts.id).ok()?;
        Slot::try_from(place).ok()
    }
}
