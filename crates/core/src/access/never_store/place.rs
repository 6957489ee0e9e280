//! Where in what was given a secret stands, told without telling it.

use super::plausible::is_odd;
use std::fmt;

/// Characters of a key that are shown.
const KEY_CHARS_MAX: usize = 32;
/// Steps of a pointer that are shown, the last ones.
const STEPS_MAX: usize = 6;

/// Where a secret stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// From this character of a text on, counted from 0.
    Character(usize),
    /// From this byte on, counted from 0.
    Byte(usize),
    /// In this value of JSON, from this character of it on.
    Pointer(Pointer, Option<usize>),
    /// In a key of this object in JSON.
    KeyOf(Pointer),
}

/// A way into JSON, as RFC 6901 writes it; of a key that could itself be a secret stands `…`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pointer(Vec<Step>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Element(usize),
}

impl Pointer {
    pub(super) fn enter(&mut self, key: &str) {
        let is_shown = key.chars().count() <= KEY_CHARS_MAX && !key.split_whitespace().any(is_odd);
        self.0.push(Step::Key(if is_shown { key.to_owned() } else { "…".to_owned() }));
    }

    pub(super) fn enter_element(&mut self, index: usize) {
        self.0.push(Step::Element(index));
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    fn joined(&self, inner: Self) -> Self {
        Self(self.0.iter().cloned().chain(inner.0).collect())
    }
}

impl Place {
    /// The same place, of JSON in a text of other JSON.
    pub(super) fn within(self, outer: &Pointer) -> Self {
        match self {
            Self::Character(at) | Self::Byte(at) => Self::Pointer(outer.clone(), Some(at)),
            Self::Pointer(inner, at) => Self::Pointer(outer.joined(inner), at),
            Self::KeyOf(inner) => Self::KeyOf(outer.joined(inner)),
        }
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = self.0.len().saturating_sub(STEPS_MAX);
        if hidden > 0 {
            f.write_str("…")?;
        }
        for step in self.0.iter().skip(hidden) {
            match step {
                Step::Key(key) => {
                    write!(f, "/{}", key.replace('~', "~0").replace('/', "~1").escape_debug())?
                }
                Step::Element(index) => write!(f, "/{index}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = |pointer: &Pointer| pointer.0.is_empty();
        match self {
            Self::Character(at) => write!(f, "at character {at}"),
            Self::Byte(at) => write!(f, "at byte {at}"),
            Self::Pointer(pointer, Some(at)) if root(pointer) => write!(f, "at character {at}"),
            Self::Pointer(pointer, Some(at)) => write!(f, "at {pointer}, character {at}"),
            Self::Pointer(pointer, None) if root(pointer) => f.write_str("in the whole of it"),
            Self::Pointer(pointer, None) => write!(f, "at {pointer}"),
            Self::KeyOf(pointer) if root(pointer) => f.write_str("in a key of the object"),
            Self::KeyOf(pointer) => write!(f, "in a key of {pointer}"),
        }
    }
}
