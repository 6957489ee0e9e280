//! Which events a question means: by what happened, when, and which of several, beside its words.

use super::named_events::words_of;
use crate::{Operations, Result};
use robot_memory_core::model::{Path, Stamp};
use robot_memory_index::{Bitset, Column, Derived, EventNameSet, EventNames, RowSelection, Slot};
use robot_memory_text::inference::{
    AskedOrder, Direction, EventQuestion, PastDays, QueryTerm, asked, class_share, event_classes,
    telling_terms,
};
use std::collections::HashMap;

/// What an event gains that is of the class and subject that are asked for, in the unit of a cosine.
const KIND_GAIN: f64 = 0.3;
/// What it gains besides when it was at the time that is asked for.
const TIME_GAIN: f64 = 0.3;
/// What the first of several in the order that is asked for gains; each after it so much of the one before.
const ORDER_GAIN: f64 = 0.5;
const ORDER_FALL: f64 = 0.7;
/// What another row gains that was stored at that time.
const STORED_THEN_GAIN: f64 = 0.05;
/// What a class weighs beside a word that says of what.
const CLASS_WEIGHT: f64 = 2.0;
/// How much of what was asked an event has at least that is of the class that was asked for: the rest may be
/// said in words that no name has.
const CLASS_SCALE_MIN: f64 = 0.8;
/// Events take part in the order, and are looked at beside those that words and vectors find, whose class and
/// subject fit so much as the best.
const LEADING: f64 = 0.95;
/// So many of them.
const LEADERS_MAX: usize = 40;
/// What the share of an event counts whose level went the other way than was asked for.
const OTHER_WAY: f64 = 0.4;

/// What a level was before and after it changed.
const LEVELS: [&str; 2] = ["event.before", "event.after"];
/// What is compared: of each event the first that it has.
const STRENGTHS: [&str; 8] = [
    "event.peak_force_n",
    "event.peak_acceleration_mps2",
    "event.peak_torque_nm",
    "event.peak_velocity_radps",
    "event.peak",
    "event.loss",
    "event.after",
    "event.difference",
];
const SPEEDS: [&str; 3] =
    ["event.peak_velocity_radps", "event.peak_velocity_mps", "event.rise_rate_nps"];
const DISTANCES: [&str; 2] = ["event.distance_rad", "event.distance_m"];
const DURATIONS: [&str; 1] = ["event.duration_secs"];

/// What a question asks of events, ready to be held against them.
pub(super) struct AskedEvents {
    asked: EventQuestion,
    /// Its words without those for time and for what happened.
    of_what: Vec<QueryTerm>,
    levels: Vec<Path>,
    measures: Vec<Path>,
}

/// How well the allowed events fit a question.
pub(super) struct Fits<'a> {
    derived: &'a Derived,
    of: &'a AskedEvents,
    names: &'a EventNames,
    levels: Vec<&'a Column>,
    /// Allowed events whose level went the other way than was asked for.
    other_way: Bitset,
    /// How much of what was asked names have, by their codes, unscaled.
    shares: HashMap<u32, f64>,
    /// The best share of any allowed event.
    best: f64,
    /// How much of what was asked the best has, 0 to 1.
    scale: f64,
    /// What the first in the asked order gain.
    order_gains: HashMap<Slot, f64>,
    /// Events that fit best, and are to be looked at.
    pub leaders: Vec<Slot>,
}

impl Operations {
    /// What a question asks of events; `None` when it asks of none, or when there are none.
    pub(super) fn asked_events(&self, query: &str) -> Result<Option<AskedEvents>> {
        let last = self.store.read(|tx| tx.last_stored_event())?.map(Stamp);
        let Some(last) = last else { return Ok(None) };
        let now = self.clock.now().map(|now| (now, &self.config.maintenance.time_zone));
        // What was stored last is what is most likely asked about, as a bag that was imported.
        let past = now.and_then(|now| PastDays::of((last, last), now));
        let asked = asked(query, now, past);
        if !asked.is_of_the_past && asked.classes.is_empty() {
            return Ok(None);
        }
        let paths =
            |texts: &[&str]| texts.iter().filter_map(|text| Path::parse(text).ok()).collect();
        let measures: &[&str] = match asked.order {
            Some(AskedOrder::Strongest | AskedOrder::Weakest) => &STRENGTHS,
            Some(AskedOrder::Fastest) => &SPEEDS,
            Some(AskedOrder::Farthest) => &DISTANCES,
            Some(AskedOrder::Longest | AskedOrder::Shortest) => &DURATIONS,
            Some(AskedOrder::First | AskedOrder::Last) | None => &[],
        };
        let levels: &[&str] = if asked.direction.is_some() { &LEVELS } else { &[] };
        Ok(Some(AskedEvents {
            of_what: telling_terms(&asked.of_what, &self.synonyms),
            levels: paths(levels),
            measures: paths(measures),
            asked,
        }))
    }
}

impl AskedEvents {
    /// What was read.
    pub fn asked(&self) -> &EventQuestion {
        &self.asked
    }

    /// The paths of contexts that it needs columns of.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.levels.iter().chain(&self.measures)
    }

    /// How well the allowed events fit; `None` when there are none, or no room for what tells it.
    pub fn fits<'a>(&'a self, derived: &'a Derived, allowed: &Bitset) -> Option<Fits<'a>> {
        let columns = |paths: &[Path]| -> Option<Vec<&'a Column>> {
            paths.iter().map(|path| derived.columns.get(path)).collect()
        };
        let names = derived.event_names()?;
        let mut events = allowed.clone();
        names.retain_events(&mut events);
        if events.is_empty() {
            return None;
        }
        let mut fits = Fits {
            derived,
            of: self,
            names,
            levels: columns(&self.levels)?,
            other_way: Bitset::default(),
            shares: names.sets().map(|(code, names)| (code, self.share(&names))).collect(),
            best: 0.0,
            scale: 0.0,
            order_gains: HashMap::new(),
            leaders: Vec::new(),
        };
        fits.other_way = fits.with_other_way(&events);
        let groups = fits.groups();
        fits.best = fits.best_of(&groups, &events);
        fits.scale = fits.scale();
        fits.lead(&groups, events, &columns(&self.measures)?);
        Some(fits)
    }

    /// How much of a question's words and classes the names of an event have, unscaled.
    fn share(&self, names: &EventNameSet) -> f64 {
        let others = || names.iter().skip(1).flatten();
        let class = if self.asked.classes.is_empty() {
            0.0
        } else {
            let trigger = names[0].as_deref().unwrap_or_default();
            let others: Vec<&str> = others().map(String::as_str).collect();
            CLASS_WEIGHT * class_share(&self.asked.classes, &event_classes(trigger, &others))
        };
        if self.of_what.is_empty() {
            return class;
        }
        let words = words_of(others());
        let found = self.of_what.iter().map(|term| {
            let has = |tokens: &[String]| tokens.iter().all(|token| words.contains(token));
            let ways = term.alternatives.iter().filter(|way| has(&way.tokens));
            term.weight * ways.map(|way| way.weight).fold(0.0, f64::max)
        });
        class + found.sum::<f64>()
    }
}

/// Events that fit equally, whose level went the same way.
struct Group {
    share: f64,
    is_other_way: bool,
    /// Of their names.
    codes: Vec<u32>,
}

impl Fits<'_> {
    /// Those of some events whose level went the other way than was asked for.
    fn with_other_way(&self, events: &Bitset) -> Bitset {
        let Some(level) = self.levels.first() else { return Bitset::default() };
        let mut rows = events.clone();
        level.retain_numbers(&mut rows);
        rows.retain(|slot| self.went_other_way(slot));
        rows
    }

    /// What events may have in common, the highest share first.
    fn groups(&self) -> Vec<Group> {
        let mut by_share: Vec<(f64, u32)> =
            self.shares.iter().map(|(&code, &share)| (share, code)).collect();
        by_share.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut groups = Vec::new();
        for equal in by_share.chunk_by(|a, b| a.0 == b.0) {
            let codes: Vec<u32> = equal.iter().map(|(_, code)| *code).collect();
            let share = equal[0].0;
            if !self.other_way.is_empty() {
                let (share, codes) = (OTHER_WAY * share, codes.clone());
                groups.push(Group { share, is_other_way: true, codes });
            }
            groups.push(Group { share, is_other_way: false, codes });
        }
        groups.sort_by(|a, b| b.share.total_cmp(&a.share));
        groups
    }

    /// Those of some events that are of a group.
    fn rows(&self, group: &Group, of: &Bitset) -> Bitset {
        let mut rows = self.names.rows(group.codes.iter().copied(), of);
        if group.is_other_way {
            rows.intersect_with(&self.other_way);
        } else {
            rows.subtract(&self.other_way);
        }
        rows
    }

    /// The best share of some events.
    fn best_of(&self, groups: &[Group], events: &Bitset) -> f64 {
        let mut fitting = groups.iter().take_while(|group| group.share > 0.0);
        let best = fitting.find(|group| !self.rows(group, events).is_empty());
        best.map_or(0.0, |group| group.share)
    }

    /// How much of what was asked the best share is.
    fn scale(&self) -> f64 {
        let of_words = self.of.of_what.iter().filter(|term| term.weight >= 1.0);
        let whole: f64 = of_words.map(|term| term.weight).sum();
        let class = if self.of.asked.classes.is_empty() { 0.0 } else { CLASS_WEIGHT };
        match whole + class {
            // It asks of nothing in particular.
            0.0 => 1.0,
            all if class > 0.0 && self.best >= class => {
                (self.best / all).clamp(CLASS_SCALE_MIN, 1.0)
            }
            all => (self.best / all).min(1.0),
        }
    }

    /// Finds the events that fit best, and of these the first in the order that is asked for.
    fn lead(&mut self, groups: &[Group], events: Bitset, measures: &[&Column]) {
        let mut then = self.of.asked.span.map_or_else(Bitset::default, |span| {
            let (since, until) = (Some(span.from), Some(span.until));
            self.derived.rows.allowed(&RowSelection { since, until, ..RowSelection::default() })
        });
        then.intersect_with(&events);
        let best_then = self.best_of(groups, &then);
        let is_then_enough = !then.is_empty() && best_then >= 0.5 * self.best;
        let (field, best) = if is_then_enough { (then, best_then) } else { (events, self.best) };
        let mut leading = Bitset::default();
        if best > 0.0 {
            for group in groups.iter().take_while(|group| group.share >= LEADING * best) {
                leading.union_with(&self.rows(group, &field));
            }
        } else {
            leading = field;
        }
        let rows = &self.derived.rows;
        self.leaders = match self.of.asked.order {
            Some(AskedOrder::First) => rows.oldest(&leading, LEADERS_MAX),
            Some(AskedOrder::Last) | None => rows.newest(&leading, LEADERS_MAX),
            Some(order) => {
                let is_least = matches!(order, AskedOrder::Weakest | AskedOrder::Shortest);
                self.measured(&leading, measures, is_least)
            }
        };
        if self.of.asked.order.is_some() {
            let gains = (0..).map(|place| ORDER_GAIN * ORDER_FALL.powi(place));
            self.order_gains = self.leaders.iter().copied().zip(gains).collect();
        }
    }

    /// The first of some events in order of what was measured, each beside those of the same measure; without those
    /// of which nothing is known.
    fn measured(&self, events: &Bitset, measures: &[&Column], is_least: bool) -> Vec<Slot> {
        let value = |slot| {
            let mut found = measures.iter().enumerate();
            found.find_map(|(which, column)| Some((which, column.double(slot)?.abs())))
        };
        let mut with_any = Bitset::default();
        for column in measures {
            let mut rows = events.clone();
            column.retain_numbers(&mut rows);
            with_any.union_with(&rows);
        }
        let mut known: Vec<(Slot, Stamp, usize, f64)> = with_any
            .iter()
            .filter_map(|slot| {
                let (which, value) = value(slot)?;
                Some((slot, self.at(slot)?, which, value))
            })
            .collect();
        // Newtons and radians are not compared: each is held against the most of its own.
        let mut most = vec![0.0_f64; measures.len()];
        for (_, _, which, value) in &known {
            most[*which] = most[*which].max(*value);
        }
        for (_, _, which, value) in &mut known {
            if most[*which] > 0.0 {
                *value /= most[*which];
            }
        }
        known.sort_by(|a, b| {
            let by_value = if is_least { a.3.total_cmp(&b.3) } else { b.3.total_cmp(&a.3) };
            by_value.then(b.1.cmp(&a.1)).then(a.0.cmp(&b.0))
        });
        known.into_iter().map(|(slot, ..)| slot).take(LEADERS_MAX).collect()
    }

    /// What a row gains by what it tells of, by its time, and by its place in the asked order.
    pub fn gain(&self, slot: Slot) -> f64 {
        let is_then = self.is_then(slot);
        let share = self.names.code(slot).map_or(0.0, |code| self.relative(code, slot));
        if share == 0.0 {
            return if is_then { STORED_THEN_GAIN } else { 0.0 };
        }
        let time = if is_then { TIME_GAIN } else { 0.0 };
        let order = self.order_gains.get(&slot).copied().unwrap_or_default();
        self.scale * share * (KIND_GAIN + time + order)
    }

    /// The share beside the best one.
    fn relative(&self, code: u32, slot: Slot) -> f64 {
        let is_of_nothing = self.of.asked.classes.is_empty() && self.of.of_what.is_empty();
        match self.best {
            _ if is_of_nothing => 1.0,
            0.0 => 0.0,
            best => self.share(code, slot) / best,
        }
    }

    fn share(&self, code: u32, slot: Slot) -> f64 {
        let share = self.shares.get(&code).copied().unwrap_or_default();
        if self.went_other_way(slot) { OTHER_WAY * share } else { share }
    }

    /// Whether a level went the other way than was asked for.
    fn went_other_way(&self, slot: Slot) -> bool {
        let [before, after] = self.levels[..] else { return false };
        match (before.double(slot), after.double(slot), self.of.asked.direction) {
            (Some(before), Some(after), Some(Direction::Up)) => after < before,
            (Some(before), Some(after), Some(Direction::Down)) => after > before,
            _ => false,
        }
    }

    /// Whether it was at the time that is asked for.
    fn is_then(&self, slot: Slot) -> bool {
        let span = self.of.asked.span;
        span.is_some_and(|span| self.at(slot).is_some_and(|at| span.contains(at)))
    }

    fn at(&self, slot: Slot) -> Option<Stamp> {
        self.derived.rows.created_at(slot)
    }
}
