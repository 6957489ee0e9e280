//! Explicit phrases of order and time, in English and Chinese: "just before the last protective stop", 上次急停之前,
//! "how many grip losses since noon", 每天第一次. All of a question is read, or nothing.

mod bounds;
mod grammar;
mod lexer;
#[cfg(test)]
mod tests;
mod words;

pub use bounds::Bounds;

use super::atoms::atoms;
use bounds::Present;
use jiff::tz::TimeZone;
use robot_memory_core::api::CountBy;
use robot_memory_core::model::Stamp;

/// Longer questions are not read.
const ATOMS_MAX: usize = 60;

/// From which end events are counted.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    First,
    Last,
}

/// Which of several events in order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nth {
    /// Counted from here.
    pub end: End,
    /// 1: the one at the end.
    pub nth: u32,
}

/// Which events are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedEvents {
    /// Of this class.
    pub class: Option<&'static str>,
    /// Events of any kind.
    pub is_any: bool,
    /// Words that the name of their stream or subject must have; empty: no such.
    pub words: String,
}

/// An event beside which others are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Which events it is one of.
    pub of: NamedEvents,
    /// Which of them; none: the only one.
    pub nth: Option<Nth>,
    /// Of this time.
    pub bounds: Bounds,
}

/// On which side of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Beside {
    /// Before it.
    Before(Anchor, Option<f64>),
    /// After it; so many seconds at most, when they are said.
    After(Anchor, Option<f64>),
    /// All after it.
    Since(Anchor),
    /// On both sides.
    Around(Anchor, Option<f64>),
    /// From one event to the other. `true`: in this order.
    Between(Anchor, Anchor, bool),
}

/// Which of the events are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// All.
    All,
    /// One.
    Nth(Nth),
    /// So many from an end.
    Several(End, u32),
    /// So many beside the anchor.
    Nearest(u32),
}

/// What a question asks by words of order and time only.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderQuestion {
    /// Of these events; nothing said: of all memories.
    pub of: NamedEvents,
    /// Of this time.
    pub bounds: Bounds,
    /// Beside such an event.
    pub beside: Option<Beside>,
    /// Which of them.
    pub taken: Taken,
    /// Whether those right beside it are meant.
    pub is_just: bool,
    /// Whether they are counted.
    pub is_counted: bool,
    /// For each of these.
    pub per: Option<CountBy>,
    /// The first or the last of them first, when it is said.
    pub order: Option<End>,
}

impl NamedEvents {
    /// Whether nothing says which.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Reads a question that asks by words of order and time only, and names events by class and subject. `None`
/// when any word of it says something else. `now`: the time, and the zone of its days.
pub fn order_question(text: &str, now: Option<(Stamp, &TimeZone)>) -> Option<OrderQuestion> {
    let (now, zone) = now?;
    let text = with_joined_clocks(&super::super::tokens::normalized(text));
    if is_several_sentences(&text) {
        return None;
    }
    let all = atoms(&text);
    if all.is_empty() || all.len() > ATOMS_MAX || words::says_else(&all) {
        return None;
    }
    let present = Present::new(now, zone)?;
    let is_han = all.iter().any(super::atoms::Atom::is_han);
    let tokens = lexer::tokens(&text, &all, &present, is_han)?;
    grammar::read(&tokens, &all, is_han)
}

/// The text with "10:00 to 10:30" in place of "10:00-10:30".
fn with_joined_clocks(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let rest = text[at + letter.len_utf8()..].trim_start();
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        let is_clock = (1..=2).contains(&digits) && rest[digits..].starts_with([':', '点']);
        let is_dash = matches!(letter, '-' | '–' | '—' | '~' | '～');
        let is_after =
            text[..at].trim_end().ends_with(|c: char| c.is_ascii_digit() || "点分半".contains(c));
        if is_dash && is_clock && is_after {
            joined.push_str(" to ");
        } else {
            joined.push(letter);
        }
    }
    joined
}

/// Whether it has more than one sentence, or quotes something.
fn is_several_sentences(text: &str) -> bool {
    let quotes = [
        '"', '“', '”', '„', '「', '」', '『', '』', '«', '»', '`', '[', ']', '{', '}', '<', '>',
        '*',
    ];
    if text.contains(quotes) {
        return true;
    }
    let ends = |letter: char| matches!(letter, '?' | '!' | ';' | '。' | '…' | '\n' | ':' | '.');
    let body = text.trim_end_matches(|letter: char| ends(letter) || letter.is_whitespace());
    let mut letters = body.chars().peekable();
    let mut before = ' ';
    while let Some(letter) = letters.next() {
        let is_number = before.is_ascii_digit() && letters.peek().is_some_and(char::is_ascii_digit);
        if ends(letter) && !is_number {
            return true;
        }
        // 'lid' is quoted, the robot's is not.
        if letter == '\'' && !before.is_alphanumeric() {
            return true;
        }
        before = letter;
    }
    false
}
