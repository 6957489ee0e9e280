//! From lists to one list. Pure functions.

mod alike;
pub mod bm25;
mod consolidation;
mod decay;
mod extract;
mod forgetting;
mod fusion;
mod relevance;

pub use alike::alike;
pub use bm25::WordHit;
pub use consolidation::{Candidate, Group, MERGED_FROM_MIN, groups};
pub use decay::{CONFIDENCE_FLOOR, FRESH_DAYS, decayed};
pub use extract::{Passage, extract};
pub use forgetting::{ForgettingCurve, half_life_days};
pub use fusion::{Fused, VectorHit, fuse};
pub use relevance::{Contender, Evidence, NEIGHBORHOODS, Parts, Ranked, rank};
