//! What a claim says, as it is stored: its words, and in what it is the same as other statements.

use robot_memory_core::claim::{Claim, Statement};
use robot_memory_core::model::{Category, MemType, Number};
use robot_memory_text::inference;
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// A sign, a point and 15 digits: as many as every 64-bit number keeps.
const PLAIN_NUMBER_CHARS: usize = 17;

/// A statement, read.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub content: String,
    /// JSON object as text, each number in one spelling; `None`: there is none.
    pub context: Option<String>,
    /// As it was told, when [`written`] gives another text.
    pub context_told: Option<String>,
    pub scope: String,
    pub collection: String,
    pub kind: &'static str,
    pub mem_type: MemType,
    pub category: Category,
    /// Each once, in order.
    pub tokens: Vec<String>,
    /// With repeats.
    pub token_count: i32,
    pub words_key: Uuid,
    pub created_at: i64,
    pub vector: Option<SaidVector>,
}

/// The vector of a statement.
#[derive(Debug, Clone)]
pub(crate) struct SaidVector {
    pub model: String,
    pub dimension: i32,
    /// As pgvector reads it.
    pub text: String,
}

impl Said {
    /// Reads a statement; `Err`: why it cannot be stored.
    pub fn read(claim: &Claim, statement: &Statement, now: i64) -> Result<Self, String> {
        let texts = [
            ("content", &statement.content),
            ("scope", &statement.scope),
            ("collection", &statement.collection),
            ("context", &statement.context),
            ("session_id", &statement.session_id),
            ("stream", &statement.stream),
            ("map_id", &statement.map_id),
            ("robot_type", &claim.body.robot_type),
            ("gripper", &claim.body.gripper),
        ];
        for (field, text) in texts {
            if text.contains('\0') {
                return Err(format!("{field}: must not contain the character NUL"));
            }
        }
        let content = statement.content.trim().to_owned();
        let (context, context_told) = match statement.context.trim() {
            "" => (None, None),
            told => {
                let context = context_of(told)?;
                let is_written = context.0 == told && context.1;
                (Some(context.0), (!is_written).then(|| told.to_owned()))
            }
        };
        let category = statement.category_or(inference::classify(&content).category);
        let mut tokens = inference::tokens(&content);
        let token_count = i32::try_from(tokens.len()).unwrap_or(i32::MAX);
        tokens.sort_unstable();
        tokens.dedup();
        let words_key = words_key(claim, statement, &content, category);
        let vector = statement.vector.as_ref().and_then(|told| {
            let is_direction = told.int8.iter().any(|it| *it != 0);
            is_direction.then(|| SaidVector {
                model: told.model.clone(),
                dimension: i32::try_from(told.int8.len()).unwrap_or(i32::MAX),
                text: vector_text(&told.int8),
            })
        });
        Ok(Self {
            content,
            context,
            context_told,
            scope: statement.scope.clone(),
            collection: statement.collection.clone(),
            kind: statement.kind.as_str(),
            mem_type: statement.mem_type,
            category,
            tokens,
            token_count,
            words_key,
            created_at: statement.created_at.0.clamp(0, now),
            vector,
        })
    }

    /// Whether equal statements are one; what happened is never the same twice.
    pub fn is_merged(&self) -> bool {
        self.mem_type != MemType::TaskLog
    }
}

/// The context with each number as a 64-bit one writes it: JSON of Postgres has decimals of any length, where the filters of a
/// robot have these. And whether Postgres gives back the same numbers.
fn context_of(text: &str) -> Result<(String, bool), String> {
    let mut value: Value =
        serde_json::from_str(text).map_err(|error| format!("context: {error}"))?;
    if !value.is_object() {
        return Err("context: must be a JSON object".to_owned());
    }
    spell_numbers(&mut value);
    // JSON of Postgres has no NUL, however it is spelled.
    if has_nul(&value) {
        return Err("context: must not contain the character NUL".to_owned());
    }
    Ok((value.to_string(), has_plain_numbers(&value)))
}

/// The text of a context by what Postgres tells of it: without spaces, the names in order, as a map of serde_json has them. A
/// robot compares it with what it forgot.
pub(crate) fn written(jsonb: &str) -> String {
    serde_json::from_str(jsonb).map_or_else(|_| jsonb.to_owned(), |value: Value| value.to_string())
}

/// Whether no number has digits that may be lost on the way through a decimal.
fn has_plain_numbers(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            let text = number.to_string();
            number.as_f64().is_some_and(|it| it != 0.0 || text == "0")
                && (!number.is_f64() || text.len() <= PLAIN_NUMBER_CHARS && !text.contains('e'))
        }
        Value::Array(elements) => elements.iter().all(has_plain_numbers),
        Value::Object(members) => members.values().all(has_plain_numbers),
        _ => true,
    }
}

/// Spells each number as it is compared: integers of 64 bits without a fraction, also those that were written with one.
pub(crate) fn spell_numbers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            *number = match Number::of(number) {
                Number::Integer(integer) => integer.into(),
                Number::Unsigned(integer) => integer.into(),
                Number::Float(_) => return,
            };
        }
        Value::Array(elements) => elements.iter_mut().for_each(spell_numbers),
        Value::Object(members) => members.values_mut().for_each(spell_numbers),
        _ => {}
    }
}

pub(crate) fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(elements) => elements.iter().any(has_nul),
        Value::Object(members) => {
            members.iter().any(|(name, value)| name.contains('\0') || has_nul(value))
        }
        _ => false,
    }
}

fn words_key(claim: &Claim, statement: &Statement, content: &str, category: Category) -> Uuid {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(content);
    add(statement.context.trim());
    add(statement.mem_type.as_str());
    add(category.as_str());
    add(&statement.collection);
    if statement.mem_type == MemType::TaskLog {
        add(&claim.origin);
        add(&claim.memory_id.to_string());
    }
    let hash = hash.finalize();
    let mut key = [0; 16];
    key.copy_from_slice(&hash[..16]);
    Uuid::from_bytes(key)
}

fn vector_text(int8: &[i8]) -> String {
    let mut text = String::with_capacity(int8.len() * 4 + 2);
    for component in int8 {
        text.push(if text.is_empty() { '[' } else { ',' });
        text.push_str(&component.to_string());
    }
    text.push(']');
    text
}
