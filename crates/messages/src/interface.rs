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
use std::path::PathBuf;
use std::sync::Arc;

/// A message type and all that it is made of: how to read its messages. Cheap to clone.
#[derive(Clone)]
pub struct Interface {
    name: TypeName,
    definition: Arc<str>,
    /// Nested types come before those they are nested in; the last one is the type itself.
    structures: Arc<[Structure]>,
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
        let mut compiler = Compiler {
            definitions: BTreeMap::new(),
            structures: Vec::new(),
            compiled: BTreeMap::new(),
        };
        for definition in &definitions {
            compiler.definitions.entry(definition.name.as_str()).or_insert(definition);
        }
        compiler.compile(&definitions[0], 1)?;
        let structures = compiler.structures.into();
        Ok(Self { name, definition: definition.into(), structures })
    }

    /// Reads `<share>/<pkg>/msg/<Type>.msg` of a type and of all that is nested in it. Each is taken
    /// from the first of the folders that has it.
    ///
    /// # Errors
    /// As of [`Interface::parse`], or a file is not there or cannot be read.
    pub fn load(type_name: &str, share_folders: &[PathBuf]) -> Result<Self, DefinitionError> {
        let name = parse_name(type_name)?;
        let mut text = read(&name, share_folders)?;
        let mut seen = BTreeSet::from([name.clone()]);
        let mut waiting = nested(&name, &text)?;
        waiting.reverse();
        while let Some(nested_name) = waiting.pop() {
            if !seen.insert(nested_name.clone()) {
                continue;
            }
            let nested_text = match read(&nested_name, share_folders) {
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
        self.root().has_text
    }

    /// The definition with those of all nested types, in the form that [`Interface::parse`] takes.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    pub(super) fn structures(&self) -> &Arc<[Structure]> {
        &self.structures
    }

    pub(super) fn root(&self) -> &Structure {
        &self.structures[self.structures.len() - 1]
    }

    /// Whether its first field is a `header` of the type `std_msgs/msg/Header`.
    pub fn has_header(&self) -> bool {
        self.root().fields.first().is_some_and(|first| {
            first.name == "header"
                && first.count == Count::One
                && first.kind.name(&self.structures) == "std_msgs/msg/Header"
        })
    }

    /// Its fields with their types, as an error message shows them: `header (std_msgs/msg/Header)`.
    pub fn fields_text(&self) -> String {
        fields_text(self.root(), &self.structures)
    }
}

/// Shows no more than the name: definitions are long.
impl fmt::Debug for Interface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Interface").field(&self.name.as_str()).finish()
    }
}

impl PartialEq for Interface {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.structures == other.structures
    }
}

/// Fields shown in an error message.
const FIELDS_SHOWN_MAX: usize = 12;

pub(super) fn fields_text(structure: &Structure, structures: &[Structure]) -> String {
    let shown = structure.fields.iter().take(FIELDS_SHOWN_MAX);
    let mut shown: Vec<String> =
        shown.map(|field| format!("{} ({})", field.name, field.type_text(structures))).collect();
    match structure.fields.len() {
        0 => return "no fields".to_owned(),
        count if count > FIELDS_SHOWN_MAX => {
            shown.push(format!("{} more", count - FIELDS_SHOWN_MAX));
        }
        _ => {}
    }
    shown.join(", ")
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

fn read(name: &TypeName, share_folders: &[PathBuf]) -> Result<String, DefinitionError> {
    let file = file_of(name);
    for folder in share_folders {
        let path = folder.join(&file);
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

struct Compiler<'a> {
    definitions: BTreeMap<&'a str, &'a Definition>,
    structures: Vec<Structure>,
    compiled: BTreeMap<String, Compiled>,
}

#[derive(Clone, Copy)]
struct Compiled {
    index: usize,
    /// Types in each other, with itself.
    height: usize,
}

impl Compiler<'_> {
    fn compile(
        &mut self,
        definition: &Definition,
        depth: usize,
    ) -> Result<Compiled, DefinitionError> {
        let type_name = definition.name.to_string();
        if let Some(&compiled) = self.compiled.get(&type_name) {
            return Ok(compiled);
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
                    let compiled = match self.definitions.get(name.as_str()).copied() {
                        Some(nested) => self.compile(nested, depth + 1)?,
                        None => {
                            let nested =
                                builtin(name).ok_or_else(|| DefinitionError::NotDefined {
                                    type_name: type_name.clone(),
                                    field: field.name.clone(),
                                    nested: name.to_string(),
                                })?;
                            self.compile(&nested, depth + 1)?
                        }
                    };
                    height = height.max(compiled.height + 1);
                    Kind::Structure(compiled.index)
                }
            };
            fields.push(Field { name: field.name.clone(), kind, count: field.count });
        }
        if height > DEFINITION_DEPTH_MAX {
            return Err(DefinitionError::TooDeep { type_name });
        }
        let sizes = fields.iter().map(|field| field.size_min(&self.structures));
        // IDL knows no empty structure: the generators put one byte into it.
        let size_min = sizes.fold(0, usize::saturating_add).max(1);
        let values = fields.iter().map(|field| match field.count {
            Count::One => field.kind.values_count(&self.structures),
            _ => 1,
        });
        let values_count = values.fold(0, usize::saturating_add).max(1);
        let compiled = Compiled { index: self.structures.len(), height };
        let has_text = fields.iter().any(|field| field.kind.has_text(&self.structures));
        self.structures.push(Structure {
            type_name: type_name.clone(),
            fields,
            size_min,
            values_count,
            has_text,
        });
        self.compiled.insert(type_name, compiled);
        Ok(compiled)
    }
}
