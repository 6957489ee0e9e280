//! The written memories and questions.

use crate::Result;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The sets, each a file beside this one: two sites, a household, conversations, the long log of a plant nursery,
/// long dialogues beside days of two robots, and mixed days of a brewery, a ferry and a care home.
pub const SETS: [&str; 9] = [
    "workshop",
    "hospital",
    "household",
    "conversation",
    "nursery",
    "dialogues",
    "brewery",
    "ferry",
    "care",
];
/// Sets half of whose questions are in a file of their own, at which nobody looks while choosing anything.
const WITH_SEALED: [&str; 5] = ["nursery", "dialogues", "brewery", "ferry", "care"];
/// The kind of questions that no memory answers.
const UNANSWERED: &str = "noanswer";

/// How well a memory answers a question: 3 answers it, 2 answers a part, 1 is related.
pub type Grade = u8;

/// Memories of one place, and questions about them.
pub struct Set {
    pub name: String,
    /// In the order in which they were made.
    pub memories: Vec<Written>,
    pub questions: Vec<Question>,
    /// Questions that no memory answers.
    pub unanswered: Vec<Question>,
}

/// A memory.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// Its name in the answers.
    #[serde(rename = "memory")]
    pub name: String,
    pub session: String,
    /// When it was made.
    pub minute: f64,
    pub text: String,
    #[serde(default)]
    pub context: serde_json::Map<String, serde_json::Value>,
}

/// A question with the memories that answer it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    #[serde(rename = "question")]
    pub name: String,
    pub kind: String,
    pub text: String,
    /// Asks only for what was made at or after.
    #[serde(default)]
    pub since_minute: Option<f64>,
    /// Asks only for what was made before.
    #[serde(default)]
    pub until_minute: Option<f64>,
    pub answers: BTreeMap<String, Grade>,
    /// Whether nobody looked at it while choosing anything.
    #[serde(skip)]
    pub is_sealed: bool,
    /// Whether the weights of relevance are judged by it, and not fitted to it: it is sealed, or every other one of a set of
    /// which no half is.
    #[serde(skip)]
    pub is_judged: bool,
}

/// A question that no memory of its set answers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unanswered {
    pub set: String,
    pub text: String,
    /// Whether nothing was fitted to it.
    pub is_sealed: bool,
}

impl Unanswered {
    /// All of them.
    pub fn read() -> Result<Vec<Self>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/quality/unanswered.jsonl");
        let text = std::fs::read_to_string(path)?;
        let all: Vec<Self> =
            text.lines().map(serde_json::from_str).collect::<std::result::Result<_, _>>()?;
        match all.iter().find(|it| !SETS.contains(&it.set.as_str())) {
            Some(stray) => Err(format!("{}: there is no set {}", stray.text, stray.set).into()),
            None => Ok(all),
        }
    }

    /// To be asked like the others.
    pub fn question(&self) -> Question {
        Question {
            name: String::new(),
            kind: String::new(),
            text: self.text.clone(),
            since_minute: None,
            until_minute: None,
            answers: BTreeMap::new(),
            is_sealed: self.is_sealed,
            is_judged: self.is_sealed,
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Memory(Written),
    Question(Question),
}

impl Set {
    /// Reads a set and checks that it can be asked: names are given once, and every answer is a
    /// memory that the question's time admits.
    pub fn read(name: &str) -> Result<Self> {
        let mut set = Self::empty(name);
        set.add(&format!("tests/quality/{name}.jsonl"), false)?;
        if WITH_SEALED.contains(&name) {
            set.add(&format!("tests/quality/{name}_sealed.jsonl"), true)?;
        }
        let questions = std::mem::take(&mut set.questions).into_iter();
        (set.unanswered, set.questions) = questions.partition(|it| it.kind == UNANSWERED);
        if !WITH_SEALED.contains(&name) {
            set.questions.iter_mut().skip(1).step_by(2).for_each(|it| it.is_judged = true);
        }
        match set.fault() {
            Some(fault) => Err(format!("{name}: {fault}").into()),
            None => Ok(set),
        }
    }

    /// Of nothing.
    pub fn empty(name: &str) -> Self {
        let (name, memories) = (name.to_owned(), Vec::new());
        Self { name, memories, questions: Vec::new(), unanswered: Vec::new() }
    }

    /// Adds the lines of a file.
    fn add(&mut self, file: &str, is_sealed: bool) -> Result<()> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read_to_string(path).map_err(|error| format!("{file}: {error}"))?;
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
            match serde_json::from_str(line).map_err(|error| format!("{file}:{number}: {error}"))? {
                Line::Memory(memory) => self.memories.push(memory),
                Line::Question(question) => {
                    self.questions.push(Question { is_sealed, is_judged: is_sealed, ..question });
                }
            }
        }
        Ok(())
    }

    /// All sets as one, in the order of [`SETS`].
    pub fn pooled() -> Result<Self> {
        let mut pooled = Self::empty("all");
        for name in SETS {
            let set = Self::read(name)?;
            let of_set = |own: String| format!("{name} {own}");
            pooled.memories.extend(set.memories.into_iter().map(|memory| Written {
                name: of_set(memory.name),
                session: of_set(memory.session),
                ..memory
            }));
            pooled.unanswered.extend(set.unanswered);
            pooled.questions.extend(set.questions.into_iter().map(|question| {
                Question {
                    name: of_set(question.name),
                    answers: question
                        .answers
                        .into_iter()
                        .map(|(name, grade)| (of_set(name), grade))
                        .collect(),
                    ..question
                }
            }));
        }
        Ok(pooled)
    }

    fn fault(&self) -> Option<String> {
        let mut names = BTreeSet::new();
        let of_memories = self.memories.iter().map(|memory| &memory.name);
        let questions = self.questions.iter().chain(&self.unanswered);
        let of_questions = questions.map(|question| &question.name);
        if let Some(twice) = of_memories.chain(of_questions).find(|name| !names.insert(*name)) {
            return Some(format!("{twice} is there twice"));
        }
        let minutes: BTreeMap<&str, f64> =
            self.memories.iter().map(|memory| (memory.name.as_str(), memory.minute)).collect();
        for question in &self.questions {
            if question.answers.is_empty() {
                return Some(format!("{} has no answer", question.name));
            }
            for (answer, grade) in &question.answers {
                let minute = minutes.get(answer.as_str());
                if !minute.is_some_and(|&minute| question.admits(minute)) {
                    return Some(format!("{}: {answer} can't be answered", question.name));
                }
                if !(1..=3).contains(grade) {
                    return Some(format!("{}: no grade {grade}", question.name));
                }
            }
        }
        None
    }
}

/// What the results of a set's questions are called, and of those that are sealed.
pub fn labels() -> impl Iterator<Item = String> {
    SETS.iter().flat_map(|set| {
        let sealed = WITH_SEALED.contains(set).then(|| sealed(set));
        [Some((*set).to_owned()), sealed].into_iter().flatten()
    })
}

fn sealed(set: &str) -> String {
    format!("{set}, sealed")
}

impl Question {
    /// What its results are called in a set.
    pub fn label(&self, set: &str) -> String {
        if self.is_sealed { sealed(set) } else { set.to_owned() }
    }

    /// Whether a memory of this minute may be answered.
    pub fn admits(&self, minute: f64) -> bool {
        self.since_minute.is_none_or(|since| minute >= since)
            && self.until_minute.is_none_or(|until| minute < until)
    }
}
