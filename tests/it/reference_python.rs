//! The operations of the Python client: made from the declarations. `UPDATE_REFERENCE=1 cargo test --test it reference`
//! writes them; without it the test fails where they differ.

use crate::rust_types::{Declared, Field, declarations};
use robot_memory_core::api::{self, Operation};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const PACKAGE: &str = "python/robot_memory_client";

/// Columns of a line of documentation.
const COLUMNS: usize = 100;

const HEAD: &str = r#""""The operations of the node, one method each, and what they answer.

Made by `UPDATE_REFERENCE=1 cargo test --test it reference`: change the declarations instead.
Fields of answers are described in docs/reference/services.md. A field of an answer that is not given is None, or an
empty text; times are texts in RFC 3339.
"""

from datetime import datetime
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, Union, cast

VERSION = '{version}'
"""Of the node that this client was made with."""

Json = Union[str, Mapping[str, Any], Sequence[Any]]
"""An object or a list, or a text that is one; an empty text: not given."""

Time = Union[datetime, int]
"""With its time zone, or in nanoseconds since 1970."""
"#;

const CLASS: &str = r#"

class Operations:
    """The operations. What is not given has the default of the service."""

    def _call(
        self, operation: str, repeatable: bool, fields: Sequence[Tuple[str, Any, Any]]
    ) -> Any:
        """Call an operation with the fields, each with its default, that differ from it.

        `repeatable`: it may be called again when it is not known whether it was done.
        """
        raise NotImplementedError
"#;

/// An operation, as it is declared.
struct Described {
    name: &'static str,
    /// Of its `.srv` file.
    service: &'static str,
    reads: bool,
    request: &'static str,
    response: &'static str,
    default: Value,
    /// The fields of the request in their order, each with what it holds.
    fields: Vec<(&'static str, &'static str)>,
}

macro_rules! described {
    ($($queue:ident $op:ident($request:ident) -> $response:ident $(in $field:ident)?;)+) => {
        vec![$(Described {
            name: api::$op::NAME,
            service: if stringify!($op) == "GetStatus" { "Status" } else { stringify!($op) },
            reads: stringify!($queue) == "reads",
            request: stringify!($request),
            response: stringify!($response),
            default: serde_json::to_value(api::$request::default()).expect("it serializes"),
            fields: robot_memory_core::$request! { marks },
        }),+]
    };
}

macro_rules! marks {
    ({ $($field:ident [$($kind:ident $($part:ident)?)?]),+ }) => {
        vec![$((stringify!($field), stringify!($($kind)?))),+]
    };
}

/// Which way a value goes: a key of an object may be left out by whoever writes it.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Asked,
    Answered,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What stands in the angle brackets of a type.
fn inner<'t>(kind: &'t str, outer: &str) -> Option<&'t str> {
    kind.strip_prefix(outer)?.strip_prefix('<')?.strip_suffix('>')
}

/// The type in Python of a value in JSON; names what it needs declared.
fn python_type(field: &Field, way: Way, needed: &mut Vec<String>) -> String {
    let optional = |kind: &str| match inner(&field.kind, "Option") {
        Some(_) => format!("Optional[{kind}]"),
        None => kind.to_owned(),
    };
    let written = |by: &str| field.attributes.contains(&format!("serialize_with = \"{by}\""));
    match way {
        Way::Answered if written("crate::json::stored") => return "Any".to_owned(),
        Way::Answered if written("super::hit::counts") => return "Dict[str, int]".to_owned(),
        Way::Answered if written("crate::json::base64") => return "str".to_owned(),
        Way::Answered if written("crate::json::time") || written("crate::json::millis") => {
            return optional("str");
        }
        _ => assert!(!field.attributes.contains("serialize_with"), "{}", field.attributes),
    }
    plain_type(&field.kind, needed)
}

fn plain_type(kind: &str, needed: &mut Vec<String>) -> String {
    if let Some(kind) = inner(kind, "Option") {
        return format!("Optional[{}]", plain_type(kind, needed));
    }
    if let Some(kind) = inner(kind, "Vec") {
        return format!("List[{}]", plain_type(kind, needed));
    }
    let known = match kind {
        "String" | "Scope" => "str",
        "i64" | "u64" | "i32" | "u32" => "int",
        "f64" | "f32" => "float",
        "bool" => "bool",
        "Stamp" => "Time",
        other => {
            needed.push(other.to_owned());
            return other.to_owned();
        }
    };
    known.to_owned()
}

/// The declarations in Python, those that others need first.
struct Types {
    declared: BTreeMap<String, Declared>,
    written: BTreeSet<String>,
    page: String,
}

impl Types {
    /// Writes a type, unless it is written.
    fn write(&mut self, name: &str, way: Way) {
        if !self.written.insert(name.to_owned()) {
            return;
        }
        let declared = self.declared.get(name).unwrap_or_else(|| panic!("{name} is not declared"));
        match declared.clone() {
            Declared::Alias(of) => {
                self.write(&of, way);
                write!(self.page, "\n\n{name} = {of}\n").expect("text");
            }
            Declared::Choices(spellings) => {
                let spellings: Vec<String> =
                    spellings.iter().map(|spelling| format!("'{spelling}'")).collect();
                let line = format!("{name} = Literal[{}]", spellings.join(", "));
                let lines = match line.len() > COLUMNS {
                    true => format!("{name} = Literal[\n    {},\n]", spellings.join(",\n    ")),
                    false => line,
                };
                write!(self.page, "\n\n{lines}\n").expect("text");
            }
            Declared::Struct(fields, said) => self.write_struct(name, &fields, &said, way),
        }
    }

    fn write_struct(&mut self, name: &str, fields: &[Field], said: &str, way: Way) {
        let (mut bases, mut always, mut sometimes) = (Vec::new(), String::new(), String::new());
        let may_be_absent = match way {
            Way::Asked => "serde(default",
            Way::Answered => "skip_serializing_if",
        };
        for field in fields {
            if field.attributes.contains("flatten") {
                self.write(&field.kind, way);
                bases.push(field.kind.clone());
                continue;
            }
            let mut needed = Vec::new();
            let kind = python_type(field, way, &mut needed);
            needed.iter().for_each(|name| self.write(name, way));
            let rows = match field.attributes.contains(may_be_absent) {
                true => &mut sometimes,
                false => &mut always,
            };
            writeln!(rows, "    {}: {kind}", field.json_name()).expect("text");
        }
        if bases.is_empty() {
            bases.push("TypedDict".to_owned());
        }
        let mut class = |name: &str, bases: &str, rows: &str, what: &str| {
            let rows = if rows.is_empty() { String::new() } else { format!("\n{rows}") };
            let what =
                wrapped(&format!("\"\"\"{what}\"\"\""), "    ").replace("\n        ", "\n    ");
            write!(self.page, "\n\nclass {name}({bases}):\n{what}{rows}").expect("text");
        };
        if sometimes.is_empty() {
            class(name, &bases.join(", "), &always, said);
        } else {
            let given = format!("_{name}");
            class(&given, &bases.join(", "), &always, "What is always there.");
            class(name, &format!("{given}, total=False"), &sometimes, said);
        }
    }
}

/// Breaks a text between words, each line behind an indent.
fn wrapped(text: &str, indent: &str) -> String {
    let (mut page, mut line) = (String::new(), indent.to_owned());
    for word in text.split_whitespace() {
        if line.len() > indent.len() && line.chars().count() + 1 + word.chars().count() > COLUMNS {
            writeln!(page, "{}", line.trim_end()).expect("text");
            line = format!("{indent}    ");
        }
        if !line.ends_with(' ') {
            line.push(' ');
        }
        line.push_str(word);
    }
    format!("{page}{}\n", line.trim_end())
}

/// What an interface says of an operation, in its paragraphs, and of each field of its request.
fn documentation(service: &str) -> (Vec<String>, BTreeMap<String, String>) {
    let interface = text(&root().join(format!("srv/{service}.srv")));
    let request = interface.split("---\n").next().unwrap_or_default();
    let head = request.lines().take_while(|line| line.starts_with('#'));
    let head: Vec<&str> = head.map(|line| line.trim_start_matches('#').trim()).collect();
    let paragraphs = head.join("\n");
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    let mut last = String::new();
    for line in request.lines().skip(head.len()) {
        let (declared, comment) = line.split_once('#').unwrap_or((line, ""));
        match declared.split_whitespace().nth(1) {
            Some(_) if declared.contains('=') => {}
            Some(name) => {
                last = name.to_owned();
                fields.insert(last.clone(), comment.trim().to_owned());
            }
            None => {
                let said = fields.entry(last.clone()).or_default();
                *said = format!("{said} {}", comment.trim()).trim().to_owned();
            }
        }
    }
    (paragraphs.split("\n\n").map(str::to_owned).collect(), fields)
}

/// A value as Python spells it.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Array(items) if items.is_empty() => "()".to_owned(),
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}

/// The type of a field of a request, for whoever calls.
fn argument_type(field: &Field, mark: &str, types: &mut Types) -> String {
    // Texts that are JSON though nothing of them is stored.
    let is_json = mark == "json" || ["context_filter", "params"].contains(&field.name.as_str());
    if is_json {
        return "Json".to_owned();
    }
    let mut needed = Vec::new();
    let kind = python_type(field, Way::Asked, &mut needed);
    needed.iter().for_each(|name| types.write(name, Way::Asked));
    kind.replace("List[", "Sequence[")
}

fn method(operation: &Described, types: &mut Types) -> String {
    let Described { name, service, reads, request, response, default, fields: marks } = operation;
    let Some(Declared::Struct(fields, _)) = types.declared.get(*request).cloned() else {
        panic!("{request} is not declared")
    };
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let declared: Vec<&str> = marks.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, declared, "{request} is not read as it is declared");
    let (paragraphs, meanings) = documentation(service);
    let (mut arguments, mut said, mut given) = (String::new(), String::new(), String::new());
    for (field, (name, mark)) in fields.iter().zip(marks) {
        let kind = argument_type(field, mark, types);
        let default = literal(&default[name]);
        writeln!(arguments, "        {name}: {kind} = {default},").expect("text");
        writeln!(given, "                ('{name}', {name}, {default}),").expect("text");
        let meaning = meanings.get(*name).unwrap_or_else(|| panic!("{service} has no {name}"));
        let meaning = match *name {
            "agent" => "who calls; empty = whose token it is".to_owned(),
            _ if meaning.is_empty() => format!("see {}", kind.replace("Optional", "")),
            _ if kind.contains("Time") => meaning.replace("zero =", "None ="),
            _ => meaning.clone(),
        };
        said.push_str(&wrapped(&format!("{name}: {meaning}"), "            "));
    }
    let has_key = names.contains(&"idempotency_key");
    let paragraphs = paragraphs
        .iter()
        .map(|paragraph| wrapped(paragraph, "        ").replace("            ", "        "));
    let head = paragraphs.collect::<Vec<_>>().join("\n");
    let head = head.trim_start().replace('\\', "\\\\");
    let repeatable = literal(&Value::Bool(*reads || has_key));
    format!(
        "\n    def {name}(\n        self,\n        *,\n{arguments}    ) -> {response}:\n        \
         \"\"\"{head}\n        Args:\n{}        \"\"\"\n        answer = self._call(\n            \
         '{name}',\n            {repeatable},\n            [\n{given}            ],\n        )\n        \
         return cast({response}, answer)\n",
        said.replace('\\', "\\\\")
    )
}

fn page() -> String {
    let mut declared = declarations(&root().join("crates/core/src"));
    // It writes itself.
    let text =
        |name: &str| Field { name: name.into(), kind: "String".into(), attributes: String::new() };
    let scope = vec![text("scope"), text("scope_id")];
    let what = "Which memories a job is about.".to_owned();
    declared.insert("JobScope".to_owned(), Declared::Struct(scope, what));
    let mut types = Types { declared, written: BTreeSet::new(), page: String::new() };
    let operations = robot_memory_core::operations!(described);
    assert!(operations.len() >= 31, "only {} operations", operations.len());
    let methods: String = operations
        .iter()
        .map(|operation| {
            types.write(operation.response, Way::Answered);
            method(operation, &mut types)
        })
        .collect();
    let head = HEAD.replace("{version}", env!("CARGO_PKG_VERSION"));
    format!("{head}{}{CLASS}{methods}", types.page)
}

#[test]
fn the_operations_of_the_python_client_are_those_of_the_declarations() {
    let path: PathBuf = root().join(PACKAGE).join("src/robot_memory_client/operations.py");
    let page = page();
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, &page).expect("the operations");
    }
    let is_same = std::fs::read_to_string(&path).unwrap_or_default() == page;
    assert!(is_same, "operations.py: run UPDATE_REFERENCE=1 cargo test --test it reference");
}

#[test]
fn the_python_client_has_the_version_of_the_node() {
    let project = text(&root().join(PACKAGE).join("pyproject.toml"));
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(project.lines().any(|line| line == version), "pyproject.toml: not {version}");
}
