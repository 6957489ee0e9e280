//! Explicit phrases of order and time, in English and Chinese: "just before the last protective stop", 上次急停之前,
//! "how many grip losses since noon", 每天第一次.

mod ambiguous;
mod anchor_time;
mod background;
mod began;
mod beside_words;
mod between_two;
mod beyond;
mod both_ends;
mod bounds;
mod but_not;
mod closest;
mod compared;
mod conserved;
mod corrections;
mod counter_value;
mod counters;
mod cycles;
mod each_joint;
mod each_kind;
mod earlier;
mod ended;
mod excepting;
mod harmless;
mod idioms;
mod in_cycle;
#[cfg(test)]
mod kinds_tests;
mod lasting;
mod lengths;
mod lexer;
mod log_part;
mod longest;
#[cfg(test)]
mod many_tests;
mod memory_ids;
#[cfg(test)]
mod more_tests;
mod mostly_on;
mod movers;
mod naming;
mod notation;
mod objects;
mod ordinal_range;
mod ordinals;
#[cfg(test)]
mod paraphrase_tests;
mod part;
#[cfg(test)]
mod past_tests;
mod polite;
mod purposes;
mod retold;
mod reworded_english;
mod reworded_han;
mod rewording;
mod sentence;
mod several;
#[cfg(test)]
mod shown;
mod slots;
mod spellings;
mod stand_in;
mod stepped;
mod subjects;
#[cfg(test)]
mod tests;
mod under_way;
mod until_moment;
mod vocabulary;
#[cfg(test)]
mod wide_tests;
mod wishes;
mod words;

pub use bounds::{Bounds, PastDays};

use super::atoms::{Atom, atoms};
use bounds::Present;
use jiff::tz::TimeZone;
use robot_memory_core::api::CountBy;
use robot_memory_core::model::Stamp;
use std::ops::Bound;
use std::time::Duration;

/// What is asked has no more words and characters.
const ATOMS_MAX: usize = 120;
/// Longer texts are not read.
const TEXT_ATOMS_MAX: usize = 400;
/// So often more is said of events than which they are: how long they lasted, that they were over. Each time the rest is read more than once.
const PARTS_MAX: u32 = 5;
const MINUTE_NANOS: i64 = 60_000_000_000;

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
    /// What they were on: the joint that moved most.
    pub on: Option<String>,
    /// Changes to this.
    pub became: Option<Became>,
    /// Changes to a smaller number.
    pub is_back: bool,
    /// Those that lasted so long.
    pub lasted: Option<Lasted>,
}

/// How long events lasted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasted {
    /// Such a time.
    For(Lengths),
    /// Those from one to another, both counted from the one that lasted the longest, or from the one that lasted the shortest.
    Ranked {
        /// Whether they are counted from the longest.
        is_longest: bool,
        /// From 1.
        from: u32,
        /// The last.
        to: u32,
    },
}

/// Lengths of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lengths {
    /// The shortest.
    pub from: Bound<Duration>,
    /// The longest.
    pub until: Bound<Duration>,
    /// Whether it is sure which of the ends are among them.
    pub is_end_sure: bool,
}

/// What a change made of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Became {
    /// What it was before, when it is said.
    pub from: Option<u32>,
    /// What it was then.
    pub to: u32,
}

/// An event, or another memory, beside which others are looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The memory with this id; of the rest no more than its kind is said then.
    pub memory: Option<i64>,
    /// Which events it is one of.
    pub of: NamedEvents,
    /// Which of them; none: the only one.
    pub nth: Option<Nth>,
    /// Of this time.
    pub bounds: Bounds,
    /// Whether it is asked from when it was over.
    pub is_end: bool,
}

/// On which side of an event.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a question has one")]
pub enum Beside {
    /// Before it.
    Before(Anchor, Option<f64>),
    /// After it; so many seconds at most, when they are said.
    After(Anchor, Option<f64>),
    /// All after it.
    Since(Anchor),
    /// All before it.
    Until(Anchor),
    /// On both sides.
    Around(Anchor, Option<f64>),
    /// From one event to the other. `true`: in this order.
    Between(Anchor, Anchor, bool),
    /// Between two events that are the only ones of their kind.
    BetweenTwo(Anchor),
    /// From a change until the next one of what it changed.
    During(Anchor),
    /// Those with the least time to it, on whichever side.
    Closest(Closest),
    /// Those that had begun by this moment and were not over.
    UnderWay(Stamp),
}

/// To what some events are the closest.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a question has one")]
pub enum Closest {
    /// A moment.
    Moment(Stamp),
    /// An event, which is none of them.
    Event(Anchor),
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
    /// From one to another, both counted from the first.
    Range(u32, u32),
    /// The first and the last.
    BothEnds,
    /// So many beside the anchor.
    Nearest(u32),
}

/// What a question asks by words of order and time only.
#[derive(Debug, Clone, PartialEq)]
pub struct OrderQuestion {
    /// Of these events; nothing said: of all memories.
    pub of: NamedEvents,
    /// Of these too.
    pub or_of: Vec<NamedEvents>,
    /// Not of these.
    pub but_not: Option<NamedEvents>,
    /// Of this time.
    pub bounds: Bounds,
    /// Of a robot of this name.
    pub of_robot: Option<String>,
    /// Of so many seconds from an end of the time in which there are events.
    pub of_log: Option<(End, f64)>,
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
    /// For each topic, when that says for each kind of events.
    pub is_per_kind: bool,
    /// The first or the last of them first, when it is said.
    pub order: Option<End>,
}

/// The events beside which others are looked for, of a side that is borrowed to be read or to be changed.
macro_rules! anchors {
    ($beside:expr) => {{
        let (one, other) = match $beside {
            Beside::Between(one, other, _) => (Some(one), Some(other)),
            Beside::Before(anchor, _)
            | Beside::After(anchor, _)
            | Beside::Since(anchor)
            | Beside::Until(anchor)
            | Beside::Around(anchor, _)
            | Beside::BetweenTwo(anchor)
            | Beside::During(anchor)
            | Beside::Closest(Closest::Event(anchor)) => (Some(anchor), None),
            Beside::Closest(Closest::Moment(_)) | Beside::UnderWay(_) => (None, None),
        };
        one.into_iter().chain(other)
    }};
}

impl Beside {
    fn anchors(&self) -> impl Iterator<Item = &Anchor> {
        anchors!(self)
    }

    fn anchors_mut(&mut self) -> impl Iterator<Item = &mut Anchor> {
        anchors!(self)
    }
}

impl OrderQuestion {
    /// The events beside which others are looked for.
    fn anchors(&self) -> impl Iterator<Item = &Anchor> {
        self.beside.iter().flat_map(Beside::anchors)
    }

    /// Whether its answer depends on how long events lasted.
    pub fn needs_lengths(&self) -> bool {
        self.named().any(|of| of.lasted.is_some())
            || self.anchors().any(|anchor| anchor.is_end)
            || matches!(self.beside, Some(Beside::UnderWay(_)))
    }

    /// Whether it asks beside no event, or in a stretch that events bound.
    fn is_of_stretch(&self) -> bool {
        matches!(
            self.beside,
            None | Some(Beside::Since(_) | Beside::Between(..) | Beside::During(_))
        )
    }

    /// All events that it names.
    pub fn named(&self) -> impl Iterator<Item = &NamedEvents> {
        let beside = self.anchors().map(|anchor| &anchor.of);
        std::iter::once(&self.of).chain(&self.or_of).chain(&self.but_not).chain(beside)
    }

    /// The same, to be changed.
    fn named_mut(&mut self) -> impl Iterator<Item = &mut NamedEvents> {
        let Self { of, or_of, but_not, beside, .. } = self;
        let anchors = beside.iter_mut().flat_map(Beside::anchors_mut);
        let beside = anchors.map(|anchor| &mut anchor.of);
        std::iter::once(of).chain(or_of).chain(but_not).chain(beside)
    }
}

impl Lengths {
    /// Those of both; `None` when one of them is bounded where the other is, or when there are none.
    fn and(self, other: Self) -> Option<Self> {
        let one = |one: Bound<Duration>, other: Bound<Duration>| match (one, other) {
            (Bound::Unbounded, end) | (end, Bound::Unbounded) => Some(end),
            _ => None,
        };
        let (from, until) = (one(self.from, other.from)?, one(self.until, other.until)?);
        let is_end_sure = self.is_end_sure && other.is_end_sure;
        let both = Self { from, until, is_end_sure };
        let is_rising = both.ends().is_sorted();
        is_rising.then_some(both)
    }

    /// Its ends.
    pub fn ends(&self) -> impl Iterator<Item = Duration> {
        [self.from, self.until].into_iter().filter_map(|end| match end {
            Bound::Included(end) | Bound::Excluded(end) => Some(end),
            Bound::Unbounded => None,
        })
    }
}

impl Anchor {
    /// Whether it is told by its moment alone.
    fn is_at_moment(&self) -> bool {
        self.nth.is_none() && !self.bounds.is_open()
    }
}

impl NamedEvents {
    /// Whether nothing says which.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Reads a question that asks by words of order and time only, and names events by class and subject. `None`
/// when any word of it says something else. `now`: the time, and the zone of its days. `past`: the days of the events
/// that it can be about, when there are none of today.
pub fn order_question(
    text: &str,
    now: Option<(Stamp, &TimeZone)>,
    past: Option<PastDays>,
) -> Option<OrderQuestion> {
    let (now, zone) = now?;
    let present = Present::new(now, zone, past)?;
    let text = retold::in_plain_words(&super::super::identity::folded(text));
    // Two cycles are no events.
    let is_of_events = |asked: &OrderQuestion| match &asked.beside {
        Some(Beside::Between(one, other, _)) => {
            one.of.became.is_none() && other.of.became.is_none()
        }
        _ => false,
    };
    let read = |text: &str| {
        let is_whole = |asked: &OrderQuestion| conserved::is_whole(text, asked, &present);
        read_whole(text, &present).filter(is_whole)
    };
    if let Some(text) = excepting::without_ends(&text) {
        let asked = read(&text).filter(is_of_events)?;
        return anchor_time::lent(asked, &text, &present);
    }
    let asked = read(&text)?;
    let is_of_stretch = matches!(
        asked.beside,
        Some(Beside::Between(..) | Beside::BetweenTwo(_) | Beside::During(_))
    );
    if is_of_stretch && excepting::with_ends(&atoms(&text)) {
        return None;
    }
    anchor_time::lent(asked, &text, &present)
}

/// Reads all of a question, also when it names memories by their ids, or joints, asks for each kind of events, or for all but one.
fn read_whole(text: &str, present: &Present<'_>) -> Option<OrderQuestion> {
    read_in_parts(text, present, PARTS_MAX)
}

/// The same, of a text that says at most so much more of events than which they are.
fn read_in_parts(text: &str, present: &Present<'_>, parts_max: u32) -> Option<OrderQuestion> {
    let all = atoms(text);
    if all.len() > TEXT_ATOMS_MAX {
        return None;
    }
    if let Some(but_not) = but_not::in_plain_words(text, &all) {
        let taken_out = read_of_events(&but_not.taken_out, present)?.of;
        let asked = read_of_all(&but_not.text, &atoms(&but_not.text), present)?;
        return but_not::others(asked, taken_out);
    }
    let read = |text: &str| read_in_parts(text, present, parts_max.checked_sub(1)?);
    let under_way = under_way::read(text, &all, present, read);
    if under_way.is_some() {
        return under_way;
    }
    if let Some(ended) = ended::in_plain_words(text, &all) {
        return ended.read(read);
    }
    if let Some(plain) = stepped::in_plain_words(text, &all) {
        return read(&plain).and_then(stepped::of_those);
    }
    if let Some(longest) = longest::in_plain_words(text, &all) {
        let asked = read(&longest.text).and_then(|asked| longest.restored(asked));
        if asked.is_some() || !longest.is_told {
            return asked;
        }
    } else if let Some(lasting) = lasting::in_plain_words(text, &all) {
        let asked = lasting.read(read).and_then(|asked| lasting.restored(asked, read));
        if asked.is_some() || !lasting.may_be_told() {
            return asked;
        }
    } else if compared::is_said(text, &all) {
        return None;
    }
    if ended::is_said(text, &all) || under_way::is_left(&all, present) {
        return None;
    }
    read_of_joints(text, &all, present).filter(|asked| !lasting::is_left(asked))
}

/// Reads what is asked, also of motions of one joint.
fn read_of_joints(text: &str, all: &[Atom], present: &Present<'_>) -> Option<OrderQuestion> {
    let Some(mostly) = mostly_on::in_plain_words(text, all) else {
        return read_of_all(text, all, present);
    };
    let asked = read_of_all(&mostly.text, &atoms(&mostly.text), present)?;
    mostly.restored(asked)
}

/// Reads what is asked, of whatever joint.
fn read_of_all(text: &str, all: &[Atom], present: &Present<'_>) -> Option<OrderQuestion> {
    if let Some(plain) = each_joint::in_plain_words(text, all) {
        return read_of_events(&plain, present).and_then(each_joint::of_each);
    }
    if let Some(plain) = each_kind::in_plain_words(text, all) {
        let asked = read_of_events(&plain, present).and_then(each_kind::of_each)?;
        if !each_kind::is_of_all(all, &asked) {
            return Some(asked);
        }
    } else if each_kind::is_of_others(all) {
        return None;
    }
    let read = |replaced: &memory_ids::Replaced| {
        replaced.restored(read_of_events(&replaced.text, present)?)
    };
    let asked = match memory_ids::in_plain_words(text, all) {
        Some(replaced) => read(&replaced),
        None => read_of_events(text, present),
    };
    asked.or_else(|| read(&memory_ids::of_kinds_in_plain_words(text, all)?))
}

/// Reads all of a question that names events.
fn read_of_events(text: &str, present: &Present<'_>) -> Option<OrderQuestion> {
    let text = counters::with_named_one(&notation::without_quotes(text));
    let text = idioms::with_both_sides(&text);
    let text = idioms::at_begin(&idioms::without_utc(&text, present));
    let text = idioms::without_now(&counters::with_one_of_two(&text), present);
    let all = atoms(&text);
    let is_beyond = excepting::takes_out(&all) || beyond::is_asked(&text, &all);
    if is_beyond || ambiguous::has_open_range(&all, present) {
        return None;
    }
    let asked = match counter_value::in_plain_words(&text, present) {
        Some(text) => counter_value::of_all_days(read_kinds(&text, present)?),
        None => read_of_parts(&text, &all, present),
    }?;
    let asked = until_moment::of_moment(asked, &all, present);
    let of_robot = harmless::robot(&all)?;
    let is_dropped = movers::is_dropped(&all, &asked)
        || present.is_open_at_noon(&all, asked.bounds, asked.taken)
        || ambiguous::is_ambiguous(&all, &asked, present);
    (!is_dropped).then_some(OrderQuestion { of_robot, ..asked })
}

/// Reads what is asked of cycles, of the first of two, of several that follow each other, or of a part of the log.
fn read_of_parts(text: &str, all: &[Atom], present: &Present<'_>) -> Option<OrderQuestion> {
    let text = in_cycle::in_plain_words(text, all);
    let text = subjects::beside_motions(&text);
    let first_of_two = earlier::in_plain_words(&text);
    let text = first_of_two.as_ref().unwrap_or(&text);
    let range = ordinal_range::in_plain_words(text);
    let text = range.as_ref().map_or(text, |range| &range.text);
    // Known words say nothing of the log any more.
    let is_of_part = || log_part::named(text, &atoms(text)).is_some();
    let both = match range {
        None if !is_of_part() => both_ends::in_plain_words(&rewording::in_known_words(text)),
        _ => None,
    };
    let text = both.as_ref().unwrap_or(text);
    let read_kinds = |text: &str| read_kinds(text, present);
    let of_text = atoms(text);
    let asked = match log_part::named(text, &of_text) {
        Some(part) => log_part::within(&part, (text, &of_text), present, read_kinds),
        None => read_kinds(text).or_else(|| between_two::read(text, read_kinds)),
    }?;
    let asked = match range {
        Some(range) => range.restored(asked)?,
        None if both.is_some() => both_ends::restored(asked)?,
        None => asked,
    };
    let is_one = matches!(asked.taken, Taken::Nth(Nth { nth: 1, .. }));
    (first_of_two.is_none() || is_one).then_some(asked)
}

/// Reads what is asked of events of one kind, or of several.
fn read_kinds(text: &str, present: &Present<'_>) -> Option<OrderQuestion> {
    let read = |text: &str| read(text, present);
    let read_of_one_kind = |text: &str| {
        let closest = || closest::closest(text, present, read);
        if closest::asks_for_closest(text) {
            return closest();
        }
        // "In cycle 150" names no event.
        cycles::during(text, present, read).or_else(|| read(text)).or_else(closest)
    };
    let known = rewording::in_known_words(text);
    // "List the drops, stops and starts": not of one of them.
    let is_of_one =
        |asked: &OrderQuestion| asked.beside.is_some() || !several::names_several(&known);
    let asked = read_of_one_kind(text).filter(is_of_one);
    let asked = asked.or_else(|| several::several(&known, read_of_one_kind));
    asked.or_else(|| several::all_of_a_kind(text, read_of_one_kind))
}

/// Reads what a text asks of one kind of events, on one side of what it names.
fn read(given: &str, present: &Present<'_>) -> Option<OrderQuestion> {
    let text = ordinals::with_hundreds(&ordinals::from_the_end(&cycles::with_begins(given)));
    let text = ordinals::with_ones(&text);
    let text = spellings::without_signs(&idioms::with_minutes(
        &idioms::with_spoken_clocks(&text),
        present,
    ));
    let text = spellings::with_nearest(&rewording::in_known_words(&text));
    let text = spellings::with_moments(&notation::in_one_notation(&text), present);
    let text = idioms::in_plain_words(&text, present);
    let text = corrections::without_taken_back(&text, present);
    let read = slots::read_with_story(&counters::with_changes(&text), present)?;
    let is_change_alone = read.of.became.is_some()
        && (read.beside.is_none() && read.bounds.is_open())
        && !(read.is_counted || read.order.is_some());
    (!is_change_alone || counters::asks_for_change(given)).then_some(read)
}
