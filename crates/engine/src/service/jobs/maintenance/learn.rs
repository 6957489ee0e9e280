//! What was done many times becomes knowledge: how often it went well, and with what.
//!
//! Each task log is read once; what it tells is kept beside it (the table `attempt`). Changed rows are read
//! again, and only subjects are counted anew whose attempts came, changed or went.

use super::{Done, ScopeWork};
use crate::operations::experiences::{Counted, Learned, Wording, count, is_current, read_attempt};
use crate::service::jobs::{Fault, JobRun};
use crate::{Error, Result};
use robot_memory_db::Subject;
use serde_json::{Value, json};

/// Memories that are read in one step: other writers wait some ten milliseconds.
const READ_PER_STEP: usize = 256;
/// Ids that are looked up at once.
const IDS_AT_ONCE: usize = 1 << 16;
/// Subjects that are counted in one step.
const COUNTED_PER_STEP: usize = 16;

/// A subject, counted before it is written.
struct Prepared {
    subject: Subject,
    /// Of the store when it was counted.
    revision: i64,
    counted: Option<Counted>,
    wording: Option<Wording>,
}

impl JobRun<'_> {
    /// Makes knowledge of the task logs of the scope.
    pub(super) fn learn_step(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        self.read_changed(work)?;
        self.read_new(work)?;
        let scope = work.scope.clone();
        let stale = self.engine.store.read(|tx| tx.stale_subjects(&scope))?;
        for (number, subjects) in stale.chunks(COUNTED_PER_STEP).enumerate() {
            let prepared: Vec<Prepared> =
                subjects.iter().map(|subject| self.prepare(subject)).collect::<Result<_>>()?;
            let done = (number * COUNTED_PER_STEP + subjects.len()) as u64;
            self.put_prepared(work, prepared, done, stale.len() as u64)?;
        }
        Ok(())
    }

    /// Reads the memories that changed since they were read.
    fn read_changed(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        let scope = work.scope.clone();
        loop {
            let (ids, left) =
                self.engine.store.read(|tx| tx.unread_attempts(&scope, READ_PER_STEP))?;
            if ids.is_empty() {
                return Ok(());
            }
            self.commit_part(work, left, |tx, part| {
                for &id in &ids {
                    read_attempt(tx, &scope, id)?;
                }
                part.count("read", ids.len() as u64);
                Ok(Done { cursor: Value::Null, done: ids.len() as u64 })
            })?;
        }
    }

    /// Reads the memories that came since the last time.
    fn read_new(&self, work: &mut ScopeWork) -> Result<(), Fault> {
        let scope = work.scope.clone();
        loop {
            let after = self.engine.store.read(|tx| tx.attempts_upto(&scope))?;
            let (ids, _) = self.engine.rows_of_scope(&scope, after, IDS_AT_ONCE)?;
            if ids.is_empty() {
                return Ok(());
            }
            for (number, batch) in ids.chunks(READ_PER_STEP).enumerate() {
                self.commit_part(work, ids.len() as u64, |tx, part| {
                    for &id in batch {
                        read_attempt(tx, &scope, id)?;
                    }
                    if let Some(&last) = batch.last() {
                        tx.put_attempts_upto(&scope, last)?;
                    }
                    part.count("read", batch.len() as u64);
                    let done = (number * READ_PER_STEP + batch.len()) as u64;
                    Ok(Done { cursor: Value::Null, done })
                })?;
            }
        }
    }

    /// Counts a subject and says in words what changed, while others may write.
    fn prepare(&self, subject: &Subject) -> Result<Prepared> {
        let (revision, counted, is_current) = self.engine.store.read(|tx| {
            let counted = count(tx, subject)?;
            let is_current = counted.as_ref().map(|it| is_current(tx, subject, it)).transpose()?;
            Ok::<_, Error>((tx.revision()?, counted, is_current.unwrap_or(true)))
        })?;
        let wording = counted.as_ref().filter(|_| !is_current).map(|it| self.engine.word(it));
        Ok(Prepared { subject: subject.clone(), revision, counted, wording })
    }

    fn put_prepared(
        &self,
        work: &mut ScopeWork,
        prepared: Vec<Prepared>,
        done: u64,
        total: u64,
    ) -> Result<(), Fault> {
        let (engine, now) = (self.engine, work.now);
        self.commit_part(work, total, |tx, part| {
            let revision = tx.revision()?;
            for Prepared { subject, revision: counted_at, counted, wording } in prepared {
                let mut wording = wording;
                let counted = match counted_at == revision {
                    true => counted,
                    false => {
                        // Somebody wrote meanwhile.
                        let again = count(tx, &subject)?;
                        if again != counted {
                            wording = None;
                        }
                        again
                    }
                };
                if let Some(wording) = &wording
                    && part.step().judged_by != "rules (chat failed)"
                {
                    part.step().judged_by = wording.by.to_owned();
                }
                let counted = counted.as_ref().map(|it| (it, wording));
                match engine.put_experience(tx, &subject, counted, now)? {
                    Learned::Written(id) => part.find("learned", &[id], "enough attempts"),
                    Learned::Renewed(id) => part.find("renewed", &[id], "the figures changed"),
                    Learned::Removed(id) => {
                        part.find("removed", &[id], "too few attempts are left")
                    }
                    Learned::Unchanged => {}
                }
            }
            Ok(Done { cursor: json!(done), done })
        })
    }
}
