use super::operation;
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Make what other robots told a memory of this robot's own.
    Adopt, "adopt", AdoptRequest => AdoptResponse
);

request! {
    /// What is to be this robot's own.
    pub struct AdoptRequest {
        /// A memory of the scope `fleet`, from Recall.
        pub memory_id: i64,
        /// Of the new memory; empty: the parameter default_scope.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What became of it.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct AdoptResponse {
        /// The new memory; 0 when one says it already.
        pub memory_id: i64,
        /// The memory that says it already, or as which it was adopted; else 0.
        pub existing_id: i64,
        /// Whether the text was cut, as Learn cuts one.
        pub truncated: bool,
        /// What of all who told it is not as here, as in `why` of a hit.
        pub transfer: Vec<String>,
    }
}
