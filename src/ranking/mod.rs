//! From lists to one list. Pure functions.

pub mod bm25;
mod consolidation;
mod decay;
mod extract;
mod fusion;
mod relevance;

pub use bm25::WordHit;
pub use consolidation::{Candidate, Group, groups};
pub use decay::decayed;
pub use extract::{Passage, extract};
pub use fusion::{Fused, VectorHit, fuse};
pub use relevance::{Contender, Evidence, NEIGHBORHOODS, Parts, Ranked, rank};
