//! A camera before a wall full of things.

use crate::picture::Appearance;
use crate::{Image, ImageFormat};

/// Columns and rows of a wall.
const WALL: usize = 512;

/// Numbers that look like chance and are the same each time.
#[derive(Clone)]
pub struct Chance(u64);

impl Chance {
    pub fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1))
    }

    /// 0 to 1 (splitmix64: Steele, Lea, Flood, OOPSLA 2014).
    pub fn share(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / u64::MAX as f64
    }

    /// Mean 0, standard deviation 1, nearly normal.
    pub fn normal(&mut self) -> f64 {
        ((0..4).map(|_| self.share()).sum::<f64>() - 2.0) * 3.0_f64.sqrt()
    }
}

/// What a camera looks at: large things and small ones, the small ones fainter, as in the world.
pub struct Wall(Vec<f32>);

impl Wall {
    pub fn of(seed: u64) -> Self {
        let mut levels = vec![128.0_f32; WALL * WALL];
        for (cell, contrast) in
            [(128, 45.0), (64, 35.0), (32, 25.0), (16, 18.0), (8, 14.0), (4, 10.0)]
        {
            let across = WALL / cell;
            let mut chance = Chance::of(seed * 1000 + cell as u64);
            let corners: Vec<f32> =
                (0..across * across).map(|_| contrast * chance.normal() as f32).collect();
            let corner = |x: usize, y: usize| corners[(y % across) * across + x % across];
            for (i, level) in levels.iter_mut().enumerate() {
                let (x, y) = (i % WALL, i / WALL);
                let (left, top) = (x / cell, y / cell);
                let part = |at: usize| (at % cell) as f32 / cell as f32;
                let (u, v) = (part(x), part(y));
                let upper = corner(left, top) * (1.0 - u) + corner(left + 1, top) * u;
                let lower = corner(left, top + 1) * (1.0 - u) + corner(left + 1, top + 1) * u;
                *level += upper * (1.0 - v) + lower * v;
            }
        }
        // Things have edges.
        let mut chance = Chance::of(seed);
        let mut within = |below: usize| (chance.share() * below as f64) as usize;
        for _ in 0..300 {
            let (left, top) = (within(WALL), within(WALL));
            let (width, height, level) = (4 + within(40), 4 + within(40), within(80) as f32 - 40.0);
            for y in top..top + height {
                for x in left..left + width {
                    levels[(y % WALL) * WALL + x % WALL] += level;
                }
            }
        }
        Self(levels)
    }

    /// Gray, without a thing on it.
    pub fn bare() -> Self {
        Self(vec![140.0; WALL * WALL])
    }

    fn level(&self, x: usize, y: usize) -> f32 {
        self.0[(y % WALL) * WALL + x % WALL]
    }
}

/// A picture that is taken: 160 x 120, gray.
#[derive(Clone)]
pub struct Shot {
    /// The left upper corner on the wall.
    pub at: (usize, usize),
    /// Levels of noise, standard deviation.
    pub noise: f64,
    /// Exposure: 1 as it is.
    pub gain: f32,
    /// Pixels over which the camera moves to the right while the shutter is open.
    pub moved: usize,
}

impl Shot {
    pub const WIDTH: usize = 160;
    pub const HEIGHT: usize = 120;

    pub fn at(x: usize, y: usize) -> Self {
        Self { at: (x, y), noise: 2.0, gain: 1.0, moved: 0 }
    }

    pub fn pixels(&self, wall: &Wall, chance: &mut Chance) -> Vec<u8> {
        let (left, top) = self.at;
        let mut pixels = Vec::with_capacity(Self::WIDTH * Self::HEIGHT);
        for y in 0..Self::HEIGHT {
            for x in 0..Self::WIDTH {
                let over = self.moved + 1;
                let sum: f32 = (0..over).map(|moved| wall.level(left + x + moved, top + y)).sum();
                let level = self.gain * sum / over as f32;
                // A cast keeps within 0 to 255.
                pixels.push((level + (self.noise * chance.normal()) as f32).round() as u8);
            }
        }
        pixels
    }

    pub fn look(&self, wall: &Wall, chance: &mut Chance) -> Appearance {
        let pixels = self.pixels(wall, chance);
        Appearance::of(&gray(Self::WIDTH, Self::HEIGHT), &pixels).expect("a picture")
    }
}

/// A raw picture that is its whole message.
pub fn raw(encoding: &str, width: usize, height: usize, step: usize, bytes: usize) -> Image {
    Image {
        format: ImageFormat::Raw {
            encoding: encoding.to_owned(),
            width: width as u32,
            height: height as u32,
            step: step as u32,
            is_bigendian: false,
        },
        bytes: 0..bytes,
    }
}

pub fn gray(width: usize, height: usize) -> Image {
    raw("mono8", width, height, width, width * height)
}

pub fn compressed(format: &str, bytes: usize) -> Image {
    Image { format: ImageFormat::Compressed(format.to_owned()), bytes: 0..bytes }
}
