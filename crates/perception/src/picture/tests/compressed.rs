use super::scene::{Chance, Shot, Wall, compressed, gray};
use crate::picture::{Appearance, PictureError, thumbnail};
use crate::{Image, ImageFormat};
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

fn look(format: &str, bytes: &[u8]) -> Result<Appearance, PictureError> {
    Appearance::of(&compressed(format, bytes.len()), bytes)
}

#[test]
fn a_file_looks_as_what_is_in_it() {
    let raw = Appearance::of(&gray(Shot::WIDTH, Shot::HEIGHT), &PIXELS).expect("raw");
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
fn distances_that_are_compressed_look_as_raw_ones() {
    let (width, height) = (96, 72);
    let depth_mm = |x: u32, y: u32| if y < 12 { 0 } else { 500 + 40 * x + 10 * (y % 20) };
    let all = || (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let raw: Vec<u8> = all().flat_map(|(x, y)| (depth_mm(x, y) as u16).to_le_bytes()).collect();
    let encoding = "16UC1".to_owned();
    let format = ImageFormat::Raw { encoding, width, height, step: 2 * width, is_bigendian: false };
    let of_raw = Appearance::of(&Image { format, bytes: 0..raw.len() }, &raw).expect("it is known");
    // As image_transport codes distances in m: the inverse, with two numbers in the header.
    let (a, b) = (20_000.0_f32, 100.0_f32);
    let inverse = |mm: u32| if mm == 0 { 0 } else { (1000.0 * a / mm as f32 + b) as u16 };
    let pngs = [
        ("16UC1; compressedDepth png", all().map(|(x, y)| depth_mm(x, y) as u16).collect()),
        ("32FC1; compressedDepth png", all().map(|(x, y)| inverse(depth_mm(x, y))).collect()),
    ];
    for (format, levels) in pngs {
        let levels: Vec<u16> = levels;
        let levels: Vec<u8> = levels.iter().flat_map(|level| level.to_ne_bytes()).collect();
        let mut file = Vec::new();
        PngEncoder::new(&mut file)
            .write_image(&levels, width, height, ExtendedColorType::L16)
            .expect("it is written");
        let mut bytes = [0_u32.to_le_bytes(), a.to_le_bytes(), b.to_le_bytes()].concat();
        bytes.extend(file);
        let look = look(format, &bytes).expect(format);
        assert!((look.brightness - of_raw.brightness).abs() < 0.01, "{format} {}", look.brightness);
        assert!(look.difference(&of_raw) < 0.01, "{format}");
        assert!(of_raw.brightness > 0.5 && !of_raw.known.is_empty());
    }
}

#[test]
fn unknown_distances_do_not_hide_another_view() {
    let (width, height) = (64_u32, 48_u32);
    let look = |seed: u32, unknown: u32| {
        let depth = |x: u32, y: u32| {
            let block = (x / 8).wrapping_mul(31) ^ (y / 8).wrapping_mul(17) ^ seed.wrapping_mul(97);
            let near = 2000 + block.wrapping_mul(2_654_435_761) % 700;
            if y < unknown { 0 } else { near as u16 }
        };
        let bytes: Vec<u8> = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .flat_map(|(x, y)| depth(x, y).to_le_bytes())
            .collect();
        let encoding = "16UC1".to_owned();
        let format =
            ImageFormat::Raw { encoding, width, height, step: 2 * width, is_bigendian: false };
        Appearance::of(&Image { format, bytes: 0..bytes.len() }, &bytes).expect("it is known")
    };
    for unknown in [0, 8, 16] {
        let first = look(1, unknown);
        assert!(first.difference(&look(1, unknown)) < 1e-6);
        for seed in 2..6 {
            let difference = first.difference(&look(seed, unknown));
            assert!(difference > 0.15, "{unknown} rows, {seed}: {difference}");
        }
    }
    // The same view, of which less is known, is no other one.
    assert!(look(1, 0).difference(&look(1, 12)) < 0.05);
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
