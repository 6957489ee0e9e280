//! Opening a file whose first page may be damaged.

use crate::store::backup::alone;
use crate::store::files::{new_private_file, with_suffix};
use crate::store::open::PAGE_BYTES;
use crate::store::{Error, Result, schema};
use rusqlite::Connection;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes of the header, in front of the first page's rows.
const HEADER_BYTES: usize = 100;

/// A connection to a damaged file that can at least tell which tables it has; `None` when it cannot be
/// brought to that. The file is changed for it: where its first page cannot be read, that of a backup,
/// else of a new store at `new`, takes its place, which says the same of where the tables are.
pub fn readable(work: &Path, backups: &[PathBuf], new: &Path) -> Result<Option<Connection>> {
    if let Some(connection) = opened(work) {
        return Ok(Some(connection));
    }
    for backup in backups {
        if transplant(work, backup).is_ok()
            && let Some(connection) = opened(work)
        {
            return Ok(Some(connection));
        }
    }
    drop(new_private_file(new)?);
    {
        let donor = alone(new)?;
        donor.pragma_update(None, "page_size", PAGE_BYTES)?;
        schema::make(&donor, schema::VERSION)?;
    }
    Ok(if transplant(work, new).is_ok() { opened(work) } else { None })
}

/// The file, when its schema can be read and is that of a memory store.
fn opened(path: &Path) -> Option<Connection> {
    let connection = alone(path).ok()?;
    connection.pragma_update(None, "query_only", true).ok()?;
    let is_store = schema::application_id(&connection).ok()? == schema::APPLICATION_ID;
    let tables: i64 = connection
        .query_row(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' \
             AND name IN ('memory', 'store_state')",
            [],
            |row| row.get(0),
        )
        .ok()?;
    (is_store && tables == 2).then_some(connection)
}

/// Puts the first page of a sound file in the place of a damaged one's.
fn transplant(work: &Path, donor: &Path) -> Result<()> {
    let io = |source| Error::Io { action: "cannot mend", path: work.to_owned(), source };
    let mut header = [0; HEADER_BYTES];
    let donor = File::open(donor).map_err(io)?;
    donor.read_exact_at(&mut header, 0).map_err(io)?;
    let page_bytes = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        bytes => usize::from(bytes),
    };
    if page_bytes < 512 {
        return Err(Error::Corrupt("it is no database".into()));
    }
    let mut page = vec![0; page_bytes];
    donor.read_exact_at(&mut page, 0).map_err(io)?;
    let file = OpenOptions::new().read(true).write(true).open(work).map_err(io)?;
    let bytes = file.metadata().map_err(io)?.len();
    let pages = u32::try_from(bytes / page_bytes as u64).unwrap_or(u32::MAX);
    // Offsets as in SQLite's file format: format versions, size in pages and where that is known to
    // hold, free pages, of which none is known.
    let has_log = with_suffix(work, "-wal").exists();
    page[18..20].fill(if has_log { 2 } else { 1 });
    page[28..32].copy_from_slice(&pages.to_be_bytes());
    page[32..40].fill(0);
    let counter: [u8; 4] = [page[24], page[25], page[26], page[27]];
    page[92..96].copy_from_slice(&counter);
    file.write_all_at(&page, 0).map_err(io)
}
