//! Weights of [`Signals`](super::Signals), written by the program that fits them:
//! `QUALITY_CALIBRATION=write cargo test --test quality calibration`.

use super::Weights;

/// Of rows that are compared by a vector.
pub const BY_VECTOR: Weights = [-2.70, 2.71, -8.55, 3.96, -1.75];
/// Of the others.
pub const BY_WORDS: Weights = [-3.21, 3.11, -6.81, 3.96, -1.65];
