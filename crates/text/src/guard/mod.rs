//! Constraints, held against an action that is planned. Pure: rows go in, and what they say of an action
//! comes out (docs/guard.md).

mod action;
mod check;
mod constraint;
mod forbidden;
mod given;
mod ids;
mod lines;
mod name;
mod set;

pub use action::{Action, ActionError};
pub use check::{Finding, Mismatch, Verdict};
pub use constraint::{Constraint, ConstraintRow};
pub use given::{LimitsError, limits_of};
pub use name::{Name, NameKind};
pub use set::{Bucket, Constraints, Place};
