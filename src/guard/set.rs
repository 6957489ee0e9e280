//! All active constraints, found by what they are about.

use super::action::Action;
use super::constraint::{Constraint, ConstraintRow};
use super::name::Name;
use crate::model::{MemType, Scope};
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
    /// By the words of what they are about.
    by_word: HashMap<String, BTreeSet<i64>>,
    /// With a bound on whatever is done.
    everywhere: BTreeSet<i64>,
    /// With a bound that names an object, a place, a task.
    of_objects: BTreeSet<i64>,
    of_places: BTreeSet<i64>,
    of_tasks: BTreeSet<i64>,
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

    /// Those that may speak of an action, by id, and no more others than its words bring along.
    pub(super) fn candidates(&self, action: &Action) -> impl Iterator<Item = &Constraint> {
        let mut ids: Vec<i64> = self.everywhere.iter().copied().collect();
        let named = [
            (&action.object.name, &self.of_objects),
            (&action.place.name, &self.of_places),
            (&action.task.name, &self.of_tasks),
        ];
        for (name, of_any) in named {
            if name.is_empty() {
                ids.extend(of_any);
            }
            for word in name.words() {
                ids.extend(self.by_word.get(word).into_iter().flatten());
            }
        }
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().filter_map(|id| self.constraints.get(&id))
    }

    fn put(&mut self, constraint: Constraint) {
        let id = constraint.id;
        for name in names(&constraint) {
            for word in name.words() {
                self.by_word.entry(word.clone()).or_default().insert(id);
            }
        }
        for bound in &constraint.bounds {
            if !bound.has_subject() {
                self.everywhere.insert(id);
            }
            if !bound.object.is_empty() {
                self.of_objects.insert(id);
            }
            if !bound.place.is_empty() {
                self.of_places.insert(id);
            }
            if !bound.task.is_empty() {
                self.of_tasks.insert(id);
            }
        }
        if constraint.fault.is_some() {
            self.everywhere.insert(id);
        }
        self.constraints.insert(id, constraint);
    }

    fn remove(&mut self, id: i64) {
        let Some(constraint) = self.constraints.remove(&id) else { return };
        for name in names(&constraint) {
            for word in name.words() {
                if let Some(ids) = self.by_word.get_mut(word) {
                    ids.remove(&id);
                    if ids.is_empty() {
                        self.by_word.remove(word);
                    }
                }
            }
        }
        for ids in
            [&mut self.everywhere, &mut self.of_objects, &mut self.of_places, &mut self.of_tasks]
        {
            ids.remove(&id);
        }
    }
}

/// What a constraint is about.
fn names(constraint: &Constraint) -> impl Iterator<Item = &Name> {
    let about = &constraint.about;
    let bounds = constraint.bounds.iter().flat_map(|b| [&b.object, &b.place, &b.task]);
    bounds.chain([&about.words, &about.object, &about.place, &about.task])
}
