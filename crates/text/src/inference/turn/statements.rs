//! From the clauses of a sentence to statements that stand by themselves.

use std::ops::Range;

use super::super::items::ItemKind;
use super::clauses::{Clause, clauses};
use super::features::ClauseFeatures;
use super::measures::parameters;
use super::parsed_sentence::ParsedSentence;
use super::subject::{Things, only, things};
use super::words::LexicalClass::{self, *};
use super::{TurnFact, TurnFactKind, TurnPlace};
use robot_memory_core::limits::CONTENT_CHARS_MAX;
use serde_json::{Map, Value};

/// Reads the sentences of a report one after another.
pub(super) struct Report<'a> {
    text: &'a str,
    /// What the data of the step is about.
    object: Option<&'a str>,
    things: Things<'a>,
    /// What the sentence before said last, when it said a fact.
    last: Option<String>,
}

/// Clauses that make one statement.
#[derive(Debug, Clone)]
struct Group {
    range: Range<usize>,
    kind: Option<TurnFactKind>,
    /// What the first clause shows.
    signs: ClauseFeatures,
    success: Option<bool>,
    /// Whether it follows a clause of the same sentence.
    follows: bool,
}

impl<'a> Report<'a> {
    pub fn of(text: &'a str, object: Option<&'a str>) -> Self {
        Self { text, object, things: Things::default(), last: None }
    }

    /// The facts of the sentence at `range`, the `number`th.
    /// Each with the bytes of the clauses that say it.
    pub fn facts(&mut self, range: &Range<usize>, number: usize) -> Vec<(TurnFact, Range<usize>)> {
        let sentence = ParsedSentence::of(self.text, range);
        let clauses = clauses(&sentence);
        let groups = groups(&sentence, &clauses);
        let mut facts: Vec<(TurnFact, Range<usize>)> = Vec::new();
        for group in &groups {
            let Some(kind) = group.kind else { continue };
            let Some((text, kind)) = self.statement(&sentence, group, kind, &clauses) else {
                continue;
            };
            if text.chars().count() > CONTENT_CHARS_MAX
                || facts.iter().any(|(fact, _)| fact.text == text)
            {
                continue;
            }
            let place = TurnPlace::Sentence { number, start: range.start, end: range.end };
            let context = context(&sentence, group, kind);
            self.last = Some(text.clone());
            let more_places = Vec::new();
            let fact = TurnFact { kind, text, context, place, more_places };
            facts.push((fact, sentence.bytes(group.range.clone())));
        }
        let ends_in_question = sentence.items.last().is_some_and(|item| item.text == "?");
        if ends_in_question {
            facts.clear();
        }
        self.things.note(self.text, &sentence, &clauses);
        self.last = facts.last().map(|(fact, _)| fact.text.clone());
        facts
    }

    /// The words of a group, so that they can be understood alone.
    fn statement(
        &self,
        sentence: &ParsedSentence,
        group: &Group,
        kind: TurnFactKind,
        clauses: &[Clause],
    ) -> Option<(String, TurnFactKind)> {
        let range = without_conjunctions(sentence, &group.range);
        let own = &self.text[sentence.bytes(range.clone())];
        let explains = group.signs.reason_at_start
            || group.signs.because_at_start && clauses_in(clauses, &group.range) == 1;
        if explains && !group.follows {
            return Some((self.with_last(sentence, group)?, TurnFactKind::Cause));
        }
        // What the clauses of this sentence before the group name.
        let before: Vec<&str> = clauses
            .iter()
            .take_while(|clause| clause.range.start < group.range.start)
            .flat_map(|clause| things(sentence, &clause.range))
            .map(|bytes| &self.text[bytes])
            .collect();
        let antecedent = || match before.is_empty() {
            false => only(&before),
            true => self.things.last(),
        };
        if let Some((at, cue)) = pronoun(sentence, group, &range) {
            let name = antecedent().map(|name| (name, true));
            let object = self.object.filter(|_| before.is_empty()).map(|object| (object, false));
            let text = match name.or(object) {
                Some((name, true)) if cue != Possessive => {
                    self.in_place_of(sentence, name, at, &range)
                }
                Some((name, _)) => prefixed(name, own),
                None => self.with_last(sentence, group)?,
            };
            return Some((text, kind));
        }
        if group.signs.is_once {
            return Some((as_used(sentence, &range, self.text), kind));
        }
        let names_nothing = things(sentence, &range).is_empty();
        // "Grip force was 12 N": of what.
        let is_of_handling = kind == TurnFactKind::Parameter
            && group.signs.handling
            && names_nothing
            && !group.signs.speaker;
        if is_of_handling && let Some(name) = self.object.or_else(antecedent) {
            return Some((prefixed(name, own), kind));
        }
        let is_of_before = matches!(kind, TurnFactKind::Place | TurnFactKind::Object)
            && names_nothing
            && !group.signs.has_subject
            && begins_predicate(sentence, range.start);
        if is_of_before {
            return antecedent().map(|name| (joined(name, trimmed(own), ""), kind));
        }
        Some((trimmed(own).to_owned(), kind))
    }

    /// The words of a group after those of the fact before it.
    fn with_last(&self, sentence: &ParsedSentence, group: &Group) -> Option<String> {
        let last = self.last.as_deref()?;
        let is_closed = last.ends_with(['。', '.', '!', '！']);
        let (stop, space) = if group.signs.is_han { ("。", "") } else { (".", " ") };
        let stop = if is_closed { "" } else { stop };
        let own = trimmed(&self.text[sentence.bytes(group.range.clone())]);
        Some(format!("{last}{stop}{space}{own}"))
    }

    /// The words of `range` with a name in place of the pronoun at `at`.
    fn in_place_of(
        &self,
        sentence: &ParsedSentence,
        name: &str,
        at: usize,
        range: &Range<usize>,
    ) -> String {
        let bytes = sentence.bytes(range.clone());
        let pronoun = sentence.bytes(at..sentence.after(at).min(range.end));
        // In the middle of a sentence an article is small.
        let name = match name.split_once(' ') {
            Some((article @ ("The" | "A" | "An"), rest)) if pronoun.start > bytes.start => {
                &format!("{} {rest}", article.to_lowercase())
            }
            _ => name,
        };
        let (head, tail) =
            (&self.text[bytes.start..pronoun.start], &self.text[pronoun.end..bytes.end]);
        // "It's".
        let tail = tail.strip_prefix("'s").map_or(tail.to_owned(), |rest| format!(" is{rest}"));
        trimmed(&joined(head, name, &tail)).to_owned()
    }
}

/// The pronoun of a group that stands for something named before: "the arm lifted it" is not about the arm, but
/// "the crate has its lid" is about the crate.
fn pronoun(
    sentence: &ParsedSentence,
    group: &Group,
    range: &Range<usize>,
) -> Option<(usize, LexicalClass)> {
    let first =
        sentence.cues_in(range.clone()).find(|(_, cue)| matches!(cue, Pronoun | Possessive));
    let opens = group.signs.pronoun_at_start.then_some((range.start, Demonstrative));
    let (at, cue) = first.or(opens)?;
    let to = if cue == Possessive { at } else { part_start(sentence, range, at) };
    things(sentence, &(range.start..to)).is_empty().then_some((at, cue))
}

/// An order for this step only, as what was done: "this time use 10 N" is that 10 N was used.
fn as_used(sentence: &ParsedSentence, range: &Range<usize>, text: &str) -> String {
    let bytes = sentence.bytes(range.clone());
    let verb = range.clone().find(|&at| sentence.is_word(at, &["use", "用"]));
    match verb {
        Some(at) if !sentence.is_word(at + 1, &["了"]) => {
            let verb = sentence.bytes(at..at + 1);
            let past = if sentence.is_han(at) { "用了" } else { "used" };
            trimmed(&format!(
                "{}{past}{}",
                &text[bytes.start..verb.start],
                &text[verb.end..bytes.end]
            ))
            .to_owned()
        }
        _ => trimmed(&text[bytes]).to_owned(),
    }
}

/// Whether a Chinese predicate begins at `index`, so that its subject is to be found before it: 在桌子左边, 重 3 kg.
fn begins_predicate(sentence: &ParsedSentence, index: usize) -> bool {
    sentence.has_cue(index, &[Lies, Is, Attribute])
        && sentence.items[index].text.chars().all(|c| PREDICATES.contains(c))
}

/// What a Chinese predicate begins with.
const PREDICATES: &str = "在位放挂存装摆停固置处是重有很太较偏非剩还含带共材直只容易";

/// Where the part of a group begins that the item at `at` stands in: after a conjunction or a mark.
fn part_start(sentence: &ParsedSentence, range: &Range<usize>, at: usize) -> usize {
    let opens = |index: &usize| {
        sentence.items[*index].kind == ItemKind::Break
            || sentence.is_word(*index, &["as", "that"])
            || sentence
                .has_cue(*index, &[And, But, Because, Condition, Therefore, Relative, Causes])
    };
    (range.start..at).rev().find(opens).unwrap_or(range.start)
}

fn clauses_in(clauses: &[Clause], range: &Range<usize>) -> usize {
    clauses
        .iter()
        .filter(|clause| clause.range.start >= range.start && clause.range.end <= range.end)
        .count()
}

/// The three after each other, with a space where Latin letters or digits would run into each other.
fn joined(head: &str, name: &str, tail: &str) -> String {
    let meets = |a: &str, b: &str| {
        a.ends_with(|c: char| c.is_ascii_alphanumeric())
            && b.starts_with(|c: char| c.is_ascii_alphanumeric())
    };
    let before = if meets(head, name) { " " } else { "" };
    let after = if meets(name, tail) { " " } else { "" };
    format!("{head}{before}{name}{after}{tail}")
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ".。,，;；:：!！、…".contains(c))
}

fn prefixed(name: &str, own: &str) -> String {
    let is_han = own.chars().any(super::super::lexer::is_han);
    format!("{}{}{}", name, if is_han { "：" } else { ": " }, trimmed(own))
}

/// The items of a group without the conjunctions that it begins with.
fn without_conjunctions(sentence: &ParsedSentence, range: &Range<usize>) -> Range<usize> {
    let mut start = range.start;
    while start + 1 < range.end {
        let opens = sentence.has_cue(start, &[And, But, Therefore, Chatter, Request]);
        if !opens {
            break;
        }
        start = sentence.after(start);
    }
    start.min(range.end - 1)..range.end
}

fn context(sentence: &ParsedSentence, group: &Group, kind: TurnFactKind) -> Map<String, Value> {
    let mut context = Map::new();
    let params = parameters(sentence, &group.range);
    if !params.is_empty() {
        context.insert("params".to_owned(), Value::Object(params));
    }
    if let Some(success) =
        group.success.filter(|_| matches!(kind, TurnFactKind::Outcome | TurnFactKind::Cause))
    {
        let task = Map::from_iter([("success".to_owned(), Value::Bool(success))]);
        context.insert("task".to_owned(), Value::Object(task));
    }
    context
}

/// The statements of a sentence: clauses that need each other are one.
fn groups(sentence: &ParsedSentence, clauses: &[Clause]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut current: Option<Group> = None;
    let mut opened: Option<(usize, ClauseFeatures)> = None;
    let mut follows = false;
    for (index, clause) in clauses.iter().enumerate() {
        let features = ClauseFeatures::of(sentence, clause.range.clone());
        if features.is_hypothetical {
            groups.extend(current.take());
            opened = None;
            continue;
        }
        let is_last = index + 1 == clauses.len() || clauses[index + 1].is_apart;
        if (features.condition_at_start || features.because_at_start)
            && !is_last
            && current.is_none()
        {
            opened.get_or_insert((clause.range.start, features));
            continue;
        }
        // "..., no success": of what went before.
        let ends_other = features.fared() && features.names_nothing();
        let kind = features
            .kind()
            .or(ends_other.then_some(TurnFactKind::Outcome).filter(|_| current.is_some()));
        if let Some(group) = &mut current {
            let needs_other = features.explains()
                || features.joins
                || ends_other
                || features.condition_at_start && !features.is_han;
            let is_own =
                kind.is_some_and(|kind| !needs_other && group.is_apart_from(&features, kind));
            if !is_own && (!clause.is_apart || needs_other) {
                group.take(clause, &features, kind);
                continue;
            }
            follows = true;
        }
        groups.extend(current.take());
        current = Some(Group::of(clause, features, kind, opened.take(), follows));
    }
    groups.extend(current);
    groups
}

impl Group {
    /// A clause, after the condition or the reason that opened the sentence.
    fn of(
        clause: &Clause,
        features: ClauseFeatures,
        kind: Option<TurnFactKind>,
        opened: Option<(usize, ClauseFeatures)>,
        follows: bool,
    ) -> Self {
        let success = features.success();
        match opened {
            Some((start, first)) => {
                let cause = first.because_at_start.then_some(TurnFactKind::Cause);
                let kind = first_of(cause, None, kind).or(first.kind());
                Self { range: start..clause.range.end, kind, success, signs: first, follows }
            }
            None => Self { range: clause.range.clone(), kind, signs: features, success, follows },
        }
    }

    /// Whether a clause of another kind says something without this one.
    fn is_apart_from(&self, features: &ClauseFeatures, kind: TurnFactKind) -> bool {
        self.kind.is_some_and(|own| own != kind && own != TurnFactKind::Rule)
            && stands(features, kind)
    }

    /// Takes in a clause that goes with it.
    fn take(&mut self, clause: &Clause, features: &ClauseFeatures, kind: Option<TurnFactKind>) {
        self.range.end = clause.range.end;
        let cause = features.explains().then_some(TurnFactKind::Cause);
        // A number that goes with it makes no parameter of a place or an object.
        let is_more = self.kind.is_none()
            || kind.is_some_and(|kind| kind.rank() < TurnFactKind::Parameter.rank());
        self.kind = first_of(self.kind, cause, kind.filter(|_| is_more));
        self.success = match (self.success, features.success()) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (before, now) => before.or(now),
        };
    }
}

/// The kind of a statement of several clauses: the one that tells most.
fn first_of(
    a: Option<TurnFactKind>,
    b: Option<TurnFactKind>,
    c: Option<TurnFactKind>,
) -> Option<TurnFactKind> {
    [a, b, c].into_iter().flatten().min_by_key(|kind| kind.rank())
}

/// Whether a clause says something without the one before it.
fn stands(features: &ClauseFeatures, kind: TurnFactKind) -> bool {
    match kind {
        TurnFactKind::Parameter => features.names_number || features.parameter || features.handling,
        TurnFactKind::Rule | TurnFactKind::Cause => true,
        TurnFactKind::Outcome => {
            features.has_subject || features.handles_at_start && features.content > 2
        }
        TurnFactKind::Place | TurnFactKind::Object => features.has_subject || features.is_han,
    }
}
