//! The events that words name, exactly: by the class of their trigger and names, and by words of their names.

use crate::Operations;
use robot_memory_core::model::{Condition, Operand, Operator, Path};
use robot_memory_index::{Bitset, Column, Derived, Slot};
use robot_memory_text::inference::{
    self, NamedEvents, OrderQuestion, QueryTerm, event_classes, telling_terms,
};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

const TRIGGER: &str = "event.trigger";
/// Where the names of an event are. What it was on is none: of several joints that moved it names one.
const NAMES: [&str; 3] = ["event.stream", "event.topic", "event.subject"];
/// What an edge became: of a stop that is on and off again only the first is an event to count.
const BECAME: &str = "event.to";
const EDGE: &str = "edge";
/// What a change changed.
const WAS: &str = "event.from";
/// What stands for many events that were not kept one by one.
const LEFT_OUT: &str = "event.left_out";
/// What tells of the end of something of which another event told.
const ENDED: &str = "event.over_secs";

/// So many names are found by comparing all rows with one that has them; the rows of others one by one.
const COMPARED_NAMES: usize = 32;

/// Events that words name.
pub(super) struct EventRows {
    pub rows: Bitset,
    /// Conditions on the context that they meet and no others do, where such can say it.
    pub filter: Option<Map<String, Value>>,
}

/// Trigger, stream, topic and subject of an event.
type Named<'a> = [Option<&'a str>; 1 + NAMES.len()];

/// Events by their names.
pub(super) struct EventNames<'a> {
    operations: &'a Operations,
    derived: &'a Derived,
    /// Those that stand for themselves.
    of_name: HashMap<Named<'a>, Vec<Slot>>,
    /// Whether there is any event.
    has_events: bool,
    /// Streams of events that were not kept one by one.
    left_out: BTreeSet<&'a str>,
    /// Streams of edges to false.
    falling: BTreeSet<&'a str>,
    /// Streams of which some events tell only how others ended.
    ended: BTreeSet<&'a str>,
}

/// The paths that it needs columns of.
pub(super) fn event_paths() -> impl Iterator<Item = Path> {
    let paths = [TRIGGER, BECAME, WAS, LEFT_OUT, ENDED].into_iter().chain(NAMES);
    paths.filter_map(|path| Path::parse(path).ok())
}

fn column<'a>(derived: &'a Derived, path: &str) -> Option<&'a Column> {
    derived.columns.get(&Path::parse(path).ok()?)
}

/// The rows of a set whose value at a path meets a condition.
fn meeting(
    derived: &Derived,
    path: &str,
    operator: Operator,
    operand: Operand,
    within: &Bitset,
) -> Option<Bitset> {
    let column = column(derived, path)?;
    let mut rows = within.clone();
    column.matching(&Condition { path: Path::parse(path).ok()?, operator, operand }, &mut rows);
    Some(rows)
}

impl<'a> EventNames<'a> {
    /// Of the events among these rows; `None` when there is no room for what tells it.
    pub fn new(operations: &'a Operations, derived: &'a Derived, rows: &Bitset) -> Option<Self> {
        let trigger = column(derived, TRIGGER)?;
        let mut events = rows.clone();
        trigger.retain_texts(&mut events);
        let has_events = !events.is_empty();
        let has = |path| meeting(derived, path, Operator::NotEqual, Operand::Null, &events);
        let (left_out, ended) = (has(LEFT_OUT)?, has(ENDED)?);
        let edge = Operand::Text(EDGE.to_owned());
        let edges = meeting(derived, TRIGGER, Operator::Equal, edge, &events)?;
        let falls = meeting(derived, BECAME, Operator::Equal, Operand::Bool(false), &edges)?;
        let columns = NAMES.iter().map(|path| column(derived, path));
        let columns: Vec<&Column> = columns.collect::<Option<_>>()?;
        let stream = |slot: Slot| columns[0].text(slot).unwrap_or_default();
        let streams = |rows: &Bitset| rows.iter().map(stream).collect();
        let (left_out_of, ended_of, falling) =
            (streams(&left_out), streams(&ended), streams(&falls));
        for others in [left_out, ended, falls] {
            events.subtract(&others);
        }
        let of_name = by_names([trigger, columns[0], columns[1], columns[2]], events);
        let (left_out, ended) = (left_out_of, ended_of);
        Some(Self { operations, derived, of_name, has_events, left_out, falling, ended })
    }

    /// Whether there is no event at all.
    pub fn is_empty(&self) -> bool {
        !self.has_events
    }

    /// The events that a question asks for, of one name or of several; `None` as of one.
    pub fn asked(&self, asked: &OrderQuestion) -> Option<EventRows> {
        let mut named = self.named(&asked.of)?;
        for of in &asked.or_of {
            named.rows.union_with(&self.named(of)?.rows);
            named.filter = None;
        }
        Some(named)
    }

    /// The events that words name; `None` when it is not sure which these are: when there are none of that
    /// name, or of two kinds, or when some were not kept one by one.
    pub fn named(&self, of: &NamedEvents) -> Option<EventRows> {
        if let Some(or_class) = of.or_class {
            let is_there = |class| self.of_name.keys().any(|names| is_of_class(class, names));
            let class = if of.class.is_some_and(is_there) { of.class } else { Some(or_class) };
            return self.named(&NamedEvents { class, or_class: None, ..of.clone() });
        }
        let mut rows = Bitset::default();
        let mut kinds: BTreeSet<(&str, &str)> = BTreeSet::new();
        let terms = telling_terms(&of.words, &self.operations.synonyms);
        for (names, of_name) in &self.of_name {
            let mut slots = of_name.iter().filter(|slot| self.has_become(of, **slot)).peekable();
            if slots.peek().is_some() && is_named(of, &terms, names) {
                slots.for_each(|slot| rows.insert(*slot));
                kinds.insert((names[0].unwrap_or_default(), names[1].unwrap_or_default()));
            }
        }
        let triggers: BTreeSet<&str> = kinds.iter().map(|(trigger, _)| *trigger).collect();
        let is_whole = kinds.iter().all(|(_, stream)| !self.left_out.contains(stream));
        let is_sure = is_whole && !rows.is_empty() && (of.is_any || triggers.len() == 1);
        let filter = self.filter(&kinds, &rows);
        is_sure.then_some(EventRows { rows, filter })
    }

    /// Whether an event made it what is asked for, when that is said.
    fn has_become(&self, of: &NamedEvents, slot: Slot) -> bool {
        let Some(became) = of.became else { return true };
        let is = |path: &str, number: u32| {
            let Some(column) = column(self.derived, path) else { return false };
            let is_text = column.text(slot).is_some_and(|value| value == number.to_string());
            is_text || column.double(slot).is_some_and(|value| value == f64::from(number))
        };
        is(BECAME, became.to) && became.from.is_none_or(|from| is(WAS, from))
    }

    /// The filter that says the same as these rows: of one trigger and stream.
    fn filter(&self, kinds: &BTreeSet<(&str, &str)>, rows: &Bitset) -> Option<Map<String, Value>> {
        let (trigger, stream) = *kinds.first()?;
        let is_of = |names: &&Named<'a>| names[0] == Some(trigger) && names[1] == Some(stream);
        let others = self.of_name.iter().filter(|(names, _)| is_of(names));
        let count: u64 = others.map(|(_, rows)| rows.len() as u64).sum();
        if kinds.len() != 1 || count != rows.count() || self.ended.contains(stream) {
            return None;
        }
        let mut filter = Map::new();
        filter.insert(TRIGGER.to_owned(), trigger.into());
        filter.insert(NAMES[0].to_owned(), stream.into());
        if self.falling.contains(stream) {
            filter.insert(BECAME.to_owned(), true.into());
        }
        Some(filter)
    }
}

/// Events by what they have in these columns.
fn by_names<'a>(
    columns: [&'a Column; 1 + NAMES.len()],
    mut events: Bitset,
) -> HashMap<Named<'a>, Vec<Slot>> {
    let names = |slot| columns.map(|column| column.text(slot));
    let mut of_name: HashMap<Named<'a>, Vec<Slot>> = HashMap::new();
    // A few names have nearly all events, and rows are compared 64 at a time.
    while of_name.len() < COMPARED_NAMES {
        let first = events.iter().next();
        let Some(slot) = first else { break };
        let mut same = events.clone();
        for column in columns.iter().rev() {
            column.retain_same_text(slot, &mut same);
        }
        events.subtract(&same);
        of_name.insert(names(slot), same.iter().collect());
    }
    for slot in events.iter() {
        of_name.entry(names(slot)).or_default().push(slot);
    }
    of_name
}

fn is_of_class(class: &str, names: &[Option<&str>]) -> bool {
    let trigger = names.first().copied().flatten().unwrap_or_default();
    let names: Vec<&str> = names.iter().skip(1).copied().flatten().collect();
    event_classes(trigger, &names).contains(&class)
}

/// Whether words name what has these names.
fn is_named(of: &NamedEvents, terms: &[QueryTerm], names: &[Option<&str>]) -> bool {
    if of.class.is_some_and(|class| !is_of_class(class, names)) {
        return false;
    }
    let mut words: BTreeSet<String> = BTreeSet::new();
    for name in names.iter().skip(1).copied().flatten() {
        let apart = |letter: char| if letter.is_alphanumeric() { letter } else { ' ' };
        words.extend(inference::tokens(name));
        words.extend(inference::tokens(&name.chars().map(apart).collect::<String>()));
    }
    let is_said = of.class.is_some() || of.is_any || !terms.is_empty();
    is_said
        && terms.iter().filter(|term| term.weight >= 1.0).all(|term| {
            let has = |tokens: &[String]| tokens.iter().all(|token| words.contains(token));
            term.alternatives.iter().any(|way| has(&way.tokens))
        })
}
