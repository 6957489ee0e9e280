//! The words that a text is found by.

use unicode_normalization::UnicodeNormalization;

use super::items::{Part, following_unit, parts};
use super::scan::{PieceKind, scan};

/// Bytes of the longest token; longer ones are cut.
const TOKEN_BYTES_MAX: usize = 64;

/// Rises whenever [`tokens`] makes other tokens of a text: then a store's word index is made anew.
pub const TOKENS_VERSION: i64 = 1;

/// The tokens of `text`, in order and with repeats: what goes into the word index, and what a
/// query is made of. After NFKC and in lower case:
///
/// - words; hyphenated ones, identifiers and paths whole and by part (`arm-01`: `arm-01`, `arm`,
///   `01`);
/// - numbers in one form (`12.50` and `１２.５` are `12.5`), a unit as a token of its own whether or
///   not a space stands before it, `%` as `percent`;
/// - of a run of Han characters every character and every adjacent pair.
///
/// A token has 1 to 64 bytes, all of them letters, digits or one of `.`, `_`, `-`, `/`.
pub fn tokens(text: &str) -> Vec<String> {
    let text: String = text.nfkc().collect();
    let pieces = scan(&text);
    let mut tokens = Vec::new();
    let mut unit_end = 0;
    for (index, piece) in pieces.iter().enumerate() {
        match piece.kind {
            PieceKind::Han => {
                push(&mut tokens, piece.text);
                if let Some(next) = pieces.get(index + 1)
                    && next.kind == PieceKind::Han
                    && next.start == piece.end()
                {
                    push(&mut tokens, &text[piece.start..next.end()]);
                }
            }
            PieceKind::Url => push_parts(&mut tokens, piece.text),
            PieceKind::DrivePath => push_whole_and_parts(&mut tokens, piece.text),
            PieceKind::Mark if piece.start < unit_end && piece.text == "%" => {
                push(&mut tokens, "percent");
            }
            PieceKind::Mark => {}
            PieceKind::Chunk => {
                let parts = parts(piece.text);
                let ends_in_number = matches!(parts.last(), Some(Part::Number(_)));
                for part in parts {
                    push_part(&mut tokens, &part);
                }
                if ends_in_number && let Some((_, end)) = following_unit(&text, &pieces, index) {
                    unit_end = end;
                }
            }
        }
    }
    tokens
}

fn push_part(tokens: &mut Vec<String>, part: &Part<'_>) {
    match part {
        Part::Number(number) | Part::Ordinal(number) => push(tokens, &number.to_string()),
        Part::Measure(number, unit) => {
            push(tokens, &number.to_string());
            push_whole_and_parts(tokens, if *unit == "%" { "percent" } else { unit });
        }
        Part::Word(text) => push_whole_and_parts(tokens, text),
        Part::Name(text) => push_whole_and_parts(tokens, text),
    }
}

/// Pushes `text` as one token, and what it is composed of when that is more than one part.
fn push_whole_and_parts(tokens: &mut Vec<String>, text: &str) {
    let text = &text.replace(['\'', '\u{2019}'], "");
    let whole = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let is_composed = whole.contains(|c: char| !c.is_alphanumeric());
    if whole.chars().all(is_token_char) {
        push(tokens, whole);
    }
    if is_composed {
        push_parts(tokens, whole);
    }
}

fn push_parts(tokens: &mut Vec<String>, text: &str) {
    for part in text.split(|c: char| !c.is_alphanumeric()) {
        push(tokens, part);
    }
}

fn is_token_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/')
}

fn push(tokens: &mut Vec<String>, text: &str) {
    let mut token = String::with_capacity(text.len().min(TOKEN_BYTES_MAX));
    for c in text.chars().flat_map(char::to_lowercase).filter(|&c| is_token_char(c)) {
        if token.len() + c.len_utf8() > TOKEN_BYTES_MAX {
            break;
        }
        token.push(c);
    }
    if token.contains(char::is_alphanumeric) {
        tokens.push(token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_text_gives_its_tokens() {
        let cases = [
            ("Grip the RED cup", "grip the red cup"),
            ("12.50 N", "12.5 n"),
            ("12.5N", "12.5 n"),
            ("１２．５Ｎ", "12.5 n"),
            ("M8x40 bolt", "m8x40 bolt"),
            ("arm-01", "arm-01 arm 01"),
            ("grip_force=12.5N", "grip_force grip force 12.5 n"),
            ("10,000 steps", "10000 steps"),
            ("80% or 80 % or 80 percent", "80 percent or 80 percent or 80 percent"),
            ("9.8 m/s²", "9.8 m/s2 m s2"),
            ("0.5m/s", "0.5 m/s m s"),
            ("/joint_states", "joint_states joint states"),
            ("config/grip.yaml", "config/grip.yaml config grip yaml"),
            ("v2.1.3", "v2.1.3 v2 1 3"),
            ("don't", "dont"),
            ("电池低", "电 电池 池 池低 低"),
            ("抓 取", "抓 取"),
            ("力15牛", "力 15 牛"),
            ("20°C", "20 c"),
            ("https://a.io/x?y=1", "https a io x y 1"),
            (r"C:\maps\lab.yaml", "c maps lab yaml"),
            ("\"quoted\" (x)", "quoted x"),
            ("5-10 mm", "5 10 mm"),
            ("the 2nd", "the 2"),
            ("!!! … 。", ""),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_takes_linear_time() {
        for unit in ["a", ".", "../", "1,", "a:", "-", "'", "字", "1e", "://"] {
            let text = unit.repeat(crate::limits::TEXT_BYTES_MAX / unit.len());
            assert!(tokens(&text).len() <= text.len() * 2);
        }
    }

    proptest! {
        #[test]
        fn tokens_can_be_stored_with_spaces_between(text in "\\PC{0,60}|[a-z0-9./_:,%°\\-力字 ]{0,60}|.{0,40}") {
            for token in tokens(&text) {
                prop_assert!((1..=TOKEN_BYTES_MAX).contains(&token.len()));
                prop_assert!(token.chars().all(is_token_char), "{token:?}");
            }
        }
    }
}
