//! ROS 2 messages without ROS: their definitions, and their bytes in CDR.
//!
//! ```
//! use robot_memory_messages::Interface;
//!
//! let point = Interface::parse("geometry_msgs/msg/Point", "float64 x\nfloat64 y\nfloat64 z")?;
//! assert_eq!(point.type_name(), "geometry_msgs/msg/Point");
//! assert!(!point.has_text());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod cdr;
mod clip_texts;
mod definition;
mod interface;
mod json;
mod layout;
mod path;
mod text;
mod type_name;
mod walk;

pub use cdr::{CdrError, CdrProblem, CdrReader};
pub use clip_texts::ClipTexts;
pub use definition::DefinitionError;
pub use interface::Interface;
pub use layout::Primitive;
pub use path::{FieldError, FieldPath, Holds, PathValue, RecordFilter};
pub use text::beginning;
pub use type_name::TypeName;

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::expect_used, missing_docs, reason = "for tests")]
pub mod testing;
#[cfg(test)]
mod tests;
