use super::scene::{Chance, Shot, Wall, gray, raw};
use crate::picture::{PictureError, thumbnail};
use image::{DynamicImage, GenericImageView};

fn decoded(jpeg: &[u8]) -> DynamicImage {
    image::load_from_memory(jpeg).expect("a JPEG")
}

/// Noise, which is hardest to compress.
fn noise(width: usize, height: usize) -> Vec<u8> {
    let mut chance = Chance::of(5);
    (0..width * height * 3).map(|_| (chance.share() * 255.0) as u8).collect()
}

#[test]
fn it_has_no_more_bytes_than_asked_for() {
    let (width, height) = (640, 480);
    let bytes = noise(width, height);
    let image = raw("rgb8", width, height, 3 * width, bytes.len());
    let mut last = 0;
    for bytes_max in [1024, 2048, 4096, 16_384, 65_536, 1 << 20] {
        let jpeg = thumbnail(&image, &bytes, bytes_max).expect("it fits");
        assert!(jpeg.len() <= bytes_max && jpeg.len() >= last, "{} {bytes_max}", jpeg.len());
        last = jpeg.len();
        let (width, height) = decoded(&jpeg).dimensions();
        assert!(width <= 320 && 4 * height == 3 * width, "{width} x {height}");
    }
    // One byte less than what was just enough, down to the smallest.
    let mut bytes_max = last;
    while let Ok(jpeg) = thumbnail(&image, &bytes, bytes_max) {
        assert!(jpeg.len() <= bytes_max, "{} {bytes_max}", jpeg.len());
        bytes_max = jpeg.len() - 1;
    }
    assert!(bytes_max < 1024);
    let error = thumbnail(&image, &bytes, 100).expect_err("no JPEG has 100 bytes");
    assert_eq!(error, PictureError::Thumbnail { bytes_max: 100 });
    assert_eq!(error.to_string(), "no thumbnail has at most 100 bytes");
}

#[test]
fn an_ordinary_picture_fits_into_the_default_at_full_size() {
    let pixels = Shot::at(0, 0).pixels(&Wall::of(4), &mut Chance::of(1));
    let jpeg = thumbnail(&gray(Shot::WIDTH, Shot::HEIGHT), &pixels, 16_384).expect("it fits");
    let small = decoded(&jpeg).to_luma8();
    assert_eq!(small.dimensions(), (160, 120));
    let off: u64 = small.as_raw().iter().zip(&pixels).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    assert!(off / pixels.len() as u64 <= 4, "off by {} on the mean", off / pixels.len() as u64);
}

#[test]
fn up_stays_up_and_colors_stay() {
    // Red left above, green right above, blue left below, white right below; wider than high.
    let (width, height) = (800, 200);
    let colors = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]];
    let bytes: Vec<u8> = (0..width * height)
        .flat_map(|i| colors[(i % width) * 2 / width + (i / width) * 2 / height * 2])
        .collect();
    let image = raw("rgb8", width, height, 3 * width, bytes.len());
    let small = decoded(&thumbnail(&image, &bytes, 16_384).expect("it fits")).to_rgb8();
    assert_eq!(small.dimensions(), (320, 80));
    for (i, color) in colors.iter().enumerate() {
        let (x, y) = (80 + 160 * (i as u32 % 2), 20 + 40 * (i as u32 / 2));
        let found = small.get_pixel(x, y).0;
        let off = found.iter().zip(color).map(|(a, b): (&u8, &u8)| a.abs_diff(*b)).max();
        assert!(off < Some(20), "{found:?} for {color:?}");
    }
}

#[test]
fn narrow_and_tiny_pictures_have_one() {
    for (width, height) in [(1, 1), (1, 3000), (3000, 1), (17, 5)] {
        let jpeg = thumbnail(&gray(width, height), &vec![90; width * height], 16_384);
        let (small_width, small_height) = decoded(&jpeg.expect("it fits")).dimensions();
        assert!(small_width as usize <= width && small_height as usize <= height);
    }
}
