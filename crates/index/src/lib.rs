//! Indexes derived from the rows; they can be thrown away and built again.
//!
//! All of them speak of a memory by its [`Slot`], and all of them take the rows that may be
//! answered as a [`Bitset`] of slots: filtering comes first, which makes every answer exact.
//!
//! ```
//! use robot_memory_index::Bitset;
//!
//! let mut allowed = Bitset::with_len(3);
//! allowed.insert(0);
//! allowed.insert(2);
//! assert_eq!(allowed.iter().collect::<Vec<_>>(), [0, 2]);
//! ```

#![warn(missing_docs)]

mod bitset;
mod chunks;
mod column;
mod columns;
mod derived;
mod dictionary;
mod event_names;
mod paged;
mod pictures;
mod placed;
mod planes;
pub mod ranking;
mod rows;
mod signatures;
mod smallest_k;
mod sparse;
mod spatial;
mod text_map;
mod vectors;
mod words;

pub use bitset::Bitset;
pub use column::Column;
pub use columns::Columns;
pub use derived::{
    Change, Derived, Put, Recording, follow_column, follow_event_names, follow_pictures,
    follow_signatures, follow_spatial, follow_vectors, follow_words, is_real, parse_context,
};
pub use event_names::{EventNameSet, EventNames};
pub use pictures::PictureColumn;
pub use placed::{PLACED_MAX, PlacedRows, Position};
pub use rows::{ClassCounts, Grouping, Names, Row, RowFacts, RowSelection, Rows, SessionCount};
pub use signatures::{NearestSignatures, SignatureColumn};
pub use spatial::{
    Built, COORDINATE_MAX, Nearest, Rebuild, Replaced, SpatialError, SpatialField, SpatialIndex,
    is_point, points_from,
};
pub use vectors::{FullVectors, NearestVectors, VectorError, VectorIndex, cosine, cosine_le_bytes};
pub use words::{
    Cursor, FREQUENCY_MAX, Occurrences, PlainPostings, Posting, PostingList, Postings,
    WINDOW_SLOTS, WINDOW_WORDS, Window, WordIndex, WordIndexBuilder, WordIndexFull,
};

/// The place of a memory in all indexes. Slots are handed out in the order of growing ids, so that
/// the order of slots is the order of ids.
pub type Slot = u32;
