//! Which objects and places a text is about.

use super::super::identifier::spaced;
use super::lexicon::{Concept, LEXICON, Section, folded};
use super::reading::{Token, tokens};

/// Numbers of the groups of the table that something is in, each with those that it is a kind of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Groups {
    own: Vec<u16>,
    /// The own ones and those that they are kinds of.
    all: Vec<u16>,
}

impl Groups {
    /// Those that the things in a text and their properties are in.
    pub fn named_in(text: &str) -> Self {
        let tokens = tokens(&folded(&spaced(text)));
        let is_noun = |it: &&Concept| {
            matches!(LEXICON.section(**it), Section::Noun(_) | Section::Property(_))
        };
        Self::of(tokens.iter().flat_map(Token::senses).filter(is_noun))
    }

    pub(super) fn of<'c>(concepts: impl Iterator<Item = &'c Concept>) -> Self {
        let mut groups = Self::default();
        for concept in concepts {
            groups.own.push(concept.0);
            groups.all.extend(LEXICON.numbers_of(*concept));
        }
        for numbers in [&mut groups.own, &mut groups.all] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        groups
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Ascending.
    pub fn numbers(&self) -> &[u16] {
        &self.all
    }

    /// Whether something in the ones is the same as something in the others, or a kind of it: a mug and a
    /// cup, but not a mug and a teacup.
    pub fn are_near(&self, others: &Self) -> bool {
        let is_in = |own: &[u16], all: &[u16]| own.iter().any(|it| all.binary_search(it).is_ok());
        is_in(&self.own, &others.all) || is_in(&others.own, &self.all)
    }
}

/// Words behind which stands what an answer is to be, and not what it is to be about: "which drawer".
const ASKING: &[&str] = &["which", "what", "whose", "many", "much"];
/// The same in Chinese.
const ASKING_HAN: &[&str] =
    &["哪", "哪个", "哪只", "哪种", "哪把", "哪台", "哪一个", "什么", "多少", "几", "几个", "几号"];
/// Tokens before a noun among which such a word is looked for: "which gray drawer".
const ASKED_WITHIN: usize = 2;

/// The objects and places that a text names, as far as the table knows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Objects(Vec<Groups>);

impl Objects {
    /// Those that are named. Linear in the length of the text.
    pub fn named_in(text: &str) -> Self {
        Self::read(text, |_, _| true)
    }

    /// Those that a question is about: not what the answer is to be, the drawer of "which drawer are the
    /// pliers in".
    pub fn asked_about_in(query: &str) -> Self {
        Self::read(query, |tokens, index| !is_asked_for(tokens, index))
    }

    fn read(text: &str, counts: impl Fn(&[Token], usize) -> bool) -> Self {
        let tokens = tokens(&folded(&spaced(text)));
        let mut objects: Vec<Groups> = Vec::new();
        for index in 0..tokens.len() {
            let groups = groups_at(&tokens, index);
            if !groups.is_empty() && counts(&tokens, index) && !objects.contains(&groups) {
                objects.push(groups);
            }
        }
        Self(objects)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The share of these that another text does not name, when it names something else; 0 when it names
    /// nothing else, since its words may not be in the table.
    pub fn share_passed_over(&self, other: &Self) -> f64 {
        let is_in = |thing: &Groups, among: &Self| among.0.iter().any(|it| it.are_near(thing));
        if self.0.is_empty() || other.0.iter().all(|thing| is_in(thing, self)) {
            return 0.0;
        }
        let missing = self.0.iter().filter(|thing| !is_in(thing, other)).count();
        missing as f64 / self.0.len() as f64
    }
}

/// Behind these a word that may be a verb is the thing that something is of or for: "torque for the screw".
const BEFORE_THINGS: &[&str] = &["for", "of"];
const ARTICLES: &[&str] = &["the", "a", "an"];

/// The groups of the object or place at a token; none when it is a verb there ("drill the plate"), or says
/// what kind the next one is ("glass bottle").
fn groups_at(tokens: &[Token], index: usize) -> Groups {
    let sections = |token: &Token| -> Vec<Section> {
        token.senses().iter().map(|it| LEXICON.section(*it)).collect()
    };
    let is_thing = |section: &Section| matches!(section, Section::Noun(0 | 1));
    let Some(token) = tokens.get(index) else { return Groups::default() };
    let own = sections(token);
    let is_property = own.iter().any(|section| matches!(section, Section::Property(_)));
    let next = tokens.get(index + 1).map(sections).unwrap_or_default();
    let word = |back: usize| index.checked_sub(back).map_or("", |at| tokens[at].text.as_str());
    let is_named = BEFORE_THINGS.contains(&word(if ARTICLES.contains(&word(1)) { 2 } else { 1 }));
    if own.contains(&Section::Verb) && !is_named || is_property && next.iter().any(is_thing) {
        return Groups::default();
    }
    Groups::of(token.senses().iter().filter(|it| is_thing(&LEXICON.section(**it))))
}

fn is_asked_for(tokens: &[Token], index: usize) -> bool {
    let before = &tokens[index.saturating_sub(ASKED_WITHIN)..index];
    if before.iter().any(|token| token.is_one_of(ASKING)) {
        return true;
    }
    let run: String = before.iter().map(|token| token.text.as_str()).collect();
    ASKING_HAN.iter().any(|word| run.ends_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_another_thing_passes_over_the_one_that_is_asked_about() {
        for (query, row, expected) in [
            ("how hard may I grip the mug?", "The porcelain mug needs 9 N", 0.0),
            ("how hard may I grip the mug?", "瓷马克杯需要9牛", 0.0),
            ("how hard may I grip the mug?", "Grip the glass with at most 11 N", 1.0),
            ("how hard may I grip the mug?", "抓玻璃杯最多用11牛", 1.0),
            ("how hard may I grip the mug?", "Nothing is gripped above 11 N", 0.0),
            ("抓马克杯可以用多大的力", "The glass needs 9 N", 1.0),
            ("抓马克杯可以用多大的力", "The porcelain mug needs 9 N", 0.0),
            ("which drawer are the pliers in", "Pliers: top left", 0.0),
            ("which drawer are the pliers in", "The screwdriver is in the second drawer", 1.0),
            ("钳子放在哪个抽屉里", "螺丝刀放在工作台的第二个抽屉里", 1.0),
            ("钳子放在哪个抽屉里", "钳子:左上", 0.0),
            ("how do I hold a bottle", "Hold the glass bottle at its neck", 0.0),
            ("put the screwdriver beside the pliers", "The screwdriver is in the drawer", 0.5),
            ("what torque for the nut", "The torque for the screw is 3 N·m", 1.0),
            ("what torque for the nut", "Screw it in with 3 N·m", 0.0),
            ("how is the weather", "Grip the glass with at most 11 N", 0.0),
        ] {
            let asked = Objects::asked_about_in(query);
            let share = asked.share_passed_over(&Objects::named_in(row));
            assert_eq!(share, expected, "{query} / {row}: {asked:?}, {:?}", Objects::named_in(row));
        }
    }
}
