//! What a text says: read by rules in English and Chinese ([`inference`]), held against constraints
//! ([`guard`]), counted as attempts at tasks ([`experience`]). Texts in, plain values out; pure.
//!
//! ```
//! use robot_memory_text::inference::Statement;
//!
//! let bottle = Statement::parse("Never grip the glass bottle with more than 15 N");
//! let other = Statement::parse("Never grip the glass bottle with more than 12 N");
//! assert_ne!(bottle.key(), other.key());
//! ```

#![warn(missing_docs)]

pub mod experience;
pub mod guard;
pub mod inference;
