//! What went from one place came to another.

use super::object::{Belief, Object};
use super::space::{Space, VISIT_SECS, secs};
use super::tracker::{ObjectChange, ObjectChangeKind};
use nalgebra::Point3;
use robot_memory_core::model::Stamp;
use robot_memory_core::object::Moved;
use std::collections::BTreeMap;

/// How far a thing is carried at most: farther away another one of its kind is as likely.
const CARRIED_M: f64 = 4.0;
/// And how long ago it was last seen at its old place.
const CARRIED_SECS: f64 = 24.0 * 3600.0;
/// The next pair that it could be is farther apart by this factor: else neither is taken.
const CLEAR_FACTOR: f64 = 2.0;
/// Something else was seen so near its new place before: there had been nothing.
const EXPLORED_M: f64 = 3.0;
/// A shift by less is no move, m: the robot's pose is no better.
const MOVE_M_MIN: f64 = 0.25;
/// Pairs that are compared at a time: where there are more of one kind, none of them is clear.
const PAIRS_MAX: usize = 4_096;

impl Space {
    /// Takes for one thing what is gone and what is new since, where only they can be it, near an object that
    /// is one of both now.
    pub(super) fn pair_moved(&mut self, id: u32, at: Stamp, changes: &mut Vec<ObjectChange>) {
        let Some(place) = self.objects.get(&id).map(|object| object.position) else { return };
        // Who could be one of a pair around it, and who could be that instead.
        let near = self.near(&place, 3.0 * CARRIED_M);
        let is_recent = |it: &Object| secs(it.kept.first_seen, at) <= CARRIED_SECS;
        let mut pairs: Vec<(f64, u32, u32)> = Vec::new();
        let to = self.of(&near, |it| it.belief == Belief::Present && is_recent(it));
        let from = self.of(&near, |it| it.belief == Belief::Gone);
        for (from, to) in from.iter().flat_map(|from| to.iter().map(move |to| (*from, *to))) {
            if let Some(far_m) = self.may_be_moved(from, to) {
                pairs.push((far_m, from, to));
            }
            if pairs.len() > PAIRS_MAX {
                self.unpaired += 1;
                return;
            }
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        // The nearest two of each; nothing is gone and present.
        let mut nearest: BTreeMap<u32, Vec<(f64, u32)>> = BTreeMap::new();
        for (far_m, from, to) in &pairs {
            for (id, other) in [(from, to), (to, from)] {
                let nearest = nearest.entry(*id).or_default();
                if nearest.len() < 2 {
                    nearest.push((*far_m, *other));
                }
            }
        }
        let is_clear_of = |id: u32, other: u32, far_m: f64| {
            let next = nearest.get(&id).and_then(|of| of.iter().find(|(_, it)| *it != other));
            next.is_none_or(|(next_m, _)| *next_m >= far_m * CLEAR_FACTOR)
        };
        let is_clear = |(far_m, from, to): &(f64, u32, u32)| {
            is_clear_of(*from, *to, *far_m) && is_clear_of(*to, *from, *far_m)
        };
        let is_around = |id: u32| {
            let object = self.objects.get(&id);
            object.is_some_and(|it| (it.position - place).norm() <= CARRIED_M)
        };
        let clear: Vec<(f64, u32, u32)> = pairs
            .iter()
            .copied()
            .filter(|pair| is_clear(pair) && (is_around(pair.1) || is_around(pair.2)))
            .collect();
        for (_, from, to) in clear {
            let Some(seen) = self.remove(to) else { continue };
            changes.push(self.changed_from(from, &seen, at));
        }
    }

    fn of(&self, ids: &[u32], is_of: impl Fn(&Object) -> bool) -> Vec<u32> {
        let ids = ids.iter().copied();
        ids.filter(|id| self.objects.get(id).is_some_and(&is_of)).collect()
    }

    /// How far one would have been carried to be the other, m; `None`: it cannot be.
    fn may_be_moved(&self, from: u32, to: u32) -> Option<f64> {
        let (from, to) = (self.objects.get(&from)?, self.objects.get(&to)?);
        let far_m = (from.position - to.position).norm();
        let may_be = from.kept.labels.top() == to.kept.labels.top()
            && far_m <= CARRIED_M
            && to.kept.first_seen > from.kept.last_seen
            && secs(from.kept.last_seen, to.kept.first_seen) <= CARRIED_SECS
            && from.has_size_of(to);
        (may_be && self.was_explored(to)).then_some(far_m)
    }

    /// Whether the place of an object had been seen, without it, before it was there.
    fn was_explored(&self, object: &Object) -> bool {
        self.near(&object.position, EXPLORED_M).iter().any(|id| {
            self.objects.get(id).is_some_and(|other| {
                other.belief != Belief::Tentative
                    && secs(other.kept.first_seen, object.kept.first_seen) > VISIT_SECS
            })
        })
    }

    fn changed_from(&mut self, id: u32, seen: &Object, at: Stamp) -> ObjectChange {
        let merged = seen.kept.key.clone();
        ObjectChange {
            kind: ObjectChangeKind::Moved { merged: Some(merged) },
            ..self.move_to(id, seen, at)
        }
    }

    /// Lets an object be where something was seen that is taken for it.
    pub(super) fn move_to(&mut self, id: u32, seen: &Object, at: Stamp) -> ObjectChange {
        self.change(id, |object| {
            let far_m = (object.position - seen.position).norm();
            if far_m >= MOVE_M_MIN {
                let from_m = Point3::into(object.position);
                object.kept.moved = Some(Moved { at: seen.kept.first_seen, from_m });
            }
            let old = std::mem::replace(&mut object.kept, seen.kept.clone());
            object.kept.key = old.key;
            object.kept.first_seen = old.first_seen;
            object.kept.count += old.count;
            object.kept.moved = old.moved;
            object.kept.labels = old.labels;
            object.kept.labels.add(seen.kept.labels.weights());
            (object.position, object.variance_m2) = (seen.position, seen.variance_m2);
            object.note_there();
            (object.visit, object.visit_count) = (seen.visit.clone(), seen.visit_count);
            object.belief = Belief::Present;
            object.is_changed = true;
        });
        self.changed(id, at, ObjectChangeKind::Moved { merged: None })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Detection;
    use super::super::space::{PlacedDetection, View};
    use super::*;
    use nalgebra::Isometry3;

    fn put(space: &mut Space, secs: i64, x: f64, label: &str, belief: Belief) -> u32 {
        let detection = Detection { labels: vec![(label.into(), 0.9)], ..Detection::default() };
        let view = View {
            stamp: Stamp::from_secs(secs),
            topic: "/detections".into(),
            sensor: Isometry3::identity(),
            robot: [0.0; 3],
        };
        let sight = PlacedDetection {
            detection: &detection,
            index: 0,
            position: Point3::new(x, 0.0, 0.0),
            orientation: None,
            variance_m2: 0.01,
        };
        let object = space.begun(&view, &sight);
        space.insert(Object { belief, ..object })
    }

    /// What becomes of cups that are gone and others that are new, by where they are; of as many twice.
    fn moved(gone: &[f64], new: &[f64]) -> (usize, u64) {
        let mut space = Space::new("map", "hall");
        put(&mut space, 1, 0.5, "table", Belief::Present);
        for x in gone {
            put(&mut space, 10, *x, "cup", Belief::Gone);
        }
        let ids = new.iter().map(|x| put(&mut space, 100, *x, "cup", Belief::Present));
        let last = ids.last();
        let mut changes = Vec::new();
        space.pair_moved(last.unwrap_or_default(), Stamp::from_secs(101), &mut changes);
        (changes.len(), space.unpaired)
    }

    #[test]
    fn only_what_nothing_else_could_be_was_moved() {
        assert_eq!(moved(&[0.0], &[1.0]), (1, 0));
        assert_eq!(moved(&[0.0], &[1.9, 1.0]), (0, 0));
        assert_eq!(moved(&[0.0], &[2.1, 1.0]), (1, 0));
        assert_eq!(moved(&[0.0, 2.9], &[1.0]), (0, 0));
        assert_eq!(moved(&[0.0, 3.1], &[1.0]), (1, 0));
    }

    #[test]
    fn too_many_alike_are_not_compared() {
        let many = [1.0; 65];
        assert_eq!(moved(&many, &many), (0, 1));
    }
}
