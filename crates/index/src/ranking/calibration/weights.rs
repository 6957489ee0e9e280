//! Weights of [`Signals`](super::Signals), written by the program that fits them:
//! `QUALITY_CALIBRATION=write cargo test --test quality calibration`.

use super::Weights;

/// Of lists whose best row is compared by a vector.
pub const BY_VECTOR: Weights = [-1.51, 1.32, 8.76, 1.55, -1.96];
/// Of the others.
pub const BY_WORDS: Weights = [-1.74, 1.41, 7.68, 1.08, -2.49];
