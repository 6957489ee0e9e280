//! Lessons of groups of attempts, kept, and carried on with each newer attempt.

use super::known::{Group, KnownAttempt, KnownAttempts, Quantity};
use super::lessons::{
    ChangePoint, Lesson, Track, Trial, change_point, ruling_on_bound, wrong_count_of_one_range,
};
use robot_memory_core::api::Side;
use robot_memory_core::claim::Ruling;
use robot_memory_core::limits::ATTEMPT_NUMBERS_MAX;
use robot_memory_core::model::{Stamp, Trust};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Sets of groups whose lessons are kept: some ten kilobytes for each parameter of each.
const SETS_MAX: usize = 1_000;
/// Only what a robot chooses can be heeded.
const PARAMETER: &str = "params.";

/// A lesson of some attempts, and what it is of.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonOf {
    /// The number that it bounds.
    pub quantity: Quantity,
    /// The lesson.
    pub lesson: Lesson,
}

/// What the attempts of some groups teach.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Lessons {
    /// In order of quantity and side.
    pub lessons: Vec<LessonOf>,
    /// In order of quantity.
    pub changes: Vec<(Quantity, ChangePoint)>,
    /// Whether all attempts were of the real robot, or all of a simulated one; `None`: some were of each.
    pub is_real: Option<bool>,
    /// The least trust of any.
    pub trust: Option<Trust>,
}

/// Lessons by the groups that they are of.
#[derive(Debug, Default)]
pub(super) struct Replays(Mutex<HashMap<Box<[usize]>, Replay>>);

/// The attempts of some groups, taken in one after the other.
#[derive(Debug, Default)]
struct Replay {
    /// The last that was taken in.
    upto: Option<(Stamp, i64)>,
    count: usize,
    rewrite_count: u64,
    by_quantity: BTreeMap<u32, OfQuantity>,
    real_count: usize,
    trust: Option<Trust>,
    /// Until another attempt is taken in.
    taught: Option<Lessons>,
}

/// What is known of one number.
#[derive(Debug)]
struct OfQuantity {
    above: Track,
    below: Track,
    /// The newest.
    trials: VecDeque<Trial>,
}

impl KnownAttempts {
    /// What the attempts of some groups teach. What was asked before is carried on by the newer attempts; else
    /// all are read, some microseconds each.
    pub fn lessons(&self, groups: &[usize]) -> Lessons {
        let of: Vec<&Group> = groups.iter().filter_map(|it| self.group_of_number(*it)).collect();
        let kept = self.replays.0.lock().unwrap_or_else(PoisonError::into_inner).remove(groups);
        let rewrite_count = of.iter().map(|it| it.rewrite_count).sum();
        let known_count = of.iter().map(|it| it.tally.known_count()).sum();
        let mut replay = kept.unwrap_or_default();
        if replay.rewrite_count != rewrite_count || !replay.carry_on(self, &of, known_count) {
            replay = Replay { rewrite_count, ..Replay::default() };
            replay.carry_on(self, &of, known_count);
        }
        let lessons = replay.lessons(self);
        replay.taught = Some(lessons.clone());
        let mut sets = self.replays.0.lock().unwrap_or_else(PoisonError::into_inner);
        if sets.len() >= SETS_MAX {
            sets.clear();
        }
        sets.insert(groups.into(), replay);
        lessons
    }

    /// What the attempts of some groups say of a bound that another robot told; `None`: nothing yet.
    pub fn ruling_on(
        &self,
        groups: &[usize],
        quantity: &Quantity,
        (side, bound): (Side, f64),
    ) -> Option<Ruling> {
        let number = *self.quantity_of.get(quantity)?;
        let of = groups.iter().filter_map(|it| self.group_of_number(*it));
        let mut made: Vec<(Stamp, i64)> = of.flat_map(|it| it.tally.known_after(None)).collect();
        made.sort_unstable();
        let trials = made.into_iter().filter_map(|(at, id)| {
            let attempt = self.attempt(id)?;
            let value = attempt.numbers.iter().find(|it| it.0 == number)?.1;
            Some(Trial { id, at, value, has_failed: attempt.has_failed() })
        });
        ruling_on_bound(side, bound, trials)
    }
}

impl Replay {
    /// Takes in what is newer than all that was; whether that is all there is.
    fn carry_on(&mut self, known: &KnownAttempts, of: &[&Group], known_count: usize) -> bool {
        let mut newer: Vec<(Stamp, i64)> =
            of.iter().flat_map(|it| it.tally.known_after(self.upto)).collect();
        if self.count + newer.len() != known_count {
            return false;
        }
        if !newer.is_empty() {
            self.taught = None;
        }
        newer.sort_unstable();
        for (at, id) in newer {
            if let Some(attempt) = known.attempt(id) {
                self.take(known, at, id, attempt);
            }
            self.count += 1;
            self.upto = Some((at, id));
        }
        true
    }

    fn take(&mut self, known: &KnownAttempts, at: Stamp, id: i64, attempt: &KnownAttempt) {
        self.real_count += usize::from(attempt.is_real);
        self.trust = Some(self.trust.map_or(attempt.trust, |it| it.min(attempt.trust)));
        for (quantity, value) in &attempt.numbers {
            let is_parameter =
                known.quantity_called(*quantity).is_some_and(|it| it.path.starts_with(PARAMETER));
            let is_known = self.by_quantity.contains_key(quantity);
            if !is_parameter || !is_known && self.by_quantity.len() == ATTEMPT_NUMBERS_MAX {
                continue;
            }
            let trial = Trial { id, at, value: *value, has_failed: attempt.has_failed() };
            let of = self.by_quantity.entry(*quantity).or_insert_with(|| OfQuantity {
                above: Track::new(Side::Above),
                below: Track::new(Side::Below),
                trials: VecDeque::new(),
            });
            of.above.take(trial);
            of.below.take(trial);
            of.trials.push_back(trial);
            if of.trials.len() > Trial::CHANGE_MAX {
                of.trials.pop_front();
            }
        }
    }

    fn lessons(&mut self, known: &KnownAttempts) -> Lessons {
        if let Some(taught) = &self.taught {
            return taught.clone();
        }
        let is_real = [(0, false), (self.count, true)]
            .into_iter()
            .find(|(count, _)| *count == self.real_count && self.count > 0);
        let mut lessons =
            Lessons { is_real: is_real.map(|it| it.1), trust: self.trust, ..Lessons::default() };
        let mut ranges = Vec::new();
        for (quantity, of) in &mut self.by_quantity {
            let Some(quantity) = known.quantity_called(*quantity) else { continue };
            for lesson in [&of.above, &of.below].into_iter().filter_map(Track::lesson) {
                lessons
                    .lessons
                    .push(LessonOf { quantity: quantity.clone(), lesson: lesson.clone() });
            }
            let trials = of.trials.make_contiguous();
            if let Some(change) = change_point(trials) {
                lessons.changes.push((quantity.clone(), change));
            }
            let wrong_count = wrong_count_of_one_range(trials);
            ranges.push((quantity.clone(), trials.len(), wrong_count));
        }
        // What another number explains without a change is none of this one.
        lessons.changes.retain(|(quantity, change)| {
            let own = ranges.iter().find(|it| it.0 == *quantity).map_or(0, |it| it.1);
            !ranges.iter().any(|(other, count, wrong_count)| {
                other != quantity && *count >= own && *wrong_count <= change.wrong_count
            })
        });
        lessons.lessons.sort_by(|a, b| {
            (&a.quantity, a.lesson.side as u8).cmp(&(&b.quantity, b.lesson.side as u8))
        });
        lessons.changes.sort_by(|a, b| a.0.cmp(&b.0));
        lessons
    }
}
