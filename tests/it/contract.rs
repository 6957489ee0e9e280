//! The .srv and .msg files spell the engine's types: the same names and the same defaults.

use robot_memory_core::api::{
    self, CheckedLimit, ImportRequest, KeyCount, LevelContent, RebuildScopeRequest,
    RunMaintenanceRequest, SpatialSort, Why,
};
use robot_memory_core::model::{
    Branch, BranchStatus, Level, Limit, LimitOp, Session, SessionStatus, Source, Stamp, Trust,
    TurnSource,
};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The fields of one part of an interface file and their defaults; without its constants.
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
        } else if !line.is_empty() && !line.contains('=') {
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

/// What the declarations say of an operation.
struct Described {
    /// The name of its .srv file.
    service: &'static str,
    default: Value,
    /// Fields of the request that a flag stands beside.
    flagged: Vec<&'static str>,
    /// Fields of the answer, as a message has them.
    answer: BTreeSet<String>,
}

macro_rules! described {
    ($($queue:ident $op:ident($request:ident) -> $response:ident $(in $field:ident)?;)+) => {
        vec![$(Described {
            // In Rust the status of a memory has the shorter name.
            service: if stringify!($op) == "GetStatus" { "Status" } else { stringify!($op) },
            default: serde_json::to_value(api::$request::default()).expect("it serializes"),
            flagged: robot_memory_core::$request! { flagged },
            answer: fields!($response $(in $field)?),
        }),+]
    };
}

macro_rules! flagged {
    ({ $($field:ident [$($kind:ident $($part:ident)?)?]),+ }) => {{
        let marks = [$((stringify!($field), stringify!($($kind $($part)?)?))),+];
        let is_flagged =
            |&(field, mark): &(&'static str, &str)| mark == format!("flagged has_{field}");
        marks.into_iter().filter(is_flagged).map(|(field, _)| field).collect::<Vec<_>>()
    }};
}

/// But for the flags.
macro_rules! fields {
    ($response:ident) => { robot_memory_core::$response! { fields } };
    ($response:ident in $field:ident) => { list([stringify!($field)]) };
    ({ $($field:ident [$($kind:ident $($part:ident)?)?]),+ }) => {
        [$(Some(stringify!($field)), $($(second!($kind $part),)?)?)+]
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
}

macro_rules! second {
    (flagged $flag:ident) => {
        None
    };
    (split $field:ident) => {
        Some(stringify!($field))
    };
}

/// A time in an answer is RFC 3339; the plain form of a stamp is that of the store.
#[test]
fn times_of_answers_are_rfc_3339() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/core/src");
    let mut time_count = 0;
    for folder in ["api", "model"] {
        for entry in std::fs::read_dir(root.join(folder)).expect(folder) {
            let path = entry.expect("an entry").path();
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let (mut derives, mut before) = ("", "");
            for line in text.lines().map(str::trim) {
                if line.starts_with("#[derive(") {
                    derives = line;
                }
                let is_time = line.contains(": Stamp") || line.contains(": Option<Stamp>");
                if line.starts_with("pub ") && is_time && derives.contains(" Serialize") {
                    assert!(before.contains("crate::json::time"), "{}: {line}", path.display());
                    time_count += 1;
                }
                if line.starts_with('}') {
                    derives = "";
                }
                before = line;
            }
        }
    }
    assert!(time_count >= 20, "only {time_count} times were found");
}

/// The goal of an action is the request of an operation; its result is the job, and its feedback how far
/// that is.
fn action<T: serde::Serialize>(action: &str, default: &T) {
    let parts = interface(&format!("action/{action}.action"));
    let default = serde_json::to_value(default).expect("it serializes");
    given(action, &parts[0], &default);
    let result = list(["success", "error_code", "error", "job"]);
    assert_eq!(without_has(&parts[1]), result, "{action} result");
    let feedback = list(["job_id", "step", "done", "total"]);
    assert_eq!(without_has(&parts[2]), feedback, "{action} feedback");
}

fn given(service: &str, part: &Fields, default: &Value) {
    assert_eq!(without_has(part), names(default), "{service} request");
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
    let operations = robot_memory_core::operations!(described);
    assert!(operations.len() >= 31, "only {} operations", operations.len());
    for Described { service, default, .. } in &operations {
        given(service, &interface(&format!("srv/{service}.srv"))[0], default);
    }
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

/// A value beside a flag that is false would be left out silently. A field that is `flagged` is read by `given`.
#[test]
fn every_flag_of_a_request_is_held_against_its_value() {
    let wire = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/faces/ros/wire/operations.rs");
    let wire = std::fs::read_to_string(wire).expect("the wire");
    let call =
        "    ($field:ident $flag:ident) => {\n        given(stringify!($field), $flag, $field)?\n";
    assert!(wire.contains(call), "a flag is not held against its value");
    let mut flag_count = 0;
    for Described { service, flagged, .. } in robot_memory_core::operations!(described) {
        let request = interface(&format!("srv/{service}.srv")).remove(0);
        let flags = request.keys().filter_map(|flag| {
            flag.strip_prefix("has_").filter(|field| request.contains_key(*field))
        });
        let flags: BTreeSet<&str> = flags.collect();
        flag_count += flags.len();
        assert_eq!(flags, flagged.into_iter().collect(), "{service}: flags");
    }
    assert!(flag_count >= 3, "only {flag_count} flags were found");
}

#[test]
fn responses_have_the_engines_fields() {
    for Described { service, answer, .. } in robot_memory_core::operations!(described) {
        response(service, answer);
    }
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

/// Lists of spellings that are not all of them, and those of other software.
const OPEN_LISTS: [(&str, &str); 4] = [
    ("Learn.srv", "scope"),
    ("Recall.srv", "scope"),
    ("Recall.srv", "window_name"),
    ("TimelineEntry.msg", "outcome"),
];

/// The name of a spelling in constants.
fn constant_name(spelling: &str) -> String {
    match spelling {
        "<=" => "AT_MOST".to_owned(),
        "<" => "BELOW".to_owned(),
        ">=" => "AT_LEAST".to_owned(),
        ">" => "ABOVE".to_owned(),
        "==" => "EQUAL".to_owned(),
        "!=" => "NOT_EQUAL".to_owned(),
        word => word.to_uppercase(),
    }
}

/// The spellings beside the bars of a comment.
fn listed(comment: &str) -> BTreeSet<&str> {
    let items: Vec<&str> = comment.split(" | ").map(str::trim).collect();
    let mut found = BTreeSet::new();
    for pair in items.windows(2) {
        // What is said of a spelling follows it in brackets.
        let before = match pair[0].strip_suffix(')') {
            Some(open) => open.rsplit_once('(').map_or(open, |(before, _)| before.trim_end()),
            None => pair[0],
        };
        found.extend(before.split_whitespace().next_back());
        found.extend(pair[1].split([' ', ';', ':', ',']).next());
    }
    found
}

/// A client need not write a spelling: each that the comment of a field lists is a constant.
#[test]
fn every_listed_spelling_is_a_constant() {
    let mut count = 0;
    for kind in ["msg", "srv", "action"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(kind);
        for entry in std::fs::read_dir(folder).expect(kind) {
            let path = entry.expect("an entry").path();
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("an interface");
            for part in text.split("---\n") {
                let constants = part.lines().filter_map(|line| {
                    let (name, value) = line.strip_prefix("string ")?.split_once("=\"")?;
                    Some((name.to_owned(), value.trim_end_matches('"').to_owned()))
                });
                let mut constants: BTreeSet<(String, String)> = constants.collect();
                for line in part.lines().filter(|line| line.starts_with("string")) {
                    let Some((declared, comment)) = line.split_once('#') else { continue };
                    let mut words = declared.split_whitespace();
                    let (kind, field) = (words.next(), words.next().expect("a name"));
                    // Error codes have a message of their own.
                    if field == "error_code" || OPEN_LISTS.contains(&(file.as_str(), field)) {
                        continue;
                    }
                    let is_list = kind == Some("string[]");
                    let prefix = if is_list { field.trim_end_matches('s') } else { field };
                    for spelling in listed(comment) {
                        let name = constant_name(&format!("{prefix}_")) + &constant_name(spelling);
                        let constant = (name, spelling.to_owned());
                        assert!(constants.remove(&constant), "{file}: {field} has no {constant:?}");
                        count += 1;
                    }
                }
                assert!(file == "ErrorCode.msg" || constants.is_empty(), "{file}: {constants:?}");
            }
        }
    }
    assert!(count > 300, "{count} constants");
}

#[test]
fn error_codes_are_constants() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("msg/ErrorCode.msg");
    let text = std::fs::read_to_string(path).expect("a message");
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("string ")).collect();
    let expected = api::ErrorKind::ALL.iter().map(|code| code.as_str());
    let expected: Vec<String> =
        expected.map(|code| format!("string {}=\"{code}\"", code.to_uppercase())).collect();
    assert_eq!(lines, expected);
}

#[test]
fn messages_have_the_engines_fields() {
    let message = |name: &str| without_has(&interface(&format!("msg/{name}.msg"))[0]);
    assert_eq!(message("Why"), names(&Why::default()));
    assert_eq!(message("KeyCount"), names(&KeyCount { key: String::new(), count: 0 }));
    let sort = SpatialSort {
        field: String::new(),
        target: Vec::new(),
        max_distance: 0.0,
        ..SpatialSort::default()
    };
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
        told_by: Vec::new(),
        transfer: Vec::new(),
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
