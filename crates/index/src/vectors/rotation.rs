/// Components that the butterflies of the shortest strides take together.
const SHORT: usize = 16;

/// What [`rotate`] multiplies vectors of this length with: signs of a fixed sequence that looks random
/// (SplitMix64), scaled so that lengths are kept. They are as many as the largest power of two that
/// is not above `width`, which is at least 16.
pub(super) fn signs(width: usize) -> Vec<f32> {
    let span = 1_u64 << width.ilog2();
    let scale = (span as f32).sqrt().recip();
    (1..=span)
        .map(|step| {
            let mut bits = step.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            if (bits ^ (bits >> 31)) & 1 == 0 { scale } else { -scale }
        })
        .collect()
}

/// Turns a vector by flipping signs and the fast Walsh-Hadamard transform: after it each component
/// tells about as much as any other, so that one bit of each is worth having.
///
/// Where the length is no power of two, the front is turned first, and then the back, which overlaps
/// with it.
#[inline(always)]
pub(super) fn rotate(signs: &[f32], vector: &mut [f32]) {
    let span = signs.len();
    turn(signs, &mut vector[..span]);
    if vector.len() > span {
        let rest = vector.len() - span;
        turn(signs, &mut vector[rest..]);
    }
}

#[inline(always)]
fn turn(signs: &[f32], vector: &mut [f32]) {
    for (component, sign) in vector.iter_mut().zip(signs) {
        *component *= sign;
    }
    for short in vector.as_chunks_mut::<SHORT>().0 {
        let mut stride = 1;
        while stride < SHORT {
            let before = *short;
            for at in 0..SHORT {
                let partner = before[at ^ stride];
                short[at] =
                    if at & stride == 0 { before[at] + partner } else { partner - before[at] };
            }
            stride *= 2;
        }
    }
    let mut stride = SHORT;
    while stride < vector.len() {
        for pair in vector.chunks_exact_mut(2 * stride) {
            let (low, high) = pair.split_at_mut(stride);
            for (low, high) in low.iter_mut().zip(high) {
                (*low, *high) = (*low + *high, *low - *high);
            }
        }
        stride *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_angles_are_kept_and_one_component_is_spread() {
        for width in [16, 64, 192, 384, 512] {
            let signs = signs(width);
            let mut a = vec![0.0; width];
            a[3] = 1.0;
            let mut b: Vec<f32> = (0..width).map(|index| (index as f32).sin()).collect();
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let before = (dot(&a, &a), dot(&a, &b), dot(&b, &b));
            rotate(&signs, &mut a);
            rotate(&signs, &mut b);
            let after = (dot(&a, &a), dot(&a, &b), dot(&b, &b));
            assert!((before.0 - after.0).abs() < 1e-5, "{width}: {before:?} {after:?}");
            assert!((before.1 - after.1).abs() < 1e-4, "{width}: {before:?} {after:?}");
            assert!((before.2 - after.2).abs() < 1e-2, "{width}: {before:?} {after:?}");
            let most = a.iter().fold(0.0_f32, |most, component| most.max(component.abs()));
            assert!(most < 4.0 / (width as f32).sqrt(), "{width}: {most}");
        }
    }
}
