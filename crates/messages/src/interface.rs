use super::definition::{
    self, DefinedField, DefinedKind, Definition, DefinitionError, append, file_of,
};
use super::layout::{Count, Field, Kind, Primitive, Structure};
use super::type_name::TypeName;
use robot_memory_core::limits::{DEFINITION_BYTES_MAX, DEFINITION_DEPTH_MAX};
use robot_memory_core::regular_file;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A message type and all that it is made of: how to read its messages. Cheap to clone.
#[derive(Clone, PartialEq)]
pub struct Interface {
    name: TypeName,
    definition: Arc<str>,
    root: Arc<Structure>,
}

impl Interface {
    /// Compiles the definition of a type: the text of its `.msg` file, and for each type that is
    /// nested in it a line of 80 `=`, a line `MSG: pkg/Type` and that type's text (the form of
    /// MCAP's schemas with the encoding `ros2msg`). `builtin_interfaces/Time` and `Duration` are
    /// known when they are not there.
    ///
    /// # Errors
    /// The name is no type's, a line is not understood, or a nested type is not defined.
    pub fn parse(type_name: &str, definition: &str) -> Result<Self, DefinitionError> {
        let name = parse_name(type_name)?;
        let definitions = definition::parse_all(name.clone(), definition)?;
        let mut compiler = Compiler::default();
        for definition in &definitions {
            compiler.definitions.entry(definition.name.as_str()).or_insert(definition);
        }
        let (root, _) = compiler.compile(&definitions[0], 1)?;
        Ok(Self { name, definition: definition.into(), root })
    }

    /// Reads `<share>/<pkg>/msg/<Type>.msg` of a type and of all that is nested in it. Each is taken
    /// from the first of the folders that has it. That of an action's feedback, `pkg/action/Type_FeedbackMessage`,
    /// is in the action's file.
    ///
    /// # Errors
    /// As of [`Interface::parse`], or a file is not there or cannot be read.
    pub fn load(type_name: &str, share_folders: &[PathBuf]) -> Result<Self, DefinitionError> {
        let name = parse_name(type_name)?;
        let action = name.name().strip_suffix("_FeedbackMessage");
        if let Some(action) = action.filter(|_| name.folder() == "action") {
            let action = parse_name(&format!("{}/action/{action}", name.package()))?;
            return Self::load_part(&action, Part::Feedback, share_folders);
        }
        let text = read(&name, &file_of(&name), share_folders)?;
        let seen = BTreeSet::from([name.clone()]);
        Self::with_nested(name, text, seen, share_folders)
    }

    /// Reads `<share>/<pkg>/action/<Type>.action` of an action's type: what its server answers who asks for
    /// the result of a goal, the number of its `status` and the `result`.
    ///
    /// # Errors
    /// As of [`Interface::load`].
    pub fn load_result(
        action_type: &str,
        share_folders: &[PathBuf],
    ) -> Result<Self, DefinitionError> {
        Self::load_part(&parse_name(action_type)?, Part::Result, share_folders)
    }

    /// What is generated of one part of an action's file, with what stands before it.
    fn load_part(
        action: &TypeName,
        part: Part,
        share_folders: &[PathBuf],
    ) -> Result<Self, DefinitionError> {
        let (package, name) = (action.package(), action.name());
        let (parts_before, before, own, whole) = match part {
            Part::Result => (1, "int8 status", "Result", "GetResult_Response"),
            Part::Feedback => {
                (2, "unique_identifier_msgs/UUID goal_id", "Feedback", "FeedbackMessage")
            }
        };
        let path: PathBuf = [package, "action", &format!("{name}.action")].iter().collect();
        let text = read(action, &path, share_folders)?;
        let lines: Vec<&str> = text.lines().collect();
        let fields = lines.split(|line| line.trim() == "---").nth(parts_before).unwrap_or_default();
        let nested = parse_name(&format!("{package}/msg/{name}_{own}"))?;
        let mut message = format!("{before}\n{name}_{own} {}\n", own.to_ascii_lowercase());
        append(&mut message, &nested, &fields.join("\n"));
        let name = parse_name(&format!("{package}/action/{name}_{whole}"))?;
        Self::with_nested(name.clone(), message, BTreeSet::from([name, nested]), share_folders)
    }

    /// Compiles a definition, with the nested types that it does not have itself from their files.
    fn with_nested(
        name: TypeName,
        mut text: String,
        mut seen: BTreeSet<TypeName>,
        share_folders: &[PathBuf],
    ) -> Result<Self, DefinitionError> {
        let mut waiting = nested(&name, &text)?;
        waiting.reverse();
        while let Some(nested_name) = waiting.pop() {
            if !seen.insert(nested_name.clone()) {
                continue;
            }
            let nested_text = match read(&nested_name, &file_of(&nested_name), share_folders) {
                Err(DefinitionError::NoFile { .. }) if builtin(&nested_name).is_some() => continue,
                read => read?,
            };
            waiting.extend(nested(&nested_name, &nested_text)?.into_iter().rev());
            append(&mut text, &nested_name, &nested_text);
            if text.len() > DEFINITION_BYTES_MAX {
                return Err(DefinitionError::TooLong { type_name: name.to_string() });
            }
        }
        Self::parse(name.as_str(), &text)
    }

    /// `sensor_msgs/msg/JointState`.
    pub fn type_name(&self) -> &str {
        self.name.as_str()
    }

    /// Whether a field of it, or of what is nested in it, is a text.
    pub fn has_text(&self) -> bool {
        self.root.has_text
    }

    /// The definition with those of all nested types, in the form that [`Interface::parse`] takes.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    pub(super) fn root(&self) -> &Arc<Structure> {
        &self.root
    }

    /// Whether its first field is a `header` of the type `std_msgs/msg/Header`.
    pub fn has_header(&self) -> bool {
        self.begins_with_header()
            && self.root.fields.first().is_some_and(|first| first.name == "header")
    }

    /// Whether its first field is a `std_msgs/msg/Header`, whatever it is called.
    pub fn begins_with_header(&self) -> bool {
        self.root.fields.first().is_some_and(|first| {
            first.count == Count::One && first.kind.name() == "std_msgs/msg/Header"
        })
    }

    /// Its fields with their types, as an error message shows them: `header (std_msgs/msg/Header)`.
    pub fn fields_text(&self) -> String {
        self.root.fields_text()
    }
}

/// A part of an action's file of which a message is made.
#[derive(Debug, Clone, Copy)]
enum Part {
    Result,
    Feedback,
}

/// Shows no more than the name: definitions are long.
impl fmt::Debug for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interface").field(&self.name.as_str()).finish()
    }
}

fn parse_name(type_name: &str) -> Result<TypeName, DefinitionError> {
    TypeName::parse(type_name)
        .ok_or_else(|| DefinitionError::Name { name: type_name.chars().take(100).collect() })
}

/// The types that a definition names, in the order of their first mention.
fn nested(name: &TypeName, text: &str) -> Result<Vec<TypeName>, DefinitionError> {
    let definitions = definition::parse_all(name.clone(), text)?;
    let fields = definitions.into_iter().flat_map(|definition| definition.fields);
    Ok(fields
        .filter_map(|field| match field.kind {
            DefinedKind::Nested(name) => Some(name),
            _ => None,
        })
        .collect())
}

fn read(
    name: &TypeName,
    file: &Path,
    share_folders: &[PathBuf],
) -> Result<String, DefinitionError> {
    for folder in share_folders {
        let path = folder.join(file);
        let mut bytes = Vec::new();
        let read = regular_file::open(&path)
            .and_then(|file| file.take(DEFINITION_BYTES_MAX as u64 + 1).read_to_end(&mut bytes));
        match read {
            Ok(_) if bytes.len() > DEFINITION_BYTES_MAX => {
                return Err(DefinitionError::TooLong { type_name: name.to_string() });
            }
            // Comments may be in any encoding; names are ASCII.
            Ok(_) => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(source) => {
                return Err(DefinitionError::Read { type_name: name.to_string(), path, source });
            }
        }
    }
    Err(DefinitionError::NoFile { type_name: name.to_string(), folders: share_folders.to_vec() })
}

/// The types that some writers of bags take for granted.
fn builtin(name: &TypeName) -> Option<Definition> {
    let seconds = match name.as_str() {
        "builtin_interfaces/msg/Time" | "builtin_interfaces/msg/Duration" => Primitive::I32,
        _ => return None,
    };
    let field = |name: &str, primitive| DefinedField {
        name: name.to_owned(),
        kind: DefinedKind::Primitive(primitive),
        count: Count::One,
    };
    let fields = vec![field("sec", seconds), field("nanosec", Primitive::U32)];
    Some(Definition { name: name.clone(), fields })
}

/// Structures as they are made; those that are nested before those they are nested in.
#[derive(Default)]
struct Compiler<'a> {
    definitions: BTreeMap<&'a str, &'a Definition>,
    /// With how many types are in each other, itself among them.
    compiled: BTreeMap<String, (Arc<Structure>, usize)>,
}

impl Compiler<'_> {
    fn compile(
        &mut self,
        definition: &Definition,
        depth: usize,
    ) -> Result<(Arc<Structure>, usize), DefinitionError> {
        let type_name = definition.name.to_string();
        if let Some(compiled) = self.compiled.get(&type_name) {
            return Ok(compiled.clone());
        }
        if depth > DEFINITION_DEPTH_MAX {
            return Err(DefinitionError::TooDeep { type_name });
        }
        let mut height = 1;
        let mut fields = Vec::with_capacity(definition.fields.len());
        for field in &definition.fields {
            let kind = match &field.kind {
                DefinedKind::Primitive(primitive) => Kind::Primitive(*primitive),
                DefinedKind::Text => Kind::Text,
                DefinedKind::WideText => Kind::WideText,
                DefinedKind::Nested(name) => {
                    let builtin = builtin(name);
                    let known = self.definitions.get(name.as_str()).copied();
                    let nested =
                        known.or(builtin.as_ref()).ok_or_else(|| DefinitionError::NotDefined {
                            type_name: type_name.clone(),
                            field: field.name.clone(),
                            nested: name.to_string(),
                        })?;
                    let (structure, nested_height) = self.compile(nested, depth + 1)?;
                    height = height.max(nested_height + 1);
                    Kind::Structure(structure)
                }
            };
            fields.push(Field { name: field.name.clone(), kind, count: field.count });
        }
        if height > DEFINITION_DEPTH_MAX {
            return Err(DefinitionError::TooDeep { type_name });
        }
        // IDL knows no empty structure: the generators put one byte into it.
        let sum =
            |of: fn(&Field) -> usize| fields.iter().map(of).fold(0, usize::saturating_add).max(1);
        let size_min = sum(Field::size_min);
        let values_count = sum(|field| match field.count {
            Count::One => field.kind.values_count(),
            _ => 1,
        });
        let has_text = fields.iter().any(|field| field.kind.has_text());
        let structure =
            Structure { type_name: type_name.clone(), fields, size_min, values_count, has_text };
        let compiled = (Arc::new(structure), height);
        self.compiled.insert(type_name, compiled.clone());
        Ok(compiled)
    }
}
