//! Pictures: how they look, what is new in them, and small copies of them.

mod appearance;
#[cfg(feature = "images")]
mod codec;
#[cfg(not(feature = "images"))]
#[path = "picture/no_codec.rs"]
mod codec;
mod compressed;
mod keyframes;
mod pixels;
mod square;
mod thumbnail;

#[cfg(test)]
#[cfg(feature = "images")]
mod tests;

pub use appearance::{Appearance, GRID_HEIGHT, GRID_WIDTH};
pub use keyframes::{KeyframeSettings, Keyframes};
pub use square::square;
pub use thumbnail::thumbnail;

/// Characters of an encoding's name: the longest known are half as long.
const ENCODING_CHARS_MAX: usize = 40;

/// An encoding as it is told of: anything may be in its field, and only what looks like a name is
/// repeated.
fn encoding_label(encoding: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ';' | ' ');
    if encoding.len() <= ENCODING_CHARS_MAX && encoding.chars().all(is_name) {
        encoding.to_owned()
    } else {
        format!("<{} bytes>", encoding.len())
    }
}

/// Why a picture cannot be looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// How it is coded is not known.
    #[error("encoding {given:?} is not known; known are {known}")]
    Encoding {
        /// What the message says, when that looks like a name, else its length.
        given: String,
        /// What could be read.
        known: &'static str,
    },
    /// It has no pixels, or too many.
    #[error("has {width} x {height} pixels, must have 1 to {PIXELS_MAX}")]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// `step` is less than a row takes.
    #[error("step is {step}, a row of {width} pixels of {encoding} takes {needed} bytes")]
    Step {
        /// What was given.
        step: u32,
        /// Pixels in a row.
        width: u32,
        /// How they are coded.
        encoding: String,
        /// Bytes of a row.
        needed: u64,
    },
    /// There are fewer bytes than the size says.
    #[error("has {given} bytes, its size needs {needed}")]
    Short {
        /// What there is.
        given: u64,
        /// What there must be.
        needed: u64,
    },
    /// A compressed picture that cannot be read.
    #[error("no {format}: {reason}")]
    Corrupt {
        /// `JPEG`, `PNG`.
        format: &'static str,
        /// What the decoder says.
        reason: String,
    },
    /// Files of pictures are neither read nor written.
    #[error("built without JPEG and PNG (the feature images)")]
    NotBuilt,
    /// Not even the smallest thumbnail has so few bytes.
    #[error("no thumbnail has at most {bytes_max} bytes")]
    Thumbnail {
        /// What was asked for.
        bytes_max: usize,
    },
}

/// Pixels of a picture: 4096 x 4096, decoded 48 MiB of RGB. A file of some kilobytes can say that it
/// has billions.
pub const PIXELS_MAX: u64 = 1 << 24;
