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

#[cfg(test)]
mod tests {
    use super::*;
    use robot_memory_messages::testing::CdrWriter;

    fn grid(load_secs: i32, width: u32) -> Vec<u8> {
        let mut writer = CdrWriter::new(false);
        writer.header(1, 2, "map").number(load_secs.to_be_bytes()).u32(0);
        writer.number(0.05_f32.to_be_bytes()).u32(width).u32(200);
        writer.f64s(&[-10.0, -5.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        writer.bytes
    }

    #[test]
    fn a_map_is_the_same_whenever_it_was_loaded_and_another_by_its_size() {
        let id = |message: &[u8]| MapMessage::Grid.map_id(message).unwrap();
        let hall = id(&grid(100, 384));
        assert!(hall.starts_with("map-") && hall.len() == 20, "{hall}");
        assert_eq!(id(&grid(900, 384)), hall);
        assert_ne!(id(&grid(100, 385)), hall);
        assert!(MapMessage::Grid.map_id(&grid(1, 1)[..40]).is_err());
    }

    #[test]
    fn a_name_is_taken_as_it_is() {
        let mut writer = CdrWriter::new(false);
        writer.text(" hall 2 ");
        assert_eq!(MapMessage::Name.map_id(&writer.bytes).unwrap(), "hall 2");
        assert_eq!(MapMessage::of_type("std_msgs/msg/String").unwrap(), MapMessage::Name);
        assert_eq!(MapMessage::of_type("nav_msgs/OccupancyGrid").unwrap(), MapMessage::Grid);
        let other = MapMessage::of_type("nav_msgs/msg/Path").unwrap_err();
        assert!(other.to_string().starts_with("a nav_msgs/msg/Path does not name a map"));
    }
}
