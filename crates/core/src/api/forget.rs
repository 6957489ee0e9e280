use super::operation;
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Withdraw a memory that is wrong; it is kept for audit.
    Forget, "forget", ForgetRequest => ForgetResponse
);

request! {
    /// What is to be withdrawn.
    pub struct ForgetRequest {
        /// Greater than 0.
        pub memory_id: i64,
        /// 1 to 300 characters.
        pub reason: String as text,
        /// Only a memory that a search of this scope would see; empty: any that the agent may read.
        pub scope: String as text,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

record! {
    /// What was withdrawn.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct ForgetResponse {
        /// Always `forgotten`.
        pub status: String,
        pub memory_id: i64,
        pub content: String,
        pub reason: String,
    }
}
