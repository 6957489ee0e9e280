//! One attempt at a task, read out of a memory.

use crate::inference::{self, Amount, TurnFact, TurnFactKind, is_han};
use robot_memory_core::limits::{
    ATTEMPT_NUMBERS_MAX, ATTEMPT_VALUES_MAX, EXPERIENCE_NAME_CHARS_MAX,
};
use robot_memory_core::model::{Trust, text_enum};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::cell::LazyCell;
use std::fmt::Write;

text_enum! {
    /// How an attempt ended.
    Outcome {
        /// It did what it was to do.
        Success = "success",
        /// It did not.
        Failure = "failure",
        /// Nobody says.
        Unknown = "unknown",
    }
}

/// A number of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Where it stands, as `params.force_n`; what the words tell is a parameter, as `params.force`.
    pub path: String,
    /// In its unit.
    pub value: f64,
    /// As it was given, or as the end of the path says; empty when it has none.
    pub unit: String,
}

/// A value of an attempt: a text, true or false.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    pub path: String,
    /// As JSON.
    pub value: String,
}

/// One attempt at a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// What was to be done, as it is called; empty when that is not told.
    pub task: String,
    /// To what; empty when that is not told.
    pub object: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the outcome stands in the context or the data, and is not read out of words.
    pub is_stated: bool,
    /// In order of path.
    pub numbers: Vec<Measured>,
    /// In order of path.
    pub values: Vec<Named>,
    /// Whether its words are Chinese.
    pub is_han: bool,
    /// How far it is believed.
    pub trust: Trust,
    /// Which of the attempts of its turn it is, from 1; 0 when it is the only one.
    #[serde(default)]
    pub number: u32,
}

/// What an attempt is read out of.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    pub content: &'a str,
    /// A JSON object, or empty.
    pub context: &'a str,
    /// JSON of a perception, or empty.
    pub data: &'a str,
    /// How far it is believed.
    pub trust: Trust,
}

/// Objects in each other that are looked at.
const DEPTH_MAX: usize = 4;
/// Characters of a path, and of a value that is a text: longer ones tell one attempt, not many.
const TEXT_CHARS_MAX: usize = 80;

#[rustfmt::skip]
const OUTCOMES: &[&str] = &["success", "succeeded", "ok", "outcome", "result", "status", "is_success", "成功", "结果"];
const TASKS: &[&str] = &["name", "skill", "task", "action", "type", "任务"];
const OBJECTS: &[&str] = &["object", "target", "item", "part", "workpiece", "物体", "对象"];
/// Parts of a context or of data that tell nothing of what was done, or not in numbers that compare.
#[rustfmt::skip]
const PASSED_OVER: &[&str] = &["summary", "limits", "series", "felt", "states", "image", "values", "position", "bag"];
/// Fields that are different each time.
#[rustfmt::skip]
const ALWAYS_OTHER: &[&str] = &["uuid", "stamp", "time", "timestamp", "date", "begin", "end", "t", "seq", "turn_no", "run_id", "session_id"];

impl Attempt {
    /// Reads an attempt: the task, the object and the outcome from `task` of the context, else of the data,
    /// else out of the words; numbers and values from the whole context and the data, and the parameters of
    /// the words when the context has none. The words of an event (`event` in the context) are not read: they
    /// tell what was felt. `None` when neither a task nor an outcome is told.
    pub fn read(report: &Report<'_>) -> Option<Self> {
        let parse = |text: &str| match text {
            "" => None,
            text => serde_json::from_str::<Value>(text).ok().filter(Value::is_object),
        };
        let (context, data) = (parse(report.context), parse(report.data));
        let mut traits = AttemptTraits::default();
        for part in [&context, &data].into_iter().flatten() {
            traits.read_task(part);
        }
        // An attempt of a turn says its end, or that nobody knows it.
        let is_stated = traits.outcome.is_some() || traits.number > 0 || traits.is_open;
        // Reading words takes long: only where something is left to be told.
        let facts = LazyCell::new(|| inference::turn_facts(report.content, None));
        // What a stream felt is said in words, and is not what came of the task.
        let is_event = context.as_ref().is_some_and(|context| context.get("event").is_some());
        if !is_event {
            traits.read_words(report.content, is_stated, || &facts);
        }
        let outcome = match traits.outcome {
            Some(true) => Outcome::Success,
            Some(false) => Outcome::Failure,
            None => Outcome::Unknown,
        };
        if traits.task.is_none() && outcome == Outcome::Unknown {
            return None;
        }
        let mut seen = AttemptValues::default();
        if let Some(context) = &context {
            seen.read(context, "", DEPTH_MAX);
        }
        if let Some(data) = &data {
            seen.read(data, "data", DEPTH_MAX);
        }
        if !is_event && !seen.numbers.iter().any(|it| it.path.starts_with("params.")) {
            seen.read_words(&facts);
        }
        let AttemptValues { mut numbers, mut values } = seen;
        numbers.sort_by(|a, b| a.path.cmp(&b.path));
        numbers.dedup_by(|a, b| a.path == b.path);
        numbers.truncate(ATTEMPT_NUMBERS_MAX);
        values.sort_by(|a, b| a.path.cmp(&b.path));
        values.truncate(ATTEMPT_VALUES_MAX);
        Some(Self {
            task: traits.task.unwrap_or_default(),
            object: traits.object.unwrap_or_default(),
            outcome,
            is_stated,
            numbers,
            values,
            is_han: report.content.chars().any(is_han),
            trust: report.trust,
            number: traits.number,
        })
    }

    /// Whether it is an attempt at `task`, a [key](key_of): also when that names the object, too. An empty
    /// one is any.
    pub fn is_at(&self, task: &str) -> bool {
        if task.is_empty() {
            return true;
        }
        let own = key_of(&self.task);
        own == task
            || !own.is_empty()
                && !self.object.is_empty()
                && task.strip_prefix(own.as_str()).is_some_and(|rest| {
                    let object = key_of(&self.object);
                    let rest = rest.trim_start();
                    rest == object || rest.strip_prefix("of ") == Some(object.as_str())
                })
    }

    /// Takes in what another memory tells of the same attempt.
    pub fn join(&mut self, other: Self) {
        if self.outcome == Outcome::Unknown {
            self.outcome = other.outcome;
        }
        for number in other.numbers {
            if let Err(place) = self.numbers.binary_search_by(|it| it.path.cmp(&number.path)) {
                self.numbers.insert(place, number);
            }
        }
        for value in other.values {
            if let Err(place) = self.values.binary_search_by(|it| it.path.cmp(&value.path)) {
                self.values.insert(place, value);
            }
        }
    }

    /// Whether it was on `object`, a [key](key_of); an empty one is any.
    pub fn is_on(&self, object: &str) -> bool {
        object.is_empty() || key_of(&self.object) == object
    }
}

/// What a name is compared by: small letters, words apart by one space, without an article; a single verb in
/// its plain form. `Insert_Bolt` is `insert bolt`, and `insertion` is `insert`.
pub fn key_of(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    let mut was_small = false;
    for c in name.trim().chars() {
        if c.is_uppercase() && was_small || c.is_whitespace() || "_-/".contains(c) {
            if !key.ends_with(' ') && !key.is_empty() {
                key.push(' ');
            }
            was_small = false;
        }
        if !(c.is_whitespace() || "_-/".contains(c)) {
            was_small = c.is_lowercase();
            key.extend(c.to_lowercase());
        }
    }
    let key = key.trim();
    let key = ["the ", "a ", "an "].iter().find_map(|it| key.strip_prefix(it)).unwrap_or(key);
    inference::task_verb(key).unwrap_or(key).to_owned()
}

/// What attempts at one task on one object share: 16 hexadecimal digits that hold no text.
pub fn subject_of(attempt: &Attempt) -> String {
    subject_of_keys(&key_of(&attempt.task), &key_of(&attempt.object))
}

/// The same, of the [keys](key_of) of a task and an object.
pub fn subject_of_keys(task: &str, object: &str) -> String {
    let text = format!("{task}\n{object}");
    let digest = Sha256::digest(text);
    digest.iter().take(8).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Which attempt it is, as far as it is told.
#[derive(Default)]
struct AttemptTraits {
    task: Option<String>,
    object: Option<String>,
    outcome: Option<bool>,
    /// Which of the attempts of its turn.
    number: u32,
    /// Words and data of its turn disagree on how it ended.
    is_open: bool,
}

impl AttemptTraits {
    fn read_task(&mut self, part: &Value) {
        let Some(fields) = part.as_object() else { return };
        match fields.get("task") {
            Some(Value::Object(task)) => {
                self.task =
                    self.task.take().or_else(|| TASKS.iter().find_map(|key| name(task.get(*key)?)));
                self.object = self.object.take().or_else(|| object(task));
                self.outcome = self.outcome.or_else(|| outcome(task));
                let number = task.get("attempt").and_then(Value::as_u64);
                let number = number.and_then(|number| u32::try_from(number).ok());
                self.number = self.number.max(number.unwrap_or(0));
                self.is_open |= task.contains_key("conflict");
            }
            Some(value) => self.task = self.task.take().or_else(|| name(value)),
            None => {}
        }
        self.object = self.object.take().or_else(|| object(fields));
        self.outcome = self.outcome.or_else(|| outcome(fields));
    }

    fn read_words<'f>(
        &mut self,
        content: &str,
        is_stated: bool,
        facts: impl FnOnce() -> &'f [TurnFact],
    ) {
        if (self.task.is_none() || self.object.is_none())
            && let Some(named) = inference::named_task(content)
        {
            let is_same = self.task.as_ref().is_none_or(|task| key_of(task) == key_of(&named.task));
            if self.object.is_none() && is_same {
                self.object = Some(named.object).filter(|object| !object.is_empty());
            }
            self.task = self.task.take().or(Some(named.task));
        }
        if !is_stated {
            let outcomes = facts()
                .iter()
                .filter_map(|fact| fact.context.get("task")?.get("success")?.as_bool());
            // What failed in the end failed, though a part of it went well.
            self.outcome = outcomes.reduce(|a, b| a && b);
        }
    }
}

/// What an attempt ended with that nobody let come to its end: it says nothing of whether it would have worked.
const STOPPED: [&str; 3] = ["cancelled", "canceled", "interrupted"];

fn outcome(fields: &Map<String, Value>) -> Option<bool> {
    let is_stopped = |key: &&str| {
        let text = fields.get(*key).and_then(Value::as_str);
        text.is_some_and(|text| STOPPED.contains(&text.trim().to_lowercase().as_str()))
    };
    if OUTCOMES.iter().any(is_stopped) {
        return None;
    }
    OUTCOMES.iter().find_map(|key| match fields.get(*key)? {
        Value::Bool(success) => Some(*success),
        Value::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        Value::String(text) => inference::ended_well(text),
        Value::Object(inner) => outcome(inner),
        _ => None,
    })
}

fn object(fields: &Map<String, Value>) -> Option<String> {
    OBJECTS.iter().find_map(|key| name(fields.get(*key)?))
}

fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let text = text.trim();
            let is_name = !text.is_empty()
                && text.chars().count() <= EXPERIENCE_NAME_CHARS_MAX
                && !text.contains(char::is_control);
            is_name.then(|| text.to_owned())
        }
        Value::Object(fields) => name(fields.get("name")?),
        _ => None,
    }
}

/// The numbers and values that were read of an attempt.
#[derive(Default)]
struct AttemptValues {
    numbers: Vec<Measured>,
    values: Vec<Named>,
}

impl AttemptValues {
    fn read(&mut self, value: &Value, at: &str, depth: usize) {
        let Some(fields) = value.as_object() else { return };
        for (key, value) in fields {
            let is_given = match at {
                // Which attempt it is, and how it ended.
                "task" | "data.task" | "" | "data" => {
                    let is_of_task = at.ends_with("task");
                    OUTCOMES.contains(&key.as_str())
                        || OBJECTS.contains(&key.as_str())
                        || is_of_task && TASKS.contains(&key.as_str())
                        || is_of_task && ["attempt", "conflict"].contains(&key.as_str())
                }
                _ => false,
            };
            let is_plain = !key.is_empty()
                && !key.contains(['.', '"'])
                && !PASSED_OVER.contains(&key.as_str())
                && !ALWAYS_OTHER.contains(&key.as_str());
            // The name of an event's stream says where it comes from; its id is its own.
            let is_own =
                matches!(at, "event" | "data.event") && matches!(key.as_str(), "id" | "stream");
            if is_given || !is_plain || is_own {
                continue;
            }
            let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            if path.chars().count() > TEXT_CHARS_MAX {
                continue;
            }
            self.read_one(value, path, key, depth);
        }
    }

    fn read_one(&mut self, value: &Value, path: String, key: &str, depth: usize) {
        match value {
            Value::Number(number) => {
                if let Some(value) = number.as_f64().filter(|value| value.is_finite()) {
                    let (_, unit) = inference::key_and_unit(&key.to_lowercase());
                    self.numbers.push(Measured { path, value, unit });
                }
            }
            Value::Bool(_) => self.values.push(Named { path, value: value.to_string() }),
            Value::String(text)
                if text.chars().count() <= TEXT_CHARS_MAX && !text.trim().is_empty() =>
            {
                self.values.push(Named { path, value: Value::from(text.trim()).to_string() });
            }
            Value::Object(fields) => {
                let number =
                    fields.get("value").and_then(Value::as_f64).filter(|it| it.is_finite());
                match number {
                    Some(value) => {
                        let unit = fields.get("unit").and_then(Value::as_str).unwrap_or_default();
                        self.numbers.push(Measured { path, value, unit: unit.trim().to_owned() });
                    }
                    None if depth > 1 => self.read(value, &path, depth - 1),
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// Parameters of which neither context nor data have one of the dimension.
    fn read_words(&mut self, facts: &[TurnFact]) {
        let mut found: Vec<Measured> = Vec::new();
        // What is to be kept to was not measured.
        for fact in facts.iter().filter(|fact| fact.kind != TurnFactKind::Rule) {
            let Some(params) = fact.context.get("params").and_then(Value::as_object) else {
                continue;
            };
            for (key, measured) in params {
                let value = measured.get("value").and_then(Value::as_f64);
                let unit = measured.get("unit").and_then(Value::as_str);
                let (Some(value), Some(unit)) = (value, unit) else { continue };
                found.push(Measured {
                    path: format!("params.{key}"),
                    value,
                    unit: unit.to_owned(),
                });
            }
        }
        let kind =
            |it: &Measured| Amount::new(it.value, &it.unit).map(|it| it.dimension().to_owned());
        found.retain(|it| {
            self.numbers.iter().all(|known| known.path != it.path && kind(known) != kind(it))
        });
        self.numbers.extend(found);
    }
}
