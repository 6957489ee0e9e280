//! Weights of [`Signals`](super::Signals), written by the program that fits them:
//! `QUALITY_CALIBRATION=write cargo test --test quality calibration`.

use super::Weights;

/// Of rows that are compared by a vector.
pub const BY_VECTOR: Weights = [-2.97, 2.88, -7.37, 4.48, -1.54];
/// Of the others.
pub const BY_WORDS: Weights = [-3.49, 3.28, -6.16, 4.54, -1.44];
