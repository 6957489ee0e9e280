//! Whether two names may mean the same object, place, task or parameter, in English and Chinese.
//!
//! A name is read as what it names (the last noun, or the one before "of", "on", "made of") and what tells
//! it from others of its kind: material, color, size, side, number, letters, whose it is, where it is. Words
//! are the same when the table of names (`config/things.txt`) says so, or when they are the same word in
//! another form. What the table does not know is never the same as another word, however alike the two are
//! for a language model: a model's vector is not asked here.
//!
//! | the two names | [`Likeness`] |
//! |---|---|
//! | glass bottle, "bottle made of glass", 玻璃瓶 | the same |
//! | bottle, glass bottle | the first is the broader one |
//! | glass bottle, plastic bottle; drawer 2, 三号抽屉; on and under the table | different |
//! | glass bottle, blue bottle; "cymbal", 钹 (in no table) | unknown |
//!
//! A unit at the end of a parameter's name is its unit: `force_n`, `gripForceN`, `max_speed_mps`.

mod caption;
mod frame;
mod kind;
mod lexicon;
mod objects;
mod prohibition;
mod reading;

pub use caption::things_in;
pub use frame::Frame;
pub(super) use lexicon::names_of_things;
pub use objects::{Groups, Objects};
pub use prohibition::{Clause, Doing, Part, PartRole, Prohibition, SameDoing};

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::identifier::spaced;
use super::lexer::is_han;
pub use lexicon::folded;
use lexicon::{Concept, LEXICON, Section, Senses, lemma};
use reading::{Token, TokenKind, tokens};

/// What a name is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThingKind {
    /// Something that can be handled.
    Object,
    /// Somewhere.
    Place,
    /// What is done, on what.
    Task,
    /// What a number is given for.
    Parameter,
}

/// What two names are to each other, of what [`Thing::compare`] is asked of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// They mean the same.
    Same,
    /// All that the other one means, this one means too: bottle, of glass bottle.
    Broader,
    /// This one means only some of what the other one does: glass bottle, of bottle.
    Narrower,
    /// They mean two things.
    Different,
    /// Nothing that is known decides it.
    Unknown,
}

/// What decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Evidence {
    /// All words, by the table or in other forms.
    Words,
    /// What is named: the two nouns.
    Noun,
    /// A property of which a thing has one: material, color, size, side, upper or lower bound.
    Property,
    /// A number, amount, letter or identifier.
    Number,
    /// Whose it is, or another noun before it.
    Modifier,
    /// Where it is beside another thing: on, under, near.
    Relation,
    /// The unit in the names of two parameters.
    Unit,
    /// A word that is not in the table, which the other language may have another word for.
    UnknownWord,
}

/// A name, read once to be held against others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thing {
    noun: Option<Key>,
    modifiers: Vec<Key>,
    properties: Vec<(Section, Concept)>,
    relations: Vec<Concept>,
    numbers: Vec<String>,
    names: Vec<String>,
    /// Of what dimension the unit in a parameter's name is; empty: there is none.
    dimension: &'static str,
    /// All words that say something, in their one form, in order.
    words: Vec<String>,
}

/// The words of one of the table's lists, in small letters.
pub fn listed(name: &str) -> &'static [String] {
    LEXICON.list(name)
}

/// A word as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Known(Senses),
    Unknown { text: String, is_han: bool },
}

/// Of which material a thing is: the first property of the table.
const MATERIAL: Section = Section::Property(0);

/// Characters of a name that are read.
const NAME_CHARS_MAX: usize = 128;

/// Units that parameters' names end in, of what dimension they are, and what a parameter of that unit is
/// called when its name does not say it.
#[rustfmt::skip]
const UNIT_ENDINGS: &[(&[&str], &str, &str)] = &[
    (&["n", "newton", "newtons", "kn", "mn"], "N", "force"),
    (&["nm", "n m", "newton meters", "nmm", "mnm"], "N·m", "torque"),
    (&["mps", "m s", "mm s", "mmps", "cmps", "cm s", "m per s", "kmh", "km h"], "m/s", "speed"),
    (&["radps", "rad s", "degps", "deg s", "dps", "rad per s"], "rad/s", "angular velocity"),
    (&["rpm"], "rpm", "rotational speed"),
    (&["deg", "degree", "degrees", "rad", "radians"], "°", "angle"),
    (&["m", "mm", "cm", "um", "km", "meters", "meter"], "m", "distance"),
    (&["kg", "g", "grams", "gram"], "g", "weight"),
    (&["s", "ms", "sec", "secs", "seconds", "us", "ns", "min", "minutes", "h"], "s", "time"),
    (&["hz", "khz", "mhz", "fps"], "Hz", "frequency"),
    (&["c", "deg c", "degc", "celsius"], "°C", "temperature"),
    (&["bar", "mbar", "pa", "kpa", "mpa", "hpa"], "Pa", "pressure"),
    (&["v", "mv", "volt", "volts"], "V", "voltage"),
    (&["a", "ma", "amp", "amps", "ampere"], "A", "current"),
    (&["w", "kw", "watt", "watts"], "W", "power"),
    (&["l", "ml", "liter", "liters"], "l", "volume"),
    (&["pct", "percent"], "%", ""),
    (&["px", "pixel", "pixels"], "px", ""),
];

/// Relations that a place may be named without: 桌上 is the place of 桌子.
static PLAIN_RELATIONS: LazyLock<Vec<Concept>> = LazyLock::new(|| {
    let words = ["on", "in"].into_iter().filter_map(|it| LEXICON.longest_words(&[lemma(it)]));
    words.flat_map(|(senses, _)| senses).collect()
});

impl Thing {
    /// Reads a name. Linear in its length.
    pub fn parse(text: &str, kind: ThingKind) -> Self {
        let end = text.char_indices().nth(NAME_CHARS_MAX).map_or(text.len(), |(at, _)| at);
        let apart = spaced(&text[..end]);
        let (text, dimension) = match kind {
            ThingKind::Parameter => without_unit(&apart),
            _ => (apart, ""),
        };
        let mut tokens = tokens(&folded(&text));
        if let Some(turned) = turned(&text, &tokens) {
            tokens = reading::tokens(&folded(&turned));
        }
        let tokens = joined_unknown(tokens);
        let mut thing = Self { dimension, ..Self::default() };
        let noun = noun_at(&tokens);
        for (index, token) in tokens.iter().enumerate() {
            thing.take(&tokens, index, token, noun == Some(index));
        }
        thing.numbers.sort_unstable();
        thing.names.sort_unstable();
        thing.properties.sort_unstable();
        thing.properties.dedup();
        thing.relations.sort_unstable();
        thing.relations.dedup();
        thing
    }

    /// The groups of what it names, without its properties.
    pub fn noun_groups(&self) -> Groups {
        Groups::of(self.senses().iter())
    }

    /// The groups of its properties.
    pub fn property_groups(&self) -> Groups {
        Groups::of(self.properties.iter().map(|(_, it)| it))
    }

    /// Numbers of the groups of the table that what it names is in, or is a kind of one in; of two names
    /// that are the same, or one broader than the other, one has a group of the other's. Empty when the
    /// table does not know what it names.
    pub fn groups(&self) -> Vec<u16> {
        self.senses().iter().flat_map(|it| LEXICON.numbers_of(*it)).collect()
    }

    /// What its noun may mean; empty when the table does not know it.
    fn senses(&self) -> &[Concept] {
        match &self.noun {
            Some(Key::Known(senses)) => senses,
            _ => &[],
        }
    }

    /// Numbers of the groups of its properties: its material, color, side.
    pub fn properties(&self) -> impl Iterator<Item = u16> {
        self.properties.iter().flat_map(|(_, it)| LEXICON.numbers_of(*it))
    }

    /// The numbers, letters and identifiers in it.
    pub fn marks(&self) -> impl Iterator<Item = &str> {
        self.numbers.iter().chain(&self.names).map(String::as_str)
    }

    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn take(&mut self, tokens: &[Token], index: usize, token: &Token, is_noun: bool) {
        match &token.kind {
            TokenKind::Light(_) | TokenKind::Break => return,
            TokenKind::Number(number) => self.numbers.push(number.to_string()),
            TokenKind::Amount(unit, number) => self.numbers.push(format!("{number} {unit}")),
            TokenKind::Name(name) => self.names.push(name.clone()),
            TokenKind::Unknown(text) => {
                let key = Key::Unknown { text: text.clone(), is_han: token.is_han };
                self.take_key(key, is_noun);
            }
            TokenKind::Known(senses)
                if senses.iter().all(|it| LEXICON.section(*it) == Section::Light) =>
            {
                return;
            }
            TokenKind::Known(senses) => self.take_known(tokens, index, senses, is_noun),
        }
        self.words.push(match &token.kind {
            TokenKind::Unknown(text) => text.clone(),
            _ if token.is_han => token.text.clone(),
            _ => token.text.split(' ').map(lemma).collect::<Vec<_>>().join(" "),
        });
    }

    fn take_key(&mut self, key: Key, is_noun: bool) {
        if is_noun {
            self.noun = Some(key);
        } else {
            self.modifiers.push(key);
        }
    }

    fn take_known(&mut self, tokens: &[Token], index: usize, senses: &Senses, is_noun: bool) {
        let of = |wanted: fn(Section) -> bool| -> Senses {
            senses.iter().copied().filter(|it| wanted(LEXICON.section(*it))).collect()
        };
        let nouns = of(|section| matches!(section, Section::Noun(_)));
        if is_noun && !nouns.is_empty() {
            self.noun = Some(Key::Known(nouns));
            return;
        }
        let relations = of(|section| section == Section::Relation);
        let properties = of(|section| matches!(section, Section::Property(_)));
        if !relations.is_empty() && (properties.is_empty() || stands_behind(tokens, index)) {
            // "on the left" is a side.
            if !is_side_next(tokens, index) {
                self.relations.extend(relations);
            }
        } else if !properties.is_empty() {
            // Of two properties with one name, such as a color and a material, both count.
            self.properties.extend(properties.iter().map(|it| (LEXICON.section(*it), *it)));
        } else {
            self.take_key(Key::Known(senses.clone()), is_noun);
        }
    }

    /// What this name is to another one; and what decided it. Exchanged, the two answer the same, with
    /// broader and narrower exchanged.
    pub fn compare(&self, other: &Self) -> (Likeness, Evidence) {
        let mut found = (Likeness::Same, Evidence::Words);
        let mut take = |likeness, evidence| found = joined(found, (likeness, evidence));
        if self.is_empty() || other.is_empty() {
            let likeness = if self == other { Likeness::Same } else { Likeness::Unknown };
            return (likeness, Evidence::Words);
        }
        let noun = match (&self.noun, &other.noun) {
            (Some(a), Some(b)) => a.compare(b),
            (None, None) => (Likeness::Same, Evidence::Words),
            _ => (Likeness::Unknown, Evidence::Noun),
        };
        let noun = match noun.0 {
            Likeness::Different if self.is_ended_by(other) => (Likeness::Narrower, Evidence::Noun),
            Likeness::Different if other.is_ended_by(self) => (Likeness::Broader, Evidence::Noun),
            _ => noun,
        };
        take(noun.0, noun.1);
        let modifiers = compare_modifiers(&self.modifiers, &other.modifiers);
        take(modifiers.0, modifiers.1);
        take(self.compare_properties(other), Evidence::Property);
        take(compare_sets(&self.numbers, &other.numbers), Evidence::Number);
        take(compare_sets(&self.names, &other.names), Evidence::Number);
        take(compare_relations(&self.relations, &other.relations), Evidence::Relation);
        let is_of_another_unit = !self.dimension.is_empty()
            && !other.dimension.is_empty()
            && self.dimension != other.dimension;
        if is_of_another_unit {
            take(Likeness::Different, Evidence::Unit);
        }
        found
    }

    /// Whether the words of the other one end in all of its words: the hex key is a key.
    fn is_ended_by(&self, other: &Self) -> bool {
        other.words.len() < self.words.len()
            && self.words.ends_with(&other.words)
            && other.words.iter().all(|word| !word.starts_with(is_han) || word.chars().count() > 1)
    }

    /// Whether people may call both by one name, or one is only a part of the other's name: a jar and a
    /// bottle, mesh and a mesh bag.
    pub fn is_alike(&self, other: &Self) -> bool {
        let (Some(own), Some(_)) = (&self.noun, &other.noun) else { return false };
        let is_alike = |one| other.senses().iter().any(|two| LEXICON.are_alike(one, *two));
        let are_alike = self.senses().iter().any(|one| is_alike(*one));
        are_alike || other.modifiers.iter().any(|it| own.compare(it).0 == Likeness::Same)
    }

    /// Numbers of the groups of what people may call by its name.
    pub fn alike_groups(&self) -> Vec<u16> {
        self.senses().iter().flat_map(|it| LEXICON.alike_of(*it)).map(|it| it.0).collect()
    }

    /// Whether it names an object, and no place.
    pub fn is_object(&self) -> bool {
        self.has_only(Section::Noun(0))
    }

    /// Whether it names a place, and no object.
    pub fn is_place(&self) -> bool {
        self.has_only(Section::Noun(1))
    }

    fn has_only(&self, section: Section) -> bool {
        let senses = self.senses();
        !senses.is_empty() && senses.iter().all(|it| LEXICON.section(*it) == section)
    }

    /// Whether the place that it names is a part of others, by the table's list.
    pub fn is_part_of_place(&self) -> bool {
        let last = self.words.iter().rev().find(|word| !word.starts_with(|c: char| c.is_numeric()));
        last.is_some_and(|last| LEXICON.list("parts of places").iter().any(|it| it == last))
    }

    fn compare_properties(&self, other: &Self) -> Likeness {
        let sections: BTreeSet<Section> =
            self.properties.iter().chain(&other.properties).map(|(section, _)| *section).collect();
        let of = |thing: &Self, section: Section| -> Vec<Concept> {
            thing.properties.iter().filter(|it| it.0 == section).map(|it| it.1).collect()
        };
        let mut found = Likeness::Same;
        for section in sections {
            let (a, b) = (of(self, section), of(other, section));
            let likeness = match (&a[..], &b[..]) {
                ([one], [two]) if LEXICON.is_kind_of(*one, *two) => Likeness::Narrower,
                ([one], [two]) if LEXICON.is_kind_of(*two, *one) => Likeness::Broader,
                _ => compare_sets(&a, &b),
            };
            found = joined((found, Evidence::Words), (likeness, Evidence::Property)).0;
        }
        found
    }
}

impl Key {
    fn compare(&self, other: &Self) -> (Likeness, Evidence) {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => {
                let is_kind = |a: &Senses, b: &Senses| {
                    a.iter().any(|one| b.iter().any(|two| LEXICON.is_kind_of(*one, *two)))
                };
                if a.iter().any(|it| b.contains(it)) {
                    (Likeness::Same, Evidence::Words)
                } else if is_kind(a, b) {
                    (Likeness::Narrower, Evidence::Noun)
                } else if is_kind(b, a) {
                    (Likeness::Broader, Evidence::Noun)
                } else {
                    (Likeness::Different, Evidence::Noun)
                }
            }
            (Self::Unknown { text: a, is_han }, Self::Unknown { text: b, is_han: other }) => {
                if a == b {
                    (Likeness::Same, Evidence::Words)
                } else if is_han == other {
                    (Likeness::Different, Evidence::UnknownWord)
                } else {
                    (Likeness::Unknown, Evidence::UnknownWord)
                }
            }
            _ => (Likeness::Unknown, Evidence::UnknownWord),
        }
    }
}

/// What two comparisons come to together, and what decided it.
fn joined(a: (Likeness, Evidence), b: (Likeness, Evidence)) -> (Likeness, Evidence) {
    use Likeness::{Broader, Different, Narrower, Same, Unknown};
    match (a.0, b.0) {
        (Different, _) => a,
        (_, Different) => b,
        (Unknown, _) | (_, Same) => a,
        (_, Unknown) | (Same, _) => b,
        (Broader, Narrower) | (Narrower, Broader) => (Unknown, b.1),
        (Broader, Broader) | (Narrower, Narrower) => a,
    }
}

/// Of two sets, none of which says more than the other unless it holds it.
fn compare_sets<T: PartialEq>(a: &[T], b: &[T]) -> Likeness {
    let is_in = |a: &[T], b: &[T]| a.iter().all(|it| b.contains(it));
    match (is_in(a, b), is_in(b, a)) {
        (true, true) => Likeness::Same,
        (true, false) if a.is_empty() => Likeness::Broader,
        (false, true) if b.is_empty() => Likeness::Narrower,
        (true, false) | (false, true) => Likeness::Unknown,
        (false, false) => Likeness::Different,
    }
}

fn compare_relations(a: &[Concept], b: &[Concept]) -> Likeness {
    let is_plain = |of: &[Concept]| of.iter().all(|it| PLAIN_RELATIONS.contains(it));
    match compare_sets(a, b) {
        Likeness::Broader if is_plain(b) => Likeness::Same,
        Likeness::Narrower if is_plain(a) => Likeness::Same,
        // The table is not what is under it.
        Likeness::Broader | Likeness::Narrower => Likeness::Unknown,
        likeness => likeness,
    }
}

fn compare_modifiers(a: &[Key], b: &[Key]) -> (Likeness, Evidence) {
    let is_in =
        |key: &Key, among: &[Key]| among.iter().any(|other| key.compare(other).0 == Likeness::Same);
    let own: Vec<&Key> = a.iter().filter(|key| !is_in(key, b)).collect();
    let others: Vec<&Key> = b.iter().filter(|key| !is_in(key, a)).collect();
    match (own.is_empty(), others.is_empty()) {
        (true, true) => (Likeness::Same, Evidence::Words),
        (true, false) => (Likeness::Broader, Evidence::Modifier),
        (false, true) => (Likeness::Narrower, Evidence::Modifier),
        (false, false) => {
            let all_differ = own
                .iter()
                .all(|key| others.iter().all(|other| key.compare(other).0 == Likeness::Different));
            if all_differ {
                (Likeness::Different, Evidence::Modifier)
            } else {
                (Likeness::Unknown, Evidence::UnknownWord)
            }
        }
    }
}

/// Where what is named stands: the last noun or word that is not known, or the last one before a
/// preposition.
fn noun_at(tokens: &[Token]) -> Option<usize> {
    let is_noun = |token: &Token| token.names_thing() && !matches!(token.kind, TokenKind::Name(_));
    let mut found = None;
    for (index, token) in tokens.iter().enumerate() {
        let is_preposition = !token.is_han
            && match &token.kind {
                TokenKind::Light(word) => {
                    ["of", "for", "from", "with", "made", "at", "to"].contains(&word.as_str())
                }
                TokenKind::Known(senses) => is_relation(senses),
                _ => false,
            };
        if is_preposition && found.is_some() {
            break;
        }
        if is_noun(token) {
            found = Some(index);
        }
    }
    found
}

/// What stands before "of" in the name of what is filled or counted: a cup of tea is no teacup.
const FILLED: &[&str] = &[
    "cup", "glass", "mug", "bottle", "box", "bag", "bowl", "plate", "pot", "can", "jar", "bucket",
    "tray", "bin", "pair", "piece", "sheet", "set", "stack", "pile", "roll", "crate", "pallet",
];

/// "area for shipping" as "shipping area", and "bottle made of glass" as "glass bottle".
fn turned(text: &str, tokens: &[Token]) -> Option<String> {
    if let [Token { kind: TokenKind::Known(_), .. }] = tokens {
        return None;
    }
    let lower = text.to_lowercase();
    let (before, after, is_made) = [" made of ", " made from ", " of ", " for "]
        .iter()
        .find_map(|word| lower.split_once(word).map(|(a, b)| (a, b, word.contains("made"))))?;
    let last = before.split_whitespace().next_back().map(lemma)?;
    if !is_made && FILLED.contains(&last.as_str()) {
        return None;
    }
    let after = ["the ", "a ", "an "].iter().find_map(|it| after.strip_prefix(it)).unwrap_or(after);
    Some(format!("{after} {before}"))
}

fn is_relation(senses: &Senses) -> bool {
    senses.iter().all(|it| LEXICON.section(*it) == Section::Relation)
}

/// Whether a word that is a side or a relation (上, 后) is what follows a noun: 桌上 is on the table, 上层 the
/// upper one.
fn stands_behind(tokens: &[Token], index: usize) -> bool {
    let before = index.checked_sub(1).and_then(|at| tokens.get(at));
    let follows = before.is_some_and(Token::names_thing);
    let ends = tokens.get(index + 1).is_none_or(|token| match &token.kind {
        TokenKind::Light(word) => word == "的",
        _ => !token.is_han,
    });
    follows && ends
}

fn is_side_next(tokens: &[Token], index: usize) -> bool {
    let next = tokens[index + 1..].iter().find(|it| !matches!(it.kind, TokenKind::Light(_)));
    next.is_some_and(|token| {
        let is_side = |it: &Concept| matches!(LEXICON.section(*it), Section::Property(_));
        !token.is_han && !token.senses().is_empty() && token.senses().iter().all(is_side)
    })
}

/// Han characters that are not known and follow each other are one word.
fn joined_unknown(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        if let TokenKind::Unknown(text) = &token.kind
            && token.is_han
            && let Some(Token { kind: TokenKind::Unknown(before), is_han: true, text: written }) =
                joined.last_mut()
        {
            before.push_str(text);
            written.push_str(&token.text);
            continue;
        }
        joined.push(token);
    }
    joined
}

/// A parameter's name without the unit that it ends in, and that unit's dimension. A name that says only
/// the unit is called as what is measured in it.
fn without_unit(text: &str) -> (String, &'static str) {
    let lower = text.to_lowercase();
    let spaced: Vec<&str> =
        lower.split([' ', '-', '/', '(', ')', '[', ']']).filter(|it| !it.is_empty()).collect();
    let name_len = |ending: &str| {
        let ending: Vec<&str> = ending.split(' ').collect();
        spaced.ends_with(&ending).then(|| spaced.len() - ending.len())
    };
    let found = UNIT_ENDINGS
        .iter()
        .flat_map(|(endings, dimension, called)| {
            endings.iter().filter_map(|it| Some((name_len(it)?, *dimension, *called)))
        })
        .min_by_key(|(len, _, _)| *len);
    let Some((len, dimension, called)) = found.filter(|(len, _, _)| *len > 0) else {
        return (text.to_owned(), "");
    };
    let whole = tokens(&folded(&spaced.join(" ")));
    if let [Token { kind: TokenKind::Known(_), .. }] = &whole[..] {
        return (text.to_owned(), dimension);
    }
    let name = spaced[..len].join(" ");
    // What is not known may well be one.
    let is_parameter = tokens(&folded(&name)).iter().any(|token| {
        matches!(token.kind, TokenKind::Unknown(_)) || token.may_be(|it| it == Section::Noun(2))
    });
    if is_parameter { (name, dimension) } else { (format!("{name} {called}"), dimension) }
}

#[cfg(test)]
mod tests;
