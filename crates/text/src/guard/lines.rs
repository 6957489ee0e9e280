//! Bounds side by side, so that an action is held against thousands without a look at the memories that
//! they are of.

use super::constraint::{Bound, Constraint};
use robot_memory_core::model::LimitOp;
use std::collections::HashMap;

/// A bound in few bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub id: i64,
    /// In the unit of its kind.
    pub value: f64,
    /// [`Amount::rounded`](crate::inference::Amount::rounded).
    pub rounded: f64,
    /// Which of [`Lines::kinds`].
    pub kind: u32,
    /// Which of the memory's bounds.
    pub bound: u32,
    pub op: LimitOp,
    /// What it is about: [`Bound::names_bits`].
    pub names: u8,
}

/// What bounds have in common by which the parameters are found that they are on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LineKind {
    /// The bound's key.
    pub key: String,
    pub unit: String,
    /// The base unit; empty for plain numbers.
    pub dimension: String,
    /// Whether the size of a number counts, and not its sign.
    pub is_of_size: bool,
}

/// The bounds of some constraints: by id, those of one in their order.
#[derive(Debug, Default)]
pub(super) struct Lines {
    lines: Vec<Line>,
    kinds: Vec<LineKind>,
    /// Bounds of each kind; the place of a kind that has none is used again.
    counts: Vec<usize>,
    places: HashMap<LineKind, u32>,
    unused: Vec<u32>,
}

impl Lines {
    /// Some of a kind may be there that no bound is of.
    pub fn kinds(&self) -> &[LineKind] {
        &self.kinds
    }

    /// Reads them.
    pub fn reader(&self) -> LineReader<'_> {
        LineReader { rest: &self.lines }
    }

    /// Takes in the bounds of a constraint that is not there.
    pub fn put(&mut self, constraint: &Constraint) {
        let id = constraint.id;
        let place = match self.lines.last() {
            Some(last) if last.id > id => self.lines.partition_point(|line| line.id < id),
            _ => self.lines.len(),
        };
        let mut own = Vec::with_capacity(constraint.bounds.len());
        for (bound, number) in constraint.bounds.iter().zip(0..) {
            own.push(Line {
                id,
                value: bound.amount.value(),
                rounded: bound.amount.rounded(),
                kind: self.kind(bound),
                bound: number,
                op: bound.limit.op,
                names: bound.names_bits(),
            });
        }
        self.lines.splice(place..place, own);
    }

    /// Takes out the bounds of a constraint.
    pub fn remove(&mut self, id: i64) {
        let begin = self.lines.partition_point(|line| line.id < id);
        let len = self.lines[begin..].iter().take_while(|line| line.id == id).count();
        for line in self.lines.drain(begin..begin + len) {
            let kind = line.kind as usize;
            self.counts[kind] -= 1;
            if self.counts[kind] == 0 {
                self.places.remove(&self.kinds[kind]);
                self.unused.push(line.kind);
            }
        }
    }

    fn kind(&mut self, bound: &Bound) -> u32 {
        let kind = LineKind {
            key: bound.key.clone(),
            unit: bound.amount.unit().to_owned(),
            dimension: bound.amount.dimension().to_owned(),
            is_of_size: bound.is_of_size,
        };
        let number = match (self.places.get(&kind), self.unused.pop()) {
            (Some(&number), unused) => {
                self.unused.extend(unused);
                number
            }
            (None, Some(number)) => {
                self.kinds[number as usize] = kind.clone();
                self.places.insert(kind, number);
                number
            }
            (None, None) => {
                let number = self.kinds.len() as u32;
                self.kinds.push(kind.clone());
                self.counts.push(0);
                self.places.insert(kind, number);
                number
            }
        };
        self.counts[number as usize] += 1;
        number
    }
}

/// Reads the bounds of constraints whose ids ascend.
pub(super) struct LineReader<'l> {
    rest: &'l [Line],
}

impl<'l> LineReader<'l> {
    /// The bounds of a constraint, none when it has none. What is between it and the one before costs
    /// the logarithm of how much it is.
    pub fn of(&mut self, id: i64) -> &'l [Line] {
        let mut step = 1;
        while self.rest.get(step - 1).is_some_and(|line| line.id < id) {
            self.rest = &self.rest[step..];
            step *= 2;
        }
        let near = &self.rest[..step.min(self.rest.len())];
        let from = &self.rest[near.partition_point(|line| line.id < id)..];
        let len = from.iter().take_while(|line| line.id == id).count();
        let (own, rest) = from.split_at(len);
        self.rest = rest;
        own
    }
}
