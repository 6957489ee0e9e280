use super::{KeyCount, StatusResponse, operation};
use crate::model::{JobStatus, JobType, Kind, MemType, Stamp};
use crate::record::request;

operation!(
    /// Gather what a report of the whole store shows, for its operator.
    Report, "report", ReportRequest => ReportResponse
);

request! {
    /// How far it looks back.
    pub struct ReportRequest {
        /// Days before now that charts over time, tasks and places show; 0: all there are.
        pub days: u32,
        /// Days begin when it is midnight so many seconds ahead of UTC.
        pub utc_offset_secs: i32,
    }
}

/// What a report shows. Texts that callers gave (names of tasks, of collections) are as they were given.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportResponse {
    /// How the memory is doing, as the operator sees it.
    pub status: StatusResponse,
    /// When it was made; `None` while the time is not known.
    pub made_at: Option<Stamp>,
    /// When the first and the last of all memories were made.
    pub span: Option<(Stamp, Stamp)>,
    /// The times that the charts over time have.
    pub periods: Periods,
    /// Memories of any status that were made, a number for each period.
    pub stored: Vec<(Kind, Vec<u64>)>,
    /// Memories that were archived, in each period.
    pub archived: Vec<u64>,
    /// Sessions that were begun, in each period.
    pub sessions: Vec<u64>,
    /// Sessions of any time.
    pub session_count: u64,
    /// Active memories by collection, the greatest of them.
    pub collections: Vec<KeyCount>,
    /// What became of tasks, those with the most attempts first.
    pub tasks: Vec<TaskFigures>,
    /// Tasks that are not among them.
    pub more_tasks: u64,
    /// Where memories are, by map, those with the most first.
    pub maps: Vec<MapFigures>,
    /// Maps that are not among them.
    pub more_maps: u64,
    /// Active memories by confidence, from 0 to 1.
    pub confidence: Vec<u64>,
    /// Active memories that fade, by retention, from 0 to 1.
    pub retention: Vec<u64>,
    /// Retention below which weekly maintenance archives.
    pub archive_retention_min: f64,
    /// What is archived next unless it is recalled, the first first.
    pub archived_next: Vec<ArchivedNext>,
    /// Memories that fade below that bound in the next 7 and 30 days.
    pub archived_within: [u64; 2],
    /// Pairs that contradict each other and that no rule settles, the first of them.
    pub conflicts: Vec<ConflictPair>,
    /// The last runs of maintenance, the newest first.
    pub maintenance: Vec<MaintenanceRun>,
    /// Jobs by type and status.
    pub jobs: Vec<(JobType, JobStatus, u64)>,
    /// Jobs that failed for good, the newest of them first.
    pub dead_letters: Vec<DeadLetter>,
    /// What was left out, for a person; empty when nothing was.
    pub notes: Vec<String>,
}

/// Periods of equal length, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Periods {
    /// The first day of the first, counted from 1970-01-01.
    pub first_day: i64,
    /// How many days each has; 0: there is none.
    pub days: u32,
    /// How many there are.
    pub count: usize,
}

/// What became of one task on one object.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct TaskFigures {
    /// `context.task.name`.
    pub task: String,
    /// `context.task.object`, or empty.
    pub object: String,
    pub success_count: u64,
    pub failure_count: u64,
    /// Share that succeeded, with the 95 % interval of Wilson; 0 to 1 each.
    pub rate: f64,
    pub rate_low: f64,
    pub rate_high: f64,
    /// Successes and failures in each period.
    pub by_period: Vec<(u64, u64)>,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It succeeded.
    Success,
    /// It failed.
    Failure,
    /// It is not known, or it was none.
    Unknown,
}

/// What lies on one map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapFigures {
    /// `context.spatial.map_id`, or empty.
    pub map_id: String,
    /// `context.spatial.frame`, or empty.
    pub frame: String,
    /// Active memories on it.
    pub count: u64,
    /// Metres from the least to the greatest x, and y, of what is shown.
    pub bounds_m: [(f64, f64); 2],
    /// Side of a cell in metres; 0: each mark is one memory.
    pub cell_m: f64,
    /// What is drawn: x and y in metres (of a cell: its center), and how many ended how.
    pub marks: Vec<MapMark>,
    /// Memories so far out that they are not shown.
    pub outside_count: u64,
}

/// A memory, or those of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapMark {
    /// Metres.
    pub x_m: f64,
    /// Metres.
    pub y_m: f64,
    /// By outcome: success, failure, unknown.
    pub counts: [u64; 3],
}

/// When a memory falls below the bound of archiving.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct ArchivedNext {
    pub memory_id: i64,
    /// Its life cycle class.
    pub mem_type: MemType,
    /// Its retention now, 0 to 1.
    pub retention: f64,
    /// When; in the past, when maintenance has not been there since.
    pub at: Stamp,
}

/// Two memories that contradict each other.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictPair {
    /// Both.
    pub memory_ids: [i64; 2],
    /// In what they differ.
    pub reason: String,
    /// `rules` or `chat`.
    pub judged_by: String,
    /// When it was found.
    pub judged_at: Stamp,
}

/// A run of maintenance.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct MaintenanceRun {
    pub job_id: i64,
    /// `daily` or `weekly`.
    pub mode: String,
    /// One scope, or `all`.
    pub scope: String,
    pub began_at: Stamp,
    /// When it ended; `None`: it has not.
    pub ended_at: Option<Stamp>,
    /// Its report, JSON; empty until it ended.
    pub report: String,
}

/// A job that failed for good.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetter {
    pub job_id: i64,
    /// What it does.
    pub job_type: JobType,
    /// On which scope.
    pub scope: String,
    /// Why it failed the last time.
    pub last_error: String,
    /// When it was given up, on the machine's clock.
    pub finished_at: Stamp,
}
