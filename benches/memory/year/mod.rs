//! A simulated year of one robot, whose truths are known, and what its memory makes of it.
//!
//! Days with work and days without, perceptions that the streams record, statements of which some hold
//! all year, some are replaced by others, some contradict each other and some say what was said. The
//! engine lives through it by its own schedule; at the end of each month it is asked what holds. The
//! same seed gives the same year and the same answers, on every machine.

mod calendar;
mod events;
mod exam;
mod life;
mod promises;
// The tests have the year without the statements.
#[allow(clippy::duplicate_mod)]
#[path = "../statements/random.rs"]
mod random;
mod rows;
mod table;
mod tasks;
mod truths;

pub use exam::Month;
pub use life::{Scale, live};
pub use promises::{broken, slowdown};
pub use table::{answers, costs};

/// What can go wrong while living.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;
