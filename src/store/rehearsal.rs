//! A copy of the store on which one job is tried out.

use super::{Error, ReadTx, Result, Store};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, params};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Pages between two looks whether it goes on: 4 MiB.
const PAGES_PER_STEP: i32 = 512;

impl Store {
    /// Copies one snapshot of the store to a path where nothing is, private to this user, while others
    /// write. In the copy one job waits, with another payload, and no other does; sessions of this run
    /// are of the run in which the copy is opened. `between` is told the pages that are done and all of
    /// them; when it fails, so does the copy, which is left as it is.
    pub fn copy_to_rehearse<E: From<Error>>(
        &self,
        path: &Path,
        job_id: i64,
        payload: &str,
        mut between: impl FnMut(u64, u64) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let mut copy = new_file(path)?;
        self.with_reader(|connection| {
            // Held to the end, so that what is written meanwhile makes it begin anew never.
            let snapshot = ReadTx::begin(connection, "BEGIN")?;
            snapshot.revision()?;
            let backup = Backup::new(connection, &mut copy).map_err(Error::from)?;
            loop {
                let step = backup.step(PAGES_PER_STEP).map_err(Error::from)?;
                let progress = backup.progress();
                let total = u64::try_from(progress.pagecount).unwrap_or(0);
                let left = u64::try_from(progress.remaining).unwrap_or(0);
                match step {
                    StepResult::Done => return Ok::<(), E>(()),
                    _ => between(total.saturating_sub(left), total)?,
                }
            }
        })?;
        prepare(&copy, job_id, payload)?;
        copy.close().map_err(|(_, error)| Error::from(error))?;
        Ok(())
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Bytes that are free for this user on the disk of a file; `None` when that is not known.
pub fn free_bytes(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn new_file(path: &Path) -> Result<Connection> {
    OpenOptions::new().create_new(true).append(true).mode(0o600).open(path).map_err(|source| {
        Error::Io { action: "cannot make the copy", path: path.into(), source }
    })?;
    let copy = Connection::open(path)?;
    // It is thrown away whatever happens.
    copy.pragma_update(None, "synchronous", false)?;
    Ok(copy)
}

fn prepare(copy: &Connection, job_id: i64, payload: &str) -> Result<()> {
    copy.execute_batch("BEGIN IMMEDIATE")?;
    // Opening counts one more run, and looks for damage where the file was not closed.
    copy.execute("UPDATE store_state SET run = run - 1, clean = 1 WHERE id = 1", [])?;
    copy.execute(
        "UPDATE job SET status = 'cancelled', is_head = 0, lease_owner = '', lease_until = NULL, \
         finished_at = updated_at WHERE status IN ('pending', 'leased', 'running', 'retry_waiting')",
        [],
    )?;
    copy.execute(
        "UPDATE job SET status = 'pending', is_head = 1, finished_at = NULL, payload = ?2, \
         position = '', step = '', done = 0, total = 0, attempt_count = 0 WHERE id = ?1",
        params![job_id, payload],
    )?;
    copy.execute_batch("COMMIT")?;
    Ok(())
}
