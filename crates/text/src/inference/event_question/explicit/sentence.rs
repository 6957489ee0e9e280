//! A sentence, and whether it asks, tells, or tells to do something.

use super::super::atoms::{Atom, has, longest_of};
use super::lexer::{Kind, Token};
use super::part::Part;
use super::{Beside, words};

/// With one of these at its begin a sentence tells to do it, and so it does behind "after the last stop,".
const DOING: [&str; 24] = [
    "stop",
    "halt",
    "move",
    "drop",
    "push",
    "press",
    "touch",
    "hit",
    "switch",
    "change",
    "drive",
    "nudge",
    "poke",
    "strike",
    "lose",
    "stopping",
    "halting",
    "moving",
    "dropping",
    "pushing",
    "switching",
    "changing",
    "driving",
    "losing",
];

/// The same of words that say nothing of what happened.
const TELLING: [&str; 27] = [
    "make",
    "go",
    "enter",
    "perform",
    "execute",
    "carry",
    "start",
    "begin",
    "record",
    "note",
    "register",
    "remember",
    "write",
    "follow",
    "run",
    "do",
    "trip",
    "release",
    "reset",
    "let",
    "encounter",
    "experience",
    "suffer",
    "activate",
    "trigger",
    "log",
    "take",
];

const NOTING: [&str; 6] = ["记下", "记住", "登记", "留下", "写", "触发"];

/// One of these makes a Chinese sentence a question, or a wish to be told.
const ASKS: [&str; 24] = [
    "什", "啥", "哪", "几", "多", "吗", "呢", "有", "列", "给", "查", "找", "显", "告", "看", "问",
    "说", "统", "数", "记", "出", "发", "是", "否",
];

/// With one of these a sentence begins that tells, unless there is one of the others in it.
const SUBJECTS: [&str; 9] = ["the", "we", "it", "our", "a", "robot", "they", "gripper", "arm"];

#[rustfmt::skip]
const ASKS_ENGLISH: [&str; 16] = [
    "what", "which", "when", "how", "did", "was", "were", "has", "have", "had", "any", "all", "every", "times", "time", "that",
];

/// A sentence's tokens.
#[derive(Clone, Copy)]
pub(super) struct Sentence<'t> {
    pub tokens: &'t [Token],
    pub atoms: &'t [Atom],
    pub is_han: bool,
    /// Whether a question mark ends it.
    pub is_question: bool,
}

impl Sentence<'_> {
    /// The words of a token.
    pub fn text_of(&self, token: &Token) -> String {
        self.atoms[token.from..token.to].iter().map(|atom| &*atom.text).collect()
    }

    /// Whether it tells to do something: "stop after the third slip", "after the third slip, stop".
    pub fn tells_to_do(&self, naming: &[Token], behind: Option<usize>) -> bool {
        let asking = words::asking(self.atoms);
        let Some(first) = self.atoms.get(asking) else { return false };
        let is_class = |token: &&Token| matches!(token.kind, Kind::Class(_));
        let is_told = |token: &Token| {
            let is_first = token.from == asking || Some(token.from) == behind;
            let is_first =
                is_first && self.atoms.get(token.to).is_none_or(|next| next.text != "number");
            is_first && self.atoms[token.from].is_one_of(&DOING)
        };
        let names_first = naming.iter().filter(is_class).any(is_told);
        let is_log = self.atoms.get(asking + 1).is_some_and(|next| {
            next.is_one_of(&["entries", "entry", "lines", "records", "items", "of"])
        });
        let rest = &self.atoms[asking..];
        let is_telling =
            first.is_one_of(&TELLING) && !is_log || longest_of(rest, &NOTING).is_some();
        let is_polite = self.is_han && first.is_one_of(&["在", "等"]) && asking > 0;
        names_first || is_telling || is_polite && !self.has_asking()
    }

    /// Whether it tells what happened, and asks nothing: "the gripper dropped the part yesterday".
    pub fn tells(&self, naming: &[Token]) -> bool {
        let first = self.atoms.get(words::asking(self.atoms));
        // "Since the last stop the arm moved."
        let is_behind_subject = |token: &Token| {
            token.from > 1
                && self.atoms[token.from - 1].is_one_of(&["arm", "robot", "gripper", "it"])
                && self.atoms[token.from - 2].is_one_of(&["the", "then", "and"])
        };
        let is_subject = first.is_some_and(|first| first.is_one_of(&SUBJECTS))
            || naming.iter().any(is_behind_subject);
        let is_verb = |token: &Token| {
            let last = &self.atoms[token.to - 1];
            let said = &self.atoms[token.from..token.to];
            matches!(token.kind, Kind::Class(_))
                && (last.text.ends_with("ed")
                    || said.iter().any(|atom| atom.is_one_of(&["lost", "fell", "dropped"])))
        };
        let asks = self.atoms.iter().any(|atom| atom.is_one_of(&ASKS_ENGLISH));
        !self.is_han && !self.is_question && is_subject && !asks && naming.iter().any(is_verb)
    }

    pub fn has_asking(&self) -> bool {
        self.atoms.iter().any(|atom| atom.is_one_of(&ASKS))
    }

    /// Whether it asks if one event was before another, and not for events: "was the last stop before the slip".
    pub fn asks_whether(&self, is_of_one: bool) -> bool {
        // "Is there a stop in every hour?"
        let is_of_each = self.tokens.iter().any(|token| matches!(token.kind, Kind::Per(_)));
        if is_of_each
            && self.atoms[words::asking(self.atoms).min(self.atoms.len() - 1)]
                .is_one_of(&["is", "are"])
        {
            return true;
        }
        if self.is_han {
            let says = |words: &[&str]| has(self.atoms, words);
            // 动过吗 asks for events.
            let is_of_past = !is_of_one && says(&["过", "了"]);
            let asks_which = says(&["什", "哪", "几", "多"]);
            return says(&["吗", "否", "是不是"]) && !says(&["有"]) && !is_of_past && !asks_which;
        }
        let asking = words::asking(self.atoms);
        let Some(first) = self.atoms.get(asking) else { return false };
        let is_verb = first.is_one_of(&["was", "were", "is", "are"])
            || is_of_one && first.is_one_of(&["did", "has", "have", "had", "do"]);
        is_verb && !self.atoms.get(asking + 1).is_some_and(|atom| atom.is_one_of(&["there"]))
    }

    /// "The drop before the last stop" is the nearest one.
    pub fn names_one(&self, part: &Part, naming: &[Token]) -> bool {
        let is_open = matches!(part.beside, Some(Beside::Before(_, None) | Beside::After(_, None)));
        let (Some(first), Some(last)) = (naming.first(), naming.last()) else { return false };
        let has_article = first.from.checked_sub(1).is_some_and(|at| self.atoms[at].text == "the");
        let noun = &self.atoms[last.to - 1];
        let is_singular = !noun.text.ends_with(['s', 'd']) || noun.is_one_of(&["loss", "press"]);
        let is_class = matches!(last.kind, Kind::Class(_));
        let is_one = part.tells_of_no_one() && part.adverb.is_none() && part.of.class.is_some();
        !self.is_han && is_open && has_article && is_singular && is_class && is_one
    }

    /// "Which stops came after it?" asks for all since then, and not for the nearest; so does "all stops before it".
    pub fn all_beside(&self, beside: Beside, part: &Part, naming: &[Token]) -> Beside {
        let is_class = |token: &&Token| matches!(token.kind, Kind::Class(_));
        let is_plural = if self.is_han {
            const MANY: [&str; 8] =
                ["哪些", "哪几次", "哪几回", "哪几个", "所有", "全部", "都有", "都列"];
            has(self.atoms, &MANY)
        } else {
            let last = |token: &Token| &self.atoms[token.to - 1];
            has(self.atoms, &["all", "every"])
                || naming.iter().filter(is_class).any(|token| {
                    last(token).text.ends_with('s') && !last(token).is_one_of(&["loss", "press"])
                })
        };
        let is_all = part.tells_of_no_one() && part.adverb.is_none() && !part.is_just;
        if !is_plural || !is_all || part.of.class.is_none() {
            return beside;
        }
        match beside {
            Beside::After(anchor, None) => Beside::Since(anchor),
            Beside::Before(anchor, None) => Beside::Until(anchor),
            beside => beside,
        }
    }
}
