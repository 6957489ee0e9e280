//! Pictures that come as files: JPEG and PNG.

use super::codec::{Samples, decode_jpeg, decode_png};
use super::pixels::Pixels;
use super::{PictureError, encoding_label};

const JPEG_BEGIN: &[u8] = &[0xff, 0xd8, 0xff];
const PNG_BEGIN: &[u8] = b"\x89PNG\r\n\x1a\n";
/// What `compressed_depth_image_transport` puts before the PNG: a format and two numbers for depths
/// that are coded as their inverse.
const DEPTH_HEADER_BYTES: usize = 12;

/// A decoded picture.
pub(super) struct Decoded {
    samples: Samples,
    /// Whether its numbers are distances in mm.
    is_depth: bool,
}

impl Decoded {
    /// Decodes what the first bytes say that it is; `format` is the message's word for it.
    ///
    /// # Errors
    ///
    /// Neither JPEG nor PNG, too many pixels, or what the decoder says.
    pub fn of(format: &str, bytes: &[u8]) -> Result<Self, PictureError> {
        let without_header = bytes.get(DEPTH_HEADER_BYTES..).unwrap_or_default();
        let is_bare = bytes.starts_with(PNG_BEGIN);
        if format.contains("compressedDepth") && (is_bare || without_header.starts_with(PNG_BEGIN))
        {
            let samples = decode_png(if is_bare { bytes } else { without_header })?;
            let mut decoded = Self { samples, is_depth: true };
            if format.trim_start().starts_with("32FC1") && !is_bare {
                decoded.invert(header_number(bytes, 4), header_number(bytes, 8));
            }
            return Ok(decoded);
        }
        let samples = if bytes.starts_with(JPEG_BEGIN) {
            decode_jpeg(bytes)?
        } else if bytes.starts_with(PNG_BEGIN) {
            decode_png(bytes)?
        } else {
            let given = encoding_label(format);
            return Err(PictureError::Encoding {
                given,
                known: "JPEG and PNG, by their first bytes",
            });
        };
        Ok(Self { samples, is_depth: false })
    }

    /// Makes mm of numbers that are `a / depth + b`, as distances in m are coded.
    fn invert(&mut self, a: f32, b: f32) {
        let samples = &mut self.samples;
        if (samples.channels, samples.bytes_per_channel) != (1, 2) {
            return;
        }
        for two in samples.bytes.chunks_exact_mut(2) {
            let level = u16::from_ne_bytes([two[0], two[1]]);
            let depth_mm = 1000.0 * a / (f32::from(level) - b);
            // A cast keeps within what there is, and makes zero of what is no number.
            let depth_mm = if level == 0 { 0 } else { depth_mm as u16 };
            two.copy_from_slice(&depth_mm.to_ne_bytes());
        }
    }

    pub fn pixels(&self) -> Result<Pixels<'_>, PictureError> {
        let Samples { bytes, size, channels, bytes_per_channel } = &self.samples;
        Pixels::of_decoded(bytes, *size, (*channels, *bytes_per_channel), self.is_depth)
    }
}

/// A number of the header before a picture of distances.
fn header_number(bytes: &[u8], at: usize) -> f32 {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map_or(0.0, f32::from_le_bytes)
}
