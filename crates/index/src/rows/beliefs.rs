//! How far rows are believed, and how that fades.

use super::{CATEGORY, Rows, category_at};
use crate::bitset::word_slots;
use crate::chunks::Chunks;
use crate::{Bitset, Slot};
use robot_memory_core::model::{Belief, Category, Stamp};

/// Belief in rows.
#[derive(Debug, Clone)]
pub(super) struct Beliefs {
    said: Chunks<f64>,
    fades_from: Chunks<i64>,
    counted_until: Chunks<i64>,
    /// As places in `known_rates`.
    rates: Chunks<u32>,
    /// Few, since the rate is one of the program.
    known_rates: Vec<f64>,
}

impl Default for Beliefs {
    fn default() -> Self {
        Self {
            said: Chunks::new(0.0),
            fades_from: Chunks::new(0),
            counted_until: Chunks::new(0),
            rates: Chunks::new(0),
            known_rates: Vec::new(),
        }
    }
}

impl Beliefs {
    pub(super) fn put(&mut self, slot: Slot, belief: Belief) {
        let Belief { said, decay_rate, fades_from, counted_until } = belief;
        self.said.set(slot, said);
        self.fades_from.set(slot, fades_from.0);
        self.counted_until.set(slot, counted_until.0);
        let is_it = |known: &f64| known.to_bits() == decay_rate.to_bits();
        let rate = self.known_rates.iter().position(is_it).unwrap_or_else(|| {
            self.known_rates.push(decay_rate);
            self.known_rates.len() - 1
        });
        self.rates.set(slot, u32::try_from(rate).unwrap_or(u32::MAX));
    }

    fn get(&self, slot: Slot) -> Option<Belief> {
        Some(Belief {
            said: self.said.get(slot)?,
            decay_rate: *self.known_rates.get(self.rates.get(slot)? as usize)?,
            fades_from: Stamp(self.fades_from.get(slot)?),
            counted_until: Stamp(self.counted_until.get(slot)?),
        })
    }
}

impl Rows {
    /// Belief in the row in a slot, unless it is protected: that does not fade.
    pub fn fading_belief(&self, slot: Slot) -> Option<Belief> {
        let category = category_at(CATEGORY.of(self.classes.get(slot)));
        if category.is_some_and(Category::is_protected) {
            return None;
        }
        self.beliefs.get(slot)
    }

    /// Writes the belief in a row.
    pub fn set_belief(&mut self, slot: Slot, belief: Belief) {
        if (slot as usize) < self.count {
            self.beliefs.put(slot, belief);
            self.confidences.set(slot, belief.confidence());
            self.summarize_confidence(slot);
        }
    }

    /// Counts the days of the active rows of a collection up to an id up to a time, unless they were counted
    /// up to a later one.
    pub fn fade(&mut self, collection: &str, until: Stamp, last_id: i64) {
        let Some(number) = self.names.get(collection) else { return };
        for index in 0..self.live.words().len() {
            if !self.may_have_collection(index, number) {
                continue;
            }
            let mut last_faded = None;
            for slot in word_slots(index, self.live.words()[index]) {
                let is_meant = self.collections.get(slot) == Some(number)
                    && self.ids.get(slot).is_some_and(|id| id <= last_id);
                let belief = self.fading_belief(slot).filter(|_| is_meant);
                if let Some(belief) = belief.filter(|belief| belief.counted_until < until) {
                    let belief = belief.counted(until);
                    self.beliefs.counted_until.set(slot, until.0);
                    self.confidences.set(slot, belief.confidence());
                    last_faded = Some(slot);
                }
            }
            if let Some(slot) = last_faded {
                self.summarize_confidence(slot);
            }
        }
    }

    /// The active rows of a collection.
    pub fn of_collection(&self, collection: &str) -> Bitset {
        let number = self.names.get(collection).unwrap_or(super::Names::UNUSED);
        let own = super::RowSelection { collections: Some(vec![number]), ..Default::default() };
        self.allowed(&own)
    }
}
