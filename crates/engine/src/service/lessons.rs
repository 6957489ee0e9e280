//! What attempts teach, written beside the work.

use crate::db::Outcome;
use crate::operations::lessons::subject;
use crate::{Engine, Result};
use robot_memory_db::Subject;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

/// Objects whose lessons are written in one go.
const SETS_MAX: usize = 32;

impl Engine {
    /// Writes the lessons of attempts that ended or changed since. Returns whether there are more.
    pub(super) fn renew_lessons(&self) -> Result<bool> {
        if !self.has_checked_lessons.load(Ordering::Relaxed) {
            self.remove_orphans()?;
            // Attempts may be gone that nobody followed.
            self.write(|tx| Ok(Outcome::of(tx.put_rulings_due()? > 0, ())))?;
            self.has_checked_lessons.store(true, Ordering::Relaxed);
        }
        // A store of which nobody asks for attempts is not read for them.
        if !self.lessons_due.swap(false, Ordering::Relaxed) && !self.attempts.is_loaded() {
            return Ok(false);
        }
        for _ in 0..SETS_MAX {
            // One at a time: who commits waits for who reads.
            let changed = self.attempts.with(self, |known| {
                let set = known.changed_set();
                Ok(set.map(|set| (known.subjects(&set), known.lessons(&set), set)))
            })?;
            let Some((subjects, taught, set)) = changed else { return Ok(false) };
            let written = self.rulings_about(&set).and_then(|rulings| {
                let now = self.now()?;
                self.write(|tx| {
                    let has_lesson = self.put_lessons(tx, &subjects, &taught, now)?;
                    let has_ruling = self.put_rulings(tx, &rulings)?;
                    Ok(Outcome::of(has_lesson || has_ruling, ()))
                })
            });
            if let Err(error) = written {
                self.attempts.with(self, |known| {
                    known.put_back(set);
                    Ok(())
                })?;
                return Err(error);
            }
        }
        Ok(true)
    }

    /// Holds lessons that other robots told since against the attempts. Returns whether there are more.
    pub(super) fn renew_rulings(&self) -> Result<bool> {
        let rulings = self.rulings_due(SETS_MAX)?;
        if rulings.is_empty() {
            return Ok(false);
        }
        self.write(|tx| Ok(Outcome::of(self.put_rulings(tx, &rulings)?, ())))?;
        Ok(rulings.len() == SETS_MAX)
    }

    /// Removes lessons whose attempts have all gone while nobody followed them. What a person judged stays.
    fn remove_orphans(&self) -> Result<()> {
        let stored = self.store.read(|tx| tx.lessons())?;
        if stored.is_empty() {
            return Ok(());
        }
        let tried: BTreeSet<Subject> = self.attempts.with(self, |known| {
            let of = known.tried_subjects();
            Ok(of.iter().map(subject).collect())
        })?;
        let now = self.now()?;
        for (id, _) in stored.iter().filter(|(_, of)| !tried.contains(of)) {
            self.write(|tx| Ok(Outcome::of(self.remove_orphan(tx, *id, now)?, ())))?;
        }
        Ok(())
    }
}
