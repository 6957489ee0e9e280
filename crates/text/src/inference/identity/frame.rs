//! What a statement says, word by word, by what the words mean: so that the same fact in other words, or in
//! the other language, is told from another fact in the same frame.
//!
//! 钳子在二号抽屉 and 锤子在二号抽屉 share all but one word, and are two facts; "the pliers are in drawer 2" is
//! the first of them. Two frames say the same when every word of each has one in the other that means the
//! same, in the same role. Whatever is left over keeps them two.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lexicon::{Concept, LEXICON, Section, Senses, folded, lemma};
use super::reading::{Token, TokenKind, tokens};
use super::{PLAIN_RELATIONS, is_relation, joined_unknown};
use crate::inference::is_han;
use crate::inference::statement::is_of_warmth;
use crate::inference::units::in_symbols;

/// A statement, read once to be held against others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    atoms: Vec<Atom>,
    /// Numbers and amounts in order.
    numbers: Vec<String>,
    /// On and in, which say little beside what is named.
    places: Vec<Concept>,
    /// What the units of its amounts say already.
    implied: Vec<Concept>,
}

/// A word that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Atom {
    key: Key,
    /// What it is to what is said of it; `None` for what is no noun.
    role: Option<Role>,
    /// Of which kind of property it is.
    property: Option<Section>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Key {
    Known(Senses),
    Unknown(String),
}

/// What a noun is to the rest, as far as a preposition tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Who does it, or what it is done to: by its place among the others.
    Core,
    /// With what.
    With,
    /// Where.
    At,
    /// For whom or what.
    For,
    /// Of what, or whose: before 的.
    Of,
    /// From where.
    From,
    /// To where.
    To,
}

/// Prepositions, by what they make of the noun after them.
const ROLES: &[(&[&str], Role)] = &[
    (&["with", "using", "use", "uses", "by", "via", "用", "使用", "采用", "以"], Role::With),
    (&["in", "on", "at", "inside", "near", "under", "behind", "next to", "beside", "在"], Role::At),
    (&["for", "给", "对"], Role::For),
    (&["from", "away from", "从", "离", "由"], Role::From),
    (&["to", "into", "onto", "到", "往", "向"], Role::To),
    (&["of"], Role::Of),
];

/// What the unit of an amount says already: who names the force need not say "force".
#[rustfmt::skip]
const IMPLIED: &[(&str, &[&str])] = &[
    ("N", &["force", "grip force", "grip"]), ("N·m", &["torque", "tightening torque", "tighten"]),
    ("m/s", &["speed", "linear velocity", "drive", "move"]), ("g", &["weight", "payload", "carry", "weigh"]),
    ("°C", &["temperature"]), ("°", &["angle"]), ("V", &["voltage"]), ("A", &["current"]), ("W", &["power"]),
    ("Hz", &["frequency"]), ("Pa", &["pressure", "air pressure"]), ("rpm", &["rotational speed", "run"]),
    ("m", &["distance"]),
];

static IMPLIED_CONCEPTS: LazyLock<HashMap<&str, Senses>> = LazyLock::new(|| {
    let concepts = |names: &[&str]| -> Senses {
        let words = |name: &str| name.split(' ').map(lemma).collect::<Vec<_>>();
        let found = names.iter().filter_map(|name| LEXICON.longest_words(&words(name)));
        found.flat_map(|(senses, _)| senses).collect()
    };
    IMPLIED.iter().map(|(unit, names)| (*unit, concepts(names))).collect()
});

/// What stands before a participle in -ed that tells of no time: "is locked", "unless gripped", "the used one".
const PASSIVE: &[&str] = &[
    "is", "are", "be", "been", "being", "get", "gets", "not", "unless", "when", "if", "once",
    "until", "while", "the", "a", "an", "and", "or", "as",
];
/// Marks a word of what happened once.
const PAST: &str = "#past";
/// Marks where something comes from.
const FROM: &str = "#from";

impl Frame {
    /// Reads a statement. Linear in its length.
    pub fn parse(text: &str) -> Self {
        let text = in_symbols(text);
        let tokens = joined_unknown(tokens(&folded(&text)));
        let mut frame = Self::default();
        let mut role = Role::Core;
        let is_warm = is_of_warmth(&text);
        for (index, token) in tokens.iter().enumerate() {
            if let Some((_, marked)) = ROLES.iter().find(|(words, _)| token.is_one_of(words)) {
                role = *marked;
            }
            match &token.kind {
                TokenKind::Break => role = Role::Core,
                TokenKind::Light(word) if word == "from" => frame.mark(FROM),
                TokenKind::Light(word) if word == "的" => frame.put_last(Role::Of),
                TokenKind::Light(_) => {}
                TokenKind::Number(number) => frame.numbers.push(number.to_string()),
                TokenKind::Amount(unit, number) => {
                    let unit = if is_warm && unit == "°" { "°C" } else { unit.as_str() };
                    frame.numbers.push(format!("{number} {unit}"));
                    frame.implied.extend(IMPLIED_CONCEPTS.get(unit).into_iter().flatten());
                }
                TokenKind::Name(name) => frame.noun(Key::Unknown(name.clone()), &mut role),
                TokenKind::Unknown(text) if text == "从" => frame.mark(FROM),
                TokenKind::Unknown(text) => {
                    frame.noun(Key::Unknown(text.clone()), &mut role);
                    frame.note_past(&tokens, index);
                }
                TokenKind::Known(senses) => frame.known(&tokens, index, senses, &mut role),
            }
        }
        frame
    }

    fn mark(&mut self, mark: &str) {
        let key = Key::Unknown(mark.to_owned());
        self.atoms.push(Atom { key, role: None, property: None });
    }

    fn noun(&mut self, key: Key, role: &mut Role) {
        self.atoms.push(Atom { key, role: Some(*role), property: None });
    }

    fn known(&mut self, tokens: &[Token], index: usize, senses: &Senses, role: &mut Role) {
        let section = |it: &Concept| LEXICON.section(*it);
        if senses.iter().all(|it| section(it) == Section::Light) {
            let is_marked =
                ROLES.iter().any(|(words, _)| words.contains(&tokens[index].text.as_str()));
            if !is_marked {
                *role = Role::Core;
            }
            return;
        }
        let is_noun =
            senses.iter().any(|it| LEXICON.is_noun(*it) || section(it) == Section::Person);
        let property = senses.iter().map(section).find(|it| matches!(it, Section::Property(_)));
        let relations: Senses =
            senses.iter().copied().filter(|it| section(it) == Section::Relation).collect();
        if !relations.is_empty() && (is_relation(senses) || is_behind_noun(tokens, index)) {
            if tokens[index].is_han {
                self.put_last(Role::At);
            }
            if relations.iter().all(|it| PLAIN_RELATIONS.contains(it)) {
                self.places.extend(relations);
            } else {
                self.atoms.push(Atom { key: Key::Known(relations), role: None, property: None });
            }
            return;
        }
        let key = Key::Known(senses.clone());
        if is_noun {
            self.noun(key, role);
        } else {
            self.atoms.push(Atom { key, role: None, property });
            // What is done ends what a preposition began.
            if senses.iter().any(|it| section(it) == Section::Verb) {
                *role = Role::Core;
                self.note_past(tokens, index);
            }
        }
    }

    /// The noun before 里 and 上 is where it is, and the one before 的 whose it is.
    fn put_last(&mut self, role: Role) {
        let last = self.atoms.iter_mut().rev().find(|atom| atom.role.is_some());
        if let Some(atom) = last.filter(|atom| atom.role == Some(Role::Core)) {
            atom.role = Some(role);
        }
    }

    /// What happened is not what happens: "slipped", but not "is locked".
    fn note_past(&mut self, tokens: &[Token], index: usize) {
        let is_past = |token: &Token| {
            !token.is_han
                && token.text.ends_with("ed")
                && !token.text.contains(' ')
                && token.text.len() > 4
        };
        let before = index.checked_sub(1).map(|at| tokens[at].text.as_str());
        let is_passive = before.is_some_and(|word| PASSIVE.contains(&word));
        if is_past(&tokens[index]) && !is_passive {
            self.mark(PAST);
        }
    }

    /// Whether both say the same, by the meaning of their words. Symmetric, and true of a frame and itself.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.numbers == other.numbers
            && self.left_over(other).next().is_none()
            && other.left_over(self).next().is_none()
            && !is_elsewhere(&self.places, &other.places)
            && self.has_properties_of(other)
            && self.has_roles_of(other)
    }

    /// Whether each has words that the other has none for, and they share as many: another thing in the
    /// same frame. What shares less is another sentence, of which this tells nothing, but for Chinese words
    /// that the table does not know: those a tokenizer may not know either, and then a vector tells nothing
    /// of them. Symmetric.
    pub fn exchanges_words_with(&self, other: &Self) -> bool {
        let shared = |a: &Self, b: &Self| {
            let atoms = a.atoms.iter().filter(|atom| b.atoms.iter().any(|it| it.key.is(&atom.key)));
            let numbers = a.numbers.iter().filter(|number| b.numbers.contains(number));
            atoms.count() + numbers.count()
        };
        let (own, others) = (self.left_over(other).count(), other.left_over(self).count());
        let is_rare =
            |atom: &Atom| matches!(&atom.key, Key::Unknown(text) if text.starts_with(is_han));
        let mut left = self.left_over(other).chain(other.left_over(self));
        let are_rare = left.any(is_rare);
        let shared = shared(self, other).min(shared(other, self));
        own > 0 && others > 0 && (are_rare || shared >= own.min(others))
    }

    /// The words for which the other has none, and which the units do not say already.
    fn left_over<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a Atom> {
        self.atoms.iter().filter(|atom| {
            !other.atoms.iter().any(|it| it.key.is(&atom.key))
                && !atom.key.is_implied(&self.implied)
        })
    }

    /// Whether the properties of each kind come in the same order: red cup on blue plate.
    fn has_properties_of(&self, other: &Self) -> bool {
        let of = |frame: &Self| -> Vec<(Section, Key)> {
            let atoms = frame.atoms.iter();
            atoms.filter_map(|atom| Some((atom.property?, atom.key.clone()))).collect()
        };
        let (mut a, mut b) = (of(self), of(other));
        a.sort_by_key(|(section, _)| *section);
        b.sort_by_key(|(section, _)| *section);
        a.len() == b.len() && a.iter().zip(&b).all(|((_, a), (_, b))| a.is(b))
    }

    /// Whether the nouns have the same roles: those that a preposition marks in both the same one, and those
    /// that none marks the same order; and no two have exchanged theirs.
    fn has_roles_of(&self, other: &Self) -> bool {
        let mut pairs: Vec<(Role, Role, usize)> = Vec::new();
        for (index, atom) in self.atoms.iter().enumerate() {
            let Some(role) = atom.role else { continue };
            if self.atoms[..index].iter().any(|it| it.key.is(&atom.key)) {
                continue;
            }
            let found = other.atoms.iter().enumerate().find(|(_, it)| it.key.is(&atom.key));
            if let Some((place, Atom { role: Some(theirs), .. })) = found {
                pairs.push((role, *theirs, place));
            }
        }
        let is_other =
            |(a, b, _): &(Role, Role, usize)| a != b && *a != Role::Core && *b != Role::Core;
        let gains = pairs.iter().any(|(a, b, _)| *a == Role::Core && *b != Role::Core);
        let loses = pairs.iter().any(|(a, b, _)| *a != Role::Core && *b == Role::Core);
        let cores = pairs.iter().filter(|(a, b, _)| *a == Role::Core && *b == Role::Core);
        !(pairs.iter().any(is_other) || gains && loses) && cores.is_sorted_by_key(|it| it.2)
    }
}

impl Key {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Known(a), Self::Known(b)) => a.iter().any(|it| b.contains(it)),
            (Self::Unknown(a), Self::Unknown(b)) => a == b,
            _ => false,
        }
    }

    fn is_implied(&self, implied: &[Concept]) -> bool {
        matches!(self, Self::Known(senses) if senses.iter().any(|it| implied.contains(it)))
    }
}

/// Whether one is on what the other is in.
fn is_elsewhere(a: &[Concept], b: &[Concept]) -> bool {
    !a.is_empty() && !b.is_empty() && !a.iter().any(|it| b.contains(it))
}

/// Whether a word that is a side or a relation (上, 里) follows a noun, and none follows it.
fn is_behind_noun(tokens: &[Token], index: usize) -> bool {
    tokens[index].is_han
        && index.checked_sub(1).is_some_and(|at| tokens[at].names_thing())
        && !tokens.get(index + 1).is_some_and(Token::names_thing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn says_the_same(a: &str, b: &str) -> bool {
        Frame::parse(a).says_the_same(&Frame::parse(b))
    }

    #[test]
    fn the_same_fact_is_told_from_another_one() {
        let cases = [
            (true, "The pliers are in drawer 2.", "钳子在二号抽屉。"),
            (true, "The pliers are in drawer 2.", "Drawer two contains the pliers."),
            (true, "The hex key is on the bench.", "The Allen key is on the bench."),
            (true, "Grip the egg with 5 N.", "Use five newtons to grip the egg."),
            (true, "Grip the egg with 5N", "用5牛顿的力抓鸡蛋"),
            (true, "The cart carries at most 50 kg.", "推车最多载重五十公斤。"),
            (true, "推车载重上限是五十公斤。", "推车最多能装50kg。"),
            (true, "The tomatoes are in the fridge.", "西红柿在冰箱里。"),
            (true, "充电站在西墙边。", "充電站在西牆邊。"),
            (true, "12号房间的门锁着。", "The door of room 12 is locked."),
            (true, "不要用吸盘吸网布。", "网布禁止用吸盘。"),
            (true, "奶奶的杯子是红色的。", "Grandma's cup is red."),
            (
                true,
                "The red cup slips unless it is gripped with 12.5 N",
                "The red cup slips unless gripped with 12.50N",
            ),
            (true, "The camera needs 3 seconds", "The camera requires three seconds"),
            (true, "The gripper slips on wet glass", "The gripper is slipping on wet glass"),
            (false, "钳子在二号抽屉。", "锤子在二号抽屉。"),
            (false, "钹在二号抽屉。", "铙在二号抽屉。"),
            (false, "橙子在桌上", "橘子在桌上"),
            (false, "The hammer hangs left of the door", "The wrench hangs left of the door"),
            (false, "The gripper slips", "The gripper slipped"),
            (false, "The human follows the robot", "The robot follows the human"),
            (false, "Use the hammer on the plate", "Use the plate on the hammer"),
            (false, "The pliers are on drawer 2", "The pliers are in drawer 2"),
            (false, "The ball is under the box", "The ball is in the box"),
            (false, "Drive to the dock", "Drive from the dock"),
            (false, "Put the red cup on the blue plate", "Put the blue cup on the red plate"),
            (false, "The box is in the bag", "The bag is in the box"),
            (false, "Only the operator may enter", "The operator may enter"),
            (false, "Grip the egg with 5 N", "Push the egg with 5 N"),
            (false, "一号产线停了", "二号产线停了"),
            (false, "Use 10 N", "Use 10 N when it is wet"),
        ];
        let wrong: Vec<_> =
            cases.iter().filter(|(expected, a, b)| says_the_same(a, b) != *expected).collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    proptest! {
        #[test]
        fn comparing_is_symmetric(
            a in "((the|cup|in|on|box|红|杯子|在|上|里|钹|slipped|use|10 N|2|M8|from|to|not|,) ?){0,8}|.{0,40}",
            b in "((the|cup|in|on|box|红|杯子|在|上|里|钹|slipped|use|10 N|2|M8|from|to|not|,) ?){0,8}|.{0,40}",
        ) {
            let (one, other) = (Frame::parse(&a), Frame::parse(&b));
            prop_assert!(one.says_the_same(&one));
            prop_assert!(!one.exchanges_words_with(&one));
            prop_assert_eq!(one.says_the_same(&other), other.says_the_same(&one));
            prop_assert_eq!(one.exchanges_words_with(&other), other.exchanges_words_with(&one));
        }
    }
}
