//! Reads the parts of a statement.

use std::collections::BTreeSet;

use super::super::items::{Item, ItemKind, Quantity, is_at};
use super::super::opposites::{SENSES, Sense};
use super::words::{Choice, Part, part_at};
use super::{Group, Proposition, Term, Value, plain_term};

/// Letters of a name that ends in a number, at least: arm-01 and arm-02 are two of a kind, M8 and M6
/// are not known to be.
const NUMBERED_NAME_CHARS_MIN: usize = 3;

/// Where the words that come belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Place {
    /// To the subject, in this role.
    Subject(&'static str),
    /// To what is said.
    Said,
    /// Nowhere.
    #[default]
    Nowhere,
}

/// A proposition that is being read.
#[derive(Default)]
pub(super) struct Reader<'a> {
    pub(super) items: &'a [Item],
    pub(super) proposition: Proposition,
    pub(super) place: Place,
    /// Whether what is said next is excluded.
    excludes: bool,
    /// Whether the words belong to a condition.
    pub(super) in_condition: bool,
    /// Whether the words say why.
    in_reason: bool,
    /// How many values there were, held and excluded, when the clause began.
    clause_begin: (usize, usize),
    /// What is being said.
    phrase: BTreeSet<Term>,
    /// The parts before the present one that make the number after them a value, nearest last.
    pub(super) before: [Option<Part>; 2],
    /// Words of the subject that follow each other.
    run: Vec<Term>,
    /// Whether a parameter was named whose value follows "to".
    pub(super) sets: bool,
    /// Whether the last word was one of preferring.
    pub(super) is_after_prefer: bool,
    /// The parameters that were named, each with its unit.
    parameters: Vec<(Term, &'static str)>,
    /// Quantities that nothing marks as values, their places in the text, and whether they can be one.
    pub(super) unmarked: Vec<(Quantity, usize, bool)>,
}

impl<'a> Reader<'a> {
    pub(super) fn of(items: &'a [Item]) -> Self {
        Self { items, place: Place::Subject(""), ..Self::default() }
    }

    /// The subject and what is said of it; whether it lasts and its heading are left open.
    pub(super) fn read(mut self) -> Proposition {
        let mut index = self.label_end();
        while index < self.items.len() {
            index += self.read_at(index);
        }
        self.end_phrase();
        self.end_run();
        self.finish()
    }

    /// Where a statement that begins with "preference:" goes on.
    fn label_end(&self) -> usize {
        match self.items.first().and_then(|_| part_at(self.items)) {
            Some((Part::Prefer, used)) if self.items.get(used).is_some_and(|i| i.text == ":") => {
                used + 1
            }
            _ => 0,
        }
    }

    /// Reads what stands at `index` and answers how many items it takes.
    fn read_at(&mut self, index: usize) -> usize {
        let items = self.items;
        let rest = &items[index..];
        let own = part_at(rest);
        let sense = SENSES.longest(rest);
        // A longer word holds the letters of a shorter one: 不锈钢, 可以, 中间.
        let is_inside = sense.is_some_and(|(sense, used)| {
            used > own.map_or(1, |(_, used)| used) && sense != Sense::Negation
        });
        if rest[0].kind == ItemKind::Break {
            self.end_clause();
            return 1;
        }
        if self.in_reason {
            return 1;
        }
        if let ItemKind::Quantity(quantity) = &rest[0].kind {
            self.quantity(quantity, index);
            return 1;
        }
        match (own, sense) {
            (Some((part, used)), _) if !is_inside => {
                let more = self.part(part, index, used);
                if part != Part::Filler {
                    self.before = [self.before[1], Some(part)];
                }
                used + more
            }
            (_, Some((Sense::Negation, used))) => {
                self.negation(index, used);
                used
            }
            (_, Some((sense, used))) => {
                self.words(index, used, sense);
                used
            }
            _ => {
                self.words(index, 1, Sense::Neutral);
                1
            }
        }
    }

    /// Reads a part of the tables and answers how many items after it are read with it.
    fn part(&mut self, part: Part, index: usize, used: usize) -> usize {
        let after = index + used;
        let next = self.part_after(after);
        match part {
            Part::Filler
                if ["时", "的时候", "时候", "的话"].contains(&self.text(index, used).as_str()) =>
            {
                self.condition_ends();
            }
            Part::Filler => {}
            Part::Prefer => {
                self.open(Place::Said);
                self.is_after_prefer = true;
                return 0;
            }
            Part::Use
                if self.in_condition
                    && (self.run.is_empty() || self.items[index].text == "using") =>
            {
                self.subject_term(Term::plain("#use"));
            }
            Part::Use => self.open_choice(),
            Part::Avoid | Part::Over => {
                self.open(Place::Said);
                self.excludes = true;
            }
            Part::Reason => {
                self.open(Place::Nowhere);
                self.in_reason = true;
            }
            Part::Condition => {
                self.open(Place::Subject(""));
                self.in_condition = true;
            }
            Part::About | Part::Of => self.open(Place::Subject("")),
            Part::Role(role) => {
                self.open(Place::Subject(""));
                // What comes after it may be nothing: 抓取前.
                self.subject_term(Term::plain(format!("#{role}")));
                self.place = Place::Subject(role);
            }
            Part::From
                if next == Some(Part::Bound) && !self.in_condition && self.is_level(after) =>
            {
                self.open_choice();
                let text = if self.items[after].text == "above" { "top" } else { "bottom" };
                let group = Group::Choice(Choice::Direction);
                self.phrase.insert(Term { text: text.to_owned(), group });
                self.is_after_prefer = false;
                return 1;
            }
            Part::From | Part::With | Part::In | Part::At if self.opens_choice(part, next) => {
                self.open_choice();
            }
            Part::From => self.open(Place::Subject("from")),
            Part::With => self.open(Place::Subject("with")),
            Part::In => self.open(Place::Subject("in")),
            Part::At => self.open(Place::Subject("at")),
            Part::To => {
                let is_infinitive = self.is_after_prefer || !self.sets;
                self.open(Place::Subject(if is_infinitive { "" } else { "to" }));
            }
            Part::Is => return self.is(after),
            Part::Needs(key) => {
                self.open_unless_subject();
                self.subject_term(Term::plain(key));
            }
            Part::Set => {
                self.open(Place::Subject(""));
                self.sets = true;
                // These say nothing of which way it goes.
                if !["set", "adjust", "change", "tune"].contains(&self.items[index].text.as_str()) {
                    self.subject_term(plain_term(&self.items[index]));
                }
            }
            Part::Keep => {
                self.open_unless_subject();
                let is_side = |at| {
                    matches!(
                        self.part_after(at),
                        Some(Part::OneOf(Choice::Direction, "left" | "right"))
                    )
                };
                let skips = matches!(next, Some(Part::To | Part::In | Part::Role("on")));
                let (is_next, is_after_next) = (is_side(after), is_side(after + 1));
                if is_next || skips && is_after_next {
                    self.subject_term(Term::plain("#keep"));
                    self.open_choice();
                    self.is_after_prefer = false;
                    return usize::from(!is_next);
                }
                self.words(index, used, Sense::Neutral);
            }
            Part::Every | Part::Bound => {
                let text = if part == Part::Every { "#every" } else { "#bound" };
                self.subject_term(Term::plain(text));
            }
            Part::Verb(key) => {
                self.open_unless_subject();
                self.subject_term(Term::plain(key));
            }
            Part::Same(key) => {
                if self.is_after_prefer || self.place != Place::Said {
                    self.open_unless_subject();
                }
                self.term(Term::plain(key));
            }
            Part::Parameter(key, unit) => {
                let term = Term::plain(key);
                self.parameters.push((term.clone(), unit));
                self.term(term);
                return 0;
            }
            Part::Numbered(key) => self.term(Term::plain(key)),
            Part::OneOf(choice, key) => {
                self.term(Term { text: key.to_owned(), group: Group::Choice(choice) });
            }
            Part::Manner(choice, key) => {
                let term = Term { text: key.to_owned(), group: Group::Choice(choice) };
                match self.place {
                    Place::Subject(_) if !self.in_condition => {
                        self.say(Value::Phrase(BTreeSet::from([term])));
                    }
                    _ => self.term(term),
                }
            }
        }
        if part != Part::Filler {
            self.is_after_prefer = false;
        }
        0
    }

    /// Whether a preposition stands before what is chosen: from the left, with suction, in English, at low
    /// speed.
    fn opens_choice(&self, part: Part, next: Option<Part>) -> bool {
        use Choice::{Direction, Language, Speed};
        match (part, next) {
            (Part::From, Some(Part::OneOf(Direction, _)))
            | (Part::With, Some(Part::OneOf(..) | Part::Manner(..)))
            | (Part::At, Some(Part::OneOf(Speed, _) | Part::Manner(Speed, _))) => {
                !self.in_condition
            }
            (Part::In, Some(Part::OneOf(Language, _))) => true,
            _ => false,
        }
    }

    fn text(&self, index: usize, used: usize) -> String {
        self.items[index..index + used].iter().map(|item| item.text.as_str()).collect()
    }

    /// Whether "above" or "below" at `index` is a direction.
    fn is_level(&self, index: usize) -> bool {
        is_at(self.items, index, &["above", "below"])
    }

    /// What was said in this clause is a condition: 用吸盘时.
    fn condition_ends(&mut self) {
        self.end_phrase();
        let mut said: Vec<Value> = Vec::new();
        said.extend(self.proposition.values.drain(self.clause_begin.0..));
        said.extend(self.proposition.excluded.drain(self.clause_begin.1..));
        self.open(Place::Subject(""));
        for value in said {
            match value {
                Value::Quantity { unit, value } => {
                    self.subject_term(Term::plain(format!("#{value}{unit}")));
                }
                Value::Phrase(terms) => terms.into_iter().for_each(|term| self.subject_term(term)),
            }
        }
    }

    /// A predicate: of what can be one of several it says which. Answers how many items are read
    /// with it.
    fn is(&mut self, after: usize) -> usize {
        self.open_unless_subject();
        if self.in_condition {
            return 0;
        }
        let mut at = after;
        if is_at(self.items, at, &["now", "still", "都", "always"]) {
            at += 1;
        }
        let Some(rest) = self.items.get(at..) else { return 0 };
        let excluded = match SENSES.longest(rest) {
            Some((Sense::Negation, used)) => used,
            _ => 0,
        };
        let Some((Sense::Member { group, member, .. }, used)) =
            rest.get(excluded..).and_then(|rest| SENSES.longest(rest))
        else {
            return 0;
        };
        let end = excluded + used;
        let is_end = |item: &Item| {
            item.kind == ItemKind::Break
                || item.is_one_of(&["now", "again", "了", "in", "at", "on"])
        };
        if rest[end..].iter().find(|item| item.text != "的").is_some_and(|item| !is_end(item)) {
            return 0;
        }
        self.subject_term(Term::plain("#is"));
        let term = Term { text: format!("#{group}.{member}"), group: Group::Contrast(group) };
        self.excludes = excluded > 0;
        self.say(Value::Phrase(BTreeSet::from([term])));
        self.excludes = false;
        at - after + end
    }

    fn negation(&mut self, index: usize, used: usize) {
        let mut at = index + used;
        while is_at(self.items, at, &["ever", "again", "再"]) {
            at += 1;
        }
        let turns = match self.part_after(at) {
            Some(Part::Use | Part::Prefer) => true,
            Some(Part::From | Part::With | Part::At) => {
                !self.proposition.values.is_empty() || !self.phrase.is_empty()
            }
            _ => self.place == Place::Said && self.phrase.is_empty() && self.excludes,
        };
        if turns {
            self.open(Place::Said);
            self.excludes = true;
        } else {
            self.subject_term(Term::plain("#not"));
        }
    }

    /// Words that are no part of the tables.
    fn words(&mut self, index: usize, used: usize, sense: Sense) {
        let is_activity = self.is_after_prefer || self.excludes && self.phrase.is_empty();
        let items = &self.items[index..index + used];
        let first = &items[0];
        if first.kind == ItemKind::Word && is_activity && is_gerund(&first.text) {
            if self.excludes && self.has_in_subject(first) {
                return;
            }
            let excludes = self.excludes;
            self.open(Place::Subject(""));
            self.excludes = excludes;
        }
        if first.kind == ItemKind::Sign {
            if self.place == Place::Subject("") && "<>~±*+".contains(&first.text) {
                self.subject_term(Term::plain("#bound"));
            }
            return;
        }
        self.is_after_prefer = false;
        self.before = [None, None];
        match (self.place, sense) {
            (Place::Said, Sense::Member { group, member, .. }) => {
                self.phrase.insert(Term {
                    text: format!("#{group}.{member}"),
                    group: Group::Contrast(group),
                });
            }
            _ => {
                for item in items {
                    let mut term = plain_term(item);
                    if item.kind == ItemKind::Name
                        && is_numbered(&item.text)
                        && self.place == Place::Said
                    {
                        term.group = Group::Numbered;
                    }
                    self.term(term);
                }
            }
        }
    }

    fn has_in_subject(&self, item: &Item) -> bool {
        let term = plain_term(item);
        self.proposition.subject.iter().any(|(_, known)| *known == term) || self.run.contains(&term)
    }

    fn open(&mut self, place: Place) {
        self.end_phrase();
        self.end_run();
        self.place = place;
        self.excludes = false;
        if place == Place::Said {
            self.in_condition = false;
        }
    }

    /// Opens what is said; excluded when it follows "instead of".
    fn open_choice(&mut self) {
        let excludes = self.excludes && self.phrase.is_empty();
        self.open(Place::Said);
        self.excludes = excludes;
    }

    fn open_unless_subject(&mut self) {
        if !matches!(self.place, Place::Subject(_)) {
            let excludes = self.excludes;
            self.open(Place::Subject(""));
            self.excludes = excludes;
        }
    }

    fn end_clause(&mut self) {
        self.open(Place::Subject(""));
        self.clause_begin = (self.proposition.values.len(), self.proposition.excluded.len());
        self.in_reason = false;
        self.in_condition = false;
        self.is_after_prefer = false;
        self.sets = false;
        self.before = [None, None];
    }

    fn term(&mut self, term: Term) {
        match self.place {
            Place::Said => {
                self.phrase.insert(term);
            }
            Place::Subject(_) => self.subject_term(term),
            Place::Nowhere => {}
        }
    }

    fn subject_term(&mut self, term: Term) {
        let role = match self.place {
            Place::Subject(role) => role,
            Place::Said => "",
            Place::Nowhere => return,
        };
        if role.is_empty() {
            self.run.push(term.clone());
        }
        self.proposition.subject.insert((role, term));
    }

    pub(super) fn say(&mut self, value: Value) {
        let said = if self.excludes {
            &mut self.proposition.excluded
        } else {
            &mut self.proposition.values
        };
        said.push(value);
    }

    fn end_phrase(&mut self) {
        let phrase = std::mem::take(&mut self.phrase);
        if !phrase.is_empty() {
            self.say(Value::Phrase(phrase));
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run.len() > 1 {
            self.proposition.runs.push(run);
        }
    }

    fn finish(mut self) -> Proposition {
        self.place_unmarked();
        // Two numbers of one unit: which is which is not known.
        let units = |values: &[Value]| {
            let units = values.iter().filter_map(|value| match value {
                Value::Quantity { unit, .. } => Some(unit.clone()),
                Value::Phrase(_) => None,
            });
            units.collect::<Vec<_>>()
        };
        let said = units(&self.proposition.values);
        let distinct: BTreeSet<&String> = said.iter().collect();
        if distinct.len() < said.len() {
            let (several, others): (Vec<Value>, Vec<Value>) =
                std::mem::take(&mut self.proposition.values)
                    .into_iter()
                    .partition(|value| matches!(value, Value::Quantity { .. }));
            self.proposition.values = others;
            for value in several {
                if let Value::Quantity { unit, value } = value {
                    self.proposition.subject.insert(("", Term::plain(format!("#{value}{unit}"))));
                }
            }
        }
        // The unit says already of which parameter it is.
        let units: BTreeSet<String> = units(&self.proposition.values)
            .into_iter()
            .chain(units(&self.proposition.excluded))
            .collect();
        for (term, unit) in std::mem::take(&mut self.parameters) {
            if units.contains(unit) {
                self.proposition.subject.retain(|(_, known)| *known != term);
                for run in &mut self.proposition.runs {
                    run.retain(|known| *known != term);
                }
                for values in [&mut self.proposition.values, &mut self.proposition.excluded] {
                    for value in values.iter_mut() {
                        if let Value::Phrase(terms) = value {
                            terms.remove(&term);
                        }
                    }
                    values
                        .retain(|value| !matches!(value, Value::Phrase(terms) if terms.is_empty()));
                }
            }
        }
        self.proposition
    }
}

/// Whether a word in -ing is an activity and not a thing.
fn is_gerund(word: &str) -> bool {
    word.len() > 5
        && word.ends_with("ing")
        && !["string", "spring", "ceiling", "bearing", "during", "lighting", "casing"]
            .contains(&word)
}

fn is_numbered(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.len() < name.len()
        && stem.chars().filter(|c| c.is_alphabetic()).count() >= NUMBERED_NAME_CHARS_MIN
}
