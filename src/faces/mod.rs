//! Faces: decode, call, encode.
