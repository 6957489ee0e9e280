//! The steps of an attempt, as they are compared.

use super::attempt::key_of;
use serde_json::Value;

/// What is the same of equal procedures: the names of the steps and what they are anchored to, in order, as
/// [keys](key_of). Empty when a context tells no steps.
pub fn steps_key(context: &Value) -> String {
    let steps = context.get("steps").and_then(Value::as_array);
    let key = |step: &Value| {
        let text = |field: &str| step.get(field).and_then(Value::as_str).map(key_of);
        let name = text("name").filter(|name| !name.is_empty())?;
        Some(format!("{name}\n{}\n", text("anchor").unwrap_or_default()))
    };
    let keys = steps.map(|steps| steps.iter().map(key).collect::<Option<String>>());
    keys.flatten().unwrap_or_default()
}
