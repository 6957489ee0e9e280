use super::PictureError;
use super::appearance::with_pixels;
use super::codec::encode_jpeg;
use super::pixels::Pixels;
use crate::Image;

/// Pixels of the longer side, and JPEG quality: what is tried, the best first. At a quality of less
/// than 30 a smaller picture shows more.
const ATTEMPTS: [(usize, u8); 11] = [
    (320, 80),
    (320, 60),
    (320, 40),
    (240, 60),
    (240, 40),
    (160, 60),
    (160, 35),
    (112, 50),
    (80, 40),
    (48, 30),
    (16, 30),
];
/// Pixels that make one of the thumbnail, across and down, at most.
const SAMPLES_MAX: usize = 4;

/// A small JPEG of a picture, of at most `bytes_max` bytes and 320 pixels a side: never larger than the
/// picture itself, in its shape, and gray when it is.
///
/// # Errors
///
/// A picture that cannot be read, or a `bytes_max` that not even 16 pixels fit into.
pub fn thumbnail(image: &Image, message: &[u8], bytes_max: usize) -> Result<Vec<u8>, PictureError> {
    with_pixels(image, message, |pixels| {
        let (width, height) = pixels.size();
        let mut scaled = Scaled { side: 0, width: 0, height: 0, bytes: Vec::new() };
        for (side, quality) in ATTEMPTS {
            let side = side.min(width.max(height));
            if side != scaled.side {
                scaled = Scaled::of(pixels, side);
            }
            if let Some(jpeg) = scaled.jpeg(pixels.is_gray(), quality, bytes_max)? {
                return Ok(jpeg);
            }
        }
        Err(PictureError::Thumbnail { bytes_max })
    })?
}

/// A picture whose longer side is `side`: one byte a pixel for gray, three for color.
struct Scaled {
    side: usize,
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Scaled {
    fn of(pixels: &Pixels<'_>, side: usize) -> Self {
        let (from_width, from_height) = pixels.size();
        let longer = from_width.max(from_height);
        let scale = |length: usize| ((length * side + longer / 2) / longer).max(1);
        let (width, height) = (scale(from_width), scale(from_height));
        let channels = if pixels.is_gray() { 1 } else { 3 };
        let columns: Vec<Vec<usize>> = (0..width).map(|x| samples(x, width, from_width)).collect();
        let mut bytes = Vec::with_capacity(width * height * channels);
        for y in 0..height {
            let rows = samples(y, height, from_height);
            for columns in &columns {
                let mut sums = [0_u32; 3];
                for row in &rows {
                    for column in columns {
                        let color = pixels.color(*column, *row);
                        for (sum, level) in sums.iter_mut().zip(color) {
                            *sum += u32::from(level);
                        }
                    }
                }
                let count = (rows.len() * columns.len()) as u32;
                bytes.extend(sums[..channels].iter().map(|sum| ((sum + count / 2) / count) as u8));
            }
        }
        Self { side, width, height, bytes }
    }

    /// `None` when it has too many bytes.
    fn jpeg(
        &self,
        is_gray: bool,
        quality: u8,
        bytes_max: usize,
    ) -> Result<Option<Vec<u8>>, PictureError> {
        let size = (self.width as u32, self.height as u32);
        let jpeg = encode_jpeg(&self.bytes, size, is_gray, quality)?;
        Ok((jpeg.len() <= bytes_max).then_some(jpeg))
    }
}

/// Which of `from` pixels make the `i`-th of `to`: evenly spread over its part.
fn samples(i: usize, to: usize, from: usize) -> Vec<usize> {
    let count = from.div_ceil(to).clamp(1, SAMPLES_MAX);
    (0..count).map(|k| (2 * (i * count + k) + 1) * from / (2 * to * count)).collect()
}
