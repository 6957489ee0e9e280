//! Robots that are commanded, that drive, and that an operator commands.

use super::pace::{Pace, Step};
use super::{duration, measure, parameters, signal};
use crate::decode::SPEED;
use crate::span::secs_between;
use crate::{Edge, Layout, Measure, Numbers, Quantity, Signal, TriggerKind, TriggerSettings};
use robot_memory_core::model::Stamp;
use std::sync::Arc;

/// Seconds after which the last command no longer holds: controllers stop by then.
const COMMAND_SECS_MAX: f64 = 1.0;
/// Meters from one pose to the next beyond which a robot was placed, and did not drive.
const STEP_M_MAX: f64 = 2.0;
/// What of an axis of a joystick, in its range from -1 to 1, and of a speed (m/s, rad/s) is nothing.
const AXIS_MIN: f64 = 0.1;
const SPEED_MIN: f64 = 0.02;

/// Where a robot is: x and y (m) and its heading (rad).
pub(crate) type Place = [f64; 3];

/// A robot that is commanded to move, and stays where it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Stuck {
    hold_secs: f64,
    speed: f64,
    distance: f64,
    /// Where it was when it moved last, or when it was not commanded, and when.
    anchor: Option<(Place, Stamp)>,
    last: Option<Stamp>,
    /// Since when it is stuck, and what was commanded.
    stuck: Option<(Stamp, Measure)>,
}

impl Stuck {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self {
            hold_secs: number("hold_secs"),
            speed: number("speed"),
            distance: number("distance"),
            ..Self::default()
        }
    }

    /// Takes a command; `place`: where the robot is, if that is known.
    pub(super) fn take(
        &mut self,
        stamp: Stamp,
        numbers: &Numbers,
        place: Option<Place>,
        out: &mut Vec<Signal>,
    ) {
        let former = self.last.replace(stamp);
        if let Some(former) = former
            && secs_between(former, stamp) > COMMAND_SECS_MAX
        {
            self.end(former, out);
            self.anchor = None;
        }
        let commanded = commanded(numbers).filter(|commanded| commanded.value >= self.speed);
        let (Some(commanded), Some(place)) = (commanded, place) else {
            self.end(stamp, out);
            self.anchor = place.map(|place| (place, stamp));
            return;
        };
        let anchor = self.anchor.filter(|(anchor, _)| !self.is_apart(anchor, &place));
        let Some((_, since)) = anchor else {
            self.end(stamp, out);
            self.anchor = Some((place, stamp));
            return;
        };
        if self.stuck.is_none() && secs_between(since, stamp) >= self.hold_secs {
            let measures = vec![commanded.clone()];
            out.push(signal(TriggerKind::Stuck, Edge::Begin, since, measures));
            self.stuck = Some((since, commanded));
        }
    }

    fn is_apart(&self, one: &Place, other: &Place) -> bool {
        let turn = (one[2] - other[2] + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU);
        let turn = (turn - std::f64::consts::PI).abs();
        f64::hypot(one[0] - other[0], one[1] - other[1]) > self.distance || turn > self.distance
    }

    pub(super) fn end(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        if let Some((since, commanded)) = self.stuck.take() {
            let measures = vec![commanded, duration(since, stamp)];
            out.push(signal(TriggerKind::Stuck, Edge::End, stamp, measures));
        }
    }
}

/// The greater of what is commanded, in m/s or rad/s.
fn commanded(numbers: &Numbers) -> Option<Measure> {
    let of = |quantity: Quantity| {
        let channels = numbers.layout.channels.iter().zip(&numbers.values);
        let own =
            channels.filter(|(channel, value)| channel.quantity == quantity && value.is_finite());
        own.map(|(_, value)| value * value).sum::<f64>().sqrt()
    };
    let (linear, angular) = (of(Quantity::Speed), of(Quantity::AngularVelocity));
    let (value, quantity) = match linear >= angular || linear >= SPEED_MIN {
        true => (linear, Quantity::Speed),
        false => (angular, Quantity::AngularVelocity),
    };
    (value > 0.0).then(|| measure("commanded", value, quantity.unit()))
}

/// A robot that drives, as its odometry says, and how far.
#[derive(Debug, Clone, Default)]
pub(super) struct Drive {
    speed: f64,
    off_secs: f64,
    pace: Pace,
    place: Option<[f64; 2]>,
    drive: Option<Driven>,
}

#[derive(Debug, Clone)]
struct Driven {
    begin: Stamp,
    distance: f64,
    peak: f64,
    /// When it moved last.
    last: Stamp,
    /// Since when it stands.
    rest: Option<Stamp>,
}

impl Drive {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self { speed: number("speed"), off_secs: number("off_secs"), ..Self::default() }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        let channels = &numbers.layout.channels;
        let Some(speed) = channels.iter().position(|channel| channel.name == SPEED) else { return };
        let (&[x, y, ..], Some(&speed)) = (&numbers.values[..], numbers.values.get(speed)) else {
            return;
        };
        if let Step::Gap(_) = self.pace.step(stamp) {
            self.end(out);
            self.place = None;
        }
        let place = [x, y];
        let step = self.place.replace(place);
        let step = step.map_or(0.0, |from| f64::hypot(place[0] - from[0], place[1] - from[1]));
        let step = if step <= STEP_M_MAX { step } else { 0.0 };
        let is_moving = speed >= self.speed;
        match &mut self.drive {
            Some(drive) => {
                drive.distance += step;
                if is_moving {
                    drive.peak = drive.peak.max(speed);
                    (drive.last, drive.rest) = (stamp, None);
                    out.push(signal(TriggerKind::Drive, Edge::More, stamp, drive.measures()));
                } else {
                    let rest = *drive.rest.get_or_insert(stamp);
                    if secs_between(rest, stamp) >= self.off_secs {
                        self.end(out);
                    }
                }
            }
            None if is_moving => {
                let drive =
                    Driven { begin: stamp, distance: 0.0, peak: speed, last: stamp, rest: None };
                out.push(signal(TriggerKind::Drive, Edge::Begin, stamp, drive.measures()));
                self.drive = Some(drive);
            }
            None => {}
        }
    }

    pub(super) fn end(&mut self, out: &mut Vec<Signal>) {
        let Some(drive) = self.drive.take() else { return };
        let end = drive.rest.unwrap_or(drive.last);
        let mut measures = drive.measures();
        measures.push(duration(drive.begin, end));
        out.push(signal(TriggerKind::Drive, Edge::End, end, measures));
    }
}

impl Driven {
    fn measures(&self) -> Vec<Measure> {
        vec![
            measure("travelled", self.distance, "m"),
            Measure { stamp: Some(self.last), ..measure("peak", self.peak, "m/s") },
        ]
    }
}

/// An operator who begins to command: a joystick, or commands on a topic of teleoperation, that leave rest
/// after some quiet. What does not change for `settle_secs` is rest.
#[derive(Debug, Clone, Default)]
pub(super) struct Takeover {
    quiet_secs: f64,
    settle_secs: f64,
    layout: Option<Arc<Layout>>,
    /// What is at rest beside zero, what was read last, and since when it is the same.
    rest: Vec<f64>,
    last: Vec<f64>,
    same_since: Option<Stamp>,
    /// When the last message was.
    heard: Option<Stamp>,
    /// Since when an operator commands, and since when no longer.
    taken: Option<(Stamp, Option<Stamp>)>,
}

impl Takeover {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self {
            quiet_secs: number("quiet_secs"),
            settle_secs: number("settle_secs"),
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        if let (Some(former), Some((_, rest))) = (self.heard.replace(stamp), self.taken) {
            // Who lets go may say so once, or not at all.
            let is_silent = secs_between(former, stamp) > COMMAND_SECS_MAX;
            let over = rest.or(is_silent.then_some(former));
            if let Some(over) = over.filter(|over| secs_between(*over, stamp) >= self.quiet_secs) {
                self.end(over, out);
            }
        }
        let is_same = self.layout.as_ref() == Some(&numbers.layout);
        if !is_same || self.last.len() != numbers.values.len() {
            self.end(stamp, out);
            self.layout = Some(Arc::clone(&numbers.layout));
            self.rest = self.rest_at(&numbers.values);
            self.last.clone_from(&numbers.values);
            self.same_since = Some(stamp);
        }
        let is_near =
            |one: &[f64]| (0..one.len()).all(|at| !self.is_apart(at, one[at], numbers.values[at]));
        if !is_near(&self.last) {
            self.last.clone_from(&numbers.values);
            self.same_since = Some(stamp);
        } else if self
            .same_since
            .is_some_and(|since| secs_between(since, stamp) >= self.settle_secs)
        {
            self.rest = self.rest_at(&numbers.values);
        }
        let is_at_rest = (0..numbers.values.len()).all(|at| {
            let value = numbers.values[at];
            !self.is_apart(at, 0.0, value) || !self.is_apart(at, self.rest[at], value)
        });
        match (&mut self.taken, is_at_rest) {
            (None, false) => {
                self.taken = Some((stamp, None));
                out.push(signal(TriggerKind::Takeover, Edge::Begin, stamp, Vec::new()));
            }
            (Some((_, rest)), false) if rest.is_some() => {
                *rest = None;
                out.push(signal(TriggerKind::Takeover, Edge::More, stamp, Vec::new()));
            }
            (Some((_, rest @ None)), true) => {
                *rest = Some(stamp);
                out.push(signal(TriggerKind::Takeover, Edge::Rest, stamp, Vec::new()));
            }
            _ => {}
        }
    }

    /// Sticks and triggers may rest anywhere; a commanded speed rests at zero only.
    fn rest_at(&self, values: &[f64]) -> Vec<f64> {
        let values = values.iter().enumerate();
        values.map(|(at, value)| if self.is_axis(at) { *value } else { 0.0 }).collect()
    }

    fn is_axis(&self, channel: usize) -> bool {
        let channels = self.layout.as_ref().map_or(&[][..], |layout| &layout.channels);
        channels.get(channel).is_none_or(|channel| channel.quantity == Quantity::Unknown)
    }

    fn is_apart(&self, channel: usize, one: f64, other: f64) -> bool {
        (one - other).abs() > if self.is_axis(channel) { AXIS_MIN } else { SPEED_MIN }
    }

    pub(super) fn end(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        if let Some((begin, rest)) = self.taken.take() {
            let end = rest.unwrap_or(stamp);
            let measures = vec![duration(begin, end)];
            out.push(signal(TriggerKind::Takeover, Edge::End, end, measures));
        }
    }
}
