//! Explicit phrases of order and time, in English and Chinese: "just before the last protective stop", 上次急停之前,
//! "how many grip losses since noon", 每天第一次. All of a question is read, or nothing.

mod anchor;
mod background;
mod began;
mod beside_words;
mod bounds;
mod corrections;
mod grammar;
mod lexer;
#[cfg(test)]
mod more_tests;
mod notation;
mod objects;
mod part;
mod polite;
mod purposes;
mod relation;
mod reworded_english;
mod reworded_han;
mod rewording;
mod sentences;
mod spellings;
#[cfg(test)]
mod tests;
mod vocabulary;
#[cfg(test)]
mod wide_tests;
mod wishes;
mod words;

pub use bounds::Bounds;

use super::atoms::{Atom, atoms};
use bounds::Present;
use grammar::Sentence;
use jiff::tz::TimeZone;
use lexer::Token;
use part::Part;
use robot_memory_core::api::CountBy;
use robot_memory_core::model::Stamp;
use sentences::SentenceText;

/// Longer questions are not read.
const ATOMS_MAX: usize = 60;
/// At so many commas a sentence may be two.
const CLAUSES_MAX: usize = 3;

/// From which end events are counted.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    First,
    Last,
}

/// Which of several events in order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nth {
    /// Counted from here.
    pub end: End,
    /// 1: the one at the end.
    pub nth: u32,
}

/// Which events are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedEvents {
    /// Of this class.
    pub class: Option<&'static str>,
    /// Of this class where there is no event of the other: "e-stop" and 急停 are said of protective stops too.
    pub or_class: Option<&'static str>,
    /// Events of any kind.
    pub is_any: bool,
    /// Words that the name of their stream or subject must have; empty: no such.
    pub words: String,
    /// Changes to this.
    pub became: Option<u32>,
}

/// An event beside which others are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// Which events it is one of.
    pub of: NamedEvents,
    /// Which of them; none: the only one.
    pub nth: Option<Nth>,
    /// Of this time.
    pub bounds: Bounds,
}

/// On which side of an event.
#[derive(Debug, Clone, PartialEq)]
pub enum Beside {
    /// Before it.
    Before(Anchor, Option<f64>),
    /// After it; so many seconds at most, when they are said.
    After(Anchor, Option<f64>),
    /// All after it.
    Since(Anchor),
    /// On both sides.
    Around(Anchor, Option<f64>),
    /// From one event to the other. `true`: in this order.
    Between(Anchor, Anchor, bool),
}

/// Which of the events are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// All.
    All,
    /// One.
    Nth(Nth),
    /// So many from an end.
    Several(End, u32),
    /// So many beside the anchor.
    Nearest(u32),
}

/// What a question asks by words of order and time only.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderQuestion {
    /// Of these events; nothing said: of all memories.
    pub of: NamedEvents,
    /// Of this time.
    pub bounds: Bounds,
    /// Beside such an event.
    pub beside: Option<Beside>,
    /// Which of them.
    pub taken: Taken,
    /// Whether those right beside it are meant.
    pub is_just: bool,
    /// Whether they are counted.
    pub is_counted: bool,
    /// For each of these.
    pub per: Option<CountBy>,
    /// The first or the last of them first, when it is said.
    pub order: Option<End>,
}

impl NamedEvents {
    /// Whether nothing says which.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Reads a question that asks by words of order and time only, and names events by class and subject. `None`
/// when any word of it says something else. `now`: the time, and the zone of its days.
pub fn order_question(text: &str, now: Option<(Stamp, &TimeZone)>) -> Option<OrderQuestion> {
    let (now, zone) = now?;
    let present = Present::new(now, zone)?;
    let text = spellings::without_signs(&super::super::tokens::normalized(text));
    let text = spellings::with_nearest(&rewording::in_known_words(&text));
    let text = spellings::with_moments(&notation::in_one_notation(&text), &present);
    let text = corrections::without_taken_back(&text, &present);
    let asked = whole(&text, present, None);
    let names = |asked: &Option<OrderQuestion>| {
        asked.as_ref().map_or(usize::MAX, OrderQuestion::name_letters)
    };
    if names(&asked) == 0 {
        return asked;
    }
    let of_core = background::cores(&text, &present).into_iter().filter_map(|core| {
        let asked = whole(&core.text, present, core.told)?;
        // The time that was told may be the one that is meant.
        let is_whole = !core.lacks_time || asked.beside.is_some();
        let is_of_each = !core.is_of_each || asked.per.is_some();
        (is_whole && is_of_each).then_some(asked)
    });
    let of_core = of_core.min_by_key(OrderQuestion::name_letters);
    // With a word less that is known by no name.
    if names(&of_core) < names(&asked) { of_core } else { asked }
}

impl OrderQuestion {
    /// How many letters say names of streams or subjects.
    fn name_letters(&self) -> usize {
        let anchors = match &self.beside {
            None => [None, None],
            Some(
                Beside::Before(one, _)
                | Beside::After(one, _)
                | Beside::Around(one, _)
                | Beside::Since(one),
            ) => [Some(one), None],
            Some(Beside::Between(one, other, _)) => [Some(one), Some(other)],
        };
        let of_anchors: usize =
            anchors.into_iter().flatten().map(|anchor| anchor.of.words.len()).sum();
        self.of.words.len() + of_anchors
    }
}

/// What a text asks, all of it; `told`: the event that was told before it.
fn whole(text: &str, present: Present<'_>, told: Option<Anchor>) -> Option<OrderQuestion> {
    let mut question = WholeQuestion {
        is_han: text.chars().any(super::super::lexer::is_han),
        present,
        atoms_left: ATOMS_MAX,
        part: None,
        is_asked: false,
        told,
    };
    for sentence in sentences::sentences(text)? {
        question.read(&sentence)?;
    }
    question.part?.question()
}

/// The sentences of a question that were read.
struct WholeQuestion<'a> {
    is_han: bool,
    present: Present<'a>,
    atoms_left: usize,
    /// What they ask for together.
    part: Option<Part>,
    /// Whether that was a question, and not an event that was told.
    is_asked: bool,
    /// An event that was told before them.
    told: Option<Anchor>,
}

impl WholeQuestion<'_> {
    /// A sentence without the clauses that say what for: "I'm writing a report, so list the last stops".
    fn without_purpose<'t>(&self, text: &'t str) -> &'t str {
        let is_purpose = |clause: &str, is_whole: bool| {
            let all = atoms(clause);
            let is_told = purposes::is_of_asker(&all) || is_whole && purposes::is_heading(&all);
            let says_nothing = if is_told { Token::says_no_event } else { Token::says_nothing };
            let names_nothing = |tokens: Vec<Token>| tokens.iter().all(says_nothing);
            (is_told || purposes::is_purpose(&all))
                && lexer::tokens(clause, &all, &self.present, self.is_han)
                    .is_some_and(names_nothing)
        };
        if is_purpose(text, true) {
            return "";
        }
        let mut text = text;
        if let Some((clause, rest)) = text.split_once([',', '，'])
            && is_purpose(clause, false)
        {
            text = rest;
        }
        // "I'm building a histogram and need the number of stops".
        const JOINS: [&str; 6] = [
            " and need ",
            " and i need ",
            " and we need ",
            " and want ",
            " so please ",
            " and would like ",
        ];
        let joined = JOINS.iter().find_map(|join| text.split_once(join));
        if let Some((_, rest)) = joined.filter(|(clause, _)| is_purpose(clause, false)) {
            text = rest;
        }
        if let Some((rest, clause)) = text.rsplit_once([',', '，'])
            && is_purpose(clause, false)
        {
            text = rest;
        }
        text
    }

    /// What a text asks, or tells.
    fn part_of(
        &self,
        text: &str,
        atoms: &[Atom],
        is_question: bool,
        context: Option<&Anchor>,
    ) -> Option<Part> {
        if words::says_else(atoms) {
            return None;
        }
        let tokens = lexer::tokens(text, atoms, &self.present, self.is_han)?;
        let is_han = self.is_han;
        grammar::read(&Sentence { tokens: &tokens, atoms, is_han, is_question, context })
    }

    /// "When it tripped at 9:02, what came right after?": an event that is told, and a question of what is beside it.
    fn told_and_asked(&self, text: &str, is_question: bool) -> Option<Part> {
        let commas = text.match_indices([',', '，']).take(CLAUSES_MAX);
        commas.map(|(at, comma)| (&text[..at], &text[at + comma.len()..])).find_map(
            |(told, asked)| {
                let told = sentences::without_when(told);
                let event = self.part_of(told, &atoms(told), false, None)?.event()?;
                let part = self.part_of(asked, &atoms(asked), is_question, Some(&event))?;
                part.is_of_before.then_some(part)
            },
        )
    }

    /// Reads one more; `None` when it says something else, or asks for something else.
    fn read(&mut self, sentence: &SentenceText) -> Option<()> {
        let text = self.without_purpose(&sentence.text);
        let all = atoms(text);
        self.atoms_left = self.atoms_left.checked_sub(all.len())?;
        let asking = words::asking(&all);
        if asking == all.len() {
            // "Thanks!"
            return Some(());
        }
        if self.part.is_none()
            && let Some(part) = self.told_and_asked(text, sentence.is_question)
        {
            (self.part, self.is_asked) = (Some(part), true);
            return Some(());
        }
        let told = self.part.as_ref().filter(|_| !self.is_asked).and_then(Part::event);
        let beside = self.part.as_ref().and_then(Part::anchor);
        let context = beside.as_ref().or(told.as_ref()).or(self.told.as_ref());
        let atoms = &all[..];
        let part = self.part_of(text, atoms, sentence.is_question, context)?;
        let Some(before) = self.part.take() else {
            (self.part, self.is_asked) = (Some(part), sentence.is_question);
            return Some(());
        };
        let is_same_class = || {
            let anchor = before.anchor();
            let classes = [before.of.class, anchor.and_then(|anchor| anchor.of.class)];
            part.of.words.is_empty() && part.of.class.is_some() && classes.contains(&part.of.class)
        };
        if sentence.is_aside && part.is_name() {
            // "The last slip (the dropped part)".
            self.part = is_same_class().then_some(before);
            return self.part.is_some().then_some(());
        }
        let is_counted = part.is_counted;
        // "Per hour: the last stop".
        let is_heading = before.of.is_empty() && !before.is_open && before.beside.is_none();
        let goes_on = sentence.is_question
            || is_heading
            || sentence.is_aside
            || asking > 0
            || is_counted
            || part.is_of_before && part.beside.is_some()
            || words::is_request(atoms);
        if !goes_on {
            return None;
        }
        self.is_asked = true;
        self.part =
            if told.is_some() && part.is_of_before { Some(part) } else { Some(before.and(part)?) };
        Some(())
    }
}
