use robot_memory_core::limits::JOB_ATTEMPTS_MAX;
use std::fmt;
use std::sync::Arc;

/// How background jobs are done.
#[derive(Debug, Clone)]
pub struct JobSettings {
    /// The machine's own time: leases are about processes, not about the robot's world.
    pub clock: MachineClock,
    /// Whether somebody works on jobs. Without, they wait, and requests that only make sense with
    /// workers are refused.
    pub has_workers: bool,
    /// How long a worker has a job unless it renews its lease.
    pub lease_millis: i64,
    /// How often a job is begun before it is given up.
    pub attempts_max: u32,
    /// The wait after the first failure; it doubles with each further one.
    pub backoff_base_millis: i64,
    /// The longest wait.
    pub backoff_max_millis: i64,
    /// When short summaries are compacted, and how many.
    pub compaction: CompactionSettings,
}

impl Default for JobSettings {
    fn default() -> Self {
        Self {
            clock: MachineClock::default(),
            has_workers: false,
            lease_millis: 120_000,
            attempts_max: JOB_ATTEMPTS_MAX,
            backoff_base_millis: 1_000,
            backoff_max_millis: 30_000,
            compaction: CompactionSettings::default(),
        }
    }
}

/// When short summaries are compacted, and how many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionSettings {
    /// From so many of them.
    pub count_min: usize,
    /// From so many tokens in all of them.
    pub tokens_min: u64,
    /// When the first and the last are so many steps apart.
    pub turn_gap_min: u32,
    /// So many of the newest stay as they are.
    pub keep_newest: usize,
    /// One long summary is made of so many at least.
    pub sources_min: usize,
    /// And of so many at most, the oldest.
    pub sources_max: usize,
}

impl Default for CompactionSettings {
    fn default() -> Self {
        Self {
            count_min: 12,
            tokens_min: 900,
            turn_gap_min: 12,
            keep_newest: 4,
            sources_min: 3,
            sources_max: 12,
        }
    }
}

/// Milliseconds of the machine's clock since 1970.
#[derive(Clone)]
pub struct MachineClock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl MachineClock {
    /// A clock that answers this.
    pub fn new(now_millis: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(now_millis))
    }

    /// The time now.
    pub fn now_millis(&self) -> i64 {
        (self.0)()
    }
}

impl Default for MachineClock {
    /// That of the operating system.
    #[expect(clippy::disallowed_methods, reason = "the default is the clock of the machine")]
    fn default() -> Self {
        Self::new(|| {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
        })
    }
}

impl fmt::Debug for MachineClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MachineClock")
    }
}
