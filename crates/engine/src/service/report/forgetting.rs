//! How much is left of what fades, and what is archived next.

use crate::operations::fade::born_at;
use robot_memory_core::api::ArchivedNext;
use robot_memory_core::limits::REPORT_NEXT_MAX;
use robot_memory_core::model::{MemType, Stamp};
use robot_memory_db::ReportedMemory;
use robot_memory_index::ranking::ForgettingCurve;
use std::collections::BinaryHeap;

/// Bars of the histogram.
const BARS: usize = 20;
/// Days ahead for which it is told how many fall below the bound.
const AHEAD_DAYS: [f64; 2] = [7.0, 30.0];

/// What fades, while all memories are looked at.
pub struct Forgetting {
    now: Option<Stamp>,
    bound: f64,
    bars: Vec<u64>,
    within: [u64; 2],
    /// Those that fall below the bound first, the last of them on top.
    next: BinaryHeap<Falling>,
}

/// A memory that falls below the bound; in the order in which they do.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Falling {
    at: Stamp,
    memory_id: i64,
    mem_type: MemType,
    /// Millionths: it must have an order.
    retention_millionths: u32,
}

impl Forgetting {
    /// Now, with this bound of archiving; without a time nothing is known to fade.
    pub fn at(now: Option<Stamp>, bound: f64) -> Self {
        Self { now, bound, bars: vec![0; BARS], within: [0; 2], next: BinaryHeap::new() }
    }

    /// Takes an active memory in.
    pub fn see(&mut self, row: &ReportedMemory<'_>) {
        let curve =
            ForgettingCurve::of(row.mem_type, row.category, row.importance, row.access_count);
        let (Some(now), Some(curve)) = (self.now, curve) else { return };
        let born = born_at(row.created_at, row.restored_at, row.known_at);
        let retention = curve.retention(now.days_since(born));
        let bar = (retention * BARS as f64) as usize;
        self.bars[bar.min(BARS - 1)] += 1;
        if self.bound <= 0.0 {
            return;
        }
        let Some(age_days) = curve.age_below(self.bound) else { return };
        let at = born.plus_days(age_days);
        for (within, days) in self.within.iter_mut().zip(AHEAD_DAYS) {
            *within += u64::from(at <= now.plus_days(days));
        }
        let falling = Falling {
            at,
            memory_id: row.id,
            mem_type: row.mem_type,
            retention_millionths: (retention * 1e6) as u32,
        };
        if self.next.len() < REPORT_NEXT_MAX {
            self.next.push(falling);
        } else if let Some(mut last) = self.next.peek_mut()
            && falling < *last
        {
            *last = falling;
        }
    }

    /// Memories that fade by retention, from 0 to 1.
    pub fn histogram(&self) -> Vec<u64> {
        self.bars.clone()
    }

    /// Those that fall below the bound soon.
    pub fn within(&self) -> [u64; 2] {
        self.within
    }

    /// The first of them.
    pub fn next(self) -> Vec<ArchivedNext> {
        let sorted = self.next.into_sorted_vec().into_iter();
        sorted
            .map(|falling| ArchivedNext {
                memory_id: falling.memory_id,
                mem_type: falling.mem_type,
                retention: f64::from(falling.retention_millionths) / 1e6,
                at: falling.at,
            })
            .collect()
    }
}
