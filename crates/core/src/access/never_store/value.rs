//! Whether a text behind a name can be a secret.

use super::plausible::{
    count, has_function_word, is_chinese_number, is_chinese_password, is_cjk, is_counted, is_given,
    is_harmless, is_instruction, is_login, is_measure, is_number, is_numbered, is_odd, is_path,
    is_plain_word, is_random, is_said_of, is_technical, is_uuid, trim,
};
use super::rules::{FUNCTION_WORDS, Kind, TRIED_FIRST, WELL_KNOWN};

/// How a value stands behind a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// As the value of a key in JSON.
    Pair,
    /// Beside a field that holds the name.
    Beside,
    /// Behind `:` or the like; `is_tight`: behind `=` without a space.
    Sign { is_tight: bool },
    /// Behind "is", 是 or the like.
    Said,
    /// Directly behind it.
    Direct,
}

/// A value as it stands in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'t> {
    /// Its first word, or what is between its quotes.
    pub word: &'t str,
    /// All up to the end of the clause.
    pub clause: &'t str,
    /// What follows the word.
    pub after: &'t str,
    pub is_quoted: bool,
}

impl<'t> Value<'t> {
    /// A text that is a value as a whole.
    pub fn whole(text: &'t str) -> Self {
        let text = text.trim();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, after) = text.split_at_checked(end).unwrap_or((text, ""));
        Self { word, clause: text, after, is_quoted: false }
    }
}

/// What the value of a form must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Check {
    /// Anything.
    Any,
    /// Anything but a mask or a reference.
    Unmasked,
    /// A word that is not said of secrets.
    Word,
    /// No word of a language.
    Odd,
    /// Long, and no word nor several of a language.
    Random,
    /// The same, of capitals, small letters and digits: no hash.
    Mixed,
    /// A name and a password in base64.
    Login64,
    /// A number that counts and measures nothing.
    Unitless,
}

impl Check {
    pub fn holds(self, word: &str, after: &str) -> bool {
        let trimmed = trim(word);
        match self {
            Self::Any => true,
            Self::Unmasked => is_given(trimmed),
            Self::Word => is_given(trimmed) && !is_harmless(trimmed),
            Self::Odd => is_odd(trimmed) || (is_number(trimmed) && trimmed.len() >= 4),
            Self::Random => is_random(trimmed, 12),
            Self::Mixed => {
                let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
                let is_mixed = has(u8::is_ascii_uppercase)
                    && has(u8::is_ascii_lowercase)
                    && has(u8::is_ascii_digit);
                is_mixed && is_random(trimmed, 12)
            }
            Self::Login64 => is_login(word),
            Self::Unitless => !is_counted(after),
        }
    }
}

/// Whether a value behind a name of a kind is a secret.
pub(super) fn is_secret(kind: Kind, how: How, value: Value<'_>) -> bool {
    let word = trim(value.word);
    // The key of another pair, as in YAML.
    let is_key = value.word.ends_with(':') && value.after.starts_with(char::is_whitespace);
    if !is_given(word) || is_key {
        return false;
    }
    match kind {
        Kind::Password | Kind::Passphrase => {
            is_password(kind == Kind::Passphrase, how, word, value)
        }
        Kind::Pin | Kind::Code => is_code(kind, word, value.after),
        Kind::Key => is_key_of_program(how, word, value),
        Kind::LooseKey => match how {
            How::Direct => is_random(word, 14),
            _ => is_odd(word) && count(word) >= 8 && !is_numbered(word) && !is_path(word),
        },
        Kind::Token => is_token(8, how, word, value),
        Kind::Secret => is_token(5, how, word, value) || (how == How::Pair && is_login(word)),
        Kind::Session => is_session(word),
        Kind::Mnemonic => {
            let words = value.clause.split_whitespace();
            let is_function = |word: &&str| FUNCTION_WORDS.contains(&*word.to_lowercase());
            let is_phrase = words.clone().count() >= 6 && words.clone().all(is_plain_word);
            let is_sentence = words.filter(is_function).count() > 1;
            (is_phrase && how != How::Direct && !is_sentence) || (is_odd(word) && count(word) >= 8)
        }
        Kind::Authorization => {
            let second = value.after.split_whitespace().next().unwrap_or_default();
            is_random(word, 16) || (is_scheme(word) && (is_odd(trim(second)) || is_login(second)))
        }
    }
}

/// A number behind a name, as JSON has it.
pub(super) fn is_secret_number(kind: Kind, number: &str) -> bool {
    let is_whole = number.bytes().all(|byte| byte.is_ascii_digit());
    match kind {
        Kind::Password | Kind::Passphrase => true,
        Kind::Pin | Kind::Code => is_whole && (4..=8).contains(&number.len()),
        Kind::Key => is_whole && number.len() >= 6,
        _ => false,
    }
}

fn is_password(is_phrase: bool, how: How, word: &str, value: Value<'_>) -> bool {
    let Value { clause, after, is_quoted, .. } = value;
    let is_alone = count(trim(clause)) <= count(word);
    let is_strict = matches!(how, How::Direct | How::Beside);
    if word.starts_with(is_cjk) {
        let is_name =
            matches!(how, How::Pair | How::Sign { .. }) || (is_quoted && how == How::Said);
        return is_chinese_number(word) || (is_name && is_alone && is_chinese_password(word));
    }
    if is_number(word) {
        let least = match how {
            How::Pair => 1,
            How::Sign { .. } if is_alone => 1,
            How::Sign { .. } | How::Said => 3,
            How::Beside | How::Direct => 4,
        };
        return word.len() >= least && (how == How::Pair || !is_counted(after));
    }
    if is_odd(word) {
        return !is_path(word);
    }
    if is_strict {
        return WELL_KNOWN.contains(&*word.to_lowercase());
    }
    if is_path(word) {
        return false;
    }
    if is_alone {
        if how == How::Pair && TRIED_FIRST.contains(&*word.to_lowercase()) {
            return true;
        }
        let is_odd_sign = !word.contains(char::is_alphanumeric) && count(word) < 4;
        return !(is_odd_sign || is_harmless(word) || how == How::Said && is_said_of(word));
    }
    let words = clause.split_whitespace().count();
    let least = if is_phrase || is_quoted { 2 } else { 4 };
    let are_plain = clause.split_whitespace().all(is_plain_word);
    let is_sign = matches!(how, How::Sign { .. });
    if is_quoted && is_sign && !has_function_word(clause) {
        return true;
    }
    if is_phrase && how != How::Said && words >= 4 && are_plain && !is_instruction(clause) {
        return true;
    }
    let is_sentence = has_function_word(clause) || !are_plain;
    if is_phrase && is_quoted && words >= 3 && is_sign {
        return true;
    }
    let can_be_phrase = is_phrase || is_quoted || how != How::Said;
    can_be_phrase && words >= least && words <= 12 && !is_sentence
}

fn is_code(kind: Kind, word: &str, after: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_spelled =
        word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'#' | b'*' | b'-'));
    let is_number = is_spelled && (4..=8).contains(&digits);
    let is_mixed = kind == Kind::Code
        && word.is_ascii()
        && (4..=12).contains(&word.len())
        && digits >= 2
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'#' | b'*'))
        && !is_measure(word)
        && !is_technical(word);
    let is_fraction = after.starts_with('.')
        && after.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    ((is_number && !is_fraction) || is_mixed || is_chinese_number(word)) && !is_counted(after)
}

fn is_key_of_program(how: How, word: &str, value: Value<'_>) -> bool {
    if matches!(how, How::Direct | How::Beside) {
        return is_random(word, 10) || (is_odd(word) && count(word) >= 10);
    }
    if is_path(word) || word.starts_with(is_cjk) {
        return false;
    }
    if is_number(word) {
        return word.len() >= 6 && !is_counted(value.after);
    }
    let is_alone = count(trim(value.clause)) <= count(word);
    // In groups, as authenticators show it.
    let is_group = |word: &str| {
        word.len() == 4
            && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    if is_group(word) && value.clause.split_whitespace().filter(|word| is_group(word)).count() >= 4
    {
        return true;
    }
    (is_odd(word) && !is_measure(word))
        || (is_alone
            && !is_harmless(word)
            && word.contains(char::is_alphanumeric)
            && !(how == How::Said && is_said_of(word)))
}

fn is_token(least: usize, how: How, word: &str, value: Value<'_>) -> bool {
    // As browsers send it: `name=value; name=value`.
    let word = match word.split_once('=') {
        Some((name, given))
            if !given.trim_matches('=').is_empty() && count(name) < 32 && count(given) >= 6 =>
        {
            trim(given)
        }
        _ => word,
    };
    if matches!(how, How::Pair | How::Sign { .. }) && WELL_KNOWN.contains(&*word.to_lowercase()) {
        return true;
    }
    let is_long_enough =
        is_odd(word) && count(word) >= least && !is_numbered(word) && !is_path(word);
    match how {
        How::Direct => is_random(word, 16),
        How::Beside => is_random(word, 12),
        How::Sign { is_tight: true } => {
            let is_number = is_number(word) && word.len() < 6;
            is_long_enough
                || !(is_number
                    || word.starts_with(is_cjk)
                    || is_harmless(word)
                    || is_measure(word)
                    || is_path(word)
                    || is_numbered(word)
                    || count(word) < 3)
        }
        How::Sign { .. } | How::Pair => {
            is_long_enough || (is_number(word) && word.len() >= 6 && !is_counted(value.after))
        }
        How::Said => is_long_enough,
    }
}

fn is_session(word: &str) -> bool {
    let word = word.rsplit('=').next().unwrap_or(word);
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_random(word, 16) && !is_uuid(word) && !(is_hex && word.len() == 32)
}

fn is_scheme(word: &str) -> bool {
    let word = word.to_lowercase();
    matches!(&*word, "bearer" | "basic" | "token" | "digest" | "apikey" | "negotiate")
}
