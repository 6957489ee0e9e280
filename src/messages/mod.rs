//! ROS 2 messages without ROS: their definitions, and their bytes in CDR.

mod cdr;
mod definition;
mod interface;
mod json;
mod layout;
mod path;
mod text;
mod type_name;
mod walk;

pub use cdr::{CdrError, CdrProblem, CdrReader};
pub use definition::DefinitionError;
pub use interface::Interface;
pub use layout::Primitive;
pub use path::{FieldError, FieldPath, Found};
pub use text::beginning;
pub use type_name::TypeName;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
