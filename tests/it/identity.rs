//! Whether names that mean the same are found, and names that do not are never taken for the same, held
//! against labels.
//!
//! A line of a fixture is a pair: `a`, `b`, `langs`, `kind` (object, place, parameter) and `same`.

use robot_memory_text::inference::{Likeness, Thing, ThingKind};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Deserialize)]
struct Pair {
    a: String,
    b: String,
    langs: String,
    kind: String,
    same: bool,
}

/// Pairs that mean the same, those of them that were found, pairs that do not, and those of them that
/// were taken for the same.
#[derive(Default, Clone, Copy)]
struct Count {
    same: usize,
    found: usize,
    other: usize,
    wrong: usize,
}

impl Count {
    fn recall(&self) -> f64 {
        self.found as f64 / self.same.max(1) as f64
    }

    /// The share of what is taken for the same that is.
    fn precision(&self) -> f64 {
        self.found as f64 / (self.found + self.wrong).max(1) as f64
    }

    fn false_same(&self) -> f64 {
        self.wrong as f64 / self.other.max(1) as f64
    }
}

fn kind_of(kind: &str) -> ThingKind {
    match kind {
        "object" => ThingKind::Object,
        "place" => ThingKind::Place,
        "parameter" => ThingKind::Parameter,
        other => panic!("{other} is no kind"),
    }
}

/// The figures of a fixture by language and kind, printed with every miss; `None` when it is not there.
fn measured(name: &str) -> Option<Count> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let file = std::fs::read_to_string(path).ok()?;
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    let mut total = Count::default();
    for line in file.lines().filter(|line| !line.trim().is_empty()) {
        let pair: Pair = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let kind = kind_of(&pair.kind);
        let (likeness, evidence) =
            Thing::parse(&pair.a, kind).compare(&Thing::parse(&pair.b, kind));
        let is_same = likeness == Likeness::Same;
        if is_same != pair.same {
            let what = if pair.same { "missed" } else { "WRONG" };
            println!("{what}: {} / {}: {likeness:?} by {evidence:?}", pair.a, pair.b);
        }
        for count in [&mut total, counts.entry((pair.langs, pair.kind)).or_default()] {
            count.same += usize::from(pair.same);
            count.found += usize::from(pair.same && is_same);
            count.other += usize::from(!pair.same);
            count.wrong += usize::from(!pair.same && is_same);
        }
    }
    println!(
        "{:8} {:10} {:>9} {:>9} {:>9} {:>6}",
        "langs", "kind", "found", "wrong", "precision", "recall"
    );
    let row = |langs: &str, kind: &str, c: &Count| {
        let (found, wrong) =
            (format!("{}/{}", c.found, c.same), format!("{}/{}", c.wrong, c.other));
        println!(
            "{langs:8} {kind:10} {found:>9} {wrong:>9} {:9.3} {:6.3}",
            c.precision(),
            c.recall()
        );
    };
    for ((langs, kind), count) in &counts {
        row(langs, kind, count);
    }
    row("all", name, &total);
    Some(total)
}

#[test]
fn the_same_names_are_found_and_others_are_not_taken_for_them() {
    let known = measured("identity.jsonl").expect("the fixture is there");
    assert!(known.same + known.other >= 250);
    assert!(known.false_same() <= 0.01, "{}", known.false_same());
    assert!(known.recall() >= 0.97, "{}", known.recall());
}

#[test]
fn names_that_were_held_back_are_told_apart_as_well() {
    let Some(held_out) = measured("identity_held_out.jsonl") else { return };
    assert!(held_out.false_same() <= 0.01, "{}", held_out.false_same());
    assert!(held_out.recall() >= 0.70, "{}", held_out.recall());
}
