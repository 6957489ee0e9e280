//! What of a request may come to be kept.

use super::{
    BackupRequest, CancelJobRequest, CaptureRequest, CheckActionRequest, ClearMemoriesRequest,
    CommitTurnRequest, CompactScopeRequest, CompareRequest, DeleteMemoryRequest, EndSessionRequest,
    ForgetRequest, GetJobRequest, GetMemoryRequest, GetSessionRequest, ImportRequest, LearnRequest,
    ListCollectionsRequest, ListJobsRequest, ListLevelsRequest, ListScopesRequest,
    ListSessionsRequest, MergeBranchRequest, RebuildScopeRequest, RecallRequest, ReportRequest,
    RestoreBackupRequest, RestoreMemoryRequest, RetryJobRequest, RunMaintenanceRequest,
    SavePerceptionRequest, StartSessionRequest, StatsRequest, StatusRequest, UpdateRequest,
};

/// A text as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given<'a> {
    /// Words, a name, a spelling.
    Text(&'a str),
    /// JSON, or what should be.
    Json(&'a str),
}
use Given::{Json, Text};

impl Given<'_> {
    /// As it is written.
    pub fn as_str(&self) -> &str {
        let (Text(text) | Json(text)) = self;
        text
    }
}

/// A request whose texts are looked at before anything is done with it.
pub trait Texts {
    /// Each text that may come to be stored or logged, with the name of its field. Those by which a
    /// request only finds what is there are none.
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)>;
}

// Each request that keeps something is taken apart in full, so that a field that is added to it has
// to be thought of here.

impl Texts for LearnRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self {
            insight,
            context,
            collection,
            session_id,
            turn_id,
            level,
            scope,
            agent,
            source,
            trust,
            mem_type,
            importance: _,
            parent_id: _,
            idempotency_key,
        } = self;
        [
            ("insight", Text(insight)),
            ("context", Json(context)),
            ("collection", Text(collection)),
            ("session_id", Text(session_id)),
            ("turn_id", Text(turn_id)),
            ("level", Text(level)),
            ("scope", Text(scope)),
            ("agent", Text(agent)),
            ("source", Text(source)),
            ("trust", Text(trust)),
            ("mem_type", Text(mem_type)),
            ("idempotency_key", Text(idempotency_key)),
        ]
        .into_iter()
    }
}

impl Texts for SavePerceptionRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self {
            description,
            perception_type,
            data,
            metadata,
            context,
            collection,
            session_id,
            turn_id,
            level,
            scope,
            agent,
            source,
            trust,
            mem_type,
            importance: _,
            parent_id: _,
            idempotency_key,
        } = self;
        [
            ("description", Text(description)),
            ("perception_type", Text(perception_type)),
            ("data", Json(data)),
            ("metadata", Json(metadata)),
            ("context", Json(context)),
            ("collection", Text(collection)),
            ("session_id", Text(session_id)),
            ("turn_id", Text(turn_id)),
            ("level", Text(level)),
            ("scope", Text(scope)),
            ("agent", Text(agent)),
            ("source", Text(source)),
            ("trust", Text(trust)),
            ("mem_type", Text(mem_type)),
            ("idempotency_key", Text(idempotency_key)),
        ]
        .into_iter()
    }
}

impl Texts for UpdateRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { memory_id: _, new_content, context, scope, agent } = self;
        [
            ("new_content", Text(new_content)),
            ("context", Json(context)),
            ("scope", Text(scope)),
            ("agent", Text(agent)),
        ]
        .into_iter()
    }
}

impl Texts for ForgetRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { memory_id: _, reason, scope, agent } = self;
        [("reason", Text(reason)), ("scope", Text(scope)), ("agent", Text(agent))].into_iter()
    }
}

impl Texts for StartSessionRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { collection, context, agent } = self;
        [("collection", Text(collection)), ("context", Json(context)), ("agent", Text(agent))]
            .into_iter()
    }
}

impl Texts for EndSessionRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { session_id, outcome_score: _, agent } = self;
        [("session_id", Text(session_id)), ("agent", Text(agent))].into_iter()
    }
}

impl Texts for DeleteMemoryRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { memory_id: _, scope: _, agent } = self;
        [("agent", Text(agent))].into_iter()
    }
}

impl Texts for ClearMemoriesRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        // A collection may have got its name before a rule was added: then it must go all the more.
        let Self { level: _, collection: _, since: _, until: _, scope: _, agent } = self;
        [("agent", Text(agent))].into_iter()
    }
}

impl Texts for CaptureRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { reason, streams, before_secs: _, after_secs: _, agent } = self;
        let streams = streams.iter().map(|stream| ("streams", Text(stream)));
        [("reason", Text(reason)), ("agent", Text(agent))].into_iter().chain(streams)
    }
}

impl Texts for CommitTurnRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { session_id, branch_id, turn_no: _, turn_id, text, data, agent } = self;
        [
            ("session_id", Text(session_id)),
            ("branch_id", Text(branch_id)),
            ("turn_id", Text(turn_id)),
            ("text", Text(text)),
            ("data", Json(data)),
            ("agent", Text(agent)),
        ]
        .into_iter()
    }
}

impl Texts for MergeBranchRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { session_id, branch_id, into, agent } = self;
        [
            ("session_id", Text(session_id)),
            ("branch_id", Text(branch_id)),
            ("into", Text(into)),
            ("agent", Text(agent)),
        ]
        .into_iter()
    }
}

impl Texts for RebuildScopeRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { scope, scope_id, trigger_turn_id, force_compaction: _, agent } = self;
        job_texts(scope, scope_id, trigger_turn_id, agent)
    }
}

impl Texts for CompactScopeRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { scope, scope_id, trigger_turn_id, force: _, agent } = self;
        job_texts(scope, scope_id, trigger_turn_id, agent)
    }
}

impl Texts for RunMaintenanceRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { mode: _, scope, scope_id, dry_run: _, agent } = self;
        job_texts(scope, scope_id, "", agent)
    }
}

impl Texts for ImportRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { path, collection, agent } = self;
        [("path", Text(path)), ("collection", Text(collection)), ("agent", Text(agent))].into_iter()
    }
}

impl Texts for RestoreMemoryRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { memory_id: _, reason, scope: _, agent } = self;
        [("reason", Text(reason)), ("agent", Text(agent))].into_iter()
    }
}

impl Texts for BackupRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        let Self { agent } = self;
        [("agent", Text(agent))].into_iter()
    }
}

impl Texts for RestoreBackupRequest {
    fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
        // An error says which name was not found.
        let Self { name, agent } = self;
        [("name", Text(name)), ("agent", Text(agent))].into_iter()
    }
}

/// What a queued job keeps of who asked for it.
fn job_texts<'a>(
    scope: &'a str,
    scope_id: &'a str,
    trigger_turn_id: &'a str,
    agent: &'a str,
) -> impl Iterator<Item = (&'static str, Given<'a>)> {
    [
        ("scope", Text(scope)),
        ("scope_id", Text(scope_id)),
        ("trigger_turn_id", Text(trigger_turn_id)),
        ("agent", Text(agent)),
    ]
    .into_iter()
}

/// Nothing of these is kept: they read, or name what is there.
macro_rules! nothing_kept {
    ($($request:ty),+ $(,)?) => {
        $(impl Texts for $request {
            fn texts(&self) -> impl Iterator<Item = (&'static str, Given<'_>)> {
                std::iter::empty()
            }
        })+
    };
}

nothing_kept!(
    CancelJobRequest,
    CheckActionRequest,
    CompareRequest,
    GetJobRequest,
    GetMemoryRequest,
    GetSessionRequest,
    ListCollectionsRequest,
    ListJobsRequest,
    ListLevelsRequest,
    ListScopesRequest,
    ListSessionsRequest,
    RecallRequest,
    ReportRequest,
    RetryJobRequest,
    StatsRequest,
    StatusRequest,
);
