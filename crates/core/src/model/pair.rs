//! What two memories are to each other.

use super::text_enum;

text_enum! {
    /// What was judged of two memories that are much alike and were not merged.
    PairVerdict {
        /// They say two things.
        Apart = "apart",
        /// They cannot both hold, and no rule says which of them does.
        Conflict = "conflict",
    }
}

text_enum! {
    /// Who judged it.
    JudgedBy {
        /// The rules.
        Rules = "rules",
        /// A chat endpoint.
        Chat = "chat",
    }
}
