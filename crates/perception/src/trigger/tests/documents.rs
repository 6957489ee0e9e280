//! What the documents say of parameters is what holds.

use super::*;

/// A parameter's row in docs/sensors.md.
fn row(parameter: &Parameter) -> String {
    let Parameter { name, default, min, max, unit, meaning, .. } = *parameter;
    let default = default.map_or_else(|| "by the stream".to_owned(), |default| default.to_string());
    format!("| `{name}` | {default} | {min} to {max} | {unit} | {meaning} |")
}

#[test]
fn every_parameter_is_in_the_documents_as_it_is() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sensors.md");
    let text = std::fs::read_to_string(path).expect("docs/sensors.md");
    let (_, section) = text.split_once("\n## Triggers\n").expect("a section of triggers");
    let mut rows = section.lines().filter(|line| line.starts_with("| `"));
    for parameter in PARAMETERS {
        assert_eq!(rows.next(), Some(row(parameter).as_str()), "{}", parameter.trigger);
    }
    assert_eq!(rows.next(), None, "a row of no parameter");
    for kind in TriggerKind::ALL.iter().filter(|kind| **kind != TriggerKind::Capture) {
        assert!(section.contains(&format!("\n### {kind}\n")), "{kind}");
    }
}
