//! One thing, as far as it is known.

use nalgebra::{Point3, Vector3};
use robot_memory_core::limits::DETECTION_RANGE_M_MAX;
use robot_memory_core::model::{ObjectState, Stamp};
use robot_memory_core::object::{Labels, TrackedObject};
use std::f64::consts::TAU;

/// Directions from which a thing is seen, all around.
pub(super) const SECTORS: usize = 12;
/// Sightings from one direction before it is known to be seen from there: one may be of another thing.
const SECTOR_HITS: u8 = 5;
/// Nothing is known better, m: the robot's own pose is off by so much for as long as it looks.
pub(super) const FLOOR_M: f64 = 0.05;

/// How sure it is that something is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Belief {
    /// Seen too few times.
    Tentative,
    Present,
    Gone,
}

/// One thing, as it is tracked.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub kept: TrackedObject,
    pub belief: Belief,
    pub position: Point3<f64>,
    pub variance_m2: f64,
    /// Evidence that it is not there, nats.
    pub absence: f64,
    /// The same, of looking on from wherever, in which only looks that are far apart count, nats.
    pub stared: f64,
    /// Since when it is looked for without being seen; zero: it is not.
    pub absent_secs: f64,
    /// Of those, on this visit, by the direction it was looked from.
    pub sector_secs: [f64; SECTORS],
    /// Views in a row that should have shown it and did not.
    pub missed: u32,
    /// Sightings since it was tentative, or gone.
    pub hits: u32,
    /// When those began.
    pub hits_since: Stamp,
    /// Sightings by direction around it, as far as [`SECTOR_HITS`].
    pub sector_hits: [u8; SECTORS],
    /// What it was called since this visit of its place began.
    pub visit: Labels,
    pub visit_count: u32,
    /// Sightings until then do not count: they were told before.
    pub newest: Stamp,
    pub is_changed: bool,
}

impl Object {
    /// One that was stored before.
    pub fn restored(kept: TrackedObject) -> Self {
        let is_gone = kept.state == ObjectState::Gone;
        Self {
            belief: if is_gone { Belief::Gone } else { Belief::Present },
            position: Point3::from(kept.position_m),
            variance_m2: kept.sigma_m.max(FLOOR_M).powi(2),
            absence: 0.0,
            stared: 0.0,
            absent_secs: 0.0,
            sector_secs: [0.0; SECTORS],
            missed: u32::MAX,
            hits: 0,
            hits_since: kept.last_seen,
            sector_hits: [0; SECTORS],
            visit: Labels::default(),
            visit_count: 0,
            newest: kept.last_seen,
            is_changed: false,
            kept,
        }
    }

    /// Time begins anew: no sighting was told before, and its place is visited for the first time.
    pub fn restart(&mut self) {
        self.newest = Stamp(i64::MIN);
        (self.hits, self.missed) = (0, u32::MAX);
        (self.absent_secs, self.sector_secs) = (0.0, [0.0; SECTORS]);
        (self.visit, self.visit_count) = (Labels::default(), 0);
    }

    /// The direction around it in which a point lies.
    pub fn sector(&self, from: &Point3<f64>) -> usize {
        let to = from - self.position;
        let turn = to.y.atan2(to.x).rem_euclid(TAU) / TAU;
        ((turn * SECTORS as f64) as usize).min(SECTORS - 1)
    }

    /// Whether nothing stood between it and such a point when it was last there: it was seen from that
    /// direction, and from as far.
    pub fn was_seen_from(&self, from: &Point3<f64>, range_m: f64) -> bool {
        let known_m = self.kept.seen_ranges_m.get(self.sector(from)).copied().unwrap_or(0.0);
        range_m <= f64::from(known_m) * 1.1
    }

    /// Notes from where it was seen.
    pub fn note_view(&mut self, from: &Point3<f64>, range_m: f64) {
        let sector = self.sector(from);
        let hits = &mut self.sector_hits[sector];
        *hits = hits.saturating_add(1).min(SECTOR_HITS);
        if *hits < SECTOR_HITS {
            return;
        }
        self.kept.seen_ranges_m.resize(SECTORS, 0.0);
        if let Some(known_m) = self.kept.seen_ranges_m.get_mut(sector) {
            *known_m = known_m.max(range_m.min(DETECTION_RANGE_M_MAX) as f32);
        }
    }

    /// Notes that it is there: nothing speaks against it.
    pub fn note_there(&mut self) {
        (self.absence, self.stared, self.absent_secs, self.missed) = (0.0, 0.0, 0.0, 0);
        self.sector_secs = [0.0; SECTORS];
    }

    /// Takes a measured position (Kalman filter of a thing that stands still).
    pub fn measure(&mut self, position: &Point3<f64>, variance_m2: f64) {
        let gain = self.variance_m2 / (self.variance_m2 + variance_m2);
        self.position += gain * (position - self.position);
        self.variance_m2 = ((1.0 - gain) * self.variance_m2).max(FLOOR_M * FLOOR_M);
    }

    /// Squared distance by both uncertainties (Mahalanobis).
    pub fn distance_2(&self, position: &Point3<f64>, variance_m2: f64) -> f64 {
        (position - self.position).norm_squared() / (self.variance_m2 + variance_m2)
    }

    /// As it is to be stored.
    pub fn to_kept(&self) -> TrackedObject {
        let presence = match self.belief {
            Belief::Gone => 0.0,
            // Even odds at half the evidence that it takes.
            _ => 1.0 / (1.0 + (self.absence - super::space::GONE_NATS / 2.0).exp()),
        };
        let share = self.kept.labels.share(self.kept.labels.top());
        TrackedObject {
            position_m: self.position.coords.into(),
            sigma_m: self.variance_m2.sqrt(),
            confidence: (share * presence).clamp(0.0, 1.0),
            state: if self.belief == Belief::Gone {
                ObjectState::Gone
            } else {
                ObjectState::Present
            },
            ..self.kept.clone()
        }
    }

    /// Whether two may be one thing by their sizes, where both are known.
    pub fn has_size_of(&self, other: &Self) -> bool {
        match (self.kept.size_m, other.kept.size_m) {
            (Some(own), Some(other)) => {
                let (own, other) = (Vector3::from(own).norm(), Vector3::from(other).norm());
                own <= other * 1.5 && other <= own * 1.5
            }
            _ => true,
        }
    }
}
