//! The words that a text is found by.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::items::{Part, following_unit, parts};
use super::lexer::{PieceKind, scan};
use super::stem::stem;
use super::units::unit;

/// The version of what [`tokens`], [`name_tokens`](super::name_tokens) and [`Statement::key`](super::Statement::key) answer, and of which names and tags a row
/// is found by. A word index that was
/// made under another one must be made anew, and keys are not known.
pub const TOKENS_VERSION: i64 = 5;

/// Bytes of the longest token; longer ones are cut.
const TOKEN_BYTES_MAX: usize = 64;

/// The tokens of `text`, in order and with repeats: what goes into the word index. After NFKC and in
/// lower case:
///
/// - English words by their stem (`gripping`, `grips`: `grip`);
/// - names, hyphenated words, identifiers and paths whole and by part (`arm-01`: `arm-01`, `arm`, `01`);
/// - numbers in one form (`12.50` and `１２.５` are `12.5`), and the unit after a number by its symbol
///   besides as it is written, whether or not a space stands before it (`N`, `newtons`, `牛`: `n`);
/// - of a run of Han characters every character and every adjacent pair.
///
/// A token has 1 to 64 bytes, all of them letters, digits or one of `.`, `_`, `-`, `/`.
pub fn tokens(text: &str) -> Vec<String> {
    let text = normalized(text);
    let parsed = TextElements::of(&text);
    let mut tokens = Vec::new();
    let mut units = parsed.units.iter().peekable();
    for (index, element) in parsed.elements.iter().enumerate() {
        tokens.extend(element.words.iter().map(|word| index_token(word)));
        if let Some(unit) = units.next_if(|unit| unit.elements.end == index + 1) {
            let own = parsed.elements[unit.elements.clone()].iter().flat_map(|e| &e.words);
            let own: BTreeSet<String> = own.map(|word| index_token(word)).collect();
            tokens.extend(unit.tokens().into_iter().filter(|token| !own.contains(token)));
        }
    }
    tokens
}

/// The words of `text`, in order and with repeats: [`tokens`] without stems, and without symbols for
/// units that are written otherwise.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = normalized(text);
    TextElements::of(&text).elements.into_iter().flat_map(|element| element.words).collect()
}

/// The token by which a text with this word, one of [`Statement::tokens`](super::Statement::tokens), is
/// in the word index: every text with the word has this token among its [`tokens`].
pub fn index_token(word: &str) -> String {
    stem(word).into_owned()
}

/// The form of a text that is read.
pub(super) fn normalized(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) }
}

/// What an [`Element`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ElementKind {
    /// One Han character. Its words: itself, and the pair with the next one when that follows at once.
    Han,
    /// One word.
    Word,
    /// A number.
    Number,
    /// What has parts. Its words: the whole, unless it cannot be a token, and the parts.
    Composed,
}

/// A part of a text that words come of.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub kind: ElementKind,
    /// In bytes.
    pub place: Range<usize>,
    /// In lower case, not stemmed. None when nothing of it can be a token.
    pub words: Vec<String>,
}

/// A unit of measure after a number.
#[derive(Debug, Clone)]
pub(super) struct MeasureUnit {
    /// What it is written with, by index.
    pub elements: Range<usize>,
    symbol: &'static str,
}

/// A text as words, Han characters, numbers and names.
#[derive(Debug, Clone, Default)]
pub(super) struct TextElements {
    pub elements: Vec<Element>,
    /// In order; only those that have a symbol.
    pub units: Vec<MeasureUnit>,
}

impl MeasureUnit {
    /// Its symbol, whole and by part; at least one.
    pub fn tokens(&self) -> Vec<String> {
        let mut tokens = Vec::new();
        push_whole_and_parts(&mut tokens, self.symbol);
        tokens
    }
}

impl TextElements {
    /// Reads a [`normalized`] text. Linear in its length.
    pub fn of(text: &str) -> Self {
        let pieces = scan(text);
        let mut parsed = Self::default();
        // The end of the unit after the last number, and its symbol.
        let mut unit: Option<(usize, &'static str)> = None;
        let mut unit_begin = 0;
        for (index, piece) in pieces.iter().enumerate() {
            let place = piece.start..piece.end();
            match piece.kind {
                PieceKind::Han => {
                    let mut words = Vec::new();
                    push(&mut words, piece.text);
                    if let Some(next) = pieces.get(index + 1)
                        && next.kind == PieceKind::Han
                        && next.start == piece.end()
                    {
                        push(&mut words, &text[piece.start..next.end()]);
                    }
                    parsed.push(ElementKind::Han, &place, words);
                }
                PieceKind::Url => {
                    let mut words = Vec::new();
                    push_parts(&mut words, piece.text);
                    parsed.push(ElementKind::Composed, &place, words);
                }
                PieceKind::DrivePath => parsed.push_name(&place, piece.text),
                PieceKind::Mark if unit.is_some() && piece.text == "%" => {
                    parsed.push(ElementKind::Word, &place, vec!["percent".to_owned()]);
                }
                PieceKind::Mark if unit.is_some() => {
                    parsed.push(ElementKind::Word, &place, Vec::new());
                }
                PieceKind::Mark => {}
                PieceKind::Chunk => {
                    let parts = parts(piece.text);
                    let ends_in_number = matches!(parts.last(), Some(Part::Number(_)));
                    for part in &parts {
                        parsed.push_part(&place, part);
                    }
                    if ends_in_number
                        && let Some((following, end)) = following_unit(text, &pieces, index)
                    {
                        unit = Some((end, following.symbol));
                        unit_begin = parsed.elements.len();
                        continue;
                    }
                }
            }
            if let Some((end, symbol)) = unit.filter(|(end, _)| piece.end() >= *end) {
                debug_assert_eq!(end, piece.end());
                parsed.note_unit(unit_begin, symbol);
                unit = None;
            }
        }
        parsed
    }

    fn push(&mut self, kind: ElementKind, place: &Range<usize>, words: Vec<String>) {
        self.elements.push(Element { kind, place: place.clone(), words });
    }

    fn push_part(&mut self, place: &Range<usize>, part: &Part<'_>) {
        match part {
            Part::Number(number) | Part::Ordinal(number) => self.push_number(place, number),
            Part::Measure(number, symbol) => {
                self.push_number(place, number);
                self.push_name(place, if *symbol == "%" { "percent" } else { symbol });
                let symbol = unit(symbol).map_or("", |unit| unit.symbol);
                self.note_unit(self.elements.len() - 1, symbol);
            }
            Part::Word(text) | Part::Name(text) => self.push_name(place, text),
        }
    }

    fn push_number(&mut self, place: &Range<usize>, number: &impl ToString) {
        let mut words = Vec::new();
        push(&mut words, &number.to_string());
        self.push(ElementKind::Number, place, words);
    }

    fn push_name(&mut self, place: &Range<usize>, text: &str) {
        let mut words = Vec::new();
        let is_composed = push_whole_and_parts(&mut words, text);
        let kind = if is_composed { ElementKind::Composed } else { ElementKind::Word };
        self.push(kind, place, words);
    }

    fn note_unit(&mut self, begin: usize, symbol: &'static str) {
        if !symbol.is_empty() {
            self.units.push(MeasureUnit { elements: begin..self.elements.len(), symbol });
        }
    }
}

/// Pushes `text` as one token, and what it is composed of when that is more than one part; says whether
/// it is.
fn push_whole_and_parts(tokens: &mut Vec<String>, text: &str) -> bool {
    let text = &text.replace(['\'', '\u{2019}'], "");
    let whole = text.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let is_composed = whole.contains(|c: char| !c.is_alphanumeric());
    if whole.chars().all(is_token_char) {
        push(tokens, whole);
    }
    if is_composed {
        push_parts(tokens, whole);
    }
    is_composed
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
    fn a_text_gives_its_words() {
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
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn tokens_are_stems_and_symbols_of_units() {
        let cases = [
            ("Gripping slipped cups", "grip slip cup"),
            ("the batteries' failure", "the batteri failur"),
            ("UR5e grippers", "ur5e gripper"),
            ("grip_forces", "grip_forces grip forc"),
            ("pick-and-place", "pick-and-place pick and place"),
            ("12.5N", "12.5 n"),
            ("12.5 N", "12.5 n"),
            ("12.5 newtons", "12.5 newton n"),
            ("12.5牛", "12.5 牛 n"),
            ("12.5牛顿", "12.5 牛 牛顿 顿 n"),
            ("20 mm or 20毫米", "20 mm or 20 毫 毫米 米 mm"),
            ("30° or 30 degrees", "30 deg or 30 degre deg"),
            ("80% or 80 %", "80 percent or 80 percent"),
            ("0.5米每秒", "0.5 米 米每 每 每秒 秒 m/s m s"),
            ("0.5m/s", "0.5 m/s m s"),
            ("3 N/m", "3 n/m n m"),
            ("3次", "3 次"),
            ("20 ℃", "20 c"),
            ("5 Ω", "5 ω ohm"),
            ("牛奶", "牛 牛奶 奶"),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_takes_linear_time() {
        for unit in ["a", ".", "../", "1,", "a:", "-", "'", "字", "1e", "://"] {
            let text = unit.repeat(robot_memory_core::limits::TEXT_BYTES_MAX / unit.len());
            assert!(tokens(&text).len() <= text.len() * 3);
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

        #[test]
        fn every_word_is_in_the_index_by_its_token(
            text in "\\PC{0,60}|[a-z0-9./_:,%°\\-力牛字 ]{0,60}|([A-Z]{0,3}[a-z]{2,8}(s|ing|ed|N)? ?[0-9]{0,2} ?){0,9}",
        ) {
            let tokens: BTreeSet<String> = tokens(&text).into_iter().collect();
            for word in crate::inference::Statement::parse(&text).tokens() {
                prop_assert!(tokens.contains(&index_token(word)), "{word:?} of {text:?}");
            }
        }
    }
}
