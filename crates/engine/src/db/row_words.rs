//! All that a row is found by: the words of its text, the names of the task and the object that its context and that of its session
//! tell of, and its tags.

use robot_memory_db::{self as store, ReadTx};
use robot_memory_index::parse_context;
use robot_memory_text::inference;
use serde_json::Value;

/// What names a task, and what it is done on. A change of these lists is one of the version of tokens.
const OF_TASK: [&str; 8] = ["name", "skill", "action", "type", "object", "target", "item", "part"];
/// What names an object that is not written as a text.
const OF_OBJECT: [&str; 3] = ["name", "class", "label"];

/// The tokens of a row.
pub(crate) fn row_tokens(
    tx: &ReadTx<'_>,
    content: &str,
    context: &str,
    session_id: &str,
    tags: &[String],
) -> store::Result<Vec<String>> {
    with_names(tx, inference::tokens(content), context, session_id, tags)
}

/// The tokens of a row whose text has these.
pub(crate) fn with_names(
    tx: &ReadTx<'_>,
    mut tokens: Vec<String>,
    context: &str,
    session_id: &str,
    tags: &[String],
) -> store::Result<Vec<String>> {
    // A session keeps the context that it began with.
    let of_session = if session_id.is_empty() { None } else { tx.session_context(session_id)? };
    let contexts = [parse_context(context), parse_context(&of_session.unwrap_or_default())];
    let names = contexts.iter().flat_map(names).chain(tags.iter().map(String::as_str));
    let named = inference::name_tokens(names);
    tokens.extend(named);
    Ok(tokens)
}

/// The names in a context.
fn names(context: &Value) -> impl Iterator<Item = &str> {
    let task = context.get("task");
    let of_task = OF_TASK.iter().filter_map(move |field| {
        let value = task?.get(field)?;
        value.as_str().or_else(|| value.get("name")?.as_str())
    });
    let objects = context.get("objects").and_then(Value::as_array).into_iter().flatten();
    let objects = context.get("object").into_iter().chain(objects);
    let of_objects = objects.flat_map(|object| {
        let parts = OF_OBJECT.iter().filter_map(move |field| object.get(field)?.as_str());
        object.as_str().into_iter().chain(parts)
    });
    task.and_then(Value::as_str).into_iter().chain(of_task).chain(of_objects)
}
