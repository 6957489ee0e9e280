use super::operation;
use crate::model::{LimitOp, Source, Trust};
use crate::record::{record, request};
use serde::{Deserialize, Serialize};

operation!(
    /// Hold an action that is planned against every constraint.
    CheckAction, "check_action", CheckActionRequest => CheckActionResponse
);

request! {
    /// The action.
    pub struct CheckActionRequest {
        /// JSON object of the action's parameters, as `context.params` of a memory: numbers, or
        /// `{"value": 12.5, "unit": "N"}`, or objects of these; or a whole context with them in `params`,
        /// whose `task` and `spatial` then tell what the fields below leave empty.
        pub params: String as lookup,
        /// What is to be done; empty: not told.
        pub task: String as lookup,
        /// With what; empty: not told.
        pub object: String as lookup,
        /// Where; empty: not told.
        pub place: String as lookup,
        /// Constraints of this collection; empty: the default one; `*`: all.
        pub collection: String as lookup,
        /// Constraints that a search of this scope sees; empty: the default scope.
        pub scope: String as lookup,
        /// Who asks; empty for the operator.
        pub agent: String as lookup,
    }
}

record! {
    /// Whether the action is allowed.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct CheckActionResponse {
        /// Whether nothing that is known forbids it.
        pub allowed: bool,
        /// What `allowed` rests on.
        pub allowed_by: AllowedBy,
        /// Every bound that is violated, and every prohibition that the action is of, by memory.
        pub violations: Vec<CheckedLimit>,
        /// Constraints that speak of this action and that no number could decide, by memory: the parameter
        /// was not given, the constraint sets no bound, or the action does not say what it is on. The first
        /// [`UNDECIDED_MAX`](crate::limits::UNDECIDED_MAX).
        pub undecided: Vec<CheckedLimit>,
        /// All of these.
        pub undecided_count: u64,
        /// Bounds that a parameter of this action was held against.
        pub checked_count: u64,
        /// Active constraints that were looked at.
        pub constraint_count: u64,
        /// Time in the engine.
        pub query_ms: f64,
    }
}

/// What it rests on that an action is allowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AllowedBy {
    /// It is not allowed.
    #[default]
    Nothing,
    /// At least one bound was held against it, all were kept, and nothing is undecided.
    Checked,
    /// A constraint speaks of it, or may, and nothing decided that: ask a person.
    Undecided,
    /// No constraint that the caller sees speaks of it.
    NoConstraint,
}

impl AllowedBy {
    /// As it is spelled; empty for an action that is not allowed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Checked => "checked",
            Self::Undecided => "undecided",
            Self::NoConstraint => "no_constraint",
        }
    }
}

record! {
    /// A constraint that was held against an action.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    pub struct CheckedLimit {
        pub memory_id: i64,
        pub content: String,
        /// Where it came from.
        pub source: Source,
        /// How far that is believed.
        pub trust: Trust,
        /// Who may see it.
        pub scope: String,
        /// Robots that told it, in order of name; empty for what this robot knows itself.
        pub told_by: Vec<String>,
        /// What of these robots is not as here and may not hold here: `gripper: rg2 there, rg6 here`.
        pub transfer: Vec<String>,
        /// The parameter; empty when the constraint sets no bound.
        pub path: String,
        /// How the parameter must stand to the bound; `None` when the constraint sets no bound.
        pub op: Option<LimitOp>,
        pub bound: f64,
        /// Unit of the bound.
        pub unit: String,
        /// What was given, in the unit of the bound; `None` when nothing was.
        pub given: Option<f64> as flagged has_given,
        /// For a person to read.
        pub reason: String,
    }
}
