//! What a message is made of, ready to be walked through.

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Primitive(Primitive),
    /// `string`, UTF-8.
    Text,
    /// `wstring`, UTF-16 in four bytes a unit.
    WideText,
    /// The structure at this index of the interface's.
    Structure(usize),
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
    /// The type with this name in a definition.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "byte" | "char" | "uint8" => Self::U8,
            "int8" => Self::I8,
            "uint16" => Self::U16,
            "int16" => Self::I16,
            "uint32" => Self::U32,
            "int32" => Self::I32,
            "uint64" => Self::U64,
            "int64" => Self::I64,
            "float32" => Self::F32,
            "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Its name in a definition.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::U8 => "uint8",
            Self::I8 => "int8",
            Self::U16 => "uint16",
            Self::I16 => "int16",
            Self::U32 => "uint32",
            Self::I32 => "int32",
            Self::U64 => "uint64",
            Self::I64 => "int64",
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }

    /// Bytes of one, which is also what it is aligned to.
    pub const fn size(self) -> usize {
        match self {
            Self::Bool | Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

impl Kind {
    /// Bytes that one takes at least.
    pub fn size_min(self, structures: &[Structure]) -> usize {
        match self {
            Self::Primitive(primitive) => primitive.size(),
            Self::Text | Self::WideText => 4,
            Self::Structure(index) => structures[index].size_min,
        }
    }

    /// Values in one, where an array counts as one.
    pub fn values_count(self, structures: &[Structure]) -> usize {
        match self {
            Self::Structure(index) => structures[index].values_count,
            _ => 1,
        }
    }

    /// Whether it is a text, or has one in it.
    pub fn has_text(self, structures: &[Structure]) -> bool {
        match self {
            Self::Primitive(_) => false,
            Self::Text | Self::WideText => true,
            Self::Structure(index) => structures[index].has_text,
        }
    }

    /// Its name in a definition.
    pub fn name(self, structures: &[Structure]) -> &str {
        match self {
            Self::Primitive(primitive) => primitive.name(),
            Self::Text => "string",
            Self::WideText => "wstring",
            Self::Structure(index) => &structures[index].type_name,
        }
    }
}

impl Field {
    /// Bytes that it takes at least.
    pub fn size_min(&self, structures: &[Structure]) -> usize {
        match self.count {
            Count::One => self.kind.size_min(structures),
            Count::Fixed(count) => self.kind.size_min(structures).saturating_mul(count),
            Count::Sequence(_) => 4,
        }
    }

    /// Its type as a definition spells it: `float64[36]`.
    pub fn type_text(&self, structures: &[Structure]) -> String {
        let name = self.kind.name(structures);
        match self.count {
            Count::One => name.to_owned(),
            Count::Fixed(count) => format!("{name}[{count}]"),
            Count::Sequence(Some(count_max)) => format!("{name}[<={count_max}]"),
            Count::Sequence(None) => format!("{name}[]"),
        }
    }
}
