//! Frames in frames, each for a stretch of time.

use nalgebra::Isometry3;
use robot_memory_core::model::Stamp;
use std::collections::{BTreeMap, VecDeque};

/// Seconds that are known: an event is placed when it begins, and some wait for others.
const HISTORY_NANOS: u64 = 10_000_000_000;
/// A robot at 2 m/s is 2 cm farther; between two, the straight way is taken.
const APART_NANOS: u64 = 10_000_000;
/// At 100 Hz, ten seconds.
const SAMPLES_MAX: usize = 1_000;
/// Frames of which anything is known: a humanoid with its sensors has some hundred.
const FRAMES_MAX: usize = 512;
/// Frames from a leaf to the root of the tree; also ends a circle.
const CHAIN_MAX: usize = 64;
/// Bytes of a frame's name.
const NAME_BYTES_MAX: usize = 256;

/// What has a value between two times.
pub(super) trait Timed: Clone {
    /// The value at `share` (0 to 1) of the way to a later one.
    fn between(&self, later: &Self, share: f64) -> Self;
}

impl Timed for Isometry3<f64> {
    fn between(&self, later: &Self, share: f64) -> Self {
        // `None` for half a turn, of which all ways are as short: then the nearer one.
        self.try_lerp_slerp(later, share, 1e-9).unwrap_or(if share < 0.5 { *self } else { *later })
    }
}

/// The values of the last seconds, in order of time.
#[derive(Debug, Clone)]
pub(super) struct History<T>(VecDeque<(Stamp, T)>);

impl<T> Default for History<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Timed> History<T> {
    /// Takes the value of a time. One of a time that is known already replaces it, one just after or
    /// before another is left out, one older than the history, too.
    pub fn put(&mut self, stamp: Stamp, value: T) {
        let samples = &mut self.0;
        let index = samples.partition_point(|(known, _)| *known < stamp);
        if let Some((known, there)) = samples.get_mut(index)
            && *known == stamp
        {
            *there = value;
            return;
        }
        let newest = samples.back().map_or(stamp, |(newest, _)| stamp.max(*newest));
        if is_near(samples, index, stamp, APART_NANOS) || newest.0.abs_diff(stamp.0) > HISTORY_NANOS
        {
            return;
        }
        samples.insert(index, (stamp, value));
        while samples.len() > SAMPLES_MAX
            || samples
                .front()
                .is_some_and(|(oldest, _)| newest.0.abs_diff(oldest.0) > HISTORY_NANOS)
        {
            samples.pop_front();
        }
    }

    /// The value at a time, and the seconds to the nearest time that is known.
    pub fn at(&self, stamp: Stamp) -> Option<(T, f64)> {
        let index = self.0.partition_point(|(known, _)| *known < stamp);
        let age = |known: Stamp| known.0.abs_diff(stamp.0) as f64 * 1e-9;
        let before = index.checked_sub(1).and_then(|before| self.0.get(before));
        match (before, self.0.get(index)) {
            (None, None) => None,
            (Some((known, value)), None) | (None, Some((known, value))) => {
                Some((value.clone(), age(*known)))
            }
            (Some((earlier, from)), Some((later, to))) => {
                let span = later.0.abs_diff(earlier.0) as f64 * 1e-9;
                let value = from.between(to, age(*earlier) / span);
                Some((value, age(*earlier).min(age(*later))))
            }
        }
    }
}

/// Whether a neighbor of the place at `index` is nearer than `apart_nanos`.
fn is_near<T>(
    samples: &VecDeque<(Stamp, T)>,
    index: usize,
    stamp: Stamp,
    apart_nanos: u64,
) -> bool {
    [index.checked_sub(1), Some(index)]
        .into_iter()
        .flatten()
        .filter_map(|neighbor| samples.get(neighbor))
        .any(|(known, _)| known.0.abs_diff(stamp.0) < apart_nanos)
}

/// Where a frame is in its parent.
#[derive(Debug, Clone)]
enum Placing {
    Always(Isometry3<f64>),
    /// Since it was first told.
    Over(Stamp, History<Isometry3<f64>>),
}

/// Frames, each in one parent: a forest.
#[derive(Debug, Clone, Default)]
pub(super) struct Frames(BTreeMap<String, (String, Placing)>);

impl Frames {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a frame is placed in another one, or another one in it.
    pub fn is_known(&self, frame: &str) -> bool {
        self.0.contains_key(frame) || self.0.values().any(|(parent, _)| parent == frame)
    }

    /// How many frames there are, and the most samples that one has.
    #[cfg(test)]
    pub fn sizes(&self) -> (usize, usize) {
        let samples = self.0.values().map(|(_, placing)| match placing {
            Placing::Always(_) => 1,
            Placing::Over(_, history) => history.0.len(),
        });
        (self.0.len(), samples.max().unwrap_or(0))
    }

    /// The same frames, each where it was last. One that was not heard of for as long as a history
    /// reaches back, while others were, is left out.
    pub fn latest(&self) -> Self {
        let last = |placing: &Placing| match placing {
            Placing::Always(isometry) => Some((None, *isometry)),
            Placing::Over(_, history) => history.0.back().map(|(stamp, it)| (Some(*stamp), *it)),
        };
        let newest = self.0.values().filter_map(|(_, placing)| last(placing)?.0).max();
        let is_old = |stamp: Option<Stamp>| {
            let ages = stamp.zip(newest).map(|(stamp, newest)| newest.0.abs_diff(stamp.0));
            ages.is_some_and(|age| age > HISTORY_NANOS)
        };
        let kept = self.0.iter().filter_map(|(child, (parent, placing))| {
            let (stamp, isometry) = last(placing)?;
            let placing = match (placing, stamp) {
                (Placing::Over(since, _), Some(stamp)) => {
                    Placing::Over(*since, History(VecDeque::from([(stamp, isometry)])))
                }
                _ => Placing::Always(isometry),
            };
            (!is_old(stamp)).then(|| (child.clone(), (parent.clone(), placing)))
        });
        Self(kept.collect())
    }

    /// Forgets all but what always holds.
    pub fn forget_dynamic(&mut self) {
        self.0.retain(|_, (_, placing)| matches!(placing, Placing::Always(_)));
    }

    /// Places a frame in another; `None` as stamp: always. A frame that is put into another parent
    /// has no history there.
    pub fn put(
        &mut self,
        parent: &str,
        child: &str,
        stamp: Option<Stamp>,
        isometry: Isometry3<f64>,
    ) {
        let is_name = |name: &str| !name.is_empty() && name.len() <= NAME_BYTES_MAX;
        if !is_name(parent) || !is_name(child) || parent == child {
            return;
        }
        if !self.0.contains_key(child) {
            if self.0.len() >= FRAMES_MAX && !self.forget_idlest() {
                return;
            }
            let placing = Placing::Over(stamp.unwrap_or_default(), History::default());
            self.0.insert(child.to_owned(), (parent.to_owned(), placing));
        }
        let Some((known_parent, placing)) = self.0.get_mut(child) else { return };
        let was_always = matches!(placing, Placing::Always(_));
        if known_parent != parent || (was_always && stamp.is_some()) {
            parent.clone_into(known_parent);
            *placing = Placing::Over(stamp.unwrap_or_default(), History::default());
        }
        match (placing, stamp) {
            (Placing::Over(_, history), Some(stamp)) => history.put(stamp, isometry),
            (placing, _) => *placing = Placing::Always(isometry),
        }
    }

    /// Forgets the frame that was not heard of for longest; of those that always hold, none.
    fn forget_idlest(&mut self) -> bool {
        let idlest = self
            .0
            .iter()
            .filter_map(|(child, (_, placing))| match placing {
                Placing::Always(_) => None,
                Placing::Over(_, history) => Some((history.0.back()?.0, child)),
            })
            .min()
            .map(|(_, child)| child.clone());
        idlest.is_some_and(|child| self.0.remove(&child).is_some())
    }

    /// Where `to` is in `from` at a time, and the most seconds by which a transform on the way is off;
    /// `None` when no way leads from one to the other.
    pub fn between(&self, from: &str, to: &str, stamp: Stamp) -> Option<(Isometry3<f64>, f64)> {
        let down = self.ancestors(to);
        let up = self.ancestors(from);
        // The first ancestor of `to` that is one of `from`, too.
        let (length_down, meeting) =
            down.iter().enumerate().find(|(_, frame)| up.contains(frame))?;
        let length_up = up.iter().position(|frame| frame == meeting)?;
        let (to_in_meeting, age_down) = self.along(&down[..length_down], stamp)?;
        let (from_in_meeting, age_up) = self.along(&up[..length_up], stamp)?;
        Some((from_in_meeting.inverse() * to_in_meeting, age_down.max(age_up)))
    }

    /// Since when it is told where `to` is in `from`; `None`: it is always at the same place there.
    pub fn since(&self, from: &str, to: &str) -> Option<Stamp> {
        let (down, up) = (self.ancestors(to), self.ancestors(from));
        let apart = down.iter().filter(|frame| !up.contains(frame));
        let apart = apart.chain(up.iter().filter(|frame| !down.contains(frame)));
        let since = apart.filter_map(|frame| match self.0.get(*frame)? {
            (_, Placing::Over(since, _)) => Some(*since),
            (_, Placing::Always(_)) => None,
        });
        since.max()
    }

    /// The frame itself, its parent, the parent's parent, ...
    fn ancestors<'a>(&'a self, frame: &'a str) -> Vec<&'a str> {
        let parent = |frame: &&'a str| self.0.get(*frame).map(|(parent, _)| parent.as_str());
        std::iter::successors(Some(frame), parent).take(CHAIN_MAX).collect()
    }

    /// Where the first of some frames is in the parent of the last, each in the next.
    fn along(&self, frames: &[&str], stamp: Stamp) -> Option<(Isometry3<f64>, f64)> {
        let mut whole = (Isometry3::identity(), 0.0_f64);
        for frame in frames {
            let (isometry, age_secs) = match &self.0.get(*frame)?.1 {
                Placing::Always(isometry) => (*isometry, 0.0),
                Placing::Over(_, history) => history.at(stamp)?,
            };
            whole = (isometry * whole.0, whole.1.max(age_secs));
        }
        Some(whole)
    }
}
