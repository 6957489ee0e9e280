use super::convert::{FromMessage, ToMessage, given};
use super::*;
use r2r::builtin_interfaces::msg::Time;
use robot_memory_core::api::{
    AllowedBy, CancelJob, Capture, CaptureResponse, CheckAction, CheckActionResponse, CheckedLimit,
    ClearMemories, ClearMemoriesResponse, CommitTurn, CommitTurnResponse, CommitTurnStatus,
    CompactReason, CompactScope, CompactScopeResponse, DeleteMemory, DeleteMemoryResponse,
    EndSession, EndSessionResponse, ErrorKind, Forget, ForgetResponse, GetJob, GetMemory,
    GetSession, GetSessionResponse, Happening, Hit, KeyCount, Learn, LearnResponse, LearnStatus,
    LedgerEntry, LevelContent, ListCollections, ListCollectionsResponse, ListJobs,
    ListJobsResponse, ListLevels, ListLevelsResponse, ListScopes, ListScopesResponse, ListSessions,
    ListSessionsResponse, MapRelation, MemoryChange, MergeBranch, MergeBranchResponse, Mode,
    QueuedResponse, RebuildScope, Recall, RecallResponse, RetryJob, SavePerception,
    SavePerceptionResponse, SaveStatus, ShownJob, SiteState, StartSession, StartSessionResponse,
    StoredMemory, Timeline, TimelineEntry, TimelineResponse, Unlearn, UnlearnAction,
    UnlearnResponse, UnlearnedMemory, Update, UpdateResponse, Why,
};
use robot_memory_core::model::{
    Branch, BranchStatus, Category, Job, JobProgress, JobScope, JobStatus, JobType, Kind,
    LedgerChange, Level, Limit, LimitOp, MemType, Memory, PerceptionType, Scope, ScopeState,
    Session, SessionStatus, Source, Stamp, Status, SupersededRule, Trust, TurnSource,
};

/// A memory in an answer, with this text in every field that has no text of its own.
pub(in crate::faces::ros) fn hit(any: &str, context: &str) -> Hit {
    Hit {
        memory: Memory {
            id: 7,
            collection: any.to_owned(),
            level: Level::Knowledge,
            scope: Scope::Global,
            kind: Kind::Fact,
            category: Some(Category::Gotcha),
            mem_type: MemType::Lesson,
            content: any.to_owned(),
            human_summary: any.to_owned(),
            context: context.to_owned(),
            perception_type: None,
            data: any.to_owned(),
            metadata: any.to_owned(),
            session_id: any.to_owned(),
            turn_id: any.to_owned(),
            agent: any.to_owned(),
            source: Source::Operator,
            trust: Trust::High,
            confidence: 0.8,
            decay_rate: 0.01,
            importance: 0.5,
            tags: vec![any.to_owned()],
            scope_files: vec![any.to_owned()],
            scope_entities: vec![any.to_owned()],
            status: Status::Active,
            superseded_by: None,
            parent_id: Some(5),
            access_count: 3,
            last_accessed: None,
            created_at: Stamp::from_secs(5),
            updated_at: Stamp::from_secs(6),
            decayed_until: None,
            restored_at: None,
            known_at: None,
        },
        score: 1.0,
        similar_count: 2,
        spatial_distance: Some(0.25),
        map_relation: Some(MapRelation::Other),
        context_before: any.to_owned(),
        context_after: any.to_owned(),
        conflicts_with: vec![9],
        why: Why { similarity: Some(-0.5), matched_words: vec![any.to_owned()], ..Why::default() },
    }
}

fn session(any: &str) -> Session {
    Session {
        session_id: any.to_owned(),
        collection: any.to_owned(),
        status: SessionStatus::Open,
        interrupted: false,
        agent: any.to_owned(),
        context: any.to_owned(),
        outcome_score: Some(0.5),
        memory_count: 2,
        started_at: Stamp::from_secs(1),
        ended_at: None,
    }
}

fn limit(any: &str) -> Limit {
    Limit {
        path: any.to_owned(),
        op: LimitOp::AtMost,
        value: 1.5,
        unit: any.to_owned(),
        object: any.to_owned(),
        place: any.to_owned(),
        task: any.to_owned(),
    }
}

fn checked_limit(any: &str) -> CheckedLimit {
    CheckedLimit {
        memory_id: 1,
        content: any.to_owned(),
        source: Source::Operator,
        trust: Trust::High,
        scope: any.to_owned(),
        told_by: vec![any.to_owned()],
        transfer: vec![any.to_owned()],
        path: any.to_owned(),
        op: Some(LimitOp::AtMost),
        bound: 1.5,
        unit: any.to_owned(),
        given: Some(2.0),
        reason: any.to_owned(),
    }
}

/// The answer as JSON, after a success and after an error.
fn spelled<W: Wire>(response: W::Response, any: &str) -> [String; 2] {
    [Ok(response), Err(ApiError { kind: ErrorKind::NotFound, message: any.to_owned() })].map(
        |outcome| {
            let message = W::encode(outcome);
            serde_json::to_string(&message).expect("a message is serializable")
        },
    )
}

/// The answer of every operation, with this text wherever it has room for one.
fn answers(any: &str) -> Vec<[String; 2]> {
    let (text, texts) = (any.to_owned(), vec![any.to_owned()]);
    let counts = vec![KeyCount { key: any.to_owned(), count: 1 }];
    vec![
        spelled::<Learn>(
            LearnResponse {
                status: LearnStatus::Created,
                truncated: false,
                memory_id: 1,
                existing_id: 0,
                method: None,
                similarity: 0.0,
                category: Category::Code,
                confidence: 0.8,
                tags: texts.clone(),
                scope_files: texts.clone(),
                limits: vec![limit(any)],
                superseded_ids: vec![2],
                similar_to: vec![3],
                has_embedding: true,
            },
            any,
        ),
        spelled::<Recall>(
            RecallResponse {
                memories: vec![hit(any, any)],
                total: 1,
                mode: Mode::Hybrid,
                approximate: false,
                counts: vec![KeyCount { key: any.to_owned(), count: 1 }],
                anchor_memory_id: 3,
                understood: text.clone(),
                better_collections: texts.clone(),
                other_map_count: 2,
                unresolved_frames: texts.clone(),
                site: Some(SiteState::Late),
                site_fault: text.clone(),
                query_ms: 0.5,
                plan: text.clone(),
            },
            any,
        ),
        spelled::<SavePerception>(
            SavePerceptionResponse {
                status: SaveStatus::Created,
                memory_id: 1,
                perception_type: PerceptionType::Visual,
                collection: text.clone(),
                truncated: false,
                has_embedding: true,
            },
            any,
        ),
        spelled::<Forget>(
            ForgetResponse {
                status: text.clone(),
                memory_id: 1,
                content: text.clone(),
                reason: text.clone(),
            },
            any,
        ),
        spelled::<Update>(
            UpdateResponse {
                status: text.clone(),
                memory_id: 1,
                old_content: text.clone(),
                new_content: text.clone(),
                truncated: false,
                category: None,
                confidence: 0.8,
                tags: texts.clone(),
                scope_files: texts.clone(),
                limits: vec![limit(any)],
                superseded_ids: vec![2],
                has_embedding: true,
            },
            any,
        ),
        spelled::<StartSession>(
            StartSessionResponse {
                session_id: text.clone(),
                collection: text.clone(),
                active_memories_count: 1,
            },
            any,
        ),
        spelled::<EndSession>(
            EndSessionResponse {
                status: text.clone(),
                session_id: text,
                memory_count: 1,
                by_type: counts.clone(),
                by_category: counts.clone(),
                decayed_count: 0,
                merged_groups: 0,
                superseded_count: 0,
                compression_ratio: 0.0,
                avg_similarity: 0.0,
                promoted_count: 0,
                archived_count: 0,
                related_memories: vec![hit(any, any)],
            },
            any,
        ),
        spelled::<ListSessions>(
            ListSessionsResponse { sessions: vec![session(any)], total: 1, has_more: false },
            any,
        ),
        spelled::<Timeline>(
            TimelineResponse {
                entries: vec![TimelineEntry {
                    stamp: Stamp(1),
                    what: Happening::Event,
                    memory_id: 1,
                    session_id: any.to_owned(),
                    trigger: any.to_owned(),
                    duration_secs: 0.5,
                    outcome: any.to_owned(),
                    score: Some(0.5),
                    text: any.to_owned(),
                }],
                total: 1,
                next_cursor: any.to_owned(),
            },
            any,
        ),
        spelled::<Unlearn>(
            UnlearnResponse {
                plan: any.to_owned(),
                forgotten_count: 1,
                remade_count: 2,
                removed_count: 3,
                kept_count: 4,
                memories: vec![UnlearnedMemory {
                    memory_id: 1,
                    kind: Kind::Summary,
                    action: UnlearnAction::Remade,
                    why: any.to_owned(),
                    text: any.to_owned(),
                    new_text: any.to_owned(),
                }],
            },
            any,
        ),
        spelled::<GetSession>(
            GetSessionResponse {
                session: session(any),
                by_type: counts.clone(),
                by_category: counts.clone(),
                branches: vec![Branch {
                    branch_id: any.to_owned(),
                    status: BranchStatus::Won,
                    turn_count: 1,
                    last_turn_no: 2,
                    merged_into: texts.clone(),
                }],
            },
            any,
        ),
        spelled::<Capture>(CaptureResponse { event_id: any.to_owned(), memory_ids: vec![1] }, any),
        spelled::<GetMemory>(
            StoredMemory {
                memory: hit(any, any).memory,
                invalidated_reason: any.to_owned(),
                invalidated_at: Some(Stamp::from_secs(7)),
                superseded_rule: Some(SupersededRule::NewestPreference),
                superseded_why: any.to_owned(),
                supersedes: vec![3],
                children: vec![4],
                limits: vec![limit(any)],
                turns: vec![TurnSource {
                    turn_id: any.to_owned(),
                    session_id: any.to_owned(),
                    branch_id: any.to_owned(),
                    turn_no: 1,
                    sentence_number: 2,
                    pointer: any.to_owned(),
                    sentence: any.to_owned(),
                }],
                told_by: texts.clone(),
                told_at: Some(Stamp::from_secs(9)),
                independent_count: 1,
                transfer: texts.clone(),
                ledger: vec![LedgerEntry {
                    change: LedgerChange::Faded,
                    cause: any.to_owned(),
                    agent: any.to_owned(),
                    value_before: any.to_owned(),
                    value_after: any.to_owned(),
                    repetitions: 2,
                    began_at: Stamp::from_secs(5),
                    changed_at: Stamp::from_secs(6),
                }],
                fades: true,
                retention: 0.5,
                half_life_days: 30.0,
                archives_at: Some(Stamp::from_secs(8)),
                history: vec![MemoryChange {
                    operation: any.to_owned(),
                    agent: any.to_owned(),
                    changed_at: Stamp::from_secs(6),
                    content: any.to_owned(),
                    context: any.to_owned(),
                }],
                embedding_model: any.to_owned(),
                embedding: vec![1.0],
            },
            any,
        ),
        spelled::<DeleteMemory>(
            DeleteMemoryResponse {
                status: any.to_owned(),
                memory_id: 1,
                clip_deleted: true,
                backups_until: None,
            },
            any,
        ),
        spelled::<ListLevels>(
            ListLevelsResponse {
                levels: vec![LevelContent {
                    level: Level::Core,
                    description: any.to_owned(),
                    memory_count: 1,
                    collection_count: 1,
                }],
            },
            any,
        ),
        spelled::<ListCollections>(
            ListCollectionsResponse { collections: counts, memory_count: 1 },
            any,
        ),
        spelled::<CheckAction>(
            CheckActionResponse {
                allowed: false,
                allowed_by: AllowedBy::Undecided,
                violations: vec![checked_limit(any)],
                undecided: vec![checked_limit(any)],
                undecided_count: 1,
                checked_count: 1,
                constraint_count: 1,
                query_ms: 0.5,
            },
            any,
        ),
    ]
    .into_iter()
    .chain(answers_of_jobs(any))
    .collect()
}

/// A job with this text in every field that has no text of its own.
fn job(any: &str) -> ShownJob {
    let job = Job {
        id: 1,
        scope: scope(any),
        job_type: JobType::IngestTurn,
        status: JobStatus::RetryWaiting,
        turn_id: any.to_owned(),
        based_on_revision: 2,
        payload: any.to_owned(),
        result: any.to_owned(),
        progress: JobProgress { step: any.to_owned(), done: 1, total: 2 },
        attempt_count: 1,
        max_attempts: 5,
        available_at: 3,
        lease_owner: any.to_owned(),
        lease_until: Some(4),
        last_error: any.to_owned(),
        agent: any.to_owned(),
        created_at: 5,
        updated_at: 6,
        finished_at: None,
    };
    ShownJob { job, waits_for: any.to_owned() }
}

fn scope(any: &str) -> JobScope {
    JobScope::Of(Scope::Group(any.to_owned()))
}

/// The same of those operations that are about jobs.
fn answers_of_jobs(any: &str) -> Vec<[String; 2]> {
    let (text, texts) = (any.to_owned(), vec![any.to_owned()]);
    let (limit, offset, total, has_more) = (1, 0, 1, false);
    let (sort_by, sort_order) = (text.clone(), text.clone());
    vec![
        spelled::<CommitTurn>(
            CommitTurnResponse {
                status: CommitTurnStatus::Committed,
                turn_id: text.clone(),
                job_id: 1,
                created: true,
                scope: scope(any),
            },
            any,
        ),
        spelled::<ListJobs>(
            ListJobsResponse {
                jobs: vec![job(any)],
                total,
                has_more,
                limit,
                offset,
                sort_by: sort_by.clone(),
                sort_order: sort_order.clone(),
            },
            any,
        ),
        spelled::<GetJob>(job(any), any),
        spelled::<RetryJob>(job(any), any),
        spelled::<CancelJob>(job(any), any),
        spelled::<ListScopes>(
            ListScopesResponse {
                scopes: vec![ScopeState {
                    scope: scope(any),
                    revision: 1,
                    lease_owner: text.clone(),
                    lease_until: None,
                    last_processed_turn_no: Some(1),
                    last_compaction_at: None,
                    updated_at: 2,
                }],
                total,
                has_more,
                limit,
                offset,
                sort_by,
                sort_order,
            },
            any,
        ),
        spelled::<RebuildScope>(
            QueuedResponse { job_id: 1, created: true, scope: scope(any) },
            any,
        ),
        spelled::<CompactScope>(
            CompactScopeResponse {
                job_id: 1,
                created: true,
                scope: scope(any),
                reason: CompactReason::Forced,
                source_micro_ids: vec![1],
                coverage_start_turn_no: None,
                coverage_end_turn_no: Some(2),
            },
            any,
        ),
        spelled::<MergeBranch>(
            MergeBranchResponse {
                status: text.clone(),
                session_id: text.clone(),
                branch_id: text.clone(),
                into: text,
                merged_ids: vec![1],
                duplicate_count: 2,
                superseded_ids: vec![3],
                kept_ids: vec![4],
                lost_branches: texts,
            },
            any,
        ),
    ]
}

#[test]
fn an_action_says_what_became_of_its_job() {
    let of = |status| {
        let mut shown = job("a\0b");
        shown.job.status = status;
        let result = MaintainWire::result(ResultParts::of(shown));
        assert!(result.job.last_error == "a\u{fffd}b" && !result.error.contains('\0'));
        (result.success, result.error_code)
    };
    let cases = [
        (JobStatus::Succeeded, (true, "")),
        (JobStatus::DeadLetter, (false, "internal")),
        (JobStatus::Cancelled, (false, "invalid_state")),
        (JobStatus::Running, (false, "invalid_state")),
    ];
    for (status, (success, code)) in cases {
        assert_eq!(of(status), (success, code.to_owned()), "{status}");
    }
    let failed = ResultParts::failed(ApiError::not_found("none\0"));
    let result = RebuildWire::result(failed);
    assert_eq!((result.error_code.as_str(), result.error.as_str()), ("not_found", "none\u{fffd}"));
    let progress = JobProgress { step: "\0".into(), done: 1, total: 2 };
    let feedback = ImportWire::feedback(7, progress);
    assert_eq!((feedback.job_id, feedback.step.as_str()), (7, "\u{fffd}"));
}

#[test]
fn no_answer_holds_a_zero_byte() {
    for [success, failure] in answers("a\0b") {
        for answer in [success, failure] {
            assert!(!answer.contains("\\u0000") && answer.contains("a\u{fffd}b"), "{answer}");
        }
    }
}

#[test]
fn success_and_error_exclude_each_other() {
    let cleared =
        ClearMemoriesResponse { deleted_count: 2, clips_deleted_count: 1, backups_until: None };
    let of_numbers = spelled::<ClearMemories>(cleared, "x");
    for [success, failure] in answers("x").into_iter().chain([of_numbers]) {
        assert!(success.contains(r#""success":true,"error_code":"","error":"""#), "{success}");
        let refused = r#""success":false,"error_code":"not_found","error":"x""#;
        assert!(failure.contains(refused), "{failure}");
    }
}

#[test]
fn texts_lose_their_zero_bytes() {
    assert_eq!(text("a\0b"), "a\u{fffd}b");
    assert_eq!(text("a b"), "a b");
    let texts: Vec<String> = vec!["\0".to_owned()].to_message();
    assert_eq!(texts, ["\u{fffd}"]);
}

#[test]
fn zero_time_is_no_time() {
    for (sec, nanosec, expected) in
        [(0, 0, None), (0, 1, Some(Stamp(1))), (2, 5, Some(Stamp(2_000_000_005)))]
    {
        assert_eq!(Option::<Stamp>::from_message(Time { sec, nanosec }), Ok(expected));
        let time: Time = expected.to_message();
        assert_eq!(time, Time { sec, nanosec });
    }
}

#[test]
fn a_value_beside_a_false_flag_is_refused() {
    for value in [0.9, -1.0, f64::NAN] {
        let error = given("importance", false, value).unwrap_err();
        assert_eq!(error.kind, ErrorKind::InvalidArgument);
        let expected = format!("importance: {value} is given, but has_importance is false");
        assert!(error.message.starts_with(&expected), "{}", error.message);
    }
    assert_eq!(given("importance", false, 0.0), Ok(None));
    assert_eq!(given("importance", true, 0.0), Ok(Some(0.0)));
    assert_eq!(given("importance", true, 0.9), Ok(Some(0.9)));
}
