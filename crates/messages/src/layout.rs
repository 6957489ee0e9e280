//! What a message is made of, ready to be walked through.

use super::cdr::{CdrError, CdrReader};
use std::sync::Arc;

/// Fields that an error message shows; those of large messages would fill a page.
const FIELDS_SHOWN_MAX: usize = 12;

/// One message type: its fields in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Structure {
    /// `geometry_msgs/msg/Pose`.
    pub type_name: String,
    pub fields: Vec<Field>,
    /// Bytes that one takes at least, without padding; never 0.
    pub size_min: usize,
    /// Values in one, where an array counts as one.
    pub values_count: usize,
    /// Whether there is a text in it, or in what is nested in it.
    pub has_text: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    pub name: String,
    pub kind: Kind,
    pub count: Count,
}

/// What one element of a field is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Primitive(Primitive),
    /// `string`, UTF-8.
    Text,
    /// `wstring`, UTF-16 in four bytes a unit.
    WideText,
    Structure(Arc<Structure>),
}

/// What takes a fixed number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    /// `bool`
    Bool,
    /// `uint8`, `byte`, `char`
    U8,
    /// `int8`
    I8,
    /// `uint16`
    U16,
    /// `int16`
    I16,
    /// `uint32`
    U32,
    /// `int32`
    I32,
    /// `uint64`
    U64,
    /// `int64`
    I64,
    /// `float32`
    F32,
    /// `float64`
    F64,
}

/// How many elements a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    One,
    Fixed(usize),
    /// As many as the message says; no more than this, if it is told.
    Sequence(Option<usize>),
}

impl Primitive {
    /// All of them in their order, with the name in a definition, and the bytes of one.
    const ALL: [(Self, &'static str, usize); 11] = [
        (Self::Bool, "bool", 1),
        (Self::U8, "uint8", 1),
        (Self::I8, "int8", 1),
        (Self::U16, "uint16", 2),
        (Self::I16, "int16", 2),
        (Self::U32, "uint32", 4),
        (Self::I32, "int32", 4),
        (Self::U64, "uint64", 8),
        (Self::I64, "int64", 8),
        (Self::F32, "float32", 4),
        (Self::F64, "float64", 8),
    ];

    /// The type with this name in a definition.
    pub fn parse(name: &str) -> Option<Self> {
        let name = if matches!(name, "byte" | "char") { "uint8" } else { name };
        Self::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(primitive, ..)| primitive)
    }

    /// Its name in a definition.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// Bytes of one, which is also what it is aligned to.
    pub const fn size(self) -> usize {
        Self::ALL[self as usize].2
    }
}

impl Kind {
    /// Bytes that one takes at least.
    pub fn size_min(&self) -> usize {
        match self {
            Self::Primitive(primitive) => primitive.size(),
            Self::Text | Self::WideText => 4,
            Self::Structure(structure) => structure.size_min,
        }
    }

    /// Values in one, where an array counts as one.
    pub fn values_count(&self) -> usize {
        if let Self::Structure(structure) = self { structure.values_count } else { 1 }
    }

    /// Whether it is a text, or has one in it.
    pub fn has_text(&self) -> bool {
        match self {
            Self::Primitive(_) => false,
            Self::Text | Self::WideText => true,
            Self::Structure(structure) => structure.has_text,
        }
    }

    /// Its name in a definition.
    pub fn name(&self) -> &str {
        match self {
            Self::Primitive(primitive) => primitive.name(),
            Self::Text => "string",
            Self::WideText => "wstring",
            Self::Structure(structure) => &structure.type_name,
        }
    }
}

impl Structure {
    /// Its fields with their types, as an error message shows them.
    pub fn fields_text(&self) -> String {
        let shown = self.fields.iter().take(FIELDS_SHOWN_MAX);
        let shown = shown.map(|field| format!("{} ({})", field.name, field.type_text()));
        let more = self.fields.len().saturating_sub(FIELDS_SHOWN_MAX);
        let more = (more > 0).then(|| format!("{more} more"));
        match self.fields.len() {
            0 => "no fields".to_owned(),
            _ => shown.chain(more).collect::<Vec<_>>().join(", "),
        }
    }

    /// Reads its fields in their order.
    pub fn read(
        &self,
        reader: &mut CdrReader<'_>,
        mut read: impl FnMut(&mut CdrReader<'_>, &Field) -> Result<(), CdrError>,
    ) -> Result<(), CdrError> {
        if self.fields.is_empty() {
            reader.u8()?;
        }
        for field in &self.fields {
            read(reader, field).map_err(|error| error.within(&field.name))?;
        }
        Ok(())
    }
}

impl Field {
    /// Bytes that it takes at least.
    pub fn size_min(&self) -> usize {
        match self.count {
            Count::One => self.kind.size_min(),
            Count::Fixed(count) => self.kind.size_min().saturating_mul(count),
            Count::Sequence(_) => 4,
        }
    }

    /// Its type as a definition spells it: `float64[36]`.
    pub fn type_text(&self) -> String {
        let name = self.kind.name();
        match self.count {
            Count::One => name.to_owned(),
            Count::Fixed(count) => format!("{name}[{count}]"),
            Count::Sequence(Some(count_max)) => format!("{name}[<={count_max}]"),
            Count::Sequence(None) => format!("{name}[]"),
        }
    }
}
