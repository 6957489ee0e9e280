//! What the report of a finished step says: facts by rules, without any model.
//!
//! A report is cut into sentences and these into clauses. A clause that asks, plans, wishes or guesses says no
//! fact; of the others each that stands by itself becomes one statement, in its own words, and those that need
//! each other (a reason and what came of it, a condition and what holds then) become one together. What is not
//! understood says nothing: rather none than a wrong one. Of attempts each is told with its own values and its
//! own end ([`attempts`]).

mod attempts;
mod clauses;
mod data;
mod features;
mod measures;
mod morphology;
mod parsed_sentence;
mod sentences;
mod statements;
mod subject;
mod summary;
mod task;
mod words;

use serde_json::{Map, Value, json};
use std::ops::Range;

use super::items::{Quantity, quantities};
use attempts::Attempts;
use data::{Measure, Step};
pub use data::{ended_well, key_and_unit};
use robot_memory_core::limits::TURN_FACTS_MAX;
use robot_memory_core::model::text_enum;
pub use sentences::sentences;
use statements::Report;
pub use summary::turn_summary;
pub use task::{NamedTask, named_task, task_verb};

text_enum! {
    /// What a statement of a step's report tells. Of a statement that tells several things, the first of
    /// rule, cause, outcome, parameter, place and object.
    TurnFactKind {
        /// What was done, and how it ended: "the grasp succeeded", 插入失败.
        Outcome = "outcome",
        /// A number that was set, used or measured: "held at 12 N", 速度 0.1 m/s.
        Parameter = "parameter",
        /// What a thing is like: "the M8 bolt weighs 12 g", 红色杯子是塑料的.
        Object = "object",
        /// Where a thing is: "the tray is on shelf B2", 杯子在桌子左边.
        Place = "place",
        /// Why something happened: "it slipped because the pad was oily".
        Cause = "cause",
        /// What to keep to: "from now on ...", "never ...", 以后都..., 必须....
        Rule = "rule",
    }
}

impl TurnFactKind {
    /// Its place among the kinds that one statement can be of, from the one that tells most.
    fn rank(self) -> usize {
        match self {
            Self::Rule => 0,
            Self::Cause => 1,
            Self::Outcome => 2,
            Self::Parameter => 3,
            Self::Place => 4,
            Self::Object => 5,
        }
    }
}

/// A statement that the report of a step makes.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnFact {
    /// What it tells.
    pub kind: TurnFactKind,
    /// A statement that can be understood without the turn, at most
    /// [`CONTENT_CHARS_MAX`](robot_memory_core::limits::CONTENT_CHARS_MAX) characters.
    pub text: String,
    /// What filters can ask for: `{"params": {...}, "task": {...}, "spatial": {...}}`, or empty.
    pub context: Map<String, Value>,
    /// Where it was said.
    pub place: TurnPlace,
    /// Further sentences that say a part of it: how an attempt ended may stand after what was tried.
    pub more_places: Vec<TurnPlace>,
}

/// Where in a turn something was said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum TurnPlace {
    /// In a sentence of the text.
    Sentence {
        /// Its number, from 1, as [`sentences`] counts.
        number: usize,
        /// Its first byte in the text.
        start: usize,
        /// The byte after its last.
        end: usize,
    },
    /// In the data.
    Field {
        /// A JSON pointer (RFC 6901).
        pointer: String,
    },
}

/// What a step's report says, one statement at a time, in order of place: first the text, then the data. What
/// both say is told once, in the words of the text. At most [`TURN_FACTS_MAX`]; of more, those of the kinds that
/// tell most. Linear in the length of the text.
pub fn turn_facts(text: &str, data: Option<&Value>) -> Vec<TurnFact> {
    let steps = data.map(data::steps).unwrap_or_default();
    let attempts = attempts_of(text, &steps);
    let object = only(&steps).and_then(|step| step.object.as_deref());
    let mut report = Report::of(text, object);
    let mut statements: Vec<(TurnFact, Range<usize>)> = Vec::new();
    for (index, range) in sentences(text).iter().enumerate() {
        for (fact, bytes) in report.facts(range, index + 1) {
            let mut last = statements.iter().rev().take(TURN_FACTS_MAX);
            if !last.any(|(known, _)| known.text == fact.text) {
                statements.push((fact, bytes));
            }
        }
    }
    let mut facts = attempts.retell(statements);
    let text_count = facts.len();
    for (index, step) in steps.iter().enumerate() {
        let mut found = step_facts(step, &mut facts[..text_count], steps.len() == 1, &attempts);
        for fact in &mut found {
            if !attempts.described.is_empty() {
                attempts.stamp_data(fact, step);
            } else if let Some(number) = number_of(&steps, index) {
                number_attempt(fact, number);
            }
        }
        facts.extend(found);
    }
    keep_most_telling(&mut facts);
    facts
}

/// Holds facts that somebody else took out of the same report against its attempts: each gets the values and the
/// end of the one that it tells of, one that says another end is dropped, and attempts that none tells of are
/// added. Answers how many were dropped.
pub fn hold_against_attempts(facts: &mut Vec<TurnFact>, text: &str, data: Option<&Value>) -> usize {
    let steps = data.map(data::steps).unwrap_or_default();
    attempts_of(text, &steps).hold_against(facts)
}

/// The attempts of a report. The end that the data tell of the whole is that of the last.
fn attempts_of<'a>(text: &'a str, steps: &'a [Step]) -> Attempts<'a> {
    let whole = steps.iter().find(|step| !step.is_of_several);
    Attempts::of(text, only(steps), whole.and_then(|step| step.success))
}

/// The step, when there is but one.
fn only(steps: &[Step]) -> Option<&Step> {
    if let [step] = steps { Some(step) } else { None }
}

/// Which of several attempts at the same a step of the data is, from 1; `None` when no other is at the same.
fn number_of(steps: &[Step], index: usize) -> Option<usize> {
    let is_same = |other: &&Step| {
        other.is_of_several
            && other.skill == steps[index].skill
            && other.object == steps[index].object
    };
    let count = steps.iter().filter(is_same).count();
    let number = steps[..index].iter().filter(is_same).count() + 1;
    match steps[index].is_of_several {
        true => (count > 1).then_some(number),
        // What holds of the whole is how the last ended.
        false => (count > 0).then_some(count),
    }
}

fn number_attempt(fact: &mut TurnFact, number: usize) {
    let task = fact.context.entry("task").or_insert_with(|| json!({}));
    if let Value::Object(task) = task {
        task.insert("attempt".to_owned(), number.into());
    }
}

/// What a step of the data says that the text does not. What both say gets the context of the data.
fn step_facts(
    step: &Step,
    facts: &mut [TurnFact],
    is_only: bool,
    attempts: &Attempts<'_>,
) -> Vec<TurnFact> {
    let mut found = Vec::new();
    if let Some(outcome) = step.outcome() {
        // The attempts have their own ends; that of the data is the end of the last.
        let last = attempts.described.last().filter(|_| !step.is_of_several);
        let mut is_stated =
            attempts.are_tries && last.is_some_and(|last| last.success == step.success);
        if !attempts.are_tries && last.is_none_or(|last| !last.disagrees) {
            for fact in facts.iter_mut().filter(|fact| ends_as(fact, step, is_only)) {
                is_stated = true;
                merge(&mut fact.context, step.context());
            }
        }
        let is_error_stated =
            step.error().filter(|_| step.success == Some(false)).is_none_or(|error| {
                let error = error.to_lowercase();
                facts.iter().any(|fact| fact.text.to_lowercase().contains(&error))
            });
        if !(is_stated && is_error_stated) {
            found.push(outcome);
        }
    }
    let said: Vec<Vec<Quantity>> = facts.iter().map(|fact| quantities(&fact.text)).collect();
    let place_of = |measure: &Measure| {
        let amount = quantities(&measure.amount());
        let amount = amount.first()?;
        said.iter().position(|said| {
            said.iter().any(|it| it.unit == amount.unit && it.value == amount.value)
        })
    };
    for measure in &step.measures {
        if let Some(index) = place_of(measure) {
            let params = Map::from_iter([(measure.key(), measure.json())]);
            let context = Map::from_iter([("params".to_owned(), Value::Object(params))]);
            merge(&mut facts[index].context, context);
        }
    }
    found.extend(step.parameters(|measure| place_of(measure).is_none()));
    found
}

/// Whether a statement of the text tells how a step of the data ended.
fn ends_as(fact: &TurnFact, step: &Step, is_only: bool) -> bool {
    if !matches!(fact.kind, TurnFactKind::Outcome | TurnFactKind::Cause) {
        return false;
    }
    let small = fact.text.to_lowercase();
    let names = |name: &Option<String>| {
        name.as_ref().is_some_and(|name| small.contains(&name.to_lowercase()))
    };
    let ended =
        fact.context.get("task").and_then(|task| task.get("success")).and_then(Value::as_bool);
    match (ended, step.success) {
        (Some(stated), Some(success)) if stated != success => false,
        (Some(_), _) => is_only || names(&step.object) && names(&step.skill),
        // What was done without a word of failure succeeded.
        (None, Some(true)) if fact.kind == TurnFactKind::Outcome => {
            let names_object = names(&step.object) || step.object.is_none() && is_only;
            names_object && (is_only || names(&step.skill))
        }
        _ => false,
    }
}

/// Adds what `more` has and `context` has not.
fn merge(context: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match (context.get_mut(&key), value) {
            (Some(Value::Object(known)), Value::Object(inner)) => {
                for (key, value) in inner {
                    known.entry(key).or_insert(value);
                }
            }
            (Some(_), _) => {}
            (None, value) => {
                context.insert(key, value);
            }
        }
    }
}

/// Leaves the facts of the kinds that tell most, in order of place.
fn keep_most_telling(facts: &mut Vec<TurnFact>) {
    if facts.len() <= TURN_FACTS_MAX {
        return;
    }
    let mut order: Vec<usize> = (0..facts.len()).collect();
    order.sort_by_key(|&index| (facts[index].kind.rank(), index));
    order.truncate(TURN_FACTS_MAX);
    order.sort_unstable();
    let mut index = 0;
    facts.retain(|_| {
        index += 1;
        order.binary_search(&(index - 1)).is_ok()
    });
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;
