//! All active constraints, found by what they are about.

use super::action::Action;
use super::constraint::{Constraint, ConstraintRow};
use super::forbidden::asked;
use super::ids::{Ids, union};
use super::lines::Lines;
use super::name::Name;
use robot_memory_core::model::{MemType, Scope};
use std::collections::{BTreeMap, HashMap};

/// All active constraints of a store.
#[derive(Debug, Default)]
pub struct Constraints {
    buckets: BTreeMap<Place, Bucket>,
    /// Where each one is.
    places: HashMap<i64, Place>,
}

/// By what a caller sees constraints, or does not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Who may see them.
    pub scope: Scope,
    /// Their namespace.
    pub collection: String,
    /// Their life cycle class.
    pub mem_type: MemType,
}

/// The constraints of one place.
#[derive(Debug, Default)]
pub struct Bucket {
    constraints: BTreeMap<i64, Constraint>,
    lines: Lines,
    /// By the keys of what they are about, and of what they forbid.
    by_word: HashMap<String, Ids>,
    /// With a bound on whatever is done, or with bounds that cannot be read.
    everywhere: Ids,
    /// With a bound that names an object, a place, a task.
    of_any: [Ids; 3],
}

/// Those that may speak of an action.
pub(super) struct Candidates {
    /// All of them, and no more others than its words bring along; ascending.
    pub ids: Vec<i64>,
    /// Those that may speak of its object, its place, its task by a key; ascending.
    pub of_words: [Vec<i64>; 3],
}

impl Constraints {
    /// Takes in a new or changed one.
    pub fn put(&mut self, row: ConstraintRow) {
        self.remove(row.id);
        let place = Place {
            scope: row.scope.clone(),
            collection: row.collection.clone(),
            mem_type: row.mem_type,
        };
        self.places.insert(row.id, place.clone());
        self.buckets.entry(place).or_default().put(Constraint::read(row));
    }

    /// Takes one out, when it is there.
    pub fn remove(&mut self, id: i64) {
        let Some(place) = self.places.remove(&id) else { return };
        if let Some(bucket) = self.buckets.get_mut(&place) {
            bucket.remove(id);
            if bucket.constraints.is_empty() {
                self.buckets.remove(&place);
            }
        }
    }

    /// Whether one of this id is there.
    pub fn has(&self, id: i64) -> bool {
        self.places.contains_key(&id)
    }

    /// All of them, by their places.
    pub fn buckets(&self) -> impl Iterator<Item = (&Place, &Bucket)> {
        self.buckets.iter()
    }
}

impl Bucket {
    /// The constraints, by id.
    pub fn constraints(&self) -> impl ExactSizeIterator<Item = &Constraint> {
        self.constraints.values()
    }

    /// The constraint of an id.
    pub(super) fn get(&self, id: i64) -> Option<&Constraint> {
        self.constraints.get(&id)
    }

    /// Their bounds.
    pub(super) fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Those that may speak of an action.
    pub(super) fn candidates(&self, action: &Action) -> Candidates {
        let of_words = action.names().map(|name| {
            let asked = name.asked();
            union(asked.iter().filter_map(|key| Some(self.by_word.get(key)?.as_slice())))
        });
        let unnamed = action.names().into_iter().zip(&self.of_any);
        let unnamed = unnamed.filter(|(name, _)| name.is_empty()).map(|(_, of_any)| of_any);
        let sets = unnamed.chain([&self.everywhere]).map(Ids::as_slice);
        let keys = asked(action);
        let of_keys = keys.iter().filter_map(|key| Some(self.by_word.get(key)?.as_slice()));
        let ids = union(sets.chain(of_words.iter().map(Vec::as_slice)).chain(of_keys));
        Candidates { ids, of_words }
    }

    fn put(&mut self, constraint: Constraint) {
        let id = constraint.id;
        for key in keys(&constraint) {
            self.by_word.entry(key).or_default().insert(id);
        }
        for bound in &constraint.bounds {
            let names = bound.names_bits();
            if names == 0 {
                self.everywhere.insert(id);
            }
            for (place, of_any) in self.of_any.iter_mut().enumerate() {
                if names >> place & 1 != 0 {
                    of_any.insert(id);
                }
            }
        }
        if constraint.fault.is_some() {
            self.everywhere.insert(id);
        }
        self.lines.put(&constraint);
        self.constraints.insert(id, constraint);
    }

    fn remove(&mut self, id: i64) {
        let Some(constraint) = self.constraints.remove(&id) else { return };
        for key in keys(&constraint) {
            if let Some(ids) = self.by_word.get_mut(&key) {
                ids.remove(id);
                if ids.as_slice().is_empty() {
                    self.by_word.remove(&key);
                }
            }
        }
        self.lines.remove(id);
        for ids in self.of_any.iter_mut().chain([&mut self.everywhere]) {
            ids.remove(id);
        }
    }
}

/// Under what a constraint is kept.
fn keys(constraint: &Constraint) -> impl Iterator<Item = String> {
    names(constraint).flat_map(Name::keys).chain(constraint.forbidden.keys())
}

/// What a constraint is about.
fn names(constraint: &Constraint) -> impl Iterator<Item = &Name> {
    let about = &constraint.about;
    let bounds = constraint.bounds.iter().flat_map(|bound| &bound.of);
    bounds.chain([&about.words]).chain(&about.of)
}
