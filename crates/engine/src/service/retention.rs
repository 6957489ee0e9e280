//! Keeping events and their clips within their bounds.
//!
//! Rows go first, in one transaction with all that belongs to them, then files: whatever happens in
//! between, the next start finds a file that no row names, and removes it.

use crate::db::Outcome;
use crate::operations::deletion::Stale;
use crate::{Engine, Error, Result};
use robot_memory_core::api::ApiError;
use robot_memory_core::model::Stamp;
use robot_memory_db::{self as store, DeletedMemory, EventTotals, EventWorth, KeptClip, Locked};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, BinaryHeap};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// What an event takes beside its data, about: its row, words, vector and index entries.
const ROW_BYTES: u64 = 4096;
/// What is left when too much was there, of a hundred: so that it is not done for each new event.
const LEFT_PERCENT: u64 = 90;
/// Events deleted in one transaction: other writers wait some ten milliseconds.
const BATCH: usize = 32;
/// Days for which an event that was recalled is kept.
const RECALLED_DAYS: f64 = 1.0;
/// Days after which protected events are looked at again, when nothing else could be deleted.
const LOOK_AGAIN_DAYS: f64 = 1.0 / 24.0;

/// How the events are doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventsHealth {
    /// Events in the store.
    pub count: u64,
    /// Bytes that they take, with their rows and clips.
    pub bytes: u64,
    /// Bytes of their clips.
    pub clip_bytes: u64,
    /// Events that were deleted since the start because together they took too much.
    pub deleted_count: u64,
    /// Bytes that those took.
    pub deleted_bytes: u64,
    /// Clips that were deleted since the start because together they took too much.
    pub deleted_clip_count: u64,
    /// Events that were passed over when it was last decided which to delete: recalled within a day,
    /// of importance 1, or standing for others.
    pub protected_count: u64,
    /// Whether more is there than the bound allows, and nothing of it may be deleted.
    pub over_bound: bool,
}

/// What is known of the events, and which of them are to go.
#[derive(Debug, Default)]
pub(super) struct Retention {
    totals: EventTotals,
    /// Whether events were deleted that the totals may hold.
    recount: bool,
    /// Decided to go, the first last.
    eviction_candidates: Vec<i64>,
    clips_to_delete: Vec<KeptClip>,
    /// When, and with how many bytes, nothing more could be deleted.
    stuck: Option<(Stamp, u64)>,
    deleted_count: u64,
    deleted_bytes: u64,
    deleted_clip_count: u64,
    protected_count: u64,
}

impl Retention {
    fn bytes(&self) -> u64 {
        let EventTotals { count, data_bytes, clip_bytes, .. } = self.totals;
        data_bytes.saturating_add(clip_bytes).saturating_add(count.saturating_mul(ROW_BYTES))
    }

    fn health(&self) -> EventsHealth {
        EventsHealth {
            count: self.totals.count,
            bytes: self.bytes(),
            clip_bytes: self.totals.clip_bytes,
            deleted_count: self.deleted_count,
            deleted_bytes: self.deleted_bytes,
            deleted_clip_count: self.deleted_clip_count,
            protected_count: self.protected_count,
            over_bound: self.stuck.is_some(),
        }
    }
}

/// An event that may go: of the least one all others are worth more, or came later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Of a number from 0 to 1, whose bits are in the order of the numbers.
    importance_bits: u64,
    began_at: Stamp,
    memory_id: i64,
    bytes: u64,
}

impl Candidate {
    fn of(worth: &EventWorth) -> Self {
        Self {
            importance_bits: worth.importance.abs().to_bits(),
            began_at: worth.began_at,
            memory_id: worth.memory_id,
            bytes: bytes(worth),
        }
    }
}

/// The least candidates that together take as much as is asked for.
#[derive(Debug, Default)]
struct EvictionSet {
    heap: BinaryHeap<Candidate>,
    bytes: u64,
}

impl EvictionSet {
    fn push(&mut self, candidate: Candidate, bytes_min: u64) {
        self.heap.push(candidate);
        self.bytes += candidate.bytes;
        while let Some(greatest) = self.heap.peek()
            && self.bytes - greatest.bytes >= bytes_min
        {
            self.bytes -= greatest.bytes;
            self.heap.pop();
        }
    }
}

/// Takes the last out, as many as are deleted in one transaction.
fn batch_of<T>(eviction_candidates: &mut Vec<T>) -> Vec<T> {
    eviction_candidates.split_off(eviction_candidates.len().saturating_sub(BATCH))
}

fn bytes(worth: &EventWorth) -> u64 {
    worth.data_bytes.saturating_add(worth.clip_bytes).saturating_add(ROW_BYTES)
}

/// Whether an event may not go now.
fn is_protected(worth: &EventWorth, now: Stamp) -> bool {
    let recalled = worth.last_accessed.is_some_and(|last| now.days_since(last) < RECALLED_DAYS);
    recalled || worth.importance >= 1.0 || worth.stands_for_others
}

impl Engine {
    /// Deletes some events and clips when together they take too much. Answers whether there is more
    /// to delete at once.
    pub(super) fn hold_event_bounds(&self) -> Result<bool> {
        self.count_events()?;
        let Some(now) = self.clock.now() else {
            // What was recalled within a day is not known either.
            return Ok(false);
        };
        let now = self.believed(now);
        let has_more_clips = self.delete_clips()?;
        let has_more_events = self.delete_events(now)?;
        Ok(has_more_clips || has_more_events)
    }

    /// How the events are doing, as upkeep last saw it.
    pub(super) fn events_health(&self) -> EventsHealth {
        self.retention.locked().health()
    }

    /// The folder of clips: the store's file with `.clips` behind.
    pub fn clips_folder(&self) -> PathBuf {
        clips_folder(&self.config.store_path)
    }

    /// The file of a memory's clip, with no link left in its path; `None` when there is none, and when what the
    /// store names does not lie in the folder of clips.
    pub fn clip_file(&self, memory_id: i64) -> Result<Option<PathBuf>, ApiError> {
        let kept = self.store.read(|tx| Ok::<_, Error>(tx.clip_of(memory_id)?))?;
        let Some(name) = kept.as_ref().and_then(|clip| file_name(&clip.file)) else {
            return Ok(None);
        };
        let folder = self.clips_folder();
        let (Ok(file), Ok(folder)) = (folder.join(name).canonicalize(), folder.canonicalize())
        else {
            return Ok(None);
        };
        Ok((file.parent() == Some(folder.as_path()) && file.is_file()).then_some(file))
    }

    /// Counts what came since the last time, as ids only grow; everything, when somebody deleted
    /// events.
    fn count_events(&self) -> Result<()> {
        // Held while it counts: what is deleted after this snapshot asks for the next one.
        let mut retention = self.retention.locked();
        let after = if retention.recount { 0 } else { retention.totals.last_id };
        let new = self.store.read(|tx| tx.event_totals(after))?;
        if std::mem::take(&mut retention.recount) {
            retention.totals = EventTotals::default();
        }
        let totals = &mut retention.totals;
        totals.count += new.count;
        totals.data_bytes += new.data_bytes;
        totals.clip_bytes += new.clip_bytes;
        totals.last_id = totals.last_id.max(new.last_id);
        Ok(())
    }

    fn delete_events(&self, now: Stamp) -> Result<bool> {
        if self.retention.locked().eviction_candidates.is_empty() {
            self.doom_events(now)?;
        }
        let batch = batch_of(&mut self.retention.locked().eviction_candidates);
        if batch.is_empty() {
            return Ok(false);
        }
        let deleted = self.write(|tx| {
            let mut deleted = Vec::with_capacity(batch.len());
            let mut stale = Stale::default();
            for id in batch.iter().rev().copied() {
                // It may have been recalled since it was decided.
                let worth = tx.event_worth(id)?.filter(|worth| !is_protected(worth, now));
                let Some(worth) = worth.filter(|_| !self.accesses.locked().waits(id)) else {
                    continue;
                };
                stale.note_learned(self, tx, id)?;
                let Some(event) = tx.remove(id, now)? else { continue };
                deleted.push((worth, event.clip));
            }
            self.make_again(tx, &stale, now)?;
            Ok(Outcome::of(!deleted.is_empty(), deleted))
        })?;
        let has_more = {
            let mut retention = self.retention.locked();
            for (worth, _) in &deleted {
                retention.totals.count = retention.totals.count.saturating_sub(1);
                let totals = &mut retention.totals;
                totals.data_bytes = totals.data_bytes.saturating_sub(worth.data_bytes);
                totals.clip_bytes = totals.clip_bytes.saturating_sub(worth.clip_bytes);
                retention.deleted_count += 1;
                retention.deleted_bytes += bytes(worth);
            }
            !retention.eviction_candidates.is_empty()
        };
        for (_, clip) in deleted {
            self.remove_clip(&clip);
        }
        if !has_more {
            let EventsHealth { count, bytes, deleted_count, .. } = self.events_health();
            log::info!(
                "events took too much: {deleted_count} were deleted since the start, {count} are \
                 left with {bytes} bytes (events_bytes_max)"
            );
        }
        Ok(has_more)
    }

    /// Decides which events go when they take more than they may.
    fn doom_events(&self, now: Stamp) -> Result<()> {
        let bytes_max = self.config.events_bytes_max;
        let bytes = self.retention.locked().bytes();
        if bytes_max == 0 || bytes <= bytes_max {
            self.retention.locked().stuck = None;
            return Ok(());
        }
        if let Some((since, bytes_then)) = self.retention.locked().stuck {
            let has_grown = bytes > bytes_then.saturating_add(bytes_max / 100);
            if !has_grown && now.days_since(since).abs() < LOOK_AGAIN_DAYS {
                return Ok(());
            }
        }
        let bytes_min = bytes - bytes_max / 100 * LEFT_PERCENT;
        let mut candidates = EvictionSet::default();
        let mut protected_count = 0;
        self.store.read(|tx| {
            tx.each_event_worth(|worth| {
                if is_protected(&worth, now) {
                    protected_count += 1;
                } else {
                    candidates.push(Candidate::of(&worth), bytes_min);
                }
            })
        })?;
        let is_enough = candidates.bytes >= bytes_min;
        let mut eviction_candidates = candidates.heap.into_sorted_vec();
        eviction_candidates.reverse();
        let mut retention = self.retention.locked();
        if is_enough {
            retention.stuck = None;
        } else {
            let bytes_left = bytes - candidates.bytes;
            if bytes_left > bytes_max && retention.stuck.is_none() {
                log::warn!(
                    "events take more than {bytes_max} bytes (events_bytes_max), and {protected_count} \
                     of them are kept: recalled within a day, or of importance 1"
                );
            }
            retention.stuck = (bytes_left > bytes_max).then_some((now, bytes_left));
        }
        retention.protected_count = protected_count;
        retention.eviction_candidates =
            eviction_candidates.iter().map(|candidate| candidate.memory_id).collect();
        Ok(())
    }

    fn delete_clips(&self) -> Result<bool> {
        if self.retention.locked().clips_to_delete.is_empty() {
            self.doom_clips()?;
        }
        let batch = batch_of(&mut self.retention.locked().clips_to_delete);
        if batch.is_empty() {
            return Ok(false);
        }
        let gone = self.write(|tx| {
            let mut gone = Vec::with_capacity(batch.len());
            for clip in batch.iter().rev() {
                if let Some(growth) = tx.forget_clip(clip.memory_id, without_clip)? {
                    gone.push((clip, growth));
                }
            }
            Ok(Outcome::of(!gone.is_empty(), gone))
        })?;
        let has_more = {
            let mut retention = self.retention.locked();
            for (clip, growth) in &gone {
                let totals = &mut retention.totals;
                totals.clip_bytes = totals.clip_bytes.saturating_sub(clip.bytes);
                totals.data_bytes = totals.data_bytes.saturating_add_signed(*growth);
                retention.deleted_clip_count += 1;
            }
            !retention.clips_to_delete.is_empty()
        };
        for (clip, _) in gone {
            self.remove_clip(&clip.file);
        }
        Ok(has_more)
    }

    /// Decides which clips go when they take more than they may. With a bound of 0 no clips are made,
    /// and those that are there stay.
    fn doom_clips(&self) -> Result<()> {
        let bytes_max = self.config.clips_bytes_max;
        let bytes = self.retention.locked().totals.clip_bytes;
        if bytes_max == 0 || bytes <= bytes_max {
            return Ok(());
        }
        let bytes_min = bytes - bytes_max / 100 * LEFT_PERCENT;
        let mut eviction_candidates = Vec::new();
        let mut doomed_bytes = 0;
        self.store.read(|tx| {
            tx.each_clip(|clip| {
                doomed_bytes += clip.bytes;
                eviction_candidates.push(clip);
                doomed_bytes >= bytes_min
            })
        })?;
        eviction_candidates.reverse();
        self.retention.locked().clips_to_delete = eviction_candidates;
        Ok(())
    }

    /// Follows a deletion that was committed: of events, and of their clips.
    pub(super) fn follow_deleted(&self, deleted: &[DeletedMemory]) {
        if deleted.iter().any(|memory| memory.is_event) {
            self.retention.locked().recount = true;
        }
        for memory in deleted {
            self.remove_clip(&memory.clip);
        }
    }

    /// Begins anew with the events of another store.
    pub(super) fn forget_events(&self) {
        let mut retention = self.retention.locked();
        retention.recount = true;
        retention.eviction_candidates.clear();
        retention.clips_to_delete.clear();
        retention.stuck = None;
    }

    fn remove_clip(&self, file: &str) {
        let Some(name) = file_name(file) else { return };
        let path = self.clips_folder().join(name);
        match std::fs::remove_file(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => log::warn!("a clip stays: {}: {error}", path.display()),
        }
    }

    /// Removes clips that no event names, and what was begun of a clip and not finished.
    pub(super) fn remove_orphan_clips(&self) -> Result<()> {
        let folder = self.clips_folder();
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => {
                log::warn!("the clips cannot be listed: {}: {error}", folder.display());
                return Ok(());
            }
        };
        let mut known = BTreeSet::new();
        self.store.read(|tx| {
            tx.each_clip(|clip| {
                known.insert(clip.file);
                false
            })
        })?;
        known.extend(self.waiting_clips());
        let mut removed_count = 0_u64;
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_known = name.to_str().is_some_and(|name| known.contains(name));
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            if !is_known && is_file && is_clip(&name) {
                match std::fs::remove_file(entry.path()) {
                    Ok(()) => removed_count += 1,
                    Err(error) => log::warn!("a clip stays: {}: {error}", entry.path().display()),
                }
            }
        }
        if removed_count > 0 {
            log::info!("{removed_count} clips were removed that no memory names");
        }
        Ok(())
    }
}

/// The folder of a store's clips.
pub(super) fn clips_folder(store_path: &Path) -> PathBuf {
    store::with_suffix(store_path, ".clips")
}

/// The clips of a store that was put aside go with it: the new one knows none of them.
pub(super) fn put_clips_aside(store_path: &Path, aside: &Path) {
    let (from, to) = (clips_folder(store_path), clips_folder(aside));
    match std::fs::rename(&from, &to) {
        Ok(()) => log::info!("its clips are now in {}", to.display()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => log::warn!("{} could not be moved aside: {error}", from.display()),
    }
}

/// The clips that events of a repaired store name, which went with the damaged one, come back.
pub(super) fn take_clips_back(engine: &Engine, aside: &Path) {
    let (from, to) = (clips_folder(aside), engine.clips_folder());
    let mut named = Vec::new();
    let read: Result<()> = engine.store.read(|tx| {
        Ok(tx.each_clip(|clip| {
            named.push(clip.file);
            false
        })?)
    });
    if let Err(error) = read {
        log::warn!("the clips stay in {}: {error}", from.display());
        return;
    }
    let there: Vec<&str> = named.iter().filter_map(|file| file_name(file)).collect();
    let there: Vec<&str> = there.into_iter().filter(|name| from.join(name).exists()).collect();
    if there.is_empty() {
        return;
    }
    if let Err(error) = store::make_private_folder(&to) {
        log::warn!("the clips stay in {}: {error}", from.display());
        return;
    }
    for name in there {
        if let Err(error) = std::fs::rename(from.join(name), to.join(name)) {
            log::warn!("a clip stays in {}: {error}", from.display());
        }
    }
}

/// Whether a file of this name was made as a clip, or as one that is being written.
fn is_clip(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.ends_with(".mcap") || name.contains(".mcap."))
}

/// A name that leads to nowhere but into its folder.
fn file_name(file: &str) -> Option<&str> {
    let mut components = Path::new(file).components();
    match (components.next(), components.next()) {
        (Some(Component::Normal(name)), None) if name == file => Some(file),
        _ => None,
    }
}

/// Metadata that say that the clip was deleted; `None` when they are no object.
fn without_clip(metadata: &str) -> Option<String> {
    let mut parts: Map<String, Value> = match metadata {
        "" => Map::new(),
        _ => serde_json::from_str(metadata).ok()?,
    };
    parts.insert("clip".into(), "deleted: clips took more than clips_bytes_max".into());
    Some(Value::Object(parts).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_least_that_are_enough_are_chosen(
            events in prop::collection::vec((0..4_u8, 0..9_i64, 1..50_u64), 0..40),
            bytes_min in 0..1_500_u64,
        ) {
            let mut all: Vec<Candidate> = (0..)
                .zip(events)
                .map(|(memory_id, (importance, began_at, bytes))| Candidate {
                    importance_bits: (f64::from(importance) / 4.0).to_bits(),
                    began_at: Stamp(began_at),
                    memory_id,
                    bytes,
                })
                .collect();
            let mut candidates = EvictionSet::default();
            for candidate in &all {
                candidates.push(*candidate, bytes_min);
            }
            all.sort();
            let mut sum = 0;
            let expected: Vec<Candidate> = all
                .into_iter()
                .take_while(|candidate| {
                    let is_needed = sum < bytes_min;
                    sum += candidate.bytes;
                    is_needed
                })
                .collect();
            prop_assert_eq!(candidates.heap.into_sorted_vec(), expected);
        }
    }

    #[test]
    fn clips_lie_beside_their_store() {
        let cases = [
            ("/a/memory.db", "/a/memory.db.clips"),
            ("memory.db", "memory.db.clips"),
            ("/a/memory", "/a/memory.clips"),
        ];
        for (store, clips) in cases {
            assert_eq!(clips_folder(Path::new(store)), Path::new(clips));
        }
    }

    #[test]
    fn only_files_in_the_folder_are_clips() {
        for file in ["a.mcap", "a b.mcap"] {
            assert_eq!(file_name(file), Some(file));
        }
        for file in ["", ".", "..", "/a.mcap", "../a.mcap", "b/a.mcap", "a.mcap/", "./a.mcap"] {
            assert_eq!(file_name(file), None, "{file}");
        }
        assert!(
            ["a.mcap", ".a.mcap.tmp", "a.mcap.part"].iter().all(|name| is_clip(OsStr::new(name)))
        );
        assert!(["notes.txt", "mcap", "a.db"].iter().all(|name| !is_clip(OsStr::new(name))));
    }
}
