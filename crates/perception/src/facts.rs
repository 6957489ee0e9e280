//! What of an event can be filtered by and compared: its measures as numbers, with their units in their names.

use super::describe::quoted;
use super::{Measure, ReportLevel, TriggerKind};
use serde_json::{Map, Value};

/// A measure of an event that tells of an end only: how long it lasted, s.
pub(super) const OVER: &str = "over";
/// That of a component that became worse: its level before.
pub(super) const WORSE_THAN: &str = "worse_than";
/// Characters of a channel's or joint's name that are kept.
const NAME_CHARS_MAX: usize = 64;

/// Worth of keeping, 0 to 1: that of the trigger, of a report by how bad it is, and less of what is over.
pub(super) fn importance(kind: TriggerKind, measures: &[Measure]) -> f64 {
    let text_of = |name| measures.iter().find(|it| it.name == name).map(|it| it.of.as_str());
    let is_over = text_of(OVER).is_some();
    if kind == TriggerKind::Charge {
        return if text_of("state") == Some("critical") { 0.8 } else { kind.importance() };
    }
    match text_of("level").filter(|_| kind == TriggerKind::Level).and_then(ReportLevel::parse) {
        Some(_) if is_over => 0.4,
        Some(ReportLevel::Fatal) => 0.9,
        Some(ReportLevel::Error | ReportLevel::Stale) | None => kind.importance(),
        Some(ReportLevel::Warn) => 0.5,
        Some(ReportLevel::Debug | ReportLevel::Info | ReportLevel::Ok) => 0.3,
    }
}

/// What happened, as `context.event` tells it beside `id`, `stream`, `topic`, `subject` and `trigger`
/// (docs/events.md): each measure once, of several joints that of the one that went farthest. `secs`: how
/// long it lasted, when it ended.
pub(super) fn facts(
    kind: TriggerKind,
    measures: &[Measure],
    secs: Option<f64>,
) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut say = |name: String, value: Value| {
        facts.entry(name).or_insert(value);
    };
    if let Some(secs) = secs.filter(|secs| *secs > 0.0) {
        say("duration_secs".to_owned(), rounded(secs));
    }
    let is_text = |name| match kind {
        TriggerKind::Edge | TriggerKind::Change => matches!(name, "from" | "to"),
        TriggerKind::Level => matches!(name, "level" | "name" | "text"),
        TriggerKind::Charge => name == "state",
        _ => false,
    };
    for measure in measures {
        if is_text(measure.name) {
            let value = match (kind, measure.of.as_str()) {
                (TriggerKind::Edge, "true") => true.into(),
                (TriggerKind::Edge, "false") => false.into(),
                (_, text) => quoted(text).into(),
            };
            say(measure.name.to_owned(), value);
            continue;
        }
        if !measure.value.is_finite() || measure.name == "duration" {
            continue;
        }
        say(name_of(measure), rounded(measure.value));
        if !measure.of.is_empty() {
            let on: String = measure.of.chars().take(NAME_CHARS_MAX).collect();
            say("on".to_owned(), on.into());
        }
    }
    facts
}

/// `peak` in newtons is `peak_force_n`; what has no unit keeps its name.
fn name_of(measure: &Measure) -> String {
    let name = measure.name;
    // The quantity stands where a number of the same name may be of several.
    let of = match measure.unit.as_str() {
        "N" => "force",
        "N m" => "torque",
        "rad/s" | "m/s" => "velocity",
        "m/s^2" => "acceleration",
        _ => "",
    };
    let unit = match measure.unit.as_str() {
        "N" => "n",
        "N m" => "nm",
        "N/s" => "nps",
        "N m/s" => "nmps",
        "N s" => "ns",
        "N m s" => "nms",
        "rad" => "rad",
        "rad/s" => "radps",
        "m" => "m",
        "m/s" => "mps",
        "m/s^2" => "mps2",
        "m/s^3" => "mps3",
        "V" => "v",
        "A" => "a",
        "%" => "percent",
        "°C" => "celsius",
        "Pa" => "pascal",
        "T" => "tesla",
        "s" => "secs",
        "sigma" => "sigma",
        _ => "",
    };
    let parts = [name, if name.contains(of) { "" } else { of }, unit];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("_")
}

/// Six digits: what was measured has no more.
fn rounded(value: f64) -> Value {
    let size = value.abs();
    if size == 0.0 || !(1e-9..1e15).contains(&size) {
        return value.into();
    }
    let decimals = (5 - size.log10().floor() as i32).clamp(0, 12);
    let unit = 10_f64.powi(decimals);
    ((value * unit).round() / unit).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_core::model::Stamp;
    use serde_json::json;

    fn measure(name: &'static str, value: f64, unit: &str, of: &str) -> Measure {
        Measure { name, value, unit: unit.into(), of: of.into(), stamp: Some(Stamp(0)) }
    }

    #[test]
    fn measures_have_their_units_in_their_names() {
        let cases = [
            (
                TriggerKind::Contact,
                vec![
                    measure("peak", 23.412_345_6, "N", "force.z"),
                    measure("duration", 3.1, "s", ""),
                ],
                Some(3.1),
                json!({"duration_secs": 3.1, "peak_force_n": 23.4123, "on": "force.z"}),
            ),
            (
                TriggerKind::Impact,
                vec![
                    measure("peak", 30.5, "m/s^2", "a.x"),
                    measure("rise_rate", 900.0, "m/s^3", "a.x"),
                ],
                None,
                json!({"peak_acceleration_mps2": 30.5, "rise_rate_mps3": 900.0, "on": "a.x"}),
            ),
            (
                TriggerKind::Motion,
                vec![
                    measure("distance", 0.82, "rad", "elbow_joint"),
                    measure("distance", 0.1, "rad", "wrist"),
                    measure("peak", 1.1, "rad/s", "elbow_joint"),
                    measure("joints", 2.0, "", ""),
                ],
                Some(2.0),
                json!({
                    "duration_secs": 2.0, "distance_rad": 0.82, "on": "elbow_joint",
                    "peak_velocity_radps": 1.1, "joints": 2.0,
                }),
            ),
            (
                TriggerKind::Slip,
                vec![measure("loss", 0.35, "", ""), measure("force", 6.4, "N", "")],
                None,
                json!({"loss": 0.35, "force_n": 6.4}),
            ),
            (
                TriggerKind::Edge,
                vec![measure("from", f64::NAN, "", "false"), measure("to", f64::NAN, "", "true")],
                Some(2.1),
                json!({"duration_secs": 2.1, "from": false, "to": true}),
            ),
            (
                TriggerKind::Change,
                vec![
                    measure("from", f64::NAN, "", "IDLE"),
                    measure("to", f64::NAN, "", "a\n\"b\""),
                ],
                None,
                json!({"from": "IDLE", "to": "a 'b'"}),
            ),
            (
                TriggerKind::Novelty,
                vec![
                    measure("shift", -5.2, "sigma", "data"),
                    measure("before", 24.1, "", "data"),
                    measure("after", f64::NAN, "", "data"),
                ],
                None,
                json!({"shift_sigma": -5.2, "before": 24.1, "on": "data"}),
            ),
        ];
        for (kind, measures, secs, expected) in cases {
            assert_eq!(Value::Object(facts(kind, &measures, secs)), expected, "{kind}");
        }
    }
}
