//! What a statement says, word by word, in one spelling of each.
//!
//! Two statements whose [`ParaphraseKey`]s are the same say the same in other words: what differs is an article, the
//! spelling of a number or a unit, the form of a word, one of the few phrases of [`SPELLINGS`], or the
//! place of a part that may stand in front or at the end. Every other word counts, so whatever is not
//! understood keeps two statements apart.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::items::{Item, ItemKind, items};
use super::key::key_of;
use super::lexer::is_han;
use super::opposites::{SENSES, Sense};
use super::phrases::Phrases;
use super::proposition::Proposition;
use super::statement::number_at;
use super::stem::stem;

/// The words of a statement in one spelling of each, equal for statements that say the same in other words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParaphraseKey {
    /// In order, a part in front that can stand at the end put there.
    terms: Vec<String>,
    /// Whether it says why.
    has_reason: bool,
    /// Whether its negations, if it has any, are of how things are, and not of one occasion.
    is_standing: bool,
}

/// Stands for a negation.
const NOT: &str = "#not";
/// Stands for whatever says why.
const REASON: &str = "because";
/// What a statement may say beside its denial without a contradiction: that something may be, or is so
/// of some.
const POSSIBLE: &[&str] = &[
    "may", "might", "could", "some", "sometim", "occasion", "often", "usual", "mani", "most",
    "part", "half", "?", "？", "可能", "也许", "有时", "偶尔", "有些", "部分", "经常", "通常",
    "大多",
];
/// Characters of a Chinese word that one of another thing stands in the place of.
const HAN_WORD_CHARS_MAX: usize = 3;
/// Marks a word of what happened once.
const PAST_FORM: &str = "#ed";
/// Words that limit what is said.
const LIMITING: &[&str] = &[
    "onli", "again", "bare", "hard", "scarc", "almost", "still", "even", "alreadi", "just", "too",
    "also", "yet", "first", "last", "once", "twice", "except", "alon", "mere", "soon", "rare",
    "seldom", "partial", "part", "只", "仅", "才", "又", "再", "几", "勉", "刚", "还", "已", "也",
    "全", "半", "首", "末",
];
/// Says of a statement what its denial says the other way round.
const ALWAYS: &[&str] = &["alway", "总是", "一直", "始终", "any", "ever"];
/// Words for what only the moment tells.
const POINTING: &[&str] =
    &["it", "they", "this", "that", "these", "those", "here", "there", "now", "它", "这", "那"];
/// Words that begin a part which can stand in front or at the end.
const FRONTED: &[&str] = &[
    "for", "in", "at", "on", "when", "while", "if", "after", "before", "during", "with", "near",
    "在", "当", "如果", "对", "对于",
];
/// Negations of one occasion: both it and what it denies may have happened.
const PAST: &[&str] = &["did not", "didnt", "wasnt", "not yet", "没", "没有", "未", "未曾", "从未"];
/// Words after which a negation is of one occasion.
const PAST_BEFORE: &[&str] = &["was", "were", "has", "have", "had"];

/// Phrases that say the same; the first is the spelling that stands for all, empty for what says nothing.
/// Beside them only what has the same stem is the same word.
#[rustfmt::skip]
const SPELLINGS: &[(&str, &[&str])] = &[
    ("", &["a", "an", "the", "is", "are", "be", "am", "do", "does", "please", "from now on", "from here on", "going forward",
        "henceforth", "in future", "in the future", "as of now", "found that", "noticed that", "observed that", "note that",
        "的", "就", "是", "以后都", "以后", "今后", "今后都", "从现在起", "从现在开始", "发现", "注意到", "观察到", "请"]),
    ("need", &["need", "needs", "require", "requires", "需要", "需"]),
    ("must", &["must", "has to", "have to", "必须", "务必"]),
    ("can", &["can", "is able to", "are able to"]),
    ("use", &["use", "uses", "using", "使用", "用", "采用"]),
    ("prefer", &["prefer", "prefers", "preferred", "preferably", "优先", "首选"]),
    ("grip", &["grip", "grips", "gripping", "grasp", "grasps", "grasping"]),
    ("gripper", &["gripper", "grippers"]),
    ("begin", &["begin", "begins", "start", "starts"]),
    ("next to", &["next to", "beside", "旁边", "旁"]),
    ("near", &["near", "close to", "附近"]),
    ("almost", &["almost", "nearly"]),
    ("object", &["object", "objects", "item", "items"]),
    ("people", &["people", "humans", "persons"]),
    ("about", &["about", "approximately", "roughly", "约", "大约", "大概"]),
    ("to", &["to", "in order to"]),
    ("toward", &["toward", "towards"]),
    ("large", &["large", "big"]),
    ("shut", &["shut", "shuts"]),
    (REASON, &["because", "because of", "due to", "owing to", "因为", "由于"]),
];

static TABLE: LazyLock<Phrases<&'static str>> = LazyLock::new(|| Phrases::of(SPELLINGS));

/// What stays of a negation with a modal verb.
#[rustfmt::skip]
const MODALS: &[(&str, &[&str])] = &[
    ("can", &["cannot", "cant", "can not"]), ("must", &["must not", "must never", "mustnt"]), ("may", &["may not"]),
    ("should", &["should not", "should never", "shouldnt"]), ("shall", &["shall not", "shall never"]),
    ("will", &["will not", "wont"]), ("可以", &["不可以"]), ("可", &["不可"]), ("能", &["不能"]), ("会", &["不会"]),
    ("应", &["不应"]), ("该", &["不该"]), ("应该", &["不应该"]), ("允许", &["不允许"]),
];

impl ParaphraseKey {
    /// Reads `text`. Linear in its length.
    pub fn parse(text: &str) -> Self {
        let items = items(text);
        let mut paraphrase = Self { is_standing: true, ..Self::default() };
        let mut clauses = vec![Vec::new()];
        let mut index = 0;
        while let Some(item) = items.get(index) {
            if item.kind == ItemKind::Break && !"?？".contains(&item.text) {
                clauses.push(Vec::new());
                index += 1;
                continue;
            }
            let mut said = Vec::new();
            index += paraphrase.read_at(&items, index, &mut |term| said.push(term)).max(1);
            if let Some(clause) = clauses.last_mut() {
                clause.append(&mut said);
            }
        }
        clauses.retain(|clause| !clause.is_empty());
        let is_fronted = |clause: &Vec<String>| {
            clause.first().is_some_and(|first| FRONTED.contains(&first.as_str()))
        };
        if clauses.len() == 2 && clauses.first().is_some_and(is_fronted) {
            clauses.swap(0, 1);
        }
        paraphrase.terms = clauses.concat();
        paraphrase.has_reason = paraphrase.terms.iter().any(|term| term == REASON);
        paraphrase
    }

    /// Reads what stands at `index`, and answers how many items it takes.
    fn read_at(&mut self, items: &[Item], index: usize, say: &mut impl FnMut(String)) -> usize {
        if let Some((unit, value, used)) = number_at(items, index) {
            if let Some(value) = value {
                say(format!("#{value} {unit}"));
            }
            return used;
        }
        let rest = &items[index..];
        let own = TABLE.longest(rest);
        let sense = SENSES.longest(rest);
        let own_len = own.map_or(0, |(_, used)| used);
        match (own, sense) {
            (_, Some((Sense::Negation, used))) if used >= own_len => {
                let text: Vec<&str> = rest[..used].iter().map(|item| item.text.as_str()).collect();
                let (spaced, joined) = (text.join(" "), text.concat());
                let is = |known: &&str| **known == *spaced || **known == *joined;
                let before = index.checked_sub(1).and_then(|at| items.get(at));
                if PAST.iter().any(is) || before.is_some_and(|item| item.is_one_of(PAST_BEFORE)) {
                    self.is_standing = false;
                }
                if let Some((modal, _)) = MODALS.iter().find(|(_, texts)| texts.iter().any(is)) {
                    say((*modal).to_owned());
                }
                say(NOT.to_owned());
                used
            }
            // A longer word holds the letters of a shorter one: 不锈钢, 作用.
            (_, Some((_, used))) if used > own_len.max(1) => {
                let phrase = &rest[..used];
                if phrase.iter().all(|item| item.kind == ItemKind::Han) {
                    say(phrase.iter().map(|item| item.text.as_str()).collect());
                } else {
                    phrase.iter().filter_map(term).for_each(say);
                }
                used
            }
            (Some((key, used)), _) => {
                if !key.is_empty() {
                    say(key.to_owned());
                }
                used
            }
            _ => {
                rest.first().and_then(term).into_iter().for_each(say);
                1
            }
        }
    }

    /// Whether the two say the same in other words; `claims` are the propositions of the two. Symmetric, and true of
    /// a statement and itself.
    pub fn says_the_same(&self, other: &Self, claims: (&Proposition, &Proposition)) -> bool {
        if self.terms == other.terms {
            return true;
        }
        // The words are the same in another order, and the propositions say which belongs to which.
        !self.has_reason
            && !other.has_reason
            && self.has_the_words_of(other)
            && claims.0.says_the_same(claims.1)
    }

    /// Whether what is known of the words lets the two say the same, when their vectors say that they do:
    /// nothing [tells them apart](Self::is_apart_from), and what both say comes in the same order.
    /// Symmetric, and true where they [say the same](Self::says_the_same).
    pub fn may_say_the_same(&self, other: &Self, claims: (&Proposition, &Proposition)) -> bool {
        fn shared<'a>(of: &'a ParaphraseKey, other: &ParaphraseKey) -> Vec<&'a str> {
            let is_once = |paraphrase: &ParaphraseKey, term: &String| {
                paraphrase.terms.iter().filter(|other| *other == term).count() == 1
            };
            let both = of.terms.iter().filter(|term| is_once(of, term) && is_once(other, term));
            both.map(String::as_str).collect()
        }
        self.says_the_same(other, claims)
            || !self.is_apart_from(other, claims) && shared(self, other) == shared(other, self)
    }

    /// Whether two that share most of their words say two things all the same: the words are all the same
    /// in another order, which may say who does what to whom; one word stands in the place of another; one
    /// limits what it says as the other does not (only, again, barely); or one tells what happened once and
    /// the other what happens. Symmetric.
    pub fn is_apart_from(&self, other: &Self, claims: (&Proposition, &Proposition)) -> bool {
        let limiting = |key: &Self| -> BTreeSet<String> {
            let terms = key.terms.iter().filter(|term| LIMITING.contains(&term.as_str()));
            terms.cloned().collect()
        };
        let tells_once = |key: &Self, other: &Self| {
            let mut past = key.terms.iter().filter_map(|term| term.strip_suffix(PAST_FORM));
            past.any(|word| other.terms.iter().any(|term| term == word))
        };
        !self.says_the_same(other, claims)
            && (self.has_the_words_of(other)
                || limiting(self) != limiting(other)
                || tells_once(self, other)
                || tells_once(other, self)
                || self.exchanges_a_word_with(other))
    }

    /// Whether all but one word is the same, and that one stands in the place of another: the ladle hangs
    /// here, the whisk hangs here.
    fn exchanges_a_word_with(&self, other: &Self) -> bool {
        let (a, b) = (&self.terms, &other.terms);
        let begin = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let (a, b) = (&a[begin..], &b[begin..]);
        let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
        let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
        let is_han = |terms: &[String]| terms.iter().all(|term| term.chars().all(is_han));
        match (a.len(), b.len()) {
            (0, _) | (_, 0) => false,
            (1, 1) => true,
            (own, others) => own.max(others) <= HAN_WORD_CHARS_MAX && is_han(a) && is_han(b),
        }
    }

    fn has_the_words_of(&self, other: &Self) -> bool {
        let sorted = |key: &Self| {
            let mut terms = key.terms.clone();
            terms.sort_unstable();
            terms
        };
        sorted(self) == sorted(other)
    }

    /// Whether one says of how things are what the other one says is not so. Symmetric.
    pub fn denies(&self, other: &Self) -> bool {
        let negations = |key: &Self| key.terms.iter().filter(|term| *term == NOT).count();
        let is_possible = |key: &Self| {
            key.terms.iter().any(|term| {
                POSSIBLE.contains(&term.as_str())
                    || term.chars().all(|c| !c.is_ascii())
                        && POSSIBLE.iter().any(|it| !it.is_ascii() && term.contains(it))
            })
        };
        negations(self).abs_diff(negations(other)) == 1
            && (self.is_standing && other.is_standing)
            && !(self.has_reason || other.has_reason)
            && !(is_possible(self) || is_possible(other))
            && !self.affirmed().any(|term| POINTING.contains(&term))
            && self.affirmed().eq(other.affirmed())
    }

    /// A number that all statements share which [deny](Self::denies) each other, and few others.
    pub fn affirmed_key(&self) -> u64 {
        key_of(self.affirmed().flat_map(|term| [term, "\0"]))
    }

    fn affirmed(&self) -> impl Iterator<Item = &str> {
        let terms = self.terms.iter().map(String::as_str);
        terms.filter(|term| *term != NOT && !ALWAYS.contains(term))
    }
}

/// The word by which an item counts; `None` for what is only written.
fn term(item: &Item) -> Option<String> {
    match item.kind {
        ItemKind::Word => {
            let stem = stem(&item.text);
            // What happened once is not what happens.
            let is_past = item.text.ends_with("ed") && *stem != item.text;
            Some(if is_past { format!("{stem}{PAST_FORM}") } else { stem.into_owned() })
        }
        ItemKind::Sign if "\"'`()[]{}“”‘’「」（）".contains(&item.text) => None,
        _ => Some(item.text.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn says_the_same(a: &str, b: &str) -> bool {
        let (one, other) = (Proposition::parse(a), Proposition::parse(b));
        ParaphraseKey::parse(a).says_the_same(&ParaphraseKey::parse(b), (&one, &other))
    }

    #[test]
    fn other_words_for_the_same_are_told_from_other_things() {
        let cases = [
            (true, "The camera needs 3 seconds", "Camera requires three seconds"),
            (true, "When it is wet, use 10 N", "Use 10 N when it is wet"),
            (true, "相机启动需要三秒", "相机的启动需要3秒"),
            (true, "grips objects", "grasping items"),
            (false, "The gripper slips", "The gripper slipped"),
            (false, "Only the operator may enter", "The operator may enter"),
            (false, "The hammer hangs here", "The wrench hangs here"),
            (false, "The arm reaches it", "The arm barely reaches it"),
            (false, "人跟着机器人走", "机器人跟着人走"),
            (false, "The human follows the robot", "The robot follows the human"),
            (false, "不锈钢", "锈钢"),
        ];
        for (expected, a, b) in cases {
            assert_eq!(says_the_same(a, b), expected, "{a} / {b}");
        }
    }

    #[test]
    fn a_denial_is_of_how_things_are() {
        let cases = [
            (true, "The lab door is locked", "The lab door is not locked"),
            (true, "The gripper can hold glass", "The gripper cannot hold glass"),
            (true, "Always check the belt", "Never check the belt"),
            (true, "机器人可以进入冷库", "机器人不可以进入冷库"),
            (false, "The gripper slipped", "The gripper did not slip"),
            (false, "The door was locked", "The door was not locked"),
            (false, "The cup may break", "The cup may not break"),
            (false, "Some cups are red", "Some cups are not red"),
            (false, "有时门是锁的", "有时门不是锁的"),
            (false, "The door is locked", "The window is not locked"),
            (false, "杯子掉了", "杯子没掉了"),
            (false, "The cup is red", "The cup is red"),
        ];
        for (expected, a, b) in cases {
            let (one, other) = (ParaphraseKey::parse(a), ParaphraseKey::parse(b));
            assert_eq!(one.denies(&other), expected, "{a} / {b}");
            assert!(!expected || one.affirmed_key() == other.affirmed_key(), "{a} / {b}");
        }
    }

    proptest! {
        #[test]
        fn both_are_symmetric(
            a in "((the|cup|is|not|never|always|locked|in|hall|,|10 N|用|不|杯|because|can|cannot) ?){0,8}|.{0,40}",
            b in "((the|cup|is|not|never|always|locked|in|hall|,|10 N|用|不|杯|because|can|cannot) ?){0,8}|.{0,40}",
        ) {
            let (one, other) = (ParaphraseKey::parse(&a), ParaphraseKey::parse(&b));
            prop_assert_eq!(one.denies(&other), other.denies(&one));
            prop_assert_eq!(says_the_same(&a, &b), says_the_same(&b, &a));
            prop_assert!(says_the_same(&a, &a) && !one.denies(&one));
            prop_assert!(!one.denies(&other) || one.affirmed_key() == other.affirmed_key());
        }
    }
}
