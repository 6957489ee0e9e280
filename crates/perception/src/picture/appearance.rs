use super::PictureError;
use super::compressed::Decoded;
use super::pixels::{Pixels, Rows, SeeGray};
use crate::{Image, ImageFormat};
use std::f32::consts::PI;

/// Of views of distances that know fewer than one in so many cells in common all cells are compared.
const COMMON_PARTS: usize = 20;
/// Columns of an appearance's grid.
pub const GRID_WIDTH: usize = 32;
/// Rows of an appearance's grid.
pub const GRID_HEIGHT: usize = 24;

/// Pixels of the reduced picture for each of the grid, across and down.
const FINE: usize = 6;
const FINE_WIDTH: usize = FINE * GRID_WIDTH;
const FINE_HEIGHT: usize = FINE * GRID_HEIGHT;
/// Frequencies of the hash, across and down.
const FREQUENCIES: usize = 8;
/// What the transform of a flat picture is by rounding: one level of noise is some twenty times that.
const ROUNDING: f32 = 0.5;
/// Contrast below which differences are measured as if it were this one, levels of 255: what a wall
/// shows beyond it is noise.
const CONTRAST_LEVELS_MIN: f32 = 8.0;
/// Mean below which sharpness is measured as if it were this one, levels of 255.
const MEAN_LEVELS_MIN: f32 = 16.0;

/// What a picture looks like, whatever its size, its coding and its exposure.
#[derive(Debug, Clone, PartialEq)]
pub struct Appearance {
    /// Pixels in a row of the picture.
    pub width: u32,
    /// Its rows.
    pub height: u32,
    /// [`GRID_HEIGHT`] rows of [`GRID_WIDTH`] mean levels, 0 to 255.
    pub grid: Box<[f32]>,
    /// Which of them are known, of a picture of distances; empty: all. Those that are not have the mean.
    pub known: Box<[bool]>,
    /// 64 bits of which few differ between pictures that look alike: which of the lowest frequencies of
    /// the cosine transform are above their median (Zauner, "Implementation and Benchmarking of
    /// Perceptual Image Hash Functions", 2010).
    pub hash: u64,
    /// Variance of the second differences of the picture at 192 x 144, in the direction in which it is
    /// smaller, since motion blurs in one direction; as a share of the square of the mean, so that
    /// exposure does not count. The blurred picture of a view has a smaller one. It is the variance of
    /// the Laplacian (Pech-Pacheco et al., "Diatom autofocusing in brightfield microscopy", ICPR 2000),
    /// taken apart.
    pub sharpness: f64,
    /// Mean, 0 (black) to 1.
    pub brightness: f64,
    /// Standard deviation of the grid, 0 to 0.5.
    pub contrast: f64,
}

impl Appearance {
    /// Looks at a picture in the bytes of its message. Of a raw picture about 110 000 pixels are read,
    /// whatever its size; a compressed one is decoded whole.
    ///
    /// # Errors
    ///
    /// See [`PictureError`].
    pub fn of(image: &Image, message: &[u8]) -> Result<Self, PictureError> {
        with_pixels(image, message, Self::of_pixels)
    }

    fn of_pixels(pixels: &Pixels<'_>) -> Self {
        let (width, height) = pixels.size();
        let fine = pixels.with_gray(Reduce { width, height });
        let (grid, known) =
            if pixels.is_depth() { known_means(&fine) } else { (means(&fine), Box::default()) };
        let count = grid.len() as f32;
        let mean = grid.iter().sum::<f32>() / count;
        let variance = grid.iter().map(|level| (level - mean).powi(2)).sum::<f32>() / count;
        Self {
            width: width as u32,
            height: height as u32,
            hash: hash(&grid),
            sharpness: smaller_variance(&fine) / f64::from(mean.max(MEAN_LEVELS_MIN).powi(2)),
            brightness: f64::from(mean) / 255.0,
            contrast: f64::from(variance.sqrt()) / 255.0,
            known,
            grid,
        }
    }

    /// How different two views are: 0 for the same, 1 for unrelated ones. It is 1 less the correlation
    /// of the grids, so that exposure does not count; where there is little contrast, less.
    /// Of distances those cells count that both know.
    pub fn difference(&self, other: &Self) -> f64 {
        if !self.known.is_empty() || !other.known.is_empty() {
            let both = self.known_in_both(other);
            if both.len() * COMMON_PARTS >= self.grid.len() {
                return difference(&both);
            }
        }
        let scale = |look: &Self| {
            let contrast = (look.contrast as f32 * 255.0).max(CONTRAST_LEVELS_MIN);
            (look.brightness as f32 * 255.0, 1.0 / contrast)
        };
        let ((mean_a, scale_a), (mean_b, scale_b)) = (scale(self), scale(other));
        let sum: f32 = self
            .grid
            .iter()
            .zip(&other.grid)
            .map(|(a, b)| ((a - mean_a) * scale_a - (b - mean_b) * scale_b).powi(2))
            .sum();
        (0.5 * f64::from(sum) / self.grid.len() as f64).min(1.0)
    }

    /// The levels of the cells that both know.
    fn known_in_both(&self, other: &Self) -> Vec<(f32, f32)> {
        let knows = |look: &Self, cell: usize| look.known.get(cell).copied().unwrap_or(true);
        let cells = (0..self.grid.len()).filter(|cell| knows(self, *cell) && knows(other, *cell));
        cells.map(|cell| (self.grid[cell], other.grid[cell])).collect()
    }

    /// Whether there is nothing to see: a lens that is covered, a camera that is just starting.
    pub fn is_black(&self) -> bool {
        self.brightness < 10.0 / 255.0 && self.contrast < 6.0 / 255.0
    }
}

/// One less the correlation of levels, as [`Appearance::difference`].
fn difference(both: &[(f32, f32)]) -> f64 {
    let count = both.len() as f32;
    let scale = |of: fn(&(f32, f32)) -> f32| {
        let mean = both.iter().map(of).sum::<f32>() / count;
        let square = both.iter().map(|both| (of(both) - mean).powi(2)).sum::<f32>() / count;
        (mean, 1.0 / square.sqrt().max(CONTRAST_LEVELS_MIN))
    };
    let ((mean_a, scale_a), (mean_b, scale_b)) = (scale(|both| both.0), scale(|both| both.1));
    let apart = |(a, b): &(f32, f32)| ((a - mean_a) * scale_a - (b - mean_b) * scale_b).powi(2);
    (0.5 * f64::from(both.iter().map(apart).sum::<f32>() / count)).min(1.0)
}

/// Calls a function with the pixels of an image.
pub(super) fn with_pixels<R>(
    image: &Image,
    message: &[u8],
    see: impl FnOnce(&Pixels<'_>) -> R,
) -> Result<R, PictureError> {
    let bytes = message.get(image.bytes.clone()).ok_or(PictureError::Short {
        given: message.len() as u64,
        needed: image.bytes.end as u64,
    })?;
    match &image.format {
        ImageFormat::Raw { encoding, width, height, step, is_bigendian } => {
            let (width, height, step, is_bigendian) = (*width, *height, *step, *is_bigendian);
            let rows = Rows { encoding, width, height, step, is_bigendian };
            Ok(see(&Pixels::of_rows(rows, bytes)?))
        }
        ImageFormat::Compressed(format) => {
            let decoded = Decoded::of(format, bytes)?;
            Ok(see(&decoded.pixels()?))
        }
    }
}

/// A picture of [`FINE_WIDTH`] x [`FINE_HEIGHT`], each pixel the mean of four.
struct Reduce {
    width: usize,
    height: usize,
}

impl SeeGray<Vec<u8>> for Reduce {
    fn see(self, gray: impl Fn(usize, usize) -> u8) -> Vec<u8> {
        let columns: Vec<[usize; 2]> =
            (0..FINE_WIDTH).map(|x| quarters(x, FINE_WIDTH, self.width)).collect();
        let mut fine = Vec::with_capacity(FINE_WIDTH * FINE_HEIGHT);
        for y in 0..FINE_HEIGHT {
            let [upper, lower] = quarters(y, FINE_HEIGHT, self.height);
            fine.extend(columns.iter().map(|&[left, right]| {
                let sum = u16::from(gray(left, upper))
                    + u16::from(gray(right, upper))
                    + u16::from(gray(left, lower))
                    + u16::from(gray(right, lower));
                ((sum + 2) / 4) as u8
            }));
        }
        fine
    }
}

/// Which of `from` pixels are at a quarter and at three quarters of the `i`-th of `to` parts.
fn quarters(i: usize, to: usize, from: usize) -> [usize; 2] {
    [(4 * i + 1) * from / (4 * to), (4 * i + 3) * from / (4 * to)]
}

/// The mean of each [`FINE`] x [`FINE`] pixels.
fn means(fine: &[u8]) -> Box<[f32]> {
    let mut sums = [0_u16; GRID_WIDTH * GRID_HEIGHT];
    for (sums, rows) in sums.chunks_exact_mut(GRID_WIDTH).zip(fine.chunks_exact(FINE * FINE_WIDTH))
    {
        for row in rows.chunks_exact(FINE_WIDTH) {
            for (sum, levels) in sums.iter_mut().zip(row.chunks_exact(FINE)) {
                *sum += levels.iter().map(|level| u16::from(*level)).sum::<u16>();
            }
        }
    }
    sums.iter().map(|sum| f32::from(*sum) / (FINE * FINE) as f32).collect()
}

/// The same of what is known, which is not black: where more than half of it is; else the mean of all.
fn known_means(fine: &[u8]) -> (Box<[f32]>, Box<[bool]>) {
    let mut sums = [(0_u32, 0_u32); GRID_WIDTH * GRID_HEIGHT];
    for (at, level) in fine.iter().enumerate().filter(|(_, level)| **level > 0) {
        let cell = at / FINE_WIDTH / FINE * GRID_WIDTH + at % FINE_WIDTH / FINE;
        sums[cell] = (sums[cell].0 + u32::from(*level), sums[cell].1 + 1);
    }
    let known: Box<[bool]> =
        sums.iter().map(|(_, count)| 2 * *count as usize > FINE * FINE).collect();
    let all = sums.iter().zip(&known).filter(|(_, is_known)| **is_known);
    let (sum, count) = all.fold((0, 0), |all, ((sum, count), _)| (all.0 + sum, all.1 + count));
    let mean = |sum: u32, count: u32| sum as f32 / count.max(1) as f32;
    let grid = sums.iter().zip(&known).map(|((own, own_count), is_known)| {
        if *is_known { mean(*own, *own_count) } else { mean(sum, count) }
    });
    (grid.collect(), known)
}

/// The smaller one of the mean squares of the second differences across and down, without the border.
fn smaller_variance(fine: &[u8]) -> f64 {
    let (mut across, mut down) = (0_u64, 0_u64);
    for rows in fine.windows(3 * FINE_WIDTH).step_by(FINE_WIDTH) {
        let (above, rest) = rows.split_at(FINE_WIDTH);
        let (middle, below) = rest.split_at(FINE_WIDTH);
        // The squares of a row fit into 32 bits.
        let (mut row_across, mut row_down) = (0_u32, 0_u32);
        for (around, (above, below)) in middle.windows(3).zip(above[1..].iter().zip(&below[1..])) {
            let [left, center, right] = [around[0], around[1], around[2]].map(i32::from);
            row_across += (left + right - 2 * center).pow(2) as u32;
            row_down += (i32::from(*above) + i32::from(*below) - 2 * center).pow(2) as u32;
        }
        across += u64::from(row_across);
        down += u64::from(row_down);
    }
    across.min(down) as f64 / ((FINE_WIDTH - 2) * (FINE_HEIGHT - 2)) as f64
}

/// Which of the 8 x 8 lowest frequencies of the cosine transform (DCT-II), the mean left out, are above
/// their median; the lowest bit is the lowest frequency.
fn hash(grid: &[f32]) -> u64 {
    // First across, then down.
    let across = cosines::<GRID_WIDTH>();
    let down = cosines::<GRID_HEIGHT>();
    let mut rows = [[0.0_f32; FREQUENCIES]; GRID_HEIGHT];
    for (row, levels) in rows.iter_mut().zip(grid.chunks_exact(GRID_WIDTH)) {
        for (sum, wave) in row.iter_mut().zip(&across) {
            *sum = wave.iter().zip(levels).map(|(wave, level)| wave * level).sum();
        }
    }
    let mut coefficients = [0.0_f32; FREQUENCIES * FREQUENCIES];
    for (v, wave) in down.iter().enumerate() {
        for u in 0..FREQUENCIES {
            coefficients[v * FREQUENCIES + u] =
                wave.iter().zip(&rows).map(|(wave, row)| wave * row[u]).sum();
        }
    }
    coefficients[0] = 0.0;
    let mut sorted = coefficients;
    sorted.sort_by(f32::total_cmp);
    let median = (sorted[31] + sorted[32]) / 2.0;
    coefficients
        .iter()
        .enumerate()
        .filter(|(_, coefficient)| **coefficient > median + ROUNDING)
        .fold(0, |bits, (i, _)| bits | 1 << i)
}

fn cosines<const N: usize>() -> [[f32; N]; FREQUENCIES] {
    std::array::from_fn(|frequency| {
        std::array::from_fn(|i| (PI * (2 * i + 1) as f32 * frequency as f32 / (2 * N) as f32).cos())
    })
}
