//! What was done many times: attempts at tasks, how often they went well, and what differed. Pure.
//!
//! [`Attempt::read`] reads one out of a memory; [`Figures::of`] counts those at one task on one object;
//! [`sentence`](sentence()) says the figures; [`differences`] ranks what differed between success and
//! failure.

mod attempt;
mod briefing;
mod differences;
mod figures;
mod interval;
mod known;
mod report;
mod sentence;
mod tally;

pub use attempt::{Attempt, Measured, Named, Outcome, Report, key_of, subject_of};
pub use briefing::{Briefing, briefing};
pub use differences::{Difference, DifferenceKind, differences};
pub use figures::{Figures, NumberFigures, Range, Threshold, ValueFigures};
pub use interval::{Interval, cliff_delta, cliff_delta_low, newcombe_low, wilson};
pub use known::{AttemptPlace, AttemptRow, KnownAttempts, NearAttempts, Quantity};
pub use report::attempt_sentence;
pub use sentence::{sentence, statement};
pub use tally::{ReasonSum, Tally, TallySum};

#[cfg(test)]
mod tests;
