//! JPEG and PNG.

use super::PictureError;
use super::pixels::check_size;
use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::codecs::png::PngDecoder;
use image::imageops::{FilterType, crop_imm, resize};
use image::{ExtendedColorType, ImageDecoder, ImageError, Limits, RgbImage};
use std::io::Cursor;

/// Bytes that a decoder may take: [`super::PIXELS_MAX`] pixels of RGB, and as much beside.
const DECODER_BYTES_MAX: u64 = 8 * super::PIXELS_MAX;

/// The samples of a picture, row by row.
pub(super) struct Samples {
    pub(super) bytes: Vec<u8>,
    pub(super) size: (u32, u32),
    pub(super) channels: u8,
    pub(super) bytes_per_channel: u8,
}

/// Decodes a JPEG file.
pub(super) fn decode_jpeg(bytes: &[u8]) -> Result<Samples, PictureError> {
    let decoder = JpegDecoder::new(Cursor::new(bytes)).map_err(corrupt("JPEG"))?;
    decode(decoder, "JPEG")
}

/// Decodes a PNG file.
pub(super) fn decode_png(bytes: &[u8]) -> Result<Samples, PictureError> {
    let decoder = PngDecoder::with_limits(Cursor::new(bytes), decoder_limits());
    decode(decoder.map_err(corrupt("PNG"))?, "PNG")
}

/// Encodes one byte a pixel as gray, or three as color.
pub(super) fn encode_jpeg(
    bytes: &[u8],
    (width, height): (u32, u32),
    is_gray: bool,
    quality: u8,
) -> Result<Vec<u8>, PictureError> {
    let color = if is_gray { ExtendedColorType::L8 } else { ExtendedColorType::Rgb8 };
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, quality)
        .encode(bytes, width, height, color)
        .map_err(corrupt("JPEG"))?;
    Ok(jpeg)
}

/// A part of a picture of three bytes a pixel, from a corner on, resized to a square: each pixel the mean
/// of all that it stands for, by the weights of a bicubic filter. `None` when there are not as many bytes
/// as its size says.
pub(super) fn resize_rgb(
    bytes: Vec<u8>,
    (width, height): (u32, u32),
    [left, top, part_width, part_height]: [u32; 4],
    side: u32,
) -> Option<Vec<u8>> {
    let picture = RgbImage::from_raw(width, height, bytes)?;
    let part = crop_imm(&picture, left, top, part_width, part_height);
    Some(resize(&*part, side, side, FilterType::CatmullRom).into_raw())
}

fn decode(mut decoder: impl ImageDecoder, name: &'static str) -> Result<Samples, PictureError> {
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
    Ok(Samples { bytes, size, channels, bytes_per_channel })
}

fn decoder_limits() -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODER_BYTES_MAX);
    limits
}

fn corrupt(format: &'static str) -> impl Fn(ImageError) -> PictureError {
    move |error| PictureError::Corrupt { format, reason: error.to_string() }
}
