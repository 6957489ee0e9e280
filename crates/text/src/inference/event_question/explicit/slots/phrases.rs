//! The events that a text names: the words for them, and what says which of them, beside these words.

use super::super::super::atoms::Atom;
use super::super::super::classes::one_class;
use super::super::bounds::Bounds;
use super::super::lexer::{Kind, Token};
use super::super::sentence::Sentence;
use super::super::vocabulary::Word;
use super::super::{End, NamedEvents, Nth};
use super::clauses::{self, Clauses};

/// What a gripper holds: beside words for that it was lost it says nothing.
#[rustfmt::skip]
pub(super) const OBJECTS: [&str; 20] = [
    "part", "parts", "object", "objects", "piece", "pieces", "workpiece", "workpieces", "item", "items", "component", "grip", "grasp", "hold", "loss", "losses", "件", "工", "零", "物",
];

/// Whether a word is of one, and is not asked for itself: "which part", 哪个零件.
pub(super) fn is_object(token: &Token, atoms: &[Atom]) -> bool {
    const ASKED: [&str; 9] = ["which", "what", "whose", "哪", "种", "么", "啥", "个", "第"];
    let before = token.from.checked_sub(1).map(|at| &atoms[at]);
    atoms[token.from].is_one_of(&OBJECTS) && !before.is_some_and(|atom| atom.is_one_of(&ASKED))
}

/// Events that are named, and which of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Phrase {
    /// Its words, the last not included.
    pub from: usize,
    pub to: usize,
    /// Tokens beside them that say which.
    pub beside: Vec<usize>,
    pub nth: Option<Nth>,
    pub several: Option<(End, u32)>,
    pub number: Option<u32>,
    /// A moment at which it was.
    pub at: Option<Bounds>,
    /// "Next" or "previous".
    pub adverb: Option<Word>,
    /// "A stop", "every stop": none that is told from others.
    pub is_of_all: bool,
    /// "That stop": one that was told before.
    pub is_that: bool,
    /// It says again what stands before it.
    pub is_aside: bool,
    /// "Those two stops".
    pub is_both: bool,
    /// "Which stop", "how many stops".
    pub is_asked: bool,
    pub became: bool,
    pub clause: usize,
}

impl Phrase {
    /// Whether it is one event whatever else is said of it.
    pub fn is_pinned(&self) -> bool {
        self.at.is_some() || self.became
    }

    /// Where it begins, and ends, with what stands beside it.
    pub fn extent(&self) -> (usize, usize) {
        let first = self.beside.iter().copied().min().unwrap_or(self.from).min(self.from);
        let last = self.beside.iter().copied().max().unwrap_or(self.from).max(self.to - 1);
        (first, last + 1)
    }

    fn take(&mut self, token: &Token, at: usize, is_han: bool) -> Option<()> {
        fn set<T: PartialEq + Copy>(slot: &mut Option<T>, value: T) -> Option<()> {
            let is_free = slot.is_none_or(|before| before == value);
            *slot = Some(value);
            is_free.then_some(())
        }
        match token.kind {
            Kind::Nth(nth) => set(&mut self.nth, nth)?,
            Kind::Several(end, many) => set(&mut self.several, (end, many))?,
            // "Drops 3 and 4".
            Kind::Number(nth) if at >= self.to && !self.became && !is_han => {
                set(&mut self.nth, Nth { end: End::First, nth })?;
            }
            Kind::Number(many) => set(&mut self.number, many)?,
            Kind::At(bounds) => set(&mut self.at, bounds)?,
            Kind::Word(word) => set(&mut self.adverb, word)?,
            _ => return None,
        }
        self.beside.push(at);
        Some(())
    }
}

/// Those of a text.
#[derive(Debug)]
pub(super) struct Phrases {
    pub all: Vec<Phrase>,
    /// Of which each token is.
    of_token: Vec<Option<usize>>,
}

impl Phrases {
    /// `None` when two things are said of one.
    pub fn of(sentence: &Sentence<'_>, clauses: &Clauses) -> Option<Self> {
        let tokens = sentence.tokens;
        let mut all = heads(sentence, clauses);
        let mut of_token = vec![None; tokens.len()];
        for (of, phrase) in all.iter().enumerate() {
            of_token[phrase.from..phrase.to].fill(Some(of));
        }
        for (at, token) in tokens.iter().enumerate() {
            if !says_which(token) {
                continue;
            }
            // "Within the next minute".
            let is_of_length =
                matches!(tokens.get(at + 1).map(|next| next.kind), Some(Kind::Length(_)));
            if is_of_length && matches!(token.kind, Kind::Word(_)) {
                continue;
            }
            let is_here = |of: &usize| all[*of].clause == clauses.of_token(token);
            // "14:21 stop", but not "at 14:21 there are some".
            let is_beside = |of: &usize| {
                let clause = &clauses.all[all[*of].clause];
                // "At 8:41 we had a stop", and nothing else.
                let is_only = !clause.asks
                    && all.iter().filter(|phrase| phrase.clause == all[*of].clause).count() == 1;
                let is_adjacent = tokens[all[*of].from].from <= token.to + 1;
                sentence.is_han || !matches!(token.kind, Kind::At(_)) || is_adjacent || is_only
            };
            let next = following(tokens, &all, at).filter(is_here).filter(is_beside);
            // "It was followed by which stop?"
            let is_passive =
                sentence.atoms[token.from].is_one_of(&["followed", "preceded", "succeeded"]);
            let last = preceding(tokens, &all, at).filter(is_here).filter(|_| !is_passive);
            let is_behind = !sentence.is_han && matches!(token.kind, Kind::At(_));
            let of = if is_behind { last.or(next) } else { next.or(last) };
            if let Some(of) = of {
                // "Cycle change 36" may be the change to it.
                let is_change = tokens[all[of].from..all[of].to]
                    .iter()
                    .any(|it| it.kind == Kind::Class("change"));
                if is_change
                    && !sentence.is_han
                    && at >= all[of].to
                    && matches!(token.kind, Kind::Number(_))
                {
                    return None;
                }
                all[of].take(token, at, sentence.is_han)?;
                of_token[at] = Some(of);
            }
        }
        leave_out_asides(&mut all, sentence, &mut of_token);
        for phrase in &mut all {
            let (first, _) = phrase.extent();
            let from = tokens[first].from;
            let end = first.checked_sub(1).map_or(0, |before| tokens[before].to);
            let before = &sentence.atoms[end.max(from.saturating_sub(3)).min(from)..from];
            let last = before.last();
            #[rustfmt::skip]
            const THAT: [&str; 6] = ["that", "this", "those", "these", "same", "said"];
            const HAN_THAT: [&str; 4] = ["这", "那", "该", "此"];
            phrase.is_that = last.is_some_and(|atom| atom.is_one_of(&THAT))
                || before.iter().any(|atom| atom.is_one_of(&HAN_THAT));
            #[rustfmt::skip]
            const ALL: [&str; 10] = ["a", "an", "any", "each", "every", "some", "all", "每", "任", "最"];
            phrase.is_of_all = before.iter().any(|atom| atom.is_one_of(&ALL));
            phrase.is_both = phrase.is_that
                && (phrase.number == Some(2)
                    || before.iter().any(|atom| atom.is_one_of(&["two", "both", "两"])));
            #[rustfmt::skip]
            const ASKS: [&str; 12] = ["which", "what", "any", "哪", "几", "多", "什", "啥", "些", "一", "少", "every"];
            phrase.is_asked = before.iter().any(|atom| atom.is_one_of(&ASKS))
                || first > 0 && tokens[first - 1].is(Word::Count);
        }
        Some(Self { all, of_token })
    }

    /// The phrase that a token is of.
    pub fn of_token(&self, at: usize) -> Option<usize> {
        self.of_token.get(at).copied().flatten()
    }
}

/// Takes out what only says again what stands before it: "the 14:38 p-stop (protective stop)".
fn leave_out_asides(all: &mut [Phrase], sentence: &Sentence<'_>, of_token: &mut [Option<usize>]) {
    for at in 1..all.len() {
        let (before, aside) = (&all[at - 1], &all[at]);
        let classes =
            [before, aside].map(|phrase| sentence.events_of(phrase).and_then(|of| of.class));
        let is_alone = aside.beside.is_empty()
            && before.extent().1 == aside.from
            && before.clause + 1 == aside.clause
            && of_token
                .get(aside.to)
                .is_none_or(|_| sentence.tokens.get(aside.to).is_none_or(|next| next.is_cut));
        all[at].is_aside = is_alone && classes[0].is_some() && classes[0] == classes[1];
    }
}

/// Whether a token says which of some events.
fn says_which(token: &Token) -> bool {
    matches!(
        token.kind,
        Kind::Nth(_)
            | Kind::Several(..)
            | Kind::Number(_)
            | Kind::At(_)
            | Kind::Word(Word::Next | Word::Previous)
    )
}

/// Stands between what says which and the words for the events, and says nothing.
fn is_between(token: &Token) -> bool {
    says_which(token)
        || matches!(
            token.kind,
            Kind::Time(_) | Kind::Per(_) | Kind::Word(Word::Happened | Word::Just | Word::Object)
        )
}

/// The phrase whose words begin behind a token.
fn following(tokens: &[Token], all: &[Phrase], at: usize) -> Option<usize> {
    let mut next = at + 1;
    while tokens.get(next).is_some_and(|token| is_between(token) && !token.is_cut) {
        next += 1;
    }
    tokens.get(next).filter(|token| !token.is_cut)?;
    all.iter().position(|phrase| phrase.from == next)
}

/// The phrase whose words end before a token.
fn preceding(tokens: &[Token], all: &[Phrase], at: usize) -> Option<usize> {
    let mut end = at;
    while end > 0 && !tokens[end].is_cut && is_between(&tokens[end - 1]) {
        end -= 1;
    }
    if tokens[end].is_cut {
        return None;
    }
    all.iter().position(|phrase| phrase.to == end)
}

/// The words that name events.
fn heads(sentence: &Sentence<'_>, clauses: &Clauses) -> Vec<Phrase> {
    let tokens = sentence.tokens;
    #[rustfmt::skip]
    const VERBS: [&str; 6] = ["opened", "opens", "opening", "closed", "closes", "closing"];
    let is_naming = |token: &Token| {
        let is_verb = token.kind == Kind::Name && sentence.atoms[token.from].is_one_of(&VERBS);
        (token.is_naming() || token.is(Word::Event)) && !is_verb
    };
    let mut all = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !is_naming(&tokens[at]) {
            at += 1;
            continue;
        }
        let mut end = at + 1;
        let mut classes: Vec<&'static str> = Vec::new();
        let class_of = |token: &Token| match token.kind {
            Kind::Class(class) => Some(class),
            Kind::Began(_) => Some("change"),
            _ => None,
        };
        classes.extend(class_of(&tokens[at]));
        let mut has_became = matches!(tokens[at].kind, Kind::Became(_) | Kind::Began(_));
        while end < tokens.len() && is_naming(&tokens[end]) && !tokens[end].is_cut {
            let class = class_of(&tokens[end]);
            let is_became = matches!(tokens[end].kind, Kind::Became(_) | Kind::Began(_));
            classes.extend(class);
            let is_other =
                one_class(&classes).is_none() || has_became && (is_became || class.is_some());
            if is_other {
                // Its names stand before it.
                while end > at + 1 && tokens[end - 1].kind == Kind::Name {
                    end -= 1;
                }
                break;
            }
            has_became |= is_became;
            end += 1;
        }
        let run = &tokens[at..end];
        if run.iter().any(|token| token.kind != Kind::Name) {
            all.push(Phrase {
                from: at,
                to: end,
                became: run.iter().any(|t| matches!(t.kind, Kind::Became(_) | Kind::Began(_))),
                clause: clauses.of_token(&tokens[at]),
                ..Phrase::default()
            });
        }
        at = end;
    }
    all
}

impl Sentence<'_> {
    /// The events that the words of a phrase name; without names where the phrase is of one event anyway.
    pub(super) fn events_of(&self, phrase: &Phrase) -> Option<NamedEvents> {
        let words = &self.tokens[phrase.from..phrase.to];
        let is_any = words.iter().any(|token| token.is(Word::Event));
        let is_slip = words.iter().any(|token| token.kind == Kind::Class("slip"));
        let is_object = |token: &Token| is_slip && is_object(token, self.atoms);
        let is_idle = |token: &Token| {
            let is_counter = clauses::is_counter(token, self.atoms);
            token.kind == Kind::Name && (phrase.is_pinned() && !is_counter || is_object(token))
        };
        let naming = words.iter().filter(|token| token.is_naming() && !is_idle(token));
        let naming: Vec<Token> = naming.copied().collect();
        let mut of = self.named(&naming, is_any)?;
        let mut said: Vec<&str> = of.words.split(' ').collect();
        said.dedup();
        of.words = said.join(" ");
        Some(of)
    }
}
