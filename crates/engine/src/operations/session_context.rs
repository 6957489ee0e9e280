//! What a memory takes over from the context of the session in which it is stored.

use super::check::StoredContext;
use crate::{Operations, Result};
use robot_memory_core::limits::CONTEXT_BYTES_MAX;
use robot_memory_db::ReadTx;
use robot_memory_index::is_real;
use serde_json::{Map, Value};

/// Parts that tell of one moment, and not of the whole session.
const OF_A_MOMENT: [&str; 3] = ["params", "spatial", "task"];

impl Operations {
    /// The context of a memory of a session: what it does not say itself its session says, but for the parts
    /// that are of a moment. Nothing is taken over from the session of an imported bag, which tells of the bag.
    pub(super) fn in_session(
        &self,
        tx: &ReadTx<'_>,
        session_id: &str,
        own: StoredContext,
    ) -> Result<StoredContext> {
        if session_id.is_empty() {
            return Ok(own);
        }
        let Some(session) = tx.session_context(session_id)? else { return Ok(own) };
        let Ok(Value::Object(session)) = serde_json::from_str(&session) else { return Ok(own) };
        let mut whole = match serde_json::from_str(&own.text) {
            Ok(Value::Object(whole)) => whole,
            _ => Map::new(),
        };
        let before = whole.clone();
        if own.has_default_origin && says_origin(&session) {
            take_origin(&mut whole);
        }
        for (key, value) in session {
            if !OF_A_MOMENT.contains(&key.as_str()) {
                add(&mut whole, key, value);
            }
        }
        if whole == before {
            return Ok(own);
        }
        let whole = Value::Object(whole);
        let text = whole.to_string();
        if text.len() > CONTEXT_BYTES_MAX {
            log::warn!(
                "a memory takes over nothing of the context of its session: together they have \
                 {} bytes, at most {CONTEXT_BYTES_MAX} are stored",
                text.len()
            );
            return Ok(own);
        }
        Ok(StoredContext { text, is_real: is_real(&whole), has_default_origin: false })
    }
}

/// Adds what is not there; of what both are, what one lacks.
fn add(own: &mut Map<String, Value>, key: String, more: Value) {
    match (own.get_mut(&key), more) {
        (None, more) => {
            own.insert(key, more);
        }
        (Some(Value::Object(own)), Value::Object(more)) => {
            for (key, value) in more {
                add(own, key, value);
            }
        }
        // It says so itself.
        (Some(_), _) => {}
    }
}

fn says_origin(context: &Map<String, Value>) -> bool {
    context.get("env").is_some_and(|env| env.get("sim_or_real").is_some())
}

/// Takes out what the configuration said of it.
fn take_origin(context: &mut Map<String, Value>) {
    if let Some(Value::Object(env)) = context.get_mut("env") {
        env.remove("sim_or_real");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_said_stays_and_what_is_missing_is_added() {
        let cases = [
            (json!({}), json!({"a": 1}), json!({"a": 1})),
            (json!({"a": 2}), json!({"a": 1, "b": {"c": [3]}}), json!({"a": 2, "b": {"c": [3]}})),
            (
                json!({"env": {"room": 4}}),
                json!({"env": {"room": 5, "light": {"lux": 3}}}),
                json!({"env": {"room": 4, "light": {"lux": 3}}}),
            ),
            (json!({"env": null}), json!({"env": {"room": 5}}), json!({"env": null})),
            (json!({"env": {"a": 1}}), json!({"env": "b"}), json!({"env": {"a": 1}})),
        ];
        for (own, session, expected) in cases {
            let (Value::Object(mut whole), Value::Object(session)) = (own, session) else {
                panic!("objects")
            };
            for (key, value) in session {
                add(&mut whole, key, value);
            }
            assert_eq!(Value::Object(whole), expected);
        }
    }
}
