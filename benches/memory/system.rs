//! What is measured: a memory that takes perceptions and answers questions.

use crate::Result;
use crate::statements::{BROAD_FILTER, MARKED_FILTER, Statement};

/// What a recall keeps besides the best: see [`Filter::json`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// Every row.
    None,
    /// Two conditions on the context that 36 % of the rows match.
    Broad,
    /// Two conditions on the context that 1.3 % of the rows match.
    Narrow,
}

impl Filter {
    /// A `context_filter`; empty when there is none.
    pub fn json(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Broad => BROAD_FILTER,
            Self::Narrow => MARKED_FILTER,
        }
    }
}

/// Only rows at least this sure are asked for.
pub const MIN_CONFIDENCE: f64 = 0.5;

/// A statement and its vector.
pub struct Entry {
    /// The statement.
    pub statement: Statement,
    /// Of unit length.
    pub vector: Vec<f32>,
}

/// One of the memories that are compared. Ids are handed out from 1, in order.
pub trait Memory: Sync {
    /// Stores a perception durably and answers its id.
    fn save(&self, entry: Entry) -> Result<i64>;

    /// Stores perceptions in one go and answers the id of the last.
    fn save_all(&self, entries: Vec<Entry>) -> Result<i64>;

    /// Learns a fact, as far as this memory tells facts from perceptions: whether it was new.
    fn learn(&self, entry: Entry) -> Result<Option<bool>>;

    /// The ids of the rows that answer a question best, by words and vector.
    fn recall(&self, question: &str, filter: Filter, n: usize) -> Result<Vec<i64>>;

    /// The ids of the rows whose vectors are nearest to that of a question, when that can be asked.
    fn nearest(&self, question: &str, n: usize) -> Result<Option<Vec<i64>>>;

    /// A little of the work that no caller waits for.
    fn upkeep(&self) -> Result<()>;
}
