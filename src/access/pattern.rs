//! Scopes as an access policy writes them.

use crate::model::ScopeKind;

/// Stands for any characters.
const STAR: char = '*';

/// Which scopes a grant is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopePattern<'p> {
    /// Every scope.
    Any,
    /// Every scope of a kind.
    Kind(ScopeKind),
    /// This one, as it is written.
    One(&'p str),
    /// Those that are written so, where `*` stands for any characters.
    Like(&'p str),
}

impl<'p> ScopePattern<'p> {
    /// Reads a pattern.
    pub(super) fn of(text: &'p str) -> Self {
        if text == "*" {
            return Self::Any;
        }
        let kind = text.strip_suffix(STAR).and_then(|text| text.strip_suffix(':'));
        match kind.and_then(ScopeKind::parse) {
            Some(kind) => Self::Kind(kind),
            None if text.contains(STAR) => Self::Like(text),
            None => Self::One(text),
        }
    }

    /// What all of its scopes begin with.
    pub fn prefix(&self) -> &'p str {
        match self {
            Self::Any => "",
            Self::Kind(kind) => kind.as_str(),
            Self::One(text) | Self::Like(text) => {
                text.split_once(STAR).map_or(*text, |(prefix, _)| prefix)
            }
        }
    }

    /// Whether a scope, as it is written, is one of them.
    pub fn has(&self, scope: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Kind(kind) => ScopeKind::of(scope) == *kind,
            Self::One(text) => *text == scope,
            Self::Like(text) => is_match(text, scope),
        }
    }
}

/// Whether a text is of a pattern, in which `*` stands for any characters.
pub(super) fn is_match(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once(STAR) else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split(STAR).collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        let yes = [
            ("*", ""),
            ("*", "x"),
            ("a*", "a"),
            ("a*", "ab"),
            ("*b", "ab"),
            ("a*c", "abc"),
            ("a*b*c", "a-b-b-c"),
            ("group:*", "group:x"),
            ("x", "x"),
        ];
        let no =
            [("a*", "b"), ("*b", "ba"), ("a*a", "a"), ("x", "xx"), ("a*b*c", "a-c"), ("", "x")];
        for (pattern, text) in yes {
            assert!(is_match(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in no {
            assert!(!is_match(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_has_the_scopes_that_its_text_matches() {
        let patterns = [
            ("*", ScopePattern::Any),
            ("turn:*", ScopePattern::Kind(ScopeKind::Turn)),
            ("branch:*", ScopePattern::Kind(ScopeKind::Branch)),
            ("global", ScopePattern::One("global")),
            ("agent:grasp", ScopePattern::One("agent:grasp")),
            ("turn:1*", ScopePattern::Like("turn:1*")),
            ("branch:s/*", ScopePattern::Like("branch:s/*")),
            ("turn:**", ScopePattern::Like("turn:**")),
        ];
        let scopes =
            ["global", "dm", "agent:grasp", "agent:grasper", "turn:1", "turn:21", "branch:s/1"];
        for (text, pattern) in patterns {
            assert_eq!(ScopePattern::of(text), pattern);
            for scope in scopes {
                assert_eq!(pattern.has(scope), is_match(text, scope), "{text} {scope}");
                assert!(!pattern.has(scope) || scope.starts_with(pattern.prefix()));
            }
        }
    }
}
