mod joint;

use super::pace::{Pace, SLOW_PERIOD_SECS, Step, outlasts};
use super::robust::{DEVIATIONS_PER_MEDIAN, allowance, median, quantile, weight};
use super::{duration, measure, parameters, signal};
use crate::span::{plus_secs, secs_between};
use crate::{Edge, Layout, Measure, Numbers, Quantity, Signal, TriggerKind, TriggerSettings};
use joint::{Joint, Speed};
use robot_memory_core::model::Stamp;
use std::sync::Arc;

/// Least velocity that is a motion, rad/s or m/s, unless told: half a degree in a second.
const FLOOR: f64 = 0.01;
/// Greatest noise that a joint at rest is believed to have: more is motion.
const NOISE_MAX: f64 = 0.05;
/// How long noise is learned at first, of how many readings, and of how many at most.
const LEARN_SECS: f64 = 1.0;
const LEARN_READINGS_MIN: usize = 6;
const LEARN_READINGS_MAX: usize = 64;
/// Time constant in which noise is followed while nothing moves.
const NOISE_SECS: f64 = 10.0;
/// Deviations beyond this many times the noise count as this many.
const REACH: f64 = 3.0;
/// Part of all readings that are taken for rest in the first second, whatever moves.
const QUIET_PART: f64 = 0.2;
/// Standard normal deviate that this part of all absolute values lies below.
const QUIET_DEVIATE: f64 = 0.253;
/// Joints that are named.
const NAMED_MAX: usize = 3;
/// In the first second a joint moves steadily when its velocity is so many times that noise.
const STEADY: f64 = 4.0;
/// How far before the velocity of a motion was reached its begin may lie.
const START_SECS_MAX: f64 = 0.2;

/// Joints that move: from start to stop.
///
/// Each joint's speed, smoothed, is compared with its own noise at rest; the joint that stands out
/// most decides. Velocities are taken as they come. They are made from positions where there are none: no
/// number, zero ever since the start, or less than the way that the positions went.
#[derive(Debug, Clone, Default)]
pub(super) struct Motion {
    on: Option<f64>,
    sigmas: f64,
    off_ratio: f64,
    on_secs: f64,
    off_secs: f64,
    pace: Pace,
    layout: Option<Arc<Layout>>,
    joints: Vec<Joint>,
    learned: Option<Vec<Learned>>,
    readings: f64,
    known_secs: f64,
    phase: Phase,
}

/// A reading of the time in which noise is learned.
#[derive(Debug, Clone)]
struct Learned {
    stamp: Stamp,
    secs: f64,
    joints: Vec<JointSpeed>,
}

/// A joint of it: as told and as made of positions, and which of the two counted.
#[derive(Debug, Clone, Copy)]
struct JointSpeed {
    speeds: [f64; 2],
    is_made: bool,
}

#[derive(Debug, Clone, Default)]
enum Phase {
    #[default]
    Still,
    /// Fast enough to be looked at since; fast enough to be a motion since.
    Starting(Stamp, Option<Stamp>, Peak),
    Moving {
        begin: Stamp,
        peak: Peak,
        /// Since when no joint, unsmoothed, is fast.
        low: Option<Stamp>,
        slow: Option<Slow>,
    },
}

/// Too slow since, and what had been measured by then.
#[derive(Debug, Clone)]
struct Slow {
    since: Stamp,
    peak: Peak,
    paths: Vec<(f64, bool)>,
}

#[derive(Debug, Clone, Copy)]
struct Peak {
    velocity: f64,
    joint: usize,
    stamp: Stamp,
}

impl Motion {
    pub(super) fn new(settings: &TriggerSettings) -> Self {
        let number = |name| parameters::number(settings, name);
        Self {
            on: parameters::value(settings, "on"),
            sigmas: number("sigmas"),
            off_ratio: number("off_ratio"),
            on_secs: number("on_secs"),
            off_secs: number("off_secs"),
            learned: Some(Vec::new()),
            ..Self::default()
        }
    }

    pub(super) fn take(&mut self, stamp: Stamp, numbers: &Numbers, out: &mut Vec<Signal>) {
        if self.layout.as_ref() != Some(&numbers.layout) {
            if let Some(last) = self.pace.last() {
                self.end_at(last, out);
            }
            self.restart(&numbers.layout);
            self.layout = Some(Arc::clone(&numbers.layout));
        }
        if self.joints.is_empty() {
            return;
        }
        let secs = match self.pace.step(stamp) {
            Step::Next(0.0) => return,
            Step::Next(secs) => Some(secs),
            Step::First => None,
            Step::Gap(last) => {
                self.end_at(last, out);
                if let Some(learned) = &mut self.learned {
                    learned.clear();
                }
                None
            }
        };
        for joint in &mut self.joints {
            joint.read(numbers, secs);
        }
        if secs.is_none() && !self.joints.iter().any(Joint::has_velocity) {
            return;
        }
        let secs = secs.unwrap_or_default();
        match self.learned.take() {
            None => self.watch(stamp, secs, out),
            Some(learned) => self.learn(stamp, secs, learned, out),
        }
    }

    pub(super) fn finish(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        if let Some(learned) = self.learned.take()
            && learned.len() > 1
        {
            self.replay(learned, out);
        }
        self.end_at(stamp, out);
    }

    fn restart(&mut self, layout: &Layout) {
        self.joints = Joint::all(layout);
        self.learned = Some(Vec::new());
        self.readings = 0.0;
        self.known_secs = 0.0;
        self.phase = Phase::Still;
    }

    fn learn(&mut self, stamp: Stamp, secs: f64, mut learned: Vec<Learned>, out: &mut Vec<Signal>) {
        let is_due = learned.last().is_none_or(|last| {
            secs_between(last.stamp, stamp) >= LEARN_SECS / LEARN_READINGS_MAX as f64
        });
        if is_due {
            let kept = |joint: &Joint| JointSpeed {
                speeds: joint.speeds().map(|speed| speed.smooth),
                is_made: joint.is_made,
            };
            let joints = self.joints.iter().map(kept).collect();
            let secs = learned.last().map_or(secs, |last| secs_between(last.stamp, stamp));
            learned.push(Learned { stamp, secs, joints });
        }
        let known_secs = learned.first().map_or(0.0, |first| secs_between(first.stamp, stamp));
        if known_secs < LEARN_SECS || learned.len() < LEARN_READINGS_MIN {
            self.learned = Some(learned);
            return;
        }
        self.known_secs = known_secs;
        self.replay(learned, out);
    }

    /// Takes the noise of what was kept, and then looks at it for a motion.
    fn replay(&mut self, learned: Vec<Learned>, out: &mut Vec<Signal>) {
        self.readings = learned.len() as f64;
        for (index, joint) in self.joints.iter_mut().enumerate() {
            for (way, speed) in joint.speeds_mut().into_iter().enumerate() {
                let velocities = learned.iter().map(|kept| kept.joints[index].speeds[way]);
                speed.variance = noise_of(&velocities.collect::<Vec<_>>()).powi(2);
            }
        }
        let now: Vec<([Speed; 2], bool)> =
            self.joints.iter().map(|joint| (joint.speeds(), joint.is_made)).collect();
        for kept in learned {
            for (joint, then) in self.joints.iter_mut().zip(kept.joints) {
                for (speed, velocity) in joint.speeds_mut().into_iter().zip(then.speeds) {
                    (speed.smooth, speed.raw) = (velocity, velocity);
                }
                joint.is_made = then.is_made;
            }
            self.watch(kept.stamp, kept.secs, out);
        }
        for (joint, (speeds, is_made)) in self.joints.iter_mut().zip(now) {
            for (speed, now) in joint.speeds_mut().into_iter().zip(speeds) {
                (speed.smooth, speed.raw) = (now.smooth, now.raw);
            }
            joint.is_made = is_made;
        }
    }

    /// The velocity that makes a motion of a joint.
    fn threshold(&self, joint: &Joint) -> f64 {
        let noise = joint.speed().variance.sqrt() * allowance(self.readings);
        f64::max(self.sigmas * noise, self.on.unwrap_or(FLOOR))
    }

    fn watch(&mut self, stamp: Stamp, secs: f64, out: &mut Vec<Signal>) {
        // How far the joint that stands out most is beyond its threshold, and how fast the fastest is.
        let (mut ratio, mut raw_ratio): (f64, f64) = (0.0, 0.0);
        let mut peak = Peak { velocity: 0.0, joint: 0, stamp };
        for index in 0..self.joints.len() {
            let joint = &self.joints[index];
            let (speed, on) = (joint.speed().smooth.abs(), self.threshold(joint));
            ratio = ratio.max(speed / on);
            raw_ratio = raw_ratio.max(joint.speed().raw.abs() / on);
            if speed > peak.velocity {
                (peak.velocity, peak.joint) = (speed, index);
            }
            let joint = &mut self.joints[index];
            joint.moved |= speed >= on;
            if speed >= self.off_ratio * on {
                joint.path += speed * secs;
            }
        }
        let is_fast = ratio >= self.off_ratio;
        let phase = std::mem::take(&mut self.phase);
        self.phase = match phase {
            Phase::Still if !is_fast => Phase::Still,
            Phase::Still => {
                for index in 0..self.joints.len() {
                    let on = self.threshold(&self.joints[index]);
                    let joint = &mut self.joints[index];
                    let speed = joint.speed().smooth.abs();
                    joint.moved = speed >= on;
                    joint.path = if speed >= self.off_ratio * on { speed * secs } else { 0.0 };
                }
                let since = (ratio >= 1.0).then_some(stamp);
                self.start(stamp, stamp, since, peak, out)
            }
            Phase::Starting(..) if !is_fast => Phase::Still,
            Phase::Starting(begin, since, before) => {
                let since = since.or((ratio >= 1.0).then_some(stamp));
                self.start(stamp, begin, since, greater(before, peak), out)
            }
            Phase::Moving { begin, peak: before, low, slow } => {
                let low = (raw_ratio < self.off_ratio).then(|| low.unwrap_or(stamp));
                let slow = (!is_fast)
                    .then(|| slow.unwrap_or_else(|| self.slow(low.unwrap_or(stamp), before)));
                match slow {
                    Some(slow) if outlasts(secs_between(slow.since, stamp), self.off_secs) => {
                        self.stop(begin, &slow, out);
                        Phase::Still
                    }
                    slow => Phase::Moving { begin, peak: greater(before, peak), low, slow },
                }
            }
        };
        if matches!(self.phase, Phase::Still | Phase::Starting(..)) && secs > 0.0 {
            self.follow(secs);
        }
    }

    /// Follows each joint's noise.
    fn follow(&mut self, secs: f64) {
        self.readings += 1.0;
        self.known_secs += secs;
        let part = weight(secs, NOISE_SECS.min(self.known_secs));
        for speed in self.joints.iter_mut().flat_map(Joint::speeds_mut) {
            let reach = f64::max(REACH * REACH * speed.variance, 0.25 * FLOOR * FLOOR);
            let square = (speed.smooth * speed.smooth).min(reach);
            speed.variance += part * (square - speed.variance);
            speed.variance = speed.variance.min(NOISE_MAX * NOISE_MAX);
        }
    }

    fn start(
        &mut self,
        stamp: Stamp,
        begin: Stamp,
        since: Option<Stamp>,
        peak: Peak,
        out: &mut Vec<Signal>,
    ) -> Phase {
        let is_sure = since.is_some_and(|since| {
            outlasts(secs_between(since, stamp), self.on_secs)
                || self.pace.period_secs() >= self.on_secs.max(SLOW_PERIOD_SECS)
        });
        if !is_sure {
            return Phase::Starting(begin, since, peak);
        }
        // A creeping joint may have been looked at for long before it moved.
        let begin = begin.max(plus_secs(since.unwrap_or(begin), -START_SECS_MAX));
        let measures = vec![self.peak_measure(peak)];
        out.push(signal(TriggerKind::Motion, Edge::Begin, begin, measures));
        Phase::Moving { begin, peak, low: None, slow: None }
    }

    fn slow(&self, since: Stamp, peak: Peak) -> Slow {
        let paths = self.joints.iter().map(|joint| (joint.path, joint.moved)).collect();
        Slow { since, peak, paths }
    }

    fn end_at(&mut self, stamp: Stamp, out: &mut Vec<Signal>) {
        if let Phase::Moving { begin, peak, slow, .. } = std::mem::take(&mut self.phase) {
            let slow = slow.unwrap_or_else(|| self.slow(stamp, peak));
            self.stop(begin, &slow, out);
        }
    }

    fn stop(&self, begin: Stamp, slow: &Slow, out: &mut Vec<Signal>) {
        let mut moved: Vec<(f64, usize)> = slow
            .paths
            .iter()
            .enumerate()
            .filter(|(_, (_, moved))| *moved)
            .map(|(index, (path, _))| (*path, index))
            .collect();
        moved.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut measures: Vec<Measure> = moved
            .iter()
            .take(NAMED_MAX)
            .map(|&(path, index)| Measure {
                of: self.name(index),
                ..measure("distance", path, Quantity::Position.unit())
            })
            .collect();
        measures.push(self.peak_measure(slow.peak));
        measures.push(duration(begin, slow.since));
        measures.push(measure("joints", moved.len() as f64, ""));
        out.push(signal(TriggerKind::Motion, Edge::End, slow.since, measures));
    }

    fn peak_measure(&self, peak: Peak) -> Measure {
        Measure {
            of: self.name(peak.joint),
            stamp: Some(peak.stamp),
            ..measure("peak", peak.velocity, Quantity::Velocity.unit())
        }
    }

    /// A joint's name: that of its channel without the quantity.
    fn name(&self, joint: usize) -> String {
        let channel = self.joints.get(joint).and_then(Joint::channel);
        let channel = channel
            .zip(self.layout.as_ref())
            .and_then(|(channel, layout)| layout.channels.get(channel));
        let name = channel.map_or("", |channel| channel.name.as_str());
        let name =
            name.strip_suffix(".velocity").or(name.strip_suffix(".position")).unwrap_or(name);
        name.to_owned()
    }
}

/// The noise of velocities, of which some may be of a motion.
fn noise_of(velocities: &[f64]) -> f64 {
    let mut sizes: Vec<f64> = velocities.iter().map(|velocity| velocity.abs()).collect();
    let mut steps: Vec<f64> = velocities
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs() / std::f64::consts::SQRT_2)
        .collect();
    let of_steps = median(&mut steps) * DEVIATIONS_PER_MEDIAN;
    let of_sizes = median(&mut sizes) * DEVIATIONS_PER_MEDIAN;
    let usual = of_sizes.min(of_steps);
    // All of it is a steady motion, and none of it rest.
    let middle = median(&mut velocities.to_vec()).abs();
    if middle > NOISE_MAX && middle > STEADY * of_steps {
        return usual.min(NOISE_MAX);
    }
    let quiet = quantile(&mut sizes, QUIET_PART) / QUIET_DEVIATE;
    f64::max(usual, quiet.min(of_sizes)).min(NOISE_MAX)
}

fn greater(before: Peak, now: Peak) -> Peak {
    if now.velocity > before.velocity { now } else { before }
}
