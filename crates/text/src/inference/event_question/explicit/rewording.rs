//! A question with one word for one thing: the reader knows few words, and this makes of many others one of these.

use super::super::super::lexer::is_han;
use super::reworded_english::{BEFORE_DIGITS, BEFORE_NUMBERS, ENGLISH};
use super::reworded_han::HAN;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What is said, and the known words for it; by their first letter, the longest first.
type Rows = HashMap<char, Vec<(&'static str, &'static str)>>;

static WORDS: LazyLock<Rows> = LazyLock::new(|| by_first_letter(&[ENGLISH, HAN]));
static TIMED: LazyLock<Rows> = LazyLock::new(|| by_first_letter(&[BEFORE_DIGITS]));
static NUMBERED: LazyLock<Rows> = LazyLock::new(|| by_first_letter(&[BEFORE_NUMBERS]));

fn by_first_letter(tables: &[&[(&'static str, &[&'static str])]]) -> Rows {
    let mut rows: Rows = HashMap::new();
    for (known, others) in tables.iter().copied().flatten() {
        for said in *others {
            let Some(first) = said.chars().next() else { continue };
            rows.entry(first).or_default().push((said, known));
        }
    }
    for of_letter in rows.values_mut() {
        of_letter.sort_by_key(|(said, _)| std::cmp::Reverse(said.len()));
    }
    rows
}

/// The text in the words that the reader knows.
pub(super) fn in_known_words(text: &str) -> String {
    // Of English the small letters are compared, which are as long.
    let small = text.to_ascii_lowercase();
    let mut known = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(letter) = small[at..].chars().next() {
        let is_begin =
            is_han(letter) || !known.ends_with(|c: char| c.is_alphanumeric() && !is_han(c));
        if let Some((word, count)) = reworded(&small[at..], letter).filter(|_| is_begin) {
            push_word(&mut known, word);
            at += count;
            continue;
        }
        let count = letter.len_utf8();
        known.push_str(&text[at..at + count]);
        at += count;
    }
    known
}

/// The known word for what a text begins with, and how many bytes it has there.
fn reworded(text: &str, first: char) -> Option<(&'static str, usize)> {
    let is_whole = |said: &str| {
        let rest = &text[said.len()..];
        let is_inside = |c: char| c.is_alphanumeric() && !is_han(c) || c == '\'';
        !said.ends_with(|c: char| c.is_ascii_alphanumeric()) || !rest.starts_with(is_inside)
    };
    let rows = |rows: &'static Rows| rows.get(&first).map_or(&[][..], Vec::as_slice);
    let begins =
        |(said, _): &&(&'static str, &'static str)| text.starts_with(said) && is_whole(said);
    // "On opening the gripper".
    let is_verb = |said: &str| {
        ["opening", "closing"].contains(&said)
            && [" the ", " a ", " of ", " its "]
                .iter()
                .any(|next| text[said.len()..].starts_with(next))
    };
    let word = rows(&WORDS).iter().find(begins).filter(|(said, _)| !is_verb(said));
    let timed = rows(&TIMED).iter().filter(begins).find(|(said, _)| is_clock(&text[said.len()..]));
    // 计数到15点 is of a time of the day.
    let is_number = |rest: &str| {
        let digits = rest.trim_start();
        let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_of_clock = behind.trim_start().starts_with([
            '点', '时', '分', '秒', '月', '日', '号', '件', '个', '次', '条', ':', '：',
        ]);
        behind.len() < digits.len() && !is_of_clock
    };
    let mut numbered = rows(&NUMBERED).iter().filter(begins);
    let numbered = numbered.find(|(said, _)| is_number(&text[said.len()..]));
    let longest = [word, timed, numbered].into_iter().flatten().max_by_key(|(said, _)| said.len());
    longest.map(|(said, known)| (*known, said.len()))
}

/// Whether a clock time follows: " 15:04", " the 8:12 one".
fn is_clock(rest: &str) -> bool {
    let rest = rest.strip_prefix(" the").unwrap_or(rest).trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (1..=2).contains(&digits) && rest[digits..].starts_with(':')
}

/// Writes a word; of none nothing but a space, so that what stood beside it stays apart.
fn push_word(known: &mut String, word: &str) {
    known.push_str(word);
    if word.is_empty() && known.ends_with(|c: char| !c.is_whitespace() && !is_han(c)) {
        known.push(' ');
    }
}
