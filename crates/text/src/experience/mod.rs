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
mod lessons;
mod object_name;
mod replay;
mod report;
mod sentence;
mod steps;
mod tally;

pub use attempt::{Attempt, Measured, Named, Outcome, Report, key_of, subject_of, subject_of_keys};
pub use briefing::{Briefing, briefing};
pub use differences::{Difference, DifferenceKind, differences};
pub use figures::{Figures, NumberFigures, Range, Threshold, ValueFigures};
pub use interval::{Interval, cliff_delta, cliff_delta_low, newcombe_low, wilson};
pub use known::{AttemptPlace, AttemptRow, AttemptSubject, KnownAttempts, NearAttempts, Quantity};
pub use lessons::{
    ChangePoint, Contrast, Lesson, LessonStep, Sentences, Track, Trial, bound_sentence,
    change_point, change_sentence, lesson_sentence, ruling_on_bound, state_words,
};
pub use replay::{LessonOf, Lessons};
pub use report::attempt_sentence;
pub use sentence::{sentence, statement};
pub use steps::steps_key;
pub use tally::{ProcedureSum, ReasonSum, Tally, TallySum};

#[cfg(test)]
mod tests;
