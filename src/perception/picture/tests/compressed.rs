use super::scene::{Chance, Shot, Wall, compressed, gray};
use crate::perception::picture::{Look, PictureError, thumbnail};
use image::codecs::{jpeg::JpegEncoder, png::PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use proptest::prelude::*;
use std::sync::LazyLock;

const SIZE: (u32, u32) = (Shot::WIDTH as u32, Shot::HEIGHT as u32);

static PIXELS: LazyLock<Vec<u8>> =
    LazyLock::new(|| Shot::at(0, 0).pixels(&Wall::of(1), &mut Chance::of(1)));
static JPEG: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = Vec::new();
    let colored: Vec<u8> = PIXELS.iter().flat_map(|level| [*level; 3]).collect();
    JpegEncoder::new_with_quality(&mut bytes, 90)
        .encode(&colored, SIZE.0, SIZE.1, ExtendedColorType::Rgb8)
        .expect("a JPEG");
    bytes
});
static PNG: LazyLock<Vec<u8>> = LazyLock::new(|| png(&PIXELS, ExtendedColorType::L8));

fn png(pixels: &[u8], color: ExtendedColorType) -> Vec<u8> {
    let mut bytes = Vec::new();
    PngEncoder::new(&mut bytes).write_image(pixels, SIZE.0, SIZE.1, color).expect("a PNG");
    bytes
}

fn look(format: &str, bytes: &[u8]) -> Result<Look, PictureError> {
    Look::of(&compressed(format, bytes.len()), bytes)
}

#[test]
fn a_file_looks_as_what_is_in_it() {
    let raw = Look::of(&gray(Shot::WIDTH, Shot::HEIGHT), &PIXELS).expect("raw");
    let with_opacity: Vec<u8> = PIXELS.iter().flat_map(|level| [*level, 9]).collect();
    let wide: Vec<u8> =
        PIXELS.iter().flat_map(|level| (u16::from(*level) * 257).to_ne_bytes()).collect();
    let wide_with_opacity: Vec<u8> = PIXELS
        .iter()
        .flat_map(|level| [u16::from(*level) * 257, 9].map(u16::to_ne_bytes).concat())
        .collect();
    let colored: Vec<u8> = PIXELS.iter().flat_map(|level| [*level, *level, *level, 9]).collect();
    let mut depth = vec![0; 12];
    depth.extend(&*PNG);
    let files = [
        ("jpeg", JPEG.clone()),
        ("rgb8; jpeg compressed bgr8", JPEG.clone()),
        ("png", JPEG.clone()),
        ("png", PNG.clone()),
        ("mono8; png compressed ", PNG.clone()),
        ("png", png(&with_opacity, ExtendedColorType::La8)),
        ("png", png(&wide, ExtendedColorType::L16)),
        ("png", png(&wide_with_opacity, ExtendedColorType::La16)),
        ("png", png(&colored, ExtendedColorType::Rgba8)),
        ("16UC1; compressedDepth png", depth),
    ];
    for (format, bytes) in files {
        let look = look(format, &bytes).expect(format);
        assert_eq!((look.width, look.height), SIZE, "{format}");
        assert!(look.difference(&raw) < 0.01, "{format}: {}", look.difference(&raw));
        assert!((look.hash ^ raw.hash).count_ones() <= 4, "{format}");
        thumbnail(&compressed(format, bytes.len()), &bytes, 8192).expect(format);
    }
}

#[test]
fn other_files_are_refused_in_words() {
    let cases = [
        ("h264", &b"\0\0\0\x01\x67"[..], "encoding \"h264\" is not known; known are JPEG and PNG"),
        ("jpeg", b"", "encoding \"jpeg\" is not known"),
        ("jpeg", b"\xff\xd8\xff", "no JPEG: "),
        ("png", b"\x89PNG\r\n\x1a\n", "no PNG: "),
        ("16UC1; compressedDepth rvl", &[0; 40], "encoding \"16UC1; compressedDepth rvl\""),
    ];
    for (format, bytes, expected) in cases {
        let message = look(format, bytes).expect_err(format).to_string();
        assert!(message.starts_with(expected), "{message:?} is not {expected:?}");
    }
}

#[test]
fn a_small_file_cannot_say_that_it_is_huge() {
    // Width and height stand after the length and the name of the first chunk.
    let mut png = PNG.clone();
    png[16..24].copy_from_slice(&[0, 0, 0x13, 0x88, 0, 0, 0x0f, 0xa0]);
    let checksum = crc32(&png[12..29]);
    png[29..33].copy_from_slice(&checksum.to_be_bytes());
    assert_eq!(look("png", &png), Err(PictureError::Size { width: 5_000, height: 4_000 }));

    // Height and width stand after the marker, the length and the precision of the frame.
    let mut jpeg = JPEG.clone();
    let frame = jpeg.windows(2).position(|marker| marker == [0xff, 0xc0]).expect("baseline");
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0x27, 0x10, 0x27, 0x10]);
    assert_eq!(look("jpeg", &jpeg), Err(PictureError::Size { width: 10_000, height: 10_000 }));
}

/// The checksum of PNG's chunks (ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn damaged_files_do_not_bring_it_down(
        is_png in any::<bool>(),
        length in 0.0..1.0_f64,
        damage in prop::collection::vec((0.0..1.0_f64, any::<u8>()), 0..8),
    ) {
        let mut bytes = if is_png { PNG.clone() } else { JPEG.clone() };
        bytes.truncate((bytes.len() as f64 * (1.0 - length * length * length)) as usize);
        for (at, byte) in damage {
            // Most of what can go wrong is said at the beginning.
            let at = (at.powi(4) * bytes.len() as f64) as usize;
            if let Some(there) = bytes.get_mut(at) {
                *there = byte;
            }
        }
        let _ = look("jpeg", &bytes);
    }
}
