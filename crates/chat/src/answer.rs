//! JSON out of what a model writes.

use super::ChatError;
use serde::de::DeserializeOwned;

/// What some models write before they answer.
const THOUGHTS: (&str, &str) = ("<think>", "</think>");
const FENCE: &str = "```";

/// Reads an answer: JSON by itself, in a code fence, or behind the model's thoughts.
///
/// # Errors
/// [`ChatError::NotJson`], also for what is JSON of another form.
pub(super) fn read<T: DeserializeOwned>(answer: &str) -> Result<T, ChatError> {
    serde_json::from_str(json_part(answer)).map_err(|error| not_json(&error))
}

/// Says where it is no JSON, without the text: what `serde_json` says of a value may quote it.
pub(super) fn not_json(error: &serde_json::Error) -> ChatError {
    let what = if error.is_eof() {
        "it ends early"
    } else if error.is_data() {
        "a value is of another type"
    } else {
        "it is not written as JSON"
    };
    ChatError::NotJson(format!("{what}, at line {}, column {}", error.line(), error.column()))
}

fn json_part(answer: &str) -> &str {
    let mut text = answer.trim();
    if let Some(rest) = text.strip_prefix(THOUGHTS.0) {
        text = rest.split_once(THOUGHTS.1).map_or(rest, |(_, after)| after).trim();
    }
    let Some((_, fenced)) = text.split_once(FENCE) else { return text };
    if text.starts_with(['{', '[']) {
        // A fence inside of a string.
        return text;
    }
    let inside = fenced.split_once(FENCE).map_or(fenced, |(inside, _)| inside);
    inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric()).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn json_is_found() {
        for answer in [
            r#"{"a": 1}"#,
            " \n{\"a\": 1}\n",
            "```json\n{\"a\": 1}\n```",
            "```\n{\"a\": 1}```",
            "Here it is:\n```JSON\n{\"a\": 1}\n```\nGlad to help.",
            "```json\n{\"a\": 1}",
            "<think>hm {\"a\": 2}</think>\n{\"a\": 1}",
        ] {
            assert_eq!(read::<Value>(answer), Ok(json!({"a": 1})), "{answer}");
        }
        let inside = r#"{"a": "```"}"#;
        assert_eq!(read::<Value>(inside), Ok(json!({"a": "```"})));
    }

    #[test]
    fn what_is_no_json_is_told_without_its_text() {
        for answer in ["", "secret", "{\"secret\": ", "<think>secret", "{'secret': 1}", "\u{0}"] {
            let error = read::<Value>(answer).expect_err(answer);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        let error = read::<Vec<u8>>(r#"["secret"]"#).expect_err("a text is no number");
        assert_eq!(
            error,
            ChatError::NotJson("a value is of another type, at line 1, column 9".to_owned())
        );
        let deep = "[".repeat(100_000);
        assert!(read::<Value>(&deep).is_err());
    }
}
