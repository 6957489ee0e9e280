use super::operation;
use crate::model::{Category, Limit, text_enum};
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Store one statement: a fact, a rule, a lesson.
    Learn, "learn", LearnRequest => LearnResponse
);

request! {
    /// What is to be learned.
    pub struct LearnRequest {
        /// The statement, 1 to 300 characters; longer text is cut between words.
        pub insight: String as text,
        /// JSON object.
        pub context: String as json,
        /// Empty: the session's, or the default collection.
        pub collection: String as text,
        /// UUID of an open session.
        pub session_id: String as text,
        /// Step of the session.
        pub turn_id: String as text,
        /// Spelling of a [`Level`](crate::model::Level).
        pub level: String as text,
        /// Who may see it.
        pub scope: String as text,
        /// Who writes; empty for the operator.
        pub agent: String as text,
        /// Spelling of a [`Source`](crate::model::Source).
        pub source: String as text,
        /// Spelling of a [`Trust`](crate::model::Trust).
        pub trust: String as text,
        /// Spelling of a [`MemType`](crate::model::MemType).
        pub mem_type: String as text,
        /// 0 to 1.
        pub importance: Option<f64> as flagged has_importance,
        /// The row one level up that it belongs to: a core row of a knowledge row, a knowledge row of a
        /// working row; 0: none.
        pub parent_id: i64,
        /// A repeated call with the same key answers as the first one did.
        pub idempotency_key: String as text,
    }
}

text_enum! {
    /// What became of a statement.
    LearnStatus {
        /// It is a new row.
        Created = "created",
        /// A row says it already.
        Duplicate = "duplicate",
        /// The store cannot be written now: it waits, and is learned when it can.
        Queued = "queued",
    }
}

text_enum! {
    /// Which layer of deduplication found the row that says it already.
    DuplicateMethod {
        /// The same text.
        Exact = "exact",
        /// Nearly the same words.
        Jaccard = "jaccard",
        /// Nearly the same embedding.
        Cosine = "cosine",
    }
}

record! {
    /// What became of it.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct LearnResponse {
        /// Created, a duplicate, or queued.
        pub status: LearnStatus,
        /// Whether the text was cut to its longest allowed length.
        pub truncated: bool,
        /// The new row; 0 when a duplicate.
        pub memory_id: i64,
        /// The row that says it already; 0 when created.
        pub existing_id: i64,
        /// How the duplicate was found.
        pub method: Option<DuplicateMethod>,
        /// To the existing row; 0 when created.
        pub similarity: f64,
        /// Inferred from the words.
        pub category: Category,
        /// Inferred from the words and the context.
        pub confidence: f64,
        /// Every category that matched, and further inferred labels.
        pub tags: Vec<String>,
        /// File paths that the text names.
        pub scope_files: Vec<String>,
        /// The bounds that a constraint sets, as CheckAction holds them against an action.
        #[serde(default)]
        pub limits: Vec<Limit>,
        /// Rows that it replaced, by the conflict rule of its `mem_type`.
        #[serde(default)]
        pub superseded_ids: Vec<i64>,
        /// Rows that say much the same, and are not known to say the same: so that both stand.
        #[serde(default)]
        pub similar_to: Vec<i64>,
        /// Whether the new row has a vector already.
        pub has_embedding: bool,
    }
}
