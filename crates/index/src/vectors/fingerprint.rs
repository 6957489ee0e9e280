/// 64 bits that tell a vector from others: equal bit by bit, equal fingerprint, and two different
/// vectors practically never have the same. After wyhash: words are mixed by multiplying them into
/// 128 bits and adding the halves without carry.
pub(super) fn fingerprint(vector: &[f32]) -> u64 {
    const LANES: usize = 4;
    let mut state: [u64; LANES] = [
        0xa076_1d64_78bd_642f,
        0xe703_7ed1_a0b4_28db,
        0x8ebc_6af0_9c88_c6e3,
        0x5899_65cc_7537_4cc3,
    ];
    let words = vector.chunks(2).map(|pair| {
        let [low, high] = [0, 1].map(|at| pair.get(at).map_or(0, |c| u64::from(c.to_bits())));
        high << 32 | low
    });
    for (index, word) in words.enumerate() {
        let lane = index % LANES;
        state[lane] = mixed(state[lane] ^ word, state[lane].rotate_left(32) | 1);
    }
    state.into_iter().fold(vector.len() as u64, |all, lane| {
        mixed(all ^ lane, 0x1d8e_4e27_c47d_124f).wrapping_add(all.rotate_left(23))
    })
}

fn mixed(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn one_bit_or_another_order_makes_another() {
        let vector: Vec<f32> = (0..37).map(|index| (index as f32 * 0.7).sin()).collect();
        let mut variants = vec![vector.clone(), vector[1..].to_vec(), vec![0.0; 37], vec![0.0; 38]];
        for index in 0..vector.len() {
            for bit in 0..u32::BITS {
                let mut variant = vector.clone();
                variant[index] = f32::from_bits(vector[index].to_bits() ^ 1 << bit);
                variants.push(variant);
            }
            let mut variant = vector.clone();
            variant.swap(0, index);
            if index > 0 {
                variants.push(variant);
            }
        }
        let distinct: BTreeSet<u64> = variants.iter().map(|v| fingerprint(v)).collect();
        assert_eq!(distinct.len(), variants.len());
        assert_eq!(fingerprint(&vector), fingerprint(&vector.clone()));
    }
}
