//! Building an index beside the work: from a snapshot, while rows come and go.

use super::{Db, Result};
use crate::Error;
use robot_memory_db::{Locked, ReadTx};
use robot_memory_index::{Change, Derived, Recording, Slot};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// With fewer changes left to follow, the last of them are followed while no other commit is.
const LAST_CHANGES_MAX: usize = 64;
/// How often an index is built because more was written meanwhile than was kept.
const ATTEMPTS_MAX: u32 = 3;

/// Who builds an index; what serves different searches does not wait for each other.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    pub(crate) words: Mutex<()>,
    pub(crate) vectors: Mutex<()>,
    pub(crate) signatures: Mutex<()>,
    pub(crate) pictures: Mutex<()>,
    /// Columns, names of events and spatial indexes.
    pub(crate) contexts: Mutex<()>,
}

/// Which slot a row has, for all rows of a snapshot.
pub(crate) struct SlotTable {
    ids: Vec<i64>,
    /// By id less the first; empty when ids lie too far apart.
    dense: Vec<Slot>,
}

/// In [`SlotTable::dense`], of an id that no row has.
const NO_SLOT: Slot = Slot::MAX;

impl SlotTable {
    /// Of rows whose ids ascend with their slots, from slot 0.
    pub(crate) fn new(ids: Vec<i64>) -> Self {
        let mut dense = Vec::new();
        if let (Some(first), Some(last)) = (ids.first(), ids.last()) {
            let span = usize::try_from(last - first).unwrap_or(usize::MAX);
            if span < ids.len().saturating_mul(2) {
                dense.resize(span + 1, NO_SLOT);
                for (slot, id) in (0..).zip(&ids) {
                    dense[(id - first) as usize] = slot;
                }
            }
        }
        Self { ids, dense }
    }

    /// How many slots there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The slot of a row.
    pub(crate) fn slot(&self, id: i64) -> Option<Slot> {
        if self.dense.is_empty() {
            return self.ids.binary_search(&id).ok().and_then(|place| place.try_into().ok());
        }
        let place = usize::try_from(id.checked_sub(*self.ids.first()?)?).ok()?;
        self.dense.get(place).copied().filter(|slot| *slot != NO_SLOT)
    }
}

impl Db {
    /// Builds an index from a snapshot, lets it follow what was committed meanwhile, and puts it
    /// among the others. Nobody who writes waits for it, nor does it wait for who writes. Answers whether it
    /// was put in; not when the engine closes meanwhile, nor when it `is_there` once it is this one's turn:
    /// then somebody else has built it.
    ///
    /// `build` answers `None` when it was told to stop ([`Db::is_closing`]).
    pub(crate) fn build_concurrently<I>(
        &self,
        turn: &Mutex<()>,
        is_there: impl Fn(&Derived) -> bool,
        build: impl Fn(&ReadTx<'_>, &SlotTable) -> Result<Option<I>>,
        follow: impl Fn(&mut I, Slot, &Change),
        install: impl Fn(&mut Derived, I),
    ) -> Result<bool> {
        let _one_at_a_time = turn.locked();
        if is_there(&self.derived()) {
            return Ok(false);
        }
        for _ in 0..ATTEMPTS_MAX {
            // Before the snapshot, so that nothing is missed that comes after it.
            let recording = self.derived().record();
            let built = self.view(|tx, derived| {
                let index = build(tx, &SlotTable::new(derived.rows.ids()))?;
                Ok(index.map(|index| (index, derived.revision())))
            });
            let outcome = match built {
                Ok(Some((index, Some(snapshot)))) => {
                    self.put_in(recording, snapshot, index, &follow, &install).then_some(Ok(true))
                }
                Ok(Some((_, None))) => None,
                Ok(None) => Some(Ok(false)),
                Err(error) => Some(Err(error)),
            };
            self.derived().stop_recording(recording);
            if let Some(outcome) = outcome {
                return outcome;
            }
            log::info!("an index is built again: more was written than could be followed");
        }
        Err(Error::unavailable("rows are written faster than an index can follow"))
    }

    /// Lets an index follow what was recorded of later revisions than `snapshot`, and puts it among the
    /// others. Answers whether all of that was kept.
    fn put_in<I>(
        &self,
        recording: Recording,
        snapshot: i64,
        mut index: I,
        follow: &impl Fn(&mut I, Slot, &Change),
        install: &impl Fn(&mut Derived, I),
    ) -> bool {
        loop {
            let changes = self.derived().take_recorded(recording, snapshot);
            match follow_all(changes, &mut index, follow) {
                Some(count) if count >= LAST_CHANGES_MAX => {}
                Some(_) => break,
                None => return false,
            }
        }
        self.change_indexes(|derived| {
            let last = derived.take_recorded(recording, snapshot);
            let is_kept = follow_all(last, &mut index, follow).is_some();
            if is_kept {
                install(derived, index);
            }
            is_kept
        })
    }

    /// Whether the engine is closing: long work stops.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }
}

/// Follows what was recorded; answers how much that was, and `None` when not all of it was kept.
fn follow_all<I>(
    changes: Option<Vec<(Slot, Arc<Change>)>>,
    index: &mut I,
    follow: &impl Fn(&mut I, Slot, &Change),
) -> Option<usize> {
    let changes = changes?;
    for (slot, change) in &changes {
        follow(index, *slot, change);
    }
    Some(changes.len())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{Config, Engine};
    use robot_memory_core::api::{Recall, RecallRequest};
    use robot_memory_core::model::{Clock, Path, Stamp};
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;
    use tempfile::TempDir;

    struct Noon;

    impl Clock for Noon {
        fn now(&self) -> Option<Stamp> {
            Some(Stamp::from_secs(1_750_000_000))
        }
    }

    /// An engine on an empty store, in a folder that goes with it.
    pub(crate) fn engine(index_bytes_max: u64) -> (TempDir, Engine) {
        let folder = TempDir::new().expect("a folder");
        let config = Config { index_bytes_max, ..Config::at(folder.path().join("memory.db")) };
        let (engine, _) = Engine::open(config, Arc::new(Noon)).expect("it opens");
        (folder, engine)
    }

    #[test]
    fn a_filter_does_not_wait_for_the_index_of_vectors() {
        let (_folder, engine) = engine(0);
        let building = engine.turns.vectors.lock().expect("a lock");
        let (done, is_done) = sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let request = RecallRequest {
                    context_filter: r#"{"task": "set"}"#.into(),
                    ..Default::default()
                };
                done.send(engine.call::<Recall>(request).is_ok())
            });
            let in_time = is_done.recv_timeout(Duration::from_secs(20));
            drop(building);
            assert_eq!(in_time, Ok(true));
        });
    }

    #[test]
    fn what_two_ask_for_is_built_once() {
        let (_folder, engine) = engine(0);
        let path = Path::parse("task").expect("a path");
        assert!(engine.build_columns(std::slice::from_ref(&path)).expect("it is built"));
        assert!(!engine.build_columns(std::slice::from_ref(&path)).expect("it is there"));
        assert!(!engine.build_vectors("a model that is not in use", 64).expect("nothing to do"));
    }

    #[test]
    fn rows_have_their_slots_however_far_apart() {
        for ids in [vec![], vec![7], vec![3, 4, 6, 7], vec![1, 900, 1_000_000, i64::MAX]] {
            let table = SlotTable::new(ids.clone());
            for (slot, id) in ids.iter().enumerate() {
                assert_eq!(table.slot(*id), Some(slot as Slot), "{ids:?}");
            }
            for id in [i64::MIN, -1, 0, 2, 5, 8, 901] {
                assert_eq!(table.slot(id).is_some(), ids.contains(&id), "{id} of {ids:?}");
            }
        }
    }
}
