//! How many calls there were of each operation, how they ended, and how long they took.

use robot_memory_core::api::{self, ErrorKind, Operation};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Upper bounds of the buckets of durations, in seconds: from a search in memory to a call that is given up.
pub(super) const BUCKETS_SECS: [f64; 14] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];
/// Of those that take longer than any of them.
const BUCKETS: usize = BUCKETS_SECS.len() + 1;
/// Done, each kind of error, and left by its caller before it was answered.
const VERDICTS: usize = 9;
const OK: usize = 0;
const ABANDONED: usize = VERDICTS - 1;

/// Which way a call came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Face {
    /// A service.
    #[cfg(feature = "ros")]
    Ros,
    /// HTTP, also the tools of MCP.
    Http,
}

impl Face {
    /// All that this program has.
    const ALL: &[Self] = &[
        #[cfg(feature = "ros")]
        Self::Ros,
        Self::Http,
    ];

    /// As it is told.
    pub const fn as_str(self) -> &'static str {
        match self {
            #[cfg(feature = "ros")]
            Self::Ros => "ros",
            Self::Http => "http",
        }
    }
}

/// The calls of each operation that came each way.
#[derive(Debug)]
pub(super) struct CallCounts(BTreeMap<(Face, &'static str), Arc<OperationCounts>>);

/// The calls of one operation. They are counted without a lock.
#[derive(Debug, Default)]
pub(super) struct OperationCounts {
    verdicts: [AtomicU64; VERDICTS],
    buckets: [AtomicU64; BUCKETS],
    nanos: AtomicU64,
}

/// What was counted of an operation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Counted {
    pub face: &'static str,
    pub operation: &'static str,
    /// By how they ended.
    pub verdicts: Vec<(&'static str, u64)>,
    /// Calls up to each bound of [`BUCKETS_SECS`], and all of them.
    pub cumulated: [u64; BUCKETS],
    pub seconds: f64,
}

macro_rules! names {
    ($($queue:ident $op:ident $request:tt -> $response:ident $(in $field:ident)?;)+) => {
        [$(api::$op::NAME),+]
    };
}

impl Default for CallCounts {
    fn default() -> Self {
        let names = robot_memory_core::operations!(names);
        let of_face = |face: Face| names.map(|name| ((face, name), Arc::default()));
        Self(Face::ALL.iter().copied().flat_map(of_face).collect())
    }
}

impl CallCounts {
    /// Where calls of this operation are counted.
    pub fn of(&self, face: Face, operation: &'static str) -> Arc<OperationCounts> {
        self.0.get(&(face, operation)).map(Arc::clone).unwrap_or_default()
    }

    /// What was counted of those operations that were called.
    pub fn all(&self) -> impl Iterator<Item = Counted> {
        self.0
            .iter()
            .map(|((face, name), counts)| counts.counted(*face, name))
            .filter(|counted| counted.cumulated.last().is_some_and(|count| *count > 0))
    }
}

impl OperationCounts {
    fn count(&self, verdict: usize, took: Duration) {
        let secs = took.as_secs_f64();
        let bucket = BUCKETS_SECS.iter().take_while(|bound| secs > **bound).count();
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        self.nanos.fetch_add(nanos, Ordering::Relaxed);
        for counter in [self.verdicts.get(verdict), self.buckets.get(bucket)].into_iter().flatten()
        {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counted(&self, face: Face, operation: &'static str) -> Counted {
        let names = ["ok"]
            .into_iter()
            .chain(ErrorKind::ALL.iter().map(|kind| kind.as_str()))
            .chain(["abandoned"]);
        let counts = self.verdicts.iter().map(|count| count.load(Ordering::Relaxed));
        let mut cumulated = [0; BUCKETS];
        let mut sum = 0;
        for (bucket, count) in cumulated.iter_mut().zip(&self.buckets) {
            sum += count.load(Ordering::Relaxed);
            *bucket = sum;
        }
        Counted {
            face: face.as_str(),
            operation,
            verdicts: names.zip(counts).filter(|(_, count)| *count > 0).collect(),
            cumulated,
            seconds: self.nanos.load(Ordering::Relaxed) as f64 / 1e9,
        }
    }
}

/// A call that is under way. Dropped before it has ended, it was left by whoever waited for it.
#[derive(Debug)]
pub(super) struct CallInProgress {
    counts: Arc<OperationCounts>,
    begun: Instant,
    verdict: usize,
}

impl CallInProgress {
    /// From now on.
    pub fn begin(counts: Arc<OperationCounts>) -> Self {
        Self { counts, begun: Instant::now(), verdict: ABANDONED }
    }

    /// It has ended so: `None`: with an answer.
    pub fn end(mut self, error: Option<ErrorKind>) {
        let place = |kind| ErrorKind::ALL.iter().position(|one| *one == kind);
        self.verdict = error.map_or(OK, |kind| place(kind).map_or(ABANDONED, |place| 1 + place));
    }
}

impl Drop for CallInProgress {
    fn drop(&mut self) {
        self.counts.count(self.verdict, self.begun.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_verdict_for_each_kind_of_error() {
        assert_eq!(VERDICTS, ErrorKind::ALL.len() + 2);
    }

    #[test]
    fn calls_are_counted_by_how_they_ended_and_how_long_they_took() {
        let calls = CallCounts::default();
        let counts = calls.of(Face::Http, "recall");
        for (verdict, millis) in [(OK, 1), (OK, 3), (ABANDONED, 90_000)] {
            counts.count(verdict, Duration::from_millis(millis));
        }
        CallInProgress::begin(calls.of(Face::Http, "learn")).end(Some(ErrorKind::Refused));
        drop(CallInProgress::begin(calls.of(Face::Http, "learn")));
        let all: Vec<Counted> = calls.all().collect();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].operation, all[1].operation), ("learn", "recall"));
        assert_eq!(all[0].verdicts, [("refused", 1), ("abandoned", 1)]);
        assert_eq!(all[1].verdicts, [("ok", 2), ("abandoned", 1)]);
        // Up to half a millisecond, to one, to two and a half, to five; the last one is longer than all.
        assert_eq!(all[1].cumulated[..4], [0, 1, 1, 2]);
        assert_eq!(all[1].cumulated[BUCKETS - 2..], [2, 3]);
        assert!((all[1].seconds - 90.004).abs() < 1e-9);
    }
}
