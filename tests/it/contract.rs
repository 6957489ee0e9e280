//! The .srv and .msg files spell the engine's types: the same names and the same defaults.

use robot_memory_core::api::{
    AllowedBy, BackupRequest, CancelJobRequest, CaptureRequest, CaptureResponse,
    CheckActionRequest, CheckActionResponse, CheckedLimit, ClearMemoriesRequest,
    ClearMemoriesResponse, CommitTurnRequest, CompactScopeRequest, CompareRequest,
    DeleteMemoryRequest, DeleteMemoryResponse, EndSessionRequest, ForgetRequest, ForgetResponse,
    GetJobRequest, GetMemoryRequest, GetSessionRequest, ImportRequest, KeyCount, LearnRequest,
    LearnResponse, LearnStatus, LevelContent, ListCollectionsRequest, ListCollectionsResponse,
    ListJobsRequest, ListLevelsRequest, ListLevelsResponse, ListScopesRequest, ListSessionsRequest,
    ListSessionsResponse, MergeBranchRequest, MergeBranchResponse, RebuildScopeRequest,
    RecallRequest, RestoreBackupRequest, RestoreMemoryRequest, RetryJobRequest,
    RunMaintenanceRequest, SavePerceptionRequest, SavePerceptionResponse, SaveStatus, SpatialSort,
    StartSessionRequest, StartSessionResponse, StatusRequest, UpdateRequest, UpdateResponse, Why,
};
use robot_memory_core::model::{
    Branch, BranchStatus, Category, Level, Limit, LimitOp, PerceptionType, Session, SessionStatus,
    Source, Stamp, Trust, TurnSource,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The fields of one part of an interface file and their defaults.
type Fields = BTreeMap<String, Option<String>>;

/// The parts of an interface file, which `---` divides.
fn interface(file: &str) -> Vec<Fields> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    let mut parts = vec![Fields::new()];
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line == "---" {
            parts.push(Fields::new());
        } else if !line.is_empty() {
            let mut words = line.split_whitespace().skip(1);
            let name = words.next().unwrap_or_else(|| panic!("{file}: {line}")).to_owned();
            let default = words.next().map(|word| word.trim_matches('"').to_owned());
            parts.last_mut().expect("a part").insert(name, default);
        }
    }
    parts
}

/// A field that may be absent is `has_x` and `x` in an interface file, one `Option` in the engine.
fn without_has(fields: &Fields) -> BTreeSet<String> {
    let is_flag =
        |name: &str| name.strip_prefix("has_").is_some_and(|field| fields.contains_key(field));
    fields.keys().filter(|name| !is_flag(name)).cloned().collect()
}

fn names(value: &impl serde::Serialize) -> BTreeSet<String> {
    let value = serde_json::to_value(value).expect("it serializes");
    value.as_object().expect("an object").keys().cloned().collect()
}

fn request<T: serde::Serialize>(service: &str, default: &T) {
    given(service, &interface(&format!("srv/{service}.srv"))[0], default);
}

/// The goal of an action is the request of an operation; its result is the job, and its feedback how far
/// that is.
fn action<T: serde::Serialize>(action: &str, default: &T) {
    let parts = interface(&format!("action/{action}.action"));
    given(action, &parts[0], default);
    let result = list(["success", "error_code", "error", "job"]);
    assert_eq!(without_has(&parts[1]), result, "{action} result");
    let feedback = list(["job_id", "step", "done", "total"]);
    assert_eq!(without_has(&parts[2]), feedback, "{action} feedback");
}

fn given<T: serde::Serialize>(service: &str, part: &Fields, default: &T) {
    assert_eq!(without_has(part), names(default), "{service} request");
    let default = serde_json::to_value(default).expect("it serializes");
    for (name, in_file) in part {
        let Some(in_file) = in_file else { continue };
        let in_engine = match &default[name] {
            Value::String(text) if text.is_empty() => continue,
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        assert_eq!(*in_file, in_engine, "{service}.{name}");
    }
}

fn response(service: &str, expected: BTreeSet<String>) {
    let parts = interface(&format!("srv/{service}.srv"));
    let mut found = without_has(&parts[1]);
    for shared in ["success", "error_code", "error"] {
        assert!(found.remove(shared), "{service} has no {shared}");
    }
    assert_eq!(found, expected, "{service} response");
}

fn list<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn requests_have_the_engines_fields_and_defaults() {
    request("Learn", &LearnRequest::default());
    request("Recall", &RecallRequest::default());
    request("SavePerception", &SavePerceptionRequest::default());
    request("Forget", &ForgetRequest::default());
    request("Update", &UpdateRequest::default());
    request("StartSession", &StartSessionRequest::default());
    request("EndSession", &EndSessionRequest::default());
    request("ListSessions", &ListSessionsRequest::default());
    request("GetSession", &GetSessionRequest::default());
    request("Capture", &CaptureRequest::default());
    request("GetMemory", &GetMemoryRequest::default());
    request("DeleteMemory", &DeleteMemoryRequest::default());
    request("ClearMemories", &ClearMemoriesRequest::default());
    request("ListLevels", &ListLevelsRequest::default());
    request("ListCollections", &ListCollectionsRequest::default());
    request("CheckAction", &CheckActionRequest::default());
    request("CommitTurn", &CommitTurnRequest::default());
    request("MergeBranch", &MergeBranchRequest::default());
    request("ListJobs", &ListJobsRequest::default());
    request("GetJob", &GetJobRequest::default());
    request("RetryJob", &RetryJobRequest::default());
    request("CancelJob", &CancelJobRequest::default());
    request("ListScopes", &ListScopesRequest::default());
    request("RebuildScope", &RebuildScopeRequest::default());
    request("CompactScope", &CompactScopeRequest::default());
    request("RunMaintenance", &RunMaintenanceRequest::default());
    request("RestoreMemory", &RestoreMemoryRequest::default());
    request("Compare", &CompareRequest::default());
    request("Backup", &BackupRequest::default());
    request("RestoreBackup", &RestoreBackupRequest::default());
    request("Status", &StatusRequest::default());
    action("Maintain", &RunMaintenanceRequest::default());
    action("Rebuild", &RebuildScopeRequest::default());
    action("Import", &ImportRequest::default());
}

/// `ros2 interface show` leaves out the comments of nested messages, from one character before their
/// text on: behind a space it would leave the number sign of each.
#[test]
fn comments_behind_the_fields_of_a_message_begin_at_once() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("msg");
    for entry in std::fs::read_dir(folder).expect("msg") {
        let path = entry.expect("an entry").path();
        for line in std::fs::read_to_string(&path).expect("a message").lines() {
            let has_field = !line.trim_start().starts_with('#');
            assert!(!has_field || !line.contains("# "), "{}: {line}", path.display());
        }
    }
}

/// A value beside a flag that is false would be left out silently.
#[test]
fn every_flag_of_a_request_is_held_against_its_value() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut flag_count = 0;
    for entry in std::fs::read_dir(root.join("srv")).expect("srv") {
        let file = entry.expect("an entry").file_name().into_string().expect("a name");
        let request = interface(&format!("srv/{file}")).remove(0);
        let mut wire = String::new();
        for letter in file.trim_end_matches(".srv").chars() {
            if letter.is_uppercase() && !wire.is_empty() {
                wire.push('_');
            }
            wire.extend(letter.to_lowercase());
        }
        let wire = root.join(format!("src/faces/ros/wire/{wire}.rs"));
        for flag in request.keys() {
            let Some(field) = flag.strip_prefix("has_").filter(|it| request.contains_key(*it))
            else {
                continue;
            };
            let source = std::fs::read_to_string(&wire).expect("a wire");
            let call = format!(r#"given("{field}", {flag}, {field})?"#);
            assert!(source.contains(&call), "{file}: {} has no {call}", wire.display());
            flag_count += 1;
        }
    }
    assert!(flag_count >= 3, "only {flag_count} flags were found");
}

#[test]
fn responses_have_the_engines_fields() {
    let learn = LearnResponse {
        status: LearnStatus::Created,
        truncated: false,
        memory_id: 1,
        existing_id: 0,
        method: None,
        similarity: 0.0,
        category: Category::Code,
        confidence: 0.8,
        tags: Vec::new(),
        scope_files: Vec::new(),
        limits: Vec::new(),
        superseded_ids: Vec::new(),
        similar_to: Vec::new(),
        has_embedding: false,
    };
    response("Learn", names(&learn));
    let perception = SavePerceptionResponse {
        status: SaveStatus::Created,
        memory_id: 1,
        perception_type: PerceptionType::Visual,
        collection: String::new(),
        truncated: false,
        has_embedding: false,
    };
    response("SavePerception", names(&perception));
    let forget = ForgetResponse {
        status: String::new(),
        memory_id: 1,
        content: String::new(),
        reason: String::new(),
    };
    response("Forget", names(&forget));
    let update = UpdateResponse {
        status: String::new(),
        memory_id: 1,
        old_content: String::new(),
        new_content: String::new(),
        truncated: false,
        category: None,
        confidence: 0.8,
        tags: Vec::new(),
        scope_files: Vec::new(),
        limits: Vec::new(),
        superseded_ids: Vec::new(),
        has_embedding: false,
    };
    response("Update", names(&update));
    let start = StartSessionResponse {
        session_id: String::new(),
        collection: String::new(),
        active_memories_count: 0,
    };
    response("StartSession", names(&start));
    response("Capture", names(&CaptureResponse::default()));
    let sessions = ListSessionsResponse { sessions: Vec::new(), total: 0, has_more: false };
    response("ListSessions", names(&sessions));
    response("GetSession", list(["session", "by_type", "by_category", "branches"]));
    let recall = [
        "memories",
        "total",
        "mode",
        "approximate",
        "counts",
        "better_collections",
        "query_ms",
        "plan",
    ];
    response("Recall", list(recall));
    let end = [
        "status",
        "session_id",
        "memory_count",
        "by_type",
        "by_category",
        "decayed_count",
        "merged_groups",
        "superseded_count",
        "compression_ratio",
        "avg_similarity",
        "promoted_count",
        "archived_count",
        "related_memories",
    ];
    response("EndSession", list(end));
    let delete = DeleteMemoryResponse {
        status: String::new(),
        memory_id: 1,
        clip_deleted: false,
        backups_until: None,
    };
    response("DeleteMemory", names(&delete));
    let clear =
        ClearMemoriesResponse { deleted_count: 0, clips_deleted_count: 0, backups_until: None };
    response("ClearMemories", names(&clear));
    response("ListLevels", names(&ListLevelsResponse { levels: Vec::new() }));
    let collections = ListCollectionsResponse { collections: Vec::new(), memory_count: 0 };
    response("ListCollections", names(&collections));
    let check = CheckActionResponse {
        allowed: true,
        allowed_by: AllowedBy::Checked,
        violations: Vec::new(),
        undecided: Vec::new(),
        undecided_count: 0,
        checked_count: 0,
        constraint_count: 0,
        query_ms: 0.0,
    };
    response("CheckAction", names(&check));
    let stored = [
        "memory",
        "invalidated_reason",
        "invalidated_at",
        "superseded_rule",
        "superseded_why",
        "supersedes",
        "children",
        "limits",
        "turns",
        "ledger",
        "fades",
        "retention",
        "half_life_days",
        "archives_at",
        "history",
        "embedding_model",
        "embedding",
    ];
    response("GetMemory", list(stored));
}

/// What the answers of jobs have, a scope being its kind and its name.
#[test]
fn responses_about_jobs_have_the_engines_fields() {
    let committed = ["status", "turn_id", "job_id", "created", "scope", "scope_id"];
    response("CommitTurn", list(committed));
    let merged = MergeBranchResponse {
        status: String::new(),
        session_id: String::new(),
        branch_id: String::new(),
        into: String::new(),
        merged_ids: Vec::new(),
        duplicate_count: 0,
        superseded_ids: Vec::new(),
        kept_ids: Vec::new(),
        lost_branches: Vec::new(),
    };
    response("MergeBranch", names(&merged));
    let page = ["total", "has_more", "limit", "offset", "sort_by", "sort_order"];
    for (service, rows) in [("ListJobs", "jobs"), ("ListScopes", "scopes")] {
        response(service, page.into_iter().chain([rows]).map(str::to_owned).collect());
    }
    for service in ["GetJob", "RetryJob", "CancelJob"] {
        response(service, list(["job"]));
    }
    let queued = ["job_id", "created", "scope", "scope_id"];
    response("RebuildScope", list(queued));
    let compacted =
        ["reason", "source_micro_ids", "coverage_start_turn_no", "coverage_end_turn_no"];
    response("CompactScope", queued.into_iter().chain(compacted).map(str::to_owned).collect());
}

#[test]
fn messages_about_jobs_have_the_fields_that_are_documented() {
    let message = |name: &str| interface(&format!("msg/{name}.msg")).swap_remove(0);
    let job = [
        "id",
        "scope",
        "scope_id",
        "job_type",
        "status",
        "waits_for",
        "turn_id",
        "based_on_revision",
        "payload",
        "result",
        "step",
        "done",
        "total",
        "attempt_count",
        "max_attempts",
        "available_at",
        "lease_owner",
        "lease_until",
        "last_error",
        "agent",
        "created_at",
        "updated_at",
        "finished_at",
    ];
    assert_eq!(without_has(&message("Job")), list(job));
    for optional in ["has_lease_until", "has_finished_at"] {
        assert!(message("Job").contains_key(optional), "{optional}");
    }
    assert_eq!(without_has(&message("JobEvent")), list(["before", "job", "dropped_count"]));
    let state = [
        "scope",
        "scope_id",
        "revision",
        "lease_owner",
        "lease_until",
        "last_processed_turn_no",
        "last_compaction_at",
        "updated_at",
    ];
    assert_eq!(without_has(&message("ScopeState")), list(state));
    for optional in ["has_lease_until", "has_last_processed_turn_no", "has_last_compaction_at"] {
        assert!(message("ScopeState").contains_key(optional), "{optional}");
    }
    let branch = Branch {
        branch_id: String::new(),
        status: BranchStatus::Open,
        turn_count: 0,
        last_turn_no: 0,
        merged_into: Vec::new(),
    };
    assert_eq!(without_has(&message("Branch")), names(&branch));
    let source = TurnSource {
        turn_id: String::new(),
        session_id: String::new(),
        branch_id: String::new(),
        turn_no: 0,
        sentence_number: 0,
        pointer: String::new(),
        sentence: String::new(),
    };
    assert_eq!(without_has(&message("TurnSource")), names(&source));
}

/// A comment of an interface that lists spellings lists all of them, in their order.
#[test]
fn interfaces_spell_what_the_engine_spells() {
    use robot_memory_core::api::{ContrastKind, MaintenanceMode, StatusLevel};
    use robot_memory_core::model::{
        JobOrder, JobStatus, JobType, LedgerChange, ScopeKind, ScopeOrder, SortOrder,
    };
    fn or<T: Copy>(all: &[T], spell: fn(T) -> &'static str) -> String {
        all.iter().map(|value| spell(*value)).collect::<Vec<_>>().join(" | ")
    }
    let kinds = or(ScopeKind::ALL, ScopeKind::as_str);
    let with_all = format!("{kinds} | all");
    let types = or(JobType::ALL, JobType::as_str);
    let statuses = or(JobStatus::ALL, JobStatus::as_str);
    let (jobs, scopes) =
        (or(JobOrder::ALL, JobOrder::as_str), or(ScopeOrder::ALL, ScopeOrder::as_str));
    let modes = or(MaintenanceMode::ALL, MaintenanceMode::as_str);
    let changes = or(LedgerChange::ALL, LedgerChange::as_str);
    let contrasts = or(ContrastKind::ALL, ContrastKind::as_str);
    let levels = or(StatusLevel::ALL, StatusLevel::as_str);
    let order = or(SortOrder::ALL, SortOrder::as_str);
    for (file, field, spellings) in [
        ("msg/Job.msg", "scope", &with_all),
        ("msg/Job.msg", "job_type", &types),
        ("msg/Job.msg", "status", &statuses),
        ("msg/ScopeState.msg", "scope", &with_all),
        ("srv/ListJobs.srv", "scope", &with_all),
        ("srv/ListJobs.srv", "job_type", &types),
        ("srv/ListJobs.srv", "status", &statuses),
        ("srv/ListJobs.srv", "sort_by", &jobs),
        ("srv/ListJobs.srv", "sort_order", &order),
        ("srv/ListScopes.srv", "scope", &with_all),
        ("srv/ListScopes.srv", "sort_by", &scopes),
        ("srv/ListScopes.srv", "sort_order", &order),
        ("srv/RebuildScope.srv", "scope", &kinds),
        ("srv/CompactScope.srv", "scope", &kinds),
        ("action/Maintain.action", "scope", &kinds),
        ("srv/RunMaintenance.srv", "scope", &kinds),
        ("action/Maintain.action", "mode", &modes),
        ("srv/RunMaintenance.srv", "mode", &modes),
        ("msg/MaintenanceReport.msg", "mode", &modes),
        ("msg/LedgerEntry.msg", "change", &changes),
        ("msg/Contrast.msg", "kind", &contrasts),
        ("msg/ComponentStatus.msg", "level", &levels),
        ("action/Rebuild.action", "scope", &kinds),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read_to_string(path).expect(file);
        let line = text.lines().find(|line| line.split_whitespace().nth(1) == Some(field));
        let comment = line.and_then(|line| line.split_once('#')).expect(file).1;
        let listed = comment.split([';', ':']).next().unwrap_or_default().trim();
        assert_eq!(listed, spellings, "{file}: {field}");
    }
}

#[test]
fn messages_have_the_engines_fields() {
    let message = |name: &str| without_has(&interface(&format!("msg/{name}.msg"))[0]);
    assert_eq!(message("Why"), names(&Why::default()));
    assert_eq!(message("KeyCount"), names(&KeyCount { key: String::new(), count: 0 }));
    let sort = SpatialSort { field: String::new(), target: Vec::new(), max_distance: 0.0 };
    assert_eq!(message("SpatialSort"), names(&sort));
    let session = Session {
        session_id: String::new(),
        collection: String::new(),
        status: SessionStatus::Open,
        interrupted: false,
        agent: String::new(),
        context: String::new(),
        outcome_score: None,
        memory_count: 0,
        started_at: Stamp(0),
        ended_at: None,
    };
    assert_eq!(message("Session"), names(&session));
    // Every field is given, since the empty ones are left out of a store's JSON.
    let limit = Limit {
        path: "params.force".to_owned(),
        op: LimitOp::AtMost,
        value: 1.0,
        unit: "N".to_owned(),
        object: "cup".to_owned(),
        place: "sink".to_owned(),
        task: "grip".to_owned(),
    };
    assert_eq!(message("Limit"), names(&limit));
    let checked = CheckedLimit {
        memory_id: 1,
        content: String::new(),
        source: Source::Operator,
        trust: Trust::High,
        scope: String::new(),
        path: String::new(),
        op: None,
        bound: 0.0,
        unit: String::new(),
        given: None,
        reason: String::new(),
    };
    assert_eq!(message("CheckedLimit"), names(&checked));
    let level = LevelContent {
        level: Level::Core,
        description: String::new(),
        memory_count: 0,
        collection_count: 0,
    };
    assert_eq!(message("LevelContent"), names(&level));
    let change = ["operation", "agent", "changed_at", "content", "context"];
    assert_eq!(message("MemoryChange"), list(change));
}
