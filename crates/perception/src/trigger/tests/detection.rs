//! How much is found, and how much is made up, on robots that nobody tuned anything for.

use super::super::generator::{self, Generated, Truth};
use super::*;
use std::ops::Range;

/// How many activities there were, how many were told, and how many of both are the same.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    happened: usize,
    detected: usize,
    found: usize,
    ended: usize,
}

/// Compares with the truth: a begin within some time or two periods is found; it has also ended when
/// its end is within 200 ms or three periods.
fn score(generated: &Generated, signals: &[Signal], onset_secs: f64) -> Score {
    let period = 1.0 / generated.rate_hz;
    let near = |a: f64, b: f64, secs: f64, periods: f64| {
        (a - b).abs() <= f64::max(secs, (periods + 0.2) * period)
    };
    let mut begins: Vec<(f64, Option<f64>)> = Vec::new();
    for signal in signals {
        match signal.edge {
            Edge::Begin | Edge::Once => begins.push((secs(signal.stamp), None)),
            Edge::End => begins.last_mut().expect("it began").1 = Some(secs(signal.stamp)),
            Edge::More | Edge::Rest => {}
        }
    }
    let mut sum =
        Score { happened: generated.truths.len(), detected: begins.len(), ..Score::default() };
    for Truth { begin, end, .. } in &generated.truths {
        let found =
            begins.iter().position(|(detected, _)| near(*detected, *begin, onset_secs, 2.0));
        if let Some(found) = found {
            let (_, detected) = begins.remove(found);
            sum.found += 1;
            sum.ended +=
                usize::from(detected.is_some_and(|detected| near(detected, *end, 0.2, 3.0)));
        }
    }
    sum
}

fn total(kind: TriggerKind, seeds: Range<u64>, make: impl Fn(u64) -> Generated) -> Score {
    total_within(0.05, kind, seeds, make)
}

fn total_within(
    onset_secs: f64,
    kind: TriggerKind,
    seeds: Range<u64>,
    make: impl Fn(u64) -> Generated,
) -> Score {
    let mut sum = Score::default();
    for seed in seeds {
        let generated = make(seed);
        let one = score(&generated, &signals_of(kind, &generated.readings), onset_secs);
        sum.happened += one.happened;
        sum.detected += one.detected;
        sum.found += one.found;
        sum.ended += one.ended;
    }
    sum
}

/// Recall and precision, and the part of what was found whose end was found, too.
fn assert_at_least(part: f64, ended: f64, score: Score) {
    let Score { happened, detected, found, .. } = score;
    assert!(found as f64 >= part * happened as f64, "recall: {score:?}");
    assert!(found as f64 >= part * detected as f64, "precision: {score:?}");
    assert!(score.ended as f64 >= ended * found as f64, "ends: {score:?}");
}

#[test]
fn touches_of_a_wrench_are_found() {
    let make = |seed| generator::wrench(seed, (15.0, 1000.0), 60.0, true);
    assert_at_least(0.99, 0.98, total(TriggerKind::Contact, 0..24, make));
}

#[test]
fn touches_of_taxels_are_found() {
    let make = |seed| generator::taxels(seed, (15.0, 500.0), 60.0, true);
    assert_at_least(0.99, 0.98, total(TriggerKind::Contact, 0..16, make));
}

#[test]
fn motions_are_found() {
    let make = |seed| generator::joints(seed, (15.0, 1000.0), 60.0, true);
    assert_at_least(0.99, 0.98, total(TriggerKind::Motion, 0..24, make));
}

#[test]
fn blows_are_found_once() {
    let make = |seed| generator::blows(seed, (100.0, 1000.0), 60.0);
    assert_at_least(0.98, 0.0, total(TriggerKind::Impact, 0..12, make));
}

#[test]
fn slips_are_found() {
    let make = |seed| generator::grip(seed, (100.0, 500.0), 120.0, true);
    assert_at_least(0.95, 0.0, total_within(0.15, TriggerKind::Slip, 0..12, make));
}

#[test]
fn shifts_of_four_times_the_noise_are_found_within_a_second() {
    let mut sum = Score::default();
    for seed in 0..12 {
        let generated = generator::shifts(seed, 50.0, 300.0, true);
        let mut trigger = trigger(TriggerKind::Novelty);
        let mut detected = Vec::new();
        for (stamp, value) in &generated.readings {
            let mut out = Vec::new();
            trigger.take(*stamp, value, BesideReading::default(), &mut out);
            // When it is known, not when it began.
            detected.extend(out.iter().map(|_| secs(*stamp)));
        }
        sum.detected += detected.len();
        for Truth { begin, .. } in generated.truths {
            sum.happened += 1;
            sum.found += usize::from(
                detected.iter().any(|detected| (begin..begin + 1.0).contains(detected)),
            );
        }
    }
    assert_at_least(0.99, 0.0, sum);
}

#[test]
fn an_hour_of_noise_and_drift_says_nothing() {
    let rates_hz = (15.0, 100.0);
    for seed in 0..2 {
        let streams = [
            (
                &[
                    TriggerKind::Contact,
                    TriggerKind::Impact,
                    TriggerKind::Slip,
                    TriggerKind::Novelty,
                ][..],
                generator::wrench(seed, rates_hz, 3600.0, false),
            ),
            (
                &[
                    TriggerKind::Contact,
                    TriggerKind::Impact,
                    TriggerKind::Slip,
                    TriggerKind::Novelty,
                ],
                generator::taxels(seed, (15.0, 30.0), 3600.0, false),
            ),
            (
                &[TriggerKind::Motion, TriggerKind::Novelty],
                generator::joints(seed, rates_hz, 3600.0, false),
            ),
            (&[TriggerKind::Novelty], generator::shifts(seed, 50.0, 3600.0, false)),
        ];
        for (kinds, generated) in streams {
            for &kind in kinds {
                let signals = signals_of(kind, &generated.readings);
                assert!(
                    signals.is_empty(),
                    "seed {seed}, {} Hz: {:?}",
                    generated.rate_hz,
                    signals[0]
                );
            }
        }
    }
}

#[test]
fn what_is_held_still_does_not_slip() {
    for seed in 0..4 {
        let generated = generator::grip(seed, (100.0, 500.0), 120.0, false);
        let signals = signals_of(TriggerKind::Slip, &generated.readings);
        assert!(signals.is_empty(), "seed {seed}, {} Hz: {:?}", generated.rate_hz, signals[0]);
    }
}
