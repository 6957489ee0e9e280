//! Indexes derived from the rows; they can be thrown away and built again.
