//! What was acknowledged last, noted outside of the store's file and its log: when the log loses its end,
//! the file alone does not show it.
//!
//! The note is in the file that is locked beside the store. It is written after each commit, and brought to
//! disk by whoever does upkeep, so that it outlives a kill always, and a loss of power but for its last
//! second.

use super::files::hex;
use super::log_tail::LogTail;
use super::tables::raise_sequence;
use super::{Locked, Result, Store};
use rusqlite::Connection;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::Ordering;

/// Bytes of one note, and of the place that is its own: two are written in turn, so that one is whole.
const NOTE_BYTES: usize = 128;
const PLACE_BYTES: u64 = 512;
/// What a note begins with.
const MARK: &str = "acknowledged";
/// Rows that a page has at most: so many ids are passed over for each page that was lost, when it is not
/// known which were given.
const ROWS_PER_PAGE_MAX: i64 = 128;

/// The last commit that was answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Acknowledged {
    pub revision: i64,
    /// The greatest id of a memory that was ever given.
    pub memory_id: i64,
    /// The same of jobs.
    pub job_id: i64,
}

impl Acknowledged {
    /// As it stands in the file.
    fn to_note(self) -> String {
        let Self { revision, memory_id, job_id } = self;
        let mut note = format!("{MARK} {revision} {memory_id} {job_id} ");
        let checksum = checksum(&note);
        note.push_str(&checksum);
        format!("{note:<width$}\n", width = NOTE_BYTES - 1)
    }

    fn parse(note: &str) -> Option<Self> {
        let (said, given) = note.trim_end().rsplit_once(' ')?;
        let said = format!("{said} ");
        if checksum(&said) != given {
            return None;
        }
        let mut words = said.split_whitespace();
        let is_note = words.next() == Some(MARK);
        let mut next = || words.next()?.parse().ok();
        let found = Self { revision: next()?, memory_id: next()?, job_id: next()? };
        is_note.then_some(found)
    }

    /// Writes it in the place of the note before the last one.
    pub fn write(self, file: &File) -> io::Result<()> {
        let place = self.revision.rem_euclid(2).unsigned_abs();
        file.write_all_at(self.to_note().as_bytes(), place * PLACE_BYTES)
    }

    /// The last one that is whole.
    pub fn read(file: &File) -> Option<Self> {
        let at = |place: u64| {
            let mut note = [0; NOTE_BYTES];
            file.read_exact_at(&mut note, place * PLACE_BYTES).ok()?;
            Self::parse(std::str::from_utf8(&note).ok()?)
        };
        [at(0), at(1)].into_iter().flatten().max_by_key(|found| found.revision)
    }

    /// Forgets both.
    pub fn forget(file: &File) -> io::Result<()> {
        file.set_len(0)
    }
}

fn checksum(text: &str) -> String {
    hex(&Sha256::digest(text)[..8])
}

/// Holds what a store has against what was acknowledged, and answers how many commits it lacks. Then its
/// revision and the ids that it gives are later than all that were ever given.
pub fn hold_against(
    connection: &mut Connection,
    noted: Option<Acknowledged>,
    tail: &LogTail,
) -> Result<u64> {
    let state = "SELECT revision, \
                 coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memory'), 0), \
                 coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'job'), 0) \
                 FROM store_state WHERE id = 1";
    let found = connection.query_row(state, [], |row| {
        Ok(Acknowledged { revision: row.get(0)?, memory_id: row.get(1)?, job_id: row.get(2)? })
    })?;
    let missing = match noted {
        Some(noted) => noted.revision.saturating_sub(found.revision).max(0).unsigned_abs(),
        // What is left of the log tells it.
        None => tail.lost_commits,
    };
    let passed = match (noted, missing) {
        (Some(noted), _) => noted,
        (None, 0) => return Ok(0),
        (None, missing) => {
            let ids = i64::try_from(tail.lost_pages).unwrap_or(0).saturating_mul(ROWS_PER_PAGE_MAX);
            Acknowledged {
                revision: found.revision.saturating_add_unsigned(missing),
                memory_id: found.memory_id.saturating_add(ids),
                job_id: found.job_id.saturating_add(ids),
            }
        }
    };
    let tx = connection.transaction()?;
    for (table, passed, found) in
        [("memory", passed.memory_id, found.memory_id), ("job", passed.job_id, found.job_id)]
    {
        if passed > found {
            raise_sequence(&tx, table, passed)?;
        }
    }
    if missing > 0 {
        // A backup of a commit that is lost is of no later one.
        let sql = "UPDATE store_state SET revision = ?1 WHERE id = 1";
        tx.execute(sql, [passed.revision.saturating_add(1)])?;
    }
    tx.commit()?;
    Ok(missing)
}

impl Store {
    /// Notes what was committed, before it is answered.
    pub(super) fn note_acknowledged(&self, acknowledged: Acknowledged) {
        let lock = self.lock.locked();
        let Some(file) = lock.as_ref().and_then(|lock| lock.note_file()) else { return };
        match acknowledged.write(file) {
            Ok(()) => self.note_due.store(true, Ordering::Relaxed),
            Err(error) => log::debug!("what was acknowledged was not noted: {error}"),
        }
    }

    /// Brings what was noted to disk, when there is anything.
    pub fn sync_acknowledged(&self) {
        if let Some(lock) = &mut *self.lock.locked()
            && let Err(error) = lock.keep_beside()
        {
            log::debug!("the file of the lock was removed, and cannot be created again: {error}");
        }
        if !self.note_due.swap(false, Ordering::Relaxed) {
            return;
        }
        // Of its own, so that no commit waits for this.
        let file = {
            let lock = self.lock.locked();
            lock.as_ref().and_then(|lock| lock.note_file()?.try_clone().ok())
        };
        if let Some(Err(error)) = file.map(|file| file.sync_data()) {
            log::debug!("what was acknowledged was not brought to disk: {error}");
        }
    }

    /// Commits that were acknowledged by an earlier run and were not there when the store was opened.
    pub fn missing_commits(&self) -> u64 {
        self.missing_commits.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::{Acknowledged, NOTE_BYTES};
    use std::fs::OpenOptions;
    use std::os::unix::fs::FileExt;

    #[test]
    fn the_last_whole_note_is_read() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let options = &mut OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false);
        let file = file.open(folder.path().join("lock")).expect("a file");
        assert_eq!(Acknowledged::read(&file), None);
        let of = |revision| Acknowledged { revision, memory_id: i64::MAX, job_id: revision / 3 };
        for revision in [1, 2, 3, i64::MAX - 1, i64::MAX] {
            assert_eq!(of(revision.min(9)).to_note().len(), NOTE_BYTES);
            of(revision).write(&file).expect("written");
            assert_eq!(Acknowledged::read(&file), Some(of(revision)));
        }
        // Whatever becomes of the last one, the one before it is there.
        for at in 0..NOTE_BYTES as u64 {
            let mut byte = [0];
            file.read_exact_at(&mut byte, 512 + at).expect("read");
            file.write_all_at(&[byte[0] ^ 0x10], 512 + at).expect("written");
            let found = Acknowledged::read(&file).expect("one is whole");
            // Spaces at the end say nothing.
            assert!(found == of(i64::MAX - 1) || at > 90 && found == of(i64::MAX), "{at}");
            file.write_all_at(&byte, 512 + at).expect("written");
        }
        Acknowledged::forget(&file).expect("forgotten");
        assert_eq!(Acknowledged::read(&file), None);
    }
}
