//! What the words of an attempt say came about, and what did not, to be held against those of another one.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::super::items::ItemKind;
use super::super::super::stem::stem;
use super::super::super::stop_words::is_english_stop_word;
use super::super::morphology::is_article;
use super::super::parsed_sentence::ParsedSentence;
use super::contrast::Piece;
use super::segments::Cut;
use super::words::{Mark, mark};

/// What words say came about, and what did not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OutcomeWords {
    words: BTreeSet<String>,
    denied: BTreeSet<String>,
    /// Chinese, without what is denied.
    han: String,
    han_denied: Vec<String>,
}

/// Words that tell nothing of what came about.
const LIGHT: &[&str] =
    &["did", "was", "were", "it", "and", "then", "this", "time", "part", "would", "could", "again"];
/// Past forms of verbs that have other stems.
#[rustfmt::skip]
pub(super) const PAST: &[(&str, &str)] = &[
    ("held", "hold"), ("came", "come"), ("went", "go"), ("stuck", "stick"), ("caught", "catch"),
    ("lit", "light"), ("broke", "break"), ("tore", "tear"), ("slid", "slide"), ("spun", "spin"),
    ("swung", "swing"), ("bit", "bite"), ("took", "take"), ("gave", "give"), ("fell", "fall"),
    ("stood", "stand"), ("rose", "rise"), ("bent", "bend"), ("ran", "run"), ("sat", "sit"), ("lay", "lie"),
    ("shook", "shake"), ("froze", "freeze"), ("rang", "ring"),
];

impl OutcomeWords {
    pub fn of(tail: &[Piece], cut: &Cut) -> Self {
        let mut words = Self::default();
        for (index, range) in tail {
            words.read(cut.at(*index).1, range);
        }
        words
    }

    fn read(&mut self, sentence: &ParsedSentence, range: &Range<usize>) {
        let mut is_denied = false;
        let mut at = range.start;
        while at < range.end {
            let item = &sentence.items[at];
            match (&item.kind, mark(&sentence.items[at..])) {
                (_, Some((Mark::Not, used))) => {
                    is_denied = true;
                    at += used;
                    if sentence.is_han(at) {
                        at = self.deny_han(sentence, at, range.end);
                        is_denied = false;
                    }
                    continue;
                }
                (_, Some((Mark::Gone, used))) => {
                    self.deny_last();
                    at += used;
                    continue;
                }
                (ItemKind::Word, _) => {
                    let word = PAST.iter().find(|(past, _)| *past == item.text);
                    let word = word.map_or_else(
                        || stem(&item.text).into_owned(),
                        |(_, plain)| (*plain).to_owned(),
                    );
                    let is_light = is_english_stop_word(&item.text) || item.is_one_of(LIGHT);
                    if !is_light && !is_article(sentence, at) {
                        let into = if is_denied { &mut self.denied } else { &mut self.words };
                        into.insert(word);
                    }
                }
                (ItemKind::Han, _) => self.han.push_str(&item.text),
                _ => is_denied = false,
            }
            at += 1;
        }
    }

    /// 蜂窝不见了: what stands before is not there any more.
    fn deny_last(&mut self) {
        let last: Vec<char> = self.han.chars().rev().take(2).collect();
        if last.len() == 2 {
            let last: String = last.into_iter().rev().collect();
            self.han.truncate(self.han.len() - last.len());
            self.han_denied.push(last);
        }
    }

    /// Takes in what a Chinese denial denies, and answers where that ends.
    fn deny_han(&mut self, sentence: &ParsedSentence, from: usize, end: usize) -> usize {
        // What denies can go on behind the clause.
        let to = (from..end).find(|&at| !sentence.is_han(at)).unwrap_or(end.max(from));
        // 拧不动: what did not come about is 拧动.
        let verb = from
            .checked_sub(2)
            .filter(|&at| sentence.is_word(at + 1, &["不"]) && sentence.is_han(at));
        let verb = verb.map(|at| sentence.items[at].text.as_str()).unwrap_or_default();
        let is_complement = !verb.is_empty() && self.han.ends_with(verb);
        let said: String = sentence.items[from..to].iter().map(|item| item.text.as_str()).collect();
        let said = said.trim_end_matches(['了', '着', '过']);
        let said = said.trim_start_matches(['有', '见', '再', '出', '现', '怎', '么']);

        if !said.is_empty() {
            let verb = if is_complement { verb } else { "" };
            self.han_denied.push(format!("{verb}{said}"));
        }
        to
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
            && self.denied.is_empty()
            && self.han.is_empty()
            && self.han_denied.is_empty()
    }

    /// Whether it says at least what the other says.
    pub fn begins_as(&self, other: &Self) -> bool {
        !self.is_empty()
            && (self.words.is_subset(&other.words) && other.han.starts_with(&self.han))
            && self.denied == other.denied
            && self.han_denied == other.han_denied
    }

    /// Whether they have no word in common.
    pub fn is_unlike(&self, other: &Self) -> bool {
        let is_in = |c: char| other.han.contains(c) && !"了着的在".contains(c);
        self.words.is_disjoint(&other.words) && !self.han.chars().any(is_in)
    }

    /// Whether it says that something did not come about that did in the other.
    pub fn denies_what(&self, other: &Self) -> bool {
        let has = |denied: &String| {
            let count = denied.chars().count().min(3);
            (count.min(2)..=count)
                .any(|count| other.han.contains(&denied.chars().take(count).collect::<String>()))
        };
        !self.denied.is_disjoint(&other.words) || self.han_denied.iter().any(has)
    }
}
