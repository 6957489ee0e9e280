//! What a store's log holds behind the place at which SQLite stops reading it.
//!
//! SQLite reads a log up to the first page whose checksum is wrong, and says nothing of what follows. The
//! format: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>.

use super::open::PAGE_BYTES;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// Of a log whose checksums are made of words in this machine's order or the other; the last bit says it.
const MAGIC: u32 = 0x377f_0682;

/// What is not read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogTail {
    /// Commits, at most: the last one may not have come to its end when the power went.
    pub lost_commits: u64,
    /// Pages, with those of no commit.
    pub lost_pages: u64,
}

impl LogTail {
    /// Of the log at this path; nothing where there is none.
    pub fn read(log: &Path) -> Self {
        match File::open(log).and_then(|file| scan(&mut BufReader::with_capacity(1 << 16, file))) {
            Ok(tail) => tail,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    log::debug!("the log {} was not looked at: {error}", log.display());
                }
                Self::default()
            }
        }
    }
}

fn scan(log: &mut impl Read) -> io::Result<LogTail> {
    let mut header = [0; HEADER_BYTES];
    if !fill(log, &mut header)? {
        return Ok(LogTail::default());
    }
    let is_big_endian = word(&header, 0) & 1 == 1;
    let mut sum = checksum((0, 0), &header[..24], is_big_endian);
    let is_known = word(&header, 0) & !1 == MAGIC & !1;
    let mut is_read = is_known && sum == (word(&header, 24), word(&header, 28));
    let page_bytes = match word(&header, 8) as usize {
        bytes if is_read && bytes.is_power_of_two() && (512..=65_536).contains(&bytes) => bytes,
        _ => PAGE_BYTES as usize,
    };
    // Without a header the first page says which pages are of one log.
    let mut salts = is_read.then(|| (word(&header, 16), word(&header, 20)));
    let mut frame = vec![0; FRAME_HEADER_BYTES + page_bytes];
    let mut tail = LogTail::default();
    while fill(log, &mut frame)? {
        let its_salts = (word(&frame, 8), word(&frame, 12));
        if salts.is_none() && word(&frame, 0) != 0 {
            salts = Some(its_salts);
        }
        let is_of_this_log = Some(its_salts) == salts && word(&frame, 0) != 0;
        if is_read {
            sum = checksum(sum, &frame[..8], is_big_endian);
            sum = checksum(sum, &frame[FRAME_HEADER_BYTES..], is_big_endian);
            is_read = is_of_this_log && sum == (word(&frame, 16), word(&frame, 20));
        }
        if !is_read && is_of_this_log {
            tail.lost_pages += 1;
            // The last page of a commit says how large the file is after it.
            tail.lost_commits += u64::from(word(&frame, 4) != 0);
        }
    }
    Ok(tail)
}

/// Whether so many bytes were there.
fn fill(from: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// A word of a header, which is big-endian.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map_or(0, u32::from_be_bytes)
}

fn checksum(before: (u32, u32), bytes: &[u8], is_big_endian: bool) -> (u32, u32) {
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs.iter().fold(before, |(first, second), pair| {
        let (low, high) =
            ([pair[0], pair[1], pair[2], pair[3]], [pair[4], pair[5], pair[6], pair[7]]);
        let read = if is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
        let first = first.wrapping_add(read(low)).wrapping_add(second);
        (first, second.wrapping_add(read(high)).wrapping_add(first))
    })
}

#[cfg(test)]
mod tests {
    use super::{LogTail, scan};
    use rusqlite::Connection;

    /// A log of so many commits of one page or more, and where each of its pages begins.
    fn log(page_bytes: usize, commits: usize) -> Vec<u8> {
        let folder = tempfile::TempDir::new().expect("a folder");
        let path = folder.path().join("any.db");
        let connection = Connection::open(&path).expect("opens");
        connection.pragma_update(None, "page_size", page_bytes as i64).expect("set");
        connection.pragma_update(None, "journal_mode", "wal").expect("set");
        connection.execute_batch("CREATE TABLE word (text TEXT)").expect("made");
        for number in 1..commits {
            connection.execute("INSERT INTO word VALUES (?1)", [number as i64]).expect("stored");
        }
        std::fs::read(folder.path().join("any.db-wal")).expect("bytes")
    }

    #[test]
    fn what_follows_a_damaged_page_is_counted() {
        for page_bytes in [512, 4096, 8192] {
            let sound = log(page_bytes, 12);
            assert_eq!(scan(&mut sound.as_slice()).expect("read"), LogTail::default());
            let pages = (sound.len() - 32) / (page_bytes + 24);
            for page in 0..pages {
                let mut damaged = sound.clone();
                damaged[32 + page * (page_bytes + 24) + 24 + page_bytes / 2] ^= 4;
                let tail = scan(&mut damaged.as_slice()).expect("read");
                assert_eq!(tail.lost_pages, (pages - page) as u64);
                assert!((1..=12).contains(&tail.lost_commits), "{tail:?}");
            }
            // Cut off anywhere it looks as if no more had been written.
            for length in (0..sound.len()).step_by(page_bytes / 3) {
                let tail = scan(&mut &sound[..length]).expect("read");
                assert_eq!(tail, LogTail::default());
            }
        }
        let mut headless = log(8192, 12);
        headless[..32].fill(0);
        let tail = scan(&mut headless.as_slice()).expect("read");
        assert_eq!(tail.lost_commits, 12);
    }
}
