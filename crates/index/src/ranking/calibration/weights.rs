//! Weights of [`Signals`](super::Signals), written by the program that fits them:
//! `QUALITY_CALIBRATION=write cargo test --test quality calibration`.

use super::Weights;

/// Of lists whose best row is compared by a vector.
pub const BY_VECTOR: Weights = [-1.52, 1.35, 8.64, 1.55, -1.98];
/// Of the others.
pub const BY_WORDS: Weights = [-1.79, 1.56, 7.42, 1.07, -2.53];
