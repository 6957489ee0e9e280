/// Cosine of two vectors of unit length and the same dimension, -1 to 1: their dot product.
///
/// The same on every machine, bit by bit: it is added up in a fixed order.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    dot_product(a, b).clamp(-1.0, 1.0)
}

/// [`cosine`] of a vector that is given as bytes, four little-endian ones a component, as it lies
/// in a file. `None` when the vectors differ in their dimension.
pub fn cosine_le_bytes(a: &[u8], b: &[f32]) -> Option<f32> {
    const SIZE: usize = size_of::<f32>();
    let (a, []) = a.as_chunks::<SIZE>() else { return None };
    if a.len() != b.len() {
        return None;
    }
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| f32::from_le_bytes(*a) * b).sum::<f32>();
    let a_blocks = a_blocks.iter().map(|block| block.map(f32::from_le_bytes));
    Some(dot(a_blocks, b_blocks, rest).clamp(-1.0, 1.0))
}

/// The dot product of two vectors of the same dimension.
pub(super) fn dot_product(a: &[f32], b: &[f32]) -> f32 {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>();
    dot(a_blocks.iter().copied(), b_blocks, rest)
}

/// Sums side by side: the compiler keeps them in vector registers.
const LANES: usize = 16;

fn dot(a: impl Iterator<Item = [f32; LANES]>, b: &[[f32; LANES]], rest: f32) -> f32 {
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.zip(b) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_of_another_length_have_no_cosine() {
        assert_eq!(cosine_le_bytes(&[0; 7], &[1.0, 0.0]), None);
        assert_eq!(cosine_le_bytes(&[0; 4], &[1.0, 0.0]), None);
        assert_eq!(cosine_le_bytes(&[0; 8], &[1.0, 0.0]), Some(0.0));
    }

    #[test]
    fn rounding_does_not_lead_out_of_the_range() {
        let long = [1.0001_f32, 0.0];
        assert_eq!((cosine(&long, &long), cosine(&long, &[-1.0, 0.0])), (1.0, -1.0));
    }

    proptest! {
        #[test]
        fn is_the_dot_product_of_numbers_and_of_bytes(
            pairs in prop::collection::vec((-0.1f32..0.1, -0.1f32..0.1), 0..70),
        ) {
            let (a, b): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let exact: f64 = a.iter().zip(&b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            let cosine = cosine(&a, &b);
            prop_assert!((exact - f64::from(cosine)).abs() < 1e-6);
            let bytes: Vec<u8> = a.iter().flat_map(|component| component.to_le_bytes()).collect();
            prop_assert_eq!(cosine_le_bytes(&bytes, &b), Some(cosine));
        }
    }
}
