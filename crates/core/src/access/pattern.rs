//! Texts in which `*` stands for any characters, and which scopes they name.

use crate::model::ScopeKind;

/// A text in which `*` stands for any characters, none too. All else stands for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// What must be there, in this order, with anything between; one part more than there are stars.
    parts: Vec<String>,
}

impl Pattern {
    pub fn new(text: &str) -> Self {
        Self { parts: text.split('*').map(str::to_owned).collect() }
    }

    /// With a text in place of each `placeholder`. Stars in that text stand for themselves.
    pub fn filled(&self, placeholder: &str, text: &str) -> Self {
        Self { parts: self.parts.iter().map(|part| part.replace(placeholder, text)).collect() }
    }

    /// Whether a part of it has this text.
    pub fn contains(&self, text: &str) -> bool {
        self.parts.iter().any(|part| part.contains(text))
    }

    /// Whether it has no star.
    pub fn is_literal(&self) -> bool {
        self.parts.len() == 1
    }

    /// Whether all texts are of it.
    pub fn is_everything(&self) -> bool {
        !self.is_literal() && self.parts.iter().all(String::is_empty)
    }

    /// Whether a text is of it. Where a middle part fits first is as good as any later place.
    pub fn is_match(&self, text: &str) -> bool {
        let (first, rest) = match self.parts.as_slice() {
            [] => return false,
            [only] => return only == text,
            [first, rest @ ..] => (first, rest),
        };
        let Some(mut text) = text.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return false };
        for part in middle {
            let Some(at) = text.find(part.as_str()) else { return false };
            text = &text[at + part.len()..];
        }
        text.ends_with(last.as_str())
    }

    /// Whether whatever is of the other is of this one: then the other's star stands where one of
    /// this one's does.
    pub fn encloses(&self, other: &Self) -> bool {
        self.is_match(&other.to_string())
    }
}

/// Which scopes a pattern names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopePattern<'p> {
    /// Every scope.
    Any,
    /// Every scope of a kind.
    Kind(ScopeKind),
    /// This one, as it is written.
    One(&'p str),
    /// Those that are written so, where `*` stands for any characters.
    Like(&'p Pattern),
}

impl<'p> ScopePattern<'p> {
    /// Reads a pattern.
    pub(super) fn of(pattern: &'p Pattern) -> Self {
        if pattern.is_everything() {
            return Self::Any;
        }
        match pattern.parts.as_slice() {
            [only] => Self::One(only),
            [kind, rest] if rest.is_empty() => kind
                .strip_suffix(':')
                .and_then(ScopeKind::parse)
                .map_or(Self::Like(pattern), Self::Kind),
            _ => Self::Like(pattern),
        }
    }

    /// What all of its scopes begin with.
    pub fn prefix(&self) -> &'p str {
        match self {
            Self::Any => "",
            Self::Kind(kind) => kind.as_str(),
            Self::One(text) => text,
            Self::Like(pattern) => pattern.parts.first().map_or("", String::as_str),
        }
    }

    /// Whether a scope, as it is written, is one of them.
    pub fn has(&self, scope: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Kind(kind) => ScopeKind::of(scope) == *kind,
            Self::One(text) => *text == scope,
            Self::Like(pattern) => pattern.is_match(scope),
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, part) in self.parts.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "*" })?;
            f.write_str(part)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The rule as it is said, one character at a time.
    fn is_match_by_rule(pattern: &[char], text: &[char]) -> bool {
        match pattern {
            [] => text.is_empty(),
            ['*', rest @ ..] => (0..=text.len()).any(|from| is_match_by_rule(rest, &text[from..])),
            [first, rest @ ..] => text.first() == Some(first) && is_match_by_rule(rest, &text[1..]),
        }
    }

    #[test]
    fn stars_stand_for_any_characters() {
        let cases = [
            ("*", "", true),
            ("*", "x", true),
            ("a*", "a", true),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*c", "abc", true),
            ("a*b*c", "a-b-b-c", true),
            ("*ab", "aab", true),
            ("group:*", "group:x", true),
            ("夹*", "夹爪", true),
            ("x", "x", true),
            ("a*", "b", false),
            ("*b", "ba", false),
            ("a*a", "a", false),
            ("x", "xx", false),
            ("a*b*c", "a-c", false),
            ("", "x", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(Pattern::new(pattern).is_match(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn what_is_filled_in_stands_for_itself() {
        let own = Pattern::new("agent:{agent}");
        assert!(own.filled("{agent}", "a").is_match("agent:a"));
        for (agent, text) in [("a", "agent:ab"), ("*", "agent:x"), ("a*", "agent:ab")] {
            assert!(!own.filled("{agent}", agent).is_match(text), "{agent} {text}");
        }
    }

    proptest! {
        #[test]
        fn a_match_is_what_the_rule_says(pattern in "[ab*]{0,7}", text in "[ab*]{0,9}") {
            let chars = |text: &str| text.chars().collect::<Vec<char>>();
            let expected = is_match_by_rule(&chars(&pattern), &chars(&text));
            prop_assert_eq!(Pattern::new(&pattern).is_match(&text), expected);
        }

        #[test]
        fn what_is_enclosed_matches_nothing_else(
            outer in "[ab*]{0,5}",
            inner in "[ab*]{0,5}",
            text in "[ab]{0,6}",
        ) {
            let (outer, inner) = (Pattern::new(&outer), Pattern::new(&inner));
            if outer.encloses(&inner) && inner.is_match(&text) {
                prop_assert!(outer.is_match(&text));
            }
        }
    }

    #[test]
    fn scopes_are_named_by_kind_by_name_or_by_pattern() {
        let kinds =
            [("*", None), ("group:*", Some(ScopeKind::Group)), ("turn:*", Some(ScopeKind::Turn))];
        for (text, kind) in kinds {
            let pattern = Pattern::new(text);
            let expected = kind.map_or(ScopePattern::Any, ScopePattern::Kind);
            assert_eq!(ScopePattern::of(&pattern), expected, "{text}");
        }
        let patterns = [
            "*",
            "global",
            "agent:grasp",
            "agent:*",
            "agent:gr*",
            "branch:s/*",
            "turn:**",
            "turn:2*",
        ];
        let scopes =
            ["global", "dm", "agent:grasp", "agent:grasper", "turn:1", "turn:21", "branch:s/1"];
        for text in patterns {
            let pattern = Pattern::new(text);
            let named = ScopePattern::of(&pattern);
            for scope in scopes {
                assert_eq!(named.has(scope), pattern.is_match(scope), "{text} {scope}");
                assert!(!named.has(scope) || scope.starts_with(named.prefix()), "{text} {scope}");
            }
        }
    }
}
