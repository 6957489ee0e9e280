//! From text to a vector, and from pictures.
//!
//! Two embedders of texts: [`OnnxEmbedder`] runs a language model and finds what is meant alike, also across
//! languages; [`HashedEmbedder`] needs no model and finds what is worded alike. [`OnnxPictureModel`] makes vectors
//! of pictures, and of texts that are compared with them.
//!
//! ```
//! use robot_memory_embedding::{Embedder, HashedEmbedder};
//!
//! let vector = HashedEmbedder::new(64).embed("the red cup")?;
//! let length: f32 = vector.iter().map(|value| value * value).sum();
//! assert!((length - 1.0).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod hashed;
#[cfg(feature = "onnx")]
mod language;
pub mod locate;
#[cfg(feature = "onnx")]
mod onnx;
#[cfg(all(feature = "onnx", any(test, feature = "testing")))]
pub mod testing;

pub use hashed::HashedEmbedder;
#[cfg(feature = "onnx")]
pub use onnx::{LoadError, OnnxEmbedder, OnnxOptions, OnnxPictureModel};

/// Turns texts into vectors of unit length.
pub trait Embedder: Send + Sync {
    /// Names the model and everything that changes its vectors. Vectors of two models are never
    /// compared.
    fn model_id(&self) -> &str;

    /// Length of each vector.
    fn dimension(&self) -> usize;

    /// The vector of a text: unit length, all components finite.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// The vector to search with for what answers a query: unit length, to be compared with those
    /// of [`embed`](Self::embed).
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(query)
    }
}

/// Turns pictures, and what they are searched with, into vectors of unit length of one space.
pub trait PictureEmbedder: Send + Sync {
    /// Names the model and everything that changes its vectors. Vectors of two models are never
    /// compared.
    fn model_id(&self) -> &str;

    /// Length of each vector.
    fn dimension(&self) -> usize;

    /// Which cosines of a picture and a query mean something.
    fn match_range(&self) -> MatchRange;

    /// The vector of a JPEG file: unit length, all components finite.
    fn embed_picture(&self, jpeg: &[u8]) -> Result<Vec<f32>, EmbedError>;

    /// The vector of what a picture may show: unit length, all components finite.
    fn embed_query(&self, query: &str) -> Result<Vec<f32>, EmbedError>;
}

/// Which cosines of a picture and a query mean something: models of this kind give some unrelated pairs a
/// fifth, and few a third.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchRange {
    /// From which cosine on a picture may show what is asked for.
    pub from: f32,
    /// From which on it surely does; above `from`.
    pub sure: f32,
}

impl MatchRange {
    /// How sure it is that a picture of this cosine shows what is asked for: 0 to 1.
    pub fn share(&self, cosine: f32) -> f64 {
        f64::from(((cosine - self.from) / (self.sure - self.from)).clamp(0.0, 1.0))
    }
}

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct EmbedError(pub String);

/// Scales a vector to unit length; one that has no direction, or is not finite, is an error.
fn to_unit_length(mut vector: Vec<f32>) -> Result<Vec<f32>, EmbedError> {
    let square: f64 = vector.iter().map(|&value| f64::from(value) * f64::from(value)).sum();
    if !square.is_finite() {
        return Err(EmbedError("the vector has a component that is not finite".into()));
    }
    if square == 0.0 {
        return Err(EmbedError("the vector is zero".into()));
    }
    let scale = square.sqrt().recip();
    for value in &mut vector {
        *value = (f64::from(*value) * scale) as f32;
    }
    Ok(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_to_unit_length() {
        for (vector, expected) in [
            (vec![3.0, 4.0], [0.6, 0.8]),
            (vec![-1e-30, 0.0], [-1.0, 0.0]),
            (vec![1e30, 1e30], [0.5f32.sqrt(); 2]),
        ] {
            assert_eq!(to_unit_length(vector).unwrap(), expected);
        }
    }

    #[test]
    fn a_match_is_surer_with_each_cosine_between_two() {
        let range = MatchRange { from: 0.25, sure: 0.75 };
        for (cosine, share) in [(-1.0, 0.0), (0.25, 0.0), (0.5, 0.5), (0.75, 1.0), (1.0, 1.0)] {
            assert_eq!(range.share(cosine), share);
        }
    }

    #[test]
    fn refuses_a_vector_without_direction() {
        for vector in [vec![], vec![0.0, -0.0], vec![1.0, f32::NAN], vec![f32::INFINITY, 1.0]] {
            assert!(to_unit_length(vector.clone()).is_err(), "{vector:?}");
        }
    }
}
