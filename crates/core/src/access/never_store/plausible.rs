//! Whether a word is one of a language, a number, a measure, a path — or nothing that anybody would say.

use super::rules::{
    CHINESE_PLAIN, COUNTED, COUNTED_CHINESE, FUNCTION_WORDS, HARMLESS, TECHNICAL, UNITS,
};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// What stands behind a word in a sentence.
const AROUND: &str = ".,;:!?\"()[]{}>。，；、！？";
/// What a secret is masked with.
const MASKS: &str = "*•·●.…-_#?xX○█/";
/// Begin what says where a secret is.
#[rustfmt::skip]
const REFERENCES: [&str; 16] = [
    "${", "$(", "{{", "<", "%(", "env:", "env.", "!secret", "!vault", "vault:", "file:", "os.environ", "os.getenv",
    "getenv(", "process.env", "keyring:",
];
/// Endings of the names of files.
#[rustfmt::skip]
const FILE_ENDINGS: [&str; 22] = [
    "pem", "key", "crt", "cer", "txt", "yaml", "yml", "json", "env", "md", "pdf", "png", "jpg", "log", "cpp", "py", "rs",
    "conf", "cfg", "ini", "xml", "html",
];
/// Endings of what can be said of a password.
#[rustfmt::skip]
const SAID_ENDINGS: [&str; 16] = [
    "ed", "ing", "able", "ible", "ary", "ory", "less", "ful", "ly", "wn", "en", "ive", "ent", "ant", "ous", "ic",
];

/// Without what stands around a word in a sentence.
pub(super) fn trim(word: &str) -> &str {
    let word = word
        .trim()
        .trim_end_matches(|c| AROUND.contains(c))
        .trim_start_matches(['"', '(', '[', '{', '>', '_']);
    word.strip_suffix('_').unwrap_or(word)
}

pub(super) fn count(word: &str) -> usize {
    word.chars().count()
}

/// Whether it is there at all: no mask, no blank to fill in, and no place where the secret is.
pub(super) fn is_given(word: &str) -> bool {
    let mut chars = word.chars();
    let Some(first) = chars.next() else { return false };
    let is_masked = (count(word) > 1 || !first.is_alphanumeric())
        && word.chars().all(|c| MASKS.contains(c) && (c == first || c == '.' || c == '…'));
    let is_variable = word.strip_prefix('$').is_some_and(|name| {
        let name = name.trim_matches(['{', '}']);
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    });
    let lower = word.to_lowercase();
    !is_masked && !is_variable && !REFERENCES.iter().any(|begin| lower.starts_with(begin))
}

pub(super) fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

pub(super) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Digits as Chinese spells them, one by one.
pub(super) fn is_chinese_number(word: &str) -> bool {
    let digits = word.chars().take_while(|c| "零〇一二三四五六七八九幺两".contains(*c)).count();
    let rest = word.chars().nth(digits);
    (4..=8).contains(&digits) && rest.is_none_or(|c| !COUNTED_CHINESE.contains(c))
}

/// Whether what follows a number says what it counts or measures.
pub(super) fn is_counted(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '-', '\t']);
    if after.starts_with(|c| COUNTED_CHINESE.contains(c) || c == '%' || c == '°') {
        return true;
    }
    let end = after.find(|c: char| !c.is_ascii_alphabetic() && c != '/').unwrap_or(after.len());
    let word = after.get(..end).unwrap_or_default().to_ascii_lowercase();
    let word = word.split('/').next().unwrap_or_default();
    UNITS.contains(word) || COUNTED.contains(word) || COUNTED.contains(word.trim_end_matches('s'))
}

/// A number with its unit.
pub(super) fn is_measure(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '.' | ',' | '+' | '-' | 'x' | '~')
    });
    unit.len() < word.len() && UNITS.contains(&*unit.to_lowercase())
}

pub(super) fn is_technical(word: &str) -> bool {
    let lower = word.to_lowercase();
    let letters = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let digits = lower.len() - letters.len();
    // `sha512`, `rfc6238`; of things that are numbered only the first ones.
    let is_version = digits > 0 && (letters.len() <= 3 || digits <= 2 || lower.contains('.'));
    TECHNICAL.contains(&*lower) || (is_version && TECHNICAL.contains(letters))
}

/// Letters and then a number, as the names of parts and places have it: `disc-042`, `B12`.
pub(super) fn is_numbered(word: &str) -> bool {
    let mut parts = word.split(['-', '_', '.', ' ', '/']).filter(|part| !part.is_empty());
    parts.all(|part| {
        let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = part.len() - letters.len();
        let is_word = is_plain_word(letters)
            || letters.len() <= 3 && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
        digits <= 4 && is_word && (digits == 0 || letters.len() <= 3 || letters.len() == part.len())
            || (letters.is_empty() && digits <= 6)
    }) && word.contains(['-', '_', '.', ' ', '/'])
}

pub(super) fn is_uuid(word: &str) -> bool {
    word.len() == 36
        && word.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

pub(super) fn is_path(word: &str) -> bool {
    let is_rooted = word.starts_with('/')
        || word.starts_with("./")
        || word.starts_with("~/")
        || word.contains("://");
    let is_file = word.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && FILE_ENDINGS.contains(&&*ending.to_lowercase())
    });
    let is_mail = word.split_once('@').is_some_and(|(_, host)| host.contains('.'));
    let are_words = word.split('/').all(|part| part.is_empty() || !is_odd_part(part));
    is_file || is_mail || (is_rooted && (are_words || word.contains("://")))
}

/// Letters as words have them: small ones, perhaps a capital first, or all capitals.
pub(super) fn is_plain_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    !word.is_empty()
        && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\''))
        && (word.chars().skip(1).all(|c| !c.is_uppercase())
            || word.chars().all(|c| !c.is_lowercase()))
}

/// No word of a language: letters with digits or signs between, or capitals where no word has them.
pub(super) fn is_odd(word: &str) -> bool {
    let is_mail = word.split_once('@').is_some_and(|(_, host)| {
        host.contains('.')
            && host.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.' || byte == b'-')
    });
    if is_measure(word) || is_technical(word) || is_mail || word.contains("://") {
        return false;
    }
    let parts: Vec<&str> = word.split(['-', '/']).filter(|part| !part.is_empty()).collect();
    let are_known = parts.len() > 1
        && parts.iter().any(|part| is_technical(part) || is_measure(part))
        && parts.iter().all(|part| is_technical(part) || is_measure(part) || is_plain_word(part));
    !are_known && is_odd_part(word)
}

fn is_odd_part(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic() && !is_cjk(*c)).count();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let length = count(word);
    if letters > 0 && digits > 0 {
        return length >= 5;
    }
    let inner = word.get(1..word.len().saturating_sub(1)).unwrap_or_default();
    if letters > 0
        && length >= 6
        && inner.contains(['!', '#', '$', '^', '&', '+', '=', '~', '@', '?'])
        && !inner.contains("==")
    {
        return true;
    }
    if digits > 0 {
        return length >= 6 && word.contains(['!', '#', '$', '^', '&', '@', '~']);
    }
    word.split(['-', '_', '.']).any(|part| part.len() >= 6 && is_scrambled(part))
}

/// Letters whose capitals or consonants no word has.
fn is_scrambled(word: &str) -> bool {
    let is_vowel = |c: char| matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    if !word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let mut bytes = word.bytes().peekable();
    let mut is_camel = true;
    let mut humps = 0;
    // Humps of a capital and small letters; capitals alone at the begin or the end.
    while bytes.peek().is_some() {
        let mut upper = 0;
        let mut lower = 0;
        while bytes.next_if(u8::is_ascii_uppercase).is_some() {
            upper += 1;
        }
        while bytes.next_if(u8::is_ascii_lowercase).is_some() {
            lower += 1;
        }
        humps += 1;
        let is_last = bytes.peek().is_none();
        let is_hump = match (upper, lower) {
            (0, _) => true,
            (1, lower) => lower >= 2 || is_last,
            (_, 0) => is_last,
            (_, lower) => humps == 1 && lower >= 3,
        };
        is_camel &= is_hump;
    }
    let is_upper = word.bytes().all(|byte| byte.is_ascii_uppercase());
    if is_upper {
        // Base32 without a digit, by its length; and what nobody could say.
        return word.len() >= 16 || !word.chars().any(is_vowel) && word.len() >= 7;
    }
    !is_camel && word.len() >= 7 || !word.chars().any(is_vowel)
}

/// Long, and made of more than words and small numbers.
pub(super) fn is_random(word: &str, least: usize) -> bool {
    count(word) >= least
        && is_odd(word)
        && !is_numbered(word)
        && !is_path(word)
        && !word
            .split(['-', '_', '.', '/'])
            .all(|part| part.is_empty() || !is_odd_part(part) && part.len() <= 12)
}

/// Whether a word is what people say where a secret would stand.
pub(super) fn is_harmless(word: &str) -> bool {
    let lower = trim(word).to_lowercase();
    HARMLESS.contains(&*lower) || FUNCTION_WORDS.contains(&*lower)
}

/// Whether a word can be said of a password: "is displayed", "is wrong".
pub(super) fn is_said_of(word: &str) -> bool {
    let lower = word.to_lowercase();
    let is_name = word.starts_with(char::is_uppercase);
    !is_name && SAID_ENDINGS.iter().any(|end| lower.ends_with(end) && lower.len() > end.len() + 1)
}

/// Whether words explain something, instead of being a phrase to get in by.
pub(super) fn has_function_word(clause: &str) -> bool {
    let is_function = |word: &str| {
        let lower = trim(word).to_lowercase();
        FUNCTION_WORDS.contains(&*lower) || (lower.ends_with("ed") && lower.len() > 4)
    };
    clause.split_whitespace().any(is_function) || clause.split_whitespace().all(is_harmless)
}

/// Whether words say what to do, or what is the case: phrases to get in by hold none of these.
pub(super) fn is_instruction(clause: &str) -> bool {
    #[rustfmt::skip]
    const SAYS: [&str; 26] = [
        "is", "are", "was", "were", "be", "been", "by", "not", "no", "ask", "see", "enter", "enters",
        "kept", "must", "should", "please", "it", "he", "she", "they", "operator", "supervisor", "admin",
        "user", "has",
    ];
    clause.split_whitespace().any(|word| {
        let lower = trim(word).to_lowercase();
        SAYS.contains(&&*lower) || lower.ends_with("ed") && lower.len() > 4
    }) || clause.split_whitespace().next().is_some_and(is_harmless)
}

pub(super) fn is_chinese_password(word: &str) -> bool {
    (2..=8).contains(&count(word))
        && word.chars().all(is_cjk)
        && !word.contains(|c| CHINESE_PLAIN.contains(c))
}

/// Base64 of a name, a colon and a password.
pub(super) fn is_login(word: &str) -> bool {
    decoded(word).is_some_and(|text| {
        text.split_once(':').is_some_and(|(name, password)| {
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
            !name.is_empty()
                && name.chars().all(is_name)
                && password.len() >= 3
                && !password.contains(char::is_whitespace)
        })
    })
}

/// The text that a word is in base64, if it is one.
pub(super) fn decoded(word: &str) -> Option<String> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_allow_trailing_bits(true)
            .with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    /// Characters by which most of what is no text is told.
    const PROBE: usize = 24;
    let word: String = word
        .trim_end_matches('=')
        .chars()
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            c => c,
        })
        .collect();
    let is_text = |bytes: &[u8]| {
        let bytes = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            // A character can be cut at the end.
            Err(error) if error.error_len().is_none() => {
                return error.valid_up_to() + 4 > bytes.len();
            }
            Err(_) => return false,
        };
        !bytes.contains(|c: char| c.is_control() && !c.is_whitespace())
    };
    let probe = LENIENT.decode(word.get(..PROBE.min(word.len()))?).ok()?;
    if !is_text(&probe) {
        return None;
    }
    let text = String::from_utf8(LENIENT.decode(&word).ok()?).ok()?;
    is_text(text.as_bytes()).then_some(text)
}
