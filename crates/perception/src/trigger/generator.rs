//! Streams of robots that nobody tuned anything for, with what truly happened on them.

mod starting;

pub(super) use starting::*;

use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Value};
use robot_memory_core::model::Stamp;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A fixed sequence of random numbers (splitmix64).
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn uniform(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * ((self.next() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Between two numbers, each factor as likely as another.
    pub(super) fn factor(&mut self, from: f64, to: f64) -> f64 {
        self.uniform(from.ln(), to.ln()).exp()
    }

    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform(1e-300, 1.0).ln()).sqrt();
        radius * (TAU * self.uniform(0.0, 1.0)).cos()
    }

    fn direction(&mut self) -> [f64; 3] {
        let drawn = [self.normal(), self.normal(), self.normal()];
        let length = drawn.iter().map(|axis| axis * axis).sum::<f64>().sqrt();
        drawn.map(|axis| axis / length)
    }
}

/// Something that truly happened, in seconds from the begin of the stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Truth {
    pub(super) begin: f64,
    pub(super) end: f64,
    pub(super) size: f64,
}

/// The slowest and the fastest stream that is made.
pub(super) type Rates = (f64, f64);

/// A stream, and what happened on it.
pub(super) struct Generated {
    pub(super) rate_hz: f64,
    pub(super) readings: Vec<(Stamp, Value)>,
    pub(super) truths: Vec<Truth>,
}

impl Generated {
    /// Of the values that `read` makes for each time, told which of the truths goes on then or comes next.
    fn of(
        mut chance: Chance,
        rate_hz: f64,
        secs: f64,
        layout: &Arc<Layout>,
        truths: Vec<Truth>,
        mut read: impl FnMut(&mut Chance, f64, Option<(usize, &Truth)>) -> Vec<f64>,
    ) -> Self {
        let mut next = 0;
        let mut readings = Vec::new();
        for time in times(&mut chance, rate_hz, secs) {
            while truths.get(next).is_some_and(|truth| truth.end < time) {
                next += 1;
            }
            let truth = truths.get(next).map(|truth| (next, truth));
            readings.push((stamp(time), numbers(layout, read(&mut chance, time, truth))));
        }
        Self { rate_hz, readings, truths }
    }
}

/// When a stream begins: not at the epoch.
pub(super) const START: Stamp = Stamp::from_secs(1_700_000_000);

pub(super) fn stamp(secs: f64) -> Stamp {
    Stamp(START.0 + (secs * 1e9) as i64)
}

pub(super) fn secs(stamp: Stamp) -> f64 {
    (stamp.0 - START.0) as f64 / 1e9
}

/// When messages come: jitter of a tenth of a period, and one in a hundred is lost.
pub(super) fn times(chance: &mut Chance, rate_hz: f64, secs: f64) -> Vec<f64> {
    let mut times = Vec::new();
    for index in 0..(secs * rate_hz) as usize {
        let time = (index as f64 + chance.uniform(-0.1, 0.1)) / rate_hz;
        if chance.uniform(0.0, 1.0) > 0.01 {
            times.push(time.max(0.0));
        }
    }
    times
}

/// Times of rest and of activities by turns.
fn truths(chance: &mut Chance, secs: f64, lasting: (f64, f64), size: (f64, f64)) -> Vec<Truth> {
    let mut truths = Vec::new();
    let mut begin = chance.uniform(2.0, 4.0);
    loop {
        let end = begin + chance.factor(lasting.0, lasting.1);
        if end + 1.5 > secs {
            return truths;
        }
        truths.push(Truth { begin, end, size: chance.factor(size.0, size.1) });
        begin = end + chance.uniform(0.8, 6.0);
    }
}

/// From 0 to 1 and back, over `rise` seconds.
fn plateau(truth: &Truth, rise: f64, time: f64) -> f64 {
    f64::min((time - truth.begin) / rise, (truth.end - time) / rise).clamp(0.0, 1.0)
}

pub(super) fn layout<N: Into<String>>(
    kind: LayoutKind,
    channels: impl IntoIterator<Item = (N, Quantity)>,
) -> Arc<Layout> {
    let channel = |(name, quantity): (N, Quantity)| Channel { name: name.into(), quantity };
    Arc::new(Layout { kind, channels: channels.into_iter().map(channel).collect() })
}

pub(super) fn numbers(layout: &Arc<Layout>, values: Vec<f64>) -> Value {
    Value::Numbers(Numbers { layout: Arc::clone(layout), values })
}

pub(super) fn wrench_layout() -> Arc<Layout> {
    let force = ["force.x", "force.y", "force.z"].map(|name| (name, Quantity::Force));
    let torque = ["torque.x", "torque.y", "torque.z"].map(|name| (name, Quantity::Torque));
    layout(LayoutKind::Wrench, force.into_iter().chain(torque))
}

/// A force sensor: noise, gravity, rate, drift differ by robot; forces are 10 to 200 times the noise.
pub(super) fn wrench(seed: u64, rates_hz: Rates, secs: f64, with_touches: bool) -> Generated {
    let mut chance = Chance::new(seed);
    let rate_hz = chance.factor(rates_hz.0, rates_hz.1);
    let noise = chance.factor(0.02, 2.0);
    let gravity = chance.direction().map(|axis| axis * 60.0);
    let gravity_part = chance.factor(0.01, 1.0);
    let drift = chance.direction().map(|axis| axis * noise * 0.02);
    let touches = if with_touches {
        let least = f64::max(10.0 * noise, 1.0 + 0.02 * 60.0 * gravity_part);
        truths(&mut chance, secs, (0.2, 5.0), (least, 20.0 * least))
    } else {
        Vec::new()
    };
    let directions: Vec<[f64; 3]> = touches.iter().map(|_| chance.direction()).collect();
    let rises: Vec<f64> = touches.iter().map(|_| chance.uniform(0.003, 0.04)).collect();
    Generated::of(chance, rate_hz, secs, &wrench_layout(), touches, |chance, time, touch| {
        let mut values = vec![0.0; 6];
        for axis in 0..3 {
            values[axis] = gravity[axis] * gravity_part
                + drift[axis] * time
                + 0.3 * noise * (TAU * time / 300.0).sin()
                + noise * chance.normal();
            if let Some((which, touch)) = touch {
                let force = touch.size * plateau(touch, rises[which], time);
                let wobble = 1.0 + 0.1 * (TAU * 1.3 * time).sin();
                values[axis] += force * wobble * directions[which][axis];
            }
            values[axis + 3] = 0.05 * noise * chance.normal();
        }
        values
    })
}

/// Raw counts of 12 to 48 taxels; a touch is on some of them.
pub(super) fn taxels(seed: u64, rates_hz: Rates, secs: f64, with_touches: bool) -> Generated {
    let mut chance = Chance::new(seed ^ 0x7a);
    let rate_hz = chance.factor(rates_hz.0, rates_hz.1);
    let noise = chance.factor(0.3, 30.0);
    let count = chance.uniform(12.0, 48.0) as usize;
    let rest: Vec<f64> = (0..count).map(|_| chance.uniform(100.0, 4000.0)).collect();
    let drift = noise * 0.01;
    let touches = if with_touches {
        let of_noise = 10.0 * noise * (count as f64).sqrt();
        let least = of_noise.max(0.002 * rest.iter().sum::<f64>()).max(6.0);
        truths(&mut chance, secs, (0.2, 5.0), (least, 20.0 * least))
    } else {
        Vec::new()
    };
    let places: Vec<usize> =
        touches.iter().map(|_| chance.uniform(0.0, count as f64 - 4.0) as usize).collect();
    let channels = (0..count).map(|index| (format!("data[{index}]"), Quantity::Unknown));
    let layout = layout(LayoutKind::Taxels, channels);
    Generated::of(chance, rate_hz, secs, &layout, touches, |chance, time, touch| {
        let value = |taxel: usize| {
            let is_pressed =
                |&(which, _): &(usize, &Truth)| (places[which]..places[which] + 4).contains(&taxel);
            let pressed = touch
                .filter(is_pressed)
                .map_or(0.0, |(_, touch)| 0.25 * touch.size * plateau(touch, 0.02, time));
            (rest[taxel] + drift * time + pressed + noise * chance.normal()).round()
        };
        (0..count).map(value).collect()
    })
}

/// An arm of six joints: velocities, or positions alone, at rest and in motion.
pub(super) fn joints(seed: u64, rates_hz: Rates, secs: f64, with_motions: bool) -> Generated {
    let mut chance = Chance::new(seed ^ 0x10);
    let rate_hz = chance.factor(rates_hz.0, rates_hz.1);
    let from_positions = seed.is_multiple_of(3);
    let noise = if from_positions { chance.factor(1e-6, 1e-4) } else { chance.factor(2e-4, 2e-2) };
    let motions = if with_motions {
        let least = if from_positions {
            f64::max(0.1, 40.0 * noise * rate_hz.min(25.0))
        } else {
            f64::max(0.1, 15.0 * noise)
        };
        truths(&mut chance, secs, (0.6, 6.0), (least, 10.0 * least))
    } else {
        Vec::new()
    };
    let shares: Vec<[f64; 6]> = motions
        .iter()
        .map(|_| {
            let mut shares = [0.0; 6].map(|_: f64| chance.uniform(-1.0, 1.0));
            shares[chance.uniform(0.0, 6.0) as usize] = 1.0;
            shares
        })
        .collect();
    let (what, quantity) = match from_positions {
        true => ("position", Quantity::Position),
        false => ("velocity", Quantity::Velocity),
    };
    let channels = (0..6).map(|joint| (format!("joint{joint}.{what}"), quantity));
    let layout = layout(LayoutKind::Joints, channels);
    let mut positions = [0.3; 6];
    let mut before = 0.0;
    Generated::of(chance, rate_hz, secs, &layout, motions, |chance, time, motion| {
        let value = |joint: usize| {
            let velocity = motion.map_or(0.0, |(which, motion)| {
                shares[which][joint] * motion.size * plateau(motion, 0.15, time)
            });
            positions[joint] += velocity * (time - before);
            let value = if from_positions { positions[joint] } else { velocity };
            value + noise * chance.normal()
        };
        let values = (0..6).map(value).collect();
        before = time;
        values
    })
}

/// Blows on a wrist that is held and pressed slowly meanwhile.
pub(super) fn blows(seed: u64, rates_hz: Rates, secs: f64) -> Generated {
    let mut chance = Chance::new(seed ^ 0x55);
    let rate_hz = chance.factor(rates_hz.0, rates_hz.1);
    let noise = chance.factor(0.01, 0.3);
    let blows = truths(&mut chance, secs, (0.02, 0.05), (10.0 + 40.0 * noise, 300.0));
    let directions: Vec<[f64; 3]> = blows.iter().map(|_| chance.direction()).collect();
    Generated::of(chance, rate_hz, secs, &wrench_layout(), blows, |chance, time, blow| {
        let mut values = vec![0.0; 6];
        for axis in 0..3 {
            values[axis] = 5.0 * (TAU * time / 4.0).sin() + noise * chance.normal();
            if let Some((which, blow)) = blow.filter(|(_, blow)| blow.begin <= time) {
                let part = (time - blow.begin) / (blow.end - blow.begin);
                values[axis] += blow.size * (0.5 * TAU * part).sin() * directions[which][axis];
            }
        }
        values
    })
}

/// A thing held for seconds by a finger of taxels, that slips now and then: it shakes, and a part of
/// the force is gone.
pub(super) fn grip(seed: u64, rates_hz: Rates, secs: f64, with_slips: bool) -> Generated {
    let mut chance = Chance::new(seed ^ 0x51);
    let rate_hz = chance.factor(rates_hz.0, rates_hz.1);
    let noise = chance.factor(0.2, 2.0);
    let layout = layout(LayoutKind::Taxels, [("data[0]", Quantity::Unknown)]);
    let holds = truths(&mut chance, secs, (3.0, 8.0), (200.0 * noise, 1000.0 * noise));
    let slips: Vec<Truth> = holds
        .iter()
        .filter(|_| with_slips)
        .map(|hold| {
            let begin = chance.uniform(hold.begin + 0.5, hold.end - 1.0);
            let end = begin + chance.uniform(0.05, 0.2);
            Truth { begin, end, size: chance.uniform(0.25, 0.5) }
        })
        .collect();
    let held = Generated::of(chance, rate_hz, secs, &layout, holds, |chance, time, hold| {
        let mut value = 50.0 + noise * chance.normal();
        if let Some((which, hold)) = hold {
            let mut part = 1.0;
            if let Some(slip) = slips.get(which).filter(|slip| slip.begin <= time) {
                part -= slip.size * ((time - slip.begin) / (slip.end - slip.begin)).min(1.0);
                if time < slip.end {
                    part += 0.08 * (TAU * 60.0 * time).sin();
                }
            }
            value += hold.size * plateau(hold, 0.1, time) * part;
        }
        vec![value]
    });
    Generated { truths: slips, ..held }
}

/// Temperatures, pressures and the like: each shift is of four times the noise, on one channel.
pub(super) fn shifts(seed: u64, rate_hz: f64, secs: f64, with_shifts: bool) -> Generated {
    let mut chance = Chance::new(seed ^ 0x4a);
    let layout = layout(LayoutKind::Plain, ["a", "b", "c"].map(|name| (name, Quantity::Unknown)));
    let level = [0.0; 3].map(|_: f64| chance.uniform(-100.0, 100.0));
    let noise = [0.0; 3].map(|_: f64| chance.factor(0.01, 1.0));
    let drift = [0.0; 3].map(|_: f64| chance.uniform(-0.02, 0.02));
    let mut shifts = Vec::new();
    let mut begin = chance.uniform(10.0, 20.0);
    while with_shifts && begin + 2.0 < secs {
        shifts.push(Truth { begin, end: begin, size: 4.0 });
        begin += chance.uniform(12.0, 25.0);
    }
    let mut shifted = [0.0; 3];
    let mut next = 0;
    let mut readings = Vec::new();
    for time in times(&mut chance, rate_hz, secs) {
        if next < shifts.len() && shifts[next].begin <= time {
            let channel = chance.uniform(0.0, 3.0) as usize;
            shifted[channel] += 4.0 * noise[channel] * if next % 2 == 0 { 1.0 } else { -1.0 };
            next += 1;
        }
        let values = (0..3).map(|channel| {
            let drifted = level[channel] + drift[channel] * noise[channel] * time;
            drifted + shifted[channel] + noise[channel] * chance.normal()
        });
        let values = values.collect();
        readings.push((stamp(time), numbers(&layout, values)));
    }
    Generated { rate_hz, readings, truths: shifts }
}
