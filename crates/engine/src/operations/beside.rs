//! The rows beside one in its session that a request admits, and what they count for it.

use robot_memory_index::ranking::NEIGHBORS;
use robot_memory_index::ranking::bm25::{OWN_WEIGHT, beside_weight};
use robot_memory_index::{Bitset, Derived, Slot};
use std::cell::RefCell;
use std::collections::HashMap;

/// As many before it as after it.
const STEPS: usize = NEIGHBORS / 2;

/// The rows beside some rows, as if there were none but those that are admitted; each looked for once.
pub struct Beside<'a> {
    derived: &'a Derived,
    /// `None`: nothing is beside anything.
    admitted: Option<&'a Bitset>,
    known: RefCell<HashMap<Slot, [Option<Slot>; NEIGHBORS]>>,
}

impl<'a> Beside<'a> {
    /// Among the admitted rows.
    pub fn of(derived: &'a Derived, admitted: &'a Bitset) -> Self {
        Self { derived, admitted: Some(admitted), known: RefCell::default() }
    }

    /// Where each row stands alone.
    pub fn nothing(derived: &'a Derived) -> Self {
        Self { derived, admitted: None, known: RefCell::default() }
    }

    /// The row just before and the one just after, then the next but one before and after.
    pub fn rows(&self, slot: Slot) -> [Option<Slot>; NEIGHBORS] {
        let Some(admitted) = self.admitted else { return [None; NEIGHBORS] };
        if let Some(known) = self.known.borrow().get(&slot) {
            return *known;
        }
        let mut rows = [None; NEIGHBORS];
        for (other, step) in self.derived.rows.beside(slot, admitted, STEPS) {
            // Rows of a session follow each other in the order of their slots.
            let place = 2 * (step - 1) + usize::from(other > slot);
            rows[place] = Some(other);
        }
        self.known.borrow_mut().insert(slot, rows);
        rows
    }

    /// The same rows, each with what its words and its similarity count.
    pub fn weighed(&self, slot: Slot) -> Vec<(Slot, f64)> {
        let made = |slot| self.derived.rows.created_at(slot).unwrap_or_default();
        let rows = self.rows(slot).into_iter().enumerate();
        rows.filter_map(|(place, other)| {
            let other = other?;
            Some((other, beside_weight(place / 2 + 1, made(slot), made(other))))
        })
        .collect()
    }
}

/// The mean of a row's own similarity and those of the rows beside it, each weighing as much as its words.
pub fn mean_around(own: f64, beside: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut sum, mut weights) = (OWN_WEIGHT * own, OWN_WEIGHT);
    for (similarity, weight) in beside {
        sum += weight * similarity;
        weights += weight;
    }
    sum / weights
}
