//! What attempts teach, written beside the work.

use crate::db::Outcome;
use crate::{Engine, Result};
use robot_memory_core::model::Scope;
use robot_memory_db::StoredSummary;
use std::sync::atomic::Ordering;

/// Objects whose lessons are written in one go.
const SETS_MAX: usize = 32;

impl Engine {
    /// Writes the lessons of attempts that ended or changed since. Returns whether there are more.
    pub(super) fn renew_lessons(&self) -> Result<bool> {
        let is_first = !self.has_checked_lessons.swap(true, Ordering::Relaxed);
        let stored = if is_first { self.store.read(|tx| tx.lessons())? } else { Vec::new() };
        let is_due = self.lessons_due.swap(false, Ordering::Relaxed) || !stored.is_empty();
        // A store of which nobody asks for attempts is not read for them.
        if !is_due && !self.attempts.is_loaded() {
            return Ok(false);
        }
        self.remove_orphans(&stored)?;
        for _ in 0..SETS_MAX {
            // One at a time: who commits waits for who reads.
            let (set, subjects, taught) = self.attempts.with(self, |known| {
                let set = known.changed_sets(1).pop().unwrap_or_default();
                Ok((set.clone(), known.subjects(&set), known.lessons(&set)))
            })?;
            if set.is_empty() {
                return Ok(false);
            }
            let now = self.now()?;
            let written = self.write(|tx| {
                let has_changed = self.put_lessons(tx, &subjects, &taught, now)?;
                Ok(Outcome::of(has_changed, ()))
            });
            if let Err(error) = written {
                self.attempts.with(self, |known| {
                    known.put_back(vec![set]);
                    Ok(())
                })?;
                return Err(error);
            }
        }
        Ok(true)
    }

    /// Removes lessons whose attempts have all gone while nobody followed them. What a person judged stays.
    fn remove_orphans(&self, stored: &[StoredSummary]) -> Result<()> {
        if stored.is_empty() {
            return Ok(());
        }
        let orphans: Vec<i64> = self.attempts.with(self, |known| {
            let is_orphan = |it: &&StoredSummary| {
                Scope::parse(&it.scope)
                    .is_ok_and(|scope| !known.has_subject(&scope, &it.collection, &it.subject))
            };
            Ok(stored.iter().filter(is_orphan).map(|it| it.memory_id).collect())
        })?;
        let now = self.now()?;
        for id in orphans {
            self.write(|tx| Ok(Outcome::of(self.remove_orphan(tx, id, now)?, ())))?;
        }
        Ok(())
    }
}
