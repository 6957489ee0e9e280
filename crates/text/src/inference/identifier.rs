//! Identifiers taken apart into words: `maxGripForce_n`, `pick-place`, `grip力`.

use super::lexer::is_han;

/// Whether a word begins at a letter by the letters around it: between small and capital, before the last
/// capital of several (`TCPForce`).
fn is_hump(chars: &[char], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|at| chars[at]) else { return false };
    let c = chars[at];
    c.is_uppercase()
        && (before.is_lowercase()
            || before.is_uppercase() && chars.get(at + 1).is_some_and(|next| next.is_lowercase()))
}

/// The words of an identifier in small letters: `maxGripForce_n` is max, grip, force, n.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let chars: Vec<char> = name.chars().collect();
    let mut last: Option<char> = None;
    for (at, &c) in chars.iter().enumerate() {
        if !c.is_alphanumeric() {
            last = None;
            continue;
        }
        let begins = last.is_none_or(|before| is_han(before) != is_han(c) || is_hump(&chars, at));
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(c.to_lowercase());
        }
        last = Some(c);
    }
    words
}

/// A text with spaces where a word of an identifier begins (`gripForce`, `grip_force`), and all else as it
/// is. A single small letter before a capital is no word: `iPad`.
pub(super) fn spaced(text: &str) -> String {
    let chars: Vec<char> = text.trim().chars().collect();
    let mut apart = String::with_capacity(text.len() + 8);
    for (at, &c) in chars.iter().enumerate() {
        let follows_word = at >= 2 && chars[at - 1].is_lowercase() && chars[at - 2].is_alphabetic();
        if is_hump(&chars, at) && follows_word {
            apart.push(' ');
        }
        apart.push(if c == '_' { ' ' } else { c });
    }
    apart
}
