//! From lists to one list. Pure functions.

pub mod bm25;
mod connected;
mod consolidation;
mod extract;
mod forgetting;
mod fusion;
mod relevance;

pub use bm25::WordHit;
pub use connected::connected;
pub use consolidation::{Candidate, Group, MERGED_FROM_MIN, groups};
pub use extract::{Passage, extract};
pub use forgetting::{ForgettingCurve, half_life_days};
pub use fusion::{Fused, VectorHit, fuse};
pub use relevance::{
    Contender, Evidence, NEIGHBORHOODS, Parts, Ranked, USED_RELEVANCE_MIN, USED_SCORE_MIN,
    own_relevance, rank,
};
