use super::scene::{gray, raw};
use crate::picture::appearance::with_pixels;
use crate::picture::{Appearance, PIXELS_MAX, PictureError};
use crate::{Image, ImageFormat};
use proptest::prelude::*;

/// Four squares of 2 x 2: red, green, blue and a gray.
const COLORS: [[u8; 3]; 4] = [[200, 10, 30], [20, 220, 40], [30, 60, 240], [120, 120, 120]];
const WIDTH: usize = 4;
const HEIGHT: usize = 4;
/// Two bytes fill up each row.
const GAP: usize = 2;

fn color(x: usize, y: usize) -> [u8; 3] {
    COLORS[x / 2 + y / 2 * 2]
}

fn yuv([red, green, blue]: [u8; 3]) -> [u8; 3] {
    let [red, green, blue] = [red, green, blue].map(f64::from);
    let y = 0.299 * red + 0.587 * green + 0.114 * blue;
    [y, 128.0 + 0.564 * (blue - y), 128.0 + 0.713 * (red - y)].map(|c| c.round() as u8)
}

/// The squares in an encoding, and how many bytes of a row are pixels.
fn encode(encoding: &str, is_bigendian: bool) -> (Vec<u8>, usize) {
    let two = |high: u8| if is_bigendian { [high, 99] } else { [99, high] };
    let luma = |x, y| yuv(color(x, y))[0];
    let pick =
        |order: &[usize], x, y| -> Vec<u8> { order.iter().map(|c| color(x, y)[*c]).collect() };
    let wide = |order: &[usize], x, y| pick(order, x, y).into_iter().flat_map(two).collect();
    let filter = |x: usize, y: usize| {
        let letters = encoding.strip_prefix("bayer_").expect("bayer").as_bytes();
        match letters[x % 2 + y % 2 * 2] {
            b'r' => color(x, y)[0],
            b'g' => color(x, y)[1],
            _ => color(x, y)[2],
        }
    };
    let pixel = |x: usize, y: usize| -> Vec<u8> {
        match encoding {
            "mono8" | "8UC1" | "nv12" | "nv21" => vec![luma(x, y)],
            "mono16" => two(luma(x, y)).to_vec(),
            "rgb8" => pick(&[0, 1, 2], x, y),
            "bgr8" | "8UC3" => pick(&[2, 1, 0], x, y),
            "rgba8" => pick(&[0, 1, 2, 0], x, y),
            "bgra8" | "8UC4" => pick(&[2, 1, 0, 0], x, y),
            "rgb16" => wide(&[0, 1, 2], x, y),
            "bgr16" => wide(&[2, 1, 0], x, y),
            "rgba16" => wide(&[0, 1, 2, 0], x, y),
            "bgra16" => wide(&[2, 1, 0, 0], x, y),
            // The first of two pixels has u, the second one v.
            "yuv422" | "uyvy" => vec![yuv(color(x, y))[1 + x % 2], luma(x, y)],
            "yuv422_yuy2" | "yuyv" => vec![luma(x, y), yuv(color(x, y))[1 + x % 2]],
            _ if encoding.ends_with("16") => two(filter(x, y)).to_vec(),
            _ => vec![filter(x, y)],
        }
    };
    let mut bytes = Vec::new();
    let mut row_bytes = 0;
    for y in 0..HEIGHT {
        let row: Vec<u8> = (0..WIDTH).flat_map(|x| pixel(x, y)).collect();
        row_bytes = row.len();
        bytes.extend(row);
        bytes.extend([77; GAP]);
    }
    if let "nv12" | "nv21" = encoding {
        for y in (0..HEIGHT).step_by(2) {
            for x in (0..WIDTH).step_by(2) {
                let [_, u, v] = yuv(color(x, y));
                bytes.extend(if encoding == "nv12" { [u, v] } else { [v, u] });
            }
            bytes.extend([77; GAP]);
        }
    }
    (bytes, row_bytes)
}

fn picture(encoding: &str, is_bigendian: bool) -> (Image, Vec<u8>) {
    let (bytes, row_bytes) = encode(encoding, is_bigendian);
    let mut image = raw(encoding, WIDTH, HEIGHT, row_bytes + GAP, bytes.len());
    if let ImageFormat::Raw { is_bigendian: flag, .. } = &mut image.format {
        *flag = is_bigendian;
    }
    (image, bytes)
}

const COLORED: [&str; 23] = [
    "rgb8",
    "bgr8",
    "8UC3",
    "rgba8",
    "bgra8",
    "8UC4",
    "rgb16",
    "bgr16",
    "rgba16",
    "bgra16",
    "yuv422",
    "uyvy",
    "yuv422_yuy2",
    "yuyv",
    "nv12",
    "nv21",
    "bayer_rggb8",
    "bayer_bggr8",
    "bayer_gbrg8",
    "bayer_grbg8",
    "bayer_rggb16",
    "bayer_bggr16",
    "bayer_gbrg16",
];
const GRAY: [&str; 3] = ["mono8", "8UC1", "mono16"];

#[test]
fn a_pixel_has_its_color_in_every_encoding() {
    for encoding in COLORED.into_iter().chain(GRAY) {
        for is_bigendian in [false, true] {
            let (image, bytes) = picture(encoding, is_bigendian);
            with_pixels(&image, &bytes, |pixels| {
                assert_eq!(pixels.is_gray(), GRAY.contains(&encoding), "{encoding}");
                for (x, y) in (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (x, y))) {
                    let expected =
                        if pixels.is_gray() { [yuv(color(x, y))[0]; 3] } else { color(x, y) };
                    let found = pixels.color(x, y);
                    let off = found.iter().zip(expected).map(|(a, b)| a.abs_diff(b)).max();
                    assert!(off <= Some(3), "{encoding} {x} {y}: {found:?} for {expected:?}");
                }
            })
            .expect(encoding);
        }
    }
}

#[test]
fn a_view_looks_the_same_in_every_encoding() {
    let (image, bytes) = picture("rgb8", false);
    let expected = Appearance::of(&image, &bytes).expect("rgb8");
    for encoding in COLORED.into_iter().chain(GRAY) {
        let (image, bytes) = picture(encoding, false);
        let appearance = Appearance::of(&image, &bytes).expect(encoding);
        assert!(appearance.difference(&expected) < 0.01, "{encoding}");
        assert!((appearance.brightness - expected.brightness).abs() < 0.01, "{encoding}");
    }
}

#[test]
fn what_fills_up_the_last_row_may_be_missing() {
    for encoding in ["rgb8", "nv12", "bayer_rggb8"] {
        let (mut image, bytes) = picture(encoding, false);
        image.bytes = 0..bytes.len() - GAP;
        Appearance::of(&image, &bytes).expect(encoding);
        image.bytes = 0..bytes.len() - GAP - 1;
        let error = Appearance::of(&image, &bytes).expect_err(encoding);
        assert!(matches!(error, PictureError::Short { .. }), "{encoding}: {error}");
    }
}

#[test]
fn depth_is_near_bright_and_black_where_it_is_unknown() {
    let millimeters: Vec<u8> =
        [0_u16, 500, 5000, 20_000].iter().flat_map(|depth| depth.to_le_bytes()).collect();
    let meters: Vec<u8> =
        [f32::NAN, 0.5, 5.0, f32::INFINITY].iter().flat_map(|depth| depth.to_le_bytes()).collect();
    for (encoding, bytes) in [("16UC1", millimeters), ("32FC1", meters)] {
        let image = raw(encoding, 4, 1, bytes.len(), bytes.len());
        let levels = with_pixels(&image, &bytes, |pixels| {
            (0..4).map(|x| pixels.color(x, 0)[0]).collect::<Vec<_>>()
        });
        assert_eq!(levels, Ok(vec![0, 242, 127, 0]), "{encoding}");
    }
}

#[test]
fn cameras_of_twelve_bits_are_not_dark() {
    let levels = |brightest: u16| {
        let bytes: Vec<u8> = [0, brightest].iter().flat_map(|level| level.to_le_bytes()).collect();
        let image = raw("mono16", 2, 1, 4, 4);
        with_pixels(&image, &bytes, |pixels| pixels.color(1, 0)[0]).expect("mono16")
    };
    for brightest in [0xffff, 0x3fff, 0x0fff, 0x03ff] {
        assert_eq!(levels(brightest), 255, "{brightest:x}");
    }
    assert_eq!(levels(0x00ff), 63);
}

#[test]
fn what_cannot_be_read_is_said() {
    let look = |image: Image, length: usize| {
        Appearance::of(&image, &vec![0; length]).expect_err("refused").to_string()
    };
    let cases = [
        (raw("bgr5", 2, 2, 6, 12), 12, "encoding \"bgr5\" is not known; known are mono8,"),
        (raw("bayer_rgbg8", 2, 2, 2, 4), 4, "encoding \"bayer_rgbg8\""),
        (raw("", 2, 2, 6, 12), 12, "encoding \"\""),
        (raw("rgb8", 0, 2, 6, 12), 12, "has 0 x 2 pixels, must have 1 to 16777216"),
        (raw("rgb8", 2, 0, 6, 12), 12, "has 2 x 0 pixels"),
        (raw("mono8", 1 << 20, 1 << 20, 1 << 20, 12), 12, "has 1048576 x 1048576 pixels"),
        (raw("rgb8", 2, 2, 5, 12), 12, "step is 5, a row of 2 pixels of rgb8 takes 6 bytes"),
        (raw("rgb8", 2, 2, 6, 11), 12, "has 11 bytes, its size needs 12"),
        (raw("rgb8", 2, 2, 6, 13), 12, "has 12 bytes, its size needs 13"),
        (raw("mono8", 2, 2, u32::MAX as usize, 12), 12, "has 12 bytes, its size needs 4294967297"),
    ];
    for (image, length, expected) in cases {
        let message = look(image, length);
        assert!(message.contains(expected), "{message:?} has no {expected:?}");
    }
    let most = PIXELS_MAX as usize;
    assert!(Appearance::of(&gray(4096, 4096), &vec![7; most]).is_ok());
    assert!(Appearance::of(&gray(4096, 4097), &vec![7; most + 4096]).is_err());
}

proptest! {
    #[test]
    fn no_size_and_no_bytes_bring_it_down(
        encoding in prop::sample::select([&COLORED[..], &GRAY, &["16UC1", "32FC1"]].concat()),
        width in 0_usize..9,
        height in 0_usize..9,
        step in 0_usize..40,
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let image = raw(encoding, width, height, step, bytes.len());
        if let Ok(appearance) = Appearance::of(&image, &bytes) {
            prop_assert!(appearance.sharpness.is_finite() && appearance.contrast.is_finite());
            prop_assert!(appearance.difference(&appearance) == 0.0);
        }
    }
}
