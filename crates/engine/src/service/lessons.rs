//! What attempts teach, written beside the work.

use crate::db::Outcome;
use crate::{Engine, Result};
use std::sync::atomic::Ordering;

/// Objects whose lessons are written in one go.
const SETS_MAX: usize = 32;

impl Engine {
    /// Writes the lessons of attempts that ended or changed since. Returns whether there are more.
    pub(super) fn renew_lessons(&self) -> Result<bool> {
        // A store of which nobody asks for attempts is not read for them.
        if !self.lessons_due.swap(false, Ordering::Relaxed) && !self.attempts.is_loaded() {
            return Ok(false);
        }
        let (sets, taught) = self.attempts.with(self, |known| {
            let sets = known.changed_sets(SETS_MAX);
            let taught = sets.iter().map(|set| (known.subjects(set), known.lessons(set)));
            let taught: Vec<_> = taught.collect();
            Ok((sets, taught))
        })?;
        if sets.is_empty() {
            return Ok(false);
        }
        let has_more = sets.len() == SETS_MAX;
        let now = self.now()?;
        let written = self.write(|tx| {
            let mut has_changed = false;
            for (subjects, lessons) in &taught {
                has_changed |= self.put_lessons(tx, subjects, lessons, now)?;
            }
            Ok(Outcome::of(has_changed, ()))
        });
        if let Err(error) = written {
            self.attempts.with(self, |known| {
                known.put_back(sets);
                Ok(())
            })?;
            return Err(error);
        }
        Ok(has_more)
    }
}
