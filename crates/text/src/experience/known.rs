//! All attempts of a store, counted by what was tried on what.

use super::attempt::{Attempt, Outcome, key_of, subject_of_keys};
use super::figures::quantity_of;
use super::object_name::object_thing;
use super::replay::{Lessons, Replays};
use super::tally::Tally;
use crate::inference::{Likeness, Thing, ThingKind, tokens};
use robot_memory_core::api::Nearness;
use robot_memory_core::model::{MemType, Scope, Stamp, Trust};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

/// By what a caller sees attempts, or does not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AttemptPlace {
    /// Who may see them.
    pub scope: Scope,
    /// Their namespace.
    pub collection: String,
    /// Their life cycle class.
    pub mem_type: MemType,
}

/// An attempt that a memory is.
#[derive(Debug, Clone)]
pub struct AttemptRow {
    /// The memory.
    pub id: i64,
    /// By what a caller sees it.
    pub place: AttemptPlace,
    /// When it was made.
    pub created_at: Stamp,
    /// Whether it is of the real robot.
    pub is_real: bool,
    /// Why it ended so; may be empty.
    pub reason: String,
    /// Where it was: x, y, z in metres, and in which frame.
    pub position_m: Option<([f64; 3], String)>,
    /// What was done, and to what, in order; empty when that is not told. Of equal ones the steps are the same.
    pub steps: String,
    /// What was tried, and how it ended.
    pub attempt: Attempt,
}

/// What is kept of an attempt.
#[derive(Debug, Clone)]
pub(super) struct KnownAttempt {
    pub(super) created_at: Stamp,
    pub(super) outcome: Outcome,
    pub(super) is_real: bool,
    pub(super) trust: Trust,
    pub(super) reason: Box<str>,
    /// Number of a quantity, and how much of it.
    pub(super) numbers: Box<[(u32, f64)]>,
    pub(super) steps: Box<str>,
    position_m: Option<Box<([f64; 3], String)>>,
    group: usize,
}

impl KnownAttempt {
    pub(super) fn has_failed(&self) -> bool {
        self.outcome == Outcome::Failure
    }
}

/// The attempts at one task on one object of one place.
#[derive(Debug)]
pub(super) struct Group {
    place: AttemptPlace,
    task: String,
    object: Object,
    pub(super) tally: Tally,
    /// How often it changed otherwise than by a newer attempt.
    pub(super) rewrite_count: u64,
}

/// An object as it is called.
#[derive(Debug, Clone)]
struct Object {
    name: String,
    thing: Thing,
}

/// What a number is called, and in which unit it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quantity {
    /// In the context, as `params.force_n`.
    pub path: String,
    /// Empty when there is none.
    pub unit: String,
}

/// What attempts of one group are about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttemptSubject {
    /// By what a caller sees them.
    pub place: AttemptPlace,
    /// A key that holds no text.
    pub subject: String,
    /// As it is compared.
    pub task: String,
    /// As it is called; may be empty.
    pub object: String,
}

/// All attempts of a store.
#[derive(Debug, Default)]
pub struct KnownAttempts {
    attempts: HashMap<i64, KnownAttempt>,
    groups: Vec<Group>,
    /// By place, task and object as they are compared.
    group_of: HashMap<(AttemptPlace, String, String), usize>,
    /// By a word of the object, or by what it names.
    groups_by_key: HashMap<String, BTreeSet<usize>>,
    /// By place and task.
    tasks: BTreeMap<(AttemptPlace, String), Tally>,
    /// Tasks as they are compared, and what they mean.
    task_things: HashMap<String, Thing>,
    quantities: Vec<Quantity>,
    pub(super) quantity_of: HashMap<Quantity, u32>,
    pub(super) replays: Replays,
    /// Groups whose lessons may be others by now.
    changed: Mutex<BTreeSet<usize>>,
}

/// Attempts of one nearness.
#[derive(Debug)]
pub struct NearAttempts<'a> {
    /// How near they are.
    pub nearness: Nearness,
    /// What their objects are called, in order.
    pub objects: Vec<&'a str>,
    /// Counted, in parts.
    pub tallies: Vec<&'a Tally>,
    /// Numbers of the groups; none of a task of which an object is asked.
    pub groups: Vec<usize>,
}

impl KnownAttempts {
    /// Takes in a new or changed one.
    pub fn put(&mut self, row: AttemptRow) {
        self.remove(row.id);
        let AttemptRow { id, place, created_at, is_real, reason, position_m, steps, attempt } = row;
        let numbers = attempt.numbers.iter().map(|it| {
            let quantity = Quantity { path: quantity_of(it), unit: it.unit.clone() };
            (self.quantity(quantity), it.value)
        });
        let numbers: Box<[(u32, f64)]> = numbers.collect();
        let group = self.group(place, &attempt.task, &attempt.object);
        let known = KnownAttempt {
            created_at,
            outcome: attempt.outcome,
            is_real,
            trust: attempt.trust,
            reason: reason.into(),
            numbers,
            steps: steps.into(),
            position_m: position_m.map(Box::new),
            group,
        };
        self.note_change(group, known.outcome, |last| (created_at, id) < last);
        for tally in self.tallies_of(group) {
            tally.put(id, &known);
        }
        self.attempts.insert(id, known);
    }

    /// Takes one out, when it is there.
    pub fn remove(&mut self, id: i64) {
        let Some(known) = self.attempts.remove(&id) else { return };
        self.note_change(known.group, known.outcome, |_| true);
        for tally in self.tallies_of(known.group) {
            tally.remove(id, &known);
        }
    }

    /// Whether one of this id is there.
    pub fn has(&self, id: i64) -> bool {
        self.attempts.contains_key(&id)
    }

    /// The quantity of a number in a [`Tally`].
    pub fn quantity_called(&self, number: u32) -> Option<&Quantity> {
        self.quantities.get(number as usize)
    }

    /// The attempts at a task, the nearest first. Those of one nearness are counted in the next as well; of a
    /// request without object there is one nearness, the task.
    pub fn near<'a>(
        &'a self,
        task: &str,
        object: &str,
        is_seen: impl Fn(&AttemptPlace) -> bool,
    ) -> Vec<NearAttempts<'a>> {
        let tasks = self.same_tasks(task);
        let mut found = Vec::new();
        if !object.trim().is_empty() {
            let (mut same, mut kind) = (Vec::new(), Vec::new());
            for (number, nearness) in self.near_groups(object) {
                let group = &self.groups[number];
                if tasks.contains(group.task.as_str()) && is_seen(&group.place) {
                    kind.push(number);
                    if nearness == Nearness::Object {
                        same.push(number);
                    }
                }
            }
            found.push(self.counted(Nearness::Object, same));
            found.push(self.counted(Nearness::Kind, kind));
        }
        let of_task = self
            .tasks
            .iter()
            .filter(|((place, task), _)| tasks.contains(task.as_str()) && is_seen(place));
        found.push(NearAttempts {
            nearness: Nearness::Task,
            objects: Vec::new(),
            tallies: of_task.map(|(_, tally)| tally).collect(),
            groups: if object.trim().is_empty() {
                self.groups_at(&tasks, &is_seen)
            } else {
                Vec::new()
            },
        });
        found.retain(|it| it.tallies.iter().any(|tally| !tally.is_empty()));
        found
    }

    /// One of the groups that changed since this was asked last, with all of its place that are called the same.
    pub fn changed_set(&self) -> Option<Vec<usize>> {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        let set = self.called_as(changed.pop_first()?);
        for other in &set {
            changed.remove(other);
        }
        Some(set)
    }

    /// Lets groups count as changed again.
    pub fn put_back(&self, set: Vec<usize>) {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner).extend(set);
    }

    /// For some attempts the groups that they are in, each with all of its place that are called the same.
    pub fn sets_of(&self, ids: impl IntoIterator<Item = i64>) -> BTreeSet<Vec<usize>> {
        // An attempt of unknown outcome teaches nothing.
        let attempts = ids.into_iter().filter_map(|id| self.attempts.get(&id));
        let groups = attempts.filter(|it| it.outcome != Outcome::Unknown).map(|it| it.group);
        let groups: BTreeSet<usize> = groups.collect();
        groups.into_iter().map(|group| self.called_as(group)).collect()
    }

    /// The attempts of some groups, in order.
    pub fn ids_of(&self, groups: &[usize]) -> BTreeSet<i64> {
        let of = groups.iter().filter_map(|it| self.groups.get(*it));
        of.flat_map(|group| group.tally.ids()).collect()
    }

    /// What all attempts together teach.
    pub fn lessons_of_all(&self) -> Lessons {
        self.lessons(&(0..self.groups.len()).collect::<Vec<_>>())
    }

    /// What there are attempts about, in order.
    pub fn tried_subjects(&self) -> Vec<AttemptSubject> {
        let is_tried = |it: &usize| self.groups.get(*it).is_some_and(|it| !it.tally.is_empty());
        let tried: Vec<usize> = (0..self.groups.len()).filter(is_tried).collect();
        self.subjects(&tried)
    }

    /// What the groups are about, in order.
    pub fn subjects(&self, groups: &[usize]) -> Vec<AttemptSubject> {
        let of = groups.iter().filter_map(|it| self.groups.get(*it)).map(|group| AttemptSubject {
            place: group.place.clone(),
            subject: subject_of_keys(&group.task, &key_of(&group.object.name)),
            task: group.task.clone(),
            object: group.object.name.clone(),
        });
        let mut of: Vec<AttemptSubject> = of.collect();
        of.sort();
        of
    }

    /// The groups of some places whose task and object mean the same as these, in order; of no object those without one.
    pub fn groups_about(
        &self,
        task: &str,
        object: &str,
        is_counted: impl Fn(&AttemptPlace) -> bool,
    ) -> Vec<usize> {
        let tasks = self.same_tasks(task);
        let is_of_task = |number: &usize| {
            let group = &self.groups[*number];
            tasks.contains(group.task.as_str()) && is_counted(&group.place)
        };
        if object.trim().is_empty() {
            let is_bare = |number: &usize| self.groups[*number].object.name.is_empty();
            return (0..self.groups.len()).filter(|it| is_bare(it) && is_of_task(it)).collect();
        }
        let same = self.near_groups(object).filter(|(_, nearness)| *nearness == Nearness::Object);
        same.map(|(number, _)| number).filter(is_of_task).collect()
    }

    /// The groups of its place whose task and object mean the same as those of a group, in order.
    fn called_as(&self, number: usize) -> Vec<usize> {
        let Some(group) = self.groups.get(number) else { return Vec::new() };
        let tasks = self.same_tasks(&group.task);
        if group.object.name.is_empty() {
            return vec![number];
        }
        let near = self.near_groups(&group.object.name);
        let same = near.filter(|(other, nearness)| {
            let other = &self.groups[*other];
            *nearness == Nearness::Object
                && other.place == group.place
                && tasks.contains(other.task.as_str())
        });
        same.map(|(number, _)| number).collect()
    }

    pub(super) fn attempt(&self, id: i64) -> Option<&KnownAttempt> {
        self.attempts.get(&id)
    }

    pub(super) fn group_of_number(&self, number: usize) -> Option<&Group> {
        self.groups.get(number)
    }

    /// When an attempt was made.
    pub fn made_at(&self, id: i64) -> Option<Stamp> {
        Some(self.attempts.get(&id)?.created_at)
    }

    /// Where an attempt was.
    pub fn position_m(&self, id: i64) -> Option<&([f64; 3], String)> {
        self.attempts.get(&id)?.position_m.as_deref()
    }

    /// The tasks that mean the same, as they are compared; of no task, all.
    fn same_tasks(&self, task: &str) -> BTreeSet<&str> {
        let key = key_of(task);
        let thing = Thing::parse(task, ThingKind::Task);
        let is_same = |known: &str, other: &Thing| {
            key.is_empty() || key == known || thing.compare(other).0 == Likeness::Same
        };
        let same = self.task_things.iter().filter(|(known, other)| is_same(known, other));
        same.map(|(known, _)| known.as_str()).collect()
    }

    /// The groups whose object is this one, or one of its kind and material.
    fn near_groups(&self, object: &str) -> impl Iterator<Item = (usize, Nearness)> {
        let (key, thing) = (key_of(object), object_thing(object));
        let keys = keys_of(object, &thing);
        let places: BTreeSet<usize> =
            keys.iter().filter_map(|key| self.groups_by_key.get(key)).flatten().copied().collect();
        places.into_iter().filter_map(move |place| {
            let group = self.groups.get(place)?;
            let other = &group.object;
            if key_of(&other.name) == key || thing.compare(&other.thing).0 == Likeness::Same {
                Some((place, Nearness::Object))
            } else {
                thing.is_of_kind(&other.thing).then_some((place, Nearness::Kind))
            }
        })
    }

    fn groups_at(
        &self,
        tasks: &BTreeSet<&str>,
        is_seen: impl Fn(&AttemptPlace) -> bool,
    ) -> Vec<usize> {
        let is_at = |it: &Group| tasks.contains(it.task.as_str()) && is_seen(&it.place);
        let groups = self.groups.iter().enumerate().filter(|(_, it)| is_at(it));
        groups.map(|(number, _)| number).collect()
    }

    fn counted(&self, nearness: Nearness, groups: Vec<usize>) -> NearAttempts<'_> {
        let of = |number: &usize| &self.groups[*number];
        let objects: BTreeSet<&str> = groups.iter().map(|it| of(it).object.name.as_str()).collect();
        NearAttempts {
            nearness,
            objects: objects.into_iter().collect(),
            tallies: groups.iter().map(|it| &of(it).tally).collect(),
            groups,
        }
    }

    /// Notes that lessons of a group may be others now. `is_rewrite` tells of the last of its attempts whether the
    /// change is not after it.
    fn note_change(
        &mut self,
        group: usize,
        outcome: Outcome,
        is_rewrite: impl FnOnce((Stamp, i64)) -> bool,
    ) {
        let Some(of) = self.groups.get_mut(group).filter(|_| outcome != Outcome::Unknown) else {
            return;
        };
        if of.tally.last_known().is_some_and(is_rewrite) {
            of.rewrite_count += 1;
        }
        self.changed.get_mut().unwrap_or_else(PoisonError::into_inner).insert(group);
    }

    fn quantity(&mut self, quantity: Quantity) -> u32 {
        let next = u32::try_from(self.quantities.len()).unwrap_or(u32::MAX);
        *self.quantity_of.entry(quantity).or_insert_with_key(|quantity| {
            self.quantities.push(quantity.clone());
            next
        })
    }

    fn group(&mut self, place: AttemptPlace, task: &str, object: &str) -> usize {
        let (task_key, object_key) = (key_of(task), key_of(object));
        let key = (place, task_key, object_key);
        if let Some(known) = self.group_of.get(&key) {
            return *known;
        }
        let number = self.groups.len();
        let thing = object_thing(object);
        for word in keys_of(object, &thing) {
            self.groups_by_key.entry(word).or_default().insert(number);
        }
        let (place, task_key, _) = &key;
        self.task_things
            .entry(task_key.clone())
            .or_insert_with(|| Thing::parse(task, ThingKind::Task));
        self.groups.push(Group {
            place: place.clone(),
            task: task_key.clone(),
            object: Object { name: object.to_owned(), thing },
            tally: Tally::default(),
            rewrite_count: 0,
        });
        self.group_of.insert(key, number);
        number
    }

    /// Where an attempt of a group is counted.
    fn tallies_of(&mut self, group: usize) -> impl Iterator<Item = &mut Tally> {
        let of_task = self.groups.get(group).map(|it| (it.place.clone(), it.task.clone()));
        let tasks = &mut self.tasks;
        let of_task = of_task.map(move |key| tasks.entry(key).or_default());
        self.groups.get_mut(group).map(|it| &mut it.tally).into_iter().chain(of_task)
    }
}

/// Under what an object is kept and found: what it names, by the table, or its words.
fn keys_of(object: &str, thing: &Thing) -> Vec<String> {
    let groups = thing.groups();
    let mut keys = tokens(&object.replace(['_', '-', '/'], " "));
    keys.extend(groups.iter().map(|group| format!("#{group}")));
    keys.push(key_of(object));
    keys
}
