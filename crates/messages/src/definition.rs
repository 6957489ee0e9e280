//! The text of a `.msg` file, and several of them joined as in MCAP's `ros2msg`.

use super::layout::{Count, Primitive};
use super::type_name::{TypeName, is_identifier};
use robot_memory_core::limits::{DEFINITION_BYTES_MAX, DEFINITION_DEPTH_MAX};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Why the definition of a message type cannot be used.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// The name is not one of a type.
    #[error("{name:?} is no message type: it must be like sensor_msgs/msg/JointState")]
    Name {
        /// What was given.
        name: String,
    },
    /// The text is longer than any real one.
    #[error(
        "{type_name}: the definition has more than {DEFINITION_BYTES_MAX} bytes, with those of the \
         types it is made of"
    )]
    TooLong { type_name: String },
    /// A line is not understood.
    #[error("{type_name}, line {line} of its definition: {reason}")]
    Line {
        /// The type in whose own definition the line is.
        type_name: String,
        /// From 1, within that type's definition.
        line: usize,
        /// What is wrong, with what was given.
        reason: String,
    },
    /// A nested type has no definition.
    #[error("{type_name}: its field {field} is a {nested}, which is not defined beside it")]
    NotDefined {
        /// The type that needs the other.
        type_name: String,
        field: String,
        /// The type that is not there.
        nested: String,
    },
    /// A type contains itself, or types lie too deep in each other.
    #[error("{type_name} is nested more than {DEFINITION_DEPTH_MAX} types deep, or in itself")]
    TooDeep {
        /// The type at which it was seen.
        type_name: String,
    },
    /// There is no such file.
    #[error("there is no definition of {type_name}: {}", missing_file(.type_name, .folders))]
    NoFile {
        type_name: String,
        /// Where it was looked for.
        folders: Vec<PathBuf>,
    },
    /// A file cannot be read.
    #[error("the definition of {type_name} in {} cannot be read: {source}", path.display())]
    Read { type_name: String, path: PathBuf, source: std::io::Error },
}

fn missing_file(type_name: &str, folders: &[PathBuf]) -> String {
    let Some(first) = folders.first() else {
        return "no share folder of ROS was given to look in".to_owned();
    };
    let file = TypeName::parse(type_name).map(|name| file_of(&name)).unwrap_or_default();
    match folders.len() - 1 {
        0 => format!("no file {}", first.join(file).display()),
        more => {
            format!("no file {}, nor in {more} other share folders", first.join(file).display())
        }
    }
}

/// Where a type's definition is below a share folder.
pub(super) fn file_of(name: &TypeName) -> PathBuf {
    [name.package(), name.folder(), &format!("{}.msg", name.name())].iter().collect()
}

/// One type as its text says it.
#[derive(Debug, Clone)]
pub(super) struct Definition {
    pub name: TypeName,
    pub fields: Vec<DefinedField>,
}

#[derive(Debug, Clone)]
pub(super) struct DefinedField {
    pub name: String,
    pub kind: DefinedKind,
    pub count: Count,
}

#[derive(Debug, Clone)]
pub(super) enum DefinedKind {
    Primitive(Primitive),
    Text,
    WideText,
    Nested(TypeName),
}

/// What follows the line that separates two definitions.
const MARK: &str = "MSG: ";

/// The line between two definitions, as rosbag2 writes it.
pub(super) const SEPARATOR: &str =
    "================================================================================";

/// Joins the definition of a nested type to that of the type it is nested in.
pub(super) fn append(text: &mut String, name: &TypeName, definition: &str) {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(SEPARATOR);
    text.push('\n');
    text.push_str(MARK);
    text.push_str(&format!("{}/{}\n", name.package(), name.name()));
    text.push_str(definition);
}

/// Takes joined definitions apart; the first one is of `root`.
pub(super) fn parse_all(root: TypeName, text: &str) -> Result<Vec<Definition>, DefinitionError> {
    if text.len() > DEFINITION_BYTES_MAX {
        return Err(DefinitionError::TooLong { type_name: root.to_string() });
    }
    let mut definitions = Vec::new();
    let mut open = OpenDefinition::new(root);
    let mut after_separator = false;
    for line in text.lines() {
        if std::mem::take(&mut after_separator) {
            if line.trim().is_empty() {
                after_separator = true;
                continue;
            }
            let name = line.trim().strip_prefix(MARK).map(str::trim);
            let Some(name) = name.and_then(TypeName::parse) else {
                open.line += 2;
                return Err(open.error(format!(
                    "`MSG: ` and a type's name must follow the line of `=`, not {line:?}"
                )));
            };
            definitions.push(std::mem::replace(&mut open, OpenDefinition::new(name)).definition);
        } else if is_separator(line) {
            after_separator = true;
        } else {
            open.take(line)?;
        }
    }
    definitions.push(open.definition);
    Ok(definitions)
}

fn is_separator(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 20 && line.bytes().all(|byte| byte == b'=')
}

/// A definition while its lines are read.
struct OpenDefinition {
    definition: Definition,
    line: usize,
    names: BTreeSet<String>,
}

impl OpenDefinition {
    fn new(name: TypeName) -> Self {
        Self {
            definition: Definition { name, fields: Vec::new() },
            line: 0,
            names: BTreeSet::new(),
        }
    }

    fn error(&self, reason: String) -> DefinitionError {
        DefinitionError::Line {
            type_name: self.definition.name.to_string(),
            line: self.line,
            reason,
        }
    }

    fn take(&mut self, line: &str) -> Result<(), DefinitionError> {
        self.line += 1;
        match parse_line(line.trim_start_matches('\u{feff}').trim(), &self.definition.name) {
            Ok(None) => Ok(()),
            Ok(Some(field)) if !self.names.insert(field.name.clone()) => {
                Err(self.error(format!("there are two fields named {}", field.name)))
            }
            Ok(Some(field)) => {
                self.definition.fields.push(field);
                Ok(())
            }
            Err(reason) => Err(self.error(reason)),
        }
    }
}

/// A field; `None` for what has no place in a message: comments and constants.
fn parse_line(line: &str, of: &TypeName) -> Result<Option<DefinedField>, String> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (type_text, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim_start();
    let end = rest
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if !is_identifier(name) {
        return Err(format!("a type and a name are needed, not {line:?}"));
    }
    let (kind, count) = parse_type(type_text, of)?;
    if rest.trim_start().starts_with('=') {
        return Ok(None);
    }
    // What else follows is a default, which a message that is already there does not need.
    if !rest.is_empty() && !rest.starts_with(|next: char| next.is_whitespace() || next == '#') {
        return Err(format!("{:?} cannot be in a name", rest.chars().next().unwrap_or_default()));
    }
    Ok(Some(DefinedField { name: name.to_owned(), kind, count }))
}

fn parse_type(text: &str, of: &TypeName) -> Result<(DefinedKind, Count), String> {
    let (base, count) = match text.split_once('[') {
        None => (text, Count::One),
        Some((base, rest)) => {
            let Some(inside) = rest.strip_suffix(']') else {
                return Err(format!("the array {text:?} has no `]` at its end"));
            };
            let number = |digits: &str| {
                digits.parse::<u32>().ok().filter(|&count| count > 0).map(|count| count as usize)
            };
            let count = match inside.strip_prefix("<=") {
                _ if inside.is_empty() => Some(Count::Sequence(None)),
                Some(bound) => number(bound).map(|count_max| Count::Sequence(Some(count_max))),
                None => number(inside).map(Count::Fixed),
            };
            let Some(count) = count else {
                return Err(format!("{inside:?} is no length of an array: [], [3] or [<=3] is"));
            };
            (base, count)
        }
    };
    let kind = match base.split_once("<=") {
        Some(("string", bound)) if bound.parse::<u32>().is_ok() => DefinedKind::Text,
        Some(("wstring", bound)) if bound.parse::<u32>().is_ok() => DefinedKind::WideText,
        Some(_) => return Err(format!("{base:?} is no type: string<=10 is")),
        None if base == "string" => DefinedKind::Text,
        None if base == "wstring" => DefinedKind::WideText,
        None => match Primitive::parse(base) {
            Some(primitive) => DefinedKind::Primitive(primitive),
            None => DefinedKind::Nested(
                of.resolve(base).ok_or_else(|| format!("{base:?} is no name of a type"))?,
            ),
        },
    };
    Ok((kind, count))
}
