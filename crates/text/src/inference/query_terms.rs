//! What a query asks for, term by term.

use std::collections::BTreeSet;
use std::ops::Range;

use super::stop_words::{HanBeginning, han_beginning, is_english_stop_word};
use super::synonyms::{PhraseKey, Synonyms, han_tokens, is_simple};
use super::tokens::{Element, ElementKind, TextElements, index_token, normalized};

/// What a synonym counts beside the word itself.
const SYNONYM_WEIGHT: f64 = 0.8;
/// What all parts of a name count beside the name: `arm 01` beside `arm-01`.
const PARTS_WEIGHT: f64 = 0.9;
/// What two Han characters apart count beside the pair. The pair across two words (色杯 in 红色杯子) is
/// in no row that parts them (红色的杯子), but the characters are.
const APART_WEIGHT: f64 = 0.6;
/// What a part of a word counts as a term of its own, one character or a part of a name: it tells little
/// beside the whole, but something where the whole is missing.
const PART_TERM_WEIGHT: f64 = 0.2;

/// One thing that a query asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// As the query has it, after NFKC.
    pub words: String,
    /// How much it counts beside the other terms: 1.0, or less for a part of a word.
    pub weight: f64,
    /// The ways to say it, its own words first.
    pub alternatives: Vec<TermAlternative>,
}

/// One way to say a [`QueryTerm`].
#[derive(Debug, Clone, PartialEq)]
pub struct TermAlternative {
    /// A row says it in this way when it has all of these tokens; one at least.
    pub tokens: Vec<String>,
    /// 1.0 for the term's own words, less for others.
    pub weight: f64,
    /// Whether it is the name of what a row is about, and not in its text.
    pub is_name: bool,
}

/// What `text` asks for, in the order of first appearance, parts of words after all others; each once.
///
/// - Stop words (what, the, 什么, 的) are left out, unless there is nothing else. A word in capitals among
///   words that are not is none: `CAN` is a bus, `US` a sensor.
/// - A word or phrase of the synonyms has the others of its groups as alternatives.
/// - A name is found by all its parts as well, a unit after a number by its symbol.
/// - A run of Han characters is cut at stop words and at synonyms, and what is left is looked for pair by
///   pair.
pub fn query_terms(text: &str, synonyms: &Synonyms) -> Vec<QueryTerm> {
    let terms = read(text, synonyms, false);
    if terms.is_empty() { read(text, synonyms, true) } else { terms }
}

/// The same of a part of a query: none when there are but stop words.
pub fn telling_terms(text: &str, synonyms: &Synonyms) -> Vec<QueryTerm> {
    read(text, synonyms, false)
}

fn read(text: &str, synonyms: &Synonyms, keeps_stop_words: bool) -> Vec<QueryTerm> {
    let text = normalized(text);
    let mut terms = Terms {
        text: &text,
        synonyms,
        keeps_stop_words,
        has_small_letters: text.contains(char::is_lowercase),
        whole: Vec::new(),
        parts: Vec::new(),
    };
    terms.read(&TextElements::of(&text));
    terms.distinct()
}

struct Terms<'t> {
    text: &'t str,
    synonyms: &'t Synonyms,
    keeps_stop_words: bool,
    has_small_letters: bool,
    whole: Vec<QueryTerm>,
    parts: Vec<QueryTerm>,
}

impl Terms<'_> {
    fn read(&mut self, parsed: &TextElements) {
        let elements = &parsed.elements;
        let mut units = parsed.units.iter().peekable();
        let mut index = 0;
        while let Some(element) = elements.get(index) {
            if let Some(unit) = units.next_if(|unit| unit.elements.start == index) {
                let place = element.place.start..elements[unit.elements.end - 1].place.end;
                self.add_unit(place, unit.tokens(), &elements[unit.elements.clone()]);
                index = unit.elements.end;
                continue;
            }
            let end = units.peek().map_or(elements.len(), |unit| unit.elements.start);
            index += match element.kind {
                ElementKind::Han => self.read_han(&elements[index..end]),
                ElementKind::Composed => {
                    self.add_name(element);
                    1
                }
                ElementKind::Number => {
                    if let Some(number) = element.words.first() {
                        self.add(&element.place, vec![alternative([number.clone()], 1.0)]);
                    }
                    1
                }
                ElementKind::Word => self.read_words(&elements[index..end]),
            };
        }
    }

    /// Takes the phrase or word that `elements` begins with; answers how many elements it has.
    fn read_words(&mut self, elements: &[Element]) -> usize {
        let words: Vec<String> = elements
            .iter()
            .map_while(|element| match (element.kind, element.words.first()) {
                (ElementKind::Word, Some(word)) => Some(index_token(word)),
                _ => None,
            })
            .take(self.synonyms.words_max())
            .collect();
        let phrase = self.synonyms.longest_words(&words);
        let len = phrase.unwrap_or(1);
        let [first, .., last] = &elements[..len] else {
            self.add_word(&elements[0]);
            return 1;
        };
        let place = first.place.start..last.place.end;
        let own = words[..len].to_vec();
        self.add_with_synonyms(&place, PhraseKey::Words(own.clone()), own);
        for element in &elements[..len] {
            if !self.is_stop_word(element) {
                self.add_part(&element.place, &element.words[0]);
            }
        }
        len
    }

    fn add_word(&mut self, element: &Element) {
        if let Some(word) = element.words.first()
            && !self.is_stop_word(element)
        {
            let own = vec![index_token(word)];
            self.add_with_synonyms(&element.place, PhraseKey::Words(own.clone()), own);
        }
    }

    fn is_stop_word(&self, element: &Element) -> bool {
        let written = &self.text[element.place.clone()];
        let is_name = self.has_small_letters
            && written != "I"
            && !written.contains(char::is_lowercase)
            && (written.chars().nth(1).is_some() || element.place.start > 0);
        !self.keeps_stop_words
            && !is_name
            && element.words.first().is_some_and(|word| is_english_stop_word(word))
    }

    /// A unit after a number: `own` is its symbol, whole and by part.
    fn add_unit(&mut self, place: Range<usize>, own: Vec<String>, elements: &[Element]) {
        let mut alternatives: Vec<TermAlternative> =
            own.into_iter().take(1).map(|symbol| alternative([symbol], 1.0)).collect();
        if let [Element { kind: ElementKind::Word, words, .. }] = elements
            && let Some(word) = words.first()
        {
            alternatives.push(alternative([index_token(word)], 1.0));
        }
        self.add(&place, alternatives);
    }

    /// A name, path or hyphenated word.
    fn add_name(&mut self, element: &Element) {
        let (parts, whole): (Vec<_>, Vec<_>) =
            element.words.iter().partition(|word| is_simple(word));
        let tokens: Vec<String> = parts.iter().map(|part| index_token(part)).collect();
        let mut alternatives: Vec<TermAlternative> =
            whole.into_iter().map(|whole| alternative([index_token(whole)], 1.0)).collect();
        let parts_weight = if alternatives.is_empty() { 1.0 } else { PARTS_WEIGHT };
        if !tokens.is_empty() {
            alternatives.push(alternative(tokens.clone(), parts_weight));
        }
        let key = PhraseKey::Words(tokens);
        let others = self.synonyms.others(&key);
        alternatives.extend(others.map(|tokens| alternative(tokens.to_vec(), SYNONYM_WEIGHT)));
        self.add(&element.place, alternatives);
        for part in parts {
            if part.contains(char::is_alphabetic) && !is_english_stop_word(part) {
                self.add_part(&element.place, part);
            }
        }
    }

    /// Takes the Han characters side by side that `elements` begins with; answers how many.
    fn read_han(&mut self, elements: &[Element]) -> usize {
        let mut end = elements[0].place.start;
        let len = elements
            .iter()
            .take_while(|element| {
                let is_next = element.kind == ElementKind::Han && element.place.start == end;
                end = element.place.end;
                is_next
            })
            .count();
        let place = elements[0].place.start..elements[len - 1].place.end;
        let mut at = place.start;
        let mut unknown = at;
        while at < place.end {
            let rest = &self.text[at..place.end];
            let phrase = self.synonyms.longest_han(rest);
            let beginning = han_beginning(rest).filter(|_| !self.keeps_stop_words);
            let (skipped, is_known) = match (phrase, beginning) {
                (Some(phrase), None) => (phrase, true),
                (Some(phrase), Some(HanBeginning::Stop(len) | HanBeginning::Kept(len)))
                    if phrase >= len =>
                {
                    (phrase, true)
                }
                (_, Some(HanBeginning::Stop(len))) => (len, false),
                (_, Some(HanBeginning::Kept(len))) => {
                    at += len;
                    continue;
                }
                (None, None) => {
                    at += rest.chars().next().map_or(1, char::len_utf8);
                    continue;
                }
            };
            self.add_unknown_han(unknown..at);
            if is_known {
                self.add_known_han(at..at + skipped);
            }
            at += skipped;
            unknown = at;
        }
        self.add_unknown_han(unknown..place.end);
        len
    }

    /// A word of the synonyms.
    fn add_known_han(&mut self, place: Range<usize>) {
        let word = &self.text[place.clone()];
        self.add_with_synonyms(&place, PhraseKey::Han(word.to_owned()), han_tokens(word));
        let pairs = han_tokens(word);
        if pairs.len() > 1 {
            for pair in pairs {
                self.add_part(&place, &pair);
            }
        }
        self.add_characters(place);
    }

    /// Han characters of which no word is known: each pair of them.
    fn add_unknown_han(&mut self, place: Range<usize>) {
        let run = self.text[place.clone()].to_owned();
        let mut characters = run.char_indices().map(|(at, c)| (place.start + at, c)).peekable();
        while let Some((at, first)) = characters.next() {
            let Some((next_at, second)) = characters.peek() else { break };
            let pair = at..next_at + second.len_utf8();
            let (first, second) = (first.to_string(), second.to_string());
            let mut alternatives = vec![alternative([format!("{first}{second}")], 1.0)];
            if first != second {
                alternatives.push(alternative([first, second], APART_WEIGHT));
            }
            self.add(&pair, alternatives);
        }
        match run.chars().count() {
            0 => {}
            1 => self.add_with_synonyms(&place, PhraseKey::Han(run.clone()), vec![run]),
            _ => self.add_characters(place),
        }
    }

    fn add_characters(&mut self, place: Range<usize>) {
        let run = self.text[place.clone()].to_owned();
        for (at, character) in run.char_indices() {
            let at = place.start + at;
            self.add_part(&(at..at + character.len_utf8()), &character.to_string());
        }
    }

    fn add_with_synonyms(&mut self, place: &Range<usize>, key: PhraseKey, own: Vec<String>) {
        let mut alternatives = vec![alternative(own, 1.0)];
        let others = self.synonyms.others(&key);
        alternatives.extend(others.map(|tokens| alternative(tokens.to_vec(), SYNONYM_WEIGHT)));
        self.add(place, alternatives);
    }

    fn add(&mut self, place: &Range<usize>, alternatives: Vec<TermAlternative>) {
        let mut distinct: Vec<TermAlternative> = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            if distinct.iter().all(|other| other.tokens != alternative.tokens) {
                distinct.push(alternative);
            }
        }
        if !distinct.is_empty() {
            let words = self.text[place.clone()].to_owned();
            self.whole.push(QueryTerm { words, weight: 1.0, alternatives: distinct });
        }
    }

    fn add_part(&mut self, place: &Range<usize>, word: &str) {
        self.parts.push(QueryTerm {
            words: self.text[place.clone()].to_owned(),
            weight: PART_TERM_WEIGHT,
            alternatives: vec![alternative([index_token(word)], 1.0)],
        });
    }

    /// Whole terms, then the parts that are no term themselves.
    fn distinct(self) -> Vec<QueryTerm> {
        let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
        let mut terms = self.whole;
        terms.extend(self.parts);
        terms.retain(|term| seen.insert(term.alternatives[0].tokens.clone()));
        terms
    }
}

fn alternative(tokens: impl IntoIterator<Item = String>, weight: f64) -> TermAlternative {
    TermAlternative { tokens: tokens.into_iter().collect(), weight, is_name: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str, synonyms: &str) -> String {
        let synonyms = Synonyms::parse(synonyms).expect("synonyms");
        let show = |term: &QueryTerm| {
            let alternatives = term.alternatives.iter().map(|alternative| {
                let tokens = alternative.tokens.join("+");
                if alternative.weight == 1.0 {
                    tokens
                } else {
                    format!("{tokens}*{}", alternative.weight)
                }
            });
            let alternatives = alternatives.collect::<Vec<_>>().join("|");
            if term.weight == 1.0 { alternatives } else { format!("~{alternatives}") }
        };
        query_terms(text, &synonyms).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_query_gives_its_terms() {
        let synonyms =
            "gripper, end effector, 夹爪\ndock, 充电站\ncharge, 充电\nforce, 力\nnewton, N";
        let cases = [
            ("What did the cups weigh?", "cup weigh"),
            ("why is it not moving", "not move"),
            ("before the left turn", "befor left turn"),
            ("the cup, the cup", "cup"),
            ("What is that?", "what is that"),
            ("Is the CAN bus up", "can bus up"),
            ("WHAT IS IT WITH THE CAN", "what is it with the can"),
            ("which end effector slips", "end+effector|gripper*0.8|夹爪*0.8 slip ~end ~effector"),
            ("grippers", "gripper|end+effector*0.8|夹爪*0.8"),
            (
                "the end-effector",
                "end-effector|end+effector*0.9|gripper*0.8|夹爪*0.8 ~end ~effector",
            ),
            ("arm-01", "arm-01|arm+01*0.9 ~arm"),
            ("M8x40", "m8x40"),
            ("12.5 newtons", "12.5 n|newton"),
            ("12.5N", "12.5 n"),
            ("12.5牛顿", "12.5 n"),
            ("how many newtons", "newton|n*0.8"),
            ("0.5米每秒", "0.5 m/s"),
            ("红色的杯子", "红色|红+色*0.6 杯子|杯+子*0.6 ~红 ~色 ~杯 ~子"),
            ("夹爪为什么打滑", "夹爪|gripper*0.8|end+effector*0.8 打滑|打+滑*0.6 ~夹 ~爪 ~打 ~滑"),
            ("夹爪力", "夹爪|gripper*0.8|end+effector*0.8 力|forc*0.8 ~夹 ~爪"),
            ("充电站在哪里", "充电+电站|dock*0.8 ~充电 ~电站 ~充 ~电 ~站"),
            ("没有电", "没有|没+有*0.6 有电|有+电*0.6 ~没 ~有 ~电"),
            ("是什么", "是什|是+什*0.6 什么|什+么*0.6 ~是 ~什 ~么"),
            ("", ""),
            ("?!", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(shown(text, synonyms), expected, "{text}");
        }
    }

    #[test]
    fn a_term_has_the_words_of_the_query() {
        let terms = query_terms("Which End Effector, 夹爪 or M8x40?", &Synonyms::shipped());
        let words: Vec<&str> = terms.iter().map(|term| term.words.as_str()).collect();
        assert_eq!(words[..3], ["End Effector", "夹爪", "M8x40"]);
    }

    #[test]
    fn a_long_query_takes_linear_time() {
        for unit in ["a ", "字", "什么", "充电站", "end effector ", "a-b/c ", "5N "] {
            let text = unit.repeat(robot_memory_core::limits::QUERY_CHARS_MAX);
            query_terms(&text, &Synonyms::shipped());
        }
    }

    proptest! {
        #[test]
        fn a_text_is_found_by_each_term_of_itself(
            text in "\\PC{0,40}|[a-zA-Z0-9./_:,%°\\-力牛夹爪字的是 ]{0,40}|([a-z]{1,7}(s|ing|ed)? ){0,6}",
        ) {
            let tokens: BTreeSet<String> = super::super::tokens(&text).into_iter().collect();
            let terms = query_terms(&text, &Synonyms::shipped());
            prop_assert_eq!(terms.is_empty(), tokens.is_empty());
            for term in terms {
                let first = &term.alternatives[0];
                prop_assert_eq!(first.weight, 1.0);
                let all = first.tokens.iter().all(|token| tokens.contains(token));
                prop_assert!(all, "{:?} of {:?}", term, text);
            }
        }
    }
}
