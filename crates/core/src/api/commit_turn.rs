use super::operation;
use crate::model::{JobScope, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Hand over a finished step of an episode, out of which memories are taken in the background.
    CommitTurn, "commit_turn", CommitTurnRequest => CommitTurnResponse
);

request! {
    /// What happened in a step.
    pub struct CommitTurnRequest {
        /// UUID of an open session.
        pub session_id: String as text,
        /// The attempt within the session that the step belongs to.
        pub branch_id: String as text = "main".into(),
        /// The step's place in the branch, from 1; gaps are allowed.
        pub turn_no: u32,
        /// Names the step, as memories that were made in it do; empty: one is made.
        pub turn_id: String as text,
        /// What happened, in words.
        pub text: String as text,
        /// What happened, as a JSON object: skill, parameters, result.
        pub data: String as json,
        /// Who hands it over; empty for the operator.
        pub agent: String as text,
    }
}

text_enum! {
    /// What became of a step that was handed over.
    CommitTurnStatus {
        /// It is stored, and its job queued.
        Committed = "committed",
        /// The same step was handed over before.
        Known = "known",
    }
}

record! {
    /// Where it went.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct CommitTurnResponse {
        /// Committed, or known.
        pub status: CommitTurnStatus,
        /// Names the step.
        pub turn_id: String,
        /// The job that takes memories out of it; 0 when it was done so long ago that its job is forgotten.
        pub job_id: i64,
        /// Whether this call queued that job.
        pub created: bool,
        #[serde(flatten)]
        pub scope: JobScope as split scope_id,
    }
}
