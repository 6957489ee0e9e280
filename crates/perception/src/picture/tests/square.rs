use crate::picture::codec::encode_jpeg;
use crate::picture::{PictureError, square};

/// A JPEG whose pixel at column and row has a color.
fn jpeg(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
    let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let bytes: Vec<u8> = pixels.flat_map(|(x, y)| color(x, y)).collect();
    encode_jpeg(&bytes, (width, height), false, 95).expect("a JPEG")
}

#[track_caller]
fn assert_near(pixel: &[u8], color: [u8; 3]) {
    assert!(pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 4), "{pixel:?} is not {color:?}");
}

#[test]
fn the_middle_is_cropped_or_all_of_it_is_stretched() {
    // Red, green in the middle third, blue.
    let wide = jpeg(96, 32, |x, _| [[255, 0, 0], [0, 255, 0], [0, 0, 255]][x as usize / 32]);
    let cropped = square(&wide, 64, true).expect("it is read");
    assert_eq!(cropped.len(), 64 * 64 * 3);
    let at = |bytes: &[u8], x: usize, y: usize| bytes[(y * 64 + x) * 3..][..3].to_vec();
    for x in [3, 32, 60] {
        assert_near(&at(&cropped, x, 32), [0, 255, 0]);
    }
    let stretched = square(&wide, 64, false).expect("it is read");
    for (x, color) in [(8, [255, 0, 0]), (32, [0, 255, 0]), (56, [0, 0, 255])] {
        assert_near(&at(&stretched, x, 32), color);
    }
    // Above stays above, also of one that is higher than wide.
    let high = jpeg(32, 96, |_, y| if y < 48 { [255, 255, 0] } else { [0, 0, 0] });
    let cropped = square(&high, 64, true).expect("it is read");
    assert_near(&at(&cropped, 32, 8), [255, 255, 0]);
    assert_near(&at(&cropped, 32, 56), [0, 0, 0]);
}

#[test]
fn each_pixel_stands_for_all_that_it_covers() {
    // Stripes of one pixel, black and white, become gray and not one of the two.
    let stripes = jpeg(256, 256, |x, _| [if x % 2 == 0 { 0 } else { 255 }; 3]);
    let small = square(&stripes, 32, true).expect("it is read");
    assert!(small.iter().all(|level| level.abs_diff(127) < 24), "{:?}", &small[..12]);
}

#[test]
fn gray_has_three_equal_colors_and_what_is_no_jpeg_is_refused() {
    let gray = encode_jpeg(&[90; 48 * 32], (48, 32), true, 90).expect("a JPEG");
    let seen = square(&gray, 32, true).expect("it is read");
    assert_eq!(seen.len(), 32 * 32 * 3);
    assert!(seen.iter().all(|level| level.abs_diff(90) <= 2));
    for bytes in [&b""[..], b"no picture", &gray[..gray.len() / 3]] {
        let error = square(bytes, 32, true).expect_err("it is none");
        assert!(matches!(error, PictureError::Corrupt { format: "JPEG", .. }), "{error}");
    }
}
