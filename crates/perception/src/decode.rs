//! From the bytes of a message to what it says.
//!
//! Types that robots use most are known by themselves; any other is read by its definition and a
//! path to what counts in it.

mod clock;
mod field;
mod header;
mod images;
mod imu;
mod joint_state;
mod multi_array;
mod number;
mod pose;
mod string;
mod tf_message;
mod wrench;

pub use clock::stamp_of_clock;

use super::{Sample, Value};
use header::Header;
use robot_memory_core::limits::MESSAGE_NUMBERS_MAX;
use robot_memory_messages::{CdrError, CdrReader, FieldError, Interface, Primitive, TypeName};
use std::fmt;

/// Why messages of a type cannot be decoded, or one of them cannot.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// The name is not one of a type.
    #[error("{0:?} is no message type: it must be like sensor_msgs/msg/JointState")]
    Name(String),
    /// The type is only known by its definition, and none was given.
    #[error("the definition of {0} is needed, and is not there")]
    NoDefinition(String),
    /// The type is only known by its definition, and nobody said what counts in it.
    #[error("`field` must say what in a {type_name} is listened to; it has {fields}")]
    NoField {
        /// The type.
        type_name: String,
        /// Its fields with their types.
        fields: String,
    },
    /// The path leads to nothing that can be used.
    #[error("`field`: {0}")]
    Field(#[from] FieldError),
    /// One message cannot be used.
    #[error("a {type_name}: {fault}")]
    Message {
        /// Its type.
        type_name: String,
        /// What is wrong with it.
        fault: Fault,
    },
}

/// Why one message cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Fault {
    /// Its bytes are no such message.
    #[error(transparent)]
    Cdr(#[from] CdrError),
    /// It holds no number at all.
    #[error("there is no number in it")]
    Empty,
    /// It holds more than is taken.
    #[error("it has {count} {what}, and at most {MESSAGE_NUMBERS_MAX} are taken")]
    TooMany {
        /// Numbers, or transforms.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
    /// A pose or transform with a number that is none.
    #[error("{0} is not finite")]
    NotFinite(&'static str),
    /// An image without pixels.
    #[error("an image of {width} x {height} pixels shows nothing")]
    NoPixels {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// An image shorter than it says.
    #[error("{height} rows of {step} bytes are more than the {given} bytes of data")]
    PixelsMissing {
        /// Rows.
        height: u32,
        /// Bytes of a row.
        step: u32,
        /// Bytes there are.
        given: usize,
    },
}

/// Decodes the messages of one topic.
#[derive(Debug)]
pub struct Decoder {
    type_name: TypeName,
    decode: Box<dyn Decode>,
}

impl Decoder {
    /// A decoder for a type. One that is known ([`is_known`]) needs neither a definition nor a path;
    /// with a path it is read as any other type: its numbers are [`super::LayoutKind::Plain`].
    ///
    /// # Errors
    /// The type is not known and its definition or a path is missing, or the path names nothing.
    pub fn new(
        type_name: &str,
        interface: Option<&Interface>,
        field: Option<&str>,
    ) -> Result<Self, DecodeError> {
        let Some(type_name) = TypeName::parse(type_name) else {
            return Err(DecodeError::Name(type_name.chars().take(100).collect()));
        };
        let field = field.filter(|field| !is_all_of_std_msgs(&type_name, field));
        let decode = match (field, known(&type_name), interface) {
            (None, Some(decode), _) => decode,
            (_, _, None) => return Err(DecodeError::NoDefinition(type_name.to_string())),
            (None, None, Some(interface)) => {
                return Err(DecodeError::NoField {
                    type_name: type_name.to_string(),
                    fields: interface.fields_text(),
                });
            }
            (Some(field), _, Some(interface)) => Box::new(field::Field::new(interface, field)?),
        };
        Ok(Self { type_name, decode })
    }

    /// What a message says: CDR with its header of four bytes.
    ///
    /// # Errors
    /// It is not of the type, not whole, or says nothing that can be used.
    pub fn decode(&mut self, message: &[u8]) -> Result<Sample, DecodeError> {
        self.decode
            .decode(message)
            .map_err(|fault| DecodeError::Message { type_name: self.type_name.to_string(), fault })
    }
}

/// Whether messages of a type are decoded without a definition.
pub fn is_known(type_name: &str) -> bool {
    TypeName::parse(type_name).is_some_and(|type_name| known(&type_name).is_some())
}

/// Decodes one type; keeps what stays the same from message to message.
trait Decode: fmt::Debug + Send + Sync {
    fn decode(&mut self, message: &[u8]) -> Result<Sample, Fault>;
}

/// Reads what a message says behind its header, or all of one that has none.
trait Body: fmt::Debug + Send + Sync {
    fn read(&mut self, reader: &mut CdrReader<'_>) -> Result<Value, Fault>;
}

/// Read alike in every message.
#[derive(Debug)]
struct Alike(fn(&mut CdrReader<'_>) -> Result<Value, Fault>);

impl Body for Alike {
    fn read(&mut self, reader: &mut CdrReader<'_>) -> Result<Value, Fault> {
        (self.0)(reader)
    }
}

/// A type that begins with a header, or has none.
#[derive(Debug)]
struct Whole<B> {
    header: Option<Header>,
    body: B,
}

impl<B: Body> Decode for Whole<B> {
    fn decode(&mut self, message: &[u8]) -> Result<Sample, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = match &mut self.header {
            Some(header) => header.read(&mut reader)?,
            None => Default::default(),
        };
        Ok(Sample { stamp, frame_id, value: self.body.read(&mut reader)? })
    }
}

fn stamped(body: impl Body + 'static) -> Box<dyn Decode> {
    Box::new(Whole { header: Some(Header::default()), body })
}

fn bare(body: impl Body + 'static) -> Box<dyn Decode> {
    Box::new(Whole { header: None, body })
}

/// Whether a path means what is read of this type without one.
fn is_all_of_std_msgs(type_name: &TypeName, field: &str) -> bool {
    type_name.package() == "std_msgs" && matches!(field, "data" | "data[*]")
}

fn known(type_name: &TypeName) -> Option<Box<dyn Decode>> {
    if type_name.folder() != "msg" {
        return None;
    }
    Some(match (type_name.package(), type_name.name()) {
        ("geometry_msgs", "PoseStamped") => stamped(Alike(pose::pose)),
        ("geometry_msgs", "PoseWithCovarianceStamped") => {
            stamped(Alike(pose::pose_with_covariance))
        }
        ("geometry_msgs", "Wrench") => bare(wrench::Wrench::default()),
        ("geometry_msgs", "WrenchStamped") => stamped(wrench::Wrench::default()),
        ("nav_msgs", "Odometry") => stamped(Alike(pose::odometry)),
        ("rosgraph_msgs", "Clock") => Box::<clock::Clock>::default(),
        ("sensor_msgs", "CompressedImage") => stamped(Alike(images::compressed)),
        ("sensor_msgs", "Image") => stamped(Alike(images::raw)),
        ("sensor_msgs", "Imu") => stamped(imu::Imu::default()),
        ("sensor_msgs", "JointState") => stamped(joint_state::JointState::default()),
        ("std_msgs", "Bool") => bare(Alike(|reader| Ok(Value::Bool(reader.bool()?)))),
        ("std_msgs", "String") => bare(Alike(string::string)),
        ("std_msgs", name) => match name.strip_suffix("MultiArray") {
            Some(element) => bare(multi_array::MultiArray::new(std_number(element)?)),
            None => bare(number::Number::new(std_number(name)?)),
        },
        ("tf2_msgs", "TFMessage") => bare(Alike(tf_message::transforms)),
        _ => return None,
    })
}

/// What `data` is made of in the messages of `std_msgs` with one number, or an array of them.
fn std_number(name: &str) -> Option<Primitive> {
    Some(match name {
        "Byte" | "Char" | "UInt8" => Primitive::U8,
        "Int8" => Primitive::I8,
        "UInt16" => Primitive::U16,
        "Int16" => Primitive::I16,
        "UInt32" => Primitive::U32,
        "Int32" => Primitive::I32,
        "UInt64" => Primitive::U64,
        "Int64" => Primitive::I64,
        "Float32" => Primitive::F32,
        "Float64" => Primitive::F64,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
