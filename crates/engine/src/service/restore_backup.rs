//! RestoreBackup: put the store back to what a backup holds.
//!
//! The backup is read through, copied, and brought to this version first; who writes meanwhile waits only
//! for the last part, in which what is stored now is copied too, and then replaced in one transaction.

use super::backups::{BackupKind, check_room, is_as_noted};
use super::replace::{Incoming, StagedFile};
use crate::db::load;
use crate::operations::check;
use crate::{Engine, Error, Result, Run};
use robot_memory_core::api::{
    ApiError, ErrorKind, FieldText, RestoreBackup, RestoreBackupRequest, RestoreBackupResponse,
};
use robot_memory_core::model::quoted;
use robot_memory_db::{self as store, Store, backup};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The name of the latest of this store.
const LATEST: &str = "latest";

impl Run<RestoreBackup> for Engine {
    fn run(&self, request: RestoreBackupRequest) -> Result<RestoreBackupResponse> {
        let RestoreBackupRequest { name, agent } = request;
        self.check_agent(&agent)?;
        if !agent.is_empty() {
            let message = "agent: only the operator puts a backup in place".to_owned();
            return Err(ApiError { kind: ErrorKind::Forbidden, message }.into());
        }
        let name = check::text("name", &name)?;
        let found = if name == LATEST {
            self.latest_backups().into_iter().next()
        } else {
            self.kept_backups().into_iter().find(|kept| kept.info.name == name)
        };
        let found = found.ok_or_else(|| {
            let folder = self.backups_folder();
            let folder = folder.display();
            // A name that may be a secret is not said again.
            let given = match self.secrets().check_given("name", FieldText::Text(name)) {
                Ok(()) => format!("backup {}", quoted(name)),
                Err(_) => "backup of this name".to_owned(),
            };
            let foreign_count = self.kept_backups().iter().filter(|kept| kept.info.is_foreign).count();
            ApiError::not_found(match name {
                LATEST if foreign_count > 0 => format!(
                    "name: no backup of this store is in {folder}; {foreign_count} of other stores are, \
                     which are put back by their names only"
                ),
                _ => format!("name: no {given} is in {folder}"),
            })
        })?;
        self.restore(&found.path, found.info.name)
    }
}

impl Engine {
    /// Puts the store back to what a backup at any path holds.
    ///
    /// # Errors
    /// `invalid_state` when it is no whole store, or one of a later version; `unavailable` when there is
    /// no room.
    pub fn restore_from(&self, path: &Path) -> Result<RestoreBackupResponse, ApiError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(self.restore(path, name)?)
    }

    fn restore(&self, path: &Path, name: String) -> Result<RestoreBackupResponse> {
        // Two would take turns anyway, each with the room that both need.
        let Some(_turn) = self.recovery.try_turn() else {
            let message = "another restore_backup is being done, or the store is being repaired; try \
                           again when that has ended";
            return Err(Error::unavailable(message));
        };
        // A FIFO would be waited for without end.
        let bytes = match std::fs::metadata(path) {
            Ok(found) if found.is_file() => found.len(),
            Ok(_) => return Err(Error::invalid_state("name: it is no regular file")),
            Err(error) => {
                let message = format!("name: {} cannot be read: {error}", path.display());
                return Err(Error::not_found(message));
            }
        };
        let folder = store::folder_of(&self.config.store_path);
        // The copy that is brought to this version, and the log of the transaction.
        check_room(folder, bytes.saturating_mul(2))?;
        let staged = StagedFile::beside(&self.config.store_path)?;
        let incoming = staged.path();
        // What is looked at is what takes the place, whatever becomes of the backup meanwhile.
        store::copy_private(path, &incoming)?;
        let of_backup = |error| not_restorable(error, path);
        let verified = backup::verify(&incoming).map_err(of_backup)?;
        if !is_as_noted(path, &incoming)? {
            let message = format!(
                "name: the bytes of {name} are not those that were written when it was made (SHA-256); \
                 put another one back"
            );
            return Err(Error::invalid_state(message));
        }
        let own = self.store_id();
        let is_foreign =
            !own.is_empty() && !verified.store_id.is_empty() && own != verified.store_id;
        bring_up_to_date(&incoming, path)?;
        let migrated = backup::verify(&incoming).map_err(of_backup)?;
        check_count(&name, migrated.memory_count, verified.memory_count)?;

        self.store.check_in_place()?;
        let mut writer = self.store.writer();
        let kept = self.add_backup(BackupKind::BeforeRestore, None, &mut |_, _| {
            if self.is_closing() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let is_damaged = matches!(kept, Err(Error::Store(store::Error::Corrupt(_))));
        let kept_as: PathBuf = if is_damaged {
            self.store.copy_aside(&writer)?
        } else {
            let closing = || ApiError::unavailable("the store is being closed");
            kept?.ok_or_else(closing)?.name.into()
        };
        let memory_count = self.replace_store(
            &mut writer,
            &Incoming { path: &incoming, is_damaged, is_another_past: true },
        )?;
        let stored_count = self.store.read(|tx| tx.memory_count())?;
        drop(writer);
        self.follow_replaced();
        check_count(&name, memory_count, verified.memory_count)?;
        check_count(&name, stored_count, verified.memory_count)?;
        let kept_as = kept_as.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let of = if is_foreign { ", of another store," } else { "" };
        log::info!(
            "the backup {name}{of} was put back: {memory_count} memories; {kept_as} has what was stored \
             before"
        );
        Ok(RestoreBackupResponse { name, memory_count, kept_as, is_foreign })
    }
}

/// Fails when it is not all that is to be there.
fn check_count(name: &str, found: u64, of_backup: u64) -> Result<()> {
    if found == of_backup {
        return Ok(());
    }
    let message = format!("{found} memories came of the {of_backup} that the backup {name} holds");
    Err(ApiError { kind: ErrorKind::Internal, message }.into())
}

/// Migrates a copy of a backup, and gives its rows the words of this version.
fn bring_up_to_date(path: &Path, backup: &Path) -> Result<()> {
    let (store, opened) = Store::open(path, 0).map_err(|error| not_restorable(error, backup))?;
    if opened.damaged_aside.is_some() {
        return Err(Error::invalid_state("name: the backup is damaged"));
    }
    drop(load::words_and_rows(&store)?);
    Ok(store.close()?)
}

/// What is wrong with a backup is no fault of the store. What is told is its own path, and not that of the
/// copy in which it was found.
fn not_restorable(error: store::Error, backup: &Path) -> Error {
    let error = match error {
        store::Error::BadCopy { reason, .. } => {
            store::Error::BadCopy { path: backup.to_owned(), reason }
        }
        error => error,
    };
    match error {
        store::Error::BadCopy { .. }
        | store::Error::NewerSchema { .. }
        | store::Error::Foreign { .. } => Error::invalid_state(format!("name: {error}")),
        error => error.into(),
    }
}
