//! How an operation reads and writes: one snapshot with the indexes that agree with it, or one
//! transaction whose changes the indexes follow.

use super::{Db, Error, Result, WriteTx, load};
use robot_memory_db::{ReadTx, Writer};
use robot_memory_index::{Change, Derived};
use std::time::Duration;

/// A snapshot and the indexes disagree only between a commit and the moment, microseconds later,
/// in which the indexes have followed. A reader that meets it tries again after this pause.
const RETRY_PAUSE: Duration = Duration::from_micros(50);
/// Changes that the indexes follow in some ten microseconds each.
const LITTLE_CHANGES_MAX: usize = 2;
/// Two seconds of trying: only a fault keeps them apart for so long.
const RETRIES_MAX: u32 = 40_000;

/// What a write did.
pub enum Outcome<T> {
    /// It changed rows: make that durable, then answer.
    Changed(T),
    /// It found nothing to change: answer.
    Unchanged(T),
}

impl<T> Outcome<T> {
    /// By whether rows were changed.
    pub(crate) fn of(is_changed: bool, answer: T) -> Self {
        if is_changed { Self::Changed(answer) } else { Self::Unchanged(answer) }
    }
}

impl Db {
    /// Runs `f` on a snapshot of the store and the indexes of the same revision. No lock is held
    /// meanwhile: nobody waits for it, and it sees nothing of what is written.
    pub(crate) fn view<T>(&self, f: impl FnOnce(&ReadTx<'_>, &Derived) -> Result<T>) -> Result<T> {
        self.view_prepared(|_| Ok(()), f)
    }

    /// The same, and lets an engine that only reads prepare its indexes from that snapshot.
    pub(crate) fn view_prepared<T>(
        &self,
        prepare: impl Fn(&ReadTx<'_>) -> Result<()>,
        f: impl FnOnce(&ReadTx<'_>, &Derived) -> Result<T>,
    ) -> Result<T> {
        let mut f = Some(f);
        for _ in 0..RETRIES_MAX {
            // A commit between this and the snapshot is met by a look at the newest; one between the
            // snapshot and that look, by this.
            let before = self.derived();
            let answer = self.store.read(|tx| {
                let revision = tx.revision()?;
                if self.store.is_reading_only() {
                    // Another process writes: its changes are not followed but loaded.
                    let is_behind = self.derived().revision() != Some(revision);
                    if is_behind {
                        load::check_words(tx)?;
                        self.indexes.replace(load::rows(tx)?);
                    }
                    prepare(tx)?;
                }
                let mut versions = [self.derived(), before].into_iter();
                let Some(derived) = versions.find(|it| it.revision() == Some(revision)) else {
                    return Ok(None);
                };
                drop(versions);
                f.take().map(|f| f(tx, &derived)).transpose()
            })?;
            match answer {
                Some(answer) => return Ok(answer),
                None => std::thread::sleep(RETRY_PAUSE),
            }
        }
        Err(Error::unavailable("the indexes are behind the store; try again"))
    }

    /// Runs `f` in one transaction. When it answers `Changed`, the rows are on disk and the indexes
    /// have followed before this returns; when it fails nothing was changed.
    pub(crate) fn write<T>(&self, f: impl FnOnce(&WriteTx<'_>) -> Result<Outcome<T>>) -> Result<T> {
        self.check_writable()?;
        self.store.check_in_place()?;
        let outcome = self.write_now(f);
        match &outcome {
            Ok(_) | Err(Error::Api(_)) => {}
            Err(Error::Store(fault)) => self.fault.note(fault),
        }
        outcome
    }

    fn write_now<T>(&self, f: impl FnOnce(&WriteTx<'_>) -> Result<Outcome<T>>) -> Result<T> {
        let mut writer = self.store.writer();
        // Who had it before may have found out meanwhile.
        self.check_writable()?;
        let tx = WriteTx::new(writer.begin()?);
        match f(&tx)? {
            Outcome::Unchanged(answer) => Ok(answer),
            Outcome::Changed(answer) => {
                let job_changes = tx.take_job_changes();
                let now = self.note_now(&tx)?;
                let (rows, changes) = tx.into_parts();
                let revision = rows.commit()?;
                self.keep_now(now);
                self.fault.note_written();
                self.follow(&writer, changes, revision);
                self.jobs.publish(job_changes);
                // Until here: the next write must find the indexes agreeing with its rows.
                drop(writer);
                Ok(answer)
            }
        }
    }

    /// Loads the facts of all rows when they agree with no revision, as after a change that could not be
    /// followed.
    pub(crate) fn load_if_behind(&self) -> Result<()> {
        if self.derived().revision().is_some() || self.store.is_reading_only() {
            return Ok(());
        }
        // Nothing may be committed meanwhile.
        let _writer = self.store.writer();
        let derived = self.store.read(load::rows)?;
        self.indexes.replace(derived);
        Ok(())
    }

    /// The indexes follow a commit. Who still has the right to write calls it, so that no other commit
    /// comes in between.
    fn follow(&self, _: &Writer<'_>, changes: Vec<Change>, revision: i64) {
        self.constraints.follow(self, &changes, revision);
        self.attempts.follow(self, &changes, revision);
        self.listeners.publish(&changes);
        let is_little = changes.len() <= LITTLE_CHANGES_MAX;
        let apply = |derived: &mut Derived| derived.apply(changes, revision);
        let followed = match is_little {
            true => self.indexes.change_little(apply),
            false => self.indexes.change(apply),
        };
        if !followed {
            // Words and vectors are searched on disk until upkeep has built their indexes again.
            log::info!("the indexes in memory are rebuilt from the store");
            match self.store.read(load::rows) {
                Ok(derived) => self.indexes.replace(derived),
                // The rows are safe; searches answer `unavailable` until a later write succeeds.
                Err(error) => log::error!("the indexes could not be rebuilt: {error}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::db::engine;
    use robot_memory_core::api::{Learn, LearnRequest, Recall, RecallRequest};
    use robot_memory_embedding::HashedEmbedder;
    use robot_memory_index::{Postings, RowSelection, Slot};
    use std::sync::Arc;
    use std::sync::mpsc::sync_channel;

    /// All that a reader can see of the indexes of rows, words and vectors.
    type Seen = (Option<i64>, i64, Vec<(i64, u64)>, Vec<Slot>);

    fn seen(tx: &ReadTx<'_>, derived: &Derived) -> Result<Seen> {
        let live = derived.rows.allowed(&RowSelection::default());
        let facts = live.iter().filter_map(|slot| derived.rows.facts(slot));
        let facts = facts.map(|it| (it.id, it.confidence.to_bits())).collect();
        let words = derived.words.as_ref().map(|words| words.postings("cup").to_vec());
        let mut slots: Vec<Slot> =
            words.into_iter().flatten().map(|posting| posting.slot()).collect();
        let vectors = derived.vectors.as_ref().map(|vectors| vectors.present().iter());
        slots.extend(vectors.into_iter().flatten());
        Ok((derived.revision(), tx.revision()?, facts, slots))
    }

    fn learn(engine: &Engine, insight: &str) -> bool {
        let request = LearnRequest { insight: insight.into(), ..Default::default() };
        engine.call::<Learn>(request).is_ok()
    }

    fn recalled(engine: &Engine, exact: bool) -> usize {
        let request = RecallRequest { query: "cup".into(), exact, ..Default::default() };
        engine.call::<Recall>(request).map_or(0, |answer| answer.memories.len())
    }

    #[test]
    fn a_reader_keeps_nobody_waiting_and_sees_nothing_of_what_is_written() {
        let (_folder, engine) = engine(0);
        engine.set_embedder(Ok(Some(Arc::new(HashedEmbedder::new(64))))).expect("taken");
        assert!(learn(&engine, "The red cup is kept in the kitchen"));
        let (reading, is_reading) = sync_channel(1);
        let (release, is_released) = sync_channel::<()>(1);
        let (done, is_done) = sync_channel(1);
        let engine = &engine;
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                engine.view(|tx, derived| {
                    let before = seen(tx, derived)?;
                    reading.send(()).expect("somebody waits");
                    // Ends when the other end goes.
                    let _ = is_released.recv();
                    Ok((before, seen(tx, derived)?))
                })
            });
            is_reading.recv().expect("it reads");
            scope.spawn(move || {
                let is_learned = learn(engine, "The blue cup is kept in the hall");
                let is_removed = engine.change_indexes(|derived| derived.vectors.take()).is_some();
                let found = (recalled(engine, false), recalled(engine, true));
                done.send((is_learned, is_removed, found)).expect("somebody waits");
            });
            let in_time = is_done.recv_timeout(Duration::from_secs(60));
            drop(release);
            let (before, after) = reader.join().expect("no panic").expect("it is read");
            assert_eq!(in_time, Ok((true, true, (2, 2))));
            assert_eq!(before, after);
            assert_eq!((before.2.len(), before.3.len()), (1, 2));
        });
    }
}
