//! Which objects and places a text names, and which of them it is about.

use super::super::identifier::spaced;
use super::super::question::is_question;
use super::lexicon::{Concept, LEXICON, Section, folded};
use super::reading::{Token, TokenKind, tokens};

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

    /// The objects that a statement tells something of: not those that say where, whose or with what. "The
    /// spoon is in the mug" is about the spoon.
    pub fn told_of_in(text: &str) -> Self {
        Self::read(text, |tokens, index| {
            is_plain_object(tokens, index) && !is_marked(tokens, index)
        })
    }

    /// The one object that a question is about when the answer can only tell of it; else none. "What stands
    /// beside the mug" is answered by the name of something else, and so may be what has a "what" or "which" in it.
    pub fn surely_asked_in(query: &str) -> Self {
        let tokens = tokens(&folded(&spaced(query)));
        if !is_question(query) || asks_for_a_thing(&tokens) {
            return Self::default();
        }
        let named = Self::of(&tokens, |_, _| true);
        let told_of = Self::of(&tokens, |tokens, index| {
            is_plain_object(tokens, index)
                && !is_asked_for(tokens, index)
                && (!is_marked(tokens, index) || is_of_subject(tokens, index))
        });
        // What else is named may be what is meant.
        let asked_for = Self::of(&tokens, is_asked_for);
        let others = named.0.iter().filter(|it| !asked_for.0.contains(it)).count();
        if told_of.0.len() == 1 && others == 1 { told_of } else { Self::default() }
    }

    /// Whether another text names one of these.
    pub fn is_any_in(&self, other: &Self) -> bool {
        self.0.iter().any(|thing| other.0.iter().any(|it| it.are_near(thing)))
    }

    /// Whether none of these is one of the others, nor of its kind, though there are some on both sides.
    pub fn are_others_than(&self, others: &Self) -> bool {
        !self.0.is_empty() && !others.0.is_empty() && !self.is_any_in(others)
    }

    fn read(text: &str, counts: impl Fn(&[Token], usize) -> bool) -> Self {
        Self::of(&tokens(&folded(&spaced(text))), counts)
    }

    fn of(tokens: &[Token], counts: impl Fn(&[Token], usize) -> bool) -> Self {
        let mut objects: Vec<Groups> = Vec::new();
        for index in 0..tokens.len() {
            let groups = groups_at(tokens, index);
            if !groups.is_empty() && counts(tokens, index) && !objects.contains(&groups) {
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

/// Words that say of what follows where, whose, when or with what it is.
#[rustfmt::skip]
const MARKING: &[&str] = &[
    "in", "on", "at", "inside", "near", "under", "behind", "beside", "next to", "with", "without", "using", "by", "via", "for", "from", "to",
    "into", "onto", "of", "than", "like", "before", "after", "when", "while", "if", "instead", "as", "between", "through", "about", "over", "against",
    "在", "用", "从", "离", "由", "到", "往", "向", "给", "对", "以", "跟", "和", "比", "像", "每",
];
/// Those behind which a question still names what it is about: the lid of the jar, what happened to the lamp,
/// what is wrong with the drill.
const MARKING_SUBJECTS: &[&str] = &["of", "to", "with"];
/// What stands before the last two of them then.
const BEFORE_SUBJECTS: &[&str] = &["happened", "happen", "happens", "wrong", "matter", "do", "up"];
/// Chinese words behind a noun that say where something is beside it, or when.
const MARKING_BEHIND: &[&str] = &["时", "时候", "前", "之前", "后", "之后", "以前", "以后"];
/// Words between what marks a noun and the noun.
const MARKED_WITHIN: usize = 4;

/// Behind "what", "which" and 什么 they say that no thing is asked for: what color, what is wrong.
#[rustfmt::skip]
const NO_THING: &[&str] = &[
    "color", "colour", "size", "shape", "material", "made", "wrong", "happened", "matter", "state", "time", "day", "way", "kind", "temperature",
    "force", "speed", "torque", "weight", "pressure", "do", "room", "floor", "shelf", "drawer", "side", "place", "position",
    "颜色", "尺寸", "大小", "形状", "材料", "材质", "时候", "问题", "样", "型号", "牌子", "毛病", "温度", "位置", "地方", "做", "办",
    "里", "儿", "层", "天", "边", "个位置", "个房间",
];
/// Words that ask for a thing, or for what it is like.
const FOR_A_THING: &[&str] = &["what", "which", "什么", "哪", "啥"];

/// Whether a question asks for the name of a thing, as far as can be told.
fn asks_for_a_thing(tokens: &[Token]) -> bool {
    let text: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let is_asking = |word: &str| {
        FOR_A_THING.iter().any(|it| if word.is_ascii() { word == *it } else { word.contains(it) })
    };
    let Some(at) = text.iter().position(|word| is_asking(word)) else { return false };
    let joined: String = text[at..].concat();
    let is_said = |word: &&str| match word.is_ascii() {
        true => text[at..].contains(word),
        false => joined.contains(*word),
    };
    !NO_THING.iter().any(is_said)
}

/// Whether a token names an object, and cannot be a place.
fn is_plain_object(tokens: &[Token], index: usize) -> bool {
    tokens.get(index).is_some_and(|token| {
        token.may_be(|it| it == Section::Noun(0)) && !token.may_be(|it| it == Section::Noun(1))
    })
}

/// Where the word stands that says of the noun at `index` where, whose or with what it is.
fn marked_at(tokens: &[Token], index: usize) -> Option<usize> {
    for at in (index.saturating_sub(MARKED_WITHIN)..index).rev() {
        let token = tokens.get(at)?;
        if token.is_one_of(MARKING) || is_relation(token) {
            return Some(at);
        }
        // What stands between belongs to the noun.
        let is_between = ARTICLES.contains(&token.text.as_str())
            || token.may_be(|it| matches!(it, Section::Property(_) | Section::Person))
            || matches!(&token.kind, TokenKind::Light(_));
        if !is_between {
            return None;
        }
    }
    None
}

fn is_relation(token: &Token) -> bool {
    !token.senses().is_empty()
        && token.senses().iter().all(|it| LEXICON.section(*it) == Section::Relation)
}

/// Whether the noun at a token says where something is, whose it is, or with what it is done.
fn is_marked(tokens: &[Token], index: usize) -> bool {
    let is_behind = tokens
        .get(index + 1)
        .is_some_and(|next| next.is_han && (is_relation(next) || next.is_one_of(MARKING_BEHIND)));
    is_behind || marked_at(tokens, index).is_some()
}

/// Whether a marked noun of a question is still what it is about.
fn is_of_subject(tokens: &[Token], index: usize) -> bool {
    marked_at(tokens, index).is_some_and(|at| {
        let before = at.checked_sub(1).and_then(|at| tokens.get(at));
        tokens[at].is_one_of(MARKING_SUBJECTS)
            && (tokens[at].text == "of" || before.is_some_and(|it| it.is_one_of(BEFORE_SUBJECTS)))
    })
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
    fn one_object_is_surely_asked_about_or_none_is() {
        for (query, is_sure) in [
            ("where do I put the mug?", true),
            ("what is wrong with the lamp", true),
            ("what happened to the lamp", true),
            ("which shelf are the bowls on", true),
            ("马克杯放在哪里", true),
            ("锤子的手柄是什么颜色", true),
            ("what can I use instead of the hammer", false),
            ("what stands beside the mug", false),
            ("what is in the box", false),
            ("哪个工具能拧螺母", false),
            ("锤子旁边是什么", false),
            ("put the screwdriver beside the pliers", false),
            ("how is the weather", false),
            ("grip cup", false),
        ] {
            let sure = Objects::surely_asked_in(query);
            assert_eq!(!sure.is_empty(), is_sure, "{query}: {sure:?}");
            assert!(sure.0.len() <= 1, "{query}");
        }
    }

    #[test]
    fn a_statement_tells_of_what_it_puts_somewhere_and_not_of_where() {
        for (text, told_of, others) in [
            ("Put the glass into the rack", "glass", "rack"),
            ("The spoon is in the mug", "spoon", "mug"),
            ("In the box under the window", "", "box"),
            ("玻璃碗放在水槽旁边", "玻璃碗", "水槽"),
            ("在窗户下面的箱子里", "", "箱子"),
        ] {
            let found = Objects::told_of_in(text);
            assert_eq!(found.is_empty(), told_of.is_empty(), "{text}: {found:?}");
            assert_eq!(found.is_any_in(&Objects::named_in(told_of)), !told_of.is_empty(), "{text}");
            assert!(!found.is_any_in(&Objects::named_in(others)), "{text}: {found:?}");
        }
    }

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
