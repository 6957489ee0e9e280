//! Opening a file whose schema may be damaged: its first page, and the further ones of `sqlite_schema`.

use crate::backup::alone;
use crate::files::{new_private_file, with_suffix};
use crate::open::PAGE_BYTES;
use crate::{Error, Result, reading, schema};
use rusqlite::Connection;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Bytes of the header, in front of the first page's rows.
const HEADER_BYTES: usize = 100;
/// Trees whose first page may be of another kind than the schema says: damage can look like anything.
const MISFITS_MAX: usize = 1;

/// A connection to a damaged file that can at least tell which tables it has; `None` when it cannot be
/// brought to that. The file is changed for it: where its schema cannot be read, that of a backup, else of a
/// new store at `new`, takes its place, which says the same of where the tables are.
pub fn readable(work: &Path, backups: &[PathBuf], new: &Path) -> Result<Option<Connection>> {
    if let Some(connection) = opened(work).filter(is_whole) {
        return Ok(Some(connection));
    }
    for backup in backups {
        if let Some(connection) = with_schema_of(work, backup) {
            return Ok(Some(connection));
        }
    }
    // As a store comes about: made by this version; by an earlier one, and brought to this.
    for version in (1..=schema::VERSION).rev() {
        for is_vacuumed in [false, true] {
            drop(new_private_file(new)?);
            let mut donor = alone(new)?;
            donor.pragma_update(None, "page_size", PAGE_BYTES)?;
            schema::make(&donor, version)?;
            schema::migrate(&mut donor)?;
            if is_vacuumed {
                donor.execute_batch("VACUUM")?;
            }
            drop(donor);
            if let Some(connection) = with_schema_of(work, new) {
                return Ok(Some(connection));
            }
        }
    }
    // With what there is of it.
    Ok(opened(work))
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

/// Whether a schema has all that its version makes.
fn is_whole(connection: &Connection) -> bool {
    schema::version(connection).is_ok_and(|version| {
        (1..=schema::VERSION).contains(&version)
            && matches!(schema::lacking(connection, version), Ok(None))
    })
}

/// The file with the schema of a sound one, when that says where the tables are; else it is as it was.
fn with_schema_of(work: &Path, donor: &Path) -> Option<Connection> {
    let mut before = Vec::new();
    let has_fit = transplant(work, donor, &mut before)
        .and_then(|page_bytes| fits(work, donor, page_bytes))
        .unwrap_or(false);
    if has_fit && let Some(connection) = opened(work).filter(is_whole) {
        return Some(connection);
    }
    let file = OpenOptions::new().write(true).open(work).ok()?;
    for (at, page) in before.iter().rev() {
        file.write_all_at(page, *at).ok()?;
    }
    None
}

/// The pages of the tree that holds the schema.
fn schema_pages(donor: &Path) -> Result<Vec<u64>> {
    let connection = reading::connect(donor, "immutable=1")?;
    let mut statement = connection.prepare(
        "SELECT pageno FROM dbstat WHERE name IN ('sqlite_schema', 'sqlite_master') ORDER BY pageno",
    )?;
    let pages = statement.query_map([], |row| row.get::<_, i64>(0))?;
    Ok(pages.map(|page| page.map(i64::unsigned_abs)).collect::<rusqlite::Result<_>>()?)
}

/// Whether each tree of the schema begins in the file with a page of its kind, as far as that page is sound.
fn fits(work: &Path, donor: &Path, page_bytes: usize) -> Result<bool> {
    let connection = reading::connect(donor, "immutable=1")?;
    let mut statement = connection.prepare(
        "SELECT rootpage, type = 'table' AND sql NOT LIKE '%WITHOUT ROWID%' FROM sqlite_schema \
         WHERE rootpage > 1",
    )?;
    let file = File::open(work).map_err(Error::io("cannot repair", work))?;
    let mut rows = statement.query([])?;
    let mut misfits = 0;
    while let Some(row) = rows.next()? {
        let (root, is_of_rows): (i64, bool) =
            (row.get(0)?, row.get::<_, Option<bool>>(1)?.unwrap_or(false));
        let mut kind = [0];
        let at = (root.unsigned_abs() - 1) * page_bytes as u64;
        if file.read_exact_at(&mut kind, at).is_ok() {
            // Inner and outer pages: 5 and 13 of rows, 2 and 10 of keys.
            misfits += usize::from(match kind[0] {
                5 | 13 => !is_of_rows,
                2 | 10 => is_of_rows,
                _ => false,
            });
        }
    }
    Ok(misfits <= MISFITS_MAX)
}

/// Puts the pages of a sound file's schema in the place of a damaged one's, and answers how long a page is.
/// What was there is kept in `before`, each with where it was.
fn transplant(work: &Path, donor: &Path, before: &mut Vec<(u64, Vec<u8>)>) -> Result<usize> {
    let pages_of_schema = schema_pages(donor)?;
    let mut header = [0; HEADER_BYTES];
    let donor = File::open(donor).map_err(Error::io("cannot repair", donor))?;
    donor.read_exact_at(&mut header, 0).map_err(Error::io("cannot repair", work))?;
    let page_bytes = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        bytes => usize::from(bytes),
    };
    if page_bytes < 512 {
        return Err(Error::Corrupt("it is no database".into()));
    }
    let file = OpenOptions::new().read(true).write(true).open(work);
    let file = file.map_err(Error::io("cannot repair", work))?;
    let bytes = file.metadata().map_err(Error::io("cannot repair", work))?.len();
    let last = pages_of_schema.iter().max().copied().unwrap_or(1);
    let pages = (bytes.div_ceil(page_bytes as u64)).max(last);
    let pages = u32::try_from(pages).unwrap_or(u32::MAX);
    for number in pages_of_schema {
        let at = (number - 1) * page_bytes as u64;
        let mut page = vec![0; page_bytes];
        donor.read_exact_at(&mut page, at).map_err(Error::io("cannot repair", work))?;
        if number == 1 {
            // Offsets as in SQLite's file format: format versions, size in pages and where that is known
            // to hold, free pages, of which none is known.
            let has_log = with_suffix(work, "-wal").exists();
            page[18..20].fill(if has_log { 2 } else { 1 });
            page[28..32].copy_from_slice(&pages.to_be_bytes());
            page[32..40].fill(0);
            let counter: [u8; 4] = [page[24], page[25], page[26], page[27]];
            page[92..96].copy_from_slice(&counter);
        }
        let mut was = vec![0; page_bytes];
        let length = usize::try_from(bytes.saturating_sub(at)).unwrap_or(usize::MAX);
        was.truncate(length.min(page_bytes));
        file.read_exact_at(&mut was, at).map_err(Error::io("cannot repair", work))?;
        before.push((at, was));
        file.write_all_at(&page, at).map_err(Error::io("cannot repair", work))?;
    }
    Ok(page_bytes)
}
