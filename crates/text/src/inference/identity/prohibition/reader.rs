//! One sentence that may forbid something, read word by word.

use super::super::is_relation;
use super::super::lexicon::{LEXICON, Section, Senses};
use super::super::reading::{Token, TokenKind};
use super::words::{
    ANY_DOING, BECAUSE, CONDITIONS, FORBIDS_THINGS, HAN_CONDITION_ENDS, INSTEAD, MANNERS, NO_ORDER,
    ONLY, ORDERS, PRONOUNS, ROLES, WEAK_ORDERS,
};
use super::{Clause, Doing, Element, Part, PartRole};
use crate::inference::is_han;

fn role_of(word: &str) -> Option<PartRole> {
    ROLES.iter().find(|(words, _)| words.contains(&word)).map(|(_, role)| *role)
}

pub(super) fn is_because(token: &Token) -> bool {
    token.is_one_of(BECAUSE)
}

fn has_section(senses: &Senses, wanted: fn(Section) -> bool) -> bool {
    senses.iter().any(|it| wanted(LEXICON.section(*it)))
}

/// Reads one sentence.
#[derive(Default)]
pub(super) struct Reader {
    clause: Clause,
    /// The name that is being read, and its role.
    name: String,
    role: PartRole,
    doing: Option<Doing>,
    /// Whether the name has a word that may be what is named.
    has_noun: bool,
    /// Whether it has one that the table knows.
    has_known_noun: bool,
    /// Whether an article or a preposition says that a name follows.
    is_marked: bool,
    is_only_marker: bool,
    is_parameter: bool,
    /// Whether the last thing had such a word.
    had_noun: bool,
    /// Whether what follows is one more of what went before: "or".
    is_joined: bool,
    is_excepted: bool,
    /// Elements before this one are not of the present part of the sentence.
    part_begins: usize,
    is_forbidden: bool,
    is_strong: bool,
    is_weak: bool,
    /// Whether what follows with, or there, is all that is allowed.
    is_allowed: bool,
    /// Whether the next word is what is forbidden to be done.
    expects_doing: bool,
}

impl Reader {
    /// `None` when it forbids nothing.
    pub fn read(tokens: &[Token]) -> Option<Clause> {
        // What is bounded by an amount is read as a bound, or not at all.
        if tokens.iter().any(|token| matches!(token.kind, TokenKind::Amount(..))) {
            return None;
        }
        let mut reader = Self::default();
        reader.clause.is_whole = true;
        for (index, token) in tokens.iter().enumerate() {
            // "Never push it, only pull it."
            let follows_break =
                index.checked_sub(1).is_some_and(|at| tokens[at].kind == TokenKind::Break);
            let is_instead = follows_break
                && token.is_one_of(INSTEAD)
                && !tokens[index..].iter().any(|it| it.is_one_of(CONDITIONS));
            if reader.is_forbidden && (is_because(token) || is_instead) {
                break;
            }
            reader.token(tokens, index, token);
        }
        reader.end_name();
        let Self { mut clause, is_forbidden, is_strong, is_weak, .. } = reader;
        let mut parts = clause.elements.iter().flat_map(|it| &it.any_of);
        let is_only = clause.elements.iter().any(|it| it.is_allowed);
        let is_thing = |part: &Part| {
            matches!(part, Part::Thing { role: PartRole::With | PartRole::On | PartRole::At, .. })
        };
        let has_doing = parts.clone().any(|part| !part.is_thing());
        let has_thing = parts.any(is_thing);
        clause.is_whole &= !clause.elements.is_empty();
        clause.is_order =
            is_only || is_strong && (has_doing || has_thing) || is_weak && has_doing && has_thing;
        (is_forbidden || is_only && clause.elements.len() > 1).then_some(clause)
    }

    fn token(&mut self, tokens: &[Token], index: usize, token: &Token) {
        let text = token.text.as_str();
        if token.kind == TokenKind::Break {
            self.end_name();
            match text {
                "、" => self.is_joined = true,
                _ => self.end_part(&tokens[index + 1..]),
            }
            return;
        }
        if let TokenKind::Known(senses) = &token.kind
            && has_section(senses, |it| it == Section::Negation)
        {
            self.negation(text);
            return;
        }
        if ONLY.contains(&text) && !self.is_forbidden {
            self.end_name();
            self.is_allowed = true;
            self.expects_doing = !token.is_han;
            return;
        }
        if CONDITIONS.contains(&text) || ONLY.contains(&text) {
            self.end_name();
            self.clause.is_whole = false;
            self.is_excepted = true;
            return;
        }
        if HAN_CONDITION_ENDS.contains(&text) && self.ends_condition(tokens, index) {
            self.end_name();
            self.clause.is_whole = false;
            for element in &mut self.clause.elements[self.part_begins..] {
                element.is_excepted = true;
            }
            return;
        }
        if PRONOUNS.contains(&text) {
            self.end_name();
            // "The mesh: never use suction on it".
            let is_thing =
                self.clause.elements.iter().any(|it| it.any_of.iter().any(Part::is_thing));
            self.clause.is_whole &= is_thing;
            return;
        }
        if ["or", "and", "nor", "和", "或", "或者", "及", "与", "以及"].contains(&text) {
            self.end_name();
            self.is_joined = true;
            return;
        }
        let is_property =
            text == "used" && tokens.get(index + 1).is_some_and(|it| role_of(&it.text).is_none());
        if ANY_DOING.contains(&text) && (self.name.is_empty() || token.is_han) && !is_property {
            self.end_name();
            self.expects_doing &= ["be", "been"].contains(&text);
            return;
        }
        if let TokenKind::Known(senses) = &token.kind
            && is_relation(senses)
            && !token.is_han
        {
            // "Under the table" is not the table.
            self.end_name();
            self.role = role_of(text).unwrap_or(PartRole::At);
            self.name = text.to_owned();
            self.is_only_marker = true;
            self.is_marked = true;
            return;
        }
        if let Some(role) = role_of(text)
            && (text != "of" || self.name.is_empty())
        {
            self.end_name();
            self.role = role;
            self.is_marked = true;
            // "Use suction": what follows is the thing.
            self.expects_doing &= role == PartRole::On;
            return;
        }
        self.content(tokens, index, token);
    }

    fn negation(&mut self, text: &str) {
        self.end_name();
        if NO_ORDER.contains(&text) || self.is_forbidden {
            self.clause.is_whole = false;
            self.is_excepted = true;
            return;
        }
        self.is_forbidden = true;
        self.is_strong = ORDERS.contains(&text);
        self.is_weak = WEAK_ORDERS.contains(&text);
        self.is_excepted = false;
        self.part_begins = self.clause.elements.len();
        self.expects_doing = !FORBIDS_THINGS.contains(&text);
        self.role = PartRole::Unspecified;
    }

    /// A comma, a colon: what was before is one part of the sentence.
    fn end_part(&mut self, rest: &[Token]) {
        self.part_begins = self.clause.elements.len();
        self.is_excepted = false;
        self.role = PartRole::Unspecified;
        // What comes behind what is forbidden says more.
        let next = rest.first();
        let is_more = |next: &Token| {
            !is_because(next) && !next.is_one_of(INSTEAD)
                || rest.iter().any(|it| it.is_one_of(CONDITIONS))
        };
        if self.is_forbidden && next.is_some_and(is_more) {
            self.clause.is_whole = false;
            self.is_excepted = true;
        }
    }

    /// Whether 前 or 时 ends a condition: 抓取前, 潮湿时, and not 货架后.
    fn ends_condition(&self, tokens: &[Token], index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|at| tokens.get(at));
        let is_thing = before.is_some_and(Token::names_thing);
        !is_thing || !tokens[index].is_one_of(&["后", "前"])
    }

    fn content(&mut self, tokens: &[Token], index: usize, token: &Token) {
        let text = token.text.as_str();
        match &token.kind {
            TokenKind::Light(_) => {
                if ["the", "a", "an", "this", "that", "这", "那"].contains(&text) {
                    if self.has_noun && !self.name.ends_with(" of") {
                        self.end_name();
                    }
                    self.is_marked = true;
                    self.expects_doing = false;
                } else if ["的", "of"].contains(&text) && !self.name.is_empty() {
                    self.add(text, token.is_han);
                }
            }
            TokenKind::Amount(..) => {
                self.end_name();
                self.clause.is_whole = false;
            }
            TokenKind::Number(_) | TokenKind::Name(_) => self.add(text, token.is_han),
            TokenKind::Unknown(_) => {
                if MANNERS.contains(&text) || !token.is_han && text.ends_with("ly") {
                    self.end_name();
                    self.clause.is_whole = false;
                    return;
                }
                if self.expects_doing && !token.is_han {
                    self.put_doing(Doing::of(token, true), false);
                    return;
                }
                // 敲 of 敲玻璃板 may be what is done.
                let follows_known = token.is_han
                    && self.name.is_empty()
                    && tokens
                        .get(index + 1)
                        .is_some_and(|next| matches!(next.kind, TokenKind::Known(_)));
                self.add(text, token.is_han);
                self.has_noun = true;
                if follows_known {
                    self.end_name();
                }
            }
            TokenKind::Known(senses) => self.known(tokens, index, token, senses),
            TokenKind::Break => {}
        }
    }

    fn known(&mut self, tokens: &[Token], index: usize, token: &Token, senses: &Senses) {
        let text = token.text.as_str();
        if has_section(senses, |it| it == Section::Light) && Doing::of(token, false).is_none() {
            if text != "的" {
                self.end_name();
            }
            return;
        }
        if has_section(senses, |it| matches!(it, Section::Time)) {
            self.end_name();
            self.put(Part::Thing { text: text.to_owned(), role: PartRole::When, doing: None });
            return;
        }
        let is_noun = has_section(senses, |it| matches!(it, Section::Noun(_) | Section::Person));
        let is_property = has_section(senses, |it| matches!(it, Section::Property(_)));
        let doing = Doing::of(token, false);
        let next_is_name = tokens.get(index + 1).is_some_and(|next| {
            next.names_thing()
                || next.may_be(|it| matches!(it, Section::Property(_)))
                || matches!(next.kind, TokenKind::Number(_))
                || matches!(next.kind, TokenKind::Light(_)) && next.is_one_of(&["the", "a", "an"])
        });
        let is_doing = doing.is_some()
            && (!is_noun && !is_property
                || !is_noun
                    && (self.expects_doing
                        || token.is_han && self.name.is_empty() && next_is_name)
                || is_noun && self.expects_doing && next_is_name && !token.is_han);
        if is_doing {
            let is_into = token.is_han && text.ends_with(['进', '入', '到', '在']);
            self.put_doing(doing, is_into);
            return;
        }
        let is_behind = has_section(senses, |it| it == Section::Relation) && !next_is_name;
        if token.is_han && is_behind && self.has_noun {
            // 炉灶上 is where.
            self.add(text, true);
            self.role = PartRole::At;
            self.is_marked = true;
            self.end_name();
            return;
        }
        if is_relation(senses) {
            return;
        }
        self.add(text, token.is_han);
        self.has_noun |= is_noun;
        self.has_known_noun |= is_noun;
        if is_noun && senses.iter().all(|it| LEXICON.section(*it) == Section::Noun(2)) {
            // How fast or hard is no thing.
            self.clause.is_whole = false;
            self.is_parameter = true;
        }
        if doing.is_some() {
            self.doing = doing;
        }
    }

    fn add(&mut self, text: &str, is_han_text: bool) {
        let ends_in_han = self.name.ends_with(is_han);
        if !(self.name.is_empty() || ends_in_han && is_han_text) {
            self.name.push(' ');
        }
        self.name.push_str(text);
        self.expects_doing = false;
        self.is_only_marker = false;
    }

    fn put_doing(&mut self, doing: Option<Doing>, is_into: bool) {
        self.end_name();
        self.expects_doing = false;
        self.role = PartRole::Unspecified;
        if let Some(doing) = doing {
            self.put(Part::Doing(doing));
        }
        // 放进抽屉, 挂在墙上.
        if is_into {
            self.role = PartRole::At;
        }
    }

    fn end_name(&mut self) {
        let name = std::mem::take(&mut self.name);
        if name.is_empty() {
            return;
        }
        let name = name.trim_end_matches('的').trim_end_matches(" of").trim();
        let is_only_marker = std::mem::take(&mut self.is_only_marker);
        let is_known = std::mem::take(&mut self.has_known_noun);
        let is_marked = std::mem::take(&mut self.is_marked);
        let (has_noun, doing) = (std::mem::take(&mut self.has_noun), self.doing.take());
        let role = std::mem::take(&mut self.role);
        if name.is_empty() || is_only_marker || LEXICON.list("own").iter().any(|own| own == name) {
            return;
        }
        // What is in no table may say how, and not what.
        let follows_doing = self
            .clause
            .elements
            .last()
            .is_some_and(|it| it.any_of.iter().all(|part| !part.is_thing()));
        let is_name = is_known || is_marked || follows_doing || !self.is_forbidden;
        // "Red" of "red or blue cups".
        let is_part = self.is_joined && !(self.had_noun && has_noun);
        self.clause.is_whole &= !is_part;
        self.had_noun = has_noun;
        let is_excepted = self.is_excepted;
        self.is_excepted |= !is_name || std::mem::take(&mut self.is_parameter);
        self.put(Part::Thing { text: name.to_owned(), role, doing });
        self.is_excepted = is_excepted;
    }

    fn put(&mut self, part: Part) {
        let is_joined = std::mem::take(&mut self.is_joined);
        if let Some(last) = self.clause.elements.last_mut().filter(|_| is_joined)
            && last.any_of.iter().all(|it| it.is_thing() == part.is_thing())
        {
            let role = last.any_of.iter().find_map(|it| match it {
                Part::Thing { role, .. } => Some(*role),
                Part::Doing(_) => None,
            });
            let part = match (part, role) {
                (Part::Thing { text, doing, .. }, Some(role)) => Part::Thing { text, role, doing },
                (part, _) => part,
            };
            last.any_of.push(part);
            return;
        }
        // "Only with the soft gripper": what it is done to is not what only is allowed.
        let is_means = matches!(
            part,
            Part::Thing { role: PartRole::With | PartRole::At | PartRole::When, .. }
        );
        let is_allowed = self.is_allowed && is_means;
        self.is_allowed &= !is_means;
        self.clause.elements.push(Element {
            any_of: vec![part],
            is_excepted: self.is_excepted,
            is_allowed,
        });
    }
}
