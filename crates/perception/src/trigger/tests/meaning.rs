//! What the signals say.

use super::super::generator::{Chance, layout, numbers, stamp, wrench_layout};
use super::*;
use crate::{LayoutKind, Quantity};

const NEWTONS_OF_NOISE: f64 = 0.05;

/// A wrench at 100 Hz whose force z is a function of time.
fn force(secs: f64, force_z: impl Fn(f64) -> f64) -> Vec<(Stamp, Value)> {
    let (layout, mut chance) = (wrench_layout(), Chance::new(3));
    (0..(secs * 100.0) as usize)
        .map(|index| {
            let time = index as f64 / 100.0;
            let mut values = vec![0.0; 6];
            for axis in &mut values[..3] {
                *axis = NEWTONS_OF_NOISE * chance.normal();
            }
            values[2] += force_z(time);
            (stamp(time), numbers(&layout, values))
        })
        .collect()
}

fn within(from: f64, to: f64) -> impl Fn(f64) -> f64 {
    move |time| f64::from((from..to).contains(&time))
}

fn assert_near(value: f64, truth: f64, tolerance: f64) {
    assert!((value - truth).abs() <= tolerance, "{value} is not {truth}");
}

#[test]
fn a_contact_says_how_hard_where_and_how_long() {
    let touch = within(4.0, 7.0);
    let blow = within(5.0, 5.01);
    let signals = signals_of(
        TriggerKind::Contact,
        &force(10.0, |time| -30.0 - 8.0 * touch(time) - 4.0 * blow(time)),
    );
    let [begin, end] = &signals[..] else { panic!("{signals:?}") };
    assert_eq!((begin.edge, end.edge), (Edge::Begin, Edge::End));
    assert_near(secs(begin.stamp), 4.0, 0.015);
    assert_near(secs(end.stamp), 7.0, 0.03);
    let peak = measured(end, "peak");
    assert_near(peak.value, 12.0, 0.3);
    assert_eq!((peak.unit.as_str(), peak.of.as_str()), ("N", "force.z"));
    assert_eq!(peak.stamp, Some(stamp(5.0)));
    assert_near(measured(end, "mean").value, 8.0, 0.3);
    assert_near(measured(end, "duration").value, 3.0, 0.05);
    assert_near(measured(end, "impulse").value, 24.0, 0.5);
    assert_eq!(measured(end, "impulse").unit, "N s");
}

#[test]
fn a_tool_that_is_put_on_becomes_the_state_at_rest() {
    let tool = within(5.0, 100.0);
    let touch = within(60.0, 62.0);
    let signals = signals_of(
        TriggerKind::Contact,
        &force(120.0, |time| -10.0 * tool(time) - 5.0 * touch(time)),
    );
    let (begins, ends) = (times_of(&signals, Edge::Begin), times_of(&signals, Edge::End));
    // With the tool on a touch is felt as without it; taking it off again is none.
    assert_eq!((begins.len(), ends.len()), (2, 2), "{begins:?} {ends:?}");
    assert_near(begins[0], 5.0, 0.02);
    assert_near(ends[0], 35.0, 0.1);
    assert_eq!(measured(&signals[1], "settled").value, 30.0);
    assert_near(begins[1], 60.0, 0.02);
    assert_near(ends[1], 62.0, 0.05);
}

#[test]
fn a_touch_from_the_start_is_not_told_and_does_not_turn_things_around() {
    let held = within(0.0, 5.0);
    let touch = within(8.0, 9.0);
    let signals = signals_of(
        TriggerKind::Contact,
        &force(12.0, |time| 20.0 * held(time) + 6.0 * touch(time)),
    );
    assert_near(times_of(&signals, Edge::Begin)[0], 8.0, 0.02);
    assert_eq!(signals.len(), 2, "{signals:?}");
}

#[test]
fn a_first_touch_against_gravity_is_told_late_but_as_of_when_it_was() {
    for lasting in [0.3, 3.0] {
        let touch = within(4.0, 4.0 + lasting);
        let signals =
            signals_of(TriggerKind::Contact, &force(10.0, |time| -30.0 + 12.0 * touch(time)));
        let [begin, end] = &signals[..] else { panic!("{signals:?}") };
        assert_near(secs(begin.stamp), 4.0, 0.02);
        assert_near(secs(end.stamp), 4.0 + lasting, 0.03);
        assert_near(measured(end, "peak").value, 12.0, 0.4);
    }
}

#[test]
fn what_creeps_after_a_release_is_no_touch() {
    let creeping = |time: f64| {
        let phase = time % 5.0;
        if phase > 3.0 {
            150.0
        } else if time > 5.0 {
            2.0 * (-2.0 * phase).exp()
        } else {
            0.0
        }
    };
    let signals = signals_of(TriggerKind::Contact, &force(60.0, creeping));
    assert_eq!(times_of(&signals, Edge::Begin).len(), 12, "{signals:?}");
}

#[test]
fn a_gap_ends_what_was_going_on() {
    let mut readings = force(30.0, within(4.0, 40.0));
    readings.retain(|(at, _)| !(6.0..20.0).contains(&secs(*at)));
    let signals = signals_of(TriggerKind::Contact, &readings);
    assert_eq!(times_of(&signals, Edge::End), [5.99], "{signals:?}");
}

#[test]
fn parameters_say_what_a_contact_is() {
    let of_six_newtons = force(10.0, |time| 6.0 * within(4.0, 5.0)(time));
    let count = |parameters: &[(&str, f64)]| {
        let trigger = trigger_with(TriggerKind::Contact, parameters).expect("parameters");
        stated_by(trigger, &of_six_newtons).len()
    };
    assert_eq!(count(&[("on", 5.0)]), 2);
    assert_eq!(count(&[("on", 7.0)]), 0);
    assert_eq!(count(&[("on_secs", 0.9)]), 2);
    assert_eq!(count(&[("on_secs", 1.2)]), 0);
    assert_eq!(count(&[("channel", 2.0)]), 2);
    assert_eq!(count(&[("channel", 0.0)]), 0);
    assert_eq!(count(&[("channel", 99.0)]), 0);
}

#[test]
fn an_impact_says_how_hard_and_how_fast() {
    let blow = within(4.0, 4.02);
    let signals = signals_of(TriggerKind::Impact, &force(8.0, |time| 40.0 * blow(time)));
    let [impact] = &signals[..] else { panic!("{signals:?}") };
    assert_eq!((impact.edge, impact.stamp), (Edge::Once, stamp(4.0)));
    assert_near(measured(impact, "peak").value, 40.0, 1.0);
    assert_eq!(measured(impact, "rise_rate").unit, "N/s");
    // Within 30 ms at least.
    assert!(measured(impact, "rise_rate").value > 1000.0, "{impact:?}");
}

#[test]
fn an_impact_that_rings_is_one() {
    let blows = [(4.0, 40.0), (4.2, 30.0), (4.4, 20.0), (6.0, 40.0)];
    let force_z = |time: f64| -> f64 {
        blows.iter().map(|&(at, size)| size * within(at, at + 0.02)(time)).sum()
    };
    let signals = signals_of(TriggerKind::Impact, &force(8.0, force_z));
    assert_eq!(times_of(&signals, Edge::Once), [4.0, 6.0]);
}

fn booleans(values: &[u8]) -> Vec<(Stamp, Value)> {
    let of = |(index, value): (usize, &u8)| (stamp(index as f64), Value::Bool(*value == 1));
    values.iter().enumerate().map(of).collect()
}

#[test]
fn every_rising_edge_is_told_even_one_reading_long() {
    let cases: [(&[u8], &[f64], &[f64]); 6] = [
        (&[0, 1, 0, 1, 0, 0], &[1.0, 3.0], &[2.0, 4.0]),
        (&[0, 1, 1, 1, 0], &[1.0], &[4.0]),
        // What was before the first value nobody knows.
        (&[1, 1, 0, 1, 0], &[3.0], &[4.0]),
        // What goes on at the end ends there.
        (&[0, 1, 1], &[1.0], &[2.0]),
        (&[1, 0], &[], &[]),
        (&[], &[], &[]),
    ];
    for (values, begins, ends) in cases {
        let signals = signals_of(TriggerKind::Edge, &booleans(values));
        assert_eq!(times_of(&signals, Edge::Begin), begins, "{values:?}");
        assert_eq!(times_of(&signals, Edge::End), ends, "{values:?}");
        assert_eq!(signals.len(), begins.len() + ends.len());
    }
}

#[test]
fn silence_is_no_edge() {
    let mut readings = booleans(&[0, 1, 1]);
    readings.push((stamp(50_000.0), Value::Bool(true)));
    readings.push((stamp(50_001.0), Value::Bool(false)));
    let signals = signals_of(TriggerKind::Edge, &readings);
    assert_eq!(measured(&signals[1], "duration").value, 50_000.0);
    assert_eq!(measured(&signals[1], "to").of, "true");
}

#[test]
fn a_falling_edge_is_its_own_when_asked_for() {
    let trigger = trigger_with(TriggerKind::Edge, &[("falling", 1.0)]).expect("parameters");
    let signals = stated_by(trigger, &booleans(&[1, 0, 0, 1, 0]));
    assert_eq!(times_of(&signals, Edge::Once), [1.0, 4.0]);
    assert_eq!(times_of(&signals, Edge::Begin), [3.0]);
    assert_eq!(measured(&signals[0], "to").of, "false");
}

#[test]
fn a_change_says_from_what_to_what() {
    let long = "x".repeat(100_000);
    let texts = ["idle", "idle", "moving", &long, &format!("{long}y"), "idle"];
    let readings: Vec<_> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| (stamp(index as f64), Value::Text((*text).to_owned())))
        .collect();
    let signals = signals_of(TriggerKind::Change, &readings);
    assert_eq!(times_of(&signals, Edge::Once), [2.0, 3.0, 4.0, 5.0]);
    assert_eq!(measured(&signals[0], "from").of, "idle");
    assert_eq!(measured(&signals[0], "to").of, "moving");
    assert!(measured(&signals[1], "to").of.chars().count() <= 201);
}

#[test]
fn periods_are_those_of_the_clock() {
    let trigger =
        trigger_with(TriggerKind::Periodic, &[("period_secs", 10.0)]).expect("parameters");
    let at = [3.0, 8.0, 12.0, 13.0, 29.9, 30.0, 75.0, 79.0];
    let readings: Vec<_> = at.map(|at| (stamp(at), Value::Bool(true))).to_vec();
    let signals = stated_by(trigger, &readings);
    assert_eq!(times_of(&signals, Edge::Once), [12.0, 29.9, 30.0, 75.0]);
}

/// Two joints, of which the second moves at 0.5 rad/s.
fn arm(rate_hz: f64, secs: f64, moves: impl Fn(f64) -> f64) -> Vec<(Stamp, Value)> {
    let layout = layout(
        LayoutKind::Joints,
        [
            ("shoulder.position", Quantity::Position),
            ("elbow.position", Quantity::Position),
            ("shoulder.velocity", Quantity::Velocity),
            ("elbow.velocity", Quantity::Velocity),
        ],
    );
    let mut chance = Chance::new(9);
    (0..(secs * rate_hz) as usize)
        .map(|index| {
            let time = index as f64 / rate_hz;
            let values = vec![
                0.0,
                0.0,
                0.001 * chance.normal(),
                0.5 * moves(time) + 0.001 * chance.normal(),
            ];
            (stamp(time), numbers(&layout, values))
        })
        .collect()
}

#[test]
fn a_motion_says_which_joint_moved_how_far() {
    for rate_hz in [1.0, 20.0, 500.0] {
        let signals = signals_of(TriggerKind::Motion, &arm(rate_hz, 40.0, within(20.0, 24.0)));
        let [begin, end] = &signals[..] else { panic!("{rate_hz} Hz: {signals:?}") };
        let period = 1.0 / rate_hz;
        assert_near(secs(begin.stamp), 20.0, 0.02 + period);
        assert_near(secs(end.stamp), 24.0, 0.06 + period);
        let distance = &end.measures[0];
        assert_eq!((distance.name, distance.of.as_str()), ("distance", "elbow"));
        assert_near(distance.value, 2.0, 0.05 + 0.5 * period);
        assert_near(measured(end, "peak").value, 0.5, 0.01);
        assert_eq!(measured(end, "joints").value, 1.0);
    }
}

#[test]
fn a_robot_that_moves_from_the_start_is_seen_to() {
    let signals = signals_of(TriggerKind::Motion, &arm(100.0, 10.0, within(0.0, 3.0)));
    assert_eq!(times_of(&signals, Edge::Begin).len(), 1, "{signals:?}");
    assert_near(times_of(&signals, Edge::Begin)[0], 0.0, 0.1);
    assert_near(times_of(&signals, Edge::End)[0], 3.0, 0.1);
}

#[test]
fn nobody_knows_what_moved_in_a_gap() {
    let mut readings = arm(100.0, 10.0, |_| 1.0);
    readings.retain(|(at, _)| !(0.2..6.0).contains(&secs(*at)));
    let signals = signals_of(TriggerKind::Motion, &readings);
    let moved: f64 = times_of(&signals, Edge::End)
        .iter()
        .zip(times_of(&signals, Edge::Begin))
        .map(|(end, begin)| end - begin)
        .sum();
    assert!(moved < 4.1, "{signals:?}");
    let way = signals.iter().filter(|signal| signal.edge == Edge::End);
    let way: f64 = way.map(|end| measured(end, "distance").value).sum();
    assert_near(way, 2.0, 0.1);
}

#[test]
fn a_novelty_says_which_channel_went_from_where_to_where() {
    let signals =
        signals_of(TriggerKind::Novelty, &force(30.0, |time| 5.0 + 2.0 * within(15.0, 99.0)(time)));
    let [novelty] = &signals[..] else { panic!("{signals:?}") };
    assert_near(secs(novelty.stamp), 15.0, 0.25);
    let shift = measured(novelty, "shift");
    assert!(shift.value > 4.0 && shift.of == "force.z", "{novelty:?}");
    assert_near(measured(novelty, "before").value, 5.0, 0.1);
    assert_near(measured(novelty, "after").value, 7.0, 0.2);
}
