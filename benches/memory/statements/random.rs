/// Sebastiano Vigna's SplitMix64: a counter and a mixing function.
pub struct SplitMix64(u64);

/// 2^64 divided by the golden ratio.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl SplitMix64 {
    /// The same numbers for the same seed; seeds that differ by little give unlike numbers.
    pub fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// Any number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN);
        mix(self.0)
    }

    /// 0 up to but not including the bound, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// One of a stock that is not empty.
    pub fn pick<T: Copy>(&mut self, stock: &[T]) -> T {
        stock[self.below(stock.len())]
    }

    /// A number with so many digits after the point.
    pub fn between(&mut self, low: f64, high: f64, digits: i32) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let scale = 10_f64.powi(digits);
        ((low + share * (high - low)) * scale).round() / scale
    }
}

fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
