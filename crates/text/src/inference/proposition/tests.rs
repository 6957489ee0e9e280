use super::*;
use proptest::prelude::*;

const PAIRS: &str = include_str!("../../../../../tests/fixtures/conflicts.tsv");

struct Pair {
    set: &'static str,
    is_conflict: bool,
    texts: [&'static str; 2],
    contexts: [&'static str; 2],
}

fn pairs() -> Vec<Pair> {
    let lines = PAIRS.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [set, label, older, newer, older_context, newer_context] = fields[..] else {
                panic!("six fields: {line}");
            };
            assert!(["conflict", "apart"].contains(&label), "{line}");
            Pair {
                set,
                is_conflict: label == "conflict",
                texts: [older, newer],
                contexts: [older_context, newer_context],
            }
        })
        .collect()
}

fn conflicts(pair: &Pair) -> bool {
    let [a, b] = pair.texts.map(Proposition::parse);
    let [x, y] = pair.contexts.map(Setting::parse);
    is_conflict((&a, &x), (&b, &y))
}

#[test]
fn pairs_of_statements_are_judged_as_they_are_labeled() {
    for (set, recall_min) in [("rules", 0.85), ("unseen", 0.85)] {
        let pairs: Vec<Pair> = pairs().into_iter().filter(|pair| pair.set == set).collect();
        let (mut right, mut wrong, mut missed) = (0, Vec::new(), Vec::new());
        for pair in &pairs {
            match (conflicts(pair), pair.is_conflict) {
                (true, true) => right += 1,
                (true, false) => wrong.push(pair.texts),
                (false, true) => missed.push(pair.texts),
                (false, false) => {}
            }
        }
        let precision = right as f64 / (right + wrong.len()).max(1) as f64;
        let recall = right as f64 / (right + missed.len()).max(1) as f64;
        println!("{set}: {} pairs, precision {precision:.3}, recall {recall:.3}", pairs.len());
        println!("wrong: {wrong:#?}\nmissed: {missed:#?}");
        assert!(precision >= 0.97, "{set}: {wrong:#?}");
        assert!(recall >= recall_min, "{set}: {missed:#?}");
    }
}

#[test]
fn what_disagrees_is_found_by_its_tokens() {
    for pair in pairs().iter().filter(|pair| conflicts(pair)) {
        for [one, other] in [pair.texts, [pair.texts[1], pair.texts[0]]] {
            let tokens: BTreeSet<String> = tokens(other).into_iter().collect();
            let sets = Proposition::parse(one).disagreeing_tokens();
            assert!(!sets.is_empty(), "{one}");
            for set in sets {
                assert!(!set.is_disjoint(&tokens), "{one} / {other}: {set:?}");
            }
        }
    }
}

#[test]
fn versions_begin_with_the_same_heading() {
    let cases = [
        (true, "To open the gripper: press A, then B", "To open the gripper: press B, then A"),
        (true, "Gripper SOP v1: home, then close", "Gripper SOP v2: home twice, then close"),
        (true, "夹爪标定步骤：先回零，再闭合", "夹爪标定步骤：先闭合，再回零"),
        (false, "To open the gripper: press A", "To close the gripper: press A"),
        (false, "procedure: press A", "procedure: press B"),
        (false, "press A, then B", "press B, then A"),
        (false, "夹爪标定步骤：先回零", "相机标定步骤：先回零"),
    ];
    for (expected, a, b) in cases {
        let (one, other) = (Proposition::parse(a), Proposition::parse(b));
        assert_eq!(one.is_version_of(&other), expected, "{a} / {b}");
    }
}

proptest! {
    #[test]
    fn disagreement_is_symmetric_and_not_with_oneself(
        a in "((prefer|use|the|left|right|gripper|for|cups|10 N|12 N|not|from|above|when|优先|用|吸盘|夹爪|抓|杯|,|is|at) ?){0,12}|.{0,60}",
        b in "((prefer|use|the|left|right|gripper|for|cups|10 N|12 N|not|from|above|when|优先|用|吸盘|夹爪|抓|杯|,|is|at) ?){0,12}|.{0,60}",
    ) {
        let (one, other) = (Proposition::parse(&a), Proposition::parse(&b));
        prop_assert_eq!(one.disagrees(&other), other.disagrees(&one));
        if one.disagrees(&other) {
            let tokens: BTreeSet<String> = tokens(&b).into_iter().collect();
            for set in one.disagreeing_tokens() {
                prop_assert!(!set.is_disjoint(&tokens), "{:?}", set);
            }
        }
    }
}

#[test]
fn a_long_text_takes_linear_time() {
    for unit in ["use ", "10 N ", "prefer ", "用", "从左", "not ", "is ", "when ", "a "] {
        let text = unit.repeat(robot_memory_core::limits::TEXT_BYTES_MAX / unit.len());
        let proposition = Proposition::parse(&text);
        assert_eq!(proposition, proposition.clone());
    }
}
