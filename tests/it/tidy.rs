//! Rules of the source that the compiler does not hold.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Lines that a file may have without a reason.
const LINES_MAX: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// All files with an ending below a folder, with their paths from the root.
fn files(folder: &str, ending: &str) -> Vec<(String, String)> {
    fn walk(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, ending, found);
            } else if path.extension().is_some_and(|extension| extension == ending) {
                found.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    walk(&root().join(folder), ending, &mut paths);
    paths.sort();
    let relative =
        |path: &PathBuf| path.strip_prefix(root()).expect("below the root").display().to_string();
    paths
        .iter()
        .map(|path| (relative(path), std::fs::read_to_string(path).expect("UTF-8")))
        .collect()
}

fn assert_none(mut offenders: Vec<String>, rule: &str) {
    offenders.sort();
    assert!(offenders.is_empty(), "{rule}:\n{}", offenders.join("\n"));
}

/// Source lines that are no comments, with the place they stand.
fn code_lines(folder: &str) -> Vec<(String, usize, String)> {
    let mut lines = Vec::new();
    for (path, text) in files(folder, "rs") {
        for (number, line) in text.lines().enumerate() {
            if !line.trim_start().starts_with("//") {
                lines.push((path.clone(), number + 1, line.to_owned()));
            }
        }
    }
    lines
}

/// Folders of product code.
const SOURCES: [&str; 2] = ["crates", "src"];

/// All Rust files of the product and of a folder of tests.
fn all_files(tests: &'static str) -> impl Iterator<Item = (String, String)> {
    SOURCES.into_iter().chain([tests]).flat_map(|folder| files(folder, "rs"))
}

fn product_lines() -> impl Iterator<Item = (String, usize, String)> {
    SOURCES.into_iter().flat_map(code_lines)
}

/// What the compiler does not hold, as it is inside one crate.
#[test]
fn modules_import_only_what_they_may() {
    // Folder, and what it may name of its crate besides itself.
    let rules: [(&str, &[&str]); 9] = [
        ("crates/core/src/model", &["model", "limits", "record", "json"]),
        ("crates/core/src/api", &["api", "model", "limits", "record", "json"]),
        ("crates/core/src/access", &["access", "model", "limits"]),
        ("crates/core/src/jobs", &["jobs", "model", "limits"]),
        ("crates/core/src/signature", &["signature", "event", "model"]),
        ("crates/text/src/inference", &["inference"]),
        ("crates/text/src/guard", &["guard", "inference"]),
        ("crates/text/src/experience", &["experience", "inference"]),
        ("crates/db/src/write_queue", &["write_queue"]),
    ];
    let mut offenders = Vec::new();
    for (folder, allowed) in rules {
        let lines = code_lines(folder);
        assert!(!lines.is_empty(), "{folder} is empty");
        for (path, number, line) in lines {
            for rest in line.split(" crate::").skip(1) {
                let module: String =
                    rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if !module.is_empty() && !allowed.contains(&module.as_str()) {
                    offenders.push(format!("{path}:{number}: crate::{module}"));
                }
            }
        }
    }
    assert_none(offenders, "a module imports what it may not");
}

/// The compiler holds that a method calls none of a floor above; not that nothing else of it is named.
#[test]
fn floors_of_the_engine_name_nothing_above_them() {
    let above: [(&str, &[&str]); 2] = [
        ("crates/engine/src/db", &["Engine", "service", "Operations", "operations"]),
        ("crates/engine/src/operations", &["Engine", "service"]),
    ];
    let mut offenders = Vec::new();
    for (folder, names) in above {
        let sources = files(folder, "rs");
        assert!(sources.len() > 10, "{folder} has {} files", sources.len());
        for (path, text) in sources {
            let product = text.split("mod tests {").next().unwrap_or_default();
            for (number, line) in product.lines().enumerate() {
                let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
                if !line.trim_start().starts_with("//") && words.any(|word| names.contains(&word)) {
                    offenders.push(format!("{path}:{}: {}", number + 1, line.trim()));
                }
            }
        }
    }
    assert_none(offenders, "a floor names what is above it");
}

#[test]
fn each_foreign_crate_is_named_in_its_own_place_only() {
    // Where a crate may name it at all is in its Cargo.toml.
    let places: [(&str, &[&str]); 33] = [
        ("async_nats::", &["crates/fleet/src/"]),
        ("futures_util::", &["crates/fleet/src/"]),
        ("nkeys::", &["crates/fleet/tests/"]),
        ("postgres::", &["crates/site/"]),
        ("rusqlite::", &["crates/db/src/", "crates/bags/src/sqlite3.rs"]),
        ("mcap::", &["crates/bags/src/"]),
        ("image::", &["crates/perception/src/picture"]),
        (
            "serde_saphyr::",
            &[
                "crates/core/src/access/",
                "crates/claims/src/known.rs",
                "crates/perception/src/settings",
                "crates/bags/src/",
                "src/faces/cli/",
            ],
        ),
        ("regex::", &["crates/core/src/access/"]),
        ("ureq::", &["crates/chat/src/", "src/webhook.rs", "src/faces/mcp/"]),
        ("indicatif::", &["src/faces/cli/"]),
        ("maud::", &["src/faces/cli/report/", "src/faces/figures/", "src/faces/http/page/"]),
        ("flate2::", &["src/faces/http/page/"]),
        ("form_urlencoded::", &["src/faces/http/page/"]),
        ("r2r_rcl::", &["src/faces/ros/"]),
        ("libloading::", &["src/faces/ros/"]),
        ("sqlite_vec::", &["crates/db/src/"]),
        ("clap::", &["src/faces/cli/"]),
        ("r2r::", &["src/faces/ros/"]),
        (
            "tokio::",
            &[
                "crates/fleet/src/",
                "src/faces/ros/",
                "src/faces/http/",
                "src/faces/mcp/",
                "src/faces/cli/interrupt.rs",
            ],
        ),
        ("axum::", &["src/faces/http/", "src/faces/mcp/"]),
        ("rmcp::", &["src/faces/mcp/"]),
        ("schemars::", &["src/faces/mcp/"]),
        ("hyper::", &["src/faces/http/"]),
        ("utoipa::", &["crates/core/src/", "src/faces/http/openapi/"]),
        ("kiddo::", &["crates/index/src/spatial"]),
        ("frostem::", &["crates/text/src/inference/stem.rs"]),
        ("half::", &["crates/embedding/src/onnx"]),
        ("ort::", &["crates/embedding/src/onnx"]),
        ("tokenizers::", &["crates/embedding/src/onnx"]),
        ("ed25519_dalek::", &["crates/claims/src/key.rs", "crates/claims/src/known.rs"]),
        (
            "serde_json_canonicalizer::",
            &["crates/claims/src/envelope.rs", "crates/claims/src/tests"],
        ),
        ("getrandom::", &["crates/claims/src/key.rs", "src/faces/http/"]),
    ];
    let mut offenders = Vec::new();
    for (path, number, line) in product_lines() {
        for (name, allowed) in places {
            let named = line.match_indices(name).any(|(at, _)| {
                !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
            });
            if named && !allowed.iter().any(|place| path.starts_with(place)) {
                offenders.push(format!("{path}:{number}: {name}"));
            }
        }
    }
    assert_none(offenders, "a crate is named outside its place");
}

#[test]
fn names_say_what_things_are() {
    let banned = ["manager", "helper", "utils", "handler", "processor", "common", "misc"];
    // Each meant a different thing in every file that had one, or is no term of the field: docs/glossary.md
    // has the terms. No name begins with one either.
    let vague = [
        "Told",
        "Found",
        "Reading",
        "Look",
        "Heard",
        "Hearing",
        "Understanding",
        "Saving",
        "Notice",
        "Board",
        "Lane",
        "Turnout",
        "Waits",
        "Sight",
        "Mended",
        "Signs",
        "Happening",
        "Newer",
        "Peers",
        "Ear",
        "Ears",
        "Desk",
    ];
    let is_vague = |name: &str| {
        let mut rests = vague.iter().filter_map(|word| name.strip_prefix(word));
        rests.any(|rest| !rest.starts_with(char::is_lowercase))
    };
    let mut offenders = Vec::new();
    for (path, number, line) in product_lines().chain(code_lines("tests/it")) {
        if path.ends_with("tidy.rs") {
            continue;
        }
        // Names that are given here, not those that come from elsewhere.
        for keyword in ["struct ", "enum ", "trait ", "type ", "mod "] {
            let Some((_, rest)) = line.split_once(keyword) else { continue };
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
            let name = name.unwrap_or_default();
            let words = name.split('_').map(str::to_lowercase);
            let is_banned = |word: String| banned.iter().any(|banned| word.ends_with(banned));
            if is_vague(name) || words.into_iter().any(is_banned) {
                offenders.push(format!("{path}:{number}: {name}"));
            }
        }
    }
    assert_none(offenders, "a name says nothing");
}

#[test]
fn nothing_is_left_unfinished() {
    let marks = ["todo!(", "unimplemented!(", "TODO", "FIXME", "XXX", "#[ignore", "dbg!("];
    let mut offenders = Vec::new();
    for (path, text) in all_files("tests") {
        if path.ends_with("tidy.rs") {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            if marks.iter().any(|mark| line.contains(mark)) {
                offenders.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_none(offenders, "something is unfinished");
}

#[test]
fn files_are_one_thing() {
    let all = all_files("tests/it");
    let offenders = all
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LINES_MAX)
        .map(|(path, lines)| format!("{path}: {lines} lines"))
        .collect();
    assert_none(offenders, "a file is long");
}

#[test]
fn no_test_file_is_forgotten() {
    let main = std::fs::read_to_string(root().join("tests/it/main.rs")).expect("it is there");
    let offenders = files("tests/it", "rs")
        .into_iter()
        .filter_map(|(path, _)| {
            let name = Path::new(&path).file_stem()?.to_str()?.to_owned();
            (name != "main" && !main.contains(&format!("mod {name};"))).then_some(path)
        })
        .collect();
    assert_none(offenders, "a test file is not compiled");
}

/// Operations that only the command line offers.
const WITHOUT_SERVICE: [&str; 2] = ["Report", "Stats"];

#[test]
fn every_operation_without_a_service_has_a_command() {
    let commands: String = files("src/faces/cli", "rs").into_iter().map(|(_, text)| text).collect();
    let offenders = WITHOUT_SERVICE
        .iter()
        .filter(|marker| !commands.contains(&format!("call::<{marker}>")))
        .map(|marker| (*marker).to_owned())
        .collect();
    assert_none(offenders, "an operation is offered by no face");
}

/// Operations that are offered as an action, and the action, when its goal is an operation's request.
const AS_ACTION: [(&str, &str); 3] =
    [("RunMaintenance", "Maintain"), ("RebuildScope", "Rebuild"), ("Import", "Import")];

/// The interfaces of a folder, by their names.
fn interfaces(kind: &str) -> BTreeSet<String> {
    let paths = files(kind, kind).into_iter().map(|(path, _)| path);
    paths.filter_map(|path| Some(Path::new(&path).file_stem()?.to_str()?.to_owned())).collect()
}

#[test]
fn every_action_is_an_operation() {
    let actions: BTreeSet<String> =
        AS_ACTION.iter().map(|(_, action)| (*action).to_owned()).collect();
    assert_eq!(interfaces("action"), actions, "action/*.action");
}

macro_rules! names {
    ($($queue:ident $op:ident $request:tt -> $response:ident $(in $field:ident)?;)+) => {
        [$(stringify!($op)),+]
    };
}

#[test]
fn every_other_operation_has_a_service_and_a_wire() {
    let services = interfaces("srv");
    let is_action = |marker: &str| {
        !services.contains(marker) && AS_ACTION.iter().any(|(operation, _)| *operation == marker)
    };
    let wire = root().join("src/faces/ros/wire/operations.rs");
    let wire = std::fs::read_to_string(wire).expect("the wire of all operations");
    assert!(wire.contains("robot_memory_core::operations! { services }"), "{wire}");
    let offered = robot_memory_core::operations!(names);
    let mut operations = BTreeSet::new();
    for (path, text) in files("crates/core/src/api", "rs") {
        for line in text.lines() {
            let Some((marker, rest)) = line.trim().split_once(", \"") else { continue };
            let Some((name, _)) = rest.split_once("\", ") else { continue };
            if name.is_empty() {
                continue;
            }
            if WITHOUT_SERVICE.contains(&marker) || is_action(marker) {
                continue;
            }
            // In Rust the status of a memory has the shorter name.
            let service = if marker == "GetStatus" { "Status" } else { marker };
            operations.insert(service.to_owned());
            assert!(
                offered.contains(&marker),
                "{path}: {name} is not among the operations! of the api"
            );
        }
    }
    assert_eq!(operations, services, "operations and srv/*.srv");
}
