use crate::objects::Detection;
use robot_memory_core::event::LayoutKind;
use robot_memory_core::model::{Stamp, text_enum};
use std::ops::Range;
use std::sync::Arc;

/// What one message says, in the terms of triggers and windows.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The stamp in its header; `None` when its type has no header, or the stamp is zero.
    pub stamp: Option<Stamp>,
    /// The frame in its header; empty when its type has none.
    pub frame_id: Arc<str>,
    /// The measured value.
    pub value: Value,
}

/// The value of a reading.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// One number for each channel.
    Numbers(Numbers),
    /// Yes or no.
    Bool(bool),
    /// Words.
    Text(String),
    /// A picture, still in the bytes of its message.
    Image(Image),
    /// Where the robot is.
    Pose(Pose),
    /// Where frames are in others.
    Transforms(Vec<Transform>),
    /// What a detector sees.
    Detections(Vec<Detection>),
    /// What components say about themselves.
    Reports(Vec<Report>),
}

/// What one component, or one line of a log, says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Of which component, or who logged it.
    pub name: String,
    /// How bad it is.
    pub level: ReportLevel,
    /// In words.
    pub text: String,
    /// Whether it is a line of a log, over once it is said; the state of a component holds until another is
    /// reported.
    pub is_line: bool,
    /// Whether it is of a level that is asked for.
    pub is_active: bool,
}

text_enum! {
    /// How bad a report is, the worst last: levels of `diagnostic_msgs/DiagnosticStatus` and of
    /// `rcl_interfaces/Log`.
    ReportLevel {
        /// Of a log.
        Debug = "DEBUG",
        /// Of a log.
        Info = "INFO",
        /// Of a component.
        Ok = "OK",
        /// Of both.
        Warn = "WARN",
        /// Of both.
        Error = "ERROR",
        /// Of a component that no longer reports.
        Stale = "STALE",
        /// Of a log.
        Fatal = "FATAL",
    }
}

/// Numbers measured at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// What each of them is. The same `Arc` as long as it stays the same.
    pub layout: Arc<Layout>,
    /// One for each channel of the layout; NaN where a message gave none, or no finite one.
    pub values: Vec<f64>,
}

/// What the numbers of a stream are. Two that are the same `Arc` are known to be equal at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// What kind of thing is measured.
    pub kind: LayoutKind,
    /// The channels, in their order.
    pub channels: Vec<Channel>,
}

/// One number of a reading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its name in its stream: `force.x`, `shoulder_pan.velocity`, `data[3]`.
    pub name: String,
    /// What is measured.
    pub quantity: Quantity,
}

text_enum! {
    /// A measured quantity.
    Quantity {
        /// Force.
        Force = "force",
        /// Torque.
        Torque = "torque",
        /// Angle of a joint, or where a prismatic one is: a message does not tell them apart.
        Position = "position",
        /// Velocity of a joint.
        Velocity = "velocity",
        /// Torque of a joint, or force of a prismatic one.
        Effort = "effort",
        /// Angular velocity.
        AngularVelocity = "angular_velocity",
        /// Linear acceleration.
        Acceleration = "acceleration",
        /// Part of what is full, as a battery.
        Share = "share",
        /// Voltage.
        Voltage = "voltage",
        /// Electric current.
        Current = "current",
        /// Temperature.
        Temperature = "temperature",
        /// Pressure.
        Pressure = "pressure",
        /// Flux density of a magnetic field.
        MagneticField = "magnetic_field",
        /// Distance to the nearest obstacle.
        Distance = "distance",
        /// Where a robot is on one axis.
        Place = "place",
        /// Velocity of a robot.
        Speed = "speed",
        /// Not known.
        Unknown = "unknown",
    }
}

impl Quantity {
    /// Its unit (REP-103), that of revolute joints for joints; empty when it is not known.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Force => "N",
            Self::Torque | Self::Effort => "N m",
            Self::Position => "rad",
            Self::Velocity | Self::AngularVelocity => "rad/s",
            Self::Acceleration => "m/s^2",
            Self::Share => "%",
            Self::Voltage => "V",
            Self::Current => "A",
            Self::Temperature => "°C",
            Self::Pressure => "Pa",
            Self::MagneticField => "T",
            Self::Distance | Self::Place => "m",
            Self::Speed => "m/s",
            Self::Unknown => "",
        }
    }
}

/// A picture in the bytes of its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// How it is coded.
    pub format: ImageFormat,
    /// Where in the message its bytes are.
    pub bytes: Range<usize>,
}

/// How a picture is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageFormat {
    /// `sensor_msgs/Image`: rows of pixels.
    Raw {
        /// `rgb8`, `bgr8`, `mono8`, `16UC1`, `bayer_rggb8` ...
        encoding: String,
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
        /// Bytes from one row to the next.
        step: u32,
        /// Whether numbers of more than one byte have the highest one first.
        is_bigendian: bool,
    },
    /// `sensor_msgs/CompressedImage`: a file; its `format` field, `jpeg`, `png`, `rgb8; jpeg ...`.
    Compressed(String),
}

/// Where the robot is, as a message says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pose {
    /// x, y, z in the reading's frame, m.
    pub position: [f64; 3],
    /// Quaternion x, y, z, w.
    pub orientation: [f64; 4],
    /// Variances of x, y, z (m^2) and of the rotation about x, y, z (rad^2); `None` when not told.
    pub variances: Option<[f64; 6]>,
}

/// Where a frame is in another (tf2).
#[derive(Debug, Clone, PartialEq)]
pub struct Transform {
    /// When it holds; `None` for zero.
    pub stamp: Option<Stamp>,
    /// The frame in which the other is placed.
    pub parent: String,
    /// The frame that is placed.
    pub child: String,
    /// x, y, z, m.
    pub translation: [f64; 3],
    /// Quaternion x, y, z, w.
    pub rotation: [f64; 4],
}
