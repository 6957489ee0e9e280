//! Pictures that come as files: JPEG and PNG.

use super::pixels::{Pixels, check_size};
use super::{PictureError, encoding_label};
use image::codecs::{jpeg::JpegDecoder, png::PngDecoder};
use image::{ImageDecoder, ImageError, Limits};
use std::io::Cursor;

/// Bytes that a decoder may take: [`super::PIXELS_MAX`] pixels of RGB, and as much beside.
const DECODER_BYTES_MAX: u64 = 8 * super::PIXELS_MAX;
const JPEG_BEGIN: &[u8] = &[0xff, 0xd8, 0xff];
const PNG_BEGIN: &[u8] = b"\x89PNG\r\n\x1a\n";
/// What `compressed_depth_image_transport` puts before the PNG: a format and two numbers for depths
/// that are coded as their inverse.
const DEPTH_HEADER_BYTES: usize = 12;

/// A decoded picture.
pub(super) struct Decoded {
    bytes: Vec<u8>,
    size: (u32, u32),
    channels: u8,
    bytes_per_channel: u8,
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
            let mut decoded = Self::of_png(if is_bare { bytes } else { without_header })?;
            decoded.is_depth = true;
            if format.trim_start().starts_with("32FC1") && !is_bare {
                decoded.invert(header_number(bytes, 4), header_number(bytes, 8));
            }
            return Ok(decoded);
        }
        if bytes.starts_with(JPEG_BEGIN) {
            let decoder = JpegDecoder::new(Cursor::new(bytes)).map_err(corrupt("JPEG"))?;
            Self::decode(decoder, "JPEG")
        } else if bytes.starts_with(PNG_BEGIN) {
            Self::of_png(bytes)
        } else {
            let given = encoding_label(format);
            Err(PictureError::Encoding { given, known: "JPEG and PNG, by their first bytes" })
        }
    }

    fn of_png(bytes: &[u8]) -> Result<Self, PictureError> {
        let limits = decoder_limits();
        let decoder =
            PngDecoder::with_limits(Cursor::new(bytes), limits).map_err(corrupt("PNG"))?;
        Self::decode(decoder, "PNG")
    }

    /// Makes mm of numbers that are `a / depth + b`, as distances in m are coded.
    fn invert(&mut self, a: f32, b: f32) {
        if (self.channels, self.bytes_per_channel) != (1, 2) {
            return;
        }
        for two in self.bytes.chunks_exact_mut(2) {
            let level = u16::from_ne_bytes([two[0], two[1]]);
            let depth_mm = 1000.0 * a / (f32::from(level) - b);
            // A cast keeps within what there is, and makes zero of what is no number.
            let depth_mm = if level == 0 { 0 } else { depth_mm as u16 };
            two.copy_from_slice(&depth_mm.to_ne_bytes());
        }
    }

    fn decode(mut decoder: impl ImageDecoder, name: &'static str) -> Result<Self, PictureError> {
        let size = decoder.dimensions();
        check_size(size.0, size.1)?;
        decoder.set_limits(decoder_limits()).map_err(corrupt(name))?;
        let color = decoder.color_type();
        let channels = color.channel_count();
        let bytes_per_channel = color.bytes_per_pixel() / channels.max(1);
        let length = usize::try_from(decoder.total_bytes())
            .ok()
            .filter(|length| *length as u64 <= DECODER_BYTES_MAX)
            .ok_or(PictureError::Size { width: size.0, height: size.1 })?;
        let mut bytes = vec![0; length];
        decoder.read_image(&mut bytes).map_err(corrupt(name))?;
        Ok(Self { bytes, size, channels, bytes_per_channel, is_depth: false })
    }

    pub fn pixels(&self) -> Result<Pixels<'_>, PictureError> {
        let sample = (self.channels, self.bytes_per_channel);
        Pixels::of_decoded(&self.bytes, self.size, sample, self.is_depth)
    }
}

/// A number of the header before a picture of distances.
fn header_number(bytes: &[u8], at: usize) -> f32 {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map_or(0.0, f32::from_le_bytes)
}

fn decoder_limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODER_BYTES_MAX);
    limits
}

fn corrupt(format: &'static str) -> impl Fn(ImageError) -> PictureError {
    move |error| PictureError::Corrupt { format, reason: error.to_string() }
}
