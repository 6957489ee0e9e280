//! Readings begin in the middle: whatever goes on then, what happens later is found.

use super::super::generator::{self, Generated, Repeated, Start, stamp};
use super::*;

/// When what was going on at the start, or at the end of a pause, is over for the first time.
fn first_end(generated: &Generated, start: Start) -> f64 {
    let ending = |from: f64| {
        let on = generated.truths.iter().find(|truth| truth.begin < from && truth.end > from);
        on.map_or(from, |truth| truth.end)
    };
    let stamps: Vec<f64> = generated.readings.iter().map(|(stamp, _)| secs(*stamp)).collect();
    match start {
        Start::Paused => {
            let pause = stamps.windows(2).find(|pair| pair[1] - pair[0] > 1.0);
            ending(pause.map_or(0.0, |pair| pair[1]))
        }
        Start::Nan | Start::Zero => {
            let is_dead = |value: &Value| match value {
                Value::Numbers(numbers) => {
                    numbers.values.iter().all(|value| value.is_nan() || *value == 0.0)
                }
                _ => false,
            };
            let alive = generated.readings.iter().find(|(_, value)| !is_dead(value));
            ending(alive.map_or(0.0, |(stamp, _)| secs(*stamp)))
        }
        Start::Anywhere | Start::Amid => ending(0.0),
    }
}

/// After the first end at most one is missed, and nothing is told that did not happen.
fn assert_found(
    kind: TriggerKind,
    start: Start,
    seed: u64,
    onset_secs: f64,
    (generated, happen): &(Generated, Repeated),
) {
    let signals = signals_of(kind, &generated.readings);
    let mut begins: Vec<f64> = signals
        .iter()
        .filter(|signal| signal.edge != Edge::End)
        .map(|signal| secs(signal.stamp))
        .collect();
    let first_end = first_end(generated, start);
    let last = generated.readings.last().map_or(0.0, |(stamp, _)| secs(*stamp));
    let onset_secs = onset_secs.max(2.2 / generated.rate_hz);
    let mut missed = Vec::new();
    for truth in &generated.truths {
        let found = begins.iter().position(|begin| (begin - truth.begin).abs() < onset_secs);
        match found {
            Some(found) => {
                begins.remove(found);
            }
            None if truth.begin > first_end && truth.end + 0.5 < last => missed.push(truth.begin),
            None => {}
        }
    }
    let amid = |begin: &f64| {
        let within = (begin + happen.phase).rem_euclid(happen.every);
        within < happen.lasting
    };
    // What was going on at the start begins when it is seen.
    begins.retain(|begin| !(amid(begin) && *begin <= first_end));
    assert!(
        missed.len() <= 1 && begins.is_empty(),
        "{kind} {start:?} seed {seed}, {:.0} Hz, {happen:?}, until {first_end:.2}: missed {missed:?}, \
         made up {begins:?}",
        generated.rate_hz,
    );
}

#[test]
fn touches_are_found_whatever_readings_begin_with() {
    for start in Start::ALL {
        for seed in 0..40 {
            let made = generator::pressed(seed, start, 45.0);
            assert_found(TriggerKind::Contact, start, seed, 0.15, &made);
        }
    }
}

#[test]
fn motions_are_found_whatever_readings_begin_with_and_however_velocities_are_told() {
    use generator::Velocities::{Absent, Given, Nan, Noise, Zero};
    for velocities in [Given, Absent, Nan, Zero, Noise] {
        for start in Start::ALL {
            for seed in 0..8 {
                let made = generator::moved(seed, start, velocities, 45.0);
                assert_found(TriggerKind::Motion, start, seed, 0.25, &made);
            }
        }
    }
}

#[test]
fn impacts_are_found_whatever_readings_begin_with_and_have_their_greatest_peak() {
    for start in Start::ALL {
        for seed in 0..8 {
            let made = generator::hit(seed, start, 30.0);
            assert_found(TriggerKind::Impact, start, seed, 0.25, &made);
            let (size, rate_hz) = (made.0.truths[0].size, made.0.rate_hz);
            let signals = signals_of(TriggerKind::Impact, &made.0.readings);
            let is_wobble = |impact: &&Signal| measured(impact, "peak").value < 0.9 * size;
            // One may be cut off, by the end or by a pause.
            let wobbles = signals.iter().filter(is_wobble).count();
            assert!(wobbles <= 1 || rate_hz < 100.0, "{start:?} {seed}: {wobbles} of {size}");
        }
    }
}

#[test]
fn slips_are_found_whatever_readings_begin_with() {
    // Taxels are at zero exactly when the sensor leaves out what is small.
    for start in Start::ALL.into_iter().filter(|start| *start != Start::Zero) {
        for seed in 0..6 {
            let made = generator::slipped(seed, start, 45.0);
            assert_found(TriggerKind::Slip, start, seed, 0.2, &made);
        }
    }
}

#[test]
fn shifts_are_found_whatever_readings_begin_with() {
    // From zero to what is measured is a shift, too.
    for start in Start::ALL.into_iter().filter(|start| *start != Start::Zero) {
        for seed in 0..6 {
            let (generated, _) = generator::stepped(seed, start, 120.0);
            let times =
                times_of(&signals_of(TriggerKind::Novelty, &generated.readings), Edge::Once);
            let from = first_end(&generated, start) + 3.0;
            let truths = generated.truths.iter().map(|truth| truth.begin);
            let truths: Vec<f64> = truths.filter(|begin| *begin > from && *begin < 119.0).collect();
            for begin in &truths {
                let is_found = times.iter().any(|time| (time - begin).abs() < 0.5);
                assert!(is_found, "{start:?} {seed}: {begin} of {times:?}");
            }
            let is_true =
                |time: &f64| generated.truths.iter().any(|truth| (time - truth.begin).abs() < 0.5);
            let made_up = times.iter().filter(|time| !is_true(time)).count();
            assert_eq!(made_up, 0, "{start:?} {seed}: {times:?} {truths:?}");
        }
    }
}

#[test]
fn edges_and_changes_are_found_whatever_value_is_the_first() {
    let values = [true, false, true, true, false];
    for first in 0..values.len() {
        for gap in [0.1, 100.0] {
            let at = |index: usize| stamp(if index > 1 { gap } else { 0.0 } + index as f64 * 0.1);
            let of = |index: usize| values[(first + index) % values.len()];
            let readings: Vec<_> =
                (0..12).map(|index| (at(index), Value::Bool(of(index)))).collect();
            let rises: Vec<f64> = (1..12)
                .filter(|&index| of(index) && !of(index - 1))
                .map(|index| secs(at(index)))
                .collect();
            let changes: Vec<f64> = (1..12)
                .filter(|&index| of(index) != of(index - 1))
                .map(|index| secs(at(index)))
                .collect();
            assert_eq!(times_of(&signals_of(TriggerKind::Edge, &readings), Edge::Begin), rises);
            assert_eq!(times_of(&signals_of(TriggerKind::Change, &readings), Edge::Once), changes);
            // Of a stop, to be on in the beginning counts.
            let stop = trigger_with(TriggerKind::Edge, &[("first", 1.0)]).expect("a parameter");
            let signals = stated_by(stop, &readings);
            let begins = times_of(&signals, Edge::Begin);
            assert_eq!(begins.len(), rises.len() + usize::from(of(0)));
            assert_eq!(begins.contains(&0.0), of(0));
            let unknown = |signal: &&Signal| measured(signal, "from").of == "unknown";
            assert_eq!(signals.iter().filter(unknown).count(), 2 * usize::from(of(0)));
        }
    }
}
