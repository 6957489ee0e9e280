use super::operation;
use crate::model::{Kind, Stamp, text_enum};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Forget memories and all that was made of them.
    Unlearn, "unlearn", UnlearnRequest => UnlearnResponse
);

request! {
    /// Which memories: those that meet all that is given, of which at least one must be besides scope and agent.
    pub struct UnlearnRequest {
        /// Only these, of any type; none: all facts, perceptions and short summaries of turns.
        pub memory_ids: Vec<i64>,
        /// Only memories of this session.
        pub session_id: String as lookup,
        /// Only memories whose `context.event.stream` is this.
        pub stream: String as lookup,
        /// JSON object of conditions on the context, as of Recall.
        pub context_filter: String as lookup,
        /// Only memories made at or after; of an event, that began then.
        pub since: Option<Stamp>,
        /// Only memories made before.
        pub until: Option<Stamp>,
        /// Only memories of this collection; empty: of all.
        pub collection: String as lookup,
        /// Only memories that a search of this scope would see; empty: of all that the agent may read.
        pub scope: String as lookup,
        /// Change nothing, and say what would be done.
        pub dry_run: bool = true,
        /// `plan` of a dry run; needed without one.
        pub plan: String as lookup,
        /// 1 to 300 characters; may be empty in a dry run.
        pub reason: String as text,
        /// Who asks; empty for the operator.
        pub agent: String as text,
    }
}

text_enum! {
    /// What is done with a memory.
    UnlearnAction {
        /// It is withdrawn, and kept for audit.
        Forgotten = "forgotten",
        /// It was made of forgotten ones, and is made again without them.
        Remade = "remade",
        /// It was made of forgotten ones, and is deleted.
        Removed = "removed",
        /// It rests on forgotten ones, and stays.
        Kept = "kept",
    }
}

record! {
    /// What is done with one memory.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct UnlearnedMemory {
        pub memory_id: i64,
        /// Fact, perception or summary.
        pub kind: Kind,
        pub action: UnlearnAction,
        /// Why; empty of a forgotten one.
        pub why: String,
        /// What it says before.
        pub text: String,
        /// What it says afterwards, when it is remade; else empty.
        pub new_text: String,
    }
}

record! {
    /// What was done, or would be.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct UnlearnResponse {
        /// Names all that is done: without a dry run it is done only if it is still this.
        pub plan: String,
        /// Memories that are forgotten.
        pub forgotten_count: u64,
        /// Memories made of them that are remade.
        pub remade_count: u64,
        /// Memories made of them that are removed.
        pub removed_count: u64,
        /// Memories that rest on them and stay.
        pub kept_count: u64,
        /// The first of all these: what was made of others before what is forgotten, each in order of id.
        pub memories: Vec<UnlearnedMemory>,
    }
}
