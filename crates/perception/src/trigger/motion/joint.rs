//! How fast one joint is: as it is told, or as its positions say.

use crate::trigger::pace::SLOW_PERIOD_SECS;
use crate::trigger::robust::weight;
use crate::{Layout, Numbers, Quantity};
use std::f64::consts::{PI, TAU};

/// Time constants of the smoothing: of velocities, and of those made from steps of positions.
const SMOOTH_VELOCITY_SECS: f64 = 0.015;
const SMOOTH_POSITION_SECS: f64 = 0.04;
/// Greatest number that is taken for a measurement.
const VALUE_MAX: f64 = 1e6;
/// Positions contradict velocities when they went farther than those say, by so much (rad, m) and by this
/// factor, within so many seconds: filtered velocities lag.
const APART: f64 = 0.05;
const APART_FACTOR: f64 = 2.0;
const APART_SECS: f64 = 0.5;
/// A step of an encoder is one of less than so many of its smallest. It is motion when another one in the
/// same direction came within so many seconds: at rest the last digit flickers.
const ENCODER_STEPS: f64 = 3.0;
const ENCODER_SECS: f64 = 0.2;

/// A joint, and what was read of it.
#[derive(Debug, Clone, Default)]
pub(super) struct Joint {
    /// Where in a reading its velocity and its position are.
    velocity: Option<usize>,
    position: Option<usize>,
    given: Speed,
    made: Speed,
    /// Whether what is made of positions counts, and not what is told.
    pub is_made: bool,
    /// Whether it was ever told to move, and whether positions contradict what is told.
    was_given: bool,
    is_contradicted: bool,
    given_way: f64,
    made_way: f64,
    track: Track,
    /// Way since the begin of what is going on.
    pub path: f64,
    pub moved: bool,
}

/// A velocity.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Speed {
    /// Smoothed, and as it came.
    pub smooth: f64,
    pub raw: f64,
    /// Of the noise at rest.
    pub variance: f64,
}

/// Where a joint was.
#[derive(Debug, Clone, Default)]
struct Track {
    last: Option<f64>,
    least: f64,
    greatest: f64,
    /// The smallest step that was one.
    step_min: f64,
    /// The last step's direction, and how long ago it was.
    direction: f64,
    since_secs: f64,
}

impl Track {
    /// The velocity by which it came here.
    fn to(&mut self, position: f64, secs: Option<f64>) -> f64 {
        let Some(last) = self.last.replace(position) else {
            (self.least, self.greatest) = (position, position);
            return 0.0;
        };
        self.least = self.least.min(position);
        self.greatest = self.greatest.max(position);
        let Some(secs) = secs else { return 0.0 };
        let step = self.step(position - last);
        self.since_secs += secs;
        if step == 0.0 {
            return 0.0;
        }
        if self.step_min == 0.0 || step.abs() < self.step_min {
            self.step_min = step.abs();
        }
        let goes_on = self.direction == step.signum() && self.since_secs <= ENCODER_SECS;
        (self.direction, self.since_secs) = (step.signum(), 0.0);
        let is_coarse = secs < SLOW_PERIOD_SECS && step.abs() < ENCODER_STEPS * self.step_min;
        if is_coarse && !goes_on { 0.0 } else { step / secs }
    }

    /// The way of one step: a joint that turns on and on starts again after a full turn.
    fn step(&self, way: f64) -> f64 {
        // One that was ever farther counts its turns, or is no angle.
        let is_within = self.greatest - self.least <= TAU + 0.1;
        let is_turn = is_within && way.abs() > PI || way.abs() > 1.5 * PI && way.abs() < 2.5 * PI;
        if is_turn { way - TAU.copysign(way) } else { way }
    }
}

impl Joint {
    /// The joints of a layout, in the order of their velocities; then those of which there is no velocity.
    pub fn all(layout: &Layout) -> Vec<Self> {
        let of = |quantity: Quantity| {
            let channels = layout.channels.iter().enumerate();
            channels.filter(move |(_, channel)| channel.quantity == quantity)
        };
        let stem = |name: &'_ str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
        let mut positions: Vec<(usize, String)> =
            of(Quantity::Position).map(|(index, channel)| (index, stem(&channel.name))).collect();
        let mut joints = Vec::new();
        for (index, channel) in of(Quantity::Velocity) {
            let name = stem(&channel.name);
            let position = positions.iter().position(|(_, other)| *other == name);
            let position = position.map(|position| positions.remove(position).0);
            joints.push(Self::new(Some(index), position));
        }
        joints.extend(positions.into_iter().map(|(index, _)| Self::new(None, Some(index))));
        joints
    }

    fn new(velocity: Option<usize>, position: Option<usize>) -> Self {
        Self { velocity, position, is_made: velocity.is_none(), ..Self::default() }
    }

    /// Whether its velocity is in the readings.
    pub fn has_velocity(&self) -> bool {
        self.velocity.is_some()
    }

    /// Where in a reading it is.
    pub fn channel(&self) -> Option<usize> {
        self.velocity.or(self.position)
    }

    /// Reads it; `secs` is the time since the reading before, if that counts.
    pub fn read(&mut self, numbers: &Numbers, secs: Option<f64>) {
        let value = |channel: Option<usize>| {
            let value = channel.and_then(|channel| numbers.values.get(channel).copied());
            value.filter(|value| value.is_finite() && value.abs() <= VALUE_MAX)
        };
        let (velocity, position) = (value(self.velocity), value(self.position));
        let part = |smooth_secs: f64| secs.map_or(1.0, |secs| weight(secs, smooth_secs));
        if let Some(position) = position {
            let made = self.track.to(position, secs);
            self.made.raw = made;
            self.made.smooth += part(SMOOTH_POSITION_SECS) * (made - self.made.smooth);
        }
        if let Some(velocity) = velocity {
            self.was_given |= velocity != 0.0;
            self.given.raw = velocity;
            self.given.smooth += part(SMOOTH_VELOCITY_SECS) * (velocity - self.given.smooth);
        }
        if let (Some(velocity), Some(_), Some(secs)) = (velocity, position, secs)
            && secs < SLOW_PERIOD_SECS
        {
            let kept = 1.0 - weight(secs, APART_SECS);
            self.given_way = kept * self.given_way + velocity * secs;
            self.made_way = kept * self.made_way + self.made.raw * secs;
            self.is_contradicted |=
                self.made_way.abs() > APART_FACTOR * self.given_way.abs() + APART;
        }
        let is_missing = velocity.is_none() || !self.was_given || self.is_contradicted;
        let is_placed = position.is_some() || self.velocity.is_none();
        self.is_made = is_placed && is_missing;
    }

    /// How fast it is.
    pub fn speed(&self) -> &Speed {
        if self.is_made { &self.made } else { &self.given }
    }

    /// As told, and as positions say.
    pub fn speeds(&self) -> [Speed; 2] {
        [self.given, self.made]
    }

    /// The same, to be changed.
    pub fn speeds_mut(&mut self) -> [&mut Speed; 2] {
        [&mut self.given, &mut self.made]
    }
}
