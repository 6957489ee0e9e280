//! A copy of the store on which one job is tried out.

use super::backup::{alone, run_backup};
use super::files::new_private_file;
use super::{Error, ReadTx, Result, Store};
use rusqlite::{Connection, params};
use std::ops::ControlFlow;
use std::path::Path;

impl Store {
    /// Copies one snapshot of the store to a path where nothing is, private to this user, while others
    /// write. It is not verified, unlike that of [`Store::copy_to`]. In the copy one job waits, with another
    /// payload, and no other does; sessions of this run are of the run in which the copy is opened. `between` is told the pages that are done and all of
    /// them; when it fails, so does the copy, which is left as it is.
    pub fn copy_to_rehearse<E: From<Error>>(
        &self,
        path: &Path,
        job_id: i64,
        payload: &str,
        mut between: impl FnMut(u64, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        drop(new_private_file(path)?);
        let mut copy = alone(path)?;
        // It is thrown away whatever happens.
        copy.pragma_update(None, "synchronous", false).map_err(Error::from)?;
        let mut stopped = None;
        self.with_reader(|connection| {
            // Held to the end, so that what is written meanwhile makes it begin anew never.
            let snapshot = ReadTx::begin(connection, "BEGIN")?;
            snapshot.revision()?;
            let mut progress = |done, total| match between(done, total) {
                Ok(()) => ControlFlow::Continue(()),
                Err(why) => {
                    stopped = Some(why);
                    ControlFlow::Break(())
                }
            };
            run_backup(connection, &mut copy, &mut progress).map(drop)
        })?;
        if let Some(why) = stopped {
            return Err(why);
        }
        prepare(&copy, job_id, payload)?;
        copy.close().map_err(|(_, error)| Error::from(error))?;
        Ok(())
    }
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
