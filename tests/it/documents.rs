//! What the documents say can be done: their links lead somewhere, their calls are taken, and the answers
//! that they print have the fields of the interfaces.

use crate::robot::Robot;
use robot_memory_core::api::{
    Backup, BeginAttempt, Brief, CancelJob, CaptureRequest, CheckAction, ClearMemories, CommitTurn,
    CompactScope, Compare, DeleteMemory, EndAttempt, EndSession, ErrorKind, Forget, GetJob,
    GetMemory, GetSession, GetStatus, ImportRequest, JudgeLesson, Learn, ListCollections, ListJobs,
    ListLevels, ListScopes, Locate, MergeBranch, Operation, RebuildScope, RebuildScopeRequest,
    Recall, RestoreBackup, RestoreMemory, RetryJob, RunMaintenance, RunMaintenanceRequest,
    SavePerception, StartSession, Timeline, Unlearn,
};
use robot_memory_engine::{Engine, Run};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Each Markdown document, by its path from the root.
fn documents() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/reference", "docs/decisions", "deploy"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let name = PathBuf::from(entry.expect("an entry").file_name());
            if name.extension().is_some_and(|extension| extension == "md") {
                let path = Path::new(folder).join(name);
                let text = std::fs::read_to_string(root.join(&path)).expect("a document");
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// The headings of a document, as a link names them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for (path, text) in documents() {
        let targets = text.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        for target in targets.filter(|target| !target.contains("://")) {
            count += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let folder = root.join(&path).parent().expect("a folder").to_owned();
            let file = if file.is_empty() { root.join(&path) } else { folder.join(file) };
            assert!(file.exists(), "{}: {target} leads nowhere", path.display());
            if !anchor.is_empty() {
                let text = std::fs::read_to_string(&file).expect("a document");
                let has_it = anchors(&text).iter().any(|known| known == anchor);
                assert!(has_it, "{}: {target}: there is no such heading", path.display());
            }
        }
    }
    assert!(count > 60, "{count} links");
}

/// The name of the service of a type.
fn snake_case(camel_case: &str) -> String {
    let mut name = String::new();
    for c in camel_case.chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// The calls of a document, in their order: the type of the service, and the request in YAML.
fn calls(text: &str) -> Vec<(String, String)> {
    let after = text.split("ros2 service call ").skip(1);
    after
        .filter_map(|rest| {
            let (called, rest) = rest.split_once("robot_memory/srv/")?;
            let (service, rest) = rest.split_once(char::is_whitespace)?;
            let called = called.trim_end_matches(['\\', ' ', '\n']);
            let name = snake_case(service);
            assert!(called.ends_with(&format!("/robot_memory/{name}")), "{called} is no {service}");
            let rest = rest.trim_start_matches(['\\', ' ', '\n']);
            let quote = rest.chars().next()?;
            // As the shell reads it.
            let mut request = String::new();
            let mut chars = rest[1..].chars();
            while let Some(c) = chars.next().filter(|c| *c != quote) {
                let is_escape = quote == '"' && c == '\\';
                request.push(if is_escape { chars.next()? } else { c });
            }
            Some((service.to_owned(), request))
        })
        .collect()
}

/// A request with the fields that a call names; an unknown one is a fault of the document.
fn request<R: Default + Serialize + DeserializeOwned>(given: &Value, place: &str) -> R {
    let mut request = serde_json::to_value(R::default()).expect("it serializes");
    for (field, value) in given.as_object().expect("a mapping") {
        // In the engine a value that may be absent has no flag beside it.
        if field.strip_prefix("has_").is_some_and(|valued| given.get(valued).is_some()) {
            continue;
        }
        let known = request.as_object_mut().and_then(|known| known.get_mut(field));
        *known.unwrap_or_else(|| panic!("{place}: there is no field {field}")) = value.clone();
    }
    serde_json::from_value(request).unwrap_or_else(|error| panic!("{place}: {error}"))
}

/// Does a call; that what it names is not there, is not in that state, or is not stored, can be what the
/// document shows.
fn run<Op: Operation>(robot: &Robot, given: &Value, place: &str)
where
    Op::Request: Default + Serialize + DeserializeOwned,
    Engine: Run<Op>,
{
    if let Err(error) = robot.engine.call::<Op>(request(given, place)) {
        let is_shown = matches!(
            error.kind,
            ErrorKind::NotFound | ErrorKind::InvalidState | ErrorKind::Refused
        );
        assert!(is_shown, "{place}: {error}");
    }
}

#[test]
fn every_goal_is_an_operations_request() {
    let mut count = 0;
    for (path, text) in documents() {
        for rest in text.split("ros2 action send_goal ").skip(1) {
            count += 1;
            let (action, rest) = rest
                .split_once("robot_memory/action/")
                .and_then(|(_, rest)| rest.split_once(char::is_whitespace))
                .unwrap_or_else(|| panic!("{}: a goal without a type", path.display()));
            let yaml = rest.split('"').nth(1).expect("a goal");
            let place = format!("{}: {action} {yaml}", path.display());
            let given: Value = serde_saphyr::from_str(yaml).expect(&place);
            match action {
                "Maintain" => drop(request::<RunMaintenanceRequest>(&given, &place)),
                "Rebuild" => drop(request::<RebuildScopeRequest>(&given, &place)),
                "Import" => drop(request::<ImportRequest>(&given, &place)),
                _ => panic!("{place}: not known here"),
            }
        }
    }
    assert!(count >= 3, "{count} goals");
}

#[test]
fn every_call_is_taken() {
    let mut count = 0;
    for (path, text) in documents() {
        let robot = Robot::with(|config| config.jobs.has_workers = true);
        robot.plug_in_embedder();
        // Of a shell that has begun one.
        let text = text.replace("$SESSION", &robot.start_session());
        for (service, yaml) in calls(&text) {
            count += 1;
            let place = format!("{}: {service} {yaml}", path.display());
            let given: Value = serde_saphyr::from_str(&yaml).expect(&place);
            match service.as_str() {
                "Learn" => run::<Learn>(&robot, &given, &place),
                "Recall" => run::<Recall>(&robot, &given, &place),
                "SavePerception" => run::<SavePerception>(&robot, &given, &place),
                "GetMemory" => run::<GetMemory>(&robot, &given, &place),
                "Forget" => run::<Forget>(&robot, &given, &place),
                "EndSession" => run::<EndSession>(&robot, &given, &place),
                "DeleteMemory" => run::<DeleteMemory>(&robot, &given, &place),
                "ClearMemories" => run::<ClearMemories>(&robot, &given, &place),
                "ListLevels" => run::<ListLevels>(&robot, &given, &place),
                "ListCollections" => run::<ListCollections>(&robot, &given, &place),
                "BeginAttempt" => run::<BeginAttempt>(&robot, &given, &place),
                "EndAttempt" => run::<EndAttempt>(&robot, &given, &place),
                "Locate" => run::<Locate>(&robot, &given, &place),
                "Brief" => run::<Brief>(&robot, &given, &place),
                "JudgeLesson" => run::<JudgeLesson>(&robot, &given, &place),
                "CheckAction" => run::<CheckAction>(&robot, &given, &place),
                "CommitTurn" => run::<CommitTurn>(&robot, &given, &place),
                "MergeBranch" => run::<MergeBranch>(&robot, &given, &place),
                "StartSession" => run::<StartSession>(&robot, &given, &place),
                "GetSession" => run::<GetSession>(&robot, &given, &place),
                "Timeline" => run::<Timeline>(&robot, &given, &place),
                "Unlearn" => run::<Unlearn>(&robot, &given, &place),
                "ListJobs" => run::<ListJobs>(&robot, &given, &place),
                "GetJob" => run::<GetJob>(&robot, &given, &place),
                "RetryJob" => run::<RetryJob>(&robot, &given, &place),
                "CancelJob" => run::<CancelJob>(&robot, &given, &place),
                "ListScopes" => run::<ListScopes>(&robot, &given, &place),
                "RebuildScope" => run::<RebuildScope>(&robot, &given, &place),
                "RunMaintenance" => run::<RunMaintenance>(&robot, &given, &place),
                "RestoreMemory" => run::<RestoreMemory>(&robot, &given, &place),
                "Compare" => run::<Compare>(&robot, &given, &place),
                "Backup" => run::<Backup>(&robot, &given, &place),
                "RestoreBackup" => run::<RestoreBackup>(&robot, &given, &place),
                "Status" => run::<GetStatus>(&robot, &given, &place),
                "CompactScope" => run::<CompactScope>(&robot, &given, &place),
                // The node does it.
                "Capture" => drop(request::<CaptureRequest>(&given, &place)),
                _ => panic!("{place}: not known here"),
            }
        }
    }
    assert!(count >= 20, "{count} calls");
}

/// The fields of a message or of an answer, in their order.
fn fields(kind: &str, name: &str) -> Vec<String> {
    let (folder, name, part) = match name.strip_suffix("_Response") {
        Some(service) => ("srv", service, 1),
        None => match name.strip_suffix("_Request") {
            Some(service) => ("srv", service, 0),
            None => ("msg", name, 0),
        },
    };
    assert_eq!(kind, folder, "{name}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join(folder).join(format!("{name}.{folder}"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let part = text.split("---\n").nth(part).unwrap_or_default();
    let lines = part.lines().map(|line| line.split('#').next().unwrap_or_default());
    // Constants are no fields.
    let lines = lines.filter(|line| !line.contains('='));
    lines.filter_map(|line| line.split_whitespace().nth(1).map(str::to_owned)).collect()
}

/// Compares what stands in the brackets of `robot_memory.srv.Learn_Response(...)` with the interface:
/// its fields, in their order, and none left out but where `...` says so. Answers what follows.
fn check_printed<'t>(kind: &str, name: &str, mut rest: &'t str) -> &'t str {
    let mut expected = fields(kind, name).into_iter();
    let mut has_gap = false;
    loop {
        rest = rest.trim_start_matches([',', ' ', '\n', ']']);
        if let Some(after) = rest.strip_prefix(')') {
            assert!(has_gap || expected.next().is_none(), "{name}: fields are missing at the end");
            return after;
        }
        if let Some(after) = rest.strip_prefix("...") {
            (rest, has_gap) = (after, true);
            continue;
        }
        if rest.starts_with("robot_memory.") {
            rest = check_message(rest);
            continue;
        }
        let (field, value) = rest.split_once('=').unwrap_or_else(|| panic!("{name}: {rest}"));
        let is_next = if has_gap {
            expected.any(|known| known == field)
        } else {
            expected.next().is_some_and(|known| known == field)
        };
        assert!(is_next, "{name}: {field} is not the field that comes here");
        has_gap = false;
        rest = match value.chars().next() {
            Some(quote @ ('\'' | '"')) => value[1..].split_once(quote).expect("a text ends").1,
            Some('[') if !value.starts_with("[robot_memory.") => {
                value.split_once(']').expect("a list ends").1
            }
            Some('[') => &value[1..],
            _ if value.starts_with("robot_memory.") => value,
            _ => &value[value.find([',', ')']).expect("a value ends")..],
        };
    }
}

/// The same from the name of the type on.
fn check_message(text: &str) -> &str {
    let rest = text.strip_prefix("robot_memory.").expect("a type");
    let (kind, rest) = rest.split_once('.').expect("a type");
    let (name, rest) = rest.split_once('(').expect("a value");
    check_printed(kind, name, rest)
}

#[test]
fn every_printed_answer_has_the_fields_of_its_interface() {
    let mut count = 0;
    for (_, text) in documents() {
        for (at, _) in text.match_indices("robot_memory.srv.") {
            if text[at..].split_once('(').is_some_and(|(name, _)| !name.contains(['`', ' ', '\n']))
            {
                check_message(&text[at..]);
                count += 1;
            }
        }
    }
    assert!(count >= 11, "{count} answers");
}
