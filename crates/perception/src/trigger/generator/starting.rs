//! Streams that are heard from the middle on.

use super::*;

/// What a stream is doing when it is heard for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trigger) enum Start {
    /// Anything: the first activity may be going on.
    Anywhere,
    /// The first activity is going on.
    Amid,
    /// The sensor says NaN for a while.
    Nan,
    /// The sensor says zero for a while, exactly.
    Zero,
    /// Soon after, nothing comes for some seconds, which end amid an activity.
    Paused,
}

impl Start {
    pub(in crate::trigger) const ALL: [Self; 5] =
        [Self::Anywhere, Self::Amid, Self::Nan, Self::Zero, Self::Paused];
}

/// Activities of one length, one after another at one distance, of which the first may be going on.
#[derive(Debug, Clone, Copy)]
pub(in crate::trigger) struct Repeated {
    pub(in crate::trigger) every: f64,
    pub(in crate::trigger) lasting: f64,
    /// How long the first of them has been going on at the start; less than nothing is rest.
    pub(in crate::trigger) phase: f64,
}

impl Repeated {
    fn new(chance: &mut Chance, every: (f64, f64), lasting: (f64, f64), start: Start) -> Self {
        let every = chance.uniform(every.0, every.1);
        let lasting = chance.uniform(lasting.0, lasting.1.min(0.45 * every));
        let phase = match start {
            Start::Amid => chance.uniform(0.0, lasting),
            _ => chance.uniform(0.0, every),
        };
        Self { every, lasting, phase }
    }

    /// Which one is at a time, and from 0 to 1 how much of it, over `rise` seconds.
    fn at(&self, time: f64, rise: f64) -> (usize, f64) {
        let cycle = ((time + self.phase) / self.every).floor();
        let within = time + self.phase - cycle * self.every;
        let part = f64::min(within, self.lasting - within) / rise;
        (cycle as usize, part.clamp(0.0, 1.0))
    }

    fn truths(&self, secs: f64) -> Vec<Truth> {
        let count = (secs / self.every) as usize + 2;
        let begins = (0..count).map(|cycle| cycle as f64 * self.every - self.phase);
        begins
            .map(|begin| Truth { begin, end: begin + self.lasting, size: 1.0 })
            .filter(|truth| truth.end > 0.0 && truth.begin < secs)
            .collect()
    }
}

/// The readings of a start: which come, and which say something else than what is measured.
fn started(
    chance: &mut Chance,
    start: Start,
    rate_hz: f64,
    secs: f64,
    happen: &Repeated,
) -> Vec<(f64, Option<f64>)> {
    let until = chance.uniform(0.5, 6.0);
    // Amid the second activity, it ends.
    let pause_end = happen.every - happen.phase
        + happen.lasting * chance.uniform(0.2, 0.8)
        + happen.every * (10.0 / happen.every).ceil();
    let pause_begin = pause_end - chance.uniform(2.0, 9.0);
    times(chance, rate_hz, secs)
        .into_iter()
        .filter(|time| start != Start::Paused || !(pause_begin..pause_end).contains(time))
        .map(|time| {
            let other = match start {
                Start::Nan if time < until => Some(f64::NAN),
                Start::Zero if time < until => Some(0.0),
                _ => None,
            };
            (time, other)
        })
        .collect()
}

/// A force sensor under a tool, touched again and again: with one force or with many, along the tool's
/// weight, against it, or across.
pub(in crate::trigger) fn pressed(seed: u64, start: Start, secs: f64) -> (Generated, Repeated) {
    let mut chance = Chance::new(seed ^ 0x91);
    let rate_hz = chance.factor(100.0, 1000.0);
    let happen = Repeated::new(&mut chance, (2.0, 10.0), (0.3, 3.0), start);
    let load = if seed.is_multiple_of(5) { 0.0 } else { chance.uniform(0.0, 20.0) };
    let noise = chance.factor(0.01, 0.5);
    let force = chance.uniform(f64::max(3.0, 12.0 * noise), 30.0);
    let angle = match seed % 4 {
        0 => 0.0,
        1 => 0.5 * TAU,
        2 => 0.25 * TAU,
        _ => chance.uniform(0.0, 0.5 * TAU),
    };
    let is_varied = !seed.is_multiple_of(2);
    let rise = chance.uniform(0.003, 0.05);
    let forces: Vec<(f64, f64)> = (0..=(secs / happen.every) as usize + 1)
        .map(|_| match is_varied {
            true => (force * chance.factor(0.67, 1.5), angle + chance.uniform(-0.5, 0.5)),
            false => (force, angle),
        })
        .collect();
    let wobble = if seed.is_multiple_of(7) { 0.1 } else { 0.0 };
    let layout = wrench_layout();
    let mut readings = Vec::new();
    for (time, other) in started(&mut chance, start, rate_hz, secs, &happen) {
        let (which, part) = happen.at(time, rise);
        let (force, angle) = forces[which];
        let force = part * force * (1.0 + wobble * (TAU * 1.3 * time).sin());
        let felt = [force * angle.sin(), 0.0, -load - force * angle.cos(), 0.0, 0.0, 0.0];
        let values = felt.map(|value| other.unwrap_or(value + noise * chance.normal()));
        readings.push((stamp(time), numbers(&layout, values.to_vec())));
    }
    (Generated { rate_hz, readings, truths: happen.truths(secs) }, happen)
}

/// How joints tell of their velocities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trigger) enum Velocities {
    Given,
    /// Not in the readings at all.
    Absent,
    /// A field of NaN, as of a controller that has no such interface.
    Nan,
    /// Zero, whatever moves.
    Zero,
    /// Noise, whatever moves.
    Noise,
}

/// Three joints of which two move again and again: one between two angles, and a wheel that turns on and on
/// and whose angle starts again after a full turn.
pub(in crate::trigger) fn moved(
    seed: u64,
    start: Start,
    velocities: Velocities,
    secs: f64,
) -> (Generated, Repeated) {
    let mut chance = Chance::new(seed ^ 0x33);
    let rate_hz = chance.factor(20.0, 500.0);
    let happen = Repeated::new(&mut chance, (3.0, 10.0), (0.8, 4.0), start);
    let speed = chance.uniform(0.2, 2.0);
    let noise = chance.factor(1e-6, 1e-4);
    let encoder = if seed.is_multiple_of(2) { chance.factor(1e-4, 2e-3) } else { 0.0 };
    let is_first = seed.is_multiple_of(3);
    let names = ["elbow", "wrist", "wheel"];
    let mut channels: Vec<(String, Quantity)> =
        names.iter().map(|name| (format!("{name}.position"), Quantity::Position)).collect();
    if velocities != Velocities::Absent {
        let velocities = names.iter().map(|name| (format!("{name}.velocity"), Quantity::Velocity));
        channels.extend(velocities);
    }
    let layout = layout(LayoutKind::Joints, channels);
    let (mut positions, mut before) = ([0.3, -1.0, 3.0], 0.0);
    let mut readings = Vec::new();
    for (time, other) in started(&mut chance, start, rate_hz, secs, &happen) {
        // Many small steps, also in a pause.
        let mut now = [0.0; 3];
        while before < time {
            let at = f64::min(before + 0.005, time);
            let (which, part) = happen.at(at, 0.15);
            let direction = if which.is_multiple_of(2) { 1.0 } else { -1.0 };
            now = [if is_first { direction * part * speed } else { 0.0 }, 0.0, part * 4.0 * speed];
            for (position, now) in positions.iter_mut().zip(now) {
                *position += now * (at - before);
            }
            before = at;
        }
        let mut values: Vec<f64> = positions
            .iter()
            .enumerate()
            .map(|(joint, position)| {
                let angle = if joint == 2 { position.rem_euclid(TAU) } else { *position };
                let measured = angle + noise * chance.normal();
                let measured =
                    if encoder > 0.0 { (measured / encoder).round() * encoder } else { measured };
                other.unwrap_or(measured)
            })
            .collect();
        match velocities {
            Velocities::Absent => {}
            Velocities::Given => {
                values.extend(now.map(|now| other.unwrap_or(now + 1e-3 * chance.normal())));
            }
            Velocities::Nan => values.extend([f64::NAN; 3]),
            Velocities::Zero => values.extend([0.0; 3]),
            Velocities::Noise => {
                values.extend([0.0; 3].map(|_: f64| other.unwrap_or(1e-3 * chance.normal())));
            }
        }
        readings.push((stamp(time), numbers(&layout, values)));
    }
    (Generated { rate_hz, readings, truths: happen.truths(secs) }, happen)
}

/// A body that is hit again and again, and rings: gravity, and blows of which the first wobble is not the
/// greatest.
pub(in crate::trigger) fn hit(seed: u64, start: Start, secs: f64) -> (Generated, Repeated) {
    let mut chance = Chance::new(seed ^ 0x77);
    let rate_hz = chance.factor(50.0, 1000.0);
    let noise = chance.factor(0.01, 0.2);
    let every = chance.uniform(3.0, 8.0);
    let happen = Repeated { every, lasting: 0.25, phase: chance.uniform(0.0, every) };
    let size = chance.uniform(40.0, 200.0);
    let axes = |what, quantity| ["x", "y", "z"].map(|axis| (format!("{what}.{axis}"), quantity));
    let turning = axes("angular_velocity", Quantity::AngularVelocity);
    let acceleration = axes("linear_acceleration", Quantity::Acceleration);
    let layout = layout(LayoutKind::Imu, turning.into_iter().chain(acceleration));
    let mut readings = Vec::new();
    for (time, other) in started(&mut chance, start, rate_hz, secs, &happen) {
        let within = (time + happen.phase).rem_euclid(every);
        // It falls, and is hit 0.16 s later.
        let felt = match within {
            within if within < 0.16 => 0.0,
            within if within < 0.22 => 9.81 + size * (0.5 * TAU * (within - 0.16) / 0.06).sin(),
            _ => 9.81,
        };
        let values = [0.0, 0.0, 0.0, 0.0, 0.0, felt];
        let values = values.map(|value| other.unwrap_or(value + noise * chance.normal()));
        readings.push((stamp(time), numbers(&layout, values.to_vec())));
    }
    let truths = happen.truths(secs).into_iter().map(|truth| Truth { size, ..truth }).collect();
    (Generated { rate_hz, readings, truths }, happen)
}

/// A thing held for seconds, again and again, that slips each time; amid the first hold the readings begin.
pub(in crate::trigger) fn slipped(seed: u64, start: Start, secs: f64) -> (Generated, Repeated) {
    let mut chance = Chance::new(seed ^ 0x29);
    let rate_hz = chance.factor(100.0, 500.0);
    let noise = chance.factor(0.2, 2.0);
    let layout = layout(LayoutKind::Taxels, [("data[0]", Quantity::Unknown)]);
    let happen = Repeated::new(&mut chance, (6.0, 10.0), (2.5, 3.0), start);
    let size = chance.uniform(200.0, 1000.0) * noise;
    let mut readings = Vec::new();
    for (time, other) in started(&mut chance, start, rate_hz, secs, &happen) {
        let (_, part) = happen.at(time, 0.1);
        let within = (time + happen.phase).rem_euclid(happen.every);
        // In the middle of the hold a third of the force is lost.
        let lost = ((within - 0.5 * happen.lasting) / 0.1).clamp(0.0, 1.0);
        let value = 50.0 + part * size * (1.0 - 0.33 * lost) + noise * chance.normal();
        readings.push((stamp(time), numbers(&layout, vec![other.unwrap_or(value)])));
    }
    let middle = |truth: Truth| Truth { begin: truth.begin + 0.5 * happen.lasting, ..truth };
    let truths = happen.truths(secs).into_iter().map(middle);
    (
        Generated { rate_hz, readings, truths: truths.filter(|truth| truth.begin > 0.0).collect() },
        happen,
    )
}

/// A level that is one thing or another by turns.
pub(in crate::trigger) fn stepped(seed: u64, start: Start, secs: f64) -> (Generated, Repeated) {
    let mut chance = Chance::new(seed ^ 0x63);
    let rate_hz = chance.factor(20.0, 200.0);
    let every = chance.uniform(30.0, 40.0);
    let phase = chance.uniform(0.0, every);
    let happen = Repeated { every, lasting: 0.5 * every, phase };
    let (level, noise) = (chance.uniform(5.0, 50.0), chance.factor(0.01, 0.5));
    let layout = layout(LayoutKind::Plain, [("data", Quantity::Unknown)]);
    let mut readings = Vec::new();
    for (time, other) in started(&mut chance, start, rate_hz, secs, &happen) {
        let (_, part) = happen.at(time, 0.01);
        let value = level + 8.0 * noise * part + noise * chance.normal();
        readings.push((stamp(time), numbers(&layout, vec![other.unwrap_or(value)])));
    }
    let truths = happen.truths(secs).into_iter().flat_map(|truth| {
        [truth, Truth { begin: truth.end, ..truth }].into_iter().filter(|truth| truth.begin > 0.0)
    });
    (Generated { rate_hz, readings, truths: truths.collect() }, happen)
}
