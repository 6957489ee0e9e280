//! Whether two statements speak of the same subject and say different things of it.
//!
//! A statement is read as a subject and what is said of it: "from now on use **10 N** for *the red
//! cup*". Two statements [disagree](Proposition::disagrees) when
//!
//! - their subjects are the same words, apart from form, order and synonyms, in the same roles; and
//! - what is said can be exchanged for one another: quantities of one unit, members of one choice (left
//!   and right, suction cup and gripper, stairs and elevator), opposites of one kind; or
//! - what one says is what the other one excludes ("prefer A over B", "do not use B").
//!
//! What cannot be read so is a part of the subject: another object, place or condition, a name, an
//! ordinal, a bound, an unknown noun. So whatever is not understood keeps two statements apart: what is
//! taken for a disagreement loses a memory, what is not costs a row.

mod numbers;
mod reader;
mod words;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::decimal::Decimal;
use super::items::{Item, ItemKind, items};
use super::key::key_of;
use super::phrases::Phrases;
use super::setting::Setting;
use super::stem::stem;
use super::tokens::tokens;
use super::validity::{Validity, validity};
use reader::Reader;
use words::{Choice, Part, choice_tokens, part_at, spellings};

/// A statement as a subject and what it says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proposition {
    /// What it is about: words, each with the role that a preposition gave it.
    subject: BTreeSet<(&'static str, Term)>,
    /// The words of the subject as they follow each other, without those in a role.
    runs: Vec<Vec<Term>>,
    /// What it says holds or is wished for.
    values: Vec<Value>,
    /// What it says does not, or is not.
    excluded: Vec<Value>,
    /// What a label names that the statement begins with.
    heading: Option<BTreeSet<Term>>,
    /// Whether it holds until something else is said.
    is_lasting: bool,
    /// Whether it says that it holds in the place of what was said before.
    is_replacing: bool,
}

/// A word, or what stands for all words that say the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Term {
    text: String,
    group: Group,
}

/// Which other words can stand in a word's place and say something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// It is not known.
    None,
    Choice(Choice),
    /// A contrast group of `opposites`.
    Contrast(u8),
    /// A name that ends in a number.
    Numbered,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Quantity { unit: String, value: Decimal },
    Phrase(BTreeSet<Term>),
}

/// Words of a subject that are compared by their order: bounds the work on long texts.
const ORDERED_WORDS_MAX: usize = 32;

impl Proposition {
    /// Reads `text`. Linear in its length.
    pub fn parse(text: &str) -> Self {
        let items = items(text);
        let is_lasting = validity(&items) == Validity::Lasting;
        let heading = heading(&items);
        let is_replacing = replaces(&items);
        Self { is_lasting, is_replacing, heading, ..Reader::of(&items).read() }
    }

    /// Whether the two speak of the same subject and cannot both hold. Symmetric; false of a
    /// proposition and itself.
    pub fn disagrees(&self, other: &Self) -> bool {
        self.is_lasting
            && other.is_lasting
            && self.subject == other.subject
            && self.is_in_order_of(other)
            && (self.excludes(other) || other.excludes(self) || self.says_otherwise(other))
    }

    /// Whether the two are versions of one text: they begin with the same heading.
    pub fn is_version_of(&self, other: &Self) -> bool {
        self.heading.is_some() && self.heading == other.heading
    }

    /// Whether it says that it holds in the place of what was said before: "from now on", 改用, "no longer".
    pub fn is_replacing(&self) -> bool {
        self.is_replacing && self.is_lasting
    }

    /// Whether it says of nothing in particular what it says.
    pub fn is_without_subject(&self) -> bool {
        self.subject.is_empty()
    }

    /// Whether the two say the same of the same, whatever the order of their parts; words that say
    /// nothing about the subject, and reasons, are not compared.
    pub fn says_the_same(&self, other: &Self) -> bool {
        let sorted = |values: &[Value]| {
            let mut values = values.to_vec();
            values.sort();
            values
        };
        self.is_lasting == other.is_lasting
            && self.subject == other.subject
            && self.heading == other.heading
            && sorted(&self.values) == sorted(&other.values)
            && sorted(&self.excluded) == sorted(&other.excluded)
            && self.is_in_order_of(other)
    }

    /// A number that all propositions share which [disagree](Self::disagrees) with this one, and few others;
    /// `None` when none does.
    pub fn subject_key(&self) -> Option<u64> {
        let says_something = !self.values.is_empty() || !self.excluded.is_empty();
        (self.is_lasting && says_something).then(|| {
            let subject = self.subject.iter();
            hash_of(subject.map(|(role, term)| (*role, term.text.as_str())))
        })
    }

    /// A number that all propositions share which are [versions](Self::is_version_of) of this one, and few
    /// others; `None` when none is.
    pub fn heading_key(&self) -> Option<u64> {
        let heading = self.heading.as_ref()?;
        Some(hash_of(heading.iter().map(|term| ("", term.text.as_str()))))
    }

    /// Sets of index tokens: every text that disagrees with this one has a token of each set among
    /// its [`tokens`](super::tokens). Empty when none disagrees.
    pub fn disagreeing_tokens(&self) -> Vec<BTreeSet<String>> {
        if !self.is_lasting || self.values.is_empty() && self.excluded.is_empty() {
            return Vec::new();
        }
        let mut sets: Vec<BTreeSet<String>> =
            self.subject.iter().filter_map(|(_, term)| term.tokens()).collect();
        sets.sort();
        sets.dedup();
        if sets.is_empty() {
            let said = self.values.iter().chain(&self.excluded);
            sets.push(said.flat_map(Value::tokens_of_others).collect());
        }
        sets.retain(|set| !set.is_empty());
        sets
    }

    /// Sets of index tokens: every text that is a version of this one has a token of each set.
    pub fn version_tokens(&self) -> Vec<BTreeSet<String>> {
        self.heading.iter().flatten().filter_map(Term::tokens).collect()
    }

    fn excludes(&self, other: &Self) -> bool {
        self.excluded.iter().any(|value| other.values.contains(value))
    }

    fn says_otherwise(&self, other: &Self) -> bool {
        let rest = |of: &Self, without: &Self| -> Vec<Value> {
            of.values.iter().filter(|value| !without.values.contains(value)).cloned().collect()
        };
        let (a, b) = (rest(self, other), rest(other, self));
        // Where two things differ, one of them may be why the other does.
        matches!((&a[..], &b[..]), ([a], [b]) if a.stands_against(b))
    }

    /// Whether no two words of the subject that follow each other in one do so the other way round in
    /// the other: "the human follows the robot" is not about "the robot follows the human".
    fn is_in_order_of(&self, other: &Self) -> bool {
        let pairs = |proposition: &Self| -> BTreeSet<(Term, Term)> {
            let mut pairs = BTreeSet::new();
            for run in &proposition.runs {
                let run = &run[..run.len().min(ORDERED_WORDS_MAX)];
                for (index, first) in run.iter().enumerate() {
                    pairs.extend(run[index + 1..].iter().map(|next| (first.clone(), next.clone())));
                }
            }
            pairs
        };
        let (a, b) = (pairs(self), pairs(other));
        let is_turned = |(first, next): &(Term, Term)| {
            let turned = (next.clone(), first.clone());
            first != next && b.contains(&turned) && !a.contains(&turned)
        };
        !a.difference(&b).any(is_turned)
    }
}

/// A hash of words, each with its role.
fn hash_of<'a>(words: impl Iterator<Item = (&'a str, &'a str)>) -> u64 {
    // No word holds such a character.
    key_of(words.flat_map(|(role, word)| [role, "\u{1e}", word, "\u{1f}"]))
}

/// Whether two statements, each with the setting that its context gives, are in conflict: the propositions
/// [disagree](Proposition::disagrees) and the settings agree. Without a subject in words both contexts must
/// name the same one.
pub fn is_conflict((a, x): (&Proposition, &Setting), (b, y): (&Proposition, &Setting)) -> bool {
    a.disagrees(b) && x.agrees_with(y) && (!a.is_without_subject() || x.names_the_same_as(y))
}

impl Value {
    /// Whether it can be said in the place of the other one, and is something else.
    fn stands_against(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Quantity { unit: a, value: x }, Self::Quantity { unit: b, value: y }) => {
                a == b && x != y
            }
            (Self::Phrase(a), Self::Phrase(b)) => {
                let own: Vec<&Term> = a.difference(b).collect();
                let others: Vec<&Term> = b.difference(a).collect();
                match (own.first(), others.first()) {
                    (Some(first), Some(_)) => {
                        own.iter()
                            .chain(&others)
                            .all(|term| first.group != Group::None && term.group == first.group)
                            && (first.group != Group::Numbered
                                || own.len() == 1
                                    && others.len() == 1
                                    && own[0].is_numbered_as(others[0]))
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Tokens of which every text has one that says something that stands against this, or says it.
    fn tokens_of_others(&self) -> BTreeSet<String> {
        match self {
            // A unit is spelled in several ways, all of which have its symbol.
            Self::Quantity { unit, value } if unit.is_empty() => {
                tokens(&value.to_string()).into_iter().collect()
            }
            Self::Quantity { unit, .. } => tokens(unit).into_iter().take(1).collect(),
            Self::Phrase(terms) => terms
                .iter()
                .flat_map(|term| {
                    let mut all = term.tokens().unwrap_or_default();
                    if let Group::Choice(choice) = term.group {
                        all.extend(choice_tokens(choice).into_iter().flatten().cloned());
                    }
                    all
                })
                .collect(),
        }
    }
}

impl Term {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), group: Group::None }
    }

    /// The index tokens of which every text has one that says this.
    fn tokens(&self) -> Option<BTreeSet<String>> {
        if self.text.starts_with('#') {
            return None;
        }
        let own = if self.text.bytes().all(|byte| byte.is_ascii_lowercase()) {
            // A stem already.
            Some(self.text.clone())
        } else {
            tokens(&self.text).into_iter().next()
        };
        match spellings(&self.text) {
            Some(tokens) => Some(tokens.iter().cloned().chain(own).collect()),
            None => own.map(|token| BTreeSet::from([token])),
        }
    }

    fn is_numbered_as(&self, other: &Self) -> bool {
        let kind =
            |term: &Self| term.text.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
        kind(self) == kind(other)
    }
}

/// Says that something else held before.
#[rustfmt::skip]
const REPLACING: &[&str] = &[
    "from now on", "from here on", "from today", "from today on", "from tomorrow on", "starting today", "going forward", "henceforth",
    "as of now", "as of today", "instead of", "no longer", "any more", "anymore", "any longer", "switch to", "change to", "is now", "are now",
    "以后都", "以后一律", "以后请", "以后要", "以后就", "以后总是", "以后不要", "以后用", "以后改", "今后", "从今以后", "从今往后", "从此以后", "从现在起", "从现在开始",
    "从今天起", "从今天开始", "从明天起", "从即日起", "即日起", "改用", "改为", "改成", "换成", "换用", "不再", "改到", "调整为", "代替", "取代", "更新为",
];

static REPLACING_PHRASES: LazyLock<Phrases<()>> =
    LazyLock::new(|| Phrases::new(REPLACING.iter().map(|phrase| (*phrase, ()))));

fn replaces(items: &[Item]) -> bool {
    // 以后 that opens a clause; 十分钟以后 is later.
    let opens = |index: usize| {
        let is_text = |at: usize, text: &str| items.get(at).is_some_and(|item| item.text == text);
        (index == 0 || items[index - 1].kind == ItemKind::Break)
            && is_text(index, "以")
            && is_text(index + 1, "后")
    };
    (0..items.len()).any(|at| opens(at) || REPLACING_PHRASES.longest(&items[at..]).is_some())
}

/// What a statement is called by its beginning: "to open the gripper: ...", "Gripper SOP v2: ...",
/// "标定步骤：...". Versions and labels are left out.
fn heading(items: &[Item]) -> Option<BTreeSet<Term>> {
    let colon = items.iter().position(|item| item.text == ":" || item.text == "：");
    let end = colon.or_else(|| {
        let first = items.get(..HEADING_ITEMS_MAX).unwrap_or(items);
        (1..first.len()).find(|at| version_at(items, *at) > 0)
    })?;
    let mut heading = BTreeSet::new();
    let mut index = 0;
    while index < end {
        let version = version_at(items, index);
        if version > 0 {
            index += version;
            continue;
        }
        let (part, used) = part_at(&items[index..end]).unwrap_or((Part::Set, 1));
        let item = &items[index];
        let is_version = item.text.strip_prefix('v').is_some_and(|rest| {
            !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
        });
        match (&item.kind, part) {
            _ if is_version => {}
            (_, Part::Filler | Part::To | Part::Of | Part::About) => {}
            (ItemKind::Break | ItemKind::Sign, _) => {}
            (_, Part::Verb(key) | Part::Same(key) | Part::OneOf(_, key)) => {
                heading.insert(Term::plain(key));
            }
            _ => heading.extend(items[index..index + used].iter().map(plain_term)),
        }
        index += used;
    }
    // One word is a label: "procedure: ...".
    (heading.len() > 1).then_some(heading)
}

/// Items at the beginning among which the version of a text without a colon stands.
const HEADING_ITEMS_MAX: usize = 16;

/// How many items at `index` say of which version a text is: 第二版, 第2版, "version 2", "rev B", 新版.
fn version_at(items: &[Item], index: usize) -> usize {
    let text = |at: usize| items.get(at).map_or("", |item| item.text.as_str());
    match text(index) {
        "第" => {
            let rest = items[index + 1..].iter().take(4);
            let digits = rest.take_while(|item| item.text != "版").count();
            let is_number = items[index + 1..].iter().take(digits).all(|item| {
                matches!(item.kind, ItemKind::Quantity(_) | ItemKind::Ordinal(_))
                    || "零一二两三四五六七八九十".contains(&item.text)
            });
            let ends = text(index + 1 + digits) == "版";
            if digits > 0 && is_number && ends {
                // 第二版本 is 第二版.
                digits + 2 + usize::from(text(index + digits + 2) == "本")
            } else {
                0
            }
        }
        "version" | "revision" | "rev" | "edition" => {
            let is_next = items.get(index + 1).is_some_and(|item| {
                matches!(item.kind, ItemKind::Quantity(_) | ItemKind::Name)
                    || item.is_capital
                    || item.is_one_of(&["one", "two", "three", "four", "five"])
            });
            if is_next { 2 } else { 0 }
        }
        "first" | "second" | "third" | "fourth" | "new" | "old"
            if ["version", "revision", "edition"].contains(&text(index + 1)) =>
        {
            2
        }
        "新" | "旧" if text(index + 1) == "版" => 2,
        _ => 0,
    }
}

fn plain_term(item: &Item) -> Term {
    match item.kind {
        ItemKind::Word => Term::plain(stem(&item.text)),
        ItemKind::Quantity(_) | ItemKind::Ordinal(_) => Term::plain(format!("#{}", item.text)),
        _ => Term::plain(&item.text),
    }
}

#[cfg(test)]
mod tests;
