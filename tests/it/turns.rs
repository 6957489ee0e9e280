//! How well facts are taken out of the reports of finished steps, held against labels.
//!
//! A line of a fixture is a turn: `id`, `lang`, `text`, perhaps `data`, and `facts`, each
//! `[sentence, kinds, words]`. The sentence is counted from 1, and 0 is the data. Several kinds are parted by
//! `|` where either is right; a `?` before them marks a fact that may be taken and need not. A fact is right
//! when it is of the sentence and of one of the kinds, and has all of the words.

use proptest::prelude::*;
use robot_memory_core::limits::{CONTENT_CHARS_MAX, TURN_FACTS_MAX};
use robot_memory_core::model::Category;
use robot_memory_text::inference::{
    TurnFact, TurnFactKind, TurnPlace, classify, sentences, turn_facts, turn_summary,
};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Turn {
    id: String,
    lang: String,
    text: String,
    data: Option<serde_json::Value>,
    facts: Vec<(usize, String, Vec<String>)>,
}

struct Label<'a> {
    sentence: usize,
    kinds: Vec<TurnFactKind>,
    words: &'a [String],
    is_needed: bool,
}

impl Label<'_> {
    fn is_met_by(&self, fact: &TurnFact, any_kind: bool) -> bool {
        let text = fact.text.to_lowercase();
        sentence_of(fact) == self.sentence
            && (any_kind || self.kinds.contains(&fact.kind))
            && self.words.iter().all(|word| text.contains(&word.to_lowercase()))
    }
}

fn labels(turn: &Turn) -> Vec<Label<'_>> {
    let label = |(sentence, kinds, words): &'_ (usize, String, Vec<String>)| {
        let (is_needed, kinds) = match kinds.strip_prefix('?') {
            Some(kinds) => (false, kinds),
            None => (true, kinds.as_str()),
        };
        let kinds = kinds.split('|').map(|kind| TurnFactKind::parse(kind).expect("a kind"));
        (*sentence, kinds.collect::<Vec<_>>(), words.len(), is_needed)
    };
    turn.facts
        .iter()
        .map(|fact| {
            let (sentence, kinds, _, is_needed) = label(fact);
            Label { sentence, kinds, words: &fact.2, is_needed }
        })
        .collect()
}

fn sentence_of(fact: &TurnFact) -> usize {
    match fact.place {
        TurnPlace::Sentence { number, .. } => number,
        TurnPlace::Field { .. } => 0,
    }
}

/// Facts that were right, wrong, and missed.
#[derive(Default, Clone, Copy)]
struct Count {
    right: usize,
    wrong: usize,
    missed: usize,
    found: usize,
}

impl Count {
    fn precision(&self) -> f64 {
        self.right as f64 / (self.right + self.wrong).max(1) as f64
    }

    fn recall(&self) -> f64 {
        self.found as f64 / (self.found + self.missed).max(1) as f64
    }
}

/// How a turn is read: its facts, and whether their kinds are of no account.
type Read = (fn(&Turn) -> Vec<TurnFact>, bool);

fn by_grammar(turn: &Turn) -> Vec<TurnFact> {
    turn_facts(&turn.text, turn.data.as_ref())
}

/// The figures of a file, by language and kind, printed with every miss.
fn measured(name: &str, file: &str, (read, any_kind): Read) -> Count {
    let mut counts: BTreeMap<(String, String), Count> = BTreeMap::new();
    let mut total = Count::default();
    let mut turns = 0;
    for line in file.lines().filter(|line| !line.trim().is_empty()) {
        let turn: Turn = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        turns += 1;
        let labels = labels(&turn);
        let facts = read(&turn);
        let mut is_met = vec![false; labels.len()];
        let mut add = |kind: TurnFactKind, change: &dyn Fn(&mut Count)| {
            change(counts.entry((turn.lang.clone(), kind.to_string())).or_default());
            change(&mut total);
        };
        for fact in &facts {
            // Needed ones first, so that what may be taken takes no place of what must.
            let found = (0..labels.len())
                .filter(|&index| !is_met[index] && labels[index].is_met_by(fact, any_kind))
                .min_by_key(|&index| !labels[index].is_needed);
            match found {
                Some(index) => {
                    is_met[index] = true;
                    let is_needed = labels[index].is_needed;
                    add(labels[index].kinds[0], &|count| {
                        count.right += 1;
                        count.found += usize::from(is_needed);
                    });
                }
                None => {
                    println!(
                        "{} wrong: {} {} {}",
                        turn.id,
                        sentence_of(fact),
                        fact.kind,
                        fact.text
                    );
                    add(fact.kind, &|count| count.wrong += 1);
                }
            }
        }
        for (label, _) in
            labels.iter().zip(&is_met).filter(|(label, met)| label.is_needed && !**met)
        {
            println!("{} missed: {} {} {:?}", turn.id, label.sentence, label.kinds[0], label.words);
            add(label.kinds[0], &|count| count.missed += 1);
        }
    }
    println!(
        "{:6} {:10} {:>5} {:>5} {:>6} {:>9} {:>6}",
        "lang", "kind", "right", "wrong", "missed", "precision", "recall"
    );
    let row = |lang: &str, kind: &str, c: &Count| {
        println!(
            "{lang:6} {kind:10} {:5} {:5} {:6} {:9.2} {:6.2}",
            c.right,
            c.wrong,
            c.missed,
            c.precision(),
            c.recall()
        );
    };
    for ((lang, kind), count) in &counts {
        row(lang, kind, count);
    }
    row(&format!("{name}:"), &format!("{turns} turns"), &total);
    total
}

/// Files of labelled turns, with the least precision and recall.
const FILES: &[(&str, &str, f64, f64)] = &[
    ("turns", include_str!("../fixtures/turns.jsonl"), 0.97, 0.97),
    ("held out", include_str!("../fixtures/turns_held_out.jsonl"), 0.95, 0.95),
    ("later", include_str!("../fixtures/turns_later.jsonl"), 0.95, 0.93),
    ("unseen", include_str!("../fixtures/turns_unseen.jsonl"), 0.94, 0.94),
    ("new", include_str!("../fixtures/turns_new.jsonl"), 0.93, 0.84),
];

#[test]
fn facts_are_taken_out_of_turns() {
    for (name, file, least_precision, least_recall) in FILES {
        let total = measured(name, file, (by_grammar, false));
        assert!(total.precision() >= *least_precision, "{name}: precision {}", total.precision());
        assert!(total.recall() >= *least_recall, "{name}: recall {}", total.recall());
    }
}

/// Words of plans, requests, wishes, guesses and hearsay.
#[rustfmt::skip]
const UNTOLD: &[&str] = &[
    "next", "i will", "i'll", "going to", "need to", "let me", "please", "should i", "can someone", "could you",
    "i wish", "hope", "would", "maybe", "perhaps", "probably", "might", "i think", "apparently", "not sure", "said",
    "heard", "接下来", "下一步", "准备", "打算", "明天", "等会", "请", "帮我", "要不要", "希望", "可能", "也许", "觉得", "应该是",
    "好像", "听说", "我想",
];

/// "Each sentence that is no question, plan or wish is a fact", of the kind that `classify` gives it.
fn by_one_rule(turn: &Turn) -> Vec<TurnFact> {
    let mut facts = turn_facts("", turn.data.as_ref());
    for (index, range) in sentences(&turn.text).into_iter().enumerate() {
        let text = turn.text[range.clone()].to_owned();
        let small = text.to_lowercase();
        let category = classify(&text).category;
        let is_rule = category == Category::Constraint;
        if text.ends_with(['?', '？']) || !is_rule && UNTOLD.iter().any(|it| small.contains(it)) {
            continue;
        }
        facts.push(TurnFact {
            kind: match category {
                Category::Constraint | Category::Preference => TurnFactKind::Rule,
                Category::RootCause => TurnFactKind::Cause,
                _ => TurnFactKind::Outcome,
            },
            text,
            context: serde_json::Map::new(),
            place: TurnPlace::Sentence { number: index + 1, start: range.start, end: range.end },
            more_places: Vec::new(),
        });
    }
    facts
}

/// What the grammar of sentences is worth: without it facts are wrong and missed, of whatever kind they are.
#[test]
fn one_rule_finds_less_than_the_grammar() {
    for (name, file, ..) in FILES {
        let full = measured(name, file, (by_grammar, false));
        let simple = measured(name, file, (by_one_rule, false));
        let any_kind = measured(name, file, (by_one_rule, true));
        for (row, it) in [("grammar", full), ("one rule", simple), ("of any kind", any_kind)] {
            println!("{row:12} {name:9} {:.2} {:.2}", it.precision(), it.recall());
        }
        assert!(full.precision() > simple.precision() + 0.1, "{name}");
        assert!(full.recall() > simple.recall() + 0.1, "{name}");
    }
}

proptest! {
    #[test]
    fn any_text_gives_facts_in_order(
        text in "\\PC{0,160}|[a-z 0-9.,;:!?。，；了在是它因所以\n()-]{0,160}|(it|the cup|slipped|because|so|failed at 3 N|它|杯子|在桌子上|因为|,|\\.|。| ){0,30}",
    ) {
        let facts = turn_facts(&text, None);
        prop_assert!(facts.len() <= TURN_FACTS_MAX);
        let known = sentences(&text);
        let mut last = 0;
        for fact in &facts {
            let TurnPlace::Sentence { number, start, end } = fact.place else { panic!("{fact:?}") };
            prop_assert_eq!(&known[number - 1], &(start..end));
            prop_assert!(number >= last);
            last = number;
            prop_assert!(!fact.text.trim().is_empty());
            prop_assert!(fact.text.chars().count() <= CONTENT_CHARS_MAX);
        }
        let summary = turn_summary(&text, &facts, 80);
        prop_assert!(summary.chars().count() <= 80);
        prop_assert_eq!(facts, turn_facts(&text, None));
    }
}
