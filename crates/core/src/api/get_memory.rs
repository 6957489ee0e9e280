use super::operation;
use crate::model::{LedgerChange, Limit, Memory, Stamp, SupersededRule, TurnSource};
use crate::record::{record, request};
use serde::Serialize;

operation!(
    /// Show one memory, of any status, with all that the store keeps of it.
    GetMemory, "get_memory", GetMemoryRequest => StoredMemory
);

request! {
    /// Which memory.
    pub struct GetMemoryRequest {
        /// Greater than 0.
        pub memory_id: i64,
        /// Fill `data` and `metadata` of a perception.
        pub include_data: bool,
        /// Fill `embedding`.
        pub include_embedding: bool,
        /// Only a memory that a search of this scope would see; empty: any that the agent may read.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

record! {
    /// A memory with all that the store keeps of it.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct StoredMemory {
        #[serde(flatten)]
        pub memory: Memory,
        /// Why it was withdrawn; empty when it was not.
        pub invalidated_reason: String,
        /// When it was withdrawn.
        #[serde(serialize_with = "crate::json::time")]
        pub invalidated_at: Option<Stamp>,
        /// Why another row stands for it; `None` when none does.
        pub superseded_rule: Option<SupersededRule>,
        /// The same for a person to read: by which rule, and which rows; empty when none does.
        #[serde(skip_serializing_if = "String::is_empty")]
        pub superseded_why: String,
        /// Rows that it stands for, as far as the caller may see them.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub supersedes: Vec<i64>,
        /// Active rows one level down that belong to it, as far as the caller may see them.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub children: Vec<i64>,
        /// The bounds that it sets, of a constraint.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub limits: Vec<Limit>,
        /// The steps in which it was said, and where in them, as far as the caller may see their sessions; in
        /// the order in which they were taken in.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub turns: Vec<TurnSource>,
        /// Robots that told it, in order of name; empty for what this robot knows itself.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub told_by: Vec<String>,
        /// When one of them told it last, by its clock.
        #[serde(serialize_with = "crate::json::time")]
        pub told_at: Option<Stamp>,
        /// Of these, how many tell it of their own experience; the others repeat it.
        pub independent_count: u32,
        /// What of them is not as here and may not hold here: `gripper: rg2 there, rg6 here`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub transfer: Vec<String>,
        /// What changed it by itself or by its status, and when; oldest first.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub ledger: Vec<LedgerEntry>,
        /// Whether it is archived one day.
        pub fades: bool,
        /// Importance by the forgetting curve, now; importance itself when it does not fade.
        pub retention: f64,
        /// Half-life of retention of a memory that was never recalled; 0 when it does not fade.
        pub half_life_days: f64,
        /// When retention falls below the bound unless it is recalled; `None`: never.
        #[serde(serialize_with = "crate::json::time")]
        pub archives_at: Option<Stamp>,
        /// What it said before, and what was done to it; oldest first.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub history: Vec<MemoryChange>,
        /// The model of its vector; empty when it has none.
        pub embedding_model: String,
        /// Its vector, of unit length; empty when it has none or it was not asked for.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub embedding: Vec<f32>,
    }
}

record! {
    /// One entry of a memory's audit trail.
    #[derive(Debug, Clone, PartialEq, Serialize)]
    pub struct MemoryChange {
        /// What was done: update, forget, merge_branch.
        pub operation: String,
        /// Who did it; empty for the operator.
        pub agent: String,
        #[serde(serialize_with = "crate::json::time")]
        pub changed_at: Stamp,
        /// What it said before.
        pub content: String,
        /// Its context before.
        #[cfg_attr(feature = "schema", schema(value_type = serde_json::Value))]
        #[serde(serialize_with = "crate::json::stored")]
        pub context: String,
    }
}

record! {
    /// What changed a memory, and when. What repeats is one entry.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    pub struct LedgerEntry {
        /// What happened to it.
        pub change: LedgerChange,
        /// The operation, or the step of maintenance.
        pub cause: String,
        /// Who did it; empty for the operator or the node itself.
        pub agent: String,
        /// Of a number or a name.
        pub value_before: String,
        /// The same afterwards.
        pub value_after: String,
        /// How often it was done.
        pub repetitions: u32,
        #[serde(serialize_with = "crate::json::time")]
        pub began_at: Stamp,
        #[serde(serialize_with = "crate::json::time")]
        pub changed_at: Stamp,
    }
}
