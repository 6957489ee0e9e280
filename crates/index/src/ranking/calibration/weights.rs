//! Weights of [`Signals`](super::Signals), written by the program that fits them:
//! `QUALITY_CALIBRATION=write cargo test --test quality calibration`.

use super::Weights;

/// Of lists whose best row is compared by a vector.
pub const BY_VECTOR: Weights = [-1.14, 1.29, 6.43, -2.86];
/// Of the others.
pub const BY_WORDS: Weights = [-1.47, 1.70, 5.44, -2.33];
