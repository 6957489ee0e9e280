//! Tables of words and phrases, and the longest of them at a place of a text.

use std::collections::HashMap;

use super::items::{Item, ItemKind, items};

/// Words and phrases by what they mean.
pub(super) type Rows<T> = [(T, &'static [&'static str])];

/// The rows of a file of words: without comments, each with the name of the `[section]` that it is in.
pub(super) fn sections(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut section = "";
    file.lines().filter_map(move |row| {
        let row = row.split('#').next().unwrap_or_default().trim();
        if let Some(name) = row.strip_prefix('[').and_then(|row| row.strip_suffix(']')) {
            section = name;
            return None;
        }
        (!row.is_empty()).then_some((section, row))
    })
}

/// A table from phrases, of whole words or Han characters, to what they mean.
pub(super) struct Phrases<T> {
    /// By first word; the longest first.
    by_first: HashMap<String, Vec<(Vec<String>, T)>>,
}

impl<T: Copy> Phrases<T> {
    /// The table of `rows`. Of rows with the same phrase the first counts.
    pub fn new(rows: impl IntoIterator<Item = (&'static str, T)>) -> Self {
        let mut by_first: HashMap<String, Vec<(Vec<String>, T)>> = HashMap::new();
        for (phrase, meaning) in rows {
            let mut words = items(phrase).into_iter().map(|item| item.text);
            if let Some(first) = words.next() {
                by_first.entry(first).or_default().push((words.collect(), meaning));
            }
        }
        for phrases in by_first.values_mut() {
            phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        Self { by_first }
    }

    /// The table of phrases by what they mean.
    pub fn of(rows: &'static Rows<T>) -> Self {
        Self::new(
            rows.iter().flat_map(|(meaning, texts)| texts.iter().map(|text| (*text, *meaning))),
        )
    }

    /// The meaning of the longest phrase that begins `text`, and how many items it takes.
    pub fn longest(&self, text: &[Item]) -> Option<(T, usize)> {
        let (first, rest) = text.split_first()?;
        if !matches!(first.kind, ItemKind::Word | ItemKind::Han | ItemKind::Sign) {
            return None;
        }
        let phrases = self.by_first.get(&first.text)?;
        let is_at = |words: &[String]| {
            words.len() <= rest.len()
                && words.iter().zip(rest).all(|(word, item)| *word == item.text)
        };
        phrases.iter().find(|(words, _)| is_at(words)).map(|(words, t)| (*t, words.len() + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_phrase_counts() {
        let table = Phrases::new([("不可", 1), ("不可靠", 2), ("must", 3), ("must not", 4)]);
        let longest = |text: &str| table.longest(&items(text));
        assert_eq!(longest("不可靠的"), Some((2, 3)));
        assert_eq!(longest("不可打开"), Some((1, 2)));
        assert_eq!(longest("Must not!"), Some((4, 2)));
        assert_eq!(longest("musty"), None);
        assert_eq!(longest(""), None);
    }
}
