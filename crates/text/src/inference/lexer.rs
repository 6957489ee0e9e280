//! Where the Han characters, words, numbers, names and paths of a text are.

use unicode_normalization::char::is_combining_mark;

/// What a [`Piece`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// One Han character.
    Han,
    /// A word, number, measure, name or path: what must not be torn apart.
    Chunk,
    /// A path that begins with a drive letter.
    DrivePath,
    /// An address with a scheme.
    Url,
    /// One character of any other kind, white space excepted.
    Mark,
}

/// A part of a text, at byte `start`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub start: usize,
    pub text: &'a str,
    pub kind: PieceKind,
}

impl Piece<'_> {
    /// The byte after its last.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// How many `../` may begin a path: bounds the look-ahead at every dot.
const PARENTS_MAX: usize = 8;
/// Letters of the longest scheme of an address that is looked for.
const SCHEME_CHARS_MAX: usize = 12;

/// The pieces of `text` in order; what lies between them is white space. Linear in its length.
pub(super) fn scan(text: &str) -> Vec<Piece<'_>> {
    let cursor = Cursor { chars: text.char_indices().collect() };
    let mut pieces = Vec::new();
    let mut from = 0;
    while let Some(first) = cursor.at(from) {
        if first.is_whitespace() {
            from += 1;
            continue;
        }
        let (kind, to) = if is_han(first) {
            (PieceKind::Han, from + 1)
        } else if let Some(to) = cursor.url_end(from) {
            (PieceKind::Url, to)
        } else if let Some(to) = cursor.drive_path_end(from) {
            (PieceKind::DrivePath, to)
        } else if let Some(to) = cursor.chunk_end(from) {
            (PieceKind::Chunk, to)
        } else {
            (PieceKind::Mark, from + 1)
        };
        let start = cursor.offset(from, text);
        pieces.push(Piece { start, text: &text[start..cursor.offset(to, text)], kind });
        from = to;
    }
    pieces
}

/// Whether `c` is a Han character: one that is a word, or a part of a word, by itself.
pub fn is_han(c: char) -> bool {
    matches!(c,
        '\u{3005}' | '\u{3007}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

/// Whether `c` can stand inside a word, number or identifier.
fn is_word(c: char) -> bool {
    (c.is_alphanumeric() || c == '_' || is_combining_mark(c)) && !is_han(c)
}

struct Cursor {
    chars: Vec<(usize, char)>,
}

impl Cursor {
    fn at(&self, index: usize) -> Option<char> {
        self.chars.get(index).map(|&(_, c)| c)
    }

    fn offset(&self, index: usize, text: &str) -> usize {
        self.chars.get(index).map_or(text.len(), |&(offset, _)| offset)
    }

    fn is(&self, index: usize, test: impl Fn(char) -> bool) -> bool {
        self.at(index).is_some_and(test)
    }

    fn is_digit(&self, index: usize) -> bool {
        self.is(index, |c| c.is_ascii_digit())
    }

    fn is_word(&self, index: usize) -> bool {
        self.is(index, is_word)
    }

    /// Whether nothing that could belong to the same chunk stands before `from`.
    fn is_free(&self, from: usize) -> bool {
        from == 0 || !self.is(from - 1, |c| is_word(c) || c == ')')
    }

    fn url_end(&self, from: usize) -> Option<usize> {
        let scheme = (from..from + SCHEME_CHARS_MAX)
            .take_while(|&i| self.is(i, |c| c.is_ascii_alphanumeric()))
            .count();
        let colon = from + scheme;
        let slashes = scheme > 1
            && [':', '/', '/'].iter().enumerate().all(|(i, &c)| self.at(colon + i) == Some(c));
        slashes.then(|| self.run_end(colon + 3))
    }

    fn drive_path_end(&self, from: usize) -> Option<usize> {
        let drive = self.is_free(from)
            && self.is(from, |c| c.is_ascii_alphabetic())
            && self.at(from + 1) == Some(':')
            && matches!(self.at(from + 2), Some('\\' | '/'))
            && self.is_word(from + 3);
        drive.then(|| self.run_end(from + 3))
    }

    /// The end of an address or path that begins before `from`: where a sentence goes on.
    fn run_end(&self, from: usize) -> usize {
        let is_inside =
            |c: char| is_word(c) || (c.is_ascii_punctuation() && !"\"'`<>|*(){}[],;!".contains(c));
        let mut to = from;
        while self.is(to, is_inside) {
            to += 1;
        }
        while to > from && self.is(to - 1, |c| ".:?/\\".contains(c)) {
            to -= 1;
        }
        to
    }

    fn chunk_end(&self, from: usize) -> Option<usize> {
        let mut to = self.chunk_body(from)?;
        loop {
            if self.is_word(to) {
                to += 1;
            } else if to > from && self.is_digit(to - 1) && self.at(to) == Some('%') {
                return Some(to + 1);
            } else if to > from && self.joins(from, to) {
                to += 1;
            } else {
                return Some(to);
            }
        }
    }

    /// Where the body of a chunk begins whose first character, a sign perhaps, is at `from`.
    fn chunk_body(&self, from: usize) -> Option<usize> {
        match self.at(from)? {
            c if is_word(c) => Some(from),
            '/' if self.is_free(from) && (self.is_word(from + 1)) => Some(from + 1),
            '~' if self.at(from + 1) == Some('/') && self.is_word(from + 2) => Some(from + 2),
            '-' | '\u{2212}' if self.is_free(from) && self.number_begins(from + 1) => {
                Some(from + 1)
            }
            '.' if self.is_free(from) && self.is_digit(from + 1) => Some(from + 1),
            '°' if self.is(from + 1, |c| "CFcf".contains(c)) => Some(from + 1),
            '.' => self.relative_path_body(from),
            _ => None,
        }
    }

    fn number_begins(&self, index: usize) -> bool {
        self.is_digit(index) || (self.at(index) == Some('.') && self.is_digit(index + 1))
    }

    fn relative_path_body(&self, from: usize) -> Option<usize> {
        let mut to = from;
        for _ in 0..PARENTS_MAX {
            let dots = (to..to + 3).take_while(|&i| self.at(i) == Some('.')).count();
            if !(1..=2).contains(&dots) || self.at(to + dots) != Some('/') {
                break;
            }
            to += dots + 1;
        }
        (to > from && self.is_word(to)).then_some(to)
    }

    /// Whether the character at `at`, which is no word character, holds together what stands on
    /// its two sides. `from` is where the chunk begins.
    fn joins(&self, from: usize, at: usize) -> bool {
        let (before, after) = (at - 1, at + 1);
        let is_letter = |i| self.is(i, |c| c.is_alphabetic() && is_word(c));
        match self.at(at) {
            Some('.') => {
                self.is_word(after) && self.is(before, |c| is_word(c) || c == '/' || c == '\\')
                    || self.number_begins(at) && self.at(before) == Some('-')
            }
            Some('-') => self.is_word(before) && (self.is_word(after) || self.number_begins(after)),
            Some('/' | '\\') => {
                self.is_word(before)
                    && (self.is_word(after)
                        || self.at(after) == Some('.') && self.is_word(after + 1))
            }
            Some('\'' | '\u{2019}' | '·' | '⋅') => is_letter(before) && is_letter(after),
            Some(':') => self.is_digit(before) && self.is_digit(after),
            Some(',') => self.groups_thousands(from, at),
            Some('+') => {
                at >= from + 2
                    && self.is(before, |c| c == 'e' || c == 'E')
                    && self.is_digit(before - 1)
                    && self.is_digit(after)
            }
            Some('^') => is_letter(before) && self.is_digit(after),
            Some('°' | '℃' | '℉') => self.is_digit(before),
            _ => false,
        }
    }

    fn groups_thousands(&self, from: usize, comma: usize) -> bool {
        let digits = (from..comma).rev().take(4).take_while(|&i| self.is_digit(i)).count();
        let before = comma - digits;
        let head = before == from || self.is(before - 1, |c| matches!(c, ',' | '-' | '\u{2212}'));
        (1..=3).contains(&digits)
            && head
            && (1..=3).all(|i| self.is_digit(comma + i))
            && !self.is_digit(comma + 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_falls_into_its_pieces() {
        let cases: &[(&str, &[&str])] = &[
            ("grip 12.5N, then", &["grip", "12.5N", ",", "then"]),
            ("arm-01 M8x40 v2.1.3.", &["arm-01", "M8x40", "v2.1.3", "."]),
            ("1e-3 and -3 and .5 and 1e+6", &["1e-3", "and", "-3", "and", ".5", "and", "1e+6"]),
            ("10,000 but 1,2,3", &["10,000", "but", "1", ",", "2", ",", "3"]),
            ("1,2345 or 1234,567", &["1", ",", "2345", "or", "1234", ",", "567"]),
            ("see ../a/b.yaml, ~/x/y", &["see", "../a/b.yaml", ",", "~/x/y"]),
            ("/home/u/.config/x.yaml", &["/home/u/.config/x.yaml"]),
            (r"C:\x\y.txt: bad", &[r"C:\x\y.txt", ":", "bad"]),
            ("https://a.b/c?d=1. Yes", &["https://a.b/c?d=1", ".", "Yes"]),
            ("don't 20°C 80%", &["don't", "20°C", "80%"]),
            ("力15N", &["力", "15N"]),
            ("5 - 3", &["5", "-", "3"]),
            ("x=-3", &["x", "=", "-3"]),
            ("....", &[".", ".", ".", "."]),
        ];
        for (text, expected) in cases {
            let pieces: Vec<&str> = scan(text).iter().map(|piece| piece.text).collect();
            assert_eq!(&pieces, expected, "{text}");
        }
    }
}
