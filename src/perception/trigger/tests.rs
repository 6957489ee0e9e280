use super::generator::{self, Generated, START, Truth, secs, stamp};
use super::*;
use std::collections::BTreeMap;

fn trigger(kind: TriggerKind) -> Trigger {
    Trigger::new(&TriggerSettings { kind, parameters: BTreeMap::new() }).expect("defaults")
}

fn signals(kind: TriggerKind, readings: &[(Stamp, Value)]) -> Vec<Signal> {
    let mut trigger = trigger(kind);
    let mut out = Vec::new();
    for (stamp, value) in readings {
        trigger.take(*stamp, value, None, &mut out);
    }
    trigger.finish(readings.last().map_or(START, |(stamp, _)| *stamp), &mut out);
    out
}

/// Begins of signals, in seconds.
fn begins(signals: &[Signal]) -> Vec<f64> {
    let is_begin = |signal: &&Signal| signal.edge != Edge::End;
    signals.iter().filter(is_begin).map(|signal| secs(signal.stamp)).collect()
}

/// How many happenings were there, were told, and were told within the tolerance.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    true_ones: usize,
    told: usize,
    found: usize,
    worst_onset_secs: f64,
}

fn score(truths: &[Truth], begins: &[f64], tolerance_secs: f64) -> Score {
    let mut found = 0;
    let mut worst: f64 = 0.0;
    let mut left: Vec<f64> = begins.to_vec();
    for truth in truths {
        let near = left.iter().position(|begin| (begin - truth.begin).abs() <= tolerance_secs);
        if let Some(index) = near {
            worst = worst.max((left[index] - truth.begin).abs());
            left.remove(index);
            found += 1;
        }
    }
    Score { true_ones: truths.len(), told: begins.len(), found, worst_onset_secs: worst }
}

fn total(
    kind: TriggerKind,
    seeds: std::ops::Range<u64>,
    make: impl Fn(u64) -> Generated,
) -> Score {
    let mut sum = Score::default();
    for seed in seeds {
        let generated = make(seed);
        let signals = signals(kind, &generated.readings);
        let tolerance = f64::max(0.05, 2.2 / generated.rate_hz);
        let one = score(&generated.truths, &begins(&signals), tolerance);
        if std::env::var("SHOW").is_ok() && (one.found < one.true_ones || one.found < one.told) {
            println!("seed {seed} rate {:.0}: {one:?}", generated.rate_hz);
            let begins = begins(&signals);
            for truth in &generated.truths {
                if !begins.iter().any(|begin| (begin - truth.begin).abs() <= tolerance) { println!("   missed {truth:?}"); }
            }
            for begin in begins { if !generated.truths.iter().any(|truth| (begin - truth.begin).abs() <= tolerance) { println!("   false {begin}"); } }
        }
        sum.true_ones += one.true_ones;
        sum.told += one.told;
        sum.found += one.found;
        sum.worst_onset_secs = sum.worst_onset_secs.max(one.worst_onset_secs);
    }
    sum
}

fn assert_found(score: Score) {
    assert!(score.found as f64 >= 0.98 * score.true_ones as f64, "recall: {score:?}");
    assert!(score.found as f64 >= 0.98 * score.told as f64, "precision: {score:?}");
}

#[test]
fn touches_of_a_wrench_are_found_on_any_robot() {
    let score = total(TriggerKind::Contact, 0..seeds(40), |seed| generator::wrench(seed, 60.0, true));
    println!("{score:?}");
    assert_found(score);
}

#[test]
fn touches_of_taxels_are_found_on_any_robot() {
    let score = total(TriggerKind::Contact, 0..seeds(30), |seed| generator::taxels(seed, 60.0, true));
    println!("{score:?}");
    assert_found(score);
}

#[test]
fn motions_are_found_on_any_robot() {
    let score = total(TriggerKind::Motion, 0..seeds(40), |seed| generator::joints(seed, 60.0, true));
    println!("{score:?}");
    assert_found(score);
}

fn seeds(usual: u64) -> u64 { std::env::var("SEEDS").ok().and_then(|t| t.parse().ok()).unwrap_or(usual) }

fn assert_quiet(kind: TriggerKind, make: impl Fn(u64) -> Generated, seeds: std::ops::Range<u64>) {
    let mut count = 0;
    let mut readings = 0;
    for seed in seeds {
        let generated = make(seed);
        readings += generated.readings.len();
        let signals = signals(kind, &generated.readings);
        if !signals.is_empty() { println!("{kind} seed {seed} rate {:.0}: {} e.g. {:?}", generated.rate_hz, signals.len(), signals[0]); }
        count += signals.len();
    }
    println!("{kind}: {count} signals in {readings} readings");
    assert_eq!(count, 0);
}

#[test]
fn nothing_is_told_of_noise_and_drift() {
    let hours = 3600.0;
    assert_quiet(TriggerKind::Contact, |seed| generator::wrench(seed, hours, false), 0..seeds(3));
}
#[test]
fn nothing_is_told_of_noise_and_drift_t() {
    let hours = 3600.0;
    assert_quiet(TriggerKind::Contact, |seed| generator::taxels(seed, hours, false), 0..seeds(3));
}
#[test]
fn nothing_is_told_of_noise_and_drift_m() {
    let hours = 3600.0;
    assert_quiet(TriggerKind::Motion, |seed| generator::joints(seed, hours, false), 0..seeds(3));
}
#[test]
fn nothing_is_told_of_noise_and_drift_i() {
    let hours = 3600.0;
    assert_quiet(TriggerKind::Impact, |seed| generator::wrench(seed, hours, false), 0..seeds(3));
}
#[test]
fn nothing_is_told_of_noise_and_drift_n() {
    let hours = 3600.0;
    assert_quiet(TriggerKind::Novelty, |seed| generator::wrench(seed, hours, false), 0..seeds(3));
}
#[test]
fn nothing_is_told_of_noise_and_drift_nt() {
    let hours = 600.0;
    assert_quiet(TriggerKind::Novelty, |seed| generator::taxels(seed, hours, false), 0..seeds(3));
}
#[test]
fn nothing_is_told_of_noise_and_drift_s() {
    let hours = 3600.0;
    assert_quiet(TriggerKind::Slip, |seed| generator::wrench(seed, hours, false), 0..seeds(3));
}
