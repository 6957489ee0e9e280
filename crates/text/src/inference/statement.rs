//! Whether two statements can be the same one in other words.
//!
//! How many words two statements share ([`Statement::jaccard`]), or how near their vectors are,
//! does not tell "grip with 12.5 N" from "grip with 15 N". So before two statements count as
//! duplicates, [`Statement::may_be_same`] looks for what would make them two. It says no when
//!
//! - their numbers differ. Units count and are converted: 12.5N, 12.50 N and 12.5牛 are one
//!   quantity, and so are 1500 mm and 1.5 m; "two" is 2 and 三个 is 3. Numbers of one unit must
//!   come in the same order, so that "x=1, y=2" is not "x=2, y=1";
//! - the names with digits, paths or topics in them differ: M8x40 and M8x30, arm-01 and arm-02;
//!   or each has an acronym, a letter or an identifier that the other lacks: PID and MPC, gripper
//!   A and B;
//! - one negates what the other does not (not, never, without, forbidden, 不, 未, 禁止, 不得; not
//!   不锈钢 or "not only"). Two different negations in one clause cancel;
//! - they hold different members of a contrast group, or the same ones in another order: left and
//!   right, open and closed, before and after, colors, faster and slower, in simulation and on the
//!   real robot, in both languages; or one has a word and the other its opposite in un-, in-, dis-;
//! - the two sides of a word such as "before", "instead of", "because", 比, or of "from A to B",
//!   are exchanged.
//!
//! It errs to the side of two: a duplicate that is kept costs a row, a fact taken for a duplicate
//! is lost.

use std::collections::{BTreeMap, BTreeSet};

use super::decimal::Decimal;
use super::entities::is_file;
use super::items::{Item, ItemKind, items};
use super::key::key_of;
use super::numerals::{english_number, english_ordinal, han_number, han_ordinal};
use super::opposites::{OVER_A_NUMBER, SENSES, Sense};
use super::tokens::words;
use super::units::{han_unit, in_symbols, unit};

/// A text, read once to be compared with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    tokens: BTreeSet<String>,
    marks: Marks,
}

/// What tells a statement from others that share most of its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Marks {
    /// Unit and value in its base, by unit, of one unit in order of appearance.
    quantities: Vec<(String, Decimal)>,
    /// Names that must agree.
    names: Vec<String>,
    /// Acronyms, letters and identifiers, of which one statement may mention more than the other.
    capitals: BTreeSet<String>,
    /// The first word after each negation that is not canceled by another one.
    negated: Vec<String>,
    /// All that such a negation can speak of: the rest of its clause.
    under_negation: BTreeSet<String>,
    /// Members of each contrast group in order, without immediate repeats.
    contrasts: BTreeMap<u8, Vec<u8>>,
    /// What stands on the two sides of a relation, at its first place.
    sides: BTreeMap<Relation, Sides>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    Member(u8, u8),
    Kind(u8),
    FromTo,
}

struct Negation {
    /// The negating words.
    text: String,
    /// The index of the item after them.
    end: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Sides {
    left: BTreeSet<String>,
    right: BTreeSet<String>,
}

/// Pseudo-unit of first, 2nd and 第三.
const ORDINAL: &str = "ordinal";

/// Words that say nothing about which side of a relation is which, or about what is negated.
const FUNCTION_WORDS: &[&str] = &[
    "a", "an", "the", "of", "is", "are", "was", "were", "be", "been", "being", "to", "in", "on",
    "at", "with", "for", "and", "or", "it", "its", "that", "this", "any", "ever", "also", "do",
    "does", "的", "了", "在", "是", "地", "得", "把", "将", "被", "要", "再", "先", "都", "会",
];

/// Words that join clauses, each of which has its own negation.
const CONJUNCTIONS: &[&str] =
    &["and", "or", "but", "then", "so", "because", "和", "并", "且", "或", "但", "而"];

const OPPOSITE_PREFIXES: &[&str] = &["un", "in", "im", "ir", "dis", "non"];
/// Letters after such a prefix at least: "input" is no opposite of "put".
const OPPOSITE_STEM_BYTES_MIN: usize = 4;

impl Statement {
    /// Reads `text`. Linear in its length.
    pub fn parse(text: &str) -> Self {
        let text = &*in_symbols(text);
        let mut marks = Marks::read(&items(text));
        if is_of_warmth(text) {
            marks.read_degrees_as_celsius();
        }
        Self { tokens: words(text).into_iter().collect(), marks }
    }

    /// Its distinct words, names, numbers and Han characters, as they are written but in lower case; see
    /// [`index_token`](super::index_token).
    pub fn tokens(&self) -> &BTreeSet<String> {
        &self.tokens
    }

    /// Jaccard similarity of the two sets of tokens, 0 to 1: the share of all their tokens that
    /// both have (P. Jaccard, 1912). Two statements without tokens are alike.
    pub fn jaccard(&self, other: &Self) -> f64 {
        let both = self.tokens.intersection(&other.tokens).count();
        let all = self.tokens.len() + other.tokens.len() - both;
        if all == 0 { 1.0 } else { both as f64 / all as f64 }
    }

    /// A number that all statements share which [`may_be_same`](Self::may_be_same) as this one, and
    /// few others: a hash of its quantities, its names and how often it negates. Never 0.
    pub fn key(&self) -> u64 {
        // Each part ends with a character that no part holds.
        let quantities =
            self.marks.quantities.iter().map(|(unit, value)| format!("{value} {unit}\n"));
        let names = self.marks.names.iter().map(|name| format!("={name}\n"));
        let negations = u8::try_from(self.marks.negated.len()).unwrap_or(u8::MAX);
        let parts = quantities.chain(names).map(String::into_bytes);
        key_of(parts.chain([vec![negations]])).max(1)
    }

    /// Whether nothing tells the two apart that the module's documentation names. Symmetric, and
    /// true of a statement and itself. It does not say that they are alike.
    pub fn may_be_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.marks, &other.marks);
        a.quantities == b.quantities
            && a.names == b.names
            && (a.capitals.is_subset(&b.capitals) || b.capitals.is_subset(&a.capitals))
            && self.negates_like(other)
            && a.contrasts_agree(b)
            && a.sides_agree(b)
            && !self.has_opposite_in(other)
            && !other.has_opposite_in(self)
    }

    /// Whether the two sides of a relation that both have are exchanged: "A because of B" and "B
    /// because of A", "from A to B" and "from B to A". Symmetric.
    pub fn exchanges_sides(&self, other: &Self) -> bool {
        !self.marks.sides_agree(&other.marks)
    }

    fn negates_like(&self, other: &Self) -> bool {
        let affirms = |statement: &Self, word: &String| {
            statement.tokens.contains(word) && !statement.marks.under_negation.contains(word)
        };
        self.marks.negated.len() == other.marks.negated.len()
            && !self.marks.negated.iter().any(|word| affirms(other, word))
            && !other.marks.negated.iter().any(|word| affirms(self, word))
    }

    /// Whether this one has a word of which the other has the opposite in un-, in-, dis-.
    fn has_opposite_in(&self, other: &Self) -> bool {
        other.tokens.difference(&self.tokens).any(|token| {
            OPPOSITE_PREFIXES.iter().filter_map(|prefix| token.strip_prefix(prefix)).any(|stem| {
                stem.len() >= OPPOSITE_STEM_BYTES_MIN
                    && self.tokens.contains(stem)
                    && !other.tokens.contains(stem)
            })
        })
    }
}

/// What has a temperature.
const WARM: &[&str] =
    &["temperature", "fridge", "refrigerator", "freezer", "oven", "warm", "hot", "cold"];
const HAN_WARM: &[&str] = &["温度", "冰箱", "烤箱", "冷藏室", "冷冻", "水温", "酒柜"];
const CELSIUS: &str = "°C";

/// Whether a text is of what has a temperature: there plain degrees are those of Celsius.
pub(super) fn is_of_warmth(text: &str) -> bool {
    let lower = text.to_lowercase();
    HAN_WARM.iter().any(|word| text.contains(word))
        || lower.split(|c: char| !c.is_alphanumeric()).any(|word| WARM.contains(&word))
}

impl Marks {
    fn contrasts_agree(&self, other: &Self) -> bool {
        self.contrasts
            .iter()
            .all(|(group, members)| other.contrasts.get(group).is_none_or(|m| m == members))
    }

    fn sides_agree(&self, other: &Self) -> bool {
        self.sides
            .iter()
            .all(|(relation, sides)| other.sides.get(relation).is_none_or(|s| !s.is_swapped(sides)))
    }

    fn read(items: &[Item]) -> Self {
        let mut marks = Self::default();
        let mut clause: Vec<Negation> = Vec::new();
        let mut begins_clause = true;
        let mut from = None;
        let mut index = 0;
        while let Some(item) = items.get(index) {
            if ends_clause(item) {
                marks.end_clause(&mut clause, &items[..index]);
            }
            let used = if let Some((unit, value, used)) = number_at(items, index) {
                marks.quantities.extend(value.map(|value| (unit, value)));
                used
            } else if let Some((sense, used)) = sense_at(items, index) {
                let relation = match sense {
                    Sense::Neutral => None,
                    Sense::Negation => {
                        let text = items[index..index + used].iter().map(|i| i.text.as_str());
                        clause.push(Negation { text: text.collect(), end: index + used });
                        None
                    }
                    Sense::Member { group, member, is_relation } => {
                        let members = marks.contrasts.entry(group).or_default();
                        if members.last() != Some(&member) {
                            members.push(member);
                        }
                        is_relation.then_some(Relation::Member(group, member))
                    }
                    Sense::Relation(kind) => Some(Relation::Kind(kind)),
                    Sense::From => {
                        from = Some(index + used);
                        None
                    }
                    Sense::To => {
                        if let Some(from) = from {
                            marks.sides.entry(Relation::FromTo).or_insert_with(|| {
                                Sides::between(&items[from..], index - from, used)
                            });
                        }
                        None
                    }
                };
                if let Some(relation) = relation {
                    marks.sides.entry(relation).or_insert_with(|| Sides::of(items, index, used));
                }
                used
            } else {
                marks.note_name(item, begins_clause);
                1
            };
            begins_clause = item.kind == ItemKind::Break;
            index += used;
        }
        marks.end_clause(&mut clause, items);
        marks.quantities.sort_by(|(a, _), (b, _)| a.cmp(b));
        marks
    }

    fn read_degrees_as_celsius(&mut self) {
        for (unit, _) in self.quantities.iter_mut().filter(|(unit, _)| unit == "°") {
            CELSIUS.clone_into(unit);
        }
        self.quantities.sort_by(|(a, _), (b, _)| a.cmp(b));
    }

    /// Keeps the negations of the clause that ends `items`: none when two different ones cancel.
    fn end_clause(&mut self, clause: &mut Vec<Negation>, items: &[Item]) {
        let kept = std::mem::take(clause);
        if kept.len() == 2 && kept[0].text != kept[1].text {
            return;
        }
        for negation in &kept {
            self.negated.push(content_from(items, negation.end).next().unwrap_or_default());
        }
        if let Some(widest) = kept.first() {
            self.under_negation.extend(content_from(items, widest.end));
        }
    }

    fn note_name(&mut self, item: &Item, begins_clause: bool) {
        match item.kind {
            ItemKind::Name => {
                let is_telling = item.text.contains(|c: char| c.is_numeric() || "/\\".contains(c));
                if is_telling || is_file(&item.text) {
                    self.names.push(item.text.clone());
                } else {
                    self.capitals.insert(item.text.clone());
                }
            }
            ItemKind::Word => {
                let is_pronoun = item.text == "i" || (item.text == "a" && begins_clause);
                let mut letters = item.text.chars();
                let is_letter = letters.next().is_some_and(|c| c.is_ascii_lowercase() && c != 'a')
                    && letters.next().is_none();
                if (item.is_capital || is_letter) && !is_pronoun {
                    self.capitals.insert(item.text.clone());
                }
            }
            _ => {}
        }
    }
}

/// The sense of the longest phrase at `index`, and how many items it takes.
fn sense_at(items: &[Item], index: usize) -> Option<(Sense, usize)> {
    let (sense, used) = SENSES.longest(&items[index..])?;
    let is_number_next = |item: &Item| matches!(item.kind, ItemKind::Quantity(_));
    if items[index].text == "over" && items.get(index + 1).is_some_and(is_number_next) {
        return OVER_A_NUMBER.map(|sense| (sense, 1));
    }
    Some((sense, used))
}

/// The number that begins at `index`: unit, value, and how many items it takes. The value is
/// `None` for one of something that is counted, which says as little as "a" does.
pub(super) fn number_at(items: &[Item], index: usize) -> Option<(String, Option<Decimal>, usize)> {
    let item = &items[index];
    match &item.kind {
        ItemKind::Quantity(quantity) => {
            let says_nothing = quantity.is_count && quantity.value.is_one();
            let value = (!says_nothing).then(|| quantity.value.clone());
            Some((quantity.unit.clone(), value, 1))
        }
        ItemKind::Ordinal(value) => Some((ORDINAL.to_owned(), Some(value.clone()), 1)),
        ItemKind::Word => {
            if let Some((value, used)) = english_number(items, index) {
                let value = Decimal::from_integer(value);
                let following = items.get(index + used).filter(|i| i.kind == ItemKind::Word);
                return Some(match following.and_then(|item| unit(&item.text)) {
                    Some(unit) if items[index + used].text != "a" => {
                        (unit.base.clone(), Some(unit.in_base(&value)), used + 1)
                    }
                    _ => (String::new(), Some(value), used),
                });
            }
            let value = english_ordinal(&item.text)?;
            Some((ORDINAL.to_owned(), Some(Decimal::from_integer(value)), 1))
        }
        ItemKind::Han => han_number_at(items, index),
        _ => None,
    }
}

/// Makes the number after it a percentage.
const PERCENT_PREFIX: &str = "百分之";
/// Han characters looked at for one number and its unit.
const HAN_LOOK_AHEAD: usize = 24;

fn han_number_at(items: &[Item], index: usize) -> Option<(String, Option<Decimal>, usize)> {
    if items[index].text == "第" {
        if let Some(ItemKind::Quantity(quantity)) = items.get(index + 1).map(|item| &item.kind) {
            return Some((ORDINAL.to_owned(), Some(quantity.value.clone()), 2));
        }
        let (value, len) = han_ordinal(&han_run(items, index + 1))?;
        let used = 1 + len / '一'.len_utf8();
        return Some((ORDINAL.to_owned(), Some(Decimal::from_integer(value)), used));
    }
    if matches!(SENSES.longest(&items[index..]), Some((_, used)) if used > 1) {
        return None;
    }
    let run = han_run(items, index);
    if let Some(share) = run.strip_prefix(PERCENT_PREFIX) {
        let prefix = PERCENT_PREFIX.chars().count();
        return match (han_ordinal(share), items.get(index + prefix).map(|item| &item.kind)) {
            (Some((value, len)), _) => {
                let used = prefix + share[..len].chars().count();
                Some(("%".to_owned(), Some(Decimal::from_integer(value)), used))
            }
            (None, Some(ItemKind::Quantity(quantity))) => {
                Some(("%".to_owned(), Some(quantity.value.clone()), prefix + 1))
            }
            _ => None,
        };
    }
    let (value, len) = han_number(&run)?;
    let number = Decimal::from_integer(value);
    let chars = |bytes: usize| run[..bytes].chars().count();
    Some(match han_unit(&run[len..]) {
        Some((unit, unit_len)) => {
            let says_nothing = unit.base.is_empty() && value == 1;
            let number = (!says_nothing).then(|| unit.in_base(&number));
            (unit.base, number, chars(len + unit_len))
        }
        None => (String::new(), Some(number), chars(len)),
    })
}

fn han_run(items: &[Item], index: usize) -> String {
    let ahead = items[index.min(items.len())..].iter().take(HAN_LOOK_AHEAD);
    ahead.take_while(|item| item.kind == ItemKind::Han).map(|item| item.text.as_str()).collect()
}

fn ends_clause(item: &Item) -> bool {
    item.kind == ItemKind::Break || item.is_one_of(CONJUNCTIONS)
}

/// The words, names and adjacent pairs of Han characters from `start` on that say something, as
/// the tokens that they are.
fn content_from(items: &[Item], start: usize) -> impl Iterator<Item = String> {
    let rest = items.get(start..).unwrap_or_default();
    let says_something = |item: &Item| !item.is_one_of(FUNCTION_WORDS);
    rest.iter().enumerate().filter(move |(_, item)| says_something(item)).map(|(index, item)| {
        match rest.get(index + 1) {
            Some(next) if item.kind == ItemKind::Han && next.kind == ItemKind::Han => {
                format!("{}{}", item.text, next.text)
            }
            _ => item.text.clone(),
        }
    })
}

impl Sides {
    /// The sides of the relation that takes the `used` items from `index` on. When it opens the
    /// text ("before moving, check"), its right side is what stands before the next punctuation.
    fn of(items: &[Item], index: usize, used: usize) -> Self {
        let (before, after) = (&items[..index], &items[index + used..]);
        let opens = content(before).is_empty();
        match after.iter().position(|item| item.kind == ItemKind::Break) {
            Some(end) if opens => {
                Self { left: content(&after[end..]), right: content(&after[..end]) }
            }
            _ => Self::between(items, index, used),
        }
    }

    fn between(items: &[Item], index: usize, used: usize) -> Self {
        Self { left: content(&items[..index]), right: content(&items[index + used..]) }
    }

    /// Whether something of each side stands on the other one.
    fn is_swapped(&self, other: &Self) -> bool {
        let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| -> BTreeSet<String> {
            a.difference(b).cloned().collect()
        };
        let crosses = |from: BTreeSet<String>, to: BTreeSet<String>| !from.is_disjoint(&to);
        crosses(only(&self.left, &self.right), only(&other.right, &other.left))
            && crosses(only(&self.right, &self.left), only(&other.left, &other.right))
    }
}

fn content(items: &[Item]) -> BTreeSet<String> {
    items
        .iter()
        .filter(|item| !matches!(item.kind, ItemKind::Break | ItemKind::Sign))
        .filter(|item| item.is_capital || !item.is_one_of(FUNCTION_WORDS))
        .map(|item| item.text.clone())
        .collect()
}

#[cfg(test)]
#[path = "statement_tests.rs"]
mod tests;
