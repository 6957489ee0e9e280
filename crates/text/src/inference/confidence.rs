//! How far a statement is believed when it is new.

use super::category::is_causal;
use super::entities::scope_files;
use super::units::unit;

/// Hundredths of confidence that every statement starts with.
const START: u32 = 80;
/// Hundredths added for each sign of substance.
const STEP: u32 = 5;
/// Hundredths that are not exceeded.
const MAX: u32 = 95;
/// Characters of context above which it counts.
const CONTEXT_CHARS: usize = 20;
/// Characters of a call's arguments that are looked through for the closing parenthesis.
const CALL_CHARS_MAX: usize = 200;

/// The confidence of a new statement, 0.80 to 0.95: 0.80, and 0.05 more for each of a file path,
/// code (backticks or a call), a causal word, and a `context` of more than 20 characters.
pub fn confidence(text: &str, context: &str) -> f64 {
    let signs = [
        !scope_files(text).is_empty(),
        has_code(text),
        is_causal(text),
        context.trim().chars().count() > CONTEXT_CHARS,
    ];
    let steps: u32 = signs.iter().map(|&sign| u32::from(sign)).sum();
    f64::from((START + STEP * steps).min(MAX)) / 100.0
}

/// Whether `text` has something between backticks, or a call such as `move_to(x)`.
fn has_code(text: &str) -> bool {
    let mut parts = text.split('`').skip(1);
    let has_quoted =
        parts.next().is_some_and(|quoted| !quoted.trim().is_empty()) && parts.next().is_some();
    has_quoted || has_call(text)
}

fn has_call(text: &str) -> bool {
    let is_identifier = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices('(').any(|(at, _)| {
        let is_name = text[..at].ends_with(is_identifier)
            && text[..at].rsplit(|c| !is_identifier(c)).next().is_some_and(|name| {
                name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            });
        let len: usize = text[at + 1..]
            .chars()
            .take(CALL_CHARS_MAX)
            .take_while(|&c| c != ')' && c != '\n')
            .map(char::len_utf8)
            .sum();
        let inside = &text[at + 1..at + 1 + len];
        let is_closed = text[at + 1 + len..].starts_with(')');
        // "robot(s)" and "force(N)" are no calls.
        is_name && is_closed && !["s", "es"].contains(&inside) && unit(inside.trim()).is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_sign_adds_its_step() {
        let long = r#"{"params": {"force": 12}}"#;
        let cases = [
            ("grip gently", "", 0.80),
            ("grip gently", r#"{"a": 1}"#, 0.80),
            ("grip gently", "12345678901234567890", 0.80),
            ("grip gently", "123456789012345678901", 0.85),
            ("grip gently", long, 0.85),
            ("see config/grip.yaml", "", 0.85),
            ("call `home` first", "", 0.85),
            ("call move_to(x) first", "", 0.85),
            ("call arm.home() first", "", 0.85),
            ("an odd ` backtick", "", 0.80),
            ("robot(s) at force(N) or (so)", "", 0.80),
            ("it slips because it is wet", "", 0.85),
            ("因为潮湿", "", 0.85),
            ("由于传感器漂移", "", 0.85),
            ("潮湿引起打滑", "", 0.85),
            ("slips due to `home()` in a.py", "", 0.95),
            ("slips due to `home()` in a.py", long, 0.95),
            ("see config/grip.yaml because", "", 0.90),
        ];
        for (text, context, expected) in cases {
            assert_eq!(confidence(text, context), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn it_stays_in_its_range(text in ".{0,60}", context in ".{0,40}") {
            let confidence = confidence(&text, &context);
            prop_assert!((0.80..=0.95).contains(&confidence));
        }
    }
}
