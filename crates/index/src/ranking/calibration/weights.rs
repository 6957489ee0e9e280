//! Weights of [`Signals`](super::Signals), written by the program that fits them:
//! `QUALITY_CALIBRATION=write cargo test --test quality calibration`.

use super::Weights;

/// Of lists whose best row is compared by a vector.
pub const BY_VECTOR: Weights = [-1.23, 2.18, 4.20, -2.99];
/// Of the others.
pub const BY_WORDS: Weights = [-1.29, 1.29, 5.84, -2.33];
