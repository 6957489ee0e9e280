//! The verbs: what can be asked of the engine, in plain types.
//!
//! Each face (`.srv`, JSON, flags) spells these types. Texts that are empty, arrays without
//! elements and `None` mean "not given".

mod adopt;
mod backup;
mod begin_attempt;
mod brief;
mod capture;
mod check_action;
mod clear_memories;
mod commit_turn;
mod compare;
mod delete_memory;
mod end_attempt;
mod end_session;
mod error;
mod export;
mod forget;
mod get_memory;
mod hit;
mod jobs;
mod learn;
mod lessons;
mod lists;
mod locate;
mod maintenance;
mod merge_branch;
mod recall;
mod report;
mod restore_memory;
mod save_perception;
mod scopes;
mod sessions;
mod start_session;
mod stats;
mod status;
mod texts;
mod timeline;
mod unlearn;
mod update;

pub use adopt::{Adopt, AdoptRequest, AdoptResponse};
pub use backup::{
    Backup, BackupInfo, BackupRequest, BackupResponse, RestoreBackup, RestoreBackupRequest,
    RestoreBackupResponse,
};
pub use begin_attempt::{BeginAttempt, BeginAttemptRequest, BeginAttemptResponse};
pub use brief::{
    Brief, BriefRequest, BriefResponse, BriefedAttempts, BriefedNumber, FailureReason, Nearness,
    SimilarAttempt,
};
pub use capture::{Capture, CaptureRequest, CaptureResponse};
pub use check_action::{
    AllowedBy, CheckAction, CheckActionRequest, CheckActionResponse, CheckedLimit,
};
pub use clear_memories::{ClearMemories, ClearMemoriesRequest, ClearMemoriesResponse};
pub use commit_turn::{CommitTurn, CommitTurnRequest, CommitTurnResponse, CommitTurnStatus};
pub use compare::{Compare, CompareRequest, CompareResponse, Contrast, ContrastKind};
pub use delete_memory::{DeleteMemory, DeleteMemoryRequest, DeleteMemoryResponse};
pub use end_attempt::{EndAttempt, EndAttemptRequest, EndAttemptResponse, Verdict};
pub use end_session::{EndSession, EndSessionRequest, EndSessionResponse};
pub use error::{ApiError, ErrorKind};
pub use export::ExportRequest;
pub use forget::{Forget, ForgetRequest, ForgetResponse};
pub use get_memory::{GetMemory, GetMemoryRequest, LedgerEntry, MemoryChange, StoredMemory};
pub use hit::{Hit, KeyCount, MapRelation, Why};
pub use jobs::{
    CancelJob, CancelJobRequest, GetJob, GetJobRequest, JobResponse, ListJobs, ListJobsRequest,
    ListJobsResponse, RetryJob, RetryJobRequest, ShownJob,
};
pub use learn::{DuplicateMethod, Learn, LearnRequest, LearnResponse, LearnStatus};
pub use lessons::{
    ChangePoint, Contradiction, JudgeLesson, JudgeLessonRequest, JudgeLessonResponse, Lesson,
    LessonJudgment, LessonState, Procedure, Side,
};
pub use lists::{
    LevelContent, ListCollections, ListCollectionsRequest, ListCollectionsResponse, ListLevels,
    ListLevelsRequest, ListLevelsResponse,
};
pub use locate::{Locate, LocateRequest, LocateResponse, NameMatch, ObjectPlace};
pub use maintenance::{MaintenanceMode, MaintenanceStep, RunMaintenance, RunMaintenanceRequest};
pub use merge_branch::{MergeBranch, MergeBranchRequest, MergeBranchResponse};
pub use recall::{
    CountBy, Mode, Order, Ranking, Recall, RecallRequest, RecallResponse, SiteState, SpatialSort,
};
pub use report::{
    ArchivedNext, ConflictPair, DeadLetter, MaintenanceRun, MapFigures, MapMark, Outcome, Periods,
    Report, ReportRequest, ReportResponse, TaskFigures,
};
pub use restore_memory::{RestoreMemory, RestoreMemoryRequest, RestoreMemoryResponse};
pub use save_perception::{
    SavePerception, SavePerceptionRequest, SavePerceptionResponse, SaveStatus,
};
pub use scopes::{
    CompactReason, CompactScope, CompactScopeRequest, CompactScopeResponse, Import, ImportRequest,
    ListScopes, ListScopesRequest, ListScopesResponse, QueuedResponse, RebuildScope,
    RebuildScopeRequest,
};
pub use sessions::{
    GetSession, GetSessionRequest, GetSessionResponse, ListSessions, ListSessionsRequest,
    ListSessionsResponse,
};
pub use start_session::{StartSession, StartSessionRequest, StartSessionResponse};
pub use stats::{Stats, StatsRequest, StatsResponse};
pub use status::{ComponentStatus, GetStatus, StatusLevel, StatusRequest, StatusResponse};
pub use texts::{FieldText, StorableTexts};
pub(crate) use texts::{is_no_text, keep_texts};
pub use timeline::{
    Happening, Timeline, TimelineEntry, TimelineKind, TimelineRequest, TimelineResponse,
};
pub use unlearn::{Unlearn, UnlearnAction, UnlearnRequest, UnlearnResponse, UnlearnedMemory};
pub use update::{Update, UpdateRequest, UpdateResponse};

/// The operations that each face offers, for a macro that is named: what they do to the store, their name,
/// request and answer. The answer behind `in` is one field of a message.
///
/// An operation that `reads` may be called beside others; one that `writes` waits for its turn; one of the
/// `streams` is done by who hears them.
#[macro_export]
macro_rules! operations {
    ($to:ident) => {
        $to! {
            reads Recall(RecallRequest) -> RecallResponse;
            reads GetMemory(GetMemoryRequest) -> StoredMemory;
            reads Brief(BriefRequest) -> BriefResponse;
            reads Locate(LocateRequest) -> LocateResponse;
            reads CheckAction(CheckActionRequest) -> CheckActionResponse;
            reads ListLevels(ListLevelsRequest) -> ListLevelsResponse;
            reads ListCollections(ListCollectionsRequest) -> ListCollectionsResponse;
            reads ListSessions(ListSessionsRequest) -> ListSessionsResponse;
            reads GetSession(GetSessionRequest) -> GetSessionResponse;
            reads Timeline(TimelineRequest) -> TimelineResponse;
            reads ListJobs(ListJobsRequest) -> ListJobsResponse;
            reads GetJob(GetJobRequest) -> JobResponse in job;
            reads ListScopes(ListScopesRequest) -> ListScopesResponse;
            reads Compare(CompareRequest) -> CompareResponse;
            reads GetStatus(StatusRequest) -> StatusResponse;
            writes Learn(LearnRequest) -> LearnResponse;
            writes SavePerception(SavePerceptionRequest) -> SavePerceptionResponse;
            writes Forget(ForgetRequest) -> ForgetResponse;
            writes Update(UpdateRequest) -> UpdateResponse;
            writes DeleteMemory(DeleteMemoryRequest) -> DeleteMemoryResponse;
            writes ClearMemories(ClearMemoriesRequest) -> ClearMemoriesResponse;
            writes Unlearn(UnlearnRequest) -> UnlearnResponse;
            writes BeginAttempt(BeginAttemptRequest) -> BeginAttemptResponse;
            writes EndAttempt(EndAttemptRequest) -> EndAttemptResponse;
            writes JudgeLesson(JudgeLessonRequest) -> JudgeLessonResponse;
            writes Adopt(AdoptRequest) -> AdoptResponse;
            writes StartSession(StartSessionRequest) -> StartSessionResponse;
            writes EndSession(EndSessionRequest) -> EndSessionResponse;
            writes CommitTurn(CommitTurnRequest) -> CommitTurnResponse;
            writes MergeBranch(MergeBranchRequest) -> MergeBranchResponse;
            writes RetryJob(RetryJobRequest) -> JobResponse in job;
            writes CancelJob(CancelJobRequest) -> JobResponse in job;
            writes RebuildScope(RebuildScopeRequest) -> QueuedResponse;
            writes CompactScope(CompactScopeRequest) -> CompactScopeResponse;
            writes RunMaintenance(RunMaintenanceRequest) -> QueuedResponse;
            writes RestoreMemory(RestoreMemoryRequest) -> RestoreMemoryResponse;
            writes Backup(BackupRequest) -> BackupResponse;
            writes RestoreBackup(RestoreBackupRequest) -> RestoreBackupResponse;
            streams Capture(CaptureRequest) -> CaptureResponse;
        }
    };
}

/// One thing that can be asked: a name and what goes in and out.
pub trait Operation {
    /// The operation's name in snake_case, as the service that offers it is called.
    const NAME: &'static str;
    /// What is asked.
    type Request: StorableTexts + Clone;
    /// What is answered.
    type Response;
}

/// Implements [`Operation`] for a marker type.
macro_rules! operation {
    ($(#[$meta:meta])* $marker:ident, $name:literal, $request:ty => $response:ty) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy)]
        pub struct $marker;

        impl crate::api::Operation for $marker {
            const NAME: &'static str = $name;
            type Request = $request;
            type Response = $response;
        }
    };
}
pub(crate) use operation;
