//! What a caller gave, as an error shows it.

use crate::limits::QUOTED_CHARS_MAX;
use std::fmt::{self, Display, Formatter};

/// A text that somebody gave, in quotes and without control characters: its beginning, and how many
/// characters it has when that is not all.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'a>(&'a str);

/// As an error shows a text that a caller gave.
pub fn quoted(text: &str) -> Quoted<'_> {
    Quoted(text)
}

/// The same without quotes: a name, or a path of names, that stands where a field would.
#[derive(Debug, Clone, Copy)]
pub struct Cut<'a>(&'a str);

/// As an error shows a name that a caller gave.
pub fn cut(text: &str) -> Cut<'_> {
    Cut(text)
}

/// The beginning that is shown, and how many characters there are when that is not all.
fn beginning(text: &str) -> (&str, Option<usize>) {
    match text.char_indices().nth(QUOTED_CHARS_MAX) {
        None => (text, None),
        Some((end, _)) => (text.get(..end).unwrap_or_default(), Some(text.chars().count())),
    }
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match beginning(self.0) {
            (all, None) => write!(f, "{all:?}"),
            (start, Some(count)) => write!(f, "{start:?}\u{2026} ({count} characters)"),
        }
    }
}

impl Display for Cut<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match beginning(self.0) {
            (all, None) => f.write_str(all),
            (start, Some(count)) => write!(f, "{start}\u{2026} ({count} characters)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{cut, quoted};

    #[test]
    fn a_long_text_is_shown_by_its_beginning_and_its_length() {
        assert_eq!(quoted("on \"top\"\n").to_string(), r#""on \"top\"\n""#);
        assert_eq!(quoted(&"钳".repeat(64)).to_string(), format!("\"{}\"", "钳".repeat(64)));
        assert_eq!(cut("force.unit").to_string(), "force.unit");
        assert_eq!(
            cut(&"x".repeat(65)).to_string(),
            format!("{}\u{2026} (65 characters)", "x".repeat(64))
        );
        let long = quoted(&"钳".repeat(1_000_000)).to_string();
        assert_eq!(long, format!("\"{}\"\u{2026} (1000000 characters)", "钳".repeat(64)));
    }
}
