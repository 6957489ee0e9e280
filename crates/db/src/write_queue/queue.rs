//! The queue's file: what waits in it, and its space.

use super::{QueueError, Record};
use robot_memory_core::limits::{WRITE_QUEUE_APPEND_BYTES_MAX, WRITE_QUEUE_STEP_BYTES};
use robot_memory_core::model::Stamp;
use serde_json::value::RawValue;
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read as _};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Bytes of newlines behind which nothing can be: more than one call adds.
const BLANK_END_BYTES: u64 = 2 * WRITE_QUEUE_APPEND_BYTES_MAX as u64;
/// Bytes that are blanked at a time.
const BLANK_BYTES: usize = 64 * 1024;

/// A write that is to wait.
#[derive(Debug)]
pub struct WriteDraft {
    /// When it was asked for, of ROS time.
    pub at: Stamp,
    pub operation: &'static str,
    /// By what it is known to be the same; empty: by nothing.
    pub key: String,
    /// What tells it from another under the same key.
    pub key_hash: String,
    /// The request, as JSON.
    pub request: Box<RawValue>,
}

/// A write that waits, read again.
#[derive(Debug)]
pub struct Read {
    pub number: u64,
    /// `None` when its line was damaged meanwhile.
    pub record: Option<Record>,
}

/// Where a line is.
#[derive(Debug)]
struct Entry {
    number: u64,
    offset: u64,
    /// Without its end of line.
    bytes: usize,
    /// Empty: none.
    key: String,
}

/// Writes that wait, in their order, in a file that only this process has.
#[derive(Debug)]
pub struct WriteQueue {
    file: File,
    path: PathBuf,
    bytes_max: u64,
    queue_id: String,
    next_number: u64,
    waiting: VecDeque<Entry>,
    /// Of the last that waits with a key: its number, and what tells it from others under that key.
    keys: BTreeMap<String, (u64, String)>,
    /// Where the next line goes; from there on the file is blank.
    tail: u64,
    /// Bytes of the file.
    length: u64,
}

impl WriteQueue {
    /// Opens the file, private to this user, or makes it, and reads what waits in it. Its space is taken
    /// by [`WriteQueue::reserve`].
    ///
    /// # Errors
    /// When it cannot be made or read, another process has it, or it holds anything else.
    pub fn open(path: &Path, bytes_max: u64) -> Result<Self, QueueError> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(QueueError::InUse),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        // A file that was just made must still be there when the power went.
        sync_folder_of(path)?;
        let length = file.metadata()?.len();
        let mut queue = Self {
            file,
            path: path.to_owned(),
            bytes_max,
            queue_id: String::new(),
            next_number: 1,
            waiting: VecDeque::new(),
            keys: BTreeMap::new(),
            tail: 0,
            length,
        };
        queue.read()?;
        Ok(queue)
    }

    /// Takes down which lines are whole, and blanks what is behind them.
    fn read(&mut self) -> Result<(), QueueError> {
        let mut found: Vec<(u64, usize, Record)> = Vec::new();
        let mut is_foreign = false;
        let end = each_line(&self.file, |offset, line| match Record::parse(line) {
            Some(record) => found.push((offset, line.len(), record)),
            // Cut lines of this queue begin so, or with a page that was never written.
            None => is_foreign |= offset == 0 && !matches!(line.first(), Some(b'{' | 0)),
        })?;
        if found.is_empty() && is_foreign {
            return Err(QueueError::Foreign);
        }
        if let Some((_, _, last)) = found.last() {
            self.queue_id.clone_from(&last.queue_id);
        } else {
            self.queue_id = Uuid::new_v4().to_string();
        }
        for (offset, bytes, record) in found {
            let Record { number, queue_id, key, key_hash, .. } = record;
            if queue_id == self.queue_id && number >= self.next_number {
                self.next_number = number + 1;
                self.tail = offset + bytes as u64 + 1;
                self.remember(Entry { number, offset, bytes, key }, key_hash);
            }
        }
        if end > self.tail {
            blank(&self.file, self.tail, end)?;
            self.file.sync_data()?;
        }
        // The end of its last line may have been what was cut.
        self.length = self.length.max(self.tail);
        if self.tail > 0 {
            self.file.write_all_at(b"\n", self.tail - 1)?;
        }
        Ok(())
    }

    fn remember(&mut self, entry: Entry, key_hash: String) {
        if !entry.key.is_empty() {
            self.keys.insert(entry.key.clone(), (entry.number, key_hash));
        }
        self.waiting.push_back(entry);
    }

    /// Takes a little of the space that the file may have, and answers whether there is more to take.
    /// It stops while less would be left on the disk than the file may take: the last room is not
    /// taken from others.
    ///
    /// # Errors
    /// When the file cannot be written; it is as long as it was then.
    pub fn reserve(&mut self) -> io::Result<bool> {
        let step = self.bytes_max.saturating_sub(self.length).min(WRITE_QUEUE_STEP_BYTES);
        let disk = rustix::fs::fstatvfs(&self.file)?;
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if step == 0 || free < step.saturating_add(self.bytes_max) {
            return Ok(false);
        }
        let taken =
            blank(&self.file, self.length, self.length + step).and_then(|()| self.file.sync_data());
        if let Err(error) = taken {
            self.file.set_len(self.length)?;
            return Err(error);
        }
        self.length += step;
        Ok(!self.is_reserved())
    }

    /// Whether all the space that the file may have is its own.
    pub fn is_reserved(&self) -> bool {
        self.length >= self.bytes_max
    }

    /// Makes the file anew when it is no longer at its path, with all that waits in it.
    ///
    /// # Errors
    /// When it cannot be made, or another file has its place.
    pub fn keep_in_place(&mut self) -> Result<(), QueueError> {
        let own = self.file.metadata()?;
        match std::fs::metadata(&self.path) {
            Ok(found) if (found.dev(), found.ino()) == (own.dev(), own.ino()) => return Ok(()),
            Ok(_) => return Err(QueueError::Replaced),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        let options = &mut OpenOptions::new();
        let options = options.read(true).write(true).create_new(true).mode(0o600);
        let file = options.open(&self.path)?;
        let copied = file.try_lock().map_err(io::Error::from).and_then(|()| {
            let mut at = 0;
            let mut bytes = vec![0; BLANK_BYTES];
            while at < self.tail {
                let step = (self.tail - at).min(BLANK_BYTES as u64) as usize;
                let part = bytes.get_mut(..step).unwrap_or_default();
                self.file.read_exact_at(part, at)?;
                file.write_all_at(part, at)?;
                at += step as u64;
            }
            file.sync_all()?;
            sync_folder_of(&self.path)
        });
        if let Err(error) = copied {
            // Half of it would be taken for all of it by the next start.
            std::fs::remove_file(&self.path)?;
            return Err(error.into());
        }
        self.file = file;
        self.length = self.tail;
        log::warn!(
            "{} was removed while it was open; it is created again, and nothing that waits in it is lost",
            self.path.display()
        );
        Ok(())
    }

    /// Puts writes behind those that wait. When this returns they are on disk, all of them; on an error
    /// none is there.
    ///
    /// # Errors
    /// When there is no room for all, or the file cannot be written.
    pub fn append(&mut self, drafts: Vec<WriteDraft>) -> Result<(), QueueError> {
        self.keep_in_place()?;
        let mut lines = String::new();
        let mut entries = Vec::with_capacity(drafts.len());
        for (number, draft) in (self.next_number..).zip(drafts) {
            let WriteDraft { at, operation, key, key_hash, request } = draft;
            let record = Record {
                number,
                queue_id: self.queue_id.clone(),
                at,
                operation: operation.to_owned(),
                key,
                key_hash,
                request,
            };
            let line = record.to_line().map_err(io::Error::from)?;
            let offset = self.tail + lines.len() as u64;
            let Record { key, key_hash, .. } = record;
            entries.push((Entry { number, offset, bytes: line.len() - 1, key }, key_hash));
            lines.push_str(&line);
        }
        let more = lines.len() as u64;
        let call_max = WRITE_QUEUE_APPEND_BYTES_MAX as u64;
        if self.tail + more > self.bytes_max || more > call_max {
            let bytes_max = self.bytes_max.min(self.tail + call_max);
            return Err(QueueError::Full { waiting: self.tail, more, bytes_max });
        }
        let written = self.file.write_all_at(lines.as_bytes(), self.tail);
        if let Err(error) = written.and_then(|()| self.file.sync_data()) {
            self.take_back(self.tail + more);
            return Err(error.into());
        }
        self.tail += more;
        self.length = self.length.max(self.tail);
        self.next_number += entries.len() as u64;
        for (entry, key_hash) in entries {
            self.remember(entry, key_hash);
        }
        Ok(())
    }

    /// Leaves nothing of what could not be written in full.
    fn take_back(&self, end: u64) {
        let undone = if self.length < end { self.file.set_len(self.length) } else { Ok(()) };
        let undone = undone.and_then(|()| blank(&self.file, self.tail, end.min(self.length)));
        if let Err(error) = undone.and_then(|()| self.file.sync_data()) {
            log::error!("what could not be queued could not be taken out again: {error}");
        }
    }

    /// The first that wait, at most so many, and no more than about so many bytes of them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn first(&self, count_max: usize, bytes_max: usize) -> io::Result<Vec<Read>> {
        let mut read = Vec::new();
        let mut bytes = 0;
        for entry in self.waiting.iter().take(count_max) {
            if bytes > bytes_max {
                break;
            }
            bytes += entry.bytes;
            read.push(Read { number: entry.number, record: self.record(entry)? });
        }
        Ok(read)
    }

    /// Calls `f` with each that waits and is whole, in order.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn each(&self, mut f: impl FnMut(Record)) -> io::Result<()> {
        for entry in &self.waiting {
            self.record(entry)?.map(&mut f);
        }
        Ok(())
    }

    fn record(&self, entry: &Entry) -> io::Result<Option<Record>> {
        let mut line = vec![0; entry.bytes];
        self.file.read_exact_at(&mut line, entry.offset)?;
        Ok(Record::parse(&line).filter(|record| record.number == entry.number))
    }

    /// Passes over what was done up to this number in an earlier run, and answers how many behind it are
    /// not there though they were: their lines were damaged. `None`: it is not known of any.
    pub fn pass_over(&mut self, done_until: Option<u64>) -> u64 {
        let mut before = done_until;
        let mut lost = 0;
        for entry in &self.waiting {
            if before.is_none_or(|before| entry.number > before) {
                lost += before.map_or(0, |before| entry.number - before - 1);
                before = Some(entry.number);
            }
        }
        self.forget(done_until.unwrap_or(0));
        lost
    }

    /// Takes out what is done up to this number. When nothing waits any more, the texts go from the disk.
    ///
    /// # Errors
    /// When they could not be overwritten; a later call of [`WriteQueue::erase`] tries again.
    pub fn pass(&mut self, done_until: u64) -> io::Result<()> {
        self.forget(done_until);
        self.erase()
    }

    fn forget(&mut self, done_until: u64) {
        while let Some(first) = self.waiting.front()
            && first.number <= done_until
        {
            // The same key may be there again, of a write that was asked for later.
            if self.keys.get(&first.key).is_some_and(|(number, _)| *number == first.number) {
                self.keys.remove(&first.key);
            }
            self.waiting.pop_front();
        }
    }

    /// Blanks the lines of what is done, when nothing waits.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn erase(&mut self) -> io::Result<()> {
        if !self.waiting.is_empty() || self.tail == 0 {
            return Ok(());
        }
        blank(&self.file, 0, self.tail)?;
        if self.length > self.bytes_max {
            self.file.set_len(self.bytes_max)?;
            self.length = self.bytes_max;
        }
        self.file.sync_data()?;
        self.tail = 0;
        Ok(())
    }

    /// What tells the waiting write with this key from another; `None` when none waits.
    pub fn key_hash(&self, key: &str) -> Option<&str> {
        self.keys.get(key).map(|(_, hash)| hash.as_str())
    }

    /// Which queue it is.
    pub fn queue_id(&self) -> &str {
        &self.queue_id
    }

    /// Up to which number all is done.
    pub fn done_until(&self) -> u64 {
        self.waiting.front().map_or(self.next_number, |first| first.number) - 1
    }

    /// How many wait.
    pub fn count(&self) -> u64 {
        self.waiting.len() as u64
    }

    /// Where the next line goes.
    #[cfg(test)]
    pub fn tail_of_test(&self) -> u64 {
        self.tail
    }

    /// Bytes of their lines.
    pub fn bytes(&self) -> u64 {
        self.waiting.front().map_or(0, |first| self.tail - first.offset)
    }
}

impl Drop for WriteQueue {
    /// A copy of the descriptor may still be open, in a child process that is just begun.
    fn drop(&mut self) {
        if let Err(error) = self.file.unlock() {
            log::debug!("the lock of the write queue goes with its descriptor: {error}");
        }
    }
}

/// Lets the name of a new file outlive a loss of power.
fn sync_folder_of(path: &Path) -> io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

/// Overwrites a part of the file with newlines, beginning at its end: cut anywhere, what is left is
/// whole lines and then one that is not.
fn blank(file: &File, from: u64, until: u64) -> io::Result<()> {
    let blanks = [b'\n'; BLANK_BYTES];
    let mut end = until;
    // Space that is taken is taken from its beginning: a file has no holes then.
    if until > file.metadata()?.len() {
        let mut at = from;
        while at < until {
            let step = (until - at).min(BLANK_BYTES as u64);
            file.write_all_at(blanks.get(..step as usize).unwrap_or(&blanks), at)?;
            at += step;
        }
        return Ok(());
    }
    while end > from {
        let step = (end - from).min(BLANK_BYTES as u64);
        end -= step;
        file.write_all_at(blanks.get(..step as usize).unwrap_or(&blanks), end)?;
    }
    Ok(())
}

/// Calls `f` with each line that is not empty and where it begins; answers where the last one ends.
fn each_line(file: &File, mut f: impl FnMut(u64, &[u8])) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(BLANK_BYTES, file);
    let (mut offset, mut end, mut line) = (0, 0, Vec::new());
    loop {
        let buffer = reader.fill_buf()?;
        let blanks = buffer.iter().take_while(|byte| **byte == b'\n').count();
        if blanks > 0 {
            reader.consume(blanks);
            offset += blanks as u64;
            if offset - end > BLANK_END_BYTES {
                return Ok(end);
            }
            continue;
        }
        line.clear();
        let bytes =
            (&mut reader).take(WRITE_QUEUE_APPEND_BYTES_MAX as u64).read_until(b'\n', &mut line)?;
        if bytes == 0 {
            return Ok(end);
        }
        f(offset, line.strip_suffix(b"\n").unwrap_or(&line));
        offset += bytes as u64;
        end = offset;
    }
}
