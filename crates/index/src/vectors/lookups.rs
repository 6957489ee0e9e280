//! The sums of a query's components whose bits are set, looked up for half a byte of 32 rows at once
//! (André, Kermarrec and Le Scouarnec 2015, "Cache locality is not enough: High-Performance Nearest
//! Neighbor Search with Product Quantization Fast Scan"): four times as fast as counting bits. The
//! instruction has no form in plain Rust that a compiler would find.

use super::kernels::{AHEAD_BYTES, MASKED, Sums, prefetch};
use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadu_si128, _mm256_add_epi8, _mm256_add_epi16, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_loadu_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_storeu_si256,
};

/// Rows of one instruction.
const LANES: usize = 32;
/// Bytes whose four sums of at most 28 are added in eight bits.
const BYTES: usize = 4;
/// Bytes whose sums are added in sixteen bits.
const BYTES_MAX: usize = 1024;

/// For each row of bits, `[byte][row]`, the sum of the components whose bits are set.
#[target_feature(enable = "avx2")]
pub(super) fn sums_of_set(
    bits: &[u8],
    tables: &[Sums],
    negative_sum: i32,
    sums: &mut [i32; MASKED],
) {
    sums.fill(negative_sum);
    let (bytes, _) = bits.as_chunks::<MASKED>();
    let (tables, _) = tables.as_chunks::<2>();
    for (bytes, tables) in bytes.chunks(BYTES_MAX).zip(tables.chunks(BYTES_MAX)) {
        let mut even = [_mm256_setzero_si256(); MASKED / LANES];
        let mut odd = even;
        let low = _mm256_set1_epi16(0xff);
        for (bytes, tables) in bytes.chunks(BYTES).zip(tables.chunks(BYTES)) {
            let few = of_few(bytes, tables);
            for ((even, odd), few) in even.iter_mut().zip(&mut odd).zip(few) {
                *even = _mm256_add_epi16(*even, _mm256_and_si256(few, low));
                *odd = _mm256_add_epi16(*odd, _mm256_srli_epi16::<8>(few));
            }
        }
        for (half, (even, odd)) in even.into_iter().zip(odd).enumerate() {
            let sums = &mut sums[half * LANES..][..LANES];
            for (pair, (even, odd)) in
                sums.as_chunks_mut::<2>().0.iter_mut().zip(lanes(even).into_iter().zip(lanes(odd)))
            {
                pair[0] += i32::from(even);
                pair[1] += i32::from(odd);
            }
        }
    }
}

/// The sums over at most [`BYTES`] bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn of_few(bytes: &[[u8; MASKED]], tables: &[[Sums; 2]]) -> [__m256i; MASKED / LANES] {
    let half_byte = _mm256_set1_epi8(15);
    let mut few = [_mm256_setzero_si256(); MASKED / LANES];
    for (byte, [lower, upper]) in bytes.iter().zip(tables) {
        prefetch(byte.as_ptr().wrapping_add(AHEAD_BYTES), MASKED);
        let (lower, upper) = (table(lower), table(upper));
        for (few, rows) in few.iter_mut().zip(byte.as_chunks::<LANES>().0) {
            let rows = loaded(rows);
            let first = _mm256_shuffle_epi8(lower, _mm256_and_si256(rows, half_byte));
            let rest = _mm256_and_si256(_mm256_srli_epi16::<4>(rows), half_byte);
            let second = _mm256_shuffle_epi8(upper, rest);
            *few = _mm256_add_epi8(*few, _mm256_add_epi8(first, second));
        }
    }
    few
}

#[inline]
#[target_feature(enable = "avx2")]
fn loaded(rows: &[u8; LANES]) -> __m256i {
    // SAFETY: the array has the 32 bytes that are read, which need not be aligned.
    unsafe { _mm256_loadu_si256(rows.as_ptr().cast::<__m256i>()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn table(sums: &Sums) -> __m256i {
    // SAFETY: the array has the 16 bytes that are read, which need not be aligned.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(sums.as_ptr().cast::<__m128i>()) })
}

#[inline]
#[target_feature(enable = "avx2")]
fn lanes(sums: __m256i) -> [u16; LANES / 2] {
    let mut lanes = [0; LANES / 2];
    // SAFETY: the array has the 32 bytes that are written, which need not be aligned.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast::<__m256i>(), sums) };
    lanes
}
