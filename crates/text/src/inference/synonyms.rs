use std::collections::{BTreeMap, BTreeSet};

use super::identity::names_of_things;
use super::tokens::{ElementKind, TextElements, index_token, normalized};

/// The groups of words that come with the program.
const SHIPPED: &str = include_str!("../../../../config/synonyms.txt");

/// Words and phrases that a query may exchange for each other.
#[derive(Debug, Clone, Default)]
pub struct Synonyms {
    groups: Vec<Vec<Phrase>>,
    /// The groups of a phrase.
    by_phrase: BTreeMap<PhraseKey, Vec<usize>>,
    /// Words of the longest English phrase, and characters of the longest Chinese one.
    words_max: usize,
    han_chars_max: usize,
}

/// What is wrong with a line of synonyms.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct SynonymError {
    /// The line, from 1.
    pub line: usize,
    reason: String,
}

/// How a phrase is recognized.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PhraseKey {
    /// The tokens of its words, in order.
    Words(Vec<String>),
    Han(String),
}

#[derive(Debug, Clone)]
struct Phrase {
    key: PhraseKey,
    tokens: Vec<String>,
}

impl Synonyms {
    /// Those that come with the program.
    pub fn shipped() -> Self {
        // A test reads the file.
        Self::parse(SHIPPED).unwrap_or_default()
    }

    /// Reads groups of synonyms: one a line, at least two words or phrases with commas between, and what
    /// follows a `#` left out. A phrase is English (words, names) or Chinese, not both.
    ///
    /// # Errors
    ///
    /// Names the first line that is none, and what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, SynonymError> {
        let mut synonyms = Self::default();
        for (line, row) in (1..).zip(text.lines()) {
            let row = row.split('#').next().unwrap_or_default().trim();
            if !row.is_empty() {
                let group = group(row).map_err(|reason| SynonymError { line, reason })?;
                synonyms.add(group);
            }
        }
        Ok(synonyms)
    }

    /// Knows what things are called, too: `config/things.txt`.
    #[must_use]
    pub fn with_things(mut self) -> Self {
        for row in names_of_things() {
            // A name in two alphabets is no phrase.
            let mut group: Vec<Phrase> = Vec::new();
            for phrase in row.split([',', '，']).filter_map(|text| phrase(text.trim()).ok()) {
                if group.iter().all(|other| other.key != phrase.key) {
                    group.push(phrase);
                }
            }
            self.add(group);
        }
        self
    }

    fn add(&mut self, group: Vec<Phrase>) {
        for phrase in &group {
            match &phrase.key {
                PhraseKey::Words(words) => self.words_max = self.words_max.max(words.len()),
                PhraseKey::Han(run) => {
                    self.han_chars_max = self.han_chars_max.max(run.chars().count());
                }
            }
            let groups = self.by_phrase.entry(phrase.key.clone()).or_default();
            if groups.last() != Some(&self.groups.len()) {
                groups.push(self.groups.len());
            }
        }
        self.groups.push(group);
    }

    /// How many words the longest phrase has.
    pub(super) fn words_max(&self) -> usize {
        self.words_max
    }

    /// How many words the longest phrase at the beginning of `words` has; these are tokens.
    pub(super) fn longest_words(&self, words: &[String]) -> Option<usize> {
        let longest = self.words_max.min(words.len());
        (1..=longest).rev().find(|&len| self.has(&PhraseKey::Words(words[..len].to_vec())))
    }

    /// How many bytes the longest phrase of two characters or more at the beginning of `run` has.
    pub(super) fn longest_han(&self, run: &str) -> Option<usize> {
        let ends = run.char_indices().map(|(at, c)| at + c.len_utf8());
        let ends: Vec<usize> = ends.take(self.han_chars_max).skip(1).collect();
        ends.into_iter().rev().find(|&end| self.has(&PhraseKey::Han(run[..end].to_owned())))
    }

    fn has(&self, key: &PhraseKey) -> bool {
        self.by_phrase.contains_key(key)
    }

    /// The tokens of each other phrase that may stand for this one.
    pub(super) fn others(&self, key: &PhraseKey) -> impl Iterator<Item = &[String]> {
        let groups = self.by_phrase.get(key).map(Vec::as_slice).unwrap_or_default();
        let phrases = groups.iter().flat_map(|&group| &self.groups[group]);
        let own = key.clone();
        phrases.filter(move |phrase| phrase.key != own).map(|phrase| phrase.tokens.as_slice())
    }
}

fn group(row: &str) -> Result<Vec<Phrase>, String> {
    let mut group: Vec<Phrase> = Vec::new();
    for text in row.split([',', '，']).map(str::trim) {
        let phrase = phrase(text)?;
        if group.iter().all(|other| other.key != phrase.key) {
            group.push(phrase);
        }
    }
    if group.len() < 2 {
        return Err(format!(
            "`{row}` must name two different words or phrases, with a comma between"
        ));
    }
    Ok(group)
}

fn phrase(text: &str) -> Result<Phrase, String> {
    if text.is_empty() {
        return Err("there is no word between two commas".to_owned());
    }
    let parsed = TextElements::of(&normalized(text));
    let mut run = String::new();
    let mut words = Vec::new();
    for element in &parsed.elements {
        match (element.kind, &element.words[..]) {
            (ElementKind::Han, [character, ..]) => run.push_str(character),
            (ElementKind::Composed, all) => {
                words.extend(
                    all.iter().filter(|word| is_simple(word)).map(|word| index_token(word)),
                );
            }
            (_, [word, ..]) => words.push(index_token(word)),
            (_, []) => {}
        }
    }
    match (words.is_empty(), run.is_empty()) {
        (true, true) => Err(format!("`{text}` has no letter and no digit")),
        (false, false) => Err(format!("`{text}` is in two alphabets")),
        (false, true) => {
            Ok(Phrase { tokens: distinct(words.iter().cloned()), key: PhraseKey::Words(words) })
        }
        (true, false) => Ok(Phrase { tokens: han_tokens(&run), key: PhraseKey::Han(run) }),
    }
}

/// Whether a word is not composed.
pub(super) fn is_simple(word: &str) -> bool {
    word.chars().all(char::is_alphanumeric)
}

/// The tokens that a row with these Han characters side by side has: the pairs, or the only character.
pub(super) fn han_tokens(run: &str) -> Vec<String> {
    let characters: Vec<char> = run.chars().collect();
    if characters.len() < 2 {
        return vec![run.to_owned()];
    }
    distinct(characters.windows(2).map(|pair| pair.iter().collect()))
}

fn distinct(tokens: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    tokens.into_iter().filter(|token| seen.insert(token.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_read() {
        let synonyms = Synonyms::parse(SHIPPED).expect("config/synonyms.txt");
        assert!(synonyms.groups.len() >= 60, "{}", synonyms.groups.len());
        let key = PhraseKey::Words(vec!["gripper".to_owned()]);
        let others: Vec<String> = synonyms.others(&key).map(|tokens| tokens.join("+")).collect();
        assert!(others.contains(&"end+effector".to_owned()), "{others:?}");
        assert!(others.contains(&"夹爪".to_owned()), "{others:?}");
    }

    #[test]
    fn names_of_things_are_known_too() {
        let synonyms = Synonyms::shipped().with_things();
        for (word, other) in [("mug", "马克杯"), ("plier", "钳子"), ("screwdriv", "螺丝刀")]
        {
            let key = PhraseKey::Words(vec![word.to_owned()]);
            let own: Vec<String> = synonyms.others(&key).map(|tokens| tokens.concat()).collect();
            let han = PhraseKey::Han(other.to_owned());
            let back: Vec<String> = synonyms.others(&han).map(|tokens| tokens.concat()).collect();
            assert!(own.contains(&han_tokens(other).concat()), "{word}: {own:?}");
            assert!(back.iter().any(|it| it == word), "{other}: {back:?}");
        }
        let cup = PhraseKey::Words(vec!["cup".to_owned()]);
        let of_things = Synonyms::default().with_things();
        let others: Vec<String> = of_things.others(&cup).map(|tokens| tokens.concat()).collect();
        assert!(!others.iter().any(|it| it == "mug"), "what is merely alike: {others:?}");
    }

    #[test]
    fn a_wrong_line_is_named() {
        let cases = [
            ("cup, mug\ncup\n", "line 2: `cup` must name two different words"),
            ("cup, Cups", "line 1: `cup, Cups` must name two different words"),
            ("# none\n\ncup,, mug", "line 3: there is no word between two commas"),
            ("cup, !!", "line 1: `!!` has no letter and no digit"),
            ("cup, 杯x", "line 1: `杯x` is in two alphabets"),
        ];
        for (text, expected) in cases {
            let error = Synonyms::parse(text).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(Synonyms::parse("").expect("nothing").groups.is_empty());
        assert_eq!(Synonyms::parse("cup，杯子 # a comment").expect("a group").groups.len(), 1);
    }

    #[test]
    fn the_longest_phrase_is_found() {
        let synonyms =
            Synonyms::parse("dock, charging station, 充电站\ncharge, 充电\nend-effector, claw")
                .expect("groups");
        let words = |text: &str| text.split(' ').map(index_token).collect::<Vec<_>>();
        assert_eq!(synonyms.longest_words(&words("charging stations here")), Some(2));
        assert_eq!(synonyms.longest_words(&words("charged it")), Some(1));
        assert_eq!(synonyms.longest_words(&words("end effector")), Some(2));
        assert_eq!(synonyms.longest_words(&words("here")), None);
        assert_eq!(synonyms.longest_han("充电站里"), Some("充电站".len()));
        assert_eq!(synonyms.longest_han("充电中"), Some("充电".len()));
        assert_eq!(synonyms.longest_han("充"), None);
    }
}
