//! Which map a robot is in: the name that is published, or one made of what the map is.

use super::{CdrReader, DecodeError, Fault};
use robot_memory_core::limits::NAME_BYTES_MAX;
use robot_memory_messages::{Primitive, TypeName};
use sha2::{Digest, Sha256};

/// How a message says which map it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MapMessage {
    /// `std_msgs/msg/String`: its name.
    Name,
    /// `nav_msgs/msg/MapMetaData`: how large it is and where its origin lies.
    MetaData,
    /// `nav_msgs/msg/OccupancyGrid`: the same, behind a header.
    Grid,
}

impl MapMessage {
    /// Of a type.
    ///
    /// # Errors
    /// When it is none of these.
    pub fn of_type(type_name: &str) -> Result<Self, DecodeError> {
        let name = TypeName::parse(type_name);
        match name.as_ref().map(|name| (name.package(), name.name())) {
            Some(("std_msgs", "String")) => Ok(Self::Name),
            Some(("nav_msgs", "MapMetaData")) => Ok(Self::MetaData),
            Some(("nav_msgs", "OccupancyGrid")) => Ok(Self::Grid),
            _ => Err(DecodeError::NoMap(type_name.to_owned())),
        }
    }

    /// The name of the map; empty: it is not known. Of two maps with one size, resolution and origin the names
    /// are the same.
    ///
    /// # Errors
    /// When the message is not of the type.
    pub fn map_id(self, message: &[u8]) -> Result<String, Fault> {
        let mut reader = CdrReader::new(message)?;
        if self == Self::Name {
            let name = reader.text()?;
            let mut name = name.trim().to_owned();
            while name.len() > NAME_BYTES_MAX {
                name.pop();
            }
            return Ok(name);
        }
        if self == Self::Grid {
            reader.stamp()?;
            reader.text()?;
        }
        // When it was loaded says nothing about what it is.
        reader.stamp()?;
        let resolution = reader.number(Primitive::F32)?;
        let (width, height) = (reader.u32()?, reader.u32()?);
        let origin: [f64; 7] = reader.f64_array()?;
        let what = format!("{resolution} {width} {height} {origin:?}");
        let digest = Sha256::digest(what);
        let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Ok(format!("map-{hex}"))
    }
}
