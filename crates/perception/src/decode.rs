//! From the bytes of a message to what it says.
//!
//! Types that robots use most are known by themselves; any other is read by its definition and a
//! path to what counts in it.

mod battery;
mod clock;
mod detections;
mod driving;
mod field;
mod header;
mod images;
mod imu;
mod interfaces;
mod joint_state;
mod map;
mod multi_array;
mod number;
mod pose;
mod ranges;
mod reports;
mod string;
mod tf_message;
mod wrench;

pub(super) use battery::{STATUS, charge_of};
pub use clock::stamp_of_clock;
pub use detections::are_detections;
pub(super) use driving::SPEED;
pub(crate) use map::MapMessage;
pub(super) use ranges::NEAREST;

use super::{Quantity, Sample, Selection, Value};
use header::Header;
use robot_memory_core::limits::MESSAGE_NUMBERS_MAX;
use robot_memory_messages::{CdrError, CdrReader, FieldError, Interface, Primitive, TypeName};
use std::fmt;
use std::sync::Arc;

/// Why messages of a type cannot be decoded, or one of them cannot.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// The name is not one of a type.
    #[error("{0:?} is no message type: it must be like sensor_msgs/msg/JointState")]
    Name(String),
    /// The type is only known by its definition, and none was given.
    #[error("the definition of {0} is needed, and is not there")]
    NoDefinition(String),
    /// The type is only known by its definition, and nobody said what counts in it.
    #[error("`field` must name what in a {type_name} is used; it has {fields}")]
    NoField {
        type_name: String,
        /// Its fields with their types.
        fields: String,
    },
    /// Messages of the type do not say which map the robot is in.
    #[error(
        "a {0} does not name a map: std_msgs/String, nav_msgs/MapMetaData and OccupancyGrid do"
    )]
    NoMap(String),
    /// The path leads to nothing that can be used.
    #[error("`field`: {0}")]
    Field(#[from] FieldError),
    /// Records are selected of a type that has none, or by what they do not have.
    #[error("`where`: a {type_name} has no {field:?}{known}")]
    Where {
        type_name: String,
        field: String,
        /// What it has, as the end of a sentence.
        known: String,
    },
    /// One message cannot be used.
    #[error("a {type_name}: {fault}")]
    Message {
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
    /// Records are selected, and it has none of them.
    #[error("no record in it is selected")]
    NotSelected,
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
    /// More detections than can be read.
    #[error("it has more detections than are read of one message")]
    TooManyDetections,
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
pub struct Decoder {
    type_name: TypeName,
    head: Head,
    body: Body,
}

/// What a message begins with.
enum Head {
    Header(Header),
    /// A time, which is passed over by who reads what the message says.
    Time,
    Other,
}

/// Reads what a message says behind its header, or all of one that has none; keeps what stays the
/// same from message to message.
type Body = Box<dyn FnMut(&mut CdrReader<'_>) -> Result<Value, Fault> + Send + Sync>;

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
        Self::selecting(type_name, interface, field, &Selection::default())
    }

    /// The same, that reads of records those that are selected.
    ///
    /// # Errors
    /// As of [`Decoder::new`], or the selection names a field that its records do not have.
    pub fn selecting(
        type_name: &str,
        interface: Option<&Interface>,
        field: Option<&str>,
        selection: &Selection,
    ) -> Result<Self, DecodeError> {
        let Some(type_name) = TypeName::parse(type_name) else {
            return Err(DecodeError::Name(type_name.chars().take(100).collect()));
        };
        let field = field.filter(|field| !is_all_of_std_msgs(&type_name, field));
        if field.is_none() {
            check_selection(&type_name, selection)?;
        }
        let (head, body) = match (field, known(&type_name, selection), interface) {
            (None, Some(known), _) => known,
            (_, _, None) => return Err(DecodeError::NoDefinition(type_name.to_string())),
            (None, None, Some(interface)) if detections::is_of(&type_name) => {
                let body = detections::detections(interface);
                if interface.has_header() { stamped(body) } else { (Head::Other, body) }
            }
            (None, None, Some(interface)) => {
                return Err(DecodeError::NoField {
                    type_name: type_name.to_string(),
                    fields: interface.fields_text(),
                });
            }
            (Some(field), _, Some(interface)) => {
                let path = match selection.filter() {
                    Some(filter) => interface.find_where(field, &filter)?,
                    None => interface.find(field)?,
                };
                let body = field::part(path);
                if interface.has_header() { stamped(body) } else { (Head::Other, body) }
            }
        };
        Ok(Self { type_name, head, body })
    }

    /// A decoder for messages that say where a robot is: of odometry, its pose.
    ///
    /// # Errors
    /// As of [`Decoder::new`].
    pub fn of_poses(type_name: &str, interface: Option<&Interface>) -> Result<Self, DecodeError> {
        let mut decoder = Self::new(type_name, interface, None)?;
        if decoder.type_name.as_str() == "nav_msgs/msg/Odometry" {
            decoder.body = Box::new(pose::odometry);
        }
        Ok(decoder)
    }

    /// What a message says: CDR with its header of four bytes.
    ///
    /// # Errors
    /// It is not of the type, not whole, or says nothing that can be used.
    pub fn decode(&mut self, message: &[u8]) -> Result<Sample, DecodeError> {
        self.read(message)
            .map_err(|fault| DecodeError::Message { type_name: self.type_name.to_string(), fault })
    }

    fn read(&mut self, message: &[u8]) -> Result<Sample, Fault> {
        let mut reader = CdrReader::new(message)?;
        let (stamp, frame_id) = match &mut self.head {
            Head::Header(header) => header.read(&mut reader)?,
            Head::Time => (header::given(reader.clone().stamp()?), Arc::default()),
            Head::Other => Default::default(),
        };
        Ok(Sample { stamp, frame_id, value: (self.body)(&mut reader)? })
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Decoder").field(&self.type_name).finish()
    }
}

/// Whether messages of a type are decoded without a definition.
pub fn is_known(type_name: &str) -> bool {
    TypeName::parse(type_name)
        .is_some_and(|type_name| known(&type_name, &Selection::default()).is_some())
}

/// Whether messages of a type that is known begin with a stamp that says when they hold.
pub(super) fn is_stamped(type_name: &str) -> bool {
    let Some(type_name) = TypeName::parse(type_name) else { return false };
    let is_line = (type_name.package(), type_name.name()) == LINE;
    is_line || matches!(known(&type_name, &Selection::default()), Some((Head::Header(_), _)))
}

/// A line of a log, which begins with a stamp without a header.
const LINE: (&str, &str) = ("rcl_interfaces", "Log");

/// That a selection asks for what the records of a type have.
fn check_selection(type_name: &TypeName, selection: &Selection) -> Result<(), DecodeError> {
    let fields = reports::fields_of(type_name.package(), type_name.name()).unwrap_or_default();
    let Some(unknown) = selection.unknown_field(fields) else { return Ok(()) };
    let known = match fields {
        [] => " to select records by without a `field`".to_owned(),
        fields => format!("; it has {}", fields.join(", ")),
    };
    let (type_name, field) = (type_name.to_string(), unknown.to_owned());
    Err(DecodeError::Where { type_name, field, known })
}

fn stamped(body: Body) -> (Head, Body) {
    (Head::Header(Header::default()), body)
}

/// Whether a path means what is read of this type without one.
fn is_all_of_std_msgs(type_name: &TypeName, field: &str) -> bool {
    type_name.package() == "std_msgs" && matches!(field, "data" | "data[*]")
}

fn known(type_name: &TypeName, selection: &Selection) -> Option<(Head, Body)> {
    if type_name.folder() != "msg" {
        return None;
    }
    Some(match (type_name.package(), type_name.name()) {
        ("diagnostic_msgs", "DiagnosticArray") => stamped(reports::diagnostics(selection)),
        LINE => (Head::Time, reports::line(selection)),
        ("geometry_msgs", "PoseStamped") => stamped(Box::new(pose::pose)),
        ("geometry_msgs", "PoseWithCovarianceStamped") => {
            stamped(Box::new(pose::pose_with_covariance))
        }
        ("geometry_msgs", "Wrench") => (Head::Other, wrench::wrench()),
        ("geometry_msgs", "WrenchStamped") => stamped(wrench::wrench()),
        ("geometry_msgs", "Twist") => (Head::Other, driving::twist()),
        ("geometry_msgs", "TwistStamped") => stamped(driving::twist()),
        ("control_msgs", "DynamicJointState") => stamped(interfaces::dynamic_joints()),
        ("nav_msgs", "Odometry") => stamped(driving::odometry()),
        ("rosgraph_msgs", "Clock") => (Head::Time, clock::clock()),
        ("sensor_msgs", "BatteryState") => stamped(battery::battery()),
        ("sensor_msgs", "FluidPressure") => {
            stamped(number::measured(&[("pressure", Quantity::Pressure)]))
        }
        ("sensor_msgs", "Joy") => stamped(driving::joy()),
        ("sensor_msgs", "LaserScan") => stamped(ranges::scan()),
        ("sensor_msgs", "MagneticField") => stamped(number::measured(&[
            ("x", Quantity::MagneticField),
            ("y", Quantity::MagneticField),
            ("z", Quantity::MagneticField),
        ])),
        ("sensor_msgs", "PointCloud2") => stamped(ranges::cloud()),
        ("sensor_msgs", "Range") => stamped(ranges::range()),
        ("sensor_msgs", "Temperature") => {
            stamped(number::measured(&[("temperature", Quantity::Temperature)]))
        }
        ("sensor_msgs", "CompressedImage") => stamped(Box::new(images::compressed)),
        ("sensor_msgs", "Image") => stamped(Box::new(images::raw)),
        ("sensor_msgs", "Imu") => stamped(imu::imu()),
        ("sensor_msgs", "JointState") => {
            let mut joints = joint_state::JointState::default();
            stamped(Box::new(move |reader| joints.read(reader)))
        }
        ("std_msgs", "Bool") => (Head::Other, Box::new(|reader| Ok(Value::Bool(reader.bool()?)))),
        ("std_msgs", "String") => (Head::Other, Box::new(string::string)),
        ("std_msgs", name) => match name.strip_suffix("MultiArray") {
            Some(element) => (Head::Other, multi_array::numbers(std_number(element)?)),
            None => (Head::Other, number::number(std_number(name)?)),
        },
        ("tf2_msgs", "TFMessage") => (Head::Other, Box::new(tf_message::transforms)),
        _ => return None,
    })
}

/// What `data` is made of in the messages of `std_msgs` with one number, or an array of them: `UInt8`.
fn std_number(name: &str) -> Option<Primitive> {
    let number = Primitive::parse(&name.to_ascii_lowercase());
    number.filter(|number| *number != Primitive::Bool)
}

#[cfg(test)]
mod tests;
