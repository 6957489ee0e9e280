//! Lessons of attempts: a bound beyond which they fail, read out by contrast, and tested by what was tried
//! after it was read.

mod change;
mod contrast;
mod heard;
mod sentence;
mod track;

pub use change::{ChangePoint, change_point, wrong_count_of_one_range};
pub use contrast::Contrast;
pub use heard::ruling_on_bound;
pub use sentence::{Sentences, bound_sentence, change_sentence, lesson_sentence, state_words};
pub use track::{Lesson, LessonStep, Track};

use robot_memory_core::model::Stamp;

/// One number of an attempt whose outcome is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// The memory that the attempt is.
    pub id: i64,
    /// When it was made.
    pub at: Stamp,
    /// The number.
    pub value: f64,
    /// Whether it failed.
    pub has_failed: bool,
}

impl Trial {
    /// The newest trials in which a change is looked for.
    pub const CHANGE_MAX: usize = 100;
}

#[cfg(test)]
mod tests;
