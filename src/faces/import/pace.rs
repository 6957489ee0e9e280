use super::ImportError;
use robot_memory_core::model::Stamp;
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two looks of who watches.
const LOOK: Duration = Duration::from_millis(200);

/// How an import went, or how far it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::faces) struct Pace {
    /// Read.
    pub messages: u64,
    /// To be read, as far as the bag counts them.
    pub expected: u64,
    pub secs: f64,
    /// Seconds of the bag that were read.
    pub bag_secs: f64,
}

impl Pace {
    pub fn messages_per_sec(&self) -> f64 {
        self.messages as f64 / self.secs.max(1e-6)
    }

    /// Seconds of the bag in a second.
    pub fn times_real_time(&self) -> f64 {
        self.bag_secs / self.secs.max(1e-6)
    }
}

/// Who watches an import.
pub(in crate::faces) trait Watch {
    /// A bag was opened; the time from its first message to its last.
    fn begin(&mut self, path: &Path, span: Option<(Stamp, Stamp)>);

    /// Looks how far it is, a few times a second. Answers whether it goes on.
    fn look(&mut self, pace: Pace) -> bool;

    /// All was read, and what came of it is stored.
    fn end(&mut self);
}

/// How far an import is.
pub(super) struct Progress<'a> {
    watch: &'a mut dyn Watch,
    begun: Instant,
    looked: Instant,
    expected: u64,
    messages: u64,
    first: Option<Stamp>,
    last: Stamp,
}

impl<'a> Progress<'a> {
    /// Begins with as many messages to come as the bag counts.
    pub fn begin(expected: u64, watch: &'a mut dyn Watch) -> Self {
        let now = Instant::now();
        let (first, last) = (None, Stamp(0));
        Self { watch, begun: now, looked: now, expected, messages: 0, first, last }
    }

    /// One more message was read.
    ///
    /// # Errors
    /// As [`look`](Self::look).
    pub fn message(&mut self, log_time: Stamp) -> Result<(), ImportError> {
        self.first.get_or_insert(log_time);
        self.last = log_time;
        self.messages += 1;
        self.look()
    }

    /// Shows how far it is, when it was not shown for a while.
    ///
    /// # Errors
    /// [`ImportError::Stopped`] when it is not to go on.
    pub fn look(&mut self) -> Result<(), ImportError> {
        if self.looked.elapsed() < LOOK {
            return Ok(());
        }
        self.looked = Instant::now();
        let pace = self.pace();
        if self.watch.look(pace) { Ok(()) } else { Err(ImportError::Stopped) }
    }

    pub fn pace(&self) -> Pace {
        let bag_nanos = self.first.map_or(0, |first| self.last.0.saturating_sub(first.0));
        Pace {
            messages: self.messages,
            expected: self.expected,
            secs: self.begun.elapsed().as_secs_f64(),
            bag_secs: bag_nanos as f64 / 1e9,
        }
    }

    /// All was read, and what came of it is stored.
    pub fn all_read(&mut self) {
        self.watch.end();
    }
}
