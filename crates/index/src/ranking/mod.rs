//! From lists to one list. Pure functions.

pub mod bm25;
mod calibration;
mod connected;
mod consolidation;
mod extract;
mod forgetting;
mod fusion;
mod relevance;

pub use bm25::WordHit;
pub use calibration::{BY_VECTOR, BY_WORDS, Signals, Standing, Weights, share_left_of};
pub use connected::connected;
pub use consolidation::{Candidate, Group, MERGED_FROM_MIN, groups};
pub use extract::{Passage, extract};
pub use forgetting::{ForgettingCurve, half_life_days};
pub use fusion::{Fused, VectorHit, fuse};
pub use relevance::{
    CODES_WEIGHT, Contender, Evidence, NEIGHBORHOODS, NEIGHBORS, Parts, Ranked, own_relevance, rank,
};

/// Weight of rows of low trust beside others.
pub const LOW_TRUST_WEIGHT: f64 = 0.8;
