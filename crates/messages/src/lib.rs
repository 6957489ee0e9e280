//! ROS 2 messages without ROS: their definitions, and their bytes in CDR.

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
pub use path::{FieldError, FieldPath, Found};
pub use text::beginning;
pub use type_name::TypeName;

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::expect_used, missing_docs, reason = "for tests")]
pub mod testing;
#[cfg(test)]
mod tests;
