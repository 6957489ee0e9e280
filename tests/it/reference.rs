//! docs/reference: pages made from the declarations. `UPDATE_REFERENCE=1 cargo test --test it reference`
//! writes them; without it the test fails where a page differs.

use robot_memory::config::{Bounds, DECLARATIONS, Declaration};
use robot_memory::faces::topics::TOPICS;
use robot_memory_core::api::ErrorKind;
use robot_memory_core::limits;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const MADE: &str = "<!-- Made by `UPDATE_REFERENCE=1 cargo test --test it reference`: change the declarations instead. -->";

const SERVICES: &str = "\
Services and actions are in the node's private namespace: `/robot_memory/learn` unless remapped. The type of `learn` is
`robot_memory/srv/Learn`, and so on.

- Every response begins with `success`, `error_code` and `error` ([errors](errors.md)); they are left out below.
- Each value that a description lists with bars is a constant of its interface, as `OUTCOME_SUCCESS` of
  `EndAttempt.Request`; error codes are those of the message `ErrorCode`.
- An empty text or array means \"not given\". A number that may be absent has a field `has_...`, and is refused
  without it.
- Texts must be UTF-8. Longer statements than the [limit](limits.md) are cut between words, and the response has
  `truncated`.
- `agent` is who calls; empty is the operator; it is left out below. What the [access policy](../access.md) does not allow
  is `forbidden`, what the agent may not see is `not_found`.
- With `idempotency_key` a repeated call returns the first call's response and changes nothing; the same key with another
  request is `invalid_argument`.";

const PARAMETERS: &str = "\
Types and ranges are checked, at the start and when a parameter is set; a value out of them is refused with its reason.
They are read at the start; those that can be set later are marked. [config/memory.yaml](../../config/memory.yaml) is the file to begin with.

`--log-level`, `--params-file`, remapping and the other `--ros-args` work as for any node; `memory_node --help` lists them,
and an unknown argument ends the node with code 2. Parameter files name nodes by the rules of ROS (`/left_arm/robot_memory`,
`/**`, `/*`, `/**/robot_memory`); a file without an entry for this node is logged as a warning, with the nodes that it names.";

const LIMITS: &str = "\
Fixed bounds of the program, each with its reason. Ids are never used again. The number of rows is bound by disk and memory
alone: about 3.5 kB a row on disk and 0.8 kB in memory, most of it the vector.";

const ERRORS: &str = "\
Every response has `success`, `error_code` (empty on success) and `error`, a text for people, which never quotes a memory or
a secret. A response with `success: false` changed nothing, but for `internal`, and for `clear_memories`, which returns how many
memories are gone.";

const TOPICS_HEAD: &str = "\
`~` is the node's private namespace (`/robot_memory`). The topics that it subscribes to are those of the parameter `streams`
([sensors](../sensors.md)). Times of memories are ROS time. `qos_overrides./robot_memory/events.publisher.reliability`, `durability` and
`depth` override the QoS of a topic that it publishes, except `/rosout` and `~/transition_event`.";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Plain text as Markdown in a cell of a table.
fn cell(plain: &str) -> String {
    let mut cell = String::new();
    for c in plain.chars() {
        if r"\|<>*~$[]`".contains(c) {
            cell.push('\\');
        }
        cell.push(c);
    }
    cell
}

/// The interfaces of a folder, in the order of their names.
fn interfaces(kind: &str) -> Vec<(String, String)> {
    let files = std::fs::read_dir(root().join(kind)).expect(kind);
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), text(path))).collect()
}

/// What the comments before the first field say, and the lines of the parts that `---` divides.
fn head_and_parts(interface: &str) -> (String, Vec<Vec<&str>>) {
    let comments = interface.lines().take_while(|line| line.starts_with('#'));
    let head: Vec<String> =
        comments.map(|line| cell(line.trim_start_matches('#').trim())).collect();
    let parts = interface.split("---\n").map(|part| part.lines().collect()).collect();
    (head.join("\n"), parts)
}

/// The type of a field, with a link when it is a message of this package.
fn linked(kind: &str) -> String {
    let (name, array) = kind.split_once('[').map_or((kind, ""), |(name, _)| (name, "\\[\\]"));
    if root().join(format!("msg/{name}.msg")).exists() {
        return format!("[{name}](#{}){array}", name.to_lowercase());
    }
    format!("{}{array}", name.trim_start_matches("builtin_interfaces/"))
}

/// A table of the fields of a part, but for those that every request or response has.
fn fields(page: &mut String, title: &str, part: &[&str]) {
    let shared = ["success", "error_code", "error"];
    let mut rows: Vec<String> = Vec::new();
    for line in part.iter().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        // A comment that goes on.
        if let Some(comment) = line.trim_start().strip_prefix('#') {
            if let Some(row) = rows.last_mut() {
                row.truncate(row.len() - " |".len());
                write!(row, " {} |", cell(comment.trim())).expect("text");
            }
            continue;
        }
        let (declared, comment) = line.split_once('#').unwrap_or((line, ""));
        // Constants: the comment of their field lists them.
        if declared.contains('=') {
            continue;
        }
        let mut words = declared.split_whitespace();
        let (kind, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let default = words.collect::<Vec<_>>().join(" ");
        let shown = if default.is_empty() { default } else { format!(" = {default}") };
        let is_answer = ["response", "result"].contains(&title) && shared.contains(&name);
        let is_agent = name == "agent" && comment.trim() == "who asks; empty = the operator";
        if !is_answer && !is_agent {
            rows.push(format!("| `{name}`{shown} | {} | {} |", linked(kind), cell(comment.trim())));
        }
    }
    if !rows.is_empty() {
        writeln!(page, "\n| {title} | type | |\n|---|---|---|\n{}", rows.join("\n")).expect("text");
    }
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

fn services() -> String {
    let head = format!("# Services, actions and messages\n\n{MADE}\n\n{SERVICES}");
    let mut page = format!("{head}\n\n## Services\n\n| service | what it does |\n|---|---|\n");
    for (name, interface) in interfaces("srv") {
        let (name, (head, _)) = (snake_case(&name), head_and_parts(&interface));
        let what = head.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        writeln!(page, "| [`{name}`](#{name}) | {what} |").expect("text");
    }
    let mut add = |kind: &str, title: &str, names: &[&str], snake: bool| {
        if !title.is_empty() {
            writeln!(page, "\n## {title}").expect("text");
        }
        for (name, interface) in interfaces(kind) {
            let shown = if snake { snake_case(&name) } else { name.clone() };
            let (head, parts) = head_and_parts(&interface);
            writeln!(page, "\n### {shown}\n\n`robot_memory/{kind}/{name}`\n\n{head}")
                .expect("text");
            for (part, title) in parts.iter().zip(names) {
                fields(&mut page, title, part);
            }
        }
    };
    add("srv", "", &["request", "response"], true);
    add("action", "Actions", &["goal", "result", "feedback"], true);
    add("msg", "Messages", &["field"], false);
    page
}

fn parameter(declaration: &Declaration) -> String {
    let kind = declaration.default.type_name().split_once(' ').expect("an article").1;
    let values = match declaration.bounds {
        Bounds::Any => String::new(),
        Bounds::Integers(min, i64::MAX) => format!(", {min} or more"),
        other => format!(", {}", cell(&other.to_string())),
    };
    let read = if declaration.read_only { "" } else { " Can be set at any time." };
    let Declaration { name, default, description, .. } = declaration;
    let what = cell(description);
    format!("| `{name}` | `{default}` | {kind}{values} | {what}{read} |\n")
}

fn parameters() -> String {
    let rows: String = DECLARATIONS.iter().map(parameter).collect();
    format!(
        "# Parameters\n\n{MADE}\n\n{PARAMETERS}\n\n\
         | name | default | values | what it does |\n|---|---|---|---|\n{rows}"
    )
}

/// A number with its digits in groups of three.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).expect("digits"))
        .collect();
    groups.join(" ")
}

fn limit_rows() -> String {
    // Their texts are Markdown, with links of rustdoc.
    let plain = |text: &str| text.trim().replace("[`", "`").replace("`]", "`").replace('|', "\\|");
    let row = |(name, value, text): &(&str, u64, &str)| {
        format!("| `{name}` | {} | {} |\n", grouped(*value), plain(text))
    };
    limits::ALL.iter().map(row).collect()
}

fn pages() -> Vec<(&'static str, String)> {
    let errors: String =
        ErrorKind::ALL.iter().map(|kind| format!("| `{kind}` | {} |\n", kind.advice())).collect();
    let topics: String = TOPICS
        .iter()
        .map(|topic| {
            let (name, kind) = (topic.name, topic.kind);
            format!("| `{name}` | `{kind}` | {} | {} |\n", topic.qos, topic.description)
        })
        .collect();
    vec![
        ("services", services()),
        ("parameters", parameters()),
        (
            "limits",
            format!(
                "# Limits\n\n{MADE}\n\n{LIMITS}\n\n| name | value | what, and why |\n|---|---:|---|\n{}",
                limit_rows()
            ),
        ),
        (
            "errors",
            format!(
                "# Errors\n\n{MADE}\n\n{ERRORS}\n\n| `error_code` | what the caller can do |\n|---|---|\n{errors}"
            ),
        ),
        (
            "topics",
            format!(
                "# Topics\n\n{MADE}\n\n{TOPICS_HEAD}\n\n| topic | type | QoS | what |\n|---|---|---|---|\n{topics}"
            ),
        ),
    ]
}

#[test]
fn the_reference_pages_are_those_of_the_declarations() {
    let folder = root().join("docs/reference");
    let mut differing = Vec::new();
    for (name, page) in pages() {
        let path = folder.join(format!("{name}.md"));
        if std::env::var_os("UPDATE_REFERENCE").is_some() {
            std::fs::create_dir_all(&folder).expect("docs/reference");
            std::fs::write(&path, &page).expect("a page");
        } else if std::fs::read_to_string(&path).unwrap_or_default() != page {
            differing.push(name);
        }
    }
    assert!(
        differing.is_empty(),
        "{differing:?}: run UPDATE_REFERENCE=1 cargo test --test it reference"
    );
}

#[test]
fn numbers_are_grouped_and_cells_are_plain() {
    assert_eq!([7, 1_000, 65_536].map(grouped), ["7", "1 000", "65 536"]);
    assert_eq!(cell("global | group:<id>; [\"*\"]"), r#"global \| group:\<id\>; \["\*"\]"#);
}

/// The texts that stand behind a call in the source, as its first argument that is a literal.
fn named(folder: &Path, call: &str, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            named(&path, call, found);
            continue;
        }
        for rest in text(&path).split(call).skip(1) {
            let name = rest.split_once('(').and_then(|(_, rest)| rest.strip_prefix('"'));
            found.extend(name.and_then(|name| Some(name.split_once('"')?.0.to_owned())));
        }
    }
}

#[test]
fn the_topics_are_those_that_the_node_publishes() {
    let mut published = BTreeSet::new();
    named(&root().join("src/faces/ros"), "create_publisher", &mut published);
    let declared: BTreeSet<String> = TOPICS
        .iter()
        .filter(|topic| !topic.qos.ends_with("subscribed"))
        .map(|topic| topic.name.to_owned())
        .collect();
    assert_eq!(published, declared);
}
