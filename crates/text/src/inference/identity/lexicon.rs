//! The table of names: which words and phrases mean the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use super::super::lexer::is_han;
use super::super::phrases::sections;
pub use spelling::folded;
pub(super) use spelling::lemma;
use spelling::{han_forms, latin_words};

mod spelling;

/// The groups that come with the program.
const SHIPPED: &str = include_str!("../../../../../config/things.txt");
/// Before a group whose names end in the name of what it is no kind of: the hot dog.
const NO_KIND: &str = "! ";

/// The groups of the table that name objects and places, each a line of words and phrases with commas
/// between.
pub(in crate::inference) fn names_of_things() -> impl Iterator<Item = &'static str> {
    let rows =
        sections(SHIPPED).filter(|(section, _)| matches!(*section, "object" | "place" | "either"));
    rows.map(|(_, row)| row.strip_prefix(NO_KIND).unwrap_or(row))
}

/// A group of the table: what all of its words mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Concept(pub u16);

/// Of what kind the words of a group are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Section {
    /// An object (0), a place (1) or a parameter (2).
    Noun(u8),
    /// Where something is beside another thing: on, under, 附近.
    Relation,
    /// Whose it is.
    Person,
    /// What is done.
    Verb,
    /// Tells how often.
    Other,
    /// Tells when.
    Time,
    /// Tells that it is not so.
    Negation,
    /// Says nothing of what is meant.
    Light,
    /// A property, of which a thing has one of its kind: a color, a material, a side.
    Property(u8),
}

/// What a word or phrase may mean; of one kind it is one thing.
pub(super) type Senses = Vec<Concept>;

/// The table, ready to be looked into.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    sections: Vec<Section>,
    /// What a concept is a kind of.
    broader: HashMap<Concept, Senses>,
    /// By first word, the longest first: the words after it.
    words: HashMap<String, Vec<(Vec<String>, Senses)>>,
    /// English phrases written as one word.
    joined: HashMap<String, Senses>,
    han: HashMap<String, Senses>,
    /// Characters of the longest Chinese word, by its first one.
    han_chars_max: HashMap<char, usize>,
    /// Which things may be called by each other's names: rows of concepts.
    alike: Vec<Senses>,
    /// What is done, and what else is a kind of it.
    kinds_of_doing: Vec<(Concept, Senses)>,
    alike_doing: Vec<Senses>,
    /// Words that say one thing of a name, in small letters, by the name of their list.
    lists: HashMap<String, Vec<String>>,
}

/// What a section of the table holds.
#[derive(Clone)]
enum Part {
    /// Groups of names.
    Groups(Section),
    /// A word, and what stands in groups that it may name.
    Either,
    /// What stands in a group, and what else is a kind of it.
    Kinds,
    /// Rows of names that stand in groups.
    Alike,
    KindsOfDoing,
    AlikeDoing,
    /// Words, which are not names.
    List(String),
}

/// The table that comes with the program.
pub(super) static LEXICON: LazyLock<Lexicon> =
    LazyLock::new(|| Lexicon::parse(SHIPPED).unwrap_or_default());

impl Lexicon {
    /// Reads the table.
    ///
    /// # Errors
    /// Names the line that cannot be read, and the word that stands in two groups of one section.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lexicon = Self::default();
        let mut names: Vec<String> = Vec::new();
        let mut part = None;
        let mut rows: Vec<(usize, Part, &str)> = Vec::new();
        let mut no_kinds: BTreeSet<Concept> = BTreeSet::new();
        let mut spellings: BTreeMap<Concept, Vec<String>> = BTreeMap::new();
        for (line, row) in (1..).zip(text.lines()) {
            let row = row.split('#').next().unwrap_or_default().trim();
            if row.is_empty() {
                continue;
            }
            if let Some(name) = row.strip_prefix('[').and_then(|row| row.strip_suffix(']')) {
                part = Some(lexicon.part_of(name, &mut names));
                continue;
            }
            let part = part.clone().ok_or_else(|| format!("line {line}: no section yet"))?;
            let Part::Groups(section) = part else {
                rows.push((line, part, row));
                continue;
            };
            let concept = u16::try_from(lexicon.sections.len())
                .map(Concept)
                .map_err(|_| "too many groups".to_owned())?;
            lexicon.sections.push(section);
            let without_kind = row.strip_prefix(NO_KIND);
            if without_kind.is_some() {
                no_kinds.insert(concept);
            }
            for spelling in spellings_of(without_kind.unwrap_or(row)) {
                lexicon.add(&spelling, concept).map_err(|why| format!("line {line}: {why}"))?;
                spellings.entry(concept).or_default().push(spelling);
            }
        }
        lexicon.sort_words();
        let (either, rows): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(_, part, _)| matches!(part, Part::Either));
        for (line, _, row) in either {
            lexicon.add_either(row).map_err(|why| format!("line {line}: {why}"))?;
        }
        lexicon.sort_words();
        spellings.retain(|concept, _| !no_kinds.contains(concept));
        for (concept, spellings) in spellings {
            let broader = lexicon.kinds_of(&spellings, concept);
            if !broader.is_empty() {
                lexicon.broader.insert(concept, broader);
            }
        }
        for (line, part, row) in rows {
            lexicon.add_row(&part, row).map_err(|why| format!("line {line}: {why}"))?;
        }
        Ok(lexicon)
    }

    /// The longest phrases first.
    fn sort_words(&mut self) {
        for rows in self.words.values_mut() {
            rows.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
    }

    /// What the section of a name holds.
    fn part_of(&self, name: &str, names: &mut Vec<String>) -> Part {
        match name {
            "either" => Part::Either,
            "kinds" => Part::Kinds,
            "alike" => Part::Alike,
            "kinds of doing" => Part::KindsOfDoing,
            "alike doing" => Part::AlikeDoing,
            name => match name.strip_prefix("list ") {
                Some(list) => Part::List(list.to_owned()),
                None => Part::Groups(self.section_of(name, names)),
            },
        }
    }

    /// Takes in a word that may name several things, which follow it.
    fn add_either(&mut self, row: &str) -> Result<(), String> {
        let mut words = spellings_of(row);
        let word = words.next().unwrap_or_default();
        let things: Senses =
            words.map(|thing| self.concept(&thing, true)).collect::<Result<_, _>>()?;
        if self.concept(&word, true).is_ok() {
            return Err(twice(&word));
        }
        if word.chars().all(is_han) {
            for han in han_forms(&word) {
                self.reach_to(&han);
                self.han.entry(han).or_default().extend(&things);
            }
            return Ok(());
        }
        let words = latin_words(&word);
        let (first, rest) = words.split_first().ok_or("no word")?;
        self.senses_mut(first, rest).extend(&things);
        Ok(())
    }

    /// Takes in what else is a kind of the first word of a row; all are of one section.
    fn add_kinds(&mut self, row: &str) -> Result<(), String> {
        let senses: Vec<Senses> = spellings_of(row).map(|word| self.senses_of(&word)).collect();
        let (head, kinds) = senses.split_first().ok_or("no word")?;
        let of_section = |senses: &Senses, section: Section| {
            senses.iter().copied().find(|it| self.section(*it) == section)
        };
        let found = head.iter().find_map(|head| {
            let kinds = kinds.iter().map(|senses| of_section(senses, self.section(*head)));
            Some((*head, kinds.collect::<Option<Senses>>()?))
        });
        let (head, kinds) = found
            .ok_or_else(|| format!("`{row}`: a word stands in no group of the first one's"))?;
        for kind in kinds {
            let broader = self.broader.entry(kind).or_default();
            if kind != head && !broader.contains(&head) {
                broader.push(head);
            }
        }
        Ok(())
    }

    /// Takes in a row that names what stands in groups, or words that are no names.
    fn add_row(&mut self, part: &Part, row: &str) -> Result<(), String> {
        if matches!(part, Part::Kinds) {
            return self.add_kinds(row);
        }
        if let Part::List(name) = part {
            let words = spellings_of(row).map(|word| word.to_lowercase());
            self.lists.entry(name.clone()).or_default().extend(words);
            return Ok(());
        }
        let is_thing = matches!(part, Part::Alike);
        let row: Senses = spellings_of(row)
            .map(|word| self.concept(&word, is_thing))
            .collect::<Result<_, _>>()?;
        match part {
            Part::Alike => self.alike.push(row),
            Part::AlikeDoing => self.alike_doing.push(row),
            _ => {
                let (head, kinds) = row.split_first().ok_or("no word")?;
                self.kinds_of_doing.push((*head, kinds.to_vec()));
            }
        }
        Ok(())
    }

    /// The thing, or what is done, that a word of the table names.
    fn concept(&self, word: &str, is_thing: bool) -> Result<Concept, String> {
        let is_wanted = |it: &Concept| {
            if is_thing { self.is_noun(*it) } else { self.section(*it) == Section::Verb }
        };
        let found = self.senses_of(word).into_iter().find(is_wanted);
        found.ok_or_else(|| format!("`{word}` stands in no group"))
    }

    /// What a word or phrase of the table may mean.
    fn senses_of(&self, word: &str) -> Senses {
        if word.chars().all(is_han) {
            return self.han.get(word).cloned().unwrap_or_default();
        }
        let words = latin_words(word);
        let found = self.longest_words(&words).filter(|(_, used)| *used == words.len());
        found.map(|(senses, _)| senses).unwrap_or_default()
    }

    fn section_of(&self, name: &str, names: &mut Vec<String>) -> Section {
        match name {
            "object" => Section::Noun(0),
            "place" => Section::Noun(1),
            "parameter" => Section::Noun(2),
            "relation" => Section::Relation,
            "person" => Section::Person,
            "verb" => Section::Verb,
            "adverb" => Section::Other,
            "time" => Section::Time,
            "negation" => Section::Negation,
            "light" => Section::Light,
            _ => {
                let place = names.iter().position(|known| known == name).unwrap_or_else(|| {
                    names.push(name.to_owned());
                    names.len() - 1
                });
                Section::Property(u8::try_from(place).unwrap_or(u8::MAX))
            }
        }
    }

    fn add(&mut self, spelling: &str, concept: Concept) -> Result<(), String> {
        if spelling.is_empty() {
            return Err("there is no word between two commas".to_owned());
        }
        if spelling.chars().all(is_han) {
            for han in han_forms(spelling) {
                self.reach_to(&han);
                let senses = self.han.entry(han.clone()).or_default();
                note(&self.sections, senses, concept).map_err(|()| twice(&han))?;
            }
            return Ok(());
        }
        let words = latin_words(spelling);
        let Some((first, rest)) = words.split_first() else {
            return Err(format!("`{spelling}` has no letter and no digit"));
        };
        let mut senses = std::mem::take(self.senses_mut(first, rest));
        let noted = note(&self.sections, &mut senses, concept);
        *self.senses_mut(first, rest) = senses;
        noted.map_err(|()| twice(spelling))?;
        let joined = spelling.to_lowercase().replace([' ', '-'], "");
        if joined.chars().all(|c| c.is_ascii_alphabetic()) {
            let senses = self.joined.entry(lemma(&joined)).or_default();
            note(&self.sections, senses, concept).map_err(|()| twice(spelling))?;
        }
        Ok(())
    }

    /// Notes how long a Chinese word is.
    fn reach_to(&mut self, han: &str) {
        let first = han.chars().next().unwrap_or_default();
        let longest = self.han_chars_max.entry(first).or_default();
        *longest = (*longest).max(han.chars().count());
    }

    /// The meanings of an English phrase, to be added to.
    fn senses_mut(&mut self, first: &str, rest: &[String]) -> &mut Senses {
        let rows = self.words.entry(first.to_owned()).or_default();
        let at = rows.iter().position(|(words, _)| words == rest).unwrap_or_else(|| {
            rows.push((rest.to_vec(), Senses::new()));
            rows.len() - 1
        });
        &mut rows[at].1
    }

    /// What the names of a group say it is a kind of: the things, or properties of its kind, whose names
    /// its names end in, in each language that it has names in.
    fn kinds_of(&self, spellings: &[String], concept: Concept) -> Senses {
        let (mut latin, mut han): (Vec<BTreeSet<Concept>>, Vec<BTreeSet<Concept>>) =
            (Vec::new(), Vec::new());
        for spelling in spellings {
            let mut found: BTreeSet<Concept> = BTreeSet::new();
            if spelling.chars().all(is_han) {
                let ends = spelling.char_indices().skip(1).map(|(at, _)| &spelling[at..]);
                found.extend(ends.filter_map(|end| self.han.get(end)).flatten());
                han.push(found);
            } else {
                let words = latin_words(spelling);
                for start in 1..words.len() {
                    if let Some((senses, used)) = self.longest_words(&words[start..])
                        && start + used == words.len()
                    {
                        found.extend(senses);
                    }
                }
                latin.push(found);
            }
        }
        let of = |sets: &[BTreeSet<Concept>]| -> BTreeSet<Concept> {
            sets.iter().flatten().copied().collect()
        };
        let (english, chinese) = (of(&latin), of(&han));
        let kinds: BTreeSet<Concept> = match (latin.is_empty(), han.is_empty()) {
            (false, false) => english.intersection(&chinese).copied().collect(),
            _ => english.union(&chinese).copied().collect(),
        };
        let own = self.section(concept);
        let is_kind = |it: &Concept| match own {
            Section::Noun(_) => self.is_noun(*it),
            Section::Property(_) => self.section(*it) == own,
            _ => false,
        };
        kinds.into_iter().filter(|it| *it != concept).filter(is_kind).collect()
    }

    /// Of what kind a concept is.
    pub fn section(&self, concept: Concept) -> Section {
        self.sections.get(usize::from(concept.0)).copied().unwrap_or(Section::Light)
    }

    /// Whether a concept is an object, a place or a parameter.
    pub fn is_noun(&self, concept: Concept) -> bool {
        matches!(self.section(concept), Section::Noun(_))
    }

    /// The numbers of a group and of those that it is a kind of.
    pub fn numbers_of(&self, concept: Concept) -> impl Iterator<Item = u16> {
        let broader = self.broader.get(&concept).into_iter().flatten();
        std::iter::once(concept.0).chain(broader.map(|it| it.0))
    }

    /// Whether a concept is a kind of another one.
    pub fn is_kind_of(&self, concept: Concept, other: Concept) -> bool {
        self.broader.get(&concept).is_some_and(|kinds| kinds.contains(&other))
    }

    /// Whether people may call one of two things by the name of the other one.
    pub fn are_alike(&self, one: Concept, other: Concept) -> bool {
        self.alike.iter().any(|row| row.contains(&one) && row.contains(&other))
    }

    /// What people may call by the name of a thing.
    pub fn alike_of(&self, thing: Concept) -> impl Iterator<Item = Concept> {
        self.alike.iter().filter(move |row| row.contains(&thing)).flatten().copied()
    }

    /// Whether who does the one does the other as well.
    pub fn is_kind_of_doing(&self, one: Concept, other: Concept) -> bool {
        self.kinds_of_doing.iter().any(|(head, kinds)| *head == other && kinds.contains(&one))
    }

    /// Whether who does the one may be doing the other as well.
    pub fn may_be_doing(&self, one: Concept, other: Concept) -> bool {
        self.alike_doing.iter().any(|row| row.contains(&one) && row.contains(&other))
    }

    /// All that stands in a row with something that is done, and that itself.
    pub fn near_doing(&self, doing: Concept) -> impl Iterator<Item = Concept> {
        let kinds = self
            .kinds_of_doing
            .iter()
            .filter(move |(head, kinds)| *head == doing || kinds.contains(&doing));
        let kinds = kinds.flat_map(|(head, kinds)| kinds.iter().chain([head]));
        let alike = self.alike_doing.iter().filter(move |row| row.contains(&doing)).flatten();
        kinds.chain(alike).copied().chain([doing])
    }

    /// The words of a list, in small letters.
    pub fn list(&self, name: &str) -> &[String] {
        self.lists.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// What the longest phrase at the beginning of these words, in their one form, means, and how many
    /// words it has.
    pub fn longest_words(&self, words: &[String]) -> Option<(Senses, usize)> {
        let (first, rest) = words.split_first()?;
        let rows = self.words.get(first).map(Vec::as_slice).unwrap_or_default();
        let row = rows.iter().find(|(words, _)| rest.starts_with(words));
        row.map(|(words, senses)| (senses.clone(), words.len() + 1))
    }

    /// What a phrase means that is written as one word, given in its one form.
    pub fn joined(&self, word: &str) -> Option<Senses> {
        self.joined.get(word).cloned()
    }

    /// What a run of Han characters means as a whole.
    pub fn han(&self, run: &str) -> Option<&Senses> {
        self.han.get(run)
    }

    /// Characters of the longest Chinese word that begins with one.
    pub fn han_chars_max_from(&self, first: char) -> usize {
        self.han_chars_max.get(&first).copied().unwrap_or_default()
    }
}

/// What stands between the commas of a row.
fn spellings_of(row: &str) -> impl Iterator<Item = String> {
    row.split([',', '，']).map(|spelling| folded(spelling.trim()))
}

fn twice(spelling: &str) -> String {
    format!("`{spelling}` stands in two groups of one section")
}

/// Adds a meaning, unless there is another one of its kind.
fn note(sections: &[Section], senses: &mut Senses, concept: Concept) -> Result<(), ()> {
    let section = |it: Concept| sections.get(usize::from(it.0)).copied();
    if senses.contains(&concept) {
        return Ok(());
    }
    if senses.iter().any(|it| section(*it) == section(concept)) {
        return Err(());
    }
    senses.push(concept);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_is_read() {
        let lexicon = Lexicon::parse(SHIPPED).unwrap_or_else(|why| panic!("things.txt: {why}"));
        assert!(lexicon.sections.len() > 600, "{}", lexicon.sections.len());
        let of = |text: &str| {
            let (senses, _) = lexicon.longest_words(&latin_words(text)).expect(text);
            senses[0]
        };
        assert!(lexicon.is_kind_of(of("torque wrench"), of("wrench")));
        assert!(!lexicon.is_kind_of(of("suction cup"), of("cup")));
        assert!(!lexicon.is_kind_of(of("flower pot"), of("pot")));
        assert!(!lexicon.is_kind_of(of("hot dog"), of("dog")));
        assert!(lexicon.is_kind_of(of("mug"), of("cup")));
    }

    #[test]
    fn what_is_wrong_with_a_table_is_named() {
        let cases = [
            ("cup, 杯子", "line 1: no section yet"),
            ("[object]\ncup, mug\nmugs, 马克杯", "line 3: `mugs` stands in two groups"),
            ("[object]\n杯子\n水杯, 杯", "line 3: `杯` stands in two groups"),
            ("[object]\ncup,, mug", "line 2: there is no word between two commas"),
            ("[object]\n!!", "line 2: `!!` has no letter"),
            ("[object]\ncup\n[alike]\ncup, mug", "line 4: `mug` stands in no group"),
            ("[object]\ncup, 杯\n[either]\ncup, 杯", "line 4: `cup` stands in two groups"),
            ("[object]\ncup\n[color]\nred\n[kinds]\ncup, red", "line 6: `cup, red`: a word"),
            ("[verb]\ngrip\n[alike doing]\ngrip, fly", "line 4: `fly` stands in no group"),
        ];
        for (text, expected) in cases {
            let error = Lexicon::parse(text).map(|_| ()).expect_err(text);
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(Lexicon::parse("[object]\norange, 橙子\n[color]\norange, 橙色").is_ok());
    }
}
