//! What must never go wrong, whatever comes.

use super::super::generator::{layout, numbers, stamp, wrench_layout};
use super::*;
use crate::{LayoutKind, Quantity};
use proptest::prelude::*;
use proptest::sample::select;

/// Those that messages trigger.
fn kinds() -> impl Iterator<Item = TriggerKind> {
    TriggerKind::ALL.iter().copied().filter(|kind| *kind != TriggerKind::Capture)
}

#[test]
fn each_default_is_within_its_bounds_and_each_kind_can_be_made() {
    for parameter in PARAMETERS {
        let Parameter { trigger: kind, name, default, min, max, .. } = *parameter;
        assert!(min < max, "{parameter:?}");
        assert!(default.is_none_or(|default| (min..=max).contains(&default)), "{parameter:?}");
        for value in [min, max] {
            assert!(trigger_with(kind, &[(name, value)]).is_ok(), "{kind} {name} {value}");
        }
        for value in [min - 1.0, max * 1.01 + 1.0, f64::NAN, f64::INFINITY] {
            assert!(trigger_with(kind, &[(name, value)]).is_err(), "{kind} {name} {value}");
        }
    }
    for kind in kinds() {
        assert!(trigger_with(kind, &[]).is_ok());
    }
}

#[test]
fn keyframes_have_the_defaults_of_pictures() {
    let default = |name| {
        let mut parameters = parameters_of(TriggerKind::Keyframe);
        parameters.find(|parameter| parameter.name == name).and_then(|parameter| parameter.default)
    };
    let KeyframeSettings { difference, min_secs, max_secs, sharpness_ratio } =
        KeyframeSettings::default();
    assert_eq!(default("difference"), Some(difference));
    assert_eq!(default("min_secs"), Some(min_secs));
    assert_eq!(default("max_secs"), Some(max_secs));
    assert_eq!(default("sharpness_ratio"), Some(sharpness_ratio));
}

#[test]
fn errors_say_what_is_wrong() {
    let say = |kind, name, value| {
        trigger_with(kind, &[(name, value)])
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    assert_eq!(
        say(TriggerKind::Contact, "off_ratio", 2.0),
        "trigger contact: off_ratio must be from 0.05 to 0.95, was 2"
    );
    assert_eq!(
        say(TriggerKind::Periodic, "period", 2.0),
        "trigger periodic: has no parameter \"period\", it has period_secs"
    );
    assert_eq!(
        say(TriggerKind::Capture, "period", 2.0),
        "trigger capture: is asked for by a call, and no trigger of a stream"
    );
}

/// Stamps that jump, repeat and go back; numbers that are none.
fn readings() -> impl Strategy<Value = Vec<(Stamp, Value)>> {
    let number = prop_oneof![
        4 => -1e3..1e3f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(f64::MAX),
        1 => Just(f64::MIN_POSITIVE),
        1 => Just(0.0),
    ];
    let step = prop_oneof![
        6 => 0i64..50_000_000,
        1 => Just(0),
        1 => -3_000_000_000i64..0,
        1 => Just(i64::MAX / 2),
        1 => 0i64..100_000_000_000,
    ];
    let joints = layout(
        LayoutKind::Joints,
        [("a.position", Quantity::Position), ("a.velocity", Quantity::Velocity)],
    );
    let taxels = layout(LayoutKind::Taxels, [("data[0]", Quantity::Unknown); 6]);
    let nothing = layout::<&str>(LayoutKind::Plain, []);
    let layouts = [wrench_layout(), joints, taxels, nothing];
    let reading = (step, 0usize..6, prop::collection::vec(number, 0..8), 0usize..20);
    prop::collection::vec(reading, 0..200).prop_map(move |given| {
        let mut at = stamp(0.0);
        let mut layout = 0;
        given
            .into_iter()
            .map(|(step, of, values, other)| {
                at = Stamp(at.0.saturating_add(step));
                if other == 0 {
                    layout = of % layouts.len();
                }
                let value = match other {
                    1 => Value::Bool(of % 2 == 0),
                    2 => Value::Text("x".repeat(of)),
                    _ => numbers(&layouts[layout], values),
                };
                (at, value)
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn whatever_comes_begins_and_ends_by_turns(readings in readings(), kind in select(kinds().collect::<Vec<_>>())) {
        let mut trigger = trigger(kind);
        let mut out = Vec::new();
        let mut open = false;
        let mut check = |out: &mut Vec<Signal>, latest: Stamp| {
            for signal in out.drain(..) {
                prop_assert_eq!(signal.kind, kind);
                prop_assert!(signal.stamp <= latest, "{:?} after {:?}", signal, latest);
                match signal.edge {
                    Edge::Begin => prop_assert!(!std::mem::replace(&mut open, true)),
                    Edge::End => prop_assert!(std::mem::replace(&mut open, false)),
                    Edge::More | Edge::Rest | Edge::Once => {}
                }
            }
            Ok(())
        };
        let mut latest = Stamp(i64::MIN);
        for (stamp, value) in &readings {
            trigger.take(*stamp, value, BesideReading::default(), &mut out);
            latest = latest.max(*stamp);
            check(&mut out, latest)?;
        }
        trigger.finish(latest, &mut out);
        check(&mut out, latest)?;
        prop_assert!(!open);
    }

    #[test]
    fn a_trigger_that_has_finished_is_as_new(readings in readings(), kind in select(kinds().collect::<Vec<_>>())) {
        let mut used = trigger(kind);
        let mut out = Vec::new();
        for (stamp, value) in &readings {
            used.take(*stamp, value, BesideReading::default(), &mut out);
        }
        used.finish(stamp(0.0), &mut out);
        let again = stated_by(used, &readings);
        let fresh = signals_of(kind, &readings);
        // Measures may be NaN, which is not equal to itself.
        prop_assert_eq!(format!("{again:?}"), format!("{fresh:?}"));
    }
}
