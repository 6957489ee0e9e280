//! A text as words and Han characters, each with its place: what phrases of a question are found in.

use super::super::lexer::is_han;
use super::super::phrases::Rows;
use super::super::tokens::index_token;
use std::collections::HashMap;
use std::ops::Range;

/// A word, a number (`10:30`, `2.5`) or one Han character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Atom {
    /// In bytes.
    pub place: Range<usize>,
    /// In lower case.
    pub text: String,
    /// Without its ending, as words are compared.
    pub stem: String,
}

impl Atom {
    /// Whether it is one of these words.
    pub fn is_one_of(&self, words: &[&str]) -> bool {
        words.contains(&self.text.as_str())
    }

    /// Whether it is a whole number in digits.
    pub fn is_digits(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Whether it is a number in digits, or a time of a clock.
    pub fn has_digit_first(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }

    pub fn is_han(&self) -> bool {
        self.text.chars().next().is_some_and(is_han)
    }
}

/// What a text says from the first of some atoms to the last.
pub(super) fn said<'t>(text: &'t str, atoms: &[Atom]) -> &'t str {
    match atoms {
        [] => "",
        [first, .., last] => &text[first.place.start..last.place.end],
        [one] => &text[one.place.clone()],
    }
}

/// The atoms of a text. What stands between them tells nothing, but for the signs within a number.
pub(super) fn atoms(text: &str) -> Vec<Atom> {
    let mut atoms: Vec<Atom> = Vec::new();
    let mut begin: Option<usize> = None;
    let mut push = |place: Range<usize>| {
        let lower = text[place.clone()].to_lowercase();
        let stem = index_token(&lower);
        atoms.push(Atom { place, text: lower, stem });
    };
    let mut letters = text.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let is_inside = matches!(letter, ':' | '.' | '：')
            && is_digit(before)
            && is_digit(next)
            && begin.is_some();
        // `30min` is a number and a word.
        let is_seam = begin.is_some()
            && is_digit(before) != letter.is_ascii_digit()
            && letter.is_alphanumeric()
            && !matches!(before, Some(':' | '.' | '：'));
        let is_part = (letter.is_alphanumeric() && !is_han(letter)) || is_inside;
        if (!is_part || is_seam)
            && let Some(first) = begin.take()
        {
            push(first..at);
        }
        if is_han(letter) {
            push(at..at + letter.len_utf8());
        } else if is_part && begin.is_none() {
            begin = Some(at);
        }
        before = Some(letter);
    }
    if let Some(first) = begin {
        push(first..text.len());
    }
    atoms
}

/// Whether `atoms` end with one of these phrases.
pub(super) fn ends(atoms: &[Atom], phrases: &[&str]) -> bool {
    (0..atoms.len())
        .any(|at| phrases.iter().any(|it| begins(&atoms[at..], it) == Some(atoms.len() - at)))
}

/// How many atoms a phrase has, when `atoms` begin with it; the phrase has single spaces between its
/// words, and none in Chinese.
#[inline]
pub(super) fn begins(atoms: &[Atom], phrase: &str) -> Option<usize> {
    may_begin(&atoms.first()?.text, phrase).then(|| matched(atoms, phrase))?
}

/// Whether the first letters of a word are those of a phrase: nearly all phrases are told apart by them, at a fraction of
/// the time that comparing takes.
#[inline]
fn may_begin(word: &str, phrase: &str) -> bool {
    let (word, phrase) = (word.as_bytes(), phrase.as_bytes());
    match (word, phrase) {
        ([a, b, c, ..], [x, y, z, ..]) => a == x && b == y && c == z,
        ([a, b, ..], [x, y, ..]) => a == x && b == y,
        ([a, ..], [x, ..]) => a == x,
        _ => true,
    }
}

fn matched(atoms: &[Atom], phrase: &str) -> Option<usize> {
    let mut count = 0;
    let mut rest = phrase;
    while !rest.is_empty() {
        let atom = atoms.get(count)?;
        rest = rest.strip_prefix(atom.text.as_str())?;
        count += 1;
        rest = match rest.strip_prefix(' ') {
            Some(rest) => rest,
            None if rest.is_empty() || atom.is_han() => rest,
            None => return None,
        };
    }
    Some(count)
}

/// How many atoms the longest of the phrases has that `atoms` begin with.
pub(super) fn longest_of(atoms: &[Atom], phrases: &[&str]) -> Option<usize> {
    phrases.iter().filter_map(|phrase| begins(atoms, phrase)).max()
}

/// Whether one of these phrases stands anywhere.
pub(super) fn has(atoms: &[Atom], phrases: &[&str]) -> bool {
    (0..atoms.len()).any(|at| longest_of(&atoms[at..], phrases).is_some())
}

/// Whether something stands anywhere outside what is `idle` there, which has so many atoms.
pub(super) fn stands_outside(
    atoms: &[Atom],
    idle: impl Fn(&[Atom]) -> Option<usize>,
    is_it: impl Fn(&[Atom]) -> bool,
) -> bool {
    let mut at = 0;
    while at < atoms.len() {
        let idle = idle(&atoms[at..]);
        if idle.is_none() && is_it(&atoms[at..]) {
            return true;
        }
        at += idle.unwrap_or(1);
    }
    false
}

/// Phrases by their first letter, for lists of hundreds, of which most would be compared in vain.
pub(super) struct ByLetter<T>(HashMap<char, Vec<(&'static str, T)>>);

impl<T: Copy> ByLetter<T> {
    /// All phrases of the rows.
    pub fn of(rows: &Rows<T>) -> Self {
        let mut all: HashMap<char, Vec<(&'static str, T)>> = HashMap::new();
        for (what, phrases) in rows {
            for phrase in *phrases {
                if let Some(letter) = phrase.chars().next() {
                    all.entry(letter).or_default().push((phrase, *what));
                }
            }
        }
        Self(all)
    }

    /// As [`longest`].
    pub fn longest(&self, atoms: &[Atom]) -> Option<(usize, T)> {
        let letter = atoms.first()?.text.chars().next()?;
        let phrases = self.0.get(&letter)?.iter();
        let found = phrases.filter_map(|(phrase, what)| Some((begins(atoms, phrase)?, *what)));
        found.rev().max_by_key(|(count, _)| *count)
    }
}

impl ByLetter<()> {
    /// All of a list.
    pub fn list(phrases: &'static [&'static str]) -> Self {
        Self::of(&[((), phrases)])
    }

    /// As [`longest_of`].
    pub fn longest_of(&self, atoms: &[Atom]) -> Option<usize> {
        self.longest(atoms).map(|(count, ())| count)
    }
}

/// The longest of the phrases that `atoms` begin with: how many atoms, and what it means.
pub(super) fn longest<T: Copy>(atoms: &[Atom], rows: &Rows<T>) -> Option<(usize, T)> {
    let found = rows.iter().filter_map(|(what, it)| Some((longest_of(atoms, it)?, *what)));
    // Of equals the first.
    found.rev().max_by_key(|(count, _)| *count)
}

/// All that `at` finds at one place behind the other: where, in bytes, and what it means.
pub(super) fn all<T>(
    atoms: &[Atom],
    at: impl Fn(usize) -> Option<(usize, T)>,
) -> Vec<(Range<usize>, T)> {
    let mut all = Vec::new();
    let mut index = 0;
    while index < atoms.len() {
        let Some((count, what)) = at(index) else {
            index += 1;
            continue;
        };
        all.push((atoms[index].place.start..atoms[index + count - 1].place.end, what));
        index += count;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        atoms(text).into_iter().map(|atom| atom.text).collect()
    }

    #[test]
    fn a_text_is_cut_at_all_that_is_no_letter() {
        assert_eq!(
            texts("Today's E-stop at 10:30, 2.5s ago."),
            ["today", "s", "e", "stop", "at", "10:30", "2.5", "s", "ago"]
        );
        assert_eq!(texts("昨天3点半"), ["昨", "天", "3", "点", "半"]);
        assert_eq!(texts("30min"), ["30", "min"]);
        assert!(texts(" …!").is_empty());
    }

    #[test]
    fn the_longest_phrase_is_found() {
        let phrases: &Rows<i32> =
            &[(1, &["last"]), (2, &["last night"]), (3, &["昨天"]), (4, &["昨"])];
        assert_eq!(longest(&atoms("last night it fell"), phrases), Some((2, 2)));
        assert_eq!(longest(&atoms("lastly"), phrases), None);
        assert_eq!(longest(&atoms("昨天下午"), phrases), Some((2, 3)));
    }
}
