//! Tool sets of other memories, for those whose prompts and programs know them: their names, their fields and their
//! answers, done by the operations of this one.

mod levels;
mod mem0;
mod robotmem;

use super::calls::Calls;
use super::tools::{Does, Outcome, ToolSpec, read, schema_of};
use super::views;
use serde_json::{Map, Value, json};

/// Which tools are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolProfile {
    /// Those of this program.
    RobotMemory,
    /// The seven of robotmem.
    Robotmem,
    /// The nine of a memory of three levels.
    Levels,
    /// The four of a gateway to mem0.
    Mem0,
}

impl ToolProfile {
    /// The one of this name; of another name those of this program.
    pub fn spelled(name: &str) -> Self {
        match name {
            "robotmem" => Self::Robotmem,
            "levels" => Self::Levels,
            "mem0" => Self::Mem0,
            _ => Self::RobotMemory,
        }
    }

    /// Its tools, and what a model is told of how to use them.
    pub(super) fn tools(self) -> (&'static [ToolSpec], &'static str) {
        match self {
            Self::RobotMemory => (super::TOOLS, super::INSTRUCTIONS),
            Self::Robotmem => (robotmem::TOOLS, robotmem::INSTRUCTIONS),
            Self::Levels => (levels::TOOLS, levels::INSTRUCTIONS),
            Self::Mem0 => (mem0::TOOLS, mem0::INSTRUCTIONS),
        }
    }
}

/// Declares the tools of a profile. `told`: what becomes of what a tool comes to.
macro_rules! profile {
    ($told:path: $($name:ident $does:ident $arguments:ident $description:literal)+) => {
        /// Every tool of the profile.
        pub(super) const TOOLS: &[ToolSpec] = &[$(ToolSpec {
            name: stringify!($name),
            description: $description,
            does: Does::$does,
            input: schema_of::<$arguments>,
            // Their documents give no schemas.
            output: &[],
            run: |calls, arguments| Box::pin(async move {
                let outcome = match read::<$arguments>(arguments) {
                    Ok(given) => $name(calls, given).await,
                    Err(error) => Err(error),
                };
                $told(outcome)
            }),
        }),+];
    };
}
use profile;

/// An error is an answer with the field `error`: clients of the profile look for that.
fn error_as_answer(outcome: Outcome) -> Outcome {
    Ok(outcome.unwrap_or_else(|error| json!({ "error": error })))
}

/// An error names a field as the profile does: its first word after its kind.
fn renamed(outcome: Outcome, names: &[(&str, &str)]) -> Outcome {
    outcome.map_err(|error| {
        let mut parts = error.splitn(3, ": ");
        let (Some(kind), Some(field), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return error;
        };
        match names.iter().find(|(name, _)| *name == field) {
            Some((_, name)) => format!("{kind}: {name}: {rest}"),
            None => error,
        }
    })
}

/// Marks an answer that holds a text which reads like an order.
fn marked(answer: Value) -> Value {
    let Value::Object(mut fields) = answer else { return answer };
    views::mark(&mut fields);
    Value::Object(fields)
}

/// The memories of a response.
fn hits(response: &Value, field: &str) -> Vec<Value> {
    response[field].as_array().cloned().unwrap_or_default()
}

/// A text that is null when it is empty.
fn or_null(text: &Value) -> Value {
    if text == "" { Value::Null } else { text.clone() }
}

/// A text that is kept whole: what a memory cannot say is beside it, in its context.
struct WholeText {
    context: Map<String, Value>,
    is_long: bool,
}

impl WholeText {
    /// Of this text.
    fn of(text: &str) -> Self {
        let is_long = text.trim().chars().count() > robot_memory_core::limits::CONTENT_CHARS_MAX;
        let mut context = Map::new();
        if is_long {
            context.insert("text".to_owned(), text.into());
        }
        Self { context, is_long }
    }

    /// And this beside it.
    fn with(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.context.insert(name.to_owned(), value.into());
        }
        self
    }
}

/// What a memory says, as a whole. Once it was corrected, its context may keep what it said before.
fn whole_text(memory: &Value) -> Value {
    let content = &memory["content"];
    let begin = content.as_str().unwrap_or_default();
    match &memory["context"]["text"] {
        Value::String(text) if text.trim().starts_with(begin) => text.as_str().into(),
        _ => content.clone(),
    }
}
