mod detection;
mod documents;
mod meaning;
mod robots;
mod robustness;
mod starting;

use super::generator::{START, secs};
use super::*;
use std::collections::BTreeMap;

/// With parameters.
fn trigger_with(kind: TriggerKind, parameters: &[(&str, f64)]) -> Result<Trigger, SettingsError> {
    let parameters = parameters.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    Trigger::new(&TriggerSettings { kind, parameters })
}

fn trigger(kind: TriggerKind) -> Trigger {
    Trigger::new(&TriggerSettings { kind, parameters: BTreeMap::new() }).expect("defaults")
}

/// All that a trigger says of readings, which then are over.
fn stated_by(mut trigger: Trigger, readings: &[(Stamp, Value)]) -> Vec<Signal> {
    let mut out = Vec::new();
    for (stamp, value) in readings {
        trigger.take(*stamp, value, BesideReading::default(), &mut out);
    }
    trigger.finish(readings.last().map_or(START, |(stamp, _)| *stamp), &mut out);
    out
}

/// The same, of an untuned one.
fn signals_of(kind: TriggerKind, readings: &[(Stamp, Value)]) -> Vec<Signal> {
    stated_by(trigger(kind), readings)
}

/// When signals of an edge were, in seconds.
fn times_of(signals: &[Signal], edge: Edge) -> Vec<f64> {
    signals.iter().filter(|signal| signal.edge == edge).map(|signal| secs(signal.stamp)).collect()
}

/// A measure of a signal.
fn measured<'a>(signal: &'a Signal, name: &str) -> &'a Measure {
    let found = signal.measures.iter().find(|measure| measure.name == name);
    found.unwrap_or_else(|| panic!("{name} in {signal:?}"))
}
