//! In the place of JPEG and PNG, built without the feature `images`.

use super::PictureError;

pub(super) struct Samples {
    pub(super) bytes: Vec<u8>,
    pub(super) size: (u32, u32),
    pub(super) channels: u8,
    pub(super) bytes_per_channel: u8,
}

pub(super) fn decode_jpeg(_: &[u8]) -> Result<Samples, PictureError> {
    Err(PictureError::NotBuilt)
}

pub(super) fn decode_png(_: &[u8]) -> Result<Samples, PictureError> {
    Err(PictureError::NotBuilt)
}

pub(super) fn encode_jpeg(
    _: &[u8],
    _: (u32, u32),
    _: bool,
    _: u8,
) -> Result<Vec<u8>, PictureError> {
    Err(PictureError::NotBuilt)
}

pub(super) fn resize_rgb(_: Vec<u8>, _: (u32, u32), _: [u32; 4], _: u32) -> Option<Vec<u8>> {
    None
}
