use super::text_enum;
use crate::record::record;
use serde::{Deserialize, Serialize};

text_enum! {
    /// How a value must stand to a bound.
    LimitOp {
        /// At most.
        AtMost = "<=",
        /// Less than.
        Below = "<",
        /// At least.
        AtLeast = ">=",
        /// More than.
        Above = ">",
        /// Exactly.
        Equal = "==",
        /// Anything but.
        NotEqual = "!=",
    }
}

record! {
    /// A bound that a constraint sets to a parameter of an action.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Limit {
        /// Dotted path of the parameter, as `params.grip_force.value`; empty: every parameter of a unit
        /// that the bound's can be converted into.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub path: String,
        /// How the parameter must stand to the bound.
        pub op: LimitOp,
        /// The bound.
        pub value: f64,
        /// Its unit; empty: a plain number.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub unit: String,
        /// Only actions on this object; empty: on any.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub object: String,
        /// Only actions at this place; empty: at any.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub place: String,
        /// Only actions of this task; empty: of any.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub task: String,
    }
}
