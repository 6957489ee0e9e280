//! What a text says: read by rules in English and Chinese ([`inference`]), held against constraints
//! ([`guard`]), counted as attempts at tasks ([`experience`]). Texts in, plain values out; pure.

#![warn(missing_docs)]

pub mod experience;
pub mod guard;
pub mod inference;
