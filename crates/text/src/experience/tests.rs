use super::*;
use crate::inference::{MentionKind, mentions};
use proptest::prelude::*;
use robot_memory_core::model::Trust;
use std::collections::BTreeSet;

fn attempt(outcome: Outcome, force: Option<f64>, unit: &str, gripper: Option<&str>) -> Attempt {
    let force =
        force.map(|value| Measured { path: "params.force".into(), value, unit: unit.into() });
    let gripper =
        gripper.map(|name| Named { path: "params.gripper".into(), value: format!("{name:?}") });
    Attempt {
        task: "insert".into(),
        object: "bolt".into(),
        outcome,
        is_stated: true,
        numbers: force.into_iter().collect(),
        values: gripper.into_iter().collect(),
        is_han: false,
        trust: Trust::High,
        number: 0,
    }
}

fn attempts() -> impl Strategy<Value = Vec<Attempt>> {
    let outcome = prop::sample::select(Outcome::ALL.to_vec());
    let force = prop::option::of((1u16..400).prop_map(|tenths| f64::from(tenths) / 10.0));
    let unit = prop::sample::select(vec!["N", "N", "mN", "kg"]);
    let gripper = prop::option::of(prop::sample::select(vec!["soft", "hard", "wet"]));
    let one = (outcome, force, unit, gripper)
        .prop_map(|(outcome, force, unit, gripper)| attempt(outcome, force, unit, gripper));
    prop::collection::vec(one, 0..40)
}

/// The numbers of a sentence, as they are written.
fn numbers(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == '-' || c == 'e';
    text.split(|c| !is_part(c))
        .map(|part| part.trim_matches(['.', 'e', '-']))
        .filter(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

/// The numbers that figures show, to four digits.
fn shown(figures: &Figures) -> BTreeSet<String> {
    let mut all = vec![figures.success_count as f64, figures.known_count() as f64, 95.0];
    all.extend([figures.rate_low, figures.rate_high].map(|share| (share * 100.0).round()));
    for it in &figures.numbers {
        let ranges = [it.success, it.failure];
        all.extend(ranges.iter().flatten().flat_map(|range| [range.min(), range.max()]));
        all.extend(it.threshold.iter().flat_map(|it| [it.at, it.count as f64, it.total as f64]));
    }
    for it in &figures.values {
        let counts =
            [it.success_with_value, it.success_count, it.failure_with_value, it.failure_count];
        all.extend(counts.map(|count| count as f64));
    }
    all.iter()
        .filter_map(|it| format!("{it:.3e}").parse::<f64>().ok())
        .map(|it| it.to_string())
        .collect()
}

proptest! {
    #[test]
    fn a_sentence_has_no_number_that_the_figures_do_not_show(attempts in attempts(), is_han: bool) {
        let figures = Figures { is_han, ..Figures::of(&attempts) };
        let text = sentence(&figures);
        prop_assert!(text.chars().count() <= robot_memory_core::limits::CONTENT_CHARS_MAX);
        let known = shown(&figures);
        for number in numbers(&text) {
            prop_assert!(known.contains(&number), "{number} of {text:?} is not in {known:?}");
        }
    }

    #[test]
    fn the_order_of_attempts_changes_nothing(
        (attempts, order) in attempts().prop_flat_map(|attempts| {
            let order = Just(attempts.clone()).prop_shuffle();
            (Just(attempts), order)
        }),
    ) {
        prop_assert_eq!(Figures::of(&attempts), Figures::of(&order));
        prop_assert_eq!(differences(&attempts), differences(&order));
    }

    #[test]
    fn a_threshold_divides_what_it_says(attempts in attempts()) {
        for it in Figures::of(&attempts).numbers {
            let (Some(threshold), Some(success), Some(failure)) = (it.threshold, it.success, it.failure) else {
                continue;
            };
            prop_assert!(threshold.count * 10 >= threshold.total * 9 && threshold.total == failure.count);
            if threshold.is_above {
                prop_assert!(threshold.at > success.max() && threshold.at <= failure.max());
            } else {
                prop_assert!(threshold.at < success.min() && threshold.at >= failure.min());
            }
        }
    }
}

#[test]
fn units_of_one_quantity_are_brought_together() {
    let attempts = [
        attempt(Outcome::Success, Some(9.0), "N", None),
        attempt(Outcome::Success, Some(8.0), "N", None),
        attempt(Outcome::Failure, Some(14_000.0), "mN", None),
        attempt(Outcome::Failure, Some(2.0), "kg", None),
    ];
    let figures = Figures::of(&attempts);
    let units: Vec<&str> = figures.numbers.iter().map(|it| it.unit.as_str()).collect();
    assert_eq!(units, ["N", "kg"]);
    assert_eq!(figures.numbers[0].failure.map(|it| it.max()), Some(14.0));
}

#[test]
fn what_each_attempt_has_for_itself_is_not_compared() {
    let mut attempts: Vec<Attempt> = Vec::new();
    for number in 0..200 {
        let outcome = if number % 2 == 0 { Outcome::Success } else { Outcome::Failure };
        attempts.push(attempt(outcome, None, "", Some(&format!("tool {number}"))));
    }
    assert!(differences(&attempts).is_empty());
}

#[test]
fn few_attempts_do_not_come_before_many() {
    let mut attempts = Vec::new();
    for number in 0..40 {
        let is_success = number < 20;
        let outcome = if is_success { Outcome::Success } else { Outcome::Failure };
        // Mostly apart, of many; wholly apart, of two.
        let force = if is_success {
            8.0
        } else if number < 38 {
            12.0
        } else {
            7.0
        };
        let mut one = attempt(outcome, Some(force), "N", None);
        if number == 0 || number == 39 {
            one.numbers.push(Measured {
                path: "params.speed".into(),
                value: f64::from(number),
                unit: "m/s".into(),
            });
        }
        attempts.push(one);
    }
    let ranked = differences(&attempts);
    let paths: Vec<&str> = ranked.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, ["params.force", "params.speed"]);
    assert_eq!((ranked[1].effect, ranked[1].effect_low), (-1.0, 0.0));
}

#[test]
fn the_words_of_a_sentence_are_read_back_as_its_amounts() {
    let attempts: Vec<Attempt> = (0..6)
        .map(|n| {
            attempt(
                if n < 3 { Outcome::Success } else { Outcome::Failure },
                Some(8.0 + f64::from(n)),
                "N",
                None,
            )
        })
        .collect();
    let text = sentence(&Figures::of(&attempts));
    let amounts = mentions(&text).into_iter().filter_map(|it| match it.kind {
        MentionKind::Quantity { unit, value } if unit == "N" => Some(value),
        _ => None,
    });
    let amounts: Vec<String> = amounts.collect();
    assert_eq!(amounts, ["10", "11"], "{text}");
}

#[test]
fn what_a_stream_felt_is_no_outcome() {
    let task = r#""task": {"name": "pick", "object": "hex bolt"}"#;
    let content = "slip felt on the left finger, force down by 75 %";
    let of =
        |context: &str| Attempt::read(&Report { content, context, data: "", trust: Trust::High });
    let felt =
        of(&format!("{{{task}, \"event\": {{\"trigger\": \"slip\"}}}}")).expect("it names a task");
    assert_eq!((felt.outcome, felt.numbers.len()), (Outcome::Unknown, 0));
    let attempt = of(&format!("{{{task}}}")).expect("it names a task");
    assert_eq!(attempt.outcome, Outcome::Failure);
}

/// The end of an attempt of a turn stands in its context; where it does not, nobody knows it, whatever the words
/// say.
#[test]
fn an_attempt_of_a_turn_says_its_own_end() {
    let of = |content: &str, task: &str| {
        let context = format!("{{\"task\": {task}}}");
        Attempt::read(&Report { content, context: &context, data: "", trust: Trust::High })
            .expect("it names a task")
    };
    let cases = [
        (r#"{"skill": "pick", "attempt": 1, "success": false}"#, Outcome::Failure, 1),
        (r#"{"skill": "pick", "attempt": 2, "success": true}"#, Outcome::Success, 2),
        (r#"{"skill": "pick", "attempt": 2}"#, Outcome::Unknown, 2),
        (r#"{"skill": "pick", "conflict": "words and data disagree"}"#, Outcome::Unknown, 0),
        (r#"{"skill": "pick"}"#, Outcome::Success, 0),
    ];
    for (task, outcome, number) in cases {
        let found = of("The pick of the cup succeeded", task);
        assert_eq!((found.outcome, found.number), (outcome, number), "{task}");
        assert!(found.numbers.is_empty() && found.values.is_empty(), "{found:?}");
    }
}
