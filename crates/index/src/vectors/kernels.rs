//! The inner loops: plain Rust, compiled once for every processor and again for those instructions
//! that some processors have more, but for the one that takes most of the time of a search, which
//! looks its sums up ([`lookups`](super::lookups)). All of them answer alike, bit by bit: integers are
//! exact, and floating point is added in a fixed order.

#[cfg(target_arch = "x86_64")]
use super::lookups;
use super::rotation;

/// Rows that lie side by side in the bits, and that a mask speaks of.
pub(super) const MASKED: usize = u64::BITS as usize;
/// Bits of each component of the query beside the one-bit rows.
pub(super) const PLANES: usize = 4;
/// How far ahead of a scan memory is asked for.
pub(super) const AHEAD_BYTES: usize = 2048;

/// A query's components as signed numbers of [`PLANES`] bits, sliced: for each byte of eight components
/// one mask a bit. The last is the sign's and counts negative.
pub(super) type Planes = [u8; PLANES];
/// For each half byte of four components, the sum of those whose bits are set, less the sum of the
/// negative ones: 0 to 28.
pub(super) type Sums = [u8; 16];

/// Which compilation of the loops to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Instructions {
    /// What every processor of the architecture has.
    Portable,
    /// x86-64-v3 and later.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Ice Lake, Zen 4 and later.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// The best that this processor runs.
    pub(super) fn best() -> Self {
        Self::runnable().last().copied().unwrap_or(Self::Portable)
    }

    /// All that this processor runs, the best last.
    pub(super) fn runnable() -> &'static [Self] {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt");
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vpopcntdq");
            match (avx2, avx512) {
                (true, true) => return &[Self::Portable, Self::Avx2, Self::Avx512],
                (true, false) => return &[Self::Portable, Self::Avx2],
                _ => {}
            }
        }
        &[Self::Portable]
    }
}

/// Defines a function that runs its `inline(always)` namesake in the compilation that it is told.
macro_rules! compiled_for_each {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $answer:ty)? = $portable:path;
    )*) => {$(
        $(#[$doc])*
        pub(super) fn $name(instructions: Instructions, $($argument: $kind),*) $(-> $answer)? {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2($($argument: $kind),*) $(-> $answer)? {
                $portable($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt,avx512f,avx512bw,avx512vl,avx512vpopcntdq")]
            fn avx512($($argument: $kind),*) $(-> $answer)? {
                $portable($($argument),*)
            }
            match instructions {
                Instructions::Portable => $portable($($argument),*),
                // SAFETY: `runnable` hands this value out only when the processor has the features.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2($($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { avx512($($argument),*) },
            }
        }
    )*};
}

compiled_for_each! {
    /// What [`sums_of_set`] sums to, by counting bits.
    fn counted(bits: &[u8], planes: &[Planes], sums: &mut [i32; MASKED]) = portable::counted;
    /// The last step of [`estimate_bits`].
    fn estimated(
        query: &BitQuery<'_>,
        sums: &[i32; MASKED],
        factors: &[f32],
        threshold: f32,
        estimates: &mut [f32; MASKED],
    ) -> u64 = portable::estimated;
    /// The dot products of the query and those of 64 rows that are in `mask`.
    fn dots(codes: &[i8], query: &[i16], mask: u64, dots: &mut [i32; MASKED]) = portable::dots;
    /// The dot product of one row and the query.
    fn dot(codes: &[i8], query: &[i16]) -> i32 = portable::dot;
    /// Writes a vector as whole numbers of -127 to 127; answers their scale and the norm of what
    /// they leave out.
    fn quantize(vector: &[f32], codes: &mut [i8]) -> (f32, f32) = portable::quantize;
    /// Writes the bits of a row's codes beside a center, 64 components a word, and answers the
    /// row's factor.
    fn binarize(codes: &[i8], scale: f32, center: &[f32], words: &mut [u64]) -> f32
        = portable::binarize;
    /// Rotates a vector.
    fn rotate(signs: &[f32], vector: &mut [f32]) = rotation::rotate;
}

/// Estimates 64 rows from their bits, and says which of those in `mask` reach the threshold.
///
/// The estimate of a row is the query's similarity to the center, plus the row's factor times the
/// dot product of the query and the row's bits taken as -1 and 1. That product is twice the sum
/// of the query's components where the bit is set, less the sum of all.
pub(super) fn estimate_bits(
    instructions: Instructions,
    rows: &BitRows<'_>,
    query: &BitQuery<'_>,
    mask: u64,
    threshold: f32,
    estimates: &mut [f32; MASKED],
) -> u64 {
    let mut sums = [0; MASKED];
    sums_of_set(instructions, rows.bits, query, &mut sums);
    estimated(instructions, query, &sums, rows.factors, threshold, estimates) & mask
}

/// For each row the sum of the query's components whose bits are set.
fn sums_of_set(
    instructions: Instructions,
    bits: &[u8],
    query: &BitQuery<'_>,
    sums: &mut [i32; MASKED],
) {
    match instructions {
        Instructions::Portable => counted(instructions, bits, query.planes, sums),
        // SAFETY: `runnable` hands these values out only when the processor has AVX2.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 | Instructions::Avx512 => unsafe {
            lookups::sums_of_set(bits, query.sums, query.negative_sum, sums);
        },
    }
}

/// 64 rows of bits.
pub(super) struct BitRows<'a> {
    /// `[byte][row]`.
    pub(super) bits: &'a [u8],
    pub(super) factors: &'a [f32],
}

/// Sets a row of `[byte][row]`.
pub(super) fn put_bits(bits: &mut [u8], row: usize, words: &[u64]) {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    for (rows, byte) in bits.as_chunks_mut::<MASKED>().0.iter_mut().zip(bytes) {
        rows[row] = byte;
    }
}

/// A query beside bits.
pub(super) struct BitQuery<'a> {
    pub(super) planes: &'a [Planes],
    /// Two for each byte, that of the lower half first.
    pub(super) sums: &'a [Sums],
    /// Sum of the components below zero, in the same units as `sum`.
    pub(super) negative_sum: i32,
    /// Sum of the components, in units of the planes' lowest bit.
    pub(super) sum: i32,
    /// What that lowest bit is worth.
    pub(super) unit: f32,
    /// Similarity of the query and the center.
    pub(super) base: f32,
}

/// Asks for memory that is about to be read, where there is an instruction for it: the processor's own
/// foresight ends with each page, and knows nothing of rows here and there. Any address will do.
#[inline(always)]
pub(super) fn prefetch<T>(start: *const T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..bytes.div_ceil(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint; it reads nothing that the program sees, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.cast::<i8>().wrapping_add(64 * line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, bytes);
}

mod portable {
    use super::{AHEAD_BYTES, BitQuery, MASKED, Planes, prefetch};

    #[inline(always)]
    pub(super) fn counted(bits: &[u8], planes: &[Planes], sums: &mut [i32; MASKED]) {
        /// Bytes whose sums of at most 56 fit eight bits together.
        const BYTES: usize = 4;
        let (bytes, _) = bits.as_chunks::<MASKED>();
        for (bytes, planes) in bytes.chunks(BYTES).zip(planes.chunks(BYTES)) {
            let (mut above, mut below) = ([0_u8; MASKED], [0_u8; MASKED]);
            for (byte, &[ones, twos, fours, eights]) in bytes.iter().zip(planes) {
                prefetch(byte.as_ptr().wrapping_add(AHEAD_BYTES), MASKED);
                for ((above, below), byte) in above.iter_mut().zip(&mut below).zip(byte) {
                    let count = |plane: u8| (byte & plane).count_ones() as u8;
                    *above += count(ones) + 2 * count(twos) + 4 * count(fours);
                    *below += count(eights);
                }
            }
            for ((sum, above), below) in sums.iter_mut().zip(above).zip(below) {
                *sum += i32::from(above) - 8 * i32::from(below);
            }
        }
    }

    #[inline(always)]
    pub(super) fn estimated(
        query: &BitQuery<'_>,
        sums: &[i32; MASKED],
        factors: &[f32],
        threshold: f32,
        estimates: &mut [f32; MASKED],
    ) -> u64 {
        for ((estimate, factor), sum) in estimates.iter_mut().zip(factors).zip(sums) {
            let dot = 2 * sum - query.sum;
            *estimate = query.base + factor * query.unit * dot as f32;
        }
        let mut reached = [0_u8; MASKED];
        for (reached, &estimate) in reached.iter_mut().zip(estimates.iter()) {
            *reached = u8::from(estimate >= threshold);
        }
        packed(&reached)
    }

    #[inline(always)]
    pub(super) fn dots(codes: &[i8], query: &[i16], mask: u64, dots: &mut [i32; MASKED]) {
        for (row, (codes, answer)) in codes.chunks_exact(query.len()).zip(dots).enumerate() {
            if mask >> row & 1 == 1 {
                prefetch(codes.as_ptr().wrapping_add(AHEAD_BYTES), codes.len());
                *answer = dot(codes, query);
            }
        }
    }

    #[inline(always)]
    pub(super) fn dot(codes: &[i8], query: &[i16]) -> i32 {
        codes.iter().zip(query).map(|(&code, &query)| i32::from(code) * i32::from(query)).sum()
    }

    #[inline(always)]
    pub(super) fn quantize(vector: &[f32], codes: &mut [i8]) -> (f32, f32) {
        // Adding it and taking it off again rounds to a whole number, and between the two the
        // number stands in the lowest bits: faster than `round` where that is a call.
        const ROUNDER: f32 = 12_582_912.0;
        const SUMS: usize = 16;
        let mut most = [0.0_f32; SUMS];
        for vector in vector.as_chunks::<SUMS>().0 {
            for lane in 0..SUMS {
                most[lane] = most[lane].max(vector[lane].abs());
            }
        }
        let most = most.iter().copied().fold(0.0, f32::max);
        if most < f32::MIN_POSITIVE * 1e6 {
            codes.fill(0);
            return (0.0, most * (vector.len() as f32).sqrt());
        }
        let (scale, inverse) = (most / 127.0, 127.0 / most);
        let mut squares = [0.0_f32; SUMS];
        for (vector, codes) in
            vector.as_chunks::<SUMS>().0.iter().zip(codes.as_chunks_mut::<SUMS>().0)
        {
            for lane in 0..SUMS {
                let rounded = vector[lane] * inverse + ROUNDER;
                codes[lane] = rounded.to_bits() as i8;
                let left = vector[lane] - (rounded - ROUNDER) * scale;
                squares[lane] += left * left;
            }
        }
        (scale, squares.iter().sum::<f32>().sqrt())
    }

    #[inline(always)]
    pub(super) fn binarize(codes: &[i8], scale: f32, center: &[f32], words: &mut [u64]) -> f32 {
        const BITS: usize = u64::BITS as usize;
        const SUMS: usize = 16;
        let mut absolutes = [0.0_f32; SUMS];
        let mut squares = [0.0_f32; SUMS];
        let (codes, _) = codes.as_chunks::<BITS>();
        let (center, _) = center.as_chunks::<BITS>();
        for ((codes, center), word) in codes.iter().zip(center).zip(words) {
            let mut above = [0_u8; BITS];
            for component in 0..BITS {
                let offset = f32::from(codes[component]) * scale - center[component];
                absolutes[component % SUMS] += offset.abs();
                squares[component % SUMS] += offset * offset;
                above[component] = u8::from(offset >= 0.0);
            }
            *word = packed(&above);
        }
        let absolute: f32 = absolutes.iter().sum();
        if absolute > 0.0 { squares.iter().sum::<f32>() / absolute } else { 0.0 }
    }

    /// The bytes, each 0 or 1, as bits.
    #[inline(always)]
    fn packed(bytes: &[u8; MASKED]) -> u64 {
        // Multiplied with this, the lowest bits of eight bytes meet in the highest byte.
        const GATHER: u64 = 0x0102_0408_1020_4080;
        let mut bits = 0;
        for (at, &eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
            bits |= (u64::from_le_bytes(eight).wrapping_mul(GATHER) >> 56) << (8 * at);
        }
        bits
    }
}
