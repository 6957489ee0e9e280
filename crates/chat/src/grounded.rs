//! Whether what an endpoint answered is said in the text that it was asked about.
//!
//! An answer is kept when each piece of it is there too, said in the same way:
//!
//! - a number, in any unit that converts exactly, of the same thing and as the same bound; it must stand in
//!   the sentence that is named, or in the data. Units that differ by the case of a letter alone are two;
//! - a part number, identifier, file, topic, and what stands in quotes, letter by letter;
//! - an English word in any of its forms; Chinese by pairs of characters. Only words that bind others may be
//!   added, and what a unit measures ("force" beside 12 N);
//! - one of several opposites (left, red, failed, at most), of the same thing. What is said beside one of
//!   them, or beside one of several numbered things, is not said of another (`joined`);
//! - affirmed when it is affirmed, denied when it is denied; no guess, plan or attempt told as a fact, no
//!   duty as an event, no rule without its condition, and no rule out of what held only once.
//!
//! It errs to the side of too little: what is dropped is counted, what was invented would be believed.

mod joined;

use super::clauses::{
    Bound, Key, Label, Polarity, Role, Spot, Term, TextAnalysis, Tone, is_function, says_both,
};
use super::words::{HAN_GLUE, KEY_UNITS, MEASURED, ORDERS_TO_THE_MODEL};
use robot_memory_text::inference::Statement;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use unicode_normalization::UnicodeNormalization;

/// Keys of data that say by true or false how it went.
const OUTCOME_KEYS: &[&str] = &["success", "succeeded", "ok", "done", "passed", "成功"];
/// Objects and arrays in each other that are read.
const DATA_DEPTH_MAX: usize = 16;

/// Where something is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A sentence, from 0.
    Sentence(usize),
    Data,
}

#[derive(Debug, Clone)]
struct Occurrence {
    place: Place,
    /// There.
    spot: Spot,
    tone: Tone,
    bound: Option<Bound>,
    role: Option<Role>,
    modifier: Option<Key>,
}

/// A number or name that something bears.
#[derive(Debug)]
struct Labeled {
    key: Key,
    place: Place,
    /// There.
    spot: Spot,
}

/// A text that answers are held against.
pub(super) struct Grounds {
    sentences: Vec<TextAnalysis>,
    statements: Vec<Statement>,
    /// All of it, for what must be there letter by letter, but for its case and forms of one letter.
    text: String,
    /// All of it as it is.
    exact: String,
    is_order: Vec<bool>,
    data_negate: bool,
    occurrences: HashMap<Key, Vec<Occurrence>>,
    /// Numbers and names by what they belong to and their unit ([`kind`]).
    labeled: HashMap<(Label, String), Vec<Labeled>>,
    /// The members of a contrast group that something is said to be.
    qualities: HashMap<(u8, Key), BTreeSet<u8>>,
}

impl Grounds {
    /// Reads a text, sentence by sentence, and what was reported with it.
    pub fn of(sentences: &[&str], data: Option<&Value>) -> Self {
        let mut grounds = Self {
            sentences: sentences.iter().map(|sentence| TextAnalysis::of(sentence)).collect(),
            statements: sentences.iter().map(|sentence| Statement::parse(sentence)).collect(),
            text: String::new(),
            exact: String::new(),
            is_order: sentences.iter().map(|sentence| is_order(sentence)).collect(),
            data_negate: false,
            occurrences: HashMap::new(),
            labeled: HashMap::new(),
            qualities: HashMap::new(),
        };
        for sentence in sentences {
            grounds.note_letters(sentence);
        }
        for (index, reading) in std::mem::take(&mut grounds.sentences).into_iter().enumerate() {
            grounds.note(&reading, Place::Sentence(index));
            grounds.sentences.push(reading);
        }
        if let Some(data) = data {
            grounds.note_data(data, "", 0);
        }
        grounds
    }

    /// Whether the sentence, from 0, speaks to the model: nothing is believed of it.
    pub fn is_order(&self, sentence: usize) -> bool {
        self.is_order.get(sentence).copied().unwrap_or(false)
    }

    /// Whether the sentence, from 0, says what `text` does; `is_rule`: as one that holds from now on.
    pub fn sentence_says(&self, sentence: usize, text: &str, is_rule: bool) -> bool {
        let Some(source) = self.sentences.get(sentence) else { return false };
        let fact = TextAnalysis::of(text);
        let rule_holds = !is_rule
            || source.is_lasting
                && (fact.has_condition || !source.has_condition)
                && (fact.is_momentary || !source.is_momentary);
        !self.is_order(sentence)
            && !source.is_question
            && !fact.is_question
            && rule_holds
            && (source.negates || self.data_negate || !fact.negates)
            && !self.statements[sentence].exchanges_sides(&Statement::parse(text))
            && self.keeps_order(&fact, source)
            && self.joins(&fact, Some(sentence))
            && self.is_about(&fact, sentence)
            && self.holds(text, &fact, Some(sentence), is_rule)
    }

    /// Whether the sentences together say what `text` does.
    pub fn say(&self, text: &str) -> bool {
        let fact = TextAnalysis::of(text);
        let statement = Statement::parse(text);
        !fact.is_question
            && !is_order(text)
            && (!fact.negates || self.sentences.iter().any(|sentence| sentence.negates))
            && !self.statements.iter().any(|other| other.exchanges_sides(&statement))
            && (fact.terms.iter().any(|term| !term.is_glue) || !fact.han_runs.is_empty())
            && self.joins(&fact, None)
            && self.holds(text, &fact, None, false)
    }

    fn note(&mut self, analysis: &TextAnalysis, place: Place) {
        for term in &analysis.terms {
            self.occurrences.entry(term.key.clone()).or_default().push(Occurrence {
                place,
                spot: term.spot,
                tone: term.tone,
                bound: term.bound,
                role: term.role,
                modifier: term.modifier.clone(),
            });
            for label in &term.labels {
                let same = self.labeled.entry((label.clone(), kind(&term.key))).or_default();
                same.push(Labeled { key: term.key.clone(), place, spot: term.spot });
            }
            if let (Key::Contrast(group, member), Some(next)) = (&term.key, &term.next) {
                self.qualities.entry((*group, next.clone())).or_default().insert(*member);
            }
        }
        for run in &analysis.han_runs {
            for (index, &(c, tone)) in run.chars.iter().enumerate() {
                let pair = run.chars.get(index + 1).map(|(next, _)| format!("{c}{next}"));
                for text in std::iter::once(c.to_string()).chain(pair) {
                    self.occurrences.entry(Key::Han(text)).or_default().push(Occurrence {
                        place,
                        spot: run.spot,
                        tone,
                        bound: None,
                        role: None,
                        modifier: None,
                    });
                }
            }
        }
    }

    fn note_data(&mut self, data: &Value, key: &str, depth: usize) {
        if depth > DATA_DEPTH_MAX {
            return;
        }
        let words = key.replace(['_', '-', '.'], " ");
        match data {
            Value::Object(fields) => {
                let unit = ["unit", "units"].iter().find_map(|name| fields.get(*name)?.as_str());
                for (name, value) in fields {
                    if let (Some(unit), Value::Number(number)) = (unit, value) {
                        self.note_text(&format!("{words} {number} {unit}"));
                    }
                    // {"force": {"value": 12}} is a force of 12.
                    let name = if name == "value" { key } else { name };
                    self.note_data(value, name, depth + 1);
                }
            }
            Value::Array(values) => {
                for value in values {
                    self.note_data(value, key, depth + 1);
                }
            }
            Value::String(text) if !is_order(text) => {
                self.note_text(&words);
                self.note_text(text);
            }
            Value::Number(number) => {
                self.note_text(&format!("{words} {number}"));
                if let Some((name, ending)) = key.rsplit_once('_') {
                    let ending = ending.to_lowercase();
                    let unit = KEY_UNITS.iter().find(|(short, _)| *short == ending);
                    let unit = unit.map_or(ending.as_str(), |(_, unit)| unit);
                    self.note_text(&format!("{} {number} {unit}", name.replace('_', " ")));
                }
            }
            Value::Bool(is_true) => {
                if OUTCOME_KEYS.contains(&key.to_lowercase().as_str()) {
                    self.note_text(if *is_true { "succeeded" } else { "failed" });
                } else if *is_true {
                    self.note_text(&words);
                } else {
                    self.note_text(&format!("not {words}"));
                }
            }
            Value::String(_) | Value::Null => {}
        }
    }

    fn note_text(&mut self, text: &str) {
        let analysis = TextAnalysis::of(text);
        self.data_negate |= analysis.negates;
        self.note(&analysis, Place::Data);
        self.note_letters(text);
    }

    fn note_letters(&mut self, text: &str) {
        self.text.push_str(&letters(text));
        self.text.push('\n');
        self.exact.push_str(text);
        self.exact.push('\n');
    }

    /// Whether each piece of what is answered is there.
    fn holds(
        &self,
        text: &str,
        fact: &TextAnalysis,
        sentence: Option<usize>,
        is_rule: bool,
    ) -> bool {
        odd_numerals(text).all(|word| self.exact.contains(word))
            && quoted(text).all(|part| self.text.contains(letters(&part).trim()))
            && fact.terms.iter().all(|term| self.has_term(term, fact, sentence, is_rule))
            && fact.han_runs.iter().all(|run| self.has_han(&run.chars, fact, sentence, is_rule))
    }

    fn has_term(&self, term: &Term, fact: &TextAnalysis, at: Option<usize>, is_rule: bool) -> bool {
        let Some(all) = self.occurrences.get(&term.key) else {
            return match &term.key {
                Key::Contrast(group, _) => term.is_glue && !self.has_others(*group, at),
                Key::Word(_) => term.is_glue || is_measured(&term.text, fact),
                _ => false,
            };
        };
        match &term.key {
            Key::Quantity(unit, _) => all.iter().any(|occurrence| {
                let is_near = match (at, occurrence.place) {
                    (Some(at), Place::Sentence(place)) => {
                        at == place || unit.is_empty() && self.is_named(term)
                    }
                    _ => true,
                };
                let is_bound_alike = occurrence.bound == term.bound
                    || (occurrence.place == Place::Data && term.bound.is_none());
                is_near && is_bound_alike && is_said(term.tone, occurrence.tone, is_rule)
            }),
            Key::Contrast(group, member) => {
                let is_of_another = term.next.as_ref().is_some_and(|next| {
                    let said = self.qualities.get(&(*group, next.clone()));
                    said.is_some_and(|members| !members.contains(member))
                });
                !is_of_another && (term.is_glue || self.is_said_near(all, term.tone, at, is_rule))
            }
            _ => term.is_glue || self.is_said_near(all, term.tone, at, is_rule),
        }
    }

    /// Whether it is said in this tone in the sentence, or elsewhere when it is not there.
    fn is_said_near(
        &self,
        all: &[Occurrence],
        tone: Tone,
        at: Option<usize>,
        is_rule: bool,
    ) -> bool {
        let is_here = |o: &&Occurrence| at.is_some_and(|at| o.place == Place::Sentence(at));
        let any_here = all.iter().any(|occurrence| is_here(&occurrence));
        all.iter().filter(|occurrence| !any_here || is_here(occurrence)).any(|occurrence| {
            // What a word of another sentence names may well have failed there.
            let is_failed = occurrence.tone.is_failed && any_here;
            is_said(tone, Tone { is_failed, ..occurrence.tone }, is_rule)
        })
    }

    /// Whether a number is a part of a name: bin 3.
    fn is_named(&self, term: &Term) -> bool {
        term.labels.iter().any(|label| {
            let same = self.labeled.get(&(label.clone(), kind(&term.key)));
            same.is_some_and(|same| same.iter().any(|labeled| labeled.key == term.key))
        })
    }

    /// Whether something of the contrast group is said there.
    fn has_others(&self, group: u8, at: Option<usize>) -> bool {
        let says_one = |analysis: &TextAnalysis| {
            analysis.terms.iter().any(|t| matches!(t.key, Key::Contrast(g, _) if g == group))
        };
        match at {
            Some(at) => self.sentences.get(at).is_some_and(says_one),
            None => self.sentences.iter().any(says_one),
        }
    }

    fn has_han(
        &self,
        run: &[(char, Tone)],
        fact: &TextAnalysis,
        at: Option<usize>,
        is_rule: bool,
    ) -> bool {
        let mut is_covered = vec![false; run.len()];
        for (index, pair) in run.windows(2).enumerate() {
            let (first, second) = (pair[0].0.to_string(), pair[1].0.to_string());
            if let Some(all) = self.occurrences.get(&Key::Han(format!("{first}{second}"))) {
                let binds = is_function(&first) || is_function(&second);
                if !binds && !self.is_said_near(all, pair[0].1, at, is_rule) {
                    return false;
                }
                is_covered[index] = true;
                is_covered[index + 1] = true;
            }
        }
        let text: Vec<char> = run.iter().map(|(c, _)| *c).collect();
        let measured = measured_words(fact);
        for glue in HAN_GLUE.iter().chain(&measured) {
            let glue: Vec<char> = glue.chars().collect();
            for at in 0..(text.len() + 1).saturating_sub(glue.len()) {
                if text[at..at + glue.len()] == glue[..] {
                    is_covered[at..at + glue.len()].fill(true);
                }
            }
        }
        for (index, c) in text.iter().enumerate() {
            is_covered[index] |= is_function(&c.to_string());
        }
        // A character alone must be there too; two that were never one after the other are a new word.
        let is_open = |index: usize| is_covered.get(index) == Some(&false);
        (0..text.len()).filter(|&index| is_open(index)).all(|index| {
            let is_alone = !is_open(index + 1) && (index == 0 || !is_open(index - 1));
            let all = self.occurrences.get(&Key::Han(text[index].to_string()));
            is_alone && all.is_some_and(|all| self.is_said_near(all, run[index].1, at, is_rule))
        })
    }

    /// Whether opposites stand in the order of the sentence, and none stands for the one that is there.
    fn keeps_order(&self, fact: &TextAnalysis, source: &TextAnalysis) -> bool {
        let members = |analysis: &TextAnalysis, group: u8| -> Vec<u8> {
            let of_group = |term: &Term| match term.key {
                Key::Contrast(g, member) if g == group => Some(member),
                _ => None,
            };
            analysis.terms.iter().filter_map(of_group).collect()
        };
        fact.terms.iter().all(|term| {
            let Key::Contrast(group, member) = term.key else { return true };
            let (own, said) = (members(fact, group), members(source, group));
            let is_stated_elsewhere = term.next.as_ref().is_some_and(|next| {
                let members = self.qualities.get(&(group, next.clone()));
                members.is_some_and(|members| members.contains(&member))
            });
            let replaces = !is_stated_elsewhere
                && !said.is_empty()
                && !said.contains(&member)
                && !own.iter().any(|member| said.contains(member));
            let are_all_there = own.iter().all(|member| said.contains(member));
            let mut rest = said.iter();
            let follow = own.iter().all(|member| rest.any(|other| other == member));
            !replaces && (!are_all_there || follow)
        })
    }

    /// Whether something that the answer says is said in this sentence.
    fn is_about(&self, fact: &TextAnalysis, sentence: usize) -> bool {
        let is_here = |key: &Key| {
            let all = self.occurrences.get(key).into_iter().flatten();
            all.into_iter().any(|occurrence| occurrence.place == Place::Sentence(sentence))
        };
        fact.terms.iter().any(|term| !term.is_glue && is_here(&term.key))
            || fact.han_runs.iter().any(|run| run.pairs().any(|key| is_here(&key)))
    }
}

/// What a number or name can be exchanged for: another one of the same kind.
fn kind(key: &Key) -> String {
    match key {
        Key::Quantity(unit, _) => unit.clone(),
        _ => "name".to_owned(),
    }
}

/// Whether what is told in one tone is said in the other.
fn is_said(source: Tone, said: Tone, is_rule: bool) -> bool {
    let is_alike = match (source.polarity, said.polarity) {
        (Polarity::Either, _) | (_, Polarity::Either) => true,
        (source, said) => source == said,
    };
    is_alike
        && (source.is_hedged || !said.is_hedged)
        && (source.is_failed || source.polarity != Polarity::Affirmed || !said.is_failed)
        && (is_rule || source.is_planned || !said.is_planned)
        && (is_rule || source.is_duty || !said.is_duty)
}

fn is_measured(word: &str, fact: &TextAnalysis) -> bool {
    measured_words(fact).contains(&word)
}

/// What the units of the numbers of `fact` measure.
fn measured_words(fact: &TextAnalysis) -> Vec<&'static str> {
    let units = fact.terms.iter().filter_map(|term| match &term.key {
        Key::Quantity(unit, _) => MEASURED.iter().find(|(measured, _)| measured == unit),
        _ => None,
    });
    units.flat_map(|(_, words)| words.iter().copied()).collect()
}

/// Whether a text speaks to the model rather than of the robot.
fn is_order(text: &str) -> bool {
    says_both(text, ORDERS_TO_THE_MODEL)
}

/// Whether a text of the data does.
pub(super) fn holds_order(data: &Value) -> bool {
    match data {
        Value::String(text) => is_order(text),
        Value::Array(values) => values.iter().any(holds_order),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| is_order(name) || holds_order(value))
        }
        _ => false,
    }
}

/// A text as it is compared letter by letter.
fn letters(text: &str) -> String {
    text.nfkc().flat_map(char::to_lowercase).collect()
}

/// What stands in quotes.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    #[rustfmt::skip]
    const QUOTES: [(char, char); 8] = [
        ('"', '"'), ('“', '”'), ('‘', '’'), ('`', '`'), ('「', '」'), ('『', '』'), ('《', '》'),
        ('〈', '〉'),
    ];
    QUOTES.into_iter().flat_map(move |(open, close)| {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inside, after)) = after.split_once(close) else { break };
            parts.push(inside.to_owned());
            rest = after;
        }
        parts
    })
}

/// The words with numerals that no rule reads: ½, ⑫, ١٢.
fn odd_numerals(text: &str) -> impl Iterator<Item = &str> {
    let is_odd = |word: &str, at: usize, c: char| {
        let is_read = c.is_ascii_digit() || ('０'..='９').contains(&c) || c == '〇';
        let follows_letter = word[..at].chars().next_back().is_some_and(char::is_alphabetic);
        let is_power = matches!(c, '²' | '³') && follows_letter;
        c.is_numeric() && !is_read && !is_power
    };
    text.split_whitespace()
        .filter(move |word| word.char_indices().any(|(at, c)| is_odd(word, at, c)))
        .map(|word| word.trim_end_matches(['.', ',', '。', '，']))
}

#[cfg(test)]
#[path = "grounded_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "answers_tests.rs"]
mod answers;
