//! Faces: decode, call, encode.

pub mod ros;
