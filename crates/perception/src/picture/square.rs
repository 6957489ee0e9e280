use super::PictureError;
use super::codec::{Samples, decode_jpeg, resize_rgb};

/// A JPEG as a model sees it: `side` rows of as many pixels, each a byte of red, green and blue. `is_cropped`:
/// the square in its middle; else all of it, in another shape. Gray pictures have three equal colors.
///
/// # Errors
///
/// What cannot be read as a JPEG, and what has too many pixels.
pub fn square(jpeg: &[u8], side: u32, is_cropped: bool) -> Result<Vec<u8>, PictureError> {
    let Samples { bytes, size, channels, .. } = decode_jpeg(jpeg)?;
    let (width, height) = size;
    let bytes = match channels {
        1 => bytes.into_iter().flat_map(|level| [level; 3]).collect(),
        _ => bytes,
    };
    let part = match is_cropped {
        true => {
            let side = width.min(height);
            [(width - side) / 2, (height - side) / 2, side, side]
        }
        false => [0, 0, width, height],
    };
    resize_rgb(bytes, size, part, side).ok_or_else(|| PictureError::Corrupt {
        format: "JPEG",
        reason: format!("it has {channels} channels, known are 1 and 3"),
    })
}
