//! What robots say of themselves, at its edges; the rest is tests/fixtures/robots.jsonl.

use super::*;
use crate::decode::{SPEED, STATUS};
use crate::{Channel, Layout, LayoutKind, Numbers, Quantity, Report, ReportLevel};
use robot_memory_core::limits::REPORTS_OPEN_MAX;
use std::sync::Arc;

fn at(secs: f64) -> Stamp {
    crate::span::plus_secs(START, secs)
}

fn reports(list: &[(&str, ReportLevel, &str)], is_line: bool) -> Value {
    let report = |&(name, level, text): &(&str, ReportLevel, &str)| Report {
        name: name.to_owned(),
        level,
        text: text.to_owned(),
        is_line,
        is_active: level >= ReportLevel::Warn,
    };
    Value::Reports(list.iter().map(report).collect())
}

fn layout(channels: &[(&str, Quantity)]) -> Arc<Layout> {
    let channel =
        |&(name, quantity): &(&str, Quantity)| Channel { name: name.to_owned(), quantity };
    Arc::new(Layout { kind: LayoutKind::Plain, channels: channels.iter().map(channel).collect() })
}

fn readings(layout: &Arc<Layout>, rows: &[(f64, &[f64])]) -> Vec<(Stamp, Value)> {
    let value = |values: &[f64]| Numbers { layout: Arc::clone(layout), values: values.to_vec() };
    rows.iter().map(|(secs, values)| (at(*secs), Value::Numbers(value(values)))).collect()
}

/// Edge, second and the texts of signals.
fn shown(signals: &[Signal]) -> Vec<String> {
    let one = |signal: &Signal| {
        let texts: Vec<&str> = signal.measures.iter().map(|measure| measure.of.as_str()).collect();
        format!("{:?} {} {}", signal.edge, secs(signal.stamp), texts.join("|").trim_matches('|'))
    };
    signals.iter().map(one).collect()
}

#[test]
fn the_worst_level_counts_with_what_was_said_with_it() {
    use ReportLevel::{Error, Ok, Warn};
    let said = [(0.0, Ok, "fine"), (1.0, Warn, "warm"), (2.0, Error, "hot"), (3.0, Warn, "warm")];
    let said =
        said.map(|(secs, level, text)| (at(secs), reports(&[("motor", level, text)], false)));
    let signals = signals_of(TriggerKind::Level, &said);
    assert_eq!(shown(&signals), ["Begin 1 WARN|motor|warm", "More 2 ERROR|motor|hot||WARN"]);
}

#[test]
fn lines_with_other_numbers_are_one_and_other_words_are_another() {
    let line =
        |secs: f64, text: &str| (at(secs), reports(&[("node", ReportLevel::Error, text)], true));
    let lines = [line(0.0, "late by 12 ms"), line(1.0, "late by 7 ms"), line(2.0, "gone")];
    let signals = signals_of(TriggerKind::Level, &lines);
    let begun = signals.iter().filter(|signal| signal.edge == Edge::Begin);
    assert_eq!(begun.map(|signal| signal.part).collect::<Vec<_>>(), [0, 1]);
    let again = signals.iter().find(|signal| signal.edge == Edge::More).expect("it is repeated");
    assert_eq!((again.part, measured(again, "count").value), (0, 2.0));
    // Long after they are over, the same is new.
    let later = [line(0.0, "late by 12 ms"), line(30.0, "late by 1 ms")];
    assert_eq!(times_of(&signals_of(TriggerKind::Level, &later), Edge::Begin), [0.0, 30.0]);
}

#[test]
fn troubles_are_bounded_and_the_rest_is_counted() {
    let names: Vec<String> = (0..REPORTS_OPEN_MAX + 3).map(|index| index.to_string()).collect();
    let list: Vec<_> = names.iter().map(|name| (&name[..], ReportLevel::Error, "x")).collect();
    let mut trigger = trigger(TriggerKind::Level);
    let mut out = Vec::new();
    trigger.take(at(0.0), &reports(&list, false), BesideReading::default(), &mut out);
    assert_eq!((out.len(), trigger.left_out()), (REPORTS_OPEN_MAX, 3));
}

#[test]
fn a_level_ends_with_the_level_it_came_back_to_or_with_silence() {
    use ReportLevel::{Error, Ok, Warn};
    let ends = |said: &[(f64, &str, ReportLevel, bool)]| {
        let report = |&(secs, name, level, is_active): &(f64, &str, ReportLevel, bool)| {
            let (name, text) = (name.to_owned(), String::new());
            (
                at(secs),
                Value::Reports(vec![Report { name, level, text, is_line: false, is_active }]),
            )
        };
        let said: Vec<_> = said.iter().map(report).collect();
        let signals = signals_of(TriggerKind::Level, &said);
        let ends: Vec<_> = signals.into_iter().filter(|it| it.edge == Edge::End).collect();
        shown(&ends)
    };
    let to_warn = [(0.0, "m", Error, true), (5.0, "m", Warn, false), (20.0, "m", Ok, false)];
    assert_eq!(ends(&to_warn), ["End 5 ERROR|m||||WARN"]);
    let to_ok = [(0.0, "m", Error, true), (5.0, "m", Ok, false), (20.0, "m", Ok, false)];
    assert_eq!(ends(&to_ok), ["End 5 ERROR|m||||OK"]);
    let silent = [
        (0.0, "m", Error, true),
        (9.0, "m", Error, true),
        (69.0, "n", Ok, false),
        (70.0, "n", Ok, false),
    ];
    assert_eq!(ends(&silent), ["End 9 ERROR|m"]);
}

#[test]
fn one_noisy_origin_does_not_keep_others_out() {
    let mut trigger = trigger(TriggerKind::Level);
    let mut out = Vec::new();
    let mut take = |secs: f64, name: &str, text: &str| {
        out.clear();
        let line = reports(&[(name, ReportLevel::Error, text)], true);
        trigger.take(at(secs), &line, BesideReading::default(), &mut out);
        shown(&out).into_iter().filter(|it| !it.starts_with("Rest")).collect::<Vec<_>>()
    };
    let word = |index: usize| "abcdefghijklmnopqrst"[index..=index].to_owned();
    for index in 0..20 {
        let told = take(0.01 * index as f64, "noisy", &word(index));
        assert!(told[0].starts_with(if index < 8 { "Begin" } else { "More" }), "{told:?}");
    }
    for index in 8..REPORTS_OPEN_MAX {
        take(1.0 + 0.01 * index as f64, &index.to_string(), "x");
    }
    // The one that was reported longest ago makes room.
    let told = take(3.0, "new", "y");
    assert_eq!(told, ["End 0 ERROR|noisy|a", "Begin 3 ERROR|new|y"]);
}

#[test]
fn a_battery_is_low_once_and_what_is_charged_when_first_heard_is_nothing_new() {
    let battery = layout(&[("percentage", Quantity::Share), (STATUS, Quantity::Unknown)]);
    let told = |rows: &[(f64, &[f64])]| {
        let signals = signals_of(TriggerKind::Charge, &readings(&battery, rows));
        signals.iter().map(|it| measured(it, "state").of.clone()).collect::<Vec<_>>()
    };
    let noise: &[(f64, &[f64])] =
        &[(0.0, &[21.0, 2.0]), (1.0, &[20.0, 2.0]), (2.0, &[22.0, 2.0]), (3.0, &[19.0, 2.0])];
    assert_eq!(told(noise), ["low"]);
    assert_eq!(
        told(&[(0.0, &[5.0, 2.0]), (1.0, &[30.0, 2.0]), (2.0, &[15.0, 2.0])]),
        ["critical", "low"]
    );
    assert_eq!(told(&[(0.0, &[5.0, 1.0]), (9.0, &[50.0, 2.0])]), ["unplugged"]);
    // A full one that is topped up, one that is not measured, one whose status is not known.
    assert_eq!(told(&[(0.0, &[99.0, 4.0]), (1.0, &[98.0, 1.0]), (2.0, &[99.0, 4.0])]), [""; 0]);
    assert_eq!(told(&[(0.0, &[f64::NAN, 2.0]), (1.0, &[f64::NAN, 1.0])]), ["charging"]);
    assert_eq!(told(&[(0.0, &[50.0, 2.0]), (1.0, &[50.0, 0.0]), (2.0, &[50.0, 2.0])]), [""; 0]);
}

#[test]
fn a_bound_is_passed_by_any_channel_of_the_first_quantity() {
    let motors = layout(&[
        ("left", Quantity::Temperature),
        ("right", Quantity::Temperature),
        ("load", Quantity::Unknown),
    ]);
    let rows: &[(f64, &[f64])] =
        &[(0.0, &[40.0, 40.0, 900.0]), (1.0, &[40.0, 70.0, 0.0]), (2.0, &[90.0, f64::NAN, 0.0])];
    let hot = trigger_with(TriggerKind::Threshold, &[("above", 60.0)]).expect("a bound");
    let signals = stated_by(hot, &readings(&motors, rows));
    assert_eq!(shown(&signals), ["Begin 1 right|above", "More 2 left|above", "End 2 left|above"]);
    let scan = layout(&[("nearest", Quantity::Distance)]);
    let near: &[(f64, &[f64])] = &[(0.0, &[0.1]), (1.0, &[0.1]), (2.0, &[0.5]), (3.0, &[0.2])];
    let told = signals_of(TriggerKind::Threshold, &readings(&scan, near));
    assert_eq!(times_of(&told, Edge::Begin), [3.0]);
    let none = signals_of(TriggerKind::Threshold, &readings(&motors, rows));
    assert_eq!(none, []);
}

#[test]
fn a_robot_is_stuck_only_where_it_is_known_to_stand() {
    let twist = layout(&[("linear.x", Quantity::Speed), ("angular.z", Quantity::AngularVelocity)]);
    let told = |place: &dyn Fn(f64) -> Option<[f64; 3]>, command: &dyn Fn(f64) -> [f64; 2]| {
        let mut stuck = trigger(TriggerKind::Stuck);
        let mut out = Vec::new();
        for tenth in 0..200 {
            let now = f64::from(tenth) / 10.0;
            let values = command(now).to_vec();
            let value = Value::Numbers(Numbers { layout: Arc::clone(&twist), values });
            let beside = BesideReading { place: place(now), ..BesideReading::default() };
            stuck.take(at(now), &value, beside, &mut out);
        }
        times_of(&out, Edge::Begin)
    };
    let forward = |_| [0.2, 0.0];
    assert_eq!(told(&|_| Some([1.0, 2.0, 0.0]), &forward), [0.0]);
    assert_eq!(told(&|_| None, &forward), [] as [f64; 0]);
    assert_eq!(told(&|now| Some([0.2 * now, 0.0, 0.0]), &forward), [] as [f64; 0]);
    // It turns, also where the angle begins anew.
    let turning = |now: f64| Some([0.0, 0.0, (now + 3.0) % std::f64::consts::TAU - 3.1]);
    assert_eq!(told(&turning, &|_| [0.0, 1.0]), [] as [f64; 0]);
    assert_eq!(told(&|_| Some([0.0; 3]), &|_| [0.0, 1.0]), [0.0]);
    assert_eq!(told(&|_| Some([0.0; 3]), &|_| [0.01, 0.0]), [] as [f64; 0]);
}

#[test]
fn a_lever_that_is_left_is_rest() {
    let joy = layout(&[("axes[0]", Quantity::Unknown), ("axes[1]", Quantity::Unknown)]);
    let rows: Vec<(f64, [f64; 2])> = (0..100)
        .map(|second| {
            let now = f64::from(second);
            (
                now,
                [
                    if second >= 10 { 1.0 } else { 0.0 },
                    if (70..73).contains(&second) { 0.5 } else { 0.0 },
                ],
            )
        })
        .collect();
    let rows: Vec<(f64, &[f64])> = rows.iter().map(|(now, values)| (*now, &values[..])).collect();
    let signals = signals_of(TriggerKind::Takeover, &readings(&joy, &rows));
    assert_eq!(times_of(&signals, Edge::Begin), [10.0, 70.0]);
    assert_eq!(times_of(&signals, Edge::End), [40.0, 73.0]);
}

#[test]
fn an_operator_lets_go_by_one_zero_or_by_silence() {
    let twist = layout(&[("linear.x", Quantity::Speed), ("angular.z", Quantity::AngularVelocity)]);
    let told = |rows: &[(f64, &[f64])]| {
        let signals = signals_of(TriggerKind::Takeover, &readings(&twist, rows));
        (times_of(&signals, Edge::Begin), times_of(&signals, Edge::End))
    };
    let (go, stop): (&[f64], &[f64]) = (&[0.5, 0.0], &[0.0, 0.0]);
    let zero_once = [(0.0, go), (0.5, go), (1.0, stop), (3600.0, go), (3600.5, stop)];
    assert_eq!(told(&zero_once), (vec![0.0, 3600.0], vec![1.0, 3600.5]));
    let silent = [(0.0, go), (0.5, go), (3600.0, go), (3600.5, stop)];
    assert_eq!(told(&silent), (vec![0.0, 3600.0], vec![0.5, 3600.5]));
    // Shorter ones belong to the takeover.
    let short = [(0.0, go), (0.5, stop), (3.0, go), (6.0, go), (6.5, stop)];
    assert_eq!(told(&short), (vec![0.0], vec![6.5]));
    // A speed that is held is no rest.
    let held: Vec<(f64, &[f64])> = (0..50).map(|second| (f64::from(second), go)).collect();
    assert_eq!(told(&held), (vec![0.0], vec![49.0]));
}

#[test]
fn a_drive_ends_where_odometry_is_missing() {
    let odometry =
        layout(&[("x", Quantity::Position), ("y", Quantity::Position), (SPEED, Quantity::Speed)]);
    let rows: Vec<(f64, [f64; 3])> = (0..=20)
        .map(|tenth| (f64::from(tenth) / 10.0, [f64::from(tenth) / 20.0, 0.0, 0.5]))
        .chain((0..50).map(|tenth| (3600.0 + f64::from(tenth) / 10.0, [2.5, 0.0, 0.0])))
        .collect();
    let rows: Vec<(f64, &[f64])> = rows.iter().map(|(now, values)| (*now, &values[..])).collect();
    let signals = signals_of(TriggerKind::Drive, &readings(&odometry, &rows));
    assert_eq!(times_of(&signals, Edge::End), [2.0]);
    let end = signals.last().expect("an end");
    assert!((measured(end, "travelled").value - 1.0).abs() < 1e-9);
}

#[test]
fn a_number_is_back_on_the_right_side_of_its_bound() {
    let refused = |parameters: &[(&str, f64)]| {
        let refused = trigger_with(TriggerKind::Threshold, parameters);
        refused.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let low = refused(&[("below", 20.0), ("clear", 10.0)]);
    assert!(low.contains("clear must be at least below (20), was 10"), "{low}");
    let high = refused(&[("above", 60.0), ("clear", 65.0)]);
    assert!(high.contains("clear must be at most above (60), was 65"), "{high}");
    for right in [[("below", 20.0), ("clear", 20.0)], [("above", 60.0), ("clear", 55.0)]] {
        assert_eq!(refused(&right), "");
    }
}
