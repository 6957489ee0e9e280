//! From text to a vector.

/// Turns texts into vectors of unit length.
pub trait Embedder: Send + Sync {
    /// Names the model and everything that changes its vectors. Vectors of two models are never
    /// compared.
    fn model_id(&self) -> &str;

    /// Length of each vector.
    fn dimension(&self) -> usize;

    /// The vector of a text: unit length, all components finite.
    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError>;
}

/// Why there is no vector.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct EmbedError(pub String);
