//! Which events a question means: by what happened, when, and which of several, beside its words.

use crate::{Operations, Result};
use robot_memory_core::model::{Path, Stamp};
use robot_memory_index::{Bitset, Column, Derived, Slot};
use robot_memory_text::inference::{
    self, AskedOrder, Direction, EventQuestion, QueryTerm, asked, class_share, event_classes,
    telling_terms,
};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

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

/// Where in a context the names of an event are.
const NAMES: [&str; 5] =
    ["event.trigger", "event.stream", "event.topic", "event.subject", "event.on"];
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
    names: Vec<Path>,
    levels: Vec<Path>,
    measures: Vec<Path>,
}

/// How well the allowed events fit a question.
pub(super) struct Fits<'a> {
    derived: &'a Derived,
    of: &'a AskedEvents,
    names: Vec<&'a Column>,
    levels: Vec<&'a Column>,
    shares: RefCell<HashMap<Vec<Option<&'a str>>, f64>>,
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
        if !self.store.read(|tx| tx.has_events())? {
            return Ok(None);
        }
        let now = self.clock.now().map(|now| (now, &self.config.maintenance.time_zone));
        let asked = asked(query, now);
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
            names: paths(&NAMES),
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
        self.names.iter().chain(&self.levels).chain(&self.measures)
    }

    /// How well the allowed events fit; `None` when there are none, or no room for what tells it.
    pub fn fits<'a>(&'a self, derived: &'a Derived, allowed: &Bitset) -> Option<Fits<'a>> {
        let columns = |paths: &[Path]| -> Option<Vec<&'a Column>> {
            paths.iter().map(|path| derived.columns.get(path)).collect()
        };
        let names = columns(&self.names)?;
        let mut events = allowed.clone();
        names.first()?.retain_texts(&mut events);
        if events.is_empty() {
            return None;
        }
        let mut fits = Fits {
            derived,
            of: self,
            names,
            levels: columns(&self.levels)?,
            shares: RefCell::default(),
            best: 0.0,
            scale: 0.0,
            order_gains: HashMap::new(),
            leaders: Vec::new(),
        };
        let shares: Vec<(Slot, f64)> = events.iter().map(|slot| (slot, fits.share(slot))).collect();
        fits.weigh(&shares);
        fits.lead(shares, &columns(&self.measures)?);
        Some(fits)
    }

    /// How much of a question's words and classes the names of an event have, unscaled.
    fn share(&self, names: &[Option<&str>]) -> f64 {
        let trigger = names.first().copied().flatten().unwrap_or_default();
        let names: Vec<&str> = names.iter().skip(1).copied().flatten().collect();
        let class = if self.asked.classes.is_empty() {
            0.0
        } else {
            CLASS_WEIGHT * class_share(&self.asked.classes, &event_classes(trigger, &names))
        };
        if self.of_what.is_empty() {
            return class;
        }
        let mut words: BTreeSet<String> = BTreeSet::new();
        for name in names {
            let apart: String = name
                .chars()
                .map(|letter| if letter.is_alphanumeric() { letter } else { ' ' })
                .collect();
            words.extend(inference::tokens(name));
            words.extend(inference::tokens(&apart));
        }
        let found = self.of_what.iter().map(|term| {
            let has = |tokens: &[String]| tokens.iter().all(|token| words.contains(token));
            let ways = term.alternatives.iter().filter(|way| has(&way.tokens));
            term.weight * ways.map(|way| way.weight).fold(0.0, f64::max)
        });
        class + found.sum::<f64>()
    }
}

impl<'a> Fits<'a> {
    /// Finds the best share, and how much of what was asked that is.
    fn weigh(&mut self, shares: &[(Slot, f64)]) {
        self.best = best_of(shares);
        let of_words = self.of.of_what.iter().filter(|term| term.weight >= 1.0);
        let whole: f64 = of_words.map(|term| term.weight).sum();
        let class = if self.of.asked.classes.is_empty() { 0.0 } else { CLASS_WEIGHT };
        self.scale = match whole + class {
            // It asks of nothing in particular.
            0.0 => 1.0,
            all if class > 0.0 && self.best >= class => {
                (self.best / all).clamp(CLASS_SCALE_MIN, 1.0)
            }
            all => (self.best / all).min(1.0),
        };
    }

    /// Finds the events that fit best, and of these the first in the order that is asked for.
    fn lead(&mut self, shares: Vec<(Slot, f64)>, measures: &[&Column]) {
        let then: Vec<(Slot, f64)> =
            shares.iter().copied().filter(|(slot, _)| self.is_then(*slot)).collect();
        let best_then = best_of(&then);
        let is_then_enough = !then.is_empty() && best_then >= 0.5 * self.best;
        let (field, best) = if is_then_enough { (then, best_then) } else { (shares, self.best) };
        let mut leaders: Vec<(Slot, Stamp)> = field
            .into_iter()
            .filter(|(_, share)| *share >= LEADING * best)
            .filter_map(|(slot, _)| Some((slot, self.at(slot)?)))
            .collect();
        match self.of.asked.order {
            Some(AskedOrder::First) => leaders.sort_by_key(|(slot, at)| (*at, *slot)),
            Some(AskedOrder::Last) | None => {
                leaders.sort_by_key(|(slot, at)| std::cmp::Reverse((*at, *slot)));
            }
            Some(order) => {
                let is_least = matches!(order, AskedOrder::Weakest | AskedOrder::Shortest);
                leaders = measured(leaders, measures, is_least);
            }
        }
        if self.of.asked.order.is_some() {
            let gains = (0..).map(|place| ORDER_GAIN * ORDER_FALL.powi(place));
            let ranked = leaders.iter().map(|(slot, _)| *slot).zip(gains);
            self.order_gains = ranked.take(LEADERS_MAX).collect();
        }
        self.leaders = leaders.into_iter().map(|(slot, _)| slot).take(LEADERS_MAX).collect();
    }

    /// What a row gains by what it tells of, by its time, and by its place in the asked order.
    pub fn gain(&self, slot: Slot) -> f64 {
        let is_then = self.is_then(slot);
        let is_event = self.names.first().is_some_and(|triggers| triggers.text(slot).is_some());
        let share = if is_event { self.relative(slot) } else { 0.0 };
        if share == 0.0 {
            return if is_then { STORED_THEN_GAIN } else { 0.0 };
        }
        let time = if is_then { TIME_GAIN } else { 0.0 };
        let order = self.order_gains.get(&slot).copied().unwrap_or_default();
        self.scale * share * (KIND_GAIN + time + order)
    }

    /// The share beside the best one.
    fn relative(&self, slot: Slot) -> f64 {
        let is_of_nothing = self.of.asked.classes.is_empty() && self.of.of_what.is_empty();
        match self.best {
            _ if is_of_nothing => 1.0,
            0.0 => 0.0,
            best => self.share(slot) / best,
        }
    }

    fn share(&self, slot: Slot) -> f64 {
        let names: Vec<Option<&'a str>> =
            self.names.iter().map(|column| column.text(slot)).collect();
        let known = self.shares.borrow().get(&names).copied();
        let share = known.unwrap_or_else(|| {
            let share = self.of.share(&names);
            self.shares.borrow_mut().insert(names, share);
            share
        });
        share * self.direction(slot)
    }

    /// 1.0, or less for a level that went the other way.
    fn direction(&self, slot: Slot) -> f64 {
        const OTHER_WAY: f64 = 0.4;
        let [before, after] = self.levels[..] else { return 1.0 };
        match (before.double(slot), after.double(slot), self.of.asked.direction) {
            (Some(before), Some(after), Some(Direction::Up)) if after < before => OTHER_WAY,
            (Some(before), Some(after), Some(Direction::Down)) if after > before => OTHER_WAY,
            _ => 1.0,
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

fn best_of(shares: &[(Slot, f64)]) -> f64 {
    shares.iter().map(|(_, share)| *share).fold(0.0, f64::max)
}

/// Events in order of what was measured, each beside those of the same measure; without those of which
/// nothing is known.
fn measured(
    leaders: Vec<(Slot, Stamp)>,
    measures: &[&Column],
    is_least: bool,
) -> Vec<(Slot, Stamp)> {
    let mut known: Vec<(Slot, Stamp, usize, f64)> = leaders
        .into_iter()
        .filter_map(|(slot, at)| {
            let mut found = measures.iter().enumerate();
            let (which, value) =
                found.find_map(|(which, column)| Some((which, column.double(slot)?)))?;
            Some((slot, at, which, value.abs()))
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
    known.into_iter().map(|(slot, at, ..)| (slot, at)).collect()
}
