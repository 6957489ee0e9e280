use super::{Scope, ScopeKind, quoted, text_enum};
use crate::record::record;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

text_enum! {
    /// What a job does.
    JobType {
        /// Takes memories out of a finished step.
        IngestTurn = "ingest_turn",
        /// Makes one long summary of many short ones.
        CompactMacro = "compact_macro",
        /// Looks after the memories of a scope, or of each scope after the other.
        Maintenance = "maintenance",
        /// Indexes and orders the memories of one scope anew.
        RebuildScope = "rebuild_scope",
        /// Fills in missing vectors.
        Embed = "embed",
        /// Remembers what happened in a recorded bag.
        Import = "import",
        /// Writes a verified copy of the store.
        Backup = "backup",
    }
}

text_enum! {
    /// Where a job is on its way.
    JobStatus {
        /// Waits for a worker.
        Pending = "pending",
        /// A worker has taken it.
        Leased = "leased",
        /// A worker does it.
        Running = "running",
        /// It failed, and waits to be tried again.
        RetryWaiting = "retry_waiting",
        /// Done.
        Succeeded = "succeeded",
        /// It failed for good; RetryJob begins anew.
        DeadLetter = "dead_letter",
        /// Taken out of the queue, or stopped.
        Cancelled = "cancelled",
    }
}

impl JobStatus {
    /// Whether nothing more happens to it by itself.
    pub const fn is_finished(self) -> bool {
        matches!(self, Self::Succeeded | Self::DeadLetter | Self::Cancelled)
    }

    /// Whether a worker has it.
    pub const fn is_held(self) -> bool {
        matches!(self, Self::Leased | Self::Running)
    }
}

/// Which memories a job is about: a scope, or the whole store (`all`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum JobScope {
    /// One scope.
    Of(Scope),
    /// Every scope.
    All,
}

impl JobScope {
    /// How the whole store is spelled.
    pub const ALL: &'static str = "all";

    /// What kind of scope it is, as it is spelled.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Of(scope) => scope.kind().as_str(),
            Self::All => Self::ALL,
        }
    }

    /// Which one of its kind; empty for those that stand alone. A branch is a JSON array of its session
    /// and its name.
    pub fn id(&self) -> String {
        match self {
            Self::Of(scope) => scope.id(),
            Self::All => String::new(),
        }
    }

    /// Reads the two parts.
    ///
    /// # Errors
    /// When they name no scope; the text says which part and why.
    pub fn parse(kind: &str, id: &str) -> Result<Self, String> {
        if kind == Self::ALL {
            return if id.is_empty() {
                Ok(Self::All)
            } else {
                Err(format!("scope_id: {kind} stands alone, got {}", quoted(id)))
            };
        }
        if ScopeKind::spelled(kind).is_none() {
            let kinds = ScopeKind::spellings();
            return Err(format!("scope: must be one of {kinds}, all, got {}", quoted(kind)));
        }
        let text = if id.is_empty() { kind.to_owned() } else { format!("{kind}:{id}") };
        Scope::parse(&text).map(Self::Of).map_err(|error| format!("scope_id: {error}"))
    }
}

/// Its two parts.
impl Serialize for JobScope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut parts = serializer.serialize_struct("JobScope", 2)?;
        parts.serialize_field("scope", self.kind())?;
        parts.serialize_field("scope_id", &self.id())?;
        parts.end()
    }
}

impl Display for JobScope {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(scope) => scope.fmt(f),
            Self::All => f.write_str(Self::ALL),
        }
    }
}

/// How far a job has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct JobProgress {
    /// What it is at, in a word or two; empty before it began.
    pub step: String,
    /// Of that step, how much is done.
    pub done: u64,
    /// And how much there is; 0 when that is not known.
    pub total: u64,
}

/// Work that no caller waits for. Times are milliseconds of the machine's clock since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Job {
    /// Greater than 0, never used again.
    pub id: i64,
    /// Which memories it is about. Jobs of one scope are done one after the other.
    #[serde(flatten)]
    pub scope: JobScope,
    /// What it does.
    pub job_type: JobType,
    /// Where it is on its way.
    pub status: JobStatus,
    /// The step that it belongs to; empty when none.
    pub turn_id: String,
    /// The revision of the scope on which its work is based: at first that at which it was queued, then
    /// that at which it was last begun.
    pub based_on_revision: i64,
    /// JSON object: what it needs to know.
    #[cfg_attr(feature = "schema", schema(value_type = serde_json::Value))]
    #[serde(serialize_with = "crate::json::stored")]
    pub payload: String,
    /// JSON object: what came of it; empty before it succeeded.
    #[cfg_attr(feature = "schema", schema(value_type = serde_json::Value))]
    #[serde(serialize_with = "crate::json::stored")]
    pub result: String,
    /// How far it has come.
    #[serde(flatten)]
    pub progress: JobProgress,
    /// How often it was begun since it was queued or retried.
    pub attempt_count: u32,
    /// How often it is begun at most.
    pub max_attempts: u32,
    /// Not begun before.
    #[cfg_attr(feature = "schema", schema(value_type = crate::model::Stamp))]
    #[serde(serialize_with = "crate::json::millis")]
    pub available_at: i64,
    /// Which worker has it; empty when none.
    pub lease_owner: String,
    /// Until when it has it, unless it renews its lease.
    #[cfg_attr(feature = "schema", schema(value_type = Option<crate::model::Stamp>))]
    #[serde(serialize_with = "crate::json::millis")]
    pub lease_until: Option<i64>,
    /// Why the last attempt failed; empty when none did.
    pub last_error: String,
    /// Whose request queued it; empty for the operator, and for the node itself.
    pub agent: String,
    /// When it was queued.
    #[cfg_attr(feature = "schema", schema(value_type = crate::model::Stamp))]
    #[serde(serialize_with = "crate::json::millis")]
    pub created_at: i64,
    /// When anything of it last changed.
    #[cfg_attr(feature = "schema", schema(value_type = crate::model::Stamp))]
    #[serde(serialize_with = "crate::json::millis")]
    pub updated_at: i64,
    /// When it succeeded, was given up or was cancelled.
    #[cfg_attr(feature = "schema", schema(value_type = Option<crate::model::Stamp>))]
    #[serde(serialize_with = "crate::json::millis")]
    pub finished_at: Option<i64>,
}

/// A job that went from one state to another, as it is told to those who listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobChange {
    /// As it is now.
    pub job: Job,
    /// Where it was before; `None`: it is new.
    pub before: Option<JobStatus>,
}

record! {
    /// What is known of a scope's jobs. Times are milliseconds of the machine's clock since 1970.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct ScopeState {
        /// Which memories.
        #[serde(flatten)]
        pub scope: JobScope as split scope_id,
        /// Rises with each job that was done.
        pub revision: i64,
        /// Which worker is at it; empty when none.
        pub lease_owner: String,
        /// Until when.
        #[cfg_attr(feature = "schema", schema(value_type = Option<crate::model::Stamp>))]
        #[serde(serialize_with = "crate::json::millis")]
        pub lease_until: Option<i64> as flagged has_lease_until,
        /// The greatest number of a turn that was taken in.
        pub last_processed_turn_no: Option<u32> as flagged has_last_processed_turn_no,
        /// When summaries were last compacted.
        #[cfg_attr(feature = "schema", schema(value_type = Option<crate::model::Stamp>))]
        #[serde(serialize_with = "crate::json::millis")]
        pub last_compaction_at: Option<i64> as flagged has_last_compaction_at,
        /// When any of this last changed.
        #[cfg_attr(feature = "schema", schema(value_type = crate::model::Stamp))]
        #[serde(serialize_with = "crate::json::millis")]
        pub updated_at: i64,
    }
}
