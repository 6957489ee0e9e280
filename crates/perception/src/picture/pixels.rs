//! Pixels in the bytes of a message, in all encodings of `sensor_msgs/image_encodings.hpp` that
//! cameras send. Nothing is copied: a pixel is read when it is asked for.

use super::{PIXELS_MAX, PictureError, encoding_label};

/// For an error message.
pub(super) const KNOWN: &str = "mono8, mono16, rgb8, bgr8, rgba8, bgra8, rgb16, bgr16, rgba16, bgra16, \
    8UC1, 8UC3, 8UC4, 16UC1, 32FC1, bayer_*8, bayer_*16, yuv422 (uyvy), yuv422_yuy2 (yuyv), nv12, nv21";

/// Distance at which a depth picture is black, m: as far as indoor cameras see.
const DEPTH_M_MAX: f32 = 10.0;

/// A picture whose rows are known to be there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pixels<'a> {
    bytes: &'a [u8],
    width: usize,
    height: usize,
    step: usize,
    layout: Layout,
}

/// Where in its bytes a pixel is. Of numbers of two bytes, the higher one is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// One after the other: bytes of a pixel, and where in it red, green and blue are.
    Interleaved { pixel: usize, red: usize, green: usize, blue: usize },
    /// Numbers of two bytes, of which few bits may be used: how far they are shifted down.
    Wide { is_bigendian: bool, shift: u32 },
    /// Distances in mm, 0 where there is none.
    DepthMillimeters { is_bigendian: bool },
    /// Distances in m, NaN where there is none.
    DepthMeters { is_bigendian: bool },
    /// A color filter of 2 x 2: bytes of a pixel, where its (higher) byte is, and column and row of
    /// red; blue is across from it.
    Bayer { pixel: usize, byte: usize, red_x: usize, red_y: usize },
    /// Two pixels in four bytes; `y_first`: luma, chroma, luma, chroma.
    Packed422 { y_first: bool },
    /// Luma, then at half the size both chromas in turn.
    Planar420 { v_first: bool },
}

impl Layout {
    fn of(encoding: &str, is_bigendian: bool) -> Option<Self> {
        let interleaved =
            |pixel, [red, green, blue]: [usize; 3]| Self::Interleaved { pixel, red, green, blue };
        // The higher byte of each two.
        let high = usize::from(!is_bigendian);
        let wide = |pixel, order: [usize; 3]| interleaved(pixel, order.map(|c| 2 * c + high));
        let (rgb, bgr) = ([0, 1, 2], [2, 1, 0]);
        Some(match encoding {
            "mono8" | "8UC1" => interleaved(1, [0, 0, 0]),
            "rgb8" => interleaved(3, rgb),
            "bgr8" | "8UC3" => interleaved(3, bgr),
            "rgba8" => interleaved(4, rgb),
            "bgra8" | "8UC4" => interleaved(4, bgr),
            "rgb16" => wide(6, rgb),
            "bgr16" => wide(6, bgr),
            "rgba16" => wide(8, rgb),
            "bgra16" => wide(8, bgr),
            "mono16" => Self::Wide { is_bigendian, shift: 8 },
            "16UC1" => Self::DepthMillimeters { is_bigendian },
            "32FC1" => Self::DepthMeters { is_bigendian },
            "yuv422" | "uyvy" => Self::Packed422 { y_first: false },
            "yuv422_yuy2" | "yuyv" => Self::Packed422 { y_first: true },
            "nv12" => Self::Planar420 { v_first: false },
            "nv21" => Self::Planar420 { v_first: true },
            _ => {
                let (filter, pixel, byte) = match encoding.strip_prefix("bayer_")? {
                    pattern if pattern.ends_with("16") => (pattern.strip_suffix("16")?, 2, high),
                    pattern => (pattern.strip_suffix('8')?, 1, 0),
                };
                let (red_x, red_y) = match filter {
                    "rggb" => (0, 0),
                    "grbg" => (1, 0),
                    "gbrg" => (0, 1),
                    "bggr" => (1, 1),
                    _ => return None,
                };
                Self::Bayer { pixel, byte, red_x, red_y }
            }
        })
    }

    /// Bytes of a row of pixels.
    fn row_bytes(self, width: u64) -> u64 {
        match self {
            Self::Interleaved { pixel, .. } | Self::Bayer { pixel, .. } => width * pixel as u64,
            Self::Wide { .. } | Self::DepthMillimeters { .. } => width * 2,
            Self::DepthMeters { .. } => width * 4,
            Self::Packed422 { .. } => width.div_ceil(2) * 4,
            // A row of chroma has two bytes for each two pixels.
            Self::Planar420 { .. } => width.next_multiple_of(2),
        }
    }
}

/// Rows of pixels as a message says them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'a> {
    pub encoding: &'a str,
    pub width: u32,
    pub height: u32,
    pub step: u32,
    pub is_bigendian: bool,
}

impl<'a> Pixels<'a> {
    /// # Errors
    ///
    /// An encoding that is not known, a size out of bounds, fewer bytes than the size says.
    pub fn of_rows(rows: Rows<'_>, bytes: &'a [u8]) -> Result<Self, PictureError> {
        let Rows { encoding, width, height, step, is_bigendian } = rows;
        let layout = Layout::of(encoding, is_bigendian).ok_or_else(|| PictureError::Encoding {
            given: encoding_label(encoding),
            known: KNOWN,
        })?;
        check_size(width, height)?;
        let row = layout.row_bytes(width.into());
        if u64::from(step) < row {
            let encoding = encoding.to_owned();
            return Err(PictureError::Step { step, width, encoding, needed: row });
        }
        let rows = match layout {
            Layout::Planar420 { .. } => u64::from(height) + u64::from(height).div_ceil(2),
            _ => height.into(),
        };
        // Some drivers leave out what fills up the last row.
        let needed = (rows - 1) * u64::from(step) + row;
        let given = bytes.len() as u64;
        if given < needed {
            return Err(PictureError::Short { given, needed });
        }
        let mut pixels = Self {
            bytes,
            width: width as usize,
            height: height as usize,
            step: step as usize,
            layout,
        };
        if let Layout::Wide { is_bigendian, .. } = layout {
            let shift = pixels.used_bits(is_bigendian) - 8;
            pixels.layout = Layout::Wide { is_bigendian, shift };
        }
        Ok(pixels)
    }

    /// Decoded pixels, row by row without a gap; numbers of two bytes as this machine has them. Of a
    /// picture of distances those are millimeters.
    pub fn of_decoded(
        bytes: &'a [u8],
        (width, height): (u32, u32),
        (channels, bytes_per_channel): (u8, u8),
        is_depth: bool,
    ) -> Result<Self, PictureError> {
        let is_bigendian = cfg!(target_endian = "big");
        let step = width.saturating_mul(u32::from(channels) * u32::from(bytes_per_channel));
        let encoding = match (channels, bytes_per_channel) {
            (1, 1) => "mono8",
            (1, 2) if is_depth => "16UC1",
            (1, 2) => "mono16",
            (3, 1) => "rgb8",
            (4, 1) => "rgba8",
            (3, 2) => "rgb16",
            (4, 2) => "rgba16",
            (2, 1 | 2) => {
                // Gray with opacity: the first byte, or the higher one of the first two.
                let gray = usize::from(bytes_per_channel == 2 && !is_bigendian);
                let pixel = 2 * usize::from(bytes_per_channel);
                let layout = Layout::Interleaved { pixel, red: gray, green: gray, blue: gray };
                let (width, height) = (width as usize, height as usize);
                return Ok(Self { bytes, width, height, step: step as usize, layout });
            }
            _ => {
                return Err(PictureError::Encoding {
                    given: format!("{channels} channels of {bytes_per_channel} bytes"),
                    known: KNOWN,
                });
            }
        };
        Self::of_rows(Rows { encoding, width, height, step, is_bigendian }, bytes)
    }

    /// Whether its pixels are distances, of which some are not known.
    pub fn is_depth(&self) -> bool {
        matches!(self.layout, Layout::DepthMillimeters { .. } | Layout::DepthMeters { .. })
    }

    /// Pixels in a row, and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Whether there is a color.
    pub fn is_gray(&self) -> bool {
        match self.layout {
            Layout::Interleaved { red, blue, .. } => red == blue,
            Layout::Wide { .. } | Layout::DepthMillimeters { .. } | Layout::DepthMeters { .. } => {
                true
            }
            Layout::Bayer { .. } | Layout::Packed422 { .. } | Layout::Planar420 { .. } => false,
        }
    }

    /// Calls `see` with a function from column and row to brightness; one for each layout, so that the
    /// compiler makes a tight loop of each.
    pub fn with_gray<R>(&self, see: impl SeeGray<R>) -> R {
        let Self { bytes, step, .. } = *self;
        match self.layout {
            Layout::Interleaved { pixel, red, green, blue } if red == blue => {
                see.see(|x, y| bytes[y * step + x * pixel + green])
            }
            Layout::Interleaved { pixel, red, green, blue } => see.see(|x, y| {
                let at = y * step + x * pixel;
                let pixel = &bytes[at..at + pixel];
                luma([pixel[red], pixel[green], pixel[blue]])
            }),
            Layout::Wide { is_bigendian, shift } => {
                see.see(|x, y| narrowed(self.wide(x, y, is_bigendian), shift))
            }
            Layout::DepthMillimeters { is_bigendian } => {
                see.see(|x, y| nearness(f32::from(self.wide(x, y, is_bigendian)) * 1e-3))
            }
            Layout::DepthMeters { is_bigendian } => {
                see.see(|x, y| nearness(self.depth_m(x, y, is_bigendian)))
            }
            Layout::Packed422 { y_first } => {
                let first = usize::from(!y_first);
                see.see(|x, y| bytes[y * step + 2 * x + first])
            }
            Layout::Planar420 { .. } => see.see(|x, y| bytes[y * step + x]),
            Layout::Bayer { .. } => see.see(|x, y| luma(self.color(x, y))),
        }
    }

    /// Red, green and blue of a pixel.
    pub fn color(&self, x: usize, y: usize) -> [u8; 3] {
        let Self { bytes, step, .. } = *self;
        let row = y * step;
        match self.layout {
            Layout::Interleaved { pixel, red, green, blue } => {
                let at = row + x * pixel;
                [bytes[at + red], bytes[at + green], bytes[at + blue]]
            }
            Layout::Wide { is_bigendian, shift } => {
                [narrowed(self.wide(x, y, is_bigendian), shift); 3]
            }
            Layout::DepthMillimeters { is_bigendian } => {
                [nearness(f32::from(self.wide(x, y, is_bigendian)) * 1e-3); 3]
            }
            Layout::DepthMeters { is_bigendian } => [nearness(self.depth_m(x, y, is_bigendian)); 3],
            Layout::Bayer { pixel, byte, red_x, red_y } => {
                // The square of the filter in which the pixel is, or the last whole one.
                let left = (x & !1).min(self.width.saturating_sub(2));
                let top = (y & !1).min(self.height.saturating_sub(2));
                let at = |x: usize, y: usize| {
                    let (x, y) = (x.min(self.width - 1), y.min(self.height - 1));
                    bytes[y * step + x * pixel + byte]
                };
                // The column of red in a square that begins at an odd column is the other one.
                let (red_x, red_y) = (red_x ^ (left & 1), red_y ^ (top & 1));
                let green = u16::from(at(left + (red_x ^ 1), top + red_y))
                    + u16::from(at(left + red_x, top + (red_y ^ 1)));
                let blue = at(left + (red_x ^ 1), top + (red_y ^ 1));
                [at(left + red_x, top + red_y), (green / 2) as u8, blue]
            }
            Layout::Packed422 { y_first } => {
                let (luma_at, chroma_at) = if y_first { (0, 1) } else { (1, 0) };
                let two = row + (x & !1) * 2;
                rgb(
                    bytes[row + 2 * x + luma_at],
                    bytes[two + chroma_at],
                    bytes[two + chroma_at + 2],
                )
            }
            Layout::Planar420 { v_first } => {
                let two = (self.height + y / 2) * step + (x & !1);
                let (first, second) = (bytes[two], bytes[two + 1]);
                let (u, v) = if v_first { (second, first) } else { (first, second) };
                rgb(bytes[row + x], u, v)
            }
        }
    }

    fn wide(&self, x: usize, y: usize, is_bigendian: bool) -> u16 {
        let at = y * self.step + 2 * x;
        let two = &self.bytes[at..at + 2];
        let two = [two[0], two[1]];
        if is_bigendian { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) }
    }

    fn depth_m(&self, x: usize, y: usize, is_bigendian: bool) -> f32 {
        let at = y * self.step + 4 * x;
        let four = &self.bytes[at..at + 4];
        let four = [four[0], four[1], four[2], four[3]];
        if is_bigendian { f32::from_be_bytes(four) } else { f32::from_le_bytes(four) }
    }

    /// Bits that the brightest of some pixels needs: cameras of 10, 12 and 14 bits send 16.
    fn used_bits(&self, is_bigendian: bool) -> u32 {
        const ACROSS: usize = 32;
        let at = |i: usize, length: usize| i * length / ACROSS;
        let brightest = (0..ACROSS * ACROSS)
            .map(|i| {
                let (x, y) = (at(i % ACROSS, self.width), at(i / ACROSS, self.height));
                self.wide(x, y, is_bigendian)
            })
            .max()
            .unwrap_or_default();
        let bits = u16::BITS - brightest.leading_zeros();
        [10, 12, 14].into_iter().find(|used| bits <= *used).unwrap_or(16)
    }
}

/// What is done with a function from column and row to brightness.
pub(super) trait SeeGray<R> {
    /// Does it.
    fn see(self, gray: impl Fn(usize, usize) -> u8) -> R;
}

/// # Errors
///
/// No pixels, or more than [`PIXELS_MAX`].
pub(super) fn check_size(width: u32, height: u32) -> Result<(), PictureError> {
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > PIXELS_MAX {
        return Err(PictureError::Size { width, height });
    }
    Ok(())
}

/// Brightness as ITU-R BT.601 weighs red, green and blue.
fn luma([red, green, blue]: [u8; 3]) -> u8 {
    ((77 * u32::from(red) + 150 * u32::from(green) + 29 * u32::from(blue)) >> 8) as u8
}

/// The highest of the bits that are used.
fn narrowed(level: u16, shift: u32) -> u8 {
    (level >> shift).min(255) as u8
}

/// Near is bright; black where there is no distance.
fn nearness(depth_m: f32) -> u8 {
    if depth_m > 0.0 && depth_m < DEPTH_M_MAX {
        (255.0 * (1.0 - depth_m / DEPTH_M_MAX)) as u8
    } else {
        0
    }
}

/// ITU-R BT.601 over the full range, as cameras send it.
fn rgb(y: u8, u: u8, v: u8) -> [u8; 3] {
    let (y, u, v) = (f32::from(y), f32::from(u) - 128.0, f32::from(v) - 128.0);
    // A cast keeps within 0 to 255.
    [y + 1.402 * v, y - 0.344_136 * u - 0.714_136 * v, y + 1.772 * u].map(|c| c.round() as u8)
}
