//! An embedder without a model.

use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

use super::{EmbedError, Embedder, to_unit_length};

/// Adds up one pseudo-random direction for each word, and for each character of scripts that are
/// written without spaces.
///
/// Similarity of its vectors is lexical: two texts are alike as far as they share words. "Grip" and
/// "grasp" are strangers to it, and so are two languages. It is meant for tests, and for hosts
/// that have no model but want vectors nevertheless. The same words, in any order, give the same
/// vector on every machine.
#[derive(Debug, Clone)]
pub struct HashedEmbedder {
    model_id: String,
    dimension: usize,
}

impl HashedEmbedder {
    /// Makes vectors of `dimension` components (at least one). From about 256 on, texts without a
    /// common word have a cosine near zero.
    pub fn new(dimension: usize) -> Self {
        let dimension = dimension.max(1);
        Self { model_id: format!("hashed-{dimension}"), dimension }
    }
}

impl Embedder for HashedEmbedder {
    fn model_id(&self) -> &str {
        &self.model_id
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    /// A text without words, the empty one too, counts as one word.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let text = text.nfkc().collect::<String>().to_lowercase();
        let mut words: Vec<&str> = text.unicode_words().collect();
        // In a fixed order, since a sum of floats depends on it in its last bits.
        words.sort_unstable();
        let mut sum = vec![0.0; self.dimension];
        if words.is_empty() {
            add_direction(&mut sum, &text)?;
        }
        for word in words {
            add_direction(&mut sum, word)?;
        }
        to_unit_length(sum)
    }
}

/// Adds the unit vector that belongs to a word.
fn add_direction(sum: &mut [f32], word: &str) -> Result<(), EmbedError> {
    let mut state = fnv1a(word.as_bytes());
    let direction = sum.iter().map(|_| unit_interval(split_mix(&mut state))).collect();
    for (total, value) in sum.iter_mut().zip(to_unit_length(direction)?) {
        *total += value;
    }
    Ok(())
}

/// The 64-bit FNV-1a hash, after Fowler, Noll and Vo.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The next number of the SplitMix64 sequence (Steele, Lea and Flood 2014).
fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Maps the upper 24 bits, which an `f32` holds exactly, onto [-1, 1).
fn unit_interval(random: u64) -> f32 {
    const HALF_RANGE: f32 = (1 << 23) as f32;
    (random >> 40) as f32 / HALF_RANGE - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(left: &str, right: &str) -> f32 {
        let embedder = HashedEmbedder::new(512);
        let [left, right] = [left, right].map(|text| embedder.embed(text).unwrap());
        left.iter().zip(&right).map(|(x, y)| x * y).sum()
    }

    #[test]
    fn names_itself_with_its_dimension() {
        let embedder = HashedEmbedder::new(384);
        assert_eq!((embedder.model_id(), embedder.dimension()), ("hashed-384", 384));
        assert_eq!(HashedEmbedder::new(0).dimension(), 1);
    }

    #[test]
    fn the_order_of_words_does_not_matter() {
        let embedder = HashedEmbedder::new(64);
        let vector = |text: &str| embedder.embed(text).unwrap();
        assert_eq!(vector("grip the red cup firmly"), vector("firmly cup red the grip"));
    }

    #[test]
    fn vectors_have_the_dimension_and_unit_length() {
        let embedder = HashedEmbedder::new(64);
        for text in ["grip the red cup", "抓取红色杯子", "", "?!", "\u{0}", "a a a a"] {
            let vector = embedder.embed(text).unwrap();
            let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert_eq!(vector.len(), 64);
            assert!((length - 1.0).abs() < 1e-6, "{text}: {length}");
        }
    }

    #[test]
    fn spelling_decides_not_case_or_width() {
        for (left, right) in [
            ("Grip the RED cup!", "grip, the red cup"),
            ("grip the red cup", "cup red the grip"),
            ("ＡＢＣ １２", "abc 12"),
        ] {
            assert!(cosine(left, right) > 0.9999, "{left} / {right}");
        }
        for (left, right) in [
            ("grip the cup", "seize a beaker"),
            ("grip the red cup", "抓取红色杯子"),
            ("?!", "..."),
            ("", "cup"),
        ] {
            assert!(cosine(left, right).abs() < 0.2, "{left} / {right}");
        }
    }

    #[test]
    fn similarity_grows_with_the_words_in_common() {
        for texts in [
            ["grip the red cup", "grip the red mug", "grip a blue mug", "open one door"],
            ["抓取红色杯子", "抓取蓝色杯子", "抓取机器", "打开门"],
        ] {
            let similarities = texts.map(|text| cosine(texts[0], text));
            assert!(similarities.is_sorted_by(|x, y| x > y), "{similarities:?}");
        }
    }

    #[test]
    fn the_vector_of_a_word_never_changes() {
        let vector = HashedEmbedder::new(4).embed("cup").unwrap();
        assert_eq!(vector, [0.458_696_4, 0.417_555_9, 0.075_369_015, -0.780_745_9]);
    }
}
