//! Texts that are secrets by their form.

use super::rules::FORMS;
use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::sync::{LazyLock, OnceLock};

/// Bytes that one expression may take while it is matched: below it, some would be matched slowly.
pub(super) const STATES_BYTES_MAX: usize = 32 << 20;

/// An expression of the tables, made when a text first needs it: most never are.
pub(super) struct Expression {
    pattern: String,
    /// `None`: it is wrong, which a test rules out.
    made: OnceLock<Option<Regex>>,
}

impl Expression {
    pub fn of(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), made: OnceLock::new() }
    }

    pub fn made(&self) -> Option<&Regex> {
        let make = || {
            RegexBuilder::new(&self.pattern)
                .dfa_size_limit(STATES_BYTES_MAX)
                .build()
                .inspect_err(|error| log::error!("what is never stored: {error}"))
                .ok()
        };
        self.made.get_or_init(make).as_ref()
    }
}

struct Forms {
    /// For each form, whether one of its keys is there: nearly every text has those of few.
    keys: RegexSet,
    each: Vec<Expression>,
}

static FORMS_MADE: LazyLock<Option<Forms>> = LazyLock::new(|| {
    // A test makes them, so that this is never met.
    Forms::made()
        .inspect_err(|error| log::error!("the forms of what is never stored: {error}"))
        .ok()
});

impl Forms {
    fn made() -> Result<Self, regex::Error> {
        let keys = FORMS.iter().map(|form| {
            let keys: Vec<String> = form.keys.iter().map(|key| regex::escape(key)).collect();
            format!("(?i-u:{})", keys.join("|"))
        });
        let keys = RegexSetBuilder::new(keys).dfa_size_limit(STATES_BYTES_MAX).build()?;
        Ok(Self { keys, each: FORMS.iter().map(|form| Expression::of(form.pattern)).collect() })
    }
}

/// Whether bytes that hold texts may hold a secret by its form.
pub(super) fn may_be_in(bytes: &[u8]) -> bool {
    let Some(forms) = FORMS_MADE.as_ref() else { return false };
    let keyed = forms.keys.matches(bytes);
    let is_in = |at: usize| forms.each.get(at)?.made().map(|form| form.is_match(bytes));
    keyed.iter().any(|at| is_in(at).unwrap_or_default())
}

/// The first secret by its form in a text as it reads: its rule, and where it begins.
pub(super) fn find(text: &str) -> Option<(&'static str, usize)> {
    let forms = FORMS_MADE.as_ref()?;
    let first = |at: usize| {
        let (form, regex) = (FORMS.get(at)?, forms.each.get(at)?.made()?);
        regex.captures_iter(text.as_bytes()).find_map(|found| {
            let all = found.get(0)?;
            let value = found.get(1).unwrap_or(all);
            let word = text.get(value.range()).unwrap_or_default();
            let after = text.get(value.end()..).unwrap_or_default();
            // What stands before a form can be the last byte of a character.
            let begins = (all.start()..all.end()).find(|at| text.is_char_boundary(*at))?;
            let begin = text.get(begins..all.end()).unwrap_or_default();
            let is_lead = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '$');
            let lead = begin.len() - begin.trim_start_matches(is_lead).len();
            form.check.holds(word, after).then_some((form.rule, begins + lead))
        })
    };
    forms.keys.matches(text.as_bytes()).iter().filter_map(first).min_by_key(|(_, at)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_expressions_can_be_made() {
        let forms = Forms::made().unwrap();
        assert!(forms.each.iter().all(|form| form.made().is_some()));
    }
}
