use super::*;

struct Pair {
    label: &'static str,
    texts: [&'static str; 2],
    contexts: [&'static str; 2],
    /// Of the shipped model.
    cosine: f32,
}

fn pairs(file: &'static str) -> Vec<Pair> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [label, _, a, b, a_context, b_context, cosine] = fields[..] else {
                panic!("seven fields: {line}");
            };
            assert!(["same", "apart", "conflict"].contains(&label), "{line}");
            Pair {
                label,
                texts: [a, b],
                contexts: [a_context, b_context],
                cosine: cosine.parse().expect("a number"),
            }
        })
        .collect()
}

fn label(judgment: Judgment) -> &'static str {
    match judgment {
        Judgment::Same => "same",
        Judgment::Apart(_) => "apart",
        Judgment::Conflict(_) => "conflict",
    }
}

/// Of those that the rules gave a label, and of those that have it, how many are right.
fn figures(name: &str, pairs: &[Pair], of: &str) -> (f64, f64) {
    let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
    for pair in pairs {
        let [a, b] = [0, 1].map(|at| ParsedStatement::of(pair.texts[at], pair.contexts[at]));
        assert_eq!(a.judge(&b), b.judge(&a), "{:?}", pair.texts);
        match (label(a.judge(&b)) == of, pair.label == of) {
            (true, true) => right += 1,
            (true, false) => wrong.push(pair.texts),
            (false, true) => missed.push(pair.texts),
            (false, false) => {}
        }
    }
    let share = |of: usize| if of == 0 { 1.0 } else { f64::from(right) / of as f64 };
    let precision = share(right as usize + wrong.len());
    let recall = share(right as usize + missed.len());
    println!("{name}, {of}: {} pairs, precision {precision:.2}, recall {recall:.2}", pairs.len());
    println!("wrong: {wrong:#?}\nmissed: {missed:#?}");
    (precision, recall)
}

#[test]
fn pairs_are_judged_as_they_are_labeled() {
    let known = pairs(include_str!("../../../../tests/fixtures/pairs.tsv"));
    let (precision, recall) = figures("known", &known, "same");
    assert_eq!(precision, 1.0);
    assert!(recall >= 0.6, "{recall}");
    let (precision, recall) = figures("known", &known, "conflict");
    assert_eq!(precision, 1.0);
    assert!(recall >= 0.8, "{recall}");
}

#[test]
fn pairs_that_came_after_the_rules_are_measured() {
    let held_out = pairs(include_str!("../../../../tests/fixtures/pairs_held_out.tsv"));
    for label in ["same", "conflict"] {
        let (precision, recall) = figures("held out", &held_out, label);
        assert!(precision >= 0.9 && recall >= 0.5, "{label}: {precision} {recall}");
    }
}

#[test]
fn what_is_merged_by_vectors_alone_is_the_same() {
    let known = pairs(include_str!("../../../../tests/fixtures/pairs.tsv"));
    let held_out = pairs(include_str!("../../../../tests/fixtures/pairs_held_out.tsv"));
    for pair in known.iter().chain(&held_out).filter(|pair| pair.cosine >= 0.92) {
        let [a, b] = [0, 1].map(|at| ParsedStatement::of(pair.texts[at], pair.contexts[at]));
        let merged = a.may_be_merged(&b);
        println!("{:.3} {} {} {:?}", pair.cosine, pair.label, merged, pair.texts);
        assert!(!merged || pair.label == "same", "{:?}", pair.texts);
    }
}
