//! The events that words name, exactly: by the class of their trigger and names, and by words of their names.

use super::lasting::LASTED;
use crate::Operations;
use robot_memory_core::model::{Condition, Operand, Operator, Path, Stamp};
use robot_memory_index::{Bitset, Column, Derived, EventNameSet, EventNames, Slot};
use robot_memory_text::inference::{
    self, Lasted, NamedEvents, OrderQuestion, QueryTerm, event_classes, telling_terms,
};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const TRIGGER: &str = "event.trigger";
const STREAM: &str = "event.stream";
/// What an edge became: of a stop that is on and off again only the first is an event to count.
const BECAME: &str = "event.to";
const EDGE: &str = "edge";
/// What a change changed.
const WAS: &str = "event.from";
/// What stands for many events that were not kept one by one.
const LEFT_OUT: &str = "event.left_out";
/// What tells of the end of something of which another event told.
const ENDED: &str = "event.over_secs";

/// Events that words name.
pub(super) struct EventRows {
    pub rows: Bitset,
    /// Conditions on the context that they meet and no others do, where such can say it.
    pub filter: Option<Map<String, Value>>,
}

/// Events by their names.
pub(super) struct EventsByName<'a> {
    operations: &'a Operations,
    derived: &'a Derived,
    names: &'a EventNames,
    /// Those that stand for themselves.
    events: Bitset,
    /// The names that any row has, by their codes.
    sets: BTreeMap<u32, EventNameSet>,
    /// Whether there is any event.
    has_events: bool,
    /// Streams of events that were not kept one by one.
    left_out: BTreeSet<String>,
    /// Streams of edges to false.
    falling: BTreeSet<String>,
    /// Streams of which some events tell only how others ended.
    ended: BTreeSet<String>,
}

/// The paths that it needs columns of.
pub(super) fn event_paths(asked: &OrderQuestion) -> impl Iterator<Item = Path> {
    let lasted = asked.needs_lengths().then_some(LASTED);
    [TRIGGER, BECAME, WAS, LEFT_OUT, ENDED]
        .into_iter()
        .chain(lasted)
        .filter_map(|path| Path::parse(path).ok())
}

pub(super) fn column<'a>(derived: &'a Derived, path: &str) -> Option<&'a Column> {
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

impl<'a> EventsByName<'a> {
    /// Of the events among these rows; `None` when there is no room for what tells it.
    pub fn new(operations: &'a Operations, derived: &'a Derived, rows: &Bitset) -> Option<Self> {
        let names = derived.event_names()?;
        let mut events = rows.clone();
        names.retain_events(&mut events);
        let has_events = !events.is_empty();
        let has = |path| meeting(derived, path, Operator::NotEqual, Operand::Null, &events);
        let (left_out, ended) = (has(LEFT_OUT)?, has(ENDED)?);
        let edge = Operand::Text(EDGE.to_owned());
        let edges = meeting(derived, TRIGGER, Operator::Equal, edge, &events)?;
        let falling = meeting(derived, BECAME, Operator::Equal, Operand::Bool(false), &edges)?;
        for others in [&left_out, &ended, &falling] {
            events.subtract(others);
        }
        let sets: BTreeMap<u32, EventNameSet> = names.sets().collect();
        let stream = |code: u32| sets.get(&code).map(|names| kind(names).1.to_owned());
        let streams = |rows| -> BTreeSet<String> {
            names.codes(rows).into_iter().filter_map(stream).collect()
        };
        let (left_out, falling, ended) = (streams(left_out), streams(falling), streams(ended));
        Some(Self {
            operations,
            derived,
            names,
            events,
            sets,
            has_events,
            left_out,
            falling,
            ended,
        })
    }

    /// What was derived of all rows.
    pub fn derived(&self) -> &Derived {
        self.derived
    }

    /// All that stand for themselves.
    pub fn events(&self) -> &Bitset {
        &self.events
    }

    /// When the first and the last of those that stand for themselves began; `None` when there are none.
    pub fn times(&self) -> Option<(Stamp, Stamp)> {
        let rows = &self.derived.rows;
        let begun = |slots: Vec<Slot>| rows.created_at(*slots.first()?);
        Some((begun(rows.oldest(&self.events, 1))?, begun(rows.newest(&self.events, 1))?))
    }

    /// Whether there is no event at all.
    pub fn is_empty(&self) -> bool {
        !self.has_events
    }

    /// The events that a question asks for, of one name or of several, but for those that it takes out; `None` as of one.
    pub fn asked(&self, asked: &OrderQuestion) -> Option<EventRows> {
        let mut named = self.named(&asked.of)?;
        for of in &asked.or_of {
            named.rows.union_with(&self.named(of)?.rows);
            named.filter = None;
        }
        if let Some(but_not) = &asked.but_not {
            named.rows.subtract(&self.named(but_not)?.rows);
            named.filter = None;
        }
        Some(named)
    }

    /// The events that words name; `None` when it is not sure which these are: when there are none of that
    /// name, or of two kinds, or when some were not kept one by one.
    pub fn named(&self, of: &NamedEvents) -> Option<EventRows> {
        if let Some(or_class) = of.or_class {
            let class = of.class.filter(|class| self.has_class(class)).unwrap_or(or_class);
            return self.named(&NamedEvents { class: Some(class), or_class: None, ..of.clone() });
        }
        let terms = telling_terms(&of.words, &self.operations.synonyms);
        let mut rows = self.rows(|names| is_named(of, &terms, names));
        if of.became.is_some() {
            rows.retain(|slot| self.has_become(of, slot));
        }
        if of.is_back {
            rows = self.gone_back(&rows)?;
        }
        if let Some(Lasted::For(lengths)) = &of.lasted {
            rows = self.of_lengths(&rows, lengths)?;
        }
        let codes = self.names.codes(rows.clone());
        let kinds: BTreeSet<(&str, &str)> =
            codes.iter().filter_map(|code| self.sets.get(code)).map(kind).collect();
        let triggers: BTreeSet<&str> = kinds.iter().map(|(trigger, _)| *trigger).collect();
        let is_whole = kinds.iter().all(|(_, stream)| !self.left_out.contains(*stream));
        // "The counter changed", where modes change as well: which of the two?
        let is_open = of.class == Some("change") && of.words.is_empty() && kinds.len() > 1;
        let is_one = of.is_any || triggers.len() == 1;
        let is_sure = is_whole && !rows.is_empty() && is_one && !is_open;
        let filter = self.filter(&kinds, &rows);
        is_sure.then_some(EventRows { rows, filter })
    }

    /// Whether a robot of this model is named by some events, and no other one is.
    pub fn are_of_robot(&self, model: &str) -> bool {
        let seen = self.names.codes(self.events.clone());
        let words = seen
            .iter()
            .filter_map(|code| self.sets.get(code))
            .map(|names| words_of(telling(names)));
        let is_model = |word: &String| {
            let number =
                word.strip_prefix("ur").filter(|_| word.chars().all(char::is_alphanumeric));
            number.is_some_and(|number| number.starts_with(|letter: char| letter.is_ascii_digit()))
        };
        let models: BTreeSet<String> = words.flatten().filter(is_model).collect();
        models.len() == 1 && models.contains(model)
    }

    /// Whether all events of a topic are of one kind, and those of another topic of another one.
    pub fn have_a_topic_each(&self) -> bool {
        let mut kinds: BTreeMap<&str, BTreeSet<Vec<&str>>> = BTreeMap::new();
        for code in self.names.codes(self.events.clone()) {
            let Some(names) = self.sets.get(&code) else { continue };
            let topic = names[2].as_deref().unwrap_or_default();
            let classes = classes_of(names);
            // What has no class is known by its topic only.
            let kind = if classes.is_empty() { vec![topic] } else { classes };
            kinds.entry(topic).or_default().insert(kind);
        }
        let all: BTreeSet<&Vec<&str>> = kinds.values().flatten().collect();
        all.len() == kinds.len() && kinds.values().all(|kinds| kinds.len() == 1)
    }

    /// Whether there is any event of a class.
    fn has_class(&self, class: &str) -> bool {
        !self.rows(|names| is_of_class(class, names)).is_empty()
    }

    /// The events of such names.
    fn rows(&self, are_such: impl Fn(&EventNameSet) -> bool) -> Bitset {
        let sets = self.sets.iter().filter(|(_, names)| are_such(names));
        self.names.rows(sets.map(|(code, _)| *code), &self.events)
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

    /// The changes among these that were to a smaller number; `None` when one was not from a number to another.
    fn gone_back(&self, changes: &Bitset) -> Option<Bitset> {
        let number = |path: &str, slot| {
            let column = column(self.derived, path)?;
            column.double(slot).or_else(|| column.text(slot)?.trim().parse().ok())
        };
        let mut back = Bitset::default();
        for slot in changes.iter() {
            let (was, became): (f64, f64) = (number(WAS, slot)?, number(BECAME, slot)?);
            if became < was {
                back.insert(slot);
            }
        }
        Some(back)
    }

    /// The filter that says the same as these rows: of one trigger and stream.
    fn filter(&self, kinds: &BTreeSet<(&str, &str)>, rows: &Bitset) -> Option<Map<String, Value>> {
        let (trigger, stream) = *kinds.first()?;
        if kinds.len() != 1 || self.ended.contains(stream) {
            return None;
        }
        let is_of = |name: &Option<String>, text| name.as_deref() == Some(text);
        let others = self.rows(|names| is_of(&names[0], trigger) && is_of(&names[1], stream));
        if others.count() != rows.count() {
            return None;
        }
        let mut filter = Map::new();
        filter.insert(TRIGGER.to_owned(), trigger.into());
        filter.insert(STREAM.to_owned(), stream.into());
        if self.falling.contains(stream) {
            filter.insert(BECAME.to_owned(), true.into());
        }
        Some(filter)
    }
}

/// Its trigger and stream.
fn kind(names: &EventNameSet) -> (&str, &str) {
    let [trigger, stream, ..] = names;
    (trigger.as_deref().unwrap_or_default(), stream.as_deref().unwrap_or_default())
}

/// Its stream, topic and subject. What it was on is none of its names: of several joints that moved it is one.
fn telling(names: &EventNameSet) -> impl Iterator<Item = &String> {
    names.iter().take(4).skip(1).flatten()
}

fn classes_of(names: &EventNameSet) -> Vec<&'static str> {
    let others: Vec<&str> = telling(names).map(String::as_str).collect();
    event_classes(kind(names).0, &others)
}

fn is_of_class(class: &str, names: &EventNameSet) -> bool {
    classes_of(names).contains(&class)
}

/// Whether words name what has these names.
fn is_named(of: &NamedEvents, terms: &[QueryTerm], names: &EventNameSet) -> bool {
    if of.class.is_some_and(|class| !is_of_class(class, names)) {
        return false;
    }
    if of
        .on
        .as_ref()
        .is_some_and(|on| names[4].as_deref().map(spelled_alike) != Some(spelled_alike(on)))
    {
        return false;
    }
    let words = words_of(telling(names));
    let is_said = of.class.is_some() || of.is_any || !terms.is_empty();
    is_said
        && terms.iter().filter(|term| term.weight >= 1.0).all(|term| {
            let has = |tokens: &[String]| tokens.iter().all(|token| words.contains(token));
            term.alternatives.iter().any(|way| has(&way.tokens))
        })
}

/// `elbow-joint`, `Elbow_Joint` and "elbow joint" are one name.
fn spelled_alike(name: &str) -> String {
    let parts = name.split(|letter: char| !letter.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("_").to_lowercase()
}

/// The words of names, whole and in their parts, in simplified characters too, as questions are read.
pub(super) fn words_of<'n>(names: impl Iterator<Item = &'n String>) -> BTreeSet<String> {
    let apart = |letter: char| if letter.is_alphanumeric() { letter } else { ' ' };
    let mut words = BTreeSet::new();
    for name in names {
        words.extend(inference::tokens(name));
        let parts: String = name.chars().map(apart).collect();
        words.extend(inference::tokens(&parts));
        if !parts.is_ascii() {
            words.extend(inference::tokens(&inference::folded(&parts)));
        }
    }
    words
}
